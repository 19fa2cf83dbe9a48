"""OpenSpiel's algorithms play Thousand, and its exact values are ours to 1e-9."""

from __future__ import annotations

import pickle
import random
from typing import Any

import numpy as np
import pytest

from tests.pipelines.spiel_play import FOUR, FOUR_RULES, known, random_states
from thousand_env import View
from thousand_env.evaluation import SmallGame, expected_values, nash_conv
from thousand_env.evaluation.nash import best_choices
from thousand_env.evaluation.policies import joint_policy

pytestmark = pytest.mark.integration
pyspiel: Any = pytest.importorskip("pyspiel")

from open_spiel.python import policy as policies  # noqa: E402
from open_spiel.python.algorithms import exploitability, ismcts, mcts, mmd_dilated, outcome_sampling_mccfr  # noqa: E402

from thousand_env.open_spiel import ThousandGame, export_efg, information_text  # noqa: E402


def table_for(policy: Any) -> Any:
    """A pyspiel tabular policy as a function of our views."""
    table = policy.policy_table()

    def probabilities(view: View) -> Any:
        answer = np.zeros(130)
        for action, probability in table[information_text(view)]:
            answer[action] = probability
        return answer

    return probabilities


# Exact values


def uneven(state: Any) -> dict[int, float]:
    """Probabilities that depend on all that the seat knows, some of them 0."""
    rng = random.Random(state.information_state_string())
    shares = {action: max(rng.random() - 0.2, 0) for action in state.legal_actions()}
    shares[max(shares)] += 0.1
    return {action: share / sum(shares.values()) for action, share in shares.items()}


def assert_values_are_ours(game: Any, ours: SmallGame, policy: Any, play: Any) -> None:
    """What each seat expects, and what its best response would, to 1e-9."""
    slots = joint_policy(ours, play)
    values = pyspiel.expected_returns(game.new_initial_state(), policy, -1, True)
    assert values == pytest.approx(expected_values(play, ours).tolist(), abs=1e-9)
    for seat in range(game.num_players()):
        best = pyspiel.TabularBestResponse(game, seat, policy.policy_table())
        assert best.value_from_state(game.new_initial_state()) == pytest.approx(
            best_choices(ours, slots, seat)[0], abs=1e-9
        )


def test_four_cards_in_python_and_in_c() -> None:
    game, ours = pyspiel.load_game(FOUR), SmallGame(FOUR_RULES)
    for play in (uneven, lambda state: dict.fromkeys(state.legal_actions(), 1 / len(state.legal_actions()))):
        policy = policies.tabular_policy_from_callable(game, play)
        in_c = policies.python_policy_to_pyspiel_policy(policy)
        assert_values_are_ours(game, ours, in_c, table_for(in_c))
        assert pyspiel.nash_conv(game, in_c) == pytest.approx(nash_conv(table_for(in_c), ours).nash_conv, abs=1e-9)
        found = exploitability.nash_conv(game, policy, return_only_nash_conv=False)
        expected = nash_conv(table_for(in_c), ours)
        assert found.nash_conv == pytest.approx(expected.nash_conv, abs=1e-9)
        assert found.player_improvements == pytest.approx(expected.gains, abs=1e-9)
        assert exploitability.exploitability(game, policy) == pytest.approx(expected.exploitability, abs=1e-9)


@pytest.mark.parametrize("reward", ["score", "win"])
def test_four_cards_under_other_rewards(reward: str) -> None:
    game, ours = pyspiel.load_game(f"{FOUR[:-1]},reward={reward})"), SmallGame(FOUR_RULES)
    policy = policies.tabular_policy_from_callable(game, uneven)
    expected = nash_conv(table_for(policies.python_policy_to_pyspiel_policy(policy)), ours, reward=reward)
    assert exploitability.nash_conv(game, policy) == pytest.approx(expected.nash_conv, abs=1e-9)


