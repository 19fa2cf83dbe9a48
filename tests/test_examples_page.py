"""examples/README.md: every file of the folder in a line, and how the environment of each library is made.

The lines come from what the scripts say of themselves and from ``examples/pipelines.toml``, as ``noxfile.py`` has the
environments from there. After a change: ``python -m tests.test_examples_page --write``.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "examples"
PAGE = FOLDER / "README.md"
MARKS = ("<!-- scripts -->", "<!-- end of scripts -->")
PIPELINES: dict[str, dict[str, Any]] = tomllib.loads((FOLDER / "pipelines.toml").read_text(encoding="utf-8"))
OF_LIBRARIES = {script for facts in PIPELINES.values() for script in facts["scripts"]}
OWN = sorted(path.name for path in FOLDER.glob("*.py") if path.name not in OF_LIBRARIES)
TORCH = "torch==2.13.0"
KEYS = {"title", "requires", "together", "mask", "observation", "works", "notes", "scripts"}
KEYS |= {"before", "prepare", "options", "environment", "loops"}


def docstring(script: str) -> str:
    return ast.get_docstring(ast.parse((FOLDER / script).read_text(encoding="utf-8"))) or ""


def line(script: str) -> str:
    """The sentence with which a script begins."""
    sentence = docstring(script).partition("\n")[0].partition(" Run:")[0].rstrip(".")
    assert sentence, f"{script} does not say what it is"
    return f"- [`{script}`]({script}): {sentence.replace('``', '`')}"


def command(script: str) -> str:
    """What a script of this package says after ``Run:``."""
    found = re.search(r"Run:\s+(python examples/.*)", docstring(script))
    assert found, f"{script} does not say how it is run: Run: python examples/{script}"
    return found[1]


def quoted(words: Iterable[str]) -> str:
    return " ".join(word if re.fullmatch(r"[\w.=-]+", word) else f'"{word}"' for word in words)


def set_up(name: str, tables: list[dict[str, Any]]) -> str:
    """One line that makes the environment of some tables as ``noxfile.py`` does, without its tests."""
    steps = [f"python3 -m venv .venv-{name}", f". .venv-{name}/bin/activate", f"pip install {TORCH}"]
    for table in tables:
        if "before" in table:
            steps.append(f"pip install {quoted(table['before'])}")
        if "prepare" in table:
            steps.append(f'python -c "{table["prepare"]}"')
    steps.append('pip install -e ".[cli,eval,torch]"')
    variables = [f"{name}={value}" for table in tables for name, value in table.get("environment", {}).items()]
    pip = "$VIRTUAL_ENV/bin/pip" if variables else "pip"  # where PATH is another
    options = [word for table in tables for word in table.get("options", [])]
    requires = dict.fromkeys(each for table in tables for each in table["requires"])
    steps.append(" ".join([*variables, pip, "install", quoted([*options, TORCH, *requires])]))
    return " && ".join(steps)


def generated() -> str:
    """What stands between the marks."""
    alone = 'python3 -m venv .venv && . .venv/bin/activate && pip install -c constraints.txt -e ".[train]"'
    text = ["## With this package alone", "", "```", alone, "```", ""]
    text += [f"{line(script)}  \n  `{command(script)}`" for script in OWN]
    for name, facts in PIPELINES.items():
        runs = [" ".join(["python", f"examples/{script}", *flags]) for script, flags in facts["scripts"].items()]
        text += ["", f"## {facts['title']} (`{name}`)", "", "```", set_up(name, [facts]), *runs, "```", ""]
        text += [line(script) for script in facts["scripts"]]
    together = {name: facts for name, facts in PIPELINES.items() if facts.get("together")}
    titles = ", ".join(facts["title"] for facts in together.values())
    text += ["", "## Several in one environment (`together`)", "", f"These install beside each other: {titles}.", ""]
    text += ["```", set_up("together", [*together.values()]), "```"]
    return "\n".join(text)


def test_the_page_is_in_step_with_the_folder() -> None:
    written = PAGE.read_text(encoding="utf-8").partition(MARKS[0])[2].partition(MARKS[1])[0].strip()
    assert written == generated(), "python -m tests.test_examples_page --write"


def test_the_page_names_every_file() -> None:
    linked = re.findall(r"\]\(([^)#:]+)\)", PAGE.read_text(encoding="utf-8"))
    assert {path.name for path in FOLDER.iterdir() if path.suffix in (".py", ".ipynb")} <= set(linked)
    for target in linked:
        assert (FOLDER / target).exists(), target


@pytest.mark.parametrize("name", PIPELINES)
def test_a_table_has_what_is_read_of_it(name: str) -> None:
    facts = PIPELINES[name]
    assert {"title", "requires", "scripts"} <= set(facts) <= KEYS
    assert facts["scripts"], "no script"
    assert "==" in facts["requires"][0], "of which version is what is said here?"
    assert '"' not in facts.get("prepare", "")


@pytest.mark.parametrize(
    ("name", "script"), [(name, each) for name in PIPELINES for each in PIPELINES[name]["scripts"]]
)
def test_a_script_names_what_its_environment_has(name: str, script: str) -> None:
    found = re.search(r"^Needs: (.*) \(set up: examples/README\.md\)", docstring(script), re.MULTILINE)
    assert found, f"{script} does not say what it needs"
    assert found[1].split(", ") == [each.partition("==")[0] for each in PIPELINES[name]["requires"]]


def test_a_script_is_of_one_library() -> None:
    named = [script for facts in PIPELINES.values() for script in facts["scripts"]]
    assert len(named) == len(set(named))


def test_what_a_table_asks_for_stands_in_the_line() -> None:
    facts = {"before": ["numpy<2"], "prepare": "print('x')", "requires": ["a[b]==1", "c==2"]}
    facts |= {"options": ["--no-build-isolation"], "environment": {"PATH": "/bin"}}
    assert set_up("x", [facts]) == (
        "python3 -m venv .venv-x && . .venv-x/bin/activate && pip install torch==2.13.0 && "
        'pip install "numpy<2" && python -c "print(\'x\')" && pip install -e ".[cli,eval,torch]" && '
        'PATH=/bin $VIRTUAL_ENV/bin/pip install --no-build-isolation torch==2.13.0 "a[b]==1" c==2'
    )


def test_nox_makes_the_environment_of_each_table() -> None:
    pytest.importorskip("nox")
    listed = [sys.executable, "-m", "nox", "-f", str(ROOT / "noxfile.py"), "--list", "--json"]
    found = json.loads(subprocess.run(listed, capture_output=True, check=True, cwd=ROOT).stdout)
    assert f'TORCH = "{TORCH}"' in (ROOT / "noxfile.py").read_text(encoding="utf-8")
    assert TORCH in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert {f"pipelines({name})" for name in ("together", *PIPELINES)} <= {each["session"] for each in found}


if __name__ == "__main__" and sys.argv[1:] == ["--write"]:
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(MARKS[0])
    after = rest.partition(MARKS[1])[2]
    PAGE.write_text(f"{before}{MARKS[0]}\n{generated()}\n{MARKS[1]}{after}", encoding="utf-8")
