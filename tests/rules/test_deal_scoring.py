"""rules.md 1.7 and the cases of 7.7: contract, rounding, what is written. Points are (P0, P1, P2), P1 is declarer."""

import pytest

from tests.rules.helpers import Rules, at_play, deal, do, legal, play_out, settle

BID = Rules(declarer_score="bid")
NEAREST10 = Rules(rounding="nearest10")
HIGH_CARDS = ("9S JS QS KS 9C JC QC KC", "AS TS AC TC AD TD AH TH", "9D JD QD KD 9H JH QH KH")
"""P1 takes all eight tricks."""


@pytest.mark.parametrize(
    ("raw", "written"), [(12, 10), (13, 15), (17, 15), (18, 20), (118, 120), (122, 120), (123, 125)]
)
def test_S1_rounding_to_the_nearest_5(raw, written):
    """Rule 28, for a defender and for a declarer with a made contract."""
    rest = (120 if raw <= 120 else 160) - raw
    assert settle((raw, rest, 0), 300).scores == (written, -300, 0)
    if raw >= 100:
        assert settle((rest, raw, 0), 100).scores[1] == written


@pytest.mark.parametrize("raw", range(121))
def test_rule_28_every_remainder(raw):
    """Rule 28: remainders 1 and 2 go down, 3 and 4 go up; there is no tie."""
    down = {0: 0, 1: -1, 2: -2, 3: 2, 4: 1}[raw % 5]
    assert settle((raw, 120 - raw, 0), 300).scores[0] == raw + down


def test_S2_contract_made_exactly():
    """Rule 26: raw = contract is made: +100."""
    assert settle((20, 100, 0), 100).scores == (20, 100, 0)


def test_S4_judged_before_rounding():
    """Rule 26: 118 against 120 fails, although it would be written as 120."""
    assert settle((2, 118, 0), 120).scores == (0, -120, 0)


def test_S4_contract_check_rounded():
    """`contract_check=rounded`: 118 counts as 120."""
    assert settle((2, 118, 0), 120, Rules(contract_check="rounded")).scores == (0, 120, 0)


def test_S6_the_points_taken_are_written():
    """Rule 26: contract 110, raw 114: +115; with `declarer_score=bid` +110."""
    assert settle((6, 114, 0), 110).scores[1] == 115
    assert settle((6, 114, 0), 110, BID).scores[1] == 110


def test_S7_the_points_taken_are_written():
    """Rule 26: contract 120, raw 123: +125; with `declarer_score=bid` +120."""
    assert settle((20, 123, 17), 120).scores[1] == 125
    assert settle((20, 123, 17), 120, BID).scores[1] == 120


@pytest.mark.parametrize(("raw", "written"), [(44, 40), (45, 50), (46, 50)])
def test_S9_nearest10(raw, written):
    """`rounding=nearest10`: 5 goes up."""
    assert settle((raw, 120 - raw, 0), 300, NEAREST10).scores[0] == written
    assert settle((0, 120 - raw, raw), 300, NEAREST10).scores[2] == written


def test_S10_nearest10_with_the_bid_written():
    """raw (16, 158, 46), contract 110: 20, 110, 50."""
    rules = Rules(rounding="nearest10", declarer_score="bid")
    assert settle((16, 158, 46), 110, rules, tricks=(1, 5, 2)).scores == (20, 110, 50)


def test_S11_concession():
    """`concede=bid_60`: 120 conceded before the first lead: -120, +60, +60, no bolts."""
    rules = Rules(concede="bid_60")
    game = deal(
        "9S JS TS AS 9C JC TC", "QS KC 9D JD TD AD 9H", "KS QC AC QD KH JH TH", "KD QH AH",
        rules=rules, bolts=[2, 2, 1], episode="deal",
    )  # fmt: skip
    do(game, "P1 bid 120; P2 pass; P0 pass; P1 concede")
    assert list(game.scores) == [60, -120, 60]
    assert list(game.bolts) == [2, 2, 1]
    assert game.phase == "over"
    sheet = settle((0, 0, 0), 120, rules, tricks=(0, 0, 0), bolts=[2, 2, 1], how={"conceded": True})
    assert sheet.scores == (60, -120, 60)
    assert sheet.bolts == (2, 2, 1)


