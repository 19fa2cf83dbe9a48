"""How compiled code behaves: its cache, processes and threads, and the same engine uncompiled."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import random
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import thousand_env
from thousand_env import PRESETS, Game, Rules, VectorEnv, thousand_v0

PACKAGE = Path(thousand_env.__file__).parent


def trajectory(seed: int, decisions: int = 60) -> str:
    """A digest of random play under every preset: positions, legal sets, views and scores."""
    digest = hashlib.sha256()
    for preset in sorted(PRESETS):
        rng = random.Random(seed)
        game = Game(Rules.preset(preset), seed=seed)
        for _ in range(decisions):
            if game.is_over:
                break
            legal = game.legal_actions()
            facts = (game.hands, game.talon, legal, game.points, game.scores, game.action_mask().tolist())
            digest.update(repr(facts).encode())
            digest.update(repr([game.view(seat).events() for seat in range(game.rules.players)]).encode())
            game.apply(rng.choice(legal))
    return digest.hexdigest()


def run_python(code: str, cwd: Path, **environment: str) -> str:
    """What a fresh process prints, which finds the package in ``cwd`` first; its errors are shown if it fails."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(cwd), **environment},
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


SCORE = """
from thousand_env import Rules, ScoreSheet, score_deal
rules = Rules()
played = {"points": [12, 108, 0], "tricks": [1, 6, 1]}
sheet = score_deal(rules, ScoreSheet.start(rules), dealer=0, declarer=1, contract=100, **played)
print(sheet.scores)
"""


def copy_package(folder: Path) -> Path:
    shutil.copytree(PACKAGE, folder / "thousand_env", ignore=shutil.ignore_patterns("__pycache__"))
    return folder / "thousand_env"


def test_an_edited_rule_is_compiled_anew(tmp_path: Path) -> None:
    package = copy_package(tmp_path)
    assert "(10, 110, 0)" in run_python(SCORE, tmp_path, NUMBA_CACHE_DIR="")
    room = package / "engine" / "scoring.py"
    text = room.read_text()
    assert "(points + 2) // 5 * 5" in text
    room.write_text(text.replace("(points + 2) // 5 * 5", "(points + 4) // 5 * 5"))
    assert "(15, 110, 0)" in run_python(SCORE, tmp_path, NUMBA_CACHE_DIR="")
    assert len(list((package / "__pycache__").glob("engine-*"))) == 2


def test_without_a_folder_to_write_it_compiles_in_memory_with_one_warning(tmp_path: Path) -> None:
    package = copy_package(tmp_path)
    (package / "__pycache__").write_text("no folder can be made here")
    output = run_python(SCORE, tmp_path, XDG_CACHE_HOME=os.devnull, NUMBA_CACHE_DIR="", HOME="")
    assert "(10, 110, 0)" in output
    assert output.count("RuntimeWarning") == 1
    assert "NUMBA_CACHE_DIR" in output


def test_the_cache_folder_can_be_chosen(tmp_path: Path) -> None:
    copy_package(tmp_path)
    run_python(SCORE, tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "mine"))
    assert list((tmp_path / "mine" / "thousand_env").glob("engine-*/*.nbi"))


def test_the_engine_uncompiled_plays_the_same(tmp_path: Path) -> None:
    code = "from tests.test_compiled import trajectory; print(trajectory(3))"
    assert trajectory(3) in run_python(code, PACKAGE.parent, NUMBA_DISABLE_JIT="1")


def environments(seed: int) -> str:
    """A hash of what a batch and an AEC environment give in forty steps."""
    found = hashlib.sha256()
    for dtype in ("int8", "float32"):
        envs = VectorEnv(3, seed=seed, observation_dtype=dtype, state=True, history=True, num_threads=1)
        batch = envs.reset()
        for _ in range(40):
            batch = envs.step(batch.action_mask.argmax(axis=1))
            for each in (batch.observation, batch.action_mask, batch.state, batch.history, batch.reward):
                assert each is not None
                found.update(each.tobytes())
    env = thousand_v0.env(episode="deal")
    env.reset(seed=seed)
    for agent in env.agent_iter():
        observation, _, terminated, _, _ = env.last()
        found.update(observation["observation"].tobytes() + env.state().tobytes())
        env.step(None if terminated else int(env.observe(agent)["action_mask"].argmax()))
    return found.hexdigest()


def test_the_environments_uncompiled_play_the_same() -> None:
    code = "from tests.test_compiled import environments; print(environments(3))"
    assert environments(3) in run_python(code, PACKAGE.parent, NUMBA_DISABLE_JIT="1")


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_child_processes_play_the_same(method: str) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this platform has no {method}")
    expected = trajectory(4)
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(trajectory, [4, 4]) == [expected, expected]


def test_concurrent_threads_play_the_same() -> None:
    expected = [trajectory(seed) for seed in range(6)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(trajectory, range(6))) == expected


def test_importing_the_package_loads_little(tmp_path: Path) -> None:
    code = "import sys, thousand_env; print([n for n in ('torch', 'rich', 'matplotlib', 'numba') if n in sys.modules])"
    assert "[]" in run_python(code, PACKAGE.parent)


def test_playing_loads_no_extra(tmp_path: Path) -> None:
    code = "import sys, thousand_env as t; t.Game(seed=1); print([n for n in ('torch', 'rich') if n in sys.modules])"
    assert "[]" in run_python(code, PACKAGE.parent)


def test_nothing_depends_on_assertions(tmp_path: Path) -> None:
    code = """
import sys
from thousand_env import Game
game = Game(seed=1)
game.apply(1)
game.undo()
print(game == Game(seed=1), Game.from_bytes(game.to_bytes()) == game, game.deal_start() == game)
"""
    done = subprocess.run(
        [sys.executable, "-O", "-c", code], capture_output=True, text=True, cwd=PACKAGE.parent, check=True
    )
    assert done.stdout.strip() == "True True True"
