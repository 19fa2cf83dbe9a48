"""The agent ``pimc``: legal under all rules, repeatable, right where the right action is known, and its helpers."""

from __future__ import annotations

import pickle
import random
from typing import Any

import numpy as np
import pytest

from baselines.heuristic import HeuristicAgent
from baselines.pimc import PimcAgent
from baselines.pimc_ways import postponed
from baselines.pimc_worth import Worth
from baselines.playouts import OVER, PLAY, draw, play_on, worth_as_dealt
from tests.random_rules import random_rules, random_sheet
from thousand_env import NUM_ACTIONS, PRESETS, DealError, Game, Rules, action_name, parse_action, solver
from thousand_env.compiled import rules_record, states_of

ALL_PHASES = (
    Rules(dark=True, redeal_hand_below=30, raise_after_talon=True, concede="bid_60"),
    Rules(players=2, redeal_talon_below=12),
)
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"playouts": 0},
    {"objective": "own", "utility": "match"},
    {"postpone": 1, "utility": "points"},
    {"exact_gifts": True, "inference": False, "bids": "heuristic"},
    {"playouts": 0, "exact_gifts": True, "postpone": 1},
)


def tiny(**options: Any) -> PimcAgent:
    """An agent that is quick and thoughtless."""
    return PimcAgent(**{"worlds": 1, "playouts": 1, **options})


def played(text: str, *actions: str, rules: Rules | None = None, **sheet: Any) -> Game:
    """A classic deal by seat 0 from three hands and the talon, separated by bars, and what was done."""
    *hands, talon = [group.split() for group in text.split("|")]
    game = Game.from_deal(rules or Rules(), hands, talon, **sheet)
    for action in actions:
        game.apply(parse_action(action, game.rules))
    return game


def chosen(game: Game, **options: Any) -> str:
    assert game.seat is not None
    return action_name(PimcAgent(seed=1, bids="search", **options).act(game.view(game.seat)), game.rules)


# Any agent


@pytest.mark.parametrize("seed", range(3))
def test_legal_under_random_rules(seed: int) -> None:
    _fuzz(seed, 1_200)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 106))
def test_legal_under_random_rules_at_length(seed: int) -> None:
    _fuzz(seed, 6_000)


def _fuzz(seed: int, count: int) -> None:
    rng = random.Random(seed)
    decisions = 0
    while decisions < count:
        rules = rng.choice(ALL_PHASES) if rng.random() < 0.1 else random_rules(rng)
        game = Game(rules, seed=rng.getrandbits(64))
        agent = tiny(**rng.choice(OPTIONS), seed=rng.getrandbits(32))
        if rng.random() < 0.7:
            hands, talons = game.dealt()
            talon = talons if rules.players == 2 else talons[0]
            try:
                sheet = random_sheet(rng, rules)
                game = Game.from_deal(rules, hands, talon, game.dealer, seed=rng.getrandbits(64), **sheet)
            except DealError:
                continue
        for _ in range(60):
            seat = game.seat
            if seat is None:
                break
            action = agent.act(game.view(seat))
            assert type(action) is int
            assert action in game.legal_actions()
            game.apply(action if rng.random() < 0.8 else rng.choice(game.legal_actions()))
            decisions += 1


@pytest.mark.parametrize("preset", PRESETS)
def test_same_seed_same_match(preset: str) -> None:
    rules = Rules.preset(preset)
    games = []
    agents = [tiny(worlds=2) for _ in range(rules.players)]
    for _ in range(2):
        for seat, agent in enumerate(agents):
            agent.reset(seat)
        game = Game(rules, seed=11)
        _play(game, agents, 30)
        games.append(game)
    assert games[0].actions() == games[1].actions()


def _play(game: Game, agents: list[PimcAgent], count: int) -> None:
    for _ in range(count):
        if game.seat is None:
            break
        game.apply(agents[game.seat].act(game.view(game.seat)))


