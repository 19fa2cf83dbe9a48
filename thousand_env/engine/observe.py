"""Observations: what a seat may know, written as 8-bit integers by the ``layout``, a 64-bit word at a time.

A table turns eight bits of a card set into eight bytes; per-seat fields are rotated as four bytes of one number, so
that place 0 is the observer. Words are little-endian, as on every machine that Numba compiles for.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from thousand_env.actions import FIRST_ACES, FIRST_MARRY, PASS
from thousand_env.cards import ACE, KING, NUM_CARDS, NUM_RANKS, NUM_SUITS, QUEEN
from thousand_env.engine.bits import popcount, wide
from thousand_env.engine.carry import SHEET_WORDS, TRICK_WORDS, row_dtype, split_bytes
from thousand_env.engine.compiler import compiled, inlined
from thousand_env.engine.state import (
    DARK,
    DARK_BID,
    DARK_LOOKED,
    DARK_NO,
    FORCED_GOLDEN,
    FORCED_NO,
    FORCED_OWN_TURN,
    LOG_SIZE,
    MAX_SEATS,
    NO_SUIT,
    OVER,
    first_hand,
    in_set,
    last_hand,
)
from thousand_env.engine.tricks import PLAYED_CARD
from thousand_env.layout import OBSERVATION, RULES_START, STATE
from thousand_env.rules_record import (
    OPENING_DEALER_EXACT,
    OPENING_DEALER_LAST_RESORT,
    OPENING_FIRST_HAND_EXACT,
    OPENING_FIRST_HAND_MIN,
)


def _flags(places: dict[int, int]) -> npt.NDArray[np.int64]:
    """By value of a field, 0 to 3: the byte of the flags that it sets."""
    return np.array([1 << (8 * places[value]) if value in places else 0 for value in range(4)], np.int64)


EXPAND: Final = (
    np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little").copy().view(np.int64).ravel()
)
"""Eight bits as eight bytes."""

SEAT_BYTES: Final = np.array(
    [sum(1 << (8 * seat) for seat in range(4) if seats >> seat & 1) for seats in range(16)], np.int64
)
"""A set of seats as bytes 0 or 1."""
ONE_SEAT: Final = np.array([0, *(1 << (8 * seat) for seat in range(MAX_SEATS))], np.int64)
"""By seat plus one: that seat as bytes 0 or 1."""
SPLIT: Final = np.array([number // 100 | number % 100 << 8 for number in range(512)], np.int64)
"""Hundreds and remainder of small numbers, as two bytes."""
LOW_32: Final = 0xFFFFFFFF
PLACE_OF_PLAY: Final = np.where(PLAYED_CARD >= 0, PLAYED_CARD, NUM_CARDS).astype(np.uint64)
"""The card that an action plays, or a place behind all cards."""
BOTH: Final = 1 << 32 | 1
"""A number of 32 bits times this is the number in both halves of a word."""
# What the flags of a deal are by the field that they come from: dark_looked, dark_stands; golden, own_turn; talon_a, b.
DARK_FLAGS: Final = _flags({DARK_LOOKED: 0, DARK_BID: 1})
FORCED_FLAGS: Final = _flags({FORCED_GOLDEN: 2, FORCED_OWN_TURN: 3})
TALON_FLAGS: Final = _flags({1: 6, 2: 7})


def _word(name: str) -> int:
    """The word at which a piece starts."""
    word, rest = divmod({**STATE.pieces, **OBSERVATION.pieces}[name].start, 8)
    assert not rest, name
    return word


_HAND: Final = _word("hand")
_PLAYED: Final = _word("played")
_TALON: Final = _word("talon")
_ASIDE: Final = _word("set_aside")
_TRICK_WORD: Final = _word("trick_of_card")
_ON_TABLE_WORD: Final = _word("on_table")
_GIFTS_WORD: Final = _word("gifts")
_ON_TABLE: Final = np.uint64(OBSERVATION["on_table"].start)
_GIFTS: Final = np.uint64(OBSERVATION["gifts"].start)
_PARTNER: Final = OBSERVATION["partner"].start
_VOIDS: Final = _word("voids")
_MARRIAGES: Final = _word("marriages")
_PHASE: Final = _word("phase")
_PASSED_AND_BIDS: Final = _word("passed")
_FORCED_AND_TURN: Final = _word("forced_bid")
_DEALER_AND_DECLARER: Final = _word("dealer")
_TRICKS_AND_POINTS: Final = _word("tricks")
_BONUS: Final = _word("bonus_hundreds")
_ACES_AND_ORDER: Final = _word("aces")
_TRUMPS: Final = _word("trump")
_FLAGS: Final = _word("dark_looked")
_NUMBERS: Final = _word("bid_hundreds")
_SHEET: Final = _word("score_hundreds")
_RULES: Final = RULES_START // 8
_RULES_WORDS: Final = OBSERVATION.size // 8 - _RULES
_ACES: Final = OBSERVATION["aces"].start
_ORDER: Final = OBSERVATION["declared_order"].start
_ACES_ORDER: Final = OBSERVATION["aces_order"].start
_HANDS: Final = _word("hands")
_TALONS: Final = _word("talons")
_ALL_ASIDE: Final = _word("all_aside")
_ALL_GIFTS_WORD: Final = _word("all_gifts")
_ALL_GIFTS: Final = STATE["all_gifts"].start
STATE_WORDS: Final = STATE.size // 8


OBSERVATION_DTYPE: Final = row_dtype(OBSERVATION.size)
STATE_ROW_DTYPE: Final = row_dtype(STATE.size)
BLOCK_DTYPE: Final = row_dtype(OBSERVATION.size - RULES_START)


@compiled
def write_cards(row: Any, place: int, cards: int) -> None:
    """A card set as 24 bytes."""
    row["words"][place] = EXPAND[cards & 255]
    row["words"][place + 1] = EXPAND[(cards >> 8) & 255]
    row["words"][place + 2] = EXPAND[(cards >> 16) & 255]


@compiled
def four_bytes(field: Any) -> int:
    """A per-seat field of bytes as one number."""
    return wide(field[0]) | wide(field[1]) << 8 | wide(field[2]) << 16 | wide(field[3]) << 24


@compiled
def turn_masks(me: int, players: int) -> tuple[int, int]:
    """What ``turn`` keeps of a word shifted right, and of one shifted left."""
    right = ((wide(1) << (8 * (players - me))) - 1) * BOTH
    left = (((wide(1) << (8 * me)) - 1) << (8 * (players - me))) * BOTH
    return right, left


@compiled
def turn(word: int, me: int, players: int, right: int, left: int) -> int:
    """Two groups of four bytes by seat, turned so that the observer's byte is the lowest of each group."""
    return (word >> (8 * me)) & right | (word << (8 * (players - me))) & left


