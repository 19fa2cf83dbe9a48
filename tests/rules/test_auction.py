"""rules.md 1.3 and the cases of 7.4: who may bid what, who becomes declarer, at which contract."""

import pytest

from tests.rules.helpers import DECK, Rules, bids, cards, deal, do, legal, refuses
from thousand_env import Game, IllegalActionError, parse_action

PLAIN = ("9S JS TS AS 9C JC TC", "QS KC 9D JD TD AD 9H", "KS QC AC QD KH JH TH", "KD QH AH")
"""Hands of P0, P1, P2 without a marriage, and a talon without one."""


def plain(**options):
    """A game in which nobody holds a marriage."""
    return deal(*PLAIN, rules=Rules(**options))


def deal_to_first_hand(held):
    """A game in which P1 is dealt these cards and the rest is dealt as it comes."""
    rest = [card for card in DECK if card not in held]
    return Game.from_deal(Rules(), hands=[rest[:7], held, rest[7:14]], talon=rest[14:], dealer=0)


def test_A1_opening_bid_without_marriage():
    """Rules 6 and 9: first hand must bid, 100 to 120."""
    game = plain()
    assert (game.phase, game.seat) == ("auction", 1)
    assert legal(game) == bids(100, 105, 110, 115, 120)
    assert refuses(game, "pass")


def test_A3_second_speaker_without_marriage():
    """Rules 7 and 9: pass, or at least 5 above, jumps allowed, multiples of 5 only."""
    game = do(plain(), "P1 bid 100")
    assert game.seat == 2
    assert legal(game) == {"pass"} | bids(105, 110, 115, 120)
    assert refuses(game, "bid 100")
    assert refuses(game, "bid 125")
    for text in ("bid 102", "bid 107"):
        with pytest.raises(ValueError):
            game.apply(parse_action(text, game.rules))


def test_A4_at_the_cap_only_a_pass_is_left():
    """Rule 9: a player whose cap is below the next legal bid can only pass."""
    game = do(plain(), "P1 bid 100; P2 bid 120")
    assert game.seat == 0
    assert legal(game) == {"pass"}


def test_A7_king_and_queen_of_different_suits_are_no_marriage():
    """Rule 9: KH QD AS 10S 9C JC JD has cap 120."""
    game = deal_to_first_hand(cards("KH QD AS 10S 9C JC JD"))
    assert legal(game) == bids(100, 105, 110, 115, 120)


def test_A8_all_pass_on_the_opening():
    """Rules 10 and 11: the forced opening is the contract (the talon: test_visibility.py)."""
    game = do(plain(), "P1 bid 100; P2 pass; P0 pass")
    assert (game.declarer, game.contract, game.seat, game.phase) == (1, 100, 1, "exchange")


def test_A10_opening_at_120_and_all_pass():
    """Rule 10: P1 is declarer at 120 (the talon: test_visibility.py)."""
    game = do(plain(), "P1 bid 120")
    assert legal(game) == {"pass"}
    do(game, "P2 pass")
    assert legal(game) == {"pass"}
    do(game, "P0 pass")
    assert (game.declarer, game.contract) == (1, 120)


def test_A11_jump_to_120():
    """Rules 7 and 10: a jump wins the auction for P2."""
    game = do(plain(), "P1 bid 100; P2 bid 120; P0 pass; P1 pass")
    assert (game.declarer, game.contract, game.seat, game.phase) == (2, 120, 2, "exchange")


def test_A13_bid_step_10():
    """`bid_step=10`: after 100 without a marriage only pass, 110 and 120."""
    game = do(plain(bid_step=10), "P1 bid 100")
    assert legal(game) == {"pass"} | bids(110, 120)


