"""``thousand bench aec --rivals`` and ``vector --rivals``: other environments beside ours, whichever are installed.

All do the same work: random legal play with observation and mask of whoever moves. Turn by turn within each run, so
that ratios hold on a noisy machine. Chance moves, dead steps and illegal actions are not counted.
"""

from __future__ import annotations

import importlib
import random
import time
from collections.abc import Callable
from typing import Final

from thousand_env import thousand_v0
from thousand_env.bench import aec, vector
from thousand_env.bench.measuring import RUNS, Metrics, Progress, side_by_side, summary
from thousand_env.keywords import available_cores

_SECONDS: Final = 0.5
"""How long a rival plays in each run."""
_BATCH: Final = 4096

NAMES: Final = {
    "aec": ("pettingzoo_texas_holdem", "pettingzoo_connect_four", "open_spiel_skat", "rlcard_doudizhu"),
    "vector": ("pgx_sparrow_mahjong",),
}
"""Who may be measured beside which of our benchmarks."""

Speed = Callable[[int], float]
"""Steps a second of a run with a seed."""


def measure_single(seed: int, progress: Progress) -> Metrics:
    """One game at a time, called from Python: OpenSpiel, RLCard and PettingZoo's classic games."""
    env = thousand_v0.env()
    ours: dict[str, Speed] = {"aec_env": lambda seed: aec.speed(env, seed, 50_000)}
    makers = (lambda: _pettingzoo("texas_holdem_v4"), lambda: _pettingzoo("connect_four_v3"), _open_spiel, _rlcard)
    return _measure(ours, dict(zip(NAMES["aec"], makers, strict=True)), seed, progress)


def measure_batched(seed: int, progress: Progress) -> Metrics:
    """Thousands of games at once: Pgx on the same processor."""
    runner = vector.Runner(_BATCH, seed, "int8", available_cores())
    ours: dict[str, Speed] = {"vector_int8": lambda seed: runner.speed()}
    return _measure(ours, dict.fromkeys(NAMES["vector"], _pgx), seed, progress)


def _measure(ours: dict[str, Speed], makers: dict[str, Callable[[], Speed]], seed: int, progress: Progress) -> Metrics:
    contestants = dict(ours)
    for name, make in makers.items():
        progress(f"starting {name}")
        try:
            contestants[name] = make()
        except ImportError as error:
            progress(f"{name} is not installed: {error}")
    figures: dict[str, list[float]] = {name: [] for name in contestants}
    for speed in contestants.values():
        speed(seed)
    for turn in range(RUNS):
        for name, speed in contestants.items():
            progress(f"{name}, run {turn + 1} of {RUNS}")
            figures[name].append(speed(seed + turn))
    metrics = {f"{name}_steps_per_second": summary(found, "steps/s") for name, found in figures.items()}
    (own,) = ours
    ratios = {f"{own}_against_{name}": side_by_side(figures[own], figures[name]) for name in figures if name != own}
    return {**metrics, **ratios}


def _timed(play: Callable[[], int]) -> float:
    """Steps a second of something that plays an episode and says how many steps it had."""
    taken, start = 0, time.perf_counter()
    while time.perf_counter() - start < _SECONDS:
        taken += play()
    return taken / (time.perf_counter() - start)


def _pettingzoo(name: str) -> Speed:
    env = importlib.import_module(f"pettingzoo.classic.{name}").env()
    return lambda seed: aec.speed(env, seed, 2000)


def _open_spiel() -> Speed:
    game = importlib.import_module("pyspiel").load_game("skat")

    def speed(seed: int) -> float:
        rng = random.Random(seed)

        def play() -> int:
            state, taken = game.new_initial_state(), 0
            while not state.is_terminal():
                if state.is_chance_node():
                    outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                    state.apply_action(rng.choices(outcomes, chances)[0])
                    continue
                state.observation_tensor(state.current_player())
                state.legal_actions_mask()
                state.apply_action(rng.choice(state.legal_actions()))
                taken += 1
            return taken

        return _timed(play)

    return speed


def _rlcard() -> Speed:
    make = importlib.import_module("rlcard").make

    def speed(seed: int) -> float:
        env, rng = make("doudizhu", config={"seed": seed}), random.Random(seed)

        def play() -> int:
            state, _ = env.reset()
            taken = 0
            while not env.is_over():
                state, _ = env.step(rng.choice(list(state["legal_actions"])))
                taken += 1
            return taken

        return _timed(play)

    return speed


def _pgx() -> Speed:
    jax, pgx = importlib.import_module("jax"), importlib.import_module("pgx")
    env = pgx.make("sparrow_mahjong")
    auto_reset = importlib.import_module("pgx.experimental.wrappers").auto_reset
    begin, step = jax.jit(jax.vmap(env.init)), jax.jit(jax.vmap(auto_reset(env.step, env.init)))
    choose = jax.jit(lambda key, mask: jax.random.categorical(key, jax.numpy.where(mask, 0.0, -1e9), axis=-1))

    def speed(seed: int) -> float:
        key = jax.random.PRNGKey(seed)
        state = begin(jax.random.split(key, _BATCH))
        spent, taken = 0.0, 0
        while spent < _SECONDS:
            key, one, two = jax.random.split(key, 3)
            actions = jax.block_until_ready(choose(one, state.legal_action_mask))
            keys = jax.block_until_ready(jax.random.split(two, _BATCH))
            start = time.perf_counter()
            state = jax.block_until_ready(step(state, actions, keys))
            spent += time.perf_counter() - start
            taken += _BATCH
        return taken / spent

    return speed
