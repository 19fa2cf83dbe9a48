"""What holds for every game under every rules: cards, legal actions, undo, copies, seeds, and the end of a match."""

from __future__ import annotations

import copy
import hashlib
import os
import pickle
import random
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from gymnasium.spaces import Discrete
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.play import choose, play, play_out, some_game, some_rules
from thousand_env import NUM_ACTIONS, PRESETS, Game, IllegalActionError, Rules, action_name, parse_action

FIXED = settings(derandomize=True, database=None, deadline=None, max_examples=40)
NUMBERS = st.integers(0, 2**32 - 1)


# Cards


def cards_by_place(game: Game) -> list[list[int]]:
    return [*game.hands, *game.talons, game.set_aside, *game.played]


@FIXED
@given(NUMBERS)
def test_the_deck_is_conserved(number: int) -> None:
    game, rng = some_game(number)
    for _ in play(game, rng, 150):
        places = cards_by_place(game)
        assert all(cards == sorted(cards) for cards in places)
        assert sorted(card for cards in places for card in cards) == list(game.rules.deck)
        for seat, card in game.trick:
            assert card in game.played[seat]
        if game.rules.players == 4:
            assert game.hands[game.dealer] == []


def dead_points(game: Game) -> int:
    """Card points that nobody wins: of the talon not taken, and of cards put aside that are dead."""
    rules = game.rules
    if rules.players != 2:
        return 0
    dead = game.talon if rules.two_player == "give_one" else []
    dead = game.talon + game.set_aside if rules.puts_aside and rules.set_aside == "dead" else dead
    return sum((0, 2, 3, 4, 10, 11)[card % 6] for card in dead)


@FIXED
@given(NUMBERS)
def test_the_points_of_the_deck_are_shared_out(number: int) -> None:
    game, rng = some_game(number)
    game = Game(game.rules.replace(max_deals=None), seed=number, episode="deal")
    play_out(game, rng, 3000, calm=0.8)
    if game.is_over and not any(game.concessions):
        cards = sum(game.points) - sum(game.bonuses)
        assert cards + dead_points(game) == game.rules.deck_points
        assert sum(game.tricks_won) == len(game.rules.deck[: sum(map(len, game.played))]) // game.rules.active_players


@pytest.mark.parametrize("preset", ["classic", "modern", "polish", "lithuanian", "two_player", "four_player"])
def test_a_full_deal_has_120_points(preset: str) -> None:
    rng = random.Random(preset)
    for seed in range(20):
        game = play_out(Game(Rules.preset(preset), seed=seed, episode="deal"), rng, 3000)
        if not any(game.concessions):
            assert sum(game.points) - sum(game.bonuses) == 120


# Legal actions


@FIXED
@given(NUMBERS)
def test_mask_and_legal_actions_agree(number: int) -> None:
    game, rng = some_game(number)
    space = Discrete(NUM_ACTIONS, seed=number % 2**31)
    for _ in play(game, rng, 120):
        legal, mask = game.legal_actions(), game.action_mask()
        assert mask.dtype == np.int8
        assert mask.shape == (NUM_ACTIONS,)
        assert set(mask.tolist()) <= {0, 1}
        assert legal == np.flatnonzero(mask).tolist()
        assert all(type(action) is int for action in legal)
        assert bool(legal) != game.is_over
        assert (game.seat is None) == game.is_over
        if legal:
            assert int(space.sample(mask)) in legal
            view = game.view(game.seat)
            assert view.legal_actions() == legal
            assert (view.action_mask() == mask).all()


@FIXED
@given(NUMBERS)
def test_nobody_may_act_after_the_end(number: int) -> None:
    game, rng = some_game(number, max_deals=3)
    play_out(game, rng, 1000)
    assert game.is_over
    assert game.seat is None
    assert game.phase == "over"
    assert game.legal_actions() == []
    assert game.action_mask().sum() == 0
    for action in (*range(NUM_ACTIONS), -1, None):
        with pytest.raises(IllegalActionError, match="over"):
            game.apply(action)


