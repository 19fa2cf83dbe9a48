"""Baselines: agents to play against, to learn from and to measure others by; one file per algorithm.

Agents are loaded by name through the entry points of ``thousand_env.agents``, so that the same call finds agents of
other packages. Nothing in ``thousand_env`` imports this package.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from thousand_env import agents
from thousand_env.agents import Agent, available, names_a_class

__all__ = ["available", "load"]


def load(name_or_path: str | os.PathLike[str], **options: Any) -> Agent:
    """A new agent by its name, one of ``available()`` or your own as ``module:Class``, or by the path of saved weights.

    It is made with the given options. What has a folder or a file ending in it is a path; ``baselines.learned`` says
    what such a file is and which options there are. Raises ``FileNotFoundError`` for a path that does not exist,
    ``ValueError`` for one that no agent can be read from, and whatever ``thousand_env.agents.load`` raises.
    """
    if not isinstance(name_or_path, str | os.PathLike):
        raise TypeError(f"agent {name_or_path!r:.60} is not accepted: use a name or the path of a file")
    if isinstance(name_or_path, str) and (name_or_path in available() or not _looks_like_path(name_or_path)):
        return agents.load(name_or_path, **options)
    path = Path(name_or_path)
    if not path.exists():
        raise FileNotFoundError(f"agent {str(path)!r}: there is no such file, and no agent has this name ({_names()})")
    if path.suffix not in agents.file_endings() or not path.is_file():
        accepted = " or ".join(f"*{ending}" for ending in agents.file_endings()) or "none that is installed"
        raise ValueError(f"agent {str(path)!r} cannot be read: saved agents are files {accepted}")
    return agents.load(str(path), **options)


def _looks_like_path(text: str) -> bool:
    if names_a_class(text):
        return Path(text).exists()
    return any(mark in text for mark in (".", "/", os.sep)) or Path(text).exists()


def _names() -> str:
    return ", ".join(available()) or "none is installed"
