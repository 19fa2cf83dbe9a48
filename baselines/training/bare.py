"""``BareRun``: what a learner asks of a run, without folder, logs, signals, checkpoints or other processes.

For training inside of something else, such as a measurement or a responder. What a user trains is a ``Run``.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, Final, Protocol, TypeVar

import torch
from torch import nn

from thousand_env import Rules

Module = TypeVar("Module", bound=nn.Module)


class Counting(Protocol):
    """What a learner is to a bare run."""

    @property
    def decisions(self) -> int:
        """How many decisions it has learned from."""
        ...


class BareRun:
    """A run of one process on the CPU in which ``decisions`` may be made, in float32 and without compiling."""

    world_size: Final = 1

    def __init__(self, rules: Rules, seed: int, decisions: int) -> None:
        self.rules: Final = rules
        self.seed: Final = seed
        self.device: Final = torch.device("cpu")
        self._decisions: Final = decisions

    def progress(self, trainer: Counting) -> float:
        """How much of the decisions is used up, 0 to 1."""
        return min(1.0, trainer.decisions / self._decisions)

    def autocast(self) -> contextlib.AbstractContextManager[Any]:
        """Nothing: float32."""
        return contextlib.nullcontext()

    def maybe_compile(self, module: Module) -> Module:
        """The module itself."""
        return module


@contextlib.contextmanager
def own_random_stream(seed: int) -> Iterator[None]:
    """What torch draws in it follows from ``seed`` and is not noticed outside. It is for the CPU."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield
