"""Matches to the target: seats balanced, shares of wins that are even for equal agents, and figures counted slowly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.evaluation_agents import Memory, mixed
from thousand_env import Game, Rules
from thousand_env.agents import from_text
from thousand_env.evaluation import duplicate, matches
from thousand_env.evaluation.schedule import agent_seed, game_seed


def slow_matches(
    names: tuple[str, ...], count: int, rules: Rules, seed: int
) -> list[tuple[int, tuple[int, ...], Game]]:
    found = []
    for match in range(count):
        for seating in mixed(len(names), rules.players):
            agents = [from_text(names[each]) for each in seating]
            for seat, agent in enumerate(agents):
                agent.reset(agent_seed(seed, match, seat))
            game = Game(rules, seed=game_seed(seed, match))
            while game.seat is not None:
                game.apply(agents[game.seat].act(game.view(game.seat)))
            found.append((match, seating, game))
    return found


@pytest.mark.parametrize("preset", ["classic", "two_player", "four_player"])
def test_equal_agents_win_exactly_their_share(preset: str) -> None:
    report = matches(Memory(), Memory(), matches=1, rules=Rules.preset(preset).replace(max_deals=40))
    assert report.mean == report.even == 0.5
    assert report.score_difference == 0
    report = matches("greedy", "greedy", matches=3, rules=preset)
    assert report.mean == 0.5
    assert report.interval == (0.5, 0.5)
    assert report.seat_shares == pytest.approx((1 / report.facts["players"],) * 2)
    assert report.score_interval == (0, 0)


def test_three_equal_agents_win_a_third_each() -> None:
    report = matches("greedy", "greedy", "greedy", matches=2)
    assert report.even == pytest.approx(1 / 3)
    assert report.shares == pytest.approx((1 / 3,) * 3)
    assert report.games == 12


@pytest.mark.parametrize(
    ("names", "rules"),
    [
        (("greedy", "greedy,caution=40"), Rules()),
        (("greedy,caution=-20", "greedy"), Rules(max_deals=12)),
        (("greedy", "greedy,caution=40", "random"), Rules(target=400, barrel=False)),
    ],
)
def test_a_slow_count_gives_the_same_figures(names: tuple[str, ...], rules: Rules) -> None:
    report = matches(*names, matches=4, rules=rules, seed=6)
    count = len(names)
    played = slow_matches(names, 4, rules, 6)
    won = np.zeros((4, count))
    difference = 0.0
    for match, seating, game in played:
        for agent in range(count):
            share = 1 / count if game.winner is None else float(seating[game.winner] == agent)
            won[match, agent] += share / (len(played) / 4)
        means = [
            np.mean([s for s, owner in zip(game.scores, seating, strict=True) if owner == a]) for a in range(count)
        ]
        difference += means[0] - np.mean(means[1:])
    assert report.differences == pytest.approx(won[:, 0])
    assert report.shares == pytest.approx(won.mean(axis=0))
    assert report.score_difference == pytest.approx(difference / len(played))
    assert report.games == len(played)
    assert report.matches == 4
    assert report.truncated == sum(game.winner is None for _, _, game in played)
    assert report.deals_per_match == pytest.approx(np.mean([game.deals_scored for _, _, game in played]))
    if not report.truncated:
        for agent in range(count):
            seats = sum(seating.count(agent) for _, seating, _ in played)
            wins = sum(seating[game.winner] == agent for _, seating, game in played)
            assert report.seat_shares[agent] == pytest.approx(wins / seats)


def test_matches_that_are_cut_off_are_told_and_shared() -> None:
    report = matches("greedy", "random", matches=2, rules=Rules(max_deals=1))
    assert report.truncated == report.games == 12
    assert report.mean == 0.5
    assert "12 cut off without a winner" in report.text()


def test_until_it_is_sure_enough() -> None:
    report = matches("greedy", "random", matches=2, half_width=0.2, most_matches=20, check_every=2)
    assert report.matches == 2
    report = matches("greedy", "greedy,caution=8", matches=2, half_width=0.001, most_matches=6, check_every=3)
    assert report.matches == 6


def test_one_seating_a_match() -> None:
    report = matches("greedy", "random", matches=4, seatings="one")
    assert report.games == report.matches == 4
    assert report.mean == 1


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"matches": 0}, "matches=0 is not accepted"),
        ({"sheets": "match"}, "keyword 'sheets' does not exist"),
        ({"half_width": 1, "most_matches": 5}, "most_matches=5 is not accepted: use at least matches=200"),
    ],
)
def test_keywords_that_are_not_accepted_are_named(given: dict[str, Any], words: str) -> None:
    with pytest.raises((ValueError, TypeError), match=words):
        matches("greedy", "random", **given)


def test_the_first_deal_of_a_match_is_the_deal_of_the_same_number() -> None:
    """The same seed deals the same cards: what is seen in one kind of evaluation can be looked at in the other."""
    one = duplicate("greedy", "greedy,caution=40", deals=3, seed=5)
    other = matches("greedy", "greedy,caution=40", matches=3, seed=5, rules=Rules(max_deals=1))
    assert one.mean == pytest.approx(other.score_difference)
