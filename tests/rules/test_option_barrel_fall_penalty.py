"""Option `barrel_fall_penalty`: what a fall costs."""

from tests.rules.option_helpers import settle
from thousand_env import Rules

LAST = {"scores": (0, 0, 880), "barrel": (None, None, 2)}
COLLISION = {"scores": (880, 0, 850), "barrel": (1, None, None)}


def test_barrel_fall_penalty_120() -> None:
    assert Rules().barrel_fall_penalty == 120
    after = settle(Rules(), (25, 130, 45), **LAST)
    assert (after.scores[2], after.barrel[2]) == (760, None)


def test_barrel_fall_penalty_240() -> None:
    after = settle(Rules(barrel_fall_penalty=240), (25, 130, 45), **LAST)
    assert (after.scores[2], after.barrel[2]) == (640, None)
    rules = Rules(barrel_fall_penalty=240, barrel_collision="newcomer_knocks_off")
    assert settle(rules, (12, 130, 58), **COLLISION).scores == (640, 130, 880)


def test_barrel_fall_penalty_0() -> None:
    """He is still at the threshold, so he is on the barrel again at once, attempts 0."""
    after = settle(Rules(barrel_fall_penalty=0), (25, 130, 45), **LAST)
    assert (after.scores[2], after.barrel[2]) == (880, 0)


def test_barrel_fall_penalty_0_in_a_collision() -> None:
    """The new barrel for the fallen comes after the collisions and is none itself."""
    rules = Rules(barrel_fall_penalty=0, barrel_collision="newcomer_knocks_off")
    after = settle(rules, (12, 130, 58), **COLLISION)
    assert after.scores == (880, 130, 880)
    assert after.barrel == (0, None, 0)
    after = settle(rules.replace(barrel_collision="all_fall"), (12, 130, 58), **COLLISION)
    assert after.scores == (880, 130, 880)
    assert after.barrel == (0, None, 0)


def test_barrel_fall_penalty_may_lead_below_zero() -> None:
    rules = Rules(target=200, barrel_threshold=100, barrel_fall_penalty=240)
    after = settle(rules, (25, 130, 45), scores=(0, 0, 100), barrel=(None, None, 2))
    assert (after.scores[2], after.barrel[2]) == (-140, None)
