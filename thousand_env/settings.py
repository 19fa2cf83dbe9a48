"""``Settings``: the keywords that PettingZoo and Gymnasium environments share, checked, and the observation space."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypedDict

import numpy as np
from gymnasium import spaces

from thousand_env.actions import NUM_ACTIONS
from thousand_env.engine.state import EPISODES, MAX_SEATS
from thousand_env.engine.tokens import TOKENS_A_SEAT
from thousand_env.keywords import as_rules, flag, one_of, unknown_keyword
from thousand_env.observation import HISTORY_SIZE, OBSERVATION
from thousand_env.rewards import REWARDS
from thousand_env.rules import Rules

ILLEGAL: Final = ("terminate", "raise", "penalty")
ILLEGAL_REWARD: Final = -1.0
RENDER_MODES: Final = ("ansi", "rgb_array", "human")
LARGEST_TOKEN: Final = MAX_SEATS * TOKENS_A_SEAT - 1


class Keywords(TypedDict, total=False):
    """What the environments take, see ``thousand_v0``."""

    rules: Rules | str | Mapping[str, Any] | None
    episode: str
    reward: str
    history: bool
    illegal: str
    flat_observation: bool
    mask_in_info: bool
    render_mode: str | None
    open_cards: bool


class Settings:
    """The keywords of the environments, checked. They never change, so that copies of an environment share them.

    ``ValueError`` names the keyword whose value is not accepted, ``TypeError`` one that does not exist.
    """

    def __deepcopy__(self, memo: dict[int, Any]) -> Settings:
        return self

    def __init__(
        self,
        *,
        rules: Rules | str | Mapping[str, Any] | None = None,
        episode: str = "match",
        reward: str = "relative",
        history: bool = False,
        illegal: str = "raise",
        flat_observation: bool = False,
        mask_in_info: bool = False,
        render_mode: str | None = None,
        open_cards: bool = False,
        **unknown: Any,
    ) -> None:
        for name in unknown:
            raise TypeError(unknown_keyword(name, Keywords.__annotations__))
        self.rules: Final = as_rules(rules)
        self.episode: Final[str] = one_of("episode", episode, EPISODES)
        self.reward: Final[str] = one_of("reward", reward, REWARDS)
        self.illegal: Final[str] = one_of("illegal", illegal, ILLEGAL)
        self.history: Final = flag("history", history)
        self.flat_observation: Final = flag("flat_observation", flat_observation)
        self.mask_in_info: Final = flag("mask_in_info", mask_in_info) or self.flat_observation
        self.render_mode: Final[str | None] = one_of("render_mode", render_mode, (None, *RENDER_MODES))
        self.open_cards: Final = flag("open_cards", open_cards)
        if self.flat_observation and self.history:
            raise ValueError("history=True is not accepted with flat_observation=True: a Box has no place for it")

    def observation_space(self) -> spaces.Space[Any]:
        """A new observation space."""
        vector = spaces.Box(-1.0, 1.0, (OBSERVATION.size,), np.float32)
        if self.flat_observation:
            return vector
        parts: dict[str, spaces.Space[Any]] = {
            "observation": vector,
            "action_mask": spaces.Box(0, 1, (NUM_ACTIONS,), np.int8),
        }
        if self.history:
            parts["history"] = spaces.Box(-1, LARGEST_TOKEN, (HISTORY_SIZE,), np.int16)
        return spaces.Dict(parts)
