"""The solver's twin for tests: plain recursion over ``Game``, sharing nothing with the solver. Small positions only.

The points of a seat are what the score sheet gets, read from a game that stops on the finished deal. At the start of a
trick a position is remembered without what is only history (log, cards played, voids shown) and without the card points
won so far, which all later points come on top of.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

from tests.play import choose, some_game
from thousand_env import Game

Points = tuple[int, ...]
Memory = dict[tuple[bytes, ...], Points]

_FACTS = ("hands", "bonus", "tricks", "leader", "trump", "aces_declared", "aces_holder")


def final_points(game: Game, declarer_only: bool, memory: Memory) -> Points:
    """Points of every seat when all play on: the declarer against the rest, or each for itself, first best action."""
    if game._number("trick_size"):
        return _best_points(game, declarer_only, memory)
    record = game._states[0]
    key = tuple(record[fact].tobytes() for fact in _FACTS)
    won = game._per_seat("points")
    if key not in memory:
        best = _best_points(game, declarer_only, memory)
        memory[key] = tuple(points - before for points, before in zip(best, won, strict=True))
    return tuple(points + before for points, before in zip(memory[key], won, strict=True))


def _best_points(game: Game, declarer_only: bool, memory: Memory) -> Points:
    mover, declarer = game.seat, game.declarer
    assert mover is not None and declarer is not None
    best: Points | None = None
    for action in game.legal_actions():
        points = points_after(game, action, declarer_only, memory)
        judge = declarer if declarer_only else mover
        sign = -1 if declarer_only and mover != declarer else 1
        if best is None or sign * points[judge] > sign * best[judge]:
            best = points
    assert best is not None
    return best


def points_after(game: Game, action: int, declarer_only: bool, memory: Memory) -> Points:
    """The same once an action has been taken."""
    is_last = len(game.hands[game.seat or 0]) == 1 and game._number("trick_size") + 1 == game.rules.active_players
    if is_last:
        return tuple(game.closing(action).points)
    after = game.clone()
    after.apply(action)
    return final_points(after, declarer_only, memory)


def action_points(game: Game, declarer_only: bool) -> dict[int, Points]:
    """By legal action, the points of every seat when all play on."""
    memory: Memory = {}
    return {action: points_after(game, action, declarer_only, memory) for action in game.legal_actions()}


def small_positions(seed: int, most_cards: tuple[int, ...]) -> Iterator[Game]:
    """Positions of the play phase under random rules, the mover with at most one of these numbers of cards."""
    for number in itertools.count(seed * 1_000_003):
        game, rng = some_game(number)
        found = _play_to(game, rng, rng.choice(most_cards))
        if found is not None:
            yield found


def _play_to(game: Game, rng: random.Random, limit: int) -> Game | None:
    for _ in range(200):
        if game.is_over:
            return None
        if game.phase == "play" and game.seat is not None:
            size = len(game.hands[game.seat])
            if size <= limit and (size == 1 or rng.random() < 0.7):
                return game
        game.apply(choose(rng, game, 0.3))
    return None
