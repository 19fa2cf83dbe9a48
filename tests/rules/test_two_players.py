"""rules.md 4 and the cases P1 to P3 of 7.11: the game for two. Dealer is seat 0, so seat 1 is first hand."""

import random

import pytest

from tests.rules.helpers import DECK, POINTS, Rules, bids, cards, do, hand, legal, refuses, settle, sizes, trick
from thousand_env import DealError, Game

TWO = Rules(players=2)
P0 = "QS JS QC KC AD QD JD QH JH 9H"
P1 = "TS KS 9S AC TC TD AH TH JC 9C"
TALONS = ("KH KD", "AS 9D")
"""P1 takes talon A and puts JC 9C aside; AS 9D stay closed."""


def game_for_two(p0=P0, p1=P1, talons=TALONS, rules=TWO, **sheet):
    """A two-player game with the given deal."""
    pair = [cards(talon) for talon in talons]
    return Game.from_deal(rules, hands=[cards(p0), cards(p1)], talon=pair, **{"dealer": 0, **sheet})


def before_play(rules=TWO, **sheet):
    """P1 is declarer at 100 and holds TS KS 9S AC TC TD AH TH KH KD."""
    game = game_for_two(rules=rules, **sheet)
    return do(game, "P1 bid 100; P0 pass; P1 talon A; P1 give JC; P1 give 9C")


def play_last_trick(game, seed=0):
    """Play at random, never declaring; returns (points before the last trick, its cards, its winner, tricks)."""
    rng = random.Random(seed)
    tricks = 0
    while True:
        if not game.trick and len(game.hands[game.seat]) == 1:
            points, won = list(game.points), list(game.tricks_won)
            table = [next(iter(hand(game, seat))) for seat in (game.seat, 1 - game.seat)]
        do(game, rng.choice(sorted(text for text in legal(game) if text.startswith("play"))))
        if game.phase == "over":
            break
        tricks += not game.trick
    winner = next(seat for seat in range(2) if game.tricks_won[seat] > won[seat])
    return points, table, winner, tricks + 1


def test_P1_sizes_and_tricks():
    """Section 4.1, 4.3, 4.4: 10/10 and 2 + 2; 12 after the talon; 10/10 and four aside; 10 tricks."""
    game = game_for_two(episode="deal")
    assert sizes(game) == [10, 10]
    do(game, "P1 bid 100; P0 pass")
    assert (game.phase, game.seat) == ("talon", 1)
    assert sizes(game) == [10, 10]
    do(game, "P1 talon A")
    assert game.phase == "exchange"
    assert sizes(game) == [10, 12]
    do(game, "P1 give JC; P1 give 9C")
    assert (game.phase, game.seat) == ("play", 1)
    assert sizes(game) == [10, 10]
    assert play_last_trick(game)[3] == 10
    assert sum(game.tricks_won) == 10


def test_P2_the_last_trick_takes_the_four_cards():
    """Section 4.6: AS 9D and JC 9C are worth 13 to the winner of trick 10; the card points sum to 120."""
    game = before_play(episode="deal")
    points, table, winner, _ = play_last_trick(game)
    gained = [after - before for after, before in zip(game.points, points, strict=True)]
    assert gained[winner] == sum(POINTS[card[0]] for card in table) + 13
    assert gained[1 - winner] == 0
    assert sum(game.points) == 120


def test_P2_set_aside_dead():
    """`set_aside=dead`: nobody scores them: 107."""
    game = before_play(Rules(players=2, set_aside="dead"), episode="deal")
    play_last_trick(game)
    assert sum(game.points) == 107


@pytest.mark.parametrize("set_aside", ["last_trick", "dead"])
def test_P3_give_one(set_aside):
    """`two_player=give_one`: 11/11, 11 tricks, AS 9D dead whatever `set_aside` says: 109 card points."""
    game = game_for_two(rules=Rules(players=2, two_player="give_one", set_aside=set_aside), episode="deal")
    do(game, "P1 bid 100; P0 pass; P1 talon A")
    assert sizes(game) == [10, 12]
    do(game, "P1 give 9C")
    assert (game.phase, game.seat) == ("play", 1)
    assert sizes(game) == [11, 11]
    assert "9C" in hand(game, 0)
    assert play_last_trick(game)[3] == 11
    assert sum(game.points) == 109


@pytest.mark.parametrize(("letter", "taken"), [("A", "KH KD"), ("B", "AS 9D")])
def test_section_4_3_the_declarer_picks_a_talon(letter, taken):
    """Section 4.3: either one, at a forced contract too; the other stays closed."""
    game = do(game_for_two(), "P1 bid 100; P0 pass")
    assert legal(game) == {"talon A", "talon B"}
    do(game, f"P1 talon {letter}")
    assert hand(game, 1) == set(cards(P1)) | set(cards(taken))
    assert legal(game) == {f"give {card}" for card in hand(game, 1)}


def test_section_4_3_the_winner_of_a_contested_auction_picks():
    """Section 4.3: P0 as declarer chooses, puts aside and leads."""
    game = do(game_for_two(), "P1 bid 100; P0 bid 105; P1 pass")
    assert (game.phase, game.seat, game.declarer, game.contract) == ("talon", 0, 0, 105)
    do(game, "P0 talon B; P0 give 9H; P0 give JH")
    assert (game.phase, game.seat) == ("play", 0)
    assert hand(game, 0) == (set(cards(P0)) | {"AS", "9D"}) - {"9H", "JH"}


