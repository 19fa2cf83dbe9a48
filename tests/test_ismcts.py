"""The agent that searches a tree of what it sees: legal under all rules, repeatable, and strong."""

from __future__ import annotations

import pickle
import random
from typing import Any

import numpy as np
import pytest

from baselines.greedy import GreedyAgent
from baselines.heuristic import HeuristicAgent
from baselines.ismcts import BIDS, IsmctsAgent
from baselines.ismcts_tree import ROLLOUTS
from baselines.random_agent import RandomAgent
from tests.random_rules import random_rules, random_sheet
from thousand_env import NUM_ACTIONS, PRESETS, DealError, Game, Rules, parse_action
from thousand_env.actions import CONCEDE, FIRST_GIVE, FIRST_MARRY, REDEAL, TALON_A
from thousand_env.agents import Agent, AgentWithProbabilities
from thousand_env.cards import card_id
from thousand_env.compiled import sample_deals

ALL_PHASES = (
    Rules(dark=True, redeal_hand_below=30, raise_after_talon=True, concede="bid_60"),
    Rules(players=2, redeal_talon_below=12),
)


def to_phase(rules: Rules, phase: str, seed: int = 0) -> Game:
    """A game of greedy agents in which somebody has a choice in this phase."""
    for each in range(seed, seed + 2000):
        game = Game(rules, seed=each, episode="deal")
        while game.seat is not None and (game.phase != phase or len(game.legal_actions()) < 2):
            game.apply(GreedyAgent().act(game.view(game.seat)))
        if game.seat is not None:
            return game
    raise AssertionError(phase)


def search(game: Game, iterations: int = 400, **options: Any) -> np.ndarray[Any, Any]:
    assert game.seat is not None
    return IsmctsAgent(iterations=iterations, **options).search(game.view(game.seat), np.random.default_rng(1))


@pytest.mark.parametrize("seed", range(3))
def test_legal_under_random_rules(seed: int) -> None:
    rng = random.Random(seed)
    phases = set()
    decisions = 0
    while decisions < 2500:
        agent = IsmctsAgent(
            iterations=rng.randrange(1, 24),
            rollout=rng.choice(ROLLOUTS),
            bids=rng.choice(BIDS),
            solver_cards=rng.choice((0, 0, 2, 3)),
            belief=rng.choice((1, 3)),
            exploration=rng.choice((0, 0.7)),
            seed=rng.getrandbits(32),
        )
        rules = rng.choice(ALL_PHASES) if rng.random() < 0.2 else random_rules(rng)
        game = Game(rules, seed=rng.getrandbits(64))
        if rng.random() < 0.7:
            hands, talons = game.dealt()
            talon = talons if rules.players == 2 else talons[0]
            try:
                sheet = random_sheet(rng, rules)
                game = Game.from_deal(rules, hands, talon, game.dealer, seed=rng.getrandbits(64), **sheet)
            except DealError:
                continue
        for _ in range(70):
            seat = game.seat
            if seat is None:
                break
            phases.add(game.phase)
            action = agent.act(game.view(seat))
            assert type(action) is int
            assert action in game.legal_actions()
            game.apply(action if rng.random() < 0.8 else rng.choice(game.legal_actions()))
            decisions += 1
    assert phases == {"dark", "redeal", "auction", "talon", "exchange", "raise", "play"}


@pytest.mark.parametrize("preset", PRESETS)
def test_same_seed_same_deal(preset: str) -> None:
    rules = Rules.preset(preset)
    games = []
    for seed in (3, 3, 4):
        agent = IsmctsAgent(iterations=20)
        agent.reset(seed)
        game = Game(rules, seed=11, episode="deal")
        while game.seat is not None:
            game.apply(agent.act(game.view(game.seat)))
        games.append(game)
    assert games[0].actions() == games[1].actions()


