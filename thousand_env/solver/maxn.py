"""Play in which each seat plays for itself: max^n (Luckhardt and Irani 1986), with a table and without pruning.

Every seat chooses what gives it the most points of its own, and among equally good actions the one with the lowest id,
whatever this does to the others. The points to come to each seat are packed into one number, ``BIAS`` more than they
are, in 16 bits a seat from seat 0 up.
"""

from __future__ import annotations

from typing import Any, Final

from thousand_env.engine.bits import lowest
from thousand_env.engine.compiler import compiled
from thousand_env.engine.state import NOBODY
from thousand_env.engine.tricks import legal_play
from thousand_env.solver.node import BIAS, place_card, settled, table_key, table_place, take_trick

SEAT_BITS: Final = 16
SEAT_MASK: Final = 0xFFFF
NOTHING: Final = BIAS | (BIAS << 16) | (BIAS << 32) | (BIAS << 48)


@compiled
def own_points(node: Any, rules: Any) -> int:
    """What the end of play adds to each seat's points, packed."""
    packed = NOTHING
    for seat in range(rules["players"]):
        packed += settled(node, rules, seat) << (SEAT_BITS * seat)
    return packed


@compiled
def maxn_value(node: Any, rules: Any, table: Any) -> int:
    """Points still to come to each seat, packed. The node is left as it was."""
    node["visits"] += 1
    seat = node["seat"]
    hand = node["hands"][seat]
    is_lead = node["trick_size"] == 0
    key = place = 0
    if is_lead:
        holder = node["aces_holder"]
        key = table_key(node, 1 if holder != NOBODY and node["tricks"][holder] == 0 else 0)
        place = table_place(node, key)
        if table["slots"][place] == key:
            return table["slots"][place + 1]
    leader, lapse, trump, next_trump = node["leader"], node["lapse"], node["trump"], node["next_trump"]
    best_seat, best_card, led_card = node["best_seat"], node["best_card"], node["led_card"]
    size, trick_points, left, aces = node["trick_size"], node["trick_points"], node["left"], node["aces_declared"]
    own_shift = SEAT_BITS * seat
    value = own = -1
    bits = legal_play(node, rules)
    while bits:
        action = 64 + lowest(bits)
        bits &= bits - 1
        bonus = place_card(node, rules, action)
        ends = False
        winner = points = 0
        is_full = node["trick_size"] == rules["active"]
        if is_full:
            points = take_trick(node)
            winner = node["leader"]
            ends = node["hands"][winner] == 0
        found = own_points(node, rules) if ends else maxn_value(node, rules, table)
        found += (bonus << own_shift) + (points << (SEAT_BITS * winner))
        if is_full:
            node["tricks"][winner] -= 1
        node["hands"][seat] = hand
        node["bonus"][seat] -= bonus
        node["seat"] = seat
        node["leader"] = leader
        node["lapse"] = lapse
        node["trump"] = trump
        node["next_trump"] = next_trump
        node["best_seat"] = best_seat
        node["best_card"] = best_card
        node["led_card"] = led_card
        node["trick_size"] = size
        node["trick_points"] = trick_points
        node["left"] = left
        node["aces_declared"] = aces
        node["depth"] -= 1
        if (found >> own_shift) & SEAT_MASK > own:
            value = found
            own = (found >> own_shift) & SEAT_MASK
    if is_lead:
        table["slots"][place] = key
        table["slots"][place + 1] = value
    return value
