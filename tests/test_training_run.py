"""``Run``: budget, logs, checkpoints, resume, checks and the end of a run, with a trainer that learns nothing much."""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tyro")
pytest.importorskip("tensorboard")

import baselines.training.logs as logs_module  # noqa: E402
from baselines.checkpoints import load_checkpoint, save_checkpoint  # noqa: E402
from baselines.learned import load_agent  # noqa: E402
from baselines.training import Run, TrainingError  # noqa: E402
from baselines.training.finish import curve_of  # noqa: E402
from baselines.training.logs import read_metrics  # noqa: E402
from tests.training_dummy import DummyArguments, DummyTrainer, main  # noqa: E402

UPDATE = 64


def quick(folder: Path | None, **more: Any) -> DummyArguments:
    """Arguments of a run that plays nothing."""
    plain: dict[str, Any] = {"check_minutes": 0.0, "evaluate_deals": 0, "tensorboard": False, "threads": 1}
    return DummyArguments(folder=folder, **(plain | {"decisions": 5 * UPDATE} | more))


def weights(folder: Path) -> dict[str, Any]:
    state, _ = load_checkpoint(folder)
    return state


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


def learned(folder: Path) -> list[tuple[Any, ...]]:
    """What does not depend on the clock of all records."""
    return [(each["decisions"], each["losses/entropy"]) for each in read_metrics(folder / "metrics.jsonl")]


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_a_run_ends_at_its_decisions_with_everything_in_its_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    arguments = quick(folder, rules="mini3", check_minutes=10.0, check_deals=4, evaluate_deals=6, tensorboard=True)
    assert main(arguments) == 0
    names = {path.name for path in folder.iterdir()}
    assert names == {
        "checkpoint.json",
        "checkpoint.safetensors",
        "curve.png",
        "dummy.json",
        "dummy.safetensors",
        "evaluation.json",
        "metrics.jsonl",
        "tensorboard",
    }
    assert [path.name.startswith("events") for path in (folder / "tensorboard").iterdir()] == [True]
    check, *updates = read_metrics(folder / "metrics.jsonl")
    assert check["decisions"] == 0
    assert check["evaluation/heuristic_points_low"] <= check["evaluation/heuristic_points"]
    assert [each["decisions"] for each in updates] == [64, 128, 192, 256, 320]
    assert all(each["charts/decisions_per_second"] > 0 for each in updates)
    found = json.loads((folder / "evaluation.json").read_text())
    assert [each["opponent"] for each in found["standings"]] == ["random", "greedy", "heuristic"]
    assert all(each["points"]["count"] == 6 and each["wins"] is None for each in found["standings"])
    assert found["decisions"] == 320
    assert load_agent(folder / "dummy.safetensors").facts["facts"]["arguments"]["rules"] == "mini3"
    out = capsys.readouterr().out
    assert f"  thousand evaluate {folder}/dummy.safetensors heuristic --rules mini3\n" in out
    assert f"  thousand watch --agents {folder}/dummy.safetensors --rules mini3\n" in out
    assert "320 decisions in" in out


