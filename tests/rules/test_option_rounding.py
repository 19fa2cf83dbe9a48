"""Option `rounding`: of everybody's points."""

import pytest

from tests.rules.option_helpers import settle
from thousand_env import Rules


def _written(rounding: str, raw: int) -> tuple[int, int]:
    """What a defender and a declarer at 100 write for the same raw points."""
    rest = next(total - raw for total in (120, 160, 180, 200, 220, 240) if total - raw >= 100)
    defender = settle(Rules(rounding=rounding), (0, rest, raw), contract=100).scores[2]
    others = next(total - raw for total in (120, 160, 180, 200, 220, 240) if total >= raw)
    declarer = settle(Rules(rounding=rounding), (others, raw, 0), contract=100).scores[1]
    return defender, declarer


def _defender(rounding: str, raw: int) -> int:
    return _written(rounding, raw)[0]


def test_rounding_nearest5() -> None:
    """Case S1."""
    assert Rules().rounding == "nearest5"
    assert [_defender("nearest5", raw) for raw in (12, 13, 17, 18)] == [10, 15, 15, 20]
    assert [_defender("nearest5", raw) for raw in (0, 1, 2, 3, 4, 5)] == [0, 0, 0, 5, 5, 5]
    assert [_written("nearest5", raw) for raw in (118, 122, 123)] == [(120, 120), (120, 120), (125, 125)]


def test_rounding_nearest10() -> None:
    """Case S9; a five goes up."""
    assert [_defender("nearest10", raw) for raw in (44, 45, 46)] == [40, 50, 50]
    assert [_written("nearest10", raw) for raw in (114, 115)] == [(110, 110), (120, 120)]


def test_rounding_nearest10_case_s10() -> None:
    rules = Rules(rounding="nearest10", declarer_score="bid")
    assert settle(rules, (16, 158, 46), contract=110).scores == (20, 110, 50)


def test_rounding_down5() -> None:
    assert [_defender("down5", raw) for raw in (44, 45, 49, 4)] == [40, 45, 45, 0]
    assert _written("down5", 119) == (115, 115)


def test_rounding_none() -> None:
    assert [_defender("none", raw) for raw in (44, 46, 1)] == [44, 46, 1]
    assert _written("none", 118) == (118, 118)


@pytest.mark.parametrize("rounding", ["nearest5", "nearest10", "down5", "none"])
def test_rounding_leaves_a_failed_contract_alone(rounding: str) -> None:
    assert settle(Rules(rounding=rounding), (12, 90, 18), contract=105).scores[1] == -105
