"""Option `barrel_third_fall_zero`: a player's third fall sets his total to 0."""

from tests.rules.option_helpers import settle
from thousand_env import Rules

THIRD = Rules(barrel_third_fall_zero=True)
LAST = {"scores": (0, 0, 880), "barrel": (None, None, 2)}


def test_barrel_third_fall_zero_false() -> None:
    assert Rules().barrel_third_fall_zero is False
    for falls in range(4):
        after = settle(Rules(), (25, 130, 45), falls=(0, 0, falls), **LAST)
        assert (after.scores[2], after.barrel[2]) == (760, None)


def test_barrel_third_fall_zero_true() -> None:
    for falls, total in ((0, 760), (1, 760), (2, 0)):
        after = settle(THIRD, (25, 130, 45), falls=(0, 0, falls), **LAST)
        assert (after.scores[2], after.barrel[2]) == (total, None)
        assert after.falls == (0, 0, (falls + 1) % 3)


def test_barrel_third_fall_zero_counts_per_player() -> None:
    after = settle(THIRD, (25, 130, 45), falls=(2, 2, 0), **LAST)
    assert after.scores[2] == 760
    assert after.falls == (2, 2, 1)


def test_barrel_third_fall_zero_any_fall_counts() -> None:
    """Failed contract, collision and bolt fine are falls too."""
    failed = settle(
        THIRD.replace(barrel_failed_contract="deduct_and_fall"),
        (12, 90, 18),
        contract=120,
        scores=(0, 880, 0),
        barrel=(None, 0, None),
        falls=(0, 2, 0),
    )
    assert (failed.scores[1], failed.barrel[1], failed.falls[1]) == (0, None, 0)
    knocked = settle(
        THIRD.replace(barrel_collision="newcomer_knocks_off"),
        (12, 130, 58),
        scores=(880, 0, 850),
        barrel=(1, None, None),
        falls=(2, 0, 0),
    )
    assert knocked.scores == (0, 130, 880)
    fined = settle(
        THIRD.replace(bolt_on_barrel="counted"),
        (0, 130, 30),
        bolts=(2, 0, 0),
        scores=(880, 0, 0),
        barrel=(0, None, None),
        falls=(2, 0, 0),
    )
    assert (fined.scores[0], fined.barrel[0], fined.falls[0]) == (0, None, 0)


def test_barrel_third_fall_zero_also_without_a_penalty() -> None:
    after = settle(THIRD.replace(barrel_fall_penalty=0), (25, 130, 45), falls=(0, 0, 2), **LAST)
    assert (after.scores[2], after.barrel[2]) == (0, None)


def test_barrel_third_fall_zero_falls_without_leaving_the_threshold_count() -> None:
    """With no penalty he is on the barrel again at once; it was a fall all the same."""
    after = settle(THIRD.replace(barrel_fall_penalty=0), (25, 130, 45), falls=(0, 0, 0), **LAST)
    assert (after.scores[2], after.barrel[2], after.falls[2]) == (880, 0, 1)
