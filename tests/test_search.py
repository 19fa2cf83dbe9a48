"""The agent ``search`` and its parts, with small networks of chance or of weights set by hand."""

from __future__ import annotations

import math
import pickle
import random
from typing import Any

import numpy as np
import pytest

from tests.random_rules import random_rules, random_sheet

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from baselines.equity import Equity, sheets_of_records  # noqa: E402
from baselines.learned import agent_of, save_agent  # noqa: E402
from baselines.networks import Critic, PolicyNet  # noqa: E402
from baselines.search import SearchAgent  # noqa: E402
from baselines.search_policy import SURPRISE, Policy, draw, log_likelihood  # noqa: E402
from baselines.search_ways import candidates, play_on  # noqa: E402
from baselines.search_worth import EquityWorth  # noqa: E402
from thousand_env import NUM_ACTIONS, PRESETS, DealError, Game, Rules, parse_action, solver  # noqa: E402
from thousand_env.compiled import FIRST_GIVE, sample_deals, states_of  # noqa: E402
from thousand_env.observation import OBSERVATION  # noqa: E402

OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"solver": 0.0, "drawn": True, "trust": 0.5},
    {"solver": 1.0, "trust": 0},
    {"heuristic": 0.5, "utility": "match"},
    {"utility": "points", "phases": "play"},
    {"utility": "equity", "most": 3},
    {"least": 0.0, "most": 24, "prior": 0},
)


