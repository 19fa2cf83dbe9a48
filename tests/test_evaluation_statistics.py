"""Intervals, the control variate and cross tables: on numbers made up for the purpose, and on play."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from tests.evaluation_agents import First
from tests.random_rules import random_rules
from thousand_env import Game, Rules
from thousand_env.cards import CARD_POINTS
from thousand_env.evaluation import cross_play, duplicate, matches
from thousand_env.evaluation.control import adjusted, card_values, open_card_values
from thousand_env.evaluation.deal_report import control_of
from thousand_env.evaluation.intervals import GROUPS, Resampling, half_width, mean_of

# Intervals


@pytest.mark.parametrize("blocks", [30, 3 * GROUPS + 7])
def test_the_interval_of_a_mean_is_as_wide_as_theory_says(blocks: int) -> None:
    values = np.random.default_rng(1).normal(10, 4, blocks)
    ratio = Resampling(blocks, 0).ratio(values)
    low, high = ratio.interval
    assert ratio.value == pytest.approx(values.mean())
    error = values.std() / blocks**0.5
    assert (low + high) / 2 == pytest.approx(values.mean(), abs=0.2 * error)
    assert high - low == pytest.approx(2 * 1.96 * error, rel=0.1)
    assert half_width(values, 0) == (high - low) / 2


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    rng = np.random.default_rng(2)
    held = 0
    for seed in range(400):
        low, high = Resampling(100, seed).ratio(rng.normal(5, 30, 100)).interval
        held += low <= 5 <= high
    assert 0.92 <= held / 400 <= 0.98


def test_blocks_are_drawn_as_a_whole() -> None:
    """Ten copies of each block say no more than one: the interval of 20 blocks with ten games each is that of 20."""
    rng = np.random.default_rng(3)
    sums, counts = rng.normal(50, 20, 20), np.full(20, 10)
    wide = Resampling(20, 0).ratio(sums, counts).interval
    narrow = Resampling(200, 0).ratio(np.repeat(sums / 10, 10)).interval
    assert wide[1] - wide[0] == pytest.approx(3.2 * (narrow[1] - narrow[0]), rel=0.15)


def test_a_ratio_weighs_blocks_by_their_counts() -> None:
    ratio = Resampling(3, 0).ratio([10, 0, 6], [1, 0, 3])
    assert ratio.value == 4
    low, high = ratio.interval
    assert (low, high) == (2, 10)


def test_figures_that_move_together_differ_for_sure() -> None:
    values = np.random.default_rng(4).normal(0, 100, 50)
    draws = Resampling(50, 0)
    difference = draws.ratio(values + 1) - draws.ratio(values)
    assert difference.interval == pytest.approx((1, 1))
    assert mean_of([draws.ratio(values), draws.ratio(values + 2)]).value == pytest.approx(values.mean() + 1)


def test_what_cannot_be_told_is_nan() -> None:
    assert np.isnan(Resampling(1, 0).ratio([5.0]).interval).all()
    assert np.isnan(Resampling(4, 0).ratio([0, 0, 0, 0], [0, 0, 0, 0]).value)
    assert np.isnan(Resampling(4, 0).ratio([0, 0, 0, 0], [0, 0, 0, 0]).interval).all()


def test_the_seed_decides_the_resamples() -> None:
    values = np.arange(40.0)
    assert Resampling(40, 7).ratio(values).interval == Resampling(40, 7).ratio(values).interval
    assert Resampling(40, 7).ratio(values).interval != Resampling(40, 8).ratio(values).interval


# The control variate


def test_the_control_leaves_the_mean_unbiased_where_a_slope_from_the_same_data_does_not() -> None:
    """With d = c * c, c exponential less its mean, few units and the slope of their own, the mean comes out wrong."""
    rng = np.random.default_rng(5)
    kept, naive = [], []
    for _ in range(20_000):
        control = rng.exponential(1, 8) - 1
        differences = control**2
        kept.append(adjusted(differences, control)[0].mean())
        slope = (differences - differences.mean()) @ control / (control @ control)
        naive.append((differences - slope * control).mean())
    error = np.std(kept) / len(kept) ** 0.5
    assert abs(np.mean(kept) - 1) < 4 * error
    assert abs(np.mean(naive) - 1) > 8 * np.std(naive) / len(naive) ** 0.5


def test_the_control_takes_out_what_it_explains() -> None:
    rng = np.random.default_rng(6)
    control, noise = rng.normal(0, 10, 400), rng.normal(0, 1, 400)
    out, slopes = adjusted(7 + 3 * control + noise, control)
    assert slopes == pytest.approx((3, 3), abs=0.05)
    assert out.std() < 1.2
    assert out.mean() == pytest.approx(7, abs=0.2)
    assert adjusted(noise, np.zeros(400))[0] == pytest.approx(noise)


def hand_worth(game: Game) -> Any:
    """Points and marriages in the hand of each seat: they stand for the solver's values in these tests."""

    def worth(hand: list[int]) -> float:
        pairs = [suit for suit in range(4) if {6 * suit + 2, 6 * suit + 3} <= set(hand)]
        return sum(CARD_POINTS[card] for card in hand) + 0.8 * sum(game.rules.marriage_values[suit] for suit in pairs)

    hands, _ = game.dealt()
    return np.array([worth(hand) for hand in hands], np.float64)


