"""``RandomAgent``: every legal action is as likely as any other. The floor that everything else is measured from."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from thousand_env.actions import NUM_ACTIONS
from thousand_env.view import View


class RandomAgent:
    """Chooses uniformly among the legal actions with a random generator of its own.

    ``seed`` (an integer from 0, None for a random one) starts the generator, as ``reset(seed)`` does later. Two agents
    of the same seed choose the same in the same games; nothing else but the legal actions is looked at.
    """

    def __init__(self, *, seed: int | None = None) -> None:
        self.reset(seed)

    def reset(self, seed: int | None = None) -> None:
        """Start the generator anew: with the same seed the same choices follow; None draws a seed.

        ``ValueError`` for a seed that is neither None nor a whole number from 0.
        """
        if seed is not None and (isinstance(seed, bool) or not hasattr(seed, "__index__") or seed < 0):
            raise ValueError(f"seed={seed!r} is not accepted: use a whole number from 0, or None for a random one")
        self._rng = np.random.default_rng(seed)

    def act(self, view: View) -> int:
        """One of the legal actions. ``ValueError`` if the observer of the view is not to move."""
        legal = view.legal_actions()
        if not legal:
            raise ValueError(f"seat {view.observer} is not to move: there is no legal action")
        return legal[int(self._rng.integers(len(legal)))]

    def action_probabilities(self, view: View) -> npt.NDArray[np.float64]:
        """float64 ``[130]``: the same for each legal action, 0 for all others. ``ValueError`` as in ``act``."""
        mask = view.action_mask()
        if not mask.any():
            raise ValueError(f"seat {view.observer} is not to move: there is no legal action")
        return mask / np.float64(mask.sum())

    def act_batch(self, observation: npt.NDArray[Any], action_mask: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        """One legal action a row, int64 ``[N]``, from masks ``[N, 130]``; the observations ``[N, K]`` are not read.

        ``ValueError`` for a mask of another shape and for a row without a legal action, which it names.
        """
        return choose_in_rows(self._rng, np.asarray(action_mask) != 0)


def choose_in_rows(rng: np.random.Generator, mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """One of the actions that each row of ``mask``, bool ``[N, 130]``, allows, int64 ``[N]``; see ``act_batch``."""
    if mask.ndim != 2 or mask.shape[1] != NUM_ACTIONS:
        raise ValueError(f"action_mask has the shape {mask.shape}: it must be (N, {NUM_ACTIONS})")
    choices = mask.sum(axis=1)
    if not choices.all():
        raise ValueError(f"rows {np.flatnonzero(choices == 0).tolist()} of action_mask have no legal action")
    nth = rng.integers(choices)  # which of the legal actions of each row, from 0
    actions: npt.NDArray[np.int64] = np.argmax(np.cumsum(mask, axis=1) > nth[:, None], axis=1)
    return actions
