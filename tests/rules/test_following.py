"""rules.md 1.6, rule 22, and the cases of 7.1: which cards may be played.

The worked cases are real deals played up to the position. The tables compare the game with `may_play`, rule 22 written
down here a second time.
"""

import collections
import itertools
import random

import pytest

from tests.rules.helpers import RANKS, at_play, at_random_play, cards, do, hand, legal, playable, plays, trick, trump
from thousand_env import Game, Rules

ACES = Rules(ace_marriage="lead_ace_sets_trump")
"""Makes hearts trump while king and queen of hearts are still in play."""


def may_play(held, table, trump_suit):
    """Rule 22 for a hand (set of texts) that follows to the non-empty table (texts in order of play)."""
    led_suit = table[0][1]
    same = {card for card in held if card[1] == led_suit}
    if same:
        ruffed = trump_suit != led_suit and any(card[1] == trump_suit for card in table)
        best = max(RANKS.index(card[0]) for card in table if card[1] == led_suit)
        higher = {card for card in same if RANKS.index(card[0]) > best}
        return same if ruffed or not higher else higher
    return {card for card in held if card[1] == trump_suit} or set(held)


CASES = {
    "L1": (
        "9S JS QS KS 9C 9D KD AD",
        "JC QC TC AC QD TD JH TH",
        "TS AS KC JD 9H QH KH AH",
        "P1 play QD; P2 play JD; P0 play KD; P0 play JS; P1 play TD; P2 play AS; P2 play KH; P0 play KS; P1 play TH; "
        "P1 play JH",
        (None, "JH", "9H QH AH 10S KC"),
    ),
    "L2": (
        "KS 9C JC 9D JD TD AD TH",
        "9S AS KC AC QD 9H QH KH",
        "JS QS TS QC TC KD JH AH",
        "P1 play QD; P2 play KD; P0 play AD; P0 play 9C; P1 play AC; P2 play QC; P1 play 9S; P2 play JS; P0 play KS; "
        "P0 play JD; P1 play KC; P2 play TC; P0 play TH",
        (None, "TH", "9H QH KH AS"),
    ),
    "L5": (
        "9S QS 9C QC AC KD JH TH",
        "KS AS JC KC TC AD 9H AH",
        "JS TS 9D JD QD TD QH KH",
        "P1 play KS; P2 play TS; P0 play 9S; P2 play QD; P0 play KD; P1 play AD; P1 play TC; P2 play TD; P0 play AC; "
        "P0 play 9C; P1 play JC; P2 play JD; P1 play KC; P2 play JS; P0 play QC; P1 play AS",
        (None, "AS", "KH QH 9D"),
    ),
    "L6": (
        "9S JS QS AS QC AC TD TH",
        "9C JC KC AD 9H QH KH AH",
        "KS TS TC 9D JD QD KD JH",
        "P1 marry KH; P2 play JH; P0 play TH; P0 play JS; P1 play QH; P2 play TS; P1 play JC; P2 play TC; P0 play AC; "
        "P0 play 9S; P1 play AH; P2 play KS; P1 play 9C; P2 play 9D; P0 play QC; P0 play AS",
        ("H", "AS", "9H AD KC"),
    ),
    "L7": (
        "9S QC KC 9D KD JH KH TH",
        "JS KS AS 9C TC AC AD AH",
        "QS TS JC JD QD TD 9H QH",
        "P1 play TC; P2 play JC; P0 play KC; P1 play JS; P2 play TS; P0 play 9S; P2 play QS; P0 play QC; P1 play KS; "
        "P1 aces AH; P2 play 9H; P0 play TH; P1 play AD; P2 play QD; P0 play KD; P1 play AS; P2 play QH",
        ("H", "AS QH", "JH KH 9D"),
    ),
    "L9": (
        "JS QS KS QC KC QD JH AH",
        "9C AC 9D JD AD 9H QH KH",
        "9S TS AS JC TC KD TD TH",
        "P1 marry KH; P2 play TH; P0 play AH; P0 play JH; P1 play QH; P2 play TC; P1 play JD; P2 play KD; P0 play QD; "
        "P2 play JC; P0 play QC; P1 play AC; P1 play 9C; P2 play TS; P0 play KC; P0 play KS; P1 play 9H",
        ("H", "KS 9H", "9S AS 10D"),
    ),
    "L10": (
        "9S JC 9D QD TD 9H JH TH",
        "QS KS TS QC KC KD AD QH",
        "JS AS 9C TC AC JD KH AH",
        "P1 marry KC; P2 play AC; P0 play JC; P2 play JS; P0 play 9S; P1 play KS; P1 play TS; P2 play AS; P0 play QD; "
        "P2 play KH; P0 play TH; P1 play QH; P0 play 9D; P1 play KD; P2 play JD; P1 play QC",
        ("C", "QC", "9C 10C AH"),
    ),
    "L11": (
        "QS AS QC KC TD AD 9H QH",
        "9S KS 9C JC TC JD QD AH",
        "JS TS AC 9D KD JH KH TH",
        "P1 play QD; P2 play KD; P0 play TD; P0 play AD; P1 play JD; P2 play 9D; P0 marry KC; P1 play TC; P2 play AC; "
        "P2 play TS; P0 play AS; P1 play KS; P0 play QS; P1 play 9S; P2 play JS; P0 play QC",
        ("C", "QC", "9C JC AH"),
    ),
    "L13": (
        "KS JC QD TD QH KH TH AH",
        "JS QS TS 9C TC KD AD 9H",
        "9S AS QC KC AC 9D JD JH",
        "P1 play KD; P2 play 9D; P0 play TD; P0 marry QH; P1 play 9H; P2 play JH; P0 play TH; P1 play TS; P2 play AS; "
        "P0 play KS; P1 play JS; P2 play 9S; P0 play KH; P1 play AD; P2 play AC; P0 play JC; P1 play TC",
        ("H", "JC TC", "QC KC JD"),
    ),
    "L13 no trump": (
        "QS 9C TC AC AD JH KH AH",
        "JS AS QC KC 9D JD QD QH",
        "9S KS TS JC KD TD 9H TH",
        "P1 play 9D; P2 play TD; P0 play AD; P0 play AH; P1 play QH; P2 play TH; P0 play QS; P1 play AS; P2 play KS; "
        "P1 play JS; P2 play TS; P0 play AC; P2 play 9S; P0 play 9C; P1 play QD; P2 play JC; P0 play TC",
        (None, "JC TC", "QC KC JD"),
    ),
}
"""Hands of P0, P1, P2 after the gifts, the play, and the position reached: trump, table, hand to move."""


