"""Measure the speed of this machine: one benchmark by name, as the median, least and most of several runs."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from collections.abc import Mapping
from typing import Any, Final

from thousand_env.cli.arguments import add_seed
from thousand_env.cli.errors import CommandError, MissingExtraError, did_you_mean
from thousand_env.cli.train import EXTRA, OF_THE_EXTRA

_DURATION: Final = (
    "a few seconds, with vector half a minute, with ppo two minutes, longer when the engine has to be compiled first"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``thousand bench``."""
    parser.add_argument(
        "name",
        metavar="NAME",
        help="what to measure: engine (random play in compiled code, Game, sampling), aec (PettingZoo's loop), vector "
        "(VectorEnv on one and two threads), observation (encode and its like), agents (the simple agents), evaluation "
        "(what it costs beside its agents), solver (exact play, gifts), pimc (what its decisions cost), ppo (training "
        "and learned agents in batches; needs the extra train), or what another package has added",
    )
    add_seed(parser, "seed of the games that are played (default: 0)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--rivals",
        action="store_true",
        help="with aec or vector: other environments side by side, whichever are installed, and the ratios",
    )


def run(options: argparse.Namespace) -> int:
    """Run a benchmark and print its figures."""
    bench = importlib.import_module("thousand_env.bench")
    benchmarks = list(bench.RIVALS) if options.rivals else bench.available()
    if options.name not in benchmarks:
        if options.name in bench.available():
            raise CommandError(f"--rivals does not go with {options.name!r}: choose one of {', '.join(benchmarks)}")
        hint = did_you_mean(options.name, benchmarks)
        known = ", ".join(benchmarks)
        raise CommandError(f"benchmark {options.name!r} does not exist: {hint}choose one of {known}")
    seed = 0 if options.seed is None else options.seed
    if not sys.stderr.isatty():
        print(f"measuring {options.name}: {_DURATION}", file=sys.stderr, flush=True)
    try:
        report: Mapping[str, Any] = bench.run(options.name, seed=seed, progress=_say, with_rivals=options.rivals)
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in OF_THE_EXTRA:
            raise
        raise MissingExtraError(missing, EXTRA) from None
    finally:
        _say("")
    if options.json:
        print(json.dumps(report, indent=2))
        return 0
    print(f"{report['name']}: {report['machine']}")
    width = max((len(name) for name in report["metrics"]), default=0)
    for name, metric in report["metrics"].items():
        least, median, most = (_number(metric[which]) for which in ("min", "median", "max"))
        print(f"  {name:{width}}  {median:>12} {metric['unit']}   ({least} to {most})")
    if report.get("not_installed"):
        print(f"  not installed: {', '.join(report['not_installed'])}")
    return 0


def _say(what: str) -> None:
    """What is being measured, in a line that the next one replaces, where somebody is watching."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{what}", end="", file=sys.stderr, flush=True)


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
