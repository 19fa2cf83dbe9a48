"""95 % intervals by the percentile bootstrap over blocks: whole deals or match seeds, whose games hang together.

Every figure is a ratio of two sums over blocks, such as points by deals, or made of such ratios. ``Resampling`` draws
the blocks anew ``RESAMPLES`` times, the same way for all figures, and the interval of a figure is where the middle 95 %
of its values lie. More than ``GROUPS`` blocks are first added up to that many groups of neighbours, which costs next to
nothing in precision. All of it follows from the seed. (Efron and Tibshirani, An Introduction to the Bootstrap, 1993.)
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from thousand_env.evaluation.schedule import draw

Floats = npt.NDArray[np.float64]
Interval = tuple[float, float]

RESAMPLES: Final = 2000
GROUPS: Final = 2000
_LEVELS: Final = (2.5, 97.5)


class Resampling:
    """The same blocks drawn anew for every figure. A single block tells nothing: its intervals are NaN."""

    def __init__(self, blocks: int, seed: int) -> None:
        self.blocks: Final = blocks
        groups = min(blocks, GROUPS)
        self._edges: Final = np.arange(groups) * blocks // max(groups, 1)
        rng = np.random.default_rng(draw("bootstrap", seed))
        drawn = rng.integers(groups, size=(RESAMPLES, groups)) if groups else np.zeros((RESAMPLES, 0), np.int64)
        places = drawn + groups * np.arange(RESAMPLES)[:, None]
        self._weights: Final = np.bincount(places.ravel(), minlength=RESAMPLES * groups).reshape(RESAMPLES, groups)

    def ratio(self, sums: Any, counts: Any = None) -> Ratio:
        """Sum of ``sums`` by sum of ``counts``, numbers ``[blocks]`` each; without counts the mean of the blocks."""
        above = np.asarray(sums, np.float64)
        below = np.ones(self.blocks) if counts is None else np.asarray(counts, np.float64)
        value = _divide(above.sum(), below.sum())
        return Ratio(float(value), _divide(self._totals(above), self._totals(below)), self.blocks)

    def _totals(self, column: Floats) -> Floats:
        if not self.blocks:
            return np.zeros(RESAMPLES)
        return np.asarray(self._weights @ np.add.reduceat(column, self._edges), np.float64)


class Ratio:
    """A figure with its values in the resamples; sums and differences of figures are figures."""

    def __init__(self, value: float, samples: Floats, blocks: int) -> None:
        self.value: Final = value
        self._samples: Final = samples
        self._blocks: Final = blocks

    @property
    def interval(self) -> Interval:
        """95 %: low, high."""
        known = self._samples[np.isfinite(self._samples)]
        if self._blocks < 2 or len(known) < RESAMPLES // 2:
            return np.nan, np.nan
        low, high = np.percentile(known, _LEVELS)
        return float(low), float(high)

    def __sub__(self, other: Ratio) -> Ratio:
        return Ratio(self.value - other.value, self._samples - other._samples, self._blocks)


def mean_of(ratios: list[Ratio]) -> Ratio:
    """The average of figures."""
    value = sum(each.value for each in ratios) / len(ratios)
    return Ratio(value, np.mean([each._samples for each in ratios], axis=0), ratios[0]._blocks)


def half_width(blocks: Floats, seed: int) -> float:
    """Half of the interval of a mean; NaN for fewer than two blocks."""
    low, high = Resampling(len(blocks), seed).ratio(blocks).interval
    return (high - low) / 2


def _divide(above: Any, below: Any) -> Any:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(below != 0, above / np.where(below != 0, below, 1), np.nan)
