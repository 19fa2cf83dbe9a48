"""Seeds and reset options of the environments: which game an episode is, in this process and in others."""

from __future__ import annotations

import hashlib
import os
import pickle
import random
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from tests.aec_play import deal_options, play, play_out, snapshot
from thousand_env import DealError, Game, Rules, episode_seed, thousand_v0

FINGERPRINT = """
import hashlib, random
from tests.aec_play import play, snapshot
from thousand_env import thousand_v0

def fingerprint(env, seed, steps=120):
    digest = hashlib.sha256()
    env.reset(seed=seed)
    for each in play(env, random.Random(seed), steps):
        digest.update(repr(snapshot(each)).encode())
    return digest.hexdigest()
"""


def fingerprint(env: Any, seed: int, steps: int = 120) -> str:
    """A hash of everything observable in the first steps of an episode."""
    digest = hashlib.sha256()
    env.reset(seed=seed)
    for each in play(env, random.Random(seed), steps):
        digest.update(repr(snapshot(each)).encode())
    return digest.hexdigest()


def run_script(script: str) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": "77", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FINGERPRINT + script],
        capture_output=True,
        text=True,
        timeout=300,
        env=environment,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_same_seed_gives_the_same_game_whatever_else_draws_numbers() -> None:
    first = fingerprint(thousand_v0.env(), 5)
    env = thousand_v0.env()
    for disturbance in (0, 1, 2):
        random.seed(disturbance)
        np.random.seed(disturbance)
        env.np_random.random(disturbance)
        env.action_space("player_0").seed(disturbance)
        assert fingerprint(env, 5) == first
    assert fingerprint(thousand_v0.raw_env(), 5) == first
    assert fingerprint(env, 6) != first
    state = random.getstate(), np.random.get_state()[1].tolist()
    fingerprint(env, 7)
    env.reset()
    assert (random.getstate(), np.random.get_state()[1].tolist()) == state


def test_another_process_plays_the_same_game() -> None:
    found = run_script("print(fingerprint(thousand_v0.env(), 5))")
    assert found.strip() == fingerprint(thousand_v0.env(), 5)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_process_that_has_stepped_may_fork_and_step_on() -> None:
    found = run_script(
        """
import os, sys
env = thousand_v0.env()
fingerprint(env, 1)
child = os.fork()
if child == 0:
    print(fingerprint(env, 5), flush=True)
    os._exit(0)
_, status = os.waitpid(child, 0)
print(fingerprint(env, 5), status)
"""
    )
    here = fingerprint(thousand_v0.env(), 5)
    assert found.split() == [here, here, "0"]


@pytest.mark.parametrize("make", [thousand_v0.env, thousand_v0.raw_env])
@pytest.mark.parametrize("episode", ["match", "deal"])
def test_the_eth_episode_is_the_game_of_its_seed(make: Any, episode: str) -> None:
    rules = Rules.preset("modern")
    env = make(rules=rules, episode=episode)
    for seed in (0, 2**64 - 1, np.int64(9)):
        env.reset(seed=seed)
        for number in range(4):
            assert env.unwrapped.game == Game(rules, episode_seed(int(seed), number), episode)
            play_out(env, random.Random(number), 50)
            env.reset()
    parallel = thousand_v0.parallel_env(rules=rules, episode=episode)
    parallel.reset(seed=4)
    parallel.reset()
    assert parallel.aec_env.unwrapped.game == Game(rules, episode_seed(4, 1), episode)


def test_without_a_seed_environments_differ() -> None:
    games = []
    for _ in range(20):
        env = thousand_v0.raw_env()
        env.reset()
        games.append(env.game)
    hands = {str(game.hands) for game in games}
    assert len(hands) == 20


