"""Libraries of the extra ``eval``, imported when they are first needed."""

from __future__ import annotations

import importlib
from typing import Any


def need(module: str) -> Any:
    """A module of the extra; ``ImportError`` in one line that says what to install if it is not there."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        if (error.name or "").partition(".")[0] != package:
            raise
        raise ImportError(f'{package} is not installed: pip install "thousand_env[eval]"') from None
