"""One decision of one game in a single call: legality, the action, the next legal set, and what the next seat sees.

All that is read and written besides the game lies on a *desk*, one int64 array ``[DESK_SIZE]`` with regions that
``desk_parts`` names, because each array that is passed costs time.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from thousand_env.actions import NUM_ACTIONS
from thousand_env.engine.compiler import entry
from thousand_env.engine.observe import EXPAND, OBSERVATION_SIZE, SHEET_SIZE, observe, pack_sheet
from thousand_env.engine.replay import is_legal
from thousand_env.engine.state import NOBODY, OVER
from thousand_env.engine.step import apply_action, legal_words
from thousand_env.layout import OBSERVATION, RULES_SIZE, RULES_START

REFUSED, CLOSED = -1, -2
"""What ``single_step`` gives instead of the seat to act: nothing was done; the action has closed the deal."""

LOOK: Final = -1
"""In place of an action: only look."""

_BLOCK: Final = OBSERVATION_SIZE // 8
_SHEET: Final = _BLOCK + RULES_SIZE // 8
_MASK: Final = _SHEET + SHEET_SIZE
_OBSERVATION: Final = _MASK + -(-NUM_ACTIONS // 8)
DESK_SIZE: Final = _OBSERVATION + OBSERVATION_SIZE // 2


def _divisors() -> npt.NDArray[np.float32]:
    divisors = np.ones(OBSERVATION_SIZE, np.float32)
    for piece in OBSERVATION.pieces.values():
        divisors[piece.start : piece.stop] = piece.scale
    return divisors


_DIVISORS: Final = _divisors()


class DeskParts(NamedTuple):
    """Views of a desk: the rules' part of an observation (to be filled in), and what ``single_step`` writes."""

    rules_block: npt.NDArray[np.int64]
    mask: npt.NDArray[np.int8]
    observation: npt.NDArray[np.float32]


def desk_parts(desk: npt.NDArray[np.int64]) -> DeskParts:
    """The regions of a desk."""
    return DeskParts(
        desk[_BLOCK:_SHEET],
        desk[_MASK:_OBSERVATION].view(np.int8)[:NUM_ACTIONS],
        desk[_OBSERVATION:].view(np.float32),
    )


@entry
def single_step(states: Any, rules_records: Any, desk: Any, action: int, seat: int) -> int:
    """Play an action, any int64, or ``LOOK``; write to ``desk`` the mask of the mover and the observation of a seat.

    The observation is that of ``seat``, or with ``NOBODY`` of the seat to act, if there is one. A seat that is not the
    one being offered a redeal must be observed through its view. Returns the seat to act within the same deal,
    ``REFUSED`` for an action that is not legal, which changes nothing, or ``CLOSED``, also after ``LOOK``.
    """
    state = states[0]
    rules = rules_records[0]
    closed = action == LOOK
    if action != LOOK:
        if not is_legal(state, rules, action):
            return REFUSED
        deal, scored = state["deal_number"], state["deals_scored"]
        apply_action(state, rules, action)
        closed = state["deal_number"] != deal or state["deals_scored"] != scored or state["phase"] == OVER
    small = desk.view(np.int8)
    floats = desk.view(np.float32)
    low, middle, high = legal_words(state, rules)
    for place in range(8):
        desk[_MASK + place] = EXPAND[(low >> (8 * place)) & 255]
        desk[_MASK + 8 + place] = EXPAND[(middle >> (8 * place)) & 255]
    desk[_MASK + 16] = EXPAND[high]
    sheet = desk[_SHEET:_MASK]
    if closed:
        pack_sheet(state, rules, sheet)
    observer = state["seat"] if seat == NOBODY else seat
    if observer != NOBODY:
        observe(state, rules, desk[_BLOCK:_SHEET], sheet, observer, small, desk)
        numbers = OBSERVATION_SIZE if closed else RULES_START
        for place in range(numbers):
            floats[2 * _OBSERVATION + place] = np.float32(small[place]) / _DIVISORS[place]
    return CLOSED if closed else state["seat"]
