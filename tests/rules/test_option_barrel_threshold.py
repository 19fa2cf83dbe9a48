"""Option `barrel_threshold`: the total at which the barrel stands."""

from tests.rules.option_helpers import settle
from thousand_env import Rules


def test_barrel_threshold_880() -> None:
    assert Rules().barrel_threshold == 880
    after = settle(Rules(), (25, 130, 45), scores=(0, 0, 850))
    assert (after.scores[2], after.barrel[2]) == (880, 0)


def test_barrel_threshold_900() -> None:
    rules = Rules(barrel_threshold=900)
    below = settle(rules, (25, 130, 45), scores=(0, 0, 850))
    assert (below.scores[2], below.barrel[2]) == (895, None)
    on = settle(rules, (12, 130, 58), scores=(0, 0, 870))
    assert (on.scores[2], on.barrel[2]) == (900, 0)
    fallen = settle(rules, (12, 130, 58), scores=(0, 0, 900), barrel=(None, None, 2))
    assert (fallen.scores[2], fallen.barrel[2]) == (780, None)
    won = settle(rules, (12, 131, 57), contract=120, scores=(0, 900, 0), barrel=(None, 0, None))
    assert (won.scores[1], won.winner) == (1030, 1)


def test_barrel_threshold_low() -> None:
    """max(target, threshold + what rule 26 writes)."""
    rules = Rules(barrel_threshold=500)
    won = settle(rules, (12, 131, 57), contract=120, scores=(0, 500, 0), barrel=(None, 0, None))
    assert (won.scores[1], won.winner) == (1000, 1)
