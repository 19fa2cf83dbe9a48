"""Many games at once: batches equal single questions whatever the threads; games stay as they are; errors."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from tests.solver_brute import small_positions
from thousand_env import Game, Rules, solver

GAMES = 40


@pytest.fixture(scope="module")
def games() -> list[Game]:
    """Positions of many rule sets."""
    return list(itertools.islice(small_positions(7, (2, 3, 4, 6)), GAMES))


@pytest.mark.parametrize("threads", [1, 2, 3, None])
def test_batches_equal_single_questions(games: list[Game], threads: int | None) -> None:
    before = [game.to_bytes() for game in games]
    values = solver.values_batch(games, threads=threads)
    assert values.tolist() == [solver.value(game) for game in games]
    table = solver.action_values_batch(games, threads=threads)
    assert table.shape == (GAMES, 130) and table.dtype == np.int32
    for game, row in zip(games, table, strict=True):
        found = {action: int(row[action]) for action in np.flatnonzero(row != solver.NO_VALUE)}
        assert found == solver.action_values(game)
    made = solver.makes_batch(games, 60, threads=threads)
    assert made.dtype == np.bool_ and (made == (values >= 60)).all()
    many = solver.makes_batch(games, [60, 20, 40, 100, 41], threads=threads, table_bits=6)
    assert (many == (values[:, None] >= np.array([60, 20, 40, 100, 41]))).all()
    assert [game.to_bytes() for game in games] == before


def test_own_values_in_a_batch_are_those_of_the_seat_to_act() -> None:
    games = list(itertools.islice(small_positions(8, (2, 3)), 20))
    table = solver.action_values_batch(games, "own", threads=2)
    for game, row in zip(games, table, strict=True):
        expected = {action: points[game.seat or 0] for action, points in solver.action_values(game, "own").items()}
        assert {action: int(row[action]) for action in np.flatnonzero(row != solver.NO_VALUE)} == expected


def test_equally_good_actions_of_a_selfish_seat_are_told_by_the_lowest_id() -> None:
    """Seat 2, last to the trick, wins nothing whatever it throws; who gets its points is told by the lowest id."""
    rules = Rules(ranks="QKTA", suits="SCH", hand_size=3, talon_size=3, exchange="discard_three", min_bid=10)
    game = Game.from_deal(rules, ["KS QS KC", "AS TS AC", "QC QH KH"], "TC TH AH", episode="deal")
    for action in (1, 0, 0, *(66 + card for card in (10, 22, 23))):
        game.apply(action)
    game.apply(90 + 5)  # AS; seat 2 follows with none of spades
    own = solver.action_values(game, "own")
    assert {points[2] for points in own.values()} == {0}
    after = game.clone()
    after.apply(min(own))
    assert solver.action_values(after, "own")[min(solver.action_values(after, "own"))] == own[min(own)]


def test_many_threads_may_ask_at_once(games: list[Game]) -> None:
    expected = [solver.value(game) for game in games]
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: solver.values_batch(games, threads=2).tolist(), range(8)):
            assert found == expected


def test_tables_do_not_remember_other_games(games: list[Game]) -> None:
    """More questions than a table has generations, in another order."""
    expected = {game.to_bytes(): solver.value(game) for game in games}
    for turn in range(3):
        for game in games[turn:] + games[:turn]:
            assert solver.value(game, table_bits=4 + turn) == expected[game.to_bytes()]


def test_no_games_give_no_rows() -> None:
    assert solver.values_batch([]).shape == (0,)
    assert solver.makes_batch([], [1, 2]).shape == (0, 2)
    assert solver.action_values_batch([]).shape == (0, 130)


PLAYING: list[Any] = [
    lambda game: solver.value(game),
    lambda game: solver.makes(game, 100),
    lambda game: solver.action_values(game),
    lambda game: solver.values_batch([game]),
    lambda game: solver.makes_batch([game], 100),
    lambda game: solver.action_values_batch([game]),
]
GIVING: list[Any] = [
    lambda game: solver.best_gifts(game),
    lambda game: solver.best_gifts_batch([game]),
    lambda game: solver.gifts_make(game, 100),
    lambda game: solver.gifts_make_batch([game], 100),
    lambda game: solver.gift_ways(game),
    lambda game: solver.gift_values([game]),
    lambda game: solver.gift_makes([game], 100),
]


def test_games_of_other_phases_are_refused(games: list[Game]) -> None:
    fresh = Game(seed=1)
    for question in PLAYING:
        with pytest.raises(ValueError, match="needs a game in phase 'play': this one is in phase 'auction'"):
            question(fresh)
    for question in GIVING:
        with pytest.raises(ValueError, match="needs a game in phase 'exchange': this one is in phase 'play'"):
            question(games[0])
        with pytest.raises(TypeError, match="needs a Game with all cards open, not View"):
            question(games[0].view(0))


def test_wrong_arguments_are_named(games: list[Game]) -> None:
    game = games[0]
    with pytest.raises(ValueError, match="objective='mine' is not accepted: use one of 'declarer', 'own'"):
        solver.action_values(game, "mine")
    for bits in (3, 17, 2.5, True):
        with pytest.raises(ValueError, match=f"table_bits={bits!r} is not accepted"):
            solver.value(game, table_bits=bits)  # type: ignore[arg-type]
    for points in (100.5, "100", [100, 110], [[1]], None):
        with pytest.raises(ValueError, match="is not accepted: use"):
            solver.makes(game, points)  # type: ignore[arg-type]
    for points in (100.5, "100", [100, 110.5], [[1]], ["100"]):
        with pytest.raises(ValueError, match="is not accepted: use an integer or a flat sequence of integers"):
            solver.makes_batch([game], points)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="threads=0 is not accepted"):
        solver.values_batch(games, threads=0)
