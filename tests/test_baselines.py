"""The agents that do not search: legal under all rules, repeatable, and as good as they say."""

from __future__ import annotations

import pickle
import random
from collections.abc import Sequence

import numpy as np
import pytest

from baselines.greedy import GreedyAgent
from baselines.heuristic import HeuristicAgent
from baselines.random_agent import RandomAgent
from baselines.random_capped import RandomCappedAgent
from tests.random_rules import random_rules, random_sheet
from thousand_env import NUM_ACTIONS, PRESETS, DealError, Game, Rules, action_name, parse_action
from thousand_env.agents import Agent, AgentWithProbabilities, BatchAgent
from thousand_env.cards import card_id
from thousand_env.observation import encode

ALL_PHASES = (
    Rules(dark=True, redeal_hand_below=30, raise_after_talon=True, concede="bid_60"),
    Rules(players=2, redeal_talon_below=12),
)
AGENTS: list[type[AgentWithProbabilities]] = [RandomAgent, RandomCappedAgent, GreedyAgent, HeuristicAgent]


def play(game: Game, agents: Sequence[Agent], limit: int = 1_000_000) -> int:
    """Play on until the game is over or so many decisions were made; the number of them."""
    for decision in range(limit):
        seat = game.seat
        if seat is None:
            return decision
        game.apply(agents[seat].act(game.view(seat)))
    return limit


def deal(text: str, rules: Rules | None = None, **sheet: list[int | None]) -> Game:
    """A classic deal by seat 0 from three hands and the talon, separated by bars."""
    *hands, talon = [group.split() for group in text.split("|")]
    return Game.from_deal(rules or Rules(), hands, talon, **sheet)  # type: ignore[arg-type]


def chosen(game: Game, kind: type[Agent] = GreedyAgent) -> str:
    """The text of what an agent does, which is legal."""
    assert game.seat is not None
    action = kind().act(game.view(game.seat))
    assert action in game.legal_actions()
    return action_name(action, game.rules)


# Any agent


@pytest.mark.parametrize("kind", AGENTS)
@pytest.mark.parametrize("seed", range(4))
def test_legal_under_random_rules(kind: type[Agent], seed: int) -> None:
    rng = random.Random(seed)
    agent = kind()
    agent.reset(seed)
    phases = set()
    decisions = 0
    while decisions < 15_000:
        rules = rng.choice(ALL_PHASES) if rng.random() < 0.1 else random_rules(rng)
        game = Game(rules, seed=rng.getrandbits(64))
        if rng.random() < 0.7:
            hands, talons = game.dealt()
            talon = talons if rules.players == 2 else talons[0]
            try:
                sheet = random_sheet(rng, rules)
                game = Game.from_deal(rules, hands, talon, game.dealer, seed=rng.getrandbits(64), **sheet)
            except DealError:
                continue
        for _ in range(250):
            seat = game.seat
            if seat is None:
                break
            phases.add(game.phase)
            action = agent.act(game.view(seat))
            assert type(action) is int
            assert action in game.legal_actions()
            # now and then somebody else's move, so that the agent sees positions that it would not have come to
            game.apply(action if rng.random() < 0.8 else rng.choice(game.legal_actions()))
            decisions += 1
    assert phases == {"dark", "redeal", "auction", "talon", "exchange", "raise", "play"}


@pytest.mark.parametrize("kind", AGENTS)
@pytest.mark.parametrize("preset", PRESETS)
def test_same_seed_same_match(kind: type[Agent], preset: str) -> None:
    rules = Rules.preset(preset)
    agents = [kind() for _ in range(rules.players)]
    games = []
    for _ in range(2):
        for seat, agent in enumerate(agents):
            agent.reset(seat)
        game = Game(rules, seed=11)
        play(game, agents, 500)
        games.append(game)
    assert games[0] == games[1]
    assert games[0].actions() == games[1].actions()


@pytest.mark.parametrize("kind", AGENTS)
def test_probabilities(kind: type[AgentWithProbabilities]) -> None:
    rng = random.Random(3)
    agent = kind()
    for preset in PRESETS:
        game = Game(Rules.preset(preset), seed=rng.getrandbits(64))
        for _ in range(120):
            seat = game.seat
            if seat is None:
                break
            view = game.view(seat)
            probabilities = agent.action_probabilities(view)
            assert probabilities.shape == (NUM_ACTIONS,)
            assert probabilities.dtype == np.float64
            assert probabilities.sum() == pytest.approx(1)
            assert set(np.flatnonzero(probabilities)) <= set(game.legal_actions())
            assert probabilities[agent.act(view)] > 0
            game.apply(rng.choice(game.legal_actions()))


