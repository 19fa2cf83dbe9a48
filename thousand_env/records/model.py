"""``Record``: one match with its rules, cards and actions as plain immutable values. Knows neither JSON nor files.

A record has the cards of every deal and every action, although the seed alone would give the cards: so it can be read
without the engine, and a replay notices when seed and cards do not belong together.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from thousand_env import __version__
from thousand_env.game import Game
from thousand_env.position import Event
from thousand_env.rules import Rules
from thousand_env.sheet import ScoreSheet

Cards = tuple[int, ...]


class RecordError(ValueError):
    """A damaged or foreign record: ``reason`` says what is wrong, ``line`` in which line of a file, if it is known."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason, line)
        self.reason = reason
        self.line = line

    def __str__(self) -> str:
        return self.reason if self.line is None else f"line {self.line}: {self.reason}"

    def at(self, line: int | None) -> RecordError:
        """The same error with a line, unless it has one."""
        return self if line is None or self.line is not None else RecordError(self.reason, line)


@dataclass(frozen=True, kw_only=True)
class RecordedDeal:
    """One deal: what was dealt, what was done, and the totals afterwards. A void deal is a deal whose totals stay.

    ``number``: as ``Game.deal_number``, from 0; texts for people, such as errors and the text form, count from 1. A
    number that is left out is a deal that ``redeal_four_nines="mandatory"`` voided at once. ``hands`` by seat and
    ``talons`` (one, two with two players) are ascending card ids as dealt, None where they are not known. ``actions``:
    as in ``Game.events()``, so under ``marriage_declare="automatic"`` a lead that declared is written as declaring; a
    card given that is not known has the action None. ``scores``: None while the deal is being played. ``declarer`` and
    ``contract``: None until the auction has ended.
    """

    number: int
    dealer: int
    hands: tuple[Cards | None, ...]
    talons: tuple[Cards | None, ...]
    actions: tuple[Event, ...]
    declarer: int | None
    contract: int | None
    scores: tuple[int, ...] | None


@dataclass(frozen=True, kw_only=True)
class Record:
    """One match, finished or not.

    Of a whole record ``seat`` is None, and ``seed`` with ``start`` reproduces it: without ``start`` all deals are those
    of the seed; with it the first deal has its cards in ``deals[0]`` and its score sheet in ``start``, and the later
    deals are those of the seed. A record redacted for ``seat`` has no seed, and ``start`` in any case.
    ``agents``: a name for each seat, or None. ``package``: the version of this package that recorded the match.
    ``line``: the line of the file that the record was read from, which plays no part in comparing records.
    """

    rules: Rules
    episode: str
    seed: int | None
    deals: tuple[RecordedDeal, ...]
    winner: int | None
    truncated: bool
    unfinished: bool
    start: ScoreSheet | None = None
    agents: tuple[str, ...] | None = None
    seat: int | None = None
    package: str = __version__
    line: int | None = field(default=None, compare=False)

    @classmethod
    def from_game(cls, game: Game, agents: Sequence[str] | None = None) -> Record:
        """The record of a game from its first deal on, whether it is over or not. ``agents``: a name for each seat."""
        if not isinstance(game, Game):
            raise TypeError(f"{game!r:.80} is no Game: give the game that was played")
        return cls(
            rules=game.rules,
            episode=game.episode,
            seed=game.seed,
            deals=recorded_deals(game),
            winner=game.winner,
            truncated=game.truncated,
            unfinished=not game.is_over,
            start=None if _is_seeded(game) else first_sheet(game),
            agents=None if agents is None else check_agents(agents, game.rules),
        )

    @property
    def is_redacted(self) -> bool:
        """Whether the record has only what one seat may know."""
        return self.seat is not None


def check_record(value: object) -> Record:
    """The value, if it is a record; ``TypeError`` that says how one is had from what people give instead."""
    if isinstance(value, Record):
        return value
    what = f"{value!r:.80} is no Record"
    if isinstance(value, Game):
        raise TypeError(f"{what}: use Record.from_game(game)")
    if isinstance(value, str | os.PathLike):
        raise TypeError(f"{what}: read(path) gives the records of a file, one after another")
    if isinstance(value, Iterable):
        raise TypeError(f"{what}: give one record at a time")
    raise TypeError(f"{what}: Record.from_game(game) makes one, and read(path) gives those of a file")


def check_agents(agents: Sequence[str], rules: Rules) -> tuple[str, ...]:
    """Names of agents as a tuple, or ``RecordError``."""
    if isinstance(agents, str) or not isinstance(agents, Sequence):
        raise RecordError(f"agents: {agents!r:.80} is not accepted, give a list of {rules.players} names")
    if len(agents) != rules.players:
        raise RecordError(f"agents: there are {len(agents)} names, give one for each of the {rules.players} seats")
    for name in agents:
        if not isinstance(name, str) or not name.isprintable():
            raise RecordError(f"agents: {name!r:.80} is not accepted, use a text of printable characters")
    return tuple(agents)


def first_sheet(game: Game) -> ScoreSheet:
    """The score sheet that a game began with."""
    return _first_position(game).sheet


def recorded_deals(game: Game, seat: int | None = None) -> tuple[RecordedDeal, ...]:
    """All deals of a game; for a seat only what it may know of them."""
    closed = list(game.closed_deals())
    scores = [position.scores for position, _ in closed[1:]] + [game.scores]  # without a closed deal one too many
    deals = [
        _recorded_deal(position, closing, tuple(after), seat)
        for (position, closing), after in zip(closed, scores, strict=False)
    ]
    if not game.is_over:
        deals.append(_recorded_deal(game, None, None, seat))
    return tuple(deals)


def _recorded_deal(
    position: Game, closing: int | None, scores: tuple[int, ...] | None, seat: int | None
) -> RecordedDeal:
    """A deal from its last position, or from that before the action that closed it."""
    known = position if seat is None else position.view(seat)
    actions = known.events()
    if closing is not None:
        assert position.seat is not None
        actions.append(Event(position.seat, closing))
    hands, talons = position.dealt()
    return RecordedDeal(
        number=position.deal_number,
        dealer=position.dealer,
        hands=tuple(tuple(hand) if _knows_hand(position, owner, seat) else None for owner, hand in enumerate(hands)),
        talons=tuple(
            tuple(cards) if _knows_talon(position, place, seat, closing is not None) else None
            for place, cards in enumerate(talons)
        ),
        actions=tuple(actions),
        declarer=known.declarer,
        contract=known.contract,
        scores=scores,
    )


def _knows_hand(position: Game, owner: int, seat: int | None) -> bool:
    """A seat knows its own hand, unless it may bid on it in the dark; that a sitter has none, everybody knows."""
    if seat is None or owner not in position.active_seats:
        return True
    return owner == seat and not (position.phase == "dark" and position.seat == seat)


def _knows_talon(position: Game, place: int, seat: int | None, is_closed: bool) -> bool:
    """A seat knows the talon that was shown to it, and with four players any talon at the end of the deal."""
    if seat is None or (is_closed and position.rules.players == 4):
        return True
    return place == position.talon_taken and position.talon_is_seen_by(seat)


def _first_position(game: Game) -> Game:
    return next((position for position, _ in game.closed_deals()), game)


def _is_seeded(game: Game) -> bool:
    """Whether the first deal, its dealer and its score sheet are those of the seed."""
    first = _first_position(game)
    if not first.is_over:  # over without a deal: all deals up to ``max_deals`` were void
        first = first.deal_start()
    return first == Game(game.rules, first.seed, first.episode)
