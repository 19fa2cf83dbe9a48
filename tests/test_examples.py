"""Every example of this package runs, briefly; those for other libraries are tried by tests/pipelines."""

from __future__ import annotations

import runpy
import sys
import tomllib
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
PIPELINES = tomllib.loads((EXAMPLES / "pipelines.toml").read_text(encoding="utf-8"))
OF_LIBRARIES = {script for facts in PIPELINES.values() for script in facts["scripts"]}
TRAINING = [
    *("--hidden", "8", "--threads", "1", "--decisions", "200"),
    *("--check-minutes", "0", "--evaluate-deals", "0", "--folder", "FOLDER"),
]
ARGUMENTS = {
    "ladder.py": ["--deals", "3", "--most", "3", "--matches", "1", "--workers", "1", "--slow-deals", "2", "--folder"],
    "fit_equity.py": ["--rules", "two_player", "--matches", "40", "--out", "FOLDER/equity.safetensors"],
    "monte_carlo.py": ["--deals", "1", "--worlds", "2"],
    "play_learned.py": ["FOLDER/tiny.safetensors"],
    "train_distill.py": ["--rows", "64", "--updates", "1", "--minibatch", "32", "--memory", "500", *TRAINING],
    "train_dmc.py": ["--rules", "mini2", "--envs", "16", "--steps", "8", *TRAINING],
    "train_ppo.py": ["--rules", "mini2", "--rows", "16", "--steps", "8", *TRAINING],
    "train_mmd.py": ["--decisions", "200", "--folder", "FOLDER/run"],
    "exploitability_curves.py": ["--rules", "mini2", "--iterations", "3", "--picture", "FOLDER/a.png"],
    "train_deep_cfr.py": ["--minutes", "0.01", "--folder", "FOLDER/run"],
}


@pytest.mark.parametrize("name", sorted({path.name for path in EXAMPLES.glob("*.py")} - OF_LIBRARIES))
def test_example_runs(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    if name.startswith("train_") or "learned" in name:
        pytest.importorskip("torch")
        pytest.importorskip("tyro")
    if name == "play_learned.py":
        save_tiny_agent(tmp_path / "tiny.safetensors", monkeypatch)
    if ARGUMENTS[name][-1] == "--folder":
        ARGUMENTS[name] += [str(tmp_path), "--agents", "random", "greedy"]
    monkeypatch.setattr(sys, "argv", [name, *(word.replace("FOLDER", str(tmp_path)) for word in ARGUMENTS[name])])
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    assert capsys.readouterr().out


def save_tiny_agent(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A learned agent that has learned nothing."""
    from baselines.learned import save_agent
    from baselines.networks import PolicyNet
    from tests.learned_files import declare_files
    from thousand_env import Rules

    save_agent(path, PolicyNet(hidden=(8,)), algorithm="ppo", rules=Rules(), facts={})
    declare_files(monkeypatch)


def test_the_example_of_playing_a_trained_agent_is_short() -> None:
    assert len((EXAMPLES / "play_learned.py").read_text(encoding="utf-8").splitlines()) <= 20