def test_section_4_2_the_auction():
    """Section 4.2: first hand must open, then in turn by 5, the first pass ends the auction."""
    game = game_for_two()
    assert (game.phase, game.seat) == ("auction", 1)
    assert legal(game) == bids(100, 105, 110, 115, 120)
    assert refuses(game, "pass")
    do(game, "P1 bid 100; P0 bid 105; P1 bid 110; P0 bid 115")
    assert legal(game) == {"pass", "bid 120"}
    do(game, "P1 pass")
    assert (game.declarer, game.contract) == (0, 115)


def test_section_4_2_the_cap_reaches_400():
    """Section 4.2: 120 + the four marriages in ten cards."""
    held = cards("KS QS KC QC KD QD KH QH 9S 9C")
    rest = [card for card in DECK if card not in held]
    game = Game.from_deal(TWO, hands=[rest[:10], held], talon=[rest[10:12], rest[12:]], dealer=0)
    assert legal(game) == bids(*range(100, 405, 5))


def test_section_4_1_the_dealer_alternates():
    """Section 4.1: the other player deals next and the first hand changes with it."""
    game = Game(rules=TWO, seed=4)
    dealers, first = [], []
    for _ in range(3):
        dealers.append(game.dealer)
        first.append(game.seat)
        number = game.deal_number
        while game.deal_number == number:
            game.apply(game.legal_actions()[0])
    assert first == [1 - dealer for dealer in dealers]
    assert dealers == [dealers[0], 1 - dealers[0], dealers[0]]


def test_section_4_4_nothing_goes_to_the_opponent():
    """Section 4.4: the two cards leave the game, the opponent keeps his ten."""
    game = before_play()
    assert hand(game, 0) == set(cards(P0))
    assert hand(game, 1) == set(cards("TS KS 9S AC TC TD AH TH KH KD"))


def test_section_4_5_marriages_following_and_tricks():
    """Section 4.5: play as in section 1 with one other player: beat, follow, declare, trump."""
    game = before_play()
    do(game, "P1 play 9S")
    assert legal(game) == {"play QS", "play JS"}
    do(game, "P0 play QS")
    assert (game.seat, list(game.tricks_won)) == (0, [1, 0])
    assert {text for text in legal(game) if text.startswith("marry")} == {"marry KC", "marry QC"}
    do(game, "P0 marry QC")
    assert trick(game) == [(0, "QC")]
    assert list(game.points) == [3 + 60, 0]
    assert legal(game) == {"play AC", "play TC"}


def test_section_4_6_put_aside_cards_do_not_belong_to_the_declarer():
    """Section 4.6: P0 is declarer and puts 9H JH aside; with AS 9D they go to whoever wins the last trick."""
    winners = set()
    for seed in range(30):
        game = do(game_for_two(episode="deal"), "P1 bid 100; P0 bid 105; P1 pass; P0 talon A; P0 give 9H; P0 give JH")
        points, table, winner, _ = play_last_trick(game, seed)
        gained = [after - before for after, before in zip(game.points, points, strict=True)]
        assert gained[winner] == sum(POINTS[card[0]] for card in table) + 13
        assert gained[1 - winner] == 0
        winners.add(winner)
    assert winners == {0, 1}


def test_section_4_7_scoring():
    """Section 4.7: contract, rounding, bolts and barrel as in section 1."""
    assert settle((43, 117), 100, TWO, tricks=(3, 7)).scores == (45, 115)
    sheet = settle((0, 120), 120, TWO, tricks=(0, 10), bolts=[2, 1], scores=[300, 0])
    assert (sheet.scores, sheet.bolts) == ((180, 120), (0, 0))
    sheet = settle((60, 60), 100, TWO, tricks=(5, 5), scores=[830, 880], barrel=[None, 2])
    assert (sheet.scores, sheet.barrel) == ((880, 760), (0, None))
    sheet = settle((160, 180), 120, TWO, tricks=(5, 5), scores=[860, 840])
    assert (sheet.scores, sheet.winner) == ((1020, 1020), 1)


def test_section_4_8_order_of_choices():
    """Section 4.8: choose, take, then concede or put aside, then raise."""
    game = game_for_two(rules=Rules(players=2, concede="bid_60", raise_after_talon=True))
    do(game, "P1 bid 100; P0 pass")
    assert legal(game) == {"talon A", "talon B"}
    do(game, "P1 talon A")
    assert "concede" in legal(game)
    do(game, "P1 give JC")
    assert "concede" not in legal(game)
    do(game, "P1 give 9C")
    assert (game.phase, game.seat) == ("raise", 1)
    do(game, "P1 pass")
    assert game.phase == "play"


def test_section_4_1_talons_must_be_a_pair():
    """interface.md: a deal for two names both talons."""
    with pytest.raises(DealError):
        Game.from_deal(TWO, hands=[cards(P0), cards(P1)], talon=[cards("KH KD AS 9D")], dealer=0)
