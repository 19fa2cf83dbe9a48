"""Pictures of results: differences with intervals, calibration of bids, cross tables, learning curves.

Each function draws one picture to a file, PNG or SVG by its suffix. Nothing is computed here but intervals of shares
(Wilson, JASA 1927). Needs the extra ``eval``; ``ImportError`` says in one line what to install.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from thousand_env.evaluation.canvas import (
    GRID,
    INK,
    PALE,
    FilePath,
    checked_path,
    facts_line,
    legend,
    look,
    new_figure,
    save,
)
from thousand_env.evaluation.extras import need

Floats = npt.NDArray[np.float64]

_NORMAL_95: Final = 1.959963984540054


class DealsReport(Protocol):
    """What is read of a report of deals, such as ``thousand_env.evaluation.Report``."""

    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def mean(self) -> float: ...
    @property
    def interval(self) -> tuple[float, float]: ...
    @property
    def deals(self) -> int: ...
    @property
    def by_bid(self) -> Sequence[Mapping[str, Any]]: ...
    @property
    def facts(self) -> Mapping[str, Any]: ...


class DifferenceTable(Protocol):
    """What is read of a cross table, such as ``thousand_env.evaluation.Table``."""

    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def mean(self) -> Floats: ...
    @property
    def low(self) -> Floats: ...
    @property
    def high(self) -> Floats: ...
    @property
    def facts(self) -> Mapping[str, Any]: ...


def score_differences(reports: DealsReport | Iterable[DealsReport], file: FilePath) -> None:
    """The mean difference of each report, in points of the score sheet a deal, with its interval, one below the other.

    A filled mark: the interval excludes 0. ``ValueError`` for no reports and for a file of another kind, ``TypeError``
    for what is no report of deals, such as one of matches.
    """
    path = checked_path(file)
    given = list(reports) if isinstance(reports, Iterable) else [reports]
    if not given:
        raise ValueError("reports=[] is not accepted: give one report or more")
    for report in given:
        if not hasattr(report, "deals"):
            raise TypeError(f"{type(report).__name__} is not accepted as a report: give reports of deals")
    footer = facts_line(given[0].facts, f"{_deals(given)} a comparison") if _same_facts(given) else ""
    figure, axes = new_figure(8, 1.9 + 0.45 * len(given), "Difference of score, first minus second", footer)
    for row, report in enumerate(given):
        low, high = report.interval
        sure = low > 0 or high < 0
        _error_bar(axes, [report.mean], [row], look(0), x=([low], [high]), markerfacecolor=None if sure else "white")
        label = f"{_signed(report.mean)}  ({_signed(low)} to {_signed(high)})"
        axes.annotate(label, (1.02, row), xycoords=("axes fraction", "data"), va="center", fontsize=9, color=INK)
    axes.axvline(0, color=PALE, linewidth=1)
    axes.set_yticks(range(len(given)), [f"{r.names[0]} – {' and '.join(r.names[1:])}" for r in given])
    axes.set_ylim(len(given) - 0.5, -0.5)
    axes.set_xlabel("points a deal, with the interval of 95 %; filled where it excludes 0", color=INK)
    axes.grid(axis="x", color=GRID)
    save(figure, path)


def bid_calibration(report: DealsReport, file: FilePath) -> None:
    """How often each agent makes the contracts it plays, by their level, with intervals of 95 % and numbers of deals.

    Above is the share of contracts made, below how often each level was played. ``ValueError`` if no contract was
    played, and for a file of another kind.
    """
    path = checked_path(file)
    agents = list(dict.fromkeys(each["agent"] for each in report.by_bid if each["times"]))
    if not agents:
        raise ValueError("the report has no contracts that were played: there is nothing to draw")
    title = f"Contracts made: {' and '.join(agents)}"
    figure, axes = new_figure(8, 5.6, title, facts_line(report.facts, f"{report.deals:,} deals"))
    axes.remove()
    grid = figure.add_gridspec(2, 1, height_ratios=[3, 1])
    share, count = figure.add_subplot(grid[0]), figure.add_subplot(grid[1])
    levels = sorted({each["contract"] for each in report.by_bid if each["times"]})
    step = min(np.diff(levels).tolist(), default=10)
    for number, agent in enumerate(agents):
        rows = sorted(
            (e["contract"], e["times"], e["made"]) for e in report.by_bid if e["agent"] == agent and e["times"]
        )
        level, times, made = (np.array(column, np.float64) for column in zip(*rows, strict=True))
        shift = step * (number - (len(agents) - 1) / 2) * 0.8 / len(agents)
        low, high = wilson(made, times)
        style = look(number)
        _error_bar(share, level + shift, 100 * made, style, y=(100 * low, 100 * high), label=agent)
        count.bar(level + shift, times, width=0.8 * step / len(agents), color=style["color"], label=agent)
    for axes in (share, count):
        axes.grid(axis="y", color=GRID)
        axes.set_axisbelow(True)
        axes.set_xlim(levels[0] - step, levels[-1] + step)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
    share.set_ylim(-3, 103)
    share.set_ylabel("contracts made, %", color=INK)
    count.set_ylabel("times played", color=INK)
    count.set_yscale("log")
    count.set_ylim(bottom=0.8)
    count.yaxis.set_major_formatter("{x:,.0f}")
    count.set_xlabel("contract, points", color=INK)
    share.tick_params(labelbottom=False)
    if len(agents) > 1:
        legend(share)
    save(figure, path)


def heat_map(table: DifferenceTable, file: FilePath) -> None:
    """The cross table, row minus column in points a deal with half of the interval, the best agents first.

    Bold: the interval excludes 0. Pairs that did not play are left white. ``ValueError`` for a file of another kind.
    """
    path = checked_path(file)
    size = len(table.names)
    filled = np.where(np.eye(size, dtype=bool), np.nan, table.mean)
    met = np.isfinite(filled)
    average = np.where(met, filled, 0).sum(axis=1) / np.maximum(met.sum(axis=1), 1)
    order = np.argsort(-average, kind="stable")
    mean, low, high = (np.asarray(each)[np.ix_(order, order)] for each in (filled, table.low, table.high))
    names = [table.names[i] for i in order]
    side = 2.6 + 0.95 * size
    figure, axes = new_figure(side + 1.2, side, "Row minus column", facts_line(table.facts))
    most = float(np.nanmax(np.abs(mean))) if np.isfinite(mean).any() else 1.0
    image = axes.imshow(np.ma.masked_invalid(mean), cmap="PuOr", vmin=-(most or 1), vmax=most or 1)
    for row in range(size):
        for column in range(size):
            if not np.isfinite(mean[row, column]):
                continue
            sure = low[row, column] > 0 or high[row, column] < 0
            half = (high[row, column] - low[row, column]) / 2
            text = _signed(mean[row, column]) + (f"\n± {half:.1f}" if np.isfinite(half) else "")
            dark = abs(mean[row, column]) > 0.6 * most
            style = {"color": "white" if dark else INK, "fontweight": "bold" if sure else "normal"}
            axes.text(column, row, text, ha="center", va="center", fontsize=9, **style)
    slant = {"rotation": 30, "ha": "right", "rotation_mode": "anchor"} if max(map(len, names)) > 11 else {}
    axes.set_xticks(range(size), names, **slant)
    axes.set_yticks(range(size), names)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_xlabel("against; bold: the interval excludes 0", color=INK)
    bar = figure.colorbar(image, ax=axes, shrink=0.8)
    bar.set_label("points a deal", color=INK)
    bar.outline.set_visible(False)
    save(figure, path)


def learning_curves(
    curves: Mapping[str, Sequence[Sequence[float]]],
    file: FilePath,
    *,
    title: str = "Learning curves",
    x: str = "decisions",
    y: str = "points a deal",
) -> None:
    """Curves with intervals: name -> rows of (decisions or minutes, mean, low, high); ``x`` and ``y`` name the axes.

    ``ValueError`` for no curves, for rows of another length, and for a file of another kind.
    """
    path = checked_path(file)
    if not curves:
        raise ValueError("curves={} is not accepted: give one curve or more")
    figure, axes = new_figure(8, 4.8, title)
    for number, (name, rows) in enumerate(curves.items()):
        points = np.array([list(row) for row in rows], np.float64) if len({len(row) for row in rows}) == 1 else None
        if points is None or points.shape[1] != 4:
            raise ValueError(f"the curve {name!r} is not accepted: its rows must be (x, mean, low, high)")
        points = points[np.argsort(points[:, 0], kind="stable")]
        style = look(number)
        axes.fill_between(points[:, 0], points[:, 2], points[:, 3], color=style["color"], alpha=0.18, linewidth=0)
        axes.plot(points[:, 0], points[:, 1], **style, markersize=4, linewidth=1.8, label=name)
    axes.axhline(0, color=PALE, linewidth=1)
    axes.grid(color=GRID)
    axes.set_xlabel(x, color=INK)
    axes.set_ylabel(f"{y}, with intervals of 95 %", color=INK)
    axes.xaxis.set_major_formatter(need("matplotlib.ticker").EngFormatter(sep=""))
    legend(axes)
    save(figure, path)


def wilson(share: Floats, times: Floats) -> tuple[Floats, Floats]:
    """Low and high ends of the 95 % interval of shares that were seen in so many trials."""
    square = _NORMAL_95**2 / times
    middle = (share + square / 2) / (1 + square)
    half = _NORMAL_95 / (1 + square) * np.sqrt(share * (1 - share) / times + square / (4 * times))
    return middle - half, middle + half


def _error_bar(
    axes: Any, x_at: Any, y_at: Any, style: Mapping[str, Any], x: Any = None, y: Any = None, **more: Any
) -> None:
    """Marks with the ends of their intervals, of x or of y."""
    ends, at, name = (x, x_at, "xerr") if x is not None else (y, y_at, "yerr")
    low, high = (np.asarray(each, np.float64) for each in ends)
    width = {name: [np.maximum(np.asarray(at) - low, 0), np.maximum(high - np.asarray(at), 0)]}
    axes.errorbar(x_at, y_at, **width, **style, **more, linestyle="none", markersize=6, capsize=3, linewidth=1.4)


def _signed(value: float) -> str:
    """With one decimal, a sign, and the minus of the axes."""
    return f"{value:+.1f}".replace("-", "−")


def _deals(reports: Sequence[DealsReport]) -> str:
    counts = sorted({report.deals for report in reports})
    return f"{counts[0]:,} deals" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,} deals"


def _same_facts(reports: Sequence[DealsReport]) -> bool:
    return len({facts_line(report.facts) for report in reports}) == 1
