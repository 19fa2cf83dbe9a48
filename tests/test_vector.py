"""``VectorEnv``: every row is exactly the single game of its seed, whatever the options of the batch."""

from __future__ import annotations

import copy
import pickle
import random
import sys
from typing import Any

import numpy as np
import pytest

from tests.random_rules import random_rules
from thousand_env import DealError, Game, IllegalActionError, Rules, RulesError, VectorEnv, env_seed, episode_seed
from thousand_env.observation import HISTORY_SIZE, encode, encode_int8, encode_state, history, scales
from thousand_env.presets import PRESETS
from thousand_env.rewards import earned

SEED = 11
MOST_SKIPPED = 200


class Twin:
    """What row ``index`` of a batch should be, played with ``Game`` alone."""

    def __init__(self, env: VectorEnv, index: int, episode: str, reward: str, skip: bool = False) -> None:
        self.rules, self.episode, self.reward, self.skip = env.rules, episode, reward, skip
        assert env.seed is not None
        self.seed = env_seed(env.seed, index)
        self.number = -1
        self.begin()

    def begin(self, game: Game | None = None) -> None:
        while True:
            self.number += 1
            self.game = Game(self.rules, episode_seed(self.seed, self.number), self.episode) if game is None else game
            if not self.game.is_over:
                break
        self.length, self.returns = 0, np.zeros(self.rules.players)
        for _ in range(MOST_SKIPPED):
            legal = self.game.legal_actions()
            if not self.skip or len(legal) != 1:
                break
            after = self.game.clone()
            after.apply(legal[0])
            if after.is_over:
                break
            self.game, self.length = after, self.length + 1

    def play(self, action: int) -> np.ndarray:
        total = self._apply(action)
        for _ in range(MOST_SKIPPED if self.skip else 0):
            legal = self.game.legal_actions()
            if len(legal) != 1:
                break
            total = total + self._apply(legal[0])
        self.returns = self.returns + total
        return total

    def _apply(self, action: int) -> np.ndarray:
        game, before, scored = self.game, self.game.scores, self.game.deals_scored
        game.apply(action)
        self.length += 1
        if game.deals_scored == scored:
            return np.zeros(self.rules.players)
        return earned(
            self.reward,
            np.subtract(game.scores, before),
            episode=self.episode,
            winner=game.winner,
            is_over=game.is_over,
            truncated=game.truncated,
        )


def check_row(batch: Any, row: int, game: Game, dtype: str) -> None:
    seat = game.seat
    assert batch.seat[row] == seat
    assert seat is not None
    view = game.view(seat)
    expected = encode(view) if dtype == "float32" else encode_int8(view)
    assert batch.observation[row].tobytes() == expected.tobytes()
    assert batch.action_mask[row].tobytes() == game.action_mask().tobytes()
    if batch.state is not None:
        assert np.array_equal(batch.state[row], whole_state(game, seat, dtype))
    if batch.history is not None:
        assert np.array_equal(batch.history[row], history(view))


def whole_state(game: Game, seat: int, dtype: str) -> np.ndarray:
    state = encode_state(game, seat)
    return state if dtype == "float32" else np.rint(state * scales(len(state))).astype(np.int8)


def check_against_games(env: VectorEnv, episode: str, reward: str, dtype: str, steps: int, skip: bool = False) -> int:
    """Play at random and compare everything with single games; the number of episodes that ended."""
    rng = random.Random(steps)
    batch = env.reset()
    twins = [Twin(env, row, episode, reward, skip) for row in range(env.num_envs)]
    assert not batch.reward.any()
    assert not batch.terminated.any()
    ended = 0
    for _ in range(steps):
        for row, twin in enumerate(twins):
            check_row(batch, row, twin.game, dtype)
        actions = [rng.choice(twin.game.legal_actions()) for twin in twins]
        batch = env.step(actions)
        over = []
        for row, (twin, action) in enumerate(zip(twins, actions, strict=True)):
            assert np.array_equal(batch.reward[row], twin.play(action).astype(np.float32))
            assert batch.terminated[row] == (twin.game.is_over and not twin.game.truncated)
            assert batch.truncated[row] == twin.game.truncated
            if twin.game.is_over:
                over.append(row)
        assert batch.final_index.tolist() == over
        for place, row in enumerate(over):
            twin = twins[row]
            assert np.array_equal(batch.episode_return[place], twin.returns)
            assert batch.episode_length[place] == twin.length
            assert batch.winner[place] == (-1 if twin.game.winner is None else twin.game.winner)
            for seat in range(env.num_players):
                view = twin.game.view(seat)
                expected = encode(view) if dtype == "float32" else encode_int8(view)
                assert np.array_equal(batch.final_observation[place, seat], expected)
            if batch.final_state is not None:
                assert np.array_equal(batch.final_state[place], whole_state(twin.game, 0, dtype))
            twin.begin()
        ended += len(over)
    return ended


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("episode", ["match", "deal"])
def test_rows_are_the_single_games_of_their_seeds(preset: str, episode: str) -> None:
    number = list(PRESETS).index(preset) + 8 * (episode == "deal")
    reward = ("relative", "score", "win")[number % 3]
    dtype = ("float32", "int8")[number % 2]
    env = VectorEnv(
        3, preset, episode, reward, seed=SEED, observation_dtype=dtype, state=number % 4 < 2, history=number % 8 < 4
    )
    ended = check_against_games(env, episode, reward, dtype, 150)
    assert ended or episode == "match"


