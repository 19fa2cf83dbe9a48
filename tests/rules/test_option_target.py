"""Option `target`: the total that ends the match."""

from tests.rules.option_helpers import settle
from thousand_env import Rules


def test_target_1000() -> None:
    assert Rules().target == 1000
    after = settle(Rules(), (12, 150, 18), scores=(0, 850, 0), contract=120, tricks=(1, 6, 1))
    assert after.scores[1] == 1000
    assert after.winner == 1


def test_target_1000_is_not_reached_by_995() -> None:
    after = settle(Rules(barrel=False), (12, 150, 18), scores=(0, 845, 0), contract=120)
    assert after.scores[1] == 995
    assert after.winner is None


def test_target_1001() -> None:
    """Totals are multiples of 5, so 1000 is short and 1005 is the first that qualifies."""
    rules = Rules(target=1001)
    short = settle(rules, (12, 150, 18), scores=(0, 850, 0), contract=120)
    assert short.winner is None
    assert (short.scores[1], short.barrel[1]) == (880, 0)
    enough = settle(rules, (12, 150, 18), scores=(0, 855, 0), contract=120)
    assert (enough.scores[1], enough.winner) == (1005, 1)


def test_target_1001_barrel_win() -> None:
    """Rule 35 and case T1: the barrel contract wins whatever the target; the total is max(target, 880 + 120)."""
    after = settle(
        Rules(target=1001), (30, 120, 30), scores=(0, 880, 0), barrel=(None, 1, None), contract=120, declarer=1
    )
    assert (after.scores[1], after.winner) == (1001, 1)


def test_target_any_positive_integer() -> None:
    rules = Rules(target=300, barrel_threshold=200)
    assert settle(rules, (12, 150, 18), scores=(0, 150, 0), contract=120).winner == 1
    climbed = settle(rules, (12, 150, 18), scores=(0, 145, 0), contract=120)
    assert (climbed.scores[1], climbed.barrel[1], climbed.winner) == (200, 0, None)


def test_target_small_without_barrel() -> None:
    """The threshold of 880 has no effect without a barrel, so it does not stand in the way."""
    rules = Rules(target=7, barrel=False)
    after = settle(rules, (12, 130, 58), contract=140)
    assert after.scores == (10, -140, 60)
    assert after.winner == 2
