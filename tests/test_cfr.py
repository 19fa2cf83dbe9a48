"""CFR by tables and external sampling: regrets by hand and by differences of exact values, and the way to equilibrium.

The values that they are compared with come from ``thousand_env.evaluation``, which has a slow twin of its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from baselines.cfr import CfrPlus, Slots, counterfactual_regrets
from baselines.external_sampling import ExternalSampling
from tests.test_small_games import FOUR_CARDS, uniform
from thousand_env.evaluation import SmallGame, expected_values, nash_conv


@pytest.fixture(scope="module")
def mini2() -> SmallGame:
    return SmallGame("mini2")


@pytest.fixture(scope="module")
def four() -> SmallGame:
    return SmallGame(FOUR_CARDS, dealers=[0])


def some_policy(slots: Slots, seed: int, zeros: bool = False) -> Any:
    rng = np.random.default_rng(seed)
    weights = rng.gamma(0.5, size=slots.game.num_slots) + 1e-3
    if zeros:
        weights[rng.random(len(weights)) < 0.3] = 0
    return slots.normalised(weights)


def test_regrets_of_the_four_cards_by_hand(four: SmallGame) -> None:
    """Seat 1 is always declarer with 2 of 9S AS 9H AH; it puts one aside and leads the other.

    Only with a nine and the ace of the other suit does it matter: the ace always wins, 0.22, the nine loses to its own
    ace, held in one of two deals, -0.42. Each deal has 1/24, so the ace is worth 2 * 0.22 / 24 and the nine
    (0.22 - 0.42) / 24; played uniformly, leading the ace is better by half of the difference, 0.64 / 48.
    """
    slots = Slots(four)
    regrets = counterfactual_regrets(slots, uniform(four), seat=1)
    seen = 0
    for choice, view in enumerate(four.views()):
        own = regrets[four.choice_start[choice] : four.choice_start[choice + 1]]
        cards = view.hand
        if len(cards) == 2 and cards[0] // 6 != cards[1] // 6 and cards[0] % 6 != cards[1] % 6:
            first_is_nine = cards[0] % 6 == 0
            sign = 1 if first_is_nine else -1  # the first action puts the first card aside and leads the second
            assert own == pytest.approx([sign * 0.64 / 48, -sign * 0.64 / 48])
            seen += 1
        else:
            assert own == pytest.approx(np.zeros(len(own)))
    assert seen == 8  # two such hands, in two orders, from two talons
    assert not counterfactual_regrets(slots, uniform(four), seat=0).any()


def test_a_regret_is_what_one_choice_changes(mini2: SmallGame) -> None:
    """Playing one slot always changes the seat's value by its own reach of the choice times the regret."""
    slots = Slots(mini2)
    policy = some_policy(slots, 1)
    reach = slots.realised(policy)
    values = expected_values(slots.table(policy), mini2)
    regrets = [counterfactual_regrets(slots, policy, seat) for seat in (0, 1)]
    assert not regrets[0][mini2.slot_seat == 1].any()
    for slot in np.random.default_rng(2).integers(1, mini2.num_slots, size=25).tolist():
        seat, choice = int(mini2.slot_seat[slot]), int(slots.choice[slot])
        changed = policy.copy()
        changed[mini2.choice_start[choice] : mini2.choice_start[choice + 1]] = 0
        changed[slot] = 1
        gain = expected_values(slots.table(changed), mini2)[seat] - values[seat]
        assert gain == pytest.approx(reach[slots.previous[choice]] * regrets[seat][slot], abs=1e-12)


def test_sampled_advantages_are_regrets_on_average() -> None:
    game = SmallGame("mini2", dealers=[0])
    slots = Slots(game)
    policy = some_policy(slots, 3, zeros=True)
    sampling = ExternalSampling(slots)
    count = 30_000
    for seat in (0, 1):
        exact = counterfactual_regrets(slots, policy, seat)
        found = sampling.traverse(policy, seat, count, np.random.default_rng(4))
        assert found.advantages / count == pytest.approx(exact, abs=2e-3)
        assert np.corrcoef(found.advantages, exact)[0, 1] > 0.99
        assert not found.visits[game.choice_seat != seat].any()
        assert found.decisions > count
        first = game.choices(seat)[:3]
        assert (found.visits[first] > 0).all()


def test_every_deal_is_traversed_exactly_where_nobody_else_chooses(four: SmallGame) -> None:
    """Only seat 1 has choices, so its advantages depend on the deals drawn alone; no choice of seat 0 is met."""
    slots = Slots(four)
    found = ExternalSampling(slots).traverse(uniform(four), 1, 24_000, np.random.default_rng(0))
    assert found.advantages / 24_000 == pytest.approx(counterfactual_regrets(slots, uniform(four), 1), abs=2e-3)
    assert found.visits[four.choices(1)].min() > 800  # 1/24 of the deals, one of two talons each, both followed
    none = ExternalSampling(slots).traverse(uniform(four), 0, 100, np.random.default_rng(0))
    assert not none.advantages.any()
    assert not none.visits.any()


def test_realised_is_the_product_of_own_probabilities(four: SmallGame) -> None:
    slots = Slots(four)
    reach = slots.realised(uniform(four))
    second = slots.previous > 0
    assert set(reach[1:]) == {1 / 2, 1 / 4}  # the talon, and after it the card
    assert (reach[1:][second[slots.choice[1:]]] == 1 / 4).all()


def test_cfr_goes_to_the_equilibrium_of_mini2(mini2: SmallGame) -> None:
    uniform_gain = nash_conv("random", mini2).nash_conv
    solved = CfrPlus(mini2)
    assert nash_conv(solved.probabilities(), mini2).nash_conv == pytest.approx(uniform_gain)
    gains = []
    for _ in range(40):
        solved.step()
        gains.append(nash_conv(solved.probabilities(), mini2).nash_conv)
    assert gains[15] < uniform_gain / 20
    assert gains[39] < uniform_gain / 200
    assert solved.iteration == 40
    last = solved.slots.table(solved.slots.matched(solved.regrets))
    assert nash_conv(last, mini2).exploitability < 0.002
    likeliest = np.eye(130)[last.argmax(1)]
    assert nash_conv(likeliest, mini2).nash_conv == pytest.approx(0, abs=1e-12)  # mini2 has a pure equilibrium


def test_cfr_of_three_players() -> None:
    rules = {"players": 3, "ranks": "9A", "min_bid": 10, "exchange": "discard_three"}
    solved = CfrPlus(FOUR_CARDS.replace(**rules, suits="SH", hand_size=1))
    for _ in range(30):
        solved.step()
    before = nash_conv("random", solved.game).nash_conv
    assert nash_conv(solved.probabilities(), solved.game).nash_conv < before / 20


def test_other_rewards_and_wrong_arguments(mini2: SmallGame) -> None:
    solved = CfrPlus(mini2, reward="win")
    for _ in range(20):
        solved.step()
    before = nash_conv("random", mini2, reward="win").nash_conv
    assert nash_conv(solved.probabilities(), mini2, reward="win").nash_conv < before / 10
    with pytest.raises(ValueError, match="reward='points' is not accepted"):
        CfrPlus(mini2, reward="points")
    with pytest.raises(ValueError, match="max_deals=200 is not accepted"):
        CfrPlus("classic")
