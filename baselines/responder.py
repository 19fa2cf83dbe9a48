"""An approximate best response by learning: PPO at one seat, frozen copies of an agent at all others.

It is the responder ``ppo`` of ``thousand_env.evaluation.best_response``. The learner's seat is drawn anew for each
deal; it is paid by the relative score of deals that begin with empty sheets, which is what the gain is measured in. Its
critic sees all cards. What it learns from are its own decisions alone. Against the policy of a network it starts from a
copy of that network, so that it begins where its opponent is.

Agents with ``act_batch`` are asked for all games at once; others for one game after the other, each seat of each game
by a copy of its own, which is slow and works for all that an agent may remember.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch

from baselines.learned import NetworkAgent, agent_of
from baselines.networks import PolicyNet
from baselines.pool import LEARNER, Opponents, frozen
from baselines.ppo import Ppo, PpoArguments
from baselines.training.bare import BareRun, own_random_stream
from thousand_env import NUM_ACTIONS, Rules, VectorEnv
from thousand_env.agents import Agent, BatchAgent
from thousand_env.evaluation import AgentError

UPDATES: Final = 40
"""A budget is spent in about so many updates, if it is large enough for that and not so large that more are better."""
LEAST: Final = 384
"""Decisions of the learner between two updates, at least and at most."""
MOST: Final = 24_576
SMALL: Final = 500_000
"""A budget in which there are too few gradient steps for a new network, unless each update has more and larger ones."""
STEPS: Final = 32
MOST_COPIES: Final = 64
"""Games played at once by an agent that needs a copy for each seat of each game."""
SEEDS: Final = 1 << 63

Progress = Callable[[int, int], None]
"""Is told how many decisions are done, and how many there may be."""


class FrozenAgent(Opponents):
    """One agent at all seats but one, which is the learner's and drawn anew for each deal."""

    def __init__(self, agent: Agent, env: VectorEnv, seed: int) -> None:
        super().__init__(env.num_envs, env.num_players, 1.0, (), 1, seed, torch.device("cpu"))
        self.env: Final = env
        self.agent: Final = agent
        self._copies: list[list[Agent]] = []
        if isinstance(agent, BatchAgent):
            agent.reset(int(self.rng.integers(SEEDS)))
        else:
            self._copies = [[copy.deepcopy(agent) for _ in range(self.players)] for _ in range(env.num_envs)]
        self.reseat(np.arange(env.num_envs))

    def reseat(self, rows: npt.NDArray[np.int64]) -> None:
        """Draw the learner's seat of the next deals of these rows; who remembers something forgets it."""
        mine = self.rng.integers(0, self.players, len(rows))
        self.seated[rows] = np.where(np.arange(self.players) == mine[:, None], LEARNER, 0)
        if self._copies:
            for row, seeds in zip(rows.tolist(), self.rng.integers(SEEDS, size=(len(rows), self.players)), strict=True):
                for each, seed in zip(self._copies[row], seeds.tolist(), strict=True):
                    each.reset(seed)

    def decide(
        self,
        seat: npt.NDArray[Any],
        observation: npt.NDArray[np.int8],
        action_mask: npt.NDArray[np.int8],
        action: npt.NDArray[np.int64],
        learned: npt.NDArray[np.bool_],
        history: npt.NDArray[np.int16] | None = None,
    ) -> None:
        """See ``Opponents``."""
        np.equal(self.seated[np.arange(len(seat)), seat], LEARNER, out=learned)
        rows = np.flatnonzero(~learned)
        if not len(rows):
            return
        try:
            action[rows] = self._answers(rows, seat, observation, action_mask)
        except Exception as error:
            raise AgentError(f"{self._name()} has failed in training: {type(error).__name__}: {error}") from error
        chosen = action[rows]
        is_legal = (chosen >= 0) & (chosen < NUM_ACTIONS)
        is_legal[is_legal] = action_mask[rows[is_legal], chosen[is_legal]] != 0
        if not is_legal.all():
            raise AgentError(f"{self._name()} has chosen wrongly in training: {chosen[~is_legal][0]} is not legal")

    def _answers(
        self,
        rows: npt.NDArray[np.int64],
        seat: npt.NDArray[Any],
        observation: npt.NDArray[np.int8],
        action_mask: npt.NDArray[np.int8],
    ) -> npt.NDArray[np.int64] | list[int]:
        if isinstance(self.agent, BatchAgent):
            seen = np.divide(observation[rows], self._scales, dtype=np.float32)
            return self.agent.act_batch(seen, action_mask[rows])
        places = [(row, int(seat[row])) for row in rows.tolist()]
        return [self._copies[row][place].act(self.env.game(row).view(place)) for row, place in places]

    def _name(self) -> str:
        return f"agent {type(self.agent).__name__!r}"


def respond(
    agent: Agent,
    rules: Rules,
    budget: int,
    seed: int,
    *,
    start_from: str | None = None,
    progress: Progress | None = None,
) -> Agent:
    """An agent that has learned to play against copies of ``agent`` at all other seats; see ``Responder``.

    ``start_from``: an agent of this package by name, or a file, whose policy the responder starts from instead of from
    a new network, if ``agent`` has no policy of its own to start from. ``progress`` is told after each update. A budget
    that is too small for an update gives the start as it is. ``TrainingError`` for a ``start_from`` that is no policy;
    ``AgentError`` if ``agent`` fails when it is asked, or chooses what is not legal.
    """
    own = agent.network if isinstance(agent, NetworkAgent) and isinstance(agent.network, PolicyNet) else None
    arguments = _arguments(agent, rules, budget, None if own is not None else start_from)
    with own_random_stream(seed):
        learner = Ppo(arguments, BareRun(rules, seed, budget), None if own is None else frozen(own))
        learner.opponents = FrozenAgent(copy.deepcopy(agent), learner.env, seed)
        most = learner.rollout.seat.size
        done = 0
        while done + most <= budget:
            learner.update()
            done = learner.decisions = done + int(learner.rollout.learned.sum())
            if progress is not None:
                progress(done, budget)
    return agent_of(learner.network.requires_grad_(False), rules)


def _arguments(agent: Agent, rules: Rules, budget: int, start_from: str | None) -> PpoArguments:
    """Those of a training with this budget. The learner decides about one in n of the decisions of n seats."""
    decisions = rules.players * min(max(budget // UPDATES, LEAST), MOST)
    rows = max(1, decisions // STEPS)
    if not isinstance(agent, BatchAgent):
        rows = min(rows, MOST_COPIES)
    starts_from_policy = start_from is not None or isinstance(agent, NetworkAgent)
    is_small = budget < SMALL and not starts_from_policy
    return PpoArguments(
        rows=rows,
        steps=decisions // rows,
        minibatch=max(256, decisions // rules.players // 6),
        epochs=10 if is_small else 4,
        learning_rate=1.5e-3 if is_small else 5e-4,
        target_kl=0.0 if is_small else 0.03,
        utility="relative",
        opponents=(),
        opponent_share=0.0,
        start_from=start_from,
        critic_updates=min(UPDATES // 8, budget // decisions // 4) if starts_from_policy else 0,
    )