def test_pickled_in_mid_match() -> None:
    agent = IsmctsAgent(iterations=30, seed=5)
    game = Game(seed=5)
    for _ in range(12):
        game.apply(agent.act(game.view(game.seat or 0)))
    twin = pickle.loads(pickle.dumps(agent))
    for _ in range(12):
        view = game.view(game.seat or 0)
        action = agent.act(view)
        assert twin.act(view) == action
        game.apply(action)


def test_probabilities_are_the_visits_of_the_search_to_come() -> None:
    agent = IsmctsAgent(iterations=64, seed=2)
    assert isinstance(agent, AgentWithProbabilities)
    game = Game(seed=8, episode="deal")
    while game.seat is not None:
        view = game.view(game.seat)
        shares = agent.action_probabilities(view)
        assert shares.shape == (NUM_ACTIONS,)
        assert shares.dtype == np.float64
        assert shares.sum() == pytest.approx(1)
        assert set(np.flatnonzero(shares)) <= set(view.legal_actions())
        assert (agent.action_probabilities(view) == shares).all()  # the random stream has not moved
        action = agent.act(view)
        assert shares[action] == shares.max()
        game.apply(action)


def test_not_to_move() -> None:
    game = Game(seed=1)
    waiting = next(seat for seat in range(3) if seat != game.seat)
    agent = IsmctsAgent(iterations=5)
    for bids in BIDS:
        agent = IsmctsAgent(iterations=5, bids=bids)
        for ask in (agent.act, agent.action_probabilities):
            with pytest.raises(ValueError, match=r"seat \d is not to move"):
                ask(game.view(waiting))
    with pytest.raises(ValueError, match=r"seat \d is not to move"):
        sample_deals(game.view(waiting), np.random.default_rng(0), 1)


@pytest.mark.parametrize(
    "options",
    [
        {"iterations": 0},
        {"iterations": 2.5},
        {"iterations": True},
        {"seconds": -1},
        {"seconds": "1"},
        {"exploration": float("nan")},
        {"rollout": "best"},
        {"bids": "none"},
        {"solver_cards": -1},
        {"belief": 0},
        {"win_points": -5},
        {"seed": -3},
    ],
)
def test_bad_options(options: dict[str, Any]) -> None:
    name, value = next(iter(options.items()))
    with pytest.raises(ValueError, match=f"^{name}={value!r} is not accepted"):
        IsmctsAgent(**options)


def test_a_forced_decision_draws_no_numbers() -> None:
    agent, fresh = IsmctsAgent(iterations=50, seed=1), IsmctsAgent(iterations=50, seed=1)
    game = Game(seed=3, episode="deal")
    while len(game.legal_actions()) > 1:
        game.apply(GreedyAgent().act(game.view(game.seat or 0)))
    forced = game.view(game.seat or 0)
    assert agent.act(forced) == forced.legal_actions()[0]
    view = to_phase(Rules(), "play").view(to_phase(Rules(), "play").seat or 0)
    assert (agent.action_probabilities(view) == fresh.action_probabilities(view)).all()


def test_a_time_budget_ends_an_endless_search() -> None:
    game = to_phase(Rules(), "play")
    agent = IsmctsAgent(seconds=0.05, seed=1)
    assert agent.act(game.view(game.seat or 0)) in game.legal_actions()
    assert IsmctsAgent(iterations=10**9, seconds=0).act(game.view(game.seat or 0)) in game.legal_actions()


def test_worlds_as_states() -> None:
    for phase in ("auction", "exchange", "play"):
        game = to_phase(Rules(), phase)
        view = game.view(game.seat or 0)
        states = sample_deals(view, np.random.default_rng(4), 50)
        again = sample_deals(view, np.random.default_rng(4), 50)
        assert states.tobytes() == again.tobytes()
        own = sum(1 << card for card in view.hand)
        assert (states["hands"][:, view.observer] == own).all()
        assert len({hands.tobytes() for hands in states["hands"]}) > 20
        for hands in states["hands"]:
            assert [int(cards).bit_count() for cards in hands[:3]] == view.hand_sizes


