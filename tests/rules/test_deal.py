"""rules.md 1.1 and 1.2: the equipment, the dealer and the deal."""

import collections
import dataclasses

import pytest

from tests.rules.helpers import (
    CLASSIC,
    DECK,
    POINTS,
    at_random_play,
    deal,
    do,
    legal,
    play_out,
    playable,
    sizes,
    text_of,
    trick,
)
from thousand_env import DealError, Game, Rules


def test_rule_1_card_ids_are_the_24_cards():
    """Rule 1: A 10 K Q J 9 in four suits, every card once in hands and talon."""
    game = Game(seed=1)
    everything = [card for held in game.hands for card in held] + list(game.talon)
    assert sorted(everything) == list(range(24))
    assert sorted(map(text_of, everything)) == sorted(DECK)


@pytest.mark.parametrize("seed", range(20))
def test_rule_1_card_points(seed):
    """Rule 1: A 11, 10 10, K 4, Q 3, J 2, 9 0: every trick is worth the sum of its cards, the deck 120."""
    game = at_random_play(seed=seed)
    while game.phase == "play":
        before, on_table = sum(game.points), [card for _, card in trick(game)]
        card = sorted(playable(game))[seed % 2 - 1]
        do(game, f"play {card}")
        gained = sum(POINTS[each[0]] for each in [*on_table, card]) if len(on_table) == 2 else 0
        assert sum(game.points) - before == gained
    assert sum(game.points) == 120


def test_rule_1_thirty_points_a_suit():
    """Rule 1: the table of this test adds up as the rule says."""
    for suit in "SCDH":
        assert sum(POINTS[card[0]] for card in DECK if card[1] == suit) == 30


def test_rule_2_options_are_fixed():
    """Rule 2: all options are fixed before the first deal."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        CLASSIC.target = 500
    assert len(Game(seed=0).scores) == 3


def test_rule_3_first_dealer_is_random():
    """Rule 3: each seat is first dealer about equally often."""
    count = collections.Counter(Game(seed=seed).dealer for seed in range(900))
    assert set(count) == {0, 1, 2}
    assert all(240 < times < 360 for times in count.values())


@pytest.mark.parametrize("dealer", range(3))
def test_rule_3_deal_bidding_and_play_go_clockwise(dealer):
    """Rule 3: first hand at the dealer's left speaks first; bidding, gifts and play go clockwise."""
    first, second = (dealer + 1) % 3, (dealer + 2) % 3
    hands = [[], [], []]
    hands[first], hands[second], hands[dealer] = DECK[0:7], DECK[7:14], DECK[14:21]
    game = Game.from_deal(CLASSIC, hands=hands, talon=DECK[21:], dealer=dealer)
    do(game, f"P{first} bid 100; P{second} bid 105; P{dealer} bid 110")
    do(game, f"P{first} bid 115; P{second} pass; P{dealer} pass")
    assert game.declarer == first
    do(game, f"P{first} give 9S; P{first} give JS")
    assert "9S" in map(text_of, game.hands[second])
    assert "JS" in map(text_of, game.hands[dealer])
    order = []
    for _ in range(3):
        order.append(game.seat)
        game.apply(game.legal_actions()[0])
    assert order == [first, second, dealer]


def test_rule_3_dealer_moves_clockwise_after_every_deal():
    """Rule 3: the dealer moves one seat clockwise after every completed deal."""
    game = Game(seed=5)
    dealers, first_hands = [], []
    for number in range(4):
        dealers.append(game.dealer)
        first_hands.append(game.seat)
        play_out(game, seed=number)
    assert dealers == [(dealers[0] + k) % 3 for k in range(4)]
    assert first_hands == [(dealer + 1) % 3 for dealer in dealers]


@pytest.mark.parametrize("seed", range(10))
def test_rule_4_seven_cards_each_and_three_in_the_talon(seed):
    """Rule 4: 3 * 7 + 3 = 24, in every deal of a match."""
    game = Game(seed=seed)
    for number in range(3):
        assert sizes(game) == [7, 7, 7]
        assert len(game.talon) == 3
        assert sorted([card for held in game.hands for card in held] + list(game.talon)) == list(range(24))
        play_out(game, seed=number)


def test_rule_4_the_shuffle_is_uniform():
    """Rule 4: every card lies in each hand with chance 7/24 and in the talon with 3/24."""
    deals = 3000
    count = collections.Counter()
    for seed in range(deals):
        game = Game(seed=seed)
        for seat in range(3):
            count.update((card, (seat - game.dealer) % 3) for card in game.hands[seat])
        count.update((card, "talon") for card in game.talon)
    for place, share in ((0, 7 / 24), (1, 7 / 24), (2, 7 / 24), ("talon", 3 / 24)):
        spread = (deals * share * (1 - share)) ** 0.5
        for card in range(24):
            assert abs(count[card, place] - deals * share) < 4.5 * spread, (text_of(card), place)


def test_rule_4_deals_differ():
    """Rule 4: deals of different seeds differ, and so do the deals of one match."""
    assert len({tuple(map(tuple, Game(seed=seed).hands)) for seed in range(50)}) == 50
    game, seen = Game(seed=7), set()
    for number in range(4):
        seen.add(tuple(map(tuple, game.hands)))
        play_out(game, seed=number)
    assert len(seen) == 4


@pytest.mark.parametrize("weak_seat", range(3))
def test_rule_5_no_redeal_with_four_nines_or_a_weak_hand(weak_seat):
    """Rule 5: no redeals of any kind: a hand of four nines and three jacks is simply bid."""
    weak = ["9S", "9C", "9D", "9H", "JS", "JC", "JD"]
    rest = [card for card in DECK if card not in weak]
    hands = [rest[:7], rest[7:14]]
    hands.insert(weak_seat, weak)
    game = Game.from_deal(CLASSIC, hands=hands, talon=rest[14:], dealer=0)
    assert (game.phase, game.seat) == ("auction", 1)
    do(game, "bid 100")
    assert "redeal" not in legal(game)


def test_rule_5_no_redeal_on_a_worthless_talon():
    """Rule 5: three nines in the talon at a forced 100 are played."""
    nines = ["9S", "9C", "9D"]
    rest = [card for card in DECK if card not in nines]
    game = deal(" ".join(rest[:7]), " ".join(rest[7:14]), " ".join(rest[14:]), " ".join(nines))
    do(game, "P1 bid 100; P2 pass; P0 pass")
    assert game.phase == "exchange"
    assert legal(game) == {f"give {card}" for card in rest[7:14] + nines}


@pytest.mark.parametrize(
    ("hands", "talon"),
    [
        ([DECK[:7], DECK[7:14], DECK[14:21]], DECK[21:23]),
        ([DECK[:7], DECK[7:14], DECK[14:21]], [DECK[0], *DECK[21:23]]),
        ([DECK[:8], DECK[8:14], DECK[14:21]], DECK[21:]),
        ([DECK[:7], DECK[7:14]], DECK[14:17]),
    ],
    ids=["card missing", "card twice", "unequal hands", "player missing"],
)
def test_rule_4_impossible_deals_are_refused(hands, talon):
    """Rule 4 and interface.md: what cannot be dealt raises `DealError`."""
    with pytest.raises(DealError):
        Game.from_deal(Rules(), hands=hands, talon=talon)
