"""Write a data set of decisions for imitation and offline learning: one row for each, forced ones too.

A row has the observation, the mask of legal actions, the action, whose it was, and what that seat earned for the deal
and until the end of the episode. The folder has shards of NumPy arrays that are read without loading them, with
thousand_env.datasets.Dataset, as NumPy or torch. Agents that can act in batches play thousands of decisions at once.
"""

from __future__ import annotations

import argparse
import json
import sys
from argparse import ArgumentTypeError
from pathlib import Path

from thousand_env.agents import names_a_class, parse_text
from thousand_env.cli.arguments import add_rules, add_seed, parse_count, search_here
from thousand_env.cli.evaluation import AGENT_HELP, evaluated, one_line
from thousand_env.cli.warm import compile_engine
from thousand_env.datasets import Dataset, generate
from thousand_env.datasets.generating import DTYPES, SHARD_ROWS
from thousand_env.engine.state import EPISODES
from thousand_env.rewards import REWARDS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``thousand generate``."""
    parser.add_argument(
        "agents",
        nargs="+",
        metavar="AGENT",
        help=f"one or more; of k agents number (i + e) modulo k, from 0, plays seat i of episode e; {AGENT_HELP}",
    )
    parser.add_argument(
        "--deals", type=parse_count, required=True, metavar="N", help="episodes to play: deals, or matches (--episode)"
    )
    parser.add_argument("--out", required=True, metavar="FOLDER", help="a new or empty folder, or one to --resume in")
    parser.add_argument(
        "--episode",
        choices=EPISODES,
        default="deal",
        help="single deals on an empty sheet, or whole matches (default: deal)",
    )
    add_rules(parser)
    add_seed(parser, "cards, agents and random actions follow from it: same seed, same bytes (default: 0)")
    parser.add_argument(
        "--epsilon",
        type=parse_share,
        default=0.0,
        metavar="E",
        help="the share of decisions that are drawn from the legal ones instead; they are marked (default: 0)",
    )
    parser.add_argument(
        "--reward", choices=REWARDS, default="relative", help="what a deal pays, see the README (default: relative)"
    )
    parser.add_argument(
        "--dtype",
        choices=DTYPES,
        default="int8",
        help="of the observations; int8 is a quarter of the size and says the same (default: int8)",
    )
    parser.add_argument(
        "--shard-rows",
        type=parse_count,
        default=SHARD_ROWS,
        metavar="N",
        help=f"about how many rows a shard has, whole episodes (default: {SHARD_ROWS})",
    )
    parser.add_argument("--resume", action="store_true", help="go on where the same command was interrupted")
    parser.add_argument("--json", action="store_true", help="print what was written as one JSON object")


def parse_share(text: str) -> float:
    """A share from 0 to 1."""
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise ArgumentTypeError(f"{text!r} is no share: use a number from 0 to 1, such as 0.1")
    return share


def run(options: argparse.Namespace) -> int:
    """Write the data set and say what it is."""
    for text in options.agents:
        with one_line():
            name, _ = parse_text(text)
        if names_a_class(name):
            search_here()
    compile_engine()
    try:
        data: Dataset = evaluated(
            generate,
            options.agents,
            options.out,
            episodes=options.deals,
            rules=options.rules.rules,
            seed=0 if options.seed is None else options.seed,
            episode=options.episode,
            reward=options.reward,
            epsilon=options.epsilon,
            dtype=options.dtype,
            shard_rows=options.shard_rows,
            resume=options.resume,
        )
    except KeyboardInterrupt:
        print("stopped: the same command with --resume goes on after the last whole shard", file=sys.stderr)
        raise
    size = sum(path.stat().st_size for path in Path(options.out).rglob("*") if path.is_file())
    if options.json:
        settings = {name: value for name, value in data.manifest.items() if name != "shards"}
        print(json.dumps({**settings, "shards": data.num_shards, "bytes": size}, indent=2))
    else:
        shards = "shard" if data.num_shards == 1 else "shards"
        what = "deals" if options.episode == "deal" else "matches"
        print(
            f"{len(data):,} decisions of {options.deals:,} {what} in {data.num_shards} {shards}, "
            f"{size / 1e6:,.1f} MB in {options.out}"
        )
    return 0
