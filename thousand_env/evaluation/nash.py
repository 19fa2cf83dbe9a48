"""Exact values, best responses and NashConv of a small game.

The values are exact expectations over the whole tree, up to rounding of floats: nothing is sampled. Each seat's best
response is found by one pass from the end back, with the others' play fixed, as in Johanson et al., "Accelerating Best
Response Calculation in Large Extensive Games" (IJCAI 2011). NashConv is the sum of what the seats would gain if each
alone changed to its best response (Lanctot et al., "A Unified Game-Theoretic Approach to Multiagent Reinforcement
Learning", NeurIPS 2017); it is 0 exactly in a Nash equilibrium. With three players that is all it says: two
equilibria need not be worth the same. For full games see ``best_response``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from thousand_env.evaluation.policies import Policies, joint_policy
from thousand_env.evaluation.small_game import Floats, Ints, SmallGame
from thousand_env.rules import Rules

SmallRules: TypeAlias = SmallGame | Rules | str | Mapping[str, Any]
"""A small game that is kept for many questions, or the rules of one that is built for this question."""


@dataclass(frozen=True)
class NashConv:
    """How far a profile is from an equilibrium of a small game, in units of the reward (1 is 100 points of score).

    ``values`` float64[n]: what each seat expects when all play the profile. ``best_response_values`` float64[n]: what
    it would expect if it alone played its best.
    """

    values: Floats
    best_response_values: Floats
    rules: Rules
    reward: str
    dealers: tuple[int, ...]

    @property
    def gains(self) -> Floats:
        """What each seat would gain by its best response, float64[n]; never below 0 but for rounding."""
        return self.best_response_values - self.values

    @property
    def nash_conv(self) -> float:
        """The sum of the gains."""
        return float(self.gains.sum())

    @property
    def exploitability(self) -> float:
        """The mean gain of a seat: NashConv / n."""
        return self.nash_conv / len(self.values)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain numbers and texts."""
        return {
            "rules": self.rules.to_dict(),
            "reward": self.reward,
            "dealers": list(self.dealers),
            "values": self.values.tolist(),
            "best_response_values": self.best_response_values.tolist(),
            "gains": self.gains.tolist(),
            "nash_conv": self.nash_conv,
            "exploitability": self.exploitability,
        }

    def text(self) -> str:
        """A table for the terminal."""
        lines = ["seat     value  best response      gain"]
        columns = np.round([self.values, self.best_response_values, self.gains], 4) + 0.0  # no minus before a zero
        for seat, (value, best, gain) in enumerate(columns.T):
            lines.append(f"{seat:<4}{value:>10.4f}{best:>15.4f}{gain:>10.4f}")
        lines.append(
            f"NashConv {self.nash_conv:.4f}, exploitability {self.exploitability:.4f} (reward {self.reward!r})"
        )
        return "\n".join(lines)


def nash_conv(agents: Policies, rules: SmallRules = "mini2", *, reward: str = "relative") -> NashConv:
    """How much the seats of a small game could gain on what ``agents`` play.

    ``agents``: one for all seats, or a list of one a seat; names, agents with ``action_probabilities``, mappings,
    functions or arrays (see ``policies.Policy``). ``rules``: a ``SmallGame``, which saves building the tree again, or
    rules for ``SmallGame(rules)``. ``reward``: see ``Game.returns``. Errors are those of ``SmallGame`` and
    ``joint_policy``.
    """
    game = as_small_game(rules)
    game.payoffs(reward)
    slots = joint_policy(game, agents)
    best = [best_choices(game, slots, seat, reward)[0] for seat in range(game.players)]
    return NashConv(values_of(game, slots, reward), np.array(best), game.rules, reward, game.dealers)


def expected_values(agents: Policies, rules: SmallRules = "mini2", *, reward: str = "relative") -> Floats:
    """What each seat of a small game expects when ``agents`` play, float64[n]. Arguments as in ``nash_conv``."""
    game = as_small_game(rules)
    game.payoffs(reward)
    return values_of(game, joint_policy(game, agents), reward)


def as_small_game(rules: SmallRules) -> SmallGame:
    """The small game itself, or a new one of these rules."""
    return rules if isinstance(rules, SmallGame) else SmallGame(rules)


def values_of(game: SmallGame, slots: Floats, reward: str = "relative") -> Floats:
    """What each seat expects under a joint policy, float64[n]; ``slots`` as ``joint_policy`` gives them."""
    weight = np.zeros(len(game.outcomes))
    for level, reach in zip(game.levels, _reaches(game, slots), strict=True):
        weight += np.bincount(level.outcome, weights=reach[level.ends], minlength=len(weight))
    return np.asarray(weight @ game.payoffs(reward), np.float64)


def best_choices(game: SmallGame, slots: Floats, seat: int, reward: str = "relative") -> tuple[float, Ints]:
    """The value of a seat's best response to what the others do in ``slots``, and the slots that it chooses.

    int64, one for each of ``game.choices(seat)``. Of equally good actions it takes the first, and so it does where the
    others never let it come.
    """
    payoff = game.payoffs(reward)[:, seat]
    own = game.slot_seat == seat
    others_reach = _reaches(game, np.where(own, 1.0, slots))
    keep = np.ones(game.num_slots)  # whether what comes after a slot counts: of its own, only the best
    chosen: list[Ints] = []
    below = np.zeros(0)  # of each position of the level below: its payoff times how likely the others let it happen
    for depth in range(len(game.levels) - 1, -1, -1):
        level = game.levels[depth]
        worth = np.zeros(len(level.parent))
        worth[level.ends] = others_reach[depth][level.ends] * payoff[level.outcome]
        if depth + 1 < len(game.levels):
            after = game.levels[depth + 1]
            best = _best_slots(game, level.slots, seat, after.slot, below)
            keep[level.slots.start : level.slots.stop][own[level.slots.start : level.slots.stop]] = 0
            keep[best] = 1
            chosen.append(best)
            worth += np.bincount(after.parent, weights=below * keep[after.slot], minlength=len(worth))
        below = worth
    return float(below.sum()), np.concatenate(chosen[::-1])


def _reaches(game: SmallGame, slots: Floats) -> list[Floats]:
    """By level, how likely each position is when the probability of each slot is as given."""
    reaches = [np.full(game.deals, 1 / game.deals)]
    for level in game.levels[1:]:
        reaches.append(reaches[-1][level.parent] * slots[level.slot])
    return reaches


def _best_slots(game: SmallGame, slots: range, seat: int, reached: Ints, worth: Floats) -> Ints:
    """For each choice of a seat at one depth the slot after which the worth of all positions together is largest.

    ``slots`` are those of the depth; ``reached`` and ``worth`` belong to the positions of the next.
    """
    first, last = np.searchsorted(game.choice_start, [slots.start, slots.stop])
    mine = np.arange(first, last)[game.choice_seat[first:last] == seat]
    if not len(mine):
        return np.zeros(0, np.int64)
    sums = np.bincount(reached, weights=worth, minlength=slots.stop)
    counts = game.choice_start[mine + 1] - game.choice_start[mine]
    begin = np.cumsum(counts) - counts
    places = np.arange(counts.sum()) - np.repeat(begin, counts) + np.repeat(game.choice_start[mine], counts)
    best = np.repeat(np.maximum.reduceat(sums[places], begin), counts)
    return np.asarray(np.minimum.reduceat(np.where(sums[places] == best, places, slots.stop), begin), np.int64)
