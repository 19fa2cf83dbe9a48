"""What a command says in one line before it ends with exit code 2."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class CommandError(Exception):
    """A wrong argument, a file that cannot be used, or something that is not installed."""


class MissingExtraError(CommandError):
    """An extra of the package that a command needs is not installed."""

    def __init__(self, module: str, extra: str, otherwise: str = "") -> None:
        hint = f", {otherwise}" if otherwise else ""
        super().__init__(f'{module} is not installed: pip install "thousand_env[{extra}]"{hint}')


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """``did you mean 'watch'? `` for what is nearly one of the known names, otherwise nothing. Case does not count."""
    names = {name.lower(): name for name in known}
    close = difflib.get_close_matches(given.lower(), names, 1)
    return f"did you mean {names[close[0]]!r}? " if close else ""
