"""``thousand bench vector``: steps a second of ``VectorEnv`` with observation and mask, at its best batch size.

Legal random actions are chosen outside the timing. Before it, every batch plays at random until its games are at
different places.
"""

from __future__ import annotations

import statistics
import time
from typing import Final

import numpy as np

from thousand_env.bench.measuring import RUNS, Metrics, Progress, summary
from thousand_env.engine.playout import choose_randomly
from thousand_env.vector import VectorEnv

SIZES: Final = (2048, 4096, 8192, 16_384, 32_768)
LARGE: Final = 65_536
_STEPS: Final = 400_000
_WARM_UP: Final = 150


class Runner:
    """One ``VectorEnv`` under random play."""

    def __init__(self, num_envs: int, seed: int, dtype: str, num_threads: int, rules: str = "classic") -> None:
        self.env: Final = VectorEnv(num_envs, rules, seed=seed, observation_dtype=dtype, num_threads=num_threads)
        self.env.reset()
        self._actions = np.zeros(num_envs, np.int64)
        self._stream = np.uint64(seed)
        self.play(_WARM_UP)

    def play(self, steps: int) -> float:
        """Seconds that so many steps of all games take."""
        spent = 0.0
        for _ in range(steps):
            self._stream = np.uint64(choose_randomly(self.env._games.turns, self._actions, self._stream))
            start = time.perf_counter()
            self.env.step(self._actions)
            spent += time.perf_counter() - start
        return spent

    def speed(self) -> float:
        """Steps a second, games times calls."""
        calls = max(2, _STEPS // self.env.num_envs)
        return calls * self.env.num_envs / self.play(calls)


def measure(seed: int, progress: Progress) -> Metrics:
    """Both types of observation on one and two threads, ``modern`` beside ``classic``, and a batch of 65,536."""
    progress("compiling")
    kinds = [(dtype, threads) for dtype in ("int8", "float32") for threads in (1, 2)]
    found: dict[tuple[str, int, int], list[float]] = {}
    for dtype, threads in kinds:
        runners = {size: Runner(size, seed, dtype, threads) for size in SIZES}
        for turn in range(RUNS):
            progress(f"{dtype}, {threads} threads, run {turn + 1} of {RUNS}")
            for size, runner in runners.items():
                found.setdefault((dtype, threads, size), []).append(runner.speed())
    metrics: Metrics = {}
    for dtype, threads in kinds:
        best = max(SIZES, key=lambda size: statistics.median(found[dtype, threads, size]))
        name = f"vector_{dtype}_{threads}thread{'s' if threads > 1 else ''}_steps_per_second"
        metrics[name] = {**summary(found[dtype, threads, best], "steps/s"), "batch": best}
    return {**metrics, **_comparisons(seed, progress, metrics["vector_int8_2threads_steps_per_second"]["batch"])}


def _comparisons(seed: int, progress: Progress, best: int) -> Metrics:
    """Run by run beside ``classic`` on one thread, at the best batch of two: two threads, ``modern``, 65,536 games."""
    progress("warming up 65,536 games")
    base, double = Runner(best, seed, "int8", 1), Runner(best, seed, "int8", 2)
    modern, large = Runner(best, seed, "int8", 1, "modern"), Runner(LARGE, seed, "int8", 1)
    threads, rules, cost = [], [], []
    for turn in range(RUNS):
        progress(f"side by side, run {turn + 1} of {RUNS}")
        speed = base.speed()
        threads.append(double.speed() / speed)
        rules.append(modern.speed() / speed)
        cost.append(speed / large.speed())
    return {
        "vector_ratio_2threads": summary(threads, "times"),
        "vector_ratio_modern": summary(rules, "times"),
        "vector_cost_ratio_65536": summary(cost, "times"),
    }
