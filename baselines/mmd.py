"""``mmd``: magnetic mirror descent in self-play: policy gradients that are held near the last policy and a magnet.

Sokota et al. (*A unified approach to reinforcement learning, quantal response equilibria, and two-player zero-sum
games*, ICLR 2023). Each update looks for the policy p that is best by

    E[ratio * advantage] - alpha * KL(p || magnet) - 1/eta * KL(p || policy before the update)

where PPO clips the ratio. The magnet is uniform play and alpha and eta fall with the square root of the number of
updates, or the magnet is a copy of the policy that follows it slowly, best with ``--anneal none``: both ways are those
of the paper's experiments with tables, where the last policy, without an average over policies, goes to equilibrium in
zero-sum games of two. With networks that is a hope, which ``thousand_env.evaluation.nash_conv`` checks in small games.
All else is as in ``baselines.ppo``, but that advantages stay in units of the reward, for alpha is weighed against them.

This run leaves about a seventieth of uniform play's NashConv (``examples/train_mmd.py`` measures it)::

    thousand train mmd --rules mini2 --utility relative --opponent-share 0 --rows 256 --steps 32 --minibatch 1024
        --hidden 64 64 --learning-rate 3e-3 --decisions 100000
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from baselines.checkpoints import load_module_state, module_state
from baselines.networks import PolicyNet, entropy_of, masked
from baselines.pool import frozen
from baselines.ppo import Ppo, PpoArguments
from baselines.training.arguments import number
from baselines.training.command import trainer_command
from baselines.training.run import Run


@dataclass
class MmdArguments(PpoArguments):
    """Arguments of magnetic mirror descent; of those of PPO, clip only counts."""

    entropy: float = 0.0
    """weight of the entropy at the start, beside the magnet"""
    last_entropy: float = 0.0
    """weight of the entropy at the end, beside the magnet"""
    alpha: float = 0.1
    """weight of the pull to the magnet at the first update"""
    eta: float = 10.0
    """step size at the first update: 1 / eta is the weight of the pull to the policy before the update"""
    anneal: Literal["root", "none"] = "root"
    """divide alpha and eta by the square root of the number of the update, or leave them"""
    magnet: Literal["uniform", "moving"] = "uniform"
    """play every legal action alike, or a copy of the policy that follows it"""
    magnet_rate: float = 0.02
    """how far a moving magnet goes to the policy at each update"""

    def check(self) -> None:
        """See ``RunArguments``."""
        super().check()
        number("alpha", self.alpha, 0)
        number("eta", self.eta, 0, above=True)
        number("magnet_rate", self.magnet_rate, 0, 1)


class Mmd(Ppo):
    """The learner: ``Ppo`` with another loss of the policy."""

    arguments: MmdArguments

    def __init__(self, arguments: MmdArguments, run: Run) -> None:
        super().__init__(arguments, run)
        self.before: PolicyNet = frozen(self.network)
        self.magnet: PolicyNet | None = frozen(self.network) if arguments.magnet == "moving" else None

    def begin_update(self, left: float) -> None:
        """Remember the policy as it is, move the magnet, and set the weights."""
        super().begin_update(left)
        root = (self.updates + 1) ** 0.5 if self.arguments.anneal == "root" else 1.0
        self.alpha, self.eta = self.arguments.alpha / root, self.arguments.eta / root
        self.before = frozen(self.network)
        if self.magnet is not None:
            with torch.no_grad():
                for slow, now in zip(self.magnet.parameters(), self.network.parameters(), strict=True):
                    slow.lerp_(now, self.arguments.magnet_rate)

    def scaled(self, advantage: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Advantages are left as they are."""
        return advantage

    def policy_loss(self, chances: Tensor, ratio: Tensor, batch: dict[str, Tensor]) -> Tensor:
        """What is to be minimised; ``chances`` are log-probabilities [B, 130]."""
        if self.magnet is None:
            to_magnet = batch["action_mask"].sum(-1).log() - entropy_of(chances)
        else:
            to_magnet = divergence(chances, self._asked(self.magnet, batch))
        to_before = divergence(chances, self._asked(self.before, batch))
        return (self.alpha * to_magnet + to_before / self.eta - ratio * batch["advantage"]).mean()

    @torch.no_grad()
    def _asked(self, network: PolicyNet, batch: dict[str, Tensor]) -> Tensor:
        told = [batch["history"]] if network.needs_history else []
        with self.run.autocast():
            logits = network(batch["observation"], *told)
        return masked(logits, batch["action_mask"])

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """See ``Run``."""
        tensors, facts = super().state()
        return tensors | ({} if self.magnet is None else module_state("magnet", self.magnet)), facts

    def load_state(self, state: dict[str, Tensor], facts: dict[str, Any]) -> None:
        """See ``Run``."""
        super().load_state(state, facts)
        if self.magnet is not None:
            load_module_state("magnet", self.magnet, state)


def divergence(chances: Tensor, others: Tensor) -> Tensor:
    """The Kullback-Leibler divergence KL(p || q) [B] of rows of ``masked``, float32 [B, 130]."""
    return (chances.exp() * (chances - others)).sum(-1)


def main(arguments: MmdArguments) -> int:
    """Train; the exit code."""
    with Run("mmd", arguments) as run:
        trainer = Mmd(arguments, run)
        run.resume(trainer)
        while run.goes_on(trainer):
            run.record(trainer, trainer.update())
        return run.finish(trainer)


command = trainer_command("mmd", MmdArguments, main)
