"""``dmc``: deep Monte Carlo, action values learned from the returns of whole deals, as in DouZero.

One network gives the value of an action for every seat and role. It plays all seats against itself, taking the best
action and now and then a random one, and is pulled by the mean squared error towards what each decision's own seat has
earned when the deal was over. Nothing is bootstrapped and no policy is learned. Source: Zha et al., "DouZero: Mastering
DouDizhu with Self-Play Deep Reinforcement Learning" (ICML 2021). Differences: it plays and learns in turns in one
process instead of actors beside a learner, the optimiser is Adam, and the random actions become rarer.

Run: thousand train dmc --minutes 10
"""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from baselines.checkpoints import (
    env_state,
    load_env_state,
    load_module_state,
    load_optimizer_state,
    module_state,
    optimizer_state,
    restore_rng,
    rng_facts,
)
from baselines.equity import Starts, equity_for, pays_by_match
from baselines.learned import agent_of, load_agent, load_named
from baselines.networks import ActionValueNet
from baselines.returns import Decisions, OpenDeals
from baselines.training import Run, RunArguments, TrainingError, average_gradients, trainer_command
from baselines.training.arguments import number, parse_rules, whole
from baselines.training.distributed import most
from thousand_env import Batch, VectorEnv
from thousand_env.agents import Agent
from thousand_env.observation import OBSERVATION


@dataclass
class DmcArguments(RunArguments):
    """Deep Monte Carlo: action values from the returns of whole deals in self-play."""

    hidden: tuple[int, ...] = (256, 256)
    """widths of the hidden layers"""
    envs: int = 512
    """games that are played at once"""
    steps: int = 64
    """decisions in each game between two rounds of learning"""
    batch_size: int = 2048
    """decisions that one gradient is computed from"""
    epochs: int = 1
    """gradients of a round go so often through as many decisions as it has"""
    replay: int = 0
    """decisions of so many earlier rounds are kept and learned from too"""
    learning_rate: float = 1e-3
    """of Adam, at the beginning"""
    learning_rate_end: float = 1e-4
    """and at the end of the schedule"""
    epsilon: float = 0.1
    """share of decisions that are random, at the beginning"""
    epsilon_end: float = 0.01
    """and at the end of the schedule"""
    schedule_decisions: int = 30_000_000
    """decisions, of all processes, over which both go linearly from the first value to the last"""
    utility: Literal["auto", "match", "relative", "score", "win"] = "auto"
    """what a deal is paid by: the chance to win the match, or a reward of the environment; auto is the first, or
    relative under rules with a single deal"""
    target_clip: float | None = None
    """returns beyond this are learned as this (default: as they are)"""
    max_grad_norm: float = 40.0
    """longer gradients are scaled down to this norm"""
    start_from: Path | None = None
    """file of an action-value agent, such as a distilled one, whose network is the first"""

    def check(self) -> None:
        """``TrainingError`` for the first value that is not accepted."""
        super().check()
        try:
            pays_by_match(self.utility, parse_rules(self.rules))
        except ValueError as error:
            raise TrainingError(f"--utility: {error}") from None
        for name in ("envs", "steps", "batch_size", "epochs", "schedule_decisions"):
            whole(name, getattr(self, name), 1)
        whole("replay", self.replay, 0)
        if not self.hidden:
            raise TrainingError("--hidden () is not accepted: use one width or more")
        for width in self.hidden:
            whole("hidden", width, 1)
        for name in ("epsilon", "epsilon_end"):
            number(name, getattr(self, name), 0, 1)
        for name in ("learning_rate", "learning_rate_end", "max_grad_norm"):
            number(name, getattr(self, name), 0, above=True)
        if self.target_clip is not None:
            number("target_clip", self.target_clip, 0, above=True)


