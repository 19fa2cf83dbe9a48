"""A trainer that learns nothing much, for the tests of what surrounds a training: a tiny policy nudged by noise.

It is as small as a trainer can be, and a model of one.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from baselines.learned import agent_of
from baselines.networks import PolicyNet, entropy_of, masked
from baselines.training import Run, RunArguments, average_gradients, trainer_command
from thousand_env import NUM_ACTIONS
from thousand_env.agents import Agent
from thousand_env.observation import OBSERVATION


@dataclass
class DummyArguments(RunArguments):
    """Train a policy to be undecided about noise."""

    hidden: tuple[int, ...] = (8,)
    """widths of the layers"""
    learning_rate: float = 0.01
    """step size"""
    sleep: float = 0.0
    """seconds that an update takes longer"""


class DummyTrainer:
    """Plain gradient steps on random observations."""

    def __init__(self, arguments: DummyArguments, run: Run) -> None:
        self.decisions = 0
        self.network = PolicyNet(hidden=arguments.hidden)
        self._run = run
        self._arguments = arguments
        self._generator = torch.Generator().manual_seed(run.seed)

    def update(self) -> dict[str, float]:
        """One step; its metrics."""
        time.sleep(self._arguments.sleep)
        observation = torch.randn(64, OBSERVATION.size, generator=self._generator)
        observation += 0.1 * torch.rand(())  # of the stream that everybody shares
        with self._run.autocast():
            logits = self.network(observation)
        entropy = entropy_of(masked(logits, torch.ones(64, NUM_ACTIONS))).mean()
        self.network.zero_grad()
        (-entropy).backward()  # type: ignore[no-untyped-call]
        average_gradients(self.network)
        with torch.no_grad():
            for parameter in self.network.parameters():
                if parameter.grad is not None:
                    parameter -= self._arguments.learning_rate * parameter.grad
        self.decisions += 64
        return {"losses/entropy": float(entropy.detach()), "losses/approx_kl": 0.0}

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        weights = {f"network/{name}": tensor.clone() for name, tensor in self.network.state_dict().items()}
        return {**weights, "generator": self._generator.get_state()}, {"decisions": self.decisions}

    def load_state(self, state: dict[str, Tensor], facts: dict[str, Any]) -> None:
        self.network.load_state_dict(
            {name.removeprefix("network/"): tensor for name, tensor in state.items() if name.startswith("network/")}
        )
        self._generator.set_state(state["generator"])
        self.decisions = facts["decisions"]

    def agent(self) -> Agent:
        return agent_of(self.network, self._run.rules)


def main(arguments: DummyArguments) -> int:
    """Train; the exit code."""
    with Run("dummy", arguments) as run:
        trainer = DummyTrainer(arguments, run)
        run.resume(trainer)
        while run.goes_on(trainer):
            run.record(trainer, trainer.update())
        return run.finish(trainer)


command = trainer_command("dummy", DummyArguments, main)

if __name__ == "__main__":
    sys.exit(command(None))
