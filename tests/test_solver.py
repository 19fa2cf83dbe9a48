"""The solver's values: equal to brute force over ``Game``, and to each other however they are asked for."""

from __future__ import annotations

import itertools

import pytest

from tests.solver_brute import action_points, small_positions
from thousand_env import Game, solver

SIZES = (1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3)
CHUNK = 250


def agrees_with_brute_force(game: Game) -> None:
    before = game.clone()
    declarer = game.declarer
    assert declarer is not None
    best = max if game.seat == declarer else min
    expected = {action: points[declarer] for action, points in action_points(game, True).items()}
    assert solver.action_values(game) == expected, game.to_bytes()
    assert solver.action_values(game, table_bits=4) == expected, game.to_bytes()
    value = best(expected.values())
    assert solver.value(game) == solver.value(game, table_bits=4) == value
    for points in range(value - 3, value + 4):
        assert solver.makes(game, points) == (points <= value)
    assert solver.action_values(game, "own") == action_points(game, False), game.to_bytes()
    assert game == before


@pytest.mark.parametrize("chunk", range(8))
def test_values_equal_brute_force(chunk: int) -> None:
    """2,000 positions, those of four and five cards fewer, because brute force takes a third of a second for five."""
    positions = small_positions(chunk, SIZES)
    larger = small_positions(1000 + chunk, (4,) * 15 + (5,))
    for game in itertools.chain(itertools.islice(positions, CHUNK - 16), itertools.islice(larger, 16)):
        agrees_with_brute_force(game)


@pytest.mark.long
@pytest.mark.parametrize("chunk", range(40))
def test_values_equal_brute_force_on_many_positions(chunk: int) -> None:
    """20,000 positions of up to five cards."""
    for game in itertools.islice(small_positions(2000 + chunk, (1, 2, 2, 3, 3, 3, 4, 4, 5)), 500):
        agrees_with_brute_force(game)


def test_the_positions_cover_every_rule_of_play() -> None:
    rules = [game.rules for game in itertools.islice(small_positions(0, SIZES), 1000)]
    values = {
        "players": {2, 3, 4},
        "exchange": {"give_one_each", "discard_three"},
        "two_player": {"two_talons", "give_one"},
        "set_aside": {"last_trick", "dead"},
        "marriage_gate": {"on_lead", "after_own_trick", "after_first_trick"},
        "marriage_declare": {"optional", "automatic"},
        "marriage_needs_trick": {False, True},
        "trump_effect": {"immediate", "next_trick"},
        "ace_marriage": {"off", "lead_ace", "lead_ace_sets_trump", "held_at_first_lead"},
        "must_beat": {False, True},
        "beat_if_trumped": {False, True},
        "must_trump": {False, True},
        "must_overtrump": {False, True},
    }
    for option, expected in values.items():
        assert {getattr(each, option) for each in rules} == expected, option
    assert any(len(each.deck) < 24 for each in rules)


def large_positions(seed: int) -> list[Game]:
    """Positions of random rules with up to eight cards in the hand to play."""
    return list(itertools.islice(small_positions(seed, (8,)), 3))


@pytest.mark.parametrize("seed", range(6))
def test_null_windows_and_small_tables_agree_in_whole_deals(seed: int) -> None:
    for game in large_positions(3000 + seed):
        value = solver.value(game)
        values = solver.action_values(game).values()
        assert value == (max(values) if game.seat == game.declarer else min(values))
        assert solver.value(game, table_bits=8) == solver.value(game, table_bits=16) == value
        for points in range(value - 5, value + 6):
            assert solver.makes(game, points) == (points <= value)
        assert solver.makes(game, -(10**6)) and not solver.makes(game, 10**6)


@pytest.mark.parametrize("seed", range(4))
def test_values_are_consistent_along_best_play(seed: int) -> None:
    """Playing an action leads to a position with the value that was promised."""
    game = next(small_positions(4000 + seed, (7,)))
    while game.phase == "play":
        values = solver.action_values(game)
        best = max if game.seat == game.declarer else min
        action = best(values, key=values.__getitem__)
        last = game.closing(action)
        if last.phase != "play":
            assert last.points[game.declarer or 0] == values[action]
            break
        game.apply(action)
        assert solver.value(game) == values[action]
