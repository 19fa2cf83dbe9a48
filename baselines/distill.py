"""``distill``: a policy fitted to labels from games with known cards, a fast and strong start for other learners.

Games go on in every row of a ``VectorEnv``. Each decision in which there is a choice is labelled
(``baselines.labels``): the deal is played out after every action, or the solver is asked, and this gives the
*advantages* of the actions on the scale of match equity. The policy is drawn to what the heuristic does and, more and
more, to what the labels say is better: of the expected advantage, a little entropy, and the logarithm of the chance of
the heuristic's action the sum is maximised, the last with a weight, ``pull``, that falls. A single label is noisy, for
it knows one deal of all those that look alike; an action is taken in the heuristic's place only where many labels agree
that it gains more than the pull. It is one step of policy iteration on the heuristic, or what a search of very many
worlds would say, without the search.

Half of the rows are played by the heuristic and half by the network as it learns (dataset aggregation, Ross, Gordon and
Bagnell 2011), with now and then a random action, so that the network has seen what its own mistakes lead to.

While the network learns from the decisions in memory the next ones are labelled in other threads; what is learned does
not depend on which is faster.
"""

from __future__ import annotations

import functools
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

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
from baselines.equity import Starts, equity_for
from baselines.labels import MOST, Labeller, Labels
from baselines.learned import NetworkAgent, agent_of, load_named
from baselines.networks import PolicyNet, entropy_of, masked, sample
from baselines.playing_out import NetworkLabeller
from baselines.training.arguments import RunArguments, number, parse_rules, whole
from baselines.training.command import trainer_command
from baselines.training.distributed import average_gradients
from baselines.training.errors import TrainingError
from baselines.training.run import Run
from baselines.training.starting import policy_of
from thousand_env import NUM_ACTIONS, VectorEnv
from thousand_env.observation import OBSERVATION

UNLIKELY: Final = 0.1
"""By how much a legal action that is not labelled, such as a jump bid, is taken to be worse than the worst labelled."""
PULLED_UNTIL: Final = 0.3
"""The share of the budget after which the pull has fallen to its last value."""


@dataclass
class DistillArguments(RunArguments):
    """Arguments of the learner from labels."""

    rows: int = 4096
    """games played at once, one decision of each is labelled in an update"""
    updates: int = 3
    """gradient steps for each round of labels"""
    minibatch: int = 4096
    """decisions of a gradient step"""
    memory: int = 200_000
    """labelled decisions that are kept to learn from; 610 bytes each"""
    learning_rate: float = 1e-3
    """of AdamW at the start; it falls to a fiftieth over the budget"""
    hidden: tuple[int, ...] = (256, 256)
    """widths of the layers"""
    temperature: float = 0.005
    """weight of the entropy, in units of a tenth of a match"""
    first_pull: float = 1.0
    """weight of the reference's choice at the start; with --start-from it begins at the last"""
    pull: float = 0.005
    """weight of the reference's choice later: about the gain that another action must have"""
    start_from: str | None = None
    """an agent to start from, such as distill, or the file of one: its network plays the deals out, in place of the
    heuristic, and is the reference"""
    solver_share: float = 0.15
    """share of the cards played that are labelled by the solver, which takes ten times as long as playing out"""
    random_actions: float = 0.05
    """share of actions drawn at random"""
    label_threads: int = 1
    """threads that label"""

    def check(self) -> None:
        """See ``RunArguments``."""
        super().check()
        if parse_rules(self.rules).max_deals == 1:
            raise TrainingError(f"--rules {self.rules} is not accepted: labels need matches of more than one deal")
        for name in ("rows", "updates", "minibatch", "memory", "label_threads"):
            whole(name, getattr(self, name), 1, 1 << 24)
        for name in ("learning_rate", "first_pull", "pull"):
            number(name, getattr(self, name), 0, above=True)
        number("temperature", self.temperature, 0)
        number("solver_share", self.solver_share, 0, 1)
        number("random_actions", self.random_actions, 0, 1)


