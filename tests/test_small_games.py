"""Small games in arrays: values, best responses and NashConv, against games computed by hand and a slow walk.

The slow walk is plain recursion with dictionaries; it shares nothing with the arrays but ``Game`` and ``View``.
"""

from __future__ import annotations

import itertools
import random
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from baselines.greedy import GreedyAgent
from tests.test_perft import SMALL_GAMES
from tests.world_enumeration import partitions
from thousand_env import Game, Rules, View, card_id, parse_action
from thousand_env.evaluation.best_response import TableAgent, best_response
from thousand_env.evaluation.nash import NashConv, best_choices, expected_values, nash_conv, values_of
from thousand_env.evaluation.policies import joint_policy
from thousand_env.evaluation.small_game import SmallGame
from thousand_env.observation import encode

FOUR_CARDS = Rules.preset("mini2").replace(ranks="9A", hand_size=1, min_bid=20)
"""Four cards, 22 points: one to each of two players, one in each talon; the declarer puts one aside, leads the other.

The winner of the one trick gets all 22 points. No bid but 20 is within the cap of 22, so first hand is always declarer.
"""


@pytest.fixture(scope="module")
def mini2() -> SmallGame:
    return SmallGame("mini2")


@pytest.fixture(scope="module")
def mini3() -> SmallGame:
    return SmallGame("mini3")


@pytest.fixture(scope="module")
def four() -> SmallGame:
    return SmallGame(FOUR_CARDS)


def some_policy(view: View) -> Any:
    """Uneven probabilities that depend on all that the seat knows, some of them 0."""
    legal = view.legal_actions()
    probabilities = np.zeros(130)
    if len(legal) == 1:
        probabilities[legal] = 1
        return probabilities
    shares = np.random.default_rng(zlib.crc32(bytes(view._memory))).dirichlet(np.full(len(legal), 0.5))
    shares[shares < 0.05] = 0
    probabilities[legal] = shares / shares.sum()
    return probabilities


def uniform(game: SmallGame) -> Any:
    """The slots of uniform play."""
    counts = np.diff(game.choice_start)
    return np.concatenate([[1.0], np.repeat(1 / counts, counts)])


# Four cards, by hand


def test_four_cards_played_uniformly_and_best() -> None:
    """Of the declarer's six pairs of cards, where the defender has either of the other two.

    {AS AH}, {9S AS}, {9H AH}: nothing beats what he leads. {9S 9H}: the defender has the ace of the suit led in half of
    the cases, whichever he leads. {9S AH}, {9H AS}: the ace wins; the nine loses to its ace, held in half of the cases.
    Best play loses 1/6 * 1/2 = 1/12; uniform play loses 1/6 * 1/2 + 2/6 * 1/2 * 1/2 = 1/6.
    Made he writes 22 against 0, reward 0.22; failed -20 against 22, reward -0.42.
    Uniform: (5 * 0.22 - 0.42) / 6 = 0.68 / 6. Best: (11 * 0.22 - 0.42) / 12 = 2 / 12.
    """
    one_dealer = nash_conv("random", SmallGame(FOUR_CARDS, dealers=[0]))
    assert one_dealer.values == pytest.approx([-0.68 / 6, 0.68 / 6])
    assert one_dealer.best_response_values == pytest.approx([-0.68 / 6, 2 / 12])
    assert one_dealer.nash_conv == pytest.approx(2 / 12 - 0.68 / 6)
    both = nash_conv("random", FOUR_CARDS)
    assert both.values == pytest.approx([0, 0])
    assert both.best_response_values == pytest.approx([(2 / 12 - 0.68 / 6) / 2] * 2)
    assert both.exploitability == pytest.approx(both.nash_conv / 2)


def test_four_cards_other_rewards() -> None:
    """As above. ``score``: made 22 and 0, failed -20 and 22; ``win``: +1 for the larger change, -1 for the other."""
    game = SmallGame(FOUR_CARDS, dealers=[0])
    score = expected_values("random", game, reward="score")
    assert score == pytest.approx([0.22 / 6, (5 * 0.22 - 0.20) / 6])
    win = nash_conv("random", game, reward="win")
    assert win.values == pytest.approx([-4 / 6, 4 / 6])
    assert win.best_response_values == pytest.approx([-4 / 6, 10 / 12])


