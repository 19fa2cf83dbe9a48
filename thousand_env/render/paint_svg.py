"""Shapes as SVG text. The letters are the reader's own fonts; ``textLength`` holds them to the room that is theirs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from thousand_env.render.shapes import OUTLINES, Box, Group, Shape, Symbol, Text

_FONTS: Final = "Aileron, 'Helvetica Neue', Helvetica, Arial, sans-serif"


def svg_text(shapes: Sequence[Shape], width: int, height: int, title: str) -> str:
    """A whole SVG document."""
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" font-family="{_FONTS}">',
        f"<title>{escape(title)}</title>",
        "<defs>",
        *(f'<path id="{name}" d="{_path(name)}"/>' for name in sorted(set(_symbols(shapes)))),
        "</defs>",
        *_elements(shapes),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _symbols(shapes: Iterable[Shape]) -> Iterator[str]:
    for shape in shapes:
        if isinstance(shape, Group):
            yield from _symbols(shape.shapes)
        elif isinstance(shape, Symbol):
            yield shape.name


def _path(name: str) -> str:
    polygons = (" ".join(f"{_short(x)},{_short(y)}" for x, y in polygon) for polygon in OUTLINES[name])
    return " ".join(f"M{polygon}Z" for polygon in polygons)


def _elements(shapes: Iterable[Shape]) -> Iterator[str]:
    for shape in shapes:
        if isinstance(shape, Group):
            data = "".join(f" data-{name}={quoteattr(value)}" for name, value in shape.data.items())
            yield f'<g class="{shape.kind}"{data}>'
            yield from _elements(shape.shapes)
            yield "</g>"
        elif isinstance(shape, Text):
            if shape.text:
                yield _text(shape)
        else:
            yield _box(shape) if isinstance(shape, Box) else _symbol(shape)


def _box(box: Box) -> str:
    inset = box.line / 2
    place = f'x="{_short(box.x + inset)}" y="{_short(box.y + inset)}"'
    size = f'width="{_short(box.width - box.line)}" height="{_short(box.height - box.line)}"'
    stroke = f' stroke="{box.stroke}" stroke-width="{_short(box.line)}"' if box.stroke else ""
    return f'<rect {place} {size} rx="{_short(max(box.radius - inset, 0))}" fill="{box.fill or "none"}"{stroke}/>'


def _symbol(symbol: Symbol) -> str:
    place = f"translate({_short(symbol.x)} {_short(symbol.y)}) scale({_short(symbol.size)})"
    return f'<use href="#{symbol.name}" transform="{place}" fill="{symbol.fill}"/>'


def _text(text: Text) -> str:
    anchor = "" if text.anchor == "start" else f' text-anchor="{text.anchor}"'
    bold = ' font-weight="bold"' if text.bold else ""
    length = f'textLength="{_short(text.width)}" lengthAdjust="spacingAndGlyphs"'
    place = f'x="{_short(text.x)}" y="{_short(text.y)}" font-size="{_short(text.size)}"'
    return f'<text {place} fill="{text.fill}"{anchor}{bold} {length}>{escape(text.text)}</text>'


def _short(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".")
