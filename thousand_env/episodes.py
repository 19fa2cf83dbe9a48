"""Which game each episode of an environment is.

The e-th episode since ``reset(seed=s)`` is ``Game(seed=episode_seed(s, e))``; a reset without a seed goes on.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, Final

from thousand_env.game import Game
from thousand_env.rules import Rules
from thousand_env.seeding import check_seed, episode_seed, random_seed
from thousand_env.sheet import DealError

RESET_OPTIONS: Final = ("deal", "scores", "bolts", "barrel", "dealer")
_DEAL_PARTS: Final = ("hands", "talon")


class Episodes:
    """The games of one environment, episode by episode. Plain data: it is copied and pickled with its environment.

    With ``seed`` and ``number`` it goes on after that episode.
    """

    def __init__(self, rules: Rules, episode: str, seed: int | None = None, number: int = -1) -> None:
        self.rules: Final = rules
        self.episode: Final = episode
        self._seed = seed
        self._number = number

    @property
    def seed(self) -> int | None:
        """The seed of the last ``reset(seed=...)``, or the one that was drawn; None before the first reset."""
        return self._seed

    @property
    def number(self) -> int:
        """Which episode since that seed the current one is, from 0; -1 before the first."""
        return self._number

    def begin(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> Game:
        """The game of the next episode; with a seed, of the first of that seed.

        ``options`` of a reset: ``deal`` (``hands`` and ``talon`` as in ``Game.from_deal``), ``scores``, ``bolts``,
        ``barrel``, ``dealer``. Unknown keys are ignored with a warning; ``ValueError`` (``DealError`` for what no sheet
        and no deal can be) leaves everything as it was.
        """
        if seed is not None:
            root, number = check_seed(seed), 0
        elif self._seed is None:
            root, number = random_seed(), 0
        else:
            root, number = self._seed, self._number + 1
        game = _game(self.rules, self.episode, episode_seed(root, number), options)
        self._seed, self._number = root, number
        return game


def _game(rules: Rules, episode: str, seed: int, options: Mapping[str, Any] | None) -> Game:
    if options is None:
        return Game(rules, seed, episode)
    if not isinstance(options, Mapping):
        raise ValueError(f"options={options!r} is not accepted: use a dict with keys among {_names(RESET_OPTIONS)}")
    unknown = [key for key in options if key not in RESET_OPTIONS]
    if unknown:
        warnings.warn(
            f"options of reset that are not known are ignored: {_names(unknown)}; known are {_names(RESET_OPTIONS)}",
            UserWarning,
            stacklevel=4,
        )
    given = {key: options[key] for key in RESET_OPTIONS if options.get(key) is not None}
    deal = given.pop("deal", None)
    if deal is None:
        return Game.from_sheet(rules, seed, episode, **given)
    if not isinstance(deal, Mapping) or set(deal) != set(_DEAL_PARTS):
        raise DealError(f"deal={deal!r} is not accepted: use a dict with the keys {_names(_DEAL_PARTS)} and no others")
    return Game.from_deal(rules, deal["hands"], deal["talon"], episode=episode, seed=seed, **given)


def _names(keys: Any) -> str:
    return ", ".join(map(repr, keys))
