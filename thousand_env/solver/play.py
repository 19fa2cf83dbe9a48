"""Questions about the play of the cards: values of positions and of actions, and whether a contract is made.

All cards are open. Values are the declarer's raw points of the whole deal (rules.md 25), what he has already and what
the end of play settles included, when he plays for the most and the others together for the least; with
``objective="own"`` each seat plays for its own points (max^n): among equally good actions it takes the one with the
lowest id, whatever this does to the others. No function changes a game.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any, Final, Literal, overload

import numpy as np
import numpy.typing as npt

from thousand_env.actions import NUM_ACTIONS
from thousand_env.game import Game
from thousand_env.keywords import one_of
from thousand_env.solver import kernels
from thousand_env.solver.node import ALL_POINTS
from thousand_env.solver.workers import NO_VALUE, Answers, Ints, ask, check_games

OBJECTIVES: Final = ("declarer", "own")


@overload
def action_values(
    game: Game, objective: Literal["declarer"] = "declarer", *, table_bits: int | None = None
) -> dict[int, int]: ...


@overload
def action_values(
    game: Game, objective: Literal["own"], *, table_bits: int | None = None
) -> dict[int, tuple[int, ...]]: ...


@overload
def action_values(game: Game, objective: str, *, table_bits: int | None = None) -> dict[int, Any]: ...


def action_values(game: Game, objective: str = "declarer", *, table_bits: int | None = None) -> dict[int, Any]:
    """For each legal action, ascending, the declarer's points; with ``"own"`` a tuple of the points of every seat.

    ``table_bits`` (4 to 16) is the size of the table as a power of two; it changes the time and never a value.
    ``ValueError`` if the game is not in the play phase.
    """
    one_of("objective", objective, OBJECTIVES)
    games = check_games([game], "play", "solver.action_values")
    if objective == "declarer":
        row = ask(kernels.ACTIONS, games, NUM_ACTIONS, table_bits=table_bits)[0]
        return {action: int(row[action]) for action in np.flatnonzero(row != NO_VALUE).tolist()}
    players = game.rules.players
    rows = ask(kernels.OWN_ACTIONS, games, NUM_ACTIONS * players, table_bits=table_bits).reshape(NUM_ACTIONS, players)
    return {action: tuple(rows[action].tolist()) for action in np.flatnonzero(rows[:, 0] != NO_VALUE).tolist()}


def value(game: Game, *, table_bits: int | None = None) -> int:
    """The declarer's points of the deal. ``ValueError`` if the game is not in the play phase."""
    return int(ask(kernels.VALUE, check_games([game], "play", "solver.value"), 1, table_bits=table_bits)[0, 0])


def makes(game: Game, points: int, *, table_bits: int | None = None) -> bool:
    """Whether the declarer gets at least so many points; much cheaper than the value (a null window)."""
    games = check_games([game], "play", "solver.makes")
    return bool(ask(kernels.MAKES, games, 1, goals=check_goals([check_points(points)], 1), table_bits=table_bits)[0, 0])


def values_batch(games: Iterable[Game], *, threads: int | None = None, table_bits: int | None = None) -> Answers:
    """``value`` of many games, int32 ``[K]``; they may differ in their rules.

    ``threads``: None for as many as there are cores; they run at the same time, without Python's lock.
    """
    rows = check_games(games, "play", "solver.values_batch")
    return ask(kernels.VALUE, rows, 1, threads=threads, table_bits=table_bits)[:, 0]


def makes_batch(
    games: Iterable[Game],
    points: int | Sequence[int] | npt.NDArray[Any],
    *,
    threads: int | None = None,
    table_bits: int | None = None,
) -> npt.NDArray[np.bool_]:
    """``makes`` of many games: bool ``[K]`` for one number of points, ``[K, N]`` for a sequence of N numbers.

    All numbers share the searches of a game, so that a sequence costs little more than the closest of its numbers; in
    the middle of it the first is best.
    """
    rows = check_games(games, "play", "solver.makes_batch")
    goals = check_goals(points, len(rows))
    made = ask(kernels.MAKES, rows, goals.shape[1], goals=goals, threads=threads, table_bits=table_bits) == 1
    return made if np.ndim(points) else made[:, 0]


def action_values_batch(
    games: Iterable[Game],
    objective: str = "declarer",
    *,
    threads: int | None = None,
    table_bits: int | None = None,
) -> Answers:
    """Values of all actions of many games, int32 ``[K, 130]``, ``NO_VALUE`` (-32768) for actions that are not legal.

    With ``"declarer"`` they are the declarer's points, with ``"own"`` the points of the seat to act.
    """
    one_of("objective", objective, OBJECTIVES)
    rows = check_games(games, "play", "solver.action_values_batch")
    if objective == "declarer":
        return ask(kernels.ACTIONS, rows, NUM_ACTIONS, threads=threads, table_bits=table_bits)
    return ask(kernels.MOVER_ACTIONS, rows, NUM_ACTIONS, threads=threads, table_bits=table_bits)


def check_points(points: Any) -> int:
    """One number of points, or ``ValueError`` naming what is none."""
    if np.ndim(points):
        raise ValueError(f"points={points!r} is not accepted: use one integer")
    return int(check_goals(points, 1)[0, 0])


def check_goals(points: Any, count: int) -> Ints:
    """Numbers of points as int64 ``[count, N]``, cut to what a deal can give, or ``ValueError`` naming what is none."""
    numbers = points if np.ndim(points) else [points]
    if np.ndim(numbers) != 1:
        raise ValueError(f"points={points!r} is not accepted: use an integer or a flat sequence of integers")
    try:
        goals = [min(max(operator.index(each), -ALL_POINTS // 2), ALL_POINTS // 2) for each in numbers]
    except TypeError:
        raise ValueError(f"points={points!r} is not accepted: use an integer or a flat sequence of integers") from None
    return np.tile(np.array(goals, np.int64), (count, 1))
