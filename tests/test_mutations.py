"""The record of mutations stays true: each fits the code of today, and the test that caught it exists."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MUTATIONS = tomllib.loads((ROOT / "tests" / "mutations.toml").read_text())["mutation"]


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation["breaks"])
def test_mutation_fits_the_code(mutation: dict[str, str]) -> None:
    assert (ROOT / mutation["file"]).read_text().count(mutation["from"]) == 1
    assert mutation["to"] != mutation["from"]
    path, name = mutation["caught_by"].split("::")
    assert f"def {name.partition('[')[0]}(" in (ROOT / path).read_text()
