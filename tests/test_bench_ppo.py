"""The benchmark of training, made short: it runs, gives its figures, and is found by name."""

from __future__ import annotations

import json
import sys
from importlib.metadata import EntryPoint
from typing import Any

import pytest

from thousand_env import bench
from thousand_env.cli import main

ENTRY = EntryPoint("ppo", "baselines.bench_ppo:measure", bench.ENTRY_POINT_GROUP)
FIGURES = {
    "ppo_decisions_per_second",
    "ppo_recorded_decisions_per_second",
    "ppo_share_of_recorded",
    "ppo_environment_share",
    "ppo_light_decisions_per_second",
    "ppo_pool_decisions_per_second",
    "ppo_pool_share",
    "ppo_ladder_decisions_per_second",
    "ppo_ladder_share",
    "act_batch_decisions_per_second",
    "act_batch_int8_decisions_per_second",
    "threads",
}


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The benchmark is found whether or not the installed package has its entry point."""
    monkeypatch.setattr(bench, "entry_points", lambda group: [ENTRY] if group == ENTRY.group else [])


def test_it_gives_its_figures(
    installed: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("safetensors")
    pytest.importorskip("tyro")
    from baselines import bench_ppo

    for name, value in {"RUNS": 2, "ROWS": 8, "STEPS": 12, "BATCH": 32, "CALLS": 2, "HIDDEN": (16,)}.items():
        monkeypatch.setattr(bench_ppo, name, value)
    stream = torch.get_rng_state()
    assert main(["bench", "ppo", "--json", "--seed", "3"]) == 0
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert (report["name"], report["seed"]) == ("ppo", 3)
    assert set(report["metrics"]) == FIGURES
    for name, metric in report["metrics"].items():
        assert 0 <= metric["min"] <= metric["median"] <= metric["max"]
        assert metric["unit"]
        assert not name.endswith("_share") or metric["max"] < 1
    assert torch.equal(torch.get_rng_state(), stream)


def test_benchmarks_of_other_packages_stand_behind_those_of_this_one(
    installed: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench.available() == [*bench.BENCHMARKS, "ppo"]
    taken = EntryPoint("engine", "nowhere:measure", bench.ENTRY_POINT_GROUP)
    monkeypatch.setattr(bench, "entry_points", lambda group: [taken])
    assert bench.available() == list(bench.BENCHMARKS)
    assert main(["bench", "ppo"]) == 2
    assert "benchmark 'ppo' does not exist" in capsys.readouterr().err


def test_without_its_extra_one_line_says_what_to_install(
    installed: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    for name in [name for name in sys.modules if name.startswith("baselines")]:
        monkeypatch.delitem(sys.modules, name)
    assert main(["bench", "ppo"]) == 2
    err = capsys.readouterr().err
    assert 'torch is not installed: pip install "thousand_env[train]"' in err
