"""``Thousand-v0``: one learner against given agents."""

from __future__ import annotations

import copy
import hashlib
import importlib.util
import io
import itertools
import os
import pickle
import random
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

import thousand_env
from baselines.greedy import GreedyAgent
from baselines.random_agent import RandomAgent
from tests.play import deal_arguments
from tests.test_no_leak import OPTIONS
from thousand_env import PRESETS, DealError, Game, IllegalActionError, Rules, RulesError, View, episode_seed
from thousand_env.observation import HISTORY_SIZE, OBSERVATION, encode, history
from thousand_env.opponents import OpponentError, learner_seat, opponent_seed
from thousand_env.render import render
from thousand_env.rewards import REWARDS
from thousand_env.settings import ILLEGAL
from thousand_env.single import SingleSeatEnv

EPISODES = ("match", "deal")
HAS_PILLOW = importlib.util.find_spec("PIL") is not None


class Seen(NamedTuple):
    """What one call of ``reset`` or ``step`` has returned."""

    observation: Any
    reward: float
    terminated: bool
    truncated: bool
    info: dict[str, Any]

    @property
    def mask(self) -> Any:
        return self.info["action_mask"] if "action_mask" in self.info else self.observation["action_mask"]


def begin(env: Any, seed: int | None = None, options: dict[str, Any] | None = None) -> Seen:
    observation, info = env.reset(seed=seed, options=options)
    return Seen(observation, 0.0, False, False, info)


def some_action(seen: Seen, rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(seen.mask)))


def play_on(env: Any, seen: Seen, rng: np.random.Generator, steps: int = 100_000) -> Iterator[tuple[int, Seen]]:
    """Random legal actions with what each has led to, until the episode is over."""
    for _ in range(steps):
        action = some_action(seen, rng)
        seen = Seen(*env.step(action))
        yield action, seen
        if seen.terminated or seen.truncated:
            return


