"""The units of work: all games of one deal, or of one match seed, as one line of JSON.

A unit is played by ``play(index)`` and depends on the settings and its index alone, so that units can be played
anywhere and in any order. The objects pickle; each process makes its own instances of the agents.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from thousand_env.evaluation.cast import Cast
from thousand_env.evaluation.control import checked_values, control_name
from thousand_env.evaluation.playing import Tally, Where, play_game
from thousand_env.evaluation.schedule import Seating, game_seed, seatings_of
from thousand_env.evaluation.sheets import Sheets
from thousand_env.game import Game
from thousand_env.render.steps import is_made
from thousand_env.rules import Rules

Unit = dict[str, Any]
"""What is written to the file: see ``DealUnits.play`` and ``MatchUnits.play``."""
CardValues = Callable[[Game], npt.NDArray[np.float64]]
"""What the dealt cards are worth to each seat, float64 ``[n]``; see ``control``."""


class Units(Protocol):
    """Work that can be done piece by piece."""

    @property
    def cast(self) -> Cast:
        """Who plays."""
        ...

    def settings(self) -> dict[str, Any]:
        """All that a unit depends on, for JSON: what the file of a run begins with."""
        ...

    def play(self, index: int) -> Unit:
        """Play a unit; ``AgentError`` if an agent fails."""
        ...


@dataclass
class DealUnits:
    """Deals in all their seatings, or in one."""

    cast: Cast
    rules: Rules
    seed: int
    phase: str
    seatings: str
    sheets: str
    control: CardValues | None = None
    numbers: Sequence[int] | None = None
    """Which agents of the cast play; None for all."""
    _starts: Sheets = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._starts = Sheets(self.sheets, self.cast, self.rules, self.seed)

    def settings(self) -> dict[str, Any]:
        """For the file."""
        return _settings(self, "deals") | {"sheets": self.sheets}

    def play(self, index: int) -> Unit:
        """Unit ``index``: ``games`` as ``[seating, changes, points, dealer, declarer, contract, made, bids]``.

        ``declarer`` and ``contract`` are -1 and 0 for a deal that nobody played; ``bids`` are (seat, points).
        """
        began = time.perf_counter()
        numbers = _numbers(self)
        tally = Tally.of(self.cast)
        where = Where("deal", index, self.seed, game_seed(self.seed, index))
        start = self._starts.begin(index)
        games = []
        for seating in seatings_of(self.seed, index, len(numbers), self.rules.players, self.seatings):
            tally.bids.clear()
            game = start.clone()
            play_game(game, self.cast, _seated(seating, numbers), self.phase, tally, where)
            games.append([_text(seating), *_result(start, game, tally)])
        unit = {"games": games} | _spent(tally, [*numbers, self.cast.fixed])
        if self.control is not None:
            unit["values"] = [checked_values(self.control, start)]
        return unit | {"wall": time.perf_counter() - began}


@dataclass
class MatchUnits:
    """Matches to the target in all their seatings, or in one."""

    cast: Cast
    rules: Rules
    seed: int
    phase: str
    seatings: str
    control: CardValues | None = None
    numbers: Sequence[int] | None = None

    def settings(self) -> dict[str, Any]:
        """For the file."""
        return _settings(self, "matches")

    def play(self, index: int) -> Unit:
        """Unit ``index``: ``games`` as ``[seating, scores, winner, deals]``, the winner -1 if there is none.

        ``values``: with a control variate, by game the sums over its deals.
        """
        began = time.perf_counter()
        numbers = _numbers(self)
        tally = Tally.of(self.cast)
        where = Where("match", index, self.seed, game_seed(self.seed, index))
        games: list[list[Any]] = []
        values: list[list[float]] = []
        known: dict[tuple[int, int], npt.NDArray[np.float64]] = {}
        for seating in seatings_of(self.seed, index, len(numbers), self.rules.players, self.seatings):
            game = Game(self.rules, where.game_seed)
            play_game(game, self.cast, _seated(seating, numbers), self.phase, tally, where)
            winner = -1 if game.winner is None else game.winner
            games.append([_text(seating), game.scores, winner, game.deals_scored])
            if self.control is not None:
                values.append(_values_of_match(game, self.control, known))
        unit = {"games": games} | _spent(tally, [*numbers, self.cast.fixed])
        if self.control is not None:
            unit["values"] = values
        return unit | {"wall": time.perf_counter() - began}


@dataclass
class PairUnits:
    """Units of every pair of agents in turn: unit ``u`` is number ``u // pairs`` of pair ``u % pairs``."""

    pairs: Sequence[DealUnits | MatchUnits]

    @property
    def cast(self) -> Cast:
        """Who plays."""
        return self.pairs[0].cast

    def settings(self) -> dict[str, Any]:
        """For the file: those of the pairs differ in the pair alone."""
        return self.pairs[0].settings() | {"pairs": [_numbers(each) for each in self.pairs]}

    def play(self, index: int) -> Unit:
        """Play a unit of one pair."""
        return self.pairs[index % len(self.pairs)].play(index // len(self.pairs))


def _settings(units: DealUnits | MatchUnits, kind: str) -> dict[str, Any]:
    from thousand_env import __version__

    return {
        "kind": kind,
        "agents": list(units.cast.names),
        "fixed": units.cast.fixed_name,
        "rules": units.rules.to_dict(),
        "seed": units.seed,
        "phase": units.phase,
        "seatings": units.seatings,
        "control": control_name(units.control),
        "version": __version__,
    }


def _numbers(units: DealUnits | MatchUnits) -> list[int]:
    return list(range(units.cast.fixed)) if units.numbers is None else list(units.numbers)


def _seated(seating: Seating, numbers: Sequence[int]) -> Seating:
    return tuple(numbers[each] for each in seating)


def _text(seating: Seating) -> str:
    return "".join(map(str, seating))


def _spent(tally: Tally, numbers: Sequence[int]) -> Unit:
    """Decisions and seconds of the agents that play, and of the fixed one."""
    return {
        "decisions": [tally.decisions[each] for each in numbers],
        "seconds": [tally.seconds[each] for each in numbers],
    }


def _result(start: Game, game: Game, tally: Tally) -> list[Any]:
    rules = game.rules
    changes = [after - before for after, before in zip(game.scores, start.scores, strict=True)]
    bids = [(seat, rules.min_bid + rules.bid_step * (action - 1)) for seat, action in tally.bids]
    declarer, contract = game.declarer, game.contract
    if declarer is None or contract is None or game.deals_scored == start.deals_scored:
        return [changes, [0] * rules.players, game.dealer, -1, 0, False, bids]
    points = game.points  # 0 for one who concedes, which is done before the first card
    made = _reaches(rules, points[declarer], contract)
    return [changes, points, game.dealer, declarer, contract, made, bids]


@functools.lru_cache(maxsize=65536)
def _reaches(rules: Rules, points: int, contract: int) -> bool:
    """Whether a declarer with these raw points has made his contract: asked of the engine's scoring, and kept."""
    players = rules.players
    return is_made(rules, players - 1, 0, contract, [points] + [0] * (players - 1), [0] * players)


def _values_of_match(
    game: Game, values: CardValues, known: dict[tuple[int, int], npt.NDArray[np.float64]]
) -> list[float]:
    """The values of the cards of every deal of a match, summed. ``known`` has those of deals met before."""
    total = np.zeros(game.rules.players)
    for deal, _ in game.closed_deals():
        key = (deal.deal_number, deal.dealer)
        if key not in known:
            known[key] = np.array(checked_values(values, deal.deal_start()))
        total += known[key]
    numbers: list[float] = total.tolist()
    return numbers
