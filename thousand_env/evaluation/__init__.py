"""Measuring agents: duplicate deals, matches, cross-play, with intervals that say how sure the figures are.

``duplicate(a, b)`` plays every deal with every mixed seating of the agents and compares them on the same cards,
``matches(a, b)`` plays to the target, ``cross_play(agents)`` compares every two. Agents get Views only.
"""

from __future__ import annotations

from thousand_env.evaluation.comparing import cross_play, duplicate, matches
from thousand_env.evaluation.playing import AgentError
from thousand_env.evaluation.report import MatchReport, Report, Table
from thousand_env.evaluation.run_file import RunFileError
from thousand_env.evaluation.workers import WorkerError

__all__ = [
    "AgentError",
    "MatchReport",
    "Report",
    "RunFileError",
    "Table",
    "WorkerError",
    "cross_play",
    "duplicate",
    "matches",
]