def test_probabilities_leave_the_stream_alone() -> None:
    agent, twin = tiny(seed=3), tiny(seed=3)
    game = Game(seed=3, episode="deal")
    while game.seat is not None:
        view = game.view(game.seat)
        probabilities = agent.action_probabilities(view)
        action = agent.act(view)
        assert probabilities.shape == (NUM_ACTIONS,)
        assert probabilities.dtype == np.float64
        assert probabilities[action] == probabilities.sum() == 1
        assert twin.act(view) == action
        game.apply(action)


def test_not_to_move() -> None:
    game = Game(seed=1)
    waiting = next(seat for seat in range(3) if seat != game.seat)
    with pytest.raises(ValueError, match=rf"seat {waiting} is not to move"):
        tiny().act(game.view(waiting))
    with pytest.raises(ValueError, match=rf"seat {waiting} is not to move"):
        tiny().action_probabilities(game.view(waiting))


def test_can_be_pickled_in_mid_match() -> None:
    agent = tiny(seed=5)
    game = Game(seed=5)
    _play(game, [agent] * 3, 12)
    twin, copy = pickle.loads(pickle.dumps((agent, game)))
    _play(game, [agent] * 3, 30)
    _play(copy, [twin] * 3, 30)
    assert game == copy


@pytest.mark.parametrize(
    ("option", "value", "accepted"),
    [
        ("worlds", 0, "a whole number from 1 to 10000"),
        ("worlds", 2.5, "a whole number from 1 to 10000"),
        ("playouts", -1, "a whole number from 0 to 10000"),
        ("seconds", 0, "None or a number above 0"),
        ("seconds", float("nan"), "None or a number above 0"),
        ("objective", "mine", "one of 'declarer', 'own'"),
        ("postpone", 2, "one of 0, 1"),
        ("postpone", True, "one of 0, 1"),
        ("utility", "money", "one of 'points', 'score', 'match'"),
        ("bids", "none", "one of 'heuristic', 'search'"),
        ("exact_gifts", 1, "one of False, True"),
        ("inference", "yes", "one of False, True"),
    ],
)
def test_options(option: str, value: Any, accepted: str) -> None:
    with pytest.raises(ValueError, match=f"{option}={value!r} is not accepted: use {accepted}"):
        PimcAgent(**{option: value})


@pytest.mark.parametrize("seed", [-1, 1.5, "x", True])
def test_seeds_are_checked(seed: Any) -> None:
    with pytest.raises(ValueError, match=f"seed={seed!r} is not accepted: use a whole number from 0"):
        PimcAgent().reset(seed)


def test_time_is_used() -> None:
    game = Game(seed=2)
    game.apply(parse_action("bid 100", game.rules))
    assert game.seat is not None
    view = game.view(game.seat)
    hasty, patient = tiny(seed=1, seconds=1e-9, bids="search"), tiny(seed=1, seconds=0.3, bids="search")
    assert hasty.act(view) in view.legal_actions()
    assert patient.act(view) in view.legal_actions()
    one_round = tiny(seed=1, bids="search")
    one_round.act(view)
    assert hasty._rng.bit_generator.state == one_round._rng.bit_generator.state
    assert patient._rng.bit_generator.state != one_round._rng.bit_generator.state


# What it does


@pytest.mark.parametrize("options", [{}, {"playouts": 0}, {"playouts": 0, "postpone": 1}])
def test_plays_as_the_solver_once_all_is_known(options: dict[str, Any]) -> None:
    rng, numbers = random.Random(8), np.random.default_rng(8)
    tested = 0
    for seed in range(60):
        game = Game(seed=seed, episode="deal")
        while game.seat is not None:
            view = game.view(game.seat)
            if len(view.hand) == 2 and len(view.legal_actions()) > 1 and game.phase == "play":
                worlds = {tuple(map(tuple, view.sample(numbers).hands)) for _ in range(12)}
                values = solver.action_values(game)
                if len(worlds) == 1 and len(set(values.values())) > 1:
                    best = max(values.values()) if game.seat == game.declarer else min(values.values())
                    action = PimcAgent(worlds=2, playouts=1, utility="points", seed=1).act(view)
                    assert values[action] == best
                    tested += 1
            legal = game.legal_actions()
            game.apply(rng.choice(legal))
    assert tested >= 5