def frozen(value: Any) -> Any:
    """A value by content alone, to be compared with ==; it shares nothing with what it was made from."""
    if isinstance(value, np.ndarray):
        return (str(value.dtype), value.shape, value.tobytes())
    if isinstance(value, dict):
        return {key: frozen(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [frozen(each) for each in value]
    return value.to_bytes() if isinstance(value, Game) else value


def episode_numbers(env: SingleSeatEnv, seed: int) -> int:
    """Which episode of a seed is being played."""
    return next(number for number in range(200) if episode_seed(seed, number) == env.game.seed)


class FirstLegal:
    """Takes the first legal action, and notes seeds and seats."""

    def __init__(self) -> None:
        self.seeds: list[int | None] = []
        self.seats: set[int] = set()

    def reset(self, seed: int | None = None) -> None:
        self.seeds.append(seed)
        self.seats.clear()

    def act(self, view: View) -> int:
        self.seats.add(view.observer)
        return view.legal_actions()[0]


class Scripted:
    """Plays given actions, whoever it sits for."""

    def __init__(self, actions: list[int]) -> None:
        self._actions = actions
        self._next = iter(actions)

    def reset(self, seed: int | None = None) -> None:
        self._next = iter(self._actions)

    def act(self, view: View) -> int:
        return next(self._next)


# The game: against a replay of all actions


def check_against_replay(env: SingleSeatEnv, seed: int, number: int, shown: list[Seen], agents: list[Any]) -> None:
    """All that was returned is what the rules, the learner's views and the agents' choices make it."""
    seat, end = env.seat, env.game
    assert seat is not None
    game = Game(env.rules, episode_seed(seed, number), env.settings.episode)
    for place, agent in enumerate(agents):
        agent.reset(opponent_seed(seed, number, place))
    decisions = []
    for who, action in end.actions():
        assert who == game.seat
        if who == seat:
            decisions.append(game.clone())
        else:
            assert agents[(who - seat - 1) % env.rules.players].act(game.view(who)) == action
        game.apply(action)
    assert game == end
    assert game.is_over
    assert len(decisions) == len(shown) - 1
    paid = 0.0
    for seen, position in zip(shown, [*decisions, game], strict=True):
        view = position.view(seat)
        assert np.array_equal(seen.observation["observation"], encode(view))
        assert np.array_equal(seen.observation["history"], history(view))
        assert np.flatnonzero(seen.observation["action_mask"]).tolist() == position.legal_actions()
        assert seen.terminated == (position.is_over and not position.truncated)
        assert seen.truncated == position.truncated
        if position is not decisions[0]:
            earned = float(position.returns(env.settings.reward)[seat])
            assert seen.reward == pytest.approx(earned - paid, abs=1e-9)
            paid = earned
    total = sum(seen.reward for seen in shown)
    assert total == pytest.approx(game.returns(env.settings.reward)[seat], abs=1e-9)


@pytest.mark.parametrize("episode", EPISODES)
@pytest.mark.parametrize("preset", PRESETS)
def test_episodes_are_what_a_replay_gives(preset: str, episode: str) -> None:
    rules = Rules.preset(preset)
    players = rules.players
    rng = np.random.default_rng(3)
    ended_by_others = 0
    for reward, seat in itertools.product(REWARDS, [None, *range(players)]):
        agents = [GreedyAgent(), RandomAgent(), GreedyAgent()][: players - 1]
        given = [GreedyAgent(), "random", "greedy"][: players - 1]
        if episode == "match":  # matches of random players are long
            agents[1:2], given[1:2] = agents[1:2] and [GreedyAgent()], given[1:2] and ["greedy"]
        env = SingleSeatEnv(
            seat=seat, opponents=given, rules=preset, episode=episode, reward=reward, history=True, illegal="raise"
        )
        seed = int(rng.integers(2**32))
        last = -1
        for _ in range(1 if episode == "match" else 3):
            seen = begin(env, seed if last < 0 else None)
            number = episode_numbers(env, seed)
            assert number > last
            assert env.seat == (learner_seat(seed, number, players) if seat is None else seat)
            assert not seen.info
            check_against_replay(env, seed, number, [seen, *(each for _, each in play_on(env, seen, rng))], agents)
            ended_by_others += env.game.actions()[-1][0] != env.seat
            last = number
    assert ended_by_others > 3


@pytest.mark.parametrize("seat", range(3))
def test_the_learner_is_paid_in_full_whoever_ends_the_deal(seat: int) -> None:
    env = SingleSeatEnv(seat=seat, episode="deal")
    rng = np.random.default_rng(seat)
    ended_by_others = 0
    for number in range(350):
        total = sum(seen.reward for _, seen in play_on(env, begin(env, None if number else 8), rng))
        assert total == pytest.approx(env.game.returns()[seat], abs=1e-9)
        ended_by_others += env.game.actions()[-1][0] != seat
    assert 150 < ended_by_others < 300


def test_the_first_reward_has_what_was_earned_before_the_first_decision() -> None:
    """With four players the learner may sit out the first deal of a match, which the others' scores change."""
    env = SingleSeatEnv(rules="four_player", seat=1)
    for seed in range(40):
        seen = begin(env, seed)
        if env.game.deals_scored:
            break
    before = env.game.returns()[1]
    assert before != 0
    _, after = next(play_on(env, seen, np.random.default_rng(1)))
    assert not env.game.is_over
    assert after.reward == pytest.approx(env.game.returns()[1])


def test_cut_off_matches_are_truncated() -> None:
    rng = np.random.default_rng(1)
    env = SingleSeatEnv(rules={"max_deals": 2}, reward="win")
    *_, (_, last) = play_on(env, begin(env, 1), rng)
    assert (last.reward, last.terminated, last.truncated) == (0.0, False, True)
    assert last.terminated is False
    assert last.truncated is True
    assert not last.mask.any()


# Episodes and seeds


def test_episodes_without_a_decision_are_passed_over_and_count() -> None:
    """With four players the dealer sits out; a fixed seat has nothing to do in the deals that it gives."""
    seed = 5
    for seat in range(4):
        env = SingleSeatEnv(seat=seat, rules="four_player", episode="deal")
        played = [episode_numbers(env, seed) for _ in range(30) if begin(env, None if _ else seed)]
        dealers = [
            Game(Rules.preset("four_player"), episode_seed(seed, e), "deal").dealer for e in range(played[-1] + 1)
        ]
        assert played == [e for e, dealer in enumerate(dealers) if dealer != seat]
        assert len(played) < len(dealers)


def test_a_learner_who_never_decides_is_refused() -> None:
    env = SingleSeatEnv(seat=2, rules="four_player", episode="deal")
    begin(env, 7)
    before = env.game
    with pytest.raises(ValueError, match=r"seat=2 with options=\{'dealer': 2\} .* nothing to decide in 100 episodes"):
        env.reset(options={"dealer": 2})
    assert env.game == before
    begin(env)
    again = SingleSeatEnv(seat=2, rules="four_player", episode="deal")
    begin(again, 7)
    begin(again)
    assert env.game == again.game


def trajectory(env: Any, seed: int, episodes: int = 3, disturb: bool = False) -> list[Any]:
    """Seats, actions and all that was returned in some episodes."""
    rng = np.random.default_rng(0)
    story: list[Any] = []
    for number in range(episodes):
        seen = begin(env, None if number else seed)
        story.append((env.seat, frozen(seen)))
        for action, later in play_on(env, seen, rng, steps=60):
            if disturb:
                np.random.seed(action)
                random.seed(action)
            story.append((action, frozen(later)))
    return story


def fingerprint(story: list[Any]) -> str:
    return hashlib.sha256(repr(story).encode()).hexdigest()


def test_a_seed_fixes_everything_in_any_environment_and_process() -> None:
    def make() -> SingleSeatEnv:
        return SingleSeatEnv(seat=None, opponents=["random", "greedy"])

    env = make()
    first = trajectory(env, 11)
    assert trajectory(env, 11, disturb=True) == first
    assert trajectory(make(), 11) == first
    assert trajectory(make(), 12) != first
    program = (
        "from tests.test_single import fingerprint, trajectory\n"
        "from thousand_env.single import SingleSeatEnv\n"
        "print(fingerprint(trajectory(SingleSeatEnv(seat=None, opponents=['random', 'greedy']), 11)))"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "77"}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=Path(__file__).parents[1])
    assert done.stderr == ""
    assert done.stdout.strip() == fingerprint(first)


def test_without_a_seed_the_first_is_drawn_and_can_be_told() -> None:
    env = SingleSeatEnv()
    begin(env)
    seed = env._episodes.seed
    assert seed is not None
    if hasattr(env, "np_random_seed"):  # since Gymnasium 1.0
        assert env.np_random_seed == seed
    assert env.game.seed == episode_seed(seed, 0)
    begin(env)
    assert env.game.seed == episode_seed(seed, 1)
    with pytest.raises(ValueError, match="seed=-1"):
        begin(env, -1)
    assert env.game.seed == episode_seed(seed, 1)
    begin(env, np.int64(5))  # type: ignore[arg-type]
    assert env.game.seed == episode_seed(5, 0)


def test_agents_are_reset_each_episode_with_seeds_of_their_own() -> None:
    agents = [FirstLegal(), FirstLegal()]
    env = SingleSeatEnv(opponents=agents)
    begin(env, 9)
    begin(env)
    for place, agent in enumerate(agents):
        assert agent.seeds == [opponent_seed(9, episode, place) for episode in (0, 1)]
    shared = FirstLegal()
    begin(SingleSeatEnv(opponents=shared), 9)
    assert shared.seeds == [opponent_seed(9, 0, 0)]
    assert shared.seats <= {1, 2}


def test_seats_and_agent_seeds_say_nothing_about_the_deals() -> None:
    seeds = [(seed, episode) for seed in range(300) for episode in range(10)]
    games = [Game(seed=episode_seed(*each)) for each in seeds]
    facts: dict[str, list[int]] = {
        "dealer": [game.dealer for game in games],
        "ace of spades": [next((seat for seat in range(3) if 5 in game.hands[seat]), 3) for game in games],
        "parity": [game.seed % 2 for game in games],
    }
    drawn: dict[str, list[int]] = {
        "seat": [learner_seat(*each, 3) for each in seeds],
        "agent": [opponent_seed(*each, 0) % 3 for each in seeds],
        "other agent": [opponent_seed(*each, 1) >> 62 for each in seeds],
    }
    for one, two in [*itertools.product(facts, drawn), *itertools.combinations(drawn, 2)]:
        left, right = (facts | drawn)[one], drawn[two]
        rows, columns, both = Counter(left), Counter(right), Counter(zip(left, right, strict=True))
        assert max(columns.values()) < 1.15 * len(seeds) / len(columns)
        expected = {(a, b): rows[a] * columns[b] / len(seeds) for a in rows for b in columns}
        chi_squared = sum((both[cell] - mean) ** 2 / mean for cell, mean in expected.items())
        freedom = (len(rows) - 1) * (len(columns) - 1)
        assert chi_squared < freedom + 4 * (2 * freedom) ** 0.5, (one, two)
    numbers = [opponent_seed(*each, place) for each in seeds for place in range(3)] + [game.seed for game in games]
    assert len(set(numbers)) == len(numbers)


def test_opponents_sit_clockwise_from_the_learner() -> None:
    for seat in range(4):
        agents = [FirstLegal(), FirstLegal(), FirstLegal()]
        env = SingleSeatEnv(seat=seat, opponents=agents, rules="four_player")
        rng = np.random.default_rng(2)
        *_, _ = play_on(env, begin(env, 3), rng)
        assert [agent.seats for agent in agents] == [{(seat + 1 + place) % 4} for place in range(3)]


# Options of a reset


def test_a_given_deal_and_sheet() -> None:
    start = Game(seed=1)
    env = SingleSeatEnv(opponents=FirstLegal(), seat=0)
    hands, [talon] = start.dealt()
    options = {
        "deal": {"hands": hands, "talon": talon},
        "scores": [100, 880, -20],
        "barrel": [None, 2, None],
        "dealer": 2,
    }
    begin(env, 4, options)
    game = env.game
    assert game.dealt() == (hands, [talon])
    assert (game.scores, game.barrel, game.dealer, game.seat) == ([100, 880, -20], [None, 2, None], 2, 0)
    begin(env)
    assert env.game.scores == [0, 0, 0]
    assert env.game.seed == episode_seed(4, 1)


def test_bad_options_change_nothing_and_unknown_ones_warn_once() -> None:
    env = SingleSeatEnv(seat=2, rules="four_player", episode="deal")
    begin(env, 1)
    before = env.game
    for options in ({"dealer": 4}, {"scores": [1]}, 7):
        with pytest.raises(ValueError):
            begin(env, 2, options)  # type: ignore[arg-type]
    with pytest.raises(DealError, match="has 1 hands"):
        begin(env, 2, {"deal": {"hands": ["TH"], "talon": "9H TH AH"}})
    assert env.game == before
    for seed in range(12):  # in some of these the first deals are passed over
        with pytest.warns(UserWarning, match="'cards'") as caught:
            begin(env, seed, {"cards": 1})
        assert len(caught) == 1
        assert caught[0].filename == __file__


# Actions


def test_illegal_actions_end_the_episode() -> None:
    for illegal in (90, 129, -1, 130, 2**70):
        env = SingleSeatEnv()
        begin(env, 1)
        before = env.game
        seen = Seen(*env.step(illegal))
        assert (seen.reward, seen.terminated, seen.truncated, seen.info) == (-1.0, True, False, {})
        assert not seen.mask.any()
        assert not env.action_masks().any()
        assert np.array_equal(seen.observation["observation"], encode(before.view(0)))
        assert env.game == before
        with pytest.raises(ResetNeeded):
            env.step(0)
        begin(env)
        assert env.action_masks().any()


def test_illegal_actions_raise() -> None:
    env = SingleSeatEnv(illegal="raise")
    begin(env, 1)
    before = env.game
    for illegal in (90, 129, -1, 130, 2**70):
        with pytest.raises(IllegalActionError, match=str(illegal)):
            env.step(illegal)
        assert env.game == before
    env.step(before.legal_actions()[0])


def test_illegal_actions_cost_a_penalty() -> None:
    env = SingleSeatEnv(illegal="penalty", mask_in_info=True)
    start = begin(env, 1)
    before = env.game
    for illegal in (90, 129, -1, 130, 2**70):
        seen = Seen(*env.step(illegal))
        assert seen[1:4] == (-1.0, False, False)
        assert frozen((seen.observation, seen.info)) == frozen((start.observation, start.info))
        assert env.game == before
    rng = np.random.default_rng(1)
    total = sum(seen.reward for _, seen in play_on(env, start, rng))
    assert total == pytest.approx(env.game.returns()[0])


@pytest.mark.parametrize("illegal", ILLEGAL)
def test_what_is_no_integer_is_refused_whatever_else_happens(illegal: str) -> None:
    env = SingleSeatEnv(illegal=illegal)
    begin(env, 1)
    before = env.game
    for wrong in (True, np.True_, 1.0, np.float64(1), "pass", None, [1], np.array([1, 2]), np.array([True])):
        with pytest.raises(IllegalActionError, match="use an integer"):
            env.step(wrong)
        assert env.game == before


def test_integers_of_all_kinds_are_accepted() -> None:
    env = SingleSeatEnv()
    after = []
    for kind in (int, np.int8, np.int32, np.int64, np.uint8, np.array):
        start = begin(env, 1)
        after.append(frozen(env.step(kind(some_action(start, np.random.default_rng(0))))))
    assert after == after[:1] * len(after)


def test_a_reset_is_needed_first_and_at_the_end() -> None:
    env = SingleSeatEnv()
    for call in (lambda: env.step(0), env.action_masks, lambda: env.game):
        with pytest.raises(ResetNeeded, match="reset"):
            call()  # type: ignore[operator]
    *_, _ = play_on(env, begin(env, 1), np.random.default_rng(0))
    with pytest.raises(ResetNeeded, match="over"):
        env.step(0)


# Observations


@pytest.mark.parametrize("flat", [False, True])
@pytest.mark.parametrize("in_info", [False, True])
@pytest.mark.parametrize("with_history", [False, True])
def test_spaces_hold_all_that_is_returned_and_arrays_stay_as_they_were(
    flat: bool, in_info: bool, with_history: bool
) -> None:
    if flat and with_history:
        with pytest.raises(ValueError, match="history=True is not accepted with flat_observation=True"):
            SingleSeatEnv(history=True, flat_observation=True)
        return
    env = SingleSeatEnv(seat=None, flat_observation=flat, mask_in_info=in_info, history=with_history, illegal="penalty")
    space = env.observation_space
    kept, copies, arrays = [], [], []
    rng = np.random.default_rng(1)
    seen = begin(env, 1)
    for later in [seen, Seen(*env.step(-1)), *(each for _, each in play_on(env, seen, rng)), begin(env)]:
        kept.append(later)
        copies.append(frozen(later))
        values = [later.observation] if flat else list(later.observation.values())
        arrays += [*values, *later.info.values()]
        assert later.observation in space
        assert set(later.info) == ({"action_mask"} if flat or in_info else set())
        assert type(later.reward) is float
        assert type(later.terminated) is type(later.truncated) is bool
        if in_info and not flat:
            assert np.array_equal(later.info["action_mask"], later.observation["action_mask"])
    assert frozen(kept) == copies
    assert all(array.flags.owndata or array.base.flags.owndata for array in arrays)
    assert not any(np.shares_memory(one, two) for one, two in itertools.combinations(arrays[:60] + arrays[-60:], 2))
    assert env.observation_space is space
    if flat:
        assert space.shape == (OBSERVATION.size,)
        assert (kept[0].observation.dtype, kept[0].mask.dtype) == (np.float32, np.int8)
    else:
        dtypes = {"observation": np.float32, "action_mask": np.int8} | ({"history": np.int16} if with_history else {})
        assert {name: value.dtype.type for name, value in kept[0].observation.items()} == dtypes
    if with_history:
        assert kept[0].observation["history"].shape == (HISTORY_SIZE,)


def test_masks_are_for_sampling_and_for_maskable_ppo() -> None:
    env = gymnasium.make("Thousand-v0", seat=None, illegal="raise")
    env.action_space.seed(0)
    seen = begin(env, 3)
    for _ in range(200):
        mask = env.get_wrapper_attr("action_masks")()
        assert (mask.dtype, mask.shape) == (np.int8, (130,))
        assert np.array_equal(mask, seen.mask)
        assert not np.shares_memory(mask, env.get_wrapper_attr("action_masks")())
        seen = Seen(*env.step(env.action_space.sample(mask)))
        if seen.terminated:
            seen = begin(env)


@pytest.mark.parametrize("name", OPTIONS)
def test_what_the_learner_gets_does_not_depend_on_hidden_cards(name: str) -> None:
    """The same deal with other hidden cards, drawn by ``View.sample``, and opponents who do what is seen of them."""
    rules, rng = Rules(**OPTIONS[name]), np.random.default_rng(5)
    compared = different = 0

    def everything(env: SingleSeatEnv, seen: Seen) -> Any:
        return frozen((seen, env.render(), env.seat, env.action_masks()))

    for seed in range(60):
        if compared >= 30 and different >= 3:
            break
        game = Game(rules, int(rng.integers(2**40)), "deal")
        while game.is_over:
            game = Game(rules, int(rng.integers(2**40)), "deal")
        arguments, dealt = deal_arguments(game), game.dealt()
        dealer = arguments.pop("dealer")
        seat = int(rng.choice(game.active_seats))
        options: dict[str, Any] = {"seat": seat, "rules": rules, "episode": "deal", "history": True}
        options |= {"mask_in_info": True, "render_mode": "ansi"}
        env = SingleSeatEnv(**options, opponents=type("Scripted", (RandomAgent,), {})())
        taken: list[int] = []
        seen = begin(env, seed, {"deal": arguments, "dealer": dealer})
        if env.game.deal_number:
            continue
        shown, worlds = [everything(env, seen)], [env.game.view(seat).sample(rng)]
        for action, later in play_on(env, seen, rng):
            if env.game.deal_number:
                break
            taken.append(action)
            shown.append(everything(env, later))
            worlds.append(env.game.view(seat).sample(rng))
        for last in {0, len(worlds) // 2, len(worlds) - 1}:
            world = worlds[last]
            others = [action for who, action in world.actions() if who != seat]
            twin = SingleSeatEnv(**options, opponents=Scripted(others))
            arguments = deal_arguments(world)
            twin_dealer = arguments.pop("dealer")
            seen = begin(twin, 99, {"deal": arguments, "dealer": twin_dealer})
            assert everything(twin, seen) == shown[0]
            for number, action in enumerate(taken[:last], 1):
                assert everything(twin, Seen(*twin.step(action))) == shown[number]
            compared += last + 1
            different += world.dealt() != dealt
    assert compared >= 30
    assert different >= 3


# Copies


def test_copies_in_mid_game_go_on_in_the_same_way() -> None:
    env = SingleSeatEnv(seat=None, opponents="random", rules="modern")
    rng = np.random.default_rng(0)
    copiers: list[Callable[[Any], Any]] = [copy.deepcopy]
    copiers += [
        lambda env, protocol=protocol: pickle.loads(pickle.dumps(env, protocol))
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)
    ]
    for seed in range(4):
        *_, (_, seen) = play_on(env, begin(env, seed), rng, steps=5 + 9 * seed)
        if seen.terminated:
            continue
        before = frozen((env.game, env.action_masks()))
        copies = [make(env) for make in copiers]
        futures = [follow(copied, seen) for copied in copies]
        assert frozen((env.game, env.action_masks())) == before
        assert [each == futures[0] for each in futures] == [True] * len(futures)
        assert follow(env, seen) == futures[0]


def follow(env: SingleSeatEnv, seen: Seen) -> list[Any]:
    """The rest of an episode up to 80 steps, and the start of the next."""
    rng = np.random.default_rng(9)
    rest = [frozen(each) for each in play_on(env, seen, rng, steps=80)]
    return [*rest, frozen(begin(env)), frozen((env.seat, env.game))]


def test_the_game_that_is_shown_is_a_copy() -> None:
    env = SingleSeatEnv()
    begin(env, 1)
    game = env.game
    game.apply(game.legal_actions()[0])
    assert env.game != game


# Opponents that are wrong


class Wrong(FirstLegal):
    def __init__(self, answer: Any) -> None:
        super().__init__()
        self.answer = answer

    def act(self, view: View) -> Any:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (KeyError("oh"), "cannot act: KeyError: 'oh'"),
        (129, "has chosen wrongly: action 129 .* not legal for seat 2"),
        (None, "has chosen wrongly: action None of type NoneType"),
        (True, "has chosen wrongly: action True of type bool"),
        (1.0, "has chosen wrongly: action 1.0 of type float"),
        ("pass", "has chosen wrongly: action 'pass' of type str"),
    ],
)
def test_an_opponent_that_is_wrong_is_named_with_its_seat(answer: Any, message: str) -> None:
    env = SingleSeatEnv(seat=1, opponents=[Wrong(answer), FirstLegal()])
    begin(env, 1, {"dealer": 0})
    before = env.game
    for _ in range(2):
        with pytest.raises(OpponentError, match=f"^opponent 'Wrong' at seat 2 {message}"):
            env.step(before.legal_actions()[0])
        assert env.game == before
    with pytest.raises(OpponentError, match=f"^opponent 'Wrong' at seat 2 {message}"):
        begin(env, 2, {"dealer": 1})
    assert env.game == before


