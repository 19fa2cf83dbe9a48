"""Where a search stands: the cards and the table as one record that the engine's own functions work on.

The fields that an engine state has too bear its names, so that what may be played, what beats what, what a declaration
does and how the points are settled are asked of the engine; all fields are 64-bit. A search plays a card on the record,
goes on, and puts back what it had kept in local variables. Nothing here searches.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from thousand_env.actions import FIRST_ACES, FIRST_MARRY, FIRST_PLAY, NUM_ACTIONS
from thousand_env.cards import CARD_POINTS, NUM_CARDS
from thousand_env.engine.bits import card_points, wide
from thousand_env.engine.compiler import compiled, inlined
from thousand_env.engine.state import LOG_SIZE, MAX_SEATS, NO_CARD, next_active
from thousand_env.engine.tricks import beats, declare, declaring_action, played_card, settle_points
from thousand_env.rules_record import ASIDE_LAST_TRICK

MOST_MOVES: Final = 32
"""At most 11 cards, 8 marriages and 4 aces can be led."""
NO_LAPSE, LAPSE_OPEN = range(2)
MOST_TABLE_BITS: Final = 16
MOST_GENERATIONS: Final = 63
BIAS: Final = 8192
"""Added to values in a table, where a lapsing bonus makes them negative."""
NO_POINTS: Final = -(1 << 14)
ALL_POINTS: Final = 1 << 14
"""Below and above whatever a deal can give."""

NODE_DTYPE: Final = np.dtype(
    [
        ("hands", np.int64, (MAX_SEATS,)),
        ("points", np.int64, (MAX_SEATS,)),
        ("bonus", np.int64, (MAX_SEATS,)),
        ("tricks", np.int64, (MAX_SEATS,)),
        ("talon", np.int64, (2,)),
        *(
            (name, np.int64)
            for name in (
                "talon_taken",
                "aside",
                "dealer",
                "declarer",
                "seat",
                "leader",
                "best_seat",
                "best_card",
                "led_card",
                "trick_size",
                "trump",
                "next_trump",
                "aces_declared",
                "aces_holder",
                # The search's own from here.
                "trick_points",  # on the table
                "left",  # card points in hands and on the table
                "depth",  # cards played since the root
                "lapse",  # 0, or what the declarer, still without a trick, would lose or miss: see ``place_card``
                "is_plain",  # the end of play settles nothing
                "at_end",  # the most that the end of play can add
                "first",  # the active seats in ascending order
                "second",
                "third",  # with two players the seat 2, whose hand is empty
                "generation",  # of what the table holds
                "table_mask",  # slots of the table in use, less one
                "visits",  # nodes searched
            )
        ),
        ("moves", np.int64, (MOST_MOVES * (NUM_CARDS + 1),)),
        ("values", np.int64, (NUM_ACTIONS,)),  # of the root's actions
    ],
    align=True,
)
TABLE_DTYPE: Final = np.dtype([("slots", np.int64, (2 << MOST_TABLE_BITS,))], align=True)
"""A transposition table: slot ``i`` has its key at ``2 * i`` and what is known at ``2 * i + 1``."""

assert LOG_SIZE  # the log of a state is not kept here


@compiled
def load_node(node: Any, state: Any, rules: Any) -> None:
    """Set a node to the position of a state in the play phase."""
    node["left"] = 0
    for seat in range(MAX_SEATS):
        node["hands"][seat] = wide(state["hands"][seat])
        node["points"][seat] = state["points"][seat]
        node["bonus"][seat] = state["bonus"][seat]
        node["tricks"][seat] = wide(state["tricks"][seat])
        node["left"] += card_points(node["hands"][seat])
    node["talon"][0] = wide(state["talon"][0])
    node["talon"][1] = wide(state["talon"][1])
    node["talon_taken"] = state["talon_taken"]
    node["aside"] = wide(state["aside"])
    node["dealer"] = state["dealer"]
    node["declarer"] = state["declarer"]
    node["seat"] = state["seat"]
    node["leader"] = state["leader"]
    node["best_seat"] = state["best_seat"]
    node["best_card"] = state["best_card"]
    node["led_card"] = state["led_card"]
    node["trick_size"] = wide(state["trick_size"])
    node["trump"] = state["trump"]
    node["next_trump"] = state["next_trump"]
    node["aces_declared"] = wide(state["aces_declared"])
    node["aces_holder"] = state["aces_holder"]
    node["trick_points"] = 0
    for i in range(1, node["trick_size"] + 1):
        node["trick_points"] += CARD_POINTS[played_card(wide(state["log"][state["log_size"] - i]))]
    node["left"] += node["trick_points"]
    node["depth"] = 0
    _set_seats(node, rules)
    _set_end(node, rules)


@compiled
def _set_seats(node: Any, rules: Any) -> None:
    resting = node["dealer"] if rules["players"] == 4 else 3
    node["first"] = 1 if resting == 0 else 0
    node["second"] = 2 if resting <= 1 else 1
    node["third"] = 3 if resting <= 2 else 2


@compiled
def _set_end(node: Any, rules: Any) -> None:
    """What the end of play will do. Cards put aside that are the declarer's whatever is played are his already."""
    node["at_end"] = 0
    if rules["players"] == 2:
        if rules["aside_count"] and rules["set_aside"] == ASIDE_LAST_TRICK:
            node["at_end"] = card_points(node["aside"] | node["talon"][1 - node["talon_taken"]])
    else:
        node["points"][node["declarer"]] += card_points(node["aside"])
        node["aside"] = 0
    holds_aces = node["aces_holder"] == node["declarer"]
    if holds_aces:
        node["at_end"] += rules["ace_marriage_value"]
    can_lapse = rules["marriage_needs_trick"] or holds_aces
    node["is_plain"] = not can_lapse and node["at_end"] == 0
    node["lapse"] = LAPSE_OPEN if can_lapse and node["tricks"][node["declarer"]] == 0 else NO_LAPSE


