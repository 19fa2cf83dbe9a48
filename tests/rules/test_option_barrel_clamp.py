"""Option `barrel_clamp`: is the total set to the threshold?"""

from tests.rules.option_helpers import settle
from thousand_env import Rules

OFF = Rules(barrel_clamp=False)


def test_barrel_clamp_true() -> None:
    assert Rules().barrel_clamp is True
    after = settle(Rules(), (12, 130, 58), scores=(0, 0, 850))
    assert (after.scores[2], after.barrel[2]) == (880, 0)


def test_barrel_clamp_false() -> None:
    """910 stays 910, still on the barrel."""
    after = settle(OFF, (12, 130, 58), scores=(0, 0, 850))
    assert (after.scores[2], after.barrel[2], after.winner) == (910, 0, None)


def test_barrel_clamp_false_defenders_points_are_not_credited() -> None:
    after = settle(OFF, (12, 130, 58), scores=(0, 0, 910), barrel=(None, None, 0))
    assert (after.scores[2], after.barrel[2]) == (910, 1)


def test_barrel_clamp_false_win_counts_from_that_total() -> None:
    after = settle(OFF, (30, 120, 30), contract=120, scores=(0, 910, 0), barrel=(None, 1, None))
    assert (after.scores[1], after.winner) == (1030, 1)


def test_barrel_clamp_false_fall() -> None:
    """Total − penalty: 910 − 120."""
    after = settle(OFF, (12, 130, 58), scores=(0, 0, 910), barrel=(None, None, 2))
    assert (after.scores[2], after.barrel[2]) == (790, None)


def test_barrel_clamp_false_who_stays_above_after_a_fall_is_on_the_barrel_again() -> None:
    rules = OFF.replace(barrel_fall_penalty=50)
    after = settle(rules, (12, 130, 58), scores=(0, 0, 950), barrel=(None, None, 2))
    assert (after.scores[2], after.barrel[2]) == (900, 0)
    lower = settle(rules, (12, 130, 58), scores=(0, 0, 925), barrel=(None, None, 2))
    assert (lower.scores[2], lower.barrel[2]) == (875, None)


def test_barrel_clamp_false_failed_contract_that_leaves_him_above() -> None:
    rules = OFF.replace(barrel_failed_contract="deduct_and_fall")
    after = settle(rules, (12, 90, 18), contract=100, scores=(0, 990, 0), barrel=(None, 2, None))
    assert (after.scores[1], after.barrel[1]) == (890, 0)


def test_barrel_clamp_false_direct_jump_still_wins() -> None:
    after = settle(OFF, (12, 130, 58), scores=(0, 870, 0))
    assert (after.scores[1], after.winner) == (1000, 1)
