"""Which commands there are, and how they begin and end: help, one-line errors, exit codes, Ctrl-C and closed pipes.

Exit codes: 0 done; 1 the command found what it checks to be wrong (``verify``, ``export``); 2 a wrong argument,
something missing, or a file that cannot be used (``replay`` of a record that does not hold); 130 stopped by Ctrl-C, 143
by SIGTERM.

A command is a module with ``add_arguments(parser)`` and ``run(options) -> int``. The parser is the standard library's:
it hands out its error texts, so that they can be one line that says what is accepted, and needs no extra.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NoReturn

import thousand_env
from thousand_env.cli.errors import CommandError, did_you_mean


@dataclass(frozen=True)
class Command:
    """Where a command lives, what it does in half a sentence, and the text of its help."""

    module: str
    summary: str
    examples: str
    own_parser: bool = False
    """It has ``run_arguments(argv) -> int`` instead of the two functions: who reads its arguments is found by name."""


COMMANDS: Final = {
    "watch": Command(
        "watch",
        "see a whole match being played",
        """examples:
  thousand watch                                 three greedy players, a match to 1000
  thousand watch --seed 7 --speed 30             the match of seed 7, 30 actions a second
  thousand watch --rules modern --agents greedy random greedy
  thousand watch --rules two_player --seat 0     only what player 0 may know
  thousand watch --rules '{"golden": true}' --record match.jsonl
  thousand watch --agents my_agent:MyAgent greedy greedy
                                                 your own: the class MyAgent of ./my_agent.py
  thousand watch --seed 7 | less                 a plain log of every action""",
    ),
    "replay": Command(
        "replay",
        "see a recorded match again",
        """examples:
  thousand replay match.jsonl                    the first match of the file
  thousand replay match.jsonl --record 3         the third one
  thousand replay match.jsonl --seat 1 --speed 5
  thousand replay match.jsonl | less             a plain log of every action""",
    ),
    "rules": Command(
        "rules",
        "read what can be set, and how presets differ",
        """examples:
  thousand rules                                 every option, and a table of the presets
  thousand rules modern                          what one preset changes
  thousand rules '{"players": 4, "golden": true}'
  thousand rules --json > options.json""",
    ),
    "solve": Command(
        "solve",
        "see what each card is worth with all cards open",
        """examples:
  thousand solve match.jsonl                     the first lead of the first deal of the first match
  thousand solve match.jsonl --action exchange   the best gifts of that deal
  thousand solve match.jsonl --record 2 --deal 1 --action 8
  thousand solve 'AH TH AC|KH QH AS|KS QS JS' --declarer 1
                                                 an ending: no trump yet, player 1 leads
  thousand solve 'QS JS AC TC KC KD TD|AH TH KH QH AS 9C JD|TS KS 9H JH AD QC 9D|9S QD JC'
                                                 a whole deal with its talon: the best gifts
  thousand solve 'AS KS|TS QS' --rules two_player --objective own --json""",
    ),
    "verify": Command(
        "verify",
        "check that records hold",
        """examples:
  thousand verify match.jsonl                    replays every match of the file
  thousand verify match.jsonl --json
The exit code is 0 if all records hold and 1 if one does not.""",
    ),
    "evaluate": Command(
        "evaluate",
        "find out which of two or three agents is better",
        """examples:
  thousand evaluate greedy random                500 deals, each in all six seatings
  thousand evaluate greedy greedy,caution=20     options of an agent stand behind its name
  thousand evaluate greedy random --matches 50   whole matches: who wins how often
  thousand evaluate greedy my_agent:MyAgent --phase play
                                                 your own agent; card play alone is compared
  thousand evaluate greedy random --half-width 4 --most 4000 --file run.jsonl
                                                 until it is sure enough; goes on after Ctrl-C
  thousand evaluate greedy random --rules modern --sheets match --json > report.json""",
    ),
    "tournament": Command(
        "tournament",
        "compare every two of many agents, with ratings",
        """examples:
  thousand tournament greedy random greedy,caution=20
  thousand tournament greedy random greedy,caution=20 --matches 50
  thousand tournament greedy random --deals 2000 --file tournament.jsonl --csv > table.csv""",
    ),
    "generate": Command(
        "generate",
        "write data sets of decisions for learning",
        """examples:
  thousand generate heuristic --deals 10000 --out deals
                                                 10,000 deals, a row for each decision
  thousand generate heuristic greedy --deals 500 --episode match --epsilon 0.1 --out matches
                                                 whole matches, a tenth of the actions at random
  thousand generate pimc --deals 10000 --out labels --resume
                                                 goes on after Ctrl-C""",
    ),
    "train": Command(
        "train",
        "train an agent of your own",
        """examples:
  thousand train                                 what can be trained, in a sentence each""",
        own_parser=True,
    ),
    "export": Command(
        "export",
        "write a learned agent as an ONNX model",
        """examples:
  thousand export runs/ppo/ppo.safetensors --onnx ppo.onnx
                                                 checked on 1,000 positions of real games
  thousand export ppo.safetensors --onnx ppo.onnx --views 200 --rules modern --json