STRONG = "AH TH KH QH AS TS AD"
WEAK = "9H JH 9S JS 9D JD 9C"
REST = "KS QS KD QD TD AC TC"
TALON = "JC QC KC"


def test_bids_on_a_strong_hand_and_passes_on_a_weak_one() -> None:
    strong = played("9S JS QS TD JD 9C TC | AH KS TS 9D QC KC AC | 9H JH QH KH TH KD QD | AS AD JC", "bid 100")
    assert chosen(strong) == "bid 105"  # marriages are lost without the lead
    weak = played(f"{REST} | {STRONG} | {WEAK} | {TALON}", "bid 100")
    assert chosen(weak) == "pass"


@pytest.mark.parametrize("options", [{}, {"exact_gifts": True}])
def test_gives_away_what_it_does_not_need(options: dict[str, Any]) -> None:
    game = played(
        "9S JS QS TD JD KD TC | AH KH QH AS AC JC 9D | KS TS AD QD 9C QC KC | 9H JH TH", "bid 120", "pass", "pass"
    )
    assert game.phase == "exchange"
    for _ in range(2):
        gift = chosen(game, **options)
        assert gift not in {"give AH", "give KH", "give QH", "give AS", "give AC"}
        game.apply(parse_action(gift, game.rules))


def test_concedes_a_lost_contract_that_costs_nothing() -> None:
    rules = Rules(concede="bid_60", free_bombs=1)
    poor, good, third, talon = "9H JH 9S JS TD JD 9C", STRONG, "KS QS KD QD AC TC 9D", "JC QC KC"
    assert chosen(played(f"{good} | {poor} | {third} | {talon}", "bid 120", "pass", "pass", rules=rules)) == "concede"
    assert chosen(played(f"{poor} | {good} | {third} | {talon}", "bid 120", "pass", "pass", rules=rules)) != "concede"


def test_tries_to_win_from_the_barrel() -> None:
    sheet = {"scores": [0, 0, 880], "barrel": [None, None, 2]}
    game = played(f"{REST} | {WEAK} | {STRONG} | {TALON}", "bid 100", **sheet)
    for utility in ("score", "match"):
        assert chosen(game, utility=utility) == "bid 120"


def test_values_are_those_of_legal_actions() -> None:
    game = Game(seed=4, episode="deal")
    while game.seat is not None:
        view = game.view(game.seat)
        found = tiny(seed=1, bids="search").values(view)
        assert set(found) <= set(view.legal_actions())
        assert bool(found) == (len(view.legal_actions()) > 1)
        game.apply(HeuristicAgent().act(view))


# Its parts


def test_playing_on_is_what_the_heuristic_does() -> None:
    rng = random.Random(2)
    agent = HeuristicAgent()
    for seed in range(40):
        rules = Rules.preset(rng.choice(["classic", "modern", "polish", "four_player"]))
        game = Game(rules, seed=seed, episode="deal")
        for _ in range(rng.randrange(20)):
            game.apply(rng.choice(game.legal_actions()))
        if game.seat is None:
            continue
        legal = game.legal_actions()
        ends = play_on([game], rules, np.array([[action] for action in legal]))
        starts = play_on([game], rules, np.array([[action] for action in legal]), PLAY)
        assert (ends["phase"] == OVER).all()
        for place, action in enumerate(legal):
            copy = game.clone()
            copy.apply(action)
            while copy.seat is not None and copy.phase != "play":
                copy.apply(agent.act(copy.view(copy.seat)))
            if copy.seat is not None:
                assert starts[0, place]["hands"][: rules.players].tolist() == [
                    sum(1 << c for c in h) for h in copy.hands
                ]
            while copy.seat is not None:
                copy.apply(agent.act(copy.view(copy.seat)))
            assert ends[0, place]["scores"][: rules.players].tolist() == copy.scores


