"""``IsmctsAgent``: information-set Monte Carlo tree search with one observer.

A tree search needs to see all cards, and a player does not. The way out of Cowling, Powley and Whitehouse ("Information
Set Monte Carlo Tree Search", 2012; their SO-ISMCTS) is one tree over what the observer sees, and a new world for every
iteration:

1. draw a complete deal that agrees with all that the seat knows. ``View.sample`` draws uniformly from those that are
   possible; of ``belief`` times as many, those are preferred in which the others had the hands for their bids;
2. go down the tree with it. Of the actions that are legal in this world the one with the highest upper confidence bound
   is taken: mean utility + ``exploration`` * sqrt(ln(available) / visits). Another world may allow other actions, so it
   is counted how often each action was there to be taken;
3. the first action that the tree does not know becomes a new node, the one that the rollout policy likes first;
4. from there the rollout policy, a rule-of-thumb player that sees its own cards only, plays to the end of the deal;
5. the engine scores the deal, and every node on the path learns what the seat that chose it has earned: each seat
   maximises its own utility (max^n). The utility is the change of the own score less the mean of the others', in
   hundreds of points, with ``win_points`` more for who wins the match.

The most visited action is played. Search can be stopped after any iteration. With 2,000 iterations a decision takes 30
to 60 ms of one core, half of it to draw worlds (20 ms with ``belief=1``); with 400 about a fifth of that.
It earns 12.4 points a deal more than ``heuristic`` (8.7 to 16.1; 300 duplicate deals, classic), with 400 iterations 9.5
(3.9 to 15.2; 150 deals).

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

from baselines import heuristic
from baselines.ismcts_tree import MAX_SEATS, NODE_DTYPE, ROLLOUTS, search_deals
from baselines.judgement import LAST_BID, estimate, points_of_bid
from baselines.warm_up import warm_up
from thousand_env import NUM_ACTIONS, View
from thousand_env.compiled import (
    PASS,
    SIGHT_DTYPE,
    entry,
    first_hand,
    next_active,
    restore_hand,
    room_for,
    rules_record,
    sample_deals,
    see,
    solver_desk,
    wide,
)

BIDS: Final = ("search", "heuristic")

ITERATIONS: Final = 2000
EXPLORATION: Final = 0.7
BELIEF: Final = 3
WIN_POINTS: Final = 300.0
DOUBT: Final = 10.0
"""By how many points others may value their hands otherwise than the estimate does."""
ERROR: Final = 0.05
"""The weight of a world that says a bid was a blunder, so that none is ruled out."""
CHUNK: Final = 256
"""Worlds drawn and searched between two looks at the clock."""
MOST_AT_FIRST: Final = 4096
"""Nodes that there is room for at first; the room doubles when it is full."""
TABLE_BITS: Final = 10

_room_for_sight = room_for(SIGHT_DTYPE)


class IsmctsAgent:
    """Searches a tree of what it sees, see the module.

    ``iterations``: worlds searched for a decision, by default 2,000, or without limit if ``seconds`` is given.
    ``seconds``: stop after so much time, None for no limit; with it the choice depends on the machine, and making the
    agent takes as long as its code takes to compile, so that no decision does. ``exploration``: the
    constant of the confidence bound, in hundreds of points. ``rollout``: who plays on from a leaf, ``"heuristic"``,
    ``"greedy"`` or ``"random"``. ``bids``: ``"search"``, or ``"heuristic"`` to bid, look and raise as that agent does.
    ``belief``: so many worlds are drawn for each that is searched, 1 for uniform worlds.
    ``win_points``: what it is worth to win the match, beside the points of the deal. ``solver_cards``: with so many
    cards a hand or fewer the open-card solver plays on from a leaf, 0 for never, each seat for its own points (max^n: a
    coalition would not say what each defender gets). ``seed`` starts the random generator as ``reset(seed)`` does.
    ``ValueError`` for anything else.

    A decision with one legal action costs nothing. Nothing is kept from decision to decision but the generator.
    """

    def __init__(
        self,
        *,
        iterations: int | None = None,
        seconds: float | None = None,
        exploration: float = EXPLORATION,
        rollout: str = "heuristic",
        bids: str = "search",
        belief: int = BELIEF,
        win_points: float = WIN_POINTS,
        solver_cards: int = 0,
        seed: int | None = None,
    ) -> None:
        self.seconds = None if seconds is None else _number("seconds", seconds)
        without = ITERATIONS if self.seconds is None else None
        self.iterations = without if iterations is None else _whole("iterations", iterations, 1)
        self.exploration = _number("exploration", exploration)
        self.rollout = _one_of("rollout", rollout, ROLLOUTS)
        self.bids = _one_of("bids", bids, BIDS)
        self._bidder = heuristic.HeuristicAgent()
        self.belief = _whole("belief", belief, 1)
        self.win_points = _number("win_points", win_points)
        self.solver_cards = _whole("solver_cards", solver_cards, 0)
        self.reset(seed)
        if self.seconds is not None:
            warm_up(IsmctsAgent(iterations=1, seed=0))

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
        how = self.exploration, ROLLOUTS.index(self.rollout), self.solver_cards, self.win_points
        desk = solver_desk(TABLE_BITS)
        stream = rng.integers(0, 2**64, dtype=np.uint64)
        tree = np.zeros(1 + min(self.iterations or MOST_AT_FIRST, MOST_AT_FIRST), NODE_DTYPE)
        tree[0]["child"] = tree[0]["sibling"] = -1
        size, done = 1, 0
        while self.iterations is None or done < self.iterations:
            count = CHUNK if self.iterations is None else min(CHUNK, self.iterations - done)
            if size + count > len(tree):
                tree = np.concatenate([tree, np.zeros(len(tree), NODE_DTYPE)])
            deals = self.draw(view, rng, count)
            size, stream = search_deals(
                deals, rules, heuristic.KNOBS, view.observer, how, np.uint64(stream), tree, size, *desk
            )
            done += count
            if end is not None and time.perf_counter() >= end:
                break
        return tree[:size]

    def draw(self, view: View, rng: np.random.Generator, count: int) -> npt.NDArray[Any]:
        """Worlds to search: uniform, or drawn from ``belief`` times as many by how well they fit the bids."""
        deals = sample_deals(view, rng, self.belief * count)
        if self.belief == 1 or view.rules.dark:  # a dark bid says nothing of the hand
            return deals[:count]
        weights = np.empty(len(deals))
        weigh_bids(deals, rules_record(view.rules), view.observer, heuristic.KNOBS, weights)
        ends = np.cumsum(weights)
        places = np.searchsorted(ends, (np.arange(count) + rng.random()) * (ends[-1] / count))
        drawn: npt.NDArray[Any] = deals[rng.permutation(np.minimum(places, len(deals) - 1))]
        return drawn


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
def weigh_bids(deals: Any, rules_records: Any, me: int, knobs_records: Any, weights: Any) -> None:
    """Write to ``weights``, float64 a deal, how likely the others were to bid as they did, up to a common factor.

    They are taken for players who bid while the bid is below what their hand is worth, give or take ``DOUBT`` points.
    A forced bid, and whatever a player on the barrel or a silenced one does, says nothing.
    """
    rules = rules_records[0]
    sights = _room_for_sight()
    seen = sights[0]
    worth = np.zeros(MAX_SEATS)
    for k in range(deals.shape[0]):
        state = deals[k]
        if k == 0:
            see(state, rules, me, seen)
        for seat in range(rules["players"]):
            worth[seat] = estimate(seen, rules, restore_hand(state, rules, seat), True)
            worth[seat] -= knobs_records[0]["margin"]
        seat = wide(first_hand(state, rules))
        bid = passed = wide(0)
        weight = 1.0
        for place in range(state["log_size"]):
            action = wide(state["log"][place])
            if action > LAST_BID:
                break
            fits = 0.0
            says = state["barrel"][seat] < 0 and state["scores"][seat] > rules["silence_below"]
            if action != PASS:
                bid = wide(points_of_bid(action, rules))
                says = says and bid > rules["min_bid"]
                fits = worth[seat] - bid
            else:
                fits = (bid + rules["bid_step"] if bid else wide(rules["min_bid"])) - worth[seat]
                passed |= wide(1) << seat
            if says and seat != me:
                weight *= ERROR + (1 - ERROR) / (1 + np.exp(-fits / DOUBT))
            for _ in range(rules["active"]):
                seat = wide(next_active(seat, state, rules))
                if not (passed >> seat) & 1:
                    break
        weights[k] = weight
