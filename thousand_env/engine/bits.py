"""Sets of cards and of actions as integers: the few operations on bits that NumPy and Numba do not name."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import config, types
from numba.extending import intrinsic

from thousand_env.cards import CARD_POINTS, NUM_RANKS, NUM_SUITS
from thousand_env.engine.compiler import compiled

SUIT_MASK: Final = (1 << NUM_RANKS) - 1

if config.DISABLE_JIT:

    def popcount(bits: Any) -> int:
        """Number of set bits."""
        return (int(bits) & 0xFFFFFFFFFFFFFFFF).bit_count()

    def lowest(bits: Any) -> int:
        """Index of the lowest set bit of a number that is not 0."""
        return (int(bits) & -int(bits)).bit_length() - 1

else:

    @intrinsic  # type: ignore[untyped-decorator]
    def popcount(typingctx: Any, bits: Any) -> Any:
        """Number of set bits."""
        return types.int64(types.int64), lambda context, builder, signature, args: builder.ctpop(args[0])

    @intrinsic  # type: ignore[untyped-decorator]
    def lowest(typingctx: Any, bits: Any) -> Any:
        """Index of the lowest set bit of a number that is not 0."""
        from llvmlite import ir

        bit = ir.Constant(ir.IntType(1), 0)
        return types.int64(types.int64), lambda context, builder, signature, args: builder.cttz(args[0], bit)


@compiled
def wide(number: Any) -> int:
    """A field as a 64-bit integer: narrow unsigned numbers would otherwise not mix with signed ones."""
    return np.int64(number)  # type: ignore[return-value]


@compiled
def nth_bit(bits: int, n: int) -> int:
    """Index of the set bit that has ``n`` set bits below it."""
    for _ in range(n):
        bits &= bits - 1
    return lowest(bits)


@compiled
def card_points(cards: int) -> int:
    """Points of a card set."""
    points = 0
    left = wide(cards)
    while left:
        points += CARD_POINTS[lowest(left)]
        left &= left - 1
    return points


@compiled
def suit_cards(suit: int) -> int:
    """All cards of a suit."""
    return SUIT_MASK << (NUM_RANKS * suit)


@compiled
def is_pair(cards: int, suit: int) -> bool:
    """Whether a card set holds queen and king of a suit."""
    return (cards >> (NUM_RANKS * suit + 2)) & 3 == 3


@compiled
def marriages_value(cards: int, rules: Any) -> int:
    """Sum of the values of the marriages in a card set."""
    value = 0
    for suit in range(NUM_SUITS):
        if is_pair(cards, suit):
            value += rules["marriage_value"][suit]
    return value
