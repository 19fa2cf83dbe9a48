"""Option `barrel_attempt_counts`: which deals on the barrel are attempts."""

import pytest

from tests.rules.option_helpers import settle
from thousand_env import Rules

LAST = {"scores": (0, 0, 880), "barrel": (None, None, 2)}


def _deal(mode: str, seat: int, dealer: int, declarer: int, conceded: bool = False) -> int | None:
    """Attempts after a deal that does not win; the barrel player has used none before."""
    scores, barrel = [0, 0, 0], [None, None, None]
    scores[seat], barrel[seat] = 880, 0
    points = [10, 10, 10]
    points[declarer] = 140
    rules = Rules(barrel_attempt_counts=mode, concede="bid_60")
    after = settle(
        rules, points, dealer=dealer, declarer=declarer, contract=100, scores=scores, barrel=barrel, conceded=conceded
    )
    assert after.scores[seat] == 880
    return after.barrel[seat]


def test_barrel_attempt_counts_every_deal() -> None:
    assert Rules().barrel_attempt_counts == "every_deal"
    assert [_deal("every_deal", 2, dealer, declarer) for dealer in range(3) for declarer in range(3)] == [1] * 9
    assert settle(Rules(), (25, 130, 45), **LAST).scores[2] == 760


def test_barrel_attempt_counts_declarer_only() -> None:
    """Case K10."""
    for dealer in range(3):
        assert [_deal("declarer_only", 2, dealer, declarer) for declarer in range(3)] == [0, 0, 1]
    after = settle(Rules(barrel_attempt_counts="declarer_only"), (25, 130, 45), **LAST)
    assert (after.scores[2], after.barrel[2]) == (880, 2)


def test_barrel_attempt_counts_own_turn_only() -> None:
    """Those in which he is first hand, at the dealer's left, whoever is declarer."""
    for declarer in range(3):
        assert [_deal("own_turn_only", 2, dealer, declarer) for dealer in range(3)] == [0, 1, 0]
        assert [_deal("own_turn_only", 0, dealer, declarer) for dealer in range(3)] == [0, 0, 1]


@pytest.mark.parametrize("own_turn", [False, True])
def test_barrel_attempt_counts_own_turn_only_does_not_need_barrel_own_turn(own_turn: bool) -> None:
    rules = Rules(barrel_attempt_counts="own_turn_only", barrel_own_turn=own_turn)
    counted = settle(rules, (25, 130, 45), dealer=1, **LAST)
    assert (counted.scores[2], counted.barrel[2]) == (760, None)
    free = settle(rules, (25, 130, 45), dealer=0, **LAST)
    assert (free.scores[2], free.barrel[2]) == (880, 2)


def test_barrel_attempt_counts_own_turn_only_fails_a_contract_in_another_deal() -> None:
    """Which deals are attempts is said by this option alone."""
    rules = Rules(barrel_attempt_counts="own_turn_only")
    after = settle(rules, (25, 45, 90), dealer=0, declarer=2, contract=120, **LAST)
    assert (after.scores[2], after.barrel[2]) == (880, 2)


def test_barrel_attempt_counts_own_turn_only_wins_in_another_deal() -> None:
    """In other deals he bids as usual and rule 35 holds."""
    for mode in ("declarer_only", "own_turn_only"):
        rules = Rules(barrel_attempt_counts=mode)
        after = settle(rules, (25, 5, 130), dealer=0, declarer=2, contract=120, **LAST)
        assert (after.scores[2], after.winner) == (1010, 2)


def test_barrel_attempt_counts_with_four_players() -> None:
    """First hand is the active player at the dealer's left."""
    rules = Rules(players=4, barrel_attempt_counts="own_turn_only")
    for dealer, attempts in ((0, 0), (1, 1), (3, 0)):
        points = [0, 0, 0, 0]
        active = [seat for seat in range(4) if seat != dealer]
        declarer = next(seat for seat in active if seat != 2)
        for seat in active:
            points[seat] = 100 if seat == declarer else 10
        after = settle(
            rules,
            points,
            dealer=dealer,
            declarer=declarer,
            scores=(0, 0, 880, 0),
            barrel=(None, None, 0, None),
            talon="9S 9C JD",
        )
        assert after.barrel[2] == attempts


def test_barrel_attempt_counts_concession() -> None:
    """A conceded deal is an attempt for those on the barrel as usual."""
    assert _deal("every_deal", 2, 0, 1, conceded=True) == 1
    assert _deal("declarer_only", 2, 0, 1, conceded=True) == 0
    assert _deal("declarer_only", 2, 0, 2, conceded=True) == 1
    assert _deal("own_turn_only", 2, 1, 1, conceded=True) == 1
    assert _deal("own_turn_only", 2, 0, 2, conceded=True) == 0
