"""Ratings from a cross table, with intervals, and the circles that no rating can show.

The model is that of Bradley and Terry ("Rank analysis of incomplete block designs", Biometrika 1952), fitted by maximum
likelihood: i wins against j with probability 1 / (1 + 10 ** ((r_j - r_i) / 400)), the scale of Elo. A tie is half a win
for each. One number an agent cannot say who beats whom where strength is not one number: see ``intransitive_triples``.

So that an agent that won everything has a rating too, each is given ``PRIOR_GAMES`` more, drawn against somebody of
average strength; against the hundreds of games that were played they weigh nothing.

Intervals are 95 % (percentile bootstrap). Where the table has the differences of its deals or matches, these are drawn
anew, the same ones for all pairs if all pairs have as many, since they are the same deals: what depends on the cards
of a deal stays together. Where it has none, wins are drawn from the fitted model as if games were independent. Who won
or lost everything does so in every resample of the table: how far he is from the rest, such an interval cannot say.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from thousand_env.evaluation.extras import need
from thousand_env.keywords import whole_number

Floats = npt.NDArray[np.float64]

PRIOR_GAMES: Final = 1.0
ELO: Final = 400 / np.log(10)
"""Points of rating for one unit of the logistic scale."""
MOST_SAMPLES: Final = 1_000_000
MOST_GAMES: Final = 10**12


class CrossTable(Protocol):
    """What is read of a cross table, such as ``thousand_env.evaluation.Table``: float64 ``[A, A]``, row against column.

    ``mean``, ``low`` and ``high``: the difference per deal and its interval; ``wins`` of ``games``; ``differences`` of
    each deal or match of the pair (i, j), i < j.
    """

    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def mean(self) -> Floats: ...
    @property
    def low(self) -> Floats: ...
    @property
    def high(self) -> Floats: ...
    @property
    def wins(self) -> Floats: ...
    @property
    def games(self) -> Floats: ...
    @property
    def differences(self) -> Mapping[tuple[int, int], Floats]: ...


@dataclass(frozen=True, eq=False)
class Ratings:
    """Ratings of agents on the Elo scale: 400 points are ten wins to one.

    ``ratings``, ``low`` and ``high`` float64[A] in the order of ``names``, with mean 0 or with ``anchor`` at 0; the
    intervals are those of the differences to this zero. ``shares``: of its games, what each agent won.
    """

    names: tuple[str, ...]
    ratings: Floats
    low: Floats
    high: Floats
    games: Floats
    shares: Floats
    anchor: str | None
    bootstrap: str
    """``"deals or matches"`` or ``"model"``: what was drawn anew for the intervals."""
    samples: int

    def ranking(self) -> list[str]:
        """Names, the best first."""
        return [self.names[i] for i in self._order()]

    def _order(self) -> list[int]:
        return sorted(range(len(self.names)), key=lambda i: (-float(self.ratings[i]), i))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain numbers and texts, the best agent first."""
        return {
            "agents": [
                {
                    "name": self.names[i],
                    "rating": float(self.ratings[i]),
                    "interval": [float(self.low[i]), float(self.high[i])],
                    "games": float(self.games[i]),
                    "share": float(self.shares[i]),
                }
                for i in self._order()
            ],
            "method": "Bradley-Terry, maximum likelihood",
            "scale": "Elo",
            "prior_games": PRIOR_GAMES,
            "anchor": self.anchor,
            "bootstrap": self.bootstrap,
            "samples": self.samples,
        }

    def text(self) -> str:
        """A table for the terminal, the best agent first."""
        width = max(len("agent"), *map(len, self.names))
        lines = [f"{'agent':<{width}}  rating            95 %    games    won"]
        for i in self._order():
            interval = f"{self.low[i]:+.0f} to {self.high[i]:+.0f}"
            share = f"{100 * self.shares[i]:.1f} %"
            lines.append(
                f"{self.names[i]:<{width}}{self.ratings[i]:>+8.0f}{interval:>16}{self.games[i]:>9,.0f}{share:>9}"
            )
        zero = "the mean" if self.anchor is None else self.anchor
        lines.append(
            f"Bradley-Terry on the Elo scale, 0 is {zero}; bootstrap over {self.bootstrap}, {self.samples:,} times"
        )
        return "\n".join(lines)


