"""``ThousandVecEnv``: ``gymnasium.make_vec("Thousand-v0")`` as a vectorised environment of Stable-Baselines3.

It is a skin over the batch, so that sb3-contrib's MaskablePPO learns on compiled tables; it plays nothing itself and
wraps no environment but ours. For one ``gymnasium.make("Thousand-v0")`` after another SB3's own ``make_vec_env`` does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Unpack

import numpy as np
import numpy.typing as npt

from thousand_env.agents import Agent
from thousand_env.game import Game
from thousand_env.keywords import unknown_keyword
from thousand_env.missing import not_installed
from thousand_env.seeding import check_seed, env_seed, random_seed
from thousand_env.settings import Keywords
from thousand_env.single import DEFAULT_OPPONENT
from thousand_env.single_vector import Observations, SingleSeatVectorEnv

try:
    from stable_baselines3.common.vec_env import VecEnv
except ModuleNotFoundError as error:
    raise not_installed(error, "stable_baselines3", "pip install sb3-contrib") from None

Step = tuple[Observations, npt.NDArray[np.float32], npt.NDArray[np.bool_], list[dict[str, Any]]]


class ThousandVecEnv(VecEnv):
    """``num_envs`` tables with one learner each, for Stable-Baselines3; the keywords are those of ``make_vec``.

    After ``seed(s)`` and ``reset()`` row ``i`` plays what ``make_vec("Thousand-v0")`` plays there after
    ``reset(seed=s)``: as ``gymnasium.make("Thousand-v0")`` does with the seed ``env_seed(s, i)``. A row that is over
    begins its next episode in the same step.

    Observations are float32 ``[N, K]`` with ``flat_observation=True`` (``"MlpPolicy"``), else a dict of arrays
    (``"MultiInputPolicy"``, which takes the mask for one more input). MaskablePPO asks for the masks by
    ``env_method("action_masks")``. Rewards are float32 ``[N]``, dones bool ``[N]``, and the info of a row is empty
    until its episode ends: then it has ``terminal_observation`` and ``TimeLimit.truncated``. Where the keywords put
    an ``action_mask`` in infos it is there too. All arrays are new at each step.

    ``illegal="terminate"`` is the default: SB3's PPO, which knows no masks, ends every episode with its first illegal
    action, for a reward of -1. With ``"penalty"`` it pays that and the episode goes on.

    ``ValueError`` names a keyword's value that is not accepted, ``TypeError`` a keyword that does not exist.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        seat: int | None = 0,
        opponents: str | Agent | Sequence[str | Agent] = DEFAULT_OPPONENT,
        num_threads: int | None = None,
        **keywords: Unpack[Keywords],
    ) -> None:
        for name in keywords.keys() - Keywords.__annotations__.keys():  # SB3 leaves no choice of copies and autoreset
            raise TypeError(unknown_keyword(name, ("seat", "opponents", "num_threads", *Keywords.__annotations__)))
        self._envs: Final = SingleSeatVectorEnv(
            num_envs, seat=seat, opponents=opponents, num_threads=num_threads, **keywords
        )
        self._tables: Final = [Table(self._envs, row) for row in range(self._envs.num_envs)]
        self._actions: Any = None
        super().__init__(self._envs.num_envs, self._envs.single_observation_space, self._envs.single_action_space)

    # Playing

    def seed(self, seed: int | None = None) -> Sequence[int]:
        """The seed of each row for the next ``reset``, made from one seed (0..2**64 - 1; None: a random one)."""
        root = random_seed() if seed is None else check_seed(seed)
        self._seeds = [env_seed(root, row) for row in range(self.num_envs)]
        return self._seeds

    def set_options(self, options: list[dict[str, Any]] | dict[str, Any] | None = None) -> None:
        """The options of the next ``reset``, those of ``make_vec``, for all rows alike: ``ValueError`` for a list."""
        if options is not None and not isinstance(options, dict):
            raise ValueError(f"options={options!r} is not accepted: use one dict, which counts for all rows")
        super().set_options(options)

    def reset(self) -> Observations:
        """Begin the first episode of a ``seed`` given before, else the next one, in each row: observations."""
        observations, infos = self._envs.reset(seed=self._seeds, options=self._options[0] or None)
        self._actions = None
        self._reset_seeds()
        self._reset_options()
        self.reset_infos = _by_row(infos, self.num_envs)
        return observations

    def step_async(self, actions: npt.ArrayLike) -> None:
        """Keep the learners' actions, integers ``[N]``, for ``step_wait``."""
        self._actions = actions

    def step_wait(self) -> Step:
        """Play the actions of ``step_async``: observations, rewards, dones and infos.

        ``RuntimeError`` if none were given since the last step or reset; others are those of ``make_vec``'s ``step``.
        """
        actions, self._actions = self._actions, None
        if actions is None:
            raise RuntimeError("there are no actions to play: call step_async(actions) first")
        observations, rewards, terminated, truncated, given = self._envs.step(actions)
        dones = terminated | truncated
        infos = _by_row(given, self.num_envs)
        if "final_obs" in given:
            finals = _by_row(given["final_info"], self.num_envs)
            for row in np.flatnonzero(dones).tolist():
                self.reset_infos[row] = infos[row]
                infos[row] = finals[row]
                infos[row]["terminal_observation"] = given["final_obs"][row]
                infos[row]["TimeLimit.truncated"] = bool(truncated[row])
        return observations, rewards.astype(np.float32), dones, infos

    def action_masks(self) -> npt.NDArray[np.int8]:
        """A new int8 array ``[N, 130]`` with 1 for each legal action of the learners."""
        return self._envs.action_masks()

    def close(self) -> None:
        """Nothing is open."""
        self._envs.close()

    def get_images(self) -> Sequence[npt.NDArray[np.uint8] | None]:
        """With ``render_mode="rgb_array"`` a picture of each table, else None for each."""
        if self.render_mode != "rgb_array":
            return [None] * self.num_envs
        pictures = self._envs.render()
        return [] if pictures is None else [*pictures]

    # What Stable-Baselines3 asks single environments

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute of some tables, see ``Table``; ``AttributeError`` for one that they do not have."""
        return [getattr(self._tables[row], attr_name) for row in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Raises ``AttributeError``: what a table is comes from the keywords."""
        raise AttributeError(f"{attr_name} = {value!r} cannot be set: give keywords to ThousandVecEnv")

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        """What a method of some tables gives, see ``Table``; ``action_masks`` takes one call for all."""
        if method_name == "action_masks":
            masks = self.action_masks()
            return [masks[row] for row in self._get_indices(indices)]
        return [
            getattr(each, method_name)(*method_args, **method_kwargs)
            for each in map(self._tables.__getitem__, self._get_indices(indices))
        ]

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """False for each table: they have no wrappers."""
        return [False for _ in self._get_indices(indices)]


