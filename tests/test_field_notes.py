"""``tests/field_notes.toml`` maps every row of the project's field notes to tests that exist, or says why to none.

The test files are read with ``ast``, not run.
"""

from __future__ import annotations

import ast
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
ROWS: list[dict[str, Any]] = tomllib.loads((ROOT / "tests" / "field_notes.toml").read_text(encoding="utf-8"))["row"]

# The numbers of the field notes, which are not in this repository; those left out stand for no row there.
MISSING = {16, 25, 30, 39, 49, 53, 56, 58, 60, 66, 79, 82, 98}
NUMBERS = [
    name
    for number in range(1, 105)
    if number not in MISSING
    for name in [str(number), *{59: ["59a"], 90: ["90a", "90b"]}.get(number, [])]
]


@cache
def names_in(file: str) -> set[str]:
    """Names of the tests of a file: functions, and methods of classes as ``Class::name``."""
    names = set()
    for node in ast.parse((ROOT / file).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            names |= {f"{node.name}::{each.name}" for each in node.body if isinstance(each, ast.FunctionDef)}
    return {name for name in names if name.rpartition("::")[2].startswith("test_")}


def test_every_row_is_there_once_and_in_order() -> None:
    assert [row["number"] for row in ROWS] == NUMBERS


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["number"])
def test_the_tests_of_a_row_exist(row: dict[str, Any]) -> None:
    assert set(row) in ({"number", "note", "tests"}, {"number", "note", "why_not"})
    for text in (row["note"], row.get("why_not", "-")):
        assert text.strip() == text != ""
        assert "\n" not in text
    tests = row.get("tests", [])
    assert isinstance(tests, list)
    assert len(tests) == len(set(tests))
    assert tests or "why_not" in row
    for test in tests:
        file, _, name = test.partition("::")
        assert file.startswith(("tests/test_", "tests/rules/test_")), test
        assert (ROOT / file).is_file(), f"there is no {file}"
        assert name in names_in(file), f"{file} has no test {name!r}"