@dataclass(frozen=True)
class Triple:
    """Three agents of which each beats the next and the last the first.

    ``differences``: by how much, in points per deal; ``sure``: whether every one of the three intervals excludes 0,
    otherwise it is so by the means alone.
    """

    names: tuple[str, str, str]
    differences: tuple[float, float, float]
    sure: bool

    def text(self) -> str:
        """One line."""
        first, second, third = self.names
        by = [f"{difference:+.1f}" for difference in self.differences]
        certainty = "sure: no interval holds 0" if self.sure else "by the means only"
        return f"{first} beats {second} ({by[0]}) beats {third} ({by[1]}) beats {first} ({by[2]}): {certainty}"


def ratings(table: CrossTable, *, anchor: str | None = None, samples: int = 1000, seed: int = 0) -> Ratings:
    """Bradley-Terry ratings of the agents of a cross table.

    ``anchor``: the name of the agent whose rating is 0; None: their mean is. ``samples``: of the bootstrap, from
    ``seed``. ``ValueError`` for a table whose agents fall into groups that never played each other, for fewer than two
    agents, and for numbers that are no games; ``ImportError`` says what to install if SciPy is missing.
    """
    whole_number("samples", samples, MOST_SAMPLES)
    rng = np.random.default_rng(operator.index(seed))
    names, wins, games = _checked(table)
    if anchor is not None and anchor not in names:
        raise ValueError(f"anchor={anchor!r} is not accepted: use one of {', '.join(names)}, or None")
    zero = None if anchor is None else names.index(anchor)
    fitted = _fit(wins, games, np.zeros(len(names)))
    from_table = bool(table.differences)
    drawn = _drawn_from_table(table, wins, games, rng, samples) if from_table else _drawn(fitted, games, rng, samples)
    resampled = np.array([_scaled(_fit(each, games, fitted), zero) for each in drawn])
    low, high = np.percentile(resampled, [2.5, 97.5], axis=0)
    played = games.sum(axis=1)
    return Ratings(
        names,
        _scaled(fitted, zero),
        low,
        high,
        played,
        wins.sum(axis=1) / played,
        anchor,
        "deals or matches" if from_table else "model",
        samples,
    )


def intransitive_triples(table: CrossTable) -> list[Triple]:
    """Circles of three: i beats j, j beats k and k beats i, by the mean difference per deal. The sure ones come first.

    Each circle is named once, beginning with the agent that stands first in the table.
    """
    mean, low = np.asarray(table.mean), np.asarray(table.low)
    found = []
    for i, j, k in itertools.combinations(range(len(table.names)), 3):
        for circle in ((i, j, k), (i, k, j)):
            edges = [circle[:2], circle[1:], (circle[2], circle[0])]
            by = [float(mean[edge]) for edge in edges]
            if min(by) > 0:
                first, second, third = (table.names[agent] for agent in circle)
                sure = all(bool(low[edge] > 0) for edge in edges)
                found.append(Triple((first, second, third), (by[0], by[1], by[2]), sure))
    return sorted(found, key=lambda triple: not triple.sure)


def _checked(table: CrossTable) -> tuple[tuple[str, ...], Floats, Floats]:
    """Names, wins and games; ``ValueError`` if nothing can be fitted to them."""
    try:
        names = tuple(table.names)
        wins, games = np.array(table.wins, np.float64), np.array(table.games, np.float64)
    except (AttributeError, TypeError, ValueError) as error:
        raise ValueError(f"table={table!r:.80} is not accepted: it is no cross table ({error})") from None
    size = len(names)
    if size < 2:
        raise ValueError(f"a table of {size} agents has no ratings: it needs two or more")
    if wins.shape != (size, size) or games.shape != (size, size):
        raise ValueError(f"wins {wins.shape} and games {games.shape} must have the shape {(size, size)}")
    for matrix in (wins, games):
        np.fill_diagonal(matrix, 0)
    if not ((games <= MOST_GAMES).all() and (wins >= 0).all() and np.allclose(wins + wins.T, games)):
        raise ValueError(
            "the wins of each two agents against each other must be at least 0 and add up to their games, "
            "which are at most 10**12"
        )
    graph = need("scipy.sparse.csgraph")
    groups, group_of = graph.connected_components(games > 0, directed=False)
    if groups > 1:
        apart = [
            ", ".join(name for name, each in zip(names, group_of, strict=True) if each == g) for g in range(groups)
        ]
        raise ValueError(
            f"these agents never played against each other: {' | '.join(apart)}; rate each group by itself"
        )
    return names, wins, games