@FIXED
@given(NUMBERS)
def test_action_text_is_one_to_one(number: int) -> None:
    rules = some_rules(random.Random(number))
    names = [action_name(action, rules) for action in range(NUM_ACTIONS)]
    assert len(set(names)) == NUM_ACTIONS
    assert [parse_action(name, rules) for name in names] == list(range(NUM_ACTIONS))
    assert [parse_action(f"  {name.upper()} ", rules) for name in names] == list(range(NUM_ACTIONS))


@FIXED
@given(NUMBERS)
def test_text_of_legal_actions_is_one_to_one(number: int) -> None:
    game, rng = some_game(number)
    for _ in play(game, rng, 60):
        legal = game.legal_actions()
        names = [action_name(action, game.rules) for action in legal]
        assert len(set(names)) == len(legal)
        assert [parse_action(name, game.rules) for name in names] == legal


NO_ACTIONS: tuple[Any, ...] = (
    *(-1, -2, -130, 130, 131, 192, 255, 256, 1000, 2**31, 2**32, 2**63, 2**64, 2**70, -(2**31), -(2**63), -(2**70)),
    *(0.0, 1.0, 90.0, 0.5, -1.0, float("nan"), float("inf"), 1j, None, "pass", "0", "", b"\0", (), [], [0], {}),
    *(object(), np.float32(1), np.float64(90), np.array([0]), np.array([0, 1]), np.array(1.0), np.int64(-1)),
    *(np.uint64(2**64 - 1), np.datetime64(1, "s"), Ellipsis),
)


def assert_refused(game: Game, action: Any, names: str) -> None:
    """The action raises an error that names it and what is legal, and nothing changes."""
    before, data, key = game.clone(), game.to_bytes(), hash(game)
    with pytest.raises(IllegalActionError) as caught:
        game.apply(action)
    message = str(caught.value)
    assert names in message
    for legal in game.legal_actions():
        assert action_name(legal, game.rules) in message
    assert game == before
    assert hash(game) == key
    assert game.to_bytes() == data


@settings(FIXED, max_examples=15)
@given(NUMBERS)
def test_an_illegal_action_changes_nothing(number: int) -> None:
    game, rng = some_game(number)
    play_out(game, rng, rng.randrange(60))
    if game.is_over:
        return
    legal = set(game.legal_actions())
    for action in range(NUM_ACTIONS):
        if action not in legal:
            assert_refused(game, action, names=action_name(action, game.rules))
    for action in NO_ACTIONS:
        is_whole = isinstance(action, int | np.integer)
        assert_refused(game, action, names=str(int(action)) if is_whole else repr(action))


def test_whole_numbers_of_all_kinds_are_accepted() -> None:
    kinds = (int, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64, np.intp)
    game, rng = Game(seed=1), random.Random(1)
    for _ in range(40):
        action = choose(rng, game)
        results = []
        for kind in kinds:
            if action <= 127 or kind is not np.int8:
                after = game.clone()
                after.apply(kind(action))
                results.append(after.to_bytes())
        game.apply(np.array(action))
        assert set(results) == {game.to_bytes()}


# Undo and copies


@FIXED
@given(NUMBERS)
def test_undo_goes_back_to_the_start(number: int) -> None:
    game, rng = some_game(number)
    path = [(each.clone(), each.legal_actions()) for each in play(game, rng, 200)]
    first = path[0][0].to_bytes()
    assert game == path.pop()[0]
    for earlier, legal in reversed(path):
        game.undo()
        assert game == earlier
        assert hash(game) == hash(earlier)
        assert game.legal_actions() == legal
    assert game.to_bytes() == first
    with pytest.raises(IllegalActionError):
        game.undo()
    assert game.to_bytes() == first


def test_undo_across_void_deals_and_the_end() -> None:
    game, rng = Game(Rules(opening="none", max_deals=30), seed=4), random.Random(2)
    path = []
    while not game.is_over:
        path.append(game.clone())
        game.apply(0 if rng.random() < 0.8 and 0 in game.legal_actions() else choose(rng, game))
    assert game.deals_scored < game.deal_number == 29
    for earlier in reversed(path):
        game.undo()
        assert game == earlier
        assert game.actions() == earlier.actions()


