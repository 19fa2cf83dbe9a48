"""Self-play in batches: T decisions in each of N games, as PPO and its relatives learn from them.

All seats are played by the network that learns, except for those that a row has given to opponents for an episode:
earlier networks and agents of the ladder (``baselines.pool``). Only the learner's decisions are learned from. An
episode is one deal, begun at a sheet that is drawn, and paid at its end by what it has changed: of the chance to win
the match (``baselines.equity``), or of the score.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from baselines.drawing import draw
from baselines.equity import Equity
from baselines.gae import Advantages, advantages_by_seat
from baselines.networks import Critic, PolicyNet
from baselines.pool import LEARNER, Opponents
from thousand_env import NUM_ACTIONS, Batch, VectorEnv
from thousand_env.observation import HISTORY_SIZE, OBSERVATION, STATE

VALUE_ROWS: Final = 8192
"""Rows that a critic looks at in one go."""


class Ends(NamedTuple):
    """E episodes that have ended.

    By what ``step`` in which ``row`` and by whose decision (``seat``), int64 [E]; what that seat sees then,
    ``observation`` int8 [E, K]; the ``returns`` of all seats, float64 [E, n], and which seats the learner had, ``own``
    bool [E, n].
    """

    step: npt.NDArray[np.int64]
    row: npt.NDArray[np.int64]
    seat: npt.NDArray[np.int64]
    observation: npt.NDArray[np.int8]
    returns: npt.NDArray[np.float64]
    own: npt.NDArray[np.bool_]


class Rollout:
    """A buffer of ``steps`` x rows of the environment, filled again and again.

    ``observation`` int8 [T, N, K], ``state`` int8 [T, N, M] or None, ``history`` int16 [T, N, H] or None,
    ``action_mask`` int8 [T, N, 130], ``action`` int64, ``log_probability`` float32, ``seat`` int8, ``ended`` and
    ``learned`` (whether the learner decided) bool [T, N], ``reward`` float32 [T, N, n]. ``seconds`` says where the time
    of the last ``fill`` went: ``environment``, ``policy`` and ``opponents``.
    """

    def __init__(
        self, env: VectorEnv, steps: int, equity: Equity | None, device: torch.device, has_history: bool = False
    ) -> None:
        rows, players = env.num_envs, env.num_players
        shape = steps, rows
        self.env: Final = env
        self.equity: Final = equity
        self.device: Final = device
        self.observation = np.zeros((*shape, OBSERVATION.size), np.int8)
        self.state = np.zeros((*shape, STATE.size), np.int8) if env.single_state_space is not None else None
        self.history = np.zeros((*shape, HISTORY_SIZE), np.int16) if has_history else None
        self.action_mask = np.zeros((*shape, NUM_ACTIONS), np.int8)
        self.action = np.zeros(shape, np.int64)
        self.log_probability = np.zeros(shape, np.float32)
        self.seat = np.zeros(shape, np.int8)
        self.ended, self.learned = np.zeros((2, *shape), np.bool_)
        self.reward = np.zeros((*shape, players), np.float32)
        self.seconds: dict[str, float] = {}
        self.episode_returns: npt.NDArray[np.float64] = np.zeros(0)

    def fill(self, batch: Batch, policy: Callable[..., Tensor], opponents: Opponents) -> Batch:
        """Play on from ``batch``, drawing actions from the policy; the decisions that wait after the last step."""
        spent = dict.fromkeys(("environment", "policy", "opponents"), 0.0)
        ends: list[Ends] = []
        self.reward[:] = 0
        clock = time.perf_counter
        for step in range(len(self.observation)):
            begun = clock()
            self._keep(step, batch)
            copied = clock()
            self._decide(step, policy)
            decided = clock()
            opponents.decide(
                self.seat[step],
                self.observation[step],
                self.action_mask[step],
                self.action[step],
                self.learned[step],
                None if self.history is None else self.history[step],
            )
            answered = clock()
            batch = self.env.step(self.action[step])
            self.ended[step] = batch.terminated | batch.truncated
            if len(batch.final_index):
                ends.append(self._ends(step, batch, opponents.seated[batch.final_index] == LEARNER))
                opponents.reseat(batch.final_index)
            spent["environment"] += copied - begun + clock() - answered
            spent["policy"] += decided - copied
            spent["opponents"] += answered - decided
        begun = clock()
        self.episode_returns = self._pay(Ends(*map(np.concatenate, zip(*ends, strict=True)))) if ends else np.zeros(0)
        spent["environment"] += clock() - begun
        self.seconds = spent
        return batch

    def advantages(self, value: npt.NDArray[np.float32], gamma: float, lam: float) -> Advantages:
        """Of all decisions, from what the deciding seats expect, float32 [T, N]."""
        return advantages_by_seat(self.seat, self.reward, self.ended, value, gamma, lam)

    @torch.inference_mode()
    def values(self, critic: Critic | PolicyNet) -> npt.NDArray[np.float32]:
        """What the deciding seats expect, float32 [T, N]."""
        given: list[npt.NDArray[Any]] = [self.critic_input(critic)]
        if isinstance(critic, PolicyNet) and critic.needs_history and self.history is not None:
            given.append(self.history.reshape(-1, self.history.shape[-1]))
        parts = [
            value_of(critic, *(torch.from_numpy(each[first : first + VALUE_ROWS]).to(self.device) for each in given))
            for first in range(0, len(given[0]), VALUE_ROWS)
        ]
        return torch.cat(parts).float().cpu().numpy().reshape(self.seat.shape)

    def critic_input(self, critic: Critic | PolicyNet) -> npt.NDArray[np.int8]:
        """The rows that a critic looks at, int8 [T * N, K or M]."""
        source = self.state if isinstance(critic, Critic) and critic.privileged else self.observation
        assert source is not None
        return source.reshape(-1, source.shape[-1])

    def _keep(self, step: int, batch: Batch) -> None:
        self.observation[step] = batch.observation
        self.action_mask[step] = batch.action_mask
        self.seat[step] = batch.seat
        if self.state is not None and batch.state is not None:
            self.state[step] = batch.state
        if self.history is not None and batch.history is not None:
            self.history[step] = batch.history

    @torch.inference_mode()
    def _decide(self, step: int, policy: Callable[..., Tensor]) -> None:
        told = [] if self.history is None else [torch.from_numpy(self.history[step]).to(self.device)]
        logits = policy(torch.from_numpy(self.observation[step]).to(self.device), *told)
        self.action[step], self.log_probability[step] = draw(logits, self.action_mask[step])

    def _ends(self, step: int, batch: Batch, own: npt.NDArray[np.bool_]) -> Ends:
        rows = batch.final_index
        every, seat = np.arange(len(rows)), self.seat[step, rows].astype(np.int64)
        seen = batch.final_observation[every, seat]
        return Ends(np.full(len(rows), step), rows, seat, seen, batch.episode_return, own)

    def _pay(self, ends: Ends) -> npt.NDArray[np.float64]:
        """Write the rewards of the episodes that have ended; what the learner's seats got.

        Those in which it had opponents, if there are any: against itself all seats together get nothing.
        """
        if self.equity is None:
            self.reward[ends.step, ends.row] = ends.returns
        else:
            observation = self.observation[ends.step, ends.row]
            self.reward[ends.step, ends.row] = self.equity.pay(observation, ends.seat, ends.observation)
        against = ends.own & ~ends.own.all(1, keepdims=True)
        return ends.returns[against if against.any() else ends.own]


def value_of(critic: Critic | PolicyNet, given: Tensor, history: Tensor | None = None) -> Tensor:
    """The values [N] of a critic, or of the value head of a policy, which may read the history."""
    if isinstance(critic, Critic):
        value: Tensor = critic(given)
        return value
    head = critic.heads(given, history).value
    assert head is not None
    return head
