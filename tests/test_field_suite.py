"""The package and its tests as files: nothing binary, quick imports, docstrings that run, seeded tests."""

from __future__ import annotations

import ast
import doctest
import importlib
import os
import pkgutil
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import gymnasium.vector
import pytest

import baselines
import thousand_env
import thousand_env.cards
import thousand_env.rules

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = (thousand_env, baselines)
MODULES = [
    each.name
    for package in PACKAGES
    for each in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if not each.name.endswith("__main__")
]
if not hasattr(gymnasium.vector, "AutoresetMode"):
    for each in ("single_vector", "stable_baselines3"):
        MODULES.remove(f"thousand_env.{each}")  # the first says that it needs gymnasium 1.1, and the second needs it


def can_be_imported(name: str) -> bool:
    """Not where a module needs a library that is not installed here."""
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in ("thousand_env", "baselines"):
            raise
        return False
    return True


MODULES = [name for name in MODULES if can_be_imported(name)]


# Importing


def test_the_package_is_imported_in_no_time() -> None:
    """Less than 0.3 s in a fresh process, Python's own start not counted, and without any other library."""
    heavy = ("numpy", "numba", "gymnasium", "pettingzoo", "torch", "pygame", "matplotlib", "PIL", "rich", "scipy")
    program = f"""
import sys, time
begun = time.perf_counter()
import thousand_env
print(time.perf_counter() - begun, *[name for name in {heavy} if name in sys.modules])
"""
    times = []
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
        seconds, *loaded = done.stdout.split()
        assert loaded == []
        times.append(float(seconds))
    assert min(times) < 0.3


def test_examples_in_docstrings_run() -> None:
    for name in MODULES:
        assert doctest.testmod(importlib.import_module(name)).failed == 0, name


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_every_module_can_be_the_first_to_be_imported() -> None:
    program = """
import importlib, os, sys, traceback
import gymnasium, numba, numpy, pettingzoo
for name in sys.argv[1:]:
    child = os.fork()
    if child == 0:
        try:
            importlib.import_module(name)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        sys.exit(f"{name} cannot be imported first")
"""
    names = [name for name in MODULES if name.count(".") == 1]
    done = subprocess.run([sys.executable, "-c", program, *names], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


# Files


def test_there_is_nothing_binary() -> None:
    """But weights, each with what it is beside it, and their curves; tests/test_weights.py says more of them."""
    weights = Path(baselines.__path__[0]) / "weights"
    for package in PACKAGES:
        for path in Path(package.__path__[0]).rglob("*"):
            if not path.is_file() or "__pycache__" in path.parts:
                continue
            if path.parent == weights and path.suffix in (".safetensors", ".png"):
                assert path.with_suffix(".json").is_file(), path
                continue
            assert path.suffix == ".py" or path.name == "py.typed" or path.parent == weights, path
            path.read_text(encoding="utf-8")


def test_what_is_not_modelled_is_said_first() -> None:
    assert thousand_env.rules.__doc__ is not None
    assert "Not modelled" in thousand_env.rules.__doc__.split("\n\n")[1]


def test_there_is_one_order_of_suits_and_ranks() -> None:
    """Written out in one place, and every other module has it from there."""
    orders = ("SCDH", "9JQKTA")
    for name in MODULES:
        source = Path(importlib.import_module(name).__file__ or "").read_text(encoding="utf-8")
        written = {node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)}
        assert name in ("thousand_env.cards", "thousand_env.rules") or not written & {*orders}, name
    assert orders == (thousand_env.cards.SUITS, thousand_env.cards.RANKS)
    for suit, rank in ((suit, rank) for suit in range(4) for rank in range(6)):
        text = orders[1][rank] + orders[0][suit]
        assert thousand_env.card_id(text) == 6 * suit + rank
        assert thousand_env.card_name(6 * suit + rank) == text
        assert thousand_env.card_pretty(6 * suit + rank) == text[0].replace("T", "10") + "♠♣♦♥"[suit]


def test_the_oldest_libraries_that_are_tried_are_those_that_are_allowed() -> None:
    """``constraints-lowest.txt`` pins what ``pyproject.toml`` allows, and ``constraints.txt`` something newer."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    allowed = dict(re.split(">=", each) for each in [*project["dependencies"], *extras["cli"], *extras["picture"]])
    tried, later = pinned("constraints-lowest.txt")
    newest, _ = pinned("constraints.txt")
    assert {"gymnasium", "pettingzoo", "numpy", "numba"} < set(allowed) <= set(tried)
    for name, lowest in allowed.items():
        assert tried[name].startswith(lowest.removesuffix(".0")), name
        assert numbers(tried[name]) < numbers(newest[name])
    for name, version in later.items():  # of a Python for which the lowest was not made
        assert numbers(tried[name]) < numbers(version) < numbers(newest[name])


def pinned(name: str) -> tuple[dict[str, str], dict[str, str]]:
    """Versions of a file of constraints: those of the oldest Python, and those for later ones alone."""
    found = re.findall(r"^([\w-]+)==([\d.]+)(.*)", (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
    later = {name: version for name, version, marker in found if ">=" in marker}
    return {name: version for name, version, marker in found if ">=" not in marker}, later


def numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


# Tests


def calls(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func), node


DRAWS = ("random", "randrange", "randint", "choice", "choices", "shuffle", "sample", "uniform", "getrandbits")
DRAWS += ("rand", "randn", "integers", "permutation")
GLOBAL_DRAWS = {f"{module}.{name}" for module in ("random", "np.random") for name in DRAWS}


def test_tests_draw_from_seeded_generators() -> None:
    """So that what passes once passes always: no generator without a seed, no global one, no random examples."""
    for path in (ROOT / "tests").rglob("*.py"):
        check_seeded(path)


def check_seeded(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    for name, call in calls(ast.parse(source)):
        if name in ("random.Random", "np.random.default_rng", "numpy.random.default_rng", "default_rng"):
            assert call.args or call.keywords, f"{path.name}:{call.lineno} has no seed"
        assert name not in GLOBAL_DRAWS, f"{path.name}:{call.lineno} draws from the global generator"
        if name == "settings":
            derived = call.args and ast.unparse(call.args[0]).isupper()  # from settings that say so
            assert derived or "derandomize=True" in ast.unparse(call), f"{path.name}:{call.lineno}"
    assert "@given" not in source or "derandomize=True" in source, path.name