@compiled
def relative_seat(seat: int, me: int, players: int) -> int:
    """How many seats clockwise from the observer."""
    return seat - me if seat >= me else seat - me + players


@compiled
def one_seat(seat: int) -> int:
    """One seat or suit, or nobody, as bytes 0 or 1."""
    return ONE_SEAT[wide(seat) + 1]


@compiled
def bid_bytes(number: int) -> int:
    """Hundreds and remainder of a bid, which is not negative, as the two bytes of one number."""
    if number < len(SPLIT):
        return wide(SPLIT[number])
    high, low = split_bytes(number)
    return high | low << 8


@inlined
def observe(state: Any, rules: Any, rules_block: Any, carry: Any, me: int, row: Any) -> None:
    """Write what ``me`` may know to ``row``.

    ``rules_block`` is the part of the observation that depends on the rules alone, ``carry`` see there. A seat that
    is not the one being asked for a redeal is observed through its redacted state.
    """
    blind = wide(state["phase"] == DARK and me == first_hand(state, rules))
    write_cards(row, _HAND, wide(state["hands"][np.uint64(me)]) & (blind - 1))
    players = wide(rules["players"])
    seat = me
    for relative in range(MAX_SEATS):
        if relative < players:
            write_cards(row, _PLAYED + 3 * relative, wide(state["played"][np.uint64(seat)]))
            seat = seat + 1 if seat + 1 < players else 0
        else:
            write_cards(row, _PLAYED + 3 * relative, 0)
    _observe_talon(state, rules, me, row)
    _observe_tricks(state, carry, row)
    _observe_gifts(state, rules, me, row)
    _observe_seats(state, rules, carry, me, row)
    _observe_numbers(state, rules, me, row)
    row["words"][_MARRIAGES] = 0
    row["words"][_MARRIAGES + 1] = 0
    if state["next_trump"] != NO_SUIT or state["aces_declared"] or state["phase"] == OVER:
        _observe_bonus(state, rules, me, row)
        _observe_declared(state, rules, me, row)
    for place in range(_RULES_WORDS):
        row["words"][_RULES + place] = rules_block["words"][place]


