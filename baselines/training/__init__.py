"""What surrounds a training, the same for every trainer: arguments, budget, logs, checkpoints, evaluation, command.

It knows of no algorithm. A trainer is one file that has a dataclass derived from ``RunArguments``, a class as of
``Trainer``, a ``main`` that drives both by a ``Run``, and ``command = trainer_command(NAME, Arguments, main)``.
"""

from __future__ import annotations

from baselines.training.arguments import RunArguments
from baselines.training.command import trainer_command
from baselines.training.distributed import average_gradients
from baselines.training.errors import TrainingError
from baselines.training.run import Run, Trainer

__all__ = ["Run", "RunArguments", "Trainer", "TrainingError", "average_gradients", "trainer_command"]
