"""rules.md 1.5 and the cases of 7.3: declaring, the bonus, the trump."""

import pytest

from tests.rules.helpers import Rules, at_play, deal, do, legal, playable, plays, refuses, trick, trump

VALUES = {"S": 40, "C": 60, "D": 80, "H": 100}

TWO_MARRIAGES = ("9S JS 9C QC KC TC AC 9D", "KH QH AH KS QS AS 9H TS", "JC JD QD KD TD AD JH TH")
"""P1 holds hearts and spades with both aces; P0 is void in hearts, P2 in spades; P0 holds clubs, P2 diamonds."""

FOUR_ACES = ("9S JS 9C JC QC TC 9D JD", "AH AD AC AS KS QS TS 9H", "KC QD KD TD JH QH KH TH")
"""P1 holds four aces and the spade marriage that nobody can beat."""

NO_QUEEN = ("9C 9S JS QS 9D JD QD 9H", "KC AC KS TS AS TD AD AH", "QC JC TC KD JH QH KH TH")
"""P1 holds kings, but no queen."""


def declarations(game):
    """The legal declarations."""
    return {text for text in legal(game) if text.startswith("marry")}


def test_M1_declaring_on_the_very_first_lead():
    """Rules 16 and 18: legal, +100 at once, trump hearts at once."""
    game = at_play(*TWO_MARRIAGES)
    assert {"play KH", "play QH", "marry KH", "marry QH"} <= legal(game)
    do(game, "P1 marry KH")
    assert list(game.points) == [0, 100, 0]
    assert trump(game) == "H"
    assert trick(game) == [(1, "KH")]


def test_M2_gate_after_own_trick():
    """`marriage_gate=after_own_trick`: not on the first lead; the king may be led, without bonus and trump."""
    game = at_play(*TWO_MARRIAGES, rules=Rules(marriage_gate="after_own_trick"))
    assert refuses(game, "marry KH")
    assert "play KH" in legal(game)
    do(game, "P1 play KH")
    assert list(game.points) == [0, 0, 0]
    assert trump(game) is None


def test_M3_a_follower_cannot_declare():
    """Rules 16 and 22a: P2 with KS QS follows AS with either, neither beats the ace."""
    game = at_play("9S JS TS 9C JC 9D JD 9H", "AS AC AD AH TC TD TH JH", "KS QS KC QC KD QD KH QH")
    do(game, "P1 play AS")
    assert legal(game) == plays("KS QS")
    assert refuses(game, "marry KS")


def test_M6_the_bonus_survives_the_loss_of_the_trick():
    """Rule 18: P2 wins 15 card points, P1 keeps 60, trump clubs."""
    game = at_play("9C 9S JS QS 9D JD QD 9H", "KC QC KS TS AS TD AD AH", "AC JC TC KD JH QH KH TH")
    do(game, "P1 marry KC; P2 play AC; P0 play 9C")
    assert list(game.points) == [0, 60, 15]
    assert list(game.tricks_won) == [0, 0, 1]
    assert (game.seat, trump(game)) == (2, "C")


def test_M7_a_marriage_completed_by_the_talon():
    """Rule 15: P1 is dealt QH and finds KH in the talon."""
    game = deal("9S JS TS AS 9C JC TC", "QH KC 9D JD TD AD 9H", "KS QC AC QD QS JH TH", "KD KH AH")
    do(game, "P1 bid 100; P2 pass; P0 pass; P1 give KD; P1 give KC; P1 marry QH")
    assert list(game.points) == [0, 100, 0]
    assert trump(game) == "H"


def test_M10_four_aces_are_worth_nothing_by_default():
    """Rule 20: the claim is illegal, the ace playable."""
    game = at_play(*FOUR_ACES)
    assert refuses(game, "aces AH")
    do(game, "P1 play AH")
    assert list(game.points) == [0, 0, 0]


def test_M10_ace_marriage_lead_ace():
    """`ace_marriage=lead_ace`: +200, still no trump."""
    game = at_play(*FOUR_ACES, rules=Rules(ace_marriage="lead_ace"))
    do(game, "P1 aces AH")
    assert list(game.points) == [0, 200, 0]
    assert trump(game) is None


def test_M10_ace_marriage_lead_ace_leaves_spades_trump():
    """`ace_marriage=lead_ace`: trump S stays trump S."""
    game = at_play(*FOUR_ACES, rules=Rules(ace_marriage="lead_ace"))
    do(game, "P1 marry KS; P2 play KC; P0 play JS")
    before = game.points[1]
    do(game, "P1 aces AH")
    assert game.points[1] == before + 200
    assert trump(game) == "S"


def test_M12_automatic_declaration():
    """`marriage_declare=automatic`: leading QC with KC in hand is +60 and trump C without a flag."""
    hands = ("9C 9S JS QS 9D JD QD 9H", "KC QC KS TS AS TD AD AH", "AC JC TC KD JH QH KH TH")
    game = at_play(*hands, rules=Rules(marriage_declare="automatic"))
    assert refuses(game, "marry QC")
    do(game, "P1 play QC")
    assert list(game.points) == [0, 60, 0]
    assert trump(game) == "C"


