"""The score sheet as text: a line a deal, the totals, barrel and bolts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from thousand_env.position import Position
from thousand_env.render.paint import Paint, left, right
from thousand_env.render.steps import DealResult
from thousand_env.rules import Rules

_LABEL: Final = 15
_COLUMN: Final = 7
_PLAYER: Final = 16
_NUMBER: Final = 6


def sheet_width(players: int) -> int:
    """Columns that the score sheet takes."""
    return _LABEL + _COLUMN * players


def standing_lines(position: Position, paint: Paint) -> list[str]:
    """The totals now, with the barrel and the bolts where the rules have them."""
    return [_names(position.rules.players, paint), *total_lines(position, paint)]


def sheet_lines(results: Sequence[DealResult], position: Position, paint: Paint, rows: int | None = None) -> list[str]:
    """The whole sheet, or as many of the last deals as fit in so many lines."""
    tail = total_lines(position, paint)
    room = len(results) if rows is None else max(rows - 1 - len(tail), 0)
    shown = results[len(results) - room :] if room < len(results) else results
    return [_names(position.rules.players, paint), *(result_line(result, paint) for result in shown), *tail]


def result_line(result: DealResult, paint: Paint) -> str:
    """A deal: its number, the contract, made or not, and what each seat wrote."""
    marks = {"made": ("✓", "+"), "failed": ("✗", "x"), "conceded": ("⚑", "c")}
    mark = paint.symbol(*marks[result.outcome])
    mark = paint.good(mark) if result.outcome == "made" else paint.bad(mark)
    label = f"{result.number + 1:>3}  P{result.declarer} {result.contract:>3} {mark}  "
    return label + "".join(right(paint.signed(change), _COLUMN) for change in result.change)


def total_lines(position: Position, paint: Paint) -> list[str]:
    """Totals, barrel attempts, bolts or the lock."""
    rules, scores = position.rules, position.scores
    best = max(scores)
    totals = [paint.bold(str(score)) if score == best and any(scores) else str(score) for score in scores]
    lines = [_line("total", totals, paint.bold)]
    if rules.barrel:
        lines.append(_line("barrel", [barrel_text(used, rules, paint) for used in position.barrel], paint.dim))
    if rules.lock_at is not None:
        locked = [paint.bad("locked") if score >= rules.lock_at else _none(paint) for score in scores]
        lines.append(_line("lock", locked, paint.dim))
    if rules.bolt_mode != "off":
        lines.append(_line("bolts", [bolt_text(bolts, rules, paint) for bolts in position.bolts], paint.dim))
    return lines


def deal_block(result: DealResult, position: Position, paint: Paint) -> list[str]:
    """A finished deal and the sheet after it: tricks, points, what was written, totals, barrel and bolts."""
    rows = [
        _names(position.rules.players, paint),
        _line("tricks", [str(tricks) for tricks in result.tricks], paint.dim),
        _line("points", [str(points) for points in result.points], paint.dim),
        _line("written", [paint.signed(change) for change in result.change], paint.dim),
    ]
    return rows + total_lines(position, paint)


def summary_lines(results: Sequence[DealResult], position: Position, paint: Paint) -> list[str]:
    """The match in one line a player, the best total first."""
    titles = ("total", "contracts", "made", "tricks", "marriage pts", "bolts")
    widths = [max(len(title), _NUMBER) + 2 for title in titles]
    lines = [paint.dim("  " + " " * _PLAYER + _columns(titles, widths))]
    order = sorted(range(position.rules.players), key=lambda seat: (seat != position.winner, -position.scores[seat]))
    for seat in order:
        own = [result for result in results if result.declarer == seat]
        bolts = sum(result.bolts[seat] > result.bolts_before[seat] or result.fined[seat] for result in results)
        numbers = (
            position.scores[seat],
            len(own),
            sum(result.outcome == "made" for result in own),
            sum(result.tricks[seat] for result in results),
            sum(result.bonuses[seat] for result in results),
            bolts,
        )
        mark = paint.accent(paint.symbol("★ ", "* ")) if seat == position.winner else "  "
        name = left(paint.player(seat, _PLAYER - 1), _PLAYER)
        lines.append(mark + name + _columns(numbers, widths))
    return lines


def _columns(values: Sequence[object], widths: Sequence[int]) -> str:
    return "".join(f"{value!s:>{columns}}" for value, columns in zip(values, widths, strict=True))


def barrel_text(used: int | None, rules: Rules, paint: Paint) -> str:
    """Attempts used of those there are, such as ``1 of 3``."""
    if used is None:
        return _none(paint)
    return paint.accent(f"{used} used" if rules.barrel_attempts is None else f"{used} of {rules.barrel_attempts}")


def bolt_text(bolts: int, rules: Rules, paint: Paint) -> str:
    """Bolts counted of those that are fined, such as ``1 of 3``."""
    return paint.bad(f"{bolts} of {rules.bolt_limit}") if bolts else _none(paint)


def _none(paint: Paint) -> str:
    return paint.dim(paint.symbol("–", "-"))


def _names(players: int, paint: Paint) -> str:
    return _line("", [paint.seat(seat) for seat in range(players)], paint.dim)


def _line(label: str, values: Sequence[str], style: Callable[[str], str]) -> str:
    return "  " + style(label) + " " * (_LABEL - 2 - len(label)) + "".join(right(value, _COLUMN) for value in values)
