"""Option `barrel_contract`: the contract to make on the barrel."""

from tests.rules.option_helpers import quiet, settle
from thousand_env import Rules

SHEET = {"scores": (0, 880, 0), "barrel": (None, 1, None)}


def test_barrel_contract_120() -> None:
    """Cases K6 and K8."""
    assert Rules().barrel_contract == 120
    won = settle(Rules(), (30, 120, 30), contract=120, **SHEET)
    assert (won.scores[1], won.winner) == (1000, 1)
    small = settle(Rules(), (10, 140, 10), contract=100, **SHEET)
    assert (small.scores[1], small.barrel[1], small.winner) == (880, 2, None)


def test_barrel_contract_125() -> None:
    """Case T3."""
    rules = Rules(target=1001, barrel_contract=125)
    short = settle(rules, (10, 140, 10), contract=120, **SHEET)
    assert (short.scores[1], short.barrel[1], short.winner) == (880, 2, None)
    made = settle(rules, (25, 125, 10), contract=125, **SHEET)
    assert (made.scores[1], made.winner) == (1005, 1)


def test_barrel_contract_a_bid_level() -> None:
    """Any level will do, the lowest included."""
    rules = Rules(barrel_contract=100)
    made = settle(rules, (30, 100, 30), contract=100, **SHEET)
    assert (made.scores[1], made.winner) == (1000, 1)
    other = settle(rules, (30, 120, 30), contract=120, **SHEET)
    assert (other.scores[1], other.barrel[1], other.winner) == (880, 2, None)


def test_barrel_contract_above_120_under_always_120_needs_own_turn() -> None:
    rules = Rules(barrel_contract=125, bid_cap="always_120", barrel_own_turn=True)
    game = quiet(rules, scores=[0, 880, 0], barrel=[None, 1, None])
    assert (game.declarer, game.contract) == (1, 125)
