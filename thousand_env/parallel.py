"""``parallel_env()``: the game for tools that step all agents at once. Only the action of the agent to move counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from pettingzoo.utils.env import ParallelEnv
from pettingzoo.utils.env_logger import EnvLogger

from thousand_env.actions import PASS
from thousand_env.aec import ThousandEnv
from thousand_env.aec_checked import CheckedEnv
from thousand_env.game import Game

ByAgent = dict[str, Any]


class ThousandParallelEnv(ParallelEnv[str, Any, Any]):
    """A turn-based parallel view. ``aec_env`` is the environment below it, whose ``agent_selection`` is to move.

    The mask of an agent that is not to move, and of all after the end, allows action 0 alone, so that samplers have
    something to sample; what it gives is ignored. Rewards are those of the step. ``agents`` is the same list of all
    until the end and then empty.
    """

    metadata = ThousandEnv.metadata

    def __init__(self, env: ThousandEnv) -> None:
        self.aec_env: Final = CheckedEnv(env)
        self._raw: Final = env
        self.possible_agents = env.possible_agents[:]
        self.observation_spaces = env.observation_spaces
        self.action_spaces = env.action_spaces
        self.state_space: Final = env.state_space
        self.render_mode: Final = env.render_mode

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The observation space of an agent, the same object at each call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """``Discrete(130)``, the same object at each call."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[ByAgent, ByAgent]:
        """Start an episode as ``ThousandEnv.reset`` does: observations and infos by agent.

        An episode that is over before anyone can act, since all its deals were void, has no agents.
        """
        self.aec_env.reset(seed, options)
        observations, infos = self._observations(), self._infos()
        self._remove_done()
        return observations, infos

    def step(self, actions: Mapping[str, Any]) -> tuple[ByAgent, ByAgent, ByAgent, ByAgent, ByAgent]:
        """Play the action of the agent to move: observations, rewards, terminations, truncations and infos by agent.

        After the end five empty dicts. ``ValueError`` if the agent to move is given no action.
        """
        if not self.aec_env._has_reset:
            EnvLogger.error_step_before_reset()
        if not self.agents:
            return {}, {}, {}, {}, {}
        raw = self._raw
        mover = raw.agent_selection
        if mover not in actions:
            raise ValueError(f"actions has none for {mover}, who is to move")
        self.aec_env.step(actions[mover])
        observations, infos = self._observations(), self._infos()
        rewards, terminations, truncations = {**raw.rewards}, {**raw.terminations}, {**raw.truncations}
        self._remove_done()
        return observations, rewards, terminations, truncations, infos

    def _is_idle(self, agent: str) -> bool:
        raw = self._raw
        return agent != raw.agent_selection or raw.terminations[agent] or raw.truncations[agent]

    def _observations(self) -> ByAgent:
        observations = {agent: self._raw.observe(agent) for agent in self._raw.agents}
        if not self._raw.settings.flat_observation:
            for agent, observation in observations.items():
                observation["action_mask"][PASS] |= self._is_idle(agent)
        return observations

    def _infos(self) -> ByAgent:
        infos: ByAgent = {
            agent: {key: mask.copy() for key, mask in info.items()} for agent, info in self._raw.infos.items()
        }
        if self._raw.settings.mask_in_info:
            for agent, info in infos.items():
                info["action_mask"][PASS] |= self._is_idle(agent)
        return infos

    def _remove_done(self) -> None:
        raw = self._raw
        while raw.agents and (raw.terminations[raw.agent_selection] or raw.truncations[raw.agent_selection]):
            raw.step(None)
        self.agents = raw.agents[:]

    @property
    def np_random(self) -> np.random.Generator:
        """See ``ThousandEnv.np_random``."""
        return self._raw.np_random

    @property
    def game(self) -> Game:
        """See ``ThousandEnv.game``."""
        return self._raw.game

    def state(self, seat: int = 0) -> npt.NDArray[np.float32]:
        """See ``ThousandEnv.state``."""
        return self.aec_env.state(seat)

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """See ``ThousandEnv.render``."""
        return self.aec_env.render()

    def close(self) -> None:
        """See ``ThousandEnv.close``."""
        self.aec_env.close()
