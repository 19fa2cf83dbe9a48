"""rules.md 1.8 and the cases of 7.8: deals without a trick. Triples are (P0, P1, P2), P1 is declarer."""

import pytest

from tests.rules.helpers import Rules, at_play, do, play_out, settle

HIGH_CARDS = ("9S JS QS KS 9C JC QC KC", "AS TS AC TC AD TD AH TH", "9D JD QD KD 9H JH QH KH")
"""P1 takes all eight tricks."""


def test_B1_third_bolt():
    """Rules 30 and 32: P2 without a trick a third time: 300 - 120, counter back to 0."""
    sheet = settle((12, 188, 0), 120, tricks=(1, 7, 0), scores=[0, 0, 300], bolts=[0, 0, 2])
    assert sheet.scores == (10, 190, 180)
    assert sheet.bolts == (0, 0, 0)


def test_B2_a_trick_of_three_nines_counts():
    """Rules 30 and 32: 0 points, but a trick: no fine, and the run is broken."""
    sheet = settle((12, 188, 0), 120, tricks=(1, 6, 1), scores=[0, 0, 300], bolts=[0, 0, 2])
    assert sheet.scores == (10, 190, 300)
    assert sheet.bolts == (0, 0, 0)


def test_B5_winning_a_trick_clears_the_counter():
    """Rule 32: default 0."""
    assert settle((12, 168, 20), 120, bolts=[0, 0, 2]).bolts == (0, 0, 0)


def test_B5_bolt_mode_total():
    """`bolt_mode=total`: a trick does not clear the counter, the third bolt still costs 120."""
    rules = Rules(bolt_mode="total")
    sheet = settle((12, 168, 20), 120, rules, bolts=[0, 0, 2])
    assert sheet.bolts == (0, 0, 2)
    sheet = settle((20, 100, 0), 100, rules, tricks=(1, 7, 0), sheet=sheet)
    assert (sheet.scores[2], sheet.bolts[2]) == (20 - 120, 0)


@pytest.mark.parametrize("seat", range(3))
def test_rule_30_and_31_everybody_can_get_a_bolt(seat):
    """Rule 31: declarer and defenders alike."""
    tricks, points = [4, 4, 4], [60, 60, 60]
    tricks[seat] = points[seat] = 0
    sheet = settle(tuple(points), 100, tricks=tuple(tricks))
    assert sheet.bolts == tuple(int(seat == each) for each in range(3))


def test_rule_31_two_players_at_once():
    """Rule 31: both defenders without a trick."""
    sheet = settle((0, 120, 0), 120, tricks=(0, 8, 0), scores=[50, 0, 300], bolts=[1, 0, 2])
    assert sheet.bolts == (2, 0, 0)
    assert sheet.scores == (50, 120, 180)


def test_rule_31_third_bolt_of_a_failed_declarer():
    """Rules 26, 31 and 32: the contract and the fine."""
    sheet = settle((60, 0, 60), 100, tricks=(4, 0, 4), scores=[0, 200, 0], bolts=[0, 2, 0])
    assert sheet.scores == (60, 200 - 100 - 120, 60)
    assert sheet.bolts == (0, 0, 0)


def test_rule_31_declarer_who_makes_it_by_marriages_alone():
    """Rules 18, 26 and 31: 100 raw points without a trick make the contract, and the bolt is noted."""
    sheet = settle((60, 100, 60), 100, tricks=(4, 0, 4))
    assert sheet.scores == (60, 100, 60)
    assert sheet.bolts == (0, 1, 0)


def test_rule_31_frozen_on_the_barrel():
    """Rule 31: the counter of a player on the barrel stands still, with and without a trick."""
    start = {"scores": [880, 0, 880], "barrel": [0, None, 0], "bolts": [2, 0, 1]}
    sheet = settle((0, 100, 20), 100, tricks=(0, 7, 1), **start)
    assert sheet.bolts == (2, 0, 1)
    assert sheet.scores == (880, 100, 880)
    assert sheet.barrel == (1, None, 1)


def test_rule_32_three_deals_in_a_row():
    """Rule 32: counters 1, 2, then the fine; a fourth deal starts a new run."""
    sheet, seen = None, []
    for _ in range(4):
        sheet = settle((20, 100, 0), 100, tricks=(1, 7, 0), sheet=sheet)
        seen.append((sheet.bolts[2], sheet.scores[2]))
    assert seen == [(1, 0), (2, 0), (0, -120), (1, -120)]


def test_rule_32_a_trick_in_between_starts_anew():
    """Rule 32: bolt, bolt, trick, bolt: the counter is 1 and nothing is fined."""
    sheet = None
    for last in (0, 0, 1, 0):
        sheet = settle((20, 100, 0), 100, tricks=(1, 7 - last, last), sheet=sheet)
    assert sheet.bolts[2] == 1
    assert sheet.scores[2] == 0


def test_rule_32_the_fine_may_keep_a_player_off_the_barrel():
    """1.11: the fine belongs to the deal's change before the total is compared with 880: 800 + 100 - 120."""
    sheet = settle((60, 100, 60), 100, tricks=(4, 0, 4), scores=[0, 800, 0], bolts=[0, 2, 0])
    assert sheet.scores[1] == 780
    assert sheet.barrel[1] is None


def test_bolts_through_the_game():
    """Rules 30 to 32 in a played deal: P0 and P2 take nothing, P2 for the third time."""
    game = play_out(at_play(*HIGH_CARDS, episode="deal", scores=[0, 0, 300], bolts=[0, 1, 2]))
    assert list(game.tricks_won) == [0, 8, 0]
    assert list(game.bolts) == [1, 0, 0]
    assert list(game.scores) == [0, 120, 180]


def test_B2_through_the_game():
    """Rules 30 and 32: the only trick P2 takes is 9S 9H 9C; he wrote two bolts before and has none now."""
    game = at_play(
        "JS KS 9C KC AC TC AD TD", "KH QH AH TH AS TS 9S KD", "QS JH 9H QC JC JD 9D QD",
        episode="deal", bolts=[0, 0, 2], scores=[0, 0, 300],
    )  # fmt: skip
    do(game, "P1 play AS; P2 play QS; P0 play JS; P1 play TS; P2 play QC; P0 play KS")
    do(game, "P1 marry KH; P2 play JH; P0 play KC")
    do(game, "P1 play 9S; P2 play 9H; P0 play 9C")
    assert list(game.tricks_won) == [0, 3, 1]
    assert game.points[2] == 0
    do(game, "P2 play JC; P0 play AC; P1 play QH; P1 play AH; P2 play JD; P0 play TC")
    do(game, "P1 play TH; P2 play 9D; P0 play TD; P1 play KD; P2 play QD; P0 play AD")
    assert list(game.points) == [18, 202, 0]
    assert list(game.tricks_won) == [1, 6, 1]
    assert list(game.scores) == [20, 200, 300]
    assert list(game.bolts) == [0, 0, 0]
