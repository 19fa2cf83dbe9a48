"""Option `bolt_mode`: what clears the bolt counter."""

from tests.rules.option_helpers import settle
from thousand_env import Rules, ScoreSheet


def _without(rules: Rules, bolts: int, total: int = 300) -> ScoreSheet:
    """Seat 2 wins no trick (case B1)."""
    return settle(rules, (12, 188, 0), contract=120, tricks=(1, 7, 0), scores=(0, 0, total), bolts=(0, 0, bolts))


def _with(rules: Rules, bolts: int, total: int = 300) -> ScoreSheet:
    """Seat 2 wins a trick of three nines (case B2)."""
    return settle(rules, (12, 188, 0), contract=120, tricks=(1, 6, 1), scores=(0, 0, total), bolts=(0, 0, bolts))


def test_bolt_mode_consecutive() -> None:
    """Cases B1, B2, B5."""
    assert Rules().bolt_mode == "consecutive"
    assert [_without(Rules(), bolts).bolts[2] for bolts in (0, 1, 2)] == [1, 2, 0]
    assert [_without(Rules(), bolts).scores[2] for bolts in (0, 1, 2)] == [300, 300, 180]
    fined = _without(Rules(), 2)
    assert fined.scores == (10, 190, 180)
    kept = _with(Rules(), 2)
    assert (kept.scores[2], kept.bolts[2]) == (300, 0)


def test_bolt_mode_total() -> None:
    """Only the fine clears the counter."""
    rules = Rules(bolt_mode="total")
    assert [_with(rules, bolts).bolts[2] for bolts in (0, 1, 2)] == [0, 1, 2]
    assert [_without(rules, bolts).bolts[2] for bolts in (0, 1, 2)] == [1, 2, 0]
    assert [_without(rules, bolts).scores[2] for bolts in (0, 1, 2)] == [300, 300, 180]


def test_bolt_mode_off() -> None:
    rules = Rules(bolt_mode="off")
    sheet = ScoreSheet.start(rules, scores=(0, 0, 300))
    for deals in range(1, 8):
        sheet = settle(rules, (52, 0, 68), contract=100, scores=sheet.scores, bolts=sheet.bolts)
        assert sheet.scores[1] == -100 * deals
        assert sheet.bolts == (0, 0, 0)
    assert _without(rules, 0).scores == (10, 190, 300)


def test_bolt_mode_bolts_may_lead_below_zero() -> None:
    assert _without(Rules(), 2, total=0).scores[2] == -120


def test_bolt_mode_sitters_run_is_neither_extended_nor_broken() -> None:
    for mode in ("consecutive", "total"):
        after = settle(
            Rules(players=4, bolt_mode=mode),
            (0, 130, 12, 58),
            talon="9S 9C JD",
            bolts=(2, 0, 0, 0),
            scores=(300, 0, 0, 0),
        )
        assert (after.scores[0], after.bolts[0]) == (300, 2)