class Memory:
    """The last labelled decisions, at most ``size`` of them, as arrays of narrow types."""

    def __init__(self, size: int) -> None:
        self.size: Final = size
        self.count = self.place = 0
        self.arrays: Final[dict[str, npt.NDArray[Any]]] = {
            "observation": np.zeros((size, OBSERVATION.size), np.int8),
            "legal": np.zeros((size, -(-NUM_ACTIONS // 8)), np.uint8),
            "actions": np.zeros((size, MOST), np.int16),
            "advantages": np.zeros((size, MOST), np.float16),
            "reference": np.zeros(size, np.uint8),
        }

    def add(self, observation: npt.NDArray[Any], action_mask: npt.NDArray[Any], labels: Labels) -> None:
        """Take decisions in, all of a round."""
        rows = {
            "observation": observation,
            "legal": np.packbits(action_mask, axis=1),
            "actions": labels.actions,
            "advantages": labels.advantages,
            "reference": labels.reference,
        }
        count = min(len(observation), self.size)
        where = (self.place + np.arange(count)) % self.size
        for name, each in rows.items():
            self.arrays[name][where] = each[:count]
        self.place = (self.place + count) % self.size
        self.count = min(self.count + count, self.size)

    def draw(self, rng: np.random.Generator, count: int) -> dict[str, Tensor]:
        """Decisions drawn at random, their fields by name."""
        rows = rng.integers(0, self.count, count)
        legal = np.unpackbits(self.arrays["legal"][rows], axis=1, count=NUM_ACTIONS)
        return {
            "observation": torch.from_numpy(self.arrays["observation"][rows]),
            "action_mask": torch.from_numpy(legal),
            "actions": torch.from_numpy(self.arrays["actions"][rows].astype(np.int64)),
            "advantages": torch.from_numpy(self.arrays["advantages"][rows].astype(np.float32)),
            "reference": torch.from_numpy(self.arrays["reference"][rows].astype(np.int64)),
        }


class Distill:
    """The learner. ``update`` labels the decisions of all rows, plays them, and makes ``updates`` gradient steps."""

    def __init__(self, arguments: DistillArguments, run: Run) -> None:
        self.arguments: Final = arguments
        self.run: Final = run
        start = policy_of(arguments.start_from) if arguments.start_from else None
        self.network: Final = (start or PolicyNet(hidden=arguments.hidden)).requires_grad_(True).to(run.device)
        self.policy = run.maybe_compile(self.network)
        self.optimizer = torch.optim.AdamW(
            self.network.parameters(), arguments.learning_rate, weight_decay=1e-4, fused=True
        )
        self.env = VectorEnv(
            arguments.rows,
            run.rules,
            episode="deal",
            seed=run.seed,
            num_threads=1,
            observation_dtype="int8",
            skip_forced=True,
            start=Starts(run.rules, run.seed),
        )
        self.rng = np.random.default_rng(run.seed)
        equity = equity_for(run.rules)
        self.labeller: Final = (
            Labeller(
                run.rules,
                equity,
                solver_share=arguments.solver_share,
                seed=run.seed,
                threads=arguments.label_threads,
            )
            if start is None
            else NetworkLabeller(run.rules, equity, start, threads=arguments.label_threads)
        )
        self._background: Final = ThreadPoolExecutor(1, "labels")
        self.memory: Final = Memory(arguments.memory)
        self.batch = self.env.reset()
        self.decisions = 0

    def update(self) -> dict[str, float]:
        """One round; the metrics of it."""
        arguments, batch = self.arguments, self.batch
        job = self._background.submit(self.labeller, self.env.positions())
        steps = [self.step() for _ in range(arguments.updates)] if self.memory.count else []
        labels = job.result()
        chosen = self._chosen(labels)
        kept = labels.actions[:, 1] >= 0
        self.memory.add(batch.observation[kept], batch.action_mask[kept], labels.of(kept))
        self.batch = self.env.step(chosen)
        self.decisions += arguments.rows
        return {name: float(np.mean([each[name] for each in steps])) for name in steps[0]} if steps else {}

    @torch.inference_mode()
    def _chosen(self, labels: Labels) -> npt.NDArray[np.int64]:
        """What is played: by the heuristic in the first half of the rows, by the network in the others."""
        rows = self.arguments.rows
        logits = self.policy(torch.from_numpy(self.batch.observation).to(self.run.device))
        drawn = sample(masked(logits, torch.from_numpy(self.batch.action_mask).to(self.run.device)))
        chosen: npt.NDArray[np.int64] = drawn.cpu().numpy()
        chosen[: rows // 2] = labels.reference[: rows // 2]
        count = (labels.actions >= 0).sum(1)
        random = labels.actions[np.arange(rows), (self.rng.random(rows) * count).astype(np.int64)]
        return np.where(self.rng.random(rows) < self.arguments.random_actions, random, chosen)

    def step(self) -> dict[str, float]:
        """A gradient step on decisions from the memory; its losses."""
        arguments = self.arguments
        done = self.run.progress(self)
        falls = min(1.0, done / PULLED_UNTIL)
        first = arguments.first_pull if arguments.start_from is None else arguments.pull
        pull = first * (arguments.pull / first) ** falls
        for group in self.optimizer.param_groups:
            group["lr"] = arguments.learning_rate * max(0.02, 1 - done)
        batch = {
            name: each.to(self.run.device) for name, each in self.memory.draw(self.rng, arguments.minibatch).items()
        }
        with self.run.autocast():
            logits = self.policy(batch["observation"])
        chances = masked(logits, batch["action_mask"])
        gain = expected_gain(chances, batch["actions"], batch["advantages"])
        entropy = entropy_of(chances).mean()
        alike = chances.gather(1, batch["reference"][:, None]).mean()
        loss = -(gain + arguments.temperature * entropy + pull * alike)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        average_gradients(self.network)
        nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self.optimizer.step()
        return {
            "losses/policy_loss": float(loss.detach()),
            "losses/expected_gain": float(gain.detach()),
            "losses/entropy": float(entropy.detach()),
            "losses/reference_cross_entropy": -float(alike.detach()),
            "charts/learning_rate": self.optimizer.param_groups[0]["lr"],
        }

    def agent(self) -> NetworkAgent:
        """The agent as it plays now."""
        return agent_of(self.network, self.run.rules)

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """See ``Run``."""
        tensors = module_state("network", self.network) | optimizer_state("adam", self.optimizer)
        tensors |= env_state("games", self.env)
        for name, each in self.memory.arrays.items():
            tensors[f"memory.{name}"] = torch.from_numpy(each[: self.memory.count])
        facts = {
            "decisions": self.decisions,
            "place": self.memory.place,
            "rng": rng_facts(self.rng),
            "labels_rng": rng_facts(self.labeller.rng),
        }
        return tensors, facts

    def load_state(self, state: dict[str, Tensor], facts: dict[str, Any]) -> None:
        """See ``Run``."""
        load_module_state("network", self.network, state)
        load_optimizer_state("adam", self.optimizer, state)
        count = len(state["memory.reference"])
        if count > self.memory.size:
            raise ValueError(f"the checkpoint has {count} decisions in memory: use --memory {count} or more")
        for name, each in self.memory.arrays.items():
            each[:count] = state[f"memory.{name}"].numpy()
        self.memory.count, self.memory.place = count, facts["place"] % self.memory.size
        restore_rng(self.rng, facts["rng"])
        restore_rng(self.labeller.rng, facts["labels_rng"])
        self.decisions = facts["decisions"]
        self.batch = load_env_state("games", self.env, state)


def expected_gain(chances: Tensor, actions: Tensor, advantages: Tensor) -> Tensor:
    """The mean advantage of a policy with log-probabilities [B, 130].

    ``actions`` int64 [B, 24], -1 behind the last, are labelled with ``advantages`` [B, 24]; what is not labelled is
    taken to be ``UNLIKELY`` worse than the worst labelled.
    """
    known = actions >= 0
    worst = torch.where(known, advantages, torch.inf).amin(1) - UNLIKELY
    found = chances.gather(1, actions.clamp(min=0)).exp()
    share = torch.where(known, found, 0)
    gains = (share * advantages).sum(1) + (1 - share.sum(1)) * worst
    return gains.mean()


def main(arguments: DistillArguments) -> int:
    """Train; the exit code."""
    with Run("distill", arguments) as run:
        trainer = Distill(arguments, run)
        run.resume(trainer)
        while run.goes_on(trainer):
            run.record(trainer, trainer.update())
        return run.finish(trainer)


command = trainer_command("distill", DistillArguments, main)

load = functools.partial(load_named, "distill")
"""The agent that comes with this package; options and errors as of ``baselines.learned.load_agent``."""