def test_four_cards_with_an_auction() -> None:
    """``min_bid`` 10: first hand (seat 1) always bids 10, the dealer always passes, cards are chosen uniformly.

    The dealer holds an ace, AS, say: first hand has {9S 9H}, {9S AH} or {9H AH}, and loses by leading 9S: 1/2, 1/2, 0,
    together 1/3. That costs -10 against 22, reward 0.32 for the dealer: 0.32 / 3 - 0.22 * 2/3 = -0.04. He holds a nine:
    nothing loses, -0.22. Value of the dealer: (-0.04 - 0.22) / 2 = -0.13.

    His best response bids 20. With an ace he leads it, 0.22. With 9S the talon gives AS or AH, which win, or 9H, which
    loses in half of the cases: 0.22 * 2/3 + (0.22 - 0.42) / 2 / 3 = 0.34 / 3. Together (0.22 + 0.34 / 3) / 2 = 1/6.
    First hand's best response stays at 10 and loses 1/12, as with the contract of 20: (11 * 0.22 - 0.32) / 12 = 0.175.
    """
    rules = FOUR_CARDS.replace(min_bid=10)

    def play(view: View) -> Any:
        legal = view.legal_actions()
        chosen = legal[:1] if view.phase == "auction" else legal
        return np.bincount(chosen, minlength=130) / len(chosen)

    result = nash_conv(play, SmallGame(rules, dealers=[0]))
    assert result.values == pytest.approx([-0.13, 0.13])
    assert result.best_response_values == pytest.approx([1 / 6, 0.175])
    assert result.nash_conv == pytest.approx(1 / 6 + 0.13 + 0.175 - 0.13)


def test_best_responses_of_the_four_cards_are_an_equilibrium(four: SmallGame) -> None:
    """Only the declarer has choices, so each seat's best response is best against any play of the other."""
    found = best_response("random", four)
    assert nash_conv(found.agent, four).nash_conv == pytest.approx(0, abs=1e-12)


def test_the_best_response_of_the_four_cards_plays_the_ace(four: SmallGame) -> None:
    agent = best_response("random", four, seat=1).agent
    game = Game.from_deal(FOUR_CARDS, ["AS", "9S"], ["AH", "9H"], dealer=0)
    for text in ("bid 20", "pass", "talon A"):
        game.apply(parse_action(text, FOUR_CARDS))
    game.apply(agent.act(game.view(1)))  # puts the nine aside
    assert game.hands[1] == [card_id("AH")]


# The tree


@pytest.mark.parametrize("name", SMALL_GAMES)
def test_sizes_are_those_that_are_stated(name: str) -> None:
    game = SmallGame(name, dealers=[0])
    counted = {
        "deals": game.deals,
        "decisions": game.decision_nodes,
        "terminal_histories": game.terminal_histories,
        "information_sets": game.information_sets,
    }
    assert counted == {key: SMALL_GAMES[name][key] for key in counted}
    assert sum(len(level.ends) for level in game.levels) == game.terminal_histories


@pytest.mark.parametrize("name", ["mini2", "mini3", "four"])
def test_no_seat_forgets_what_it_did(name: str, request: pytest.FixtureRequest) -> None:
    """All positions of a choice have the same last choice and action of that seat before: perfect recall."""
    game: SmallGame = request.getfixturevalue(name)
    pairs = []
    last = np.zeros((game.deals, game.players), np.int64)
    for level, after in itertools.pairwise(game.levels):
        chosen = after.slot > 0
        choices = np.searchsorted(game.choice_start, after.slot[chosen], side="right") - 1
        pairs.append(np.stack([choices, last[after.parent[chosen], game.choice_seat[choices]]]))
        last = last[after.parent]
        last[chosen, game.slot_seat[after.slot[chosen]]] = after.slot[chosen]
        assert level.slots.stop == after.slots.start
    assert len(np.unique(np.concatenate(pairs, axis=1), axis=1).T) == len(game.choice_seat)