@pytest.mark.parametrize("number", range(24))
def test_under_random_rules(number: int) -> None:
    rng = random.Random(number)
    rules = random_rules(rng)
    episode, reward = rng.choice(["match", "deal"]), rng.choice(["relative", "score", "win"])
    dtype, skip = rng.choice(["float32", "int8"]), rng.random() < 0.5
    env = VectorEnv(
        3, rules, episode, reward, seed=number, observation_dtype=dtype, state=True, history=True, skip_forced=skip
    )
    check_against_games(env, episode, reward, dtype, 80, skip)


@pytest.mark.parametrize("reward", ["relative", "score", "win"])
def test_matches_that_end_by_winning_or_by_max_deals(reward: str) -> None:
    short = {"target": 130, "barrel": False, "max_deals": 4}
    env = VectorEnv(4, short, "match", reward, seed=1)
    rng, kinds = np.random.default_rng(0), set()
    check_against_games(env, "match", reward, "float32", 250)
    batch = env.reset()
    for _ in range(600):
        batch = env.step([int(rng.choice(np.flatnonzero(mask))) for mask in batch.action_mask])
        kinds |= {(bool(batch.terminated[row]), bool(batch.truncated[row])) for row in batch.final_index}
    assert kinds == {(True, False), (False, True)}


def test_skipped_decisions_pay_their_rewards_to_the_row() -> None:
    for preset in ("mini2", "mini3", "polish"):
        env = VectorEnv(4, preset, "deal", seed=3, skip_forced=True)
        assert check_against_games(env, "deal", "relative", "float32", 60, skip=True)


def test_players_who_may_only_pass_are_skipped_but_not_for_ever() -> None:
    def silenced(rng: np.random.Generator, count: int) -> Any:
        return np.full((count, 3), -500), None, None, None

    rules = {"silence_below": -240, "opening": "none", "max_deals": 5}
    env = VectorEnv(2, rules, seed=1, start=silenced, skip_forced=True)
    batch = env.reset()
    assert [env.game(row).deal_number for row in range(2)] == [4, 4]
    assert batch.action_mask.sum(axis=1).tolist() == [1, 1]
    batch = env.step([0, 0])
    assert batch.truncated.all()
    assert batch.episode_length.tolist() == [15, 15]
    env = VectorEnv(2, {**rules, "max_deals": None}, seed=1, start=silenced, skip_forced=True)
    first = env.reset()
    assert env.game(0).deal_number == 66
    assert not env.step(first.action_mask.argmax(axis=1)).truncated.any()


def test_the_first_episode_of_a_row_is_that_of_its_seed_and_reset_goes_on() -> None:
    env = VectorEnv(5, seed=8)
    assert_begins(env.reset(), env, 0)
    assert_begins(env.reset(), env, 1)
    assert_begins(env.reset(seed=8), env, 0)
    other = VectorEnv(5)
    first = other.reset().observation.copy()
    assert other.seed is not None
    assert not np.array_equal(first, VectorEnv(5).reset().observation)
    assert np.array_equal(VectorEnv(5, seed=other.seed).reset().observation, first)


def assert_begins(batch: Any, env: VectorEnv, episode: int) -> None:
    assert env.seed is not None
    for row in range(env.num_envs):
        check_row(batch, row, Game(env.rules, episode_seed(env_seed(env.seed, row), episode)), "float32")


