"""``IsmctsAgent``: information-set Monte Carlo tree search with one observer.

A tree search needs to see all cards, and a player does not. The way out of Cowling, Powley and Whitehouse ("Information
Set Monte Carlo Tree Search", 2012; their SO-ISMCTS) is one tree over what the observer sees, and a new world for every
iteration:

1. draw a complete deal that agrees with all that the seat knows (``View.sample``: uniformly);
2. go down the tree with it. Of the actions that are legal in this world the one with the highest upper confidence bound
   is taken: mean utility + ``exploration`` * sqrt(ln(available) / visits). Another world may allow other actions, so it
   is counted how often each action was there to be taken;
3. the first action that the tree does not know becomes a new node, the one that the rollout policy likes first;
4. from there the rollout policy, a rule-of-thumb player that sees its own cards only, plays to the end of the deal;
5. the engine scores the deal, and every node on the path learns what the seat that chose it has earned: each seat
   maximises its own utility (max^n). The utility is the change of the own score less the mean of the others', / 100.

The most visited action is played. Search can be stopped after any iteration.

What the observer cannot see must not split his tree. Whoever asks for no redeal says nothing, so that answer is the
policy's and makes no node; and where cards become known that are not yet known (his own after a look, a talon, a gift)
the tree ends and the policy plays on. So a bid is judged by play-outs of whole deals, while the gifts of a declarer,
who has seen the talon, and the play of the cards have a tree. The bids of others are the policy's too: a bid depends on
cards that the tree does not tell apart, and the best bid for an average of hands means nothing. The observer's own bids
are the lowest, the barrel contract, what the policy would bid and its neighbours; all else that is legal is searched.
"""

from __future__ import annotations

import copy
import time
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from baselines import greedy, heuristic
from baselines.greedy import AUCTION, EXCHANGE, LAST_BID, PLAY, RAISE, barrel_bid, lowest_bid, only_action
from thousand_env import NUM_ACTIONS, View
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
    rules_record,
    sample_deals,
    see,
    solver_desk,
    solver_forgets,
    solver_plays,
    wide,
)

ROLLOUTS: Final = ("heuristic", "greedy", "random")
BY_HEURISTIC, BY_GREEDY, BY_CHANCE = range(3)
BIDS: Final = ("search", "heuristic")

DARK: Final = PHASES.index("dark")
REDEAL_PHASE: Final = PHASES.index("redeal")
OVER: Final = PHASES.index("over")

ITERATIONS: Final = 2000
EXPLORATION: Final = 0.7
CHUNK: Final = 256
"""Worlds drawn and searched between two looks at the clock."""
MOST_AT_FIRST: Final = 4096
"""Nodes that there is room for at first; the room doubles when it is full."""
LONGEST_PATH: Final = 128
MAX_SEATS: Final = 4
TABLE_BITS: Final = 10

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


