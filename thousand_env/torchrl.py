"""``BatchedThousandEnv``: many games as one batched TorchRL environment, for self-play. It needs ``torchrl``.

The games, seeds and rewards are those of ``VectorEnv``; what differs is who begins the next episode. Here a row that
has ended stays at its end, as TorchRL expects, until ``reset`` names it in ``_reset``, as rollouts and collectors do.
No other module imports this one. For the AEC environment take TorchRL's own ``PettingZooWrapper``.

Example
-------
>>> from thousand_env.torchrl import BatchedThousandEnv
>>> env = BatchedThousandEnv(256, rules="classic", episode="deal", seed=7)
>>> data = env.rollout(100, break_when_any_done=False)  # random legal actions
>>> data["next", "reward"].shape
torch.Size([256, 100, 3])
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from thousand_env.missing import not_installed

try:
    from torchrl.data import Binary, Bounded, Categorical, Composite, TensorSpec, Unbounded
    from torchrl.envs import EnvBase
except ModuleNotFoundError as error:
    raise not_installed(error, "torchrl", "pip install torchrl") from None
import torch
from tensordict import TensorDict, TensorDictBase

from thousand_env.actions import NUM_ACTIONS, PASS
from thousand_env.batch import ALL_ROWS, batch_from_keywords, start_rng
from thousand_env.engine.state import OVER
from thousand_env.observation import HISTORY_SIZE, OBSERVATION, STATE, encode_state, history, scales
from thousand_env.rules import Rules
from thousand_env.seeding import check_seed, env_seed, random_seed
from thousand_env.starts import Start

Ints = npt.NDArray[np.int64]


class BatchedThousandEnv(EnvBase):
    """N games of n seats, ``batch_size`` [N], stepped at once by compiled code.

    A step is one decision in each row, of the seat to act there, and one policy plays all seats. Entries:

    ==================  ===============  ==========================================================================
    ``action``          int64 [N]        ``Categorical(130)``, masked by what is legal now
    ``observation``     [N, K]           float32 or int8, what the seat to act sees
    ``action_mask``     bool [N, 130]    its legal actions; never all False
    ``seat``            int64 [N]        to act
    ``state``           [N, M]           all cards, relative to the seat to act; only with ``state=True``
    ``history``         int16 [N, H]     tokens of the current deal, -1 behind the last; only with ``history=True``
    ``reward``          float32 [N, n]   in ``"next"``: of every seat, by absolute seat, for the action
    ``terminated``      bool [N, 1]      an episode has ended
    ``truncated``       bool [N, 1]      it was cut off by ``max_deals``; never with ``terminated``
    ``done``            bool [N, 1]      either
    ==================  ===============  ==========================================================================

    A deal is paid to all seats at once, in the step that ends it, whoever moves: the reward of an action is what its
    seat is paid until its own next decision. ``("next", "observation")`` is mostly another seat's, so that advantages
    have to be computed by seat: ``examples/torchrl_vector.py`` does it in a few lines.

    In the ``"next"`` of a step that ends an episode, ``seat``, ``observation``, ``state`` and ``history`` are those of
    the seat that has just acted, and the mask allows action 0 alone, so that samplers have something to sample. Such a
    row has to be reset before it is stepped again. ``reset`` with ``_reset`` begins the next episode in the rows that
    it names, ended or not, and leaves the others as they are; ``step`` with ``_step`` plays in the rows that it names.

    Args: ``num_envs``, ``rules``, ``episode``, ``reward``, ``seed``, ``num_threads``, ``observation_dtype``, ``state``,
    ``history``, ``start`` and ``skip_forced`` are those of ``VectorEnv``; ``device`` is where the tensors go, the games
    stay in main memory. ``ValueError`` names an argument that is not accepted.

    Row i plays what a single environment with the seed ``env_seed(seed, i)`` plays. ``set_seed`` (None: a random one)
    counts for each row from its next reset on, and ``reset(seed=...)`` does both. Tensors are new with every call. The
    environment can be copied and pickled at any time.
    """

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
        device: torch.device | str | None = None,
    ) -> None:
        games = batch_from_keywords(
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
        num = games.num
        super().__init__(device=device, batch_size=torch.Size([num]))
        self.num_envs: Final = num
        self.rules: Final = games.rules
        self.num_players: Final = games.rules.players
        self._games = games
        self._ready = False
        self._movers = np.zeros(num, np.int8)  # who has acted last in each row: what an end is shown to
        self._unseeded = np.ones(num, np.bool_)  # rows that go over to the seed with their next reset
        self._set_seed(seed)
        self._make_specs()

    def _make_specs(self) -> None:
        games, device = self._games, self.device
        dtype = torch.float32 if games.observation.dtype == np.float32 else torch.int8
        most = 1 if dtype == torch.float32 else 127

        def vector(size: int) -> TensorSpec:
            return Bounded(-most, most, (self.num_envs, size), dtype=dtype, device=device)

        parts: dict[str, TensorSpec] = {
            "observation": vector(OBSERVATION.size),
            "action_mask": Binary(NUM_ACTIONS, (self.num_envs, NUM_ACTIONS), dtype=torch.bool, device=device),
            "seat": Categorical(self.num_players, (self.num_envs,), dtype=torch.int64, device=device),
        }
        if games.state is not None:
            parts["state"] = vector(STATE.size)
        if games.history is not None:
            most_int16 = np.iinfo(np.int16).max
            shape = (self.num_envs, HISTORY_SIZE)
            parts["history"] = Bounded(-1, most_int16, shape, dtype=torch.int16, device=device)
        flags = {
            name: Categorical(2, (self.num_envs, 1), dtype=torch.bool, device=device)
            for name in ("done", "terminated", "truncated")
        }
        self.observation_spec = Composite(parts, shape=self.batch_size, device=device)
        self.action_spec = Categorical(NUM_ACTIONS, self.batch_size, dtype=torch.int64, device=device)
        self.reward_spec = Unbounded((self.num_envs, self.num_players), dtype=torch.float32, device=device)
        self.done_spec = Composite(flags, shape=self.batch_size, device=device)

    @property
    def seed(self) -> int:
        """The seed of the rows that have been reset since it was set."""
        return self._seed

    def _set_seed(self, seed: int | None) -> None:
        self._seed = random_seed() if seed is None else check_seed(seed)
        self._games.rng = start_rng(self._seed)
        self._unseeded[:] = True

    def _reset(self, tensordict: TensorDictBase | None = None, seed: int | None = None) -> TensorDictBase:
        rows = self._named(tensordict, "_reset")
        if len(rows) < self.num_envs:
            self._check_ready()
        if seed is not None:
            self._set_seed(seed)
        self._ready = False
        if len(rows):
            self._seed_rows(rows)
            self._games.begin(ALL_ROWS if len(rows) == self.num_envs else rows)
        self._unseeded[rows] = False
        self._ready = True
        return self._shown()

    def _seed_rows(self, rows: Ints) -> None:
        """Put those of some rows that have not gone over to the seed before its first episode."""
        if len(rows) == self.num_envs and self._unseeded.all():
            self._games.seed(self._seed)
            return
        for row in rows[self._unseeded[rows]].tolist():
            self._games.seed_row(row, env_seed(self._seed, row))

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        self._check_ready()
        games, rows = self._games, self._named(tensordict, "_step")
        given = tensordict.get("action", None)
        if given is None:
            raise ValueError(f"there is no action: it must be integers of shape ({self.num_envs},)")
        actions = given.cpu().numpy()
        if actions.shape != (self.num_envs,) or actions.dtype.kind not in "iu":
            what = f"{actions.dtype} of shape {actions.shape}"
            raise ValueError(f"action is {what}: it must be integers of shape ({self.num_envs},)")
        over = rows[self._over()[rows]]
        if len(over):
            named = ", ".join(map(str, over[:5])) + (f" and {len(over) - 5} more" if len(over) > 5 else "")
            raise RuntimeError(f"rows that are over cannot be stepped: reset {named}")
        chosen = np.ascontiguousarray(actions[rows], np.int64)
        some = ALL_ROWS if len(rows) == self.num_envs else rows
        if len(rows):
            games.check(chosen, some)
        self._ready = False
        self._movers[rows] = games.seat[rows]
        games.reward[:] = 0
        if len(rows) and games.step(chosen, some):
            self._show_ends(rows[self._over()[rows]])
        self._ready = True
        return self._shown().set("reward", self._tensor(games.reward.copy()))

    def _named(self, tensordict: TensorDictBase | None, key: str) -> Ints:
        """The rows that an entry of flags names, ascending: all of them if there is none."""
        flags = None if tensordict is None else tensordict.get(key, None)
        if flags is None:
            return np.arange(self.num_envs)
        if flags.dtype != torch.bool or flags.numel() != self.num_envs:
            what = f"{flags.dtype} of shape {tuple(flags.shape)}"
            raise ValueError(f"{key} is {what}: it must be torch.bool of shape {(self.num_envs, 1)}")
        return np.flatnonzero(flags.cpu().numpy())

    def _check_ready(self) -> None:
        if not self._ready:
            raise RuntimeError("reset all rows first: there is no episode, or the last call was interrupted")

    def _over(self) -> npt.NDArray[np.bool_]:
        is_over: npt.NDArray[np.bool_] = self._games.states["phase"] == OVER
        return is_over

    def _show_ends(self, rows: Ints) -> None:
        """Write what the seats that acted last see at the end of some rows over the last position of these."""
        games, seats = self._games, self._movers[rows]
        games.seat[rows] = seats
        games.action_mask[rows] = 0
        games.action_mask[rows, PASS] = 1
        games.observation[rows] = games.finals(rows)[0][np.arange(len(rows)), seats]
        if games.state is None and games.history is None:
            return
        for row, seat in zip(rows.tolist(), seats.tolist(), strict=True):
            game = games.game(row)
            if games.state is not None:
                whole = encode_state(game, seat)
                games.state[row] = whole if whole.dtype == games.state.dtype else np.rint(whole * scales(STATE.size))
            if games.history is not None:
                games.history[row] = history(game.view(seat))

    def _shown(self) -> TensorDict:
        """What ``reset`` and ``step`` give, in new tensors; the action spec learns the mask."""
        games, over = self._games, self._over()
        truncated = over & (games.states["truncated"] != 0)
        parts: dict[str, npt.NDArray[Any]] = {
            "observation": games.observation.copy(),
            "action_mask": games.action_mask != 0,
            "seat": games.seat.astype(np.int64),
            "done": over[:, None],
            "terminated": (over & ~truncated)[:, None],
            "truncated": truncated[:, None],
        }
        if games.state is not None:
            parts["state"] = games.state.copy()
        if games.history is not None:
            parts["history"] = games.history.copy()
        tensors = {name: self._tensor(array) for name, array in parts.items()}
        self.full_action_spec["action"].update_mask(tensors["action_mask"].clone())
        return TensorDict(tensors, self.batch_size, device=self.device)

    def _tensor(self, array: npt.NDArray[Any]) -> torch.Tensor:
        return torch.from_numpy(array).to(self.device)

    def __setstate__(self, saved: dict[str, Any]) -> None:
        super().__setstate__(saved)
        if self._ready:
            self._show_ends(np.flatnonzero(self._over()))

    def __repr__(self) -> str:
        return f"<BatchedThousandEnv of {self.num_envs} games, {self.rules!r}>"