def test_first_deals_of_all_rows_differ() -> None:
    for env in (VectorEnv(64, seed=0), VectorEnv(64)):
        env.reset()
        assert len({tuple(map(tuple, env.game(row).hands)) for row in range(64)}) == 64


# Sheets to begin with


def barrel_sheets(rng: np.random.Generator, count: int) -> Any:
    scores = rng.integers(-200, 870, (count, 3))
    barrel = np.full((count, 3), -1)
    for row in range(count):
        seat = rng.integers(3)
        scores[row, seat], barrel[row, seat] = 880, rng.integers(3)
    return scores, rng.integers(0, 3, (count, 3)), barrel, rng.integers(0, 3, count)


def test_episodes_begin_on_given_sheets() -> None:
    drawn = []

    def start(rng: np.random.Generator, count: int) -> Any:
        drawn.append(barrel_sheets(rng, count))
        return drawn[-1]

    env = VectorEnv(6, episode="deal", seed=4, start=start)
    batch = env.reset()
    twins = [Twin(env, row, "deal", "relative") for row in range(6)]
    rng = random.Random(0)

    def begin(rows: list[int], number: int) -> None:
        scores, bolts, barrel, dealer = (each.tolist() for each in drawn[number])
        for place, row in enumerate(rows):
            attempts = [None if used < 0 else used for used in barrel[place]]
            seed = episode_seed(twins[row].seed, twins[row].number)
            sheet = {"scores": scores[place], "bolts": bolts[place], "barrel": attempts, "dealer": dealer[place]}
            twins[row].game = Game.from_sheet(env.rules, seed, "deal", **sheet)

    begin(list(range(6)), 0)
    calls = 1
    for _ in range(120):
        for row, twin in enumerate(twins):
            check_row(batch, row, twin.game, "float32")
        actions = [rng.choice(twin.game.legal_actions()) for twin in twins]
        batch = env.step(actions)
        for row, (twin, action) in enumerate(zip(twins, actions, strict=True)):
            assert np.array_equal(batch.reward[row], twin.play(action).astype(np.float32))
            if twin.game.is_over:
                twin.begin()
        if len(batch.final_index):
            begin(batch.final_index.tolist(), calls)
            calls += 1
    assert calls == len(drawn) > 10
    assert [len(each[3]) for each in drawn[1:]] != [6] * (calls - 1)


def test_parts_of_a_sheet_may_be_left_out() -> None:
    barrel = np.array([[-1, 2, -1]] * 2)
    env = VectorEnv(2, seed=1, start=lambda rng, count: (None, None, barrel, None))
    env.reset()
    assert (env.game(0).scores, env.game(0).barrel) == ([0, 880, 0], [None, 2, None])
    assert env.game(1).dealer == Game(seed=episode_seed(env_seed(1, 1), 0)).dealer
    env = VectorEnv(2, seed=1, start=lambda rng, count: (np.array([[880, 0, 0]] * count), None, None, None))
    env.reset()
    assert env.game(1).barrel == [0, None, None]


@pytest.mark.parametrize(
    ("sheets", "message"),
    [
        (7, "it must give scores, bolts, barrel, dealer"),
        ((None, None, None), "it must give"),
        ((np.zeros((2, 2), int), None, None, None), r"scores is int64 of shape \(2, 2\)"),
        ((np.zeros((2, 3)), None, None, None), "scores is float64"),
        ((np.array([[0, 0, 0], [0, 900, 0]]), None, None, None), r"sheet 1: scores\[1\]=900"),
        ((None, np.array([[0, 0, 3], [0, 0, 0]]), None, None), r"sheet 0: bolts\[2\]=3"),
        ((np.zeros((2, 3), int), None, np.array([[0, -1, -1]] * 2), None), r"sheet 0: scores\[0\]=0"),
        ((None, None, np.array([[3, -1, -1]] * 2), None), r"barrel\[0\]=3"),
        ((None, None, np.array([[-2, -1, -1]] * 2), None), r"barrel\[0\]=-2"),
        ((None, None, None, np.array([0, 3])), r"dealer\[1\]=3"),
        ((np.full((2, 3), 2 * 10**9), None, None, None), r"scores\[0\]=2000000000"),
        ((np.full((2, 3), -(2**63)), None, None, None), r"scores\[0\]=-1000000000000"),
        ((np.full((2, 3), 2**64 - 5, np.uint64), None, None, None), r"scores\[0\]=1000000000000"),
        (([[1, 2, 3], [4]], None, None, None), "scores is no array"),
    ],
)
def test_sheets_that_cannot_be_are_named(sheets: Any, message: str) -> None:
    env = VectorEnv(2, seed=1, start=lambda rng, count: sheets)
    with pytest.raises(DealError, match=message):
        env.reset()
    with pytest.raises(RuntimeError, match="reset"):
        env.step([0, 0])


