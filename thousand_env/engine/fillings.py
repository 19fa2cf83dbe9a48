"""Ways to put cards into bins: how many there are, and one of them drawn uniformly.

Each card may go into some of the bins (a bit set of bins), each bin takes a given number of cards. Cards that may go
into the same bins form a class. Counts are made class by class over the room left in the bins, which is exact and quick
because there are at most five bins; they are below 2**53, so that 64-bit floats hold them exactly.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from thousand_env.cards import NUM_CARDS
from thousand_env.engine.bits import lowest, popcount, wide
from thousand_env.engine.compiler import compiled
from thousand_env.engine.deck import MIX_SHIFT, below, mix, next_state

MAX_BINS: Final = 6
MAX_CLASSES: Final = 1 << MAX_BINS

FACTORIALS: Final = tuple(float(np.prod(np.arange(1, n + 1, dtype=np.float64))) for n in range(NUM_CARDS + 1))


@compiled
def make_classes(allowed: Any, unplaced: int, bins_of: Any, sizes: Any) -> int:
    """Group the cards of a set by where they may go; fills ``bins_of`` and ``sizes`` and returns their number.

    Classes with a single bin come first, since they leave no choice. -1 if some card may go nowhere.
    """
    classes = 0
    for rank in range(2):
        cards = unplaced
        while cards:
            card = lowest(cards)
            cards &= cards - 1
            bins = allowed[card]
            if bins == 0:
                return -1
            if (popcount(bins) == 1) != (rank == 0):
                continue
            found = -1
            for j in range(classes):
                if bins_of[j] == bins:
                    found = j
            if found < 0:
                found = classes
                bins_of[found] = bins
                sizes[found] = 0
                classes += 1
            sizes[found] += 1
    return classes


@compiled
def _first_split(bins: int, size: int, room: Any, split: Any) -> bool:
    """The first way to split a class over its bins within their room; False if there is none."""
    left = size
    for b in range(MAX_BINS):
        split[b] = 0
    for b in range(MAX_BINS):
        if (bins >> b) & 1:
            split[b] = min(left, room[b])
            left -= split[b]
    return left == 0


@compiled
def _next_split(bins: int, room: Any, split: Any) -> bool:
    """The next way in order, or False after the last: move one card to a later bin and refill the bins after it."""
    spare = 0
    for b in range(MAX_BINS - 1, -1, -1):
        if not (bins >> b) & 1:
            continue
        later_room = -spare
        for c in range(b + 1, MAX_BINS):
            if (bins >> c) & 1:
                later_room += room[c]
        if split[b] > 0 and later_room > 0:
            split[b] -= 1
            left = spare + 1
            for c in range(b + 1, MAX_BINS):
                if (bins >> c) & 1:
                    split[c] = min(left, room[c])
                    left -= split[c]
            return True
        spare += split[b]
    return False


@compiled
def _split_ways(size: int, split: Any) -> float:
    """In how many ways the cards of a class can be split so."""
    ways = FACTORIALS[size]
    for b in range(MAX_BINS):
        if split[b] > 1:
            ways /= FACTORIALS[split[b]]
    return ways


@compiled
def _room_index(room: Any, capacity: Any, num_bins: int) -> int:
    """Place of the room left in all bins but the last, whose room follows from the rest."""
    index = 0
    for b in range(num_bins - 1):
        index = index * (capacity[b] + 1) + room[b]
    return index


@compiled
def count_ways(classes: int, bins_of: Any, sizes: Any, capacity: Any, num_bins: int) -> Any:
    """``ways[j, room]``: in how many ways the classes from ``j`` on fill exactly that room."""
    width = 1
    for b in range(num_bins - 1):
        width *= capacity[b] + 1
    ways = np.zeros((classes + 1, width))
    ways[classes, 0] = 1.0
    room = np.zeros(MAX_BINS, np.int64)
    split = np.zeros(MAX_BINS, np.int64)
    cards = 0
    for j in range(classes - 1, -1, -1):
        cards += sizes[j]
        for index in range(width):
            rest = index
            last = cards
            for b in range(num_bins - 2, -1, -1):
                room[b] = rest % (capacity[b] + 1)
                rest //= capacity[b] + 1
                last -= room[b]
            room[num_bins - 1] = last
            if last < 0 or last > capacity[num_bins - 1] or not _first_split(bins_of[j], sizes[j], room, split):
                continue
            total = 0.0
            while True:
                for b in range(MAX_BINS):
                    room[b] -= split[b]
                further = ways[j + 1, _room_index(room, capacity, num_bins)]
                for b in range(MAX_BINS):
                    room[b] += split[b]
                if further > 0.0:
                    total += further * _split_ways(sizes[j], split)
                if not _next_split(bins_of[j], room, split):
                    break
            ways[j, index] = total
    return ways


@compiled
def uniform(stream: Any) -> tuple[Any, float]:
    """The stream moved on, and a number drawn uniformly from [0, 1)."""
    stream = next_state(stream)
    return stream, np.float64(mix(stream) >> MIX_SHIFT) * (1.0 / 9007199254740992.0)


@compiled
def draw_filling(
    ways: Any,
    classes: int,
    bins_of: Any,
    sizes: Any,
    capacity: Any,
    num_bins: int,
    allowed: Any,
    unplaced: int,
    stream: Any,
    filling: Any,
) -> tuple[Any, bool]:
    """Fill the bins in one way drawn uniformly: ``filling[b]`` becomes the card set in bin ``b``.

    Returns the stream, and False in the rare case that rounding left no way to take.
    """
    room = np.zeros(MAX_BINS, np.int64)
    split = np.zeros(MAX_BINS, np.int64)
    members = np.empty(NUM_CARDS, np.int64)
    for b in range(num_bins):
        room[b] = capacity[b]
        filling[b] = 0
    for j in range(classes):
        stream, share = uniform(stream)
        left = share * ways[j, _room_index(room, capacity, num_bins)]
        _first_split(bins_of[j], sizes[j], room, split)
        while True:
            for b in range(MAX_BINS):
                room[b] -= split[b]
            further = ways[j + 1, _room_index(room, capacity, num_bins)]
            if further > 0.0:
                left -= further * _split_ways(sizes[j], split)
                if left < 0.0:
                    break
            for b in range(MAX_BINS):
                room[b] += split[b]
            if not _next_split(bins_of[j], room, split):
                return stream, False
        count = 0
        cards = unplaced
        while cards:
            card = lowest(cards)
            cards &= cards - 1
            if allowed[card] == bins_of[j]:
                members[count] = card
                count += 1
        for b in range(num_bins):
            for _ in range(split[b]):
                stream, chosen = below(stream, count)
                count -= 1
                filling[b] |= wide(1) << members[chosen]
                members[chosen] = members[count]
    return stream, True
