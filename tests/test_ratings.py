"""Ratings of a cross table: what is fitted, how sure it is, and the circles that are named."""

from __future__ import annotations

import itertools
import sys
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from thousand_env.evaluation.ratings import ELO, Ratings, intransitive_triples, ratings

pytest.importorskip("scipy")


@dataclass
class Crossing:
    """What ``ratings`` reads of a table."""

    names: tuple[str, ...]
    wins: Any
    games: Any
    mean: Any = None
    low: Any = None
    high: Any = None
    differences: dict[tuple[int, int], Any] = field(default_factory=dict)


def crossing(wins: Any, **more: Any) -> Crossing:
    """A table of wins alone."""
    wins = np.array(wins, np.float64)
    return Crossing(tuple("abcdefgh"[: len(wins)]), wins, wins + wins.T, **more)


def played(elo: list[float], games: int, seed: int, deals: bool) -> Crossing:
    """Games drawn from the model itself, with the differences of each deal or without."""
    rng = np.random.default_rng(seed)
    size = len(elo)
    wins = np.zeros((size, size))
    differences = {}
    for i, j in itertools.combinations(range(size), 2):
        chance = 1 / (1 + 10 ** ((elo[j] - elo[i]) / 400))
        won = rng.random(games) < chance
        wins[i, j], wins[j, i] = won.sum(), games - won.sum()
        differences[i, j] = np.where(won, 10.0, -10.0)
    return crossing(wins, differences=differences if deals else {})


def test_two_agents() -> None:
    """Of 100 games 75: 400 log10(3), drawn a little to the mean by one game more for each agent."""
    result = ratings(crossing([[0, 75], [25, 0]]))
    apart = result.ratings[0] - result.ratings[1]
    assert 0.97 * 400 * np.log10(3) < apart < 400 * np.log10(3)
    assert result.ratings.sum() == pytest.approx(0)
    exact = ratings(crossing([[0, 7.5e7], [2.5e7, 0]]), samples=2)
    assert exact.ratings[0] - exact.ratings[1] == pytest.approx(400 * np.log10(3), rel=1e-5)


def test_at_the_maximum_everybody_wins_what_the_model_expects() -> None:
    """The equations of the maximum: wins and half a game are the expected ones, against all and against strength 0."""
    table = crossing([[0, 30, 9, 4.5], [12, 0, 20, 0], [11, 15, 0, 33], [2.5, 0, 31, 0]])
    result = ratings(table, samples=2)
    # The prior fixes the zero: it is where the equations of all agents add up.
    strengths = result.ratings / ELO
    shift = np.linspace(-3, 3, 60001)
    zero = shift[np.argmin(abs((1 / (1 + np.exp(-(strengths[:, None] + shift))) - 0.5).sum(axis=0)))]
    strengths = strengths + zero
    chance = 1 / (1 + np.exp(strengths[None, :] - strengths[:, None]))
    expected = (table.games * chance).sum(axis=1) + 1 / (1 + np.exp(-strengths))
    assert table.wins.sum(axis=1) + 0.5 == pytest.approx(expected, abs=1e-3)


def test_agrees_with_another_fit() -> None:
    choix = pytest.importorskip("choix")
    wins = 1000 * np.array([[0, 30, 9, 4.5], [12, 0, 20, 8], [11, 15, 0, 33], [2.5, 4, 31, 0]])
    theirs = choix.ilsr_pairwise_dense(wins)  # entry i, j: how often i won against j
    assert ratings(crossing(wins), samples=2).ratings == pytest.approx(theirs * ELO, abs=0.1)


def test_draws_are_halves_and_an_even_table_is_even() -> None:
    result = ratings(crossing([[0, 2.5, 3], [2.5, 0, 1], [3, 1, 0]]), samples=200)
    assert result.ratings == pytest.approx([0, 0, 0], abs=1e-6)
    assert (result.low < 0).all()
    assert (result.high > 0).all()