def test_attempts_without_a_limit_stay_in_their_bounds() -> None:
    for attempts in (40_000, 65_535, 65_536):
        barrel = np.full((2, 3), attempts)
        env = VectorEnv(
            2, {"barrel_attempts": None}, start=lambda rng, count, barrel=barrel: (None, None, barrel, None)
        )
        with pytest.raises(DealError, match="use a whole number from 0 to 32000"):
            env.reset()


def test_after_a_start_that_failed_the_next_reset_goes_on() -> None:
    calls: list[int] = []

    def start(rng: np.random.Generator, count: int) -> Any:
        calls.append(int(rng.integers(10**9)))
        if len(calls) == 2:
            raise KeyboardInterrupt
        return None, None, None, None

    env = VectorEnv(2, seed=5, start=start)
    first = env.reset().observation.copy()
    with pytest.raises(KeyboardInterrupt):
        env.reset()
    assert not np.array_equal(env.reset().observation, first)
    assert len(set(calls)) == 3


# Actions


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.uint8, np.uint64])
def test_actions_of_any_integer_type(dtype: Any) -> None:
    env, plain = VectorEnv(3, seed=2), VectorEnv(3, seed=2)
    legal = env.reset().action_mask.argmax(axis=1)
    plain.reset()
    assert np.array_equal(env.step(legal.astype(dtype)).observation, plain.step(legal.tolist()).observation)


@pytest.mark.parametrize("bad", [-1, 130, 191, 192, 2**62, -(2**63), 2**63 - 1, 66, -64, -128])
def test_illegal_actions_name_the_rows_and_play_nothing(bad: int) -> None:
    env = VectorEnv(4, seed=2)
    legal = env.reset().action_mask.argmax(axis=1)
    before = [env.game(row) for row in range(4)]
    actions = legal.astype(np.int64)
    actions[[1, 3]] = bad
    with pytest.raises(IllegalActionError, match=rf"row 1: action {bad}.*row 3: action {bad}"):
        env.step(actions)
    assert [env.game(row) for row in range(4)] == before
    env.step(legal)


def test_every_mask_tells_exactly_what_is_accepted() -> None:
    env = VectorEnv(1, seed=6)
    rng = np.random.default_rng(1)
    batch = env.reset()
    for _ in range(60):
        mask = batch.action_mask[0].copy()
        for action in np.flatnonzero(mask == 0):
            with pytest.raises(IllegalActionError):
                env.step([action])
        batch = env.step([rng.choice(np.flatnonzero(mask))])


def test_many_illegal_rows_are_counted() -> None:
    env = VectorEnv(100, seed=2)
    env.reset()
    with pytest.raises(IllegalActionError, match=r"row 4: .*and 95 more rows"):
        env.step(np.full(100, -5))


@pytest.mark.parametrize("actions", [[0], [0, 0, 0], 0, [[0, 0]], [0.0, 0.0], [True, False], ["a", "b"], None])
def test_actions_of_another_shape_or_type_are_refused(actions: Any) -> None:
    env = VectorEnv(2, seed=2)
    env.reset()
    with pytest.raises(ValueError, match="they must be integers of shape"):
        env.step(actions)


def test_an_unsigned_action_that_no_int64_holds() -> None:
    env = VectorEnv(2, seed=2)
    env.reset()
    with pytest.raises(IllegalActionError, match="row 1: action 18446744073709551615"):
        env.step(np.array([0, 2**64 - 1], np.uint64))