def net(seed: int = 0, kind: str = "mlp") -> PolicyNet:
    """A small one that is not quite sure of anything."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        network = PolicyNet(kind, hidden=(16,))
        torch.nn.init.normal_(network.policy.weight, std=0.5)
    return network


def knowing(*wishes: tuple[int, int, float]) -> PolicyNet:
    """One that adds to the logit of an action where the seat holds a card: (action, card or -1 for always, logit)."""
    network = PolicyNet(hidden=())
    with torch.no_grad():
        network.policy.weight.zero_()
        for action, card, logit in wishes:
            if card < 0:
                network.policy.bias[action] += logit
            else:
                network.policy.weight[action, OBSERVATION["hand"].start + card] += logit
    return network


def tiny(network: Any = None, **options: Any) -> SearchAgent:
    """An agent that is quick and thoughtless."""
    return SearchAgent(net() if network is None else network, **{"worlds": 2, "solved": 1, "pool": 2, **options})


def after(deal: Game, *actions: str) -> Game:
    for action in actions:
        deal.apply(parse_action(action, deal.rules))
    return deal


def under_way(rng: random.Random, rules: Rules, decisions: int) -> Game:
    """A deal in which so many decisions were taken at random, or a few less than it has."""
    while True:
        game = Game(rules, seed=rng.getrandbits(63), episode="deal")
        for _ in range(decisions):
            if game.seat is None:
                break
            game.apply(rng.choice(game.legal_actions()))
        if game.seat is not None:
            return game


# The agent


@pytest.mark.parametrize("seed", range(2))
def test_legal_under_random_rules(seed: int) -> None:
    _fuzz(seed, 150)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 104))
def test_legal_under_random_rules_at_length(seed: int) -> None:
    _fuzz(seed, 4_000)


def _fuzz(seed: int, count: int) -> None:
    rng = random.Random(seed)
    decisions = 0
    while decisions < count:
        rules = random_rules(rng)
        game = Game(rules, seed=rng.getrandbits(64))
        network, options = net(seed, rng.choice(("mlp", "mlp", "transformer"))), rng.choice(OPTIONS)
        agent = tiny(network, **options, equity=Equity(rules), seed=1)
        if rng.random() < 0.7:
            hands, talons = game.dealt()
            talon = talons if rules.players == 2 else talons[0]
            try:
                game = Game.from_deal(
                    rules, hands, talon, game.dealer, seed=rng.getrandbits(64), **random_sheet(rng, rules)
                )
            except DealError:
                continue
        for _ in range(40):
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
    agents = [tiny(drawn=True) for _ in range(rules.players)]
    games = []
    for _ in range(2):
        for seat, agent in enumerate(agents):
            agent.reset(seat)
        game = Game(rules, seed=11)
        _play(game, agents, 25)
        games.append(game)
    assert games[0].actions() == games[1].actions()


def _play(game: Game, agents: list[SearchAgent], count: int) -> None:
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
        assert probabilities[action] == probabilities.sum() == 1
        assert twin.act(view) == action
        game.apply(action)


def test_can_be_pickled_in_mid_match() -> None:
    agent = tiny(seed=5)
    game = Game(seed=5)
    _play(game, [agent] * 3, 12)
    twin, copied = pickle.loads(pickle.dumps((agent, game)))
    _play(game, [agent] * 3, 20)
    _play(copied, [twin] * 3, 20)
    assert game == copied


def test_not_to_move() -> None:
    game = Game(seed=1)
    waiting = next(seat for seat in range(3) if seat != game.seat)
    with pytest.raises(ValueError, match=rf"seat {waiting} is not to move"):
        tiny().act(game.view(waiting))


def test_time_for_a_decision() -> None:
    agent = tiny(seconds=0.001, seed=1)
    game = Game(seed=1, episode="deal")
    while game.seat is not None:
        game.apply(agent.act(game.view(game.seat)))


@pytest.mark.parametrize(
    ("option", "value", "accepted"),
    [
        ("worlds", 0, "whole number from 1"),
        ("worlds", True, "whole number from 1"),
        ("solved", 1.5, "whole number from 1"),
        ("pool", -1, "whole number from 1"),
        ("most", 0, "whole number from 1"),
        ("trust", -0.1, "number from 0"),
        ("least", 1.1, "number from 0 to 1"),
        ("sure", "high", "number from 0"),
        ("prior", math.nan, "number from 0"),
        ("solver", 2, "number from 0 to 1"),
        ("drawn", 1, "False, True"),
        ("phases", "play+talon", "auction, exchange, raise, play"),
        ("phases", "", "auction, exchange, raise, play"),
        ("utility", "money", "'auto', 'points', 'score', 'match', 'equity'"),
        ("seconds", 0, "number from 1e-06"),
        ("seed", -1, "whole number from 0"),
    ],
)
def test_options_that_are_not_accepted(option: str, value: Any, accepted: str) -> None:
    with pytest.raises(ValueError, match=rf"{option}=.* is not accepted: use .*{accepted}"):
        SearchAgent(net(), **{option: value})


def test_shares_of_more_than_one() -> None:
    with pytest.raises(ValueError, match="shares of more than 1"):
        SearchAgent(net(), solver=0.6, heuristic=0.6)


def test_networks_from_files_agents_and_modules(tmp_path: Any) -> None:
    network = net(4)
    save_agent(tmp_path / "mine", network, algorithm="test", rules=Rules(), facts={})
    game = after(Game(seed=2), "bid 100")
    assert game.seat is not None
    view = game.view(game.seat)
    choices = [
        tiny(given, seed=0).act(view)
        for given in (
            network,
            agent_of(network, Rules()),
            tmp_path / "mine.safetensors",
            f"{tmp_path}/mine.safetensors",
        )
    ]
    assert len(set(choices)) == 1
    with pytest.raises(ValueError, match="Critic is not accepted"):
        SearchAgent(Critic())
    with pytest.raises(ValueError, match="a HeuristicAgent has no network"):
        SearchAgent("heuristic")


# What it does with the network


def test_plays_what_it_is_sure_of_without_searching() -> None:
    game = after(Game(seed=2), "bid 100")
    assert game.seat is not None
    agent = tiny(knowing((0, -1, 9.0)), seed=1)
    stream = agent._rng.bit_generator.state
    assert agent.act(game.view(game.seat)) == 0
    assert agent._rng.bit_generator.state == stream


def test_plays_as_the_network_says_in_phases_that_are_not_searched() -> None:
    game = Game(seed=2, episode="deal")
    network = net(2)
    searcher, plain = tiny(network, phases="raise"), agent_of(network, Rules())
    while game.seat is not None and game.phase in ("auction", "play"):
        view = game.view(game.seat)
        assert searcher.act(view) == plain.act(view)
        game.apply(plain.act(view))


def test_finds_the_action_that_wins_where_all_is_known() -> None:
    """Two cards each: the solver's best card is found, though the network thinks the other more likely."""
    rng = random.Random(1)
    found = 0
    while found < 12:
        game = under_way(rng, Rules(), 27)
        if game.phase != "play" or len(game.legal_actions()) < 2 or game.seat != game.declarer:
            continue
        assert game.seat is not None
        values = solver.action_values_batch([game])[0]
        legal = game.legal_actions()
        best = max(legal, key=lambda action: values[action])
        worst = min(legal, key=lambda action: values[action])
        view = game.view(game.seat)
        worlds = sample_deals(view, np.random.default_rng(0), 40)
        if values[best] == values[worst] or len(np.unique(worlds["hands"], axis=0)) > 1:
            continue
        agent = tiny(knowing((worst, -1, 2.0)), solver=1.0, utility="points", most=24, least=0.0)
        assert values[agent.act(view)] == values[best]
        found += 1


