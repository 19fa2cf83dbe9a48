"""The reference model against the worked cases of section 7, and random playouts over many option sets."""

import itertools
import random
from collections.abc import Iterator
from typing import Any

import pytest

from tests.reference import DEFAULTS, PRESETS, DealSource, Reference
from tests.reference.cards import POINTS, card_points, legal_cards, trick_winner
from tests.reference.options import complete
from tests.reference.scoring import DealScoring, Outcome, Sheet, find_winner, half_bid, rounded

DECK = {rank + suit for rank in "9JQKTA" for suit in "SCDH"}


def cards(text: str) -> set[str]:
    """Cards as rules.md writes them."""
    return {card.replace("10", "T") for card in text.replace(",", " ").split()}


def one(text: str) -> str:
    return text.replace("10", "T")


# ---- 7.1 and 7.2

LEGAL = [
    ("L1", None, "JH", "9H QH AH 10S KC", "QH AH", {}),
    ("L1b", None, "JH", "9H QH AH 10S KC", "9H QH AH", {"must_beat": False}),
    ("L2", None, "10H", "9H QH KH AS", "9H QH KH", {}),
    ("L5", None, "AS", "KH QH 9D", "KH QH 9D", {}),
    ("L6", "H", "AS", "9H AD KC", "9H", {}),
    ("L6b", "H", "AS", "9H AD KC", "9H AD KC", {"must_trump": False}),
    ("L7", "H", "AS QH", "JH KH 9D", "JH KH", {}),
    ("L7 must_overtrump", "H", "AS QH", "JH KH 9D", "KH", {"must_overtrump": True}),
    ("must_overtrump without the means", "H", "AS AH", "JH KH 9D", "JH KH", {"must_overtrump": True}),
    ("L9", "H", "KS 9H", "9S AS 10D", "9S AS", {}),
    ("L9 beat_if_trumped", "H", "KS 9H", "9S AS 10D", "AS", {"beat_if_trumped": True}),
    ("L10", "C", "QC", "9C 10C AH", "10C", {}),
    ("L11", "C", "QC", "9C JC AH", "9C JC", {}),
    ("L13", "C", "JC 10C", "QC KC JD", "QC KC", {}),
    ("L15", "C", "", "QC KC JD 9S", "QC KC JD 9S", {}),
]


@pytest.mark.parametrize(("case", "trump", "table", "hand", "legal", "options"), LEGAL)
def test_legal_cards(case: str, trump: str | None, table: str, hand: str, legal: str, options: dict[str, Any]) -> None:
    trick = [(1 + place, one(card)) for place, card in enumerate(table.split())]
    assert legal_cards(cards(hand), trick, trump, complete(options)) == cards(legal), case


@pytest.mark.parametrize(
    ("table", "trump", "winner", "points"),
    [
        ("9D AS JD", None, 0, 13),
        ("KD 10D QD", None, 2, 17),
        ("JC 9C AD", None, 1, 13),
        ("AH QH 10H", None, 1, 24),
        ("AH 9S 10H", "S", 2, 21),
    ],
)
def test_trick_winner(table: str, trump: str | None, winner: int, points: int) -> None:
    trick = list(zip((1, 2, 0), (one(card) for card in table.split()), strict=True))
    assert trick_winner(trick, trump) == winner
    assert card_points(card for _, card in trick) == points


# ---- whole deals

D1 = (
    {
        0: cards("QS JS AC 10C KC KD 10D"),
        1: cards("AH 10H KH QH AS 9C JD"),
        2: cards("10S KS 9H JH AD QC 9D"),
    },
    [cards("9S QD JC")],
)
D1_AUCTION = ["bid 100", "pass", "bid 105", "bid 110", "pass"]
D1_PLAY = """play AH|play 9H|play 9C|marry KH|play JH|play JS|play TH|play 9D|play QS|play QH|play 9S|play KD|
play AS|play KS|play KC|play QD|play AD|play TD|play TS|play TC|play JD|play QC|play AC|play JC"""
DealCards = tuple[dict[int, set[str]], list[set[str]]]


def source(*deals: DealCards) -> DealSource:
    return lambda number, active: deals[number % len(deals)]


