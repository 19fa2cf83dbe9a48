"""``parallel_env()``: idle agents, what is returned, and that it plays what the AEC environment plays."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from pettingzoo.utils.env_logger import EnvLogger

from tests.aec_play import next_action
from thousand_env import PRESETS, IllegalActionError, thousand_v0


@pytest.fixture(autouse=True)
def quiet() -> Any:
    EnvLogger.suppress_output()
    yield
    EnvLogger.unsuppress_output()


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("keywords", [{}, {"history": True, "mask_in_info": True}, {"flat_observation": True}], ids=str)
def test_it_plays_what_the_aec_environment_plays(preset: str, keywords: dict[str, Any]) -> None:
    """Everything but the masks of idle agents is that of ``env()``, step by step to the end and after it."""
    for episode in ("deal", "match"):
        parallel = thousand_v0.parallel_env(rules=preset, episode=episode, **keywords)
        aec = thousand_v0.env(rules=preset, episode=episode, **keywords)
        observations, infos = parallel.reset(seed=2)
        aec.reset(seed=2)
        rng = random.Random(2)
        for _ in range(80):
            assert parallel.agents == aec.possible_agents
            compare(parallel, aec, observations, infos)
            action = next_action(aec, rng)
            actions = dict.fromkeys(parallel.agents, rng.randrange(130)) | {aec.agent_selection: action}
            if rng.random() < 0.3:
                actions = {aec.agent_selection: action}
            observations, rewards, terminations, truncations, infos = parallel.step(actions)
            aec.step(action)
            assert rewards == aec.rewards
            assert terminations == aec.terminations
            assert truncations == aec.truncations
            assert all(type(reward) is float for reward in rewards.values())
            assert parallel.state().tobytes() == aec.state().tobytes()
            if aec.terminations["player_0"] or aec.truncations["player_0"]:
                compare(parallel, aec, observations, infos)
                assert parallel.agents == []
                assert parallel.step({}) == ({}, {}, {}, {}, {})
                assert parallel.step(actions) == ({}, {}, {}, {}, {})
                assert parallel.state().tobytes() == aec.state().tobytes()
                break
        assert episode == "match" or parallel.agents == []


def compare(parallel: Any, aec: Any, observations: Any, infos: Any) -> None:
    over = aec.terminations["player_0"] or aec.truncations["player_0"]
    only_pass = [1] + 129 * [0]
    assert list(observations) == list(infos) == aec.agents
    for agent in aec.agents:
        expected, seen = aec.observe(agent), observations[agent]
        is_idle = over or agent != aec.agent_selection
        masks = [infos[agent]["action_mask"]] if aec.unwrapped.settings.mask_in_info else []
        if isinstance(seen, dict):
            assert {key: seen[key].tobytes() for key in seen if key != "action_mask"} == {
                key: expected[key].tobytes() for key in expected if key != "action_mask"
            }
            masks.append(seen["action_mask"])
            legal = expected["action_mask"].tolist()
        else:
            assert seen.tobytes() == expected.tobytes()
            legal = aec.infos[agent]["action_mask"].tolist()
        for mask in masks:
            assert mask.tolist() == (only_pass if is_idle else legal)
            assert mask.dtype == np.int8
            assert mask.any()
        assert infos[agent].keys() == ({"action_mask"} if aec.unwrapped.settings.mask_in_info else set())
        assert seen in parallel.observation_space(agent)


def test_arrays_are_new_at_each_step() -> None:
    env = thousand_v0.parallel_env(mask_in_info=True)
    handed = [*env.reset(seed=1)]
    copies = [repr(handed)]
    for _ in range(60):
        observations = handed[-2]
        actions = {agent: int(np.flatnonzero(each["action_mask"])[0]) for agent, each in observations.items()}
        observations, _, _, _, infos = env.step(actions)
        if not env.agents:
            break
        handed += [observations, infos]
        copies.append(repr([observations, infos]))
    assert [repr(handed[place : place + 2]) for place in range(0, len(handed), 2)] == copies


@pytest.mark.parametrize("illegal", ["terminate", "raise", "penalty"])
def test_illegal_actions_of_the_agent_to_move(illegal: str) -> None:
    env = thousand_v0.parallel_env(illegal=illegal)
    env.reset(seed=1)
    mover = env.aec_env.agent_selection
    actions = dict.fromkeys(env.agents, 129)
    if illegal == "raise":
        with pytest.raises(IllegalActionError, match="129"):
            env.step(actions)
        return
    _, rewards, terminations, truncations, infos = env.step(actions)
    assert rewards == {agent: -1.0 if agent == mover else 0.0 for agent in env.possible_agents}
    assert set(terminations.values()) == {illegal == "terminate"}
    assert set(truncations.values()) == {False}
    assert infos == {agent: {} for agent in env.possible_agents}
    assert env.agents == ([] if illegal == "terminate" else env.possible_agents)


def test_calls_that_cannot_be_served() -> None:
    env = thousand_v0.parallel_env()
    for call in (lambda: env.step({}), env.state, env.render):
        with pytest.raises(AssertionError, match="reset"):
            call()
    env.reset(seed=1)
    mover = env.aec_env.agent_selection
    with pytest.raises(ValueError, match=f"actions has none for {mover}"):
        env.step({agent: 0 for agent in env.agents if agent != mover})
    for wrong in (130, None, 1.5, True):
        with pytest.raises(AssertionError, match="action is not in action space"):
            env.step({mover: wrong})


def test_it_is_no_wrapper_and_has_what_tools_read() -> None:
    env = thousand_v0.parallel_env(render_mode="ansi")
    assert env.unwrapped is env
    assert env.render_mode == "ansi"
    assert str(env) == "thousand_v0"
    env.reset(seed=1)
    assert env.num_agents == env.max_num_agents == 3
    assert env.state() in env.state_space
    assert env.np_random is env.aec_env.np_random
    env.close()
