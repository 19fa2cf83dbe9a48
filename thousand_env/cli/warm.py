"""The wait at the very first run: the engine is compiled once for a machine, and who waits should know for what."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from thousand_env.engine.compiler import cache_folder
from thousand_env.game import Game
from thousand_env.records import Record
from thousand_env.render.steps import is_made
from thousand_env.rules import Rules

_NEEDED: Final = ("begin", "legal_actions", "try_action", "view_of", "settle", "replay_deal")


def compile_engine() -> None:
    """Compile what is not kept on disk yet, so that nothing stops in the middle of a match; say so to a terminal."""
    if _is_compiled():
        return
    if sys.stderr.isatty():
        print("Compiling the engine for this machine, once: about half a minute.", file=sys.stderr, flush=True)
    rules = Rules()
    game = Game(rules, seed=0)
    game.apply(game.legal_actions()[0])
    game.view(0)
    is_made(rules, 0, 1, 100, [0, 120, 0], [0, 8, 0])
    Record.from_game(game)


def _is_compiled() -> bool:
    folder = cache_folder()
    if folder is None:
        return False
    files = [path.name for path in Path(folder).glob("*.nbc")]
    return all(any(name.startswith(f"kernels.{needed}-") for name in files) for needed in _NEEDED)
