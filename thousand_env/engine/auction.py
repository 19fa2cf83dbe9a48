"""The auction: who may bid what, the dark bid before it, and redeals asked for before it."""

from __future__ import annotations

from typing import Any, Final

from thousand_env.actions import FIRST_BID, PASS, REDEAL
from thousand_env.contradictions import GOLDEN_CONTRACT
from thousand_env.engine.bits import card_points, marriages_value, popcount
from thousand_env.engine.compiler import compiled
from thousand_env.engine.state import (
    AUCTION,
    DARK_BID,
    DARK_LOOKED,
    NOBODY,
    first_hand,
    in_set,
    is_silenced,
    last_hand,
    log_action,
    next_active,
    on_barrel,
)
from thousand_env.rules_record import (
    ACES_OFF,
    CAP_ANY_WITH_MARRIAGE,
    CAP_HELD,
    CAP_NONE,
    FOUR_NINES_OPTIONAL,
    NO_NUMBER,
    OPENING_DEALER_EXACT,
    OPENING_DEALER_LAST_RESORT,
    OPENING_FIRST_HAND_EXACT,
    OPENING_FIRST_HAND_MIN,
)

GOES_ON, VOID, WON = range(3)
"""What an auction comes to."""

PASS_BIT: Final = 1 << PASS


@compiled
def bid_bits(lowest: int, highest: int, rules: Any) -> tuple[int, int]:
    """The two 64-bit words of the legal set with all bids from one number of points to another."""
    step = rules["bid_step"]
    first = (lowest - rules["min_bid"] + step - 1) // step
    last = (min(highest, rules["top_bid"]) - rules["min_bid"]) // step
    if highest < rules["min_bid"] or last < first:
        return 0, 0
    low = high = 0
    if first <= 62:
        low = ((1 << (min(last, 62) - first + 1)) - 1) << (first + FIRST_BID)
    if last == 63 or (last == 64 and first <= 63):
        high |= 1
    if last == 64:
        high |= 2
    return low, high


@compiled
def bid_cap(hand: int, rules: Any) -> int:
    """Rule 9 and ``bid_cap``: the highest bid that a hand allows."""
    cap = rules["bid_cap"]
    if cap == CAP_NONE:
        return rules["top_bid"]
    highest = rules["deck_points"]
    if cap == CAP_HELD:
        highest += marriages_value(hand, rules)
        if rules["ace_marriage"] != ACES_OFF and rules["four_aces"] and hand & rules["four_aces"] == rules["four_aces"]:
            highest += rules["ace_marriage_value"]
    elif cap == CAP_ANY_WITH_MARRIAGE and has_marriage(hand):
        return rules["top_bid"]
    return min(highest, rules["top_bid"])


@compiled
def has_marriage(hand: int) -> bool:
    """Whether a card set holds king and queen of some suit."""
    pairs = 0b1100
    return (
        (hand >> 0) & pairs == pairs
        or (hand >> 6) & pairs == pairs
        or (hand >> 12) & pairs == pairs
        or (hand >> 18) & pairs == pairs
    )


@compiled
def legal_dark(rules: Any) -> tuple[int, int]:
    """First hand looks at his cards, or bids 120; any level from 120 up where no bid depends on the hand."""
    low, high = dark_bids(rules)
    return low | PASS_BIT, high


@compiled
def dark_bids(rules: Any) -> tuple[int, int]:
    """The bids that may be made in the dark; they are above a minimum that the dealer holds."""
    lowest = GOLDEN_CONTRACT
    if rules["opening"] == OPENING_DEALER_EXACT:
        lowest = max(lowest, rules["min_bid"] + 1)
    return bid_bits(lowest, rules["top_bid"] if rules["bid_cap"] == CAP_NONE else GOLDEN_CONTRACT, rules)


@compiled
def apply_dark(state: Any, rules: Any, action: int) -> None:
    """Take first hand's dark bid or his look."""
    log_action(state, action)
    if action == PASS:
        state["dark"] = DARK_LOOKED
    else:
        state["dark"] = DARK_BID
        _take_bid(state, rules, state["seat"], action)


@compiled
def may_ask_redeal(state: Any, rules: Any, seat: int) -> bool:
    """Whether a seat is entitled to ask for a redeal on its hand; a dark bidder is not."""
    if state["dark"] == DARK_BID and seat == first_hand(state, rules):
        return False
    hand = state["hands"][seat]
    if rules["redeal_four_nines"] == FOUR_NINES_OPTIONAL and holds_four_nines(hand, rules):
        return True
    return rules["redeal_hand_below"] != NO_NUMBER and card_points(hand) < rules["redeal_hand_below"]


