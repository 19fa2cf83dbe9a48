"""What one seat may know (rules.md 1.12): a state with everything else taken out.

A seat that is not the one being asked for a redeal sees the table as it stands if nobody asks, since neither the offer
nor its refusal is announced; on a deal with a forced contract, where the talon would be taken next, it sees that the
deal has not yet begun and no seat to act.
"""

from __future__ import annotations

from typing import Any, Final

from thousand_env.actions import FIRST_GIVE, FIRST_PLAY
from thousand_env.engine.compiler import compiled
from thousand_env.engine.state import DARK, FORCED_NO, MAX_SEATS, NO_CARD, NOBODY, OVER, REDEAL_ASK, first_hand, in_set
from thousand_env.engine.step import ask_or_begin

HIDDEN_CARD: Final = -2
"""In ``gifts``: a card was given, which one is not known."""

HIDDEN_GIVE: Final = 255
"""In ``log``: the declarer parted with a card, which one is not known."""


@compiled
def redact(state: Any, rules: Any, seat: int, announced: bool) -> None:
    """Take out of a state what a seat may not know, the seed of the game included.

    ``announced``: it has become known who is being offered a redeal, since he asked for it.
    """
    if not announced:
        _skip_redeal_offers(state, rules, seat)
    state["seed"] = 0
    state["asked"] &= 1 << seat
    blind = state["phase"] == DARK and seat == first_hand(state, rules)
    for other in range(MAX_SEATS):
        if other != seat or blind:
            state["hands"][other] = 0
    if state["aces_holder"] != seat:
        state["aces_holder"] = NOBODY
    taken = state["talon_taken"]
    deal_is_over = state["phase"] == OVER and rules["players"] == 4
    for talon in range(2):
        if not (deal_is_over or (talon == taken and in_set(state["talon_seen"], seat))):
            state["talon"][talon] = 0
    if seat != state["declarer"]:
        _hide_cards_given(state, rules, seat)


@compiled
def _skip_redeal_offers(state: Any, rules: Any, seat: int) -> None:
    while state["phase"] == REDEAL_ASK and state["seat"] != seat:
        if state["forced"] != FORCED_NO:
            state["seat"] = NOBODY
            return
        state["asked"] |= 1 << state["seat"]
        ask_or_begin(state, rules)


@compiled
def _hide_cards_given(state: Any, rules: Any, seat: int) -> None:
    """Cards put aside, and gifts to others unless they are given face up."""
    state["aside"] = 0
    if rules["gifts_face_up"] and not rules["aside_count"]:
        return
    for receiver in range(MAX_SEATS):
        if receiver != seat and state["gifts"][receiver] != NO_CARD:
            state["gifts"][receiver] = HIDDEN_CARD
    own = state["gifts"][seat]
    for i in range(state["log_size"]):
        action = state["log"][i]
        if FIRST_GIVE <= action < FIRST_PLAY and action != FIRST_GIVE + own:
            state["log"][i] = HIDDEN_GIVE
