"""What a seat knows as one record of plain numbers, from its own place: what players in compiled code look at.

A ``Sight`` is made from a state, of which only what the seat may know is read, or from an observation; both give the
same. Seats are relative to the observer, 0 himself and then clockwise, card sets are integers with bit ``card id`` set.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from thousand_env.actions import FIRST_ACES, FIRST_MARRY
from thousand_env.cards import NUM_CARDS, NUM_RANKS, NUM_SUITS, QUEEN
from thousand_env.engine.bits import wide
from thousand_env.engine.carry import COUNT_CAP, LARGEST, tricks_done
from thousand_env.engine.compiler import compiled
from thousand_env.engine.observe import player_of, relative_seat
from thousand_env.engine.state import (
    DARK,
    DARK_BID,
    FORCED_GOLDEN,
    MAX_SEATS,
    NO_BARREL,
    NO_CARD,
    NO_SUIT,
    NOBODY,
    first_hand,
    in_set,
    sitter,
)
from thousand_env.engine.tricks import PLAYED_CARD, beats
from thousand_env.layout import OBSERVATION
from thousand_env.rules_record import NO_NUMBER

SIGHT_DTYPE: Final = np.dtype(
    [
        ("legal", np.int64, (3,)),  # the legal actions, as bits
        ("deck", np.uint32),  # all cards there are
        ("hand", np.uint32),
        ("unseen", np.uint32),  # cards of the deck that others may hold or that lie where they are not known
        ("talon", np.uint32),  # the talon that was taken, if the observer has seen it
        ("aside", np.uint32),  # put aside by the observer
        ("played", np.uint32, (MAX_SEATS,)),
        ("shown", np.uint32, (MAX_SEATS,)),  # cards a seat is known to hold: gifts, partners of declared marriages
        ("scores", np.int32, (MAX_SEATS,)),
        ("barrel", np.int16, (MAX_SEATS,)),  # attempts used, or NO_BARREL
        ("points", np.int16, (MAX_SEATS,)),  # card points won in this deal
        ("bonus", np.int16, (MAX_SEATS,)),  # marriages and aces declared in this deal
        ("bid", np.int16),  # the highest bid, 0 before the first
        ("contract", np.int16),  # 0 until there is a declarer
        ("deals_left", np.int16),  # to max_deals, after this one
        ("tricks", np.uint8, (MAX_SEATS,)),
        ("bolts", np.uint8, (MAX_SEATS,)),
        ("concessions", np.uint8, (MAX_SEATS,)),
        ("bids", np.uint8, (MAX_SEATS,)),  # last bid of each seat: its action id, 0 for none
        ("voids", np.uint8, (MAX_SEATS,)),  # sets of suits that a seat has shown not to hold
        ("passed", np.uint8),  # set of seats
        ("phase", np.uint8),
        ("dealer", np.int8),
        ("declarer", np.int8),
        ("trump", np.int8),
        ("next_trump", np.int8),
        ("trick_size", np.uint8),
        ("trick_cards", np.int8, (2,)),  # on the table, in order of play
        ("trick_seats", np.int8, (2,)),
        ("led_card", np.int8),
        ("best_card", np.int8),
        ("best_seat", np.int8),
        ("golden", np.uint8),
        ("dark", np.uint8),  # a dark bid stands
    ],
    align=True,
)


@compiled
def see(state: Any, rules: Any, me: int, sight: Any) -> None:
    """Write what ``me`` knows of a state, full or redacted; everything but ``legal``, which is the mover's."""
    players = wide(rules["players"])
    blind = state["phase"] == DARK and me == first_hand(state, rules)
    sight["hand"] = 0 if blind else state["hands"][me]
    sight["aside"] = state["aside"] if me == state["declarer"] else 0
    taken = state["talon_taken"]
    sight["talon"] = state["talon"][taken] if taken >= 0 and in_set(state["talon_seen"], me) else 0
    knows_gifts = me == state["declarer"] or (rules["gifts_face_up"] != 0 and rules["aside_count"] == 0)
    passed = 0
    resting = sitter(state, rules)
    for place in range(MAX_SEATS):
        seat = me + place if me + place < players else me + place - players
        inside = place < players
        sight["played"][place] = state["played"][seat] if inside else 0
        sight["shown"][place] = 0
        sight["scores"][place] = min(max(wide(state["scores"][seat]), -LARGEST), LARGEST) if inside else 0
        sight["barrel"][place] = min(wide(state["barrel"][seat]), COUNT_CAP) if inside else NO_BARREL
        sight["points"][place] = state["points"][seat] if inside else 0
        sight["bonus"][place] = state["bonus"][seat] if inside else 0
        sight["tricks"][place] = state["tricks"][seat] if inside else 0
        sight["bolts"][place] = min(wide(state["bolts"][seat]), COUNT_CAP) if inside else 0
        sight["concessions"][place] = min(wide(state["concessions"][seat]), COUNT_CAP) if inside else 0
        sight["bids"][place] = state["bids"][seat] if inside else 0
        sight["voids"][place] = state["voids"][seat] if inside else 0
        if inside and in_set(state["passed"], seat) and seat != resting:
            passed |= 1 << place
        gift = wide(state["gifts"][seat])
        if inside and place and knows_gifts and gift >= 0 and not (wide(state["played"][seat]) >> gift) & 1:
            sight["shown"][place] = 1 << gift
    sight["passed"] = passed
    sight["bid"] = state["bid"]
    sight["contract"] = state["contract"]
    left = LARGEST
    if rules["max_deals"] != NO_NUMBER:
        left = wide(rules["max_deals"]) - 1 - wide(state["deal_number"])
    sight["deals_left"] = min(left, LARGEST)
    sight["phase"] = state["phase"]
    sight["dealer"] = relative_seat(wide(state["dealer"]), me, players)
    sight["declarer"] = NOBODY if state["declarer"] < 0 else relative_seat(wide(state["declarer"]), me, players)
    sight["trump"] = state["trump"]
    sight["next_trump"] = state["next_trump"]
    sight["golden"] = state["forced"] == FORCED_GOLDEN
    sight["dark"] = state["dark"] == DARK_BID
    size = wide(state["trick_size"])
    first = wide(state["log_size"]) - size
    for place in range(2):
        sight["trick_cards"][place] = NO_CARD
        sight["trick_seats"][place] = NOBODY
        if place < size:
            card = wide(PLAYED_CARD[state["log"][first + place]])
            sight["trick_cards"][place] = card
            sight["trick_seats"][place] = relative_seat(player_of(state, card), me, players)
    sight["trick_size"] = size
    sight["led_card"] = state["led_card"]
    sight["best_card"] = state["best_card"]
    sight["best_seat"] = NOBODY if size == 0 else relative_seat(wide(state["best_seat"]), me, players)
    if state["next_trump"] != NO_SUIT or state["aces_declared"]:
        _see_declared(state, rules, me, sight)
    _count_unseen(rules, sight)