class Table:
    """What can be asked of one row of a ``ThousandVecEnv`` by ``get_attr`` and ``env_method``; it cannot be stepped.

    The names are those of ``gymnasium.make("Thousand-v0")``.
    """

    def __init__(self, envs: SingleSeatVectorEnv, row: int) -> None:
        self._envs: Final = envs
        self._row: Final = row
        self.render_mode: Final = envs.render_mode
        self.rules: Final = envs.rules
        self.settings: Final = envs.settings
        self.observation_space: Final = envs.single_observation_space
        self.action_space: Final = envs.single_action_space

    @property
    def seat(self) -> int:
        """The learner's seat in this episode. ``ResetNeeded`` before the first reset."""
        return int(self._envs.seats[self._row])

    @property
    def game(self) -> Game:
        """A copy of the game, with open cards. ``ResetNeeded`` before the first reset."""
        return self._envs.game(self._row)

    def action_masks(self) -> npt.NDArray[np.int8]:
        """A new int8 array ``[130]`` with 1 for each legal action."""
        mask: npt.NDArray[np.int8] = self._envs.action_masks()[self._row]
        return mask

    def render(self) -> Any:
        """The table as the render mode says: a str, an array uint8 ``[height, width, 3]``, or None."""
        shown = self._envs.render()
        return None if shown is None else shown[self._row]


def _by_row(infos: dict[str, Any], rows: int) -> list[dict[str, Any]]:
    """A new dict for each row from what Gymnasium makes of infos."""
    if "action_mask" not in infos:
        return [{} for _ in range(rows)]
    return [{"action_mask": mask} for mask in infos["action_mask"]]