@compiled
def holds_four_nines(hand: int, rules: Any) -> bool:
    """Whether a hand holds the four nines of a deck that has them."""
    return rules["four_nines"] != 0 and hand & rules["four_nines"] == rules["four_nines"]


@compiled
def next_to_ask(state: Any, rules: Any) -> int:
    """The first seat clockwise from first hand that may ask for a redeal and has not declined, or NOBODY."""
    if rules["redeal_four_nines"] != FOUR_NINES_OPTIONAL and rules["redeal_hand_below"] == NO_NUMBER:
        return NOBODY
    seat = first_hand(state, rules)
    for _ in range(rules["active"]):
        if not in_set(state["asked"], seat) and may_ask_redeal(state, rules, seat):
            return seat
        seat = next_active(seat, state, rules)
    return NOBODY


@compiled
def apply_redeal_answer(state: Any, action: int) -> bool:
    """Take an answer to the offer of a redeal; True if it is asked for. A refusal is not announced, so not logged."""
    if action == REDEAL:
        return True
    state["asked"] |= 1 << state["seat"]
    return False


@compiled
def begin_auction(state: Any, rules: Any) -> None:
    """Whose turn is first; the last hand's minimum is on the table under ``dealer_exact``."""
    state["phase"] = AUCTION
    first = first_hand(state, rules)
    if state["dark"] == DARK_BID:
        if rules["opening"] == OPENING_DEALER_EXACT:
            state["bidders"] |= 1 << last_hand(state, rules)
        pass_on(state, rules, first)
        return
    if rules["opening"] == OPENING_DEALER_EXACT:
        _take_bid(state, rules, last_hand(state, rules), FIRST_BID)
    state["seat"] = first


@compiled
def is_forced_to_open(state: Any, rules: Any) -> bool:
    """Whether the seat to act must make the first bid."""
    if state["bid"]:
        return False
    opening = rules["opening"]
    if opening == OPENING_FIRST_HAND_MIN or opening == OPENING_FIRST_HAND_EXACT:
        return True
    others_passed = popcount(state["passed"]) == rules["players"] - 1
    return opening == OPENING_DEALER_LAST_RESORT and others_passed


@compiled
def legal_auction(state: Any, rules: Any) -> tuple[int, int]:
    """Passes and bids of the seat to act, as two words of the legal set."""
    seat = state["seat"]
    forced = is_forced_to_open(state, rules)
    lowest = state["bid"] + 1 if state["bid"] else rules["min_bid"]
    highest = bid_cap(state["hands"][seat], rules)
    only_minimum = rules["opening"] != OPENING_FIRST_HAND_MIN or is_silenced(state, rules, seat)
    if forced and only_minimum:
        highest = rules["min_bid"]
    elif is_silenced(state, rules, seat):
        return PASS_BIT, 0
    if not rules["jump_bids"]:
        step = rules["bid_step"]
        next_level = rules["min_bid"] if not state["bid"] else state["bid"] + step
        highest = min(highest, next_level)
    low, high = bid_bits(lowest, highest, rules)
    if rules["barrel"] and rules["barrel_must_bid"] and on_barrel(state, seat):
        low_must, high_must = bid_bits(rules["barrel_contract"], rules["barrel_contract"], rules)
        if low & low_must or high & high_must:
            return low_must, high_must
    return (low if forced else low | PASS_BIT), high


@compiled
def apply_auction(state: Any, rules: Any, action: int) -> int:
    """Take a bid or a pass; GOES_ON, VOID if all have passed without a bid, or WON."""
    log_action(state, action)
    seat = state["seat"]
    if action == PASS:
        state["passed"] |= 1 << seat
    else:
        if state["dark"] == DARK_BID:
            state["dark"] = DARK_LOOKED  # overbid: the doubling ends for good
        _take_bid(state, rules, seat, action)
    return pass_on(state, rules, seat)


@compiled
def _take_bid(state: Any, rules: Any, seat: int, action: int) -> None:
    state["bid"] = rules["min_bid"] + rules["bid_step"] * (action - FIRST_BID)
    state["bids"][seat] = action
    state["bidder"] = seat
    state["bidders"] |= 1 << seat


@compiled
def pass_on(state: Any, rules: Any, seat: int) -> int:
    """Give the turn to the next seat that is still in, unless the auction has ended."""
    still_in = rules["players"] - popcount(state["passed"])
    if still_in == 0:
        return VOID
    if still_in == 1 and state["bid"]:
        return WON
    seat = next_active(seat, state, rules)
    while in_set(state["passed"], seat):
        seat = next_active(seat, state, rules)
    state["seat"] = seat
    return GOES_ON
