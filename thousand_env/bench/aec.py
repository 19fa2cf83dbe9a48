"""``thousand bench aec``: steps a second of the PettingZoo environment in its usual loop, with random legal actions."""

from __future__ import annotations

import random
import time
from typing import Any, Final

from thousand_env import thousand_v0
from thousand_env.bench.measuring import RUNS, Metrics, Progress, summary

_STEPS: Final = 100_000


def measure(seed: int, progress: Progress) -> Metrics:
    """``env()`` and ``raw_env()`` in turn; observation, mask and the choice of an action are part of a step."""
    progress("compiling")
    envs = {"aec_env_steps_per_second": thousand_v0.env(), "aec_raw_env_steps_per_second": thousand_v0.raw_env()}
    figures: dict[str, list[float]] = {name: [] for name in envs}
    for env in envs.values():
        speed(env, seed, 1000)
    for turn in range(RUNS):
        progress(f"run {turn + 1} of {RUNS}")
        for name, env in envs.items():
            figures[name].append(speed(env, seed + turn, _STEPS))
    return {name: summary(found, "steps/s") for name, found in figures.items()}


def speed(env: Any, seed: int, steps: int) -> float:
    """Steps a second of any AEC environment whose observation is a dict with an ``action_mask``."""
    rng = random.Random(seed)
    taken = 0
    start = time.perf_counter()
    while taken < steps:
        env.reset(seed=seed + taken)
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            legal = observation["action_mask"].nonzero()[0]
            env.step(legal[int(rng.random() * len(legal))])
            taken += 1
            if taken >= steps:
                break
    return taken / (time.perf_counter() - start)