def test_choices_are_views_with_their_legal_actions(mini2: SmallGame) -> None:
    choices = mini2.choices()
    views = list(mini2.views())
    assert len(set(views)) == len(views) == len(choices) == len(mini2.choice_seat)
    for choice in range(0, len(choices), 97):
        view = mini2.view(choice)
        assert view == views[choice]
        assert view.seat == view.observer == mini2.choice_seat[choice]
        assert view.legal_actions() == mini2.actions(choice)
        assert len(mini2.actions(choice)) > 1
    assert sorted([*mini2.choices(0), *mini2.choices(1)]) == choices.tolist()
    assert {view.observer for view in mini2.views(1)} == {1}


def test_observations_and_masks_are_those_of_the_views(four: SmallGame) -> None:
    for seat in (None, 0, 1):
        observations, masks = four.observations(seat), four.masks(seat)
        views = list(four.views(seat))
        assert len(observations) == len(masks) == len(views) > 0
        assert masks.dtype == np.int8
        for observation, mask, view in zip(observations, masks, views, strict=True):
            assert (observation == encode(view)).all()
            assert (mask == view.action_mask()).all()


# A slow walk, with dictionaries


Key = tuple[int, bytes]
"""An information set: under one set of rules two views are equal if seat and memory are, which is quicker to hash."""


@dataclass
class Node:
    seat: int | None = None
    key: Key = (-1, b"")
    chances: Any = None
    returns: Any = None
    children: dict[int, Node] = field(default_factory=dict)


class SlowWalk:
    """Values and best responses by recursion, as they are defined."""

    def __init__(self, rules: Rules, dealer: int, policy: Callable[[View], Any]) -> None:
        sizes = [0 if rules.players == 4 and seat == dealer else rules.hand_size for seat in range(rules.players)]
        sizes += [rules.talon_size] * (2 if rules.players == 2 else 1)
        self.policy = policy
        self.answers: dict[Key, Any] = {}
        self.roots = []
        for groups in partitions(rules.deck, sizes):
            hands, talons = groups[: rules.players], groups[rules.players :]
            talon = talons if rules.players == 2 else talons[0]
            self.roots.append(self._node(Game.from_deal(rules, hands, talon, dealer, episode="deal")))

    def _node(self, game: Game) -> Node:
        if game.seat is None:
            return Node(returns=game.returns("relative"))
        view = game.view(game.seat)
        key = game.seat, bytes(view._memory)
        if key not in self.answers:
            self.answers[key] = self.policy(view)
        node = Node(game.seat, key, self.answers[key])
        for action in game.legal_actions():
            after = game.clone()
            after.apply(action)
            node.children[action] = self._node(after)
        return node

    def expected(self, seat: int) -> float:
        return sum(self._value(root, seat) for root in self.roots) / len(self.roots)

    def _value(self, node: Node, seat: int) -> float:
        if node.seat is None:
            return float(node.returns[seat])
        return sum(float(node.chances[action]) * self._value(child, seat) for action, child in node.children.items())

    def best(self, seat: int) -> float:
        members: dict[Key, list[tuple[Node, float]]] = {}

        def collect(node: Node, reach: float) -> None:
            if node.seat == seat:
                members.setdefault(node.key, []).append((node, reach))
            for action, child in node.children.items():
                collect(child, reach if node.seat == seat else reach * float(node.chances[action]))

        chosen: dict[Key, int] = {}

        def choose(key: Key) -> int:
            if key not in chosen:
                totals = {
                    action: sum(reach * value(node.children[action]) for node, reach in members[key])
                    for action in members[key][0][0].children
                }
                chosen[key] = max(totals, key=lambda action: totals[action])
            return chosen[key]

        known: dict[int, float] = {}

        def value(node: Node) -> float:
            if node.seat is None:
                return float(node.returns[seat])
            if id(node) not in known:
                if node.seat == seat:
                    known[id(node)] = value(node.children[choose(node.key)])
                else:
                    known[id(node)] = sum(
                        float(node.chances[action]) * value(child) for action, child in node.children.items()
                    )
            return known[id(node)]

        for root in self.roots:
            collect(root, 1.0)
        return sum(value(root) for root in self.roots) / len(self.roots)


