"""rules.md 1.10 and 1.11 and the cases of 7.10: who wins the match, and when it is asked."""

import pytest

from tests.rules.helpers import Rules, at_play, do, legal, settle

D1 = ("QS JS AC TC KC KD TD 9C", "AH TH KH QH AS JD QD JC", "TS KS 9H JH AD QC 9D 9S")
"""The hands of rules.md 7.6 after the gifts."""

D1_PLAY = (
    "P1 play AH; P2 play 9H; P0 play 9C; P1 marry KH; P2 play JH; P0 play JS; P1 play TH; P2 play 9D; P0 play QS; "
    "P1 play QH; P2 play 9S; P0 play KD; P1 play AS; P2 play KS; P0 play KC; P1 play QD; P2 play AD; P0 play TD; "
    "P2 play TS; P0 play TC; P1 play JD; P2 play QC; P0 play AC; P1 play JC"
)
"""Its play: card points 16/58/46, P1 declares hearts."""


def test_T1_barrel_win_with_target_1001():
    """Rules 35 and 41: 880 + 120 = 1000 is short, but the barrel contract wins: total 1001."""
    sheet = settle((0, 120, 0), 120, Rules(target=1001), scores=[0, 880, 0], barrel=[None, 0, None])
    assert (sheet.winner, sheet.scores[1]) == (1, 1001)


def test_T3_another_barrel_contract():
    """`target=1001, barrel_contract=125`: 120 made is an attempt, 125 made wins with 1005."""
    rules = Rules(target=1001, barrel_contract=125)
    start = {"scores": [0, 880, 0], "barrel": [None, 0, None]}
    sheet = settle((0, 120, 0), 120, rules, **start)
    assert (sheet.winner, sheet.scores[1], sheet.barrel[1]) == (None, 880, 1)
    sheet = settle((35, 125, 0), 125, rules, **start)
    assert (sheet.winner, sheet.scores[1]) == (1, 1005)


def test_T5_the_declarer_wins_a_tie():
    """Rule 42: 1000 against 1000: the declarer of the deal."""
    sheet = settle((9, 150, 141), 120, scores=[100, 850, 860])
    assert sheet.scores == (110, 1000, 1000)
    assert sheet.winner == 1


def test_T7_judged_at_the_end_of_the_deal():
    """Rule 40: 870 + 132 in mid-deal ends nothing; at the end 870 + 160 wins."""
    game = at_play(*D1, scores=[0, 870, 0], bid=110)
    for number, step in enumerate(D1_PLAY.split("; ")):
        assert (game.winner, game.phase) == (None, "play")
        assert list(game.scores) == [0, 870, 0]
        if number == 9:
            assert game.scores[1] + game.points[1] >= 1000
        do(game, step)
    assert (game.winner, game.phase, game.seat) == (1, "over", None)
    assert list(game.scores) == [15, 1030, 45]
    assert legal(game) == set()


def test_T7_the_contract_may_still_fail():
    """Rule 40: the same deal at a contract of 200: 132 points in mid-deal, 158 at the end, contract lost."""
    game = do(at_play(*D1, scores=[0, 870, 0], bid=200), D1_PLAY)
    assert game.winner is None
    assert list(game.scores) == [15, 670, 45]
    assert (game.phase, game.deal_number) == ("auction", 1)


def test_rule_40_a_defender_wins_too():
    """Rules 40 and 41: the points of a defender end the game as well, whoever was declarer."""
    sheet = settle((0, 60, 160), 100, scores=[0, 0, 840])
    assert (sheet.winner, sheet.scores) == (2, (0, -100, 1000))


@pytest.mark.parametrize(("target", "total", "winner"), [(1000, 1000, 1), (1001, 1005, 1), (1001, 880, None)])
def test_rule_41_targets(target, total, winner):
    """Rule 41: totals are multiples of 5, so 1005 is the first that reaches 1001; 1000 is then on the barrel."""
    raw = 165 if total == 1005 else 160
    sheet = settle((0, raw, 0), 120, Rules(target=target), scores=[0, 840, 0])
    assert (sheet.winner, sheet.scores[1]) == (winner, total)
    assert sheet.barrel[1] == (None if winner else 0)


@pytest.mark.parametrize("target", [200, 500, 2000])
def test_rule_41_any_target(target):
    """Rule 41 and the option `target`: the first total that reaches it wins."""
    rules = Rules(target=target, barrel=False)
    sheet = settle((0, 120, 0), 120, rules, scores=[0, target - 120, 0])
    assert (sheet.winner, sheet.scores[1]) == (1, target)
    sheet = settle((0, 120, 0), 120, rules, scores=[0, target - 125, 0])
    assert (sheet.winner, sheet.scores[1]) == (None, target - 5)


