"""Arguments that several commands share, checked when they are parsed."""

from __future__ import annotations

import argparse
import json
import math
import secrets
import sys
from argparse import ArgumentTypeError
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from thousand_env.agents import Agent, available, from_text, names_a_class
from thousand_env.cli.errors import CommandError, did_you_mean
from thousand_env.rules import PRESETS, Rules, RulesError
from thousand_env.seeding import check_seed


@dataclass(frozen=True)
class NamedRules:
    """Rules and how the command line called them."""

    name: str
    rules: Rules


def add_rules(parser: argparse.ArgumentParser) -> None:
    """``--rules``."""
    parser.add_argument(
        "--rules",
        type=parse_rules,
        default="classic",
        metavar="RULES",
        help=f"a preset ({', '.join(PRESETS)}), a JSON file of options, or the options themselves such as "
        """'{"players": 4, "golden": true}' (default: classic; 'thousand rules' lists all options)""",
    )


def add_seed(parser: argparse.ArgumentParser, use: str) -> None:
    """``--seed``."""
    parser.add_argument("--seed", type=parse_seed, default=None, metavar="N", help=use)


def add_seat(parser: argparse.ArgumentParser) -> None:
    """``--seat``."""
    parser.add_argument(
        "--seat",
        type=parse_number,
        default=None,
        metavar="K",
        help="show only what player K may know (default: all cards open)",
    )


def add_speed(parser: argparse.ArgumentParser) -> None:
    """``--speed`` and ``--ascii``."""
    parser.add_argument(
        "--speed",
        type=parse_speed,
        default=None,
        metavar="S",
        help="actions a second, 0 for as fast as possible (default: 12 in a terminal, 0 in a pipe)",
    )
    parser.add_argument("--ascii", action="store_true", help="letters for suits, such as TH for the ten of hearts")
    parser.add_argument(
        "--plain",
        action="store_true",
        help="a line-by-line log in a terminal too, as in a pipe and with TERM=dumb "
        "(NO_COLOR keeps the live screen, without colours)",
    )


def parse_rules(text: str) -> NamedRules:
    """A preset name, a JSON file of options, or a JSON object."""
    if text in PRESETS:
        return NamedRules(text, Rules.preset(text))
    inline = text.lstrip().startswith("{")
    name = "own rules" if inline else Path(text).stem
    accepted = f"use a preset ({', '.join(PRESETS)}), a JSON file of options, or a JSON object"
    try:
        content = text if inline else Path(text).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        if Path(text).suffix.lower() == ".json":
            raise ArgumentTypeError(f"{text!r} cannot be read ({_reason(error)}): {accepted}") from None
        raise ArgumentTypeError(
            f"{text!r} is neither a preset nor a file: {did_you_mean(text, PRESETS)}{accepted}"
        ) from None
    try:
        options = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ArgumentTypeError(f"{text[:60]!r} is no JSON ({error}): {accepted}") from None
    if not isinstance(options, dict):
        raise ArgumentTypeError(f"{text!r} is no JSON object of options: {accepted}")
    try:
        return NamedRules(name, Rules.from_dict(options))
    except RulesError as error:
        raise ArgumentTypeError(str(error)) from None


def parse_seed(text: str) -> int:
    """A seed."""
    try:
        return check_seed(int(text))
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is no seed: use a whole number from 0 to 2**64 - 1") from None


def parse_speed(text: str) -> float:
    """Actions a second."""
    try:
        speed = float(text)
    except ValueError:
        speed = -1.0
    if not math.isfinite(speed) or speed < 0:
        raise ArgumentTypeError(f"{text!r} is no speed: use actions a second, such as 12, or 0 for as fast as possible")
    return speed


def parse_count(text: str) -> int:
    """A number from 1."""
    number = parse_number(text)
    if number < 1:
        raise ArgumentTypeError(f"{text!r} is not accepted: use a whole number from 1")
    return number


def parse_number(text: str) -> int:
    """A number from 0."""
    if text.isascii() and text.isdigit() and len(text) < 10:
        return int(text)
    raise ArgumentTypeError(f"{text!r} is not accepted: use a whole number from 0")


def check_seat(seat: int | None, rules: Rules) -> int | None:
    """A seat of these rules."""
    if seat is not None and seat >= rules.players:
        raise CommandError(f"--seat: {seat} is no seat: with {rules.players} players use 0 to {rules.players - 1}")
    return seat


def make_agents(names: Sequence[str], rules: Rules) -> tuple[tuple[str, ...], list[Agent]]:
    """An agent for each seat from one name for all or as many names as players; with the names by seat.

    Their own seeds follow from their seats alone: an agent must not learn anything from the seed of the deals.
    """
    players = rules.players
    if len(names) not in (1, players):
        given = f"{len(names)} agents ({', '.join(names)})"
        raise CommandError(f"--agents: {given} do not fit {players} players: name {players}, or one for all seats")
    by_seat = tuple(names) * (players if len(names) == 1 else 1)
    if any(names_a_class(name.partition(",")[0]) for name in names):
        search_here()
    agents = []
    for seat, name in enumerate(by_seat):
        try:
            agent = from_text(name)
        except (ValueError, ImportError, TypeError) as error:
            raise CommandError(f"--agents: {error}") from None
        agent.reset(seat)
        agents.append(agent)
    return by_seat, agents


def search_here() -> None:
    """Let modules of the current folder be found, as ``python -m`` does."""
    here = str(Path.cwd())
    if "" not in sys.path and here not in sys.path:
        sys.path.insert(0, here)


def agent_names() -> str:
    """The agents that are installed, for a help text."""
    return ", ".join(available()) or "none is installed"


def new_seed() -> int:
    """A seed that is short enough to be typed again."""
    return secrets.randbelow(1_000_000)


def _reason(error: Exception) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else "it is no text in UTF-8"
