"""``thousand bench engine``: random play in compiled code, the ``Game`` object and sampling.

Random play is legal set, uniform choice and action in compiled code, deals included and without observations. The
three rule sets are measured in turn, run by run, so that a noisy moment falls on all of them.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from thousand_env.bench.measuring import RUNS, Metrics, Progress, summary
from thousand_env.engine.playout import play_randomly
from thousand_env.engine.state import OVER, STATE_DTYPE
from thousand_env.game import Game
from thousand_env.rules import Rules
from thousand_env.rules_record import pack_rules

_DECISIONS: Final = 400_000

RANDOM_RULES: Final[tuple[dict[str, Any], ...]] = (
    {"opening": "none", "dark": True, "talon_reveal": "always", "must_overtrump": True, "max_deals": None},
    {"players": 4, "exchange": "discard_three", "bid_step": 10, "jump_bids": False, "tie": "declarer_first"},
    {"players": 2, "two_player": "give_one", "ace_marriage": "lead_ace", "rounding": "nearest10"},
    {"players": 2, "set_aside": "dead", "marriage_declare": "automatic", "concede": "half_bid", "free_bombs": 1},
    {"golden": True, "redeal_four_nines": "mandatory", "bolt_mode": "total", "declarer_score": "max"},
    {"barrel": False, "lock_at": 800, "bid_cap": "none", "beat_if_trumped": True, "bolt_basis": "points"},
    {"raise_after_talon": True, "redeal_hand_below": 14, "dump": "plus_minus", "barrel_collision": "all_fall"},
    {
        "trump_effect": "next_trick",
        "marriage_gate": "after_own_trick",
        "marriage_needs_trick": True,
        "concede": "120_60",
    },
    {"ace_marriage": "held_at_first_lead", "gifts_face_up": True, "opening": "dealer_exact", "barrel_must_bid": True},
    {"opening": "dealer_last_resort", "silence_below": -240, "must_trump": False, "contract_check": "rounded"},
    {"barrel_own_turn": True, "barrel_attempt_counts": "own_turn_only", "bolt_on_barrel": "counted", "target": 1001},
    {"players": 4, "sitter_bonus": "ace_and_marriage", "redeal_four_nines": "optional", "bid_cap": "any_with_marriage"},
    {
        "exchange": "discard_three",
        "must_beat": False,
        "barrel_clamp": False,
        "barrel_failed_contract": "deduct_and_fall",
    },
    {"bid_cap": "always_120", "opening": "first_hand_exact", "marriage_gate": "after_first_trick", "rounding": "down5"},
    {"marriage_declare": "automatic", "ace_marriage": "lead_ace_sets_trump", "bid_step": 10, "jump_bids": False},
    {"redeal_talon_below": 5, "redeal_talon_nines": 2, "barrel_win_bid": "at_least", "barrel_fall_penalty": 0},
    {"talon_reveal": "never", "barrel_third_fall_zero": True, "barrel_attempts": None, "bolt_declarer": False},
    {"concede": "bid_60", "concede_limit": 3, "barrel_attempt_counts": "declarer_only", "rounding": "none"},
    {"players": 2, "dark": True, "golden": True, "concede": "bid_60", "raise_after_talon": True},
    {"min_bid": 60, "bid_step": 20, "barrel_threshold": 900, "barrel_direct_jump_wins": False, "max_deals": 40},
)
"""Twenty rule sets drawn once so that every option is off its default in some, and kept fixed."""


def measure(seed: int, progress: Progress) -> Metrics:
    """Random play in compiled code under three rule sets, and the cost of the Python object."""
    sets = {
        "engine_decisions_per_second": [Rules()],
        "engine_decisions_per_second_modern": [Rules.preset("modern")],
        "engine_decisions_per_second_random_rules": [Rules(**options) for options in RANDOM_RULES],
    }
    progress("compiling the engine")
    for rules in sets.values():
        playout_speed(rules, seed, 1000)
    figures: dict[str, list[float]] = {name: [] for name in sets}
    for turn in range(RUNS):
        progress(f"random play, run {turn + 1} of {RUNS}")
        for name, rules in sets.items():
            figures[name].append(playout_speed(rules, seed + turn, _DECISIONS))
    metrics = {name: summary(found, "decisions/s") for name, found in figures.items()}
    progress("Game, clone and sample")
    return {**metrics, **game_metrics(seed)}


def playout_speed(rules: list[Rules], seed: int, decisions: int) -> float:
    """Random decisions a second, the work shared equally by the rule sets."""
    states = np.zeros(1, STATE_DTYPE)
    spent = 0.0
    each = decisions // len(rules)
    for number, one in enumerate(rules):
        states["phase"] = OVER
        stream = np.uint64(seed * 1_000_003 + number)
        packed = pack_rules(one)
        start = time.perf_counter()
        play_randomly(states, packed, stream, each)
        spent += time.perf_counter() - start
    return each * len(rules) / spent


def random_positions(seed: int, matches: int) -> Iterator[Game]:
    """Every position of some random deals under ``classic``; each is changed when the next is asked for."""
    rng = np.random.default_rng(seed)
    for match in range(matches):
        game = Game(seed=seed + match, episode="deal")
        while not game.is_over:
            yield game
            legal = game.legal_actions()
            game.apply(legal[rng.integers(len(legal))])


def game_metrics(seed: int) -> Metrics:
    """Microseconds of ``legal_actions()`` and ``apply()`` together, of ``clone()``, and of ``view.sample``."""
    steps, clones, samples = [], [], []
    rng = np.random.default_rng(seed)
    for game in random_positions(seed, 5):
        game.view(0).sample(rng)  # compile
    for turn in range(RUNS):
        steps.append(_step_microseconds(seed + turn))
        spent = []
        for game in random_positions(seed + 100 * turn, 20):
            start = time.perf_counter()
            for _ in range(10):
                game.clone()
            spent.append((time.perf_counter() - start) / 10)
        clones.append(statistics.median(spent) * 1e6)
        spent = []
        for game in random_positions(seed + 100 * turn, 20):
            view = game.view(int(rng.integers(3)))
            start = time.perf_counter()
            view.sample(rng)
            spent.append(time.perf_counter() - start)
        samples.append(statistics.median(spent) * 1e6)
    return {
        "game_step_us": summary(steps, "us"),
        "clone_us": summary(clones, "us"),
        "sample_us": summary(samples, "us"),
    }


def _step_microseconds(seed: int) -> float:
    """Mean of ``legal_actions()`` and ``apply()`` over 200 deals of given random choices, which are not counted."""
    choices = np.random.default_rng(seed).random(20_000).tolist()
    spent = 0.0
    taken = 0
    match = 0
    while taken < len(choices):
        game = Game(seed=seed + match, episode="deal")
        match += 1
        start = time.perf_counter()
        while taken < len(choices):
            legal = game.legal_actions()
            if not legal:
                break
            game.apply(legal[int(choices[taken] * len(legal))])
            taken += 1
        spent += time.perf_counter() - start
    return spent / taken * 1e6
