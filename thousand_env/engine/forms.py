"""The forms in which legal sets and observations are handed out: masks as bytes, and rows of integers as float32."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from thousand_env.actions import NUM_ACTIONS
from thousand_env.engine.compiler import compiled, inlined
from thousand_env.engine.observe import EXPAND, OBSERVATION_DTYPE, STATE_ROW_DTYPE
from thousand_env.layout import OBSERVATION, STATE

MASK_DTYPE: Final = np.dtype(
    {
        "names": ["words", "tail"],
        "formats": [(np.int64, NUM_ACTIONS // 8), np.int16],
        "offsets": [0, NUM_ACTIONS // 8 * 8],
        "itemsize": NUM_ACTIONS,
    }
)
FLOATS_DTYPE: Final = np.dtype([("values", np.float32, (OBSERVATION_DTYPE.itemsize,))])
STATE_FLOATS_DTYPE: Final = np.dtype([("values", np.float32, (STATE_ROW_DTYPE.itemsize,))])


def _factors() -> npt.NDArray[np.float32]:
    factors = np.ones(STATE.size, np.float32)
    for piece in [*OBSERVATION.pieces.values(), *STATE.pieces.values()]:
        factors[piece.start : piece.stop] = 1 / piece.scale
    return factors


FACTORS: Final = _factors()
"""What the integers of a row are multiplied by; exact, as the scales are powers of two."""


@inlined
def write_mask(mask: Any, low: int, middle: int, high: int) -> None:
    """A legal set as bytes 0 or 1. In most phases one of its words is empty."""
    if low:
        for byte in range(8):
            mask["words"][byte] = EXPAND[(low >> (8 * byte)) & 255]
    else:
        for byte in range(8):
            mask["words"][byte] = 0
    if middle:
        for byte in range(8):
            mask["words"][8 + byte] = EXPAND[(middle >> (8 * byte)) & 255]
    else:
        for byte in range(8):
            mask["words"][8 + byte] = 0
    mask["tail"] = EXPAND[high & 3]


@compiled
def to_floats(row: Any, floats: Any) -> None:
    """The float32 form of an observation or a state."""
    for place in range(len(floats["values"])):
        floats["values"][place] = row["bytes"][place] * FACTORS[place]
