"""``env()``: the AEC environment behind the checks that PettingZoo's wrappers make, at a fraction of their cost.

Seen from outside it is ``OrderEnforcingWrapper(AssertOutOfBoundsWrapper(...))``; illegal actions are the business of
the raw environment. Those wrappers look at the observation at every step and pass each attribute through three layers.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from itertools import repeat
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from pettingzoo.utils.env_logger import EnvLogger
from pettingzoo.utils.wrappers.base import BaseWrapper

from thousand_env.aec import AgentIterable, NoActionError, ThousandEnv

_SET_BY_RESET: Final = frozenset(
    ("rewards", "terminations", "truncations", "infos", "agent_selection", "num_agents", "agents")
)


class OrderedAgentIterable(AgentIterable):
    """The agents in turn; it insists on a step or a reset between two of them."""

    def __iter__(self) -> Iterator[str]:
        checked = self.env
        env = checked.env
        for _ in repeat(None, min(self.max_iter, sys.maxsize)):
            if not env.agents:
                return
            assert checked._has_updated, "need to call step() or reset() in a loop over `agent_iter`"
            checked._has_updated = False
            yield env.agent_selection


class CheckedEnv(BaseWrapper[str, Any, Any]):
    """A ``ThousandEnv`` with order and actions checked.

    ``AssertionError`` for an action outside the action space and for calls before ``reset``, ``AttributeError`` for
    what only a reset defines; a step after the last agent is gone does nothing but warn.
    """

    env: ThousandEnv

    def __init__(self, env: ThousandEnv) -> None:
        super().__init__(env)
        self._has_reset = False
        self._has_updated = False

    def __getattr__(self, name: str) -> Any:
        if name in _SET_BY_RESET and not self._has_reset:
            raise AttributeError(f"{name} cannot be accessed before reset")
        if name.startswith("_") and name != "_cumulative_rewards":
            raise AttributeError(f"accessing private attribute {name!r} is prohibited")
        return getattr(self.env, name)

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """See ``ThousandEnv.reset``."""
        self.env.reset(seed, options)
        self._has_reset = True
        self._has_updated = True

    def step(self, action: Any) -> None:
        """See ``ThousandEnv.step``."""
        self._has_updated = True
        env = self.env
        if not self._has_reset:
            EnvLogger.error_step_before_reset()
        if not env.agents:
            EnvLogger.warn_step_after_terminated_truncated()
            return
        try:
            env.step(action)
        except NoActionError:
            raise AssertionError("action is not in action space") from None

    def agent_iter(self, max_iter: int = 2**63) -> OrderedAgentIterable:
        """See ``ThousandEnv.agent_iter``."""
        if not self._has_reset:
            EnvLogger.error_agent_iter_before_reset()
        return OrderedAgentIterable(self, max_iter)

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """See ``ThousandEnv.last``."""
        return self.env.last(observe)

    def observe(self, agent: str) -> Any:
        """See ``ThousandEnv.observe``."""
        if not self._has_reset:
            EnvLogger.error_observe_before_reset()
        return self.env.observe(agent)

    def state(self, seat: int = 0) -> npt.NDArray[np.float32]:
        """See ``ThousandEnv.state``."""
        if not self._has_reset:
            EnvLogger.error_state_before_reset()
        return self.env.state(seat)

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """See ``ThousandEnv.render``."""
        if not self._has_reset:
            EnvLogger.error_render_before_reset()
        return self.env.render()

    def close(self) -> None:
        """See ``ThousandEnv.close``."""
        self.env.close()

    def __str__(self) -> str:
        return str(self.env)
