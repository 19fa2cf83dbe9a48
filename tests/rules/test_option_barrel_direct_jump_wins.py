"""Option `barrel_direct_jump_wins`: may the target be reached from below the barrel?"""

from tests.rules.option_helpers import settle
from thousand_env import Rules

OFF = Rules(barrel_direct_jump_wins=False)


def test_barrel_direct_jump_wins_true() -> None:
    """Rule 33: a new total of the target or more wins outright, barrel or not."""
    assert Rules().barrel_direct_jump_wins is True
    after = settle(Rules(), (12, 130, 58), scores=(0, 870, 0))
    assert (after.scores[1], after.barrel[1], after.winner) == (1000, None, 1)


def test_barrel_direct_jump_wins_false() -> None:
    """Even 870 + 130 is clamped to the barrel."""
    after = settle(OFF, (12, 130, 58), scores=(0, 870, 0))
    assert (after.scores[1], after.barrel[1], after.winner) == (880, 0, None)


def test_barrel_direct_jump_wins_false_holds_for_defenders() -> None:
    after = settle(OFF, (12, 130, 138), scores=(0, 0, 875))
    assert (after.scores[2], after.barrel[2], after.winner) == (880, 0, None)


def test_barrel_direct_jump_wins_false_leaves_the_barrel_win() -> None:
    after = settle(OFF, (12, 130, 58), contract=120, scores=(0, 880, 0), barrel=(None, 0, None))
    assert (after.scores[1], after.winner) == (1010, 1)


def test_barrel_direct_jump_wins_false_without_barrel_has_no_effect() -> None:
    after = settle(OFF.replace(barrel=False), (12, 130, 58), scores=(0, 870, 0))
    assert (after.scores[1], after.winner) == (1000, 1)
