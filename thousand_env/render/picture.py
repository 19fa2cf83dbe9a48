r"""A position as a picture: an array of pixels, or SVG text. No display is needed, and for SVG no other library.

The picture of the README is made by this line::

    python -c "import random; from thousand_env import Game; from thousand_env.render.picture import svg; \
    draw, game = random.Random(4), Game(seed=4); [game.apply(draw.choice(game.legal_actions())) for _ in range(21)]; \
    print(svg(game.view(0), names=('you', 'greedy', 'random')), end='')" > docs/table.svg
"""

from __future__ import annotations

import operator
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from thousand_env.game import Game
from thousand_env.render.paint_svg import svg_text
from thousand_env.render.scene import HEIGHT_OF_ALL, WIDTH, heading, scene
from thousand_env.view import View

_LEAST, _MOST = 160, 7680


def rgb_array(position: Game | View, *, width: int = WIDTH, names: Sequence[str] = ()) -> npt.NDArray[np.uint8]:
    """A new array uint8 [H, W, 3] with the table, W = ``width`` and H two thirds of it.

    A ``Game`` is drawn with open cards and seat 0 at the bottom; a ``View`` with what its seat knows, that seat at the
    bottom and the other hands as backs of cards. ``names`` are written beside the seats. Needs Pillow.
    """
    try:
        columns = operator.index(width)
    except TypeError:
        columns = 0
    if not _LEAST <= columns <= _MOST:
        raise ValueError(f"width={width!r} is not accepted: use a whole number from {_LEAST} to {_MOST}")
    try:
        from thousand_env.render.paint_raster import raster
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "PIL":
            raise
        raise ImportError("rgb_array draws with Pillow: pip install 'thousand_env[picture]'") from None
    scale = columns / WIDTH
    return raster(scene(position, names), columns, round(HEIGHT_OF_ALL * scale), scale)


def svg(position: Game | View, *, names: Sequence[str] = ()) -> str:
    """The same picture as SVG text. Cards are groups such as ``<g class="card" data-card="TH" data-place="hand">``."""
    return svg_text(scene(position, names), WIDTH, HEIGHT_OF_ALL, heading(position))
