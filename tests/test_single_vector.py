"""``gymnasium.make_vec("Thousand-v0")``: rows are single environments that end as Gymnasium says."""

from __future__ import annotations

import copy
import hashlib
import importlib.util
import itertools
import pickle
import random
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded

if not hasattr(gymnasium.vector, "AutoresetMode"):
    pytest.skip("batches of gymnasium need gymnasium 1.1", allow_module_level=True)

from gymnasium.vector import AutoresetMode, SyncVectorEnv

from baselines.greedy import GreedyAgent
from baselines.random_agent import RandomAgent
from thousand_env import PRESETS, DealError, Game, IllegalActionError, Rules, View, env_seed, episode_seed
from thousand_env.opponents import OpponentError, learner_seat, opponent_seed
from thousand_env.rewards import REWARDS
from thousand_env.settings import ILLEGAL
from thousand_env.single import SingleSeatEnv
from thousand_env.single_vector import SingleSeatVectorEnv

NUM = 4
MODES = [mode.value for mode in AutoresetMode]
HAS_PILLOW = importlib.util.find_spec("PIL") is not None


class Remembers:
    """Chooses by how often it has acted since its last reset: if it were shared, games would go otherwise."""

    def __init__(self) -> None:
        self.number = 0

    def reset(self, seed: int | None = None) -> None:
        assert seed is not None
        self.number = seed % 1000

    def act(self, view: View) -> int:
        self.number += 1
        legal = view.legal_actions()
        return legal[self.number % len(legal)]


class LastLegal:
    """The last legal action, one by one or in batches; notes seeds and how many rows each call was for."""

    def __init__(self) -> None:
        self.seeds: list[int | None] = []
        self.calls: list[int] = []

    def reset(self, seed: int | None = None) -> None:
        self.seeds.append(seed)

    def act(self, view: View) -> int:
        return view.legal_actions()[-1]

    def act_batch(self, observation: Any, action_mask: Any) -> Any:
        assert observation.shape == (len(action_mask), 496)
        assert (observation.dtype, action_mask.dtype) == (np.float32, np.int8)
        self.calls.append(len(action_mask))
        actions = action_mask.shape[1] - 1 - action_mask[:, ::-1].argmax(axis=1)
        observation[:], action_mask[:] = 7, 1  # they are the agent's own
        return actions


class OneByOne(LastLegal):
    act_batch = None  # type: ignore[assignment]

    def __getattribute__(self, name: str) -> Any:
        if name == "act_batch":
            raise AttributeError(name)
        return super().__getattribute__(name)


def frozen(value: Any) -> Any:
    """A value by content alone, to be compared with ==."""
    if isinstance(value, np.ndarray):
        content = [frozen(each) for each in value] if value.dtype == object else value.tobytes()
        return (str(value.dtype), value.shape, content)
    if isinstance(value, dict):
        return {key: frozen(each) for key, each in value.items()}
    return [frozen(each) for each in value] if isinstance(value, list | tuple) else value


def masks_of(env: Any) -> Any:
    if isinstance(env, SyncVectorEnv):
        return np.stack([each.unwrapped.action_masks() for each in env.envs])
    return env.unwrapped.action_masks()


def some_actions(masks: Any, rng: np.random.Generator, illegal: float = 0.0) -> Any:
    """Random legal actions, some of them replaced by any number."""
    actions = [int(rng.choice(np.flatnonzero(mask))) if mask.any() else int(rng.integers(130)) for mask in masks]
    wrong = rng.random(len(masks)) < illegal
    return np.where(wrong, rng.integers(-3, 133, len(masks)), actions)


def play(env: Any, steps: int, rng: np.random.Generator, illegal: float = 0.0) -> Iterator[Any]:
    """What each step of random play gives; where nothing follows an end by itself, ended rows are reset."""
    for _ in range(steps):
        actions = some_actions(masks_of(env), rng, illegal)
        given = env.step(actions)
        yield (*given, actions)
        ended = given[2] | given[3]
        if env.metadata["autoreset_mode"] is AutoresetMode.DISABLED and ended.any():
            yield env.reset(options={"reset_mask": ended})


def story(env: Any, seed: Any, steps: int, illegal: float = 0.0, rng: int = 0) -> list[Any]:
    return [frozen(env.reset(seed=seed))] + [
        frozen(each) for each in play(env, steps, np.random.default_rng(rng), illegal)
    ]


def singles(num: int, mode: str, **keywords: Any) -> SyncVectorEnv:
    """The same environment made of single ones, by Gymnasium."""
    return SyncVectorEnv([lambda: SingleSeatEnv(**keywords)] * num, autoreset_mode=mode)


def assert_same(mine: SingleSeatVectorEnv, theirs: SyncVectorEnv, seed: int, steps: int, illegal: float = 0.0) -> int:
    """Both give the same, infos included; how many episodes have ended."""
    seeds = [env_seed(seed, row) for row in range(mine.num_envs)]
    told, expected = story(mine, seed, steps, illegal), story(theirs, seeds, steps, illegal)
    for number, (one, other) in enumerate(zip(told, expected, strict=True)):
        assert one == other, number
    assert mine.seats.tolist() == [each.unwrapped.seat for each in theirs.envs]
    assert mine.np_random_seed == tuple(seeds)
    ended = 0
    for each in told:
        if len(each) == 6:
            ended += each[2][2].count(1) + each[3][2].count(1)
    return ended


# Every row against single environments


