"""``thousand bench pimc``: what the decisions of the agent ``pimc`` cost on one core; bids are searched.

Three of it play random deals of ``classic``. Only decisions with a choice count. A figure is the mean over the deals of
a run, and then the median and the range of the runs: of the play for all decisions of one seat in one deal together, of
the gifts for both together, of the auction for one decision.
"""

from __future__ import annotations

import time
from typing import Any, Final

from thousand_env import agents
from thousand_env.bench.measuring import RUNS, Metrics, Progress, summary
from thousand_env.game import Game

AGENT: Final = "pimc"
DEALS: Final = 8


def measure(seed: int, progress: Progress) -> Metrics:
    """Milliseconds of the play, of the gifts and of a bid, and of the dearest single decision of each run."""
    progress("compiling")
    players = [agents.load(AGENT, bids="search") for _ in range(3)]
    decisions(players, seed)
    figures: dict[str, list[float]] = {}
    for turn in range(RUNS):
        progress(f"run {turn + 1} of {RUNS}")
        spent: dict[str, list[float]] = {"auction": [], "exchange": [], "play": []}
        for deal in range(DEALS):
            for phase, times in decisions(players, seed + 1000 * turn + deal).items():
                spent[phase] += times
        run = {
            "pimc_play_ms": sum(spent["play"]) / (DEALS * len(players)),
            "pimc_gifts_ms": sum(spent["exchange"]) / DEALS,
            "pimc_bid_ms": sum(spent["auction"]) / max(1, len(spent["auction"])),
            "pimc_longest_ms": max(max(times, default=0.0) for times in spent.values()),
        }
        for name, value in run.items():
            figures.setdefault(name, []).append(value)
    return {name: summary(found, "ms") for name, found in figures.items()}


def decisions(players: list[Any], seed: int) -> dict[str, list[float]]:
    """Milliseconds of each decision with a choice in one deal, by phase."""
    spent: dict[str, list[float]] = {"auction": [], "exchange": [], "play": []}
    for seat, player in enumerate(players):
        player.reset(seed + seat)
    game = Game(seed=seed, episode="deal")
    while game.seat is not None:
        view = game.view(game.seat)
        phase = game.phase
        start = time.perf_counter()
        action = players[game.seat].act(view)
        if len(view.legal_actions()) > 1:
            spent[phase].append(1000 * (time.perf_counter() - start))
        game.apply(action)
    return spent
