"""Memory that does not grow with the number of steps."""

from __future__ import annotations

import gc
import random
from pathlib import Path
from typing import Any

import pytest

from tests.aec_play import play_out
from thousand_env import thousand_v0

STATM = Path("/proc/self/statm")
PAGE_KIB = 4


def resident_kib() -> int:
    gc.collect()
    return int(STATM.read_text().split()[1]) * PAGE_KIB


def step(env: Any, rng: random.Random, steps: int) -> None:
    while steps > 0:
        env.reset()
        before = steps
        while env.agents and steps > 0:
            play_out(env, rng, 100)
            steps -= 100
        assert steps < before


def growth(steps: int, **keywords: Any) -> int:
    env, rng = thousand_v0.env(**keywords), random.Random(1)
    step(env, rng, 15_000)
    before = resident_kib()
    step(env, rng, steps)
    return resident_kib() - before


@pytest.mark.skipif(not STATM.exists(), reason="needs /proc")
@pytest.mark.parametrize("episode", ["match", "deal"])
def test_memory_after_many_steps(episode: str) -> None:
    assert growth(30_000, episode=episode, history=True, mask_in_info=True) < 2_000


@pytest.mark.long
@pytest.mark.skipif(not STATM.exists(), reason="needs /proc")
def test_memory_after_a_million_steps() -> None:
    assert growth(1_000_000) < 3_000
