"""What the end of a deal is worth to a seat: the utilities of ``baselines.pimc``.

=============  ========================================================================================================
``"points"``   the declarer's points of the deal, for a defender with a minus; bids are weighed by score
``"score"``    own change of score less the mean of the others', with all that the score sheet knows: contract made or
               lost, rounding, bolts, barrel
``"match"``    the chance to win the match from the sheet as it is then, in hundreds
=============  ========================================================================================================

Two sources of results are put on this scale: deals played to the end, whose sheet the engine has written
(``of_futures``), and the declarer's points with open cards, from which the same engine writes one (``of_points``).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from thousand_env import ScoreSheet, View, score_deal
from thousand_env.compiled import CARD_POINTS

UTILITIES: Final = ("points", "score", "match")
Floats = npt.NDArray[np.float64]

NEAR: Final = 60.0
FAR: Final = 0.34
"""A lead of ``NEAR + FAR * (points that the first still needs)`` makes a win e times as likely."""


class Worth:
    """Puts results of the deal that a view shows on the scale of one utility, for the observer."""

    def __init__(self, view: View, utility: str) -> None:
        self._rules = view.rules
        self._utility = utility
        self._me = view.observer
        self._players = view.rules.players
        self._view = view
        self._before = np.array(view.scores, np.float64)
        self._known: dict[tuple[int, int, int], float] = {}
        self._sheet = ScoreSheet.start(
            view.rules,
            view.scores,
            view.bolts,
            view.barrel,
            view.falls,
            view.concessions,
            deals_scored=view.deals_scored,
        )

    def of_futures(self, futures: npt.NDArray[Any], skill: float = 0.0) -> Floats:
        """Of deals that are over, records of ``STATE_DTYPE`` of any shape.

        ``skill``: points of score that the observer adds as declarer by playing better than the players of a play-out.
        """
        if self._utility == "points":
            declarer = np.maximum(futures["declarer"], 0).astype(np.int64)[..., None]
            points = futures["points"].astype(np.float64) + futures["bonus"]
            taken = np.take_along_axis(points, declarer, -1)[..., 0]
            return np.where(declarer[..., 0] == self._me, taken, -taken)
        scores = futures["scores"][..., : self._players].astype(np.float64)
        scores[..., self._me] += skill * (futures["declarer"] == self._me)
        return self._of_scores(scores, futures["winner"].astype(np.int64))

    def of_points(self, declarer: int, contract: int, points: npt.NDArray[Any]) -> Floats:
        """Of the declarer's final points, integers of any shape, at a contract; less than none counts as none."""
        found, places = np.unique(np.maximum(points, 0), return_inverse=True)
        worth = np.array([self._of_result(declarer, contract, each) for each in found.tolist()])
        return worth[places].reshape(np.shape(points))

    def _of_result(self, declarer: int, contract: int, points: int) -> float:
        if self._utility == "points":
            return float(points if declarer == self._me else -points)
        key = declarer, contract, points
        if key not in self._known:
            self._known[key] = self._score(declarer, contract, points)
        return self._known[key]

    def _score(self, declarer: int, contract: int, points: int) -> float:
        """The sheet after such a deal; the others share equally what is left, and nobody goes without a trick."""
        view = self._view
        active = view.active_seats
        taken = [0] * self._players
        tricks = [0] * self._players
        for seat in active[: self._rules.hand_size]:
            tricks[seat] = 1
        left = sum(CARD_POINTS[card] for card in self._rules.deck) - points + view.bonuses[declarer]
        others = [seat for seat in active if seat != declarer]
        ahead = view.points
        left -= sum(ahead[seat] - view.bonuses[seat] for seat in others)
        for seat in others:
            taken[seat] = ahead[seat] + max(0, int(left) // len(others))
        taken[declarer] = points
        after = score_deal(
            self._rules,
            self._sheet,
            dealer=view.dealer,
            declarer=declarer,
            contract=contract,
            points=taken,
            tricks=tricks,
            dark=view.is_dark,
        )
        winner = -1 if after.winner is None else after.winner
        return float(self._of_scores(np.array([after.scores], np.float64), np.array([winner]))[0])

    def _of_scores(self, scores: Floats, winner: npt.NDArray[np.int64]) -> Floats:
        if self._utility == "score":
            change = scores - self._before
            return (change[..., self._me] * self._players - change.sum(-1)) / (self._players - 1)
        most = scores.max(-1, keepdims=True)
        lead = (scores - most) / (NEAR + FAR * np.maximum(0.0, self._rules.target - most))
        chances = np.exp(lead)
        chances /= chances.sum(-1, keepdims=True)
        return 100 * np.where(winner < 0, chances[..., self._me], winner == self._me)