def test_an_opponent_that_cannot_be_reset_is_named() -> None:
    agent = FirstLegal()
    env = SingleSeatEnv(seat=2, opponents=["greedy", agent])
    agent.reset = 7  # type: ignore[assignment, method-assign]
    with pytest.raises(OpponentError, match="opponent 'FirstLegal' at seat 1 cannot be reset: TypeError"):
        begin(env, 1)


# Keywords


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"seat": 3}, "seat=3 is not accepted: use 0 to 2, or None"),
        ({"seat": -1}, "seat=-1"),
        ({"seat": True}, "seat=True"),
        ({"seat": np.True_}, "seat="),
        ({"seat": 1.0}, "seat=1.0"),
        ({"seat": "0"}, "seat='0'"),
        ({"seat": 2, "rules": "two_player"}, "seat=2 is not accepted: use 0 to 1"),
        ({"opponents": "gredy"}, "agent 'gredy' does not exist: did you mean 'greedy'"),
        ({"opponents": ["greedy"]}, r"opponents=\['greedy'\] has 1 agents for 3 players: .* a list of 2"),
        ({"opponents": ["greedy"] * 3}, "has 3 agents for 3 players"),
        ({"opponents": []}, "has 0 agents"),
        ({"opponents": ["greedy", 7]}, r"opponents\[1\]=7 is not accepted: use an agent's name or an Agent"),
        ({"opponents": None}, "opponents=None is not accepted"),
        ({"opponents": GreedyAgent}, "opponents=<class .*GreedyAgent'>, which is a class, is not accepted"),
        ({"opponents": [RandomAgent, "greedy"]}, r"opponents\[0\]=<class .*, which is a class,"),
        ({"rules": "clasic"}, "clasic"),
        ({"rules": 7}, "rules=7"),
        ({"episode": "game"}, "episode='game' is not accepted: use one of 'match', 'deal'"),
        ({"reward": "points"}, "reward='points' is not accepted: use one of 'relative', 'score', 'win'"),
        ({"illegal": "ignore"}, "illegal='ignore' is not accepted: use one of 'terminate', 'raise', 'penalty'"),
        ({"render_mode": "svg"}, "render_mode='svg' is not accepted: use one of None, 'ansi', 'rgb_array', 'human'"),
        ({"history": 1}, "history=1 is not accepted: use True or False"),
        ({"flat_observation": "no"}, "flat_observation='no'"),
        ({"mask_in_info": None}, "mask_in_info=None"),
        ({"open_cards": 0}, "open_cards=0"),
    ],
)
def test_wrong_keywords_are_named(keywords: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        SingleSeatEnv(**keywords)
    assert isinstance(caught.value, RulesError) == ("rules" in keywords and "seat" not in keywords)


def test_all_presets_and_values_of_keywords_work_and_stay() -> None:
    rng = np.random.default_rng(4)
    for preset, episode, reward, illegal in itertools.product(PRESETS, EPISODES, REWARDS, ILLEGAL):
        env: Any = gymnasium.make(
            "Thousand-v0", seat=None, rules=preset, episode=episode, reward=reward, illegal=illegal, opponents="random"
        )
        seen = begin(env, 1)
        for _ in range(2):
            for _, later in play_on(env, seen, rng, steps=3):
                assert later.observation in env.observation_space
            seen = begin(env)
        env = env.unwrapped
        for kept in (env, pickle.loads(pickle.dumps(env))):
            assert (kept.rules, kept.settings.episode, kept.settings.reward) == (Rules.preset(preset), episode, reward)
            assert kept.settings.illegal == illegal
            assert kept.game.episode == episode


# Rendering


def test_rendering_shows_what_the_learner_knows_or_all() -> None:
    env = SingleSeatEnv(seat=1, opponents=["random", "greedy"], render_mode="ansi")
    begin(env, 1)
    text = env.render()
    assert text == render(env.game.view(1), names=["greedy", "learner", "random"])
    assert "▒▒" in text
    opened = SingleSeatEnv(seat=1, opponents=["random", "greedy"], render_mode="ansi", open_cards=True)
    begin(opened, 1)
    assert opened.render() == render(opened.game, names=["greedy", "learner", "random"])
    assert "▒▒" not in opened.render()
    opened.step(-1)
    assert opened.render()


def test_human_rendering_prints_at_each_reset_and_step(monkeypatch: pytest.MonkeyPatch) -> None:
    env = SingleSeatEnv(render_mode="human")
    for encoding in ("utf-8", "ascii"):
        buffer = io.BytesIO()
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(buffer, encoding=encoding))
        begin(env, 1)
        env.step(env.game.legal_actions()[0])
        assert env.render() is None
        printed = buffer.getvalue().decode(encoding)
        assert printed.count("tricks pts") == 3
        assert ("♥" in printed) == (encoding == "utf-8")