@FIXED
@given(NUMBERS)
def test_actions_play_the_same_game_again(number: int) -> None:
    game, rng = some_game(number)
    first = game.clone()
    play_out(game, rng, 150)
    for seat, action in game.actions():
        assert first.seat == seat
        first.apply(action)
    assert first == game


def assert_continue_alike(one: Game, two: Game, number: int) -> None:
    """Two games are equal, and stay equal under the same actions and when all actions are taken back."""
    first, second = random.Random(number), random.Random(number)
    for _ in range(40):
        assert one == two
        assert hash(one) == hash(two)
        if one.is_over:
            break
        one.apply(choose(first, one))
        two.apply(choose(second, two))
    for scheme in ("score", "relative", "win"):
        assert one.returns(scheme).tolist() == two.returns(scheme).tolist()
    assert repr(one) == repr(two)
    assert one.actions() == two.actions()
    assert one.to_bytes() == two.to_bytes()
    for _ in one.actions():
        one.undo()
        two.undo()
    assert one == two


@settings(FIXED, max_examples=20)
@given(NUMBERS)
def test_copies_continue_identically(number: int) -> None:
    game, rng = some_game(number)
    play_out(game, rng, rng.randrange(250))
    copies = [game.clone(), copy.copy(game), copy.deepcopy(game), Game.from_bytes(game.to_bytes())]
    copies += [pickle.loads(pickle.dumps(game, protocol)) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)]
    copies.append(copy.deepcopy({"games": [game]})["games"][0])
    for each in copies:
        assert type(each) is Game
        assert_continue_alike(game.clone(), each, number)


@FIXED
@given(NUMBERS)
def test_a_clone_is_independent(number: int) -> None:
    game, rng = some_game(number)
    play_out(game, rng, rng.randrange(80))
    data = game.to_bytes()
    clone = game.clone()
    play_out(clone, rng, 50)
    assert game.to_bytes() == data
    after = clone.to_bytes()
    play_out(game, rng, 50, calm=0.0)
    for _ in game.actions():
        game.undo()
    assert clone.to_bytes() == after


def test_a_game_over_before_the_first_decision_can_be_copied() -> None:
    rules = Rules(redeal_four_nines="mandatory", max_deals=1)
    game = next(game for game in (Game(rules, seed=seed) for seed in range(1000)) if game.is_over)
    assert game.truncated
    assert game.actions() == []
    for each in (game.clone(), pickle.loads(pickle.dumps(game)), Game.from_bytes(game.to_bytes())):
        assert each == game


@pytest.mark.parametrize("threshold", [1, 5])
@pytest.mark.parametrize("collision", ["coexist", "newcomer_knocks_off", "all_fall"])
def test_a_game_with_a_low_barrel_can_be_copied(threshold: int, collision: str) -> None:
    rules = Rules(barrel_threshold=threshold, barrel_collision=collision, barrel_third_fall_zero=True, dump="plus")
    game, rng = Game(rules.replace(max_deals=20), seed=1), random.Random(1)
    for _ in play(game, rng, 300):
        assert Game.from_bytes(game.to_bytes()) == game


def test_a_long_match_can_be_copied_when_its_counters_are_full() -> None:
    rules = Rules(concede="bid_60", max_deals=None, barrel=False, target=10**9)
    game = Game(rules, seed=1)
    while min(game.concessions) < 255:
        legal = game.legal_actions()
        game.apply(126 if 126 in legal else legal[0])
    for _ in range(6):
        assert Game.from_bytes(game.to_bytes()) == game
        legal = game.legal_actions()
        game.apply(126 if 126 in legal else legal[0])
    assert max(game.concessions) == 255