@pytest.mark.parametrize("rank", "KQ")
@pytest.mark.parametrize("suit", "SCDH")
def test_rule_15_values(suit, rank):
    """Rule 15: H 100, D 80, C 60, S 40, by the king or by the queen."""
    others = [s for s in "SCDH" if s != suit]
    p1 = f"K{suit} Q{suit} " + " ".join(f"9{s} J{s}" for s in others)
    p2 = f"A{suit} T{suit} 9{suit} " + " ".join(f"K{s}" for s in others) + " " + " ".join(f"A{s}" for s in others[:2])
    p0 = f"A{others[2]} J{suit} " + " ".join(f"Q{s} T{s}" for s in others)
    game = at_play(p0, p1, p2)
    do(game, f"P1 marry {rank}{suit}")
    assert list(game.points) == [0, VALUES[suit], 0]
    assert trump(game) == suit


def test_rule_15_a_marriage_completed_by_a_gift():
    """Rule 15: the card the declarer passed may complete a defender's marriage."""
    game = deal("9C 9S JS 9D JD QD 9H", "TC QC KS TS AS TD QS", "AC JC KD JH QH TH KC", "AD AH KH")
    do(game, "P1 bid 100; P2 pass; P0 pass; P1 give KH; P1 give QS; P1 play TC; P2 play AC; P0 play 9C; P2 marry KH")
    assert game.points[2] == 11 + 10 + 100
    assert trump(game) == "H"


def test_rule_16_one_half_is_not_enough():
    """Rule 16: the other half must still be in hand."""
    game = at_play(*TWO_MARRIAGES)
    assert declarations(game) == {"marry KH", "marry QH", "marry KS", "marry QS"}
    game = at_play(*NO_QUEEN)
    assert declarations(game) == set()


def test_rule_17_leading_without_declaring_spends_the_marriage():
    """Rule 17: nothing scored, no trump, and the queen alone can no longer declare."""
    game = at_play(*TWO_MARRIAGES)
    do(game, "P1 play KH; P2 play TH; P0 play 9C")
    assert list(game.points) == [0, 0, 14]
    assert trump(game) is None
    do(game, "P2 play JC; P0 play QC; P1 play QS")
    assert game.seat == 0
    do(game, "P0 play 9S; P1 play KS; P2 play JH")
    assert game.seat == 1
    assert declarations(game) == set()
    assert "play QH" in legal(game)


def test_rule_18_trump_counts_for_the_very_trick_of_the_declaration():
    """Rules 18, 22 and 23: hearts declared over spades: a void hand need not play the old trump, which does not win."""
    game = at_play(*TWO_MARRIAGES)
    do(game, "P1 marry KS; P2 play JC; P0 play 9S")  # P2 is void in spades and in trump
    assert trump(game) == "S"
    do(game, "P1 marry KH; P2 play TH")
    assert trump(game) == "H"
    assert legal(game) == plays("JS 9C QC KC TC AC 9D")  # P0: void in hearts; spades are no trump any more
    do(game, "P0 play JS")
    assert game.seat == 2
    assert list(game.tricks_won) == [0, 1, 1]
    assert list(game.points) == [0, 40 + 4 + 2 + 100, 4 + 10 + 2]


def test_rule_18_the_trump_stays_after_a_lost_trick():
    """Rules 18 and 22b: the trick of the declaration is lost, hearts stay trump and bind the void declarer."""
    game = at_play(*TWO_MARRIAGES)
    do(game, "P1 marry KH; P2 play TH; P0 play 9C; P2 play JC; P0 play QC")
    assert playable(game) == {"QH", "AH", "9H"}  # P1 has no clubs: hearts are trump


def test_rule_18_each_suit_is_declared_once():
    """Rule 18: after KS the queen of spades cannot declare again; the other suit still can."""
    game = at_play(*TWO_MARRIAGES)
    do(game, "P1 marry KS; P2 play JC; P0 play 9S")
    assert refuses(game, "marry QS")
    assert {"play QS", "marry KH", "marry QH"} <= legal(game)


def test_rule_19_no_trump_before_the_first_declaration():
    """Rules 19 and 22c: a void hand may play anything, nothing off-suit wins."""
    game = at_play(*TWO_MARRIAGES)
    assert trump(game) is None
    do(game, "P1 play AS")
    assert legal(game) == plays("JC JD QD KD TD AD JH TH")
    do(game, "P2 play AD; P0 play 9S")
    assert game.seat == 1
    assert trump(game) is None


def test_rule_19_defenders_marriages_count_for_them():
    """Rule 19: P2 wins a trick and declares diamonds."""
    game = at_play(*TWO_MARRIAGES)
    do(game, "P1 play KH; P2 play TH; P0 play 9C; P2 marry QD")
    assert list(game.points) == [0, 0, 14 + 80]
    assert trump(game) == "D"


def test_rule_18_marriage_points_count_for_the_contract():
    """Rules 18 and 25: the bonus is part of the raw points from the moment it is declared."""
    game = at_play(*TWO_MARRIAGES, bid=220, episode="deal")
    do(game, "P1 play AS; P2 play JC; P0 play 9S; P1 marry KS; P2 play JD; P0 play JS")
    assert list(game.points) == [0, 13 + 40 + 8, 0]