def shuffled(options: dict[str, Any], rng: random.Random) -> DealSource:
    """Random deals for any options."""
    full = complete(options)
    two = full["players"] == 2
    hand, talon = full["hand_size"] or (10 if two else 7), full["talon_size"] or (2 if two else 3)

    def deal(number: int, active: tuple[int, ...]) -> DealCards:
        deck = sorted(rank + suit for rank in full["ranks"] for suit in full["suits"])
        rng.shuffle(deck)
        hands = {seat: {deck.pop() for _ in range(hand)} for seat in active}
        return hands, [{deck.pop() for _ in range(talon)} for _ in range(2 if two else 1)]

    return deal


def play_all(game: Reference, texts: list[str]) -> None:
    for text in texts:
        game.apply(text.strip())


def d1(**options: Any) -> Reference:
    game = Reference(options, source(D1), 0, episode="deal")
    play_all(game, D1_AUCTION)
    return game


def test_d1() -> None:
    game = d1()
    assert (game.phase, game.seat, game.declarer, game.contract) == ("exchange", 1, 1, 110)
    assert game.talon_shown == {0, 1, 2} and game.talons == [set()]
    assert [len(hand) for hand in game.hands] == [7, 10, 7]  # E1
    play_all(game, ["give 9S", "give 9C"])
    assert game.gifts == {2: "9S", 0: "9C"} and [len(hand) for hand in game.hands] == [8, 8, 8]
    assert (game.phase, game.seat) == ("play", 1)
    texts = [text.strip() for text in D1_PLAY.split("|")]
    for number, (winner, points) in enumerate([(1, 11), (1, 8), (1, 13), (1, 7), (1, 19), (2, 24), (2, 22), (0, 16)]):
        before = sum(game.points) + (100 if number == 1 else 0)
        play_all(game, texts[3 * number : 3 * number + 3])
        assert sum(game.points) - before == points
        assert game.phase == "over" or game.seat == winner
        assert game.trump == (None if number == 0 else "H")
        if number == 4:
            assert game.legal() == {f"play {card}" for card in game.hands[1]}
    assert game.points == [16, 158, 46] and game.scores == [15, 160, 45]
    assert game.tricks_won == [1, 5, 2] and game.bolts == [0, 0, 0]
    assert game.phase == "over" and game.legal() == set() and game.winner is None and not game.truncated
    assert game.history[0]["contract"] == 110 and not game.history[0]["conceded"]


def test_d1_forced_cards_and_bid_score() -> None:
    game = d1(declarer_score="bid")
    play_all(game, ["give 9S", "give 9C"])
    texts = [text.strip() for text in D1_PLAY.split("|")]
    play_all(game, texts[:16])
    assert game.legal() == {"play AD"}
    play_all(game, texts[16:22])
    assert game.legal() == {"play AC"}
    play_all(game, texts[22:])
    assert game.scores == [15, 110, 45]


def test_m1_m2_declaring_on_the_first_lead() -> None:
    game = d1()
    play_all(game, ["give 9S", "give 9C"])
    assert {"marry KH", "marry QH", "play KH", "play QH"} <= game.legal()
    game.apply("marry KH")
    assert game.points == [0, 100, 0] and game.trump == "H"
    gated = d1(marriage_gate="after_own_trick")
    play_all(gated, ["give 9S", "give 9C"])
    assert "play KH" in gated.legal() and "marry KH" not in gated.legal()
    gated.apply("play KH")
    assert gated.points == [0, 0, 0] and gated.trump is None
    later = d1(trump_effect="next_trick")
    play_all(later, ["give 9S", "give 9C", "marry KH"])
    assert later.points == [0, 100, 0] and later.trump is None
    play_all(later, ["play JH"])
    later.apply(min(later.legal()))
    assert later.trump == "H"


def test_m3_following_declares_nothing() -> None:
    deal = (
        {1: cards("AS 9S 9C 9D 9H JS JC"), 2: cards("KS QS AC AD AH 10C 10D"), 0: DECK - set()},
        [cards("JD JH QC")],
    )
    deal[0][0] = DECK - deal[0][1] - deal[0][2] - deal[1][0]
    game = Reference({}, source(deal), 0)
    play_all(game, ["bid 100", "pass", "pass", "give 9C", "give 9D", "play AS"])
    assert game.legal() == {"play KS", "play QS"}


def aces_game(**options: Any) -> Reference:
    deal = ({1: cards("AS AC AD AH KC QC JC"), 2: cards("KS QS JS 10S 9S 9C 9D"), 0: set()}, [cards("JD JH 9H")])
    deal[0][0] = DECK - deal[0][1] - deal[0][2] - deal[1][0]
    game = Reference(options, source(deal), 0)
    play_all(game, ["bid 100", "pass", "pass", "give JD", "give JH"])
    return game


