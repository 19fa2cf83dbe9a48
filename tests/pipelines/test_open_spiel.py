"""Thousand in OpenSpiel: its own generic tests, the parameters, the deal, and what seats know."""

from __future__ import annotations

import pickle
import random
import unittest
from typing import Any

import numpy as np
import pytest

from tests.pipelines.spiel_play import FOUR, FOUR_RULES, known, random_states
from tests.play import choose
from tests.test_no_leak import OPTIONS, game_of, swapped_twin
from thousand_env import PRESETS, Rules, RulesError, View
from thousand_env.evaluation import SmallGame
from thousand_env.observation import encode, history

pytestmark = pytest.mark.integration
pyspiel: Any = pytest.importorskip("pyspiel")

from open_spiel.integration_tests import api_test  # noqa: E402
from open_spiel.python.tests import games_sim_test  # noqa: E402

from thousand_env.open_spiel import ThousandState, information_text, state_from_view  # noqa: E402

GAMES = [
    *(f"thousand(rules={name})" for name in PRESETS),
    *(f"thousand(rules={name},episode=match,options=(max_deals=3),reward=score)" for name in PRESETS),
    "thousand(episode=match,reward=win,options=(target=130,barrel=False))",
    "thousand(rules=lithuanian,episode=match,options=(redeal_hand_below=120,max_deals=2,dark=True))",
    "thousand(options=(redeal_four_nines=mandatory,ranks=9KA,hand_size=3,min_bid=10,bid_step=10,barrel_contract=30,"
    "max_deals=5),episode=match,reward=relative)",
    "thousand(players=2,options=(redeal_hand_below=none,marriage_values=(S=100,C=80,D=60,H=40)),dealer=1)",
    "thousand(options=(golden=True,bid_cap=none,concede=half_bid,talon_reveal=never,max_deals=4),episode=match)",
]


# OpenSpiel's own tests


@pytest.mark.parametrize("text", GAMES)
def test_random_simulations(text: str) -> None:
    """Clones, serialisation, masks, observations, returns within their bounds and of the promised sum, in C++."""
    pyspiel.random_sim_test(pyspiel.load_game(text), num_sims=2, serialize=True, verbose=False)


@pytest.mark.parametrize("text", GAMES)
def test_simulations_of_the_python_tests(text: str) -> None:
    np.random.seed(1)
    games_sim_test.GamesSimTest("sim_game").sim_game(pyspiel.load_game(text))


def run_case(base: Any, text: str) -> None:
    case = type("Case", (base,), {"game": pyspiel.load_game(text), "game_name": text})
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
    assert result.testsRun > 3
    assert not result.failures + result.errors, (result.failures + result.errors)[0][1]


@pytest.mark.parametrize("text", [GAMES[0], GAMES[1], GAMES[5], GAMES[7], GAMES[-1], GAMES[-3]])
def test_the_api_on_part_of_the_tree(text: str) -> None:
    random.seed(1)
    run_case(api_test.EnforceAPIOnPartialTreeBase, text)


def test_the_api_on_the_whole_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    """Perfect recall, no state of one seat that looks like one of another, and as many nodes as we count."""
    ours = SmallGame(FOUR_RULES)
    chance = 1 + 2 * (1 + 4 + 12 + 24)  # the dealer, then a card each: its place among those that are left
    monkeypatch.setitem(api_test.TOTAL_NUM_STATES, FOUR, (chance, ours.decision_nodes, ours.terminal_histories))
    monkeypatch.setitem(api_test.PERFECT_RECALL_NUM_STATES, FOUR, ours.information_sets)
    run_case(api_test.EnforceAPIOnFullTreeBase, FOUR)


def test_every_registered_number_of_players_loads() -> None:
    registered = {each.short_name: each for each in pyspiel.registered_games()}["thousand"]
    assert registered.default_loadable
    for players in range(registered.min_num_players, registered.max_num_players + 1):
        assert pyspiel.load_game("thousand", {"players": players}).num_players() == players


# Parameters


