"""What the modules for other libraries say where the library is missing."""

from __future__ import annotations

import subprocess
import sys

import pytest

from thousand_env.missing import not_installed

LIBRARIES = {
    "open_spiel": ("pyspiel", "pip install open_spiel"),
    "pufferlib": ("pufferlib", "examples/README.md"),
    "rlcard": ("rlcard", "pip install rlcard"),
    "stable_baselines3": ("stable_baselines3", "pip install sb3-contrib"),
    "torchrl": ("torchrl", "pip install torchrl"),
}


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_missing_library_is_one_line_that_says_what_to_install(name: str) -> None:
    """In a process of its own in which the library cannot be found, installed or not."""
    library, install = LIBRARIES[name]
    hidden = f"""
import sys
class Hide:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == {library!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Hide())
import thousand_env.{name}
"""
    done = subprocess.run([sys.executable, "-c", hidden], capture_output=True, text=True, check=False)
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith(f"ModuleNotFoundError: {library} is not installed: ")
    assert install in last


def test_a_broken_library_is_not_called_missing() -> None:
    error = ModuleNotFoundError("No module named 'inner'", name="inner")
    assert not_installed(error, "outer", "pip install outer") is error
    found = not_installed(ModuleNotFoundError("x", name="outer.part"), "outer", "pip install outer")
    assert (str(found), found.name) == ("outer is not installed: pip install outer", "outer")
