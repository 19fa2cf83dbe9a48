"""Random numbers and the deal. Deal ``k`` of seed ``s`` depends on ``(s, k)`` alone, whatever was played before.

The generator is SplitMix64 (Steele, Lea, Flood 2014, "Fast splittable pseudorandom number generators"): the i-th number
of a stream is a mix of its seed plus i times a constant, so that streams need no state. Numbers below a bound are
drawn by Lemire's multiplication with rejection (2019, "Fast random integer generation in an interval"), which is exact.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from thousand_env.engine.bits import wide
from thousand_env.engine.compiler import compiled
from thousand_env.engine.state import sitter

GAMMA: Final = np.uint64(0x9E3779B97F4A7C15)
MIX_1: Final = np.uint64(0xBF58476D1CE4E5B9)
MIX_2: Final = np.uint64(0x94D049BB133111EB)
DEAL_TAG: Final = np.uint64(0xD1B54A32D192ED03)
DEALER_TAG: Final = np.uint64(0x8CB92BA72F3D8DD7)
EPISODE_TAG: Final = np.uint64(0xA0761D6478BD642F)
ENV_TAG: Final = np.uint64(0xE7037ED1A0B428DB)
SHIFT_27: Final = np.uint64(27)
SHIFT_30: Final = np.uint64(30)
SHIFT_31: Final = np.uint64(31)
SHIFT_32: Final = np.uint64(32)
LOW_32: Final = np.uint64(0xFFFFFFFF)
MIX_SHIFT: Final = np.uint64(11)


@compiled
def mix(value: Any) -> Any:
    """A uint64 spread over all uint64, one to one."""
    value = (value ^ (value >> SHIFT_30)) * MIX_1
    value = (value ^ (value >> SHIFT_27)) * MIX_2
    return value ^ (value >> SHIFT_31)


@compiled
def derive_seed(seed: Any, tag: Any, index: Any) -> Any:
    """A uint64 that depends on a uint64 seed, what it is for, and a uint64 index."""
    return mix(mix(seed + tag) + index * GAMMA)


@compiled
def next_state(stream: Any) -> Any:
    """A stream moved on by one number."""
    return stream + GAMMA


@compiled
def below(stream: Any, bound: int) -> tuple[Any, int]:
    """The stream moved on, and a number drawn uniformly from ``range(bound)``, for bounds below 2**31."""
    limit = np.uint64(bound)
    while True:
        stream = next_state(stream)
        product = (mix(stream) >> SHIFT_32) * limit
        low = product & LOW_32
        if low >= limit or low >= (LOW_32 - limit + np.uint64(1)) % limit:
            return stream, wide(product >> SHIFT_32)


@compiled
def draw_dealer(seed: Any, players: int) -> int:
    """The dealer of the first deal."""
    return below(derive_seed(seed, DEALER_TAG, np.uint64(0)), players)[1]


@compiled
def deal_cards(state: Any, rules: Any) -> None:
    """Fill talon(s) and hands for deal ``deal_number``: talon A, talon B, then the active seats in ascending order."""
    cards = state["log"]  # empty between deals, so there is room to shuffle
    size = rules["deck_size"]
    for i in range(size):
        cards[i] = rules["deck"][i]
    stream = derive_seed(state["seed"], DEAL_TAG, np.uint64(state["deal_number"]))
    resting = sitter(state, rules)
    position = 0
    for talon in range(2):
        state["talon"][talon] = 0
        if talon == 0 or rules["players"] == 2:
            stream, state["talon"][talon] = _draw_cards(cards, position, rules["talon_size"], size, stream)
            position += rules["talon_size"]
    for seat in range(4):
        state["hands"][seat] = 0
        if seat < rules["players"] and seat != resting:
            stream, state["hands"][seat] = _draw_cards(cards, position, rules["hand_size"], size, stream)
            position += rules["hand_size"]
    for i in range(size):
        cards[i] = 0


@compiled
def _draw_cards(cards: Any, start: int, count: int, size: int, stream: Any) -> tuple[Any, int]:
    """The next ``count`` steps of a Fisher-Yates shuffle, and the set of the cards drawn."""
    drawn = 0
    for i in range(start, start + count):
        if start + count < size:  # of the last group only the set matters
            stream, offset = below(stream, size - i)
            j = i + offset
            card = cards[j]
            cards[j] = cards[i]
            cards[i] = card
        drawn |= 1 << wide(cards[i])
    return stream, drawn