@pytest.mark.parametrize(
    ("held", "cap"),
    [
        ("KS QS 9C 9D 9H JC JD", 160),
        ("KC QC 9S 9D 9H JS JD", 180),
        ("KD QD 9S 9C 9H JS JC", 200),
        ("KH QH 9S 9C 9D JS JC", 220),
        ("KS QS KC QC 9D 9H JD", 220),
        ("KS QS KH QH 9D 9C JD", 260),
        ("KS QS KC QC KD QD AH", 300),
        ("KC QC KD QD KH QH AS", 360),
    ],
)
def test_rule_9_cap_is_120_plus_the_marriages_held(held, cap):
    """Rule 9: S 40, C 60, D 80, H 100 above 120; three marriages at most, so at most 360."""
    game = deal_to_first_hand(cards(held))
    assert legal(game) == bids(*range(100, cap + 5, 5))


def test_rule_9_a_marriage_completed_by_the_talon_does_not_count():
    """Rule 9: the hand is judged as held while bidding."""
    game = deal("9S JS TS AS 9C JC TC", "QH KC 9D JD TD AD 9H", "KS QC AC QD QS JH TH", "KD KH AH")
    assert legal(game) == bids(100, 105, 110, 115, 120)


def test_rule_9_players_below_the_current_bid_are_still_asked():
    """Rule 9: P1 opens 220 on a heart marriage; the others can only pass, one after the other."""
    game = deal_to_first_hand(cards("KH QH 9S 9C 9D JS JC"))
    do(game, "P1 bid 220")
    for seat in (2, 0):
        assert game.seat == seat
        assert legal(game) == {"pass"}
        do(game, "pass")
    assert (game.declarer, game.contract) == (1, 220)


def test_rule_9_the_cap_is_each_players_own():
    """Rule 9: P2 with a club marriage may go to 180 where the others stop at 120."""
    game = deal("9S JS TS AS 9C JC TC", "QS KD 9D JD TD AD 9H", "KS QC KC QD KH JH TH", "AC QH AH")
    do(game, "P1 bid 120")
    assert legal(game) == {"pass"} | bids(*range(125, 185, 5))
    do(game, "P2 bid 150")
    assert legal(game) == {"pass"}


def test_rule_6_only_the_first_turn_is_forced():
    """Rule 6: from then on everybody may pass, first hand at his second turn too."""
    game = do(plain(), "P1 bid 100")
    assert "pass" in legal(game)
    do(game, "P2 pass; P0 bid 105")
    assert game.seat == 1
    assert legal(game) == {"pass"} | bids(110, 115, 120)


def test_rule_8_a_pass_is_final():
    """Rule 8: P2 has passed and is not asked again."""
    game = do(plain(), "P1 bid 100; P2 pass; P0 bid 105; P1 bid 110; P0 bid 115; P1 bid 120; P0 pass")
    assert (game.declarer, game.contract) == (1, 120)


def test_rule_10_the_auction_lasts_until_one_is_left():
    """Rule 10: all three bid in turn; the last one left is declarer at the last bid."""
    game = do(plain(), "P1 bid 100; P2 bid 105; P0 bid 110; P1 pass; P2 bid 115; P0 bid 120")
    assert game.phase == "auction"
    do(game, "P2 pass")
    assert (game.declarer, game.contract) == (0, 120)


@pytest.mark.parametrize("script", ["bid 100; pass; pass", "bid 100; bid 105; pass; bid 110; pass"])
def test_rule_11_the_contract_is_neither_raised_nor_lowered(script):
    """Rule 11: no phase asks for another contract, and it stands while cards are given and played."""
    game = do(plain(), script)
    contract = game.contract
    declarer = game.declarer
    while game.deal_number == 0 and len(game.hands[declarer]) > 1:
        assert game.phase in ("exchange", "play")
        assert game.contract == contract
        game.apply(game.legal_actions()[0])


def test_rule_6_the_error_names_the_action():
    """interface.md: the illegal action and what was legal are in the message."""
    with pytest.raises(IllegalActionError) as caught:
        do(plain(), "P1 pass")
    assert "pass" in str(caught.value)
    assert "bid 100" in str(caught.value)
