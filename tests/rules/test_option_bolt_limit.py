"""Option `bolt_limit`: how many bolts make a fine."""

from tests.rules.option_helpers import settle
from thousand_env import Rules


def _after(limit: int, bolts: int) -> tuple[int, int]:
    after = settle(Rules(bolt_limit=limit), (12, 188, 0), scores=(0, 0, 300), bolts=(0, 0, bolts))
    return after.scores[2], after.bolts[2]


def test_bolt_limit_3() -> None:
    assert Rules().bolt_limit == 3
    assert [_after(3, bolts) for bolts in range(3)] == [(300, 1), (300, 2), (180, 0)]


def test_bolt_limit_others() -> None:
    assert _after(1, 0) == (180, 0)
    assert [_after(2, bolts) for bolts in range(2)] == [(300, 1), (180, 0)]
    assert [_after(5, bolts) for bolts in (2, 3, 4)] == [(300, 3), (300, 4), (180, 0)]
