"""``env()``: the AEC environment behind the checks that PettingZoo's wrappers make, at a fraction of their cost.

Seen from outside it is ``OrderEnforcingWrapper(AssertOutOfBoundsWrapper(...))``; illegal actions are the business of
the raw environment. Those wrappers look at the observation at every step and pass each attribute through three layers,
and what they hand through depends on PettingZoo's version.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from itertools import repeat
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from pettingzoo.utils.env import AECEnv
from pettingzoo.utils.env_logger import EnvLogger

from thousand_env.aec import AgentIterable, NoActionError, ThousandEnv


def _of_raw(name: str) -> Any:
    """An attribute of the environment below."""

    def read(checked: CheckedEnv) -> Any:
        try:
            return getattr(checked.env, name)
        except AttributeError:
            raise AttributeError(f"{name} cannot be accessed before reset") from None

    return property(read)


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


class CheckedEnv(AECEnv[str, Any, Any]):
    """A ``ThousandEnv``, which is ``env`` and ``unwrapped``, with order and actions checked.

    ``AssertionError`` for an action outside the action space and for calls before ``reset``, ``AttributeError`` for
    what only a reset defines; a step after the last agent is gone does nothing but warn.
    """

    metadata = ThousandEnv.metadata

    possible_agents = _of_raw("possible_agents")
    observation_spaces = _of_raw("observation_spaces")
    action_spaces = _of_raw("action_spaces")
    state_space = _of_raw("state_space")
    settings = _of_raw("settings")
    rules = _of_raw("rules")
    render_mode = _of_raw("render_mode")
    agents = _of_raw("agents")
    agent_selection = _of_raw("agent_selection")
    rewards = _of_raw("rewards")
    terminations = _of_raw("terminations")
    truncations = _of_raw("truncations")
    infos = _of_raw("infos")
    _cumulative_rewards = _of_raw("_cumulative_rewards")
    game = _of_raw("game")
    np_random = _of_raw("np_random")

    def __init__(self, env: ThousandEnv) -> None:
        super().__init__()
        self.env: Final = env
        self._has_reset = False
        self._has_updated = False

    @property
    def unwrapped(self) -> ThousandEnv:
        """The environment below."""
        return self.env

    @property
    def num_agents(self) -> int:
        """How many agents are left."""
        if not self._has_reset:
            raise AttributeError("num_agents cannot be accessed before reset")
        return len(self.env.agents)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """See ``ThousandEnv.observation_space``."""
        return self.env.observation_space(agent)

    def action_space(self, agent: str) -> spaces.Discrete:
        """See ``ThousandEnv.action_space``."""
        return self.env.action_space(agent)

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
