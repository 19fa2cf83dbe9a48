"""The play of the cards: leading, declaring marriages and aces, following, who wins a trick."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from thousand_env.actions import CONCEDE, FIRST_ACES, FIRST_MARRY, FIRST_PLAY, action_card
from thousand_env.cards import ACE, CARD_POINTS, KING, NUM_RANKS, NUM_SUITS, QUEEN
from thousand_env.engine.bits import card_points, is_pair, suit_cards, wide
from thousand_env.engine.compiler import compiled, inlined
from thousand_env.engine.state import NO_CARD, NO_SUIT, NOBODY, PLAY, log_action, next_active
from thousand_env.rules_record import (
    ACES_HELD,
    ACES_LEAD,
    ACES_LEAD_SETS_TRUMP,
    ASIDE_LAST_TRICK,
    DECLARE_AUTOMATIC,
    GATE_AFTER_FIRST_TRICK,
    GATE_AFTER_OWN_TRICK,
    TRUMP_IMMEDIATE,
)

PLAY_SHIFT: Final = FIRST_PLAY - 64
MARRY_SHIFT: Final = FIRST_MARRY - 64
ACES_SHIFT: Final = FIRST_ACES - 64

PLAYED_CARD: Final = np.array(
    [action_card(action) if FIRST_PLAY <= action < CONCEDE else NO_CARD for action in range(256)], np.int8
)
"""The card that an action of the play phase puts on the table, by the action's id."""


@compiled
def begin_play(state: Any, rules: Any) -> None:
    """Rule 21: the declarer leads to the first trick. ``held_at_first_lead`` is judged now."""
    state["phase"] = PLAY
    state["seat"] = state["declarer"]
    state["leader"] = state["declarer"]
    if rules["ace_marriage"] == ACES_HELD and rules["four_aces"]:
        for seat in range(rules["players"]):
            if state["hands"][seat] & rules["four_aces"] == rules["four_aces"]:
                state["aces_holder"] = seat


@compiled
def tricks_played(state: Any) -> int:
    """Completed tricks of this deal."""
    return state["tricks"][0] + state["tricks"][1] + state["tricks"][2] + state["tricks"][3]


@compiled
def gate_is_open(state: Any, rules: Any, seat: int) -> bool:
    """``marriage_gate``: whether a leader may declare now."""
    gate = rules["marriage_gate"]
    if gate == GATE_AFTER_OWN_TRICK:
        return state["tricks"][seat] > 0
    if gate == GATE_AFTER_FIRST_TRICK:
        return tricks_played(state) > 0
    return True


@compiled
def may_declare_aces(state: Any, rules: Any, seat: int) -> bool:
    """``lead_ace*``: all four aces in hand, once a deal, where the gate is open."""
    kind = rules["ace_marriage"]
    if kind != ACES_LEAD and kind != ACES_LEAD_SETS_TRUMP:
        return False
    aces = rules["four_aces"]
    holds = aces != 0 and state["hands"][seat] & aces == aces
    return holds and not state["aces_declared"] and gate_is_open(state, rules, seat)


@inlined
def legal_play(state: Any, rules: Any) -> int:
    """The second word of the legal set of the seat to act."""
    seat = state["seat"]
    hand = wide(state["hands"][seat])
    if state["trick_size"]:
        return following_cards(hand, state, rules) << PLAY_SHIFT
    bits = hand << PLAY_SHIFT
    if rules["marriage_declare"] == DECLARE_AUTOMATIC:
        return bits
    pairs = (hand >> QUEEN) & (hand >> KING)
    for suit in range(NUM_SUITS):
        if (pairs >> (NUM_RANKS * suit)) & 1 and gate_is_open(state, rules, seat):
            bits |= wide(3) << (MARRY_SHIFT + 2 * suit)
    if may_declare_aces(state, rules, seat):
        bits |= wide(15) << ACES_SHIFT
    return bits


@inlined
def following_cards(hand: int, state: Any, rules: Any) -> int:
    """Rule 22: the cards of a hand that may be played to the trick on the table."""
    led = state["led_card"]
    led_suit = led // NUM_RANKS
    best = state["best_card"]
    trumped = best // NUM_RANKS != led_suit
    following = hand & suit_cards(led_suit)
    if following:
        if not rules["must_beat"] or (trumped and not rules["beat_if_trumped"]):
            return following
        # If the trick was trumped, then by the second of three players, so the led card is the best of its suit.
        beating = following & (-2 << (led if trumped else best))
        return beating if beating else following
    if state["trump"] == NO_SUIT or not rules["must_trump"]:
        return hand
    trumps = hand & suit_cards(state["trump"])
    if trumps == 0:
        return hand
    if rules["must_overtrump"] and trumped:
        overtrumping = trumps & (-2 << best)
        if overtrumping:
            return overtrumping
    return trumps