def reach(case, rules=None):
    """Play a case up to its position and check that it is the one of the table in rules.md."""
    p0, p1, p2, script, (trump_suit, table, held) = CASES[case]
    game = do(at_play(p0, p1, p2, rules=rules or Rules()), script)
    assert trump(game) == trump_suit
    assert [card for _, card in trick(game)] == cards(table)
    assert hand(game, game.seat) == set(cards(held))
    return game


def test_L1_must_beat():
    """Rule 22a: of the led suit, and higher if possible: any higher one."""
    assert legal(reach("L1")) == plays("QH AH")


def test_L1b_must_beat_off():
    """`must_beat=False`: follow suit only."""
    assert legal(reach("L1", Rules(must_beat=False))) == plays("9H QH AH")


def test_L2_nothing_higher():
    """Rule 22a: only the ace beats a ten; any card of the suit."""
    assert legal(reach("L2")) == plays("9H QH KH")


def test_L5_void_without_trump():
    """Rule 22c: void, and no trump exists."""
    assert legal(reach("L5")) == plays("KH QH 9D")


def test_L6_void_must_trump():
    """Rule 22b: the only trump must be played."""
    assert legal(reach("L6")) == plays("9H")


def test_L6b_must_trump_off():
    """`must_trump=False`: a void hand is free."""
    assert legal(reach("L6", Rules(must_trump=False))) == plays("9H AD KC")


def test_L7_no_duty_to_overtrump():
    """Rule 22b: any trump, below the queen that already ruffed too."""
    assert legal(reach("L7", ACES)) == plays("JH KH")


def test_L9_no_duty_to_beat_a_ruffed_trick():
    """Rule 22a: already ruffed: follow suit, no duty to beat."""
    assert legal(reach("L9")) == plays("9S AS")


def test_L10_trump_led_must_be_beaten():
    """Rule 22a: trump led: follow and beat."""
    assert legal(reach("L10")) == plays("10C")


def test_L11_trump_led_nothing_higher():
    """Rule 22a: trump led, nothing higher: any trump."""
    assert legal(reach("L11")) == plays("9C JC")


@pytest.mark.parametrize("case", ["L13", "L13 no trump"])
def test_L13_king_and_queen_under_the_ten(case):
    """Rule 22a: JC 10C on the table, QC KC JD in hand.

    rules.md has trump clubs. No deal of 24 cards leads there: with QC and KC unplayed clubs become trump by four aces
    only, and the lead of AC takes two more clubs where 9C alone is left. Unless somebody has ruffed, trump makes no
    difference to who holds the led suit, so the position is reached with trump hearts and without trump.
    """
    assert legal(reach(case)) == plays("QC KC")


@pytest.mark.parametrize("seed", range(10))
def test_L15_on_lead_the_whole_hand(seed):
    """Rule 21: any card may be led, by every leader, whatever is trump."""
    rng = random.Random(seed)
    game = at_random_play(seed=seed)
    while game.phase == "play":
        if not game.trick:
            assert playable(game) == hand(game, game.seat)
            assert plays(" ".join(hand(game, game.seat))) <= legal(game)
        game.apply(rng.choice(game.legal_actions()))


