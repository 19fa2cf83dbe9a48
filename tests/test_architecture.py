"""The house: which module may import which, read from the imports themselves."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import thousand_env

PACKAGE = Path(thousand_env.__file__).parent
ROOT = PACKAGE.parent

# From the ground up: a module imports from its own storey only where that says so, and from those below.
STOREYS: list[set[str]] = [
    {"cards", "registration", "missing", "__version__"},
    {"options", "presets"},
    {"contradictions"},
    {"rules"},
    {"actions", "rules_record", "layout"},
    {"engine"},
    {"seeding", "rewards", "keywords"},
    {"sheet", "position"},
    {"game_bytes", "view"},
    {"game"},
    {"observation", "records", "agents", "episodes"},
    {"render", "starts", "desk", "solver", "lockstep", "policy_agent"},
    {"batch", "compiled"},
    {"opponents", "settings", "saved_games"},
    {"single", "vector", "aec"},
    {"single_vector", "aec_checked", "open_spiel", "pufferlib", "rlcard", "torchrl"},
    {"parallel", "stable_baselines3"},
    {"thousand_v0"},
    {"evaluation"},
    {"datasets"},
    {"bench"},
    {"cli"},
    {"__main__"},
]
ENVIRONMENTS = {
    "aec",
    "aec_checked",
    "parallel",
    "registration",
    "settings",
    "single",
    "single_vector",
    "thousand_v0",
    "vector",
}  # may import the libraries whose environments they are
ADAPTERS = {"open_spiel", "pufferlib", "rlcard", "stable_baselines3", "torchrl"}
"""Need a library that nothing else needs, so nothing imports them."""
ENGINE_STOREYS: list[set[str]] = [
    {"interpreted"},
    {"compiler"},
    {"bits"},
    {"state"},
    {"deck", "auction"},
    {"exchange", "tricks", "scoring"},
    {"step"},
    {"playout", "redact", "replay", "carry"},
    {"observe"},
    {"fillings", "tokens", "forms", "sight"},
    {"knowledge"},
    {"kernels", "worlds", "batch", "single_step"},
]


def imports(path: Path) -> set[str]:
    """Names of our modules that a file imports when it runs; imports for type checkers alone do not count."""
    found = set()
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            node.body = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in ("thousand_env", "baselines"):
            found |= {_imported(node.module or "", alias.name) for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name.split(".")[0] in ("thousand_env", "baselines")}
    return found


def _imported(module: str, name: str) -> str:
    """The module that ``from module import name`` imports: of a package, the module of that name if there is one."""
    is_top = module == "thousand_env"
    is_module = (ROOT / Path(*module.split("."), f"{name}.py")).exists()
    return f"{module}.{name}" if is_top or is_module else module


def storey(name: str, storeys: list[set[str]]) -> int:
    for height, names in enumerate(storeys):
        if name in names:
            return height
    raise AssertionError(f"module {name} has no storey: give it one")


FILES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_arrows_point_down(path: Path) -> None:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    own = storey(parts[0], STOREYS)
    for name in imports(path):
        top, *rest = name.split(".")
        assert top != "baselines", f"{path} imports {name}"
        if not rest:
            continue
        other = storey(rest[0], STOREYS)
        if parts[0] == rest[0] == "engine" and len(rest) > 1 and parts[1] != "__init__":
            assert storey(rest[1], ENGINE_STOREYS) < storey(parts[1], ENGINE_STOREYS) or rest[1] == parts[1], name
        elif parts[0] != rest[0]:
            assert other < own, f"{path} imports {name} from above"
        else:
            assert other <= own, f"{path} imports {name} from above"


def test_rules_import_neither_rendering_nor_other_libraries() -> None:
    forbidden = {"rich", "torch", "pettingzoo", "gymnasium", "matplotlib", "tyro"}
    forbidden |= {"pufferlib", "pyspiel", "rlcard", "stable_baselines3", "tensordict", "torchrl"}
    for path in FILES:
        top = path.relative_to(PACKAGE).parts[0]
        if top in ("cli", "render") or top.removesuffix(".py") in ADAPTERS:
            continue
        allowed = {"gymnasium", "pettingzoo"} if path.stem in ENVIRONMENTS else set()
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
            assert not {name.split(".")[0] for name in names} & forbidden - allowed, f"{path} imports {names}"


def test_nothing_imports_what_needs_another_library() -> None:
    for path in (*FILES, *(ROOT / "baselines").rglob("*.py")):
        if path.relative_to(ROOT).parts[1].removesuffix(".py") not in ADAPTERS:
            assert not {part for name in imports(path) for part in name.split(".")[1:2]} & ADAPTERS, path


def test_no_import_cycles() -> None:
    graph = {}
    for path in FILES:
        name = ".".join(("thousand_env", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")
        graph[name] = imports(path)
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, f"import cycle: {' -> '.join((*trail, name))}"
        if name in done or name not in graph:
            return
        for other in graph[name]:
            visit(other, (*trail, name))
        done.add(name)

    for name in graph:
        visit(name, ())


PUBLIC = ("", ".agents", ".compiled", ".datasets", ".evaluation", ".observation", ".records", ".solver", ".thousand_v0")


def test_baselines_and_examples_use_public_names() -> None:
    public = {f"thousand_env{name}" for name in PUBLIC} | {f"thousand_env.{name}" for name in ADAPTERS}
    for folder in ("baselines", "examples"):
        for path in (ROOT / folder).rglob("*.py"):
            for name in imports(path):
                home = name.rsplit(".", 1)[0] if name.startswith("thousand_env.") and name not in public else name
                assert home in public or name.startswith("baselines"), f"{path} imports {name}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_files_open_with_what_they_are_and_stay_short(path: Path) -> None:
    text = path.read_text()
    assert ast.get_docstring(ast.parse(text)), f"{path} has no docstring"
    assert text.count("\n") <= 450, f"{path} is long: does it still have one subject?"
