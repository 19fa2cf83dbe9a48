"""``env()`` is what PettingZoo's wrappers make of the raw environment, seen from outside; and what is illegal."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.utils.conversions import turn_based_aec_to_parallel
from pettingzoo.utils.env_logger import EnvLogger
from pettingzoo.utils.wrappers import (
    AssertOutOfBoundsWrapper,
    BaseWrapper,
    OrderEnforcingWrapper,
    TerminateIllegalWrapper,
)

from tests.aec_play import is_done, legal_actions, next_action, plain, play_out, snapshot
from thousand_env import IllegalActionError, thousand_v0

ATTRIBUTES = (
    "agents",
    "num_agents",
    "agent_selection",
    "rewards",
    "terminations",
    "truncations",
    "infos",
    "_cumulative_rewards",
    "possible_agents",
    "max_num_agents",
    "metadata",
    "render_mode",
    "nothing",
)


@pytest.fixture(autouse=True)
def quiet() -> Any:
    EnvLogger.suppress_output()
    EnvLogger.flush()
    yield
    EnvLogger.unsuppress_output()


def wrapped(**keywords: Any) -> Any:
    """The raw environment in PettingZoo's wrappers."""
    raw = thousand_v0.raw_env(illegal="raise", **keywords)
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(TerminateIllegalWrapper(raw, illegal_reward=-1)))


class Told:
    """An environment that is told one thing after another, and what came of it."""

    def __init__(self, env: Any) -> None:
        self.env = env
        self.iterator: Any = None

    def outcome(self, name: str, *arguments: Any) -> Any:
        EnvLogger.flush()
        try:
            if name == "next":
                if self.iterator is None:
                    self.iterator = iter(self.env.agent_iter())
                result = next(self.iterator)
            elif name == "attribute":
                result = getattr(self.env, arguments[0])
            elif name == "agent_iter":
                self.iterator = iter(self.env.agent_iter(*arguments))
                result = None
            else:
                result = getattr(self.env, name)(*arguments)
        except StopIteration:
            result = "stopped"
            self.iterator = None
        except Exception as error:
            if arguments in (("nothing",), ("_cumulative_rewards",)):  # said in other words
                return type(error).__name__, "", []
            if name == "next":
                self.iterator = None  # a generator that has raised is over
            return type(error).__name__, str(error), list(EnvLogger.mqueue)
        return "", plain(result), list(EnvLogger.mqueue)


def without_what_differs(command: tuple[Any, ...], outcome: Any) -> Any:
    """After an illegal action: here truncations stay False and masks are zeros, there the reverse."""
    error, result, messages = outcome
    if command == ("attribute", "truncations"):
        return error, None, messages
    if command[0] == "observe" and isinstance(result, dict):
        return error, result["observation"], messages
    if command[0] == "last" and isinstance(result, list):
        seen, reward, termination, _, info = result
        return error, [seen and seen["observation"], reward, termination, info], messages
    return outcome


def random_command(rng: random.Random, env: Any) -> tuple[Any, ...]:
    kind = rng.random()
    if kind < 0.12:
        return ("attribute", rng.choice(ATTRIBUTES))
    if kind < 0.2:
        return ("next",)
    if kind < 0.25:
        return (rng.choice(("observe",)), rng.choice(("player_0", "player_1", "player_2")))
    if kind < 0.3:
        return rng.choice([("last",), ("last", False), ("state",), ("render",), ("close",), ("__str__",)])
    if kind < 0.31:
        return ("agent_iter", rng.choice((0, 1, 3, 10**6)))
    if kind < 0.315:
        return ("reset", rng.randrange(5))
    if kind < 0.34:
        return ("step", rng.choice((-1, 130, 1.5, "0", None, np.array([1]), 2**40, np.float32(1))))
    if kind < 0.35 or not getattr(env, "agents", None):
        return ("step", rng.choice((0, 5, 129, None)))
    return ("step", next_action(env, rng))


