"""``thousand bench agents``: decisions a second of the agents that do not search, one by one and in batches."""

from __future__ import annotations

import time
from typing import Any, Final

import numpy as np

from thousand_env.agents import Agent, BatchAgent, available, load
from thousand_env.bench.measuring import RUNS, Metrics, Progress, summary
from thousand_env.game import Game
from thousand_env.observation import encode
from thousand_env.view import View

NAMES: Final = ("random", "random_capped", "greedy", "heuristic")
_DEALS: Final = 60
_BATCH: Final = 4_096


def measure(seed: int, progress: Progress) -> Metrics:
    """Decisions a second through ``act(view)`` and ``act_batch``, over all decisions of deals between greedy agents."""
    views = _positions(seed)
    rows = np.resize(np.arange(len(views)), _BATCH)
    observation = np.array([encode(views[row]) for row in rows])
    mask = np.array([views[row].action_mask() for row in rows])
    figures: dict[str, list[float]] = {}
    agents: dict[str, Any] = {name: load(name) for name in NAMES if name in available()}
    for turn in range(-1, RUNS):  # the first turn compiles and does not count
        for name, agent in agents.items():
            progress(f"{name}, run {turn + 1} of {RUNS}")
            agent.reset(seed)
            one_by_one, in_batches = _rate(agent, views), _batch_rate(agent, observation, mask)
            if turn >= 0:
                figures.setdefault(f"{name}_act_per_second", []).append(one_by_one)
                figures.setdefault(f"{name}_batch_per_second", []).append(in_batches)
    return {name: summary(found, "decisions/s") for name, found in figures.items()}


def _positions(seed: int) -> list[View]:
    """What the seat to move sees at every decision with a choice, in random deals that greedy agents play."""
    agent = load("greedy")
    views = []
    for deal in range(_DEALS):
        game = Game(seed=seed + deal, episode="deal")
        while game.seat is not None:
            view = game.view(game.seat)
            if len(view.legal_actions()) > 1:
                views.append(view)
            game.apply(agent.act(view))
    return views


def _rate(agent: Agent, views: list[View]) -> float:
    start = time.perf_counter()
    for view in views:
        agent.act(view)
    return len(views) / (time.perf_counter() - start)


def _batch_rate(agent: BatchAgent, observation: Any, mask: Any) -> float:
    start = time.perf_counter()
    agent.act_batch(observation, mask)
    return len(mask) / (time.perf_counter() - start)