def test_worlds_are_believed_by_the_bids() -> None:
    """Who jumps to 120 is far more likely to hold a marriage than chance would have it."""
    game = Game(seed=4, episode="deal")
    for text in ("bid 100", "bid 120"):
        game.apply(parse_action(text, game.rules))
    view = game.view(game.seat or 0)
    bidder = (view.dealer + 2) % 3
    shares = []
    for belief in (1, 4):
        deals = IsmctsAgent(belief=belief).draw(view, np.random.default_rng(1), 2000)
        assert len(deals) == 2000
        assert (deals["hands"][:, view.observer] == sum(1 << card for card in view.hand)).all()
        pairs = [1 << card_id(f"Q{suit}") | 1 << card_id(f"K{suit}") for suit in "SCDH"]
        shares.append(
            np.mean([any(int(cards) & pair == pair for pair in pairs) for cards in deals["hands"][:, bidder]])
        )
    assert shares[1] > shares[0] + 0.2


# The tree


def children(tree: np.ndarray[Any, Any], node: int) -> list[int]:
    found = []
    child = int(tree[node]["child"])
    while child >= 0:
        found.append(child)
        child = int(tree[child]["sibling"])
    return found


@pytest.mark.parametrize("phase", ["auction", "exchange", "play"])
def test_counts_of_the_tree(phase: str) -> None:
    game = to_phase(Rules(), phase)
    tree = search(game, 700)
    assert len(tree) <= 701
    first = children(tree, 0)
    assert {int(tree[child]["action"]) for child in first} <= set(game.legal_actions())
    assert sum(int(tree[child]["visits"]) for child in first) == 700
    assert all(tree[child]["seat"] == game.seat for child in first)
    for node in range(1, len(tree)):
        assert 1 <= tree[node]["visits"] <= tree[node]["available"]
        below = [int(tree[child]["visits"]) for child in children(tree, node)]
        actions = [int(tree[child]["action"]) for child in children(tree, node)]
        assert len(set(actions)) == len(actions)
        assert sum(below) <= tree[node]["visits"]
        assert all(tree[child]["available"] <= tree[node]["visits"] for child in children(tree, node))


def test_own_gifts_are_searched_in_full() -> None:
    game = to_phase(Rules(), "exchange")
    tree = search(game, 1500, exploration=20)
    first = children(tree, 0)
    assert {int(tree[child]["action"]) for child in first} == set(game.legal_actions())
    for child in first:
        assert len(children(tree, child)) == 9  # the second gift is any card but the first


def test_cards_still_unknown_do_not_split_the_tree() -> None:
    tree = search(to_phase(Rules(), "auction"), 1000)
    assert (tree[1:]["action"] < FIRST_GIVE).all()  # bids alone: the talon is not known yet
    tree = search(to_phase(Rules(dark=True), "dark"), 300)
    assert all(not children(tree, child) for child in children(tree, 0))  # his own cards are not known yet
    rules = Rules(players=2)
    tree = search(to_phase(rules, "talon"), 300)
    assert set(tree[1:]["action"]) == {TALON_A, TALON_A + 1}


def test_answers_of_others_about_a_redeal_make_no_node() -> None:
    rules = Rules(redeal_hand_below=60)  # nearly every hand may ask
    tree = search(to_phase(rules, "redeal"), 600)
    assert {int(tree[child]["action"]) for child in children(tree, 0)} == {0, REDEAL}
    assert REDEAL not in tree[[node for node in range(1, len(tree)) if node not in children(tree, 0)]]["action"]
    assert all(tree[child]["visits"] > 1 for child in children(tree, 0))


# Play


def test_declares_a_marriage_that_decides_the_deal() -> None:
    hands = [text.split() for text in ("KH QH AH TH AS TS 9C", "JS QS KS 9S JD 9D QD", "AC TC KC QC JC AD TD")]
    game = Game.from_deal(Rules(), hands, ["JH", "KD", "9H"], dealer=2)
    for text in ("bid 100", "pass", "pass", "give 9C", "give KD"):
        game.apply(parse_action(text, game.rules))
    while game.phase == "play" and game.points[0] < 100:
        seat = game.seat
        assert seat is not None
        agent: Agent = IsmctsAgent(iterations=500, seed=1) if seat == 0 else GreedyAgent()
        game.apply(agent.act(game.view(seat)))
    assert any(FIRST_MARRY <= action < CONCEDE for _, action in game.actions())