def test_m10_m12() -> None:
    assert "aces AH" not in aces_game().legal() and "play AH" in aces_game().legal()
    game = aces_game(ace_marriage="lead_ace")
    game.apply("aces AH")
    assert game.points[1] == 200 and game.trump is None
    game = aces_game(ace_marriage="lead_ace_sets_trump")
    game.apply("aces AH")
    assert game.points[1] == 200 and game.trump == "H"
    game = aces_game(marriage_declare="automatic", ace_marriage="lead_ace")
    assert game.legal() == {f"play {card}" for card in game.hands[1]}
    game.apply("play QC")
    assert game.points[1] == 60 and game.trump == "C"
    assert "bid 320" in Reference({"ace_marriage": "lead_ace"}, source(D1_ACES), 0).legal()


D1_ACES: DealCards = (
    {
        1: cards("AS AC AD AH 10C 9C JC"),
        2: cards("KS QS JS 10S 9S KC 9D"),
        0: cards("QC KD QD JD 10D KH QH"),
    },
    [cards("10H JH 9H")],
)


# ---- 7.4

PLAIN: DealCards = (
    {
        1: cards("KH QD AS 10S 9C JC JD"),  # A7: no marriage
        2: cards("KS AC 10C AD 10D 9D 9H"),
        0: cards("QS JS 9S KC KD AH 10H"),
    },
    [cards("QC QH JH")],
)


def bids(*levels: int) -> set[str]:
    return {f"bid {level}" for level in levels}


def test_auction_choices() -> None:
    game = Reference({}, source(PLAIN), 0)
    assert (game.seat, game.phase) == (1, "auction")
    assert game.legal() == bids(100, 105, 110, 115, 120)  # A1, A7
    with pytest.raises(ValueError):
        game.apply("pass")
    game.apply("bid 100")
    assert game.legal() == bids(105, 110, 115, 120) | {"pass"}  # A3
    assert (game.bid, game.bidder, game.declarer) == (100, 1, None)
    game.apply("bid 120")
    assert game.legal() == {"pass"}  # A4
    play_all(game, ["pass", "pass"])  # A11
    assert (game.declarer, game.contract, game.talon_shown) == (2, 120, {0, 1, 2})


def test_uncontested_auctions() -> None:
    for opening in (100, 120):  # A8, A10
        game = Reference({}, source(PLAIN), 0)
        play_all(game, [f"bid {opening}", "pass", "pass"])
        assert (game.declarer, game.contract, game.talon_shown, game.passed) == (1, opening, {1}, {0, 2})


def test_auction_options() -> None:
    game = Reference({"bid_step": 10}, source(PLAIN), 0)
    game.apply("bid 100")
    assert game.legal() == bids(110, 120) | {"pass"}  # A13
    assert d1().options["bid_cap"] == "held"
    game = Reference({}, source(D1), 0)
    assert game.legal() == bids(*range(100, 221, 5))  # KH QH held
    assert max(int(text[4:]) for text in Reference({"bid_cap": "any_with_marriage"}, source(D1), 0).legal()) == 420
    assert Reference({"bid_cap": "always_120"}, source(D1), 0).legal() == bids(*range(100, 121, 5))
    assert Reference({"opening": "first_hand_exact"}, source(D1), 0).legal() == bids(100)
    assert Reference({"jump_bids": False}, source(D1), 0).legal() == bids(100)


def test_openings() -> None:
    game = Reference({"opening": "dealer_exact"}, source(PLAIN), 0)
    assert (game.seat, game.bid, game.bidder) == (1, 100, 0)
    assert game.legal() == bids(105, 110, 115, 120) | {"pass"}
    play_all(game, ["pass", "pass"])
    assert (game.declarer, game.contract, game.talon_shown) == (0, 100, {0})
    game = Reference({"opening": "dealer_last_resort"}, source(PLAIN), 0)
    play_all(game, ["pass", "pass"])
    assert (game.seat, game.legal()) == (0, bids(100))
    game = Reference({"opening": "none", "max_deals": 2}, source(PLAIN), 0)
    play_all(game, ["pass", "pass", "pass"])
    assert (game.dealer, game.deal_number, game.seat) == (0, 1, 1)
    play_all(game, ["pass", "pass", "pass"])
    assert game.phase == "over" and game.truncated and game.winner is None and game.history == []


