"""``thousand bench evaluation``: what an evaluation costs beside its agents, for each decision."""

from __future__ import annotations

import time
from typing import Final

from thousand_env.bench.measuring import RUNS, Metrics, Progress, summary
from thousand_env.evaluation.cast import Cast
from thousand_env.evaluation.deal_report import deal_report
from thousand_env.evaluation.units import DealUnits
from thousand_env.rules import Rules
from thousand_env.view import View

_DEALS: Final = 200


class _FirstLegal:
    """An agent that takes no time to speak of; what it takes is not counted."""

    def act(self, view: View) -> int:
        return view.legal_actions()[0]

    def reset(self, seed: int | None = None) -> None:
        pass


def measure(seed: int, progress: Progress) -> Metrics:
    """Microseconds a decision of everything but the agents, over deals in all seatings and their report."""
    progress("compiling")
    units = DealUnits(Cast([_FirstLegal(), _FirstLegal()]), Rules(), seed, "full", "all", "zero")
    units.play(0)
    figures = []
    for turn in range(RUNS):
        progress(f"run {turn + 1} of {RUNS}")
        start = time.perf_counter()
        played = [units.play(index) for index in range(turn * _DEALS, (turn + 1) * _DEALS)]
        report = deal_report(played, units.cast.names, seed, {}, None)
        spent = time.perf_counter() - start - sum(report.seconds)
        figures.append(spent / sum(report.decisions) * 1e6)
    return {"evaluation_overhead_us": summary(figures, "us")}
