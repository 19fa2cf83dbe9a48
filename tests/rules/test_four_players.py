"""rules.md 5 and the cases P4 and P7 of 7.11: four seats, the dealer sits out."""

import pytest

from tests.rules.helpers import (
    CLASSIC,
    Rules,
    at_random_play,
    bids,
    cards,
    do,
    hand,
    legal,
    play_out,
    settle,
    sizes,
)
from thousand_env import DealError, Game

FOUR = Rules(players=4)
HANDS = ("9S JS TS QS 9C JC TC", "KS KC 9D JD TD AD 9H", "QH QC AC QD KH JH KD")
TALON = "AS TH 9C"


def game_for_four(dealer=0, rules=FOUR, talon="AS TH AH", **sheet):
    """A four-player game; the hands go to first, second and last hand."""
    hands = [[], [], [], []]
    for place, held in enumerate(HANDS):
        hands[(dealer + 1 + place) % 4] = cards(held)
    return Game.from_deal(rules, hands=hands, talon=cards(talon), dealer=dealer, **sheet)


def settle_four(talon, rules=FOUR, points=(0, 100, 20, 0), tricks=(0, 6, 1, 1), **start):
    """Score a deal with seat 0 sitting out and seat 1 declarer at 100."""
    return settle(points, 100, rules, tricks=tricks, how={"talon": cards(talon)}, **start)


@pytest.mark.parametrize(
    ("talon", "bonus"),
    [
        ("AS 10H 9C", 20),
        ("9S 9C 9D", 0),
        ("KH QD JC", 10),
        ("JS JC JD", 5),
        ("KS QS 9C", 45),
        ("KC QC JD", 70),
        ("KD QD 10D", 95),
        ("KH QH AH", 120),
    ],
)
def test_P4_talon_points(talon, bonus):
    """Section 5.3: the card points of the talon and a marriage that lies there, rounded."""
    sheet = settle_four(talon)
    assert sheet.scores == (bonus, 100, 20, 0)


def test_P4_through_the_game():
    """Section 5.3: talon AS 10H 9C: the sitter writes 20, and the cards still count for who wins them."""
    hands = [[], *map(cards, ("9S JS TS QS AH JC TC", "KS KC 9D JD TD AD 9H", "QH QC AC QD KH JH KD"))]
    game = Game.from_deal(FOUR, hands=hands, talon=cards(TALON), dealer=0, episode="deal")
    do(game, "P1 bid 100; P2 pass; P3 pass; P1 give 9C; P1 give JC")
    play_out(game, only=lambda text: not text.startswith("marry"))
    assert game.scores[0] == 20
    assert sum(game.points) == 120
    assert game.points[0] == 0


def test_P7_dealer_and_first_hand():
    """Section 5.1: dealer 0: active 1, 2, 3; first hand 1; next dealer 1."""
    game = game_for_four()
    assert sizes(game) == [0, 7, 7, 7]
    assert game.seat == 1
    do(game, "P1 bid 100; P2 pass; P3 bid 105; P1 pass")
    assert game.declarer == 3
    do(game, "P3 give AS; P3 give TH")
    assert "AS" in hand(game, 1)
    assert "TH" in hand(game, 2)
    assert sizes(game) == [0, 8, 8, 8]
    play_out(game)
    assert (game.dealer, game.seat, game.deal_number) == (1, 2, 1)
    assert sizes(game) == [7, 0, 7, 7]


@pytest.mark.parametrize("dealer", range(4))
def test_section_5_1_order_of_speech_and_play(dealer):
    """Section 5.1: from the dealer's left, clockwise, never the dealer."""
    one, two, three = ((dealer + place) % 4 for place in (1, 2, 3))
    game = game_for_four(dealer)
    do(game, f"P{one} bid 100; P{two} bid 105; P{three} bid 110; P{one} pass; P{two} pass")
    do(game, f"P{three} give JH; P{three} give QC")
    assert "JH" in hand(game, one)
    assert "QC" in hand(game, two)
    order = []
    while game.deal_number == 0 and len(order) < 3:
        order.append(game.seat)
        game.apply(game.legal_actions()[0])
    assert order == [three, one, two]