@pytest.mark.skipif(not hasattr(pettingzoo, "register"), reason="earlier wrappers fail for agents that have left")
@pytest.mark.parametrize("render_mode", [None, "ansi"])
def test_the_same_commands_have_the_same_outcomes(render_mode: str | None) -> None:
    seen = set()
    for number in range(60):
        rng = random.Random(number)
        keywords: dict[str, Any] = {"episode": rng.choice(("deal", "match")), "render_mode": render_mode}
        illegal_end = False
        ours, theirs = Told(thousand_v0.env(**keywords)), Told(wrapped(**keywords))
        for each in range(120):
            if each == 6 and not rng.randrange(3):
                command: tuple[Any, ...] = ("reset", number)
            elif each == 12:
                command = ("reset", number)
            else:
                command = random_command(rng, ours.env)
            one, two = ours.outcome(*command), theirs.outcome(*command)
            env = theirs.env
            if getattr(env, "agents", None):  # how the wrapper ends an episode after an illegal action
                illegal_end = all(env.terminations[agent] and env.truncations[agent] for agent in env.agents)
            if illegal_end:
                one, two = without_what_differs(command, one), without_what_differs(command, two)
            assert one == two, (number, each, command)
            seen.add((command[0], one[0]))
            if getattr(env, "agents", None):
                assert ours.env.agents == env.agents
                assert ours.env.agent_selection == env.agent_selection
                assert ours.env.rewards == env.rewards
                assert ours.env._cumulative_rewards == env._cumulative_rewards
                assert ours.env.terminations == env.terminations
                assert ours.env.infos == env.infos
                if not illegal_end:
                    assert ours.env.truncations == env.truncations
                    assert snapshot(ours.env) == snapshot(env)
    wanted = {
        ("step", "AssertionError"),
        ("step", "ValueError"),
        ("step", ""),
        ("observe", "AssertionError"),
        ("state", "AssertionError"),
        ("render", "AssertionError"),
        ("agent_iter", "AssertionError"),
        ("last", "AttributeError"),
        ("attribute", "AttributeError"),
        ("next", "AssertionError"),
    }
    assert wanted <= seen


@pytest.mark.parametrize(
    "wrap", [BaseWrapper, OrderEnforcingWrapper, AssertOutOfBoundsWrapper, TerminateIllegalWrapper]
)
def test_the_wrappers_of_pettingzoo_may_still_be_put_on(wrap: Any) -> None:
    plain_env, below = thousand_v0.env(episode="deal"), thousand_v0.env(episode="deal", illegal="raise")
    covered = wrap(below, illegal_reward=-1) if wrap is TerminateIllegalWrapper else wrap(below)
    rng = random.Random(1)
    for env in (plain_env, covered):
        env.reset(seed=1)
    assert type(covered.unwrapped) is thousand_v0.raw_env
    while not is_done(plain_env):
        assert snapshot(plain_env) == snapshot(covered)
        action = next_action(plain_env, rng)
        plain_env.step(action)
        covered.step(action)
    for _ in range(3):
        assert snapshot(plain_env)["last"] == snapshot(covered)["last"]
        plain_env.step(None)
        covered.step(None)
    assert covered.agents == []


def test_pettingzoos_parallel_view_can_be_made_of_it() -> None:
    """It writes into infos and leaves masks of zeros, but steps to the end."""
    env = turn_based_aec_to_parallel(thousand_v0.env(episode="deal"))
    env.reset(seed=1)
    rng = random.Random(1)
    while env.agents:
        mover = env.aec_env.agent_selection
        action = next_action(env.aec_env, rng)
        _, rewards, terminations, _, _ = env.step({mover: action})
    assert set(terminations.values()) == {True}
    assert any(rewards.values())


@pytest.mark.parametrize("make", [thousand_v0.env, thousand_v0.raw_env])
def test_terminate_ends_the_episode_with_minus_one_for_the_offender(make: Any) -> None:
    for steps in (0, 1, 9, 60, 61):
        env = make(illegal="terminate", mask_in_info=True)
        env.reset(seed=steps)
        play_out(env, random.Random(steps), steps)
        offender = env.agent_selection
        game = env.unwrapped.game
        pending = dict(env._cumulative_rewards)
        wrong = next(action for action in range(130) if action not in legal_actions(env))
        EnvLogger.flush()
        env.step(wrong)
        assert len(EnvLogger.mqueue) == 1
        assert "Illegal move made, game terminating with current player losing" in EnvLogger.mqueue[0]
        assert env.rewards == {agent: -1.0 if agent == offender else 0.0 for agent in env.possible_agents}
        assert env._cumulative_rewards == {**pending, offender: -1.0}
        assert set(env.terminations.values()) == {True}
        assert set(env.truncations.values()) == {False}
        assert env.agents == env.possible_agents
        assert env.agent_selection == "player_0"
        assert not any(env.observe(agent)["action_mask"].any() for agent in env.agents)
        assert not any(info["action_mask"].any() for info in env.infos.values())
        assert env.unwrapped.game == game
        for agent in env.agent_iter():
            _, reward, termination, truncation, _ = env.last()
            assert (reward, termination, truncation) == (-1.0 if agent == offender else pending[agent], True, False)
            env.step(None)
        env.reset(seed=1)
        assert env.agents == env.possible_agents
        assert legal_actions(env)


