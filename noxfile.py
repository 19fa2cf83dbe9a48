"""Environments beside the one of the README: old and new libraries and Pythons, other pipelines, the package as built.

``nox -l`` lists the sessions, ``nox -s "pipelines(sb3)"`` runs one. Each makes a virtual environment of its own, where
``pip check`` has to find nothing. Pythons that are not installed are skipped; what stands after ``--`` goes to pytest.
"""

from __future__ import annotations

from pathlib import Path

import nox

nox.options.default_venv_backend = "venv"
nox.options.download_python = "never"

PYTEST = ["pytest", "-q", "-rs", "-p", "no:cacheprovider"]
PYTHONS = nox.project.python_versions(nox.project.load_toml("pyproject.toml"))
CONSTRAINTS = {"lowest": "constraints-lowest.txt", "newest": "constraints.txt"}
TORCH = "torch==2.13.0"  # named with each library, so that none brings another
PIPELINES = nox.project.load_toml("examples/pipelines.toml")
TOGETHER = [name for name, facts in PIPELINES.items() if facts.get("together")]

CORE = ["agents", "cli", "compiled", "episodes", "golden", "no_leak", "observation", "picture", "properties"]
CORE += ["records", "render", "returns", "worlds"]
ENVIRONMENTS = ["aec", "field", "parallel", "single", "vector"]  # with all files whose names begin so
CONFORMANCE = [
    "tests/rules",
    *(f"tests/test_{name}.py" for name in CORE),
    *(str(path) for name in ENVIRONMENTS for path in sorted(Path("tests").glob(f"test_{name}*.py"))),
]


@nox.session(python=PYTHONS)
@nox.parametrize("libraries", list(CONSTRAINTS), ids=list(CONSTRAINTS))
def conformance(session: nox.Session, libraries: str) -> None:
    """The game and its environments on the oldest libraries that pyproject.toml allows, and on the newest."""
    session.install("-c", "constraints.txt", "hypothesis", "pytest", "pytest-xdist")
    session.install("-c", CONSTRAINTS[libraries], "-e", ".[cli,picture]", "scipy")
    session.run("pip", "check")
    session.run("pip", "freeze", "--exclude-editable")
    tests = session.posargs or ["-n", "2", "--dist", "worksteal", *CONFORMANCE]
    session.run(*PYTEST, *tests, env={"NUMBA_CACHE_DIR": session.create_tmp()})  # empty, as the environment is new


@nox.session
@nox.parametrize("library", ["together", *PIPELINES], ids=["together", *PIPELINES])
def pipelines(session: nox.Session, library: str) -> None:
    """The scripts and tests of a table of examples/pipelines.toml, or of all that install together."""
    make_pipeline(session, TOGETHER if library == "together" else [library])
    session.run(*PYTEST, "-m", "integration", "tests/pipelines", *session.posargs)
    session.run(*PYTEST, "tests/test_docs.py", "-k", "pipelines.md")  # what the page says of each


@nox.session(default=False)
@nox.parametrize("library", list(PIPELINES), ids=list(PIPELINES))
def figures(session: nox.Session, library: str) -> None:
    """The full forms of a library's scripts, measured, and the table of docs/pipelines.md: takes long."""
    make_pipeline(session, [library])
    session.install("py-spy")
    session.run("python", ".ci/pipeline_figures.py", library, "--page", *session.posargs)


@nox.session
def wheel(session: nox.Session) -> None:
    """The wheel and the source archive: what is in them, and whether the wheel works where nothing else is."""
    session.install("-c", "constraints.txt", "build", "hatchling", "pytest")
    session.run(*PYTEST, "-m", "", "tests/test_wheel.py", *session.posargs)


def make_pipeline(session: nox.Session, libraries: list[str]) -> None:
    """The environment of some tables, in the order of examples/README.md: torch before all, the libraries last."""
    session.install(TORCH)
    tables = [PIPELINES[name] for name in libraries]
    for table in tables:
        if "before" in table:
            session.install(*table["before"])
        if "prepare" in table:
            session.run("python", "-c", table["prepare"])
    session.install("-e", ".[cli,eval,torch]", "pytest")
    # Those that install together are asked for at once, so that pip sees them all.
    [first, *others] = tables
    requires = dict.fromkeys(each for table in tables for each in table["requires"])
    assert not others or not any("options" in table or "environment" in table for table in tables)
    session.install(*first.get("options", []), TORCH, *requires, env=first.get("environment"))
    session.run("pip", "check")
