"""Benchmarks that print what this machine does; ``BENCHMARKS`` has those of this package, ``available`` all names.

Each figure is a median of several runs with the least and the most; what is compared is measured in turn within one
run. Only legal actions are counted. Run them on a quiet machine.

A package adds its own in the entry-point group ``thousand_env.benches``: a function ``measure(seed, progress)`` that
gives metrics by name, each a dict of ``median``, ``min``, ``max`` and ``unit``.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final, cast

from thousand_env.bench import aec, agents, engine, evaluation, observation, pimc, rivals, solver, vector
from thousand_env.bench.measuring import RUNS, Metrics, Progress, machine

__all__ = ["BENCHMARKS", "ENTRY_POINT_GROUP", "RIVALS", "available", "run"]

ENTRY_POINT_GROUP: Final = "thousand_env.benches"
Measure = Callable[[int, Progress], Metrics]

BENCHMARKS: Final[dict[str, Measure]] = {
    "engine": engine.measure,
    "aec": aec.measure,
    "vector": vector.measure,
    "observation": observation.measure,
    "agents": agents.measure,
    "evaluation": evaluation.measure,
    "solver": solver.measure,
    "pimc": pimc.measure,
}
RIVALS: Final[dict[str, Measure]] = {
    "aec": rivals.measure_single,
    "vector": rivals.measure_batched,
}
"""The benchmarks that can be run side by side with other environments, whichever are installed."""


def available() -> list[str]:
    """Names of all benchmarks: those of this package, then those that others have added, in order."""
    return [*BENCHMARKS, *sorted(_added())]


def _added() -> dict[str, EntryPoint]:
    return {each.name: each for each in entry_points(group=ENTRY_POINT_GROUP) if each.name not in BENCHMARKS}


def run(name: str, seed: int = 0, progress: Progress | None = None, *, with_rivals: bool = False) -> dict[str, Any]:
    """Run a benchmark by name: the object that ``thousand bench NAME --json`` prints.

    ``progress`` is told what is being measured; ``with_rivals`` measures other environments beside ours. ``ValueError``
    for a name that does not exist; ``ModuleNotFoundError`` for a benchmark whose extra is missing.
    """
    names = list(RIVALS) if with_rivals else available()
    if name not in names:
        what = "benchmark with rivals" if with_rivals else "benchmark"
        raise ValueError(f"{what} {name!r} does not exist: choose one of {', '.join(names)}")
    benchmarks = RIVALS if with_rivals else BENCHMARKS
    measure = benchmarks[name] if name in benchmarks else cast(Measure, _added()[name].load())
    metrics = measure(seed, progress or (lambda what: None))
    report = {"name": name, "machine": machine(), "seed": seed, "runs": RUNS, "metrics": metrics}
    if with_rivals:
        report["not_installed"] = [each for each in rivals.NAMES[name] if f"{each}_steps_per_second" not in metrics]
    return report
