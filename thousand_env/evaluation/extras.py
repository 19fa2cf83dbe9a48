"""Libraries of the extra ``eval``, imported when they are first needed."""

from __future__ import annotations

import importlib
from typing import Any

from thousand_env.missing import not_installed


def need(module: str) -> Any:
    """A module of the extra; ``ImportError`` in one line that says what to install if it is not there."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise not_installed(error, module.partition(".")[0], 'pip install "thousand_env[eval]"') from None