@pytest.mark.parametrize("make", [thousand_v0.env, thousand_v0.raw_env])
def test_raise_changes_nothing(make: Any) -> None:
    env = make(illegal="raise", mask_in_info=True)
    env.reset(seed=1)
    rng = random.Random(1)
    for _ in range(80):
        before = snapshot(env)
        infos = dict(env.infos)
        wrong = rng.choice([action for action in range(130) if action not in legal_actions(env)])
        with pytest.raises(IllegalActionError, match=f"action {wrong} .*legal are"):
            env.step(wrong)
        assert snapshot(env) == before
        assert all(env.infos[agent] is infos[agent] for agent in env.agents)
        env.step(next_action(env, rng))


@pytest.mark.parametrize("make", [thousand_v0.env, thousand_v0.raw_env])
def test_penalty_pays_minus_one_and_the_same_agent_moves_again(make: Any) -> None:
    env, twin = make(illegal="penalty", reward="score"), make(illegal="raise", reward="score")
    for each in (env, twin):
        each.reset(seed=1)
    rng = random.Random(1)
    for _ in range(150):
        if is_done(env):
            break
        mover, pending = env.agent_selection, dict(env._cumulative_rewards)
        wrong = rng.choice([action for action in range(130) if action not in legal_actions(env)])
        for _ in range(2):  # each time what it had earned has been told
            env.step(wrong)
            assert env.rewards == {agent: -1.0 if agent == mover else 0.0 for agent in env.agents}
            assert env._cumulative_rewards == {**pending, mover: -1.0}
            assert env.last(observe=False)[1:4] == (-1.0, False, False)
        assert env.agent_selection == mover
        assert env.unwrapped.game == twin.unwrapped.game
        assert plain(env.observe(mover)) == plain(twin.observe(mover))
        action = next_action(twin, rng)
        env.step(action)
        twin.step(action)
        assert env.rewards == twin.rewards


def test_defaults() -> None:
    assert thousand_v0.env().unwrapped.settings.illegal == "terminate"
    assert thousand_v0.parallel_env().aec_env.unwrapped.settings.illegal == "terminate"
    assert thousand_v0.raw_env().settings.illegal == "raise"
    assert thousand_v0.env(illegal="penalty").unwrapped.settings.illegal == "penalty"


def test_attributes_through_env() -> None:
    env = thousand_v0.env(render_mode="ansi")
    raw = env.unwrapped
    assert type(raw) is thousand_v0.raw_env
    assert env.env is raw
    for agent in env.possible_agents:
        assert env.observation_space(agent) is raw.observation_space(agent) is env.observation_spaces[agent]
        assert env.action_space(agent) is raw.action_space(agent) is env.action_spaces[agent]
    spaces = [env.observation_space("player_1"), env.action_space("player_1"), env.state_space]
    env.reset(seed=1)
    assert [env.observation_space("player_1"), env.action_space("player_1"), env.state_space] == spaces
    assert env.observation_space("player_1") is spaces[0]
    assert env._cumulative_rewards is raw._cumulative_rewards
    assert env.rewards is raw.rewards
    assert env.render_mode == raw.render_mode == "ansi"
    assert env.metadata is raw.metadata
    assert env.rules == raw.rules
    assert str(env) == str(raw) == "thousand_v0"
    assert env.max_num_agents == 3


def test_a_raw_environment_before_its_first_reset() -> None:
    raw: Any = thousand_v0.raw_env(render_mode="ansi")
    for call in (lambda: raw.observe("player_0"), raw.state, raw.render):
        with pytest.raises(AssertionError, match=r"reset\(\) needs to be called before"):
            call()
    with pytest.raises(IllegalActionError, match=r"call reset\(\)"):
        raw.step(0)
    for name in ("agents", "agent_selection", "rewards", "game", "num_agents"):
        with pytest.raises(AttributeError, match=name if name != "num_agents" else "agents"):
            getattr(raw, name)
    raw.close()


def test_a_raw_environment_after_its_last_agent() -> None:
    raw: Any = thousand_v0.raw_env(episode="deal")
    raw.reset(seed=1)
    play_out(raw, random.Random(1))
    for action in (None, 0):
        with pytest.raises(IllegalActionError, match=r"call reset\(\)"):
            raw.step(action)