class DmcTrainer:
    """Plays and learns in turns: see the module. ``network`` is what is learned."""

    def __init__(self, arguments: DmcArguments, run: Run) -> None:
        self.arguments: Final = arguments
        self.decisions = 0
        self.network: Final = ActionValueNet(tuple(arguments.hidden))
        if arguments.start_from is not None:
            self._start_from(arguments.start_from)
        self.network.to(run.device)
        self._run: Final = run
        self._values: Final = run.maybe_compile(self.network)
        self._optimizer: Final = torch.optim.Adam(self.network.parameters(), arguments.learning_rate, eps=1e-5)
        self._rng: Final = np.random.default_rng(run.seed)
        matchwise = pays_by_match(arguments.utility, run.rules)
        self._equity: Final = equity_for(run.rules) if matchwise else None
        self._env: Final = VectorEnv(
            arguments.envs,
            run.rules,
            "deal",
            "relative" if arguments.utility in ("auto", "match") else arguments.utility,
            seed=run.seed,
            num_threads=arguments.threads,
            observation_dtype="int8",
            start=Starts(run.rules, run.seed) if matchwise else None,
            skip_forced=True,
        )
        self._batch = self._env.reset()
        self._open: Final = OpenDeals()
        self._memory: Final[deque[Decisions]] = deque(maxlen=arguments.replay + 1)
        shape = (arguments.steps, arguments.envs)
        self._observation = np.zeros((*shape, OBSERVATION.size), np.int8)
        self._action = np.zeros(shape, np.uint8)
        self._seat = np.zeros(shape, np.int8)
        self._ended = np.zeros(shape, np.bool_)
        self._earned = np.zeros((*shape, run.rules.players), np.float32)

    def _start_from(self, path: Path) -> None:
        try:
            network = load_agent(path).network
        except (OSError, ValueError) as error:
            raise TrainingError(f"--start-from: {error}") from None
        if not isinstance(network, ActionValueNet) or network.description != self.network.description:
            found = getattr(network, "description", None)
            raise TrainingError(f"--start-from {str(path)!r} has {found}: it must be {self.network.description}")
        self.network.load_state_dict(network.state_dict())

    def update(self) -> dict[str, float]:
        """Play a round and learn from it; its metrics. If no deal is over yet, in all processes, it plays on."""
        metrics = self._collect()
        while most([int(not any(len(each.target) for each in self._memory))])[0]:
            metrics = self._collect()
        return metrics | self._learn()

    # Playing

    def _collect(self) -> dict[str, float]:
        """Play ``steps`` decisions in every game, and keep those whose deal is over."""
        lengths = np.concatenate([self._play(step) for step in range(self.arguments.steps)])
        self.decisions += self._action.size
        self._memory.append(self._open.close(self._observation, self._action, self._seat, self._ended, self._earned))
        metrics = {"charts/episodes": float(len(lengths)), "charts/epsilon": self._epsilon}
        return metrics | ({"charts/episodic_length": float(lengths.mean())} if len(lengths) else {})

    def _play(self, step: int) -> npt.NDArray[np.int64]:
        """One decision in every game; the lengths of the deals that have ended by it."""
        batch = self._batch
        self._observation[step], self._seat[step] = batch.observation, batch.seat
        self._action[step] = actions = self.choose(batch.observation, batch.action_mask)
        self._batch = batch = self._env.step(actions)
        self._ended[step] = False
        self._ended[step, batch.final_index] = True
        if len(batch.final_index):
            self._earned[step, batch.final_index] = self._worth(step, batch)
        return batch.episode_length

    def _worth(self, step: int, batch: Batch) -> npt.NDArray[Any]:
        """What the deals that a step has ended are worth to each seat, [F, n]: the one place that knows."""
        if self._equity is None:
            return batch.episode_return
        rows = batch.final_index
        seat = self._seat[step, rows]
        at_the_end = batch.final_observation[np.arange(len(rows)), seat]
        return self._equity.pay(self._observation[step, rows], seat, at_the_end)

    @torch.inference_mode()
    def choose(self, observation: npt.NDArray[np.int8], action_mask: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        """The best legal action of each row, int64 [N], or with probability epsilon a random one."""
        mask = torch.from_numpy(action_mask).to(self._run.device)
        values = self.network.all_values(torch.from_numpy(observation).to(self._run.device), mask)
        actions: npt.NDArray[np.int64] = values.argmax(-1).cpu().numpy()
        explores = np.flatnonzero(self._rng.random(len(actions)) < self._epsilon)
        if len(explores):
            drawn = self._rng.random((len(explores), action_mask.shape[1])) * action_mask[explores]
            actions[explores] = drawn.argmax(-1)
        return actions

    # Learning

    def _learn(self) -> dict[str, float]:
        """As many gradients as go through a collection ``epochs`` times, on what is in memory, in random order."""
        chosen = self.arguments
        rows = Decisions(*map(np.concatenate, zip(*self._memory, strict=True)))
        if chosen.target_clip is not None:
            rows = rows._replace(target=np.clip(rows.target, -chosen.target_clip, chosen.target_clip))
        count = chosen.epochs * -(-self._action.size // chosen.batch_size)
        for group in self._optimizer.param_groups:
            group["lr"] = self._learning_rate
        losses = torch.zeros(count, device=self._run.device)
        for place, picked in enumerate(self._minibatches(len(rows.target), count)):
            given = (torch.from_numpy(part[picked]).to(self._run.device) for part in rows)
            with self._run.autocast():
                loss = self._mean_loss(*given)
            self._optimizer.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            average_gradients(self.network)
            nn.utils.clip_grad_norm_(self.network.parameters(), chosen.max_grad_norm)
            self._optimizer.step()
            losses[place] = loss.detach()
        loss_value, spread = float(losses.mean()), float(rows.target.var())
        return {
            "losses/value_loss": loss_value,
            "losses/explained_variance": 1 - loss_value / spread if spread else 0.0,
            "charts/learning_rate": self._learning_rate,
        }

    def _mean_loss(self, observation: Tensor, action: Tensor, target: Tensor) -> Tensor:
        return (self._values(observation, action.int()).float() - target).square().mean()

    def _minibatches(self, rows: int, count: int) -> Iterator[npt.NDArray[np.int64]]:
        """``count`` choices of rows, each row once before any is drawn again."""
        size = min(rows, self.arguments.batch_size)
        order = np.zeros(0, np.int64)
        for _ in range(count):
            if len(order) < size:
                order = np.concatenate([order, self._rng.permutation(rows)])
            yield order[:size]
            order = order[size:]

    @property
    def _progress(self) -> float:
        return min(1.0, self.decisions * self._run.world_size / self.arguments.schedule_decisions)

    @property
    def _epsilon(self) -> float:
        first, last = self.arguments.epsilon, self.arguments.epsilon_end
        return first + (last - first) * self._progress

    @property
    def _learning_rate(self) -> float:
        first, last = self.arguments.learning_rate, self.arguments.learning_rate_end
        return first + (last - first) * self._progress

    # Going on

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """All that the next update depends on."""
        kept = [*self._memory][-self.arguments.replay :] if self.arguments.replay else []
        rounds = {
            f"memory/{place}/{part}": torch.from_numpy(array)
            for place, decisions in enumerate(kept)
            for part, array in decisions._asdict().items()
        }
        waiting = {f"open/{part}": torch.from_numpy(getattr(self._open, part)) for part in OpenDeals.PARTS}
        tensors = module_state("network", self.network) | optimizer_state("adam", self._optimizer)
        tensors |= env_state("games", self._env) | rounds | waiting
        return tensors, {"decisions": self.decisions, "rng": rng_facts(self._rng), "rounds": len(kept)}

    def load_state(self, state: dict[str, Tensor], facts: dict[str, Any]) -> None:
        """Go on from what ``state`` gave; ``ValueError`` if it is of another network, other rules or other games."""
        load_module_state("network", self.network, state)
        load_optimizer_state("adam", self._optimizer, state)
        self._batch = load_env_state("games", self._env, state)
        for part in OpenDeals.PARTS:
            setattr(self._open, part, state[f"open/{part}"].numpy())
        self._memory.clear()
        for place in range(facts["rounds"]):
            self._memory.append(Decisions(*(state[f"memory/{place}/{part}"].numpy() for part in Decisions._fields)))
        restore_rng(self._rng, facts["rng"])
        self.decisions = facts["decisions"]

    def agent(self) -> Agent:
        """The agent as it plays now, without random actions."""
        return agent_of(self.network, self._run.rules)


def main(arguments: DmcArguments) -> int:
    """Train; the exit code."""
    with Run("dmc", arguments) as run:
        trainer = DmcTrainer(arguments, run)
        run.resume(trainer)
        while run.goes_on(trainer):
            run.record(trainer, trainer.update())
        return run.finish(trainer)


command = trainer_command("dmc", DmcArguments, main)

load = functools.partial(load_named, "dmc")
"""The agent that comes with this package; options and errors as of ``baselines.learned.load_agent``."""