def test_matches_are_told_where_there_are_any(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = '{"max_deals": 2}'
    assert main(quick(tmp_path / "run", rules=rules, evaluate_deals=2, evaluate_matches=2)) == 0
    found = json.loads((tmp_path / "run" / "evaluation.json").read_text())
    assert all(0 <= each["wins"]["low"] <= each["wins"]["mean"] <= 1 for each in found["standings"])
    out = capsys.readouterr().out
    assert "matches won" in out
    assert """--rules '{"max_deals": 2}'""" in out


def test_the_same_seed_gives_the_same_run(tmp_path: Path) -> None:
    for name, seed in (("one", 3), ("two", 3), ("other", 4)):
        main(quick(tmp_path / name, seed=seed))
    assert same(weights(tmp_path / "one"), weights(tmp_path / "two"))
    assert learned(tmp_path / "one") == learned(tmp_path / "two")
    assert not same(weights(tmp_path / "one"), weights(tmp_path / "other"))


def test_checks_change_no_training(tmp_path: Path) -> None:
    main(quick(tmp_path / "without"))
    main(quick(tmp_path / "with", check_minutes=1e-9, check_deals=2, check_matches=2))
    assert same(weights(tmp_path / "without"), weights(tmp_path / "with"))


def test_a_resumed_run_is_the_run_that_was_not_stopped(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    main(quick(whole, decisions=10 * UPDATE))
    main(quick(parts, decisions=4 * UPDATE))
    before = load_checkpoint(parts)[1]["seconds"]
    main(quick(None, resume=parts, decisions=10 * UPDATE))
    assert same(weights(whole), weights(parts))
    assert learned(whole) == learned(parts)
    assert load_checkpoint(parts)[1]["seconds"] > before > 0


def test_the_seconds_before_a_resume_count(tmp_path: Path) -> None:
    main(quick(tmp_path))
    state, facts = load_checkpoint(tmp_path)
    save_checkpoint(tmp_path, state, facts | {"seconds": 600.0})
    main(quick(None, resume=tmp_path, decisions=50 * UPDATE, minutes=10.0))
    assert load_checkpoint(tmp_path)[1]["decisions"] == 5 * UPDATE
    assert load_checkpoint(tmp_path)[1]["seconds"] >= 600


def test_records_after_the_checkpoint_are_cut_off(tmp_path: Path) -> None:
    main(quick(tmp_path))
    with (tmp_path / "metrics.jsonl").open("a") as file:
        file.write('{"decisions": 384, "losses/entropy": 1.0}\n{"decisions": 448, "loss')
    main(quick(None, resume=tmp_path, decisions=6 * UPDATE))
    assert [decisions for decisions, _ in learned(tmp_path)] == [64, 128, 192, 256, 320, 384]
    assert learned(tmp_path)[-1][1] != 1.0


def test_checkpoints_are_written_on_the_way(tmp_path: Path) -> None:
    with Run("dummy", quick(tmp_path, checkpoint_minutes=1e-9)) as run:
        trainer = DummyTrainer(run.arguments, run)  # type: ignore[arg-type]
        run.resume(trainer)
        for _ in range(3):
            assert run.goes_on(trainer)
            assert load_checkpoint(tmp_path)[1]["decisions"] == trainer.decisions
            run.record(trainer, trainer.update())


def test_what_is_not_finite_is_null(tmp_path: Path) -> None:
    with Run("dummy", quick(tmp_path)) as run:
        trainer = DummyTrainer(run.arguments, run)  # type: ignore[arg-type]
        run.resume(trainer)
        run.goes_on(trainer)
        run.record(trainer, {"losses/value_loss": float("nan"), "charts/decisions_per_second": 5.0})
    [record] = read_metrics(tmp_path / "metrics.jsonl")
    assert record["losses/value_loss"] is None
    assert record["charts/decisions_per_second"] == 5.0


def test_resume_comes_first(tmp_path: Path) -> None:
    with Run("dummy", quick(tmp_path)) as run, pytest.raises(RuntimeError, match=r"run\.resume"):
        run.goes_on(DummyTrainer(run.arguments, run))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"rules": "modern"}, "is a run with other rules"),
        ({"hidden": (9,)}, "does not fit these arguments"),
        ({"folder": Path("x")}, "--folder does not go with --resume"),
        ({"device": "tpu"}, "--device 'tpu' is not accepted: use cpu, cuda"),
    ],
)
def test_a_resume_that_does_not_fit_changes_nothing(change: dict[str, Any], says: str, tmp_path: Path) -> None:
    main(quick(tmp_path))
    (tmp_path / "metrics.jsonl").open("a").write('{"decisions": 9999}\n')
    before = contents(tmp_path)
    with pytest.raises(TrainingError, match=says) as refusal:
        main(dataclasses.replace(quick(None, resume=tmp_path), **change))
    assert str(refusal.value).count("\n") <= 8
    assert contents(tmp_path) == before


