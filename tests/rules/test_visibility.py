"""rules.md 1.12: what a seat may know, through `Game.view`.

Two games that differ only in what a seat may not know must give it the same view; two that differ in something it may
know must not.
"""

import random

import pytest

from tests.rules.helpers import CLASSIC, DECK, Rules, at_play, cards, deal, do, play_out, same
from thousand_env import Game

P0 = "QS JS AC TC KC KD TD"
P1 = "AH TH KH QH AS 9C JD"
P2 = "TS KS 9H JH AD QC 9D"
TALON = "9S QD JC"

CONTESTED = "P1 bid 100; P2 pass; P0 bid 105; P1 bid 110; P0 pass"
UNCONTESTED = "P1 bid 100; P2 pass; P0 pass"
OPENING_120 = "P1 bid 120; P2 pass; P0 pass"


def d1(script="", p0=P0, p1=P1, p2=P2, talon=TALON, **sheet):
    """The deal of 7.6, possibly with other cards, played so far."""
    return do(deal(p0, p1, p2, talon, **sheet), script)


def swapped(text, one, two):
    """The cards with two of them exchanged."""
    return " ".join({one: two, two: one}.get(card, card) for card in cards(text))


def with_swap(script, one, two, **sheet):
    """D1 with two cards exchanged, wherever they lie."""
    hands = {name: swapped(text, one, two) for name, text in (("p0", P0), ("p1", P1), ("p2", P2), ("talon", TALON))}
    return d1(script, **hands, **sheet)


def test_the_comparison_sees_differences():
    """The tool of this file: equal games give equal views, another own hand another view."""
    for seat in range(3):
        assert same(d1(), d1(), seat)
    assert not same(d1(), with_swap("", "QS", "TS"), 0)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("seat", range(3))
def test_other_hands_and_the_talon_are_hidden(seat, seed):
    """1.12: before the talon is shown, the 17 other cards may lie anywhere."""
    rng = random.Random(seed)
    own = rng.sample(DECK, 7)
    games = []
    for _ in range(2):
        rest = rng.sample([card for card in DECK if card not in own], 17)
        hands = [rest[:7], rest[7:14]]
        hands.insert(seat, own)
        game = Game.from_deal(CLASSIC, hands=hands, talon=rest[14:], dealer=0)
        games.append(game)
    assert same(*games, seat)
    for game in games:
        do(game, "P1 bid 110; P2 pass")
    assert same(*games, seat)


def test_bids_and_passes_are_public():
    """1.12: all bids and passes: who bid what, jumps included."""
    stepwise, jump = (
        d1(script) for script in ("P1 bid 100; P2 bid 105; P0 bid 110", "P1 bid 100; P2 pass; P0 bid 110")
    )
    straight = d1("P1 bid 105; P2 pass; P0 bid 110")
    for seat in range(3):
        assert not same(stepwise, jump, seat)
        assert not same(jump, straight, seat)


@pytest.mark.parametrize(("auction", "shown"), [(UNCONTESTED, False), (OPENING_120, False), (CONTESTED, True)])
@pytest.mark.parametrize("seat", [0, 2])
def test_A8_A10_A11_the_talon_is_shown_after_a_contested_auction(auction, shown, seat):
    """Rule 12: a talon of 9S QD JC or of another card from P1's hand looks different only if it is shown."""
    one, two = d1(auction), with_swap(auction, "JC", "9C")
    assert same(one, two, seat) != shown
    assert same(one, with_swap(auction, "JC", "QC" if seat == 0 else "KD"), seat) != shown


def test_A11_a_jump_by_another_player_shows_the_talon():
    """Rule 12, A11: P2 wins with 120: the talon is shown to P0 and P1."""
    auction = "P1 bid 100; P2 bid 120; P0 pass; P1 pass"
    for seat in (0, 1):
        assert not same(d1(auction), with_swap(auction, "JC", "QC"), seat)


@pytest.mark.parametrize("auction", [UNCONTESTED, CONTESTED])
def test_the_declarer_knows_the_talon(auction):
    """1.12: which of his ten cards were the talon; the other hands stay hidden from him."""
    assert not same(d1(auction), with_swap(auction, "JC", "9C"), 1)
    assert same(d1(auction), with_swap(auction, "QS", "TS"), 1)


@pytest.mark.parametrize("seat", [0, 2])
@pytest.mark.parametrize("auction", [UNCONTESTED, CONTESTED])
def test_other_hands_stay_hidden_while_the_talon_is_shown(auction, seat):
    """1.12: whether an opponent or the declarer holds a card that was not in the talon."""
    theirs = "TS" if seat == 0 else "QS"
    assert same(d1(auction), with_swap(auction, theirs, "AS"), seat)


def test_E2_the_other_gift_is_hidden():
    """Rule 13 and 1.12: P0 does not see what P2 received, P2 does not see what P0 received; the declarer knows both."""
    base = d1(f"{CONTESTED}; P1 give 9S; P1 give 9C")
    first = d1(f"{CONTESTED}; P1 give JD; P1 give 9C")
    second = d1(f"{CONTESTED}; P1 give 9S; P1 give JD")
    assert same(base, first, 0)
    assert same(base, second, 2)
    assert not same(base, first, 2)
    assert not same(base, second, 0)
    assert not same(base, first, 1)
    assert not same(base, second, 1)


