"""One decision of one game in a single call: legality, the action, the next legal set, and what the next seat sees."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from thousand_env.engine.carry import CARRY_DTYPE, apply_and_carry, make_carry
from thousand_env.engine.compiler import entry
from thousand_env.engine.forms import FLOATS_DTYPE, MASK_DTYPE, to_floats, write_mask
from thousand_env.engine.observe import BLOCK_DTYPE, OBSERVATION_DTYPE, observe
from thousand_env.engine.replay import is_legal
from thousand_env.engine.state import NOBODY
from thousand_env.engine.step import legal_words
from thousand_env.rules_record import RULES_DTYPE

REFUSED, CLOSED = -1, -2
"""What ``single_step`` gives instead of the seat to act: nothing was done; the action has closed the deal."""

LOOK: Final = -1
"""In place of an action: only look."""

DESK_DTYPE: Final = np.dtype(
    [
        ("rules", RULES_DTYPE),
        ("block", BLOCK_DTYPE),
        ("carry", CARRY_DTYPE),
        ("row", OBSERVATION_DTYPE),
        ("seen", FLOATS_DTYPE),
        ("mask", MASK_DTYPE),
    ]
)
"""All that a step needs beside the state, in one record: every array that Python passes costs 40 ns."""


@entry
def single_step(states: Any, desks: Any, action: int, seat: int) -> int:
    """Play an action, any int64, or ``LOOK``; write the mask of the seat to act and the observation of a seat.

    The observation is that of ``seat``, or with ``NOBODY`` of the seat to act, if there is one. A seat that is not the
    one being offered a redeal must be observed through its view. Returns the seat to act within the same deal,
    ``REFUSED`` for an action that is not legal, which changes nothing, or ``CLOSED``, also after ``LOOK``.
    """
    state = states[0]
    desk = desks[0]
    rules, carry = desk["rules"], desk["carry"]
    closed = True
    if action == LOOK:
        make_carry(state, rules, carry)
    elif is_legal(state, rules, action):
        closed = apply_and_carry(state, rules, carry, action)
    else:
        return REFUSED
    low, middle, high = legal_words(state, rules)
    write_mask(desk["mask"], low, middle, high)
    observer = state["seat"] if seat == NOBODY else seat
    if observer != NOBODY:
        observe(state, rules, desk["block"], carry, observer, desk["row"])
        to_floats(desk["row"], desk["seen"])
    return CLOSED if closed else state["seat"]
