"""The shapes that a picture is made of: boxes, symbols and text, in named groups. Knows nothing of cards or tables.

Coordinates grow to the right and down. A painter (``paint_svg``, ``paint_raster``) turns shapes into a picture; both
keep a text within ``Text.width``, which is reckoned here and needs no font.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

Anchor = Literal["start", "middle", "end"]
Outline = tuple[tuple[tuple[float, float], ...], ...]

ELLIPSIS: Final = "…"


class Box(NamedTuple):
    """A rectangle with round corners; ``line`` is the width of its border, which lies within it."""

    x: float
    y: float
    width: float
    height: float
    radius: float
    fill: str | None
    stroke: str | None = None
    line: float = 0


class Symbol(NamedTuple):
    """One of ``OUTLINES``, its middle at ``x``, ``y``."""

    name: str
    x: float
    y: float
    size: float
    fill: str


class Text(NamedTuple):
    """One line of text on the base line ``y``, which takes exactly or at most ``width``."""

    x: float
    y: float
    text: str
    size: float
    fill: str
    anchor: Anchor
    bold: bool
    width: float

    @property
    def left(self) -> float:
        """Where it begins."""
        return self.x - self.width * {"start": 0, "middle": 0.5, "end": 1}[self.anchor]


class Group(NamedTuple):
    """Shapes that belong together, such as a card: a class and data by which to find it."""

    kind: str
    data: dict[str, str]
    shapes: Sequence[Shape]


Shape: TypeAlias = "Box | Symbol | Text | Group"


# Text

_WIDTHS: Final = {
    20: "'",
    24: " ,.:;ij",
    28: "!-Il|",
    32: "()/[\\]`ft{}",
    36: '"r',
    48: "sz",
    52: "?_vxy",
    56: "*Jacek",
    60: "#$+0123456789<=>EFLPSYZ^hnou~",
    64: "ABKRTVXbdgpq" + ELLIPSIS,
    68: "&",
    72: "CDGNU",
    76: "%HOQ",
    80: "w",
    88: "@Mm",
    96: "W",
}
"""Widths in hundredths of the size, a little more than those of common sans-serif fonts."""
_WIDTH_OF: Final = {letter: width for width, letters in _WIDTHS.items() for letter in letters}
_BOLD: Final = (1.05, 6)
"""Bold letters: a factor, and what the first and the last jut out."""


def text_width(text: str, size: float, bold: bool = False) -> float:
    """How much room a text takes."""
    width = sum(map(_letter_width, text))
    return size * (width * _BOLD[0] + _BOLD[1] if bold else width) / 100


def _letter_width(letter: str) -> int:
    if letter in _WIDTH_OF:
        return _WIDTH_OF[letter]
    if unicodedata.combining(letter):
        return 0
    return 100 if unicodedata.east_asian_width(letter) in "WF" or ord(letter) > 0xFFFF else 70


def cut(text: str, size: float, room: float, bold: bool = False) -> str:
    """A text as it is, or as much of it as fits with an ellipsis. What cannot be printed becomes a space."""
    text = "".join(letter if letter.isprintable() else " " for letter in text).strip()
    if text_width(text, size, bold) <= room:
        return text
    # Wide letters may be left out one by one; a name of thousands must not take thousands of steps.
    text = text[: int(room / size * 5) + 1]
    while text and text_width(text + ELLIPSIS, size, bold) > room:
        text = text[:-1]
    return text.rstrip() + ELLIPSIS


def label(
    x: float,
    y: float,
    text: str,
    size: float,
    fill: str,
    room: float,
    anchor: Anchor = "start",
    bold: bool = False,
) -> Text:
    """A text that is cut where it would take more room than there is."""
    text = cut(text, size, room, bold)
    return Text(x, y, text, size, fill, anchor, bold, text_width(text, size, bold))


def number(
    x: float,
    y: float,
    text: str,
    size: float,
    fill: str,
    room: float,
    anchor: Anchor = "start",
    bold: bool = False,
) -> Text:
    """A text that is written smaller where it would take more room than there is."""
    size = shrunk([text], size, room, bold)
    return Text(x, y, text, size, fill, anchor, bold, text_width(text, size, bold))


def shrunk(texts: Iterable[str], size: float, room: float, bold: bool = False) -> float:
    """The size, or a smaller one, at which texts beside each other fit."""
    width = sum(text_width(text, size, bold) for text in texts)
    return size if width <= room else int(size * room / width * 100) / 100


# Symbols, in a square from -0.5 to 0.5


def _curve(*corners: tuple[float, float], steps: int = 10) -> list[tuple[float, float]]:
    """Points of cubic curves joined at every third corner, without the first."""
    points = []
    for (x0, y0), (x1, y1), (x2, y2), (x3, y3) in zip(
        corners[:-3:3], corners[1:-2:3], corners[2:-1:3], corners[3::3], strict=True
    ):
        for step in range(1, steps + 1):
            t = step / steps
            a, b, c, d = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
            points.append((a * x0 + b * x1 + c * x2 + d * x3, a * y0 + b * y1 + c * y2 + d * y3))
    return points


def _mirrored(half: list[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    """A closed outline from the half of it at the left, drawn from one end of the middle line to the other."""
    points = half + [(-x, y) for x, y in reversed(half)]
    return tuple((round(x, 3), round(y, 3)) for x, y in points)


def _circle(x: float, y: float, radius: float) -> tuple[tuple[float, float], ...]:
    k = 0.5523 * radius
    left = _curve((x, y + radius), (x - k, y + radius), (x - radius, y + k), (x - radius, y))
    left += _curve((x - radius, y), (x - radius, y - k), (x - k, y - radius), (x, y - radius))
    points = [(x, y + radius), *left]
    points += [(2 * x - px, py) for px, py in reversed(points[1:-1])]
    return tuple((round(px, 3), round(py, 3)) for px, py in points)


_HEART = [
    (0.0, 0.5),
    *_curve((0, 0.5), (-0.13, 0.3), (-0.5, 0.1), (-0.5, -0.2), (-0.5, -0.38), (-0.37, -0.48), (-0.25, -0.48)),
    *_curve((-0.25, -0.48), (-0.13, -0.48), (-0.04, -0.4), (0, -0.28)),
]
_STEM = _mirrored([(0, 0.0), *_curve((-0.01, 0.05), (-0.03, 0.25), (-0.08, 0.38), (-0.2, 0.5)), (0, 0.5)])
_SPADE = [(x * 0.94, -0.5 + (0.5 - y) * 0.84) for x, y in _HEART]
_DIAMOND = [
    (0.0, -0.5),
    *_curve((0, -0.5), (-0.1, -0.3), (-0.25, -0.1), (-0.39, 0), (-0.25, 0.1), (-0.1, 0.3), (0, 0.5)),
]

OUTLINES: Final[dict[str, Outline]] = {
    "spade": (_mirrored(_SPADE), _STEM),
    "club": (
        _circle(0, -0.255, 0.235),
        _circle(-0.255, 0.1, 0.235),
        _circle(0.255, 0.1, 0.235),
        ((0, -0.2), (0.2, 0.16), (-0.2, 0.16)),
        _STEM,
    ),
    "diamond": (_mirrored(_DIAMOND),),
    "heart": (_mirrored(_HEART),),
    "arrow": (((-0.35, -0.45), (0.45, 0), (-0.35, 0.45)),),
}
"""Outlines of the symbols, as polygons that are filled together."""
