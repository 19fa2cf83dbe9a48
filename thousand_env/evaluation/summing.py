"""Units summed up as numbers by block: what all reports are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from thousand_env.evaluation.units import Unit

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

SCALE: Final = 24
"""Means over one to four seats, and over one or two other agents, are whole numbers in this unit: sums are exact."""


class DealBlocks:
    """Units of deals as arrays. U units, S seatings each, n seats, k agents."""

    def __init__(self, units: Sequence[Unit], agents: int) -> None:
        games = [game for unit in units for game in unit["games"]]
        shape = (len(units), len(units[0]["games"]) if units else 0)
        self.agents: Final = agents
        self.seatings: Final = shape[1]
        self.owner: Final = _array([[int(each) for each in game[0]] for game in games], shape)
        """int ``[U, S, n]``: the agent at each seat."""
        self.changes: Final = _array([game[1] for game in games], shape)
        self.points: Final = _array([game[2] for game in games], shape)
        self.dealer: Final = _array([game[3] for game in games], shape)
        self.declarer: Final = _array([game[4] for game in games], shape)
        """int ``[U, S]``, -1 where nobody was."""
        self.contract: Final = _array([game[5] for game in games], shape)
        self.made: Final = _array([int(game[6]) for game in games], shape)
        self.players: Final = self.owner.shape[-1]
        self.bids: Final = [game[7] for game in games]

    def scaled_means(self, values: Ints) -> Ints:
        """int ``[U, S, k]``: ``SCALE`` times the mean over each agent's seats of a value by seat ``[U, S, n]``."""
        return scaled_means(values, self.owner, self.agents)

    def places(self) -> Ints:
        """int ``[U, S, n]``: the place of each seat, clockwise from first hand (0) to the dealer (n - 1)."""
        return np.asarray((np.arange(self.players) - self.dealer[..., None] - 1) % self.players, np.int64)

    def roles(self) -> dict[str, npt.NDArray[np.bool_]]:
        """bool ``[U, S, n]``: the seats in each role; one who sits out, and a deal that nobody played, has none."""
        seats = np.arange(self.players)
        is_played = (self.declarer >= 0)[..., None]
        declarer = (seats == self.declarer[..., None]) & is_played
        defender = ~declarer & is_played
        if self.players == 4:
            defender &= seats != self.dealer[..., None]
        return {"declarer": declarer, "defender": defender}


class MatchBlocks:
    """Units of matches as arrays, as ``DealBlocks``."""

    def __init__(self, units: Sequence[Unit], agents: int) -> None:
        games = [game for unit in units for game in unit["games"]]
        shape = (len(units), len(units[0]["games"]) if units else 0)
        self.agents: Final = agents
        self.seatings: Final = shape[1]
        self.owner: Final = _array([[int(each) for each in game[0]] for game in games], shape)
        self.scores: Final = _array([game[1] for game in games], shape)
        self.winner: Final = _array([game[2] for game in games], shape)
        """int ``[U, S]``: the winning seat, -1 where nobody won."""
        self.deals: Final = _array([game[3] for game in games], shape)
        self.players: Final = self.owner.shape[-1]

    def won(self) -> Floats:
        """float64 ``[U, S, k]``: 1 for the agent that won, 1/k for each if nobody did."""
        seat = np.maximum(self.winner, 0)[..., None]
        by_seat = np.take_along_axis(self.owner, seat, axis=-1)
        won = (by_seat == np.arange(self.agents)).astype(np.float64)
        return np.where(self.winner[..., None] >= 0, won, 1.0 / self.agents)


def scaled_means(values: Ints, owner: Ints, agents: int) -> Ints:
    """int ``[U, S, k]``: ``SCALE`` times the mean over each agent's seats of a value by seat ``[U, S, n]``."""
    means = []
    for agent in range(agents):
        mine = owner == agent
        means.append((values * mine).sum(axis=-1) * SCALE // mine.sum(axis=-1))
    return np.stack(means, axis=-1)


def against_others(means: Ints) -> Ints:
    """int ``[..., k]``: each agent's mean minus the mean of the others'; of scaled means it stays whole."""
    count = means.shape[-1]
    return np.asarray((means * count - means.sum(axis=-1, keepdims=True)) // (count - 1), np.int64)


def spent(units: Sequence[Unit], agents: int) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Decisions and seconds of each agent."""
    decisions = tuple(sum(unit["decisions"][agent] for unit in units) for agent in range(agents))
    seconds = tuple(float(sum(unit["seconds"][agent] for unit in units)) for agent in range(agents))
    return decisions, seconds


def _array(values: Sequence[Any], shape: tuple[int, int]) -> Ints:
    array = np.array(values, np.int64)
    return array.reshape(*shape, *array.shape[1:])
