"""Files of learned agents for tests, read whether or not the installed package has its newest entry points."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points

import pytest

from thousand_env import agents


def declare_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let files of learned agents be known by their ending."""
    reader = EntryPoint("safetensors", "baselines.learned:load_agent", agents.FILE_GROUP)
    monkeypatch.setattr(
        agents, "entry_points", lambda group: [reader] if group == agents.FILE_GROUP else entry_points(group=group)
    )