def check_with_slow_walk(rules: Rules, dealer: int) -> None:
    slow = SlowWalk(rules, dealer, some_policy)
    fast = nash_conv(some_policy, SmallGame(rules, dealers=[dealer]))
    assert fast.values == pytest.approx([slow.expected(seat) for seat in range(rules.players)])
    assert fast.best_response_values == pytest.approx([slow.best(seat) for seat in range(rules.players)])


def test_slow_walk_agrees_on_mini2() -> None:
    check_with_slow_walk(Rules.preset("mini2"), dealer=1)


@pytest.mark.long
def test_slow_walk_agrees_on_mini3() -> None:
    check_with_slow_walk(Rules.preset("mini3"), dealer=2)


@pytest.mark.parametrize(
    "options",
    [
        {"raise_after_talon": True, "concede": "half_bid"},
        {"talon_reveal": "always", "opening": "none"},
        {"players": 4, "hand_size": 1, "exchange": "discard_three", "talon_size": 1, "ranks": "9A"},
        {"players": 3, "gifts_face_up": True, "ranks": "QKA", "hand_size": 1, "talon_size": 3, "min_bid": 35},
    ],
    ids=["raise and concede", "void deals", "four players", "gifts face up"],
)
def test_slow_walk_agrees_under_options(options: dict[str, Any]) -> None:
    check_with_slow_walk(FOUR_CARDS.replace(min_bid=10).replace(**options), dealer=0)


DECKS: list[dict[str, Any]] = [
    {"players": 2, "ranks": "9A", "min_bid": 10},
    {"players": 2, "ranks": "QK", "min_bid": 5},
    {"players": 3, "ranks": "QK", "min_bid": 5, "exchange": "discard_three"},
    {"players": 4, "ranks": "9A", "min_bid": 10, "exchange": "discard_three"},
]
VALUES: dict[str, list[Any]] = {
    "opening": ["first_hand_min", "first_hand_exact", "dealer_exact", "dealer_last_resort", "none"],
    "bid_cap": ["held", "any_with_marriage", "always_120"],
    "jump_bids": [True, False],
    "raise_after_talon": [False, True],
    "talon_reveal": ["contested", "always", "never"],
    "marriage_gate": ["on_lead", "after_own_trick"],
    "marriage_declare": ["optional", "automatic"],
    "trump_effect": ["immediate", "next_trick"],
    "must_beat": [True, False],
    "declarer_score": ["taken", "bid", "max"],
    "concede": ["off", "bid_60", "half_bid"],
    "redeal_talon_below": [None, 15],
    "set_aside": ["last_trick", "dead"],
    "bolt_mode": ["off", "consecutive"],
}


def check_random_rules(count: int, seed: int) -> None:
    draw = random.Random(seed)
    for _ in range(count):
        options = {name: draw.choice(values) for name, values in VALUES.items()}
        rules = FOUR_CARDS.replace(bid_step=5, **draw.choice(DECKS), **options)
        check_with_slow_walk(rules, draw.randrange(rules.players))


def test_slow_walk_agrees_under_random_rules() -> None:
    check_random_rules(15, seed=0)


@pytest.mark.long
def test_slow_walk_agrees_under_many_random_rules() -> None:
    check_random_rules(500, seed=1)


# Properties of all profiles


