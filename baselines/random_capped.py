"""``RandomCappedAgent``: plays at random, but never bids above what such a declarer makes.

``random`` loses most of its points in the auction, where it bids whatever there is; measured against it, anybody who
merely passes looks strong. This agent is the floor for the play of the cards: its bids stop at what a declarer who
plays at random takes on average, so with the usual lowest bid of 100 it bids only where it must. A decision takes about
60 microseconds.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from baselines.random_agent import RandomAgent, choose_in_rows
from thousand_env import View
from thousand_env.compiled import FIRST_BID, FIRST_GIVE, sights

SHARE: Final = 0.5
"""What a declarer who plays at random takes, marriages included, as a share of the card points of the deck: about half.

Means of 3,000 deals each, of 120: 50 under ``classic``, 47 ``modern``, 55 ``polish``, 59 ``lithuanian``, 77
``two_player``.
"""


class RandomCappedAgent(RandomAgent):
    """Chooses uniformly among the legal actions that are no bid above its cap; the lowest bid where it must bid.

    ``seed`` as in ``RandomAgent``.
    """

    def act(self, view: View) -> int:
        """One of the legal actions. ``ValueError`` if the observer of the view is not to move."""
        return int(choose_in_rows(self._rng, self._allowed(view)[None])[0])

    def action_probabilities(self, view: View) -> npt.NDArray[np.float64]:
        """float64 ``[130]``: the same for each action it may take, 0 for all others. ``ValueError`` as in ``act``."""
        allowed = self._allowed(view)
        return allowed / np.float64(allowed.sum())

    def _allowed(self, view: View) -> npt.NDArray[np.bool_]:
        mask = view.action_mask() != 0
        if not mask.any():
            raise ValueError(f"seat {view.observer} is not to move: there is no legal action")
        rules = view.rules
        return allowed_actions(mask[None], rules.min_bid, rules.bid_step, rules.deck_points)[0]

    def act_batch(self, observation: npt.NDArray[Any], action_mask: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        """One legal action a row, int64 ``[N]``, from observations float32 ``[N, K]`` and masks ``[N, 130]``.

        Of the observations the rules are read. ``ValueError`` for other shapes and for a row without a legal action.
        """
        mask = np.asarray(action_mask) != 0
        for rows, _, records in sights(observation, action_mask):
            rules = records[0]
            numbers = int(rules["min_bid"]), int(rules["bid_step"]), int(rules["deck_points"])
            mask[rows] = allowed_actions(mask[rows], *numbers)
        return choose_in_rows(self._rng, mask)


def allowed_actions(
    mask: npt.NDArray[np.bool_], min_bid: int, bid_step: int, deck_points: int
) -> npt.NDArray[np.bool_]:
    """The legal actions, bool ``[N, 130]``, without the bids above the cap; of a row of such bids alone the lowest."""
    bids = np.arange(FIRST_BID, FIRST_GIVE)
    too_high = np.zeros(mask.shape[1], bool)
    too_high[bids] = min_bid + bid_step * (bids - FIRST_BID) > SHARE * deck_points
    allowed = mask & ~too_high
    forced = ~allowed.any(axis=1)
    allowed[forced, np.argmax(mask[forced], axis=1)] = True
    return allowed
