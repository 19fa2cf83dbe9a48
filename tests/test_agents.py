"""The agent protocols and the look-up by name: what is found, what is refused, and with which words."""

from __future__ import annotations

import importlib.metadata
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

import baselines
from baselines.greedy import GreedyAgent
from baselines.random_agent import RandomAgent
from thousand_env import Game, agents
from thousand_env.agents import Agent, AgentWithProbabilities, BatchAgent
from thousand_env.view import View


class FirstLegal:
    """The least that an agent can be."""

    def __init__(self, *, shift: int = 0) -> None:
        self.shift = shift

    def act(self, view: View) -> int:
        return view.legal_actions()[0]

    def reset(self, seed: int | None = None) -> None:
        pass


def not_an_agent() -> object:
    return object()


def declare(monkeypatch: pytest.MonkeyPatch, **values: str) -> None:
    """Let the group hold these entry points and no others."""
    declared = [EntryPoint(name, value, agents.ENTRY_POINT_GROUP) for name, value in values.items()]
    monkeypatch.setattr(agents, "entry_points", lambda group: declared if group == agents.ENTRY_POINT_GROUP else [])


def test_baselines_are_declared() -> None:
    names = {each.name for each in importlib.metadata.entry_points(group="thousand_env.agents")}
    assert {"random", "greedy"} <= names
    assert agents.available() == sorted(names)
    assert baselines.available() == agents.available()


@pytest.mark.parametrize(("name", "kind"), [("random", RandomAgent), ("greedy", GreedyAgent)])
def test_load_by_name(name: str, kind: type) -> None:
    for agent in (agents.load(name), baselines.load(name)):
        assert type(agent) is kind
        game = Game(seed=1)
        assert game.seat is not None
        assert agent.act(game.view(game.seat)) in game.legal_actions()


def test_load_passes_options() -> None:
    agent = baselines.load("greedy", caution=33)
    assert isinstance(agent, GreedyAgent)
    assert agent.caution == 33


def test_protocols() -> None:
    assert isinstance(FirstLegal(), Agent)
    assert not isinstance(FirstLegal(), AgentWithProbabilities)
    assert not isinstance(FirstLegal(), BatchAgent)
    assert isinstance(RandomAgent(), Agent)
    assert isinstance(RandomAgent(), AgentWithProbabilities)
    assert isinstance(RandomAgent(), BatchAgent)
    assert isinstance(GreedyAgent(), AgentWithProbabilities)
    assert not isinstance(object(), Agent)


def test_agents_of_other_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    declare(monkeypatch, mine="tests.test_agents:FirstLegal")
    assert agents.available() == ["mine"]
    assert isinstance(agents.load("mine", shift=2), Agent)


def test_own_agents_by_module_and_class() -> None:
    for load in (agents.load, baselines.load):
        agent = load("tests.test_agents:FirstLegal", shift=2)
        assert type(agent) is FirstLegal
        assert agent.shift == 2
        with pytest.raises(ValueError, match=r"agent 'nowhere.at_all:X' does not exist: there is no module 'nowhere'"):
            load("nowhere.at_all:X")
        with pytest.raises(ValueError, match=r"there is no module 'tests.nothing'"):
            load("tests.nothing:X")
        with pytest.raises(
            ValueError, match=r"no 'firstlegal' in module 'tests.test_agents', did you mean 'FirstLegal'"
        ):
            load("tests.test_agents:firstlegal")
        with pytest.raises(TypeError, match=r"agent 'tests.test_agents:not_an_agent' is no agent: .* lacks act"):
            load("tests.test_agents:not_an_agent")
        with pytest.raises(TypeError, match=r"is no agent: 'tests.test_agents' cannot be called, name a class"):
            load("tests.test_agents:__name__")
        with pytest.raises(ValueError, match=r"options .* are not accepted: .*; it takes shift"):
            load("tests.test_agents:FirstLegal", turn=2)


@pytest.mark.parametrize(
    ("text", "name", "options"),
    [
        ("greedy", "greedy", {}),
        (" greedy ", "greedy", {}),
        ("greedy,caution=10", "greedy", {"caution": 10}),
        ("m:C,a=1.5, b = true ,c=null", "m:C", {"a": 1.5, "b": True, "c": None}),
        ('x,a=[1,2],b={"c": 3},d="4"', "x", {"a": [1, 2], "b": {"c": 3}, "d": "4"}),
        ("x,file=my,own folder/net.bin,a=", "x", {"file": "my,own folder/net.bin", "a": ""}),
        ("x,formula=1+2=3", "x", {"formula": "1+2=3"}),
    ],
)
def test_names_with_options(text: str, name: str, options: dict[str, Any]) -> None:
    assert agents.parse_text(text) == (name, options)


def test_agents_from_text() -> None:
    agent = agents.from_text("greedy,caution=33")
    assert isinstance(agent, GreedyAgent)
    assert agent.caution == 33
    assert agents.from_text("tests.test_agents:FirstLegal,shift=2").shift == 2  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match=r"options .* of agent 'greedy' are not accepted"):
        agents.from_text("greedy,courage=high")