@pytest.mark.parametrize(("raw", "written"), [(125, 240), (30, -240)])
def test_S13_dark_bid_counts_double(raw, written):
    """`dark`, contract 120, `declarer_score=bid`: +240 or -240; the defenders single."""
    rules = Rules(dark=True, declarer_score="bid")
    total = 120 if raw <= 120 else 160
    sheet = settle((total - raw, raw, 0), 120, rules, how={"dark": True})
    assert sheet.scores == (total - raw, written, 0)


def test_S15_dump():
    """`dump=plus`: 495 + 60 = 555 becomes 0."""
    assert settle((58, 62, 0), 100, Rules(dump="plus"), scores=[495, 0, 0]).scores == (0, -100, 0)
    assert settle((58, 62, 0), 100, scores=[495, 0, 0]).scores == (555, -100, 0)


def test_rule_25_card_points_and_marriages():
    """Rule 25: raw = card points in own tricks + own declared marriages."""
    game = at_play(
        "9S JS 9C QC KC TC AC JH", "KH QH AH KS QS AS TS TD", "JC JD QD KD AD 9D 9H TH", episode="deal"
    )  # fmt: skip
    bonus = [0, 0, 0]
    while game.phase == "play":
        seat = game.seat
        text = max(legal(game), key=lambda name: (name.startswith("marry"), name))
        do(game, text)
        if text.startswith("marry"):
            bonus[seat] += {"S": 40, "C": 60, "D": 80, "H": 100}[text[-1]]
    assert sum(bonus) > 0
    assert sum(game.points) == 120 + sum(bonus)


def test_rule_26_a_failed_contract_costs_the_whole_contract():
    """Rule 26: the declarer's own points are not written."""
    assert settle((25, 95, 0), 100).scores == (25, -100, 0)


def test_rule_26_a_contract_without_any_trick():
    """Rule 26: 0 raw points: the contract is lost like any other (and a bolt noted)."""
    sheet = settle((60, 0, 60), 100, tricks=(4, 0, 4))
    assert sheet.scores == (60, -100, 60)
    assert sheet.bolts == (0, 1, 0)


@pytest.mark.parametrize(("points", "scores"), [((60, 41, 59), (60, -100, 60)), ((33, 147, 20), (35, 145, 20))])
def test_rule_27_defenders_always_write_their_own(points, scores):
    """Rule 27: a failed contract is not shared out, a made one does not take from the defenders."""
    assert settle(points, 100).scores == scores


@pytest.mark.parametrize("declarer", range(3))
def test_rules_26_and_27_for_every_seat(declarer):
    """Rules 26 and 27 do not depend on the seat of the declarer."""
    points = [11, 11, 11]
    points[declarer] = 98
    expected = [10, 10, 10]
    expected[declarer] = -100
    assert settle(tuple(points), 100, declarer=declarer, tricks=(2, 3, 3)).scores == tuple(expected)


def test_rule_29_totals_below_zero():
    """Rule 29: running totals may go below zero without limit."""
    sheet = None
    for _ in range(100):
        sheet = settle((0, 60, 60), 300, sheet=sheet)
    assert sheet.scores[1] == -30000


def test_whole_deal_through_the_game():
    """Rules 24 to 28: P1 takes all eight tricks: 120 of 120; the others get their first bolt."""
    game = play_out(at_play(*HIGH_CARDS, episode="deal", scores=[10, -35, 500]))
    assert list(game.points) == [0, 120, 0]
    assert list(game.tricks_won) == [0, 8, 0]
    assert list(game.scores) == [10, 85, 500]
    assert list(game.bolts) == [1, 0, 1]
