"""``copy.deepcopy`` and ``pickle`` of an environment in the middle of a game: the copy goes on identically."""

from __future__ import annotations

import copy
import pickle
import random
from typing import Any

import pytest

from tests.aec_play import next_action, play_out, snapshot
from tests.random_rules import random_rules
from thousand_env import Rules, thousand_v0

WAYS: list[Any] = [
    copy.deepcopy,
    *(lambda env, protocol=protocol: pickle.loads(pickle.dumps(env, protocol)) for protocol in range(6)),
]
KEYWORDS: list[dict[str, Any]] = [
    {},
    {"history": True, "mask_in_info": True},
    {"flat_observation": True, "episode": "deal"},
    {"illegal": "penalty", "reward": "score"},
    {"render_mode": "ansi", "open_cards": True, "rules": "four_player"},
]


def assert_same_future(one: Any, two: Any, rng: random.Random, steps: int) -> None:
    """Step both alike, over the end of the episode and into the next."""
    for _ in range(steps):
        assert snapshot(one) == snapshot(two)
        assert one.np_random.random() == two.np_random.random()
        if not one.agents:
            one.reset()
            two.reset()
            continue
        action = next_action(one, rng)
        one.step(action)
        two.step(action)
    assert one.unwrapped.game == two.unwrapped.game


@pytest.mark.parametrize("make", [thousand_v0.env, thousand_v0.raw_env])
@pytest.mark.parametrize("keywords", KEYWORDS, ids=str)
def test_a_copy_goes_on_identically_and_the_original_is_untouched(make: Any, keywords: dict[str, Any]) -> None:
    rng = random.Random(str(keywords))
    for number, way in enumerate(WAYS * 2):
        env = make(**keywords)
        env.reset(seed=number)
        play_out(env, rng, rng.randrange(90))
        env.np_random.random(number)
        env.action_space("player_0").seed(number)
        before = snapshot(env)
        copied = way(env)
        assert way(env).action_space("player_0").sample() == way(env).action_space("player_0").sample()
        assert type(copied) is type(env)
        assert snapshot(env) == snapshot(copied) == before
        played = way(env)
        play_out(played, rng, 40)
        assert snapshot(env) == snapshot(copied) == before
        assert_same_future(env, copied, random.Random(number), 45)


def test_copies_under_random_rules() -> None:
    for number in range(25):
        rng = random.Random(number)
        env = thousand_v0.env(rules=random_rules(rng), episode=rng.choice(("match", "deal")))
        env.reset(seed=number)
        play_out(env, rng, rng.randrange(120))
        copied = rng.choice(WAYS)(env)
        assert snapshot(copied) == snapshot(env)
        assert_same_future(env, copied, rng, 40)


@pytest.mark.parametrize("way", WAYS, ids=range(len(WAYS)))
def test_copies_before_the_first_reset_and_after_the_end(way: Any) -> None:
    env = way(thousand_v0.env(episode="deal"))
    with pytest.raises(AssertionError, match="reset"):
        env.step(0)
    env.reset(seed=1)
    while not any(env.terminations.values()):
        play_out(env, random.Random(1), 1)
    for _ in range(4):  # before each dead step, and when none is left
        copied = way(env)
        assert snapshot(copied) == snapshot(env)
        if env.agents:
            copied.step(None)
            env.step(None)
            assert snapshot(copied) == snapshot(env)
    copied = way(env)
    env.reset()
    copied.reset()
    assert snapshot(copied) == snapshot(env)


def test_a_copy_after_an_illegal_end_stays_ended() -> None:
    env = thousand_v0.env()
    env.reset(seed=1)
    env.step(129)
    for way in WAYS:
        copied = way(env)
        assert snapshot(copied) == snapshot(env)
        assert not copied.last()[0]["action_mask"].any()
        assert_same_future(copied, way(env), random.Random(1), 10)


def test_a_copy_made_inside_a_loop_can_be_iterated() -> None:
    env = thousand_v0.env(rules=Rules.preset("mini3"))
    env.reset(seed=1)
    for number, _ in enumerate(env.agent_iter()):
        copied = pickle.loads(pickle.dumps(env))
        copied.step(next_action(copied, random.Random(number)))
        for _ in copied.agent_iter(5):
            copied.step(next_action(copied, random.Random(number)))
        env.step(next_action(env, random.Random(number)))
        if number > 40:
            break


def test_a_parallel_environment_is_copied() -> None:
    env = thousand_v0.parallel_env()
    observations, _ = env.reset(seed=1)
    for number in range(50):
        actions = {agent: int(each["action_mask"].argmax()) for agent, each in observations.items()}
        for way in (copy.deepcopy, WAYS[-1]):
            copied = way(env)
            ours, theirs = way(env).step(actions), copied.step(actions)
            assert repr(ours) == repr(theirs)
            assert copied.aec_env.env is copied._raw
        observations = env.step(actions)[0]
        if not env.agents:
            observations, _ = env.reset(seed=number)