def test_parameters_make_the_rules_they_name() -> None:
    marriages = {"S": 10, "C": 20, "D": 30, "H": 40}
    options = {"target": 2000, "must_beat": True, "silence_below": "none", "marriage_values": marriages}
    game = pyspiel.load_game("thousand", {"rules": "modern", "options": options, "players": 2, "episode": "match"})
    expected = Rules.preset("modern").replace(
        target=2000, must_beat=True, silence_below=None, marriage_values=(10, 20, 30, 40), players=2
    )
    assert (game.setting.rules, game.setting.episode, game.setting.reward) == (expected, "match", "relative")
    assert pyspiel.load_game(str(game)).setting == game.setting
    copied = pickle.loads(pickle.dumps(game))
    assert copied.setting == game.setting
    assert copied.new_initial_state().get_game().setting == game.setting
    assert str(pyspiel.load_game("thousand")) == "thousand()"
    every = {name: "none" if value is None else value for name, value in Rules().to_dict().items()}
    assert pyspiel.load_game("thousand", {"options": every}).setting.rules == Rules()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"rules": "clasic"}, "did you mean 'classic'"),
        ({"options": {"must_bet": True}}, "did you mean 'must_beat'"),
        ({"options": {"must_beat": 3}}, "must_beat=3 is not accepted"),
        ({"options": {"must_beat": "none"}}, "must_beat='none' is not accepted"),
        ({"episode": "round"}, "episode='round' is not accepted"),
        ({"reward": "money"}, "reward='money' is not accepted"),
        ({"dealer": 3}, "dealer=3 is not accepted: use 0 to 2"),
        ({"dealer": -2}, "dealer=-2 is not accepted"),
        ({"players": 2, "options": {"players": 3}}, "players=2 and options players=3 differ"),
    ],
)
def test_what_is_not_accepted_is_named(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises((RulesError, ValueError), match=message):
        pyspiel.load_game("thousand", parameters)


def test_pickled_and_serialised_states_go_on() -> None:
    game, rng = pyspiel.load_game("thousand(rules=modern,episode=match,options=(max_deals=3))"), random.Random(8)
    for number, state in enumerate(random_states(game, rng, 1)):
        if number % 7 == 0:
            action = state.legal_actions()[-1]
            expected = state.child(action)
            text = pyspiel.serialize_game_and_state(game, state)
            for copied in (pickle.loads(pickle.dumps(state)), pyspiel.deserialize_game_and_state(text)[1]):
                copied.apply_action(action)
                assert str(copied) == str(expected)
                assert copied.history() == expected.history()
                assert known(copied, 0) == known(expected, 0)


# The deal


def test_all_deals_are_equally_likely_and_none_comes_twice() -> None:
    deals: dict[Any, float] = {}

    def walk(state: Any, chance: float) -> None:
        if not state.is_chance_node():
            key = str(state.node.game.dealt()), state.node.game.dealer
            assert key not in deals
            deals[key] = chance
            return
        for outcome, probability in state.chance_outcomes():
            walk(state.child(outcome), chance * probability)

    walk(pyspiel.load_game("thousand(rules=mini2)").new_initial_state(), 1.0)
    assert len(deals) == 2 * 180
    assert list(deals.values()) == pytest.approx([1 / 360] * 360, rel=1e-12)


def test_a_match_goes_on_as_the_engine_would() -> None:
    """Dealers, numbers of deals and score sheets follow the engine's; the cards are those that chance has drawn."""
    rng = random.Random(4)
    for text in (GAMES[9], GAMES[13], GAMES[-1], GAMES[-3], GAMES[-4]):
        for state in random_states(pyspiel.load_game(text), rng, 3):
            action = state.node.game.legal_actions()[-1]
            after, child = state.node.game.clone(), state.child(action)
            after.apply(action)
            if child.is_chance_node():
                dealing = child.node.dealing
                assert (dealing.sheet, dealing.dealer) == (after.sheet, after.dealer)
                assert dealing.number == state.node.game.deal_number + 1
            else:
                assert child.node.game == after


# What seats know


@pytest.mark.parametrize("name", OPTIONS)
def test_texts_are_equal_where_views_are(name: str) -> None:
    """Of two positions a seat has the same text if and only if it has the same view."""
    rules, rng = Rules(**OPTIONS[name]), random.Random(name)
    texts: dict[View, str] = {}
    for _ in range(4):
        game = game_of(rules, rng)
        while True:
            for seat in range(rules.players):
                view = game.view(seat)
                twin = game if game.is_over else view.sample(np.random.default_rng(rng.getrandbits(32)))
                assert information_text(twin.view(seat)) == texts.setdefault(view, information_text(view))
            if game.is_over or game.deal_number:
                break
            game.apply(choose(rng, game))
    assert len(set(texts.values())) == len(texts)


@pytest.mark.parametrize("text", GAMES)
def test_hidden_cards_are_not_seen(text: str) -> None:
    """In every state that a seat cannot tell from this one it reads the same, of earlier deals too."""
    game, rng = pyspiel.load_game(text), random.Random(text)
    differ = 0
    for state in random_states(game, rng, 2):
        if state.node.game.phase == "redeal":
            continue  # only the game knows whose turn it really is
        for seat in range(game.num_players()):
            twin = state.resample_from_infostate(seat, rng.random)
            assert isinstance(twin, ThousandState)
            assert twin.current_player() == state.current_player()
            assert known(twin, seat) == known(state, seat)
            differ += str(twin) != str(state)
    assert differ > 20 or "mini" in text


def test_the_others_cards_are_not_in_the_first_state() -> None:
    rng, compared = random.Random(2), 0
    for rules, text in ((Rules(), "thousand(dealer=0)"), (Rules(players=2), "thousand(players=2,dealer=0)")):
        game = pyspiel.load_game(text)
        for _ in range(20):
            one = game_of(rules, rng)
            hands, talons = one.dealt()
            seat = rng.randrange(rules.players)
            two = swapped_twin(one, seat, rng)
            if two is None or one.dealer or two.dealt() == (hands, talons):
                continue
            assert known(dealt_state(game, one), seat) == known(dealt_state(game, two), seat)
            for other in range(rules.players):
                if two.dealt()[0][other] != hands[other]:
                    compared += 1
                    assert known(dealt_state(game, one), other) != known(dealt_state(game, two), other)
    assert compared > 10


def dealt_state(game: Any, deal: Any) -> Any:
    hands, talons = deal.dealt()
    owners = {card: owner for owner, cards in enumerate([*hands, *talons]) for card in cards}
    state = game.new_initial_state()
    for card in deal.rules.deck:
        state.apply_action(owners[card])
    return state


def test_tensors_are_the_observation_the_seat_and_the_history() -> None:
    game = pyspiel.load_game("thousand(rules=modern)")
    for state in random_states(game, random.Random(5), 2):
        for seat in range(3):
            view = state.node.game.view(seat)
            assert state.observation_tensor(seat) == encode(view).tolist()
            whole = np.array(state.information_state_tensor(seat))
            assert whole[:496].tolist() == encode(view).tolist()
            assert whole[496:500].tolist() == [float(seat == each) for each in range(4)]
            pairs = np.rint(whole[500:].reshape(96, 2) * [4, 131]).astype(int) - 1
            tokens = [131 * who + action if who >= 0 else -1 for who, action in pairs.tolist()]
            assert tokens == history(view).tolist()


def test_a_string_has_the_earlier_deals_of_a_match() -> None:
    game = pyspiel.load_game("thousand(episode=match,options=(max_deals=3),players=4)")
    for state in random_states(game, random.Random(6), 2):
        for seat in range(4):
            lines = state.information_state_string(seat).split("\n")
            assert len(lines) == state.node.game.deal_number + 1
            assert lines[-1] == information_text(state.node.game.view(seat))
            assert all("talon" in line for line in lines[:-1])  # shown to all when the deal is written


def test_resampled_worlds_are_uniform() -> None:
    """In ``mini2`` the other seat has one of C(4, 2) hands, and the two talons lie in one of two ways."""
    game, rng = pyspiel.load_game("thousand(rules=mini2,dealer=0)"), random.Random(1)
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.chance_outcomes()[0][0])
    seat = state.current_player()
    counts: dict[str, int] = {}
    for _ in range(6000):
        twin = str(state.resample_from_infostate(seat, rng.random))
        counts[twin] = counts.get(twin, 0) + 1
    assert len(counts) == 12
    assert sum((count - 500) ** 2 / 500 for count in counts.values()) < 31.3  # chi-square, 11 degrees, 0.001


