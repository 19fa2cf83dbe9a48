"""Rendering of the AEC environment: what is drawn, for whom, and when."""

from __future__ import annotations

import io
import random
import sys
from typing import Any

import numpy as np
import pytest
from pettingzoo.utils.env_logger import EnvLogger

from tests.aec_play import play, play_out
from thousand_env import PRESETS, thousand_v0
from thousand_env.render import render


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("open_cards", [False, True])
def test_ansi_is_the_text_of_the_seat_to_act(preset: str, open_cards: bool) -> None:
    env = thousand_v0.env(rules=preset, render_mode="ansi", open_cards=open_cards)
    env.reset(seed=1)
    for _ in play(env, random.Random(1), 60):
        game = env.unwrapped.game
        seat = 0 if game.seat is None else game.seat
        assert env.render() == render(game if open_cards else game.view(seat))
    env.close()
    assert isinstance(env.render(), str)


def test_ansi_shows_no_other_hand() -> None:
    """The text is the same whatever the others hold."""
    texts = set()
    hands = ["9S JS QS KS TS AS 9C", "JC QC KC TC AC 9D JD", "QD KD TD AD 9H JH QH"]
    for turned in (hands, [hands[0], hands[2], hands[1]]):
        env = thousand_v0.env(render_mode="ansi")
        options = {"deal": {"hands": turned, "talon": "KH TH AH"}, "dealer": 2}
        env.reset(seed=1, options=options)
        assert env.agent_selection == "player_0"
        texts.add(env.render())
    assert len(texts) == 1


@pytest.mark.parametrize("make", [thousand_v0.env, thousand_v0.raw_env, thousand_v0.parallel_env])
def test_rendering_right_after_reset_and_after_the_end(make: Any) -> None:
    env = make(episode="deal", render_mode="ansi")
    env.reset(seed=1)
    assert "Auction" in env.render()
    aec = getattr(env, "aec_env", env)
    play_out(aec, random.Random(1))
    assert aec.agents == []
    assert env.render() == render(aec.unwrapped.game.view(0))


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_human_prints_at_each_step_and_gives_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    env: Any = thousand_v0.env(render_mode="human")
    env.reset(seed=1)
    assert capsys.readouterr().out == render(env.unwrapped.game.view(env.unwrapped.game.seat)) + "\n"
    play_out(env, random.Random(1), 5)
    assert capsys.readouterr().out.count("Auction") == 5
    assert env.render() is None
    text = capsys.readouterr().out
    assert text == render(env.unwrapped.game.view(env.unwrapped.game.seat)) + "\n"
    assert "\x1b" not in text


def test_human_draws_in_place_in_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    env = thousand_v0.env(render_mode="human")
    env.reset(seed=1)
    first = terminal.getvalue()
    assert "\x1b" not in first
    env.step(0)
    height = first.count("\n")
    assert terminal.getvalue()[len(first) :].startswith(f"\x1b[{height}F\x1b[J")


def test_human_where_the_output_cannot_write_suits(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    thousand_v0.env(render_mode="human").reset(seed=1)
    assert b"Auction" in raw.getvalue()


def test_without_a_render_mode_there_is_a_warning() -> None:
    EnvLogger.suppress_output()
    for make in (thousand_v0.env, thousand_v0.raw_env, thousand_v0.parallel_env):
        env: Any = make()
        env.reset(seed=1)
        EnvLogger.flush()
        assert env.render() is None
        assert "without a render mode" in EnvLogger.mqueue[0]
    EnvLogger.unsuppress_output()


def test_pictures() -> None:
    pytest.importorskip("PIL", reason="pictures are drawn with Pillow")
    closed: Any = thousand_v0.env(render_mode="rgb_array")
    shown: Any = thousand_v0.env(render_mode="rgb_array", open_cards=True)
    for env in (closed, shown):
        env.reset(seed=1)
        picture = env.render()
        assert picture.dtype == np.uint8
        assert picture.ndim == 3
        assert picture.shape[2] == 3
    assert not np.array_equal(closed.render(), shown.render())