def test_barrel_must_bid_and_silence() -> None:
    game = Reference({"barrel_must_bid": True}, source(PLAIN), 0, scores=[0, 880, 0], barrel=[None, 1, None])
    assert game.legal() == {"bid 120"}
    game = Reference({"silence_below": -120}, source(PLAIN), 0, scores=[-120, -120, -115])
    assert game.legal() == bids(100)
    game.apply("bid 100")
    assert bids(105) < game.legal()
    game.apply("bid 105")
    assert game.seat == 0 and game.legal() == {"pass"}


def test_golden_own_turn_dark() -> None:
    game = Reference({"golden": True, "dark": True, "raise_after_talon": True}, source(PLAIN), 0)
    assert (game.phase, game.declarer, game.contract, game.talon_shown) == ("exchange", 1, 120, {1})
    play_all(game, ["give QC", "give JC"])
    assert game.phase == "play"
    game = Reference({"barrel_own_turn": True}, source(PLAIN), 0, scores=[0, 880, 0], barrel=[None, 1, None])
    assert (game.phase, game.declarer, game.contract) == ("exchange", 1, 120)
    game = Reference({"dark": True}, source(PLAIN), 0)
    assert (game.phase, game.seat, game.legal()) == ("dark", 1, {"pass", "bid 120"})
    game.apply("bid 120")
    assert (game.phase, game.seat, game.legal()) == ("auction", 2, {"pass"})


def test_concession() -> None:
    game = Reference({"concede": "bid_60", "declarer_score": "bid"}, source(PLAIN), 0, episode="deal", bolts=[2, 2, 2])
    play_all(game, ["bid 120", "pass", "pass", "concede"])  # S11
    assert game.scores == [60, -120, 60] and game.bolts == [2, 2, 2] and game.concessions == [0, 1, 0]
    assert game.history[0]["conceded"] and game.points == [0, 0, 0]
    game = Reference({"concede": "bid_60", "free_bombs": 1, "dark": True}, source(PLAIN), 0, episode="deal")
    play_all(game, ["bid 120", "pass", "pass", "concede"])
    assert game.scores == [60, 0, 60]


# ---- 7.7 to 7.10 on the sheet

State = tuple[list[int], list[int], list[int | None]]


def scored(
    raw: tuple[int, ...],
    contract: int = 100,
    *,
    scores: tuple[int, ...] = (0, 0, 0),
    bolts: tuple[int, ...] = (0, 0, 0),
    barrel: tuple[int | None, ...] = (None, None, None),
    tricks: tuple[int, ...] = (2, 4, 2),
    dark: bool = False,
    golden: bool = False,
    conceded: bool = False,
    **options: Any,
) -> State:
    """Seat 0 deals, seat 1 is declarer."""
    sheet = Sheet(list(scores), list(bolts), list(barrel), [0, 0, 0], [0, 0, 0])
    outcome = Outcome((1, 2, 0), None, 1, contract, conceded, list(raw), list(tricks), golden, dark, frozenset())
    DealScoring(complete(options), sheet, outcome).score()
    return sheet.scores, sheet.bolts, sheet.barrel


def test_rounding() -> None:
    wanted = [10, 15, 15, 20, 120, 120, 125]
    assert [rounded(raw, "nearest5") for raw in (12, 13, 17, 18, 118, 122, 123)] == wanted  # S1
    assert [rounded(raw, "nearest10") for raw in (44, 45, 46)] == [40, 50, 50]  # S9
    assert [half_bid(125, "down"), half_bid(125, "up"), half_bid(110, "down"), half_bid(110, "up")] == [60, 65, 55, 55]


def test_declarer_score() -> None:
    assert scored((10, 100, 10))[0][1] == 100  # S2
    assert scored((1, 118, 1), 120)[0][1] == -120  # S4
    assert scored((1, 118, 1), 120, contract_check="rounded")[0][1] == 120
    assert scored((1, 114, 1), 110)[0][1] == 115  # S6
    assert scored((1, 114, 1), 110, declarer_score="bid")[0][1] == 110
    assert scored((1, 123, 1), 120)[0][1] == 125  # S7
    assert scored((1, 123, 1), 120, declarer_score="bid")[0][1] == 120
    assert scored((16, 158, 46), 110, rounding="nearest10", declarer_score="bid")[0] == [20, 110, 50]  # S10
    assert scored((1, 125, 1), 120, declarer_score="bid", dark=True)[0] == [0, 240, 0]  # S13
    assert scored((45, 30, 45), 120, declarer_score="bid", dark=True)[0] == [45, -240, 45]
    assert scored((58, 120, 0), scores=(495, 0, 0), dump="plus")[0][0] == 0  # S15