@pytest.mark.parametrize("name", ["mini2", "mini3"])
@pytest.mark.parametrize("reward", ["relative", "score", "win"])
def test_a_best_response_is_never_worse_and_is_what_it_says(
    name: str, reward: str, request: pytest.FixtureRequest
) -> None:
    game: SmallGame = request.getfixturevalue(name)
    rng = np.random.default_rng(5)
    for _ in range(3):
        shares = np.concatenate([[1.0], rng.gamma(0.3, size=game.num_slots - 1) + 1e-9])
        sums = np.add.reduceat(shares, np.concatenate([[0], game.choice_start[:-1]]))
        slots = shares / np.repeat(sums, np.concatenate([[1], np.diff(game.choice_start)]))
        values = values_of(game, slots, reward)
        if reward != "score":
            assert values.sum() == pytest.approx(0, abs=1e-12)
        for seat in range(game.players):
            best, chosen = best_choices(game, slots, seat, reward)
            assert best >= values[seat] - 1e-12
            answer = slots.copy()
            answer[game.slot_seat == seat] = 0
            answer[chosen] = 1
            assert values_of(game, answer, reward)[seat] == pytest.approx(best)
            assert best_choices(game, answer, seat, reward)[0] == pytest.approx(best)


def test_uniform_play(mini2: SmallGame, mini3: SmallGame) -> None:
    for game in (mini2, mini3):
        result = nash_conv("random", game)
        assert joint_policy(game, "random") == pytest.approx(uniform(game))
        assert result.values == pytest.approx(np.zeros(game.players), abs=1e-12)  # seats that deal in turn are alike
        assert result.gains == pytest.approx(np.full(game.players, result.exploitability))
        assert result.gains.min() > 0.2


def test_a_better_player_wins_and_is_exploited_less(mini2: SmallGame) -> None:
    values = expected_values([GreedyAgent(), "random"], mini2)
    assert values[0] == pytest.approx(-values[1])
    assert values[0] > 0.1
    best = best_response("random", mini2, seat=0)
    assert best.value > values[0]
    assert expected_values([best.agent, "random"], mini2)[0] == pytest.approx(best.value)


def test_seats_turn_with_the_dealer() -> None:
    """Where all seats play alike, what a seat expects depends on its place after the dealer alone."""
    rules = Rules.preset("mini3").replace(min_bid=35)
    first, second = (expected_values("random", SmallGame(rules, dealers=[dealer])) for dealer in (0, 1))
    assert second == pytest.approx(np.roll(first, 1))
    assert abs(first).max() > 0.01
    assert expected_values("random", rules) == pytest.approx(np.full(3, first.mean()), abs=1e-12)


# Who plays


def test_all_forms_of_a_policy_are_the_same(four: SmallGame) -> None:
    class WithProbabilities:
        def reset(self, seed: int | None = None) -> None:
            pass

        def act(self, view: View) -> int:
            raise AssertionError("only its probabilities are asked for")

        def action_probabilities(self, view: View) -> Any:
            return some_policy(view)

    table = {view: some_policy(view) for view in four.views()}
    rows = [np.array([some_policy(view) for view in four.views(seat)]) for seat in (0, 1)]
    every = np.array([some_policy(view) for view in four.views()])
    expected = joint_policy(four, some_policy)
    assert not (expected == uniform(four)).all()
    for agents in (WithProbabilities(), table, rows, every, (table, rows[1]), every.astype(np.float32)):
        assert joint_policy(four, agents) == pytest.approx(expected)


def test_a_deterministic_agent_has_probabilities_of_its_actions(mini2: SmallGame) -> None:
    slots = joint_policy(mini2, "greedy")
    agent = GreedyAgent()
    for choice in range(0, len(mini2.choice_seat), 301):
        chosen = mini2.slot_action[mini2.choice_start[choice] + np.argmax(slots[mini2.choice_start[choice] :][:20])]
        assert agent.act(mini2.view(choice)) == chosen


class Actor:
    """An agent without probabilities."""

    def act(self, view: View) -> int:
        return view.legal_actions()[0]

    def reset(self, seed: int | None = None) -> None:
        pass


