"""Observations: what a seat may know, written as 8-bit integers by the ``layout``, a 64-bit word at a time.

A table turns eight bits of a card set into eight bytes; per-seat fields are rotated as four bytes of one number, so
that place 0 is the observer. Words are little-endian, as on every machine that Numba compiles for.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from thousand_env.actions import FIRST_ACES, FIRST_GIVE, FIRST_MARRY, FIRST_PLAY, PASS
from thousand_env.cards import ACE, KING, NUM_RANKS, NUM_SUITS, QUEEN
from thousand_env.engine.bits import popcount, wide
from thousand_env.engine.compiler import compiled
from thousand_env.engine.redact import HIDDEN_GIVE
from thousand_env.engine.state import (
    DARK,
    DARK_BID,
    DARK_LOOKED,
    DARK_NO,
    EPISODE_DEAL,
    FORCED_GOLDEN,
    FORCED_NO,
    FORCED_OWN_TURN,
    MAX_SEATS,
    NO_BARREL,
    NO_SUIT,
    OVER,
    first_hand,
    in_set,
    last_hand,
    next_active,
)
from thousand_env.engine.tricks import played_card
from thousand_env.layout import OBSERVATION, RULES_START, STATE
from thousand_env.rules_record import (
    NO_NUMBER,
    OPENING_DEALER_EXACT,
    OPENING_DEALER_LAST_RESORT,
    OPENING_FIRST_HAND_EXACT,
    OPENING_FIRST_HAND_MIN,
)

EXPAND: Final = (
    np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little").copy().view(np.int64).ravel()
)
"""Eight bits as eight bytes."""

LOW_FOUR_BYTES: Final = 0xFFFFFFFF
LARGEST: Final = 12_799
COUNT_CAP: Final = 127

SHEET_SIZE: Final = 7
(
    SHEET_SCORE_HIGH,
    SHEET_SCORE_LOW,
    SHEET_BARREL,
    SHEET_ATTEMPTS,
    SHEET_FALLS,
    SHEET_BOLTS,
    SHEET_CONCESSIONS,
) = range(SHEET_SIZE)

_HAND: Final = OBSERVATION["hand"].start // 8
_PLAYED: Final = OBSERVATION["played"].start // 8
_TALON: Final = OBSERVATION["talon"].start // 8
_ASIDE: Final = OBSERVATION["set_aside"].start // 8
_TRICK: Final = OBSERVATION["trick_of_card"].start
_ON_TABLE: Final = OBSERVATION["on_table"].start
_GIFTS: Final = OBSERVATION["gifts"].start
_PARTNER: Final = OBSERVATION["partner"].start
_VOIDS: Final = OBSERVATION["voids"].start // 8
_MARRIAGES: Final = OBSERVATION["marriages"].start // 8
_PHASE: Final = OBSERVATION["phase"].start // 8
_PASSED: Final = OBSERVATION["passed"].start // 8
_FORCED: Final = OBSERVATION["forced_bid"].start // 8
_DEALER: Final = OBSERVATION["dealer"].start // 8
_TRICKS: Final = OBSERVATION["tricks"].start // 8
_BONUS: Final = OBSERVATION["bonus_hundreds"].start // 8
_ACES: Final = OBSERVATION["aces"].start // 8
_SCORE_REST: Final = OBSERVATION["score_rest"].start // 8
_ATTEMPTS: Final = OBSERVATION["attempts"].start // 8
_BOLTS: Final = OBSERVATION["bolts"].start // 8
_TRUMP: Final = OBSERVATION["trump"].start // 8
_ORDER: Final = OBSERVATION["declared_order"].start
_FLAGS: Final = OBSERVATION["dark_looked"].start
_EPISODE: Final = OBSERVATION["deal_episode"].start
_ACES_ORDER: Final = OBSERVATION["aces_order"].start
_NUMBERS: Final = OBSERVATION["bid_hundreds"].start
_HANDS: Final = STATE["hands"].start // 8
_TALONS: Final = STATE["talons"].start // 8
_ALL_ASIDE: Final = STATE["all_aside"].start // 8
_STATE_SIZE: Final = STATE.size
_ALL_GIFTS: Final = STATE["all_gifts"].start
OBSERVATION_SIZE: Final = OBSERVATION.size

HIDDEN_TOKEN: Final = 130
"""In place of an action: a card was given that the observer does not know."""

TOKENS_A_SEAT: Final = 131


@compiled
def write_cards(words: Any, place: int, cards: int) -> None:
    """A card set as 24 bytes."""
    words[place] = EXPAND[cards & 255]
    words[place + 1] = EXPAND[(cards >> 8) & 255]
    words[place + 2] = EXPAND[(cards >> 16) & 255]


@compiled
def rotated(field: Any, me: int, players: int) -> int:
    """Four bytes of a per-seat field, the observer's first."""
    packed = wide(field[0]) | wide(field[1]) << 8 | wide(field[2]) << 16 | wide(field[3]) << 24
    return turn(packed, me, players)


