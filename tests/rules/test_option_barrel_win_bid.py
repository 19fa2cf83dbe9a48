"""Option `barrel_win_bid`: that contract exactly, or it and any higher one."""

from tests.rules.option_helpers import settle
from thousand_env import Rules

SHEET = {"scores": (0, 880, 0), "barrel": (None, 1, None)}
MOST = Rules(barrel_win_bid="at_least")


def test_barrel_win_bid_exact() -> None:
    """Rule 35: a made contract of any other size scores nothing and uses an attempt."""
    assert Rules().barrel_win_bid == "exact"
    assert settle(Rules(), (12, 131, 57), contract=120, **SHEET).winner == 1
    for contract in (115, 125):
        after = settle(Rules(), (12, 131, 57), contract=contract, **SHEET)
        assert (after.scores[1], after.barrel[1], after.winner) == (880, 2, None)


def test_barrel_win_bid_at_least() -> None:
    for contract in (120, 125, 130):
        after = settle(MOST, (12, 131, 57), contract=contract, **SHEET)
        assert (after.scores[1], after.winner) == (1010, 1)


def test_barrel_win_bid_at_least_needs_the_size_and_the_points() -> None:
    for contract in (115, 135):
        after = settle(MOST, (12, 131, 57), contract=contract, **SHEET)
        assert (after.scores[1], after.barrel[1], after.winner) == (880, 2, None)


def test_barrel_win_bid_at_least_another_contract() -> None:
    rules = MOST.replace(barrel_contract=125)
    assert settle(rules, (12, 131, 57), contract=120, **SHEET).winner is None
    assert settle(rules, (12, 131, 57), contract=130, **SHEET).winner == 1