@inlined
def apply_play(state: Any, rules: Any, action: int) -> bool:
    """Play a card, with what it declares; True if it ends the last trick."""
    seat = state["seat"]
    size = state["trick_size"]
    if size == 0:
        action = declaring_action(state, rules, seat, action)
        card = declare(state, rules, seat, action)
    else:
        card = action - FIRST_PLAY
    log_action(state, action)
    state["hands"][seat] &= ~(1 << card)
    state["played"][seat] |= 1 << card
    if size == 0:
        state["led_card"] = card
    else:
        _show_voids(state, rules, seat, card)
    if size == 0 or beats(card, state["best_card"], state["trump"]):
        state["best_card"] = card
        state["best_seat"] = seat
    if size + 1 < rules["active"]:
        state["trick_size"] = size + 1
        state["seat"] = next_active(seat, state, rules)
        return False
    return _finish_trick(state, rules)


@inlined
def _show_voids(state: Any, rules: Any, seat: int, card: int) -> None:
    """Who does not follow has none of the led suit, and no trump either if a duty to trump is not met."""
    suit = card // NUM_RANKS
    led_suit = state["led_card"] // NUM_RANKS
    if suit != led_suit:
        state["voids"][seat] |= 1 << led_suit
        trump = state["trump"]
        if trump != NO_SUIT and trump != suit and rules["must_trump"]:
            state["voids"][seat] |= 1 << trump


@compiled
def played_card(action: int) -> int:
    """The card that an action of the play phase puts on the table."""
    return wide(PLAYED_CARD[action])


@inlined
def beats(card: int, best: int, trump: int) -> bool:
    """Rule 23: whether a card wins against the best one so far, by its suit or as a trump (-1: none)."""
    suit = card // NUM_RANKS
    return card > best if suit == best // NUM_RANKS else suit == trump


@compiled
def declaring_action(state: Any, rules: Any, seat: int, action: int) -> int:
    """``marriage_declare``: the action that a lead amounts to; under ``automatic`` a mere lead may declare."""
    card = action - FIRST_PLAY
    if rules["marriage_declare"] == DECLARE_AUTOMATIC and action < FIRST_MARRY:
        suit, rank = card // NUM_RANKS, card % NUM_RANKS
        if (rank == KING or rank == QUEEN) and is_pair(state["hands"][seat], suit) and gate_is_open(state, rules, seat):
            return FIRST_MARRY + 2 * suit + (1 if rank == KING else 0)
        if rank == ACE and may_declare_aces(state, rules, seat):
            return FIRST_ACES + suit
    return action


@compiled
def declare(state: Any, rules: Any, seat: int, action: int) -> int:
    """The card that a leading action plays, after its declaration has taken effect (rule 18)."""
    if action >= FIRST_ACES:
        state["bonus"][seat] += rules["ace_marriage_value"]
        state["aces_declared"] = 1
        if rules["ace_marriage"] == ACES_LEAD_SETS_TRUMP:
            _set_trump(state, rules, action - FIRST_ACES)
    elif action >= FIRST_MARRY:
        suit = (action - FIRST_MARRY) >> 1
        state["bonus"][seat] += rules["marriage_value"][suit]
        _set_trump(state, rules, suit)
    return played_card(action)


@compiled
def _set_trump(state: Any, rules: Any, suit: int) -> None:
    if rules["trump_effect"] == TRUMP_IMMEDIATE:
        state["trump"] = suit
    state["next_trump"] = suit


@inlined
def _finish_trick(state: Any, rules: Any) -> bool:
    """The winner takes the trick and leads to the next; True if there is none."""
    winner = state["best_seat"]
    points = 0
    for i in range(1, rules["active"] + 1):
        points += CARD_POINTS[played_card(wide(state["log"][state["log_size"] - i]))]
    state["points"][winner] += points
    state["tricks"][winner] += 1
    state["trick_size"] = 0
    state["best_card"] = NO_CARD
    state["led_card"] = NO_CARD
    state["trump"] = state["next_trump"]
    state["leader"] = winner
    state["seat"] = winner
    return state["hands"][winner] == 0


@compiled
def settle_points(state: Any, rules: Any) -> None:
    """What the end of play adds to the points of a deal or takes away: cards put aside, aces held, lapsed bonuses."""
    if rules["players"] == 2:
        if rules["aside_count"] and rules["set_aside"] == ASIDE_LAST_TRICK:
            unchosen = state["talon"][1 - state["talon_taken"]]
            state["points"][state["leader"]] += card_points(state["aside"] | unchosen)
    else:
        state["points"][state["declarer"]] += card_points(state["aside"])
    for seat in range(rules["players"]):
        if rules["marriage_needs_trick"] and state["tricks"][seat] == 0:
            state["bonus"][seat] = 0
    holder = state["aces_holder"]
    if holder != NOBODY and state["tricks"][holder] > 0:
        state["bonus"][holder] += rules["ace_marriage_value"]
