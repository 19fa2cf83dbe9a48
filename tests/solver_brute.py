"""The solver's twin for tests: plain recursion over ``Game``, sharing nothing with the solver. Small positions only,
and where they come from.

The points of a seat are what the score sheet gets, read from a game that stops on the finished deal. At the start of a
trick a position is remembered without what is only history (log, cards played, voids shown) and without the card points
won so far, which all later points come on top of.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

from tests.play import choose, some_game
from thousand_env import Game, Rules, solver

Points = tuple[int, ...]
Memory = dict[tuple[bytes, ...], Points]

_FACTS = ("hands", "bonus", "tricks", "leader", "trump", "aces_declared", "aces_holder")


def final_points(game: Game, declarer_only: bool, memory: Memory) -> Points:
    """Points of every seat when all play on: the declarer against the rest, or each for itself, first best action."""
    if game._number("trick_size"):
        return _best_points(game, declarer_only, memory)
    record = game._states[0]
    key = tuple(record[fact].tobytes() for fact in _FACTS)
    won = game._per_seat("points")
    if key not in memory:
        best = _best_points(game, declarer_only, memory)
        memory[key] = tuple(points - before for points, before in zip(best, won, strict=True))
    return tuple(points + before for points, before in zip(memory[key], won, strict=True))


def _best_points(game: Game, declarer_only: bool, memory: Memory) -> Points:
    mover, declarer = game.seat, game.declarer
    assert mover is not None and declarer is not None
    best: Points | None = None
    for action in game.legal_actions():
        points = points_after(game, action, declarer_only, memory)
        judge = declarer if declarer_only else mover
        sign = -1 if declarer_only and mover != declarer else 1
        if best is None or sign * points[judge] > sign * best[judge]:
            best = points
    assert best is not None
    return best


def points_after(game: Game, action: int, declarer_only: bool, memory: Memory) -> Points:
    """The same once an action has been taken."""
    is_last = len(game.hands[game.seat or 0]) == 1 and game._number("trick_size") + 1 == game.rules.active_players
    if is_last:
        return tuple(game.closing(action).points)
    after = game.clone()
    after.apply(action)
    return final_points(after, declarer_only, memory)


def action_points(game: Game, declarer_only: bool) -> dict[int, Points]:
    """By legal action, the points of every seat when all play on."""
    memory: Memory = {}
    return {action: points_after(game, action, declarer_only, memory) for action in game.legal_actions()}


def small_positions(seed: int, most_cards: tuple[int, ...]) -> Iterator[Game]:
    """Positions of the play phase under random rules, the mover with at most one of these numbers of cards."""
    for number in itertools.count(seed * 1_000_003):
        game, rng = some_game(number)
        found = _play_to(game, rng, rng.choice(most_cards))
        if found is not None:
            yield found


def rich_leads(seed: int, size: int) -> Iterator[Game]:
    """First leads of decks of honours, with marriages everywhere and now and then four aces, under random options."""
    suits = "SCDH" if size == 4 else "SCH"
    deck = {"ranks": "QKTA", "suits": suits, "hand_size": size, "talon_size": size, "min_bid": 10, "bid_step": 10}
    rng = random.Random(seed)
    while True:
        options = {
            "marriage_needs_trick": rng.random() < 0.5,
            "marriage_declare": rng.choice(("optional", "automatic")),
            "marriage_gate": rng.choice(("on_lead", "on_lead", "after_own_trick")),
            "trump_effect": rng.choice(("immediate", "immediate", "next_trick")),
            "ace_marriage": rng.choice(("off", "lead_ace", "lead_ace_sets_trump", "held_at_first_lead")),
            "must_beat": rng.random() < 0.7,
            "must_trump": rng.random() < 0.7,
        }
        rules = Rules(**deck, exchange="discard_three", **options)
        cards = list(rules.deck)
        rng.shuffle(cards)
        aces = [card for card in cards if card % 6 == 5]
        if rng.random() < 0.3 and len(aces) == size == 4:  # all in the declarer's hand
            cards = aces + [card for card in cards if card not in aces]
        hands = [cards[size * seat : size * (seat + 1)] for seat in range(3)]
        yield solver.position(rules, hands, declarer=0, set_aside=cards[3 * size :])


def _play_to(game: Game, rng: random.Random, limit: int) -> Game | None:
    for _ in range(200):
        if game.is_over:
            return None
        if game.phase == "play" and game.seat is not None:
            size = len(game.hands[game.seat])
            if size <= limit and (size == 1 or rng.random() < 0.7):
                return game
        game.apply(choose(rng, game, 0.3))
    return None
