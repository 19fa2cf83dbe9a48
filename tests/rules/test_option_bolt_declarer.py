"""Option `bolt_declarer`: can the declarer get bolts?"""

from tests.rules.option_helpers import settle
from thousand_env import Rules, ScoreSheet

FREE = Rules(bolt_declarer=False)


def _declarer(rules: Rules, raw: int, bolts: int) -> ScoreSheet:
    return settle(rules, (60, raw, 60), contract=100, scores=(0, 300, 0), bolts=(0, bolts, 0))


def test_bolt_declarer_true() -> None:
    assert Rules().bolt_declarer is True
    assert _declarer(Rules(), 0, 1).bolts[1] == 2
    fined = _declarer(Rules(), 0, 2)
    assert (fined.scores[1], fined.bolts[1]) == (300 - 100 - 120, 0)


def test_bolt_declarer_false() -> None:
    """Without a trick he leaves his counter as it is; with a trick it is cleared as usual."""
    for bolts in range(3):
        after = _declarer(FREE, 0, bolts)
        assert (after.scores[1], after.bolts[1]) == (200, bolts)
        assert _declarer(FREE, 40, bolts).bolts[1] == 0
        assert _declarer(FREE.replace(bolt_mode="total"), 40, bolts).bolts[1] == bolts


def test_bolt_declarer_false_spares_no_defender() -> None:
    after = settle(FREE, (12, 188, 0), scores=(0, 0, 300), bolts=(0, 0, 2))
    assert (after.scores[2], after.bolts[2]) == (180, 0)


def test_bolt_declarer_false_on_the_barrel() -> None:
    rules = FREE.replace(bolt_on_barrel="counted")
    after = settle(rules, (60, 0, 60), contract=100, scores=(0, 880, 0), barrel=(None, 0, None), bolts=(0, 2, 0))
    assert (after.scores[1], after.barrel[1], after.bolts[1]) == (880, 1, 2)
