"""The exact measurement of a network on a small game, and the trainers that log it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")
pytest.importorskip("tyro")

from baselines.exactly import Exactly  # noqa: E402
from baselines.mmd import command  # noqa: E402
from baselines.networks import PolicyNet  # noqa: E402
from thousand_env import Rules  # noqa: E402
from thousand_env.evaluation import nash_conv  # noqa: E402

TINY = ["--rules", "mini2", "--utility", "relative", "--rows", "16", "--steps", "8", "--hidden", "8", "--plain"]
SHORT = ["--decisions", "500", "--evaluate-deals", "0", "--check-minutes", "0", "--threads", "1"]


def test_a_network_that_likes_all_actions_alike_is_uniform_play() -> None:
    network = PolicyNet(hidden=(8,))
    for parameter in network.parameters():
        parameter.requires_grad_(False).zero_()
    exactly = Exactly(Rules.preset("mini2"), torch.device("cpu"))
    uniform = nash_conv("random", exactly.game)
    found = exactly.measure(network)
    assert found["charts/nash_conv"] == pytest.approx(uniform.nash_conv, abs=1e-6)
    assert found["charts/exploitability"] == pytest.approx(uniform.exploitability, abs=1e-6)


def test_a_run_logs_it_every_so_many_updates(tmp_path: Path) -> None:
    assert command([*TINY, *SHORT, "--measure-every", "2", "--folder", str(tmp_path / "run")]) == 0
    lines = [json.loads(line) for line in (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()]
    assert [line.get("charts/exploitability") is not None for line in lines] == [False, True, False, True]


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (["--rules", "classic", "--measure-every", "2"], "--measure-every 2 needs a small game"),
        (["--measure-every", "2", "--network", "transformer"], "--measure-every needs --network mlp"),
        (["--measure-every", "-1"], "measure-every"),
    ],
)
def test_what_cannot_be_measured_is_told(
    given: list[str], reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command([*TINY, *SHORT, *given, "--folder", str(tmp_path / "run")]) == 2
    assert reason in capsys.readouterr().err