@pytest.mark.parametrize("text", ["", ",caution=3", "greedy,", "greedy,caution", "caution=3", "greedy;caution=3,a"])
def test_texts_that_name_no_agent(text: str) -> None:
    with pytest.raises(ValueError, match="is not understood: write name or name,key=value"):
        agents.parse_text(text)


def test_an_option_given_twice() -> None:
    with pytest.raises(ValueError, match="has the option 'a' twice"):
        agents.parse_text("x,a=1,a=2")
    assert agents.parse_text("pimc,seconds=None,exact_gifts=True") == ("pimc", {"seconds": None, "exact_gifts": True})
    with pytest.raises(ValueError, match="agent 7 is no text"):
        agents.parse_text(7)  # type: ignore[arg-type]


def test_what_names_a_class() -> None:
    assert agents.names_a_class("mine:Agent")
    assert agents.names_a_class("my.own:Agent")
    for name in (
        "greedy",
        "mine:",
        ":Agent",
        "a:b:c",
        "folder/mine:Agent",
        "C:\\net",
        ".mine:Agent",
        None,
        Path("a:b"),
    ):
        assert not agents.names_a_class(name)


def test_a_nearly_known_name() -> None:
    for name in ("Greedy", "greeedy"):
        with pytest.raises(ValueError, match=r"did you mean 'greedy'\? choose one of .*, or module:Class for your own"):
            agents.load(name)


def test_unknown_name() -> None:
    for load in (agents.load, baselines.load):
        with pytest.raises(ValueError, match=r"agent 'nobody' does not exist: choose one of .*greedy.*random"):
            load("nobody")


def test_nothing_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    declare(monkeypatch)
    assert agents.available() == []
    with pytest.raises(ValueError, match="agent 'greedy' does not exist: none is installed"):
        agents.load("greedy")


def test_unknown_option() -> None:
    with pytest.raises(ValueError, match=r"options .'courage': 1. of agent 'greedy' .* it takes caution=\d+"):
        agents.load("greedy", courage=1)
    with pytest.raises(ValueError, match=r"did you mean 'caution'\? it takes"):
        agents.load("greedy", cautoin=1)


@pytest.mark.parametrize("value", ["much", None, True, 1.5])
def test_bad_value_of_an_option(value: Any) -> None:
    with pytest.raises(ValueError, match=r"caution=.* is not accepted: use a whole number"):
        agents.load("greedy", caution=value)


@pytest.mark.parametrize("value", [-1, "x", 1.5, True])
def test_bad_seed(value: Any) -> None:
    with pytest.raises(ValueError, match=r"seed=.* is not accepted"):
        agents.load("random", seed=value)


def test_entry_point_that_gives_no_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    declare(monkeypatch, odd="tests.test_agents:not_an_agent", name="tests.test_agents:__name__")
    with pytest.raises(TypeError, match=r"agent 'odd' \(tests.test_agents:not_an_agent\) is no agent"):
        agents.load("odd")
    with pytest.raises(TypeError, match=r"agent 'name' .* cannot be called"):
        agents.load("name")


def write_agent_package(folder: Path, needs: str) -> None:
    """An installed package whose agent needs a module, in an extra called ``net``, and in ``all``, which has more."""
    (folder / "far_agent.py").write_text(f"import {needs}\nfrom tests.test_agents import FirstLegal\n")
    meta = folder / "far_agent-1.0.dist-info"
    meta.mkdir()
    needed = f"Requires-Dist: {needs.replace('_', '-')}>=2; extra == "
    extra = f"Provides-Extra: all\n{needed}'all'\nRequires-Dist: other; extra == 'all'\n"
    extra += f"Provides-Extra: net\n{needed}'net'\n"
    (meta / "METADATA").write_text(f"Metadata-Version: 2.1\nName: far-agent\nVersion: 1.0\n{extra}")
    (meta / "entry_points.txt").write_text("[thousand_env.agents]\nfar = far_agent:FirstLegal\n")


@pytest.fixture
def package_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "far_agent", raising=False)
    return tmp_path


def test_missing_extra_says_what_to_install(package_folder: Path) -> None:
    write_agent_package(package_folder, "absent_module")
    assert "far" in agents.available()
    with pytest.raises(ImportError) as caught:
        agents.load("far")
    assert str(caught.value) == "agent 'far' needs absent_module, which is missing: pip install 'far-agent[net]'"


def test_installed_package_is_found(package_folder: Path) -> None:
    write_agent_package(package_folder, "json")
    assert isinstance(agents.load("far"), Agent)


def test_missing_module_without_a_package(monkeypatch: pytest.MonkeyPatch) -> None:
    declare(monkeypatch, ghost="tests.test_agents_absent:Ghost")
    with pytest.raises(ModuleNotFoundError, match=r"tests\.test_agents_absent"):
        agents.load("ghost")


def test_path_that_does_not_exist(tmp_path: Path) -> None:
    for path in (tmp_path / "net.safetensors", str(tmp_path / "net"), "./greedy", "weights.pt"):
        with pytest.raises(FileNotFoundError, match=r"there is no such file, .*greedy"):
            baselines.load(path)


def test_path_that_holds_no_agent(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("safetensors")
    file = tmp_path / "net.safetensors"
    file.write_bytes(b"")
    for path in (file, str(file)):
        with pytest.raises(ValueError, match="cannot be read"):
            baselines.load(path)
