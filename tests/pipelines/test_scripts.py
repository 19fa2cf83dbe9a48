"""Every script of ``examples/pipelines.toml`` runs in its smoke form, in an environment that has its library."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
PIPELINES = tomllib.loads((EXAMPLES / "pipelines.toml").read_text(encoding="utf-8"))
SCRIPTS = [(name, script) for name, facts in PIPELINES.items() for script in facts["scripts"]]


def skip_without(library: str) -> None:
    for each in PIPELINES[library]["requires"]:
        package = re.split(r"[\[=]", each)[0]
        try:
            version(package)
        except PackageNotFoundError:
            pytest.skip(f"needs {package}: nox -s 'pipelines({library})'")


@pytest.mark.parametrize(("library", "script"), SCRIPTS, ids=[script for _, script in SCRIPTS])
def test_no_steps_are_refused_before_anything_is_written(library: str, script: str, tmp_path: Path) -> None:
    skip_without(library)
    command = [sys.executable, str(EXAMPLES / script), "--steps", "0", "--folder", str(tmp_path / "run")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=120, check=False)
    assert done.returncode == 2
    assert "--steps" in done.stderr.splitlines()[-1]
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(("library", "script"), SCRIPTS, ids=[script for _, script in SCRIPTS])
def test_the_smoke_form_trains_saves_loads_and_evaluates(library: str, script: str, tmp_path: Path) -> None:
    skip_without(library)
    command = [sys.executable, str(EXAMPLES / script), "--smoke", "--folder", str(tmp_path / "run")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-5000:]
    assert re.search(r"^[\d,]+ environment steps in [\d.]+ s: [\d,]+ steps/s$", done.stdout, re.MULTILINE)
    assert re.search(r"points a deal", done.stdout)
    assert any((tmp_path / "run").rglob("*")), "nothing was saved"
