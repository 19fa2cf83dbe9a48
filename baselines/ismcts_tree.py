"""The tree of ``IsmctsAgent``: iterations of its search in compiled code. ``ismcts`` says what they do and why."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from baselines import greedy, heuristic
from baselines.judgement import AUCTION, EXCHANGE, LAST_BID, PLAY, RAISE, barrel_bid, lowest_bid, only_action
from thousand_env.compiled import (
    FIRST_BID,
    PASS,
    PHASES,
    SIGHT_DTYPE,
    apply_action,
    below,
    compiled,
    entry,
    inlined,
    legal_words,
    nth_bit,
    popcount,
    room_for,
    see,
    solver_forgets,
    solver_plays,
    wide,
)

ROLLOUTS: Final = ("heuristic", "greedy", "random")
BY_HEURISTIC, BY_GREEDY, BY_CHANCE = range(3)

DARK: Final = PHASES.index("dark")
REDEAL_PHASE: Final = PHASES.index("redeal")
OVER: Final = PHASES.index("over")

LONGEST_PATH: Final = 128
MAX_SEATS: Final = 4

NODE_DTYPE: Final = np.dtype(
    [
        ("total", np.float64),  # utilities of the seat that chose the action, summed over the visits
        ("visits", np.int32),
        ("available", np.int32),  # how often the action was legal when its parent was visited
        ("child", np.int32),  # the newest child, -1 for none
        ("sibling", np.int32),  # the next older child of the same parent, -1 for none
        ("action", np.int16),
        ("seat", np.int16),  # who chose it
    ],
    align=True,
)
"""A node stands for the action that leads to it; node 0 is the root."""

_room_for_sight = room_for(SIGHT_DTYPE)


@entry
def search_deals(
    deals: Any,
    rules_records: Any,
    knobs_records: Any,
    me: int,
    how: Any,
    stream: Any,
    tree: Any,
    size: int,
    nodes: Any,
    tables: Any,
) -> tuple[int, Any]:
    """One iteration for each of ``deals``, which are played to their end; the nodes now in ``tree``, and the stream.

    ``tree`` has room for one more node a deal; ``how`` is a tuple of exploration, rollout, solver_cards and win_points;
    ``stream`` is a uint64; ``nodes`` and ``tables`` are a solver's desk.
    """
    rules = rules_records[0]
    knobs = knobs_records[0]
    exploration, rollout, solver_cards, win_points = how
    sights = _room_for_sight()
    seen = sights[0]
    path = np.zeros(LONGEST_PATH, np.int64)
    before = np.zeros(MAX_SEATS, np.int64)
    for k in range(deals.shape[0]):
        state = deals[k]
        deal, root_phase = wide(state["deal_number"]), wide(state["phase"])
        for seat in range(MAX_SEATS):
            before[seat] = state["scores"][seat]
        if solver_cards:
            solver_forgets(nodes[0], tables[0])
        node = depth = 0
        inside = True
        while state["phase"] != OVER and state["deal_number"] == deal:  # not scored, nor given up for another deal
            phase, seat = wide(state["phase"]), wide(state["seat"])
            inside = inside and not reveals(root_phase, phase, depth)
            in_tree = inside and (seat == me or phase != REDEAL_PHASE)
            is_bid = phase in (AUCTION, RAISE) or (phase == DARK and seat != me)
            low, middle, high = legal_words(state, rules)
            arm, action = -1, -1
            if in_tree and not is_bid:
                arm, low, middle, high = best_arm(tree, node, low, middle, high, exploration)
                if arm >= 0 and not (low | middle | high):
                    action = wide(tree[arm]["action"])
            if action < 0:
                if not inside and phase == PLAY and popcount(wide(state["hands"][seat])) <= solver_cards:
                    action = solver_plays(state, rules, nodes[0], tables[0])
                else:
                    stream, action = by_policy(state, rules, knobs, seen, rollout, stream)
                if in_tree and is_bid:
                    low, middle = allowed_bids(state, rules, seen, me, action, low, middle)
                    arm, low, middle, high = best_arm(tree, node, low, middle, 0, exploration)
                if in_tree and low | middle | high:
                    if not has(low, middle, high, action):
                        stream, action = by_chance(low, middle, high, stream)
                    arm = add_node(tree, node, size, action, seat)
                    size += 1
                    inside = False
                elif in_tree:
                    action = wide(tree[arm]["action"])
            if in_tree:
                path[depth] = node = arm
                depth += 1
            apply_action(state, rules, action)
        for place in range(depth):
            visited = tree[path[place]]
            visited["visits"] += 1
            visited["total"] += utility(state, rules, before, win_points, wide(visited["seat"]))
    return size, stream


@compiled
def best_arm(tree: Any, node: int, low: int, middle: int, high: int, exploration: float) -> tuple[int, int, int, int]:
    """Of the children whose actions are in a legal set the one with the highest bound, -1 for none; the untried rest.

    All of them have been available once more.
    """
    best, most = -1, -1e300
    child = wide(tree[node]["child"])
    while child >= 0:
        arm = tree[child]
        action = wide(arm["action"])
        if has(low, middle, high, action):
            bit = wide(1) << (action & 63)
            if action < 64:
                low &= ~bit
            elif action < 128:
                middle &= ~bit
            else:
                high &= ~bit
            arm["available"] += 1
            visits = arm["visits"]
            bound = arm["total"] / visits + exploration * np.sqrt(np.log(arm["available"]) / visits)
            if bound > most:
                best, most = child, bound
        child = wide(arm["sibling"])
    return best, low, middle, high


@compiled
def add_node(tree: Any, parent: int, place: int, action: int, seat: int) -> int:
    """A new child of ``parent`` at ``place``, which is returned."""
    arm = tree[place]
    arm["total"] = 0.0
    arm["visits"] = 0
    arm["available"] = 1
    arm["child"] = -1
    arm["sibling"] = tree[parent]["child"]
    arm["action"] = action
    arm["seat"] = seat
    tree[parent]["child"] = place
    return place


@inlined
def has(low: int, middle: int, high: int, action: int) -> bool:
    """Whether a legal set has an action."""
    word = low if action < 64 else middle if action < 128 else high
    return (word >> (action & 63)) & 1 == 1


@compiled
def reveals(root_phase: int, phase: int, depth: int) -> bool:
    """Whether the observer knows cards now that he did not know at the root: his own after a dark bid, or a talon."""
    return (phase >= EXCHANGE and root_phase < EXCHANGE) or (root_phase == DARK and depth > 0)


@compiled
def utility(state: Any, rules: Any, before: Any, win_points: float, seat: int) -> float:
    """The change of a seat's score less the mean of the others', in hundreds of points; who wins the match has more."""
    players = wide(rules["players"])
    own = others = 0.0
    for each in range(players):
        change = wide(state["scores"][each]) - before[each] + (win_points if each == state["winner"] else 0.0)
        if each == seat:
            own = change
        else:
            others += change
    return (own - others / (players - 1)) / 100


@compiled
def allowed_bids(state: Any, rules: Any, seen: Any, me: int, choice: int, low: int, middle: int) -> tuple[int, int]:
    """The bids that have a place in the tree, as the first two words of a legal set: of others the policy's choice.

    Of the observer's the lowest, the barrel contract, the policy's choice and its neighbours; and to pass.
    """
    keep_low = keep_middle = wide(0)
    is_own = state["seat"] == me
    if is_own:
        seen["legal"][0] = low
        seen["legal"][1] = middle
        keep_low = wide(1) << PASS
    for place in range(5):
        bid = choice
        if is_own:
            bid = choice - 1 + place if place < 3 else lowest_bid(seen) if place == 3 else barrel_bid(rules)
        if FIRST_BID <= bid < 64 or bid == choice < 64:
            keep_low |= wide(1) << bid
        elif 64 <= bid <= LAST_BID:
            keep_middle |= wide(1) << (bid - 64)
    return low & keep_low, middle & keep_middle


@compiled
def by_chance(low: int, middle: int, high: int, stream: Any) -> tuple[Any, int]:
    """The stream moved on, and one of the actions of a legal set, each as likely as any other."""
    in_low, in_middle = popcount(low), popcount(middle)
    stream, choice = below(stream, in_low + in_middle + popcount(high))
    if choice < in_low:
        return stream, nth_bit(low, choice)
    if choice < in_low + in_middle:
        return stream, 64 + nth_bit(middle, choice - in_low)
    return stream, 128 + nth_bit(high, choice - in_low - in_middle)


@compiled
def by_policy(state: Any, rules: Any, knobs: Any, seen: Any, rollout: int, stream: Any) -> tuple[Any, int]:
    """The stream moved on, and what the rollout policy does in the place of the seat to act."""
    low, middle, high = legal_words(state, rules)
    if rollout == BY_CHANCE:
        return by_chance(low, middle, high, stream)
    seen["legal"][0] = low
    seen["legal"][1] = middle
    seen["legal"][2] = high
    action = only_action(seen)
    if action < 0:
        see(state, rules, wide(state["seat"]), seen)
        if rollout == BY_GREEDY:
            action = greedy.choose(seen, rules, greedy.CAUTION)
        else:
            action = heuristic.choose(seen, rules, knobs)
    return stream, action