# Games of a batch are in different phases, so that a branch costs more than doing nothing would: where there is
# nothing to say, zeros are written, or something at a place that is cleared next.


@inlined
def _observe_talon(state: Any, rules: Any, me: int, row: Any) -> None:
    seen = wide(in_set(state["talon_seen"], me)) | wide(state["phase"] == OVER and rules["players"] == 4)
    seen &= wide(state["talon_taken"] >= 0)
    write_cards(row, _TALON, wide(state["talon"][wide(state["talon_taken"] == 1)]) & -seen)
    write_cards(row, _ASIDE, wide(state["aside"]) & -wide(me == state["declarer"]))


@inlined
def _observe_tricks(state: Any, carry: Any, row: Any) -> None:
    """The trick of each card that was played, and the trick on the table, which the log ends with."""
    for place in range(TRICK_WORDS):
        row["words"][_TRICK_WORD + place] = carry["words"][SHEET_WORDS + place]
        row["words"][_ON_TABLE_WORD + place] = 0
    on_table = wide(state["trick_size"])
    last = np.uint64(min(wide(state["log_size"]) - on_table, LOG_SIZE - 2))
    for play in range(2):
        place = PLACE_OF_PLAY[state["log"][last + np.uint64(play)]] if play < on_table else PLACE_OF_PLAY[0]
        row["bytes"][_ON_TABLE + place] = 1 + play


@inlined
def _observe_gifts(state: Any, rules: Any, me: int, row: Any) -> None:
    for place in range(_GIFTS_WORD, _VOIDS):
        row["words"][place] = 0
    knows_all = wide(me == state["declarer"]) | wide(rules["gifts_face_up"] != 0)
    players = wide(rules["players"])
    for seat in range(MAX_SEATS):
        card = wide(state["gifts"][seat])
        known = wide(card >= 0) & (knows_all | wide(seat == me))
        relative = seat - me if seat >= me else seat - me + players
        row["bytes"][_GIFTS + np.uint64(card * known)] |= (1 + relative) * known


@compiled
def _observe_bonus(state: Any, rules: Any, me: int, row: Any) -> None:
    players = wide(rules["players"])
    right, left = turn_masks(me, players)
    word = 0
    for seat in range(MAX_SEATS):
        high, low = split_bytes(wide(state["bonus"][seat]))
        word |= (high | low << 32) << (8 * seat)
    row["words"][_BONUS] = turn(word, me, players, right, left)


@compiled
def _observe_declared(state: Any, rules: Any, me: int, row: Any) -> None:
    """Marriages and four aces that were declared, and the cards which they show in a hand."""
    players = wide(rules["players"])
    active = wide(rules["active"])
    played = wide(state["played"][0]) | wide(state["played"][1]) | wide(state["played"][2]) | wide(state["played"][3])
    size = wide(state["log_size"])
    order = marriages = 0
    for place in range(size - popcount(played), size, active):  # only who leads declares
        action = wide(state["log"][place])
        if action < FIRST_MARRY:
            continue
        card = wide(PLAYED_CARD[action])
        order += 1
        relative = relative_seat(player_of(state, card), me, players)
        if action >= FIRST_ACES:
            row["bytes"][_ACES_ORDER] = order
            row["bytes"][_ACES + relative] = 1
            for suit in range(NUM_SUITS):
                ace = NUM_RANKS * suit + ACE
                if not (played >> ace) & 1:
                    row["bytes"][_PARTNER + ace] = 1 + relative
        else:
            suit = card // NUM_RANKS
            row["bytes"][_ORDER + suit] = order
            marriages |= 1 << (4 * relative + suit)
            other = NUM_RANKS * suit + QUEEN + KING - card % NUM_RANKS
            if not (played >> other) & 1:
                row["bytes"][_PARTNER + other] = 1 + relative
    row["words"][_MARRIAGES] = EXPAND[marriages & 255]
    row["words"][_MARRIAGES + 1] = EXPAND[marriages >> 8]


@compiled
def player_of(state: Any, card: int) -> int:
    """Who has played a card."""
    for seat in range(MAX_SEATS):
        if (wide(state["played"][seat]) >> card) & 1:
            return seat
    return 0


