"""What an evaluation gives back: ``Report`` of deals, ``MatchReport`` of matches, ``Table`` of all against all.

Plain data with their forms as dicts (JSON), as text and as CSV; nothing is computed here. All differences are in points
of the score sheet per deal, all intervals are 95 %, by a bootstrap over deals or matches (see ``intervals``). Figures
that cannot be told, such as an interval from a single deal, are NaN here and null in JSON.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from thousand_env.evaluation import report_text

Floats = npt.NDArray[np.float64]
Interval = tuple[float, float]

_FORMAT: Final = 1


@dataclass(frozen=True, eq=False)
class Report:
    """Agents compared on the same deals.

    With two agents ``mean`` is the average over all seatings of A's mean minus B's mean change of score per deal; with
    three, A's minus the mean of the two others'.
    """

    names: tuple[str, ...]
    mean: float
    interval: Interval
    deals: int
    differences: Floats
    """``[deals]``: what each deal adds to ``mean``, which is their average."""
    relative: tuple[float, ...]
    """Of each agent: its mean minus the mean of the other agents, as ``mean`` is for the first."""
    intervals: tuple[Interval, ...]
    """Of ``relative``."""
    scores: tuple[float, ...]
    """Mean change of score of each agent per deal and seat."""
    points: Mapping[str, Any]
    """The same in raw points: ``mean``, ``interval`` as above, and ``agents``: mean raw points of each."""
    by_role: Mapping[str, Any]
    """``declarer`` and ``defender``: ``difference`` and ``interval`` of A against the other agents in this role, and
    ``agents``: of each ``times``, ``share`` of its deals, ``mean`` change of score, ``points``, ``made`` (share)."""
    by_seat: Sequence[Mapping[str, Any]]
    """By place, clockwise from first hand (0) to the dealer: ``difference`` and ``interval`` of A in this place against
    the others in it, and ``agents``: mean change of score of each."""
    by_bid: Sequence[Mapping[str, Any]]
    """Of each ``agent`` and ``contract``: ``times`` it was played, ``made`` (share), ``mean`` change of score, and
    ``bid``, how often this level was named in auctions by the agent, or for it by the fixed one."""
    decisions: tuple[int, ...]
    """Of each agent, forced ones included."""
    seconds: tuple[float, ...]
    """Time that each agent took to decide."""
    facts: Mapping[str, Any]
    """Rules, seed, keywords, versions, machine, times."""
    control: Mapping[str, Any] | None = None
    """With a control variate: ``plain_mean``, ``plain_interval``, ``coefficients``, ``variance_left`` (a share)."""
    stopped: int | None = None
    """The signal that ended the run early, or None."""

    @property
    def decisions_per_second(self) -> tuple[float, ...]:
        """Of each agent."""
        return per_second(self.decisions, self.seconds)

    def to_dict(self) -> dict[str, Any]:
        """All of it, for JSON."""
        return _to_dict(self, "report")

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Report:
        """A report from ``to_dict``; ``ValueError`` for anything else."""
        fields = _fields(data, "report", cls)
        fields |= {name: _number(fields[name]) for name in ("mean",)}
        fields |= {name: tuple(map(_number, fields[name])) for name in ("relative", "scores", "seconds")}
        return cls(
            **{
                **fields,
                "names": tuple(fields["names"]),
                "interval": _interval(fields["interval"]),
                "differences": np.array(fields["differences"], np.float64),
                "intervals": tuple(map(_interval, fields["intervals"])),
                "decisions": tuple(fields["decisions"]),
            }
        )

    def text(self) -> str:
        """A table for a terminal."""
        return report_text.deals_text(self)

    def to_csv(self) -> str:
        """Rows of ``part, agent, item, quantity, value``."""
        return _csv(report_text.deals_rows(self))


@dataclass(frozen=True, eq=False)
class MatchReport:
    """Agents compared in matches to the target.

    ``mean`` is the share of matches that the first agent wins, over seatings in which every agent has each seat equally
    often, so that equal agents share alike: ``even`` is 1/2 for two and 1/3 for three, however many seats each has.
    """

    names: tuple[str, ...]
    mean: float
    interval: Interval
    even: float
    matches: int
    """Blocks: match seeds, each played in all its seatings."""
    games: int
    """Matches played."""
    differences: Floats
    """``[matches]``: the first agent's share of wins in each block, of which ``mean`` is the average."""
    shares: tuple[float, ...]
    """Of each agent as ``mean``; a match without a winner is shared."""
    intervals: tuple[Interval, ...]
    """Of ``shares``."""
    seat_shares: tuple[float, ...]
    """Of each agent: wins per match and seat that it sat at, against the plain ``1/players``."""
    score_difference: float
    """Final total of the first agent minus that of the others, mean per seat."""
    score_interval: Interval
    deals_per_match: float
    truncated: int
    """Matches cut off without a winner."""
    decisions: tuple[int, ...]
    seconds: tuple[float, ...]
    facts: Mapping[str, Any]
    control: Mapping[str, Any] | None = None
    stopped: int | None = None

    @property
    def decisions_per_second(self) -> tuple[float, ...]:
        """Of each agent."""
        return per_second(self.decisions, self.seconds)

    def to_dict(self) -> dict[str, Any]:
        """All of it, for JSON."""
        return _to_dict(self, "match report")

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> MatchReport:
        """A report from ``to_dict``; ``ValueError`` for anything else."""
        fields = _fields(data, "match report", cls)
        fields |= {name: _number(fields[name]) for name in ("mean", "score_difference", "deals_per_match")}
        fields |= {name: tuple(map(_number, fields[name])) for name in ("shares", "seat_shares", "seconds")}
        return cls(
            **{
                **fields,
                "names": tuple(fields["names"]),
                "interval": _interval(fields["interval"]),
                "differences": np.array(fields["differences"], np.float64),
                "intervals": tuple(map(_interval, fields["intervals"])),
                "score_interval": _interval(fields["score_interval"]),
                "decisions": tuple(fields["decisions"]),
            }
        )

    def text(self) -> str:
        """A table for a terminal."""
        return report_text.matches_text(self)

    def to_csv(self) -> str:
        """Rows of ``part, agent, item, quantity, value``."""
        return _csv(report_text.matches_rows(self))


