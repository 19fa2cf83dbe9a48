"""Decisions joined with what their deal has brought: the targets of Monte Carlo methods, from games played in rows.

A decision is worth what its own seat earns by the end of the deal, whoever decides in between and whose card ends it.
Rows are at different places of their deals when a collection ends, so the decisions of deals that go on are kept here
until the collection in which their deal ends. Nothing is estimated and nothing is lost.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from thousand_env.observation import OBSERVATION

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float32]


class Decisions(NamedTuple):
    """D decisions of finished deals: ``observation`` int8 [D, K], ``action`` uint8 [D], ``target`` float32 [D], what
    the deciding seat has earned in the deal."""

    observation: npt.NDArray[np.int8]
    action: npt.NDArray[np.uint8]
    target: Floats


class OpenDeals:
    """The decisions of deals that go on: U of them, in the order in which they were made.

    ``observation`` int8 [U, K], ``action`` uint8 [U], ``seat`` int8 [U], and ``row`` int32 [U], where each was made.
    """

    PARTS: Final = ("observation", "action", "seat", "row")

    def __init__(self) -> None:
        self.observation = np.zeros((0, OBSERVATION.size), np.int8)
        self.action = np.zeros(0, np.uint8)
        self.seat = np.zeros(0, np.int8)
        self.row = np.zeros(0, np.int32)

    def __len__(self) -> int:
        return len(self.row)

    def close(
        self,
        observation: npt.NDArray[np.int8],
        action: npt.NDArray[Any],
        seat: npt.NDArray[np.int8],
        ended: Bools,
        earned: Floats,
    ) -> Decisions:
        """Add a collection of T steps in N rows; what comes back are the decisions whose deals have ended in it.

        ``observation`` int8 [T, N, K], ``action`` [T, N] and ``seat`` int8 [T, N] of the decisions, ``ended`` bool
        [T, N] whether the deal ended by them, ``earned`` float32 [T, N, n] what each seat had then, read there alone.
        Decisions of earlier collections come first; each collection is in order of steps, then rows.
        """
        steps = len(action)
        end = np.where(ended, np.arange(steps)[:, None], steps)
        end = np.minimum.accumulate(end[::-1])[::-1]  # the step by which the deal of a decision ends
        before = end[0, self.row]
        was_open = before == steps
        is_open = end == steps
        old = np.flatnonzero(~was_open)
        step, row = np.nonzero(~is_open)
        target = np.concatenate(
            [earned[before[old], self.row[old], self.seat[old]], earned[end[step, row], row, seat[step, row]]]
        )
        done = Decisions(
            np.concatenate([self.observation[old], observation[step, row]]),
            np.concatenate([self.action[old], action[step, row]]).astype(np.uint8),
            target.astype(np.float32),
        )
        step, row = np.nonzero(is_open)
        self.observation = np.concatenate([self.observation[was_open], observation[step, row]])
        self.action = np.concatenate([self.action[was_open], action[step, row]]).astype(np.uint8)
        self.seat = np.concatenate([self.seat[was_open], seat[step, row]])
        self.row = np.concatenate([self.row[was_open], row.astype(np.int32)])
        return done
