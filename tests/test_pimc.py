"""The agent ``pimc``: legal under all rules, repeatable, right where the right action is known, and its helpers."""

from __future__ import annotations

import itertools
import pickle
import random
from typing import Any

import numpy as np
import pytest

from baselines.heuristic import HeuristicAgent
from baselines.pimc import PimcAgent
from baselines.pimc_worth import Worth
from baselines.playouts import OVER, PLAY, draw, play_on
from tests.random_rules import random_rules, random_sheet
from thousand_env import NUM_ACTIONS, PRESETS, DealError, Game, Rules, action_name, parse_action, solver

ALL_PHASES = (
    Rules(dark=True, redeal_hand_below=30, raise_after_talon=True, concede="bid_60"),
    Rules(players=2, redeal_talon_below=12),
)
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"playouts": 0},
    {"objective": "own", "utility": "match"},
    {"postpone": 1, "utility": "points"},
    {"exact_gifts": True, "inference": False},
    {"playouts": 0, "exact_gifts": True, "postpone": 1},
)


def tiny(**options: Any) -> PimcAgent:
    """An agent that is quick and thoughtless."""
    return PimcAgent(**{"worlds": 1, "playouts": 1, **options})


def played(text: str, *actions: str, rules: Rules | None = None, **sheet: Any) -> Game:
    """A classic deal by seat 0 from three hands and the talon, separated by bars, and what was done."""
    *hands, talon = [group.split() for group in text.split("|")]
    game = Game.from_deal(rules or Rules(), hands, talon, **sheet)
    for action in actions:
        game.apply(parse_action(action, game.rules))
    return game


def chosen(game: Game, **options: Any) -> str:
    assert game.seat is not None
    return action_name(PimcAgent(seed=1, **options).act(game.view(game.seat)), game.rules)


# Any agent


@pytest.mark.parametrize("seed", range(3))
def test_legal_under_random_rules(seed: int) -> None:
    _fuzz(seed, 700)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 106))
def test_legal_under_random_rules_at_length(seed: int) -> None:
    _fuzz(seed, 6_000)


def _fuzz(seed: int, count: int) -> None:
    rng = random.Random(seed)
    decisions = 0
    while decisions < count:
        rules = rng.choice(ALL_PHASES) if rng.random() < 0.1 else random_rules(rng)
        game = Game(rules, seed=rng.getrandbits(64))
        agent = tiny(**rng.choice(OPTIONS), seed=rng.getrandbits(32))
        if rng.random() < 0.7:
            hands, talons = game.dealt()
            talon = talons if rules.players == 2 else talons[0]
            try:
                sheet = random_sheet(rng, rules)
                game = Game.from_deal(rules, hands, talon, game.dealer, seed=rng.getrandbits(64), **sheet)
            except DealError:
                continue
        for _ in range(60):
            seat = game.seat
            if seat is None:
                break
            action = agent.act(game.view(seat))
            assert type(action) is int
            assert action in game.legal_actions()
            game.apply(action if rng.random() < 0.8 else rng.choice(game.legal_actions()))
            decisions += 1
