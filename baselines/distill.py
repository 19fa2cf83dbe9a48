"""``distill``: a policy fitted to labels from games with known cards, as a fast and strong start for the other learners.

Games go on in every row of a ``VectorEnv``. Each decision in which there is a choice is labelled (``baselines.labels``):
the deal is played out after every action, or the solver is asked, and the network learns the *advantages* of the
actions, on the scale of match equity. Half of the rows are played by the heuristic and half by the network itself as it
learns (dataset aggregation, Ross, Gordon and Bagnell 2011), with now and then a random action, so that the network has
seen what its own mistakes lead to. Logits are advantages divided by ``temperature``; a policy that follows them is one
step of policy iteration ahead of the heuristic, and knows what a search of very many worlds would say.

While the network learns from the decisions in memory the next ones are labelled in threads; what is learned does not
depend on which is faster.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor

from baselines.equity import Equity, Starts
from baselines.labels import MOST, Labeller
from baselines.networks import PolicyNet, masked, sample
from thousand_env import Rules, VectorEnv
from thousand_env.observation import OBSERVATION

UNLIKELY: Final = 0.1
"""By how much a legal action that is not labelled, such as a jump bid, is taken to be worse than the worst labelled."""


@dataclass
class Shape:
    """What does not change in a run."""

    rows: int = 4096
    memory: int = 3_000_000
    batch: int = 4096
    updates: int = 3
    learning_rate: float = 1e-3
    temperature: float = 0.005
    first_pull: float = 1.0
    pull: float = 0.005
    solver_share: float = 0.4
    random_actions: float = 0.05
    label_threads: int = 1
    seed: int = 0


class Distill:
    """The learner: ``update`` labels the decisions of all rows, plays them, and learns ``updates`` batches."""

    def __init__(self, args: Shape, rules: Rules, equity: Equity, network: PolicyNet, total: int) -> None:
        self.args = args
        self.network = network
        self.optimizer = torch.optim.AdamW(network.parameters(), args.learning_rate, weight_decay=1e-4, fused=True)
        self.total = total
        self.rng = np.random.default_rng(args.seed)
        self.env = VectorEnv(
            args.rows,
            rules,
            episode="deal",
            seed=args.seed,
            num_threads=1,
            observation_dtype="int8",
            skip_forced=True,
            start=Starts(rules, args.seed),
        )
        self.labeller = Labeller(
            rules, equity, solver_share=args.solver_share, seed=args.seed, threads=args.label_threads
        )
        self.background = ThreadPoolExecutor(1, "labelling")
        self.batch = self.env.reset()
        self.decisions = 0
        self.size = self.place = 0
        self.observations = np.zeros((args.memory, OBSERVATION.size), np.int8)
        self.actions = np.zeros((args.memory, MOST), np.int16)
        self.advantages = np.zeros((args.memory, MOST), np.float16)
        self.heuristic = np.zeros(args.memory, np.uint8)
        self.masks = np.zeros((args.memory, 17), np.uint8)

    def update(self) -> dict[str, float]:
        args, batch = self.args, self.batch
        job = self.background.submit(self.labeller, self.env.positions())
        losses = [self._learn() for _ in range(args.updates if self.size else 0)]
        labels = job.result()
        with torch.inference_mode():
            logits = self.network(torch.from_numpy(batch.observation))
            chosen = sample(masked(logits, torch.from_numpy(batch.action_mask))).numpy()
        chosen[: args.rows // 2] = labels.heuristic[: args.rows // 2]
        count = (labels.actions >= 0).sum(1)
        drawn = labels.actions[np.arange(args.rows), (self.rng.random(args.rows) * count).astype(int)]
        chosen = np.where(self.rng.random(args.rows) < args.random_actions, drawn, chosen)
        kept = count > 1
        self._remember(
            batch.observation[kept],
            labels.actions[kept],
            labels.advantages[kept],
            labels.heuristic[kept],
            batch.action_mask[kept],
        )
        self.batch = self.env.step(chosen)
        self.decisions += args.rows
        return {"loss": float(np.mean(losses))} if losses else {}

    def _remember(self, observation: Any, actions: Any, advantages: Any, heuristic: Any, mask: Any) -> None:
        where = (self.place + np.arange(len(actions))) % self.args.memory
        self.observations[where] = observation
        self.actions[where] = actions
        self.advantages[where] = advantages
        self.heuristic[where] = heuristic
        self.masks[where] = np.packbits(mask, axis=1)
        self.place = int((where[-1] + 1) % self.args.memory)
        self.size = min(self.size + len(where), self.args.memory)

    def _learn(self) -> float:
        args = self.args
        rows = self.rng.integers(0, self.size, args.batch)
        done = min(1.0, self.decisions / self.total)
        for group in self.optimizer.param_groups:
            group["lr"] = args.learning_rate * max(0.02, 1 - done)
        mask = torch.from_numpy(np.unpackbits(self.masks[rows], axis=1)[:, :130])
        args_ = self.args
        self.pull = max(args_.pull, args_.first_pull * (args_.pull / args_.first_pull) ** (done / 0.3))
        loss = self.loss(
            torch.from_numpy(self.observations[rows]),
            torch.from_numpy(self.actions[rows].astype(np.int64)),
            torch.from_numpy(self.advantages[rows].astype(np.float32)),
            torch.from_numpy(self.heuristic[rows].astype(np.int64)),
            mask,
        )
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self.optimizer.step()
        return float(loss.detach())

    def loss(self, observation: Tensor, actions: Tensor, advantages: Tensor, heuristic: Tensor, mask: Tensor) -> Tensor:
        chances = masked(self.network(observation), mask)
        index = actions.clamp(min=0)
        known = actions >= 0
        worst = torch.where(known, advantages, torch.inf).amin(1, keepdim=True) - UNLIKELY
        gains = worst.expand(-1, 130).scatter(1, index, torch.where(known, advantages, worst))
        first = actions[:, :1]
        gains = gains.scatter(1, first, advantages[:, :1])
        gain = (chances.exp() * torch.where(mask != 0, gains - self.args.temperature * chances, 0)).sum(1)
        return -(gain.mean()) - self.pull * chances.gather(1, heuristic[:, None]).mean()
