"""PettingZoo's own tests, under every preset, episode, reward and way with illegal actions."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import signature
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, render_test, seed_test
from pettingzoo.test.state_test import state_test
from pettingzoo.utils.env_logger import EnvLogger

from thousand_env import PRESETS, thousand_v0

EXPECTED = (
    "Observation is not a NumPy array",  # said of every Dict observation of a name that the test does not know
    "Observation space for each agent probably should be",  # the same
    "Action mask numpy array is all zeros",  # after the end there are no legal actions
    "options of reset that are not known",  # the test passes {"options": 1}
)
EPISODES = ("match", "deal")
REWARDS = ("relative", "score", "win")
ILLEGAL = ("terminate", "raise", "penalty")
GAMES = [
    *itertools.product(PRESETS, EPISODES, ("relative",), ("terminate",)),
    *itertools.product(("classic", "two_player"), EPISODES, REWARDS, ILLEGAL),
]
CYCLES: dict[str, Any] = {"num_cycles": 10} if "num_cycles" in signature(parallel_seed_test).parameters else {}
SHAPES: list[dict[str, Any]] = [
    {"history": True},
    {"mask_in_info": True},
    {"flat_observation": True},
    {"history": True, "mask_in_info": True},
    {"flat_observation": True, "mask_in_info": True},
]


@contextmanager
def expected_warnings_alone() -> Iterator[None]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        EnvLogger.suppress_output()
        try:
            yield
        finally:
            EnvLogger.unsuppress_output()
    messages = [str(each.message) for each in caught]
    assert [text for text in messages if not text.startswith(EXPECTED)] == []


def constructors(**keywords: Any) -> list[Callable[[], Any]]:
    return [lambda: thousand_v0.env(**keywords), lambda: thousand_v0.raw_env(**keywords)]


@pytest.mark.parametrize(("rules", "episode", "reward", "illegal"), GAMES)
def test_api(rules: str, episode: str, reward: str, illegal: str) -> None:
    keywords = {"rules": rules, "episode": episode, "reward": reward, "illegal": illegal}
    with expected_warnings_alone():
        for make in constructors(**keywords):
            api_test(make(), num_cycles=12)
            seed_test(make, num_cycles=8)
        parallel_api_test(thousand_v0.parallel_env(**keywords), num_cycles=20)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_api_of_every_form_of_observation(shape: dict[str, Any]) -> None:
    with expected_warnings_alone():
        for make in constructors(episode="deal", illegal="terminate", **shape):
            api_test(make(), num_cycles=15)
            seed_test(make, num_cycles=10)
        parallel_seed_test(lambda: thousand_v0.parallel_env(**shape), **CYCLES)
        if "flat_observation" not in shape:  # the test takes masks from observations alone
            parallel_api_test(thousand_v0.parallel_env(episode="deal", **shape), num_cycles=20)


@pytest.mark.parametrize("rules", PRESETS)
@pytest.mark.parametrize("illegal", ["terminate", "penalty"])
def test_unmasked_samples(rules: str, illegal: str) -> None:
    """These two tests of PettingZoo sample without masks, so that most of their actions are illegal."""
    keywords: dict[str, Any] = {"rules": rules, "illegal": illegal}
    with expected_warnings_alone():
        parallel_seed_test(lambda: thousand_v0.parallel_env(**keywords), **CYCLES)
        for make in constructors(**keywords):
            state_test(make(), thousand_v0.parallel_env(**keywords), num_cycles=5)


def test_a_whole_match() -> None:
    with expected_warnings_alone():
        api_test(thousand_v0.env(rules={"target": 300, "barrel": False}), num_cycles=3000)


@pytest.mark.parametrize("open_cards", [False, True])
def test_rendering(open_cards: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    checks = {"ansi": lambda text: "Auction" in text, "human": lambda nothing: nothing is None}
    modes = ["ansi", "human"]
    monkeypatch.setitem(thousand_v0.raw_env.metadata, "render_modes", modes)  # the picture has a test of its own
    for make in (thousand_v0.env, thousand_v0.raw_env):
        render_test(lambda make=make, **keywords: make(open_cards=open_cards, **keywords), checks)
    assert "Auction" in capsys.readouterr().out


def test_rendering_of_pictures() -> None:
    pytest.importorskip("PIL", reason="pictures are drawn with Pillow")
    for make in (thousand_v0.env, thousand_v0.raw_env):
        render_test(make, {"rgb_array": lambda picture: picture.dtype == np.uint8 and picture.shape[2] == 3})
