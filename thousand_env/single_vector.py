"""``gymnasium.make_vec("Thousand-v0")``: many tables with one learner each, in one call.

The games are stepped by compiled code in threads, and opponents that can act in batches do. Each row is what
``SingleSeatEnv`` is with the seed of that row.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Unpack

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces, vector
from gymnasium.error import ResetNeeded
from gymnasium.vector.utils import batch_space

from thousand_env.actions import NUM_ACTIONS
from thousand_env.agents import Agent
from thousand_env.batch import MOST_ENVS, GameBatch
from thousand_env.engine.state import NOBODY, OVER
from thousand_env.episodes import RESET_OPTIONS, Episodes
from thousand_env.game import Game
from thousand_env.keywords import available_cores, flag, one_of, whole_number
from thousand_env.observation import history
from thousand_env.opponents import MOST_ACTIONS, NEVER_ASKED, BatchOpponents, OpponentError, learner_seat
from thousand_env.render.ansi import render
from thousand_env.rewards import earned
from thousand_env.seeding import check_seed, env_seed, random_seed
from thousand_env.settings import ILLEGAL_REWARD, Keywords, Settings
from thousand_env.single import DEFAULT_OPPONENT, PATIENCE, as_seat

try:
    from gymnasium.vector import AutoresetMode
except ImportError:
    raise ImportError(
        f'gymnasium.make_vec("Thousand-v0") needs gymnasium 1.1 or newer, and this is {gymnasium.__version__}'
    ) from None

FRAME_MODES: Final = ("ansi", "rgb_array")

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Observations = npt.NDArray[np.float32] | dict[str, npt.NDArray[Any]]
"""float32 ``[N, K]``, or ``observation`` of it, ``action_mask`` int8 ``[N, 130]`` and perhaps ``history`` int16."""
Infos = dict[str, Any]


class SingleSeatVectorEnv(vector.VectorEnv[Any, Any, Any]):
    """``num_envs`` tables with one learner each; most keywords are those of ``SingleSeatEnv``.

    Row ``i`` of ``reset(seed=s)`` plays what ``SingleSeatEnv`` plays after ``reset(seed=env_seed(s, i))``, and of a
    list of seeds what it plays after ``reset(seed=seeds[i])``: the same observations, masks, rewards and ends, bit for
    bit and whatever the number of threads, for all opponents but those that one agent plays in all rows, see below.

    ``opponents``: as in ``SingleSeatEnv``. An agent with ``act_batch`` is asked once for all rows that wait for it. It
    plays its place in all rows, named or not, and so does every ``Agent`` that is given as an object; such an agent is
    reset by a ``reset`` of all rows alone, with the seed that row 0 has for it, and should remember nothing of an
    episode. Its choices can be repeated, but if it draws numbers they are not those of ``SingleSeatEnv``. Each other
    agent given by name plays in one row and is reset for each episode: the rows have copies of a new one.

    ``autoreset_mode``: what follows the end of an episode, a value of ``gymnasium.vector.AutoresetMode`` or its text.
    ``"SameStep"``: ``step`` gives the first observation of the next episode, and ``infos`` have ``final_obs`` and
    ``final_info`` as in ``gymnasium.vector.SyncVectorEnv``. ``"NextStep"``: it gives the last observation; the next
    ``step`` begins an episode in that row, whatever its action, with reward 0. ``"Disabled"``: it gives the last
    observation, and the row must be reset with ``reset(options={"reset_mask": ...})``. ``metadata["autoreset_mode"]``
    says which. Gymnasium's wrappers that change observations refuse ``"SameStep"``.

    There is no ``max_episode_steps``: the option ``max_deals`` of the rules cuts matches off.

    ``num_threads``: of the compiled code, None for as many as there are cores. ``copy``: give new arrays with every
    call; with False observations and masks are the environment's own, and the next call writes over them. The
    ``render_mode`` ``"human"`` is for one table and not accepted. Copies and pickles have copies of the opponents and
    go on identically. ``ValueError`` names a keyword's value that is not accepted.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012
        "name": "Thousand-v0",
        "render_modes": list(FRAME_MODES),
        "render_fps": 2,
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
        *,
        seat: int | None = 0,
        opponents: str | Agent | Sequence[str | Agent] = DEFAULT_OPPONENT,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        num_threads: int | None = None,
        copy: bool = True,
        **keywords: Unpack[Keywords],
    ) -> None:
        keywords.setdefault("illegal", "terminate")
        settings = self.settings = Settings(**keywords)
        one_of("render_mode", settings.render_mode, (None, *FRAME_MODES))
        self.num_envs = whole_number("num_envs", num_envs, MOST_ENVS)
        threads = available_cores() if num_threads is None else whole_number("num_threads", num_threads, 1024)
        self.rules: Final = settings.rules
        self.render_mode = settings.render_mode
        self.autoreset_mode: Final = _as_mode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self._copy: Final = flag("copy", copy)
        self._fixed_seat: Final = as_seat(seat, self.rules.players)
        self._opponents: Final = BatchOpponents(opponents, self.rules.players, self.num_envs)
        self._games: Final = GameBatch(
            self.num_envs,
            self.rules,
            settings.episode,
            settings.reward,
            num_threads=threads,
            history=settings.history,
        )
        self.single_action_space = spaces.Discrete(NUM_ACTIONS)
        self.single_observation_space = settings.observation_space()
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self._begun = False
        self._seats = np.zeros(self.num_envs, np.int64)
        self._paid = np.zeros((self.num_envs, self.rules.players), np.int64)  # scores that the learners were paid for
        self._ended = np.zeros(self.num_envs, np.bool_)

    @property
    def seats(self) -> npt.NDArray[np.int64]:
        """The learner's seat in each row, a new int64 array ``[N]``. ``ResetNeeded`` before the first reset."""
        self._check_begun()
        return self._seats.copy()

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]
        """The seed of each row, as ``SingleSeatEnv.reset`` takes it. ``ResetNeeded`` before the first reset."""
        self._check_begun()
        return tuple(self._games.books["seed"].tolist())

    def game(self, row: int) -> Game:
        """A copy of the game of a row, with open cards, as a match that begins with its current deal.

        For critics, records and tests, not for the learner. ``ResetNeeded`` before the first reset.
        """
        self._check_begun()
        return self._games.game(range(self.num_envs)[row])

    # Playing

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observations, Infos]:
        """Begin the next episode in every row, or the first one of a seed, at the learner's first decision.

        ``seed``: 0 to 2**64 - 1, of which row ``i`` gets ``env_seed(seed, i)``, or one for each row, None to go on.
        ``options``: those of ``SingleSeatEnv.reset``, for every row alike, and ``reset_mask``, a bool array ``[N]``
        that is True for the rows to be reset; the others are given as they are. ``ValueError`` for bad ones, and if a
        learner has nothing to decide in 100 episodes one after another; ``ResetNeeded`` for a mask before all rows
        have been reset. After an error the games are where they were; opponents may not be.
        """
        rows = self._rows_to_reset(options)
        if isinstance(options, Mapping):
            options = {key: _kept(value) for key, value in options.items() if key != "reset_mask"}
        if options is not None:
            Episodes(self.rules, self.settings.episode).begin(0, options)  # warns and raises
        known = {key: options[key] for key in RESET_OPTIONS if options.get(key) is not None} if options else {}
        seeds = self._row_seeds(seed)
        with self._undone_by_errors():
            for row in rows.tolist():
                if (own := seeds[row]) is not None:
                    self._games.seed_row(row, own)
            self._begin(rows, known, is_all=len(rows) == self.num_envs)
            self._begun = True
        if seed is not None or self._np_random is None:
            super().reset(seed=self.np_random_seed[0])
        return self._observations(), self._infos(rows)

    def _rows_to_reset(self, options: Any) -> Ints:
        if not isinstance(options, Mapping) or options.get("reset_mask") is None:
            return np.arange(self.num_envs)
        given = options["reset_mask"]
        mask = np.asarray(given)
        if mask.dtype != np.bool_ or mask.shape != (self.num_envs,) or not mask.any():
            raise ValueError(
                f"reset_mask={given!r} is not accepted: use a bool array of shape ({self.num_envs},), not all False"
            )
        if not self._begun and not mask.all():
            raise ResetNeeded("no game has begun: reset all rows before some of them")
        return np.flatnonzero(mask)

    def _row_seeds(self, seed: Any) -> list[int | None]:
        """The seed that each row is given, None for one that goes on."""
        if seed is None and self._begun:
            return [None] * self.num_envs
        root = random_seed() if seed is None or np.ndim(seed) else check_seed(seed)
        drawn = [env_seed(root, row) for row in range(self.num_envs)]
        if seed is None or np.ndim(seed) == 0:
            return [*drawn]
        if np.shape(seed) != (self.num_envs,):
            raise ValueError(f"seed={seed!r} is not accepted: use one seed, or a list of one for each row")
        return [
            (None if self._begun else drawn[row]) if each is None else check_seed(each) for row, each in enumerate(seed)
        ]

    def _begin(self, rows: Ints, options: Mapping[str, Any], *, is_all: bool = False) -> None:
        """Begin the next episodes in which the learners have something to decide, and play up to there."""
        games = self._games
        for _ in range(PATIENCE):
            self._ended[rows] = False
            self._deal(rows, options)
            seeds, numbers = games.books["seed"][rows].tolist(), games.books["episode"][rows].tolist()
            self._seats[rows] = [
                learner_seat(root, number, self.rules.players) if self._fixed_seat is None else self._fixed_seat
                for root, number in zip(seeds, numbers, strict=True)
            ]
            self._paid[rows] = games.states["scores"][rows, : self.rules.players]
            if is_all:
                self._opponents.begin(seeds[0], numbers[0], int(self._seats[0]))
                is_all = False
            for row, root, number in zip(rows.tolist(), seeds, numbers, strict=True):
                self._opponents.begin_row(row, root, number, int(self._seats[row]))
            self._play(rows)
            rows = rows[self._is_over(rows)]
            if not len(rows):
                return
        raise ValueError(
            f"seat={self._fixed_seat!r} with options={options!r} is not accepted: "
            f"the learner had nothing to decide in {PATIENCE} episodes"
        )

    def _deal(self, rows: Ints, options: Mapping[str, Any]) -> None:
        if options:
            self._games.begin_with(options, rows)
            self._describe()
        else:
            self._games.begin(rows)

    def _play(self, rows: Ints) -> None:
        """Play the opponents until each of some rows waits for its learner or is over."""
        games = self._games
        for _ in range(MOST_ACTIONS):
            rows = rows[~self._is_over(rows)]
            rows = rows[games.seat[rows] != self._seats[rows]]
            if not len(rows):
                return
            games.step(self._opponents.choose(games, rows, self._seats[rows]), rows)
        raise OpponentError(NEVER_ASKED)

    def _is_over(self, rows: Ints) -> Bools:
        is_over: Bools = self._games.states["phase"][rows] == OVER
        return is_over

    def step(self, actions: npt.ArrayLike) -> tuple[Observations, npt.NDArray[np.float64], Bools, Bools, Infos]:
        """Play the learners' actions, integers ``[N]``, and the opponents until the learners' next decisions or ends.

        Rewards float64 ``[N]``, terminated and truncated bool ``[N]`` are those of ``SingleSeatEnv.step`` in each row.

        ``ValueError`` for actions of another shape or type; ``IllegalActionError`` naming rows whose action is illegal,
        with ``illegal="raise"``; ``OpponentError`` if an opponent fails; ``ResetNeeded`` before ``reset``, and with
        autoreset disabled while a row is over. After an error the games are where they were; opponents may not be.
        """
        self._check_begun()
        chosen = self._as_actions(actions)
        resting = np.flatnonzero(self._ended)
        if len(resting) and self.autoreset_mode is AutoresetMode.DISABLED:
            some = f"{resting[:5].tolist()}{'' if len(resting) <= 5 else f' and {len(resting) - 5} more'}"
            raise ResetNeeded(f"rows {some} are over: reset them with options={{'reset_mask': ...}} before step()")
        is_illegal = np.zeros(self.num_envs, np.bool_)
        is_illegal[self._games.illegal(chosen)] = True
        legal, illegal = np.flatnonzero(~is_illegal & ~self._ended), np.flatnonzero(is_illegal & ~self._ended)
        if self.settings.illegal == "raise" and len(illegal):
            self._games.check(chosen[illegal], illegal)
        rewards = np.zeros(self.num_envs)
        terminated, truncated = np.zeros(self.num_envs, np.bool_), np.zeros(self.num_envs, np.bool_)
        infos: Infos = {}
        with self._undone_by_errors():
            if len(legal):
                self._games.step(chosen[legal], legal)
                self._play(legal)
                self._pay(legal, rewards)
                over = legal[self._is_over(legal)]
                truncated[over] = self._games.states["truncated"][over] != 0
                terminated[over] = ~truncated[over]
            rewards[illegal] = ILLEGAL_REWARD
            if self.settings.illegal == "terminate":
                terminated[illegal] = True
            ended = np.flatnonzero(terminated | truncated)
            self._ended[ended] = True
            self._show_ends(ended)
            if self.autoreset_mode is AutoresetMode.SAME_STEP and len(ended):
                infos = self._finals(ended)
                self._begin(ended, {})
            elif len(resting):
                self._begin(resting, {})
        return self._observations(), rewards, terminated, truncated, infos | self._infos(np.arange(self.num_envs))

    def _as_actions(self, actions: npt.ArrayLike) -> Ints:
        given = np.asarray(actions)
        if given.shape != (self.num_envs,) or given.dtype.kind not in "iu":
            what = f"{given.dtype} of shape {given.shape}"
            raise ValueError(f"actions are {what}: they must be integers of shape ({self.num_envs},)")
        return given.astype(np.int64)

    def _pay(self, rows: Ints, rewards: npt.NDArray[np.float64]) -> None:
        """Write what the learners of some rows have earned since they were last paid."""
        states = self._games.states
        change = states["scores"][rows, : self.rules.players] - self._paid[rows]
        for place in np.flatnonzero(change.any(axis=1) | self._is_over(rows)).tolist():
            row = int(rows[place])
            winner = int(states["winner"][row])
            by_seat = earned(
                self.settings.reward,
                change[place],
                episode=self.settings.episode,
                winner=None if winner == NOBODY else winner,
                is_over=bool(states["phase"][row] == OVER),
                truncated=bool(states["truncated"][row]),
            )
            rewards[row] = by_seat[self._seats[row]]
        self._paid[rows] += change

    # What is given

    def action_masks(self) -> npt.NDArray[np.int8]:
        """A new int8 array ``[N, 130]`` with 1 for each legal action, all 0 in a row that is over."""
        self._check_begun()
        return self._games.action_mask.copy()

    def _show_ends(self, rows: Ints) -> None:
        """Write what the learners see at the end of some rows over the last position of these."""
        games = self._games
        games.action_mask[rows] = 0
        over = rows[self._is_over(rows)]
        if not len(over):
            return
        games.observation[over] = games.finals(over)[0][np.arange(len(over)), self._seats[over]]
        if games.history is not None:
            for row in over.tolist():
                games.history[row] = history(games.game(row).view(int(self._seats[row])))

    def _observations(self) -> Observations:
        games = self._games
        if self.settings.flat_observation:
            return games.observation.copy() if self._copy else games.observation
        parts: dict[str, npt.NDArray[Any]] = {"observation": games.observation, "action_mask": games.action_mask}
        if games.history is not None:
            parts["history"] = games.history
        return {name: each.copy() for name, each in parts.items()} if self._copy else parts

    def _infos(self, rows: Ints) -> Infos:
        """What Gymnasium makes of the infos of some rows."""
        if not self.settings.mask_in_info:
            return {}
        masks = np.zeros_like(self._games.action_mask)
        masks[rows] = self._games.action_mask[rows]
        return {"action_mask": masks, "_action_mask": self._flags(rows)}

    def _finals(self, rows: Ints) -> Infos:
        """What Gymnasium makes of the last observations and infos of some rows."""
        games = self._games
        observations = np.full(self.num_envs, None, object)
        for row in rows.tolist():
            seen: Any = games.observation[row].copy()
            if not self.settings.flat_observation:
                seen = {"observation": seen, "action_mask": games.action_mask[row].copy()}
                if games.history is not None:
                    seen["history"] = games.history[row].copy()
            observations[row] = seen
        infos = {"final_obs": observations, "_final_obs": self._flags(rows)}
        return infos | {"final_info": self._infos(rows), "_final_info": self._flags(rows)}

    def _flags(self, rows: Ints) -> Bools:
        flags = np.zeros(self.num_envs, np.bool_)
        flags[rows] = True
        return flags

    def render(self) -> tuple[Any, ...] | None:
        """The tables as the render mode says, for each row a str or an array uint8 ``[height, width, 3]``."""
        self._check_begun()
        if self.render_mode is None:
            gymnasium.logger.warn('render() shows nothing without a render_mode: make the environment with "ansi"')
            return None
        positions = [self._position(row) for row in range(self.num_envs)]
        if self.render_mode == "ansi":
            names = [self._opponents.names_by_seat(seat, "learner") for seat in self._seats.tolist()]
            return tuple(render(each, names=by_seat) for each, by_seat in zip(positions, names, strict=True))
        from thousand_env.render.picture import rgb_array

        return tuple(rgb_array(each) for each in positions)

    def _position(self, row: int) -> Any:
        game = self._games.game(row)
        return game if self.settings.open_cards else game.view(int(self._seats[row]))

    # Errors and copies

    def _check_begun(self) -> None:
        if not self._begun:
            raise ResetNeeded("no game has begun: call reset() first")

    @contextlib.contextmanager
    def _undone_by_errors(self) -> Iterator[None]:
        """What is raised inside leaves the games as they were."""
        games, rows = self._games, (self._seats, self._paid, self._ended)
        saved = [each.copy() for each in (games.states, games.books, games.turns, *rows)]
        try:
            yield
        except BaseException:
            for each, before in zip((games.states, games.books, games.turns, *rows), saved, strict=True):
                each[:] = before
            self._describe()
            raise

    def _describe(self) -> None:
        """Write all buffers anew from the games."""
        self._games.describe()
        self._show_ends(np.flatnonzero(self._ended))

    def __setstate__(self, saved: dict[str, Any]) -> None:
        self.__dict__.update(saved)
        self._describe()


def _as_mode(value: Any) -> AutoresetMode:
    for mode in AutoresetMode:
        if value is mode or (isinstance(value, str) and value == mode.value):
            return mode
    accepted = ", ".join(repr(mode.value) for mode in AutoresetMode)
    raise ValueError(f"autoreset_mode={value!r} is not accepted: use one of {accepted}, or gymnasium's AutoresetMode")


def _kept(value: Any) -> Any:
    """An option's value that can be read for every row: an iterator as a list."""
    return list(value) if isinstance(value, Iterator) else value