def test_rule_42_the_highest_total_wins():
    """Rule 42: more than one qualifies: the highest, declarer or not."""
    sheet = settle((0, 150, 150), 120, scores=[0, 850, 860])
    assert sheet.scores == (0, 1000, 1010)
    assert sheet.winner == 2


TIE = {"scores": [0, 860, 870]}
"""P1 and P2 write 140 and 130 as defenders of P0 and both reach 1000."""


def tied():
    """The sheet after a tie of P1 and P2, neither of them declarer."""
    sheet = settle((10, 140, 130), 100, declarer=0, **TIE)
    assert sheet.scores == (-100, 1000, 1000)
    return sheet


def test_rule_42_a_tie_of_defenders_is_played_on():
    """Rule 42 and 1.11: no winner; the tied keep their totals and are not on the barrel."""
    assert tied().winner is None
    assert tied().barrel == (None, None, None)


def test_rule_42_still_tied_after_the_next_deal():
    """Rule 42: both add 20: 1020 each, the declarer is neither: play on."""
    sheet = settle((80, 20, 20), 300, declarer=0, sheet=tied())
    assert sheet.scores[1:] == (1020, 1020)
    assert sheet.winner is None


def test_rule_42_one_alone_on_top():
    """Rule 42: decided at the end of the first deal with one qualified player on top."""
    sheet = settle((70, 30, 20), 300, declarer=0, sheet=tied())
    assert (sheet.winner, sheet.scores[1:]) == (1, (1030, 1020))


def test_rule_42_the_declarer_of_the_later_deal_breaks_the_tie():
    """Rule 42: after the tie P2 is declarer of the next deal and they are level again: P2 wins."""
    sheet = settle((0, 120, 120), 120, declarer=2, sheet=tied())
    assert sheet.scores[1:] == (1120, 1120)
    assert sheet.winner == 2


def test_rule_42_a_tied_player_may_drop_out():
    """1.11: below the target, but at 880 or more: clamped on to the barrel; the other wins without scoring a point."""
    sheet = settle((90, 30, 0), 100, declarer=1, sheet=tied())
    assert sheet.scores == (-10, 880, 1000)
    assert sheet.barrel == (None, 0, None)
    assert sheet.winner == 2


def test_rule_42_a_tied_player_may_drop_below_the_barrel():
    """1.11 and rule 42: P1 loses 200: 800, off the barrel; P2 stays at 1000 and wins unchanged."""
    sheet = settle((90, 30, 0), 200, declarer=1, sheet=tied())
    assert (sheet.scores[1], sheet.barrel[1], sheet.winner) == (800, None, 2)


def test_rule_42_a_third_player_may_overtake():
    """Rule 42: P0 with 810 looks on at a tie of 1000 and passes both in the next deal."""
    sheet = settle((110, 125, 125), 100, declarer=0, scores=[700, 875, 875])
    assert (sheet.scores, sheet.winner) == ((810, 1000, 1000), None)
    sheet = settle((220, 0, 0), 120, declarer=0, sheet=sheet)
    assert (sheet.scores, sheet.winner) == ((1030, 1000, 1000), 0)


def test_rule_42_tie_first_option():
    """`tie=declarer_first`: a qualified declarer wins against a higher total."""
    sheet = settle((0, 150, 150), 120, Rules(tie="declarer_first"), scores=[0, 850, 860])
    assert sheet.winner == 1


def test_rule_42_a_tie_through_the_game():
    """Rule 42 in the game: P0 985 + 15 and P2 955 + 45 tie, the declarer is P1: another deal is dealt."""
    game = at_play(*D1, rules=Rules(barrel=False), scores=[985, 0, 955], bid=110)
    do(game, D1_PLAY)
    assert list(game.scores) == [1000, 160, 1000]
    assert (game.winner, game.phase, game.deal_number) == (None, "auction", 1)


def test_rule_42_a_tie_resolved_through_the_game():
    """Rule 42 in the game: P0 and P2 begin the deal level at 1000 and end it 1015 against 1045."""
    game = do(at_play(*D1, scores=[1000, 0, 1000], bid=110), D1_PLAY)
    assert list(game.scores) == [1015, 160, 1045]
    assert (game.winner, game.phase) == (2, "over")


def test_1_11_the_dealer_moves_and_bolts_stay():
    """1.11: after the deal the dealer moves clockwise, the sheet is carried over, the next first hand speaks."""
    game = do(at_play(*D1, bolts=[2, 1, 0], scores=[100, 200, -50], bid=110), D1_PLAY)
    assert (game.dealer, game.seat, game.deal_number, game.phase) == (1, 2, 1, "auction")
    assert list(game.scores) == [115, 360, -5]
    assert list(game.bolts) == [0, 0, 0]
    assert list(game.tricks_won) == [0, 0, 0]
    assert list(game.points) == [0, 0, 0]