def test_a_control_narrows_one_seating_and_agrees_with_all_seatings() -> None:
    pair = ("greedy", "greedy,caution=30")
    plain = duplicate(*pair, deals=300, seatings="one", seed=3)
    controlled = duplicate(*pair, deals=300, seatings="one", seed=3, control=hand_worth)
    told = controlled.control
    assert told is not None
    assert told["plain_mean"] == plain.mean
    assert told["plain_interval"] == plain.interval
    assert 0.3 < told["variance_left"] < 0.95
    assert controlled.interval[1] - controlled.interval[0] < plain.interval[1] - plain.interval[0]
    assert controlled.mean == pytest.approx(controlled.differences.mean())
    whole = duplicate(*pair, deals=150, seed=4)
    assert controlled.interval[0] < whole.interval[1]
    assert whole.interval[0] < controlled.interval[1]
    assert controlled.facts["control"] == f"{__name__}:hand_worth"
    assert "control variate" in controlled.text()


@pytest.mark.parametrize("preset", ["classic", "four_player", "two_player"])
@pytest.mark.parametrize("seating", [(0, 1, 1, 0), (1, 0, 0, 0)])
def test_the_control_has_the_mean_zero(preset: str, seating: tuple[int, ...]) -> None:
    rules = Rules.preset(preset)
    owner = np.array([[seating[: rules.players]]] * 1500)
    values = np.array([[open_card_values(Game(rules, seed=seed), _cards_of_declarer)] for seed in range(1500)])
    control = control_of(values, owner, 0)
    assert control.std() > 1
    assert abs(control.mean()) < 4 * control.std() / len(control) ** 0.5


def _cards_of_declarer(exchange: Game) -> float:
    assert exchange.declarer is not None
    return float(sum(CARD_POINTS[card] for card in exchange.hands[exchange.declarer]))


def test_with_all_seatings_nothing_is_left_to_correct() -> None:
    plain = duplicate("greedy", "random", deals=10)
    controlled = duplicate("greedy", "random", deals=10, control=hand_worth)
    assert (controlled.differences == plain.differences).all()
    assert controlled.control is not None
    assert controlled.control["coefficients"] == (0, 0)


def test_matches_take_the_cards_of_all_their_deals() -> None:
    asked: list[tuple[int, int]] = []

    def values(game: Game) -> Any:
        assert not game.actions() or game.actions()[-1]
        asked.append((game.seed, game.deal_number))
        return hand_worth(game)

    report = matches("greedy", "greedy,caution=20", matches=8, seatings="one", control=values)
    assert report.control is not None
    assert len(asked) == len(set(asked)) == round(report.deals_per_match * 8)
    assert report.mean == pytest.approx(report.differences.mean())


