"""Keywords, spaces, names and the page of the environment: what is documented is what there is."""

from __future__ import annotations

import doctest
import inspect
import os
import random
import re
import subprocess
import sys
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest

import thousand_env
from tests.aec_play import play_out
from thousand_env import NUM_ACTIONS, PRESETS, Rules, RulesError, action_name, parse_action, thousand_v0
from thousand_env.engine.state import LOG_SIZE
from thousand_env.layout import LAYOUT_VERSION, OBSERVATION
from thousand_env.observation import HISTORY_SIZE, STATE
from thousand_env.settings import Settings

VALUES: dict[str, tuple[Any, ...]] = {
    "rules": (None, Rules(), *PRESETS, {"players": 4}, {}),
    "episode": ("match", "deal"),
    "reward": ("relative", "score", "win"),
    "history": (False, True),
    "illegal": ("terminate", "raise", "penalty"),
    "flat_observation": (False, True),
    "mask_in_info": (False, True),
    "render_mode": (None, "ansi", "rgb_array", "human"),
    "open_cards": (False, True),
}
WRONG: dict[str, tuple[Any, ...]] = {
    "rules": ("clasic", 3, {"playrs": 3}, ["classic"]),
    "episode": ("game", None, 1, ["match"]),
    "reward": ("points", None, np.array(["win"])),
    "history": (1, "yes", None),
    "illegal": ("ignore", None, True),
    "flat_observation": (0, None),
    "mask_in_info": ("no", 1.0),
    "render_mode": ("rgb", False, "ANSI"),
    "open_cards": (2, None),
}
MAKERS = (thousand_v0.env, thousand_v0.raw_env, thousand_v0.parallel_env)


def document() -> str:
    assert thousand_v0.__doc__ is not None
    return thousand_v0.__doc__


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in VALUES.items() for value in values])
def test_every_value_of_every_keyword_is_accepted(name: str, value: Any, capsys: pytest.CaptureFixture[str]) -> None:
    for make in MAKERS:
        env = make(**{name: value})
        if name != "rules":
            assert getattr(getattr(env, "aec_env", env).unwrapped.settings, name) == value
        if value == "rgb_array":
            continue
        env.reset(seed=1)
        assert env.state() in env.state_space
    for make in (thousand_v0.env, thousand_v0.raw_env):
        env = make(**{name: value})
        if value != "rgb_array":
            env.reset(seed=1)
            play_out(env, random.Random(1), 20)


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in WRONG.items() for value in values])
def test_a_wrong_value_is_named(name: str, value: Any) -> None:
    for make in MAKERS:
        with pytest.raises(ValueError, match=r"is not|does not exist|unknown|no option|preset") as caught:
            make(**{name: value})
        assert isinstance(caught.value, RulesError) if name == "rules" else f"{name}=" in str(caught.value)


def test_keywords_that_do_not_go_together_and_that_there_are_not() -> None:
    for make in MAKERS:
        with pytest.raises(ValueError, match="history=True is not accepted with flat_observation=True"):
            make(history=True, flat_observation=True)
        with pytest.raises(TypeError, match="max_cycles"):
            make(max_cycles=3)
        with pytest.raises(TypeError, match="keyword 'rule' does not exist: did you mean 'rules'"):
            make(rule="classic")
        with pytest.raises(TypeError):
            make("classic")


def test_the_page_lists_the_keywords_that_there_are() -> None:
    section = document().split("\nKeywords\n")[1].split("\nActions\n")[0]
    listed = re.findall(r"^``(\w+)`` +", section, re.MULTILINE)
    known = [name for name in inspect.signature(Settings.__init__).parameters if name not in ("self", "unknown")]
    assert listed == known == list(VALUES)
    assert list(thousand_env.aec.Keywords.__annotations__) == known
    for values in (VALUES["episode"], VALUES["reward"], VALUES["illegal"], VALUES["render_mode"][1:]):
        assert all(f'``"{value}"``' in document() for value in values)


def test_the_pages_examples_run() -> None:
    found = doctest.testmod(thousand_v0)
    assert found.attempted > 4
    assert found.failed == 0


