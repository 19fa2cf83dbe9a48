"""Questions about the exchange: what each way to part with cards is worth when all cards are open.

A *way* is the rest of an exchange as actions in order: the ordered pair of gifts, the last gift once one is given, or
the cards to put aside in ascending order. ``gift_ways`` lists them in ascending order of their actions, and this is the
order of the columns of all arrays here. Values are the declarer's final points, as in ``play``, with the best play to
follow.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from thousand_env.actions import FIRST_GIVE
from thousand_env.cards import CARD_POINTS, KING, NUM_RANKS, QUEEN, mask_to_cards
from thousand_env.game import Game
from thousand_env.solver import kernels
from thousand_env.solver.play import check_goals, check_points
from thousand_env.solver.workers import Answers, Ints, ask, check_games

Way = tuple[int, ...]


class Gifts(NamedTuple):
    """The best way to finish an exchange: its actions in order, and the declarer's points after it."""

    actions: Way
    value: int


class _Ways(NamedTuple):
    """The ways of one hand: as actions in ascending order; as cards in the order of search, and where those belong."""

    actions: tuple[Way, ...]
    cards: Ints
    places: Ints


def gift_ways(game: Game) -> tuple[Way, ...]:
    """All ways to finish the exchange, in ascending order: 90 ordered pairs of gifts from ten cards."""
    return _ways_of(*check_games([game], "exchange", "solver.gift_ways")).actions


def best_gifts(game: Game, *, table_bits: int | None = None) -> Gifts:
    """A best way to finish the exchange, and its value. ``ValueError`` if the game is not in the exchange phase.

    Among equally good ways any may be given, the same each time.
    """
    return _best(check_games([game], "exchange", "solver.best_gifts"), 1, table_bits)[0]


def best_gifts_batch(
    games: Iterable[Game], *, threads: int | None = None, table_bits: int | None = None
) -> list[Gifts]:
    """``best_gifts`` of many games."""
    return _best(check_games(games, "exchange", "solver.best_gifts_batch"), threads, table_bits)


def gifts_make(game: Game, points: int, *, table_bits: int | None = None) -> Way | None:
    """A way to finish the exchange after which the declarer gets at least so many points, or None if there is none."""
    games = check_games([game], "exchange", "solver.gifts_make")
    return _making(games, points, 1, table_bits)[0]


def gifts_make_batch(
    games: Iterable[Game], points: int, *, threads: int | None = None, table_bits: int | None = None
) -> list[Way | None]:
    """``gifts_make`` of many games: for worlds that a bidder has drawn, whether the contract is there."""
    rows = check_games(games, "exchange", "solver.gifts_make_batch")
    return _making(rows, points, threads, table_bits)


def gift_values(games: Iterable[Game], *, threads: int | None = None, table_bits: int | None = None) -> Answers:
    """Values int32 ``[K, W]`` of all W ways, in the order of ``gift_ways``, of games with as many ways each.

    Worlds of one View have the same ways. ``ValueError`` if the games have not equally many.
    """
    return _table(kernels.GIFT_VALUES, check_games(games, "exchange", "solver.gift_values"), 0, threads, table_bits)


def gift_makes(
    games: Iterable[Game], points: int, *, threads: int | None = None, table_bits: int | None = None
) -> npt.NDArray[np.bool_]:
    """Whether the declarer gets so many points after each way, bool ``[K, W]``: ``gift_values``, but much cheaper."""
    rows = check_games(games, "exchange", "solver.gift_makes")
    return _table(kernels.GIFT_MAKES, rows, points, threads, table_bits) == 1


def _best(games: Sequence[Game], threads: int | None, table_bits: int | None) -> list[Gifts]:
    ways = [_ways_of(game) for game in games]
    found = _ask(kernels.BEST_GIFTS, games, ways, 2, 0, threads, table_bits).tolist()
    return [Gifts(each.actions[each.places[place]], value) for each, (value, place) in zip(ways, found, strict=True)]


def _making(games: Sequence[Game], points: int, threads: int | None, table_bits: int | None) -> list[Way | None]:
    ways = [_ways_of(game) for game in games]
    found = _ask(kernels.MAKING_GIFTS, games, ways, 1, points, threads, table_bits)[:, 0].tolist()
    return [None if place < 0 else each.actions[each.places[place]] for each, place in zip(ways, found, strict=True)]


def _table(task: int, games: Sequence[Game], points: int, threads: int | None, table_bits: int | None) -> Answers:
    ways = [_ways_of(game) for game in games]
    widths = {len(each.actions) for each in ways}
    if len(widths) > 1:
        raise ValueError(f"the games have different numbers of ways to finish the exchange: {sorted(widths)}")
    found = _ask(task, games, ways, max(widths, default=0), points, threads, table_bits)
    ordered = np.empty_like(found)
    for row, each in enumerate(ways):
        ordered[row, each.places] = found[row]
    return ordered


def _ask(
    task: int,
    games: Sequence[Game],
    ways: Sequence[_Ways],
    width: int,
    points: int,
    threads: int | None,
    table_bits: int | None,
) -> Answers:
    goals = check_goals([check_points(points)], len(games))
    starts = np.cumsum([0, *(len(each.cards) for each in ways)])
    parts = max((each.cards.shape[1] for each in ways), default=0)
    cards = np.full((starts[-1], parts), -1)
    for first, each in zip(starts, ways, strict=False):
        cards[first : first + len(each.cards), : each.cards.shape[1]] = each.cards
    return ask(task, games, width, goals=goals, ways=cards, starts=starts, threads=threads, table_bits=table_bits)


def _ways_of(game: Game) -> _Ways:
    record = game._rules_record[0]
    declarer = game.declarer
    assert declarer is not None
    aside = int(record["aside_count"])
    parts = aside - len(game.set_aside) if aside else game.rules.active_players - 1 - len(game.gifts)
    return _list_ways(int(game._states["hands"][0][declarer]), parts, not aside, game.rules.marriage_values)


@functools.lru_cache(maxsize=4096)
def _list_ways(hand: int, parts: int, ordered: bool, marriage_values: tuple[int, ...]) -> _Ways:
    cards = mask_to_cards(hand)
    choose: Any = itertools.permutations if ordered else itertools.combinations
    found: list[tuple[int, ...]] = list(choose(cards, parts))
    prices = {card: _price(card, hand, marriage_values) for card in cards}
    order = sorted(range(len(found)), key=lambda place: sum(prices[card] for card in found[place]))
    actions = tuple(tuple(FIRST_GIVE + card for card in way) for way in found)
    return _Ways(actions, np.array([found[place] for place in order], np.int64), np.array(order, np.int64))


def _price(card: int, hand: int, marriage_values: tuple[int, ...]) -> float:
    """A guess of what parting with a card costs: good ways first make the search quick, and change no value."""
    suit, rank = divmod(card, NUM_RANKS)
    pair = (1 << (NUM_RANKS * suit + QUEEN)) | (1 << (NUM_RANKS * suit + KING))
    married = marriage_values[suit] / 2 if rank in (QUEEN, KING) and hand & pair == pair else 0
    return CARD_POINTS[card] + married