@inlined
def _observe_seats(state: Any, rules: Any, carry: Any, me: int, row: Any) -> None:
    """Per-seat groups of four bytes, two to a word."""
    players = wide(rules["players"])
    right, left = turn_masks(me, players)
    voids = turn(four_bytes(state["voids"]), me, players, right, left)
    row["words"][_VOIDS] = EXPAND[voids & 15 | (voids >> 4) & 240]
    row["words"][_VOIDS + 1] = EXPAND[(voids >> 16) & 15 | (voids >> 20) & 240]
    row["words"][_PHASE] = wide(1) << (8 * wide(state["phase"]))
    word = SEAT_BYTES[_passed(state, rules)] | four_bytes(state["bids"]) << 32
    row["words"][_PASSED_AND_BIDS] = turn(word, me, players, right, left)
    word = SEAT_BYTES[forced_bidders(state, rules)] | one_seat(state["seat"]) << 32
    row["words"][_FORCED_AND_TURN] = turn(word, me, players, right, left)
    word = one_seat(state["dealer"]) | one_seat(state["declarer"]) << 32
    row["words"][_DEALER_AND_DECLARER] = turn(word, me, players, right, left)
    points = state["points"]
    word = wide(points[0]) & 255 | (wide(points[1]) & 255) << 8 | (wide(points[2]) & 255) << 16
    word |= (wide(points[3]) & 255) << 24
    row["words"][_TRICKS_AND_POINTS] = turn(four_bytes(state["tricks"]) | word << 32, me, players, right, left)
    row["words"][_BONUS] = 0
    row["words"][_ACES_AND_ORDER] = 0
    for place in range(SHEET_WORDS - 1):
        row["words"][_SHEET + place] = turn(carry["words"][place], me, players, right, left)
    word = carry["words"][SHEET_WORDS - 1]
    row["words"][_SHEET + SHEET_WORDS - 1] = turn(word & LOW_32, me, players, right, left) | word & ~LOW_32


@compiled
def _passed(state: Any, rules: Any) -> int:
    """Who has passed; a sitter, who is kept among them, has not."""
    passed = wide(state["passed"])
    return passed & ~(1 << wide(state["dealer"])) if rules["players"] == 4 else passed


@compiled
def forced_bidders(state: Any, rules: Any) -> int:
    """The set of seats that did not bid of their own will: a forced opening, or the dealer's minimum."""
    if state["forced"] != FORCED_NO or state["bidders"] == 0:
        return 0
    opening = rules["opening"]
    if opening == OPENING_FIRST_HAND_MIN or opening == OPENING_FIRST_HAND_EXACT:
        dark = state["dark"] != DARK_NO and state["log"][0] != PASS
        return 0 if dark else 1 << wide(first_hand(state, rules))
    last = wide(last_hand(state, rules))
    if opening == OPENING_DEALER_EXACT or (opening == OPENING_DEALER_LAST_RESORT and state["bidders"] == 1 << last):
        return 1 << last
    return 0


@inlined
def _observe_numbers(state: Any, rules: Any, me: int, row: Any) -> None:
    """Single values."""
    row["words"][_TRUMPS] = one_seat(state["trump"]) | one_seat(state["next_trump"]) << 32
    flags = DARK_FLAGS[state["dark"]] | FORCED_FLAGS[state["forced"]] | TALON_FLAGS[wide(state["talon_taken"]) + 1]
    flags |= wide(state["talon_seen"] == (1 << rules["players"]) - 1) << 32 | wide(in_set(state["asked"], me)) << 40
    row["words"][_FLAGS] = flags
    row["words"][_NUMBERS] = bid_bytes(wide(state["bid"])) | bid_bytes(wide(state["contract"])) << 16


@compiled
def observe_all(state: Any, rules: Any, me: int, row: Any) -> None:
    """Write what ``encode_state`` adds after an observation: all hidden cards, hands in the observer's order."""
    players = wide(rules["players"])
    for relative in range(MAX_SEATS):
        seat = me + relative if me + relative < players else me + relative - players
        write_cards(row, _HANDS + 3 * relative, wide(state["hands"][seat]) if relative < players else 0)
    write_cards(row, _TALONS, wide(state["talon"][0]))
    write_cards(row, _TALONS + 3, wide(state["talon"][1]))
    write_cards(row, _ALL_ASIDE, wide(state["aside"]))
    for place in range(_ALL_GIFTS_WORD, STATE_WORDS):
        row["words"][place] = 0
    for seat in range(rules["players"]):
        if state["gifts"][seat] >= 0:
            row["bytes"][_ALL_GIFTS + state["gifts"][seat]] = 1 + relative_seat(seat, me, rules["players"])
