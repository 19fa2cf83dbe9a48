"""Stable-Baselines3: its checker on the seat environment, and ``ThousandVecEnv`` beside ``make_vec`` and its own."""

from __future__ import annotations

import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest

sb3_contrib = pytest.importorskip("sb3_contrib")

from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported  # noqa: E402
from stable_baselines3.common.env_checker import check_env  # noqa: E402
from stable_baselines3.common.monitor import Monitor  # noqa: E402
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor  # noqa: E402

from thousand_env import PolicyAgent, env_seed  # noqa: E402
from thousand_env.stable_baselines3 import ThousandVecEnv  # noqa: E402

pytestmark = pytest.mark.integration

FORMS: list[dict[str, Any]] = [
    {},
    {"history": True, "episode": "deal"},
    {"flat_observation": True, "seat": None, "episode": "deal"},
    {"mask_in_info": True, "reward": "score", "episode": "deal"},
    {"episode": "match", "rules": {"max_deals": 2}, "reward": "win"},
]


def choose(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A random legal action in each row."""
    return (rng.random(masks.shape) * masks).argmax(axis=1)


def parts(observations: Any) -> dict[str, np.ndarray]:
    return observations if isinstance(observations, dict) else {"observation": observations}


def same(one: Any, other: Any) -> bool:
    return parts(one).keys() == parts(other).keys() and all(
        np.array_equal(each, parts(other)[name]) and each.dtype == parts(other)[name].dtype
        for name, each in parts(one).items()
    )


@pytest.mark.parametrize("keywords", FORMS, ids=str)
def test_the_checker_has_nothing_to_say(keywords: dict[str, Any]) -> None:
    env = gymnasium.make("Thousand-v0", opponents="greedy", **keywords)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env)


@pytest.mark.parametrize("keywords", FORMS, ids=str)
def test_it_plays_what_make_vec_plays(keywords: dict[str, Any]) -> None:
    rng, rows = np.random.default_rng(1), 5
    vector = gymnasium.make_vec("Thousand-v0", num_envs=rows, opponents="greedy", **keywords)
    env = ThousandVecEnv(rows, opponents="greedy", **keywords)
    env.seed(9)
    first, _ = vector.reset(seed=9)
    assert same(env.reset(), first)
    assert env.get_attr("seat") == vector.unwrapped.seats.tolist()
    ended = 0
    for _ in range(60):
        masks = get_action_masks(env)
        assert np.array_equal(masks, vector.unwrapped.action_masks())
        actions = choose(masks, rng)
        observations, rewards, terminated, truncated, given = vector.step(actions)
        seen, paid, dones, infos = env.step(actions)
        assert same(seen, observations)
        assert paid.dtype == np.float32
        assert np.array_equal(paid, rewards.astype(np.float32))
        assert np.array_equal(dones, terminated | truncated)
        for row in np.flatnonzero(dones).tolist():
            assert same(infos[row]["terminal_observation"], given["final_obs"][row])
            assert infos[row]["TimeLimit.truncated"] is bool(truncated[row])
        ended += int(dones.sum())
    assert ended or not keywords  # a whole match is longer


@pytest.mark.parametrize("keywords", FORMS, ids=str)
def test_it_is_what_sb3_makes_of_single_environments(keywords: dict[str, Any]) -> None:
    """Their infos too, but that ``TimeLimit.truncated`` is there at ends alone."""
    rng, rows = np.random.default_rng(2), 3
    singles = DummyVecEnv([lambda: gymnasium.make("Thousand-v0", opponents="greedy", **keywords)] * rows)
    env = ThousandVecEnv(rows, opponents="greedy", **keywords)
    singles._seeds = list(env.seed(4))
    assert singles._seeds == [env_seed(4, row) for row in range(rows)]
    assert env.observation_space == singles.observation_space
    assert env.action_space == singles.action_space
    assert same(env.reset(), singles.reset())
    for _ in range(60):
        actions = choose(get_action_masks(singles), rng)
        expected, given = singles.step(actions), env.step(actions)
        assert same(given[0], expected[0])
        assert all(np.array_equal(given[k], expected[k]) and given[k].dtype == expected[k].dtype for k in (1, 2))
        for row, (ours, theirs) in enumerate(zip(given[3], expected[3], strict=True)):
            assert ours.pop("TimeLimit.truncated", False) == theirs.pop("TimeLimit.truncated")
            assert same(ours.pop("terminal_observation", {}), theirs.pop("terminal_observation", {}))
            assert same(ours, theirs)
            if expected[2][row]:
                assert same(env.reset_infos[row], singles.reset_infos[row])


def test_a_cut_off_match_is_said_to_be_cut_off() -> None:
    env = ThousandVecEnv(4, opponents="random", rules={"max_deals": 1})
    env.seed(0)
    env.reset()
    rng, seen = np.random.default_rng(0), []
    while len(seen) < 3:
        _, _, dones, infos = env.step(choose(env.action_masks(), rng))
        seen += [infos[row]["TimeLimit.truncated"] for row in np.flatnonzero(dones)]
    assert all(each is True for each in seen)


def test_seeds_and_options_are_for_one_reset() -> None:
    env = ThousandVecEnv(2, opponents="random", flat_observation=True)
    env.seed(5)
    env.set_options({"scores": [100, 200, 300]})
    first = env.reset()
    assert [[*game.scores] for game in env.get_attr("game")] == [[100, 200, 300]] * 2
    following = env.reset()
    assert not np.array_equal(first, following)
    assert [[*game.scores] for game in env.get_attr("game")] == [[0, 0, 0]] * 2
    env.seed(5)
    env.set_options({"scores": [100, 200, 300]})
    assert np.array_equal(env.reset(), first)
    with pytest.raises(ValueError, match="one dict"):
        env.set_options([{}, {}])
    with pytest.raises(ValueError, match="seed=-1"):
        env.seed(-1)


def test_what_sb3_asks_single_environments() -> None:
    env = ThousandVecEnv(3, opponents="random")
    env.reset()
    assert is_masking_supported(env)
    assert not env.has_attr("no_such_thing")
    assert np.array_equal(np.stack(env.env_method("action_masks", indices=[2, 0])), env.action_masks()[[2, 0]])
    assert np.array_equal(env.get_attr("action_masks", indices=1)[0](), env.action_masks()[1])
    assert env.env_is_wrapped(Monitor, indices=[0]) == [False]
    with pytest.raises(AttributeError, match="give keywords"):
        env.set_attr("seat", 1)
    with pytest.raises(TypeError, match="copy"):
        ThousandVecEnv(3, copy=False)


def test_pictures_and_texts() -> None:
    env = ThousandVecEnv(2, opponents="random", render_mode="ansi")
    env.reset()
    assert all("learner" in text for text in env.env_method("render"))
    assert env.get_images() == [None, None]


def test_the_batch_is_learned_from_and_plays_its_past_self() -> None:
    masked = []

    def past(observation: np.ndarray, mask: np.ndarray) -> np.ndarray:
        masked.append(len(mask))
        return mask.argmax(axis=1)

    env = ThousandVecEnv(8, seat=None, opponents=PolicyAgent(past), episode="deal", illegal="raise")
    model = sb3_contrib.MaskablePPO("MultiInputPolicy", VecMonitor(env), n_steps=32, batch_size=64, seed=3)
    before = [each.clone() for each in model.policy.parameters()]
    model.learn(256)
    assert model.num_timesteps == 256
    assert max(masked) > 1  # asked for several tables at once
    assert any((each != old).any() for each, old in zip(model.policy.parameters(), before, strict=True))
    assert len(model.ep_info_buffer) > 0


def test_actions_are_played_once() -> None:
    env = ThousandVecEnv(2, episode="deal", seat=None, opponents="random")
    env.seed(1)
    env.reset()
    legal = env.action_masks().argmax(axis=1)
    env.step(legal)
    with pytest.raises(RuntimeError, match="call step_async"):
        env.step_wait()
    env.step_async(legal)
    env.reset()
    with pytest.raises(RuntimeError, match="call step_async"):
        env.step_wait()