def test_pictures() -> None:
    pytest.importorskip("PIL")
    picture = pytest.importorskip("thousand_env.render.picture")
    for open_cards in (False, True):
        env = SingleSeatEnv(seat=2, render_mode="rgb_array", open_cards=open_cards)
        begin(env, 1)
        frame = env.render()
        assert (frame.dtype, frame.ndim, frame.shape[2]) == (np.uint8, 3, 3)
        assert np.array_equal(frame, picture.rgb_array(env.game if open_cards else env.game.view(2)))


def test_rendering_without_a_mode_warns() -> None:
    env = SingleSeatEnv()
    begin(env, 1)
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None


# Gymnasium


@pytest.mark.parametrize(
    "keywords",
    [
        {},
        {"seat": None, "opponents": "random", "rules": "four_player", "episode": "deal"},
        {"flat_observation": True, "illegal": "penalty"},
        {"mask_in_info": True, "history": True, "reward": "score", "rules": "two_player"},
        {"render_mode": "ansi", "rules": Rules.preset("modern"), "opponents": [GreedyAgent(), "random"]},
    ],
)
def test_gymnasium_has_no_complaint(keywords: dict[str, Any]) -> None:
    env = gymnasium.make("Thousand-v0", **keywords)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped, skip_render_check=not HAS_PILLOW)


