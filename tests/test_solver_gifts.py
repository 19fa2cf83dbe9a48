"""The solver in the exchange: the best gifts equal brute force over all ways, and all ways of asking agree."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from tests.random_rules import random_options
from tests.solver_brute import final_points
from thousand_env import Game, Rules, RulesError, solver

SMALL = {"min_bid": 10, "bid_step": 10, "max_deals": 3}
DECKS = (
    {"ranks": "QKTA", "suits": "SCH", "hand_size": 3, "talon_size": 3},
    {"ranks": "QKTA", "suits": "SCH", "hand_size": 3, "talon_size": 3, "exchange": "discard_three"},
    {"ranks": "9QKA", "suits": "SCDH", "hand_size": 4, "talon_size": 4, "exchange": "discard_three", "players": 4},
    {"ranks": "JQKTA", "suits": "SH", "hand_size": 4, "talon_size": 1, "players": 2},
    {"ranks": "JQKTA", "suits": "SH", "hand_size": 3, "talon_size": 2, "players": 2},
    {"ranks": "JQKTA", "suits": "SH", "hand_size": 3, "talon_size": 2, "players": 2, "two_player": "give_one"},
)


def in_exchange(number: int, deck: dict[str, object], given: int = 0) -> Game:
    """A small game in the exchange, after so many gifts, under random options of play."""
    rng = random.Random(number)
    fixed = {*deck, *SMALL, "marriage_values", "bid_cap", "dark", "golden", "concede"}
    while True:
        changes = {name: value for name, value in random_options(rng, 0.2).items() if name not in fixed}
        changes = {name: changes[name] for name in changes if name not in ("players", "exchange", "hand_size", "ranks")}
        changes = {name: changes[name] for name in changes if name not in ("suits", "talon_size")}
        try:
            game = Game(Rules(**{**changes, **deck, **SMALL}), seed=rng.getrandbits(32), episode="deal")
        except RulesError:
            continue
        for _ in range(40):
            if game.phase in ("exchange", "over"):
                break
            game.apply(rng.choice(game.legal_actions()))
        if game.phase == "exchange":
            break
    for _ in range(given):
        game.apply(rng.choice([action for action in game.legal_actions() if 66 <= action < 90]))
    return game


def value_after(game: Game, way: tuple[int, ...]) -> int:
    after = game.clone()
    for action in way:
        after.apply(action)
    if after.phase == "raise":
        after.apply(0)
    assert after.phase == "play"
    return final_points(after, True, {})[game.declarer or 0]


@pytest.mark.parametrize("deck", range(len(DECKS)))
def test_best_gifts_equal_brute_force(deck: int) -> None:
    for number in range(2):
        game = in_exchange(100 * deck + number, DECKS[deck])
        before = game.clone()
        ways = solver.gift_ways(game)
        expected = np.array([value_after(game, way) for way in ways])
        assert (solver.gift_values([game])[0] == expected).all()
        best = solver.best_gifts(game)
        assert best.value == expected.max() == value_after(game, best.actions)
        assert solver.best_gifts(game, table_bits=4).value == best.value
        for points in (best.value - 1, best.value, best.value + 1, int(np.median(expected))):
            assert (solver.gift_makes([game], points)[0] == (expected >= points)).all()
            way = solver.gifts_make(game, points)
            assert (way is None) == (points > best.value)
            assert way is None or value_after(game, way) >= points
        assert game == before


def test_ways_are_ordered_pairs_of_gifts_or_sets_of_cards_put_aside() -> None:
    pairs = solver.gift_ways(full(Rules()))
    assert len(pairs) == 90 and list(pairs) == sorted(set(pairs))
    assert all(first != second for first, second in pairs)
    sets = solver.gift_ways(full(Rules.preset("lithuanian")))
    assert len(sets) == 120 and list(sets) == sorted(set(sets)) and all(list(each) == sorted(each) for each in sets)
    assert len(solver.gift_ways(full(Rules.preset("two_player")))) == 66
    assert len(solver.gift_ways(full(Rules(players=2, two_player="give_one")))) == 12


def test_what_is_already_given_stays_given() -> None:
    game = full(Rules())
    whole = solver.gift_values([game])[0]
    ways = solver.gift_ways(game)
    first = ways[0][0]
    game.apply(first)
    rest = solver.gift_ways(game)
    assert len(rest) == 9 and all(len(way) == 1 for way in rest)
    values = dict(zip(ways, whole.tolist(), strict=True))
    assert solver.gift_values([game])[0].tolist() == [values[first, second] for (second,) in rest]


def test_batches_of_games_equal_single_ones() -> None:
    games = [full(Rules(), seed) for seed in range(3)]
    for threads in (1, 2, 3):
        assert solver.best_gifts_batch(games, threads=threads) == [solver.best_gifts(game) for game in games]
        made = solver.gifts_make_batch(games, 120, threads=threads)
        assert made == [solver.gifts_make(game, 120) for game in games]
        table = solver.gift_makes(games, 120, threads=threads)
        assert table.shape == (3, 90) and table.dtype == np.bool_
        assert (table.any(axis=1) == [way is not None for way in made]).all()
    mixed = [full(Rules()), full(Rules.preset("lithuanian"))]
    assert [len(gifts.actions) for gifts in solver.best_gifts_batch(mixed)] == [2, 3]
    with pytest.raises(ValueError, match=r"different numbers of ways to finish the exchange: \[90, 120\]"):
        solver.gift_values(mixed)


def test_no_games_give_no_rows() -> None:
    assert solver.gift_values([]).shape == (0, 0)
    assert solver.best_gifts_batch([]) == []


def full(rules: Rules, seed: int = 0) -> Game:
    game = Game(rules, seed=seed, episode="deal")
    for _ in itertools.takewhile(lambda _: game.phase != "exchange", range(20)):
        game.apply(game.legal_actions()[0])
    return game
