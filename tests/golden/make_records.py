"""Writes ``records.jsonl``: one record a preset, two deals each. To be run only for a new preset or format version.

``python -m tests.golden.make_records``. The records are data: a change of the engine that needs new ones is a change
of the rules or of the deals that seeds give, and has to be meant.
"""

from __future__ import annotations

import random
from pathlib import Path

from tests.record_games import choose
from thousand_env import PRESETS, Game, Rules
from thousand_env.records import Record, write

PATH = Path(__file__).with_name("records.jsonl")


def make(preset: str) -> Record:
    """The first two deals of a match of half calm, half random players."""
    rng = random.Random(f"golden {preset}")
    game = Game(Rules.preset(preset), seed=rng.getrandbits(64))
    while not game.is_over and game.deals_scored < 2:
        game.apply(choose(rng, game, 0.5))
    return Record.from_game(game, [f"{preset} {seat}" for seat in range(game.rules.players)])


if __name__ == "__main__":
    write(PATH, [make(preset) for preset in PRESETS])