@pytest.mark.parametrize("kind", AGENTS)
def test_not_to_move(kind: type[AgentWithProbabilities]) -> None:
    game = Game(seed=1)
    agent = kind()
    waiting = next(seat for seat in range(3) if seat != game.seat)
    over = Game(Rules.preset("mini3"), seed=1)
    play(over, [agent] * 3)
    for view in (game.view(waiting), over.view(0)):
        with pytest.raises(ValueError, match=r"seat \d is not to move"):
            agent.act(view)
        with pytest.raises(ValueError, match=r"seat \d is not to move"):
            agent.action_probabilities(view)


@pytest.mark.parametrize("kind", AGENTS)
def test_agents_can_be_pickled_in_mid_match(kind: type[Agent]) -> None:
    agent = kind()
    agent.reset(5)
    game = Game(seed=5)
    play(game, [agent] * 3, 37)
    twin, copy = pickle.loads(pickle.dumps((agent, game)))
    play(game, [agent] * 3, 100)
    play(copy, [twin] * 3, 100)
    assert game == copy


# The random agent


def test_random_agent_is_uniform() -> None:
    game = Game(seed=2)
    agent = RandomAgent(seed=1)
    view = game.view(game.seat or 0)
    legal = game.legal_actions()
    counts = np.bincount([agent.act(view) for _ in range(3000)], minlength=NUM_ACTIONS)
    expected = 3000 / len(legal)
    assert counts.sum() == counts[legal].sum()
    assert (abs(counts[legal] - expected) < 5 * expected**0.5).all()


def test_random_agent_in_batches() -> None:
    masks = np.zeros((4000, NUM_ACTIONS), np.int8)
    masks[:2000, [0, 66, 129]] = 1
    masks[2000:, 5] = 1
    observation = np.zeros((4000, 1), np.float32)
    agent = RandomAgent(seed=4)
    actions = agent.act_batch(observation, masks)
    assert actions.dtype == np.int64
    assert actions.shape == (4000,)
    counts = np.bincount(actions, minlength=NUM_ACTIONS)
    assert counts[5] == 2000
    assert (abs(counts[[0, 66, 129]] - 2000 / 3) < 120).all()
    agent.reset(4)
    assert (agent.act_batch(observation, masks) == actions).all()


def test_random_agent_refuses_bad_masks() -> None:
    agent = RandomAgent()
    masks = np.ones((3, NUM_ACTIONS), np.int8)
    masks[1] = 0
    with pytest.raises(ValueError, match=r"rows \[1\] of action_mask have no legal action"):
        agent.act_batch(masks, masks)
    for shape in ((NUM_ACTIONS,), (3, 129), (2, 3, NUM_ACTIONS)):
        with pytest.raises(ValueError, match="action_mask has the shape"):
            agent.act_batch(masks, np.ones(shape, np.int8))


def test_random_agents_differ_without_a_seed() -> None:
    views = [Game(seed=seed).view(Game(seed=seed).seat or 0) for seed in range(40)]
    first, second = RandomAgent(), RandomAgent()
    assert [first.act(view) for view in views] != [second.act(view) for view in views]


def test_random_matches_are_truncated() -> None:
    agent = RandomAgent(seed=7)
    lowest = 0
    for seed in range(4):
        game = Game(seed=seed)
        play(game, [agent] * 3)
        assert game.truncated
        assert game.winner is None
        assert game.deal_number == 199
        lowest = min(lowest, *game.scores)
        assert np.isfinite(game.returns()).all()
        assert not game.returns("win").any()
    assert lowest < -5_000


@pytest.mark.parametrize("preset", ["classic", "modern", "polish", "lithuanian", "two_player", "four_player"])
def test_totals_far_below_zero(preset: str) -> None:
    rules = Rules.preset(preset)
    start = Game(rules, seed=3)
    hands, talons = start.dealt()
    talon = talons if rules.players == 2 else talons[0]
    game = Game.from_deal(rules, hands, talon, start.dealer, scores=[-20_000] * rules.players, seed=3)
    play(game, [RandomAgent(seed=1), *[GreedyAgent()] * (rules.players - 1)], 1500)
    assert -60_000 < min(game.scores) < -10_000
    assert all(type(score) is int for score in game.view(0).scores)


