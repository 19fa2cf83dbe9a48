"""The weights in the box: files that are what they say, agents that play, and model cards that tell how they came."""

from __future__ import annotations

import functools
import json
import random
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

# ruff: noqa: E402, what needs the extra is imported after it has been looked for

pytest.importorskip("torch")
safetensors = pytest.importorskip("safetensors")

import baselines
from thousand_env import PRESETS, Game, Rules, View, agents
from thousand_env.agents import BatchAgent
from thousand_env.observation import LAYOUT_VERSION, encode

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "baselines" / "weights"
MOST_BYTES = 6_000_000
HEADINGS = ["Command", "Seed", "Machine", "Wall time", "Decisions", "Curve", "Results", "Known weaknesses"]
POSITIONS = 20
COMMON = ("auction", "exchange", "play")
MACHINE_PATH = re.compile(r"""(?:^|[\s"'`(=:])(?:/|~/|[A-Za-z]:\\)[\w.]+""", re.MULTILINE)


def metadata(path: Path) -> dict[str, str]:
    with safetensors.safe_open(path, "np") as file:
        return file.metadata() or {}


FILES = sorted(FOLDER.glob("*.safetensors"))
AGENTS = [path for path in FILES if metadata(path)["format"].startswith("thousand_env agent")]
each_file = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
each_agent = pytest.mark.parametrize("path", AGENTS, ids=lambda path: path.stem)


def machine_paths(text: str) -> list[str]:
    """What looks like a place on somebody's machine."""
    return [found.strip() for found in MACHINE_PATH.findall(text)]


@functools.cache
def views(preset: str) -> dict[str, list[View]]:
    """Of random matches, views of who is to act and has a choice: ``POSITIONS`` of each phase, or all of a rare one."""
    rng = random.Random(preset)
    found: dict[str, list[View]] = defaultdict(list)
    for seed in range(100):
        game = Game(Rules.preset(preset), seed=seed)
        while not game.is_over and game.deal_number < 3:
            legal = game.legal_actions()
            wanted = len(found[game.phase]) < POSITIONS and (game.phase not in COMMON or rng.random() < 0.3)
            if len(legal) > 1 and wanted:
                found[game.phase].append(game.view(game.seat))  # type: ignore[arg-type]
            game.apply(rng.choice(legal))
    return found


def test_phases_of_all_presets_are_among_the_positions() -> None:
    for preset in PRESETS:
        found = views(preset)
        assert all(len(found[phase]) == POSITIONS for phase in COMMON), preset
    assert {"redeal", "raise"} <= {phase for preset in PRESETS for phase, some in views(preset).items() if some}


# Files


@each_file
def test_a_file_is_small_and_its_json_says_what_it_says(path: Path) -> None:
    assert path.stat().st_size <= MOST_BYTES
    told = metadata(path)
    beside = path.with_suffix(".json").read_text(encoding="utf-8")
    assert json.loads(beside) == {"format": told["format"], **json.loads(told["facts"])}
    assert machine_paths(beside) == []


def test_what_looks_like_a_machine_path_is_found() -> None:
    for text in ('{"folder": "/data/runs/a"}', "in ~/runs", r"at C:\runs", "(/tmp/x)", "--folder=/tmp/x"):
        assert machine_paths(text), text
    for text in ("decisions / second", "runs/ppo", "and/or", "[card](../x.md)", "1/2", "a `runs/ppo` folder"):
        assert machine_paths(text) == [], text


# Agents


def test_agents_by_name_have_weights() -> None:
    """Each name that this package declares as an agent of its weights; until the first is there, none is asked for."""
    if not AGENTS:
        pytest.skip("no weights of agents are in the box yet")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = {name for name, home in project["entry-points"][agents.ENTRY_POINT_GROUP].items() if ":load" in home}
    assert {path.stem for path in AGENTS} == declared


@each_agent
def test_an_agent_loads_and_plays_legally_under_all_presets(path: Path) -> None:
    agent: Any = baselines.load(path.stem)
    assert agent.facts["layout_version"] == LAYOUT_VERSION
    assert agent.facts["algorithm"] == path.stem
    agent.reset(0)
    for preset in PRESETS:
        for phase, positions in views(preset).items():
            for view in positions:
                assert agent.act(view) in view.legal_actions(), f"{preset}, {phase}"
            if positions and isinstance(agent, BatchAgent):
                masks = np.stack([view.action_mask() for view in positions])
                chosen = agent.act_batch(np.stack([encode(view) for view in positions]), masks)
                assert masks[np.arange(len(positions)), chosen].all(), f"{preset}, {phase}"


def test_agents_need_the_extra_torch_alone() -> None:
    """They load and play where nothing else is; training says in a line what it needs."""
    program = (
        "import sys\n"
        "for name in ('matplotlib', 'onnx', 'openskill', 'PIL', 'rich', 'scipy', 'tensorboard', 'tyro'):\n"
        "    sys.modules[name] = None\n"
        "import baselines\n"
        "from thousand_env import Game\n"
        "from thousand_env.cli import main\n"
        f"for name in {[path.stem for path in AGENTS]}:\n"
        "    baselines.load(name).act(Game(seed=1).view(Game(seed=1).seat))\n"
        "sys.exit(main(['train', 'ppo']))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stderr == 'thousand train ppo: tyro is not installed: pip install "thousand_env[train]"\n'
    assert done.returncode == 2


@each_agent
def test_an_agent_has_a_model_card(path: Path) -> None:
    card = path.with_suffix(".md").read_text(encoding="utf-8")
    sections = dict(re.findall(r"^#+ (.+?)\s*\n(.*?)(?=^#+ |\Z)", card, re.MULTILINE | re.DOTALL))
    for heading in HEADINGS:
        assert sections.get(heading, "").strip(), f"{path.stem}.md has nothing under {heading!r}"
    assert f"thousand train {path.stem}" in sections["Command"]
    assert re.search(r"\(-?\d[\d.]* to -?\d[\d.]*\)", sections["Results"]), "results come with intervals"
    assert machine_paths(card) == []
    for target in re.findall(r"\]\(([^)#:]+)\)", card):
        assert (FOLDER / target).exists(), f"{path.stem}.md links to {target}"


# The package


def test_the_wheel_holds_the_weights() -> None:
    """By what hatchling itself would put into it; nothing is built."""
    pytest.importorskip("hatchling")
    from hatchling.builders.wheel import WheelBuilder

    inside = {each.distribution_path for each in WheelBuilder(str(ROOT)).recurse_included_files()}
    for path in FILES:
        for suffix in (".safetensors", ".json"):
            assert f"baselines/weights/{path.stem}{suffix}" in inside
    for path in AGENTS:
        assert f"baselines/weights/{path.stem}.md" in inside