def test_the_gift_is_known_as_a_gift():
    """1.12: "the one card received from the declarer": 9C dealt and QS given differs from QS dealt and 9C given."""
    one = d1(f"{UNCONTESTED}; P1 give 9S; P1 give 9C")
    two = with_swap(f"{UNCONTESTED}; P1 give 9S; P1 give JS", "9C", "JS")
    assert set(one.hands[0]) == set(two.hands[0])
    assert not same(one, two, 0)
    assert same(one, two, 2)


def test_gifts_in_progress_are_hidden():
    """1.12: after the first of the two gifts P0 has learned nothing but that it was given."""
    assert same(d1(f"{CONTESTED}; P1 give 9S"), d1(f"{CONTESTED}; P1 give AH"), 0)
    assert not same(d1(f"{CONTESTED}; P1 give 9S"), d1(f"{CONTESTED}; P1 give AH"), 2)


HIGH = ("9S JS QS KS 9C JC QC KC", "AS TS AC TC AD TD AH TH", "9D JD QD KD 9H JH QH KH")
LOW = ("9S JS QS KS 9D JC QC KC", "AS TS AC TC AD TD AH TH", "9C JD QD KD 9H JH QH KH")
"""P0 and P2 have exchanged their nines of clubs and diamonds."""


def test_cards_played_are_public_and_cards_held_are_not():
    """1.12: after a trick without them it does not matter who holds 9C and 9D; their play shows it."""
    script = "P1 play AS; P2 play JH; P0 play JS"
    one, two = do(at_play(*HIGH), script), do(at_play(*LOW), script)
    assert same(one, two, 1)
    three = do(at_play(*HIGH), "P1 play AS; P2 play QH; P0 play JS")
    for seat in range(3):
        assert not same(one, three, seat)
    do(one, "P1 play AH; P2 play QH; P0 play 9C")
    do(two, "P1 play AH; P2 play QH; P0 play 9D")
    assert not same(one, two, 1)


def test_the_leader_and_the_order_of_a_trick_are_public():
    """1.12: all cards played, in the trick on the table too."""
    for seat in range(3):
        assert not same(do(at_play(*HIGH), "P1 play AS"), do(at_play(*HIGH), "P1 play TS"), seat)
        assert not same(at_play(*HIGH), do(at_play(*HIGH), "P1 play TS"), seat)


MARRIAGE = ("9S JS QS KS 9C JC QC KC", "AS TS AC TC AD AH KH QH", "9D JD QD KD 9H JH TH TD")


def test_trump_and_declarations_are_public():
    """1.12: trump, declarations: leading KH with and without declaring look different to everybody."""
    for seat in range(3):
        assert not same(do(at_play(*MARRIAGE), "P1 play KH"), do(at_play(*MARRIAGE), "P1 marry KH"), seat)


@pytest.mark.parametrize("seat", range(3))
@pytest.mark.parametrize(
    "sheet",
    [{"scores": [5, 0, 0]}, {"scores": [0, -35, 0]}, {"bolts": [0, 0, 1]}, {"bolts": [2, 0, 0]}],
    ids=str,
)
def test_totals_and_bolts_are_public(seat, sheet):
    """1.12: totals and bolts of everybody."""
    assert not same(d1(), d1(**sheet), seat)


@pytest.mark.parametrize("seat", range(3))
def test_the_barrel_is_public(seat):
    """1.12: who is on the barrel and how many attempts he has used."""
    views = [d1(scores=[880, 0, 0], barrel=[attempts, None, None]) for attempts in (0, 1, 2)]
    assert not same(views[0], views[1], seat)
    assert not same(views[1], views[2], seat)


@pytest.mark.parametrize("seat", range(3))
def test_the_seed_is_never_visible(seat):
    """1.12: never the random seed: the cards of the later deals do not show."""
    for script in ("", CONTESTED, f"{CONTESTED}; P1 give 9S; P1 give 9C; P1 play AH"):
        assert same(d1(script, seed=1), d1(script, seed=2), seat)


def test_section_5_2_the_sitter_sees_public_information_only():
    """Section 5.2: hands and gifts are hidden from the sitter; bids, plays and a shown talon are not."""
    rules = Rules(players=4)

    def game(script, one="", two=""):
        hands = [[], *(cards(swapped(text, one, two)) for text in (P1, P2, P0))]
        return do(Game.from_deal(rules, hands=hands, talon=cards(swapped(TALON, one, two)), dealer=0), script)

    quiet, loud = "P1 bid 100; P2 pass; P3 pass", "P1 bid 100; P2 bid 105; P3 pass; P1 bid 110; P2 pass"
    assert same(game(""), game("", "QS", "TS"), 0)
    assert not same(game(quiet), game(loud), 0)
    assert same(game(quiet), game(quiet, "JC", "9C"), 0)
    assert not same(game(loud), game(loud, "JC", "9C"), 0)
    assert same(game(f"{loud}; P1 give 9S; P1 give 9C"), game(f"{loud}; P1 give JD; P1 give JC"), 0)
    played = f"{quiet}; P1 give 9S; P1 give 9C; P1 play "
    assert not same(game(f"{played}AH"), game(f"{played}TH"), 0)


