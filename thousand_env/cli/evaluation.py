"""What ``evaluate`` and ``tournament`` have in common: arguments, agents, progress, outputs, and errors in one line."""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import sys
from argparse import ArgumentTypeError
from collections.abc import Callable, Iterator, Mapping, Sequence
from json import dumps
from pathlib import Path
from typing import Any

from thousand_env.agents import names_a_class, parse_text
from thousand_env.cli.arguments import (
    NamedRules,
    add_rules,
    add_seed,
    agent_names,
    parse_count,
    search_here,
)
from thousand_env.cli.errors import CommandError, MissingExtraError
from thousand_env.cli.warm import compile_engine
from thousand_env.evaluation import AgentError, MatchReport, Report, RunFileError, Table, WorkerError, pictures
from thousand_env.evaluation.cast import FIXED_AGENT
from thousand_env.evaluation.playing import PHASES
from thousand_env.evaluation.running import Lines, Progress
from thousand_env.evaluation.schedule import SEATINGS
from thousand_env.evaluation.sheets import SHEETS

DEALS = 500
AGENT_HELP = (
    f"an agent: its name ({agent_names()}), the file of a trained one (*.safetensors), either with options as "
    "name,key=value, or your own as module:Class, which is looked for in the current folder too"
)


def add_common(parser: argparse.ArgumentParser) -> None:
    """All but the agents."""
    how_many = parser.add_mutually_exclusive_group()
    how_many.add_argument(
        "--deals", type=parse_count, metavar="N", help=f"deals to play, each in all seatings (default: {DEALS})"
    )
    how_many.add_argument(
        "--matches", type=parse_count, metavar="N", help="play whole matches instead: so many, each in all seatings"
    )
    add_rules(parser)
    add_seed(parser, "cards, seats and agents follow from it: the same seed gives the same result (default: 0)")
    parser.add_argument(
        "--phase",
        choices=PHASES,
        default="full",
        help="what is compared: everything; play: the cards alone, after an auction and gifts by the fixed agent; "
        "auction: auction and gifts, before card play by the fixed agent (default: full)",
    )
    parser.add_argument(
        "--fixed",
        default=FIXED_AGENT,
        metavar="AGENT",
        help=f"who bids or plays the cards for everybody with --phase, and plays the matches of --sheets match "
        f"(default: {FIXED_AGENT})",
    )
    parser.add_argument(
        "--seatings",
        choices=SEATINGS,
        default="all",
        help="all seatings of each deal, or one drawn at random: for agents that take long (default: all)",
    )
    parser.add_argument(
        "--sheets",
        choices=SHEETS,
        default="zero",
        help="deals begin with an empty score sheet, or with one as it occurs in matches, barrel and bolts included "
        "(default: zero)",
    )
    parser.add_argument(
        "--control",
        choices=("solver",),
        default=None,
        help="take out what luck with the cards explains, by their value with open cards: for --seatings one and "
        "--matches",
    )
    parser.add_argument(
        "--workers", type=parse_count, metavar="N", help="processes (default: one a core, or all of the cluster)"
    )
    parser.add_argument(
        "--ray", action="store_true", help="spread the work over a Ray cluster, started here if none is"
    )
    parser.add_argument(
        "--file",
        default=None,
        metavar="FILE",
        help="keep what is done (JSON lines); the same command goes on there after Ctrl-C, and with more --deals",
    )
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--json", action="store_true", help="print one JSON object")
    output.add_argument("--csv", action="store_true", help="print rows of part, agent, item, quantity, value")


def parse_width(text: str) -> float:
    """Half of an interval."""
    try:
        width = float(text)
    except ValueError:
        width = 0.0
    if not 0 < width < float("inf"):
        raise ArgumentTypeError(f"{text!r} is no half width: use a number above 0, such as 2")
    return width


def parse_picture(text: str) -> Path:
    """A file that a picture can be written to, as far as can be told before there is one."""
    path = Path(text)
    if path.suffix.lower() not in (".png", ".svg"):
        raise ArgumentTypeError(f"{text!r} is no picture: use a name that ends in .png or .svg")
    if not path.parent.is_dir():
        raise ArgumentTypeError(f"{text!r} cannot be written: there is no folder {str(path.parent)!r}")
    return path


def need_extra(module: str, otherwise: str = "") -> None:
    """Say before anything is played that what shows the result is not installed."""
    if importlib.util.find_spec(module) is None:
        raise MissingExtraError(module, "eval", otherwise)


def keywords(options: argparse.Namespace, agents: Sequence[str]) -> dict[str, Any]:
    """The keywords of the evaluation that the arguments stand for."""
    if options.picture is not None:
        need_extra("matplotlib", "or leave --picture out")
    if options.matches is not None and options.sheets != "zero":
        raise CommandError("--sheets does not go with --matches: matches begin with an empty sheet")
    for text in [*agents, options.fixed]:
        with one_line():
            name, _ = parse_text(text)
        if names_a_class(name):
            search_here()
    compile_engine()
    named: NamedRules = options.rules
    return {
        "rules": named.rules,
        "seed": 0 if options.seed is None else options.seed,
        "phase": options.phase,
        "fixed": options.fixed,
        "seatings": options.seatings,
        "control": options.control,
        "workers": options.workers,
        "executor": "ray" if options.ray else "processes",
        "file": options.file,
    }


def evaluated(play: Callable[..., Any], *given: Any, **more: Any) -> Any:
    """What an evaluation gives, with progress shown where somebody is watching.

    What agents print meanwhile goes to standard error, in workers too: standard output is for the result.
    """
    with one_line(), contextlib.redirect_stdout(sys.stderr), _bar() as progress:
        return play(*given, progress=progress, **more)


@contextlib.contextmanager
def one_line(where: str = "") -> Iterator[None]:
    """What a user can have done wrong becomes the error of a command."""
    try:
        yield
    except (ValueError, TypeError, ImportError, AgentError, RunFileError, WorkerError) as error:
        raise CommandError(f"{where}{error}") from error
    except OSError as error:
        if not error.filename:
            raise
        raise CommandError(f"{str(error.filename)!r} cannot be used ({error.strerror}): use another file") from None


@contextlib.contextmanager
def _bar() -> Iterator[Progress]:
    """A bar in a terminal that has rich; lines in one that has not; nothing in a pipe."""
    if not sys.stderr.isatty():
        yield lambda done, wanted: None
        return
    try:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar
    except ModuleNotFoundError:
        yield Lines()
        return
    columns = (
        TextColumn("playing"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("playing", total=None)
        yield lambda done, wanted: bar.update(task, completed=done, total=wanted)


def print_report(
    report: Report | MatchReport | Table,
    options: argparse.Namespace,
    text: str = "",
    json: Mapping[str, Any] | None = None,
) -> int:
    """Print a result as asked for, with more text or more of JSON.

    The exit code: 0, that of a process ended by the signal that stopped it, or 1 if its file could not be written to.
    """
    if options.csv:
        print(report.to_csv(), end="")
    elif options.json:
        print(dumps(report.to_dict() | dict(json or {}), ensure_ascii=False))
    else:
        print(report.text())
        if text:
            print(f"\n{text}")
    if report.facts.get("write_error"):
        return 1
    return 0 if report.stopped is None else 128 + report.stopped


def draw(what: str, *given: Any) -> None:
    """A picture by its name in ``thousand_env.evaluation.pictures``."""
    with one_line("--picture: "):
        getattr(pictures, what)(*given)