def test_a_seed_that_is_none_leaves_everything_as_it_was() -> None:
    for make in (thousand_v0.env, thousand_v0.raw_env, thousand_v0.parallel_env):
        env = make()
        for wrong in (-1, 2**64, 1.5, True, "1"):
            with pytest.raises(ValueError, match="seed="):
                env.reset(seed=wrong)
    env = thousand_v0.env()
    env.reset(seed=1)
    play_out(env, random.Random(1), 20)
    before = snapshot(env)
    with pytest.raises(ValueError, match="seed="):
        env.reset(seed=-1)
    with pytest.raises(DealError):
        env.reset(seed=3, options={"scores": [1]})
    assert snapshot(env) == before
    env.reset()
    assert env.unwrapped.game == Game(seed=episode_seed(1, 1))


def test_options_of_one_reset_do_not_stay() -> None:
    options = {**deal_options(Game(seed=99)), "scores": [100, 880, -20], "barrel": [None, 2, None], "bolts": [0, 1, 2]}
    for make in (thousand_v0.env, thousand_v0.raw_env):
        env = make()
        env.reset(seed=1, options=options)
        game = env.unwrapped.game
        assert game.hands == Game(seed=99).hands
        assert (game.scores, game.barrel, game.bolts) == ([100, 880, -20], [None, 2, None], [0, 1, 2])
        env.reset()
        assert env.unwrapped.game == Game(seed=episode_seed(1, 1))
        env.reset(seed=1)
        assert env.unwrapped.game == Game(seed=episode_seed(1, 0))


def test_rewards_of_a_given_sheet_count_from_that_sheet() -> None:
    env = thousand_v0.env(episode="deal", reward="score")
    env.reset(seed=1, options={"scores": [500, 600, 700]})
    play_out(env, random.Random(1), 10**6)
    env.reset(seed=1, options={"scores": [500, 600, 700]})
    rng = random.Random(1)
    for _ in play(env, rng):
        if any(env.terminations.values()):
            break
    scores = env.unwrapped.game.scores
    change = [after - before for after, before in zip(scores, (500, 600, 700), strict=True)]
    assert list(env.rewards.values()) == [each / 100 for each in change]


def test_unknown_options_are_ignored_with_one_warning() -> None:
    env = thousand_v0.env()
    with pytest.warns(UserWarning, match="options of reset that are not known") as caught:
        env.reset(seed=1, options={"options": 1, "other": 2})
    assert len(caught) == 1
    assert env.unwrapped.game == Game(seed=episode_seed(1, 0))


def test_keywords_survive_resets_and_copies() -> None:
    env = thousand_v0.env(rules="two_player", episode="deal", reward="win", history=True, illegal="penalty")
    settings = vars(env.unwrapped.settings)
    for seed in (1, None, 2):
        env.reset(seed=seed)
        env = pickle.loads(pickle.dumps(env))
        assert vars(env.unwrapped.settings) == settings
        assert "history" in env.last()[0]


def test_np_random_is_set_by_the_seed_and_has_nothing_to_do_with_the_deals() -> None:
    one, two = thousand_v0.env(), thousand_v0.env()
    for env in (one, two):
        env.reset(seed=3)
    drawn = one.np_random.random(5).tolist()
    assert drawn == two.np_random.random(5).tolist()
    one.reset()
    assert one.np_random.random(5).tolist() != drawn
    one.np_random.random(1000)
    two.reset()
    assert one.unwrapped.game == two.unwrapped.game
    one.reset(seed=3)
    assert one.np_random.random(5).tolist() == drawn
    one.unwrapped.np_random = np.random.default_rng(1)
    assert one.np_random.random() == np.random.default_rng(1).random()
    assert isinstance(thousand_v0.raw_env().np_random, np.random.Generator)


def test_deals_of_a_match_and_of_neighbouring_seeds_differ() -> None:
    env = thousand_v0.env(rules=Rules(target=100_000, max_deals=12, barrel=False, lock_at=None))
    hands: list[str] = []
    for seed in (0, 1, 2):
        env.reset(seed=seed)
        numbers = set()
        for _ in play(env, random.Random(0)):
            game = env.unwrapped.game
            if not game.is_over and game.deal_number not in numbers:
                numbers.add(game.deal_number)
                hands.append(str(game.dealt()))
    assert len(hands) > 30
    assert len(set(hands)) == len(hands)