@inlined
def place_card(node: Any, rules: Any, action: int) -> int:
    """Play a card, with what it declares; the bonus that this adds to its player's.

    Only who leads can declare, and only the declarer leads without having won a trick, to the first one: ``lapse``
    remembers what he declared then, 2 to 5 for a marriage by suit and 6 for aces, until he wins a trick.
    """
    seat = node["seat"]
    bonus = 0
    if node["trick_size"] == 0:
        action = declaring_action(node, rules, seat, action)
        if action >= FIRST_MARRY:
            bonus = -node["bonus"][seat]
            card = declare(node, rules, seat, action)
            bonus += node["bonus"][seat]
            if node["lapse"]:
                node["lapse"] = 6 if action >= FIRST_ACES else 2 + ((action - FIRST_MARRY) >> 1)
        else:
            card = action - FIRST_PLAY
        node["led_card"] = card
        node["best_card"] = card
        node["best_seat"] = seat
    else:
        card = action - FIRST_PLAY
        if beats(card, node["best_card"], node["trump"]):
            node["best_card"] = card
            node["best_seat"] = seat
    node["hands"][seat] &= ~(1 << card)
    node["trick_points"] += CARD_POINTS[card]
    node["trick_size"] += 1
    node["depth"] += 1
    if node["trick_size"] < rules["active"]:
        node["seat"] = next_active(seat, node, rules)
    return bonus


@inlined
def take_trick(node: Any) -> int:
    """A full trick goes to its winner, who leads next; its points."""
    winner = node["best_seat"]
    points = node["trick_points"]
    node["tricks"][winner] += 1
    node["left"] -= points
    node["trick_points"] = 0
    node["trick_size"] = 0
    node["best_card"] = NO_CARD
    node["led_card"] = NO_CARD
    node["trump"] = node["next_trump"]
    node["leader"] = winner
    node["seat"] = winner
    if winner == node["declarer"]:
        node["lapse"] = NO_LAPSE
    return points


@compiled
def settled(node: Any, rules: Any, seat: int) -> int:
    """What the end of play adds to the points of a seat, from the position after the last trick."""
    first, second, third, fourth = node["bonus"][0], node["bonus"][1], node["bonus"][2], node["bonus"][3]
    leader, declarer = node["leader"], node["declarer"]
    leader_points, declarer_points = node["points"][leader], node["points"][declarer]
    before = node["points"][seat] + node["bonus"][seat]
    settle_points(node, rules)
    change = node["points"][seat] + node["bonus"][seat] - before
    node["bonus"][0] = first
    node["bonus"][1] = second
    node["bonus"][2] = third
    node["bonus"][3] = fourth
    node["points"][declarer] = declarer_points
    node["points"][leader] = leader_points
    return change


@inlined
def table_key(node: Any, holder_bit: int) -> int:
    """All that the rest of a deal depends on at the start of a trick, as a number from 1 to 2**63 - 1.

    For each of 24 cards who holds it, two bits; leader, trump, ``lapse``, a bit of the caller's; the generation.
    """
    third = node["hands"][node["third"]]
    cards = (node["hands"][node["first"]] | third) | ((node["hands"][node["second"]] | third) << 24)
    rest = node["leader"] | ((node["trump"] + 1) << 2) | (node["lapse"] << 5) | (holder_bit << 8)
    return cards | (rest << 48) | (node["generation"] << 57)


@inlined
def table_place(node: Any, key: int) -> int:
    """Where a key belongs in the table."""
    return 2 * (((key * 0x2545F4914F6CDD1D) >> 40) & node["table_mask"])
