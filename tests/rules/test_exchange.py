"""rules.md 1.4 and the cases of 7.5: the talon, the two gifts, no concession."""

import pytest

from tests.rules.helpers import cards, deal, do, hand, legal, play_out, refuses, sizes

HANDS = ("9S JS TS AS 9C JC TC", "QS KC 9D JD TD AD 9H", "KS QC AC QD KH JH TH", "KD QH AH")
UNCONTESTED = "P1 bid 100; P2 pass; P0 pass"


@pytest.fixture
def game():
    """P1 is declarer and has taken the talon KD QH AH."""
    return do(deal(*HANDS), UNCONTESTED)


def test_E1_sizes_of_hands_and_number_of_tricks(game):
    """Rules 12 and 13: 10/7/7, after the gifts 8/8/8, then 8 tricks."""
    assert [len(game.hands[seat]) for seat in (1, 2, 0)] == [10, 7, 7]
    do(game, "P1 give QS")
    assert [len(game.hands[seat]) for seat in (1, 2, 0)] == [9, 8, 7]
    do(game, "P1 give 9H")
    assert sizes(game) == [8, 8, 8]
    assert (game.phase, game.seat) == ("play", 1)
    tricks = 0
    while game.deal_number == 0 and tricks < 8:
        leader_cards = sizes(game)
        assert leader_cards == [8 - tricks] * 3
        for _ in range(3):
            game.apply(game.legal_actions()[0])
        tricks += 1
    assert tricks == 8
    assert game.deal_number == 1


def test_E2_nobody_gets_both_cards(game):
    """Rule 13: exactly one card to each opponent; the first gift cannot be repeated and no third one is given."""
    do(game, "P1 give QS")
    assert hand(game, 2) == set(cards(HANDS[2])) | {"QS"}
    assert refuses(game, "give QS")
    assert refuses(game, "pass")
    do(game, "P1 give 9H")
    assert hand(game, 0) == set(cards(HANDS[0])) | {"9H"}
    assert refuses(game, "give KC")


def test_E4_cards_of_the_talon_may_be_given(game):
    """Rule 13: every one of the ten cards may go, talon cards and halves of marriages included."""
    ten = set(cards(HANDS[1])) | set(cards(HANDS[3]))
    assert hand(game, 1) == ten
    assert legal(game) == {f"give {card}" for card in ten}
    do(game, "P1 give AH")
    assert legal(game) == {f"give {card}" for card in ten - {"AH"}}
    do(game, "P1 give KD")
    assert "AH" in hand(game, 2)
    assert "KD" in hand(game, 0)
    assert hand(game, 1) == ten - {"AH", "KD"}


def test_rule_13_gifts_go_clockwise_and_one_way():
    """Rule 13 and 3.1: P2 wins the auction; the first gift goes to P0, the second to P1; nothing comes back."""
    game = do(deal(*HANDS), "P1 bid 100; P2 bid 105; P0 pass; P1 pass")
    assert game.seat == 2
    do(game, "P2 give KS; P2 give QC")
    assert hand(game, 0) == set(cards(HANDS[0])) | {"KS"}
    assert hand(game, 1) == set(cards(HANDS[1])) | {"QC"}
    assert hand(game, 2) == (set(cards(HANDS[2])) | set(cards(HANDS[3]))) - {"KS", "QC"}
    assert game.seat == 2


def test_rule_13_the_gift_joins_the_hand(game):
    """Rule 13: the receiver plays with eight cards, the gift among them."""
    do(game, "P1 give 9H; P1 give KC; P1 play AD; P2 play QD")
    assert legal(game) == {f"play {card}" for card in [*cards(HANDS[0]), "KC"]}


def test_rule_13_a_given_half_of_a_marriage_is_gone():
    """Rules 13 and 15: who gives the queen away cannot declare with the king alone, but the deal goes on."""
    game = deal("9S JS TS AS 9C JC TC", "KH QH 9D JD TD AD 9H", "KS QC AC QD QS JH TH", "KD KC AH")
    do(game, "P1 bid 200; P2 pass; P0 pass; P1 give QH; P1 give KC")
    assert not [text for text in legal(game) if text.startswith("marry")]
    assert "play KH" in legal(game)


@pytest.mark.parametrize("auction", [UNCONTESTED, "P1 bid 100; P2 bid 120; P0 pass; P1 pass"])
def test_rule_14_no_concession(auction):
    """Rule 14: neither before the first gift nor later can a deal be given up."""
    game = do(deal(*HANDS), auction)
    while game.deal_number == 0:
        assert "concede" not in legal(game)
        game.apply(game.legal_actions()[0])


def test_rule_14_a_hopeless_contract_is_played_to_the_end():
    """Rules 14 and 24: the declarer whose contract is out of reach plays on and loses it."""
    game = do(deal(*HANDS, episode="deal"), "P1 bid 120; P2 pass; P0 pass; P1 give AH; P1 give AD")
    play_out(game, only=lambda text: not text.startswith("marry"))
    assert sum(game.tricks_won) == 8
    assert game.points[1] < 120
    assert game.scores[1] <= -120
