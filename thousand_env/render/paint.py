"""How single things are written for a terminal: cards, suits, players, emphasis. Knows nothing of tables or matches.

Colour is plain ANSI (16 colours, so it follows the theme of the terminal); without it the same text has no escape
codes. Without Unicode everything is ASCII: ``TH`` for ``10♥``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from thousand_env.cards import NUM_RANKS, SUIT_SYMBOLS, SUITS, card_name, card_pretty

SUIT_WORDS: Final = ("spades", "clubs", "diamonds", "hearts")
RED_SUITS: Final = (2, 3)

_ESCAPE: Final = re.compile(r"\x1b\[[0-9;]*m")
_CODES: Final = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36", "bold red": "1;31"}


@dataclass(frozen=True)
class Paint:
    """A way of writing: with colour or without, with Unicode or ASCII only; ``names``: one a seat, as ``greedy``."""

    color: bool = False
    unicode: bool = True
    names: tuple[str, ...] = ()

    def style(self, text: str, style: str) -> str:
        """Text in one of the styles, or as it is without colour."""
        return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if self.color and text else text

    def bold(self, text: str) -> str:
        return self.style(text, "bold")

    def dim(self, text: str) -> str:
        return self.style(text, "dim")

    def accent(self, text: str) -> str:
        return self.style(text, "cyan")

    def good(self, text: str) -> str:
        return self.style(text, "green")

    def bad(self, text: str) -> str:
        return self.style(text, "yellow")

    def card(self, card: int) -> str:
        """One card, such as ``10♥`` or ``TH``."""
        text = card_pretty(card) if self.unicode else card_name(card)
        return self.style(text, "red") if card // NUM_RANKS in RED_SUITS else text

    def hand(self, cards: Iterable[int]) -> str:
        """Cards by suit, the highest first, with a wider gap between suits."""
        left = sorted(cards, reverse=True)
        groups = [[card for card in left if card // NUM_RANKS == suit] for suit in range(len(SUITS))]
        return "  ".join(" ".join(map(self.card, group)) for group in groups if group)

    def cards(self, cards: Iterable[int]) -> str:
        """Cards in the order given."""
        return " ".join(map(self.card, cards))

    def backs(self, number: int) -> str:
        """So many cards that are not seen."""
        return self.dim(" ".join(["▒▒" if self.unicode else "##"] * number))

    def suit(self, suit: int) -> str:
        """A suit, such as ``♥ hearts``."""
        symbol = SUIT_SYMBOLS[suit] if self.unicode else SUITS[suit]
        text = f"{symbol} {SUIT_WORDS[suit]}"
        return self.style(text, "bold red") if suit in RED_SUITS else self.bold(text)

    def symbol(self, unicode: str, letters: str) -> str:
        """A sign, or what stands for it in ASCII."""
        return unicode if self.unicode else letters

    def seat(self, seat: int) -> str:
        """A player in a sentence: ``P1``."""
        return self.bold(f"P{seat}")

    def player(self, seat: int, width: int = 0) -> str:
        """A player with the name, such as ``P1 greedy``, cut to a width if one is given."""
        name = self.names[seat] if seat < len(self.names) else ""
        if width and len(name) > width - 3:
            name = name[: width - 4] + self.symbol("…", "~")
        return f"{self.seat(seat)} {name}".rstrip()

    def signed(self, number: int) -> str:
        """A change of score: ``+45``, ``-120``, ``0``."""
        if number == 0:
            return "0"
        return self.good(f"+{number}") if number > 0 else self.bad(str(number))


def width(text: str) -> int:
    """Columns that a text takes."""
    return len(_ESCAPE.sub("", text))


def left(text: str, columns: int) -> str:
    """Padded on the right to a number of columns."""
    return text + " " * (columns - width(text))


def right(text: str, columns: int) -> str:
    """Padded on the left to a number of columns."""
    return " " * (columns - width(text)) + text


def fit(parts: Sequence[str], columns: int, paint: Paint, gap: str = "  ") -> str:
    """Parts in one line; where it is too short for all, the first are left out for dots."""
    dots = paint.symbol("…", "...")
    for start in range(len(parts)):
        text = gap.join([*([dots] if start else []), *parts[start:]])
        if width(text) <= columns:
            return text
    return dots if parts else ""
