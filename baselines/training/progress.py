"""What a run shows while it trains: a live panel in a terminal that has rich, otherwise a line every few seconds."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from baselines.training.ladder import Standing

_LINE_EVERY: Final = 10.0
_SHOWN: Final = {
    "return": ("charts/episodic_return",),
    "entropy": ("losses/entropy",),
    "KL": ("losses/approx_kl", "losses/kl"),
    "policy loss": ("losses/policy_loss",),
    "value loss": ("losses/value_loss",),
}
_IN_A_LINE: Final = ("return", "entropy", "KL")


@dataclass(frozen=True)
class Status:
    """Where a run is. ``seconds_left`` is None where nothing ends the run but the user."""

    decisions: int
    decisions_per_second: float
    seconds: float
    seconds_left: float | None
    metrics: Mapping[str, float]
    standing: Standing | None

    def shown(self) -> dict[str, str]:
        """The metrics that are there, by short names."""
        found = {}
        for label, names in _SHOWN.items():
            value = next((self.metrics[name] for name in names if name in self.metrics), None)
            if value is not None:
                found[label] = f"{value:.4g}"
        return found

    def against(self) -> str:
        """``-3.1 points a deal, 41 % of matches won``, or nothing before the first check."""
        if self.standing is None:
            return ""
        won = "" if self.standing.wins is None else f", {100 * self.standing.wins.mean:.0f} % of matches won"
        return f"{self.standing.points.mean:+.1f} points a deal{won}"


class Progress(Protocol):
    """Shows where a run is."""

    def update(self, status: Status) -> None:
        """Show it, at once or with the next line that is due."""

    def note(self, text: str) -> None:
        """Say something that stays."""

    def close(self) -> None:
        """End the display; what comes then is plain output."""


class Lines:
    """One line every ten seconds, and all notes, on standard output."""

    def __init__(self) -> None:
        self._said = float("-inf")

    def update(self, status: Status) -> None:
        now = time.monotonic()
        if now - self._said < _LINE_EVERY:
            return
        self._said = now
        shown = status.shown()
        parts = [f"{status.decisions:,} decisions", f"{status.decisions_per_second:,.0f}/s"]
        parts += [f"{label} {shown[label]}" for label in _IN_A_LINE if label in shown]
        if status.standing is not None:
            parts.append(f"against {status.standing.opponent} {status.against()}")
        if status.seconds_left is not None:
            parts.append(f"{duration(status.seconds_left)} left")
        say("  ".join(parts))

    def note(self, text: str) -> None:
        say(text)

    def close(self) -> None:
        """Nothing to end."""


class Quiet:
    """Shows nothing: all processes but the first."""

    def update(self, status: Status) -> None:
        """Nothing."""

    def note(self, text: str) -> None:
        """Nothing."""

    def close(self) -> None:
        """Nothing."""


class Panel:
    """A panel of figures that is drawn anew in place. Needs rich."""

    def __init__(self, title: str) -> None:
        from rich.console import Console
        from rich.live import Live

        self._title: Final = title
        self._live: Final[Any] = Live(console=Console(highlight=False), refresh_per_second=4)
        self._live.start()

    def update(self, status: Status) -> None:
        from rich import box
        from rich.panel import Panel as Frame
        from rich.table import Table

        rows = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
        rows.add_row("decisions", f"{status.decisions:,}  ({status.decisions_per_second:,.0f} a second)")
        for label, text in status.shown().items():
            rows.add_row(label, text)
        if status.standing is not None:
            rows.add_row(f"against {status.standing.opponent}", status.against())
        rows.add_row("time", duration(status.seconds))
        left = "Ctrl-C ends the run" if status.seconds_left is None else duration(status.seconds_left)
        rows.add_row("left", left)
        self._live.update(Frame(rows, title=self._title, title_align="left", box=box.ROUNDED, expand=False))

    def note(self, text: str) -> None:
        self._live.console.print(text, markup=False)

    def close(self) -> None:
        self._live.stop()


def progress_for(title: str, plain: bool) -> Progress:
    """A panel where somebody watches, else lines."""
    watched = sys.stdout.isatty() and os.environ.get("TERM") != "dumb" and not plain
    if watched:
        try:
            return Panel(title)
        except ImportError:
            return Lines()
    return Lines()


def say(text: str = "") -> None:
    """Print a line. Where nobody reads any more, as after ``| head``, this and all that follows is dropped: a training
    does not end because its listener has gone."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def duration(seconds: float) -> str:
    """``2 h 05 min``, ``3 min 20 s`` or ``45 s``."""
    whole = max(0, round(seconds))
    hours, minutes = whole // 3600, whole // 60 % 60
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {whole % 60:02} s" if minutes else f"{whole} s"
