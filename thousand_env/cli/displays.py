"""Which display a match gets: live in a terminal, otherwise the log. ``NO_COLOR`` takes the colours alone."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Final

from thousand_env.cli.errors import MissingExtraError
from thousand_env.cli.log import Log
from thousand_env.cli.show import Display, Show
from thousand_env.render.output import writes_suits
from thousand_env.render.paint import Paint

TERMINAL_SPEED: Final = 12.0
"""Actions a second in a terminal, if nothing else is asked for: a match to 1000 takes a minute or two."""


def make_show(
    options: argparse.Namespace, title: str, names: tuple[str, ...], seat: int | None
) -> tuple[Show, Display]:
    """The live display in a terminal that can have it, otherwise the log."""
    terminal = sys.stdout.isatty()
    live = terminal and not options.plain and os.environ.get("TERM") not in ("dumb", "unknown")
    colour = live and not os.environ.get("NO_COLOR")
    paint = Paint(color=colour, unicode=not options.ascii and writes_suits(), names=names)
    speed = options.speed if options.speed is not None else TERMINAL_SPEED if terminal else 0.0
    show = Show(title, paint, seat, speed)
    if not live:
        return show, Log(show)
    try:
        from thousand_env.cli.live import LiveDisplay
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "rich":
            raise
        raise MissingExtraError("rich", "cli", "or add --plain for a log") from None
    return show, LiveDisplay(show)
