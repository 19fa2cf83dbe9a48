"""What is said where a library is missing that only some need. It imports nothing."""

from __future__ import annotations


def not_installed(error: ModuleNotFoundError, module: str, install: str) -> ModuleNotFoundError:
    """The error to raise in place of ``error``: one line on what to install, if it is ``module`` that is missing.

    If it is another module, ``error`` itself: then something is broken, not missing.
    """
    if (error.name or "").partition(".")[0] != module:
        return error
    return ModuleNotFoundError(f"{module} is not installed: {install}", name=module)