def small_rules(ranks, suits, size):
    """Three hands of `size` and a talon of three put aside, so that the first trick is played with the dealt hand."""
    return Rules(
        ranks=ranks, suits=suits, hand_size=size, talon_size=3, exchange="discard_three", min_bid=10, bid_step=10,
        barrel=False, bolt_mode="off",
    )  # fmt: skip


def position(rules, first, second, aside=()):
    """P1 to lead with exactly `first`, P2 with exactly `second`; the rest lies with P0 and aside."""
    deck = [rank + suit for suit in rules.suits for rank in rules.ranks]
    rest = [card for card in deck if card not in {*first, *second, *aside}]
    aside = [*aside, *rest][:3]
    third = [card for card in rest if card not in aside]
    game = Game.from_deal(rules, hands=[third, list(first), list(second)], talon=aside, dealer=0)
    do(game, "P1 bid 10; P2 pass; P0 pass")
    for card in aside:
        do(game, f"P1 give {card}")
    return game


DECKS = {1: ("9KA", "SH"), 2: ("9QA", "SCH"), 3: ("9QKA", "SCH")}


@pytest.mark.parametrize("size", DECKS)
def test_rule_22_every_lead_and_hand_without_trump(size):
    """Rules 22a and 22c: every led card against every hand of one, two and three cards of a small deck."""
    rules = small_rules(*DECKS[size], size)
    deck = [rank + suit for suit in rules.suits for rank in rules.ranks]
    for led in deck:
        others = [card for card in deck if card != led]
        for held in itertools.combinations(others, size):
            first = [led, *[card for card in others if card not in held][: size - 1]]
            game = do(position(rules, first, held), f"P1 play {led}")
            assert playable(game) == may_play(set(held), [led], None), (led, held)


@pytest.mark.parametrize("size", [2, 3])
def test_rule_22_every_hand_when_trump_is_led(size):
    """Rules 18, 22a and 22b: king or queen led and declared, against every hand."""
    rules = small_rules("QKA" if size == 2 else "9QKA", "SCH", size)
    deck = [rank + suit for suit in rules.suits for rank in rules.ranks]
    for suit, led_rank in itertools.product(rules.suits, "KQ"):
        led, partner = led_rank + suit, ("Q" if led_rank == "K" else "K") + suit
        others = [card for card in deck if card not in (led, partner)]
        for held in itertools.combinations(others, size):
            spare = [card for card in others if card not in held]
            game = do(position(rules, [led, partner, *spare[: size - 2]], held), f"P1 marry {led}")
            assert playable(game) == may_play(set(held), [led], suit), (led, held)


def second_trick_cases(deck, trump_suit):
    """(led, hand of three, card P2 threw in the first trick): P1 led the king of trump and nobody could beat it."""
    above = [rank + trump_suit for rank in "TA" if rank + trump_suit in deck]
    king, queen = "K" + trump_suit, "Q" + trump_suit
    free = [card for card in deck if card not in (king, queen, *above)]
    for led in [queen, *free]:
        for held in itertools.combinations([card for card in free if card != led], 3):
            for thrown in free:
                if thrown != led and thrown not in held and thrown in may_play({*held, thrown}, [king], trump_suit):
                    yield led, held, thrown
                    break


@pytest.mark.parametrize("trump_suit", "SCH")
def test_rule_22_every_lead_and_hand_with_another_trump(trump_suit):
    """Rules 22a to 22c in the second trick: every led card against every hand that could not beat the king of trump."""
    rules = small_rules("9JQKA", "SCH", 4)
    deck = [rank + suit for suit in rules.suits for rank in rules.ranks]
    seen = collections.Counter()
    for led, held, thrown in second_trick_cases(deck, trump_suit):
        king, queen, ace = "K" + trump_suit, "Q" + trump_suit, "A" + trump_suit
        taken = {king, queen, ace, led, thrown, *held}
        spare = [card for card in deck if card not in taken]
        first = ([king, queen, led] if led != queen else [king, queen]) + spare
        first = first[:4]
        game = position(rules, first, [*held, thrown], aside=[ace])
        do(game, f"P1 marry {king}; P2 play {thrown}")
        do(game, f"P0 play {sorted(playable(game))[0]}; P1 play {led}")
        expected = may_play(set(held), [led], trump_suit)
        assert playable(game) == expected, (led, held)
        seen[len(expected) < 3, any(card[1] == led[1] for card in held)] += 1
    assert min(seen[True, True], seen[True, False], seen[False, False]) > 30


@pytest.mark.parametrize("seed", range(120))
def test_rule_22_random_deals(seed):
    """Rule 22 in whole deals: at every turn the playable cards are those of `may_play`."""
    rng = random.Random(seed)
    game = at_random_play(seed=seed)
    while game.phase == "play":
        table = [card for _, card in trick(game)]
        if table:
            assert playable(game) == may_play(hand(game, game.seat), table, trump(game))
            assert legal(game) == plays(" ".join(playable(game)))
        marrying = [text for text in sorted(legal(game)) if text.startswith("marry")]
        do(game, rng.choice(marrying or sorted(legal(game))))