def test_what_is_unlikely_must_be_better_by_more_than_chance() -> None:
    """With a large ``prior`` the likeliest action is played whatever the search says, unless nothing is in doubt."""
    rng = random.Random(4)
    for _ in range(8):
        game = under_way(rng, Rules(), 9)
        assert game.seat is not None
        view = game.view(game.seat)
        if game.phase != "play" or len(view.legal_actions()) < 3:
            continue
        liked = rng.choice(view.legal_actions())
        agent = tiny(knowing((liked, -1, 1.5)), worlds=8, solved=8, trust=0, prior=100, most=24)
        assert agent.act(view) == liked


# Worlds


@pytest.mark.parametrize("kind", ["mlp", "transformer"])
@pytest.mark.parametrize("decisions", [3, 8, 16])
def test_likelihood_is_the_product_over_the_decisions_of_the_others(kind: str, decisions: int) -> None:
    game = under_way(random.Random(decisions), Rules(), decisions)
    assert game.seat is not None
    view, policy = game.view(game.seat), Policy(net(1, kind))
    plain = agent_of(policy.network, Rules(), "sample")
    states = sample_deals(view, np.random.default_rng(0), 5)
    wanted = []
    for state in states:
        world = Game.from_record(view.rules, state.tobytes())
        total = 0.0
        for _ in range(len(world.actions())):
            action = world.actions()[-1][1]
            world.undo()
            assert world.seat is not None
            legal = world.legal_actions()
            if world.seat != view.observer and len(legal) > 1:
                chance = plain.action_probabilities(world.view(world.seat))[action]
                total += math.log(SURPRISE / len(legal) + (1 - SURPRISE) * chance)
        wanted.append(total)
    found = log_likelihood(view, policy, states)
    assert found == pytest.approx(np.array(wanted) - max(wanted), abs=1e-4)


def test_worlds_are_those_that_explain_a_pass() -> None:
    """Who would never pass with the ace of spades, and has passed, does not hold it; who says nothing may."""
    game = after(Game(seed=2), "bid 100", "pass")
    assert game.seat is not None
    view = game.view(game.seat)
    ace = 5
    passed = next(seat for seat, action in view.events() if action == 0)
    assert ace not in view.hand
    policy = Policy(knowing((0, ace, -20.0), (0, -1, 10.0)))
    rng = np.random.default_rng(0)
    doubted = draw(view, policy, rng, 200, 4, 1.0)
    plain = draw(view, policy, rng, 200, 4, 0.0)
    holds = [float(((states["hands"][:, passed] >> ace) & 1).mean()) for states in (plain, doubted)]
    assert holds[0] > 0.25
    assert holds[1] < 0.06


# Ways and how they go on