def test_bolts() -> None:
    case: dict[str, Any] = {"scores": (0, 0, 300), "bolts": (0, 0, 2)}
    assert scored((12, 188, 0), 120, tricks=(1, 7, 0), **case)[:2] == ([10, 190, 180], [0, 0, 0])  # B1
    assert scored((12, 188, 0), 120, tricks=(1, 6, 1), **case)[:2] == ([10, 190, 300], [0, 0, 0])  # B2
    assert scored((12, 188, 0), 120, tricks=(1, 6, 1), bolt_mode="total", **case)[1] == [0, 0, 2]  # B5
    assert scored((0, 188, 0), 120, tricks=(0, 8, 0), golden=True, **case)[:2] == ([0, 380, 60], [2, 0, 0])


@pytest.mark.parametrize(
    ("raw", "contract", "scores", "barrel", "options", "total", "attempts"),
    [
        ((0, 150, 58), 120, (0, 0, 850), (None, None, None), {}, {2: 880}, {2: 0}),  # K1
        ((0, 150, 45), 120, (0, 0, 835), (None, None, None), {}, {2: 880}, {2: 0}),  # K2
        ((0, 150, 45), 120, (0, 0, 880), (None, None, 0), {}, {2: 880}, {2: 1}),  # K4
        ((0, 131, 0), 120, (0, 880, 0), (None, 1, None), {}, {1: 1010}, {1: None}),  # K5
        ((0, 120, 0), 120, (0, 880, 0), (None, 1, None), {}, {1: 1000}, {1: None}),  # K6
        ((0, 140, 0), 100, (0, 880, 0), (None, 1, None), {}, {1: 880}, {1: 2}),  # K8
        ((0, 150, 45), 120, (0, 0, 880), (None, None, 2), {}, {2: 760}, {2: None}),  # K10
        ((0, 150, 45), 120, (0, 0, 880), (None, None, 2), {"barrel_attempt_counts": "declarer_only"}, {2: 880}, {2: 2}),
        ((9, 120, 58), 120, (880, 0, 850), (1, None, None), {}, {0: 880, 2: 880}, {0: 2, 2: 0}),  # K13
        (
            (9, 120, 58),
            120,
            (880, 0, 850),
            (1, None, None),
            {"barrel_collision": "newcomer_knocks_off"},
            {0: 760, 2: 880},
            {0: None, 2: 0},
        ),
        ((9, 120, 0), 120, (0, 880, 0), (None, 0, None), {"target": 1001}, {1: 1001}, {1: None}),  # T1
        ((9, 120, 0), 120, (0, 880, 0), (None, 0, None), {"target": 1001, "barrel_contract": 125}, {1: 880}, {1: 1}),
        (
            (9, 125, 0),
            125,
            (0, 880, 0),
            (None, 0, None),
            {"target": 1001, "barrel_contract": 125},
            {1: 1005},
            {1: None},
        ),
        (
            (9, 60, 0),
            120,
            (0, 880, 0),
            (None, 0, None),
            {"barrel_failed_contract": "deduct_and_fall"},
            {1: 760},
            {1: None},
        ),
    ],
)
def test_barrel(
    raw: tuple[int, ...],
    contract: int,
    scores: tuple[int, ...],
    barrel: tuple[int | None, ...],
    options: dict[str, Any],
    total: dict[int, int],
    attempts: dict[int, int | None],
) -> None:
    totals, _, on_barrel = scored(raw, contract, scores=scores, barrel=barrel, **options)
    assert {seat: totals[seat] for seat in total} == total
    assert {seat: on_barrel[seat] for seat in attempts} == attempts


def test_k15_three_deals() -> None:
    sheet = Sheet([0, 0, 880], [0, 0, 0], [None, None, 0], [0, 0, 0], [0, 0, 0])
    seen = []
    for declarer, raw in ((1, [0, 120, 40]), (2, [0, 0, 115]), (1, [0, 120, 25])):
        outcome = Outcome((1, 2, 0), None, declarer, 110, False, raw, [1, 1, 1], False, False, frozenset())
        DealScoring(complete({}), sheet, outcome).score()
        seen.append((sheet.scores[2], sheet.barrel[2]))
    assert seen == [(880, 1), (880, 2), (760, None)]
    assert sheet.falls == [0, 0, 1]


