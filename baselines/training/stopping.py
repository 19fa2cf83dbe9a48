"""Ctrl-C and SIGTERM: the first ends a run after its update, the same once more at once."""

from __future__ import annotations

import contextlib
import os
import signal
from typing import Any, Final

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)
_SAYS: Final = b"\nstopping after this update; once more stops at once\n"


class Stopping:
    """Notes signals while it is in place, in the main thread only; ``number`` is the first that came, 0 for none."""

    def __init__(self, says: bool) -> None:
        self.number = 0
        self.at_once = False
        """From now on the first signal too is raised, as ``KeyboardInterrupt`` with its number."""
        self._says: Final = says
        self._before: dict[int, Any] = {}

    def start(self) -> None:
        """Take the signals over."""
        for number in _SIGNALS:
            with contextlib.suppress(ValueError):  # not in the main thread
                self._before[number] = signal.signal(number, self._came)

    def end(self) -> None:
        """Give the signals back."""
        for number, handler in self._before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        self._before = {}

    def _came(self, number: int, frame: Any) -> None:
        # torchrun answers Ctrl-C with SIGTERM to those who have had Ctrl-C themselves: that is no second wish.
        if self.at_once or number == self.number:
            raise KeyboardInterrupt(number)
        if self.number == 0:
            self.number = number
            if self._says:
                with contextlib.suppress(OSError):
                    os.write(2, _SAYS)  # print would not be safe if the signal came inside of print
