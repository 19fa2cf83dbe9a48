"""Labels: what each legal action would have led to, for supervised learning from games whose cards are all known.

In a game that goes on, whoever is to act does not know the others' cards; the labeller does. It plays the deal out
with the heuristic after every action, each seat from what it knows, or asks the open-card solver what the declarer gets
after every card. Each is one sample of what ``pimc`` averages over many worlds. A network that is fitted to such
samples from many games learns the average over all deals that look alike to a seat, and no single label tells it the
cards; that average is over the deals that the players' own bids and cards make likely, which a search has to guess at.

What all actions of a deal share, its luck, is taken out: an action's *advantage* is its value less the mean of those
labelled.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from baselines.equity import SHEET_DTYPE, UNIT, Equity, sheets_of_records
from baselines.heuristic import KNOBS, choose
from baselines.playouts import OVER, PLAY, look, play_until
from thousand_env import Rules
from thousand_env.compiled import (
    EPISODE_DEAL,
    FIRST_BID,
    FIRST_GIVE,
    SIGHT_DTYPE,
    STATE_DTYPE,
    apply_action,
    compiled,
    entry,
    lowest,
    room_for,
    rules_record,
    score_as_if,
    solver_desk,
    solver_forgets,
    solver_values,
    wide,
)

MOST: Final = 24
"""Actions of a decision that are labelled; of bids and raises only the lowest ``MOST_BIDS``."""
MOST_BIDS: Final = 6
_TABLE_BITS: Final = 13
_room_for_sight: Final = room_for(SIGHT_DTYPE)
_room_for_state: Final = room_for(STATE_DTYPE)


class Labels(NamedTuple):
    """Of N decisions: ``actions`` int64 [N, 24], -1 behind the last; ``advantages`` float32 [N, 24], 0 there;
    ``reference`` int64 [N], what the player of the play-outs chooses."""

    actions: npt.NDArray[np.int64]
    advantages: npt.NDArray[np.float32]
    reference: npt.NDArray[np.int64]

    def of(self, rows: Any) -> Labels:
        """Those of some decisions."""
        return Labels(self.actions[rows], self.advantages[rows], self.reference[rows])


@compiled
def _write_sheet(state: Any, sheet: Any) -> None:
    for seat in range(4):
        sheet["scores"][seat] = state["scores"][seat]
        sheet["barrel"][seat] = state["barrel"][seat]
        sheet["bolts"][seat] = state["bolts"][seat]
    sheet["dealer"] = state["dealer"]


@entry
def _label_rows(
    states: Any,
    rules_records: Any,
    knobs: Any,
    asks: Any,
    nodes: Any,
    tables: Any,
    actions: Any,
    heuristic: Any,
    played: Any,
    solved: Any,
    is_solved: Any,
    first: int,
    last: int,
) -> None:
    """Ends of rows ``first`` to ``last``: played out to ``played[k, j]``, of the solver to ``solved[k, j]``, sheets.

    Positions of the play phase are solved where ``asks[k]``.
    """
    rules, own = rules_records[0], knobs[0]
    room, sight_room = _room_for_state(), _room_for_sight()
    state, seen = room[0], sight_room[0]
    for k in range(first, last):
        here = states[k]
        look(here, rules, seen)
        heuristic[k] = choose(seen, rules, own)
        count = bids = 0
        for word in range(3):
            bits = seen["legal"][word]
            while bits:
                action = 64 * word + lowest(bits)
                bits &= bits - 1
                if FIRST_BID <= action < FIRST_GIVE:
                    bids += 1
                    if bids > MOST_BIDS:
                        continue
                actions[k, count] = action
                count += 1
        is_solved[k] = asks[k] and here["phase"] == PLAY and count > 1
        if is_solved[k]:
            solver_forgets(nodes[0], tables[0])
            solver_values(here, rules, nodes[0], tables[0])
        for j in range(count):
            if is_solved[k]:
                room[0] = states[k]
                score_as_if(state, rules, wide(nodes[0]["values"][actions[k, j]]))
                _write_sheet(state, solved[k, j])
            room[0] = states[k]
            state["episode"] = EPISODE_DEAL
            apply_action(state, rules, actions[k, j])
            play_until(state, rules, own, seen, OVER)
            _write_sheet(state, played[k, j])


class Labeller:
    """Labels positions under one rule set, in threads, on the scale of ``Equity.rewards``.

    ``solver_share``: of the positions of the play phase, drawn with ``seed``, that are labelled by the solver; the
    others are played out. Positions are records of ``STATE_DTYPE``, as ``VectorEnv.positions`` gives them.
    """

    def __init__(
        self, rules: Rules, equity: Equity, *, solver_share: float = 0.4, seed: int = 0, threads: int = 1
    ) -> None:
        self._rules = rules
        self._record = rules_record(rules)
        self._equity = equity
        self._share = solver_share
        self.rng = np.random.default_rng(seed)
        self._desks = [solver_desk(_TABLE_BITS) for _ in range(threads)]
        self._pool = ThreadPoolExecutor(threads, "labels")

    def __call__(self, states: npt.NDArray[Any]) -> Labels:
        """Labels of all positions, in each of which somebody is to act."""
        count, players = len(states), self._rules.players
        actions = np.full((count, MOST), -1, np.int64)
        heuristic = np.zeros(count, np.int64)
        played, solved = np.zeros((2, count, MOST), SHEET_DTYPE)
        asks, is_solved = self.rng.random(count) < self._share, np.zeros(count, np.bool_)
        bounds = np.linspace(0, count, len(self._desks) + 1).astype(int)
        jobs = [
            self._pool.submit(
                _label_rows,
                states,
                self._record,
                KNOBS,
                asks,
                *desk,
                actions,
                heuristic,
                played,
                solved,
                is_solved,
                first,
                last,
            )
            for desk, first, last in zip(self._desks, bounds[:-1], bounds[1:], strict=True)
        ]
        for job in jobs:
            job.result()
        known = actions >= 0
        seats = np.repeat(states["seat"], known.sum(1)).astype(np.int64)
        values = np.zeros((count, MOST), np.float32)
        ends = np.where(is_solved[:, None], solved, played)[known]
        values[known] = self._chances(ends, seats, players)
        mean = values.sum(1) / np.maximum(1, known.sum(1))
        return Labels(actions, np.where(known, values - mean[:, None], 0).astype(np.float32), heuristic)

    def _chances(self, sheets: npt.NDArray[Any], seats: npt.NDArray[np.int64], players: int) -> npt.NDArray[np.float32]:
        after = sheets_of_records(sheets, players, next_deal=True)
        return UNIT * self._equity.chances(after)[np.arange(len(sheets)), seats]
