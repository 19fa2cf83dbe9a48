"""The package as it is built: what wheel and source archive hold, and that the wheel works where nothing else is.

``python -m build`` makes the archive and, of the archive alone, the wheel; here with the tools of this environment, so
that no network is asked. What installs the wheel is marked ``integration``: ``nox -s wheel`` runs all of it.
"""

from __future__ import annotations

import configparser
import os
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

pytest.importorskip("build")
pytest.importorskip("hatchling")

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PACKAGES = ("thousand_env", "baselines")
TRAINED = [name for name, home in PROJECT["entry-points"]["thousand_env.agents"].items() if home.endswith(":load")]
SCRIPT = """
import sys
from pathlib import Path

import baselines
import thousand_env
from thousand_env import Game, thousand_v0

for package in (baselines, thousand_env):
    assert Path(package.__file__).is_relative_to(sys.prefix), package.__file__

env = thousand_v0.env(episode="deal")
env.reset(seed=1)
for agent in env.agent_iter():
    observation, reward, termination, truncation, info = env.last()
    env.step(None if termination or truncation else env.action_space(agent).sample(observation["action_mask"]))

def played(name, episode):
    agent = baselines.load(name)
    agent.reset(0)
    game = Game(seed=1, episode=episode)
    while not game.is_over:
        game.apply(agent.act(game.view(game.seat)))
    return game

print(played("random", "match").deal_number)
try:
    print(sum(played("distill", "deal").points))
except ImportError as error:
    print(error)
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a source archive and of the wheel that was built of it."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT))
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    (path,) = built.glob("*.whl")
    return path


def run(*command: str, cwd: Path | None = None) -> str:
    """What a command prints; it does not see this repository."""
    env = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=env, timeout=1800, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout[-5000:]}{done.stderr[-5000:]}"
    return done.stdout


def files(package: str) -> set[str]:
    """What a package holds here, caches aside."""
    found = (path for path in (ROOT / package).rglob("*") if path.is_file())
    return {path.relative_to(ROOT).as_posix() for path in found if "__pycache__" not in path.parts}


def test_the_wheel_holds_the_two_packages_and_nothing_else(wheel: Path) -> None:
    inside = set(zipfile.ZipFile(wheel).namelist())
    facts = {name for name in inside if ".dist-info/" in name}
    assert inside - facts == set().union(*map(files, PACKAGES))
    assert "thousand_env/py.typed" in inside
    assert "baselines/weights/equity.safetensors" in inside
    for name in TRAINED:
        assert {f"baselines/weights/{name}.{suffix}" for suffix in ("safetensors", "json", "md")} <= inside
    assert {name.partition("/")[2] for name in facts} == {
        *("METADATA", "WHEEL", "RECORD"),
        *("entry_points.txt", "licenses/LICENSE"),
    }


def test_the_wheel_declares_what_the_project_does(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("entry_points.txt"))
        found = configparser.ConfigParser(delimiters="=")
        found.optionxform = str  # type: ignore[assignment,method-assign]
        found.read_string(archive.read(name).decode())
    declared = {**PROJECT["entry-points"], "console_scripts": PROJECT["scripts"]}
    assert {group: dict(found[group]) for group in found.sections()} == declared
    assert wheel.name.endswith("-py3-none-any.whl")


def test_the_source_archive_holds_what_is_developed(built: Path) -> None:
    (path,) = built.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    assert set().union(*map(files, (*PACKAGES, "tests", "examples", "docs"))) <= inside
    assert {"noxfile.py", "constraints.txt", "constraints-lowest.txt", "CONTRIBUTING.md", ".ci/run"} <= inside
    tops = {name.partition("/")[0] for name in inside}
    assert not tops & {".git", ".venv", ".nox", "build", "dist", "runs"}
    assert not [name for name in inside if "__pycache__" in name or "_cache/" in name or ".hypothesis" in name]


@pytest.mark.integration
def test_the_wheel_works_where_nothing_else_is(wheel: Path, tmp_path: Path) -> None:
    """First alone, where the trained agent says what it needs, and then with that."""
    run(sys.executable, "-m", "venv", "venv", cwd=tmp_path)
    python = str(tmp_path / "venv" / "bin" / "python")
    results = []
    for extra in ("", "[torch]"):
        wanted = ["-c", str(ROOT / "constraints.txt"), f"thousand_env{extra} @ {wheel.as_uri()}"]
        run(python, "-m", "pip", "install", "-q", *wanted, cwd=tmp_path)
        run(python, "-m", "pip", "check", cwd=tmp_path)
        assert "thousand watch" in run(str(tmp_path / "venv" / "bin" / "thousand"), "--help", cwd=tmp_path)
        results.append(run(python, "-c", SCRIPT, cwd=tmp_path).splitlines())
    (deals, without), (again, points) = results
    assert int(deals) > 1
    assert again == deals
    assert without == "agent 'distill' needs torch, which is missing: pip install 'thousand_env[torch]'"
    assert int(points) > 0
