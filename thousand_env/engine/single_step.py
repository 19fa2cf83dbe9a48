"""One decision of one game in a single call: legality, the action, the next legal set, and what the next seat sees."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from thousand_env.actions import NUM_ACTIONS
from thousand_env.engine.carry import apply_and_carry, make_carry
from thousand_env.engine.compiler import entry
from thousand_env.engine.observe import EXPAND, observe
from thousand_env.engine.replay import is_legal
from thousand_env.engine.state import NOBODY
from thousand_env.engine.step import legal_words
from thousand_env.layout import OBSERVATION, RULES_START

REFUSED, CLOSED = -1, -2
"""What ``single_step`` gives instead of the seat to act: nothing was done; the action has closed the deal."""

LOOK: Final = -1
"""In place of an action: only look."""

MASK_WORDS: Final = -(-NUM_ACTIONS // 8)


def _divisors() -> npt.NDArray[np.float32]:
    divisors = np.ones(OBSERVATION.size, np.float32)
    for piece in OBSERVATION.pieces.values():
        divisors[piece.start : piece.stop] = piece.scale
    return divisors


_DIVISORS: Final = _divisors()
_SIZE: Final = OBSERVATION.size


@entry
def single_step(
    states: Any,
    rules_records: Any,
    rules_blocks: Any,
    carries: Any,
    rows: Any,
    seen: Any,
    mask: Any,
    action: int,
    seat: int,
) -> int:
    """Play an action, any int64, or ``LOOK``; write the mask of the seat to act and the observation of a seat.

    ``mask`` is int64 ``[MASK_WORDS]``, eight places a word, ``seen`` float32 ``[K]``; ``carries`` and ``rows`` are kept
    from call to call. The observation is that of ``seat``, or with ``NOBODY`` of the seat to act, if there is one. A
    seat that is not the one being offered a redeal must be observed through its view. Returns the seat to act within
    the same deal, ``REFUSED`` for an action that is not legal, which changes nothing, or ``CLOSED``, also after
    ``LOOK``.
    """
    state = states[0]
    rules = rules_records[0]
    closed = action == LOOK
    if action != LOOK:
        if not is_legal(state, rules, action):
            return REFUSED
        closed = apply_and_carry(state, rules, carries[0], action)
    low, middle, high = legal_words(state, rules)
    for place in range(8):
        mask[place] = EXPAND[(low >> (8 * place)) & 255]
        mask[8 + place] = EXPAND[(middle >> (8 * place)) & 255]
    mask[16] = EXPAND[high]
    if action == LOOK:
        make_carry(state, rules, carries[0])
    observer = state["seat"] if seat == NOBODY else seat
    if observer != NOBODY:
        row = rows[0]
        observe(state, rules, rules_blocks[0], carries[0], observer, row)
        for place in range(_SIZE if closed else RULES_START):
            seen[place] = np.float32(row["bytes"][place]) / _DIVISORS[place]
    return CLOSED if closed else state["seat"]
