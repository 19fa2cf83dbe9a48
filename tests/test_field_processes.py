"""What is pickled here plays on in a fresh process; seeds of deals, episodes and environments; what a clone costs."""

from __future__ import annotations

import pickle
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from baselines.greedy import GreedyAgent
from baselines.random_agent import RandomAgent
from tests.play import play_out
from thousand_env import PRESETS, Game, Rules, deal_seed, env_seed, episode_seed
from thousand_env.observation import encode

ROOT = Path(__file__).resolve().parents[1]

PLAY_ON = """
import pickle, sys
things = pickle.loads(sys.stdin.buffer.read())
game, agents, view, rules = things
assert game.rules == rules and hash(game.rules) == hash(rules)
for _ in range(60):
    if not game.is_over:
        game.apply(agents[game.seat].act(game.view(game.seat)))
sys.stdout.buffer.write(pickle.dumps((game.to_bytes(), view.legal_actions(), view.events(), rules.to_dict())))
"""


@pytest.mark.parametrize("preset", ["classic", "modern", "four_player"])
def test_rules_games_views_and_agents_go_on_in_a_fresh_process(preset: str) -> None:
    rules = Rules.preset(preset)
    game = play_out(Game(rules, seed=7), random.Random(3), 70)
    agents: list[Any] = [GreedyAgent(), RandomAgent(), GreedyAgent(), RandomAgent()]
    for seat, agent in enumerate(agents):
        agent.reset(seat)
    assert game.seat is not None
    agents[1].act(game.view(game.seat))  # so that its generator is not at its beginning
    view = game.view(0)
    given = pickle.dumps((game, agents, view, rules))
    done = subprocess.run([sys.executable, "-c", PLAY_ON], input=given, capture_output=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr.decode()
    for _ in range(60):
        if game.seat is not None:
            game.apply(agents[game.seat].act(game.view(game.seat)))
    assert pickle.loads(done.stdout) == (game.to_bytes(), view.legal_actions(), view.events(), rules.to_dict())


# Seeds


def test_seeds_of_deals_episodes_and_environments_never_meet() -> None:
    roots = [*range(40), 2**63, 2**64 - 1]
    streams: list[Callable[[int, int], int]] = [deal_seed, episode_seed, env_seed]
    found = [stream(root, index) for stream in streams for root in roots for index in range(120)]
    found += [
        episode_seed(env_seed(root, row), number) for root in roots[:10] for row in range(8) for number in range(8)
    ]
    found += roots
    assert len(set(found)) == len(found)
    assert all(0 <= seed < 2**64 for seed in found)


def test_neighbouring_seeds_have_nothing_in_common() -> None:
    """Half of the bits differ, whatever is raised by one: the root, or the number of the deal."""
    for stream in (deal_seed, episode_seed, env_seed):
        pairs = [(stream(root, index), stream(root + 1, index)) for root in range(50) for index in range(20)]
        pairs += [(stream(root, index), stream(root, index + 1)) for root in range(50) for index in range(20)]
        differing = [(one ^ two).bit_count() for one, two in pairs]
        assert 31.5 < np.mean(differing) < 32.5
        assert min(differing) > 10


# Speed


def microseconds(call: Callable[[], object], times: int = 400, turns: int = 40) -> float:
    """What a call takes in the best of many turns, which other work on the machine disturbs least."""
    best = float("inf")
    for _ in range(turns):
        begun = time.perf_counter()
        for _ in range(times):
            call()
        best = min(best, time.perf_counter() - begun)
    return best / times * 1e6


@pytest.mark.parametrize("preset", PRESETS)
def test_what_a_clone_a_step_and_an_observation_cost(preset: str) -> None:
    """Each apart, with room for slow machines but for the clone, for which 2 microseconds are promised."""
    game = play_out(Game(Rules.preset(preset), seed=5), random.Random(5), 2)
    action = game.legal_actions()[0]

    def step() -> None:
        game.clone().apply(action)

    assert microseconds(game.clone) < 2
    assert microseconds(step) < 20
    assert microseconds(game.legal_actions) < 10
    assert microseconds(game.action_mask) < 10
    assert microseconds(lambda: encode(game.view(0))) < 60
