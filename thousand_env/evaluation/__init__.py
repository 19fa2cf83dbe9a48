"""Measuring agents: duplicate deals, matches, cross-play, with intervals that say how sure the figures are.

``duplicate(a, b)`` plays every deal with every mixed seating of the agents and compares them on the same cards,
``matches(a, b)`` plays to the target, ``cross_play(agents)`` compares every two, ``ratings(table)`` puts them in order.
Agents get Views only. Small games are solved exactly: ``nash_conv``, ``expected_values`` and ``best_response``; in the
full game the last has a responder trained.
"""

from __future__ import annotations

from thousand_env.evaluation.best_response import (
    BestResponse,
    Responder,
    TableAgent,
    best_response,
    installed_responders,
)
from thousand_env.evaluation.comparing import Options, Player, cross_play, duplicate, matches
from thousand_env.evaluation.control import ControlError
from thousand_env.evaluation.nash import NashConv, expected_values, nash_conv
from thousand_env.evaluation.playing import AgentError
from thousand_env.evaluation.ratings import Ratings, Triple, intransitive_triples, ratings
from thousand_env.evaluation.report import MatchReport, Report, Table
from thousand_env.evaluation.run_file import RunFileError, RunWriteError
from thousand_env.evaluation.small_game import SmallGame
from thousand_env.evaluation.workers import WorkerError

__all__ = [
    "AgentError",
    "BestResponse",
    "ControlError",
    "MatchReport",
    "NashConv",
    "Options",
    "Player",
    "Ratings",
    "Report",
    "Responder",
    "RunFileError",
    "RunWriteError",
    "SmallGame",
    "Table",
    "TableAgent",
    "Triple",
    "WorkerError",
    "best_response",
    "cross_play",
    "duplicate",
    "expected_values",
    "installed_responders",
    "intransitive_triples",
    "matches",
    "nash_conv",
    "ratings",
]