@pytest.mark.parametrize("kind", AGENTS[1:])
def test_batches_choose_as_one_by_one(kind: type[AgentWithProbabilities]) -> None:
    """The same legal actions to choose from, and for agents without chance the same action."""
    rng = random.Random(12)
    views = []
    for _ in range(60):
        game = Game(random_rules(rng), seed=rng.getrandbits(64))
        for _ in range(rng.randrange(40)):
            if not game.is_over:
                game.apply(rng.choice(game.legal_actions()))
        if game.seat is not None:
            views.append(game.view(game.seat))
    agent = kind()
    agent.reset(0)
    assert isinstance(agent, BatchAgent)
    actions = agent.act_batch(np.array([encode(view) for view in views]), np.array([v.action_mask() for v in views]))
    for view, action in zip(views, actions.tolist(), strict=True):
        assert agent.action_probabilities(view)[action] > 0


# The random agent that does not overbid


def test_capped_bids_only_where_it_must() -> None:
    agent = RandomCappedAgent(seed=1)
    bids = []
    for seed in range(100):
        game = Game(seed=seed)
        while game.phase == "auction":
            view = game.view(game.seat or 0)
            action = agent.act(view)
            bids.append((action, view.legal_actions()))
            game.apply(action)
    assert all(action == (0 if 0 in legal else 1) for action, legal in bids)
    low = Game(Rules(min_bid=40, bid_step=10), seed=1)
    view = low.view(low.seat or 0)
    assert set(np.flatnonzero(agent.action_probabilities(view))) == {1, 2, 3}  # 40, 50 and 60: half of the deck's 120


def test_a_random_declarer_takes_about_half() -> None:
    taken = []
    agents = [RandomCappedAgent(seed=seed) for seed in range(3)]
    for seed in range(800):
        game = Game(seed=seed, episode="deal")
        play(game, agents)
        taken.append(game.points[game.declarer or 0])
    assert 45 < np.mean(taken) < 60


# The greedy agent


def count_winners(seeds: range) -> float:
    """The share of classic matches of three greedy agents that somebody wins."""
    won = 0
    for seed in seeds:
        game = Game(seed=seed)
        play(game, [GreedyAgent()] * 3)
        won += game.winner is not None
    return won / len(seeds)


def test_matches_have_a_winner() -> None:
    assert count_winners(range(100)) >= 0.97


@pytest.mark.long
def test_1000_matches_have_a_winner() -> None:
    assert count_winners(range(1000)) >= 0.95


def test_greedy_beats_random() -> None:
    for seed in range(12):
        game = Game(seed=seed)
        seats: list[Agent] = [RandomAgent(seed=seed) for _ in range(3)]
        seats[seed % 3] = GreedyAgent()
        play(game, seats)
        assert max(game.scores) == game.scores[seed % 3]


def contracts(rules: Rules, deals: int) -> list[tuple[bool, bool]]:
    """Single deals of greedy agents from 0: whether the contract was taken of the agent's own will, and made."""
    agents = [GreedyAgent()] * rules.players
    results = []
    for seed in range(deals):
        game = Game(rules, seed=seed, episode="deal")
        play(game, agents)
        if game.declarer is not None and game.contract is not None:
            own_will = game.contract > rules.min_bid
            results.append((own_will, game.points[game.declarer] >= game.contract))
    return results


def test_bids_are_honest() -> None:
    results = contracts(Rules(), 600)
    by_will = [made for own_will, made in results if own_will]
    assert len(by_will) > 150
    assert np.mean(by_will) >= 0.75
    assert np.mean([made for _, made in results]) >= 0.55


def test_estimate_agrees_with_what_is_taken() -> None:
    rules = Rules()
    errors = []
    for seed in range(500):
        game = Game(rules, seed=seed, episode="deal")
        assert game.seat is not None
        declarer = game.seat
        expected = GreedyAgent().estimate(game.view(declarer))
        game.apply(1)
        while game.phase == "auction":
            game.apply(0)
        play(game, [GreedyAgent()] * 3)
        errors.append(game.points[declarer] - expected)
    assert abs(np.mean(errors)) < 6


def test_does_not_bid_more_than_the_hand_is_worth() -> None:
    for seed in range(300):
        game = Game(seed=seed)
        while game.phase == "auction":
            assert game.seat is not None
            view = game.view(game.seat)
            action = GreedyAgent().act(view)
            worth = GreedyAgent().estimate(view)
            if action and 0 in view.legal_actions():
                assert 100 + 5 * (action - 1) <= worth
            game.apply(action)