def test_ties() -> None:
    totals, _, _ = scored((9, 150, 141), 120, scores=(100, 850, 860))  # T5
    assert totals == [110, 1000, 1000]
    assert find_winner(complete({}), totals, 1) == 1
    assert find_winner(complete({}), totals, 0) is None
    assert find_winner(complete({}), [1000, 1005, 0], 0) == 1
    assert find_winner(complete({"tie": "declarer_first"}), [1000, 1005, 0], 0) == 0


# ---- 7.11


def test_two_players() -> None:
    options = {"players": 2}
    game = Reference(options, shuffled(options, random.Random(5)), 0, episode="deal")
    play_all(game, ["bid 100", "bid 105", "pass"])
    assert (game.phase, game.seat, game.legal()) == ("talon", 0, {"talon A", "talon B"})
    game.apply("talon B")
    assert len(game.talons[0]) == 2 and game.talons[1] == set() and game.talon_shown == {0, 1}
    assert [len(hand) for hand in game.hands] == [12, 10]
    while game.phase == "exchange":
        game.apply(min(game.legal()))
    assert [len(hand) for hand in game.hands] == [10, 10] and len(game.set_aside) == 2  # P1
    while game.phase != "over":
        game.apply(min(text for text in game.legal() if text.startswith("play")))
    assert sum(game.tricks_won) == 10 and sum(game.points) == 120


@pytest.mark.parametrize(
    ("options", "total", "tricks"),
    [({}, 120, 10), ({"set_aside": "dead"}, 107, 10), ({"two_player": "give_one"}, 109, 11)],
)
def test_two_players_cards_aside(options: dict[str, Any], total: int, tricks: int) -> None:
    rest = sorted(DECK - cards("AS 9D JC 9C"))
    deal = ({0: set(rest[:10]), 1: set(rest[10:])}, [cards("AS 9D"), cards("JC 9C")])
    game = Reference({"players": 2, **options}, source(deal), 0, episode="deal")
    play_all(game, ["bid 100", "pass", "talon B", "give 9C"])
    if game.phase == "exchange":
        game.apply("give JC")
    while game.phase != "over":
        if len(game.hands[0]) + len(game.hands[1]) == 1:
            before = list(game.points)
        game.apply(min(text for text in game.legal() if text.startswith("play")))
    assert (sum(game.points), sum(game.tricks_won)) == (total, tricks)  # P2, P3
    assert game.talons == [cards("AS 9D"), set()] and 0 in (game.points[0] - before[0], game.points[1] - before[1])


def test_several_ways_off_the_barrel() -> None:
    """3.1: a bolt fine is on top; each way costs its own price once."""
    on: dict[str, Any] = {"scores": (0, 0, 880), "bolts": (0, 0, 2), "tricks": (1, 7, 0), "bolt_on_barrel": "counted"}
    assert scored((9, 120, 0), 110, barrel=(None, None, 0), **on) == ([10, 120, 760], [0, 0, 0], [None] * 3)
    assert scored((9, 120, 0), 110, barrel=(None, None, 2), **on) == ([10, 120, 640], [0, 0, 0], [None] * 3)


def test_four_players() -> None:
    swapped = cards("AS 10H 9C")  # P4
    rest = sorted(DECK - swapped)
    deal = ({seat: set(rest[7 * place : 7 * place + 7]) for place, seat in enumerate((1, 2, 3))}, [swapped])
    options: dict[str, Any] = {"players": 4, "concede": "bid_60"}
    game = Reference(options, shuffled(options, random.Random(1)), 0)
    assert game.active == (1, 2, 3) and game.seat == 1 and game.hands[0] == set()  # P7
    game = Reference(options, lambda number, active: deal, 0, episode="deal")
    play_all(game, ["bid 100", "pass", "pass", "concede"])
    assert game.scores == [20, -100, 60, 60]


# ---- section 6: the exact counts


def splits(sizes: list[int], rest: set[str]) -> Iterator[list[set[str]]]:
    if not sizes:
        yield []
        return
    for chosen in itertools.combinations(sorted(rest), sizes[0]):
        for others in splits(sizes[1:], rest - set(chosen)):
            yield [set(chosen), *others]


