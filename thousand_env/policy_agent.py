"""An agent from a function of observations and masks: what a network becomes that another library has trained.

It encodes the view, asks the function and checks the answer; it learns nothing and remembers nothing::

    agent = PolicyAgent(lambda observation, action_mask: network.best_legal(observation, action_mask))
    duplicate(agent, "random", deals=100)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from thousand_env.actions import NUM_ACTIONS, IllegalActionError
from thousand_env.layout import OBSERVATION
from thousand_env.observation import encode
from thousand_env.view import View

Choose = Callable[[npt.NDArray[np.float32], npt.NDArray[np.int8]], Any]
"""From observations float32 ``[N, K]`` and action masks int8 ``[N, 130]`` to integers ``[N]``, N at least 1."""


class PolicyAgent:
    """Plays what ``choose(observation, action_mask)`` says, for one view or for many rows at once.

    ``choose`` gets float32 ``[N, K]`` as ``observation.encode`` gives it and int8 ``[N, 130]``, and returns N integers:
    an array, a list, or a tensor on the CPU. An action that is not legal raises ``IllegalActionError``, which names it:
    the mask has to be used when the network plays as it was when it learned. ``reset`` calls ``on_reset(seed)``, if
    that is given: for functions that draw their actions.

    It has ``act`` and ``act_batch``, so that evaluations and ``make_vec`` may ask for all rows in one call.
    """

    def __init__(self, choose: Choose, on_reset: Callable[[int | None], object] | None = None) -> None:
        for name, function in (("choose", choose), ("on_reset", on_reset)):
            if not callable(function) and not (name == "on_reset" and function is None):
                raise ValueError(f"{name} = {function!r} cannot be called: give a function")
        self._choose: Final = choose
        self._on_reset: Final = on_reset

    def reset(self, seed: int | None = None) -> None:
        """Begin anew: hands the seed on to ``on_reset``."""
        if self._on_reset is not None:
            self._on_reset(seed)

    def act(self, view: View) -> int:
        """The chosen action. ``ValueError`` if the observer of the view is not to move."""
        if not view.legal_actions():
            raise ValueError(f"seat {view.observer} is not to move")
        return int(self.act_batch(encode(view)[None], view.action_mask()[None])[0])

    def act_batch(self, observation: npt.NDArray[Any], action_mask: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        """A legal action for each row, int64 ``[N]``, from float32 ``[N, K]`` and int8 ``[N, 130]``.

        ``ValueError`` for arrays of other shapes, for a row without a legal action, and for an answer of ``choose``
        that is not N integers.
        """
        observation, action_mask = np.asarray(observation), np.asarray(action_mask)
        rows = len(np.atleast_1d(observation))
        if observation.shape != (rows, OBSERVATION.size) or action_mask.shape != (rows, NUM_ACTIONS):
            raise ValueError(
                f"observation {observation.shape} and action_mask {action_mask.shape} do not fit: "
                f"use [N, {OBSERVATION.size}] and [N, {NUM_ACTIONS}]"
            )
        if rows == 0:
            return np.zeros(0, np.int64)
        allowed = action_mask != 0  # read before ``choose`` could write to it
        if not allowed.any(axis=1).all():
            raise ValueError(f"row {int(allowed.any(axis=1).argmin())} of action_mask has no legal action")
        answer = np.asarray(self._choose(observation, action_mask))
        if answer.shape != (rows,) or not np.issubdtype(answer.dtype, np.integer):
            raise ValueError(f"choose gave {answer.dtype} of shape {answer.shape}: it has to give {rows} integers")
        inside = (answer >= 0) & (answer < NUM_ACTIONS)
        legal = inside & allowed[np.arange(rows), np.where(inside, answer, 0)]
        if not legal.all():
            row = int(legal.argmin())
            raise IllegalActionError(
                f"choose gave {answer[row]} in row {row}, where {np.flatnonzero(allowed[row]).tolist()} are legal: "
                "use the action mask when the network plays"
            )
        return answer.astype(np.int64)
