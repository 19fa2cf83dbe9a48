"""``RandomCappedAgent``: plays at random, but never bids above what such a declarer makes.

``random`` loses most of its points in the auction, where it bids whatever there is; measured against it, anybody who
merely passes looks strong. This agent is the floor for the play of the cards: its bids stop at what a declarer who
plays at random takes on average, so with the usual lowest bid of 100 it bids only where it must. A decision takes about
10 microseconds.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from baselines.random_agent import RandomAgent, choose_in_rows
from thousand_env import NUM_ACTIONS, View
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
        allowed = self._allowed(view)
        return allowed[int(self._rng.integers(len(allowed)))]

    def action_probabilities(self, view: View) -> npt.NDArray[np.float64]:
        """float64 ``[130]``: the same for each action it may take, 0 for all others. ``ValueError`` as in ``act``."""
        allowed = self._allowed(view)
        probabilities = np.zeros(NUM_ACTIONS)
        probabilities[allowed] = 1 / len(allowed)
        return probabilities

    def _allowed(self, view: View) -> list[int]:
        legal = view.legal_actions()
        if not legal:
            raise ValueError(f"seat {view.observer} is not to move: there is no legal action")
        rules = view.rules
        highest = highest_bid(rules.min_bid, rules.bid_step, rules.deck_points)
        return [action for action in legal if not highest < action < FIRST_GIVE] or legal[:1]

    def act_batch(self, observation: npt.NDArray[Any], action_mask: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        """One legal action a row, int64 ``[N]``, from observations float32 ``[N, K]`` and masks ``[N, 130]``.

        Of the observations the rules are read. ``ValueError`` for other shapes and for a row without a legal action.
        """
        mask = np.asarray(action_mask) != 0
        for rows, _, records in sights(observation, action_mask):
            rules = records[0]
            highest = highest_bid(int(rules["min_bid"]), int(rules["bid_step"]), int(rules["deck_points"]))
            mask[rows] = allowed_actions(mask[rows], highest)
        return choose_in_rows(self._rng, mask)


def highest_bid(min_bid: int, bid_step: int, deck_points: int) -> int:
    """The highest bid that is not above the cap, as an action; 0 if there is none."""
    return max(0, FIRST_BID + int((SHARE * deck_points - min_bid) // bid_step))


def allowed_actions(mask: npt.NDArray[np.bool_], highest: int) -> npt.NDArray[np.bool_]:
    """The legal actions, bool ``[N, 130]``, without the bids above ``highest``; of a row with no others the lowest."""
    allowed = mask.copy()
    allowed[:, highest + 1 : FIRST_GIVE] = False
    forced = ~allowed.any(axis=1)
    allowed[forced, np.argmax(mask[forced], axis=1)] = True
    return allowed
