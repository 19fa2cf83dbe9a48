"""The benchmarks, made short: they run, give the figures of the interface, and count only what was legal."""

from __future__ import annotations

import sys
import types
from typing import Any

import numpy as np
import pytest

from thousand_env import VectorEnv, bench
from thousand_env.bench import aec, engine, evaluation, observation, rivals, solver, vector
from thousand_env.engine.playout import choose_randomly

METRICS = {
    "engine": (
        "engine_decisions_per_second",
        "engine_decisions_per_second_modern",
        "engine_decisions_per_second_random_rules",
        "game_step_us",
        "clone_us",
        "sample_us",
    ),
    "vector": (
        "vector_int8_1thread_steps_per_second",
        "vector_int8_2threads_steps_per_second",
        "vector_float32_1thread_steps_per_second",
        "vector_float32_2threads_steps_per_second",
        "vector_cost_ratio_65536",
        "vector_ratio_2threads",
        "vector_ratio_modern",
    ),
    "aec": ("aec_env_steps_per_second", "aec_raw_env_steps_per_second"),
    "solver": (
        "solver_exact_ms",
        "solver_null_window_ms",
        "solver_gifts_ms",
        "solver_gifts_null_window_ms",
        "solver_own_5_cards_ms",
        *(f"solver_all_actions_trick_{trick}_ms" for trick in range(1, 9)),
    ),
    "observation": ("encode_us", "encode_int8_us", "encode_state_us", "history_us", "decode_us", "view_us"),
    "evaluation": ("evaluation_overhead_us",),
}


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (aec, engine, evaluation, observation, rivals, solver, vector):
        monkeypatch.setattr(module, "RUNS", 2)
    monkeypatch.setattr(engine, "_DECISIONS", 2000)
    monkeypatch.setattr(vector, "_STEPS", 2000)
    monkeypatch.setattr(vector, "_WARM_UP", 3)
    monkeypatch.setattr(vector, "SIZES", (64, 128))
    monkeypatch.setattr(vector, "LARGE", 256)
    monkeypatch.setattr(aec, "_STEPS", 300)
    monkeypatch.setattr(observation, "_MATCHES", 1)
    monkeypatch.setattr(solver, "DEALS", 3)
    monkeypatch.setattr(solver, "FEW_DEALS", 2)
    monkeypatch.setattr(evaluation, "_DEALS", 3)
    monkeypatch.setattr(rivals, "_SECONDS", 0.01)
    monkeypatch.setattr(rivals, "_BATCH", 64)


@pytest.mark.parametrize("name", METRICS)
def test_a_benchmark_gives_its_figures(name: str, short: None) -> None:
    told: list[str] = []
    report = bench.run(name, seed=3, progress=told.append)
    assert report["name"] == name
    assert report["seed"] == 3
    assert set(METRICS[name]) == set(report["metrics"])
    for metric in report["metrics"].values():
        assert 0 < metric["min"] <= metric["median"] <= metric["max"]
        assert metric["unit"]
    assert told


def test_rivals_that_are_missing_are_left_out(short: None, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "pettingzoo.classic.texas_holdem_v4",
        "pettingzoo.classic.connect_four_v3",
        "pyspiel",
        "rlcard",
        "pgx",
    ):
        monkeypatch.setitem(sys.modules, name, None)
    assert set(bench.run("aec", with_rivals=True)["metrics"]) == {"aec_env_steps_per_second"}
    report = bench.run("vector", with_rivals=True)
    assert set(report["metrics"]) == {"vector_int8_steps_per_second"}
    assert report["not_installed"] == ["pgx_sparrow_mahjong"]


def test_a_rival_is_measured_beside_ours(short: None, monkeypatch: pytest.MonkeyPatch) -> None:
    class Doudizhu:
        def reset(self) -> Any:
            self.left = 5
            return {"legal_actions": {7: None}}, 0

        def is_over(self) -> bool:
            return self.left == 0

        def step(self, action: int) -> Any:
            assert action == 7
            self.left -= 1
            return {"legal_actions": {7: None}}, 0

    fake = types.ModuleType("rlcard")
    fake.make = lambda name, config: Doudizhu()  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "rlcard", fake)
    for name in ("pettingzoo.classic.texas_holdem_v4", "pettingzoo.classic.connect_four_v3", "pyspiel"):
        monkeypatch.setitem(sys.modules, name, None)
    metrics = bench.run("aec", with_rivals=True)["metrics"]
    ratio = metrics["aec_env_against_rlcard_doudizhu"]
    assert ratio["unit"] == "times"
    assert metrics["rlcard_doudizhu_steps_per_second"]["median"] > 0


def test_unknown_benchmarks_are_named() -> None:
    with pytest.raises(ValueError, match="benchmark 'motor' does not exist: choose one of engine, aec, vector"):
        bench.run("motor")
    with pytest.raises(ValueError, match="benchmark with rivals 'engine' does not exist: choose one of aec, vector"):
        bench.run("engine", with_rivals=True)


def test_random_choices_are_legal_and_spread_over_all_legal_actions() -> None:
    env = VectorEnv(2000, seed=1)
    mask = env.reset().action_mask.copy()
    actions, stream = np.zeros(2000, np.int64), np.uint64(1)
    counts = np.zeros(130)
    for _ in range(50):
        stream = np.uint64(choose_randomly(env._games.turns, actions, stream))
        assert mask[np.arange(2000), actions].all()
        counts += np.bincount(actions, minlength=130)
    expected = 50 * (mask / mask.sum(axis=1, keepdims=True)).sum(axis=0)
    seen = expected > 0
    assert np.abs(counts[seen] - expected[seen]).max() < 6 * np.sqrt(expected.max())