def test_another_algorithm_is_refused(tmp_path: Path) -> None:
    main(quick(tmp_path))
    with pytest.raises(TrainingError, match="is a run of dummy: use 'thousand train dummy'"):
        Run("ppo", quick(None, resume=tmp_path))


@pytest.mark.parametrize(
    ("facts", "says"),
    [
        ({"layout_version": 99}, "observations of layout 99"),
        ({"world_size": 2, "trainers": [{}, {}]}, "start it with torchrun --nproc-per-node 2"),
        ({"format": 99}, "its format is 99"),
        ({"trainers": None}, "it lacks trainers"),
    ],
)
def test_foreign_checkpoints_are_refused(facts: dict[str, Any], says: str, tmp_path: Path) -> None:
    main(quick(tmp_path))
    state, found = load_checkpoint(tmp_path)
    save_checkpoint(tmp_path, state, found | facts)
    with pytest.raises(TrainingError, match=says):
        Run("dummy", quick(None, resume=tmp_path))


def test_missing_and_damaged_checkpoints_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="there is no such folder"):
        Run("dummy", quick(None, resume=tmp_path / "nowhere"))
    with pytest.raises(TrainingError, match="there is no checkpoint"):
        Run("dummy", quick(None, resume=tmp_path))
    main(quick(tmp_path))
    path = tmp_path / "checkpoint.safetensors"
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(TrainingError, match="damaged"):
        Run("dummy", quick(None, resume=path))


def test_folders_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(TrainingError, match="cannot be written to"):
        Run("dummy", quick(tmp_path / "file" / "run"))
    main(quick(tmp_path / "run"))
    with pytest.raises(TrainingError, match="holds a run already: use another, or --resume"):
        Run("dummy", quick(tmp_path / "run"))


def test_loggers_that_are_missing_are_told_before_anything_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs_module.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(TrainingError, match=r"tensorboard is not installed: pip install 'thousand_env\[train\]'"):
        Run("dummy", quick(tmp_path / "run", tensorboard=True))
    with pytest.raises(TrainingError, match=r"wandb is not installed: pip install 'thousand_env\[wandb\]'"):
        Run("dummy", quick(tmp_path / "run", wandb=True))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("mode", [None, "online"])
def test_wandb_is_offline_unless_told_otherwise(
    mode: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = "seen = []\ndef init(**given):\n    import wandb\n    seen.append(given)\n    return wandb\n"
    module += "def log(values, step):\n    seen.append((values, step))\ndef finish():\n    seen.append('end')\n"
    (tmp_path / "wandb.py").write_text(module)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "wandb", raising=False)
    monkeypatch.delenv("WANDB_MODE", raising=False)
    if mode is not None:
        monkeypatch.setenv("WANDB_MODE", mode)
    main(quick(tmp_path / "run", wandb=True, decisions=UPDATE))
    init, (values, step), end = sys.modules.pop("wandb").seen  # type: ignore[attr-defined]
    assert init["mode"] == (mode or "offline")
    assert init["config"]["algorithm"] == "dummy"
    assert step == values["decisions"] == UPDATE
    assert end == "end"


def test_services(tmp_path: Path) -> None:
    threads = torch.get_num_threads()
    with Run("dummy", quick(tmp_path, bf16=True)) as run:
        assert torch.get_num_threads() == 1
        with run.autocast():
            assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype == torch.bfloat16
        module = torch.nn.Linear(2, 2)
        assert run.maybe_compile(module) is module
        assert (run.rank, run.world_size, run.seed, run.device.type) == (0, 1, 0, "cpu")
    assert torch.get_num_threads() == threads


def test_the_curve_is_of_the_checks() -> None:
    check = {
        "decisions": 7,
        "evaluation/heuristic_points": 1.0,
        "evaluation/heuristic_points_low": 0.0,
        "evaluation/heuristic_points_high": 2.0,
    }
    assert curve_of([{"decisions": 5, "losses/entropy": 1.0}, check]) == [(7.0, 1.0, 0.0, 2.0)]
