"""Single cards and rows of cards as shapes, and the colours that the whole picture shares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from thousand_env.cards import NUM_RANKS, RANKS, card_name
from thousand_env.render.shapes import Box, Group, Shape, Symbol, Text, text_width

ROOM: Final = "#12281f"
FELT: Final = "#1d4737"
PAD: Final = "#224f3e"
SLOT: Final = "#3b6f5a"
FELT_EDGE: Final = "#2b5c49"
PLATE: Final = "#143327"
SHADE: Final = "#2a5443"
LIGHT: Final = "#f4f1e6"
DIM: Final = "#a5c2b3"
GOLD: Final = "#f0c35a"
DARK: Final = "#14241c"
ALERT: Final = "#f0997d"

_PAPER, _EDGE, _BLACK, _RED = "#fdfcf7", "#8b968f", "#1c2126", "#c8202f"
_BACK, _BACK_LINE = "#2f5384", "#7f9cc4"

SUITS: Final = ("spade", "club", "diamond", "heart")
SUIT_COLORS: Final = (_BLACK, _BLACK, _RED, _RED)

HEIGHT: Final = 1.4
"""Height of a card of width 1."""
_SEEN: Final = 0.48
"""Of a card's width: what must be seen of a card that lies under another."""
_SEEN_BACK: Final = 0.2


def card_shapes(card: int | None, x: float, y: float, width: float, place: str) -> Group:
    """A card with its upper left corner at a point, or its back. ``place``: where it is, as ``hand``."""
    height, radius = round(width * HEIGHT), round(width * 0.1)
    if card is None:
        inset = max(round(width * 0.09), 1)
        back: list[Shape] = [Box(x, y, width, height, radius, _BACK, LIGHT, 1)]
        inner = (x + inset, y + inset, width - 2 * inset, height - 2 * inset)
        back.append(Box(*inner, radius * 0.6, None, _BACK_LINE, 1))
        back.append(Symbol("diamond", x + width / 2, y + height / 2, width * 0.36, _BACK_LINE))
        return Group("back", {"place": place}, back)
    suit, rank = card // NUM_RANKS, RANKS[card % NUM_RANKS]
    color, name = SUIT_COLORS[suit], "10" if rank == "T" else rank
    size = width * (0.32 if rank == "T" else 0.36)
    corner = x + width * 0.25
    shapes: list[Shape] = [
        Box(x, y, width, height, radius, _PAPER, _EDGE, 1),
        Text(corner, y + width * 0.39, name, size, color, "middle", True, text_width(name, size, True)),
        Symbol(SUITS[suit], corner, y + width * 0.61, width * 0.26, color),
        Symbol(SUITS[suit], x + width * 0.64, y + height - width * 0.38, width * 0.48, color),
    ]
    return Group("card", {"card": card_name(card), "place": place}, shapes)


def row(
    cards: Sequence[int | None], x: float, y: float, room: float, width: float, place: str, gap: float = 6
) -> list[Shape]:
    """Cards beside each other around ``x``, closer where they are many, smaller where even that is not enough."""
    if not cards:
        return []
    seen = _SEEN_BACK if set(cards) == {None} else _SEEN
    nominal, width = width, min(width, int(room / (1 + seen * (len(cards) - 1))))
    y += round((nominal - width) * HEIGHT / 2)
    step = min(width + gap, (room - width) / max(len(cards) - 1, 1))
    step = int(step) if int(step) >= seen * width else step
    left = round(x - (width + step * (len(cards) - 1)) / 2)
    return [card_shapes(card, left + turn * step, y, width, place) for turn, card in enumerate(cards)]


def empty_place(x: float, y: float, width: float, color: str) -> Group:
    """Where a card lies later, or has lain."""
    return Group("place", {}, [Box(x, y, width, round(width * HEIGHT), round(width * 0.1), None, color, 1.5)])