@dataclass(frozen=True, eq=False)
class Table:
    """Everybody against everybody: for A agents float64 ``[A, A]`` in the order of ``names``."""

    names: tuple[str, ...]
    mean: Floats
    """Row's mean minus column's mean change of score per deal: antisymmetric, 0 on the diagonal."""
    low: Floats
    high: Floats
    differences: Mapping[tuple[int, int], Floats]
    """For i < j the difference of each deal (or match), whose average is ``mean[i, j]``: bootstrap clusters."""
    wins: Floats
    """Matches that row won against column, or deals in which it did better; a tie is half for each. Seats are balanced,
    so that half of ``games`` is even."""
    games: Floats
    kind: str
    """``"deals"`` or ``"matches"``: what ``wins`` counts."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    stopped: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """All of it, for JSON; ``differences`` as a list of ``[i, j, values]``."""
        differences = [[i, j, values] for (i, j), values in sorted(self.differences.items())]
        return _to_dict(self, "table") | {"differences": plain(differences)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Table:
        """A table from ``to_dict``; ``ValueError`` for anything else."""
        fields = _fields(data, "table", cls)
        differences = {(i, j): np.array(values, np.float64) for i, j, values in fields["differences"]}
        arrays = {name: np.array(fields[name], np.float64) for name in ("mean", "low", "high", "wins", "games")}
        return cls(**{**fields, **arrays, "names": tuple(fields["names"]), "differences": differences})

    def text(self) -> str:
        """A table for a terminal."""
        return report_text.table_text(self)

    def to_csv(self) -> str:
        """Rows of ``part, agent, item, quantity, value``: the agent is the row, the item the column."""
        return _csv(report_text.table_rows(self))


def per_second(decisions: Sequence[int], seconds: Sequence[float]) -> tuple[float, ...]:
    """Decisions a second of each agent; NaN for one that was never asked."""
    return tuple(count / spent if spent > 0 else math.nan for count, spent in zip(decisions, seconds, strict=True))


def plain(value: Any) -> Any:
    """A value as JSON has it: lists for tuples and arrays, null for what is not a number."""
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return value


def _to_dict(report: Any, what: str) -> dict[str, Any]:
    values = {name: getattr(report, name) for name in report.__dataclass_fields__ if name != "differences"}
    more = {} if isinstance(report, Table) else {"decisions_per_second": report.decisions_per_second}
    head = {"what": what, "format": _FORMAT}
    last = {} if isinstance(report, Table) else {"differences": plain(report.differences)}
    return head | {name: plain(value) for name, value in (values | more).items()} | last


def _fields(data: Mapping[str, Any], what: str, kind: Any) -> dict[str, Any]:
    if not isinstance(data, Mapping) or data.get("what") != what or data.get("format") != _FORMAT:
        raise ValueError(f"{data!s:.60} is no {what} of format {_FORMAT}: give what to_dict() returned")
    names = list(kind.__dataclass_fields__)
    missing = [name for name in names if name not in data]
    if missing:
        raise ValueError(f"the {what} lacks {', '.join(missing)}: give what to_dict() returned")
    return {name: data[name] for name in names}


def _number(value: Any) -> float:
    return math.nan if value is None else float(value)


def _interval(value: Sequence[Any]) -> Interval:
    low, high = value
    return _number(low), _number(high)


def _csv(rows: Sequence[Sequence[Any]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("part", "agent", "item", "quantity", "value"))
    writer.writerows(rows)
    return out.getvalue()