def test_section_5_1_everyone_sits_out_once_in_four_deals():
    """Section 5.1: the dealer moves one seat clockwise; the sitter never acts and takes no card."""
    game = Game(rules=FOUR, seed=11)
    dealers = []
    for number in range(4):
        dealers.append(game.dealer)
        while game.deal_number == number and game.seat is not None:
            assert game.seat != game.dealer
            assert list(game.hands[game.dealer]) == []
            game.apply(game.legal_actions()[0])
    assert dealers == [(dealers[0] + k) % 4 for k in range(4)]


def test_section_5_1_the_other_three_play_section_1():
    """Section 5.1: same bids, eight tricks, 120 points."""
    game = game_for_four()
    assert legal(game) == bids(100, 105, 110, 115, 120)
    game = play_out(at_random_play(FOUR, seed=2))
    assert sum(game.tricks_won) == 8
    assert game.tricks_won[game.dealer] == 0
    assert game.points[game.dealer] == 0


@pytest.mark.parametrize("bolts", [0, 1, 2])
def test_section_5_2_the_sitter_gets_no_bolt(bolts):
    """Section 5.2: his run is neither extended nor broken; the others have theirs."""
    sheet = settle_four("9S 9C 9D", tricks=(0, 7, 1, 0), bolts=[bolts, 1, 0, 1])
    assert sheet.bolts == (bolts, 0, 0, 2)
    assert sheet.scores[0] == 0


@pytest.mark.parametrize(
    ("option", "talon", "bonus"),
    [
        ("none", "KH QH AH", 0),
        ("marriage_only", "KH QH AH", 100),
        ("marriage_only", "AS TH 9C", 0),
        ("ace_and_marriage", "KH QH AH", 150),
        ("ace_and_marriage", "AS AC KD", 100),
        ("ace_and_marriage", "KH QD JC", 0),
    ],
)
def test_section_5_3_other_bonuses(option, talon, bonus):
    """Section 5.3: `sitter_bonus`."""
    assert settle_four(talon, Rules(players=4, sitter_bonus=option)).scores[0] == bonus


def test_section_5_3_a_conceded_deal_pays_the_bonus_too():
    """Section 5.3: written with the deal, a conceded one too."""
    rules = Rules(players=4, concede="bid_60")
    how = {"conceded": True, "talon": cards("AS TH 9C")}
    sheet = settle((0, 0, 0, 0), 100, rules, tricks=(0, 0, 0, 0), how=how)
    assert sheet.scores == (20, -100, 60, 60)


@pytest.mark.parametrize("attempts", [0, 2])
def test_section_5_4_a_sitter_on_the_barrel(attempts):
    """Section 5.4: scores nothing, and the deal is not one of his attempts."""
    sheet = settle_four("KH QH AH", scores=[880, 0, 0, 0], barrel=[attempts, None, None, None])
    assert (sheet.scores[0], sheet.barrel[0]) == (880, attempts)


@pytest.mark.parametrize(("before", "after", "attempts"), [(870, 880, 0), (860, 880, 0), (855, 875, None)])
def test_section_5_4_a_bonus_can_lift_the_sitter_on_to_the_barrel(before, after, attempts):
    """Section 5.4: 870 + 20 and 860 + 20 are clamped, 855 + 20 is below."""
    sheet = settle_four("AS TH 9C", scores=[before, 0, 0, 0])
    assert (sheet.scores[0], sheet.barrel[0]) == (after, attempts)


def test_rule_42_the_sitter_may_win():
    """1.11: every p, active or not: a bonus can lift the sitter to the target."""
    rules = Rules(players=4, barrel=False)
    sheet = settle_four("AS TH 9C", rules, scores=[990, 0, 0, 0])
    assert (sheet.scores[0], sheet.winner) == (1010, 0)


def test_section_5_3_classic_has_no_sitter():
    """Section 5.3 concerns four players only."""
    assert settle((0, 100, 20), 100, CLASSIC, how={"talon": cards("KH QH AH")}).scores == (0, 100, 20)


def test_section_5_1_the_sitter_is_dealt_nothing():
    """interface.md: the sitter's hand in a given deal is empty."""
    hands = [cards(HANDS[0]), [], cards(HANDS[1]), cards(HANDS[2])]
    with pytest.raises(DealError):
        Game.from_deal(FOUR, hands=hands, talon=cards("AS TH AH"), dealer=0)
