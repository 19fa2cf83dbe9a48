"""``thousand bench observation``: what one observation costs, as a call from Python and inside a batch."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

from thousand_env.bench.engine import random_positions
from thousand_env.bench.measuring import RUNS, Metrics, Progress, summary
from thousand_env.observation import decode, encode, encode_int8, encode_state, history

_MATCHES: Final = 20
_REPEATS: Final = 20


def measure(seed: int, progress: Progress) -> Metrics:
    """Microseconds of each function of ``thousand_env.observation``, over the positions of random deals."""
    progress("compiling")
    games = [game.clone() for game in random_positions(seed, _MATCHES)]
    views = [game.view(game.seat or 0) for game in games]
    calls: dict[str, tuple[Callable[[Any], Any], list[Any]]] = {
        "view_us": (lambda game: game.view(0), games),
        "encode_us": (encode, views),
        "encode_int8_us": (encode_int8, views),
        "encode_state_us": (encode_state, games),
        "history_us": (history, views),
        "decode_us": (decode, [encode(view) for view in views[:_REPEATS]]),
    }
    figures: dict[str, list[float]] = {name: [] for name in calls}
    for function, arguments in calls.values():
        function(arguments[0])
    for turn in range(RUNS):
        progress(f"run {turn + 1} of {RUNS}")
        for name, (function, arguments) in calls.items():
            start = time.perf_counter()
            for argument in arguments:
                function(argument)
            figures[name].append((time.perf_counter() - start) / len(arguments) * 1e6)
    return {name: summary(found, "us") for name, found in figures.items()}
