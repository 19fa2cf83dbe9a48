"""``VectorEnv``: many games in one call, for self-play. Every row is a game, and every step a decision in each of them.

There is no learner and no opponent here: whoever trains chooses for all seats, and ``seat`` says for which one in each
row. For one learner against given agents see ``gymnasium.make_vec("Thousand-v0")``.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from gymnasium import spaces, vector

from thousand_env.actions import NUM_ACTIONS, IllegalActionError
from thousand_env.batch import ALL_ROWS, batch_from_keywords
from thousand_env.game import Game
from thousand_env.keywords import flag
from thousand_env.observation import HISTORY_SIZE, OBSERVATION, STATE
from thousand_env.rules import Rules
from thousand_env.saved_games import restore_games, save_games
from thousand_env.seeding import check_seed, random_seed
from thousand_env.starts import Start


def autoreset_mode() -> Any:
    """Gymnasium's value for same-step autoreset; versions before 1.1 have none, which leaves its name."""
    mode = getattr(vector, "AutoresetMode", None)
    return "SameStep" if mode is None else mode.SAME_STEP


class Batch(NamedTuple):
    """What a ``reset`` or ``step`` gives, for N rows of n seats and F episodes that have ended.

    =====================  ============  ==========================================================================
    ``observation``        [N, K]        float32 or int8, what the seat to act sees
    ``action_mask``        int8 [N,130]  1 for its legal actions
    ``seat``               int8 [N]      to act
    ``reward``             float32 [N,n] of every seat, by absolute seat, for the action before
    ``terminated``         bool [N]      an episode has ended by the action before
    ``truncated``          bool [N]      it was cut off by ``max_deals``; never with ``terminated``
    ``state``              [N, M]        all cards, relative to the seat to act; None unless asked for
    ``history``            int16 [N, H]  tokens of the current deal, -1 behind the last; None unless asked for
    ``final_index``        int64 [F]     rows whose episode has ended, ascending
    ``final_observation``  [F, n, K]     what each seat sees at the end
    ``final_state``        [F, M]        the state at the end, relative to seat 0; None unless asked for
    ``episode_return``     float64 [F,n] the sum of the rewards, by absolute seat
    ``episode_length``     int64 [F]     decisions, skipped ones included
    ``winner``             int8 [F]      absolute seat of who has won the match, or -1, as always in deal episodes
    =====================  ============  ==========================================================================

    Where an episode has ended, the fields by row show the first decision of the next one. Fields by row belong to the
    environment, unless it copies; the ``final_`` and ``episode_`` fields are new arrays each time.
    """

    observation: npt.NDArray[Any]
    action_mask: npt.NDArray[np.int8]
    seat: npt.NDArray[np.int8]
    reward: npt.NDArray[np.float32]
    terminated: npt.NDArray[np.bool_]
    truncated: npt.NDArray[np.bool_]
    state: npt.NDArray[Any] | None
    history: npt.NDArray[np.int16] | None
    final_index: npt.NDArray[np.int64]
    final_observation: npt.NDArray[Any]
    final_state: npt.NDArray[Any] | None
    episode_return: npt.NDArray[np.float64]
    episode_length: npt.NDArray[np.int64]
    winner: npt.NDArray[np.int8]


