"""Option `lock_at`: the Polish lock instead of a barrel."""

import pytest

from tests.rules.option_helpers import settle
from thousand_env import Rules

LOCK = Rules(barrel=False, lock_at=900)
BOTH = pytest.mark.parametrize("lock", [800, 900])


def test_lock_at_none() -> None:
    assert Rules().lock_at is None
    after = settle(Rules(barrel=False), (12, 130, 58), scores=(0, 0, 905))
    assert after.scores[2] == 965


def _locked(lock: int) -> None:
    rules = Rules(barrel=False, lock_at=lock)
    for total in (lock, lock + 5, lock + 40):
        after = settle(rules, (10, 110, 40), scores=(0, total, total))
        assert after.scores == (10, total + 110, total)
        failed = settle(rules, (12, 90, 18), contract=100, scores=(0, total, 0))
        assert failed.scores[1] == total - 100
    below = settle(rules, (10, 110, 40), scores=(0, 0, lock - 5))
    assert below.scores[2] == lock + 35


def test_lock_at_800() -> None:
    _locked(800)


def test_lock_at_900() -> None:
    _locked(900)


def test_lock_at_without_a_barrel() -> None:
    after = settle(LOCK, (12, 130, 58), scores=(0, 0, 850))
    assert (after.scores[2], after.barrel[2]) == (910, None)


@BOTH
def test_lock_at_a_made_contract_wins(lock: int) -> None:
    after = settle(Rules(barrel=False, lock_at=lock), (12, 130, 58), scores=(0, 900, 0))
    assert (after.scores[1], after.winner) == (1030, 1)


@BOTH
def test_lock_at_crossing_keeps_the_points(lock: int) -> None:
    """Judged at the start of the deal: who was below it and crosses it keeps what he took."""
    after = settle(Rules(barrel=False, lock_at=lock), (12, 90, 58), contract=100, scores=(0, 0, lock - 10))
    assert after.scores[2] == lock + 50


def test_lock_at_crossing_up_to_the_target_wins() -> None:
    after = settle(LOCK, (12, 130, 138), scores=(0, 0, 880))
    assert after.scores[2] >= 1000
    assert after.winner == 2


def test_lock_at_bolt_fines_count() -> None:
    after = settle(LOCK, (0, 130, 30), scores=(920, 0, 0), bolts=(2, 0, 0))
    assert (after.scores[0], after.bolts[0]) == (800, 0)


def test_lock_at_bolts_run_as_usual() -> None:
    after = settle(LOCK, (0, 130, 30), scores=(920, 0, 920), bolts=(1, 0, 2))
    assert after.bolts == (2, 0, 0)


def test_lock_at_concession() -> None:
    """+60 is lost for a locked player, and −contract counts."""
    rules = LOCK.replace(concede="bid_60")
    after = settle(rules, conceded=True, contract=100, scores=(920, 950, 890))
    assert after.scores == (920, 850, 950)


def test_lock_at_sitters_bonus_is_lost() -> None:
    rules = LOCK.replace(players=4)
    locked = settle(rules, (0, 130, 12, 58), talon="AS TH 9C", scores=(900, 0, 0, 0))
    assert locked.scores[0] == 900
    free = settle(rules, (0, 130, 12, 58), talon="AS TH 9C", scores=(895, 0, 0, 0))
    assert free.scores[0] == 915
