"""Rewards and returns from score sheets, under the three schemes.

===========  =======================================================================================================
``score``    change of the own total / 100
``relative`` own change minus the mean of the others' changes, / 100; sums to zero
``win``      at the end of a match +1 for the winner and -1/(n-1) for each other; at the end of a deal episode the same
             by the largest change of score, k seats that share it getting 1/k each and the others -1/(n-k), or all 0 if
             all share it; 0 on truncation and before the end
===========  =======================================================================================================

A deal that gives the seats 110, -40 and 20 points:

>>> earned("score", [110, -40, 20], episode="match", winner=None, is_over=False).tolist()
[1.1, -0.4, 0.2]
>>> earned("relative", [110, -40, 20], episode="match", winner=None, is_over=False).tolist()
[1.2, -1.05, -0.15]
>>> earned("win", [110, -40, 20], episode="match", winner=None, is_over=False).tolist()
[0.0, 0.0, 0.0]
>>> earned("win", [110, -40, 20], episode="match", winner=0, is_over=True).tolist()
[1.0, -0.5, -0.5]
>>> earned("win", [60, 60, -40], episode="deal", winner=None, is_over=True).tolist()
[0.5, 0.5, -1.0]
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

REWARDS: Final = ("relative", "score", "win")
POINTS_PER_REWARD: Final = 100.0

Floats = npt.NDArray[np.float64]


def check_reward(reward: str) -> str:
    """A reward scheme, or ``ValueError`` naming the value."""
    if reward not in REWARDS:
        raise ValueError(f"reward={reward!r} is not accepted: use one of {', '.join(map(repr, REWARDS))}")
    return reward


def earned(
    reward: str, change: Any, *, episode: str, winner: int | None, is_over: bool, truncated: bool = False
) -> Floats:
    """What scored deals earn each seat, float64[n], under a scheme.

    ``change`` is each seat's change of score by these deals; the rest describes the game after them.
    """
    if reward == "score":
        return score_reward(change)
    if reward == "relative":
        return relative_reward(change)
    if episode == "match":
        return match_win_reward(winner, len(change))
    return deal_win_reward(change) if is_over and not truncated else np.zeros(len(change))


def score_reward(change: Any) -> Floats:
    """Scheme ``score``, float64[n], of each seat's change of score."""
    return np.asarray(change, np.float64) / POINTS_PER_REWARD


def relative_reward(change: Any) -> Floats:
    """Scheme ``relative``, float64[n], of each seat's change of score."""
    own = np.asarray(change, np.float64)
    others = (own.sum() - own) / (len(own) - 1)
    return np.asarray((own - others) / POINTS_PER_REWARD, np.float64)


def match_win_reward(winner: int | None, players: int) -> Floats:
    """Scheme ``win`` at the end of a match, float64[n]; zeros without a winner."""
    if winner is None:
        return np.zeros(players)
    reward = np.full(players, -1.0 / (players - 1))
    reward[winner] = 1.0
    return reward


def deal_win_reward(change: Any) -> Floats:
    """Scheme ``win`` at the end of a deal episode, float64[n]."""
    own = np.asarray(change)
    best = own == own.max()
    winners = int(best.sum())
    if winners == len(own):
        return np.zeros(len(own))
    return np.where(best, 1.0 / winners, -1.0 / (len(own) - winners))
