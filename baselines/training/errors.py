"""What a training says in one line before it ends with exit code 2."""

from __future__ import annotations


class TrainingError(ValueError):
    """A wrong argument, a folder that cannot be used, a checkpoint of another run, or something not installed."""
