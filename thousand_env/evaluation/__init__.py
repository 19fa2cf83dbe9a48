"""Measuring agents: duplicate deals, matches, cross-play, with intervals that say how sure the figures are."""

from __future__ import annotations

from thousand_env.evaluation.report import MatchReport, Report, Table

__all__ = ["MatchReport", "Report", "Table"]