def terminal_histories(options: dict[str, Any], deal: DealCards, moves: list[str]) -> int:
    game = Reference(options, source(deal), 0)
    play_all(game, moves)
    while game.phase != "over":
        legal = sorted(game.legal())
        if len(legal) > 1:
            return sum(terminal_histories(options, deal, [*moves, text]) for text in legal)
        moves = moves + legal
        game.apply(legal[0])
    return 1


def test_mini2_counts() -> None:
    deck = {rank + suit for rank in "QKA" for suit in "SH"}
    deals = list(splits([2, 2, 1, 1], deck))
    assert len(deals) == 180
    count = sum(terminal_histories(PRESETS["mini2"], ({0: a, 1: b}, [c, d]), []) for a, b, c, d in deals)
    assert count == 33_800


# ---- random playouts

VALUES: dict[str, list[Any]] = {
    "players": [2, 3, 4],
    "target": [1000, 1001, 1200],
    "opening": ["first_hand_min", "first_hand_exact", "dealer_exact", "dealer_last_resort", "none"],
    "min_bid": [100, 60, 120],
    "bid_step": [5, 10, 20],
    "jump_bids": [True, False],
    "bid_cap": ["held", "any_with_marriage", "always_120", "none"],
    "raise_after_talon": [True, False],
    "talon_reveal": ["contested", "always", "never"],
    "exchange": ["give_one_each", "discard_three"],
    "gifts_face_up": [True, False],
    "marriage_values": [{"S": 40, "C": 60, "D": 80, "H": 100}, {"S": 20, "C": 40, "D": 60, "H": 81}],
    "marriage_gate": ["on_lead", "after_own_trick", "after_first_trick"],
    "marriage_declare": ["optional", "optional", "automatic"],
    "marriage_needs_trick": [False, False, True],
    "trump_effect": ["immediate", "next_trick"],
    "ace_marriage": ["off", "lead_ace", "lead_ace_sets_trump", "held_at_first_lead"],
    "ace_marriage_value": [200, 100],
    "must_beat": [True, True, False],
    "beat_if_trumped": [False, True],
    "must_trump": [True, True, False],
    "must_overtrump": [False, True],
    "declarer_score": ["taken", "bid", "max"],
    "contract_check": ["raw", "rounded"],
    "rounding": ["nearest5", "nearest10", "down5", "none"],
    "barrel": [True, True, False],
    "barrel_threshold": [880, 900, 300, 150],
    "barrel_clamp": [True, False],
    "barrel_direct_jump_wins": [True, False],
    "barrel_contract": [120, 140],
    "barrel_win_bid": ["exact", "at_least"],
    "barrel_must_bid": [True, False],
    "barrel_attempts": [3, 1, 5, None],
    "barrel_attempt_counts": ["every_deal", "declarer_only", "own_turn_only"],
    "barrel_own_turn": [True, False],
    "barrel_failed_contract": ["attempt_only", "deduct_and_fall"],
    "barrel_fall_penalty": [120, 0, 240],
    "barrel_collision": ["coexist", "newcomer_knocks_off", "all_fall"],
    "barrel_third_fall_zero": [True, False],
    "lock_at": [None, 800, 200],
    "bolt_mode": ["consecutive", "total", "off"],
    "bolt_limit": [3, 2],
    "bolt_declarer": [True, False],
    "bolt_on_barrel": ["frozen", "counted"],
    "bolt_basis": ["tricks", "points"],
    "tie": ["highest", "declarer_first"],
    "concede": ["off", "bid_60", "120_60", "half_bid"],
    "concede_half": ["down", "up"],
    "concede_limit": [None, 3],
    "free_bombs": [0, 1],
    "golden": [True, False],
    "dark": [True, False],
    "silence_below": [None, -120],
    "dump": ["off", "plus", "plus_minus"],
    "redeal_four_nines": ["off", "optional", "mandatory"],
    "redeal_hand_below": [None, 14, 25],
    "redeal_talon_below": [None, 8],
    "redeal_talon_nines": [None, 2],
    "two_player": ["two_talons", "give_one"],
    "set_aside": ["last_trick", "dead"],
    "sitter_bonus": ["talon_points", "none", "marriage_only", "ace_and_marriage"],
    "max_deals": [20, 40],
}