def test_equality_and_hash() -> None:
    one, two = Game(seed=1), Game(seed=1)
    assert one == two
    assert hash(one) == hash(two)
    assert one != Game(seed=2)
    assert one != Game(Rules(target=1001), seed=1)
    assert one != Game(seed=1, episode="deal")
    assert one != one.view(0)
    assert one != "game"
    two.apply(two.legal_actions()[0])
    assert one != two
    assert len({one, two, one.clone(), two.clone()}) == 2
    with pytest.raises(TypeError):
        one < two  # noqa: B015


# Seeds


def cards_in_order(game: Game) -> tuple[Any, ...]:
    """The dealt cards: talons, then the hands of those who hold cards, in ascending order of seats."""
    hands, talons = game.dealt()
    return tuple(map(tuple, talons)), tuple(tuple(hand) for hand in hands if hand)


def deals_of(rules: Rules, seed: int, player: int, decisions: int) -> dict[int, Any]:
    """The deals of a match by number, played in a way that depends on ``player``."""
    game, rng = Game(rules, seed=seed), random.Random(player)
    deals: dict[int, Any] = {}
    for _ in play(game, rng, decisions, calm=rng.choice((0.0, 0.5, 1.0))):
        if not game.is_over:
            deals.setdefault(game.deal_number, cards_in_order(game))
    return deals


@FIXED
@given(NUMBERS)
def test_deals_depend_on_seed_and_number_alone(number: int) -> None:
    rules = some_rules(random.Random(number)).replace(golden=False, dark=False)
    one, two = (deals_of(rules, number, player, 300) for player in (1, 2))
    common = one.keys() & two.keys()
    assert common
    assert all(one[deal] == two[deal] for deal in common)


def test_deals_of_a_match_and_of_two_seeds_differ() -> None:
    for rules in (Rules(), Rules(players=2), Rules(players=4), Rules(opening="none")):
        seen = [cards for seed in range(20) for cards in deals_of(rules, seed, seed, 150).values()]
        assert len(seen) > 40
        assert len(set(seen)) == len(seen)


def test_the_first_dealer_is_drawn_from_the_seed() -> None:
    for players in (2, 3, 4):
        dealers = [Game(Rules(players=players), seed=seed).dealer for seed in range(300)]
        assert dealers == [Game(Rules(players=players), seed=seed).dealer for seed in range(300)]
        for seat in range(players):
            assert abs(dealers.count(seat) - 300 / players) < 50


PLAY_AND_PRINT = """
import hashlib
from tests.play import play_out, some_game
for number in range(12):
    game, rng = some_game(number)
    play_out(game, rng, 200)
    print(hashlib.sha256(game.to_bytes()).hexdigest(), repr(game), game.returns().tolist())
"""

CONTINUE_PICKLE = """
import pickle, random, sys
from tests.play import play_out
game = play_out(pickle.loads(sys.stdin.buffer.read()), random.Random(9), 300)
sys.stdout.buffer.write(game.to_bytes())
"""


