"""Option `barrel_failed_contract`: what a failed contract on the barrel costs."""

from tests.rules.option_helpers import settle
from thousand_env import Rules

FALL = Rules(barrel_failed_contract="deduct_and_fall")
SHEET = {"scores": (0, 880, 0), "barrel": (None, 0, None)}
LAST = {"scores": (0, 880, 0), "barrel": (None, 2, None)}


def test_barrel_failed_contract_attempt_only() -> None:
    assert Rules().barrel_failed_contract == "attempt_only"
    after = settle(Rules(), (12, 90, 18), contract=120, **SHEET)
    assert (after.scores[1], after.barrel[1]) == (880, 1)
    last = settle(Rules(), (12, 90, 18), contract=120, **LAST)
    assert (last.scores[1], last.barrel[1]) == (760, None)


def test_barrel_failed_contract_deduct_and_fall() -> None:
    after = settle(FALL, (12, 90, 18), contract=120, **SHEET)
    assert (after.scores[1], after.barrel[1]) == (760, None)
    more = settle(FALL, (12, 90, 18), contract=200, **SHEET)
    assert (more.scores[1], more.barrel[1]) == (680, None)


def test_barrel_failed_contract_deduct_and_fall_costs_the_contract_not_the_penalty() -> None:
    for sheet in (SHEET, LAST):
        after = settle(FALL, (12, 90, 18), contract=100, **sheet)
        assert (after.scores[1], after.barrel[1]) == (780, None)
    after = settle(FALL.replace(barrel_fall_penalty=240), (12, 90, 18), contract=120, **LAST)
    assert (after.scores[1], after.barrel[1]) == (760, None)


def test_barrel_failed_contract_deduct_and_fall_made_contract_is_an_attempt() -> None:
    after = settle(FALL, (10, 140, 10), contract=100, **SHEET)
    assert (after.scores[1], after.barrel[1]) == (880, 1)
    last = settle(FALL, (10, 140, 10), contract=100, **LAST)
    assert (last.scores[1], last.barrel[1]) == (760, None)


def test_barrel_failed_contract_deduct_and_fall_whatever_deals_are_attempts() -> None:
    rules = FALL.replace(barrel_attempt_counts="own_turn_only")
    after = settle(rules, (12, 90, 18), contract=120, dealer=1, **SHEET)
    assert (after.scores[1], after.barrel[1]) == (760, None)


def test_barrel_failed_contract_deduct_and_fall_defenders_are_not_concerned() -> None:
    after = settle(FALL, (12, 90, 18), contract=120, scores=(880, 0, 0), barrel=(0, None, None))
    assert (after.scores[0], after.barrel[0]) == (880, 1)


def test_barrel_failed_contract_concession() -> None:
    """For a declarer on the barrel a concession is a failed contract, free or not, and counts as a use."""
    for free in (0, 1):
        rules = Rules(concede="bid_60", free_bombs=free)
        after = settle(rules, conceded=True, contract=120, **SHEET)
        assert after.scores == (60, 880, 60)
        assert after.barrel == (None, 1, None)
        assert after.concessions == (0, 1, 0)
        fallen = settle(rules.replace(barrel_failed_contract="deduct_and_fall"), conceded=True, contract=120, **SHEET)
        assert fallen.scores == (60, 760, 60)
        assert fallen.barrel == (None, None, None)
        assert fallen.concessions == (0, 1, 0)


def test_barrel_failed_contract_concession_at_other_prices() -> None:
    """`deduct_and_fall` subtracts the contract, whatever a concession costs elsewhere."""
    for concede in ("bid_60", "120_60", "half_bid"):
        after = settle(FALL.replace(concede=concede), conceded=True, contract=100, **SHEET)
        assert (after.scores[1], after.barrel[1]) == (780, None)


def test_barrel_failed_contract_deduct_and_fall_off_the_barrel_is_ordinary() -> None:
    after = settle(FALL, (12, 90, 18), contract=120, scores=(0, 500, 0))
    assert after.scores[1] == 380
