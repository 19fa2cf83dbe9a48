"""Counterfactual regret minimisation on small games, by tables: the exact reference that learned agents are held to.

``CfrPlus`` is CFR+ of Tammelin, "Solving Large Imperfect Information Games Using CFR+" (2014): the seats are updated in
turn, regrets never fall below 0, and later iterations count more in the average. Every iteration walks the whole tree
of a ``SmallGame``, a level in one pass of NumPy; nothing is sampled and nothing is learned but the table itself.

For two players the average goes to an equilibrium (the reward is zero-sum). For three or more nothing is promised: the
average may settle where a seat still gains by playing otherwise; ``nash_conv`` says how much.
Not an agent and not for the full game; ``probabilities`` gives what ``nash_conv`` and a network's training take.

Arrays are those of ``SmallGame``: a *slot* is an action of a choice, slot 0 what nobody chose.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from thousand_env import NUM_ACTIONS, Rules
from thousand_env.evaluation import SmallGame

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class Slots:
    """How the slots of a game hang together.

    ``choice`` int64 ``[slots]``: the choice that a slot belongs to, -1 for slot 0. ``previous`` int64 ``[C]``: the last
    slot that the seat of a choice took before it, 0 for none; a seat that never forgets has only one.
    """

    def __init__(self, game: SmallGame) -> None:
        self.game: Final = game
        counts = np.diff(game.choice_start)
        self.choice: Final[Ints] = np.concatenate([[-1], np.repeat(np.arange(len(counts)), counts)])
        self.previous: Final[Ints] = np.zeros(len(counts), np.int64)
        last = np.zeros((game.deals, game.players), np.int64)  # of each position and seat: its last slot
        for level, after in zip(game.levels, game.levels[1:], strict=False):
            if level is not game.levels[0]:
                last = last[level.parent]
                moved = np.flatnonzero(level.slot)
                last[moved, game.slot_seat[level.slot[moved]]] = level.slot[moved]
            chosen = np.flatnonzero(after.slot)
            choices = self.choice[after.slot[chosen]]
            self.previous[choices] = last[after.parent[chosen], game.choice_seat[choices]]

    def sums(self, slots: Floats) -> Floats:
        """Of each choice the sum over its slots, float64 ``[C]``."""
        return np.add.reduceat(slots, self.game.choice_start[:-1])

    def matched(self, regrets: Floats) -> Floats:
        """Regret matching: a policy, float64 ``[slots]``, in proportion to positive regrets; uniform where none is."""
        return self.normalised(np.maximum(regrets, 0))

    def normalised(self, weights: Floats) -> Floats:
        """Weights of slots, at least 0, as a policy; uniform where all weights of a choice are 0."""
        sums = self.sums(weights)
        counts = np.diff(self.game.choice_start)
        policy = np.ones(self.game.num_slots)
        own = self.choice[1:]
        policy[1:] = np.where(sums[own] > 0, weights[1:] / np.where(sums > 0, sums, 1)[own], 1 / counts[own])
        return policy

    def realised(self, policy: Floats) -> Floats:
        """Of each slot how likely its seat alone lets it happen: the product of its own probabilities so far."""
        reach = np.ones(self.game.num_slots)
        for level in self.game.levels:
            if level.slots:
                here = slice(level.slots.start, level.slots.stop)
                reach[here] = reach[self.previous[self.choice[here]]] * policy[here]
        return reach

    def table(self, policy: Floats) -> Floats:
        """A policy as probabilities ``[C, 130]`` in the order of ``game.choices()``."""
        table = np.zeros((len(self.previous), NUM_ACTIONS))
        table[self.choice[1:], self.game.slot_action[1:]] = policy[1:]
        return table


def counterfactual_regrets(slots: Slots, policy: Floats, seat: int, reward: str = "relative") -> Floats:
    """How much better than ``policy`` each slot of a seat is, float64 ``[slots]``, 0 for the others' slots.

    Weighed by how likely chance and the others let the choice happen (Zinkevich et al., NeurIPS 2007).
    """
    game = slots.game
    own = game.slot_seat == seat
    others, keep = np.where(own, 1.0, policy), np.where(own, policy, 1.0)
    payoff = game.payoffs(reward)[:, seat]
    reaches = [np.full(game.deals, 1 / game.deals)]
    for level in game.levels[1:]:
        reaches.append(reaches[-1][level.parent] * others[level.slot])
    worth_of_slots = np.zeros(game.num_slots)
    below = np.zeros(0)
    for depth in range(len(game.levels) - 1, -1, -1):
        level = game.levels[depth]
        worth = np.zeros(len(level.parent))
        worth[level.ends] = reaches[depth][level.ends] * payoff[level.outcome]
        if depth + 1 < len(game.levels):
            after = game.levels[depth + 1]
            if level.slots:
                start, stop = level.slots.start, level.slots.stop
                sums = np.bincount(np.maximum(after.slot - start + 1, 0), weights=below, minlength=stop - start + 1)
                worth_of_slots[start:stop] = sums[1:]
            worth += np.bincount(after.parent, weights=below * keep[after.slot], minlength=len(worth))
        below = worth
    regrets = np.zeros(game.num_slots)
    mean = slots.sums(worth_of_slots * policy)
    regrets[1:] = (worth_of_slots[1:] - mean[slots.choice[1:]]) * own[1:]
    return regrets


class CfrPlus:
    """CFR+ on a small game: ``step`` is one iteration, an update of each seat in turn.

    ``iteration`` int: iterations done. ``probabilities()`` float64 ``[C, 130]``: the average policy, as ``nash_conv``
    takes it.
    """

    def __init__(self, game: SmallGame | Rules | str = "mini2", *, reward: str = "relative") -> None:
        self.game: Final = game if isinstance(game, SmallGame) else SmallGame(game)
        self.slots: Final = Slots(self.game)
        self.reward: Final = reward
        self.game.payoffs(reward)  # refuses a reward that there is not
        self.regrets = np.zeros(self.game.num_slots)
        self.sums = np.zeros(self.game.num_slots)
        self.iteration = 0

    def step(self) -> None:
        """One iteration."""
        self.iteration += 1
        for seat in range(self.game.players):
            policy = self.slots.matched(self.regrets)
            self.regrets += counterfactual_regrets(self.slots, policy, seat, self.reward)
            np.maximum(self.regrets, 0, out=self.regrets)
        self.sums += self.iteration * self.slots.realised(self.slots.matched(self.regrets))

    def probabilities(self) -> Floats:
        """The average policy, float64 ``[C, 130]``."""
        return self.slots.table(self.slots.normalised(self.sums))
