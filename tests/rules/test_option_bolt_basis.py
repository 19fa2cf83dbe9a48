"""Option `bolt_basis`: a deal without a trick, or with 0 raw points."""

from tests.rules.option_helpers import settle
from thousand_env import Rules

POINTS = Rules(bolt_basis="points")


def test_bolt_basis_tricks() -> None:
    """A trick of three nines still counts as a trick (case B2)."""
    assert Rules().bolt_basis == "tricks"
    nines = settle(Rules(), (12, 188, 0), tricks=(1, 6, 1), bolts=(0, 0, 1))
    assert nines.bolts[2] == 0
    married = settle(Rules(), (60, 40, 60), tricks=(4, 0, 4), bolts=(0, 1, 0))
    assert married.bolts[1] == 2


def test_bolt_basis_points() -> None:
    nines = settle(POINTS, (12, 188, 0), tricks=(1, 6, 1), bolts=(0, 0, 1))
    assert nines.bolts[2] == 2
    married = settle(POINTS, (60, 40, 60), tricks=(4, 0, 4), bolts=(0, 1, 0))
    assert married.bolts[1] == 0
    nothing = settle(POINTS, (12, 188, 0), tricks=(1, 7, 0), bolts=(0, 0, 2), scores=(0, 0, 300))
    assert (nothing.scores[2], nothing.bolts[2]) == (180, 0)


def test_bolt_basis_points_are_raw_points() -> None:
    """Two points are written as 0 but are no bolt."""
    after = settle(POINTS, (12, 186, 2), tricks=(1, 6, 1), bolts=(0, 0, 2))
    assert after.bolts[2] == 0


def test_bolt_basis_points_under_total() -> None:
    rules = POINTS.replace(bolt_mode="total")
    assert settle(rules, (12, 186, 2), bolts=(0, 0, 2)).bolts[2] == 2
    assert settle(rules, (12, 188, 0), tricks=(1, 6, 1), bolts=(0, 0, 1)).bolts[2] == 2