def test_the_page_has_the_table_of_the_layout() -> None:
    rows = re.findall(r"^\| (\d+) \| \(([\d, ]+)\) \| `([\w.]+)` \| (\d+) \| (.+) \|$", document(), re.MULTILINE)
    assert [(int(start), name) for start, _, name, _, _ in rows] == [
        (piece.start, piece.name) for piece in OBSERVATION.pieces.values()
    ]
    assert "{layout}" not in document()


def test_the_page_has_the_actions() -> None:
    rows = re.findall(r"^\| (\d+)(?:(\.\.|, )(\d+))? \| .+ \| `([\w ]+)` \|$", document(), re.MULTILINE)
    ids = [(int(first), int(last or first)) for first, _, last, _ in rows]
    assert [number for first, last in ids for number in range(first, last + 1)] == list(range(NUM_ACTIONS))
    for (first, last), (_, _, _, text) in zip(ids, rows, strict=True):
        assert first <= parse_action(text, Rules()) <= last
        assert action_name(parse_action(text, Rules()), Rules()) == text


def test_the_page_has_the_numbers() -> None:
    assert f"int16 ``[{HISTORY_SIZE}]``" in document()
    assert f"at most {LOG_SIZE + 3} actions" in document(), "as many as the log holds, and three declined redeals"
    assert f"observation layout {LAYOUT_VERSION}." in document()


@pytest.mark.parametrize("preset", PRESETS)
def test_spaces_are_those_documented_whatever_the_rules(preset: str) -> None:
    for make in MAKERS:
        env = make(rules=preset, history=True)
        assert env.possible_agents == [f"player_{seat}" for seat in range(Rules.preset(preset).players)]
        for agent in env.possible_agents:
            space = env.observation_space(agent)
            assert space is env.observation_space(agent)
            assert isinstance(space, gymnasium.spaces.Dict)
            assert space["observation"] == gymnasium.spaces.Box(-1, 1, (OBSERVATION.size,), np.float32)
            assert space["action_mask"] == gymnasium.spaces.Box(0, 1, (130,), np.int8)
            assert space["history"].shape == (HISTORY_SIZE,)
            assert space["history"].dtype == np.int16
            assert space["history"].low.max() == -1
            assert env.action_space(agent) == gymnasium.spaces.Discrete(130)
            assert space == env.observation_space("player_0")
        assert env.state_space == gymnasium.spaces.Box(-1, 1, (STATE.size,), np.float32)
        assert list(env.observation_spaces) == list(env.action_spaces) == env.possible_agents


def test_metadata() -> None:
    for make in MAKERS:
        metadata = make().metadata
        assert metadata["name"] == "thousand_v0"
        assert metadata["render_modes"] == ["ansi", "rgb_array", "human"]
        assert metadata["render_fps"] > 0
        assert metadata["is_parallelizable"] is False
        assert make().render_mode is None


def test_names_on_the_package() -> None:
    for name in ("env", "raw_env", "parallel_env"):
        assert getattr(thousand_env, name) is getattr(thousand_v0, name)
        assert name in thousand_env.__all__
        assert name in dir(thousand_env)
    assert isinstance(thousand_env.env(), pettingzoo.AECEnv)
    assert isinstance(thousand_env.raw_env(), pettingzoo.AECEnv)
    assert isinstance(thousand_env.parallel_env(), pettingzoo.ParallelEnv)


def test_importing_the_package_loads_no_library() -> None:
    script = """
import sys
import thousand_env
loaded = {"numba", "numpy", "pettingzoo", "gymnasium", "torch", "pygame"} & set(sys.modules)
assert not loaded, loaded
assert thousand_env.thousand_v0.env is thousand_env.env
assert not {"torch", "pygame", "matplotlib"} & set(sys.modules)
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", script], check=True, timeout=120, env=environment)


@pytest.mark.skipif(not hasattr(pettingzoo, "register"), reason="this PettingZoo has no registry")
def test_pettingzoo_makes_it_by_name() -> None:
    env = pettingzoo.make("aec", "thousand/thousand_v0", rules="modern", episode="deal")
    assert type(env) is type(thousand_v0.env())
    assert env.rules == Rules.preset("modern")
    parallel = pettingzoo.make("parallel", "thousand/thousand_v0", rules="modern")
    assert type(parallel) is type(thousand_v0.parallel_env())