@pytest.mark.parametrize("number", range(40))
def test_every_seat_can_be_put_in_the_place_of_the_declarer(number: int) -> None:
    rules = random_rules(random.Random(number))
    game = Game(rules, seed=number)
    met = []

    def best(exchange: Game) -> float:
        assert exchange.phase == "exchange"
        assert exchange.seat == exchange.declarer
        met.append(exchange.declarer)
        return float(len(met))

    values = open_card_values(game, best)
    assert values.shape == (rules.players,)
    assert set(met) == set(game.active_seats)
    assert len(met) == len(game.active_seats) * (2 if rules.players == 2 else 1)
    inactive = sorted(set(range(rules.players)) - set(game.active_seats))
    assert values[inactive] == pytest.approx([values[game.active_seats].mean()] * len(inactive))


def test_what_a_control_may_be() -> None:
    assert card_values(None) is None
    assert card_values(hand_worth) is hand_worth
    assert card_values("solver") is open_card_values


def test_the_solvers_values_of_a_deal() -> None:
    """Seat 1 has all aces, tens and the marriage of hearts: nobody else can come near."""
    hands = ["9S JS QC 9C JC 9D JD", "AS TS AC AD AH KH QH", "KS QS KC KD QD 9H JH"]
    values = open_card_values(Game.from_deal(Rules(), hands, "TC TD TH", dealer=0))
    assert values.argmax() == 1
    assert values[1] > 150
    report = duplicate("greedy", "greedy,caution=30", deals=4, seatings="one", control="solver")
    assert report.control is not None
    assert report.facts["control"] == "open_card_values"


# Cross-play


def test_a_cross_table_is_made_of_its_pairs() -> None:
    names = ["greedy", "random", "greedy,caution=30"]
    table = cross_play(names, deals=12, seed=2)
    assert table.names == tuple(names)
    assert (table.mean == -table.mean.T).all()
    assert (table.low == -table.high.T).all()
    assert not table.mean.diagonal().any()
    assert (table.wins + table.wins.T == table.games).all()
    assert set(table.differences) == {(0, 1), (0, 2), (1, 2)}
    for (i, j), values in table.differences.items():
        report = duplicate(names[i], names[j], deals=12, seed=2)
        assert (values == report.differences).all()
        assert table.mean[i, j] == pytest.approx(report.mean)
        assert (table.low[i, j], table.high[i, j]) == report.interval
        assert table.wins[i, j] == (values > 0).sum() + (values == 0).sum() / 2
        assert table.games[i, j] == 12


def test_a_cross_table_of_matches() -> None:
    names = ["greedy", "random", "greedy,caution=30"]
    table = cross_play(names, "matches", matches=3, seed=2)
    assert table.kind == "matches"
    for i, j in table.differences:
        report = matches(names[i], names[j], matches=3, seed=2)
        assert table.wins[i, j] == pytest.approx(report.mean * 18)
        assert table.games[i, j] == 18
        assert table.mean[i, j] == pytest.approx(report.score_difference / report.deals_per_match)
        assert table.mean[i, j] == pytest.approx(table.differences[i, j].mean())


@pytest.mark.parametrize(
    ("agents", "more", "words"),
    [
        (["greedy"], {}, "give a list of at least two"),
        ("greedy", {}, "give a list of at least two"),
        (["greedy", "random"], {"kind": "games"}, "kind='games' is not accepted: use one of 'deals', 'matches'"),
        (["greedy", "random"], {"only": 2}, "only is not accepted in cross_play"),
        (["greedy", First], {}, "which is a class"),
    ],
)
def test_what_cross_play_does_not_accept(agents: Any, more: dict[str, Any], words: str) -> None:
    with pytest.raises((ValueError, TypeError), match=words):
        cross_play(agents, **more)
