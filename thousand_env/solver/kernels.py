"""The compiled function of the solver that Python calls: rows of positions, what is asked of each, and the answers."""

from __future__ import annotations

from typing import Any

from thousand_env.actions import FIRST_GIVE
from thousand_env.engine.bits import lowest
from thousand_env.engine.compiler import compiled, entry, inlined
from thousand_env.engine.exchange import apply_exchange
from thousand_env.engine.tricks import begin_play, legal_play
from thousand_env.solver.maxn import SEAT_BITS, SEAT_MASK, maxn_value, own_points
from thousand_env.solver.node import ALL_POINTS, BIAS, MOST_GENERATIONS, load_node, place_card, settled, take_trick
from thousand_env.solver.search import exact_value, search

VALUE, ACTIONS, MAKES, OWN_ACTIONS, MOVER_ACTIONS, GIFT_VALUES, GIFT_MAKES, BEST_GIFTS, MAKING_GIFTS = range(9)
"""What is asked. The answers of a row, from column 0 on:

``VALUE`` the value; ``ACTIONS`` by action id; ``MAKES`` 1 or 0 for each goal; ``OWN_ACTIONS`` by action id, each with a
number for each seat, and ``MOVER_ACTIONS`` with the mover's alone; ``GIFT_VALUES`` and ``GIFT_MAKES`` for each way to
part with cards; ``BEST_GIFTS`` the value and the place of the best way; ``MAKING_GIFTS`` the place of a way that makes
the goal, or -1.
"""


@compiled
def new_generation(node: Any, table: Any) -> None:
    """What the table holds is no longer valid."""
    node["generation"] += 1
    if node["generation"] > MOST_GENERATIONS:
        for i in range(len(table["slots"])):
            table["slots"][i] = 0
        node["generation"] = 1


@inlined
def earned(node: Any) -> int:
    """What the declarer has already."""
    return node["points"][node["declarer"]] + node["bonus"][node["declarer"]]


@compiled
def after_action(node: Any, rules: Any, action: int) -> bool:
    """Play an action for good; True if it ends the play."""
    place_card(node, rules, action)
    if node["trick_size"] < rules["active"]:
        return False
    points = take_trick(node)
    node["points"][node["leader"]] += points
    return node["hands"][node["leader"]] == 0


@compiled
def answer_actions(node: Any, state: Any, rules: Any, table: Any) -> None:
    """The declarer's final points after each legal action, to ``node["values"]``."""
    load_node(node, state, rules)
    bits = legal_play(node, rules)
    guess = node["left"] // 2
    while bits:
        action = 64 + lowest(bits)
        bits &= bits - 1
        load_node(node, state, rules)
        ended = after_action(node, rules, action)
        value = earned(node)
        if ended:
            value += settled(node, rules, node["declarer"])
        else:
            value += exact_value(node, rules, table, guess - value)
        guess = value
        node["values"][action] = value


@entry
def solve_rows(
    task: int,
    states: Any,
    rules_records: Any,
    which: Any,
    goals: Any,
    ways: Any,
    starts: Any,
    nodes: Any,
    tables: Any,
    rooms: Any,
    results: Any,
    first: int,
    last: int,
) -> int:
    """Answer what ``task`` asks of the states of rows ``first`` to ``last``; the number of nodes searched.

    ``which`` int64[K] is the record of rules of each row, ``goals`` int64[K, N], ``ways`` int64[W, P] the cards of the
    ways to finish the exchange (-1 for none), of row k those from ``starts[k]`` to ``starts[k + 1]``; ``nodes``,
    ``tables`` and ``rooms`` (a state) have one record each, which no other thread uses; ``results`` int32[K, M].
    """
    node, table, room = nodes[0], tables[0], rooms[0]
    node["visits"] = 0
    for k in range(first, last):
        rules = rules_records[which[k]]
        new_generation(node, table)
        if task == VALUE or task == MAKES:
            load_node(node, states[k], rules)
            base = earned(node)
            least, most = -ALL_POINTS, ALL_POINTS
            if task == VALUE:
                results[k, 0] = base + exact_value(node, rules, table, node["left"] // 2)
            else:
                for j in range(goals.shape[1]):
                    goal = goals[k, j] - base
                    if least < goal <= most:
                        found = search(node, rules, table, goal)
                        if found >= goal:
                            least = found
                        else:
                            most = found
                    results[k, j] = least >= goal
        elif task == ACTIONS:
            for action in range(results.shape[1]):
                node["values"][action] = results[k, action]
            answer_actions(node, states[k], rules, table)
            for action in range(results.shape[1]):
                results[k, action] = node["values"][action]
        elif task == OWN_ACTIONS or task == MOVER_ACTIONS:
            load_node(node, states[k], rules)
            mover = node["seat"]
            bits = legal_play(node, rules)
            while bits:
                action = 64 + lowest(bits)
                bits &= bits - 1
                load_node(node, states[k], rules)
                ended = after_action(node, rules, action)
                packed = own_points(node, rules) if ended else maxn_value(node, rules, table)
                for seat in range(rules["players"]):
                    to_come = ((packed >> (SEAT_BITS * seat)) & SEAT_MASK) - BIAS
                    points = node["points"][seat] + node["bonus"][seat] + to_come
                    if task == OWN_ACTIONS:
                        results[k, rules["players"] * action + seat] = points
                    elif seat == mover:
                        results[k, action] = points
        else:
            best, best_way = -ALL_POINTS, -1
            guess = 60  # any number does
            for w in range(starts[k], starts[k + 1]):
                at_end, holder = node["at_end"], node["aces_holder"]
                rooms[0] = states[k]
                for j in range(ways.shape[1]):
                    if ways[w, j] >= 0:
                        apply_exchange(room, rules, FIRST_GIVE + ways[w, j])
                begin_play(room, rules)
                load_node(node, room, rules)
                # A key tells who has which card, so that all ways share the table, if the end of play is the same.
                if node["at_end"] != at_end or node["aces_holder"] != holder:
                    new_generation(node, table)
                base = earned(node)
                if task == GIFT_VALUES:
                    guess = base + exact_value(node, rules, table, guess - base)
                    results[k, w - starts[k]] = guess
                elif task == BEST_GIFTS:
                    if best_way < 0 or search(node, rules, table, best + 1 - base) >= best + 1 - base:
                        best = base + exact_value(node, rules, table, max(best + 1, guess) - base)
                        best_way = w - starts[k]
                        results[k, 0] = best
                        results[k, 1] = best_way
                else:
                    goal = goals[k, 0] - base
                    made = search(node, rules, table, goal) >= goal
                    if task == GIFT_MAKES:
                        results[k, w - starts[k]] = made
                    elif made:
                        best_way = w - starts[k]
                        break
            if task == MAKING_GIFTS:
                results[k, 0] = best_way
    return node["visits"]
