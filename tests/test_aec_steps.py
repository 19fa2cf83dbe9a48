"""Turn order, rewards, flags and dead steps of the AEC environment."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from tests.aec_play import is_done, legal_actions, next_action, play, play_out
from thousand_env import PRESETS, Game, IllegalActionError, Rules, episode_seed, thousand_v0

REWARDS = ("relative", "score", "win")


def totals_of_last(env: Any, rng: random.Random) -> dict[str, float]:
    """What ``last()`` gives each agent over an episode."""
    totals = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        _, reward, termination, truncation, _ = env.last()
        assert type(reward) is float
        totals[agent] += reward
        env.step(None if termination or truncation else rng.choice(legal_actions(env)))
    return totals


@pytest.mark.parametrize("make", [thousand_v0.env, thousand_v0.raw_env])
@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("episode", ["match", "deal"])
def test_what_last_gives_adds_up_to_the_returns_of_the_game(make: Any, reward: str, episode: str) -> None:
    for preset in PRESETS:
        rules = Rules.preset(preset).replace(max_deals=6)
        env = make(rules=rules, reward=reward, episode=episode)
        for seed in range(12 if episode == "deal" else 3):
            env.reset(seed=seed)
            rng = random.Random(seed)
            totals = totals_of_last(env, rng)
            game = env.unwrapped.game
            assert list(totals.values()) == pytest.approx(game.returns(reward).tolist())


def test_the_ending_card_of_an_opponent_pays_everyone() -> None:
    """Whoever plays the last card, each agent finds its own reward at its dead step."""
    env = thousand_v0.env(episode="deal", reward="score")
    enders = set()
    for seed in range(40):
        env.reset(seed=seed)
        rng = random.Random(seed)
        while not is_done(env):
            mover = env.agent_selection
            pending = dict(env._cumulative_rewards)
            assert set(pending.values()) == {0.0}
            env.step(next_action(env, rng))
        enders.add(mover)
        change = env.unwrapped.game.scores
        for agent in env.agent_iter():
            _, reward, termination, truncation, _ = env.last()
            assert (termination, truncation) == (True, False)
            assert reward == change[env.possible_agents.index(agent)] / 100
            env.step(None)
    assert enders == set(env.possible_agents)


@pytest.mark.parametrize("preset", PRESETS)
def test_rewards_are_paid_once_in_the_step_that_ends_a_deal(preset: str) -> None:
    env = thousand_v0.env(rules=preset, reward="score")
    env.reset(seed=4)
    rng = random.Random(4)
    assert set(env.rewards.values()) == {0.0}
    scores = env.unwrapped.game.scores
    cumulative = dict.fromkeys(env.agents, 0.0)
    paid = 0
    for _ in range(400):
        if is_done(env):
            break
        mover = env.agent_selection
        assert env.last(observe=False)[1] == cumulative[mover]
        env.step(next_action(env, rng))
        now = env.unwrapped.game.scores
        change = {agent: (now[seat] - scores[seat]) / 100 for seat, agent in enumerate(env.agents)}
        assert env.rewards == change
        assert all(type(reward) is float for reward in env.rewards.values())
        cumulative[mover] = 0.0
        for agent in env.agents:
            cumulative[agent] += change[agent]
        assert env._cumulative_rewards == cumulative
        paid += now != scores
        scores = now
    assert paid


def test_a_deal_that_is_dealt_again_pays_nothing() -> None:
    env = thousand_v0.env(rules=Rules(redeal_hand_below=60), reward="relative")
    for seed in range(20):
        env.reset(seed=seed)
        if 127 in legal_actions(env):
            env.step(127)
            assert env.unwrapped.game.deal_number == 1
            assert set(env.rewards.values()) == {0.0}
            return
    raise AssertionError("no redeal was offered")


@pytest.mark.parametrize("preset", PRESETS)
def test_the_mover_is_the_seat_to_act_and_may_move_again(preset: str) -> None:
    env = thousand_v0.env(rules=preset)
    env.reset(seed=1)
    previous, repeated, selected = None, 0, set()
    for each in play(env, random.Random(1), 150):
        if is_done(each):
            break
        game = each.unwrapped.game
        assert each.agent_selection == f"player_{game.seat}"
        assert each.agents == each.possible_agents
        if game.rules.players == 4:
            assert game.seat != game.dealer
        repeated += each.agent_selection == previous
        previous = each.agent_selection
        selected.add(previous)
    assert repeated
    assert selected == set(env.possible_agents)


@pytest.mark.parametrize("make", [thousand_v0.env, thousand_v0.raw_env])
@pytest.mark.parametrize("max_deals", [2, 200])
def test_all_agents_end_in_the_same_step_by_the_same_flag(make: Any, max_deals: int) -> None:
    env = make(rules=Rules(max_deals=max_deals, target=300, barrel=False))
    env.reset(seed=2)
    ended = 0
    for _ in play(env, random.Random(2)):
        flags = [(env.terminations[agent], env.truncations[agent]) for agent in env.agents]
        assert len(set(flags)) == 1
        assert all(type(each) is bool for pair in flags for each in pair)
        if is_done(env):
            ended += 1
            game = env.unwrapped.game
            assert flags[0] == ((False, True) if game.truncated else (True, False))
            assert game.truncated == (max_deals == 2)
    assert ended == 3
    assert env.agents == []
    assert env.rewards == env.terminations == env.truncations == env.infos == env._cumulative_rewards == {}


def test_dead_steps_take_none_alone_and_leave_in_seat_order() -> None:
    for make in (thousand_v0.env, thousand_v0.raw_env):
        env = make(episode="deal")
        env.reset(seed=1)
        rng = random.Random(1)
        while not is_done(env):
            with pytest.raises((AssertionError, ValueError)):
                env.step(None)
            ender = env.agent_selection
            env.step(next_action(env, rng))
        order = []
        while env.agents:
            with pytest.raises(ValueError, match="only valid action is None"):
                env.step(0)
            order.append(env.agent_selection)
            before = [env.observe(agent)["observation"].tobytes() for agent in env.possible_agents]
            env.step(None)
            assert [env.observe(agent)["observation"].tobytes() for agent in env.possible_agents] == before
            assert set(env.rewards.values()) <= {0.0}
        assert order == env.possible_agents
        assert env.agent_selection == ender
        assert env.render() is None
        assert not any(env.observe(agent)["action_mask"].any() for agent in env.possible_agents)
        assert env.state().shape == env.state_space.shape


def test_after_the_end_a_reset_begins_anew() -> None:
    env = thousand_v0.env(episode="deal")
    for _ in range(3):
        env.reset(seed=1)
        play_out(env, random.Random(1))
        assert env.agents == []
    env.reset(seed=1)
    assert env.agents == env.possible_agents
    assert set(env.rewards) == set(env.terminations) == set(env.infos) == set(env.agents)
    assert not any([*env.terminations.values(), *env.truncations.values(), *env.rewards.values()])


def test_an_episode_that_is_over_at_once() -> None:
    rules = Rules(redeal_four_nines="mandatory", max_deals=1)
    seed = next(seed for seed in range(2000) if Game(rules, seed=episode_seed(seed, 0)).is_over)
    env = thousand_v0.env(rules=rules, mask_in_info=True)
    env.reset(seed=seed)
    assert env.agents == env.possible_agents
    assert set(env.truncations.values()) == {True}
    assert set(env.terminations.values()) == {False}
    assert not any(info["action_mask"].any() for info in env.infos.values())
    for agent in env.agent_iter():
        observation, reward, termination, truncation, _ = env.last()
        assert (reward, termination, truncation) == (0.0, False, True)
        assert not observation["action_mask"].any()
        assert agent in env.agents
        env.step(None)
    assert env.agents == []
    observations, _ = (parallel := thousand_v0.parallel_env(rules=rules)).reset(seed=seed)
    assert parallel.agents == []
    assert set(observations) == set(parallel.possible_agents)


def test_every_integer_type_is_an_action_and_nothing_else() -> None:
    kinds: list[Any] = [int, np.int8, np.int32, np.int64, np.uint8, lambda action: np.array(action)]
    kinds += [lambda action: np.array(action, np.int32), lambda action: np.array([action])[0]]
    for make in (thousand_v0.env, thousand_v0.raw_env):
        reached = []
        for kind in kinds:
            env = make()
            env.reset(seed=3)
            rng = random.Random(3)
            for _ in range(40):
                env.step(kind(next_action(env, rng)))
            reached.append(env.unwrapped.game)
        assert all(game == reached[0] for game in reached)
    for wrong in (
        True,
        False,
        np.True_,
        np.array(True),
        0.0,
        1.5,
        np.float64(0),
        "0",
        None,
        [0],
        np.array([0]),
        -1,
        130,
    ):
        for make, error in ((thousand_v0.env, AssertionError), (thousand_v0.raw_env, IllegalActionError)):
            for illegal in ("terminate", "raise", "penalty"):
                env = make(illegal=illegal)
                env.reset(seed=3)
                before = env.unwrapped.game
                with pytest.raises(error):
                    env.step(wrong)
                assert env.unwrapped.game == before
                assert not is_done(env)
                assert set(env.rewards.values()) == {0.0}
    for huge in (2**31, 2**63, 2**64, 10**30, -(2**63) - 1):
        env = thousand_v0.env()
        env.reset(seed=3)
        with pytest.raises(AssertionError, match="action is not in action space"):
            env.step(huge)


def test_step_and_reset_give_nothing() -> None:
    env: Any = thousand_v0.env()
    assert env.reset(seed=1) is None
    assert env.step(legal_actions(env)[0]) is None
    observation, *_ = env.last(observe=False)
    assert observation is None


def test_what_the_mask_forbids_is_refused_and_changes_nothing() -> None:
    rng = np.random.default_rng(5)
    for preset in ("classic", "modern", "two_player"):
        env = thousand_v0.raw_env(rules=preset, episode="deal")
        env.reset(seed=3)
        while not env.terminations[env.agent_selection]:
            mask = env.last()[0]["action_mask"]
            before = env.game
            for action in np.flatnonzero(mask == 0):
                with pytest.raises(IllegalActionError):
                    env.step(action)
            assert env.game == before
            env.step(rng.choice(np.flatnonzero(mask)))
