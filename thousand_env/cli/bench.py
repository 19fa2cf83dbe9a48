"""Measure the speed of this machine: one benchmark by name, as the median, least and most of several runs."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from collections.abc import Mapping
from typing import Any, Final

from thousand_env.cli.arguments import add_seed
from thousand_env.cli.errors import CommandError, did_you_mean

_DURATION: Final = "5 to 30 seconds, longer when the engine has to be compiled first"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``thousand bench``."""
    parser.add_argument("name", metavar="NAME", help="what to measure, such as engine")
    add_seed(parser, "seed of the games that are played (default: 0)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(options: argparse.Namespace) -> int:
    """Run a benchmark and print its figures."""
    bench = importlib.import_module("thousand_env.bench")
    if options.name not in bench.BENCHMARKS:
        hint = did_you_mean(options.name, bench.BENCHMARKS)
        known = ", ".join(bench.BENCHMARKS)
        raise CommandError(f"benchmark {options.name!r} does not exist: {hint}choose one of {known}")
    seed = 0 if options.seed is None else options.seed
    if not sys.stderr.isatty():
        print(f"measuring {options.name}: {_DURATION}", file=sys.stderr, flush=True)
    try:
        report: Mapping[str, Any] = bench.run(options.name, seed=seed, progress=_say)
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
    return 0


def _say(what: str) -> None:
    """What is being measured, in a line that the next one replaces, where somebody is watching."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{what}", end="", file=sys.stderr, flush=True)


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
