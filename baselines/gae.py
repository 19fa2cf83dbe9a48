"""Generalised advantage estimation by seat (Schulman et al., ICLR 2016), for games in which seats take turns.

What follows a decision of a seat is not the next row of the batch but the same seat's next decision: in between others
act, or nobody does and the seat decides again at once. Whatever is paid until then, on whoever's move, is the reward of
the decision. A deal that ends ends it for all seats.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]


class Advantages(NamedTuple):
    """Of T x N decisions: ``advantage`` and ``value_target`` float32 [T, N], and ``known`` bool [T, N].

    Not known is what follows the last decision of a seat whose episode goes on after the last row: it is 0 and must not
    be learned from.
    """

    advantage: Floats
    value_target: Floats
    known: npt.NDArray[np.bool_]


def advantages_by_seat(
    seat: npt.NDArray[Any], reward: Floats, ended: npt.NDArray[np.bool_], value: Floats, gamma: float, lam: float
) -> Advantages:
    """Advantages of T steps in N games of n seats.

    ``seat`` [T, N] who decides; ``reward`` [T, N, n] what the decision pays each seat; ``ended`` [T, N] whether it ends
    the episode; ``value`` [T, N] what the deciding seat expects before it. ``gamma`` discounts from one decision of a
    seat to its next one.
    """
    steps, rows, players = reward.shape
    every = np.arange(rows)
    advantage, known = np.zeros((steps, rows), np.float32), np.zeros((steps, rows), np.bool_)
    later_value, later_advantage, paid = np.zeros((3, rows, players), np.float32)
    is_known = np.zeros((rows, players), np.bool_)
    for step in range(steps - 1, -1, -1):
        over = ended[step]
        later_value[over] = later_advantage[over] = paid[over] = 0
        is_known[over] = True
        paid += reward[step]
        own = every, seat[step]
        known[step] = is_known[own]
        error = paid[own] + gamma * later_value[own] - value[step]
        advantage[step] = np.where(known[step], error + gamma * lam * later_advantage[own], 0)
        later_value[own], later_advantage[own], paid[own] = value[step], advantage[step], 0
        is_known[own] = True
    # A seat's last decision before the cut is not known, but the one before it is: its successor's value serves.
    return Advantages(advantage, advantage + value, known)