@pytest.mark.parametrize("deals", [False, True])
def test_intervals_hold_the_truth_about_as_often_as_they_say(deals: bool) -> None:
    truth = np.array([150.0, 20.0, -170.0])
    held = 0
    for seed in range(25):
        result = ratings(played(list(truth), 150, seed, deals), samples=100, seed=seed)
        held += int(((result.low <= truth) & (truth <= result.high)).sum())
        assert result.bootstrap == ("deals or matches" if deals else "model")
    assert 0.86 <= held / 75 <= 0.99


def test_deals_that_all_pairs_share_are_drawn_together() -> None:
    """Where a and b win the same deals against c, the lead of a over b is as sure as the deals between them."""
    won = np.where(np.arange(200) % 3 > 0, 1.0, -1.0)
    even = np.where(np.arange(200) % 2 > 0, 1.0, -1.0)
    wins = [[0, 100, 133], [100, 0, 133], [67, 67, 0]]
    shared = {(0, 1): even, (0, 2): won, (1, 2): won}
    apart = {(0, 1): even, (0, 2): won, (1, 2): won[:-1]}  # other deals
    widths = []
    for differences in (shared, apart):
        result = ratings(crossing(wins, differences=differences), anchor="a", samples=600)
        widths.append(result.high[1] - result.low[1])
    assert widths[0] < 0.9 * widths[1]


def test_blocks_of_several_matches_count_as_one() -> None:
    """Six equal games of a block tell no more than one: the interval is that of the blocks."""
    rng = np.random.default_rng(0)
    won = rng.random(100) < 0.6
    blocks = np.where(won, 1.0, -1.0)
    one = ratings(crossing([[0, won.sum()], [100 - won.sum(), 0]], differences={(0, 1): blocks}), samples=300)
    six = ratings(crossing([[0, 6 * won.sum()], [600 - 6 * won.sum(), 0]], differences={(0, 1): blocks}), samples=300)
    assert six.high[0] - six.low[0] == pytest.approx(one.high[0] - one.low[0], rel=0.05)
    independent = ratings(crossing([[0, 6 * won.sum()], [600 - 6 * won.sum(), 0]]), samples=300)
    assert independent.high[0] - independent.low[0] < 0.6 * (six.high[0] - six.low[0])


def test_who_won_everything_has_a_rating() -> None:
    result = ratings(crossing([[0, 50, 50], [0, 0, 25], [0, 25, 0]]), samples=200)
    assert np.isfinite([result.ratings, result.low, result.high]).all()
    assert 300 < result.ratings[0] < 1000
    longer = ratings(crossing([[0, 500, 500], [0, 0, 250], [0, 250, 0]]), samples=2)
    assert longer.ratings[0] > result.ratings[0]


def test_an_anchor_is_zero() -> None:
    table = played([100, 0, -100], 300, 0, deals=True)
    result = ratings(table, anchor="b", samples=100)
    free = ratings(table, samples=100)
    assert (result.ratings[1], result.low[1], result.high[1]) == (0, 0, 0)
    assert result.ratings - result.ratings.mean() == pytest.approx(free.ratings)
    with pytest.raises(ValueError, match="anchor='x' is not accepted: use one of a, b, c, or None"):
        ratings(table, anchor="x")


def test_the_seed_fixes_all() -> None:
    table = played([100, 0, -100], 50, 0, deals=True)
    first, again, other = (ratings(table, samples=50, seed=seed).to_dict() for seed in (1, 1, 2))
    assert first == again != other


def test_as_text_and_numbers() -> None:
    result = ratings(crossing([[0, 10, 10], [30, 0, 20], [30, 20, 0]]), anchor="c", samples=100)
    assert isinstance(result, Ratings)
    assert result.ranking()[-1] == "a"
    lines = result.text().splitlines()
    assert len(lines) == 5
    assert lines[3].startswith("a ")
    assert lines[3].endswith("25.0 %")
    assert "0 is c" in lines[-1]
    data = result.to_dict()
    assert [each["name"] for each in data["agents"]] == result.ranking()
    assert data["agents"][-1]["games"] == 80
    assert (data["prior_games"], data["anchor"], data["samples"]) == (1, "c", 100)


