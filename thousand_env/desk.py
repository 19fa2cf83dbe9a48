"""``Desk``: a game being played, with what the seat to act sees kept at hand. What the environments are built on.

Playing, the next legal actions and the next observation are one call of the engine; ``seen`` and ``mask`` are reused
from decision to decision, so whoever hands them out hands out copies.
"""

from __future__ import annotations

from typing import Any, final

import numpy as np
import numpy.typing as npt

from thousand_env.engine import kernels
from thousand_env.engine.compiler import direct
from thousand_env.engine.single_step import CLOSED, DESK_DTYPE, LOOK, REFUSED, single_step
from thousand_env.engine.state import NOBODY
from thousand_env.game import Game
from thousand_env.observation import HISTORY_SIZE, encode, rules_block

__all__ = ["CLOSED", "NOBODY", "REFUSED", "Desk"]


def _record(game: Game) -> npt.NDArray[np.void]:
    desk = np.zeros(1, DESK_DTYPE)
    desk["rules"] = game._rules_record
    desk["block"] = rules_block(game.rules)
    return desk


@final
class Desk:
    """A game, and for its seat to act the observation ``seen``, float32 ``[K]``, and ``mask``, int8 ``[130]``.

    When the game is over ``mask`` is zero and ``seen`` says nothing.
    """

    __slots__ = ("_other", "_own", "_step", "game", "mask", "seen")

    def __init__(self, game: Game) -> None:
        own = _record(game)
        self._share(direct(single_step, game._states, own, LOOK, NOBODY), own, _record(game), game)

    def _share(self, step: Any, own: npt.NDArray[np.void], other: npt.NDArray[np.void], game: Game) -> None:
        self._step = step
        self._own = own
        self._other = other  # for seats that are not to act
        self.seen: npt.NDArray[np.float32] = own["seen"]["values"][0]
        self.mask: npt.NDArray[np.int8] = own["mask"].view(np.int8)
        self.game = game

    def take(self, game: Game) -> None:
        """Go on with another game of the same rules."""
        self.game = game
        self._step(game._states, self._own, LOOK, NOBODY)

    def play(self, action: int) -> int:
        """Play an action, 0..129: the seat to act in the same deal, ``CLOSED`` if the deal was closed by it, or
        ``REFUSED`` for one that is not legal, which changes nothing.
        """
        game = self.game
        before = bytes(game._memory)
        outcome: int = self._step(game._states, self._own, action, NOBODY)
        if outcome == CLOSED:
            game._past = (game._past, before, action)
        return outcome

    def look(self, seat: int) -> npt.NDArray[np.float32]:
        """A new observation, float32 ``[K]``, of any seat."""
        game = self.game
        if game.phase == "redeal" and game.seat != seat:  # that another is being offered a redeal must stay hidden
            return encode(game.view(seat))
        self._step(game._states, self._other, LOOK, seat)
        seen: npt.NDArray[np.float32] = self._other["seen"]["values"][0].copy()
        return seen

    def history(self, seat: int) -> npt.NDArray[np.int16]:
        """A new history, int16 ``[H]``, of any seat. Offers of a redeal to others leave no token in it."""
        game = self.game
        tokens = np.full(HISTORY_SIZE, -1, np.int16)
        kernels.write_history(game._states, game._rules_record, seat, tokens)
        return tokens

    def __deepcopy__(self, memo: dict[int, Any]) -> Desk:
        desk = object.__new__(Desk)
        desk._share(self._step, self._own.copy(), self._other.copy(), self.game.clone())
        return desk

    def __reduce__(self) -> tuple[Any, ...]:
        return Desk, (self.game,)
