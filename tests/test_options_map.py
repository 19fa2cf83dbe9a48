"""`tests/options.toml` says which test bears which option value; this holds it to the rules and to the test files.

The test files are read with `ast`, not run.
"""

import ast
import dataclasses
import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

from thousand_env import Rules, RulesError

ROOT = Path(__file__).resolve().parents[1]
MAP: dict[str, dict[str, str]] = tomllib.loads((ROOT / "tests" / "options.toml").read_text(encoding="utf-8"))
FIELDS = [field.name for field in dataclasses.fields(Rules)]
ENTRIES = [(option, value) for option, tests in MAP.items() for value in tests]

# Keys that are no literal values but words of the table: what stands for them here.
WORDS = {
    "any positive integer",
    "any",
    "any four",
    "a bid level",
    "others",
    "full deck",
    "S40 C60 D80 H100",
    "10, two players",
    "2, two players",
}
SWITCHES = {"True": True, "False": False, "None": None}


def literal(key: str) -> object:
    """The option value that a key of the map stands for."""
    if key in SWITCHES:
        return SWITCHES[key]
    return int(key) if key.lstrip("-").isdigit() else key


def slug(key: str) -> str:
    """A value as it appears in the name of a test."""
    return key.lower().replace("-", "minus_").replace(", ", "_").replace(" ", "_")


@cache
def names_in(file: str) -> set[str]:
    """Names of the test functions of a file."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    names = [node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
    assert len(names) == len(set(names)), f"{file} has two tests of one name"
    return set(names)


def test_every_field_of_rules_is_in_the_map() -> None:
    assert sorted(MAP) == sorted(FIELDS)


def test_every_option_file_belongs_to_an_option() -> None:
    files = {path.name for path in (ROOT / "tests" / "rules").glob("test_option_*.py")}
    assert files == {f"test_option_{option}.py" for option in FIELDS}


@pytest.mark.parametrize("option", MAP)
def test_the_default_comes_first(option: str) -> None:
    key = next(iter(MAP[option]))
    if key not in WORDS and option not in ("hand_size", "talon_size"):
        assert getattr(Rules(), option) == literal(key)
        assert type(getattr(Rules(), option)) is type(literal(key))


@pytest.mark.parametrize("option", MAP)
def test_switches_and_limits_list_both_sides(option: str) -> None:
    """An option with a value beside its default has at least two entries."""
    assert len(MAP[option]) >= 2


# What some values need to be free of contradictions.
NEEDS = {
    ("lock_at", "800"): {"barrel": False},
    ("lock_at", "900"): {"barrel": False},
    ("free_bombs", "1"): {"concede": "bid_60"},
    ("target", "1001"): {},
    ("ranks", "QKA"): {"hand_size": 3, "talon_size": 3, "min_bid": 10, "barrel": False},
    ("suits", "SH"): {"hand_size": 3, "talon_size": 3, "min_bid": 10, "barrel": False},
}


@pytest.mark.parametrize(("option", "value"), ENTRIES)
def test_every_value_is_accepted(option: str, value: str) -> None:
    if value not in WORDS:
        rules = Rules(**{option: literal(value)}, **NEEDS.get((option, value), {}))
        if option not in ("ranks", "suits"):
            assert getattr(rules, option) == literal(value)


@pytest.mark.parametrize("option", MAP)
def test_no_value_of_an_enumerated_option_is_missing(option: str) -> None:
    """The error for a bad word lists what is accepted; all of it is in the map."""
    default = getattr(Rules(), option)
    if not isinstance(default, str) or option in ("ranks", "suits"):
        return
    with pytest.raises(RulesError) as caught:
        Rules(**{option: "§"})
    quoted = set(re.findall(r"['\"`]([a-z0-9_]+)['\"`]", str(caught.value)))
    assert quoted - {option} == set(MAP[option])


@pytest.mark.parametrize(("option", "value"), ENTRIES)
def test_the_test_exists_and_bears_its_name(option: str, value: str) -> None:
    file, _, name = MAP[option][value].partition("::")
    assert (ROOT / file).is_file(), file
    assert name in names_in(file), f"{file} has no {name}"
    assert name.startswith(f"test_{option}_{slug(value)}")


def test_no_test_serves_two_values() -> None:
    ids = [test for tests in MAP.values() for test in tests.values()]
    assert len(ids) == len(set(ids))