@pytest.mark.parametrize("seat", range(4))
def test_section_5_5_the_talon_is_public_at_the_end_of_the_deal(seat):
    """Section 5.5: not shown after an uncontested auction, known to all when the deal is over: JC or 9C lay in it."""
    games = []
    for one, two in (("", ""), ("JC", "9C")):
        hands = [[], *(cards(swapped(text, one, two)) for text in (P1, P2, P0))]
        talon = cards(swapped(TALON, one, two))
        game = Game.from_deal(Rules(players=4), hands=hands, talon=talon, dealer=0, episode="deal")
        games.append(do(game, "P1 bid 100; P2 pass; P3 pass; P1 give 9S; P1 give JD"))
    assert same(*games, seat) == (seat != 1)
    for game in games:
        play_out(game)
        assert game.phase == "over"
        assert game.scores[0] == 5
    assert games[0].scores == games[1].scores
    assert not same(*games, seat)


TWO_HANDS = ("QS JS QC KC AD QD JD QH JH 9H", "TS KS 9S AC TC TD AH TH JC 9C")


def two_players(script, one="", two="", talons=("KH KD", "AS 9D")):
    """Two players, P1 first hand; two cards may be exchanged."""
    hands = [cards(swapped(held, one, two)) for held in TWO_HANDS]
    pair = [cards(swapped(talon, one, two)) for talon in talons]
    return do(Game.from_deal(Rules(players=2), hands=hands, talon=pair, dealer=0), script)


AUCTIONS = [("P1 bid 100; P0 pass", False), ("P1 bid 100; P0 bid 105; P1 bid 110; P0 pass", True)]


@pytest.mark.parametrize(("auction", "shown"), AUCTIONS)
def test_section_4_3_the_chosen_talon(auction, shown):
    """Section 4.3: shown to the opponent if the auction was contested; the declarer knows it anyway."""
    chosen = f"{auction}; P1 talon A"
    assert same(two_players(chosen), two_players(chosen, "KD", "TS"), 0) != shown
    assert same(two_players(chosen), two_players(chosen, "KD", "9D"), 0) != shown
    assert not same(two_players(chosen), two_players(chosen, "KD", "TS"), 1)
    assert not same(two_players(chosen), two_players(f"{auction}; P1 talon B"), 0)


@pytest.mark.parametrize(("auction", "shown"), AUCTIONS)
def test_section_4_3_the_other_talon_stays_closed(auction, shown):
    """Section 4.3: a card of talon B may as well be in the other hand, for both players."""
    chosen = f"{auction}; P1 talon A"
    assert same(two_players(chosen), two_players(chosen, "9D", "TS"), 0)
    assert same(two_players(chosen), two_players(chosen, "9D", "JS"), 1)


def test_section_4_4_cards_put_aside_are_known_to_the_declarer_only():
    """Section 4.4 and 1.12."""
    start = "P1 bid 100; P0 bid 105; P1 bid 110; P0 pass; P1 talon A; "
    one, two = (two_players(f"{start}P1 give JC; P1 give {card}") for card in ("9C", "TD"))
    assert same(one, two, 0)
    assert not same(one, two, 1)


def test_discard_three_is_known_to_the_declarer_only():
    """1.12, with options: cards put aside are known to the declarer only."""
    rules = Rules(exchange="discard_three")
    one, two = (d1(f"{CONTESTED}; P1 give 9S; P1 give JC; P1 give {card}", rules=rules) for card in ("JD", "AS"))
    for seat in (0, 2):
        assert same(one, two, seat)
    assert not same(one, two, 1)


def test_a_redeal_that_was_not_asked_for_is_hidden():
    """1.12, with options: that P2 could have asked for a redeal is known to P2 alone."""
    rules = Rules(redeal_four_nines="optional")
    nines = d1(p0=P0, p1="AH TH KH QH AS JC JD", p2="9S 9C 9H 9D AD QC JH", talon="TS QD KS", rules=rules)
    others = d1(p0=P0, p1="AH TH KH QH AS JC JD", p2="9S 9C TS 9D AD QC JH", talon="9H QD KS", rules=rules)
    assert nines.phase == "redeal"
    do(nines, "P2 pass")
    assert nines.phase == others.phase == "auction"
    assert same(nines, others, 0)
    assert same(nines, others, 1)


def test_first_hand_does_not_see_his_cards_before_the_dark_bid_is_decided():
    """1.12, with options: under `dark` his own cards are hidden from first hand until he has looked or bid."""
    rules = Rules(dark=True)
    one, two = d1(rules=rules), with_swap("", "AH", "9H", rules=rules)
    assert one.phase == "dark"
    assert same(one, two, 1)
    assert not same(one, two, 2)
    do(one, "P1 pass")
    do(two, "P1 pass")
    assert not same(one, two, 1)
