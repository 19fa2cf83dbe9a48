"""Text for an output that may not know suits, or may not be there."""

from __future__ import annotations

import sys


def writes_suits() -> bool:
    """Whether standard output can write suits and box lines."""
    try:
        "♠▸✓…→▒★".encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def is_terminal() -> bool:
    """Whether standard output is a terminal."""
    return bool(getattr(sys.stdout, "isatty", bool)())


def print_text(text: str) -> None:
    """Print to standard output, with ``?`` for what it cannot write; nothing where there is none."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    print(text.encode(encoding, "replace").decode(encoding), flush=True)
