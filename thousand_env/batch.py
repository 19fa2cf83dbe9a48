"""``GameBatch``: many games of one rule set in compiled code, in threads, with buffers that are reused.

The ground on which the batched environments stand. It knows rows, rewards and episodes, and nothing of agents, seats of
learners or reset modes.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from thousand_env.actions import NUM_ACTIONS, IllegalActionError, action_name
from thousand_env.engine import batch as kernels
from thousand_env.engine.batch import BOOK_DTYPE, SWITCHES_DTYPE, TURN_DTYPE
from thousand_env.engine.carry import CARRY_DTYPE
from thousand_env.engine.forms import FLOATS_DTYPE, MASK_DTYPE, STATE_FLOATS_DTYPE
from thousand_env.engine.observe import OBSERVATION_DTYPE, STATE_ROW_DTYPE
from thousand_env.engine.state import EPISODES, OVER, STATE_DTYPE
from thousand_env.episodes import Episodes
from thousand_env.game import Game
from thousand_env.keywords import as_rules, available_cores, flag, one_of, whole_number
from thousand_env.observation import HISTORY_SIZE, OBSERVATION, STATE, rules_block
from thousand_env.rewards import REWARDS
from thousand_env.rules import Rules
from thousand_env.rules_record import pack_rules
from thousand_env.starts import NO_STARTS, Start, draw_starts

OBSERVATION_DTYPES: Final = ("float32", "int8")
MOST_ENVS: Final = 1 << 24
ROWS_A_THREAD: Final = 256
"""Fewer rows are not worth the 50 microseconds that handing them to a thread takes."""
_START_TAG: Final = 0x7374617274
_NAMED_ROWS: Final = 5

Ints = npt.NDArray[np.int64]
ALL_ROWS: Final[Ints] = np.zeros(0, np.int64)
_NO_ACTIONS: Final[Ints] = np.zeros(0, np.int64)


def batch_from_keywords(
    num_envs: int,
    rules: Rules | str | Mapping[str, Any] | None,
    episode: str,
    reward: str,
    *,
    num_threads: int | None,
    observation_dtype: str,
    state: bool,
    history: bool,
    start: Start | None,
    skip_forced: bool,
) -> GameBatch:
    """A batch as users ask for it, with what ``VectorEnv`` says of these keywords. ``ValueError`` names the first value
    that is not accepted."""
    if start is not None and not callable(start):
        raise ValueError(f"start={start!r} is not accepted: use a callable (rng, n) -> scores, bolts, barrel, dealer")
    threads = available_cores() if num_threads is None else whole_number("num_threads", num_threads, 1024)
    return GameBatch(
        whole_number("num_envs", num_envs, MOST_ENVS),
        as_rules(rules),
        one_of("episode", episode, EPISODES),
        one_of("reward", reward, REWARDS),
        num_threads=threads,
        observation_dtype=one_of("observation_dtype", observation_dtype, OBSERVATION_DTYPES),
        state=flag("state", state),
        history=flag("history", history),
        start=start,
        skip_forced=flag("skip_forced", skip_forced),
    )


class GameBatch:
    """``num`` games. Row ``i`` is the environment with the seed ``env_seed(seed, i)``.

    ``observation`` [N, K], ``state`` [N, M] and ``history`` [N, H] (None unless asked for), ``action_mask`` int8
    [N, 130], ``seat`` int8 [N], ``reward`` float32 [N, n] and ``ended`` bool [N] belong to the batch, and every call
    writes the rows that it is about. Observation and state are those of the seat to act.
    """

    def __init__(
        self,
        num: int,
        rules: Rules,
        episode: str,
        reward: str,
        *,
        num_threads: int,
        observation_dtype: str = "float32",
        state: bool = False,
        history: bool = False,
        start: Start | None = None,
        skip_forced: bool = False,
    ) -> None:
        self.options: Final[dict[str, Any]] = {
            "num": num,
            "rules": rules,
            "episode": episode,
            "reward": reward,
            "num_threads": num_threads,
            "observation_dtype": observation_dtype,
            "state": state,
            "history": history,
            "start": start,
            "skip_forced": skip_forced,
        }
        self.rules: Final = rules
        self.num: Final = num
        self.states: Final = np.zeros(num, STATE_DTYPE)
        self.states["episode"] = EPISODES.index(episode)
        self.books: Final = np.zeros(num, BOOK_DTYPE)
        self.turns: Final = np.zeros(num, TURN_DTYPE)
        self.books["episode"] = -1
        self._carries = np.zeros(num, CARRY_DTYPE)
        self.rng = np.random.default_rng()  # what ``start`` draws from
        self._start = start
        self._episode = episode
        self._num_threads = num_threads
        self._pool: tuple[int, ThreadPoolExecutor] | None = None
        self._make_buffers(observation_dtype, state, history)
        fixed = (REWARDS.index(reward), skip_forced)
        wanted = (observation_dtype == "float32", state, history)
        self._switches = {
            (command, some): np.array([(command, *fixed, some, *wanted)], SWITCHES_DTYPE)
            for command in (kernels.STEP, kernels.BEGIN, kernels.DESCRIBE)
            for some in (False, True)
        }

    def _make_buffers(self, dtype: str, state: bool, history: bool) -> None:
        num = self.num
        self.observation = np.zeros((num, OBSERVATION.size), dtype)
        self.state = np.zeros((num, STATE.size), dtype) if state else None
        self.history = np.full((num, HISTORY_SIZE), -1, np.int16) if history else None
        self.action_mask = np.zeros((num, NUM_ACTIONS), np.int8)
        self.seat = np.zeros(num, np.int8)
        self.reward = np.zeros((num, self.rules.players), np.float32)
        self.ended = np.zeros(num, np.bool_)
        self._outputs = (
            *_rows_of(self.observation, OBSERVATION_DTYPE, FLOATS_DTYPE),
            *_rows_of(self.state, STATE_ROW_DTYPE, STATE_FLOATS_DTYPE),
            np.zeros((0, 0), np.int16) if self.history is None else self.history,
            self.action_mask.view(MASK_DTYPE).reshape(num),
            self.seat,
            self.reward.reshape(-1),
            self.ended,
        )

    # Copies

    def __getstate__(self) -> dict[str, Any]:
        return {
            "options": self.options,
            "states": self.states,
            "books": self.books,
            "turns": self.turns,
            "rng": self.rng,
        }

    def __setstate__(self, saved: dict[str, Any]) -> None:
        self.__init__(**saved["options"])  # type: ignore[misc]
        self.states[:], self.books[:], self.turns[:] = saved["states"], saved["books"], saved["turns"]
        self.rng = saved["rng"]
        self.describe()

    def describe(self) -> None:
        """Write observation, state, history, mask and seat anew, of all rows whose episode is going on."""
        kernels.make_carries(self.states, pack_rules(self.rules), self._carries)
        rows = np.flatnonzero((self.books["episode"] >= 0) & (self.states["phase"] != OVER))
        if len(rows):
            self._run(kernels.DESCRIBE, rows, len(rows))

    # Playing

    def seed(self, seed: int) -> None:
        """Every row is before its first episode; ``begin`` must follow."""
        kernels.seed_rows(self.books, np.uint64(seed))
        self.rng = start_rng(seed)

    def seed_row(self, row: int, seed: int) -> None:
        """One row alone: it is then before the first episode of a single environment with this seed."""
        self.books["seed"][row] = seed
        self.books["episode"][row] = -1

    def begin(self, rows: Ints = ALL_ROWS) -> None:
        """Begin the next episodes of some rows, each row named once."""
        count = len(rows) if len(rows) else self.num
        starts = NO_STARTS if self._start is None else draw_starts(self._start, self.rng, self.rules, count)
        self._run(kernels.BEGIN, rows, count, starts=starts)

    def begin_with(self, options: Mapping[str, Any], rows: Ints) -> None:
        """Begin the next episodes of some rows with options of a reset; ``describe`` must follow.

        Such an episode may be over at once, which ``begin`` passes over. Errors: see ``Episodes.begin``.
        """
        for row in rows.tolist():
            book = self.books[row]
            episodes = Episodes(self.rules, self._episode, int(book["seed"]), int(book["episode"]))
            self.states[row] = episodes.begin(None, options)._states[0]
            book["episode"], book["returns"], self.turns["length"][row] = episodes.number, 0, 0
            book["scores"] = self.states[row]["scores"]

    def step(self, actions: Ints, rows: Ints = ALL_ROWS) -> int:
        """Play a legal action in each of some rows, each row named once; how many have ended by it."""
        return self._run(kernels.STEP, rows, len(actions), actions)

    def illegal(self, actions: Ints, rows: Ints = ALL_ROWS) -> Ints:
        """The places of the actions, any int64, that are not legal; masks that were handed out do not count."""
        found = np.zeros(len(actions), np.int64)
        return found[: kernels.find_illegal(self.turns, rows, actions, found)]

    def allows(self, row: int, action: int) -> bool:
        """Whether an action, 0..129, is legal in a row."""
        return bool(int(self.turns["legal"][row, action >> 6]) >> (action & 63) & 1)

    def check(self, actions: Ints, rows: Ints = ALL_ROWS) -> None:
        """``IllegalActionError`` naming rows whose action, any int64, is not legal."""
        found = np.zeros(_NAMED_ROWS, np.int64)
        illegal = kernels.find_illegal(self.turns, rows, actions, found)
        if not illegal:
            return
        refused = []
        for place in found[:illegal].tolist():
            row, action = int(rows[place]) if len(rows) else place, int(actions[place])
            legal = ", ".join(str(each) for each in range(NUM_ACTIONS) if self.allows(row, each))
            name = f" ({action_name(action, self.rules)})" if 0 <= action < NUM_ACTIONS else ""
            refused.append(f"row {row}: action {action}{name}, legal are {legal}")
        more = f"; and {illegal - len(refused)} more rows" if illegal > len(refused) else ""
        raise IllegalActionError(f"illegal actions, nothing was played: {'; '.join(refused)}{more}")

    def finals(self, rows: Ints) -> tuple[npt.NDArray[Any], npt.NDArray[Any] | None]:
        """New arrays: what each seat sees at the end of the episodes of some rows, [F, n, K], and the states [F, M]."""
        count, players = len(rows), self.rules.players
        seen = np.zeros((count * players, OBSERVATION.size), self.observation.dtype)
        whole = None if self.state is None else np.zeros((count, STATE.size), self.state.dtype)
        kernels.final_rows(
            self.states,
            pack_rules(self.rules),
            rules_block(self.rules),
            self._carries,
            rows,
            *_rows_of(seen, OBSERVATION_DTYPE, FLOATS_DTYPE),
            *_rows_of(whole, STATE_ROW_DTYPE, STATE_FLOATS_DTYPE),
        )
        return seen.reshape(count, players, OBSERVATION.size), whole

    def game(self, row: int) -> Game:
        """A copy of one game, as a match that begins with its current deal."""
        return Game.from_record(self.rules, self.states[row].tobytes())

    def _run(
        self,
        command: int,
        rows: Ints,
        count: int,
        actions: Ints = _NO_ACTIONS,
        starts: npt.NDArray[np.void] = NO_STARTS,
    ) -> int:
        switches = self._switches[command, len(rows) > 0]
        rules, block = pack_rules(self.rules), rules_block(self.rules)

        def run(first: int, last: int) -> int:
            ended: int = kernels.run_rows(
                switches,
                self.states,
                rules,
                block,
                self.books,
                self._carries,
                self.turns,
                rows,
                first,
                last,
                actions,
                starts,
                *self._outputs,
            )
            return ended

        return self._spread(run, count)

    def _spread(self, run: Callable[[int, int], int], count: int) -> int:
        """Run a function over ranges of places, one range a thread; the sum of what it gives."""
        ranges = max(1, min(self._num_threads, count // ROWS_A_THREAD))
        if ranges == 1:
            return run(0, count)
        bounds = [count * place // ranges for place in range(ranges + 1)]
        pool = self._threads()
        others: list[Future[int]] = []
        try:
            for each in itertools.pairwise(bounds[1:]):
                others.append(pool.submit(run, *each))  # noqa: PERF401, an interrupted list would be lost
            done = run(0, bounds[1])
        finally:
            _wait_for(others)
        return done + sum(other.result() for other in others)

    def _threads(self) -> ThreadPoolExecutor:
        """The threads of this process: a forked child has none of its parent's."""
        if self._pool is None or self._pool[0] != os.getpid():
            self._pool = (os.getpid(), ThreadPoolExecutor(self._num_threads - 1, "thousand_env"))
        return self._pool[1]


def start_rng(seed: int, spawned: int = 0) -> np.random.Generator:
    """What the ``start`` of a batch with this seed draws from, after it has spawned so many generators."""
    sequence = np.random.SeedSequence([seed, _START_TAG], n_children_spawned=spawned)
    return np.random.Generator(np.random.PCG64(sequence))


def _wait_for(futures: list[Future[int]]) -> None:
    """Until all of them are done, whatever interrupts: rows must not be stepped behind the back of who goes on."""
    interrupt: BaseException | None = None
    while any(not future.done() for future in futures):
        try:
            wait(futures)
        except BaseException as error:
            interrupt = error
    if interrupt is not None:
        raise interrupt


def _rows_of(
    array: npt.NDArray[Any] | None, integers: np.dtype[np.void], floats: np.dtype[np.void]
) -> tuple[npt.NDArray[np.void], npt.NDArray[np.void]]:
    """An array [N, size] as rows of integers and as rows of floats, one of which has none; None is none of both."""
    no_integers, no_floats = np.zeros(0, integers), np.zeros(0, floats)
    if array is None:
        return no_integers, no_floats
    if array.dtype == np.int8:
        return array.view(integers).reshape(-1), no_floats
    return no_integers, array.view(floats).reshape(-1)