def test_gifts_are_pairs_with_the_product_of_their_chances() -> None:
    game = after(Game(seed=3, episode="deal"), "bid 100", "pass", "pass")
    assert game.phase == "exchange"
    assert game.seat is not None
    policy = Policy(net(3))
    plain = agent_of(policy.network, Rules(), "sample")
    ways = candidates(game.view(game.seat), policy, 0.0, 100)
    assert ways.chances.sum() == pytest.approx(1, abs=1e-5)
    assert len(ways.actions) == 90
    assert (np.diff(ways.chances) <= 1e-12).all()
    first = plain.action_probabilities(game.view(game.seat))
    for (one, two, nothing), chance in zip(ways.actions[::17].tolist(), ways.chances[::17], strict=True):
        assert min(one, two) >= FIRST_GIVE
        assert nothing == -1
        following = game.clone()
        following.apply(one)
        assert chance == pytest.approx(first[one] * plain.action_probabilities(following.view(game.seat))[two])
    few = candidates(game.view(game.seat), policy, 2.0, 100)
    assert few.actions.shape == (1, 3)


def test_cards_put_aside_have_no_order() -> None:
    game = after(Game(Rules.preset("lithuanian"), seed=3))
    while game.phase != "exchange":
        game.apply(game.legal_actions()[0])
    assert game.seat is not None
    ways = candidates(game.view(game.seat), Policy(net(3)), 0.0, 8)
    assert 2 < len(ways.actions) <= 8
    assert len({tuple(sorted(way)) for way in ways.actions.tolist()}) == len(ways.actions)


@pytest.mark.parametrize("kind", ["mlp", "transformer"])
def test_the_network_plays_on_as_it_plays(kind: str) -> None:
    rng = random.Random(7)
    policy = Policy(net(5, kind))
    plain = agent_of(policy.network, Rules())
    for decisions in (1, 4, 12):
        game = under_way(rng, Rules(), decisions)
        assert game.seat is not None
        view = game.view(game.seat)
        states = sample_deals(view, np.random.default_rng(0), 3)
        ways = candidates(view, policy, 0.0, 4)
        futures = play_on(states, view.rules, ways.actions, policy, None)
        for k, state in enumerate(states):
            for a, way in enumerate(ways.actions.tolist()):
                world = Game.from_record(view.rules, state.tobytes())
                for action in way:
                    if action >= 0:
                        world.apply(action)
                while world.seat is not None:
                    world.apply(plain.act(world.view(world.seat)))
                assert world.scores == futures[k, a]["scores"][:3].tolist()


# Worth


def test_equity_is_that_of_the_sheet_after_the_deal() -> None:
    equity = Equity(Rules())
    for seed in range(4):
        rng = random.Random(seed)
        game = Game.from_deal(
            Rules(), *_cards(seed), dealer=seed % 3, scores=[100 * seed, 760, -200], bolts=[0, 2, 1], seed=seed
        )
        before = game.clone()
        while game.deal_number == before.deal_number:
            assert game.seat is not None
            last = game.clone()
            game.apply(rng.choice(game.legal_actions()))
        assert last.seat is not None
        futures = states_of([last])
        futures["episode"] = 1
        ended = Game.from_record(Rules(), futures[0].tobytes())
        ended.apply(last.legal_actions()[0])
        worth = EquityWorth(last.view(last.seat), equity)
        found = worth.of_futures(states_of([ended]))
        wanted = equity.chances(sheets_of_records(states_of([game]), 3))[0, last.seat]
        assert found == pytest.approx([100 * wanted], abs=1e-4)


def _cards(seed: int) -> tuple[list[list[int]], list[int]]:
    cards = random.Random(seed).sample(range(24), 24)
    return [cards[:7], cards[7:14], cards[14:21]], cards[21:]


def test_equity_of_points_is_that_of_a_contract_made_or_lost() -> None:
    game = Game.from_deal(Rules(), *_cards(3), dealer=0, scores=[0, 880, 300], barrel=[None, 1, None])
    after(game, "bid 120", "pass", "pass")
    while game.phase == "exchange":
        game.apply(game.legal_actions()[0])
    assert game.declarer == 1
    worth = EquityWorth(game.view(1), Equity(Rules()))
    lost, won = worth.of_points(1, 120, np.array([119, 120]))
    assert won == 100
    assert lost < 100
    assert worth.of_points(1, 120, np.array([[-5, 0], [130, 60]])).shape == (2, 2)
