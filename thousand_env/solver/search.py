"""The search for the declarer's points: alpha-beta by null windows, with a table at the start of each trick.

``search`` answers one question, whether the declarer still gets ``goal`` points when he plays for the most and the
others together for the least; ``exact_value`` asks it until the bounds meet (MTD(f), Plaat et al. 1996). What may be
played and what it does is the engine's (``node``); what is pruned is said in ``moves`` and ``bounds``.
"""

from __future__ import annotations

from typing import Any

from thousand_env.actions import FIRST_MARRY
from thousand_env.cards import CARD_POINTS
from thousand_env.engine.bits import lowest
from thousand_env.engine.compiler import compiled
from thousand_env.engine.state import next_active
from thousand_env.engine.tricks import beats
from thousand_env.solver.bounds import least_to_come, most_to_come
from thousand_env.solver.moves import are_equivalent, list_moves, move_card, others_cards, protected_cards
from thousand_env.solver.node import (
    ALL_POINTS,
    BIAS,
    MOST_MOVES,
    NO_POINTS,
    place_card,
    settled,
    table_key,
    table_place,
    take_trick,
)


@compiled
def last_trick(node: Any, rules: Any) -> int:
    """The declarer's points of a last trick that has not begun: every card is forced."""
    seat = node["seat"]
    leader, lapse = node["leader"], node["lapse"]
    winner = seat
    best = lowest(node["hands"][seat])
    points = CARD_POINTS[best]
    for _ in range(1, rules["active"]):
        seat = next_active(seat, node, rules)
        card = lowest(node["hands"][seat])
        points += CARD_POINTS[card]
        if beats(card, best, node["trump"]):
            best = card
            winner = seat
    value = points if winner == node["declarer"] else 0
    if not node["is_plain"]:
        node["leader"] = winner
        node["tricks"][winner] += 1
        value += settled(node, rules, node["declarer"])
        node["tricks"][winner] -= 1
        node["leader"] = leader
        node["lapse"] = lapse
    return value


@compiled
def search(node: Any, rules: Any, table: Any, goal: int) -> int:
    """A bound on the points still to come to the declarer: one from below if it is at least ``goal``, else from above.

    Points to come are those of the cards in hands and on the table, of declarations not yet made, and of the end of
    play. The node is left as it was.
    """
    node["visits"] += 1
    seat = node["seat"]
    hand = node["hands"][seat]
    is_lead = node["trick_size"] == 0
    most = most_to_come(node, rules)
    if most < goal:
        return most
    least = least_to_come(node, rules)
    if least >= goal:
        return least
    favourite = 0
    key = place = 0
    if is_lead:
        if hand & (hand - 1) == 0:
            return last_trick(node, rules)
        key = table_key(node, 0)
        place = table_place(node, key)
        if table["slots"][place] == key:
            known = table["slots"][place + 1]
            low = (known & 0xFFFF) - BIAS
            high = ((known >> 16) & 0xFFFF) - BIAS
            favourite = known >> 32
            if low >= goal:
                return low
            if high < goal:
                return high
            least = max(least, low)
            most = min(most, high)
    # What a move changes and is put back after it.
    leader, lapse, trump, next_trump = node["leader"], node["lapse"], node["trump"], node["next_trump"]
    best_seat, best_card, led_card = node["best_seat"], node["best_card"], node["led_card"]
    size, trick_points, left, aces = node["trick_size"], node["trick_points"], node["left"], node["aces_declared"]
    declarer = node["declarer"]
    maximises = seat == declarer
    others = others_cards(node, seat)
    protected = protected_cards(hand, rules)
    base = MOST_MOVES * node["depth"]
    count = list_moves(node, rules, favourite, others, protected)
    value = NO_POINTS if maximises else ALL_POINTS
    answer = 0
    i = 0
    while i < count:
        action = node["moves"][base + i] & 255
        i += 1
        bonus = place_card(node, rules, action)
        gain = bonus if maximises else 0
        ends = False
        winner = -1
        if node["trick_size"] == rules["active"]:
            points = take_trick(node)
            winner = node["leader"]
            if winner == declarer:
                gain += points
            ends = node["hands"][winner] == 0
        if ends:
            found = gain + (0 if node["is_plain"] else settled(node, rules, declarer))
        else:
            found = gain + search(node, rules, table, goal - gain)
        if winner >= 0:
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
        if maximises:
            if found > value:
                value = found
            if value >= goal:
                answer = action
                break
        else:
            if found < value:
                value = found
            if value < goal:
                answer = action
                break
        # Moves with an equivalent card cannot reach the goal either if their points are too few to make up for it.
        card = move_card(action)
        kept = i
        for j in range(i, count):
            other = node["moves"][base + j]
            twin = move_card(other & 255)
            if (other & 255 < FIRST_MARRY) == (action < FIRST_MARRY) and are_equivalent(card, twin, others, protected):
                differ = abs(CARD_POINTS[card] - CARD_POINTS[twin])
                if maximises and found + differ < goal:
                    value = max(value, found + differ)
                    continue
                if not maximises and found - differ >= goal:
                    value = min(value, found - differ)
                    continue
            node["moves"][base + kept] = other
            kept += 1
        count = kept
    if is_lead:
        if value >= goal:
            least = max(least, value)
        else:
            most = min(most, value)
        table["slots"][place] = key
        table["slots"][place + 1] = (least + BIAS) | ((most + BIAS) << 16) | (answer << 32)
    return value


@compiled
def exact_value(node: Any, rules: Any, table: Any, guess: int) -> int:
    """The points still to come to the declarer; ``guess`` is where the search begins."""
    least, most = least_to_come(node, rules), most_to_come(node, rules)
    while least < most:
        goal = min(max(guess, least + 1), most)
        found = search(node, rules, table, goal)
        if found >= goal:
            least = found
            guess = found + 1 + (most - found) // 4
        else:
            most = found
            guess = found - (found - least) // 4
    return least
