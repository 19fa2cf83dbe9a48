"""See a whole match being played card by card: live in a terminal, as a plain log in a pipe. Ctrl-C ends it."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

from thousand_env.agents import Agent
from thousand_env.cli.arguments import (
    NamedRules,
    add_rules,
    add_seat,
    add_seed,
    add_speed,
    agent_names,
    check_seat,
    make_agents,
    new_seed,
)
from thousand_env.cli.displays import make_show
from thousand_env.cli.errors import CommandError
from thousand_env.cli.show import play, stoppable, uninterrupted
from thousand_env.cli.warm import compile_engine
from thousand_env.game import Game
from thousand_env.records import Record, RecordError, RecordWriter


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``thousand watch``."""
    add_rules(parser)
    add_seed(parser, "a match that can be seen again: the same seed deals the same cards (default: a new one)")
    parser.add_argument(
        "--agents",
        nargs="+",
        default=["greedy"],
        metavar="NAME",
        help=f"who plays: one name a player, or one for all; installed: {agent_names()}, with options as "
        "name,key=value; your own as module:Class, which is looked for in the current folder too (default: greedy)",
    )
    parser.add_argument("--episode", choices=("match", "deal"), default="match", help="a whole match or one deal")
    parser.add_argument(
        "--record", default=None, metavar="FILE", help="append the match to a file of records (JSON lines)"
    )
    add_seat(parser)
    add_speed(parser)


def run(options: argparse.Namespace) -> int:
    """Play and show a match; 130 if Ctrl-C stopped it, 143 if SIGTERM did."""
    named: NamedRules = options.rules
    rules = named.rules
    seat = check_seat(options.seat, rules)
    names, agents = make_agents(options.agents, rules)
    compile_engine()
    seed = new_seed() if options.seed is None else options.seed
    game = Game(rules, seed, options.episode)
    writer = None if options.record is None else _writer(options.record)
    show, display = make_show(options, _title(named, game, seed), names, seat)
    with stoppable(show):
        try:
            play(game, _chooser(agents, names), display, show)
        finally:
            if writer is not None:
                with uninterrupted(), writer:
                    writer.write(Record.from_game(game, names))
    return show.exit_code


def _title(named: NamedRules, game: Game, seed: int) -> str:
    length = f"to {game.rules.target}" if game.episode == "match" else "one deal"
    return f"{named.name}, {length}, seed {seed}"


def _chooser(agents: Sequence[Agent], names: Sequence[str]) -> Callable[[Game], int]:
    def choose(game: Game) -> int:
        assert game.seat is not None
        action = agents[game.seat].act(game.view(game.seat))
        if action not in game.legal_actions():
            raise CommandError(f"agent {names[game.seat]!r} chose action {action!r}, which is not legal: match stopped")
        return int(action)

    return choose


def _writer(path: str) -> RecordWriter:
    try:
        return RecordWriter(path)
    except OSError as error:
        reason = f"{path!r} cannot be written ({error.strerror})"
        raise CommandError(f"--record: {reason}: use a file in a folder that exists") from None
    except RecordError as error:
        raise CommandError(f"--record: {error.reason}: use a new file or one of records") from None