WEAK = "QS JS AC 9C KC KD 10D | 9H 10H JC QH AS 10C JD | 10S KS KH JH AD QC 9D | 9S QD AH"
STRONG = "QS JS 9C 10C KC KD 10D | AH 10H KH QH AS AC AD | 10S KS 9H JH JD QC 9D | 9S QD JC"


def test_bids_the_barrel_contract() -> None:
    for text in (WEAK, STRONG):
        assert chosen(deal(text, barrel=[None, 0, None])) == "bid 120"
    # where a failure costs the contract, only with a hand that may make it
    costly = Rules(barrel_failed_contract="deduct_and_fall")
    assert chosen(deal(STRONG, costly, barrel=[None, 0, None])) == "bid 120"
    assert chosen(deal(WEAK, costly, barrel=[None, 0, None])) == "bid 100"


def test_never_above_the_barrel_contract_on_the_barrel() -> None:
    text = "QS JS 9C QC KC KD 10D | AH 10H KH QH AS AC AD | 10S KS 9H JH JD 10C 9D | 9S QD JC"
    for attempts, answer in ((0, "pass"), (None, "bid 130")):
        game = deal(text, barrel=[None, attempts, None])
        for bid in ("bid 120", "pass", "bid 125"):  # the dealer has a marriage and goes above
            game.apply(parse_action(bid, game.rules))
        assert chosen(game) == answer
    above = Rules(barrel_win_bid="at_least")
    assert chosen(deal(STRONG, above, barrel=[None, 0, None])) == "bid 120"


def test_opens_with_the_minimum() -> None:
    assert chosen(deal(WEAK)) == "bid 100"
    assert chosen(deal(STRONG)) == "bid 100"


def first_lead(text: str, gifts: str, rules: Rules | None = None) -> Game:
    """First hand plays 100 and has given these cards."""
    game = deal(text, rules)
    game.apply(1)
    while game.phase == "auction":
        game.apply(0)
    for card in gifts.split():
        game.apply(66 + card_id(card))
    if game.phase == "raise":
        game.apply(0)
    return game


def test_declares_the_best_marriage_at_once() -> None:
    text = "9S JS 9C 10C KC KD 10D | AH KS KH QH QS AC AD | 10S AS 9H JH JD QC 9D | 10H QD JC"
    assert chosen(first_lead(text, "QD JC")) in ("marry QH", "marry KH")
    automatic = Rules(marriage_declare="automatic")
    assert chosen(first_lead(text, "QD JC", automatic)) in ("play QH", "play KH")


def test_keeps_a_marriage_that_may_not_be_declared_yet() -> None:
    gated = Rules(marriage_gate="after_own_trick")
    text = "9S JS 9C 10C KC KD 10D | 9H KS KH QH QS AC JD | 10S AS AH JH AD QC 9D | 10H QD JC"
    game = first_lead(text, "QD JC", gated)
    assert chosen(game) == "play AC"
    game.apply(90 + card_id("AC"))
    while game.trick:
        game.apply(game.legal_actions()[0])
    assert chosen(game) in ("marry QH", "marry KH")


def test_gives_away_the_cheapest() -> None:
    rng = random.Random(8)
    agent = GreedyAgent()
    for seed in range(200):
        game = Game(seed=seed)
        while game.phase == "auction":
            game.apply(rng.choice(game.legal_actions()))
        assert game.declarer is not None
        for _ in range(2):
            hand = set(game.hands[game.declarer])
            pairs = {card for suit in range(4) for card in (6 * suit + 2, 6 * suit + 3)}
            pairs = {card for card in pairs & hand if (card ^ 1) in hand}
            low = {card for card in hand - pairs if card % 6 < 4}
            action = agent.act(game.view(game.declarer))
            if low:
                assert action - 66 in low
            game.apply(action)


def test_cashes_cards_that_nothing_can_beat() -> None:
    text = "9S QS 9C 10C KC KD 10D | AH 10H 9H JC JS AC JD | 10S AS KH JH AD QC 9D | KS QD QH"
    assert chosen(first_lead(text, "QD JC")) in ("play AH", "play AC")


def test_wins_cheaply_and_dumps_low() -> None:
    game = first_lead("9S QS AC 9C KC KD 10D | AH 9H JH JC JS 10S JD | KS AS KH 10H AD QC 9D | 10C QD QH", "QD 10C")
    game.apply(90 + card_id("JS"))
    assert chosen(game) == "play AS"  # second of three, and only the ace wins for sure
    game.apply(90 + card_id("KS"))
    assert chosen(game) == "play 9S"  # the queen would be three points more for another