def random_options(rng: random.Random) -> dict[str, Any]:
    """Any options that do not contradict each other (3.1)."""
    options = {name: rng.choice(values) for name, values in VALUES.items()}
    if options["barrel"]:
        options["lock_at"] = None
    if not options["barrel_clamp"]:
        options["barrel_direct_jump_wins"] = True
    if options["barrel_contract"] > 120 and options["bid_cap"] == "always_120":
        options["barrel_contract"] = 120
    options["beat_if_trumped"] &= options["must_beat"]
    options["must_overtrump"] &= options["must_trump"]
    if options["concede"] == "off":
        options["free_bombs"] = 0
    if options["players"] == 2:
        options["exchange"] = "give_one_each"
    return options


def random_start(options: dict[str, Any], rng: random.Random) -> dict[str, list[Any]]:
    """Totals from which the barrel, the lock and the target are near."""
    full = complete(options)
    threshold = full["barrel_threshold"] if full["barrel"] else full["target"]
    start: dict[str, list[Any]] = {"scores": [], "bolts": [], "barrel": []}
    for _ in range(full["players"]):
        on_barrel = full["barrel"] and rng.random() < 0.3
        start["scores"].append(threshold if on_barrel else rng.randrange(-150, threshold, 5))
        start["barrel"].append(0 if on_barrel else None)
        start["bolts"].append(rng.randrange(full["bolt_limit"]))
    return start


def playout(options: dict[str, Any], rng: random.Random, episode: str = "match", near: bool = False) -> Reference:
    """Random moves to the end, checking what must hold all the way."""
    dealer = rng.randrange(complete(options)["players"])
    start = random_start(options, rng) if near else {}
    game = Reference(options, shuffled(options, rng), dealer, episode, **start)
    full = game.options
    sums = full["ace_marriage"] != "held_at_first_lead" and full["marriage_declare"] == "optional"
    sums = sums and not full["marriage_needs_trick"]
    sums = sums and (full["players"] != 2 or (full["set_aside"] == "last_trick" and full["two_player"] == "two_talons"))
    deck_points = sum(POINTS[rank] for rank in full["ranks"]) * len(full["suits"])
    deck_size = len(full["ranks"]) * len(full["suits"])
    declared = completed = 0
    while game.phase != "over":
        legal = game.legal()
        assert legal and game.seat in game.active
        if not any(game.tricks_won) and not game.trick:
            held = [card for hand in (*game.hands, *game.talons, game.set_aside) for card in hand]
            assert len(held) == len(set(held)) == deck_size
        text = rng.choice(sorted(legal))
        number = game.deal_number
        if text == "redeal" and rng.random() < 0.7:
            text = rng.choice(sorted(legal - {"redeal"}))
        if text.startswith("marry"):
            declared += full["marriage_values"][text[-1]]
        if text.startswith("aces"):
            declared += full["ace_marriage_value"]
        game.apply(text)
        if len(game.history) > completed:
            completed += 1
            entry = game.history[-1]
            if sums and not entry["conceded"]:
                assert sum(entry["points"]) - declared == deck_points
            assert entry["deal_number"] == number
        if len(game.history) == completed and (game.deal_number != number or game.phase == "over"):
            declared = 0
    assert game.seat is None and game.legal() == set()
    assert (game.winner is None) or not game.truncated
    assert game.winner is not None or game.truncated or episode == "deal"
    if game.winner is not None:
        assert game.scores[game.winner] >= full["target"]
    for entry in game.history:
        for total, attempts in zip(entry["scores"], entry["barrel"], strict=True):
            if attempts is not None:
                assert full["barrel_threshold"] <= total < full["target"]
                assert full["barrel_attempts"] is None or attempts < full["barrel_attempts"]
    return game


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_preset_playouts(name: str) -> None:
    rng = random.Random(name)
    for _ in range(3):
        playout(PRESETS[name], rng)
        playout(PRESETS[name], rng, "deal")


def test_random_option_playouts() -> None:
    rng = random.Random(2024)
    ends = {True: 0, False: 0}
    for _ in range(400):
        ends[playout(random_options(rng), rng, near=rng.random() < 0.8).truncated] += 1
    assert min(ends.values()) > 40
    for _ in range(100):
        playout(random_options(rng), rng, "deal", near=True)


def test_every_option_has_a_default() -> None:
    assert set(VALUES) <= set(DEFAULTS)
    assert all(set(preset) <= set(DEFAULTS) for preset in PRESETS.values())
    with pytest.raises(ValueError):
        complete({"no_such_option": 1})