@compiled
def turn(packed: int, me: int, players: int) -> int:
    """Bytes by seat turned so that the observer's is the lowest."""
    return (packed >> (8 * me) | packed << (8 * (players - me))) & ((1 << (8 * players)) - 1)


@compiled
def turned_set(seats: int, me: int, players: int) -> int:
    """A set of seats as bytes 0 or 1, the observer's first."""
    seats &= (1 << players) - 1
    relative = (seats >> me | seats << (players - me)) & ((1 << players) - 1)
    return EXPAND[relative]


@compiled
def relative_seat(seat: int, me: int, players: int) -> int:
    """How many seats clockwise from the observer."""
    return seat - me if seat >= me else seat - me + players


@compiled
def one_seat(seat: int, me: int, players: int) -> int:
    """One seat, or nobody, as bytes 0 or 1, the observer's first."""
    return 0 if seat < 0 else 1 << (8 * relative_seat(seat, me, players))


@compiled
def hundreds(number: int) -> int:
    """Hundreds of a number clipped to what two bytes hold, towards zero."""
    clipped = max(-LARGEST, min(number, LARGEST))
    return clipped // 100 if clipped >= 0 else -(-clipped // 100)


@compiled
def rest(number: int) -> int:
    """What ``hundreds`` leaves."""
    clipped = max(-LARGEST, min(number, LARGEST))
    return clipped - 100 * hundreds(number)


@compiled
def pack_sheet(state: Any, rules: Any, sheet: Any) -> None:
    """The score sheet as per-seat bytes, ``SHEET_SIZE`` numbers of four: it changes only at the end of a deal."""
    for group in range(SHEET_SIZE):
        sheet[group] = 0
    for seat in range(rules["players"]):
        shift = 8 * seat
        score = wide(state["scores"][seat])
        sheet[SHEET_SCORE_HIGH] |= (hundreds(score) & 255) << shift
        sheet[SHEET_SCORE_LOW] |= (rest(score) & 255) << shift
        used = wide(state["barrel"][seat])
        if used != NO_BARREL:
            sheet[SHEET_BARREL] |= 1 << shift
            sheet[SHEET_ATTEMPTS] |= min(used, COUNT_CAP) << shift
        sheet[SHEET_FALLS] |= min(wide(state["falls"][seat]), COUNT_CAP) << shift
        sheet[SHEET_BOLTS] |= min(wide(state["bolts"][seat]), COUNT_CAP) << shift
        sheet[SHEET_CONCESSIONS] |= min(wide(state["concessions"][seat]), COUNT_CAP) << shift