@pytest.mark.parametrize(
    ("agents", "error", "text"),
    [
        ("rnadom", ValueError, "did you mean 'random'"),
        (Actor(), TypeError, r"agents \(Actor\) gives no probabilities: use an agent that has action_probabilities"),
        (["random"], ValueError, "1 agents are given: give one for all seats, or 2"),
        (7, TypeError, "gives no probabilities"),
        (["random", lambda view: np.ones(130)], ValueError, r"agents\[1\] \(function\) gives seat 1 no probabilities"),
        (lambda view: np.zeros(130), ValueError, "sum to 1"),
        (lambda view: np.eye(130)[129], ValueError, r"legal actions give AS, give 9H; it gave talon B: 1 at"),
        (lambda view: view.action_mask() * np.nan, ValueError, "at least 0"),
        (lambda view: [1.0], ValueError, r"shape \(1,\): they must be \(130,\)"),
        ({}, ValueError, "the mapping has no probabilities for <View"),
        (np.zeros((3, 130)), ValueError, r"an array \[3, 130\]: it must be \["),
    ],
)
def test_what_plays_no_policy_is_refused(four: SmallGame, agents: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        nash_conv(agents, four)


@pytest.mark.parametrize(
    ("rules", "options", "text"),
    [
        ("classic", {}, "max_deals=200 is not accepted"),
        (Rules(max_deals=1), {}, r"too large for a full tree walk, it has 1,197,232,128,\d+ deals|too large"),
        (FOUR_CARDS.replace(redeal_four_nines="mandatory"), {}, "redeal_four_nines='mandatory' is not accepted"),
        (FOUR_CARDS.replace(redeal_hand_below=5), {}, "redeal_hand_below are not accepted"),
        ("mini2", {"dealers": [2]}, r"dealers=\[2\] is not accepted: use different seats from 0 to 1"),
        ("mini2", {"dealers": []}, r"dealers=\[\] is not accepted"),
    ],
)
def test_games_that_are_not_small_are_refused(rules: Any, options: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        SmallGame(rules, **options)


def test_a_tree_that_grows_too_large_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("thousand_env.evaluation.small_game.MOST_POSITIONS", 1000)
    with pytest.raises(
        ValueError, match="too large for a full tree walk, it has more than 1,000 positions: use a smaller"
    ):
        SmallGame("mini2")


def test_other_wrong_arguments(four: SmallGame) -> None:
    with pytest.raises(ValueError, match="reward='points' is not accepted: use one of 'relative'"):
        nash_conv("random", four, reward="points")
    with pytest.raises(ValueError, match="seat=2 is not accepted: use 0 to 1, or None"):
        four.choices(2)


def test_results_as_text_and_numbers(four: SmallGame) -> None:
    result = nash_conv("random", four)
    assert isinstance(result, NashConv)
    assert result.to_dict()["nash_conv"] == result.nash_conv
    assert result.to_dict()["values"] == result.values.tolist()
    assert Rules.from_dict(result.to_dict()["rules"]) == FOUR_CARDS
    assert "-0.0000" not in result.text()
    assert f"NashConv {result.nash_conv:.4f}" in result.text()
    assert "2" in repr(four)


def test_the_table_plays_real_games_and_no_others(mini2: SmallGame) -> None:
    """Episodes of a deal and of a match show the same, and the sum over games is near the exact value."""
    found = best_response("random", mini2)
    agent = found.agent
    assert isinstance(agent, TableAgent)
    for episode in ("deal", "match"):
        game = Game(Rules.preset("mini2"), seed=3, episode=episode)
        while game.seat is not None:
            action = agent.act(game.view(game.seat))
            assert agent.action_probabilities(game.view(game.seat)).argmax() == action
            game.apply(action)
    with pytest.raises(ValueError, match="not to move"):
        agent.act(game.view(0))
    game = Game(Rules(), seed=3)
    with pytest.raises(ValueError, match="is not in the table, which is for any seat of the small game"):
        agent.act(game.view(game.seat or 0))
    one_seat = best_response("random", mini2, seat=0).agent
    game = Game.from_deal(mini2.rules, ["QS QH", "KS KH"], ["AS", "AH"], dealer=0)
    with pytest.raises(ValueError, match="for seat 0 of the small game"):
        one_seat.act(game.view(1))