def test_step_before_reset() -> None:
    with pytest.raises(RuntimeError, match="call reset"):
        VectorEnv(2).step([0, 0])
    with pytest.raises(RuntimeError, match="call reset"):
        VectorEnv(2).game(0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_envs": 0}, "num_envs=0"),
        ({"num_envs": 2.0}, r"num_envs=2\.0"),
        ({"num_envs": True}, "num_envs=True"),
        ({"num_envs": 10**9}, "num_envs=1000000000"),
        ({"episode": "game"}, "episode='game'"),
        ({"reward": None}, "reward=None"),
        ({"seed": -1}, "seed=-1"),
        ({"num_threads": 0}, "num_threads=0"),
        ({"observation_dtype": "float16"}, "observation_dtype='float16'"),
        ({"observation_dtype": np.int8}, "observation_dtype="),
        ({"state": 1}, "state=1"),
        ({"history": "no"}, "history='no'"),
        ({"skip_forced": None}, "skip_forced=None"),
        ({"copy": 0}, "copy=0"),
        ({"start": 3}, "start=3"),
    ],
)
def test_arguments_that_are_not_accepted(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        VectorEnv(**{"num_envs": 2, **arguments})
    with pytest.raises(RulesError):
        VectorEnv(2, rules="clasic")


# Buffers, copies, size


def test_buffers_are_reused_unless_copies_are_asked_for() -> None:
    env = VectorEnv(2, seed=2, state=True, history=True)
    first = env.reset()
    second = env.step(first.action_mask.argmax(axis=1))
    assert all(one is other for one, other in zip(first[:8], second[:8], strict=True))
    careful = VectorEnv(2, seed=2, state=True, history=True, copy=True)
    batches = [careful.reset()]
    kept = [copy.deepcopy(batches[0])]
    for _ in range(60):
        batches.append(careful.step(batches[-1].action_mask.argmax(axis=1)))
        kept.append(copy.deepcopy(batches[-1]))
    for batch, saved in zip(batches, kept, strict=True):
        assert all(np.array_equal(one, other) for one, other in zip(batch, saved, strict=True))


def test_final_arrays_are_never_written_again() -> None:
    env = VectorEnv(4, episode="deal", seed=2)
    batch = env.reset()
    kept: list[tuple[Any, Any]] = []
    for _ in range(120):
        batch = env.step(batch.action_mask.argmax(axis=1))
        kept.append((batch[8:], copy.deepcopy(batch[8:])))
    for finals, saved in kept:
        assert all(one is other is None or np.array_equal(one, other) for one, other in zip(finals, saved, strict=True))


@pytest.mark.parametrize("method", ["pickle", "deepcopy"])
def test_copies_go_on_identically(method: str) -> None:
    env = VectorEnv(5, "modern", "deal", seed=9, state=True, history=True, start=None)
    rng = np.random.default_rng(3)
    batch = env.reset()
    for step in range(100):
        if step % 20 == 7:
            twin = pickle.loads(pickle.dumps(env)) if method == "pickle" else copy.deepcopy(env)
            actions = batch.action_mask.argmax(axis=1)
            saved = [env.game(row) for row in range(5)]
            for _ in range(50):
                other = twin.step(actions)
                actions = other.action_mask.argmax(axis=1)
            assert [env.game(row) for row in range(5)] == saved
            again = pickle.loads(pickle.dumps(env))
            actions = batch.action_mask.argmax(axis=1)
            for _ in range(50):
                last = again.step(actions)
                actions = last.action_mask.argmax(axis=1)
            assert all(np.array_equal(one, two) for one, two in zip(other, last, strict=True))
        batch = env.step([int(rng.choice(np.flatnonzero(mask))) for mask in batch.action_mask])


def test_no_python_object_is_made_per_game() -> None:
    def blocks(num: int) -> int:
        env = VectorEnv(num, seed=1, observation_dtype="int8")
        actions = env.reset().action_mask.argmax(axis=1)
        env.step(actions)
        actions = env._games.action_mask.argmax(axis=1)
        before = sys.getallocatedblocks()
        batch = env.step(actions)
        made = sys.getallocatedblocks() - before
        assert batch.final_index.shape == (0,)
        return made

    blocks(4)
    assert abs(blocks(4096) - blocks(4)) < 50


def test_memory_is_linear_and_small() -> None:
    games = VectorEnv(1000, observation_dtype="int8")._games
    assert games.states.itemsize <= 256
    assert games.books.itemsize + games._carries.itemsize + games.turns.itemsize <= 208


def test_what_gymnasium_would_ask_for() -> None:
    env = VectorEnv(2, seed=0, state=True, history=True)
    batch = env.reset()
    assert str(getattr(env.metadata["autoreset_mode"], "value", env.metadata["autoreset_mode"])) == "SameStep"
    assert env.single_action_space.n == 130
    for row in range(2):
        assert env.single_observation_space.contains(batch.observation[row])
        assert env.single_state_space is not None
        assert env.single_state_space.contains(batch.state[row])
        assert env.single_history_space.contains(batch.history[row])
    assert batch.history.shape == (2, HISTORY_SIZE)
    assert VectorEnv(2, Rules(players=2)).num_players == 2
    env.close()