def test_states_are_made_from_views() -> None:
    rng = random.Random(7)
    rules = Rules(max_deals=4)
    game = pyspiel.load_game("thousand(episode=match,options=(max_deals=4))")
    for state in random_states(game, rng, 2):
        view = state.node.game.view(state.current_player())
        made = state_from_view(game, view, rng.random)
        assert made.current_player() == state.current_player()
        assert made.legal_actions() == state.legal_actions()
        assert made.information_state_string() == information_text(view)
        again = made.resample_from_infostate(made.current_player(), rng.random)
        assert again.information_state_string() == information_text(view)
    with pytest.raises(ValueError, match="is no view of"):
        state_from_view(game, game_of(rules.replace(target=2000), rng).view(0), rng.random)
    with pytest.raises(ValueError, match="episode 'deal'"):
        state_from_view(game, game_of(rules, rng).view(0), rng.random)


def test_nobody_to_act_cannot_be_resampled() -> None:
    state = pyspiel.load_game("thousand").new_initial_state()
    with pytest.raises(ValueError, match="needs a state in which a seat is to act"):
        state.resample_from_infostate(0, random.random)


@pytest.mark.parametrize("name", ["classic", "two_player", "four_player", "mini3"])
def test_chance_does_what_it_says_and_nothing_else(name: str) -> None:
    rng, state = random.Random(2), pyspiel.load_game("thousand", {"rules": name}).new_initial_state()
    while state.is_chance_node():
        possible = [outcome for outcome, _ in state.chance_outcomes()]
        for outcome in {*range(8)} - {*possible}:
            with pytest.raises(ValueError, match="is not possible here"):
                state.clone().apply_action(outcome)
        for outcome in possible:
            state.clone().apply_action(outcome)
        state.apply_action(rng.choice(possible))


def test_what_chance_cannot_do_is_refused() -> None:
    state = pyspiel.load_game("thousand", {"rules": "mini2"}).new_initial_state()
    for outcome in (2, 99):
        with pytest.raises(ValueError, match=rf"outcome {outcome} is not possible here: use one of \[0, 1\]"):
            state.apply_action(outcome)
    state.apply_action(1)
    for _ in range(2):
        state.apply_action(0)  # two of the six cards, and no more, are in a hand
    before = str(state)
    for outcome in (0, 50):
        with pytest.raises(ValueError, match=rf"outcome {outcome} is not possible here: use one of \[1, 2, 3\]"):
            state.apply_action(outcome)
    assert str(state) == before