def test_worlds_are_weighted_by_the_auction() -> None:
    game = Game(seed=6)
    game.apply(parse_action("bid 100", game.rules))
    bidder = game.seat
    assert bidder is not None
    game.apply(parse_action("bid 120", game.rules))
    seat = game.seat
    assert seat is not None
    view = game.view(seat)
    even = draw(view, np.random.default_rng(1), 400, inference=False)
    told = draw(view, np.random.default_rng(1), 400, inference=True)
    assert even.weights == pytest.approx(1 / 400)
    assert told.weights.sum() == pytest.approx(1)
    worth = np.zeros((400, 3))
    worth_as_dealt(states_of(told.games), rules_record(game.rules), worth)
    usual, likely = even.weights @ worth[:, bidder], told.weights @ worth[:, bidder]
    assert likely > usual + 20
    picked = told.pick(np.random.default_rng(2), 400)
    worth_as_dealt(states_of(picked), rules_record(game.rules), worth)
    assert worth[:, bidder].mean() == pytest.approx(likely, abs=1)


def test_utilities_of_points() -> None:
    game = played(f"{REST} | {STRONG} | {WEAK} | {TALON}", "bid 120", "pass", "pass")
    points = np.array([[120, 118], [0, 300]])
    declarer, defender = game.view(1), game.view(0)
    made = 120 - 0.0  # the others get nothing of 120 card points
    assert Worth(declarer, "score").of_points(1, 120, points)[0, 0] == made
    assert Worth(declarer, "score").of_points(1, 120, points)[0, 1] == -120
    assert Worth(declarer, "score").of_points(1, 120, points)[1, 0] == -120 - 60
    assert Worth(declarer, "points").of_points(1, 120, points).tolist() == points.tolist()
    assert Worth(defender, "points").of_points(1, 120, points).tolist() == (-points).tolist()
    assert Worth(defender, "score").of_points(1, 120, points)[0, 0] == -60
    chances = Worth(declarer, "match").of_points(1, 120, points)
    assert chances[1, 1] > chances[0, 0] > chances[0, 1] > chances[1, 0]


def test_utilities_of_finished_deals() -> None:
    game = played(f"{REST} | {STRONG} | {WEAK} | {TALON}", "bid 120", "pass", "pass", scores=[0, 850, 870])
    ends = play_on([game], game.rules, np.array([[game.legal_actions()[0]]]))
    scores = ends["scores"][0, 0][:3].astype(float)
    assert Worth(game.view(1), "match").of_futures(ends)[0, 0] == 100  # 850 and a big plus: the winner
    assert ends["winner"][0, 0] == 1
    change = scores - [0, 850, 870]
    assert Worth(game.view(0), "score").of_futures(ends)[0, 0] == change[0] - (change[1] + change[2]) / 2
    points = ends["points"][..., 1].astype(int) + ends["bonus"][..., 1]
    worth = Worth(game.view(1), "score")
    assert worth.of_futures(ends, 10).tolist() == worth.of_points(1, 120, points + 10).tolist()
    assert Worth(game.view(0), "score").of_futures(ends, 10) == Worth(game.view(0), "score").of_futures(ends)


def test_postponing_never_promises_more_than_open_cards() -> None:
    rng = random.Random(4)
    below = tested = 0
    for seed in range(8):
        game = Game(seed=seed, episode="deal")
        while game.seat is not None:
            view = game.view(game.seat)
            if game.phase == "play" and len(view.hand) == 5 and len(view.legal_actions()) > 1:
                agent = PimcAgent(utility="points", seed=1)
                worth = Worth(view, "points")
                games = [view.sample(np.random.default_rng(k)) for k in range(20)]
                actions = np.array(view.legal_actions())
                open_values = agent._solved(view, worth, games)[:, actions]
                late = postponed(view, worth, games, actions, agent._solved)
                assert (late.mean(0) <= open_values.mean(0) + 1e-9).all()
                alone = postponed(view, worth, games[:1], actions, agent._solved)
                assert alone[0].tolist() == open_values[0].tolist()
                below += (late.mean(0) < open_values.mean(0) - 1e-9).any()
                tested += 1
            game.apply(rng.choice(game.legal_actions()))
    assert tested > 10
    assert below > 0
