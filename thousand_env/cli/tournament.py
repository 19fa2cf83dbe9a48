"""Compare any number of agents, every two of them: a cross table, ratings, and who beats whom in a circle.

Each pair plays the same deals, each with every way to seat the two. With --matches whole matches are played.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from thousand_env.cli.errors import CommandError
from thousand_env.cli.evaluation import AGENT_HELP, DEALS, add_common, draw, evaluated, keywords, one_line, print_report
from thousand_env.evaluation import cross_play


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``thousand tournament``."""
    parser.add_argument("agents", nargs="+", metavar="AGENT", help=f"two or more of them; {AGENT_HELP}")
    add_common(parser)
    parser.add_argument(
        "--picture", default=None, metavar="FILE", help="draw the cross table as a heat map (.png or .svg)"
    )


def run(options: argparse.Namespace) -> int:
    """Play and print; 130 if Ctrl-C stopped it, 143 if SIGTERM did."""
    if len(options.agents) < 2:
        raise CommandError("AGENT: one is not enough: name two or more")
    kind = "deals" if options.matches is None else "matches"
    table = evaluated(
        cross_play,
        options.agents,
        kind,
        deals=options.deals or DEALS,
        matches=options.matches or 1,
        sheets=options.sheets,
        **keywords(options, options.agents),
    )
    if options.picture is not None:
        draw("heat_map", table, Path(options.picture))
    rating: Any = importlib.import_module("thousand_env.evaluation.ratings")
    with one_line():
        ratings = rating.ratings(table, seed=table.facts["seed"])
    circles = rating.intransitive_triples(table)
    return print_report(
        table,
        options,
        text=f"{ratings.text()}\n\n{_circles(circles)}",
        json={"ratings": ratings.to_dict(), "circles": [dataclasses.asdict(each) for each in circles]},
    )


def _circles(circles: Sequence[Any]) -> str:
    """Who beats whom in a circle, which no rating can show."""
    if not circles:
        return "No three agents beat each other in a circle."
    return "\n".join(["Circles, which no rating can show:", *(each.text() for each in circles)])
