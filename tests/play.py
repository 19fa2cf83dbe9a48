"""Seeded games for tests: rules, sheet, episode and players drawn from one number."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from tests.random_rules import random_rules, random_sheet
from thousand_env import PRESETS, DealError, Game, Rules

VOID_OPTIONS: tuple[dict[str, Any], ...] = (
    {"opening": "none"},
    {"redeal_hand_below": 30, "redeal_talon_below": 60},
    {"redeal_four_nines": "mandatory", "opening": "none", "ranks": "9QKA", "hand_size": 4, "talon_size": 4}
    | {"exchange": "discard_three", "min_bid": 60},
)
"""Rules under which deals are often void."""


def some_rules(rng: random.Random) -> Rules:
    """A preset, random rules, or rules with void deals."""
    kind = rng.random()
    if kind < 0.35:
        return Rules.preset(rng.choice(list(PRESETS)))
    return Rules(**rng.choice(VOID_OPTIONS)) if kind < 0.5 else random_rules(rng)


def deal_arguments(game: Game) -> dict[str, Any]:
    """The current deal of a game as arguments of ``from_deal``."""
    hands, talons = game.dealt()
    return {"hands": hands, "talon": talons if game.rules.players == 2 else talons[0], "dealer": game.dealer}


def some_game(number: int, **changes: Any) -> tuple[Game, random.Random]:
    """A game that depends on the number alone, and numbers to play it with; ``changes`` are options that are fixed."""
    rng = random.Random(number)
    rules = some_rules(rng).replace(**changes)
    episode = rng.choice(("match", "match", "deal"))
    game = Game(rules, seed=rng.getrandbits(64), episode=episode)
    if rng.random() < 0.5 and not game.is_over:
        try:
            sheet = random_sheet(rng, rules)
            game = Game.from_deal(rules, **deal_arguments(game), episode=episode, seed=rng.getrandbits(64), **sheet)
        except DealError:  # a sheet for other rules
            pass
    return game, rng


def choose(rng: random.Random, game: Game, calm: float = 0.5) -> int:
    """A random legal action; the calmer, the more low bids and marriages, so that totals climb as well."""
    legal = game.legal_actions()
    if rng.random() < calm:
        declaring = [action for action in legal if 114 <= action < 126]
        if declaring:
            return rng.choice(declaring)
        if any(1 <= action < 66 for action in legal):
            return legal[0]
    return rng.choice(legal)


def play(game: Game, rng: random.Random, decisions: int, calm: float = 0.5) -> Iterator[Game]:
    """The game itself before each of so many decisions, and at last after them; it ends where the episode does."""
    for _ in range(decisions):
        yield game
        if game.is_over:
            return
        game.apply(choose(rng, game, calm))
    yield game


def play_out(game: Game, rng: random.Random, decisions: int, calm: float = 0.5) -> Game:
    """The same without looking."""
    for _ in play(game, rng, decisions, calm):
        pass
    return game
