"""From the end of the auction to the first lead: talon, gifts or cards put aside, concession, raise."""

from __future__ import annotations

from typing import Any, Final

from thousand_env.actions import CONCEDE, FIRST_BID, FIRST_GIVE, PASS, REDEAL, TALON_A
from thousand_env.engine.auction import PASS_BIT, bid_bits, bid_cap
from thousand_env.engine.bits import card_points, popcount, wide
from thousand_env.engine.compiler import compiled
from thousand_env.engine.state import (
    DARK_BID,
    EXCHANGE,
    FORCED_NO,
    NO_CARD,
    PLAY,
    RAISE,
    TALON,
    is_silenced,
    log_action,
    next_active,
)
from thousand_env.rules_record import CONCEDE_OFF, NO_NUMBER, REVEAL_ALWAYS, REVEAL_CONTESTED

EXCHANGE_GOES_ON, CONCEDED, VOIDED = range(3)
"""What an action of the exchange comes to."""

GIVE_SHIFT: Final = FIRST_GIVE - 64
ALL_NINES: Final = 0b000001_000001_000001_000001
CONCEDE_BIT: Final = 1 << (CONCEDE - 64)


@compiled
def become_declarer(state: Any, rules: Any, seat: int, contract: int) -> None:
    """Rule 10: the auction is over. With two players a talon is chosen next, otherwise the talon is taken."""
    state["declarer"] = seat
    state["contract"] = contract
    state["seat"] = seat
    if rules["players"] == 2:
        state["phase"] = TALON
    else:
        take_talon(state, rules, 0)


@compiled
def legal_talon() -> int:
    """Either talon, as the third word of the legal set."""
    return 3


@compiled
def apply_talon(state: Any, rules: Any, action: int) -> None:
    """Take talon A or B."""
    log_action(state, action)
    take_talon(state, rules, action - TALON_A)


@compiled
def take_talon(state: Any, rules: Any, which: int) -> None:
    """Rule 12 and ``talon_reveal``: the talon is shown to all or not, then joins the declarer's hand."""
    declarer = state["declarer"]
    reveal = rules["talon_reveal"]
    contested = popcount(state["bidders"]) >= 2
    if reveal == REVEAL_ALWAYS or (reveal == REVEAL_CONTESTED and contested):
        state["talon_seen"] = (1 << rules["players"]) - 1
    else:
        state["talon_seen"] = 1 << declarer
    state["talon_taken"] = which
    state["hands"][declarer] |= state["talon"][which]
    state["phase"] = EXCHANGE


@compiled
def is_first_part(state: Any) -> bool:
    """Whether the declarer has not yet parted with a card."""
    if state["aside"]:
        return False
    for seat in range(4):
        if state["gifts"][seat] != NO_CARD:
            return False
    return True


@compiled
def may_concede(state: Any, rules: Any) -> bool:
    """Instead of the first card, within ``concede_limit``."""
    limit = rules["concede_limit"]
    within = limit == NO_NUMBER or state["concessions"][state["declarer"]] < limit
    return rules["concede"] != CONCEDE_OFF and within


@compiled
def may_ask_talon_redeal(state: Any, rules: Any) -> bool:
    """Instead of the first card, at the minimum won in an auction, on a poor talon."""
    if state["contract"] != rules["min_bid"] or state["forced"] != FORCED_NO or state["dark"] == DARK_BID:
        return False
    talon = state["talon"][state["talon_taken"]]
    below, nines = rules["redeal_talon_below"], rules["redeal_talon_nines"]
    if below != NO_NUMBER and card_points(talon) < below:
        return True
    return nines != NO_NUMBER and popcount(talon & ALL_NINES) >= nines


@compiled
def legal_exchange(state: Any, rules: Any) -> int:
    """Any card of the hand; first also concession and a redeal on the talon. The second word of the legal set."""
    bits = wide(state["hands"][state["declarer"]]) << GIVE_SHIFT
    if is_first_part(state):
        if may_concede(state, rules):
            bits |= CONCEDE_BIT
        if may_ask_talon_redeal(state, rules):
            bits |= wide(1) << (REDEAL - 64)
    return bits


@compiled
def apply_exchange(state: Any, rules: Any, action: int) -> int:
    """Part with one card, concede, or ask for a redeal."""
    if action == REDEAL:
        return VOIDED
    log_action(state, action)
    if action == CONCEDE:
        return CONCEDED
    declarer = state["declarer"]
    card = action - FIRST_GIVE
    state["hands"][declarer] &= ~(1 << card)
    if rules["aside_count"]:
        state["aside"] |= 1 << card
        finished = popcount(state["aside"]) == rules["aside_count"]
    else:
        receiver = next_active(declarer, state, rules)
        if state["gifts"][receiver] != NO_CARD:
            receiver = next_active(receiver, state, rules)
        state["gifts"][receiver] = card
        state["hands"][receiver] |= 1 << card
        finished = next_active(receiver, state, rules) == declarer
    if finished:
        state["phase"] = RAISE if rules["raise_after_talon"] and state["forced"] == FORCED_NO else PLAY
    return EXCHANGE_GOES_ON


@compiled
def legal_raise(state: Any, rules: Any) -> tuple[int, int]:
    """Keep the contract, or any higher level up to the cap of the final hand; a silenced declarer can only keep it."""
    declarer = state["declarer"]
    if is_silenced(state, rules, declarer):
        return PASS_BIT, 0
    low, high = bid_bits(state["contract"] + 1, bid_cap(state["hands"][declarer], rules), rules)
    return low | PASS_BIT, high


@compiled
def apply_raise(state: Any, rules: Any, action: int) -> None:
    """Keep or raise the contract; play begins."""
    log_action(state, action)
    if action != PASS:
        state["contract"] = rules["min_bid"] + rules["bid_step"] * (action - FIRST_BID)
    state["phase"] = PLAY
