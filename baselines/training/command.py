"""``trainer_command``: the command line of a trainer, by tyro from its dataclass of arguments.

Help is tyro's. What is wrong is said in one line, with exit code 2. With ``--resume`` the arguments of that run are the
defaults, so that only what is to change has to be typed.
"""

from __future__ import annotations

import contextlib
import io
import re
import signal
import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from baselines.training import distributed
from baselines.training.arguments import RunArguments
from baselines.training.errors import TrainingError
from baselines.training.resuming import read_checkpoint

_CORNERS = ("╭", "╰")

Arguments = TypeVar("Arguments", bound=RunArguments)
Command = Callable[[Sequence[str] | None], int]


def trainer_command(name: str, arguments: type[Arguments], main: Callable[[Arguments], int]) -> Command:
    """A function of a command line (None: that of the process) that runs a trainer and gives the exit code.

    ``arguments``: its dataclass, whose docstring opens the help; ``main`` trains and gives the exit code.
    """

    def command(argv: Sequence[str] | None = None) -> int:
        given = list(sys.argv[1:] if argv is None else argv)
        prog = f"thousand train {name}"
        try:
            return main(parse(prog, arguments, given))
        except TrainingError as error:
            if distributed.is_first():
                print(f"{prog}: {' '.join(str(error).split())}", file=sys.stderr)
            return 2
        except KeyboardInterrupt as stop:
            return 128 + int(stop.args[0] if stop.args else signal.SIGINT)
        except SystemExit as end:  # --help, after it has been printed
            return int(end.code or 0)

    return command


def parse(prog: str, arguments: type[Arguments], argv: Sequence[str]) -> Arguments:
    """The arguments that a command line stands for, those of a run that it resumes included.

    ``TrainingError`` for what is wrong; ``SystemExit`` after help has been printed.
    """
    found = _tyro(prog, arguments, argv, None)
    if found.resume is not None:
        _, _, facts = read_checkpoint(found.resume)
        kept = {name: value for name, value in facts["arguments"].items() if name not in ("resume", "folder")}
        found = _tyro(prog, arguments, argv, arguments.from_json(kept))
    found.check()
    return found


def _tyro(prog: str, arguments: type[Arguments], argv: Sequence[str], default: Arguments | None) -> Arguments:
    try:
        import tyro  # not above: agents that play load this module too, without the extra
    except ModuleNotFoundError:
        raise TrainingError('tyro is not installed: pip install "thousand_env[train]"') from None
    said = io.StringIO()
    more: dict[str, Any] = {} if default is None else {"default": default}
    try:
        with contextlib.redirect_stderr(said):
            return tyro.cli(arguments, prog=prog, args=list(argv), **more)
    except SystemExit as end:
        if not end.code:
            raise
        raise TrainingError(one_line(said.getvalue(), prog)) from None


def one_line(text: str, prog: str) -> str:
    """What tyro says in a box as one line: its first paragraph, and what the argument takes or what was meant.

    The box has its title above, and rules between its parts.
    """
    parts: list[list[str]] = [[]]
    for line in re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines():
        inner = line.strip().strip("│|").strip()
        if inner[:1] in _CORNERS or (inner and not inner.strip("─-")):
            parts.append([])
        else:
            parts[-1].append(inner)
    said = [part for part in parts[1:] if any(part)] or parts
    first = said[0]
    message = " ".join(first[: first.index("")] if "" in first else first).rstrip(".")
    for part in said[1:]:
        if part[0].startswith(("Argument helptext:", "Perhaps you meant:")):
            message += f"; {' '.join(each for each in part if each).replace('Argument helptext:', 'it is')}"
    return f"{message}; '{prog} --help' explains all arguments"