class IsmctsAgent:
    """Searches a tree of what it sees, see the module.

    ``iterations``: worlds searched for a decision, None for no limit (then ``seconds`` must be given). ``seconds``:
    stop after so much time, None for no limit; only then does the choice depend on the machine. ``exploration``: the
    constant of the confidence bound, in hundreds of points. ``rollout``: who plays on from a leaf, ``"heuristic"``,
    ``"greedy"`` or ``"random"``. ``bids``: ``"search"``, or ``"heuristic"`` to bid, look and raise as that agent does.
    ``solver_cards``: with so many cards a hand or fewer the open-card solver plays on from a leaf, 0 for never, each
    seat for its own points (max^n: a coalition would not say what each defender gets). ``seed`` starts the random
    generator as ``reset(seed)`` does. ``ValueError`` for anything else.

    A decision with one legal action costs nothing. Nothing is kept from decision to decision but the generator.
    """

    def __init__(
        self,
        *,
        iterations: int | None = ITERATIONS,
        seconds: float | None = None,
        exploration: float = EXPLORATION,
        rollout: str = "heuristic",
        bids: str = "search",
        solver_cards: int = 0,
        seed: int | None = None,
    ) -> None:
        self.iterations = None if iterations is None else _whole("iterations", iterations, 1)
        self.seconds = None if seconds is None else _number("seconds", seconds)
        if self.iterations is None and self.seconds is None:
            raise ValueError("iterations=None is not accepted without seconds: the search needs an end")
        self.exploration = _number("exploration", exploration)
        self.rollout = _one_of("rollout", rollout, ROLLOUTS)
        self.bids = _one_of("bids", bids, BIDS)
        self._bidder = heuristic.HeuristicAgent()
        self.solver_cards = _whole("solver_cards", solver_cards, 0)
        self.reset(seed)

    def reset(self, seed: int | None = None) -> None:
        """Start the random generator anew; None draws a seed. ``ValueError`` for what is no whole number from 0."""
        self._rng = np.random.default_rng(None if seed is None else _whole("seed", seed, 0))

    def act(self, view: View) -> int:
        """The most visited action. ``ValueError`` if the observer of the view is not to move."""
        return self._choose(view, self._rng)[0]

    def action_probabilities(self, view: View) -> npt.NDArray[np.float64]:
        """float64 ``[130]``: the share of the visits of each action in the search that ``act`` would make now.

        The random generator is left as it is. ``ValueError`` as in ``act``.
        """
        return self._choose(view, copy.deepcopy(self._rng))[1]

    def _choose(self, view: View, rng: np.random.Generator) -> tuple[int, npt.NDArray[np.float64]]:
        """The action to play, and the shares of visits float64 ``[130]``."""
        shares = np.zeros(NUM_ACTIONS)
        legal = view.legal_actions()
        by_heuristic = self.bids == "heuristic" and view.phase in ("dark", "redeal", "auction", "talon", "raise")
        if by_heuristic or len(legal) < 2:
            action = self._bidder.act(view) if by_heuristic or not legal else legal[0]
            shares[action] = 1
            return action, shares
        tree = self.search(view, rng)
        best = child = int(tree[0]["child"])
        while child >= 0:
            node = tree[child]
            shares[node["action"]] = node["visits"]
            if (node["visits"], node["total"]) >= (tree[best]["visits"], tree[best]["total"]):
                best = child
            child = int(node["sibling"])
        return int(tree[best]["action"]), shares / shares.sum()

    def search(self, view: View, rng: np.random.Generator) -> npt.NDArray[Any]:
        """The tree after a search from a view whose observer is to move, an array of ``NODE_DTYPE``."""
        end = None if self.seconds is None else time.perf_counter() + self.seconds
        rules = rules_record(view.rules)
        how = self.exploration, ROLLOUTS.index(self.rollout), self.solver_cards
        desk = solver_desk(TABLE_BITS)
        stream = rng.integers(0, 2**64, dtype=np.uint64)
        tree = np.zeros(1 + min(self.iterations or MOST_AT_FIRST, MOST_AT_FIRST), NODE_DTYPE)
        tree[0]["child"] = tree[0]["sibling"] = -1
        size, done = 1, 0
        while self.iterations is None or done < self.iterations:
            count = CHUNK if self.iterations is None else min(CHUNK, self.iterations - done)
            if size + count > len(tree):
                tree = np.concatenate([tree, np.zeros(len(tree), NODE_DTYPE)])
            deals = sample_deals(view, rng, count)
            size, stream = search_deals(
                deals, rules, heuristic.KNOBS, view.observer, how, np.uint64(stream), tree, size, *desk
            )
            done += count
            if end is not None and time.perf_counter() >= end:
                break
        return tree[:size]


def _whole(name: str, value: Any, least: int) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__") or value < least:
        raise ValueError(f"{name}={value!r} is not accepted: use a whole number from {least}, or None")
    return int(value)


def _number(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
        raise ValueError(f"{name}={value!r} is not accepted: use a number from 0")
    return float(value)


def _one_of(name: str, value: Any, accepted: tuple[str, ...]) -> str:
    if value not in accepted:
        raise ValueError(f"{name}={value!r} is not accepted: use {', '.join(map(repr, accepted))}")
    return str(value)


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

    ``tree`` has room for one more node a deal; ``how`` is a tuple of exploration, rollout and solver_cards; ``stream``
    is a uint64; ``nodes`` and ``tables`` are a solver's desk.
    """
    rules = rules_records[0]
    knobs = knobs_records[0]
    exploration, rollout, solver_cards = how
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
            visited["total"] += utility(state, rules, before, wide(visited["seat"]))
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
def utility(state: Any, rules: Any, before: Any, seat: int) -> float:
    """The change of a seat's score less the mean of the others', in hundreds of points."""
    players = wide(rules["players"])
    own = others = 0
    for each in range(players):
        change = wide(state["scores"][each]) - before[each]
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
