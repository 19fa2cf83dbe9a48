"""Compare two or three agents on the same deals: who is better, by how many points a deal, and how sure that is.

Every deal is played with every way to seat the agents, so that luck with the cards and with the seats cancels. The 95 %
interval says how sure the difference is: where it does not include 0, one agent is better. The rest tells where it
comes from: as declarer or as defender, at which seat, at which contracts. With --matches whole matches are played, and
the share of wins is what counts.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from thousand_env.cli.arguments import parse_count, parse_number
from thousand_env.cli.errors import CommandError
from thousand_env.cli.evaluation import (
    AGENT_HELP,
    DEALS,
    add_common,
    draw,
    evaluated,
    keywords,
    parse_width,
    print_report,
)
from thousand_env.evaluation import duplicate, matches


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``thousand evaluate``."""
    parser.add_argument("agents", nargs="+", metavar="AGENT", help=f"two or three of them; {AGENT_HELP}")
    add_common(parser)
    parser.add_argument(
        "--half-width",
        type=parse_width,
        default=None,
        metavar="W",
        help="go on until the interval is +-W points a deal (with --matches: share of wins, such as 0.02)",
    )
    parser.add_argument(
        "--most", type=parse_count, default=None, metavar="N", help="with --half-width: no more deals or matches than N"
    )
    parser.add_argument(
        "--only",
        type=parse_number,
        default=None,
        metavar="I",
        help="play deal or match I alone, to see again what an error told of",
    )
    parser.add_argument(
        "--picture",
        default=None,
        metavar="FILE",
        help="draw how often contracts are made (.png or .svg); with --matches not",
    )


def run(options: argparse.Namespace) -> int:
    """Evaluate and print; 130 if Ctrl-C stopped it, 143 if SIGTERM did."""
    if len(options.agents) not in (2, 3):
        raise CommandError(f"AGENT: {len(options.agents)} of them are not accepted: name two or three")
    if options.picture is not None and options.matches is not None:
        raise CommandError("--picture does not go with --matches: it shows the contracts of deals")
    if options.most is not None and options.half_width is None:
        raise CommandError("--most does not go without --half-width: use --deals or --matches")
    common = keywords(options, options.agents) | {"half_width": options.half_width, "only": options.only}
    if options.matches is not None:
        report = evaluated(matches, *options.agents, matches=options.matches, most_matches=options.most, **common)
        return print_report(report, options)
    deals = options.deals or DEALS
    report = evaluated(
        duplicate, *options.agents, deals=deals, most_deals=options.most, sheets=options.sheets, **common
    )
    if options.picture is not None:
        draw("bid_calibration", report, Path(options.picture))
    return print_report(report, options)