def test_gymnasium_wrappers() -> None:
    env: Any = gymnasium.make("Thousand-v0", mask_in_info=True, max_episode_steps=12)
    env = gymnasium.wrappers.FlattenObservation(gymnasium.wrappers.RecordEpisodeStatistics(env))
    seen = begin(env, 1)
    assert seen.observation.shape == (OBSERVATION.size + 130,)
    steps = [each for _, each in play_on(env, seen, np.random.default_rng(2))]
    assert len(steps) == 12
    assert steps[-1].truncated
    assert steps[-1].info["episode"]["l"] == 12
    assert steps[-1].info["episode"]["r"] == pytest.approx(sum(each.reward for each in steps))


def test_vector_environments_deal_differently_and_repeat_themselves() -> None:
    env = gymnasium.vector.SyncVectorEnv([lambda: gymnasium.make("Thousand-v0", seat=None, illegal="raise")] * 64)

    def deals() -> list[Any]:
        return [each.unwrapped.game.dealt() for each in env.envs]

    def all_differ(dealt: list[Any]) -> bool:
        return not any(one == two for one, two in itertools.combinations(dealt, 2))

    env.reset()
    assert all_differ(deals())
    observations, _ = env.reset(seed=5)
    first = deals()
    assert all_differ(first)
    masks = np.stack([each.get_wrapper_attr("action_masks")() for each in env.envs])
    assert np.array_equal(masks, observations["action_mask"])
    rng = np.random.default_rng(0)
    for _ in range(40):
        actions = np.array([rng.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in masks])
        masks = env.step(actions)[0]["action_mask"]
    env.reset(seed=5)
    assert deals() == first
    env.close()


