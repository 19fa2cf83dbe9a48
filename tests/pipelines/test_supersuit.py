"""SuperSuit: its vectors of ``parallel_env``, and which of its other wrappers run and which make no sense here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

supersuit = pytest.importorskip("supersuit")

from gymnasium import spaces  # noqa: E402

from thousand_env import NUM_ACTIONS, IllegalActionError, parallel_env, raw_env  # noqa: E402

pytestmark = pytest.mark.integration


def joined(observation: dict[str, np.ndarray], space: spaces.Space[Any]) -> np.ndarray:
    return np.concatenate([observation["observation"], observation["action_mask"]], dtype=np.float32)


def joined_space(space: spaces.Dict) -> spaces.Box:
    return spaces.Box(-1, 1, (sum(part.shape[0] for part in space.values()),), np.float32)


Wrapper = Callable[[Any], Any]
ANYWHERE: dict[str, Wrapper] = {
    "action_lambda": lambda env: supersuit.action_lambda_v1(env, lambda action, space: action, lambda space: space),
    "clip_reward": lambda env: supersuit.clip_reward_v0(env, -1, 1),
    "pad_action_space": supersuit.pad_action_space_v0,
    "reward_lambda": lambda env: supersuit.reward_lambda_v0(env, lambda reward: reward / 2),
}
ON_A_BOX: dict[str, Wrapper] = {  # with flat_observation=True, which leaves the mask in the info
    "agent_indicator": supersuit.agent_indicator_v0,
    "dtype": lambda env: supersuit.dtype_v0(env, np.float16),
    "flatten": supersuit.flatten_v0,
    "frame_stack": lambda env: supersuit.frame_stack_v1(env, 4),
    "normalize_obs": lambda env: supersuit.normalize_obs_v0(env, 0, 1),
    "pad_observations": supersuit.pad_observations_v0,
    "reshape": lambda env: supersuit.reshape_v0(env, (16, 31)),
}
ANY_BOX: dict[str, Wrapper] = {  # they do not refuse a dict, but then the mask is late or no mask any more
    "delay_observations": lambda env: supersuit.delay_observations_v0(env, 2),
    "max_observation": lambda env: supersuit.max_observation_v0(env, 2),
}
REPEATING: dict[str, Wrapper] = {  # they play actions again that are not legal any more
    "frame_skip": lambda env: supersuit.frame_skip_v0(env, 2),
    "sticky_actions": lambda env: supersuit.sticky_actions_v0(env, 0.25),
}
FOR_OTHER_SPACES: dict[str, Wrapper] = {  # for actions that are a Box, and for pictures
    "clip_actions": supersuit.clip_actions_v0,
    "color_reduction": supersuit.color_reduction_v0,
    "resize": lambda env: supersuit.resize_v1(env, 4, 4),
}


def play(env: Any, mask_of: Callable[[Any, dict[str, Any]], np.ndarray]) -> list[float]:
    """Play 300 steps of a parallel environment, each agent by its own mask; what the first agent was paid."""
    rng, paid = np.random.default_rng(0), []
    observations, infos = env.reset(seed=1)
    for _ in range(300):
        masks = {agent: mask_of(observations[agent], infos[agent]) for agent in env.agents}
        actions = {agent: rng.choice(np.flatnonzero(mask)) for agent, mask in masks.items()}
        observations, rewards, terminations, _, infos = env.step(actions)
        for agent, each in observations.items():
            space = env.observation_space(agent)
            assert space.shape is None or (space.shape, space.dtype) == (each.shape, each.dtype)
        paid.append(float(rewards["player_0"]))
        if all(terminations.values()):
            observations, infos = env.reset()
    return paid


def from_info(observation: Any, info: dict[str, Any]) -> np.ndarray:
    return info["action_mask"]


@pytest.mark.parametrize("name", [*ANYWHERE, *ON_A_BOX, *ANY_BOX])
def test_wrappers_of_the_flat_form(name: str) -> None:
    plain = play(parallel_env(episode="deal", flat_observation=True, illegal="raise"), from_info)
    wrapped = {**ANYWHERE, **ON_A_BOX, **ANY_BOX}[name](
        parallel_env(episode="deal", flat_observation=True, illegal="raise")
    )
    expected = {"clip_reward": np.clip(plain, -1, 1), "reward_lambda": np.divide(plain, 2)}.get(name, plain)
    assert np.allclose(play(wrapped, from_info), expected)
    assert any(plain)


@pytest.mark.parametrize("name", ANYWHERE)
def test_wrappers_of_the_dict_form(name: str) -> None:
    wrapped = ANYWHERE[name](parallel_env(episode="deal", illegal="raise"))
    assert any(play(wrapped, lambda observation, info: observation["action_mask"]))


def test_observation_lambda_makes_one_vector_of_observation_and_mask() -> None:
    env = supersuit.observation_lambda_v0(parallel_env(episode="deal", illegal="raise"), joined, joined_space)
    assert env.observation_space("player_0").shape == (496 + NUM_ACTIONS,)
    assert any(play(env, lambda observation, info: observation[-NUM_ACTIONS:]))


@pytest.mark.parametrize("name", ON_A_BOX)
def test_what_needs_a_box_refuses_the_dict(name: str) -> None:
    with pytest.raises((AssertionError, AttributeError, TypeError)):
        play(ON_A_BOX[name](parallel_env(episode="deal")), lambda observation, info: observation["action_mask"])


@pytest.mark.parametrize("name", REPEATING)
def test_wrappers_that_repeat_actions_make_no_sense(name: str) -> None:
    env = REPEATING[name](parallel_env(episode="deal", flat_observation=True, illegal="raise"))
    with pytest.raises(IllegalActionError):
        play(env, from_info)


@pytest.mark.parametrize("name", FOR_OTHER_SPACES)
def test_wrappers_for_other_spaces_refuse(name: str) -> None:
    with pytest.raises((AssertionError, AttributeError)):
        play(FOR_OTHER_SPACES[name](parallel_env(flat_observation=True)), from_info)


def vector(copies: int, **keywords: Any) -> Any:
    """A SuperSuit vector; below its wrapper, since that cannot be seeded."""
    env = supersuit.pettingzoo_env_to_vec_env_v1(parallel_env(episode="deal", **keywords))
    return supersuit.concat_vec_envs_v1(env, copies, num_cpus=0, base_class="gymnasium")


def test_the_vector_gives_observations_masks_rewards_and_ends() -> None:
    """Every row is a seat, and plays what the AEC environment plays with the seed of its copy."""
    rng, copies = np.random.default_rng(0), 2
    env = vector(copies, illegal="raise")
    single = [raw_env(episode="deal") for _ in range(copies)]
    rows, _ = env.reset(seed=7)
    for copy, each in enumerate(single):
        each.reset(seed=7 + copy)
    ended = 0
    for _ in range(200):
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in rows["action_mask"]])
        rows, rewards, terminated, _, infos = env.step(actions)
        for copy, each in enumerate(single):
            first = 3 * copy
            each.step(actions[first + int(each.agent_selection[-1])])
            assert rewards[first : first + 3].tolist() == np.array([*each.rewards.values()], np.float32).tolist()
            is_over = each.terminations["player_0"]
            assert terminated[first : first + 3].tolist() == [is_over] * 3
            if is_over:
                for seat, agent in enumerate(each.possible_agents):
                    last = infos[first + seat]["terminal_observation"]["observation"]
                    assert np.array_equal(last, each.observe(agent)["observation"])
                each.reset()
                ended += 1
            for seat, agent in enumerate(each.possible_agents):
                expected = each.observe(agent)
                assert np.array_equal(rows["observation"][first + seat], expected["observation"])
                mask = rows["action_mask"][first + seat]
                assert np.array_equal(mask, expected["action_mask"] if expected["action_mask"].any() else mask)
                assert mask.sum() == 1 or agent == each.agent_selection
    assert ended > 3


def test_copies_deal_different_cards_without_a_seed() -> None:
    rows, _ = vector(3).reset()
    assert len({rows["observation"][3 * copy].tobytes() for copy in range(3)}) == 3
