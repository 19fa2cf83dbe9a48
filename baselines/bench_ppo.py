"""``thousand bench ppo``: what training and acting cost, found through the entry-point group ``thousand_env.benches``.

Self-play of PPO is compared with the same updates fed from what has been recorded, in turn within one run, so that
their ratio holds on a busy machine too; rates are those of this machine and of as many threads as torch takes. It
trains nothing of use.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import torch

from baselines.learned import LearnedAgent
from baselines.ppo import Ppo, PpoArguments
from baselines.training.bare import BareRun, own_random_stream
from thousand_env import Rules
from thousand_env.observation import OBSERVATION, scales

RUNS: Final = 3
ROWS: Final = 512
STEPS: Final = 64
PAST_SELVES: Final = 4
SHARE: Final = 0.25
LADDER: Final = "heuristic"
BATCH: Final = 4096
CALLS: Final = 5
HIDDEN: Final = (256, 256)
_BUDGET: Final = 1 << 40  # never used up: rates do not fall as learning goes on

Metrics = dict[str, dict[str, Any]]


def measure(seed: int, progress: Callable[[str], None]) -> Metrics:
    """The figures by name, each with ``median``, ``min`` and ``max`` of the runs, and its ``unit``.

    ``ppo_decisions_per_second``: self-play, 2 x 256 policy and privileged critic, 4 epochs, no opponents;
    ``ppo_recorded_decisions_per_second``: the same updates of what was just played, values and advantages included;
    ``ppo_share_of_recorded``: the first as a share of the second; ``ppo_environment_share``: of the time of an update.
    ``ppo_light_...``: a value head on the policy's layers, and one epoch. ``ppo_pool_...`` and ``ppo_ladder_...``: as
    the first, but in a quarter of the games past selves, or an agent of the ladder, have seats; ``..._share``: the time
    that they take. ``act_batch_...``: greedy choices of a 2 x 256 policy for 4,096 observations.
    """
    figures: dict[str, list[float]] = {}
    with own_random_stream(seed):
        played, light = _learner(seed), _learner(seed, critic="shared", epochs=1)
        pool = _learner(seed, opponent_share=SHARE)
        for past in range(PAST_SELVES):
            pool.opponents.remember(pool.network, past)
        ladder = _learner(seed, opponent_share=SHARE, opponents=(LADDER,))
        for turn in range(-1, RUNS):  # the first turn compiles and does not count
            progress(f"run {turn + 1} of {RUNS}")
            found = _self_play(played) | _acting(played)
            found["ppo_light_decisions_per_second"], _ = _update(light)
            for name, learner in (("pool", pool), ("ladder", ladder)):
                found[f"ppo_{name}_decisions_per_second"], shares = _update(learner)
                found[f"ppo_{name}_share"] = shares["time/opponents"]
            if turn >= 0:
                for name, figure in found.items():
                    figures.setdefault(name, []).append(figure)
    figures["threads"] = [float(torch.get_num_threads())]
    return {
        name: {"median": statistics.median(each), "min": min(each), "max": max(each), "unit": _unit(name)}
        for name, each in figures.items()
    }


def _learner(seed: int, **options: Any) -> Ppo:
    given: dict[str, Any] = {"opponents": (), "opponent_share": 0.0, **options}
    arguments = PpoArguments(rows=ROWS, steps=STEPS, hidden=HIDDEN, target_kl=0.0, utility="relative", **given)
    return Ppo(arguments, BareRun(Rules(), seed, _BUDGET))


def _update(learner: Ppo) -> tuple[float, dict[str, float]]:
    """Decisions a second of an update, and its metrics."""
    begun = time.perf_counter()
    metrics = learner.update()
    return learner.rollout.seat.size / (time.perf_counter() - begun), metrics


def _self_play(learner: Ppo) -> dict[str, float]:
    rate, metrics = _update(learner)
    begun = time.perf_counter()
    learner.learn()
    recorded = learner.rollout.seat.size / (time.perf_counter() - begun)
    return {
        "ppo_decisions_per_second": rate,
        "ppo_recorded_decisions_per_second": recorded,
        "ppo_share_of_recorded": rate / recorded,
        "ppo_environment_share": metrics["time/environment"],
    }


def _acting(learner: Ppo) -> dict[str, float]:
    """Decisions a second of ``act_batch`` on what has just been played."""
    agent = learner.agent()
    assert isinstance(agent, LearnedAgent)
    seen = learner.rollout.observation.reshape(-1, OBSERVATION.size)[:BATCH].copy()
    mask = learner.rollout.action_mask.reshape(-1, learner.rollout.action_mask.shape[-1])[:BATCH].copy()
    rates = {}
    for name, given in (("", np.divide(seen, scales(OBSERVATION.size), dtype=np.float32)), ("int8_", seen)):
        seconds = []
        for _ in range(CALLS):
            begun = time.perf_counter()
            agent.act_batch(given, mask)
            seconds.append(time.perf_counter() - begun)
        rates[f"act_batch_{name}decisions_per_second"] = len(mask) / statistics.median(seconds)
    learner.network.train()
    return rates


def _unit(name: str) -> str:
    if name == "ppo_share_of_recorded":
        return "times"
    return "of the time" if name.endswith("share") else "threads" if name == "threads" else "decisions/s"
