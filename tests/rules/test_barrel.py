"""rules.md 1.9 and the cases of 7.9: the barrel at 880. Triples are (P0, P1, P2); P1 is declarer unless said."""

import pytest

from tests.rules.helpers import Rules, at_play, bids, deal, do, legal, play_out, settle


def on_barrel(seat, attempts, others=0):
    """A sheet in which one seat is on the barrel."""
    scores, barrel = [others] * 3, [None] * 3
    scores[seat], barrel[seat] = 880, attempts
    return {"scores": scores, "barrel": barrel}


def test_K1_clamped_to_880():
    """Rule 33: 850 + 60 = 910 becomes 880, on the barrel, no attempt used yet."""
    sheet = settle((2, 100, 58), 100, scores=[0, 0, 850])
    assert sheet.scores == (0, 100, 880)
    assert sheet.barrel == (None, None, 0)
    assert sheet.winner is None


def test_K2_exactly_880():
    """Rule 33: 835 + 45 is exactly 880."""
    sheet = settle((15, 100, 45), 100, scores=[0, 0, 835])
    assert (sheet.scores[2], sheet.barrel[2]) == (880, 0)


def test_rule_33_875_is_not_on_the_barrel():
    """Rule 33: 875 is below the threshold."""
    sheet = settle((20, 100, 40), 100, scores=[0, 0, 835])
    assert (sheet.scores[2], sheet.barrel[2]) == (875, None)


def test_K4_defender_on_the_barrel():
    """Rules 34 and 36: nothing credited, one attempt used."""
    sheet = settle((15, 100, 45), 100, **on_barrel(2, 0))
    assert (sheet.scores[2], sheet.barrel[2]) == (880, 1)


def test_K5_contract_of_120_made():
    """Rule 35: wins with 880 + 130."""
    sheet = settle((29, 131, 0), 120, **on_barrel(1, 1))
    assert sheet.winner == 1
    assert sheet.scores == (30, 1010, 0)
    assert sheet.barrel[1] is None


def test_K6_contract_of_120_made_exactly():
    """Rule 35: 880 + 120 = 1000 wins."""
    sheet = settle((0, 120, 0), 120, **on_barrel(1, 0))
    assert (sheet.winner, sheet.scores[1]) == (1, 1000)


def test_K8_a_made_contract_of_another_size():
    """Rule 35: contract 100 made with 140 scores nothing and uses an attempt."""
    sheet = settle((20, 140, 0), 100, **on_barrel(1, 1))
    assert (sheet.scores[1], sheet.barrel[1], sheet.winner) == (880, 2, None)


def test_K10_third_attempt_gone():
    """Rule 37: 760, off."""
    sheet = settle((15, 100, 45), 100, **on_barrel(2, 2))
    assert (sheet.scores[2], sheet.barrel[2]) == (760, None)


def test_K10_declarer_only():
    """`barrel_attempt_counts=declarer_only`: a defender's deal is no attempt."""
    sheet = settle((15, 100, 45), 100, Rules(barrel_attempt_counts="declarer_only"), **on_barrel(2, 2))
    assert (sheet.scores[2], sheet.barrel[2]) == (880, 2)


def test_K13_two_on_the_barrel():
    """Rule 38: P0 sits there with one attempt used, P2 climbs: 2 and 0."""
    sheet = settle((2, 100, 58), 100, scores=[880, 0, 850], barrel=[1, None, None])
    assert sheet.scores == (880, 100, 880)
    assert sheet.barrel == (2, None, 0)


def test_K13_newcomer_knocks_off():
    """`barrel_collision=newcomer_knocks_off`: P0 760 and off, P2 880."""
    rules = Rules(barrel_collision="newcomer_knocks_off")
    sheet = settle((2, 100, 58), 100, rules, scores=[880, 0, 850], barrel=[1, None, None])
    assert sheet.scores == (760, 100, 880)
    assert sheet.barrel == (None, None, 0)


def test_K15_three_deals_on_the_barrel():
    """Rules 34 to 37: from K1 on: defender with 40, declarer of 110 made, defender with 25."""
    sheet = settle((2, 100, 58), 100, scores=[0, 0, 850])
    seen = []
    for points, contract, declarer in (((0, 120, 40), 100, 1), ((0, 40, 120), 110, 2), ((0, 95, 25), 100, 1)):
        sheet = settle(points, contract, declarer=declarer, sheet=sheet)
        seen.append((sheet.scores[2], sheet.barrel[2]))
    assert seen == [(880, 1), (880, 2), (760, None)]
    assert sheet.winner is None


@pytest.mark.parametrize("total", [845, 870, 875])
def test_rule_33_at_the_target_he_wins_outright(total):
    """Rule 33: a new total of 1000 or more wins, barrel or not."""
    sheet = settle((0, 160, 0), 120, scores=[0, total, 0])
    assert (sheet.winner, sheet.scores[1], sheet.barrel[1]) == (1, total + 160, None)


def test_rule_33_below_the_target_he_does_not():
    """Rule 33: 870 + 125 = 995 is clamped."""
    sheet = settle((35, 125, 0), 120, scores=[0, 870, 0])
    assert (sheet.winner, sheet.scores[1], sheet.barrel[1]) == (None, 880, 0)


def test_rule_33_a_declarer_climbs_by_any_contract():
    """Rule 33 asks for the total alone: contract 100 lifts him."""
    sheet = settle((20, 100, 0), 100, scores=[0, 800, 0])
    assert (sheet.scores[1], sheet.barrel[1]) == (880, 0)