def current_table(game: Any) -> dict[str, Any]:
    """The policy that one iteration of OpenSpiel's CFR+ comes to: uneven, and 0 for much."""
    solver = pyspiel.CFRPlusSolver(game)
    solver.evaluate_and_update_policy()
    current, keys = solver.current_policy(), solver.tabular_average_policy().policy_table()
    return {key: current.get_state_policy(key) for key in keys}


def test_cfr_on_mini2() -> None:
    """CFR+ walks it; the policy that it comes to is worth what we say, and its information sets are ours."""
    game = pyspiel.load_game("thousand(rules=mini2,dealer=0,keep_tree=True)")
    ours, table = SmallGame("mini2", dealers=[0]), current_table(game)
    policy = pyspiel.TabularPolicy(table)
    assert len(table) == ours.information_sets
    assert set(map(information_text, ours.views())) <= set(table)
    assert_values_are_ours(game, ours, policy, table_for(policy))


@pytest.mark.parametrize("name", ["mini2", "mini3"])
def test_cfr_on_trees_in_c(name: str) -> None:
    """The same of the tree as ``export_efg`` writes it, with every dealer in ``mini2``."""
    dealers = {"mini2": None, "mini3": [0]}[name]
    ours = SmallGame(name, dealers=dealers)
    game = pyspiel.load_efg_game(export_efg(pyspiel.load_game(f"thousand(rules={name},dealer={0 if dealers else -1})")))
    assert game.num_distinct_actions() <= 130
    table = current_table(game)
    policy = pyspiel.TabularPolicy(table)
    chances = {key.split("-", 3)[3]: [chance for _, chance in legal] for key, legal in table.items()}
    assert len(chances) == len(table) == ours.information_sets

    def play(view: View) -> Any:
        answer = np.zeros(130)
        answer[view.legal_actions()] = chances[information_text(view)]
        return answer

    assert_values_are_ours(game, ours, policy, play)
    assert pyspiel.nash_conv(game, policy) == pytest.approx(nash_conv(play, ours).nash_conv, abs=1e-9)


def test_a_tree_in_c_is_the_tree_in_python() -> None:
    game, ours = pyspiel.load_game(FOUR), SmallGame(FOUR_RULES)
    text = export_efg(game)
    kinds = [line[0] for line in text.splitlines()[1:]]
    assert (kinds.count("p"), kinds.count("t")) == (ours.decision_nodes, ours.terminal_histories)
    pairs = [(game.new_initial_state(), pyspiel.load_efg_game(text).new_initial_state())]
    while pairs:
        one, two = pairs.pop()
        assert one.current_player() == two.current_player()
        assert one.returns() == two.returns() or not one.is_terminal()
        if one.is_player_node():
            assert two.information_state_string().split("-", 3)[3] == one.information_state_string()
        if one.is_chance_node():
            assert [chance for _, chance in one.chance_outcomes()] == [chance for _, chance in two.chance_outcomes()]
        both = zip(one.legal_actions(), two.legal_actions(), strict=True)
        pairs += [(one.child(ours_), two.child(theirs)) for ours_, theirs in both]


@pytest.mark.parametrize("text", ["thousand", "thousand(rules=mini2,episode=match,options=(max_deals=2))"])
def test_what_is_no_small_tree_is_not_exported(text: str) -> None:
    with pytest.raises(ValueError, match="is too large for a tree"):
        export_efg(pyspiel.load_game(text))


def test_cfr_finds_an_equilibrium_of_the_four_cards() -> None:
    solver = pyspiel.CFRSolver(pyspiel.load_game(f"{FOUR[:-1]},keep_tree=True)"))
    for _ in range(100):
        solver.evaluate_and_update_policy()
    found, start = (nash_conv(play, FOUR_RULES) for play in (table_for(solver.tabular_average_policy()), "random"))
    assert found.nash_conv < start.nash_conv / 20