@pytest.mark.parametrize("episode", ["match", "deal"])
@pytest.mark.parametrize("preset", PRESETS)
def test_rows_are_single_environments(preset: str, episode: str) -> None:
    number = 2 * list(PRESETS).index(preset) + (episode == "deal")
    rules = Rules.preset(preset)
    if episode == "match":  # short ones, that are won and cut off
        rules = rules.replace(max_deals=3)
    for turn, seat in enumerate([None, number % rules.players]):
        keywords: dict[str, Any] = {
            "seat": seat,
            "rules": rules,
            "episode": episode,
            "reward": REWARDS[(number + turn) % 3],
            "illegal": ILLEGAL[(number // 2 + turn) % 3],
            "history": number % 3 > 0,
            "flat_observation": number % 3 == 0,
            "mask_in_info": number % 2 == 0,
        }
        mode = MODES[(number + 2 * turn) % 3]
        illegal = 0.0 if keywords["illegal"] == "raise" else 0.05
        mine = SingleSeatVectorEnv(NUM, autoreset_mode=mode, **keywords)
        steps = 70 if episode == "match" else 35
        assert assert_same(mine, singles(NUM, mode, **keywords), number, steps, illegal) > 1


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("mode", MODES)
def test_matches_that_are_won_and_lost(mode: str, reward: str) -> None:
    keywords: dict[str, Any] = {"rules": {"target": 130, "barrel": False}, "seat": None, "reward": reward}
    mine = SingleSeatVectorEnv(NUM, autoreset_mode=mode, **keywords)
    assert assert_same(mine, singles(NUM, mode, **keywords), 3, 100) > 3


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize(
    "opponents",
    [
        "tests.test_single_vector:Remembers",
        "tests.test_single_vector:LastLegal",
        "tests.test_single_vector:OneByOne",
        [OneByOne(), "greedy", LastLegal()],
        ["tests.test_single_vector:Remembers", LastLegal(), "tests.test_single_vector:Remembers"],
        [GreedyAgent()] * 3,
    ],
)
def test_opponents_of_every_kind_do_in_each_row_what_they_do_alone(players: int, opponents: Any) -> None:
    rules = {2: "two_player", 3: "classic", 4: "four_player"}[players]
    given = opponents if isinstance(opponents, str) else opponents[: players - 1]
    keywords: dict[str, Any] = {"seat": None, "rules": rules, "episode": "deal", "opponents": given}
    assert assert_same(SingleSeatVectorEnv(NUM, **keywords), singles(NUM, "SameStep", **keywords), 5, 25) > 3


def test_episodes_without_a_decision_are_passed_over_and_count() -> None:
    keywords: dict[str, Any] = {"seat": 1, "rules": "four_player", "episode": "deal"}
    mine = SingleSeatVectorEnv(16, **keywords)
    assert assert_same(mine, singles(16, "SameStep", **keywords), 5, 20) > 16
    first = SingleSeatVectorEnv(64, **keywords)
    first.reset(seed=1)
    numbers = first._games.books["episode"]
    assert (numbers > 0).any()
    for row, number in enumerate(numbers.tolist()):
        seeds = [episode_seed(env_seed(1, row), each) for each in range(number + 1)]
        assert [Game(first.rules, each, "deal").dealer == 1 for each in seeds] == [True] * number + [False]


def test_the_first_reward_has_what_was_earned_before_the_first_decision() -> None:
    """With four players a learner may sit out the first deal of a match, which the others' scores change."""
    env = SingleSeatVectorEnv(64, rules="four_player", seat=1)
    env.reset(seed=2)
    rows = [row for row in range(64) if env.game(row).deals_scored]
    before = [env.game(row).scores for row in rows]
    rewards = env.step(some_actions(env.action_masks(), np.random.default_rng(0)))[1]
    assert rows
    for row, scores in zip(rows, before, strict=True):
        if env.game(row).scores == scores:
            assert rewards[row] == (scores[1] - (sum(scores) - scores[1]) / 3) / 100 != 0


def digest(env: SingleSeatVectorEnv, steps: int = 12) -> str:
    return hashlib.sha256(repr(story(env, 7, steps)).encode()).hexdigest()


@pytest.mark.parametrize("opponents", ["random", ["random", "greedy"], [RandomAgent(), "random"]])
def test_the_number_of_threads_and_other_numbers_drawn_change_nothing(opponents: Any) -> None:
    def make(num_threads: int) -> SingleSeatVectorEnv:
        return SingleSeatVectorEnv(600, seat=None, episode="deal", opponents=opponents, num_threads=num_threads)

    first = digest(make(1))
    env = make(3)
    np.random.seed(3)
    random.seed(3)
    assert digest(env) == first
    assert digest(env) == first
    assert story(env, 8, 1)[0] != story(env, 7, 1)[0]


# The end of an episode


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("illegal", ["penalty", "terminate"])
def test_no_transition_crosses_an_episode(mode: str, illegal: str) -> None:
    """The rewards of each episode are what its game is worth to the learner, and the steps are its own."""
    keywords: dict[str, Any] = {"seat": None, "episode": "deal", "illegal": illegal}
    env = SingleSeatVectorEnv(8, autoreset_mode=mode, **keywords)
    env.reset(seed=4)
    rng = np.random.default_rng(0)
    rewards, actions = [[0.0] for _ in range(8)], [[] for _ in range(8)]  # type: ignore[var-annotated]
    skip = np.zeros(8, np.bool_)
    episodes = 0
    twins = [SingleSeatEnv(**keywords) for _ in range(8)]
    for row, twin in enumerate(twins):
        twin.reset(seed=env_seed(4, row))
    for given in play(env, 60, rng, illegal=0.03):
        if len(given) == 2:
            continue
        observation, reward, terminated, truncated, infos, action = given
        ended = terminated | truncated
        for row in range(8):
            if skip[row]:  # nothing but the reset of "NextStep"
                assert (reward[row], ended[row]) == (0.0, False)
                continue
            rewards[row].append(float(reward[row]))
            actions[row].append(int(action[row]))
            if not ended[row]:
                continue
            episodes += 1
            told = [twins[row].step(each) for each in actions[row]]
            assert [each[1] for each in told] == rewards[row][1:]
            assert [each[2] or each[3] for each in told] == [False] * (len(told) - 1) + [True]
            penalties = rewards[row].count(-1.0)
            if illegal == "penalty" and not penalties:
                seat = twins[row].seat
                assert seat is not None
                assert sum(rewards[row]) == pytest.approx(twins[row].game.returns()[seat])
            last = {name: each[row] for name, each in observation.items()}
            if mode == "SameStep":
                assert infos["_final_obs"][row]
                last = infos["final_obs"][row]
            assert frozen(last) == frozen(told[-1][0])
            twins[row].reset()
            rewards[row], actions[row] = [0.0], []
        assert ("final_obs" in infos) == (mode == "SameStep" and bool(ended.any()))
        if mode == "SameStep":
            assert observation["action_mask"].any(axis=1).all()
        else:
            assert np.array_equal(observation["action_mask"].any(axis=1), ~ended)
        skip = ended if mode == "NextStep" else np.zeros(8, np.bool_)
    assert episodes > 30


def test_final_infos_are_in_the_format_of_gymnasium() -> None:
    env = SingleSeatVectorEnv(8, episode="deal", mask_in_info=True, history=True)
    env.reset(seed=1)
    for _, _, terminated, _, infos, _ in play(env, 20, np.random.default_rng(0)):
        assert infos["_action_mask"].all()
        if terminated.any():
            assert infos["final_obs"].dtype == object
            assert np.array_equal(infos["_final_obs"], terminated)
            assert np.array_equal(infos["_final_info"], terminated)
            assert np.array_equal(infos["final_info"]["_action_mask"], terminated)
            assert not infos["final_info"]["action_mask"].any()
            for row, seen in enumerate(infos["final_obs"]):
                assert (seen is not None) == terminated[row]
                assert seen is None or seen in env.single_observation_space


def test_next_step_takes_any_action_for_a_row_that_begins_anew() -> None:
    env = SingleSeatVectorEnv(8, episode="deal", illegal="raise", autoreset_mode="NextStep")
    env.reset(seed=1)
    waited = 0
    for _, _, terminated, _, _, _ in play(env, 30, np.random.default_rng(0)):
        if terminated.any():
            actions = np.where(terminated, -5, env.action_masks().argmax(axis=1))
            env.step(actions)
            waited += 1
    assert waited > 3


def test_with_autoreset_disabled_rows_wait_for_a_reset() -> None:
    env = SingleSeatVectorEnv(8, episode="deal", autoreset_mode=AutoresetMode.DISABLED)
    env.reset(seed=1)
    rng = np.random.default_rng(0)
    terminated = np.zeros(8, np.bool_)
    while not terminated.any():
        observation, _, terminated, _, _ = env.step(some_actions(env.action_masks(), rng))
    row = int(np.flatnonzero(terminated)[0])
    with pytest.raises(ResetNeeded, match=rf"rows \[{row}.* are over: reset them"):
        env.step(np.zeros(8, np.int64))
    options = {"reset_mask": terminated.copy()}
    after, _ = env.reset(options=options)
    assert np.array_equal(options["reset_mask"], terminated)  # Gymnasium's wrappers read it too
    for name, each in after.items():
        assert np.array_equal(each[~terminated], observation[name][~terminated])
    assert after["action_mask"].any(axis=1).all()
    env.reset(options={"reset_mask": np.arange(8) == 0}, seed=9)
    assert env.game(0).seed == episode_seed(env_seed(9, 0), 0)
    assert env.np_random_seed[1:] == tuple(env_seed(1, each) for each in range(1, 8))
    env.reset(options={"reset_mask": np.arange(8) == 1}, seed=list(range(8)))
    assert env.np_random_seed[:3] == (env_seed(9, 0), 1, env_seed(1, 2))
    assert env.metadata["autoreset_mode"] is AutoresetMode.DISABLED
    assert SingleSeatVectorEnv.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP


@pytest.mark.parametrize("mask", [np.zeros(4, np.bool_), np.ones(3, np.bool_), np.ones(4, np.int8), 7])
def test_masks_of_a_reset_that_are_refused(mask: Any) -> None:
    env = SingleSeatVectorEnv(NUM)
    env.reset(seed=1)
    before = frozen(env._observations())
    with pytest.raises(ValueError, match=r"reset_mask=.* is not accepted: use a bool array of shape \(4,\)"):
        env.reset(options={"reset_mask": mask})
    assert frozen(env._observations()) == before
    with pytest.raises(ResetNeeded, match="reset all rows before"):
        SingleSeatVectorEnv(NUM).reset(options={"reset_mask": np.arange(NUM) < 2})


# Seeds


def first_seeds(env: SingleSeatVectorEnv) -> list[int]:
    return [env.game(row).seed for row in range(env.num_envs)]


def test_seeds_of_the_rows() -> None:
    env = SingleSeatVectorEnv(NUM)
    for seed in (9, np.int64(9), np.array(9)):
        env.reset(seed=seed)  # type: ignore[arg-type]
        assert first_seeds(env) == [episode_seed(env_seed(9, row), 0) for row in range(NUM)]
    drawn = env.np_random.random()
    env.reset()
    assert first_seeds(env) == [episode_seed(env_seed(9, row), 1) for row in range(NUM)]
    assert env.np_random.random() != drawn
    env.reset(seed=9)
    assert env.np_random.random() == drawn
    for seeds in ([5, 6, 2**64 - 1, 0], (5, 6, 2**64 - 1, 0), np.array([5, 6, 2**64 - 1, 0], np.uint64)):
        env.reset(seed=seeds)
        assert first_seeds(env) == [episode_seed(each, 0) for each in (5, 6, 2**64 - 1, 0)]
    env.reset(seed=[None, 8, None, 7])
    expected = [(5, 1), (8, 0), (2**64 - 1, 1), (7, 0)]
    assert first_seeds(env) == [episode_seed(*each) for each in expected]
    assert env.np_random_seed == (5, 8, 2**64 - 1, 7)
    other = SingleSeatVectorEnv(NUM)
    other.reset(seed=[None, 8, None, 7])
    assert first_seeds(other)[1::2] == first_seeds(env)[1::2]
    assert first_seeds(other)[0] != first_seeds(other)[2]


def test_seeds_that_are_refused_change_nothing() -> None:
    env = SingleSeatVectorEnv(NUM)
    env.reset(seed=1)
    before = [env.game(row) for row in range(NUM)]
    for seed in (-1, True, 1.0, "ab", [1, 2, 3], [1, 2, 3, -1], [1, 2, 3, 2.5], [[1, 2, 3, 4]], [1, 2, True, 4]):
        with pytest.raises(ValueError, match="seed="):
            env.reset(seed=seed)  # type: ignore[arg-type]
        assert [env.game(row) for row in range(NUM)] == before
    env.reset()
    assert first_seeds(env) == [episode_seed(env_seed(1, row), 1) for row in range(NUM)]


def test_without_a_seed_one_is_drawn_that_can_be_told() -> None:
    env, other = SingleSeatVectorEnv(3), SingleSeatVectorEnv(3)
    observation, _ = env.reset()
    other.reset()
    assert first_seeds(env) != first_seeds(other)
    for row, seed in enumerate(env.np_random_seed):
        assert np.array_equal(SingleSeatEnv().reset(seed=seed)[0]["observation"], observation["observation"][row])


def test_first_games_of_64_rows_differ() -> None:
    env = SingleSeatVectorEnv(64, opponents="random")
    for seed in (5, None):
        env.reset(seed=seed)
        dealt = [env.game(row).dealt() for row in range(64)]
        assert not any(one == two for one, two in itertools.combinations(dealt, 2))
    drawn = SingleSeatVectorEnv(64)
    drawn.reset()
    assert len(set(first_seeds(drawn))) == 64


def test_seats_are_those_of_the_episodes() -> None:
    env = SingleSeatVectorEnv(64, seat=None)
    env.reset(seed=3)
    assert env.seats.tolist() == [learner_seat(env_seed(3, row), 0, 3) for row in range(64)]
    assert set(env.seats.tolist()) == {0, 1, 2}
    env.seats[:] = 9
    assert env.seats.max() == 2


# Opponents


def test_a_batch_agent_is_asked_once_for_all_rows_that_wait() -> None:
    shared, alone = LastLegal(), LastLegal()
    keywords: dict[str, Any] = {"episode": "deal", "seat": None}
    env = SingleSeatVectorEnv(64, opponents=shared, **keywords)
    env.reset(seed=3)
    assert shared.calls[0] == int((np.array([Game(seed=each).seat for each in first_seeds(env)]) != env.seats).sum())
    played = [(who, int(env.seats[row])) for row in range(64) for who, _ in env.game(row).actions()]
    assert {env.game(row).deal_number for row in range(64)} == {0}
    assert sum(shared.calls) == len(played) == sum(who != seat for who, seat in played)
    env = SingleSeatVectorEnv(64, opponents=[alone, "greedy"], **keywords)
    env.reset(seed=3)
    seats = np.array([Game(seed=each).seat for each in first_seeds(env)])
    assert alone.calls[0] == int((seats == (env.seats + 1) % 3).sum())


def test_one_agent_for_all_rows_is_reset_with_all_rows() -> None:
    for agent in (LastLegal(), OneByOne()):
        env = SingleSeatVectorEnv(NUM, opponents=[GreedyAgent(), agent], episode="deal")
        env.reset(seed=3)
        for _ in play(env, 20, np.random.default_rng(0)):
            pass
        env.reset(options={"reset_mask": np.arange(NUM) == 0})
        assert agent.seeds == [opponent_seed(env_seed(3, 0), 0, 1)]
        number = int(env._games.books["episode"][0]) + 1
        env.reset()
        assert agent.seeds[1:] == [opponent_seed(env_seed(3, 0), number, 1)]
        env.reset(seed=[8, 7, 6, 5])
        assert agent.seeds[2:] == [opponent_seed(8, 0, 1)]
    env = SingleSeatVectorEnv(NUM, opponents="tests.test_single_vector:LastLegal", episode="deal")
    env.reset(seed=3)
    for _ in play(env, 20, np.random.default_rng(0)):
        pass
    named: list[Any] = env._opponents._agents
    assert [agent.seeds for agent in named] == [[opponent_seed(env_seed(3, 0), 0, place)] for place in (0, 1)]
    shared = LastLegal()  # once, where it stands at several places and rows pass over an episode
    SingleSeatVectorEnv(64, opponents=shared, rules="four_player", episode="deal").reset(seed=3)
    assert shared.seeds == [opponent_seed(env_seed(3, 0), 0, 0)]


class Wrong(OneByOne):
    def __init__(self, answer: Any) -> None:
        super().__init__()
        self.answer = answer

    def act(self, view: View) -> Any:
        if isinstance(self.answer, BaseException):
            raise self.answer
        return super().act(view) if self.answer == "right" else self.answer


class WrongInBatch(LastLegal):
    def __init__(self, answer: Any) -> None:
        super().__init__()
        self.answer = answer

    def act_batch(self, observation: Any, action_mask: Any) -> Any:
        actions = super().act_batch(observation, action_mask)
        if isinstance(self.answer, BaseException):
            raise self.answer
        if self.answer == "right":
            return actions
        return self.answer(actions) if callable(self.answer) else np.full(len(actions), self.answer)


FAULTS = [
    (Wrong, KeyError("oh"), r"in row \d cannot act: KeyError: 'oh'"),
    (Wrong, 129, r"in row \d has chosen wrongly: action 129 .* not legal for seat 2"),
    (Wrong, -1, r"in row \d has chosen wrongly: action -1 is not legal for seat 2"),
    (Wrong, 2**70, r"in row \d has chosen wrongly: action \d{22} is not legal for seat 2"),
    (Wrong, np.int64(129), r"in row \d has chosen wrongly: action 129 "),
    (Wrong, None, r"in row \d has chosen wrongly: action None of type NoneType"),
    (Wrong, True, r"in row \d has chosen wrongly: action True of type bool"),
    (Wrong, "pass", r"in row \d has chosen wrongly: action 'pass' of type str"),
    (WrongInBatch, KeyError("oh"), r"in row \d and \d more cannot act: KeyError: 'oh'"),
    (WrongInBatch, 129, r"in row \d has chosen wrongly: action 129 .* not legal for seat 2"),
    (WrongInBatch, -1, r"in row \d has chosen wrongly: action -1 is not legal for seat 2"),
    (WrongInBatch, 2**63, r"in row \d has chosen wrongly: action 9223372036854775808 is not legal"),
    (WrongInBatch, 1.0, r"in row \d and \d more has chosen wrongly: act_batch gave float64 of shape"),
    (WrongInBatch, True, r"in row \d and \d more has chosen wrongly: act_batch gave bool of shape"),
    (WrongInBatch, lambda actions: actions[1:], r"has chosen wrongly: act_batch gave int64 of shape .* must give int"),
    (WrongInBatch, lambda actions: None, "has chosen wrongly: act_batch gave object of shape"),
]


@pytest.mark.parametrize(("kind", "answer", "message"), FAULTS)
def test_an_opponent_that_is_wrong_is_named_and_nothing_was_played(kind: Any, answer: Any, message: str) -> None:
    agent = kind("right")
    env = SingleSeatVectorEnv(8, seat=1, opponents=[agent, LastLegal()], history=True, autoreset_mode="NextStep")
    env.reset(seed=1, options={"dealer": 0})
    env.step(np.where(np.arange(8) == 3, -1, env.action_masks().argmax(axis=1)))
    assert env.action_masks().any(axis=1).tolist() == [True] * 3 + [False] + [True] * 4
    twin = copy.deepcopy(env)
    before = frozen((env._observations(), env.seats, env._paid))
    games = [env.game(row) for row in range(8)]
    actions = env.action_masks().argmax(axis=1)
    agent.answer = answer
    for call in (lambda: env.step(actions), lambda: env.reset(seed=2, options={"dealer": 1})):
        with pytest.raises(OpponentError, match=f"^opponent '{kind.__name__}' at seat 2 .*{message}"):
            call()
        assert [env.game(row) for row in range(8)] == games
        assert frozen((env._observations(), env.seats, env._paid)) == before
    agent.answer = "right"
    assert frozen(env.step(actions)) == frozen(twin.step(actions))
    assert frozen(env.reset()) == frozen(twin.reset())


@pytest.mark.parametrize("kind", [Wrong, WrongInBatch])
def test_an_interrupted_call_is_undone(kind: Any) -> None:
    agent = kind(KeyboardInterrupt())
    env = SingleSeatVectorEnv(8, opponents=agent)
    with pytest.raises(KeyboardInterrupt):
        env.reset(seed=1)
    with pytest.raises(ResetNeeded):
        env.step(np.zeros(8, np.int64))
    agent.answer = "right"
    env.reset(seed=1)
    other = SingleSeatVectorEnv(8, opponents=kind("right"))
    other.reset(seed=1)
    games = [env.game(row) for row in range(8)]
    actions = env.action_masks().argmax(axis=1)
    agent.answer = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        env.step(actions)
    assert [env.game(row) for row in range(8)] == games
    agent.answer = "right"
    assert frozen(env.step(actions)) == frozen(other.step(actions))


class CannotBeReset(Remembers):
    def reset(self, seed: int | None = None) -> None:
        raise KeyError("oh")


def test_an_opponent_that_cannot_be_reset_is_named() -> None:
    with pytest.raises(OpponentError, match="'CannotBeReset' at seat 1 cannot be reset: KeyError"):
        SingleSeatVectorEnv(3, seat=2, opponents=["greedy", CannotBeReset()]).reset(seed=1)
    name = "tests.test_single_vector:CannotBeReset"
    with pytest.raises(OpponentError, match=f"{name}' at seat 1 .*cannot be reset: KeyError"):
        SingleSeatVectorEnv(3, seat=2, opponents=["greedy", name]).reset(seed=1)


class CannotBeCopied(Remembers):
    def __init__(self) -> None:
        super().__init__()
        self.lock = threading.Lock()


def test_an_opponent_that_cannot_be_copied_is_named() -> None:
    name = "tests.test_single_vector:CannotBeCopied"
    with pytest.raises(ValueError, match=f"opponent '{name}' is not accepted: each row .* cannot be copied: TypeError"):
        SingleSeatVectorEnv(3, opponents=name)
    SingleSeatVectorEnv(3, opponents=CannotBeCopied()).reset(seed=1)


# Options of a reset


def test_options_are_those_of_the_single_environment_for_every_row() -> None:
    hands, [talon] = Game(seed=1).dealt()
    deal = {"hands": hands, "talon": talon}
    for options in (
        {"deal": deal, "dealer": 2},
        {"deal": deal, "scores": [100, 880, -20], "barrel": [None, 2, None]},
        {"scores": [10, 20, 30], "bolts": [0, 1, 2], "dealer": 1},
        {"dealer": 0, "scores": None},
        {"deal": None},
        {},
    ):
        keywords: dict[str, Any] = {"seat": None, "episode": "deal", "history": True, "reward": "score"}
        mine, theirs = SingleSeatVectorEnv(NUM, **keywords), singles(NUM, "SameStep", **keywords)
        for seed in (3, None, None):
            seeds = None if seed is None else [env_seed(seed, row) for row in range(NUM)]
            given = mine.reset(seed=seed, options=options)
            assert frozen(given) == frozen(theirs.reset(seed=seeds, options=dict(options)))
            rngs = np.random.default_rng(1), np.random.default_rng(1)
            told = [
                [frozen(each) for each in play(env, 12, rng)] for env, rng in zip((mine, theirs), rngs, strict=True)
            ]
            assert told[0] == told[1]
        assert mine.game(0).deals_scored == 0
    mine.reset(seed=3, options={"deal": deal, "dealer": 2})
    assert {repr(mine.game(row).dealt()) for row in range(NUM)} == {repr((hands, [talon]))}
    mine.reset()
    assert len({repr(mine.game(row).dealt()) for row in range(NUM)}) == NUM
    assert mine.game(0).seed == episode_seed(env_seed(3, 0), 1)


def test_options_of_some_rows_alone() -> None:
    env = SingleSeatVectorEnv(NUM)
    env.reset(seed=1)
    before = [env.game(row) for row in range(NUM)]
    env.reset(options={"reset_mask": np.arange(NUM) == 2, "scores": [1, 2, 3]})
    assert env.game(2).scores == [1, 2, 3]
    assert [env.game(row) == before[row] for row in range(NUM)] == [True, True, False, True]


def test_bad_options_change_nothing_and_unknown_ones_warn_once() -> None:
    env = SingleSeatVectorEnv(NUM, seat=2, rules="four_player", episode="deal")
    env.reset(seed=1)
    before = [env.game(row) for row in range(NUM)]
    for options in ({"dealer": 4}, {"scores": [1]}, {"deal": 3}, 7):
        with pytest.raises(ValueError):
            env.reset(seed=2, options=options)  # type: ignore[arg-type]
    with pytest.raises(DealError, match="has 1 hands"):
        env.reset(options={"deal": {"hands": ["TH"], "talon": "9H TH AH"}})
    with pytest.raises(ValueError, match=r"seat=2 with options=\{'dealer': 2\} .* nothing to decide in 100 episodes"):
        env.reset(options={"dealer": 2})
    assert [env.game(row) for row in range(NUM)] == before
    with pytest.warns(UserWarning, match="'cards'") as caught:
        env.reset(options={"cards": 1, "reset_mask": np.ones(NUM, np.bool_)})
    assert len(caught) == 1
    assert caught[0].filename == __file__


# Actions


def test_illegal_actions_raise_name_the_rows_and_play_nothing() -> None:
    env = SingleSeatVectorEnv(8, illegal="raise")
    env.reset(seed=1)
    before = frozen(env._observations())
    legal = env.action_masks().argmax(axis=1)
    for illegal in (90, 129, -1, 130, 2**62):
        actions = np.where(np.isin(np.arange(8), [2, 5]), illegal, legal)
        with pytest.raises(IllegalActionError, match=rf"nothing was played: row 2: action {illegal}.*row 5: action"):
            env.step(actions)
        assert frozen(env._observations()) == before
    env.step(legal)


@pytest.mark.parametrize("illegal", ["penalty", "terminate"])
def test_illegal_actions_in_all_rows_at_once(illegal: str) -> None:
    env = SingleSeatVectorEnv(NUM, illegal=illegal)
    observation, _ = env.reset(seed=1)
    after, reward, terminated, truncated, infos = env.step(np.full(NUM, 129))
    assert reward.tolist() == [-1.0] * NUM
    assert terminated.all() == (illegal == "terminate")
    assert not truncated.any()
    assert (frozen(after) == frozen(observation)) == (illegal == "penalty")
    assert ("final_obs" in infos) == (illegal == "terminate")


@pytest.mark.parametrize("actions", [[0], [0] * 5, 0, [[0] * 4], [0.0] * 4, [True] * 4, ["a"] * 4, None, [2**70] * 4])
def test_actions_of_another_shape_or_type_are_refused(actions: Any) -> None:
    env = SingleSeatVectorEnv(NUM, illegal="penalty")
    env.reset(seed=1)
    with pytest.raises(ValueError, match=r"must be integers of shape \(4,\)"):
        env.step(actions)


@pytest.mark.parametrize("dtype", [list, np.int8, np.int32, np.uint8, np.uint64])
def test_actions_of_any_integer_type(dtype: Any) -> None:
    env, plain = SingleSeatVectorEnv(NUM), SingleSeatVectorEnv(NUM)
    env.reset(seed=2)
    plain.reset(seed=2)
    legal = env.action_masks().argmax(axis=1)
    given = legal.tolist() if dtype is list else legal.astype(dtype)
    assert frozen(env.step(given)) == frozen(plain.step(legal))
    if dtype is np.uint64:
        assert (env.step(np.full(NUM, 2**64 - 1, np.uint64))[1] == -1).all()


def test_a_reset_is_needed_first() -> None:
    env = SingleSeatVectorEnv(2, render_mode="ansi")
    calls = [lambda: env.step([0, 0]), env.action_masks, env.render, lambda: env.game(0)]
    for call in [*calls, lambda: env.seats, lambda: env.np_random_seed]:
        with pytest.raises(ResetNeeded, match="reset"):
            call()  # type: ignore[operator]
    env.reset(seed=1)
    with pytest.raises(IndexError):
        env.game(2)


# Arrays and spaces


@pytest.mark.parametrize("keywords", [{"history": True}, {"flat_observation": True}, {"mask_in_info": True}])
def test_spaces_hold_all_that_is_given_and_arrays_stay_as_they_were(keywords: dict[str, Any]) -> None:
    env = SingleSeatVectorEnv(NUM, seat=None, episode="deal", **keywords)
    assert env.single_observation_space == SingleSeatEnv(**keywords).observation_space
    assert env.observation_space == singles(NUM, "SameStep", **keywords).observation_space
    assert env.action_space == gymnasium.spaces.MultiDiscrete([130] * NUM)
    given = [env.reset(seed=1), *(each[:5] for each in play(env, 25, np.random.default_rng(0), 0.05))]
    again = SingleSeatVectorEnv(NUM, seat=None, episode="deal", **keywords)
    expected = [again.reset(seed=1), *(each[:5] for each in play(again, 25, np.random.default_rng(0), 0.05))]
    copies = [frozen(each) for each in given]
    env.reset()
    assert copies == [frozen(each) for each in given] == [frozen(each) for each in expected]
    arrays: list[Any] = []
    for observation, *rest in given:
        assert observation in env.observation_space
        arrays += [observation] if isinstance(observation, np.ndarray) else list(observation.values())
        arrays += [each for each in rest[:-1] if isinstance(each, np.ndarray)]
        if "action_mask" in rest[-1]:
            assert rest[-1]["action_mask"].any(axis=1).all()
            arrays.append(rest[-1]["action_mask"])
        for final in rest[-1].get("final_obs", ()):
            assert final is None or final in env.single_observation_space
            if final is not None:
                arrays += [final] if isinstance(final, np.ndarray) else list(final.values())
    assert not any(np.shares_memory(one, two) for one, two in itertools.combinations(arrays[-120:], 2))


def test_every_step_is_of_the_same_floats_with_buffers_that_are_reused() -> None:
    env = SingleSeatVectorEnv(NUM, episode="deal", history=True, copy=False, flat_observation=False)
    first, _ = env.reset(seed=1)
    for second, *_ in play(env, 5, np.random.default_rng(0)):
        assert all(second[name] is first[name] for name in first)
    careful = SingleSeatVectorEnv(NUM, episode="deal", history=True)
    assert story(env, 2, 20) == story(careful, 2, 20)
    flat = SingleSeatVectorEnv(NUM, flat_observation=True, copy=False)
    assert flat.reset()[0] is flat.reset()[0]
    assert not np.shares_memory(flat.reset()[1]["action_mask"], flat.reset()[1]["action_mask"])
    assert not np.shares_memory(flat.action_masks(), flat.action_masks())


# Copies


@pytest.mark.parametrize("mode", MODES)
def test_copies_in_mid_game_go_on_in_the_same_way(mode: str) -> None:
    opponents = ["random", "tests.test_single_vector:Remembers"]
    env = SingleSeatVectorEnv(
        NUM, seat=None, opponents=opponents, episode="deal", history=True, autoreset_mode=mode, mask_in_info=True
    )
    begun = copy.deepcopy(env)
    assert story(begun, 1, 3) == story(env, 1, 3)
    rng = np.random.default_rng(0)
    for _ in range(6):
        given = env.reset(options={"reset_mask": env._ended.copy()}) if env._ended.any() else None
        ended = np.zeros(NUM, np.bool_)
        while not ended.any():  # copied just when some rows have ended, by an illegal action as well
            given = env.step(some_actions(env.action_masks(), rng, illegal=0.1))
            ended = given[2] | given[3]
        assert given is not None
        before = frozen((env._observations(), env.action_masks()))
        copies = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
        assert [frozen((each._observations(), each.action_masks())) for each in copies] == [before] * 2
        futures = [future(each) for each in copies]
        assert futures[0] == futures[1]
        assert frozen((env._observations(), env.action_masks())) == before
        assert future(copy.deepcopy(env)) == futures[0]


def test_games_that_are_over_are_not_described_for_a_seat_to_act() -> None:
    env = SingleSeatVectorEnv(NUM, episode="deal", autoreset_mode="NextStep")
    env.reset(seed=1)
    ended = next(given[2] for given in play(env, 40, np.random.default_rng(0)) if given[2].any())
    games = env._games
    games.seat[:] = 9
    games.describe()
    assert np.array_equal(games.seat == 9, ended)


def future(env: SingleSeatVectorEnv) -> list[Any]:
    began = []
    if env.autoreset_mode is AutoresetMode.DISABLED:
        began = [frozen(env.reset(options={"reset_mask": env._ended.copy()}))]
    rest = [frozen(each) for each in play(env, 15, np.random.default_rng(9))]
    return [*began, *rest, frozen(env.reset())]


# Keywords and Gymnasium


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"num_envs": 0}, "num_envs=0"),
        ({"num_envs": True}, "num_envs=True"),
        ({"seat": 3}, "seat=3 is not accepted: use 0 to 2, or None"),
        ({"opponents": "gredy"}, "did you mean 'greedy'"),
        ({"opponents": ["greedy"]}, "a list of 2"),
        ({"opponents": GreedyAgent}, "which is a class"),
        ({"rules": 7}, "rules=7"),
        ({"episode": "game"}, "episode='game'"),
        ({"reward": "points"}, "reward='points'"),
        ({"illegal": "ignore"}, "illegal='ignore'"),
        ({"render_mode": "human"}, "render_mode='human' is not accepted: use one of None, 'ansi', 'rgb_array'"),
        ({"history": 1}, "history=1"),
        ({"history": True, "flat_observation": True}, "history=True is not accepted with flat_observation=True"),
        ({"mask_in_info": None}, "mask_in_info=None"),
        ({"open_cards": 0}, "open_cards=0"),
        ({"copy": 1}, "copy=1"),
        ({"num_threads": 0}, "num_threads=0"),
        ({"autoreset_mode": "same"}, "autoreset_mode='same' is not accepted: use one of 'NextStep', 'SameStep', 'Dis"),
        ({"autoreset_mode": None}, "autoreset_mode=None"),
    ],
)
def test_wrong_keywords_are_named(keywords: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SingleSeatVectorEnv(**{"num_envs": 2, **keywords})


@pytest.mark.parametrize("arguments", [{}, {"vectorization_mode": "vector_entry_point"}])
def test_make_vec_makes_it(arguments: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make_vec("Thousand-v0", num_envs=4, seat=None, opponents="random", **arguments)
    assert type(env) is SingleSeatVectorEnv
    assert env.num_envs == 4
    assert env.spec is not None
    assert repr(env) == "SingleSeatVectorEnv(Thousand-v0, num_envs=4)"
    again = gymnasium.make_vec(env.spec)
    assert isinstance(again, SingleSeatVectorEnv)
    assert story(env, 1, 3) == story(again, 1, 3)
    assert gymnasium.make_vec("Thousand-v0").num_envs == 1
    env.close()
    assert env.closed


@pytest.mark.parametrize("mode", MODES)
def test_gymnasium_wrappers_count_episodes(mode: str) -> None:
    record = gymnasium.wrappers.vector.RecordEpisodeStatistics
    env: Any = record(gymnasium.make_vec("Thousand-v0", num_envs=NUM, episode="deal", autoreset_mode=mode))
    twin: Any = record(singles(NUM, mode, episode="deal"))
    env.reset(seed=1)
    twin.reset(seed=[env_seed(1, row) for row in range(NUM)])
    lengths, returns, episodes = np.zeros(NUM, np.int64), np.zeros(NUM), 0
    resting = np.zeros(NUM, np.bool_)
    rng = np.random.default_rng(0)
    for _ in range(40):
        actions = some_actions(env.unwrapped.action_masks(), rng)
        given, other = env.step(actions), twin.step(actions)
        _, reward, ended, _, infos = given
        lengths += ~resting
        returns += reward
        episodes += ended.sum()
        for row in np.flatnonzero(ended) if mode != "SameStep" else ():  # old versions of the wrapper count these wrong
            assert infos["episode"]["l"][row] == lengths[row]
            assert infos["episode"]["r"][row] == pytest.approx(returns[row])
        for each in (infos, other[4]) if ended.any() else ():
            each["episode"].pop("t")
            if mode == "Disabled":  # Gymnasium's environment takes away the mask that the wrapper looks for
                del each["episode"]
        assert frozen(given) == frozen(other)
        lengths[ended], returns[ended] = 0, 0
        resting = ended if mode == "NextStep" else resting
        if mode == "Disabled" and ended.any():
            env.reset(options={"reset_mask": ended.copy()})
            twin.reset(options={"reset_mask": ended.copy()})
    assert env.episode_count == twin.episode_count == episodes > 8
    assert env.np_random_seed == env.unwrapped.np_random_seed


def test_more_gymnasium_wrappers() -> None:
    wrappers = gymnasium.wrappers.vector
    inner = gymnasium.make_vec("Thousand-v0", num_envs=NUM, episode="deal", mask_in_info=True)
    env: Any = wrappers.DictInfoToList(inner)
    env.reset(seed=1)
    ended = 0
    for _, _, terminated, _, infos, _ in play(env, 25, np.random.default_rng(0)):
        assert len(infos) == NUM
        for row, info in enumerate(infos):
            assert info["action_mask"].any()
            assert ("final_obs" in info) == terminated[row]
            assert "final_obs" not in info or not info["final_info"]["action_mask"].any()
        ended += terminated.sum()
    assert ended
    inner = gymnasium.make_vec("Thousand-v0", num_envs=NUM, episode="deal", autoreset_mode="NextStep")
    env = wrappers.FlattenObservation(inner)  # refuses "SameStep", as all that change observations do
    env.reset(seed=1)
    for observation, *_ in play(env, 5, np.random.default_rng(0)):
        assert observation.shape == (NUM, 496 + 130)


def test_old_versions_of_gymnasium_are_told_in_one_line() -> None:
    program = (
        "import gymnasium.vector\n"
        "del gymnasium.vector.AutoresetMode\n"
        "gymnasium.__version__ = '1.0.0'\n"
        "try:\n    import thousand_env.single_vector\nexcept ImportError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == 'gymnasium.make_vec("Thousand-v0") needs gymnasium 1.1 or newer, and this is 1.0.0\n'


# Rendering


@pytest.mark.parametrize("open_cards", [False, True])
def test_rendering_gives_a_frame_for_each_row(open_cards: bool) -> None:
    keywords: dict[str, Any] = {"seat": None, "opponents": ["greedy", LastLegal()], "open_cards": open_cards}
    keywords |= {"render_mode": "ansi", "episode": "deal"}
    mine = SingleSeatVectorEnv(NUM, autoreset_mode="Disabled", **keywords)
    theirs = singles(NUM, "Disabled", **keywords)
    told = []
    for env in (mine, theirs):
        frames: list[Any] = []
        env.reset(seed=[1, 2, 3, 4])
        for _ in play(env, 12, np.random.default_rng(0)):  # ended rows too
            frames.append(env.render())
            assert isinstance(frames[-1], tuple)
        told.append(frames)
    assert told[0] == told[1]


@pytest.mark.skipif(not HAS_PILLOW, reason="pictures need Pillow")
def test_pictures() -> None:
    keywords: dict[str, Any] = {"render_mode": "rgb_array", "seat": 2}
    mine, theirs = SingleSeatVectorEnv(2, **keywords), singles(2, "SameStep", **keywords)
    mine.reset(seed=[1, 2])
    theirs.reset(seed=[1, 2])
    assert frozen(mine.render()) == frozen(theirs.render())


def test_rendering_without_a_mode_warns() -> None:
    env = SingleSeatVectorEnv(2)
    env.reset(seed=1)
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None


@pytest.mark.parametrize("mode", ["SameStep", "NextStep", "Disabled"])
def test_a_mask_that_somebody_has_written_in_changes_nothing(mode: str) -> None:
    envs = SingleSeatVectorEnv(4, copy=False, opponents="random", episode="deal", autoreset_mode=mode)
    observation, _ = envs.reset(seed=1)
    observation["action_mask"][:] = 1
    concede = np.full(4, 126)
    _, rewards, terminated, _, _ = envs.step(concede)
    assert rewards.tolist() == [-1.0] * 4
    assert terminated.all()


def test_a_row_that_is_over_is_not_played_on_whatever_its_mask_says() -> None:
    envs = SingleSeatVectorEnv(4, copy=False, opponents="random", episode="deal", autoreset_mode="NextStep")
    observation, _ = envs.reset(seed=1)
    ended = np.zeros(4, bool)
    for _ in range(60):
        mask = observation["action_mask"]
        mask[mask.sum(axis=1) == 0, 0] = 1
        observation, rewards, terminated, truncated, _ = envs.step(mask.argmax(axis=1))
        assert not (ended & (terminated | truncated)).any()
        assert not rewards[ended].any()
        ended = terminated | truncated
    assert (np.abs(observation["observation"]) <= 1).all()


def test_rules_that_go_on_without_the_learner_are_refused() -> None:
    rules = {"players": 4, "opening": "none", "silence_below": -120, "max_deals": None}
    envs = SingleSeatVectorEnv(2, rules=rules, opponents="random")
    with pytest.raises(OpponentError, match="nothing to decide in 100,000 actions"):
        envs.reset(options={"dealer": 0, "scores": [-200] * 4})
    envs.reset(options={"dealer": 0, "scores": iter([-20] * 4)})