@compiled
def _see_declared(state: Any, rules: Any, me: int, sight: Any) -> None:
    """Cards that a declared marriage or four aces show in a hand."""
    active = wide(rules["active"])
    size = wide(state["log_size"])
    begun = size - active * tricks_done(state) - wide(state["trick_size"])
    for place in range(begun, size, active):  # only who leads declares
        action = wide(state["log"][place])
        if action < FIRST_MARRY:
            continue
        card = wide(PLAYED_CARD[action])
        seat = relative_seat(player_of(state, card), me, wide(rules["players"]))
        if action >= FIRST_ACES:
            partners = wide(rules["four_aces"])
        else:
            partners = wide(3) << (NUM_RANKS * (card // NUM_RANKS) + QUEEN)
        sight["shown"][seat] |= partners & ~wide(sight["played"][seat])


@compiled
def _count_unseen(rules: Any, sight: Any) -> None:
    """The cards of the deck that are neither in the observer's hand, nor put aside by him, nor played."""
    unseen = wide(0)
    for place in range(rules["deck_size"]):
        unseen |= wide(1) << wide(rules["deck"][place])
    sight["deck"] = unseen
    unseen &= ~(wide(sight["hand"]) | wide(sight["aside"]))
    for place in range(MAX_SEATS):
        unseen &= ~wide(sight["played"][place])
    sight["unseen"] = unseen
    sight["shown"][0] = 0


# From an observation. Values are those of float32 rows, integers divided by the scale of their piece.


def _start(name: str) -> int:
    return OBSERVATION[name].start


_HAND: Final = _start("hand")
_PLAYED: Final = _start("played")
_TALON: Final = _start("talon")
_ASIDE: Final = _start("set_aside")
_ON_TABLE: Final = _start("on_table")
_GIFTS: Final = _start("gifts")
_PARTNER: Final = _start("partner")
_VOIDS: Final = _start("voids")
_PHASE: Final = _start("phase")
_PASSED: Final = _start("passed")
_BIDS: Final = _start("bids")
_DEALER: Final = _start("dealer")
_DECLARER: Final = _start("declarer")
_TRICKS: Final = _start("tricks")
_POINTS: Final = _start("card_points")
_BONUS: Final = _start("bonus_hundreds")
_BONUS_REST: Final = _start("bonus_rest")
_TRUMP: Final = _start("trump")
_NEXT_TRUMP: Final = _start("next_trump")
_DARK: Final = _start("dark_stands")
_GOLDEN: Final = _start("golden")
_BID: Final = _start("bid_hundreds")
_BID_REST: Final = _start("bid_rest")
_CONTRACT: Final = _start("contract_hundreds")
_CONTRACT_REST: Final = _start("contract_rest")
_SCORE: Final = _start("score_hundreds")
_SCORE_REST: Final = _start("score_rest")
_ON_BARREL: Final = _start("on_barrel")
_ATTEMPTS: Final = _start("attempts")
_BOLTS: Final = _start("bolts")
_CONCESSIONS: Final = _start("concessions")
_DEALS_LEFT: Final = _start("deals_left_hundreds")
_DEALS_LEFT_REST: Final = _start("deals_left_rest")
_SIXTEEN: Final = 16
_NUMBER: Final = 128
_FOUR: Final = 4
for _scale, *_names in (
    (_SIXTEEN, "tricks"),
    (_NUMBER, "card_points", "bids", "score_hundreds", "attempts", "bolts", "bid_hundreds", "contract_rest"),
    (_FOUR, "gifts", "on_table", "partner"),
):
    assert all(OBSERVATION[name].scale == _scale for name in _names)


@compiled
def _cards(row: Any, start: int) -> int:
    cards = wide(0)
    for card in range(NUM_CARDS):
        cards |= wide(row["values"][start + card] != 0) << card
    return cards


@compiled
def _whole(row: Any, place: int, scale: int) -> int:
    """An integer of the layout, exactly: scales are powers of two."""
    return np.int64(row["values"][place] * scale)  # type: ignore[return-value]


@compiled
def _which(row: Any, start: int, count: int) -> int:
    """The place of the one, -1 if there is none."""
    found = -1
    for place in range(count):
        if row["values"][start + place] != 0:
            found = place
    return found


@compiled
def see_row(row: Any, rules: Any, sight: Any) -> None:
    """Write what a row of float32 observations says; everything but ``legal``."""
    players = wide(rules["players"])
    sight["hand"] = _cards(row, _HAND)
    sight["talon"] = _cards(row, _TALON)
    sight["aside"] = _cards(row, _ASIDE)
    passed = 0
    for place in range(MAX_SEATS):
        sight["played"][place] = _cards(row, _PLAYED + NUM_CARDS * place)
        sight["shown"][place] = 0
        sight["scores"][place] = 100 * _whole(row, _SCORE + place, _NUMBER) + _whole(row, _SCORE_REST + place, _NUMBER)
        on_it = row["values"][_ON_BARREL + place] != 0
        sight["barrel"][place] = _whole(row, _ATTEMPTS + place, _NUMBER) if on_it else NO_BARREL
        sight["points"][place] = _whole(row, _POINTS + place, _NUMBER)
        sight["bonus"][place] = 100 * _whole(row, _BONUS + place, _NUMBER) + _whole(row, _BONUS_REST + place, _NUMBER)
        sight["tricks"][place] = _whole(row, _TRICKS + place, _SIXTEEN)
        sight["bolts"][place] = _whole(row, _BOLTS + place, _NUMBER)
        sight["concessions"][place] = _whole(row, _CONCESSIONS + place, _NUMBER)
        sight["bids"][place] = _whole(row, _BIDS + place, _NUMBER)
        voids = 0
        for suit in range(NUM_SUITS):
            voids |= wide(row["values"][_VOIDS + NUM_SUITS * place + suit] != 0) << suit
        sight["voids"][place] = voids
        passed |= wide(row["values"][_PASSED + place] != 0) << place
    sight["passed"] = passed
    sight["bid"] = 100 * _whole(row, _BID, _NUMBER) + _whole(row, _BID_REST, _NUMBER)
    sight["contract"] = 100 * _whole(row, _CONTRACT, _NUMBER) + _whole(row, _CONTRACT_REST, _NUMBER)
    sight["deals_left"] = 100 * _whole(row, _DEALS_LEFT, _NUMBER) + _whole(row, _DEALS_LEFT_REST, _NUMBER)
    sight["phase"] = _which(row, _PHASE, 8)
    sight["dealer"] = _which(row, _DEALER, MAX_SEATS)
    sight["declarer"] = _which(row, _DECLARER, MAX_SEATS)
    sight["trump"] = _which(row, _TRUMP, NUM_SUITS)
    sight["next_trump"] = _which(row, _NEXT_TRUMP, NUM_SUITS)
    sight["golden"] = row["values"][_GOLDEN] != 0
    sight["dark"] = row["values"][_DARK] != 0
    for place in range(2):
        sight["trick_cards"][place] = NO_CARD
        sight["trick_seats"][place] = NOBODY
    size = 0
    played = sight["played"]
    all_played = wide(played[0]) | wide(played[1]) | wide(played[2]) | wide(played[3])
    for card in range(NUM_CARDS):
        place = _whole(row, _ON_TABLE + card, _FOUR)
        if 0 < place <= 2:
            size = max(size, place)
            sight["trick_cards"][place - 1] = card
            for seat in range(MAX_SEATS):
                if (wide(sight["played"][seat]) >> card) & 1:
                    sight["trick_seats"][place - 1] = seat
        held = (wide(1) << card) & ~all_played
        receiver = _whole(row, _GIFTS + card, _FOUR) - 1
        if 0 < receiver < players:
            sight["shown"][receiver] |= held
        partner = _whole(row, _PARTNER + card, _FOUR) - 1
        if 0 < partner < players:
            sight["shown"][partner] |= held
    sight["trick_size"] = size
    _find_best(sight, size)
    _count_unseen(rules, sight)


@compiled
def _find_best(sight: Any, size: int) -> None:
    """Rule 23, of the cards on the table."""
    cards, seats = sight["trick_cards"], sight["trick_seats"]
    led = wide(cards[0])
    sight["led_card"] = led
    sight["best_card"] = led
    sight["best_seat"] = seats[0]
    if size == 2 and beats(wide(cards[1]), led, wide(sight["trump"])):
        sight["best_card"] = cards[1]
        sight["best_seat"] = seats[1]