@pytest.mark.parametrize(
    ("wins", "text"),
    [
        ([[0, 5, 0, 0], [5, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]], r"never played against each other: a, b \| c, d;"),
        ([[0, 5, 0], [5, 0, 0], [0, 0, 0]], r"a, b \| c"),
        ([[0]], "a table of 1 agents has no ratings"),
        ([[0, -1], [5, 0]], "at least 0 and add up"),
        ([[0, np.nan], [5, 0]], "at least 0 and add up"),
    ],
)
def test_tables_that_cannot_be_rated(wins: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        ratings(crossing(wins))


def test_wrong_arguments() -> None:
    table = crossing([[0, 1], [1, 0]])
    with pytest.raises(ValueError, match="samples=0 is not accepted"):
        ratings(table, samples=0)
    table.games[0, 1] = 7
    with pytest.raises(ValueError, match="add up to their games"):
        ratings(table)
    for wins in ([[0, 1e300], [1e300, 0]], [[0, np.inf], [0, 0]]):
        with pytest.raises(ValueError, match="add up to their games, which are at most"):
            ratings(crossing(wins))
    with pytest.raises(ValueError, match="table=None is not accepted: it is no cross table"):
        ratings(None)  # type: ignore[arg-type]
    table = Crossing(("a", "b"), np.zeros(2), np.zeros((2, 2)))
    with pytest.raises(ValueError, match=r"wins \(2,\) and games \(2, 2\) must have the shape"):
        ratings(table)
    with pytest.raises(ValueError, match="empty list of differences"):
        ratings(crossing([[0, 1], [1, 0]], differences={(0, 1): np.zeros(0)}))


def test_without_scipy_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "scipy"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [_Missing(), *sys.meta_path])
    with pytest.raises(ImportError, match=r'^scipy is not installed: pip install "thousand_env\[eval\]"$'):
        ratings(crossing([[0, 1], [1, 0]]))


class _Missing:
    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if name.partition(".")[0] == "scipy":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def triples_of(mean: Any, half: float) -> list[tuple[tuple[str, ...], bool]]:
    mean = np.array(mean, np.float64)
    names = ("rock", "paper", "scissors", "spoon")[: len(mean)]
    table = Crossing(names, None, None, mean, mean - half, mean + half)
    return [(triple.names, triple.sure) for triple in intransitive_triples(table)]


CIRCLE = [[0, -5, 3], [5, 0, -4], [-3, 4, 0]]
"""Paper beats rock by 5, scissors beat paper by 4, rock beats scissors by 3."""


def test_circles_are_named_once_with_what_is_sure() -> None:
    assert triples_of(CIRCLE, 1) == [(("rock", "scissors", "paper"), True)]
    assert triples_of(CIRCLE, 3) == [(("rock", "scissors", "paper"), False)]
    assert triples_of(-np.array(CIRCLE), 1) == [(("rock", "paper", "scissors"), True)]
    assert triples_of([[0, 5, 3], [-5, 0, 4], [-3, -4, 0]], 1) == []
    assert triples_of([[0, -5, 0], [5, 0, -4], [0, 4, 0]], 1) == []  # even is not beaten


def test_sure_circles_come_first() -> None:
    """The spoon beats paper and scissors and loses to rock: two circles more, each with one doubtful edge."""
    mean = np.zeros((4, 4))
    mean[:3, :3] = CIRCLE
    mean[3] = [-6, 0.5, 6, 0]
    mean[:, 3] = -mean[3]
    found = triples_of(mean, 1)
    assert found[0] == (("rock", "scissors", "paper"), True)
    assert [sure for _, sure in found] == sorted([sure for _, sure in found], reverse=True)
    assert (("rock", "spoon", "paper"), False) in found


def test_a_circle_as_text() -> None:
    mean = np.array(CIRCLE, np.float64)
    triple = intransitive_triples(Crossing(("a", "b", "c"), None, None, mean, mean - 4, mean + 4))[0]
    assert triple.text() == "a beats c (+3.0) beats b (+4.0) beats a (+5.0): by the means only"
    assert triple.differences == (3, 4, 5)
