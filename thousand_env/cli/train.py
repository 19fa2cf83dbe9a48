"""Train an agent: thousand train NAME [arguments of that trainer].

Trainers are found by name in the entry-point group ``thousand_env.trainers``, so that other packages can add theirs::

    [project.entry-points."thousand_env.trainers"]
    my_trainer = "my_package.my_module:command"

``command(argv) -> exit code`` reads the rest of the command line. Your own can also be called as ``module:command``,
with the module in the current folder. What a trainer does in a sentence is the first line of its module, which is read
without importing it: this list needs no extra.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import importlib.machinery
import importlib.util
import re
from collections.abc import Callable, Sequence
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final

from thousand_env.agents import names_a_class
from thousand_env.cli.arguments import search_here
from thousand_env.cli.errors import CommandError, MissingExtraError, did_you_mean

ENTRY_POINT_GROUP: Final = "thousand_env.trainers"
EXTRA: Final = "train"
OF_THE_EXTRA: Final = ("torch", "tyro", "safetensors")


def run_arguments(argv: Sequence[str]) -> int:
    """List the trainers, or hand the command line to one; its exit code."""
    from thousand_env.cli.dispatch import COMMANDS

    if not argv or argv[0] in ("-h", "--help"):
        print(listing())
        if argv:
            print(f"\n{COMMANDS['train'].examples}")
        return 0
    name, *rest = argv
    if name.startswith("-"):
        raise CommandError(f"{name!r} comes before the trainer: write thousand train NAME {name} ...; {_choose()}")
    code: int = _command(name)(rest)
    return code


def listing() -> str:
    """Every trainer that is installed, with a sentence."""
    found = _trainers()
    width = max(map(len, found), default=0) + 2
    lines = [f"  {name:{width}}{sentence(found[name].module)}" for name in found]
    trainers = "\n".join(lines) or "  none is installed"
    return f"""\
thousand train NAME trains an agent until its budget is used up or Ctrl-C stops it, and then evaluates it.

Trainers:

{trainers}

thousand train NAME --help explains a trainer's arguments, or module:command for one of your own."""


def sentence(module: str) -> str:
    """The first line of a module's docstring, without importing the module; nothing if it cannot be found."""
    with contextlib.suppress(ImportError, OSError, ValueError, SyntaxError):
        spec = importlib.util.find_spec(module)
        if spec is not None and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            tree = ast.parse(spec.loader.get_data(spec.loader.path))
            first = (ast.get_docstring(tree) or "").partition("\n")[0]
            return re.sub(r"^``\w+``: ", "", first)
    return ""


def _trainers() -> dict[str, EntryPoint]:
    return {each.name: each for each in sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda each: each.name)}


def _choose() -> str:
    names = ", ".join(_trainers())
    return f"choose one of {names}" if names else "no trainer is installed"


def _command(name: str) -> Callable[[Sequence[str]], Any]:
    """The function that a name stands for."""
    found = _trainers()
    if name in found:
        module, attribute = found[name].module, found[name].attr
    elif names_a_class(name):
        search_here()
        module, _, attribute = name.partition(":")
    else:
        hint = did_you_mean(name, found)
        raise CommandError(f"there is no trainer {name!r}: {hint}{_choose()}, or module:command for your own")
    try:
        command: Callable[[Sequence[str]], Any] | None = getattr(importlib.import_module(module), attribute, None)
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing in OF_THE_EXTRA:
            raise MissingExtraError(missing, EXTRA) from None
        if f"{module}.".startswith(f"{error.name}."):
            raise CommandError(f"there is no trainer {name!r}: there is no module {error.name!r}") from None
        raise
    if not callable(command):
        raise CommandError(f"{name!r} is no trainer: there is no function {attribute!r} in module {module!r}")
    return command
