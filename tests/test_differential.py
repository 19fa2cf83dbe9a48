"""The compiled engine against the independent reference model, on random option sets and random play."""

from __future__ import annotations

import random

import pytest

from tests.differential import compare_match
from tests.random_rules import random_rules, random_sheet
from thousand_env import PRESETS, Rules


def compare_many(seed: int, decisions: int) -> int:
    """Matches over random option sets, presets and sheets until so many decisions have been compared."""
    rng = random.Random(seed)
    compared = 0
    while compared < decisions:
        rules = Rules.preset(rng.choice(list(PRESETS))) if rng.random() < 0.25 else random_rules(rng)
        sheet = random_sheet(rng, rules) if rng.random() < 0.6 else None
        episode = rng.choice(("match", "match", "deal"))
        compared += compare_match(rules, rng.getrandbits(64), rng, episode, sheet, limit=400)
    return compared


@pytest.mark.parametrize("seed", range(10))
def test_engine_equals_reference(seed: int) -> None:
    assert compare_many(seed, 20_000) >= 20_000


@pytest.mark.parametrize("preset", PRESETS)
def test_engine_equals_reference_on_whole_matches(preset: str) -> None:
    rng = random.Random(preset)
    for _ in range(2):
        assert compare_match(Rules.preset(preset), rng.getrandbits(64), rng, "match", None, limit=1_000_000)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1000, 1020))
def test_engine_equals_reference_at_length(seed: int) -> None:
    assert compare_many(seed, 1_000_000) >= 1_000_000
