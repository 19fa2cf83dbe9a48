"""What a command says in one line before it ends with exit code 2."""

from __future__ import annotations


class CommandError(Exception):
    """A wrong argument, a file that cannot be used, or something that is not installed."""


class MissingExtraError(CommandError):
    """An extra of the package that a command needs is not installed."""

    def __init__(self, module: str, extra: str, otherwise: str = "") -> None:
        hint = f", {otherwise}" if otherwise else ""
        super().__init__(f'{module} is not installed: pip install "thousand_env[{extra}]"{hint}')
