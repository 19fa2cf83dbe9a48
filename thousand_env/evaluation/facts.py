"""What every result states beside its figures: rules, seed, keywords, versions, machine, time."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from typing import Any

import numba
import numpy as np

from thousand_env.evaluation.running import How, Run
from thousand_env.evaluation.units import Units
from thousand_env.rules import Rules


def facts(units: Units, run: Run, how: How, keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Of a run: plain data. No name of the machine and none of its user."""
    import thousand_env

    settings = units.settings()
    decisions = sum(sum(unit["decisions"]) for unit in run.units)
    played = sum(unit["wall"] for unit in run.units)
    rules = Rules.from_dict(settings["rules"])
    return {
        "players": rules.players,
        "rules": settings["rules"],
        "rules_changes": rules.changes(),
        **{name: value for name, value in settings.items() if name not in ("rules", "agents", "version")},
        **keywords,
        "versions": {
            "thousand_env": thousand_env.__version__,
            "Python": platform.python_version(),
            "numpy": np.__version__,
            "numba": numba.__version__,
        },
        "machine": f"{platform.machine()} {platform.system()}, {os.cpu_count()} cores",
        "workers": how.workers or "all",
        "executor": how.executor,
        "file": None if how.file is None else os.fspath(how.file),
        "wall_seconds": run.wall,
        "played_seconds": played,
        "decisions": decisions,
        "decisions_per_second": decisions / played if played > 0 else None,
        **({} if run.failure is None else {"write_error": run.failure.strerror}),
        "interval": "95 %, percentile bootstrap over deals or match seeds",
    }
