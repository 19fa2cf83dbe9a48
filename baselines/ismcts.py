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
policy's and makes no node; and where cards become known that are not yet (his own after a look, a talon, a gift) the
tree ends and the policy plays on. Therefore a bid is judged by play-outs of whole deals, while the gifts of a declarer,
who has seen the talon, and the play of the cards have a tree. Bids of others are the policy's too: a bid depends on cards that
the tree does not tell apart, and one chosen for an average of hands means nothing. The observer's own bids are the lowest,
the barrel contract, what the policy would bid and its neighbours; all else that is legal is searched.
"""

from __future__ import annotations

import copy
import time
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from baselines import greedy, heuristic
from baselines.greedy import AUCTION, EXCHANGE, LAST_BID, RAISE, barrel_bid, lowest_bid, only_action
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
    legal_words,
    nth_bit,
    popcount,
    room_for,
    rules_record,
    sample_deals,
    see,
    sight,
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


class IsmctsAgent:
    """Searches a tree of what it sees, see the module.

    ``iterations``: worlds searched for a decision, None for no limit (then ``seconds`` must be given). ``seconds``: stop
    after so much time, None for no limit; only then does the choice depend on the machine. ``exploration``: the constant
    of the confidence bound, in hundreds of points. ``rollout``: who plays on from a leaf, ``"heuristic"``, ``"greedy"``
    or ``"random"``. ``bids``: ``"search"``, or ``"heuristic"`` to bid, look and raise as that agent does. ``seed`` starts the
    random generator as ``reset(seed)`` does. ``ValueError`` for anything else.

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
        seed: int | None = None,
    ) -> None:
        self.iterations = None if iterations is None else _whole("iterations", iterations, 1)
        self.seconds = None if seconds is None else _number("seconds", seconds)
        if self.iterations is None and self.seconds is None:
            raise ValueError("iterations=None is not accepted without seconds: the search needs an end")
        self.exploration = _number("exploration", exploration)
        self.rollout = _one_of("rollout", rollout, ROLLOUTS)
        self.bids = _one_of("bids", bids, BIDS)
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
        action = int(settled_action(sight(view), rules_record(view.rules), heuristic.KNOBS, self.bids == "heuristic"))
        if action >= 0:
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
        """The tree after a search from a view whose observer is to move: an array of ``NODE_DTYPE``, node 0 its root."""
        end = None if self.seconds is None else time.perf_counter() + self.seconds
        rules, rollout = rules_record(view.rules), ROLLOUTS.index(self.rollout)
        stream = rng.integers(0, 2**64, dtype=np.uint64)
        tree = np.zeros(1 + (self.iterations or 8 * CHUNK), NODE_DTYPE)
        tree[0]["child"] = tree[0]["sibling"] = -1
        size, done = 1, 0
        while self.iterations is None or done < self.iterations:
            count = CHUNK if self.iterations is None else min(CHUNK, self.iterations - done)
            if size + count > len(tree):
                tree = np.concatenate([tree, np.zeros(len(tree), NODE_DTYPE)])
            deals = sample_deals(view, rng, count)
            size, stream = search_deals(
                deals, rules, heuristic.KNOBS, view.observer, self.exploration, rollout, np.uint64(stream), tree, size
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
def settled_action(sights: Any, rules_records: Any, knobs_records: Any, bids_by_heuristic: bool) -> int:
    """The action that needs no search: the only legal one, or the heuristic's bid if that is asked for; else -1."""
    seen = sights[0]
    phase = seen["phase"]
    if bids_by_heuristic and phase != EXCHANGE and phase <= RAISE:
        return heuristic.choose(seen, rules_records[0], knobs_records[0])
    return only_action(seen)


@entry
def search_deals(
    deals: Any,
    rules_records: Any,
    knobs_records: Any,
    me: int,
    exploration: float,
    rollout: int,
    stream: Any,
    tree: Any,
    size: int,
) -> tuple[int, Any]:
    """One iteration for each of ``deals``, which are played to their end; the nodes now in ``tree``, and the stream.

    ``tree`` has room for one more node a deal; ``stream`` is a uint64.
    """
    rules = rules_records[0]
    knobs = knobs_records[0]
    sights = _room_for_sight()
    seen = sights[0]
    path = np.zeros(LONGEST_PATH, np.int64)
    before = np.zeros(MAX_SEATS, np.int64)
    for k in range(deals.shape[0]):
        state = deals[k]
        deal = wide(state["deal_number"])
        for seat in range(MAX_SEATS):
            before[seat] = state["scores"][seat]
        root_phase = wide(state["phase"])
        depth = 0
        node = 0
        inside = True
        while not is_over(state, deal):
            phase = wide(state["phase"])
            seat = wide(state["seat"])
            inside = inside and not reveals(root_phase, phase, depth)
            low, middle, high = legal_words(state, rules)
            if not inside or (seat != me and phase == REDEAL_PHASE):
                stream, action = by_policy(state, rules, knobs, seen, rollout, low, middle, high, stream)
                apply_action(state, rules, action)
                continue
            if phase <= AUCTION and seat != me:
                stream, action = by_policy(state, rules, knobs, seen, rollout, low, middle, high, stream)
                low, middle, high = only(action)
            elif phase == AUCTION or phase == RAISE:
                stream, action = by_policy(state, rules, knobs, seen, rollout, low, middle, high, stream)
                low, middle = narrowed(state, rules, seen, action, low, middle)
            # Of the children whose actions are legal here the one with the highest bound; what is left is untried.
            best, most = -1, -1e300
            child = tree[node]["child"]
            while child >= 0:
                arm = tree[child]
                action = wide(arm["action"])
                word = low if action < 64 else middle if action < 128 else high
                if (word >> (action & 63)) & 1:
                    if action < 64:
                        low &= ~(wide(1) << action)
                    elif action < 128:
                        middle &= ~(wide(1) << (action - 64))
                    else:
                        high &= ~(wide(1) << (action - 128))
                    arm["available"] += 1
                    visits = arm["visits"]
                    bound = arm["total"] / visits + exploration * np.sqrt(np.log(arm["available"]) / visits)
                    if bound > most:
                        best, most = child, bound
                child = arm["sibling"]
            if low | middle | high:
                if rollout == BY_CHANCE:
                    stream, action = by_chance(low, middle, high, stream)
                else:
                    full_low, full_middle, full_high = legal_words(state, rules)
                    stream, action = by_policy(
                        state, rules, knobs, seen, rollout, full_low, full_middle, full_high, stream
                    )
                    word = low if action < 64 else middle if action < 128 else high
                    if not (word >> (action & 63)) & 1:
                        stream, action = by_chance(low, middle, high, stream)
                best = size
                size += 1
                arm = tree[best]
                arm["total"] = 0.0
                arm["visits"] = 0
                arm["available"] = 1
                arm["child"] = -1
                arm["sibling"] = tree[node]["child"]
                arm["action"] = action
                arm["seat"] = seat
                tree[node]["child"] = best
                inside = False
            path[depth] = best
            depth += 1
            node = best
            apply_action(state, rules, wide(tree[node]["action"]))
        for place in range(depth):
            arm = tree[path[place]]
            arm["visits"] += 1
            arm["total"] += utility(state, rules, before, wide(arm["seat"]))
    return size, stream


@compiled
def is_over(state: Any, deal: int) -> bool:
    """Whether a deal has been scored, or given up for another."""
    return state["phase"] == OVER or state["deal_number"] != deal


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
def only(action: int) -> tuple[int, int, int]:
    """The three words of a legal set with one action."""
    bit = wide(1) << (action & 63)
    return (bit, 0, 0) if action < 64 else (0, bit, 0) if action < 128 else (0, 0, bit)


@compiled
def narrowed(state: Any, rules: Any, seen: Any, choice: int, low: int, middle: int) -> tuple[int, int]:
    """Of the legal bids the lowest, the barrel contract, the policy's choice and its neighbours; and to pass."""
    seen["legal"][0] = low
    seen["legal"][1] = middle
    keep_low, keep_middle = wide(1) << PASS, 0
    for place in range(5):
        if place < 3:
            bid = choice - 1 + place
        else:
            bid = lowest_bid(seen) if place == 3 else barrel_bid(rules)
        if FIRST_BID <= bid < 64:
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
def by_policy(
    state: Any, rules: Any, knobs: Any, seen: Any, rollout: int, low: int, middle: int, high: int, stream: Any
) -> tuple[Any, int]:
    """The stream moved on, and what the rollout policy does in the place of the seat to act."""
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
