"""Shapes as an array of pixels, painted with Pillow; no display and no font file is needed.

Every shape is a mask, drawn at four times its size and made smaller, and kept: cards look the same in every picture.
The embedded font of Pillow has ASCII letters; others are written without accents or in Latin letters, or as ``?``.
"""

from __future__ import annotations

import functools
import math
import unicodedata
from collections.abc import Iterable
from typing import Final

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from thousand_env.render.shapes import ELLIPSIS, OUTLINES, Box, Group, Shape, Symbol, Text

_FINE: Final = 4
_BOLD: Final = 0.024
_LATIN: Final = {
    **dict(zip("абвгдеёзийклмнопрстуфэіїєґłøđ–—’‘", "abvgdeeziiklmnoprstufeiieglod--''", strict=True)),
    **dict(zip("жхцчшщюяßæœ", ("zh", "kh", "ts", "ch", "sh", "shch", "yu", "ya", "ss", "ae", "oe"), strict=True)),
    **dict(zip("ыъь", ("y", "", ""), strict=True)),
}
"""Small letters that lose no accent to become Latin."""


def raster(shapes: Iterable[Shape], width: int, height: int, scale: float) -> npt.NDArray[np.uint8]:
    """A new array uint8 [height, width, 3] with shapes drawn at a scale."""
    image = Image.new("RGB", (width, height))
    _paint(image, shapes, scale)
    return np.array(image)


def _paint(image: Image.Image, shapes: Iterable[Shape], scale: float) -> None:
    for shape in shapes:
        if isinstance(shape, Group):
            _paint(image, shape.shapes, scale)
        elif isinstance(shape, Box):
            _box(image, shape, scale)
        elif isinstance(shape, Symbol):
            _symbol(image, shape, scale)
        else:
            _text(image, shape, scale)


def _box(image: Image.Image, box: Box, scale: float) -> None:
    left, top = round(box.x * scale), round(box.y * scale)
    width, height = round((box.x + box.width) * scale) - left, round((box.y + box.height) * scale) - top
    line = max(round(box.line * scale), 1) if box.stroke else 0
    radius = round(box.radius * scale)
    if box.stroke:
        image.paste(box.stroke, (left, top), _box_mask(width, height, radius, 0 if box.fill else line))
    if box.fill and width > 2 * line and height > 2 * line:
        mask = _box_mask(width - 2 * line, height - 2 * line, max(radius - line, 0), 0)
        image.paste(box.fill, (left + line, top + line), mask)


@functools.lru_cache(maxsize=256)
def _box_mask(width: int, height: int, radius: int, hole: int) -> Image.Image:
    """A rectangle with round corners; with a hole it is only a frame so wide."""
    mask = Image.new("L", (max(width, 1), max(height, 1)), 255)
    radius = min(radius, width // 2, height // 2)
    if radius > 0:
        side = 2 * radius
        disc = Image.new("L", (side * _FINE, side * _FINE))
        ImageDraw.Draw(disc).ellipse((0, 0, side * _FINE - 1, side * _FINE - 1), fill=255)
        disc = disc.reduce(_FINE)
        for right in (False, True):
            for low in (False, True):
                x, y = radius * right, radius * low
                corner = disc.crop((x, y, x + radius, y + radius))
                mask.paste(corner, ((width - radius) * right, (height - radius) * low))
    if hole and width > 2 * hole and height > 2 * hole:
        inner = _box_mask(width - 2 * hole, height - 2 * hole, max(radius - hole, 0), 0)
        mask.paste(0, (hole, hole), inner)
    return mask


def _symbol(image: Image.Image, symbol: Symbol, scale: float) -> None:
    size = max(round(symbol.size * scale * _FINE), 1)
    left, top = (round(each * scale * _FINE - size / 2) for each in (symbol.x, symbol.y))
    mask = _symbol_mask(symbol.name, size, left % _FINE, top % _FINE)
    image.paste(symbol.fill, (left // _FINE, top // _FINE), mask)


@functools.lru_cache(maxsize=512)
def _symbol_mask(name: str, size: int, dx: int, dy: int) -> Image.Image:
    """A symbol whose size and offset are given in fine pixels."""
    width, height = (math.ceil((size + each) / _FINE) * _FINE for each in (dx, dy))
    mask = Image.new("L", (width, height))
    draw = ImageDraw.Draw(mask)
    for polygon in OUTLINES[name]:
        draw.polygon([((x + 0.5) * size + dx, (y + 0.5) * size + dy) for x, y in polygon], fill=255)
    return mask.reduce(_FINE)


def _text(image: Image.Image, text: Text, scale: float) -> None:
    if not text.text:
        return
    room = math.floor(text.width * scale * _FINE) + 1
    mask, width, pad, base = _text_mask(text.text, text.size * scale * _FINE, text.bold, room)
    start = text.x * scale - width / _FINE * {"start": 0, "middle": 0.5, "end": 1}[text.anchor]
    image.paste(text.fill, (round(start) - pad, round(text.y * scale) - base), mask)


@functools.lru_cache(maxsize=1024)
def _text_mask(text: str, size: float, bold: bool, room: int) -> tuple[Image.Image, float, int, int]:
    """A text at a size in fine pixels; its width in them, and where in the mask it begins: column and base line."""
    font = _font(size)
    stroke = round(size * _BOLD) if bold else 0
    text, most = _plain(text), room - 2 * stroke
    if font.getlength(text) > most:
        text = text.rstrip(ELLIPSIS)
        while text and font.getlength(text + ELLIPSIS) > most:
            text = text[:-1]
        text += ELLIPSIS
    width = font.getlength(text) + 2 * stroke
    pad = 1
    base = math.ceil(size / _FINE)
    mask = Image.new("L", ((math.ceil(width / _FINE) + 2 * pad) * _FINE, math.ceil(size * 1.3 / _FINE) * _FINE))
    start = (pad * _FINE + stroke, base * _FINE)
    ImageDraw.Draw(mask).text(start, text, fill=255, font=font, anchor="ls", stroke_width=stroke)
    return mask.reduce(_FINE), width, pad, base


@functools.lru_cache(maxsize=64)
def _font(size: float) -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(size)
    assert isinstance(font, ImageFont.FreeTypeFont), "Pillow was built without FreeType"
    return font


def _plain(text: str) -> str:
    """A text in letters that the embedded font has."""
    return text if text.isascii() else "".join(map(_letter, text))


def _letter(letter: str) -> str:
    if letter.isascii() or letter == ELLIPSIS:
        return letter
    small = letter.lower()
    if small in _LATIN:
        return _LATIN[small] if letter == small else _LATIN[small].capitalize()
    bare = unicodedata.normalize("NFKD", letter)
    if unicodedata.combining(bare[0]):
        return ""
    return bare[0] if bare[0].isascii() else _LATIN.get(bare[0], "?")
