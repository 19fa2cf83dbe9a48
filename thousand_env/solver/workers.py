"""How positions get to the compiled search: what is asked as arrays, a table for each thread, rows spread over threads.

A table and a node belong to one thread and are never shared; what one call has left in them is void in the next, so
that answers depend on nothing but the question.
"""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from thousand_env.engine.state import STATE_DTYPE
from thousand_env.game import Game
from thousand_env.keywords import available_cores, whole_number
from thousand_env.rules_record import pack_rules
from thousand_env.solver import kernels
from thousand_env.solver.node import MOST_TABLE_BITS, NODE_DTYPE, TABLE_DTYPE

TABLE_BITS: Final = 15
"""Slots of the table as a power of two: 32,768 of 16 bytes each."""
FEWEST_TABLE_BITS: Final = 4
NO_VALUE: Final = -32768
"""What a batch holds in place of an action that is not legal."""
_PARTS_A_THREAD: Final = 4

Ints = npt.NDArray[np.int64]
Answers = npt.NDArray[np.int32]
NO_GOALS: Final[Ints] = np.zeros((0, 0), np.int64)
NO_WAYS: Final[Ints] = np.zeros((0, 0), np.int64)


class _Desk(threading.local):
    """What one thread searches with."""

    def __init__(self) -> None:
        self.nodes = np.zeros(1, NODE_DTYPE)
        self.tables = np.zeros(1, TABLE_DTYPE)
        self.rooms = np.zeros(1, STATE_DTYPE)


_desk: Final = _Desk()


@functools.cache
def _pool(process: int, threads: int) -> ThreadPoolExecutor:
    """The threads of a process: a forked child has none of its parent's."""
    return ThreadPoolExecutor(threads, "thousand_env_solver")


def ask(
    task: int,
    games: Sequence[Game],
    width: int,
    *,
    goals: Ints = NO_GOALS,
    ways: Ints = NO_WAYS,
    starts: Ints | None = None,
    threads: int | None = 1,
    table_bits: int | None = None,
) -> Answers:
    """Answers int32 ``[len(games), width]`` of ``kernels.solve_rows``, with ``NO_VALUE`` where it writes nothing."""
    count = len(games)
    bits = TABLE_BITS if table_bits is None else check_table_bits(table_bits)
    wanted = available_cores() if threads is None else whole_number("threads", threads, 1024)
    answers = np.full((count, width), NO_VALUE, np.int32)
    if not count:
        return answers
    states = np.frombuffer(b"".join([game._memory for game in games]), STATE_DTYPE)
    rules, which = _packed_rules(games)
    if starts is None:
        starts = np.zeros(count + 1, np.int64)

    def run(first: int, last: int) -> None:
        desk = _desk
        desk.nodes["table_mask"] = (1 << bits) - 1
        kernels.solve_rows(
            task,
            states,
            rules,
            which,
            goals,
            ways,
            starts,
            desk.nodes,
            desk.tables,
            desk.rooms,
            answers,
            first,
            last,
        )

    parts = min(count, wanted * _PARTS_A_THREAD)
    if wanted == 1 or parts == 1:
        run(0, count)
        return answers
    bounds = [count * place // parts for place in range(parts + 1)]
    futures = [_pool(os.getpid(), wanted).submit(run, *bounds[place : place + 2]) for place in range(parts)]
    for future in futures:
        future.result()
    return answers


def check_table_bits(bits: Any) -> int:
    """``table_bits``, or ``ValueError`` naming it."""
    number = whole_number("table_bits", bits, MOST_TABLE_BITS)
    if number < FEWEST_TABLE_BITS:
        raise ValueError(f"table_bits={bits!r} is not accepted: use {FEWEST_TABLE_BITS} to {MOST_TABLE_BITS}")
    return number


def check_games(games: Any, phase: str, asked: str) -> list[Game]:
    """The games as a list, or ``TypeError`` for what is none and ``ValueError`` for one in another phase."""
    found = list(games)
    for game in found:
        if not isinstance(game, Game):
            raise TypeError(f"{asked} needs a Game with all cards open, not {type(game).__name__}")
        if game.phase != phase:
            raise ValueError(f"{asked} needs a game in phase {phase!r}: this one is in phase {game.phase!r}")
    return found


def _packed_rules(games: Sequence[Game]) -> tuple[npt.NDArray[Any], Ints]:
    """The different rules of some games as records, and which of them each game has."""
    first = games[0].rules
    if all(game.rules is first for game in games):
        return pack_rules(first), np.zeros(len(games), np.int64)
    places = {rules: place for place, rules in enumerate(dict.fromkeys(game.rules for game in games))}
    records = np.concatenate([pack_rules(rules) for rules in places])
    return records, np.array([places[game.rules] for game in games], np.int64)
