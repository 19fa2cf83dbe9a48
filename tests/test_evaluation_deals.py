"""Duplicate evaluation: the same deal for every seating, exact zeros, and figures that a slow count agrees with."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tests.evaluation_agents import Cheat, Failing, First, Last, Memory, Watcher, mixed, slow_games, slow_mean
from thousand_env import PRESETS, Rules, episode_seed
from thousand_env.evaluation import AgentError, duplicate
from thousand_env.evaluation.cast import Cast
from thousand_env.evaluation.schedule import agent_seed, fixed_seed, game_seed, mixed_seatings, seatings_of
from thousand_env.evaluation.sheets import Sheets


@pytest.fixture
def seen() -> Iterator[list[tuple[Any, ...]]]:
    Watcher.seen.clear()
    yield Watcher.seen
    Watcher.seen.clear()


# Equal agents


@pytest.mark.parametrize("preset", PRESETS)
def test_equal_agents_score_exactly_zero(preset: str) -> None:
    report = duplicate("greedy", "greedy", deals=5, rules=preset, seed=3)
    assert report.mean == 0
    assert report.interval == (0, 0)
    assert not report.differences.any()
    assert report.names == ("greedy", "greedy (2)")
    assert report.points["mean"] == 0
    for role in report.by_role.values():
        assert role["difference"] == 0
        assert role["interval"] == (0, 0)
    assert all(place["difference"] == 0 for place in report.by_seat if not np.isnan(place["difference"]))


@pytest.mark.parametrize("phase", ["full", "play", "auction"])
@pytest.mark.parametrize("sheets", ["zero", "match"])
def test_random_streams_belong_to_the_seat(phase: str, sheets: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("thousand_env.evaluation.sheets.MATCHES", 3)
    report = duplicate(Memory(), Memory(), deals=5, rules="four_player", phase=phase, sheets=sheets)
    assert report.mean == 0
    assert report.interval == (0, 0)
    assert report.relative == (0, 0)


def test_three_equal_agents_score_exactly_zero() -> None:
    report = duplicate("random", "random", "random", deals=5)
    assert report.relative == (0, 0, 0)
    assert report.intervals == ((0, 0),) * 3
    assert len(set(report.scores)) == 1


def test_the_same_run_gives_the_same_and_another_seed_another() -> None:
    one = duplicate("greedy", "random", deals=8, seed=5)
    again = duplicate("greedy", "random", deals=8, seed=5)
    other = duplicate("greedy", "random", deals=8, seed=6)
    assert (one.differences == again.differences).all()
    assert one.interval == again.interval
    assert (one.differences != other.differences).any()


def test_agents_exchanged_change_the_sign() -> None:
    one, other = (duplicate(*pair, deals=12, seed=1) for pair in (("greedy", "random"), ("random", "greedy")))
    assert one.mean == -other.mean
    assert one.relative == tuple(reversed(other.relative))
    assert (one.differences == -other.differences).all()


# The schedule


@pytest.mark.parametrize(("agents", "players", "count"), [(2, 2, 2), (2, 3, 6), (2, 4, 14), (3, 3, 6), (3, 4, 36)])
def test_every_agent_has_every_seat_equally_often(agents: int, players: int, count: int) -> None:
    seatings = mixed_seatings(agents, players)
    assert seatings == mixed(agents, players)
    assert len(set(seatings)) == count
    for seat in range(players):
        assert set(Counter(seating[seat] for seating in seatings).values()) == {count // agents}


def test_one_seating_is_drawn_evenly() -> None:
    drawn = Counter(seatings_of(4, unit, 2, 3, "one")[0] for unit in range(6000))
    assert sorted(drawn) == mixed(2, 3)
    assert all(abs(times - 1000) < 150 for times in drawn.values())
    assert seatings_of(4, 7, 2, 3, "one") != seatings_of(4, 7, 2, 3, "all")
    report = duplicate("greedy", "random", deals=40, seatings="one", seed=2)
    assert report.facts["seatings"] == "one"
    assert sum(report.decisions) < 40 * 45


def test_streams_of_cards_and_agents_are_apart() -> None:
    numbers = [game_seed(seed, unit) for seed in range(4) for unit in range(50)]
    for of in (agent_seed, fixed_seed):
        numbers += [of(seed, unit, seat) for seed in range(4) for unit in range(50) for seat in range(4)]
    numbers += [episode_seed(seed, episode) for seed in range(4) for episode in range(50)]
    assert len(set(numbers)) == len(numbers)
    assert all(0 <= number < 2**64 for number in numbers)


def test_all_seatings_of_a_deal_begin_alike(seen: list[tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("thousand_env.evaluation.sheets.MATCHES", 3)
    duplicate(Watcher(), Watcher(), deals=3, seed=8, sheets="match")
    starts: list[dict[int, Any]] = []
    seeds: list[list[int]] = []
    for entry in seen:
        if entry[0] == "reset":
            if not seeds or len(seeds[-1]) == 3:
                seeds.append([])
                starts.append({})
            seeds[-1].append(entry[1])
        else:
            starts[-1].setdefault(entry[1], entry[2:])
    assert len(starts) == 18
    for deal in range(3):
        games = slice(6 * deal, 6 * deal + 6)
        assert seeds[games] == [[agent_seed(8, deal, seat) for seat in range(3)]] * 6
        cards = starts[games]
        assert all(game == cards[0] for game in cards)
    assert len({str(starts[6 * deal]) for deal in range(3)}) == 3


def test_four_players_the_sitter_has_an_agent_and_plays_nothing(seen: list[tuple[Any, ...]]) -> None:
    report = duplicate(Watcher(), "greedy", deals=2, rules="four_player")
    assert sum(entry[0] == "reset" for entry in seen) == 2 * 14 * 2
    assert all(entry[1] != entry[3] for entry in seen if entry[0] != "reset")
    assert [place["name"] for place in report.by_seat] == ["first hand", "second", "third", "dealer, sits out"]
    assert sum(each["times"] for each in report.by_role["defender"]["agents"].values()) == 2 * 14 * 2


# Phases and sheets


def test_only_the_cards_are_compared_with_phase_play(seen: list[tuple[Any, ...]]) -> None:
    report = duplicate(Watcher(), Watcher(), deals=3, phase="play", rules="modern")
    assert {entry[0] for entry in seen} == {"reset", "play"}
    assert sum(entry[0] == "play" for entry in seen) == sum(report.decisions)
    contracts = Counter(each["contract"] for each in report.by_bid for _ in range(each["times"]))
    assert all(times % 6 == 0 for times in contracts.values())  # one auction for all seatings


def test_the_cards_are_played_by_the_fixed_agent_with_phase_auction(seen: list[tuple[Any, ...]]) -> None:
    duplicate(Watcher(), Watcher(), deals=3, phase="auction", rules="modern", fixed="random")
    phases = {entry[0] for entry in seen}
    assert "play" not in phases
    assert {"auction", "exchange"} <= phases


def test_sheets_are_those_of_matches_and_of_the_seed_alone() -> None:
    pool = Sheets("match", Cast(["random", "greedy"]), Rules(), 11)
    same = Sheets("match", Cast([First(), Last(), First()]), Rules(), 11)
    assert [pool.begin(unit) for unit in (0, 1, 2)] == [same.begin(unit) for unit in (2, 1, 0)][::-1]
    sheets = [pool.sheet(unit)[0] for unit in range(400)]
    assert len({sheet.scores for sheet in sheets}) > 150
    assert any(used is not None for sheet in sheets for used in sheet.barrel)
    assert any(used for sheet in sheets for used in sheet.barrel)
    assert any(any(sheet.bolts) for sheet in sheets)
    assert {pool.sheet(unit)[1] for unit in range(400)} == {0, 1, 2}
    assert all(max(sheet.scores) < 1000 for sheet in sheets)


def test_golden_deals_are_over_on_sheets_of_matches() -> None:
    pool = Sheets("match", Cast(["random", "greedy"]), Rules(golden=True), 1)
    golden = [pool.begin(unit).is_golden for unit in range(100)]
    scored = [pool.sheet(unit)[0].deals_scored for unit in range(100)]
    assert golden == [deals < 3 for deals in scored]
    assert 0 < sum(golden) < 60


# The figures, counted slowly


@pytest.mark.parametrize(
    ("names", "preset"),
    [
        (("greedy", "random"), "classic"),
        (("random", "greedy"), "four_player"),
        (("greedy", "random", "greedy,caution=30"), "modern"),
        (("greedy", "random"), "two_player"),
    ],
)
def test_a_slow_count_gives_the_same_figures(names: tuple[str, ...], preset: str) -> None:
    rules = Rules.preset(preset)
    deals, seed, count = 6 if rules.players == 4 else 12, 4, len(names)
    report = duplicate(*names, deals=deals, rules=preset, seed=seed)
    means: dict[int, list[Fraction]] = defaultdict(lambda: [Fraction(0)] * count)
    points = [Fraction(0)] * count
    roles: dict[tuple[str, int], list[tuple[int, int, bool]]] = defaultdict(list)
    places: dict[tuple[int, int], list[int]] = defaultdict(list)
    contracts: dict[tuple[int, int], list[tuple[bool, int]]] = defaultdict(list)
    named: Counter[tuple[int, int]] = Counter()
    games = 0
    for played in slow_games(names, deals, rules, seed):
        game, seating = played["game"], played["seating"]
        games += 1
        for agent in range(count):
            means[played["deal"]][agent] += slow_mean(game.scores, seating, agent)
            points[agent] += slow_mean(game.points, seating, agent)
        for seat, owner in enumerate(seating):
            places[(seat - game.dealer - 1) % rules.players, owner].append(game.scores[seat])
            if seat in game.active_seats:
                made = game.points[seat] >= game.contract
                role = "declarer" if seat == game.declarer else "defender"
                roles[role, owner].append((game.scores[seat], game.points[seat], made))
        owner, made = seating[game.declarer], game.points[game.declarer] >= game.contract
        conceded = game.events()[-1].action == 126
        contracts[game.contract, owner].append((made and not conceded, game.scores[game.declarer]))
        named.update((bid, who) for who, bid in played["named"])
    each_deal = games // deals
    by_deal = [[value / each_deal for value in means[deal]] for deal in range(deals)]
    differences = [row[0] - sum(row[1:], Fraction(0)) / (count - 1) for row in by_deal]
    assert report.differences == pytest.approx([float(each) for each in differences])
    assert report.mean == pytest.approx(float(sum(differences) / deals))
    for agent, name in enumerate(report.names):
        assert report.scores[agent] == pytest.approx(float(sum(row[agent] for row in by_deal) / deals))
        assert report.points["agents"][name] == pytest.approx(float(points[agent] / games))
        for role in ("declarer", "defender"):
            found, told = roles[role, agent], report.by_role[role]["agents"][name]
            assert told["times"] == len(found)
            assert told["mean"] == pytest.approx(np.mean([score for score, _, _ in found]))
            assert told["points"] == pytest.approx(np.mean([raw for _, raw, _ in found]))
        for place in range(rules.players):
            assert report.by_seat[place]["agents"][name] == pytest.approx(np.mean(places[place, agent]))
    told_bids = {(each["contract"], report.names.index(each["agent"])): each for each in report.by_bid}
    assert set(told_bids) == set(contracts) | set(named)
    for key, each in told_bids.items():
        assert each["times"] == len(contracts[key])
        assert each["bid"] == named[key]
        if contracts[key]:
            assert each["made"] == pytest.approx(np.mean([made for made, _ in contracts[key]]))
            assert each["mean"] == pytest.approx(np.mean([score for _, score in contracts[key]]))
    declared = sum(made for level in contracts.values() for made, _ in level)
    shares = report.by_role["declarer"]["agents"].values()
    assert sum(each["made"] * each["times"] for each in shares) == pytest.approx(declared)


def test_by_bid_tells_what_an_agent_that_overbids_loses() -> None:
    report = duplicate("greedy", "greedy,caution=-60", deals=60, seed=1)
    made = {
        name: sum(each["made"] * each["times"] for each in report.by_bid if each["agent"] == name and each["times"])
        / sum(each["times"] for each in report.by_bid if each["agent"] == name)
        for name in report.names
    }
    assert made["greedy"] > made["greedy,caution=-60"] + 0.15
    assert made["greedy"] > 0.6


def test_greedy_is_far_better_than_random_as_declarer_and_as_defender() -> None:
    report = duplicate("greedy", "random", deals=100, seed=7)
    assert report.interval[0] > 80
    assert report.by_role["declarer"]["interval"][0] > 40
    assert report.by_role["defender"]["interval"][0] > 10


def test_deals_that_nobody_plays_count_as_nothing() -> None:
    report = duplicate(First(), First(), deals=3, rules={"opening": "none", "max_deals": 2})
    assert report.deals == 3
    assert report.mean == 0
    assert report.by_bid == []
    assert report.by_role["declarer"]["agents"]["First"]["times"] == 0
    assert "declarer" in report.text()


# Until it is sure enough


def test_a_run_until_it_is_sure_gives_what_a_run_of_that_length_does() -> None:
    report = duplicate("greedy", "random", deals=10, half_width=12, most_deals=200, check_every=10, seed=3)
    assert 10 < report.deals < 200
    low, high = report.interval
    assert (high - low) / 2 <= 12
    plain = duplicate("greedy", "random", deals=report.deals, seed=3)
    assert (plain.differences == report.differences).all()
    shorter = duplicate("greedy", "random", deals=report.deals - 10, seed=3)
    assert (shorter.interval[1] - shorter.interval[0]) / 2 > 12
    assert duplicate("greedy", "random", deals=10, half_width=0.1, most_deals=25, check_every=10).deals == 25


# What goes wrong


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (Failing(), r"cannot act: ArithmeticError: lost count \(evaluation_agents.py, line \d+\)"),
        (Cheat(), r"has chosen wrongly: action 5 \(bid 120\) is not legal for seat \d in phase 'play'"),
    ],
)
def test_an_agent_that_fails_is_named_with_how_to_see_it_again(agent: First, words: str) -> None:
    name = type(agent).__name__
    with pytest.raises(AgentError, match=words) as caught:
        duplicate("greedy", agent, deals=3, seed=9)
    text = str(caught.value)
    assert f"agent '{name}' at seat" in text
    assert "\n" not in text
    assert f"deal 0 (Game seed {game_seed(9, 0)})" in text
    assert "see it again with seed=9, only=0" in text
    with pytest.raises(AgentError) as again:
        duplicate("greedy", agent, seed=9, only=0)
    assert str(again.value) == text


def test_one_deal_alone() -> None:
    report = duplicate("greedy", "random", seed=2, only=3)
    assert report.deals == 1
    assert report.differences[0] == duplicate("greedy", "random", seed=2, deals=4).differences[3]
    assert np.isnan(report.interval).all()
    assert "(unknown)" in report.text()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"deals": 0}, "deals=0 is not accepted: use an integer from 1"),
        ({"seed": -1}, "seed=-1 is not accepted"),
        ({"phase": "bidding"}, "phase='bidding' is not accepted: use one of 'full', 'play', 'auction'"),
        ({"seatings": 3}, "seatings=3 is not accepted: use one of 'all', 'one'"),
        ({"sheets": "full"}, "sheets='full' is not accepted: use one of 'zero', 'match'"),
        ({"control": "luck"}, "control='luck' is not accepted: use None, 'solver' or a function"),
        ({"workers": 0}, "workers=0 is not accepted"),
        ({"executor": "threads"}, "executor='threads' is not accepted: use one of 'processes', 'ray'"),
        ({"half_width": 0}, "half_width=0 is not accepted: use a number above 0, or None"),
        ({"half_width": 1, "most_deals": 5}, "most_deals=5 is not accepted: use at least deals=1000"),
        ({"most_deals": 5}, "most_deals=5 is not accepted without half_width: use deals=5"),
        ({"only": -1}, "only="),
        ({"rules": "clasic"}, "clasic"),
        ({"fixed": "gredy"}, "agent 'gredy' does not exist: did you mean 'greedy'"),
        ({"worker": 2}, "keyword 'worker' does not exist: accepted are rules, seed"),
    ],
)
def test_keywords_that_are_not_accepted_are_named(given: dict[str, Any], words: str) -> None:
    with pytest.raises((ValueError, TypeError), match=words):
        duplicate("greedy", "random", **given)


@pytest.mark.parametrize(
    ("agents", "words"),
    [
        (("greedy", 7), "agent 7 is not accepted: use a name, 'name,key=value,...' or an Agent"),
        (("greedy", First), "which is a class, is not accepted"),
        (("greedy", "greedy,caution=high"), "caution='high' is not accepted"),
        (("greedy", "greedy,"), "is not understood"),
    ],
)
def test_agents_that_are_not_accepted_are_named(agents: tuple[Any, ...], words: str) -> None:
    with pytest.raises((ValueError, TypeError), match=words):
        duplicate(*agents, deals=1)


def test_more_agents_than_seats() -> None:
    with pytest.raises(ValueError, match="3 agents do not fit 2 seats"):
        duplicate("greedy", "random", "greedy", rules="two_player")
