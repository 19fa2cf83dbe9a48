"""Benchmarks that print what this machine does; ``BENCHMARKS`` has their names.

Each figure is a median of several runs with the least and the most; what is compared is measured in turn within one
run. Only legal actions are counted. Run them on a quiet machine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from thousand_env.bench import aec, agents, engine, evaluation, observation, rivals, solver, vector
from thousand_env.bench.measuring import RUNS, Metrics, Progress, machine

__all__ = ["BENCHMARKS", "RIVALS", "run"]

BENCHMARKS: Final[dict[str, Callable[[int, Progress], Metrics]]] = {
    "engine": engine.measure,
    "aec": aec.measure,
    "vector": vector.measure,
    "observation": observation.measure,
    "solver": solver.measure,
    "agents": agents.measure,
    "evaluation": evaluation.measure,
}
RIVALS: Final[dict[str, Callable[[int, Progress], Metrics]]] = {
    "aec": rivals.measure_single,
    "vector": rivals.measure_batched,
}
"""The benchmarks that can be run side by side with other environments, whichever are installed."""


def run(name: str, seed: int = 0, progress: Progress | None = None, *, with_rivals: bool = False) -> dict[str, Any]:
    """Run a benchmark by name: the object that ``thousand bench NAME --json`` prints.

    ``progress`` is told what is being measured; ``with_rivals`` measures other environments beside ours.
    """
    benchmarks = RIVALS if with_rivals else BENCHMARKS
    if name not in benchmarks:
        what = "benchmark with rivals" if with_rivals else "benchmark"
        raise ValueError(f"{what} {name!r} does not exist: choose one of {', '.join(benchmarks)}")
    metrics = benchmarks[name](seed, progress or (lambda what: None))
    report = {"name": name, "machine": machine(), "seed": seed, "runs": RUNS, "metrics": metrics}
    if with_rivals:
        report["not_installed"] = [each for each in rivals.NAMES[name] if f"{each}_steps_per_second" not in metrics]
    return report