def test_the_tensors_of_mini2_tell_its_information_sets_apart() -> None:
    seen: dict[bytes, str] = {}

    def walk(state: Any) -> None:
        if state.is_terminal():
            return
        if not state.is_chance_node():
            key = np.array(state.information_state_tensor(), np.float32).tobytes()
            assert seen.setdefault(key, state.information_state_string()) == state.information_state_string()
        for action in state.legal_actions():
            walk(state.child(action))

    walk(pyspiel.load_game("thousand(rules=mini2,dealer=0,keep_tree=True)").new_initial_state())
    assert len(set(seen.values())) == len(seen) == SmallGame("mini2", dealers=[0]).information_sets


# Algorithms


def test_mmd_comes_nearer_to_equilibrium() -> None:
    """Its payoff matrix is dense, which is too much for ``mini2`` itself: 20 GB."""
    game, ours = pyspiel.load_game(f"{FOUR[:-1]},keep_tree=True)"), SmallGame(FOUR_RULES)
    mmd = mmd_dilated.MMDDilatedEnt(game, alpha=0.001, stepsize=1.0)
    found = []
    for _ in range(3):
        policy = mmd.get_policies()
        found.append(exploitability.nash_conv(game, policy))
        play = table_for(policies.python_policy_to_pyspiel_policy(policy))
        assert found[-1] == pytest.approx(nash_conv(play, ours).nash_conv, abs=1e-9)
        for _ in range(10):
            mmd.update_sequences()
    assert found[2] < found[1] < found[0]


@pytest.mark.parametrize("text", ["thousand(rules=mini2)", "thousand(rules=mini3)", "thousand(rules=modern)"])
def test_ismcts_searches(text: str) -> None:
    game, rng = pyspiel.load_game(text), np.random.RandomState(1)
    bot = ismcts.ISMCTSBot(game, mcts.RandomRolloutEvaluator(1, rng), game.max_utility(), 20, random_state=rng)
    for state in random_states(game, random.Random(text), 1):
        policy, action = bot.step_with_policy(state)
        assert action in state.legal_actions()
        assert sum(probability for _, probability in policy) == pytest.approx(1)
        assert {each for each, _ in policy} == set(state.legal_actions())


def test_ismcts_finds_the_ace_of_the_four_cards() -> None:
    """Of two cards the declarer leads the ace, which cannot lose; all search needs is to look."""
    game, rng = pyspiel.load_game(f"{FOUR[:-1]},dealer=0)"), np.random.RandomState(1)
    bot = ismcts.ISMCTSBot(game, mcts.RandomRolloutEvaluator(1, rng), 1.0, 300, random_state=rng)
    state = game.new_initial_state()
    for outcome in (0, 1, 2, 3):  # 9S to the dealer, AS to first hand, 9H and AH to the talons
        state.apply_action(outcome)
    for text in ("bid 20", "pass", "talon A"):
        state.apply_action(state.string_to_action(text))
    assert state.action_to_string(bot.step(state)) == "give 9H"


@pytest.mark.parametrize("text", ["thousand(rules=mini3)", "thousand(rules=modern)"])
def test_outcome_sampling_runs(text: str) -> None:
    np.random.seed(1)
    solver = outcome_sampling_mccfr.OutcomeSamplingSolver(pyspiel.load_game(text))
    for _ in range(10):
        solver.iteration()
    state = next(random_states(pyspiel.load_game(text), random.Random(1), 1))
    assert sum(solver.average_policy().action_probabilities(state).values()) == pytest.approx(1)


def test_a_kept_tree_is_the_same_tree_and_is_not_pickled() -> None:
    plain, kept = (pyspiel.load_game(f"thousand(rules=mini2,dealer=0,keep_tree={keep})") for keep in (False, True))
    rng = random.Random(3)
    for state in random_states(kept, rng, 20):
        other = plain.new_initial_state()
        for action in state.history():
            other.apply_action(action)
        assert str(other) == str(state)
        assert known(other, 0) == known(state, 0)
    root = kept.new_initial_state()
    assert root.child(0).node is root.child(0).node
    assert len(pickle.dumps(root)) < 4000
    assert isinstance(kept, ThousandGame)
