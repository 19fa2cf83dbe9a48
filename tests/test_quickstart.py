"""The notebook ``examples/quickstart.ipynb``: it runs from top to bottom, shows what it says, and is stored bare.

Nothing is installed and no network is asked: everything is there, and ``pip`` is told that it may not look anywhere.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

# ruff: noqa: E402, what needs the extra is imported after it has been looked for

nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
for name in ("torch", "safetensors", "matplotlib"):
    pytest.importorskip(name)

import nbformat

NOTEBOOK = Path(__file__).resolve().parents[1] / "examples" / "quickstart.ipynb"


@pytest.fixture(scope="module")
def notebook() -> Any:
    return nbformat.read(NOTEBOOK, as_version=4)


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What each cell of code has shown, as text."""
    read = nbformat.read(NOTEBOOK, as_version=4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIP_NO_INDEX", "1")
        patch.setenv("IPYTHONDIR", str(tmp_path_factory.mktemp("ipython")))
        client = nbclient.NotebookClient(read, timeout=600, resources={"metadata": {"path": str(NOTEBOOK.parent)}})
        client.execute()
    return ["".join(map(shown, cell.outputs)) for cell in read.cells if cell.cell_type == "code"]


def shown(output: Any) -> str:
    return str(output.text if output.output_type == "stream" else output.data)


def test_it_is_stored_without_results(notebook: Any) -> None:
    nbformat.validate(notebook)
    for cell in notebook.cells:
        assert cell.metadata == {}
        if cell.cell_type == "code":
            assert cell.outputs == []
            assert cell.execution_count is None
    assert notebook.metadata.keys() == {"kernelspec", "language_info"}
    assert NOTEBOOK.stat().st_size < 10_000


def test_it_runs_and_shows_a_match_an_agent_an_evaluation_and_pictures(outputs: list[str]) -> None:
    install, match, table, thoughts, report, picture = outputs
    assert install == ""
    assert "winner" in match
    assert "image/svg+xml" in table
    assert "distill" in table
    assert "contract" in thoughts
    assert "distill against greedy: " in report
    assert "image/svg+xml" in picture


def test_links_lead_somewhere(notebook: Any) -> None:
    for cell in notebook.cells:
        for target in re.findall(r"\]\(([^)#:]+)\)", cell.source):
            assert (NOTEBOOK.parent / target).exists(), target
