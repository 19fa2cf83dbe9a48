"""Option `tie`: who wins when several have reached the target."""

import pytest

from tests.rules.option_helpers import settle
from thousand_env import Rules

HIGH = Rules(barrel=False)
FIRST = Rules(barrel=False, tie="declarer_first")


def test_tie_highest() -> None:
    """Rule 42: the highest total wins, declarer or not."""
    assert Rules().tie == "highest"
    after = settle(HIGH, (0, 120, 120), contract=120, scores=(0, 880, 900))
    assert after.scores == (0, 1000, 1020)
    assert after.winner == 2


def test_tie_declarer_first() -> None:
    """The declarer wins if he qualifies, whatever the totals."""
    after = settle(FIRST, (0, 120, 120), contract=120, scores=(0, 880, 900))
    assert after.scores == (0, 1000, 1020)
    assert after.winner == 1


@pytest.mark.parametrize("rules", [HIGH, FIRST])
def test_tie_equal_totals_go_to_the_declarer(rules: Rules) -> None:
    after = settle(rules, (0, 120, 120), contract=120, scores=(0, 900, 900))
    assert after.scores == (0, 1020, 1020)
    assert after.winner == 1


def test_tie_highest_case_t5() -> None:
    after = settle(Rules(), (9, 150, 141), contract=120, scores=(100, 850, 860))
    assert after.scores == (110, 1000, 1000)
    assert after.winner == 1


@pytest.mark.parametrize("rules", [HIGH, FIRST])
def test_tie_highest_among_others_when_the_declarer_is_short(rules: Rules) -> None:
    after = settle(rules, (60, 0, 60), contract=100, scores=(940, 500, 950))
    assert after.scores == (1000, 400, 1010)
    assert after.winner == 2


@pytest.mark.parametrize("rules", [HIGH, FIRST, Rules(), Rules(tie="declarer_first")])
def test_tie_play_on(rules: Rules) -> None:
    """Two defenders level on top: the totals stay, and play goes on until one is alone on top."""
    if rules.barrel:
        tied = settle(rules, (130, 0, 130), contract=100, scores=(870, 500, 870))
    else:
        tied = settle(rules, (60, 0, 60), contract=100, scores=(940, 500, 940))
    assert tied.scores == (1000, 400, 1000)
    assert tied.barrel == (None, None, None)
    assert tied.winner is None
    again = settle(rules, (30, 100, 30), contract=100, scores=tied.scores)
    assert again.scores == (1030, 500, 1030)
    assert again.winner is None
    decided = settle(rules, (40, 50, 30), contract=100, scores=again.scores)
    assert decided.scores == (1070, 400, 1060)
    assert decided.winner == 0


def test_tie_after_a_tie_one_may_drop_on_to_the_barrel() -> None:
    after = settle(Rules(), (60, 0, 60), contract=100, scores=(1000, 1000, 300))
    assert after.scores == (1060, 880, 360)
    assert after.barrel == (None, 0, None)
    assert after.winner == 0


def test_tie_declarer_first_on_the_barrel() -> None:
    """The declarer wins from the barrel with 1000 against 1030."""
    sheet = {"scores": (0, 880, 870), "barrel": (None, 0, None)}
    after = settle(Rules(tie="declarer_first"), (0, 120, 160), contract=120, **sheet)
    assert after.scores == (0, 1000, 1030)
    assert after.winner == 1
    assert settle(Rules(), (0, 120, 160), contract=120, **sheet).winner == 2
