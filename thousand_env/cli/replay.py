"""See a recorded match again, card by card: live in a terminal, as a plain log in a pipe. Ctrl-C ends it."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from thousand_env.cli.arguments import add_seat, add_speed, check_seat, parse_count
from thousand_env.cli.displays import make_show
from thousand_env.cli.errors import CommandError
from thousand_env.cli.show import play, stoppable
from thousand_env.cli.warm import compile_engine
from thousand_env.game import Game
from thousand_env.records import Record, RecordError, read, steps
from thousand_env.rules import PRESETS, Rules

_ACCEPTED: Final = "give a file of records, as thousand watch --record writes it"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``thousand replay``."""
    parser.add_argument("file", metavar="FILE", help="a file of records (JSON lines)")
    parser.add_argument(
        "--record", type=parse_count, default=1, metavar="N", help="which match of the file, from 1 (default: 1)"
    )
    add_seat(parser)
    add_speed(parser)


def run(options: argparse.Namespace) -> int:
    """Show a record as far as it holds; 130 if Ctrl-C stopped it, 143 if SIGTERM did."""
    compile_engine()
    try:
        record = find_record(options.file, options.record)
        seat = check_seat(options.seat, record.rules)
        positions = steps(record)
        first = next(positions, None)
        if first is None:
            raise CommandError(f"record {options.record} of {options.file!r} has no actions to show")
        where = f"record {options.record} of {Path(options.file).name}"
        title = f"{rules_name(record.rules)}, to {record.rules.target}, {where}"
        show, display = make_show(options, title, record.agents or (), seat)
        with stoppable(show):
            play(first[0].clone(), _reader(first[2], positions), display, show)
    except RecordError as error:
        raise CommandError(f"{options.file}: {error}") from None
    return show.exit_code


def rules_name(rules: Rules) -> str:
    """The preset that these rules are, or ``own rules``."""
    return next((name for name in PRESETS if rules == Rules.preset(name)), "own rules")


def find_record(path: str, number: int) -> Record:
    """A record of a file by its place from 1, or ``CommandError`` with the reason."""
    count = 0
    try:
        for record in read(path):
            count += 1
            if count == number:
                return record
    except RecordError as error:
        raise CommandError(f"{path}: {error}: {_ACCEPTED}") from None
    except OSError as error:
        raise CommandError(f"{path!r} cannot be read ({error.strerror}): {_ACCEPTED}") from None
    if not count:
        raise CommandError(f"{path!r} is empty: {_ACCEPTED}")
    raise CommandError(f"--record: {path!r} has {count} records: use 1 to {count}")


def _reader(first: int, positions: Iterator[tuple[Game, int, int]]) -> Callable[[Game], int | None]:
    """The recorded actions in order, each once what follows it has been read.

    ``steps`` says what is wrong with an action, the scores after it or the result when it is asked for the next one:
    so nothing is shown that does not hold, and the last action has the end of the record checked.
    """
    waiting: list[int] = [first]

    def next_action(game: Game) -> int | None:
        if not waiting:
            return None
        step = next(positions, None)
        action = waiting.pop()
        if step is not None:
            waiting.append(step[2])
        return action

    return next_action
