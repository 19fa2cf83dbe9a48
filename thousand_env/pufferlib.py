"""``ThousandPufferEnv``: many games as one native environment of PufferLib 3, every seat a row, for self-play.

It is a skin over ``VectorEnv``; PufferLib has to be installed. Importing that leaves a link called ``resources`` in the
working folder and, with its trainer, turns ``RuntimeWarning`` into an error: both are PufferLib's doing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from thousand_env.missing import not_installed

try:
    import pufferlib
except ModuleNotFoundError as error:
    raise not_installed(error, "pufferlib", "it takes a few commands, which are in examples/README.md") from None

from thousand_env.actions import NUM_ACTIONS, PASS
from thousand_env.observation import OBSERVATION
from thousand_env.rules import Rules
from thousand_env.vector import Batch, VectorEnv

Infos = list[dict[str, float]]


class ThousandPufferEnv(pufferlib.PufferEnv):
    """N games of n seats as N * n agents that are stepped together; agent ``n * i + s`` is seat s of game i.

    Args:
        num_envs: number of games N.
        rules, episode, reward, num_threads: as in ``VectorEnv``.
        reward_scale: rewards are multiplied by it, above 0 and at most 100; PufferLib's trainer cuts them off at -1
            and 1. The default leaves results of up to 500 points a deal whole.
        buf: where PufferLib wants the arrays, None for new ones.
        seed: of the games, as in ``VectorEnv``; a reset with a seed replaces it.

    An observation is float32 ``[K + 130]``: what ``VectorEnv`` shows, and behind it the action mask, which has to be
    taken off the logits both to play and to learn: -1e9 where it is 0, not minus infinity. Only the actions of the
    seats to move are played; one that is illegal raises ``IllegalActionError``, whose row is the game. A seat that is
    not to move shows what it saw when it last was, or zeros when it has not been in this deal episode or match, with
    the mask of action 0. So the value of where it stands stays what it was until it decides again.

    All seats of a game end together: ``terminals`` is true at both kinds of ends, for PufferLib's trainer looks at
    nothing else, and ``truncations`` at those by ``max_deals``. A step counts n agent steps for a decision. The infos
    of a step in which episodes have ended are one dict of means: ``episode_length`` in decisions, and
    ``points_at_stake``, the size of what a seat has won or lost, 100 for a reward of 1.
    """

    def __init__(
        self,
        num_envs: int = 128,
        rules: Rules | str | Mapping[str, Any] | None = None,
        episode: str = "deal",
        reward: str = "relative",
        reward_scale: float = 0.2,
        num_threads: int | None = None,
        buf: Mapping[str, Any] | None = None,
        seed: int | None = 0,
    ) -> None:
        known = isinstance(reward_scale, (int, float)) and not isinstance(reward_scale, bool)
        if not known or not 0 < reward_scale <= 100:
            raise ValueError(f"reward_scale={reward_scale!r} is not accepted: use a number above 0, at most 100")
        self._games: Final = VectorEnv(
            num_envs, rules=rules, episode=episode, reward=reward, seed=seed, num_threads=num_threads
        )
        self._scale: Final = reward_scale
        self._rows: Final = np.arange(num_envs)
        self._seat: npt.NDArray[np.int8] = np.zeros(num_envs, np.int8)
        self.single_observation_space = spaces.Box(-1.0, 1.0, (OBSERVATION.size + NUM_ACTIONS,), np.float32)
        self.single_action_space = spaces.Discrete(NUM_ACTIONS)
        self.num_agents = num_envs * self._games.num_players
        super().__init__(buf)

    def reset(self, seed: int | None = None) -> tuple[npt.NDArray[np.float32], Infos]:
        """Begin an episode in every game: observations ``[N * n, K + 130]`` and no infos."""
        batch = self._games.reset(seed)
        self._forget(self._rows)
        self._show(batch)
        return self.observations, []

    def step(self, actions: npt.ArrayLike) -> tuple[Any, ...]:
        """Play integers ``[N * n]``, of which those of the seats to move count.

        Gives observations, rewards ``[N * n]``, terminals, truncations and infos; the arrays are PufferLib's buffers.
        """
        given = np.asarray(actions)
        if given.shape != (self.num_agents,) or given.dtype.kind not in "iu":
            what = f"{given.dtype} of shape {given.shape}"
            raise ValueError(f"actions are {what}: they must be integers of shape ({self.num_agents},)")
        batch = self._games.step(self._by_seat(given)[self._rows, self._seat])
        self._forget(batch.final_index)
        self._show(batch)
        infos = []
        if len(batch.final_index):
            at_stake = 100 * float(np.abs(batch.episode_return).mean())
            infos = [{"episode_length": float(batch.episode_length.mean()), "points_at_stake": at_stake}]
        return self.observations, self.rewards, self.terminals, self.truncations, infos

    def _by_seat(self, rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Rows of agents as ``[N, n, ...]``, of the same memory."""
        return rows.reshape(len(self._rows), self._games.num_players, *rows.shape[1:])

    def _forget(self, games: npt.NDArray[np.int64]) -> None:
        self._by_seat(self.observations)[games] = 0

    def _show(self, batch: Batch) -> None:
        """The seats to move see their decisions, and what the last ones have led to is told to all."""
        rows, seat = self._rows, batch.seat.copy()
        shown = self._by_seat(self.observations)
        shown[:, :, OBSERVATION.size :] = 0
        shown[:, :, OBSERVATION.size + PASS] = 1
        shown[rows, seat, : OBSERVATION.size] = batch.observation
        shown[rows, seat, OBSERVATION.size :] = batch.action_mask
        self._by_seat(self.rewards)[:] = batch.reward * self._scale
        self._by_seat(self.terminals)[:] = (batch.terminated | batch.truncated)[:, None]
        self._by_seat(self.truncations)[:] = batch.truncated[:, None]
        self._seat = seat

    def close(self) -> None:
        """Nothing is held that would have to be released."""
