"""Documentation that runs: the Python in the README, and the doctests of the package."""

from __future__ import annotations

import importlib.util
import itertools
import os
import re
import runpy
from pathlib import Path

import pytest

from thousand_env.agents import from_text

ROOT = Path(__file__).parent.parent
HAS_TORCH = importlib.util.find_spec("torch") is not None
OF_LIBRARIES = {"pufferlib", "pyspiel", "rlcard", "sb3_contrib", "torchrl"}  # in their environments: nox -s pipelines
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCKS = [
    pytest.param(block, id=f"{page.name}-{number}")
    for page in PAGES
    for number, block in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL))
]


@pytest.mark.parametrize("block", BLOCKS)
def test_documented_python_runs(block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        exec(compile(block, "documentation", "exec"), {"__name__": "documentation"})
    except ImportError as error:
        if HAS_TORCH and error.name not in OF_LIBRARIES:
            raise
        pytest.skip(str(error))
    except ValueError as error:
        if "come with this package: " not in str(error):
            raise
        pytest.skip(str(error))  # tests/test_weights.py says which weights there must be


def test_linked_files_exist() -> None:
    for page in (*PAGES, ROOT / "CONTRIBUTING.md"):
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_commands_of_the_readme_name_real_files() -> None:
    text = (ROOT / "README.md").read_text()
    assert "-c constraints.txt" in text
    assert (ROOT / "constraints.txt").exists()
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


def in_the_box(name: str) -> bool:
    """Whether an agent can be loaded: not before its weights are there."""
    try:
        from_text(name)
    except ValueError:
        return False
    return True


def test_the_results_page_states_what_it_rests_on() -> None:
    """The page has the ladder of its script: each rung beats the one below with an interval that excludes even play."""
    pytest.importorskip("torch")
    pytest.importorskip("safetensors")
    page = (ROOT / "docs" / "baselines.md").read_text(encoding="utf-8")
    for words in ("python examples/ladder.py", "seed 0", "95 %", "core hours", "classic"):
        assert words in page
    ladder = page.partition("Beside the ladder")[0].splitlines()
    rungs = [line.strip("| ").split(" | ") for line in ladder if line.startswith("| `") and " over `" in line]
    agents = [name for name in runpy.run_path(str(ROOT / "examples" / "ladder.py"))["LADDER"] if in_the_box(name)]
    pairs = itertools.pairwise(agents)
    assert [cells[0] for cells in rungs] == [f"`{high}` over `{low}`" for low, high in pairs]
    for cells in rungs:
        low = re.search(r"\((-?[0-9.]+) to", cells[2])
        assert low is not None
        assert float(low.group(1)) > 0, cells[0]
        won = re.search(r"\((?:over )?([0-9.]+)", cells[6])
        assert won is not None
        assert float(won.group(1)) > 50, cells[0]
