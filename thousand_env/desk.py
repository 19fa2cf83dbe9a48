"""``Desk``: a game being played, with what the seat to act sees kept at hand. What the environments are built on.

Playing, the next legal actions and the next observation are one call of the engine; ``seen`` and ``mask`` are reused
from decision to decision, so whoever hands them out hands out copies.
"""

from __future__ import annotations

from typing import Any, Final, final

import numpy as np
import numpy.typing as npt

from thousand_env.actions import NUM_ACTIONS
from thousand_env.engine import kernels
from thousand_env.engine.carry import CARRY_DTYPE
from thousand_env.engine.compiler import direct
from thousand_env.engine.observe import OBSERVATION_DTYPE
from thousand_env.engine.single_step import CLOSED, LOOK, MASK_WORDS, REFUSED, single_step
from thousand_env.engine.state import NOBODY
from thousand_env.game import Game
from thousand_env.observation import HISTORY_SIZE, OBSERVATION, encode, rules_block

__all__ = ["CLOSED", "NOBODY", "REFUSED", "Desk"]


Buffers = tuple[npt.NDArray[np.void], npt.NDArray[np.void], npt.NDArray[np.float32], npt.NDArray[np.int64]]
"""Of ``single_step``: what is carried, the row of a seat as integers and as floats, the mask of who is to act."""


def _buffers() -> Buffers:
    return (
        np.zeros(1, CARRY_DTYPE),
        np.zeros(1, OBSERVATION_DTYPE),
        np.zeros(OBSERVATION.size, np.float32),
        np.zeros(MASK_WORDS, np.int64),
    )


@final
class Desk:
    """A game, and for its seat to act the observation ``seen``, float32 ``[K]``, and ``mask``, int8 ``[130]``.

    When the game is over ``mask`` is zero and ``seen`` says nothing.
    """

    __slots__ = ("_block", "_other", "_own", "_step", "game", "mask", "seen")

    def __init__(self, game: Game) -> None:
        self._block: Final = rules_block(game.rules)
        self._own: Final = _buffers()
        self._other: Final = _buffers()  # for seats that are not to act
        self.seen: Final = self._own[2]
        self.mask: Final = self._own[3].view(np.int8)[:NUM_ACTIONS]
        arguments = (game._states, game._rules_record, self._block, *self._own, LOOK, NOBODY)
        self._step: Final = direct(single_step, *arguments)
        self.game = game

    def take(self, game: Game) -> None:
        """Go on with another game of the same rules."""
        self.game = game
        self._step(game._states, game._rules_record, self._block, *self._own, LOOK, NOBODY)

    def play(self, action: int) -> int:
        """Play an action, 0..129: the seat to act in the same deal, ``CLOSED`` if the deal was closed by it, or
        ``REFUSED`` for one that is not legal, which changes nothing.
        """
        game = self.game
        before = bytes(game._memory)
        outcome: int = self._step(game._states, game._rules_record, self._block, *self._own, action, NOBODY)
        if outcome == CLOSED:
            game._past = (game._past, before, action)
        return outcome

    def look(self, seat: int) -> npt.NDArray[np.float32]:
        """A new observation, float32 ``[K]``, of any seat."""
        game = self.game
        if game.phase == "redeal" and game.seat != seat:  # that another is being offered a redeal must stay hidden
            return encode(game.view(seat))
        self._step(game._states, game._rules_record, self._block, *self._other, LOOK, seat)
        return self._other[2].copy()

    def history(self, seat: int) -> npt.NDArray[np.int16]:
        """A new history, int16 ``[H]``, of any seat. Offers of a redeal to others leave no token in it."""
        game = self.game
        tokens = np.full(HISTORY_SIZE, -1, np.int16)
        kernels.write_history(game._states, game._rules_record, seat, tokens)
        return tokens

    def __reduce__(self) -> tuple[Any, ...]:
        return Desk, (self.game,)
