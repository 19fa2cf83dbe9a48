"""Reports laid out: lines for a terminal, rows for CSV. Nothing is computed here but shares and signs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from thousand_env.evaluation.report import MatchReport, Report, Table

Rows = list[tuple[str, str, str, str, Any]]


def deals_text(report: Report) -> str:
    """A report of deals."""
    first, rest = report.names[0], " and ".join(report.names[1:])
    lines = [
        f"{first} against {rest}: {signed(report.mean)} points a deal, 95 % {between(report.interval)}, "
        f"{report.deals:,} deal{'' if report.deals == 1 else 's'}",
        f"in raw points {signed(report.points['mean'])}, {between(report.points['interval'])}",
    ]
    if report.control is not None:
        control = report.control
        plain = f"without it {signed(control['plain_mean'])}, {between(control['plain_interval'])}"
        lines.append(f"control variate: {share(control['variance_left'])} of the variance left; {plain}")
    lines += ["", *_role_lines(report), "", *_seat_lines(report), "", *_bid_lines(report), "", *_agent_lines(report)]
    return "\n".join([*lines, "", *fact_lines(report.facts), *_stop_lines(report)])


def _role_lines(report: Report) -> list[str]:
    rows = [["role", "agent", "deals", "share", "a deal", "points", "made"]]
    for role, figures in report.by_role.items():
        for name, each in figures["agents"].items():
            made = share(each["made"]) if each.get("made") is not None else ""
            rows.append([role, name, f"{each['times']:,}", share(each["share"]), signed(each["mean"]),
                         number(each["points"]), made])  # fmt: skip
        rows.append(["", "difference", "", "", signed(figures["difference"]), "", ""])
        rows[-1].append(between(figures["interval"]))
    return columns(rows)


def _seat_lines(report: Report) -> list[str]:
    rows = [["place", *report.names, "difference"]]
    for each in report.by_seat:
        means = [signed(each["agents"][name]) for name in report.names]
        rows.append([each["name"], *means, signed(each["difference"]), between(each["interval"])])
    return columns(rows)


def _bid_lines(report: Report) -> list[str]:
    """Contracts by agent: the lowest by itself, the others four levels to a line."""
    levels = sorted({each["contract"] for each in report.by_bid})
    groups = [levels[:1], *(levels[place : place + 4] for place in range(1, len(levels), 4))]
    rows = [["contract", "agent", "bid", "played", "made", "a deal"]]
    for group in filter(None, groups):
        for name in report.names:
            found = [each for each in report.by_bid if each["agent"] == name and each["contract"] in group]
            times = sum(each["times"] for each in found)
            row = [f"{group[0]} to {group[-1]}" if len(group) > 1 else f"{group[0]}", name]
            row += [f"{sum(each['bid'] for each in found):,}", f"{times:,}"]
            row += (
                [share(_average(found, "made", times)), signed(_average(found, "mean", times))] if times else ["", ""]
            )
            rows.append(row)
    return columns(rows)


def _average(found: Sequence[Mapping[str, Any]], quantity: str, times: int) -> float:
    total = sum(each[quantity] * each["times"] for each in found if each["times"])
    return float(total) / times


def _agent_lines(report: Report | MatchReport) -> list[str]:
    rows = [["agent", "decisions", "a second"]]
    for name, count, speed in zip(report.names, report.decisions, report.decisions_per_second, strict=True):
        rows.append([name, f"{count:,}", "" if math.isnan(speed) else f"{speed:,.0f}"])
    return columns(rows)


def matches_text(report: MatchReport) -> str:
    """A report of matches."""
    players = report.facts.get("players", 0)
    lines = [
        f"{report.names[0]} wins {share(report.mean)} of the matches, 95 % {between(report.interval, 100)} %, "
        f"where {share(report.even)} is even; {report.games:,} matches of {report.matches:,} seeds",
        f"final score against the others {signed(report.score_difference)}, {between(report.score_interval)}",
        f"{report.deals_per_match:.1f} deals a match; {report.truncated:,} cut off without a winner",
        "",
    ]
    rows = [["agent", "wins", "95 %", f"a seat (fair {share(1 / players) if players else '1/n'})"]]
    for name, won, interval, seat in zip(
        report.names, report.shares, report.intervals, report.seat_shares, strict=True
    ):
        rows.append([name, share(won), between(interval, 100), share(seat)])
    lines += [*columns(rows), "", *_agent_lines(report)]
    return "\n".join([*lines, "", *fact_lines(report.facts), *_stop_lines(report)])


def table_text(table: Table) -> str:
    """A cross table: differences with half of their interval, and shares of wins."""
    order = sorted(range(len(table.names)), key=lambda i: -float(table.mean[i].sum()))
    head = [str(place + 1) for place in range(len(order))]
    rows = [["points a deal, row against column", *head, "mean"]]
    others = max(len(order) - 1, 1)
    for place, i in enumerate(order):
        cells = [
            "" if i == j else f"{signed(table.mean[i, j])} ±{(table.high[i, j] - table.low[i, j]) / 2:.1f}"
            for j in order
        ]
        rows.append([f"{place + 1} {table.names[i]}", *cells, signed(float(table.mean[i].sum()) / others)])
    what = "matches won" if table.kind == "matches" else "deals won"
    wins = [[f"{what}, row against column", *head]]
    for place, i in enumerate(order):
        cells = ["" if i == j else share(_ratio(table.wins[i, j], table.games[i, j])) for j in order]
        wins.append([f"{place + 1} {table.names[i]}", *cells])
    return "\n".join([*columns(rows), "", *columns(wins), "", *fact_lines(table.facts), *_stop_lines(table)])


def _stop_lines(report: Report | MatchReport | Table) -> list[str]:
    file, failure = report.facts.get("file"), report.facts.get("write_error")
    if failure:
        return [f"Stopped early, {file!r} could not be written ({failure}): make room and run it again to go on."]
    if report.stopped is None:
        return []
    how = f"run it again with file {file!r} to go on" if file else "nothing was kept: name a file to go on another time"
    return [f"Stopped early by signal {report.stopped}: {how}."]


def fact_lines(facts: Mapping[str, Any]) -> list[str]:
    """What a result rests on, in a few lines."""
    changes = facts.get("rules_changes") or {}
    rules = ", ".join(f"{name}={value!r}" for name, value in changes.items()) or "the default rules"
    keywords = {name: facts[name] for name in ("phase", "seatings", "sheets") if name in facts}
    told = ", ".join(f"{name} {value}" for name, value in keywords.items())
    versions = ", ".join(f"{name} {version}" for name, version in facts.get("versions", {}).items())
    lines = [f"{rules}; seed {facts.get('seed')}{'; ' + told if told else ''}", f"{facts.get('machine')}; {versions}"]
    if "wall_seconds" in facts:
        speed = facts.get("decisions_per_second") or 0.0
        lines.append(
            f"{facts['wall_seconds']:,.1f} s, {facts.get('workers')} worker{'' if facts.get('workers') == 1 else 's'}; "
            f"{facts.get('decisions', 0):,} decisions, {speed:,.0f} a second"
        )
    return lines


def deals_rows(report: Report) -> Rows:
    """A report of deals as rows."""
    first = report.names[0]
    rows: Rows = [("total", first, "", name, value) for name, value in (
        ("mean", report.mean), ("low", report.interval[0]), ("high", report.interval[1]), ("deals", report.deals),
        ("points", report.points["mean"]),
    )]  # fmt: skip
    for place, name in enumerate(report.names):
        quantities = {
            "relative": report.relative[place],
            "low": report.intervals[place][0],
            "high": report.intervals[place][1],
            "score": report.scores[place],
            "points": report.points["agents"][name],
        }
        rows += [("agent", name, "", quantity, value) for quantity, value in quantities.items()]
    rows += _speed_rows(report)
    for role, figures in report.by_role.items():
        rows += _difference_rows("role", first, role, figures)
        for name, each in figures["agents"].items():
            rows += [("role", name, role, quantity, value) for quantity, value in each.items() if value is not None]
    for each in report.by_seat:
        rows += _difference_rows("seat", first, str(each["place"]), each)
        rows += [("seat", name, str(each["place"]), "mean", value) for name, value in each["agents"].items()]
    for each in report.by_bid:
        rows += [
            ("bid", each["agent"], str(each["contract"]), name, each[name]) for name in ("bid", "times", "made", "mean")
        ]
    return rows + _fact_rows(report.facts)


def matches_rows(report: MatchReport) -> Rows:
    """A report of matches as rows."""
    totals = {
        "mean": report.mean,
        "low": report.interval[0],
        "high": report.interval[1],
        "even": report.even,
        "matches": report.matches,
        "games": report.games,
        "score_difference": report.score_difference,
        "deals_per_match": report.deals_per_match,
        "truncated": report.truncated,
    }
    rows: Rows = [("total", report.names[0], "", name, value) for name, value in totals.items()]
    for place, name in enumerate(report.names):
        low, high = report.intervals[place]
        figures = {"share": report.shares[place], "low": low, "high": high, "seat_share": report.seat_shares[place]}
        rows += [("agent", name, "", quantity, value) for quantity, value in figures.items()]
    return rows + _speed_rows(report) + _fact_rows(report.facts)


def table_rows(table: Table) -> Rows:
    """A cross table as rows."""
    arrays = {"mean": table.mean, "low": table.low, "high": table.high, "wins": table.wins, "games": table.games}
    rows: Rows = []
    for i, row in enumerate(table.names):
        for j, column in enumerate(table.names):
            if i != j:
                rows += [("pair", row, column, name, float(array[i, j])) for name, array in arrays.items()]
    return rows + _fact_rows(table.facts)


def _difference_rows(part: str, agent: str, item: str, figures: Mapping[str, Any]) -> Rows:
    low, high = figures["interval"]
    quantities = {"difference": figures["difference"], "difference_low": low, "difference_high": high}
    return [(part, agent, item, name, value) for name, value in quantities.items()]


def _speed_rows(report: Report | MatchReport) -> Rows:
    rows: Rows = []
    for name, count, spent in zip(report.names, report.decisions, report.seconds, strict=True):
        rows += [("agent", name, "", "decisions", count), ("agent", name, "", "seconds", spent)]
    return rows


def _fact_rows(facts: Mapping[str, Any]) -> Rows:
    rows: Rows = []
    for name, value in facts.items():
        if isinstance(value, Mapping):
            rows += [("fact", "", name, str(key), each) for key, each in value.items()]
        else:
            rows.append(("fact", "", "", name, value))
    return rows


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of texts as lines: the first column to the left, the others to the right; a longer row adds its last."""
    width = min(map(len, rows))
    sizes = [max(len(row[place]) for row in rows) for place in range(width)]
    lines = []
    for row in rows:
        cells = [row[0].ljust(sizes[0])]
        cells += [
            text.ljust(size) if place == 1 and _is_label(rows, 1) else text.rjust(size)
            for place, (text, size) in enumerate(zip(row[1:width], sizes[1:], strict=True), 1)
        ]
        lines.append("  ".join([*cells, *row[width:]]).rstrip())
    return lines


def _is_label(rows: Sequence[Sequence[str]], place: int) -> bool:
    return rows[0][place] == "agent"


def signed(value: float | None) -> str:
    """``+12.3``."""
    return "?" if value is None or math.isnan(value) else f"{value + 0.0:+.1f}"


def number(value: float | None) -> str:
    """``12.3``."""
    return "?" if value is None or math.isnan(value) else f"{value:.1f}"


def share(value: float | None) -> str:
    """``12.3 %``."""
    return "?" if value is None or math.isnan(value) else f"{100 * value:.1f} %"


def between(interval: Sequence[float | None], scale: float = 1.0) -> str:
    """``(10.1 to 14.5)``."""
    low, high = interval
    if low is None or high is None or math.isnan(low) or math.isnan(high):
        return "(unknown)"
    return f"({low * scale + 0.0:.1f} to {high * scale + 0.0:.1f})"


def _ratio(one: float, other: float) -> float:
    return one / other if other else math.nan