def run_python(code: str, given: bytes = b"", hash_seed: str = "0") -> bytes:
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run([sys.executable, "-c", code], input=given, capture_output=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def test_the_same_game_in_every_process() -> None:
    one = run_python(PLAY_AND_PRINT, hash_seed="1")
    assert len(one.splitlines()) == 12
    assert one == run_python(PLAY_AND_PRINT, hash_seed="2")


def test_a_pickle_continues_identically_in_another_process() -> None:
    game = play_out(Game(Rules.preset("modern"), seed=7), random.Random(3), 100)
    assert game.deal_number > 1
    elsewhere = run_python(CONTINUE_PICKLE, pickle.dumps(game))
    assert elsewhere == play_out(game, random.Random(9), 300).to_bytes()


def played_digest() -> str:
    digest = hashlib.sha256()
    for number in range(10):
        game, rng = some_game(number)
        digest.update(play_out(game, rng, 100).to_bytes())
        game.view(0).sample(np.random.default_rng(number))
    return digest.hexdigest()


def test_global_random_numbers_are_neither_used_nor_changed() -> None:
    digests = set()
    for seed in (1, 2):
        random.seed(seed)
        np.random.seed(seed)
        before = random.getstate(), pickle.dumps(np.random.get_state())
        digests.add(played_digest())
        Game()
        assert (random.getstate(), pickle.dumps(np.random.get_state())) == before
    assert len(digests) == 1


def test_games_without_a_seed_differ() -> None:
    assert len({Game().to_bytes() for _ in range(20)}) == 20


# What was handed out


def handed_out(game: Game) -> list[Any]:
    """Everything that a game hands out which could be changed."""
    return [
        *(game.legal_actions(), game.action_mask(), game.hands, game.talon, game.talons, game.trick, game.points),
        *(game.tricks_won, game.scores, game.bolts, game.barrel, game.passed, game.played, game.set_aside, game.gifts),
        *(game.bonuses, game.falls, game.concessions, game.active_seats, game.events(), game.actions(), game.dealt()),
        *(game.returns(), game.view(0)),
    ]


@settings(FIXED, max_examples=15)
@given(NUMBERS)
def test_what_was_handed_out_never_changes(number: int) -> None:
    game, rng = some_game(number)
    kept = [(things := handed_out(game), pickle.dumps(things)) for _ in play(game, rng, 60)]
    for _ in game.actions():
        game.undo()
    for things, data in kept:
        assert pickle.dumps(things) == data


def spoil(thing: Any) -> None:
    if isinstance(thing, np.ndarray):
        thing[:] = 99
    elif isinstance(thing, list | tuple):
        for each in thing:
            spoil(each)
        if isinstance(thing, list):
            thing.append(-999)
    elif isinstance(thing, dict | set):
        thing.clear()


@settings(FIXED, max_examples=15)
@given(NUMBERS)
def test_changing_what_was_handed_out_changes_no_game(number: int) -> None:
    game, rng = some_game(number)
    for _ in play(game, rng, 40):
        data = game.to_bytes()
        legal = game.legal_actions()
        spoil(handed_out(game))
        assert game.to_bytes() == data
        assert game.legal_actions() == legal


# The end of a match


@FIXED
@given(NUMBERS, st.integers(1, 15))
def test_every_match_ends_within_max_deals(number: int, max_deals: int) -> None:
    game, rng = some_game(number, max_deals=max_deals)
    decisions = 0
    for _ in play(game, rng, 100 * max_deals):
        decisions += 1
        assert game.deal_number < max_deals
        assert game.winner is None or game.is_over
    assert game.is_over
    if game.truncated:
        assert game.winner is None
        assert game.deal_number == max_deals - 1
    elif game.episode == "match":
        assert game.winner is not None
        assert game.scores[game.winner] >= game.rules.target
    else:
        assert game.deals_scored == 1
    assert decisions <= 100 * max_deals


@pytest.mark.parametrize("preset", PRESETS)
def test_random_players_end_a_match(preset: str) -> None:
    for seed in range(3):
        game = play_out(Game(Rules.preset(preset), seed=seed), random.Random(seed), 100_000, calm=0.0)
        assert game.is_over
        assert game.deal_number < (game.rules.max_deals or 0)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_totals_far_below_zero(players: int) -> None:
    rules = Rules(players=players, max_deals=2000, bid_cap="none")
    game, rng = Game(rules, seed=players), random.Random(players)
    while not game.is_over:
        legal = game.legal_actions()
        overbid = game.phase == "auction" and rng.random() < 0.5
        game.apply(max(legal) if overbid else rng.choice(legal))
        if game.deal_number > 400 and min(game.scores) < -20_000:
            break
    assert min(game.scores) < -20_000
    assert Game.from_bytes(game.to_bytes()) == game
    for seat in range(players):
        view = game.view(seat)
        assert view.scores == game.scores
        assert view.sample(np.random.default_rng(1)).scores == game.scores
    assert game.returns("score").tolist() == [score / 100 for score in game.scores]
    assert abs(game.returns().sum()) < 1e-9
    for _ in range(2000):
        game.undo()
    assert min(game.scores) < 0
