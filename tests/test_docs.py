"""Documentation that runs: the Python in the README, and the doctests of the package."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCKS = [
    pytest.param(block, id=f"{page.name}-{number}")
    for page in PAGES
    for number, block in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL))
]


@pytest.mark.parametrize("block", BLOCKS)
def test_documented_python_runs(block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "documentation", "exec"), {"__name__": "documentation"})


def test_linked_files_exist() -> None:
    for page in (*PAGES, ROOT / "CONTRIBUTING.md"):
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_commands_of_the_readme_name_real_files() -> None:
    text = (ROOT / "README.md").read_text()
    assert "-c constraints.txt" in text
    assert (ROOT / "constraints.txt").exists()
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


def test_the_results_page_states_what_it_rests_on() -> None:
    """Each rung beats the one below with an interval that excludes even play, and the page names its command."""
    page = (ROOT / "docs" / "baselines.md").read_text(encoding="utf-8")
    for words in ("python examples/ladder.py", "seed 0", "95 %", "core hours", "classic"):
        assert words in page
    ladder = page.partition("Beside the ladder")[0].splitlines()
    rungs = [line.strip("| ").split(" | ") for line in ladder if line.startswith("| `") and " over `" in line]
    assert [cells[0].partition(" ")[0] for cells in rungs] == ["`random_capped`", "`greedy`", "`heuristic`", "`pimc`"]
    for cells in rungs:
        low = re.search(r"\((-?[0-9.]+) to", cells[2])
        assert low is not None
        assert float(low.group(1)) > 0, cells[0]
        won = re.search(r"\((?:over )?([0-9.]+)", cells[6])
        assert won is not None
        assert float(won.group(1)) > 50, cells[0]