def _fit(wins: Floats, games: Floats, start: Floats) -> Floats:
    """Maximum-likelihood strengths on the logistic scale, float64[A], from ``start``."""
    won = wins.sum(axis=1) + PRIOR_GAMES / 2

    def loss(strength: Floats) -> tuple[float, Floats]:
        apart = strength[:, None] - strength[None, :]
        share = _logistic(apart)
        value = float((wins * np.logaddexp(0, -apart)).sum() + PRIOR_GAMES * np.logaddexp(0, strength).sum())
        value -= PRIOR_GAMES / 2 * float(strength.sum())
        return value, (games * share).sum(axis=1) + PRIOR_GAMES * _logistic(strength) - won

    def curvature(strength: Floats) -> Floats:
        share = _logistic(strength[:, None] - strength[None, :])
        weight = games * share * (1 - share)
        own = _logistic(strength)
        return np.asarray(np.diag(weight.sum(axis=1) + PRIOR_GAMES * own * (1 - own)) - weight)

    found = need("scipy.optimize").minimize(loss, start, jac=True, hess=curvature, method="trust-exact", tol=1e-8)
    return np.asarray(found.x, np.float64)


def _logistic(value: Floats) -> Floats:
    return np.asarray(np.exp(-np.logaddexp(0, -value)), np.float64)


def _scaled(strength: Floats, zero: int | None) -> Floats:
    return np.asarray((strength - (strength.mean() if zero is None else strength[zero])) * ELO, np.float64)


def _drawn(strength: Floats, games: Floats, rng: np.random.Generator, samples: int) -> Floats:
    """Wins drawn from the model, float64 ``[samples, A, A]``."""
    share = _logistic(strength[:, None] - strength[None, :])
    upper = np.triu(np.ones_like(games), 1) > 0
    drawn = np.zeros((samples, *games.shape))
    whole = np.rint(games[upper]).astype(np.int64)
    drawn[:, upper] = rng.binomial(whole, share[upper], size=(samples, len(whole))) * (
        games[upper] / np.maximum(whole, 1)
    )
    return drawn + np.where(upper, games - drawn, 0).transpose(0, 2, 1)


def _drawn_from_table(table: CrossTable, wins: Floats, games: Floats, rng: np.random.Generator, samples: int) -> Floats:
    """Wins with the deals or matches drawn anew, float64 ``[samples, A, A]``.

    A block counts as won, lost or tied by the sign of its difference. In a table of matches, where a block has several
    games, the share of wins moves by as much as that of the blocks.
    """
    pairs = sorted(table.differences)
    blocks = {pair: np.sign(np.asarray(table.differences[pair], np.float64)) / 2 + 0.5 for pair in pairs}
    lengths = {len(each) for each in blocks.values()}
    if 0 in lengths:
        raise ValueError("a pair of the table has an empty list of differences: leave the pair out")
    drawn = np.repeat(wins[None], samples, axis=0)
    together = [pairs] if len(lengths) == 1 else [[pair] for pair in pairs]
    for group in together:
        rows = np.array([blocks[pair] for pair in group])
        places = tuple(np.array(group).T)
        now = wins[places] / np.maximum(games[places], 1e-300)
        size = rows.shape[1]
        for sample in drawn:
            weights = np.bincount(rng.integers(size, size=size), minlength=size) / size
            share = np.clip(now + rows @ weights - rows.mean(axis=1), 0, 1)
            sample[places] = share * games[places]
            sample[places[::-1]] = (1 - share) * games[places]
    return drawn
