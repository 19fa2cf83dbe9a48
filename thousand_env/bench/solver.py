"""``thousand bench solver``: exact play with open cards, one call at a time on one core.

A figure is the mean over the deals of a run, and then the median and the range of the runs. Deals are random under
``classic``: first hand opens at the minimum, the others pass, and where the play is measured the gifts are random.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any, Final

import numpy as np

from thousand_env import solver
from thousand_env.bench.measuring import RUNS, Metrics, Progress, summary
from thousand_env.game import Game

DEALS: Final = 100
FEW_DEALS: Final = 10
"""Of what takes longer: all actions at each trick, and max^n."""
NULL_WINDOW: Final = 100
OWN_CARDS: Final = 5
TRICKS: Final = 8


def measure(seed: int, progress: Progress) -> Metrics:
    """Milliseconds of a value, of a null window at 100, of the best gifts; of all actions by trick; of max^n."""
    progress("compiling")
    solver.value(before_the_lead(seed))
    figures: dict[str, list[float]] = {}
    for turn in range(RUNS):
        progress(f"run {turn + 1} of {RUNS}")
        first = seed + 1000 * turn
        leads = [before_the_lead(first + deal) for deal in range(DEALS)]
        exchanges = [in_the_exchange(first + deal) for deal in range(DEALS)]
        few = [best_play(game) for game in leads[:FEW_DEALS]]
        run = {
            "solver_exact_ms": _mean_ms(solver.value, leads),
            "solver_null_window_ms": _mean_ms(lambda game: solver.makes(game, NULL_WINDOW), leads),
            "solver_gifts_ms": _mean_ms(solver.best_gifts, exchanges),
            "solver_gifts_null_window_ms": _mean_ms(lambda game: solver.gifts_make(game, NULL_WINDOW), exchanges),
            f"solver_own_{OWN_CARDS}_cards_ms": _mean_ms(
                lambda game: solver.action_values(game, "own"), (deal[TRICKS - OWN_CARDS] for deal in few)
            ),
        }
        for trick in range(TRICKS):
            run[f"solver_all_actions_trick_{trick + 1}_ms"] = _mean_ms(
                solver.action_values, (deal[trick] for deal in few)
            )
        for name, mean in run.items():
            figures.setdefault(name, []).append(mean)
    return {name: summary(means, "ms") for name, means in figures.items()}


def in_the_exchange(seed: int) -> Game:
    """A random deal with the talon taken at the minimum."""
    game = Game(seed=seed, episode="deal")
    while game.phase != "exchange":
        game.apply(game.legal_actions()[0])
    return game


def before_the_lead(seed: int) -> Game:
    """The same after random gifts: three hands of eight cards, the declarer on lead."""
    game = in_the_exchange(seed)
    rng = np.random.default_rng(seed)
    while game.phase == "exchange":
        game.apply(int(rng.choice(game.legal_actions())))
    return game


def best_play(game: Game) -> list[Game]:
    """The positions in which the tricks of a deal begin, when all play well."""
    game = game.clone()
    leads = []
    while game.phase == "play":
        if not game.trick:
            leads.append(game.clone())
        values = solver.action_values(game)
        best = max if game.seat == game.declarer else min
        game.apply(best(values, key=values.__getitem__))
    return leads


def _mean_ms(question: Callable[[Game], Any], games: Iterable[Game]) -> float:
    asked = list(games)
    start = time.perf_counter()
    for game in asked:
        question(game)
    return (time.perf_counter() - start) / len(asked) * 1e3