def test_bids_the_barrel_contract_that_wins_the_match() -> None:
    hands = [text.split() for text in ("KH QH AH TH AS TS AC", "JS QS KS 9S JD 9D QD", "9C TC KC QC JC AD TD")]
    sheet: dict[str, Any] = {"scores": [880, 400, 500], "barrel": [1, None, None]}
    game = Game.from_deal(Rules(), hands, ["JH", "KD", "9H"], dealer=2, **sheet)
    view = game.view(0)
    assert IsmctsAgent(iterations=500, seed=1).act(view) == parse_action("bid 120", game.rules)


def test_last_choice_is_the_best_on_average() -> None:
    """Third to the last trick but one: two cards in hand, one in each other hand, and all that follows is forced."""
    tested = 0
    for seed in range(200):
        game = Game(seed=seed, episode="deal")
        while game.seat is not None:
            view = game.view(game.seat)
            if game.phase == "play" and len(view.hand) == 2 and len(game.trick) == 2 and len(view.legal_actions()) == 2:
                break
            game.apply(GreedyAgent().act(view))
        if game.seat is None:
            continue
        rng = np.random.default_rng(seed)
        worlds = {bytes(world.to_bytes()): world for world in (_without_seed(view, rng) for _ in range(40))}
        values = {}
        for action in view.legal_actions():
            values[action] = np.mean([_value(world, view.observer, action) for world in worlds.values()])
        chosen = IsmctsAgent(iterations=400, seed=seed).act(view)
        assert values[chosen] >= max(values.values()) - 0.03, (seed, values)
        tested += min(values.values()) < max(values.values()) - 0.03
    assert tested > 5


def _without_seed(view: Any, rng: np.random.Generator) -> Game:
    """A world, told from others by its cards alone."""
    world: Game = view.sample(rng)
    hands, talon = world.dealt()
    twin = Game.from_deal(view.rules, hands, talon[0], world.dealer, seed=0, episode="deal")
    for _, action in world.actions():
        twin.apply(action)
    return twin


def _value(world: Game, seat: int, action: int) -> float:
    end = world.clone()
    end.apply(action)
    while end.seat is not None:
        (only,) = end.legal_actions()
        end.apply(only)
    return float(end.returns("relative")[seat])


def duels(agent: IsmctsAgent, other: Agent, deals: int, rules: Rules) -> tuple[float, float]:
    """Mean and standard error over deals of A's mean less B's mean change of score, in all mixed seatings."""
    differences = []
    for seed in range(deals):
        found = []
        for seating in range(1, 2**rules.players - 1):
            agent.reset(seed)
            other.reset(seed)
            game = Game(rules, seed=seed, episode="deal")
            while game.seat is not None:
                player: Agent = agent if (seating >> game.seat) & 1 else other
                game.apply(player.act(game.view(game.seat)))
            own = [bool((seating >> seat) & 1) for seat in range(rules.players)]
            scores = np.array(game.scores)
            found.append(scores[own].mean() - scores[np.logical_not(own)].mean())
        differences.append(np.mean(found))
    return float(np.mean(differences)), float(np.std(differences, ddof=1) / len(differences) ** 0.5)


@pytest.mark.parametrize("preset", ["classic", "two_player"])
def test_beats_random_play(preset: str) -> None:
    mean, error = duels(IsmctsAgent(iterations=60), RandomAgent(), 6, Rules.preset(preset))
    assert mean > 3 * error


@pytest.mark.long
@pytest.mark.parametrize("bids", BIDS)
def test_beats_the_heuristic(bids: str) -> None:
    mean, error = duels(IsmctsAgent(iterations=500, bids=bids), HeuristicAgent(), 150, Rules())
    assert mean > 2 * error