@pytest.mark.parametrize("raw", [5, 140, 200])
def test_rule_34_defenders_points_are_not_credited(raw):
    """Rule 34: not even enough for the target."""
    sheet = settle((0, 120 - min(raw, 120), raw), 300, **on_barrel(2, 0))
    assert (sheet.scores[2], sheet.barrel[2], sheet.winner) == (880, 1, None)


@pytest.mark.parametrize(("contract", "raw"), [(100, 160), (115, 115), (125, 160), (200, 220)])
def test_rule_35_only_exactly_120(contract, raw):
    """Rule 35: a made contract of any other size, higher ones too, scores nothing and uses an attempt."""
    sheet = settle((0, raw, 0), contract, **on_barrel(1, 0))
    assert (sheet.scores[1], sheet.barrel[1], sheet.winner) == (880, 1, None)


def test_rule_35_at_least():
    """`barrel_win_bid=at_least`: 120 or more wins."""
    sheet = settle((0, 160, 0), 125, Rules(barrel_win_bid="at_least"), **on_barrel(1, 0))
    assert (sheet.scores[1], sheet.winner) == (1040, 1)


@pytest.mark.parametrize(("score", "raw", "total"), [("taken", 131, 1010), ("taken", 123, 1005), ("bid", 131, 1000)])
def test_rule_35_what_rule_26_writes(score, raw, total):
    """Rule 35: 880 + what rule 26 writes."""
    sheet = settle((0, raw, 0), 120, Rules(declarer_score=score), **on_barrel(1, 0))
    assert (sheet.scores[1], sheet.winner) == (total, 1)


def test_rule_35_raw_points_decide():
    """Rules 26 and 35: 118 of 120 fails on the barrel as elsewhere."""
    sheet = settle((2, 118, 0), 120, **on_barrel(1, 0))
    assert (sheet.scores[1], sheet.barrel[1], sheet.winner) == (880, 1, None)


@pytest.mark.parametrize("contract", [100, 120, 300])
def test_rule_36_a_failed_contract_costs_the_attempt_only(contract):
    """Rule 36: nothing is subtracted."""
    sheet = settle((60, 60, 0), contract, **on_barrel(1, 0))
    assert (sheet.scores[1], sheet.barrel[1]) == (880, 1)


def test_rule_36_the_third_failed_contract_leaves_760():
    """Rules 36 and 37: the contract is not subtracted as well."""
    sheet = settle((60, 60, 0), 120, **on_barrel(1, 2))
    assert (sheet.scores[1], sheet.barrel[1]) == (760, None)


def test_rule_36_the_deal_of_the_climb_is_no_attempt():
    """Rule 36: only a deal begun while on the barrel is an attempt."""
    sheet = settle((20, 100, 0), 100, scores=[0, 800, 0])
    assert sheet.barrel[1] == 0


def test_rule_37_a_third_attempt_may_still_win():
    """Rule 37: the third deal counts as lost only at its end."""
    sheet = settle((0, 120, 0), 120, **on_barrel(1, 2))
    assert (sheet.winner, sheet.scores[1]) == (1, 1000)


def test_rule_37_he_may_climb_again():
    """Rule 37: from 760 up to the barrel again, with a fresh counter and three new attempts."""
    sheet = settle((15, 100, 45), 100, **on_barrel(2, 2))
    sheet = settle((20, 20, 120), 120, declarer=2, sheet=sheet)
    assert (sheet.scores[2], sheet.barrel[2]) == (880, 0)
    for attempts in (1, 2, None):
        sheet = settle((20, 100, 0), 100, sheet=sheet)
        assert sheet.barrel[2] == attempts
    assert sheet.scores[2] == 760


def test_rule_38_each_has_his_own_counter():
    """Rule 38: three players on the barrel; the declarer fails, all use an attempt of their own."""
    sheet = settle((60, 60, 0), 100, scores=[880] * 3, barrel=[0, 1, 2])
    assert sheet.scores == (880, 880, 760)
    assert sheet.barrel == (1, 2, None)


def test_rule_38_a_player_wins_from_the_barrel_beside_another():
    """Rules 35 and 38: the winner leaves, the other uses his attempt."""
    sheet = settle((0, 120, 0), 120, scores=[880, 880, 0], barrel=[0, 0, None])
    assert sheet.winner == 1
    assert sheet.scores[:2] == (880, 1000)
    assert sheet.barrel[0] == 1


def test_rule_39_a_barrel_player_bids_like_anyone():
    """Rule 39: no duty and no ban: the same bids as without the barrel, opening and later."""
    hands = ("9S JS TS AS 9C JC TC", "QS KC 9D JD TD AD 9H", "KS QC AC QD KH JH TH", "KD QH AH")
    game = deal(*hands, scores=[880] * 3, barrel=[0, 1, 2])
    assert legal(game) == bids(100, 105, 110, 115, 120)
    do(game, "P1 bid 100")
    assert legal(game) == {"pass"} | bids(105, 110, 115, 120)


HIGH_CARDS = ("9S JS QS KS 9C JC QC KC", "AS TS AC TC AD TD AH TH", "9D JD QD KD 9H JH QH KH")
"""P1 takes all eight tricks and 120 points."""


@pytest.mark.parametrize(("bid", "phase", "total"), [(120, "over", 1000), (115, "auction", 880)])
def test_barrel_through_the_game(bid, phase, total):
    """Rules 35 and 36 in a played deal: only the contract of 120 ends the match."""
    game = play_out(at_play(*HIGH_CARDS, bid=bid, scores=[0, 880, 0], barrel=[None, 1, None]))
    assert game.phase == phase
    assert game.scores[1] == total
    assert game.winner == (1 if bid == 120 else None)
    assert game.barrel[1] == (None if bid == 120 else 2)