class VectorEnv:
    """N games stepped at once by compiled code, in threads.

    Args:
        num_envs: number of games N.
        rules: a ``Rules``, the name of a preset, a dict of options, or None for the default.
        episode: ``"match"``, or ``"deal"`` for episodes of one scored deal.
        reward: ``"relative"``, ``"score"`` or ``"win"``, see ``thousand_env.rewards``.
        seed: 0 to 2**64 - 1, None for a random one. Row i plays what a single environment with the seed
            ``env_seed(seed, i)`` plays, whatever the number of threads.
        num_threads: None for as many as there are cores. Small batches use fewer.
        observation_dtype: ``"float32"`` as everywhere else, or ``"int8"``, a quarter of the memory and up to twice as
            fast: the integers of the layout, of which ``v / thousand_env.observation.scales(K)`` is the float32 form.
            The state has the same.
        state: also give the state for critics.
        history: also give the tokens of the current deal.
        start: ``start(rng, n) -> scores, bolts, barrel, dealer`` for the sheets of n new episodes: integers [n, seats],
            ``barrel`` the attempts used or -1 for off it, ``dealer`` [n]; each may be None as in ``ScoreSheet.start``.
        skip_forced: decisions with one legal action are played at once, 200 in a row at most, and what they earn is
            added to the row. At the start of an episode one that would end it is not skipped.
        copy: give new arrays with every call. By default the arrays of a ``Batch`` are the environment's own and the
            next call writes over them: copy what you keep.

    Attributes: ``num_envs``, ``num_players`` n, ``rules``, ``seed``, ``single_observation_space``,
    ``single_action_space``, ``single_state_space`` (None unless asked for), ``single_history_space``.

    An episode that ends is followed by the next one in the same step (``metadata["autoreset_mode"]``). The environment
    can be copied and pickled at any time. ``ValueError`` names an argument that is not accepted.
    """

    metadata: ClassVar[Mapping[str, Any]] = {"name": "thousand_v0", "autoreset_mode": autoreset_mode()}

    def __init__(
        self,
        num_envs: int,
        rules: Rules | str | Mapping[str, Any] | None = None,
        episode: str = "match",
        reward: str = "relative",
        seed: int | None = None,
        num_threads: int | None = None,
        observation_dtype: str = "float32",
        state: bool = False,
        history: bool = False,
        start: Start | None = None,
        skip_forced: bool = False,
        copy: bool = False,
    ) -> None:
        self._seed = None if seed is None else check_seed(seed)
        self._copy = flag("copy", copy)
        self._games = batch_from_keywords(
            num_envs,
            rules,
            episode,
            reward,
            num_threads=num_threads,
            observation_dtype=observation_dtype,
            state=state,
            history=history,
            start=start,
            skip_forced=skip_forced,
        )
        self.num_envs: Final = self._games.num
        self.rules: Final = self._games.rules
        self.num_players: Final = self.rules.players
        self._ready = False
        self._is_seeded = False
        self._truncated = np.zeros(self.num_envs, np.bool_)
        self._terminated = np.zeros(self.num_envs, np.bool_)
        self._no_finals = self._finals(ALL_ROWS)
        self.single_action_space = spaces.Discrete(NUM_ACTIONS)
        self.single_observation_space = self._space(OBSERVATION.size)
        self.single_state_space = self._space(STATE.size) if state else None
        self.single_history_space = spaces.Box(-1, np.iinfo(np.int16).max, (HISTORY_SIZE,), np.int16)

    def _space(self, size: int) -> spaces.Box:
        if self._games.observation.dtype == np.int8:
            return spaces.Box(-127, 127, (size,), np.int8)
        return spaces.Box(-1.0, 1.0, (size,), np.float32)

    @property
    def seed(self) -> int | None:
        """The seed of the rows, None before the first reset of an environment made without one."""
        return self._seed

    def reset(self, seed: int | None = None) -> Batch:
        """Begin an episode in every row: the first of the seed, and without a seed given again the next ones."""
        if seed is not None or not self._is_seeded:
            if seed is not None:
                self._seed = check_seed(seed)
            elif self._seed is None:
                self._seed = random_seed()
            self._games.seed(self._seed)
            self._is_seeded = True
        self._ready = False
        self._games.begin()
        return self._begun()

    def _begun(self) -> Batch:
        """The first batch of rows that have just been filled."""
        self._ready = True
        self._games.reward[:] = 0
        self._terminated[:] = False
        self._truncated[:] = False
        return self._batch(self._no_finals)

    def step(self, actions: npt.ArrayLike) -> Batch:
        """Play a legal action in every row, integers [N].

        ``IllegalActionError`` names rows whose action is not legal, and then nothing is played; ``ValueError`` for
        another shape or type.
        """
        chosen = self._check(actions)
        self._ready = False
        ended = self._games.step(chosen)
        batch = self._after(np.flatnonzero(self._games.ended) if ended else ALL_ROWS)
        self._ready = True
        return batch

    def _check(self, actions: npt.ArrayLike) -> npt.NDArray[np.int64]:
        if not self._ready:
            raise RuntimeError("call reset() first: there is no episode, or the last call was interrupted")
        given = np.asarray(actions)
        if given.shape != (self.num_envs,) or given.dtype.kind not in "iu":
            what = f"{given.dtype} of shape {given.shape}"
            raise ValueError(f"actions are {what}: they must be integers of shape ({self.num_envs},)")
        if given.dtype == np.uint64 and (given >= NUM_ACTIONS).any():
            row = int(np.flatnonzero(given >= NUM_ACTIONS)[0])
            raise IllegalActionError(f"illegal actions, nothing was played: row {row}: action {given[row]}")
        chosen = np.ascontiguousarray(given, np.int64)
        self._games.check(chosen)
        return chosen

    def _after(self, ended: npt.NDArray[np.int64]) -> Batch:
        games = self._games
        np.copyto(self._terminated, games.ended)
        self._truncated[:] = False
        if not len(ended):
            return self._batch(self._no_finals)
        cut_off = games.states["truncated"][ended] != 0
        self._terminated[ended] = ~cut_off
        self._truncated[ended] = cut_off
        finals = self._finals(ended)
        games.begin(ended)
        return self._batch(finals)

    def _finals(self, ended: npt.NDArray[np.int64]) -> tuple[Any, ...]:
        """The last fields of a ``Batch``, of rows that have ended."""
        games = self._games
        returns = games.books["returns"][ended, : self.num_players]
        return ended, *games.finals(ended), returns, games.turns["length"][ended], games.states["winner"][ended]

    def _batch(self, finals: tuple[Any, ...]) -> Batch:
        games = self._games
        by_row = (
            games.observation,
            games.action_mask,
            games.seat,
            games.reward,
            self._terminated,
            self._truncated,
            games.state,
            games.history,
        )
        if self._copy:
            return Batch(*(None if each is None else each.copy() for each in by_row), *finals)  # type: ignore[arg-type]
        return Batch(*by_row, *finals)

    def game(self, row: int) -> Game:
        """A copy of the game of a row, as a match that begins with its current deal: to look at, render and debug."""
        if not self._ready:
            raise RuntimeError("call reset() first: there is no game")
        place = operator.index(row)
        if not 0 <= place < self.num_envs:
            raise ValueError(f"row={row!r} is not accepted: use 0 to {self.num_envs - 1}")
        return self._games.game(place)

    def positions(self) -> npt.NDArray[Any]:
        """All games as records of ``thousand_env.compiled.STATE_DTYPE`` [N], a new array: every card is open in them.

        For labels and searches in compiled code: what is done to them changes no game.
        """
        if not self._ready:
            raise RuntimeError("call reset() first: there is no game")
        return self._games.states.copy()

    def save(self) -> dict[str, npt.NDArray[Any]]:
        """All games as new arrays of uint8 and int64, from which ``restore`` goes on bit for bit.

        They are plain data for any file: episodes, seeds and the generator of ``start`` are in them, but not what the
        last step has paid. ``RuntimeError`` before the first ``reset``.
        """
        if not self._ready or self._seed is None:
            raise RuntimeError("call reset() first: there is no game")
        return save_games(self._games, self._seed)

    def restore(self, saved: Mapping[str, Any]) -> Batch:
        """Put back what ``save`` gave; the decisions that wait, as after a ``reset``: nothing earned, nothing ended.

        The environment must have the same ``num_envs``, ``rules``, ``episode``, ``reward`` and ``skip_forced``, and the
        same ``start``, of which no more can be checked than that there is one. Threads, dtype, ``state``, ``history``
        and ``copy`` are its own. ``ValueError`` with the reason, and nothing has changed, for what does not fit and for
        rows that no game can reach; the check takes about 0.1 ms a row.
        """
        self._seed = restore_games(self._games, saved)
        self._is_seeded = True
        return self._begun()

    def close(self) -> None:
        """Nothing has to be closed: threads end with the environment."""

    def __repr__(self) -> str:
        return f"<VectorEnv of {self.num_envs} games, {self.rules!r}>"
