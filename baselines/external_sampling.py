"""External sampling over the tree of a small game, thousands of traversals in one pass of NumPy over its levels.

A traversal follows every action of one seat, and of chance and of the others' choices one that is drawn (Lanctot et
al., "Monte Carlo Sampling for Regret Minimization in Extensive Games", NeurIPS 2009). Summed over traversals and
divided by their number, what it finds goes to ``cfr.counterfactual_regrets``. Learns nothing and keeps nothing.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from baselines.cfr import Floats, Ints, Slots


class Sampled(NamedTuple):
    """What traversals for one seat found.

    ``advantages`` float64 ``[slots]``: sums of how much better a slot was than the policy, 0 for the others' slots.
    ``visits`` int64 ``[C]``: how often each choice of the seat was met. ``decisions``: positions met, forced ones too,
    in which somebody is to act.
    """

    advantages: Floats
    visits: Ints
    decisions: int


class _Step(NamedTuple):
    """The positions met at one depth.

    ``places`` in the level; of those of the next depth ``parent``, their rows here, and ``weight``, their share in the
    value of the parent, and ``own``, the rows of the next depth that a choice of the traversing seat led to, with
    ``slot``, by which.
    """

    places: Ints
    parent: Ints
    weight: Floats
    own: Ints
    slot: Ints


class ExternalSampling:
    """Traversals of the game of ``slots``."""

    def __init__(self, slots: Slots) -> None:
        self.slots: Final = slots
        self.game: Final = slots.game
        # Of each position: its first successor and their number, whose choice it is, and the end that it is, or -1.
        self._first: Final[list[Ints]] = []
        self._count: Final[list[Ints]] = []
        self._choice: Final[list[Ints]] = []
        self._outcome: Final[list[Ints]] = []
        nothing = np.zeros(0, np.int64)
        following = [(level.parent, level.slot) for level in self.game.levels[1:]]
        for level, (parent, slot) in zip(self.game.levels, [*following, (nothing, nothing)], strict=True):
            count = np.bincount(parent, minlength=len(level.parent))
            choice = np.full(len(level.parent), -1)
            choice[parent] = slots.choice[slot]
            outcome = np.full(len(level.parent), -1)
            outcome[level.ends] = level.outcome
            self._first.append(np.cumsum(count) - count)
            self._count.append(count)
            self._choice.append(choice)
            self._outcome.append(outcome)

    def traverse(
        self, policy: Floats, seat: int, count: int, rng: np.random.Generator, reward: str = "relative"
    ) -> Sampled:
        """``count`` traversals for a seat when all play ``policy``, float64 ``[slots]``; ``rng`` draws deals too."""
        steps = self._down(policy, seat, rng.integers(self.game.deals, size=count), rng)
        payoff = self.game.payoffs(reward)[:, seat]
        advantages = np.zeros(self.game.num_slots)
        visits = np.zeros(len(self.game.choice_seat), np.int64)
        below = np.zeros(0)
        decisions = 0
        for depth in range(len(steps) - 1, -1, -1):
            step = steps[depth]
            outcome = self._outcome[depth][step.places]
            worth = np.where(outcome >= 0, payoff[outcome], 0.0)
            worth += np.bincount(step.parent, weights=step.weight * below, minlength=len(worth))
            better = below[step.own] - worth[step.parent[step.own]]
            advantages += np.bincount(step.slot, weights=better, minlength=len(advantages))
            decisions += int((outcome < 0).sum())
            below = worth
        met = np.concatenate([step.slot for step in steps])
        first = self.game.choice_start[:-1]
        visits += np.bincount(met, minlength=self.game.num_slots)[first]  # every slot of a choice is met each time
        return Sampled(advantages, visits, decisions)

    def _down(self, policy: Floats, seat: int, places: Ints, rng: np.random.Generator) -> list[_Step]:
        """From dealt positions to the ends."""
        game, steps = self.game, []
        running = np.cumsum(policy)
        for depth in range(len(game.levels)):
            choice, first, count = (each[depth][places] for each in (self._choice, self._first, self._count))
            others = np.flatnonzero((choice >= 0) & (game.choice_seat[choice] != seat))
            theirs = choice[others]
            start, stop = game.choice_start[theirs], game.choice_start[theirs + 1]
            drawn = np.searchsorted(running, running[start - 1] + rng.random(len(others)), side="right")
            first[others] += np.minimum(drawn, stop - 1) - start
            count[others] = 1
            parent = np.repeat(np.arange(len(places)), count)
            after = np.arange(len(parent)) - np.repeat(np.cumsum(count) - count, count) + first[parent]
            slot = game.levels[depth + 1].slot[after] if len(after) else after
            own = np.flatnonzero((slot > 0) & (game.slot_seat[slot] == seat))
            weight = np.ones(len(parent))
            weight[own] = policy[slot[own]]
            steps.append(_Step(places, parent, weight, own, slot[own]))
            places = after
        return steps
