"""rules.md 1.6, rules 21, 23 and 24, and the cases of 7.2: who wins a trick, what it is worth, how many there are."""

import random

import pytest

from tests.rules.helpers import POINTS, RANKS, at_play, at_random_play, do, legal, trick, trump

FIRST_TRICKS = {
    "W1": (
        ("JD JC QC JH QH KH TH AH", "9D QD KD TD AD 9S 9C 9H", "AS TS KS QS JS AC TC KC"),
        ("9D", "AS", "JD"),
        (0, 13),
    ),
    "W3": (
        ("QD QS JC QC JH QH KH TH", "KD AD JD 9D 9S 9C 9H JS", "TD AS TS KS AC TC KC AH"),
        ("KD", "TD", "QD"),
        (2, 17),
    ),
    "W6": (
        ("AD TD KD QD JD KH QH JH", "JC QC KC TC AC 9S 9D 9H", "9C AS TS KS QS JS AH TH"),
        ("JC", "9C", "AD"),
        (1, 13),
    ),
    "W8": (
        ("TH KH JH JD QD KD TD AD", "AH 9H 9S JS QS KS TS AS", "QH 9C JC QC KC TC AC 9D"),
        ("AH", "QH", "TH"),
        (1, 24),
    ),
}


def check_first_trick(case):
    """Play the first trick of a deal and compare winner, points and the next lead."""
    hands, (lead, second, third), (winner, points) = FIRST_TRICKS[case]
    game = do(at_play(*hands), f"P1 play {lead}; P2 play {second}; P0 play {third}")
    assert trump(game) is None
    assert game.seat == winner
    assert list(game.points) == [points if seat == winner else 0 for seat in range(3)]
    assert list(game.tricks_won) == [int(seat == winner) for seat in range(3)]
    assert list(game.trick) == []


def test_W1_last_hand_wins_in_the_led_suit():
    """Rule 23: 9D AS JD: the off-suit ace loses, P0 wins 13."""
    check_first_trick("W1")


def test_W3_ten_over_king():
    """Rules 1 and 23: KD 10D QD: P2 wins 17."""
    check_first_trick("W3")


def test_W6_off_suit_ace_loses():
    """Rule 23: JC 9C AD: P1 wins 13."""
    check_first_trick("W6")


def test_W8_ace_of_the_led_suit():
    """Rule 23: AH QH 10H: P1 wins 24."""
    check_first_trick("W8")


HEARTS_TRUMP = ("9S JS 9C QC KC TC AC JH", "KH QH AH KS QS AS TS TD", "JC JD QD KD AD 9D 9H TH")
"""P1 declares hearts; P0 holds the knave of hearts and two spades, P2 nine and ten of hearts and no spades."""


def test_rule_23_the_lowest_trump_beats_the_ace_of_the_led_suit():
    """Rule 23: AS led, 9H ruffs and wins."""
    game = do(at_play(*HEARTS_TRUMP), "P1 marry KH; P2 play TH; P0 play JH; P2 play 9D; P0 play 9S; P1 play TD")
    assert (game.seat, trump(game)) == (1, "H")
    do(game, "P1 play AS; P2 play 9H; P0 play JS")
    assert game.seat == 2
    assert list(game.points) == [0, 100 + 10, 4 + 10 + 2 + 11 + 0 + 2]


def test_rule_23_the_higher_of_two_trumps_wins():
    """Rule 23: JC led by P2, P0 puts the ace, P1 ruffs with QH and wins 16; overruffing is in the random deals."""
    game = do(at_play(*HEARTS_TRUMP), "P1 marry KH; P2 play TH; P0 play JH; P2 play JC; P0 play AC; P1 play QH")
    assert game.seat == 1
    assert list(game.tricks_won) == [0, 1, 1]
    assert list(game.points) == [0, 100 + 2 + 11 + 3, 16]


def test_rule_24_eight_tricks_and_no_early_end():
    """Rule 24: the deal goes on to the last card although the contract is long made."""
    game = at_play(*HEARTS_TRUMP, episode="deal")
    do(game, "P1 marry KH; P2 play TH; P0 play JH")
    assert game.points[1] >= game.contract
    played = 3
    while game.phase == "play":
        assert all(text.split()[0] in ("play", "marry") for text in legal(game))
        game.apply(game.legal_actions()[0])
        played += 1
    assert played == 24
    assert sum(game.tricks_won) == 8


def winner_of(table, trump_suit):
    """Rule 23, written down a second time: index of the winning card."""
    ruffs = [card for card in table if card[1] == trump_suit]
    fighting = ruffs or [card for card in table if card[1] == table[0][1]]
    return table.index(max(fighting, key=lambda card: RANKS.index(card[0])))


@pytest.mark.parametrize("seed", range(100))
def test_rule_23_random_deals(seed):
    """Rules 1, 21 and 23: in whole deals every trick goes to the right seat, with its points, and he leads next."""
    rng = random.Random(seed)
    game = at_random_play(seed=seed)
    tricks, bonus = 0, 0
    leader = game.seat
    assert leader == game.declarer
    while game.phase == "play":
        points, won = list(game.points), list(game.tricks_won)
        table = []
        for turn in range(3):
            assert game.seat == (leader + turn) % 3
            assert [card for _, card in trick(game)] == table
            text = rng.choice(sorted(legal(game)))
            table.append(text.split()[1])
            last = turn == 2
            suit = trump(game)
            if text.startswith("marry"):
                suit = table[0][1]
                gain = {"S": 40, "C": 60, "D": 80, "H": 100}[suit]
                points[game.seat] += gain
                bonus += gain
            do(game, text)
            if not last:
                assert trump(game) == suit
        leader = (leader + winner_of(table, suit)) % 3
        points[leader] += sum(POINTS[card[0]] for card in table)
        won[leader] += 1
        tricks += 1
        assert list(game.points) == points
        assert list(game.tricks_won) == won
        assert game.seat == (leader if tricks < 8 else None)
    assert tricks == 8
    assert sum(game.points) == 120 + bonus
