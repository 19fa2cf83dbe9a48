"""``thousand export``: the ONNX model is the agent, and what cannot be exported is told in one line."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

# ruff: noqa: E402, what needs the extra is imported after it has been looked for

torch = pytest.importorskip("torch")
onnx = pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")
pytest.importorskip("safetensors")

from baselines.learned import agent_of, save_agent
from baselines.networks import ActionValueNet, PolicyNet, masked
from baselines.onnx_form import write_onnx
from tests.learned_files import declare_files
from thousand_env import NUM_ACTIONS, Rules
from thousand_env.cli import main
from thousand_env.cli.export import positions
from thousand_env.observation import OBSERVATION, encode

RULES = Rules.preset("modern")
Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def declared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of learned agents are known."""
    declare_files(monkeypatch)


def network(kind: str) -> Any:
    torch.manual_seed(1)
    if kind == "action_value":
        made: Any = ActionValueNet((16, 8))
        torch.nn.init.normal_(made.chosen.weight)
    else:
        made = PolicyNet(kind, (16, 8), value=True, owners=True)
        torch.nn.init.normal_(made.policy.weight)
    torch.nn.init.normal_((made.rest[-1] if kind == "action_value" else made.policy).bias)
    return made


def saved(folder: Path, kind: str) -> str:
    save_agent(folder / kind, network(kind), algorithm="ppo", rules=RULES, facts={"seed": 1})
    return str(folder / f"{kind}.safetensors")


@pytest.mark.parametrize(("kind", "scores"), [("mlp", "log_probabilities"), ("action_value", "values")])
def test_the_model_says_what_the_network_says(kind: str, scores: str, tmp_path: Path) -> None:
    made = network(kind)
    agent_of(made, RULES, facts={"algorithm": "ppo"}).export_onnx(tmp_path / "model.onnx")
    assert [each.name for each in tmp_path.iterdir()] == ["model.onnx"]
    session = runtime.InferenceSession(str(tmp_path / "model.onnx"), providers=["CPUExecutionProvider"])
    described = {each.name: (each.type, each.shape) for each in (*session.get_inputs(), *session.get_outputs())}
    assert described == {
        "observation": ("tensor(float)", ["N", OBSERVATION.size]),
        "action_mask": ("tensor(int8)", ["N", NUM_ACTIONS]),
        scores: ("tensor(float)", ["N", NUM_ACTIONS]),
        "action": ("tensor(int64)", ["N"]),
    }
    facts = json.loads(session.get_modelmeta().custom_metadata_map["facts"])
    assert facts == {"rules": RULES.to_dict(), "algorithm": "ppo"}
    views = positions(RULES, 30, seed=0)
    observation = np.stack([encode(view) for view in views])
    mask = np.stack([view.action_mask() for view in views])
    with torch.no_grad():
        given = torch.from_numpy(observation), torch.from_numpy(mask)
        expected = made.all_values(*given) if kind == "action_value" else masked(made(given[0]), given[1])
    for rows in (slice(0, 30), slice(3, 4), slice(0, 0)):
        found = session.run([scores, "action"], {"observation": observation[rows], "action_mask": mask[rows]})
        np.testing.assert_allclose(found[0], expected.numpy()[rows], rtol=1e-5, atol=1e-5)
        assert found[1].tolist() == expected.argmax(-1)[rows].tolist()


@pytest.mark.parametrize("kind", ["mlp", "action_value"])
def test_the_command(kind: str, tmp_path: Path, capsys: Capture) -> None:
    agent, file = saved(tmp_path, kind), tmp_path / "model.onnx"
    assert main(["export", agent, "--onnx", str(file), "--views", "150"]) == 0
    out, err = capsys.readouterr()
    assert err == "" and out.startswith(f"{file}: {file.stat().st_size:,} bytes; the same action on 150 views (")
    onnx.checker.check_model(onnx.load(file))
    file.unlink()
    assert main(["export", agent, "--onnx", str(file), "--views", "20", "--rules", "two_player", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["agent"], told["file"], told["views"], told["different"]) == (agent, str(file), 20, 0)
    assert sum(told["phases"].values()) == 20
    assert file.exists() and not list(tmp_path.glob("*.unchecked"))


def test_a_model_that_is_not_the_agent_is_not_written(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def of_another_network(self: Any, path: Path) -> None:
        torch.manual_seed(9)
        write_onnx(PolicyNet(hidden=(8,)), path, {})

    agent, file = saved(tmp_path, "mlp"), tmp_path / "model.onnx"
    monkeypatch.setattr("baselines.learned.NetworkAgent.export_onnx", of_another_network)
    file.write_text("before")
    assert main(["export", agent, "--onnx", str(file), "--views", "30"]) == 1
    assert "actions differ, the first at view" in capsys.readouterr().out
    assert main(["export", agent, "--onnx", str(file), "--views", "30", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["different"] > 0
    assert file.read_text() == "before" and not list(tmp_path.glob("*.unchecked"))


@pytest.mark.parametrize(
    ("agent", "reason"),
    [
        ("greedy", "'greedy' has no network to export: name a learned agent, or the file of one"),
        ("gredy", "agent 'gredy' does not exist: did you mean 'greedy'?"),
        ("absent.safetensors", "agent 'absent.safetensors' does not exist: there is no such file"),
        ("{mlp},mode=sample", "mode='sample' cannot be exported"),
        ("{mlp},rules=classic", "was trained under other rules"),
        ("{transformer}", "this network cannot be exported: it reads the history"),
    ],
)
def test_what_cannot_be_exported(agent: str, reason: str, tmp_path: Path, capsys: Capture) -> None:
    paths = {kind: saved(tmp_path, kind) for kind in ("mlp", "transformer")}
    assert main(["export", agent.format(**paths), "--onnx", str(tmp_path / "m.onnx"), "--views", "3"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and reason in err
    assert not list(tmp_path.glob("m.onnx*"))


def test_where_nothing_can_be_written(tmp_path: Path, capsys: Capture) -> None:
    for file in (tmp_path / "nowhere" / "m.onnx", tmp_path):
        assert main(["export", saved(tmp_path, "mlp"), "--onnx", str(file)]) == 2
        assert f"--onnx: '{file}' cannot be written" in capsys.readouterr().err


@pytest.mark.parametrize("package", ["onnx", "onnxruntime"])
def test_a_missing_package(package: str, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = saved(tmp_path, "mlp")
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, "baselines.onnx_form")
    assert main(["export", agent, "--onnx", str(tmp_path / "m.onnx")]) == 2
    line = f'thousand export: {package} is not installed: pip install "thousand_env[export]"\n'
    assert capsys.readouterr().err == line


def test_positions_are_those_of_the_seed_and_of_all_phases() -> None:
    views = positions(RULES, 300, seed=4)
    assert all(view.seat == view.observer and len(view.legal_actions()) > 1 for view in views)
    assert {view.phase for view in views} >= {"auction", "exchange", "raise", "play"}
    assert positions(RULES, 20, seed=4) == views[:20] != positions(RULES, 20, seed=5)


def test_layers_that_are_not_known_are_refused(tmp_path: Path) -> None:
    made = network("mlp")
    made.trunk.layers.append(torch.nn.Tanh())
    with pytest.raises(ValueError, match="a layer Tanh cannot be exported"):
        write_onnx(made, tmp_path / "m.onnx", {})
    assert not list(tmp_path.iterdir())
