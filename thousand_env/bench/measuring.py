"""What all benchmarks share: how many runs, how they are summed up, and on what machine."""

from __future__ import annotations

import platform
import statistics
from collections.abc import Callable
from typing import Any, Final

import numba
import numpy as np

RUNS: Final = 7
Metrics = dict[str, dict[str, Any]]
"""By name: ``median``, ``min`` and ``max`` of the runs, and the ``unit``."""
Progress = Callable[[str], None]
"""Is told what is being measured."""


def machine() -> str:
    """This machine and what runs on it, in a line."""
    versions = f"Python {platform.python_version()}, numpy {np.__version__}, numba {numba.__version__}"
    return f"{platform.machine()} {platform.system()}, {versions}"


def summary(figures: list[float], unit: str) -> dict[str, Any]:
    """Median, minimum and maximum of the runs."""
    return {"median": statistics.median(figures), "min": min(figures), "max": max(figures), "unit": unit}


def side_by_side(figures: list[float], others: list[float]) -> dict[str, Any]:
    """How many times the other figures these are, run by run."""
    return summary([one / other for one, other in zip(figures, others, strict=True)], "times")
