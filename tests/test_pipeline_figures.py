"""The program behind docs/pipelines.md: what it reads from a run, and that the page is in step with the table."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
PROGRAM = runpy.run_path(str(ROOT / ".ci" / "pipeline_figures.py"))
OURS, OPPONENTS = f"step ({ROOT}/thousand_env/aec.py:3)", f"act ({ROOT}/baselines/greedy.py:7)"
ASKED = f"choose ({ROOT}/thousand_env/opponents.py:5)"


def test_shares_count_the_learning_loop_alone() -> None:
    stacks = [
        "process 1;main (/x/a.py:1);train (/x/a.py:9);learn (/lib/torch.py:3) 6",
        f"process 1;main (/x/a.py:1);train (/x/a.py:9);{OURS} 3",
        f"process 1;main (/x/a.py:1);train (/x/a.py:9);{OURS};{OPPONENTS} 1",
        f"process 1;main (/x/a.py:1);train (/x/a.py:9);{OURS};{ASKED} 2",
        f"process 1;main (/x/a.py:2);evaluate (/x/a.py:30);{OURS} 50",
        f"process 2;worker (/lib/ray.py:1);sample (/lib/runner.py:5);{OURS} 10",
    ]
    found = PROGRAM["shares"](stacks, ["train (/x/a.py:"])
    assert found == {"ours": 3 / 12, "opponents": 3 / 12, "looks": 12}
    assert PROGRAM["shares"](stacks, ["train (/x/a.py:", "sample (/lib/"])["ours"] == 13 / 22
    with pytest.raises(SystemExit, match="no look has found the learning loop: nowhere"):
        PROGRAM["shares"](stacks, ["nowhere"])


def test_what_a_script_prints() -> None:
    output = """reward 0.3
20,480 environment steps in 12.8 s: 1,600 steps/s
PolicyAgent against random: +103.2 points a deal, 95 % (98.0 to 108.5), 300 deals
in raw points +48.0"""
    assert PROGRAM["printed"](output) == {
        "steps": 20480,
        "seconds": 12.8,
        "steps_per_second": 1600.0,
        "against_random": [103.2, 98.0, 108.5],
        "deals": 300,
    }
    with pytest.raises(SystemExit, match="line of steps and seconds"):
        PROGRAM["printed"]("nothing")


def figures_and_pipelines() -> tuple[Any, Any]:
    figures = json.loads(PROGRAM["FIGURES"].read_text(encoding="utf-8"))
    return PROGRAM["tomllib"].loads(PROGRAM["TABLE"].read_text(encoding="utf-8")), figures


def test_the_page_is_in_step_with_the_table_and_the_figures() -> None:
    pipelines, figures = figures_and_pipelines()
    page = PROGRAM["PAGE"].read_text(encoding="utf-8")
    assert PROGRAM["libraries"](pipelines) in page
    assert PROGRAM["measured"](pipelines, figures) in page


def test_every_full_form_beats_random() -> None:
    pipelines, figures = figures_and_pipelines()
    assert set(figures) <= {script for facts in pipelines.values() for script in facts["scripts"]}
    for script, found in figures.items():
        assert found["against_random"][1] > 0, script