@pytest.mark.parametrize(
    "program",
    [
        "import thousand_env, gymnasium; env = gymnasium.make('Thousand-v0')",
        "import gymnasium, thousand_env; env = gymnasium.make('Thousand-v0')",
        "import gymnasium; env = gymnasium.make('thousand_env:Thousand-v0')",
        "import importlib, sys, thousand_env; importlib.reload(thousand_env)\n"
        "for name in [name for name in sys.modules if name.startswith('thousand_env')]: del sys.modules[name]\n"
        "import thousand_env, gymnasium; env = gymnasium.make('Thousand-v0')",
    ],
)
def test_the_id_is_known_in_any_order_of_imports(program: str) -> None:
    checks = (
        "import sys\n"
        "loader = gymnasium.envs.registration.__spec__.loader\n"
        "finders = [each for each in sys.meta_path if type(each).__module__.startswith('thousand_env')]\n"
        "print(env.unwrapped, type(loader).__name__, finders)"
    )
    command = [sys.executable, "-W", "error", "-c", f"{program}\n{checks}"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("<SingleSeatEnv<Thousand-v0>> SourceFileLoader []\n", "")


def test_importing_the_package_imports_neither_gymnasium_nor_numba() -> None:
    heavy = ("gymnasium", "numba", "numpy", "pettingzoo")
    program = f"import sys, thousand_env; print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_registered_classes_are_named_once() -> None:
    spec = gymnasium.spec("Thousand-v0")
    assert spec.entry_point == "thousand_env.single:SingleSeatEnv"
    assert spec.vector_entry_point == "thousand_env.single_vector:SingleSeatVectorEnv"
    assert "thousand_env.single" not in thousand_env.__all__
