"""Option `free_bombs`: a player's first concessions cost him nothing."""

import pytest

from tests.rules.option_helpers import bid_for, do, quiet, settle
from thousand_env import Rules

MODES = pytest.mark.parametrize("mode", ["bid_60", "120_60", "half_bid"])


@MODES
def test_free_bombs_0(mode: str) -> None:
    assert Rules().free_bombs == 0
    assert settle(Rules(concede=mode), conceded=True, contract=120).scores == (60, -120, 60)


@MODES
def test_free_bombs_1(mode: str) -> None:
    rules = Rules(concede=mode, free_bombs=1)
    first = settle(rules, conceded=True, contract=120)
    assert (first.scores, first.concessions) == ((60, 0, 60), (0, 1, 0))
    second = settle(rules, conceded=True, contract=120, concessions=first.concessions)
    assert (second.scores, second.concessions) == ((60, -120, 60), (0, 2, 0))


def test_free_bombs_1_in_a_game() -> None:
    game = quiet(Rules(concede="bid_60", free_bombs=1), scores=[15, 25, 35])
    do(bid_for(game, 1, 110), "concede")
    assert list(game.scores) == [75, 25, 95]


def test_free_bombs_2() -> None:
    rules = Rules(concede="bid_60", free_bombs=2)
    paid = [settle(rules, conceded=True, concessions=(0, used, 0)).scores[1] for used in range(4)]
    assert paid == [0, 0, -100, -100]


def test_free_bombs_are_per_player() -> None:
    rules = Rules(concede="bid_60", free_bombs=1)
    after = settle(rules, conceded=True, concessions=(3, 0, 3))
    assert after.scores == (60, 0, 60)


def test_free_bombs_also_on_a_golden_or_dark_deal() -> None:
    golden = settle(Rules(concede="bid_60", free_bombs=1, golden=True), conceded=True, contract=120)
    assert golden.scores == (120, 0, 120)
    dark = settle(Rules(concede="bid_60", free_bombs=1, dark=True), conceded=True, contract=120, dark=True)
    assert dark.scores == (60, 0, 60)


def test_free_bombs_do_not_spare_a_declarer_on_the_barrel() -> None:
    """It is a failed contract, free or not, and counts as a use."""
    rules = Rules(concede="bid_60", free_bombs=1, barrel_failed_contract="deduct_and_fall")
    after = settle(rules, conceded=True, contract=120, scores=(0, 880, 0), barrel=(None, 0, None))
    assert (after.scores, after.concessions) == ((60, 760, 60), (0, 1, 0))