@compiled
def observe(state: Any, rules: Any, rules_block: Any, sheet: Any, me: int, row: Any, words: Any) -> None:
    """Write what ``me`` may know to ``row``, int8, of which ``words`` is the same memory as int64.

    ``rules_block`` is the part of the observation that depends on the rules alone, as int64; ``sheet`` the score sheet
    from ``pack_sheet``. A seat that is not the one
    being asked for a redeal is observed through its redacted state.
    """
    blind = state["phase"] == DARK and me == first_hand(state, rules)
    write_cards(words, _HAND, 0 if blind else wide(state["hands"][me]))
    players = wide(rules["players"])
    for relative in range(MAX_SEATS):
        seat = me + relative if me + relative < players else me + relative - players
        write_cards(words, _PLAYED + 3 * relative, wide(state["played"][seat]) if relative < players else 0)
    _observe_talon(state, rules, me, words)
    for place in range(_TRICK // 8, _VOIDS):
        words[place] = 0
    _observe_gifts(state, rules, me, row)
    voids = rotated(state["voids"], me, players)
    words[_VOIDS] = EXPAND[voids & 15 | (voids >> 4) & 240]
    words[_VOIDS + 1] = EXPAND[(voids >> 16) & 15 | (voids >> 20) & 240]
    words[_ACES] = 0
    words[_TRUMP] = 0
    words[_TRUMP + 1] = 0
    for place in range(_EPISODE // 8, RULES_START // 8):
        words[place] = 0
    _observe_play(state, rules, me, row, words)
    _observe_seats(state, rules, sheet, me, words)
    _observe_numbers(state, rules, me, row)
    for place in range(RULES_START // 8, OBSERVATION_SIZE // 8):
        words[place] = rules_block[place - RULES_START // 8]


@compiled
def _observe_talon(state: Any, rules: Any, me: int, words: Any) -> None:
    taken = state["talon_taken"]
    seen = taken >= 0 and (in_set(state["talon_seen"], me) or (state["phase"] == OVER and rules["players"] == 4))
    write_cards(words, _TALON, wide(state["talon"][taken]) if seen else 0)
    write_cards(words, _ASIDE, wide(state["aside"]) if me == state["declarer"] else 0)


@compiled
def _observe_gifts(state: Any, rules: Any, me: int, row: Any) -> None:
    knows_all = me == state["declarer"] or rules["gifts_face_up"] != 0
    for seat in range(rules["players"]):
        card = state["gifts"][seat]
        if card >= 0 and (knows_all or seat == me):
            row[_GIFTS + card] = 1 + relative_seat(seat, me, rules["players"])


@compiled
def _observe_play(state: Any, rules: Any, me: int, row: Any, words: Any) -> None:
    """Tricks card by card, and what was declared: from the log."""
    played = wide(state["played"][0]) | wide(state["played"][1]) | wide(state["played"][2]) | wide(state["played"][3])
    plays = popcount(played)
    start = state["log_size"] - plays
    active = rules["active"]
    trick = in_trick = order = marriages = 0
    for i in range(plays):
        if in_trick == 0:
            trick += 1
        in_trick = in_trick + 1 if in_trick + 1 < active else 0
        action = wide(state["log"][start + i])
        if action < FIRST_MARRY:
            row[_TRICK + action - FIRST_PLAY] = trick
            continue
        card = played_card(action)
        row[_TRICK + card] = trick
        order += 1
        seat = _player_of(state, card)
        relative = relative_seat(seat, me, rules["players"])
        if action >= FIRST_ACES:
            row[_ACES_ORDER] = order
            row[8 * _ACES + relative] = 1
            for suit in range(NUM_SUITS):
                ace = NUM_RANKS * suit + ACE
                if not (played >> ace) & 1:
                    row[_PARTNER + ace] = 1 + relative
        else:
            suit = card // NUM_RANKS
            row[_ORDER + suit] = order
            marriages |= 1 << (4 * relative + suit)
            other = NUM_RANKS * suit + QUEEN + KING - card % NUM_RANKS
            if not (played >> other) & 1:
                row[_PARTNER + other] = 1 + relative
    for i in range(state["trick_size"]):
        card = played_card(wide(state["log"][state["log_size"] - state["trick_size"] + i]))
        row[_ON_TABLE + card] = i + 1
    words[_MARRIAGES] = EXPAND[marriages & 255]
    words[_MARRIAGES + 1] = EXPAND[marriages >> 8]


@compiled
def _player_of(state: Any, card: int) -> int:
    for seat in range(MAX_SEATS):
        if (wide(state["played"][seat]) >> card) & 1:
            return seat
    return 0


@compiled
def _observe_seats(state: Any, rules: Any, sheet: Any, me: int, words: Any) -> None:
    """Per-seat groups of four bytes, two to a word."""
    players = wide(rules["players"])
    words[_PHASE] = wide(1) << (8 * wide(state["phase"]))
    words[_PASSED] = turned_set(_passed(state, rules), me, players) | rotated(state["bids"], me, players) << 32
    forced = turned_set(forced_bidders(state, rules), me, players)
    words[_FORCED] = forced | one_seat(state["seat"], me, players) << 32
    words[_DEALER] = one_seat(state["dealer"], me, players) | one_seat(state["declarer"], me, players) << 32
    card_points = bonus_high = bonus_low = 0
    for seat in range(players):
        shift = 8 * seat
        card_points |= (wide(state["points"][seat]) & 255) << shift
        bonus = wide(state["bonus"][seat])
        if bonus:
            bonus_high |= hundreds(bonus) << shift
            bonus_low |= rest(bonus) << shift
    words[_TRICKS] = rotated(state["tricks"], me, players) | turn(card_points, me, players) << 32
    words[_BONUS] = turn(bonus_high, me, players) | turn(bonus_low, me, players) << 32
    words[_ACES] = words[_ACES] & LOW_FOUR_BYTES | turn(sheet[SHEET_SCORE_HIGH], me, players) << 32
    words[_SCORE_REST] = turn(sheet[SHEET_SCORE_LOW], me, players) | turn(sheet[SHEET_BARREL], me, players) << 32
    words[_ATTEMPTS] = turn(sheet[SHEET_ATTEMPTS], me, players) | turn(sheet[SHEET_FALLS], me, players) << 32
    words[_BOLTS] = turn(sheet[SHEET_BOLTS], me, players) | turn(sheet[SHEET_CONCESSIONS], me, players) << 32


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


@compiled
def _observe_numbers(state: Any, rules: Any, me: int, row: Any) -> None:
    """Single values."""
    if state["trump"] != NO_SUIT:
        row[8 * _TRUMP + wide(state["trump"])] = 1
    if state["next_trump"] != NO_SUIT:
        row[8 * _TRUMP + NUM_SUITS + wide(state["next_trump"])] = 1
    row[_FLAGS] = state["dark"] == DARK_LOOKED
    row[_FLAGS + 1] = state["dark"] == DARK_BID
    row[_FLAGS + 2] = state["forced"] == FORCED_GOLDEN
    row[_FLAGS + 3] = state["forced"] == FORCED_OWN_TURN
    row[_FLAGS + 4] = popcount(wide(state["talon_seen"])) == rules["players"]
    row[_FLAGS + 5] = in_set(state["asked"], me)
    row[_FLAGS + 6] = state["talon_taken"] == 0
    row[_FLAGS + 7] = state["talon_taken"] == 1
    row[_EPISODE] = state["episode"] == EPISODE_DEAL
    row[_NUMBERS] = hundreds(wide(state["bid"]))
    row[_NUMBERS + 1] = rest(wide(state["bid"]))
    row[_NUMBERS + 2] = hundreds(wide(state["contract"]))
    row[_NUMBERS + 3] = rest(wide(state["contract"]))
    row[_NUMBERS + 4] = max(0, rules["players"] - state["deals_scored"]) if rules["golden"] else 0
    left = LARGEST
    if rules["max_deals"] != NO_NUMBER:
        left = rules["max_deals"] - 1 - state["deal_number"]
    row[_NUMBERS + 5] = hundreds(left)
    row[_NUMBERS + 6] = rest(left)


@compiled
def observe_all(state: Any, rules: Any, me: int, row: Any, words: Any) -> None:
    """Write what ``encode_state`` adds after an observation: all hidden cards, hands in the observer's order."""
    players = wide(rules["players"])
    for relative in range(MAX_SEATS):
        seat = me + relative if me + relative < players else me + relative - players
        write_cards(words, _HANDS + 3 * relative, wide(state["hands"][seat]) if relative < players else 0)
    write_cards(words, _TALONS, wide(state["talon"][0]))
    write_cards(words, _TALONS + 3, wide(state["talon"][1]))
    write_cards(words, _ALL_ASIDE, wide(state["aside"]))
    for place in range(_ALL_GIFTS // 8, _STATE_SIZE // 8):
        words[place] = 0
    for seat in range(rules["players"]):
        if state["gifts"][seat] >= 0:
            row[_ALL_GIFTS + state["gifts"][seat]] = 1 + relative_seat(seat, me, rules["players"])


@compiled
def observe_history(state: Any, rules: Any, me: int, tokens: Any) -> int:
    """Write the actions of the deal as ``131 * relative seat + action`` and return their number.

    A card given that ``me`` does not know is ``HIDDEN_TOKEN``. An own declined redeal comes after the dark decision.
    """
    size = 0
    players = rules["players"]
    seat = wide(first_hand(state, rules))
    place = 0
    if state["dark"] != DARK_NO:
        tokens[0] = TOKENS_A_SEAT * relative_seat(seat, me, players) + state["log"][0]
        place = size = 1
        if state["log"][0] != PASS:
            seat = next_active(seat, state, rules)
    if in_set(state["asked"], me):
        tokens[size] = PASS
        size += 1
    passed = 0
    receiver = wide(next_active(state["declarer"], state, rules)) if state["declarer"] >= 0 else 0
    while place < state["log_size"]:
        action = wide(state["log"][place])
        place += 1
        actor = wide(state["declarer"])
        if FIRST_PLAY <= action < FIRST_ACES + NUM_SUITS:
            actor = _player_of(state, played_card(action))
        elif FIRST_GIVE <= action < FIRST_PLAY or action == HIDDEN_GIVE:
            if not _knows_give(state, rules, me, receiver):
                action = HIDDEN_TOKEN
            receiver = wide(next_active(receiver, state, rules))
        elif action < FIRST_GIVE and not (actor >= 0 and state["talon_taken"] >= 0 and _after_gifts(state, place)):
            actor = seat
            if action == PASS:
                passed |= 1 << seat
            for _ in range(rules["active"]):
                seat = wide(next_active(seat, state, rules))
                if not (passed >> seat) & 1:
                    break
        tokens[size] = TOKENS_A_SEAT * relative_seat(actor, me, players) + action
        size += 1
    return size


@compiled
def _knows_give(state: Any, rules: Any, me: int, receiver: int) -> bool:
    if me == state["declarer"]:
        return True
    return not rules["aside_count"] and (receiver == me or rules["gifts_face_up"] != 0)


@compiled
def _after_gifts(state: Any, place: int) -> bool:
    """Whether the entry before ``place`` of the log is a raise: it follows a card that was given."""
    if place < 2:
        return False
    earlier = wide(state["log"][place - 2])
    return FIRST_GIVE <= earlier < FIRST_PLAY or earlier == HIDDEN_GIVE
