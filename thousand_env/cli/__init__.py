"""The command ``thousand``. Each command is a module, imported when it is asked for; drawing is in ``render``."""

from __future__ import annotations

from thousand_env.cli.dispatch import main

__all__ = ["main"]