The exit code is 0 if the model chooses what the agent chooses and 1 if it does not.""",
    ),
    "bench": Command(
        "bench",
        "measure the speed of this machine",
        """examples:
  thousand bench engine                          decisions a second, and what a step and a clone cost
  thousand bench engine --seed 3 --json""",
    ),
}


class Parser(argparse.ArgumentParser):
    """A parser whose errors are exceptions that say what is accepted."""

    def error(self, message: str) -> NoReturn:
        text = message.removeprefix("argument ")
        if any(words in text for words in ("expected ", "required: ", "ignored explicit")):
            text += "".join(f"; {_usage(action)}" for action in self._actions if _names(action)[0] in text)
        raise CommandError(text)


def _names(action: argparse.Action) -> list[str]:
    """How an argument is called: ``--seed``, or ``FILE`` for one without a name."""
    return list(action.option_strings[-1:]) or [str(action.metavar or action.dest).upper()]


def _usage(action: argparse.Action) -> str:
    """``--seed N: a seed``."""
    value = [str(action.metavar)] if action.option_strings and action.metavar else []
    return f"{' '.join(_names(action) + value)}: {action.help}"


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line, ``sys.argv`` by default; the exit code. Never raises for what a user can do wrong."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if sys.stdout is None:  # closed by whoever started this process
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    name = arguments[0] if arguments and arguments[0] in COMMANDS else ""
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except CommandError as error:
        _flush_stdout()
        print(f"thousand{' ' + name if name else ''}: {_one_line(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt as stop:
        return 128 + (stop.args[0] if stop.args else signal.SIGINT)
    except BrokenPipeError:
        _silence_stdout()
        return 0
    except OSError as error:  # a full disk, say
        _silence_stdout()
        place = f" {error.filename!r}" if error.filename else ""
        print(f"thousand{' ' + name if name else ''}: cannot write{place}: {error.strerror}", file=sys.stderr)
        return 1
    return code


def _run(arguments: list[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        if len(arguments) > 1 and arguments[0] == "help":
            return _run([arguments[1], "--help"])
        print(overview())
        return 0
    if arguments[0] == "--version":
        print(f"thousand_env {thousand_env.__version__}")
        return 0
    name, *rest = arguments
    if name not in COMMANDS:
        hint = did_you_mean(name, COMMANDS)
        raise CommandError(f"there is no command {name!r}: {hint}choose one of {', '.join(COMMANDS)}")
    command = importlib.import_module(f"thousand_env.cli.{COMMANDS[name].module}")
    code: int
    if COMMANDS[name].own_parser:
        code = command.run_arguments(rest)
        return code
    parser = _parser(name, command)
    try:
        options, unknown = parser.parse_known_args(rest)
    except SystemExit as end:  # --help, after it has been printed
        return int(end.code or 0)
    if unknown:
        flags = [flag for action in parser._actions for flag in action.option_strings]
        hint = did_you_mean(unknown[0].partition("=")[0], flags)
        raise CommandError(f"{unknown[0]!r} is not understood: {hint}{name} takes {_accepted(parser)}")
    code = command.run(options)
    return code


def _parser(name: str, command: Any) -> Parser:
    parser = Parser(
        prog=f"thousand {name}",
        description=command.__doc__,
        epilog=COMMANDS[name].examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.add_arguments(parser)
    return parser


def _accepted(parser: argparse.ArgumentParser) -> str:
    return ", ".join(_names(action)[0] for action in parser._actions)


def overview() -> str:
    """What ``thousand`` alone prints."""
    width = max(map(len, COMMANDS)) + 2
    commands = "\n".join(f"  {name:{width}}{command.summary}" for name, command in COMMANDS.items())
    return f"""\
The card game Thousand (Тысяча, Tysiąc) as a reinforcement-learning environment.

Type this first:

  thousand watch

Commands:

{commands}

thousand COMMAND --help explains a command with examples.""".replace("Тысяча, Tysiąc", _native_names())


def _native_names() -> str:
    """The names of the game in the languages it is played in, if the terminal can write them."""
    try:
        "Тысяча, Tysiąc".encode(sys.stdout.encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return "Tysyacha, Tysiac"
    return "Тысяча, Tysiąc"


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())


def _flush_stdout() -> None:
    """What has been printed stands before the error."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _silence_stdout()


def _silence_stdout() -> None:
    """Whoever read the output has gone: let the interpreter flush what is left into nothing."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
