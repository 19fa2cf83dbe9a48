"""The paper that pictures are drawn on: figures of one look, saved whole or not at all.

By Matplotlib, which is imported when the first picture is made, without its global state and without a display.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from thousand_env.evaluation.extras import need

FilePath = str | os.PathLike[str]

SUFFIXES: Final = (".png", ".svg")
COLORS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
"""Told apart by the colour-blind: Okabe and Ito, Color Universal Design, 2008; without their yellow, faint on white."""
MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X")
"""One for each colour, so that nothing is told by colour alone."""
INK: Final = "#222222"
PALE: Final = "#888888"
GRID: Final = "#DDDDDD"

_DPI: Final = 150
_SMALL: Final = 8
_FACTS: Final = ("seed", "phase", "seatings", "sheets")


def checked_path(file: FilePath) -> Path:
    """Where a picture goes; ``ValueError`` for a name that ends in neither ``.png`` nor ``.svg``."""
    path = Path(file)
    if path.suffix.lower() not in SUFFIXES:
        raise ValueError(f"file={os.fspath(file)!r} is not accepted: the name must end in {' or '.join(SUFFIXES)}")
    return path


def look(number: int) -> dict[str, Any]:
    """Colour and marker of the n-th agent, as Matplotlib's keywords."""
    return {"color": COLORS[number % len(COLORS)], "marker": MARKERS[number % len(MARKERS)]}


def new_figure(width: float, height: float, title: str, footer: str = "") -> tuple[Any, Any]:
    """A figure of so many inches with a title and one pair of axes; ``footer`` is put below in small letters."""
    figure = need("matplotlib.figure").Figure(figsize=(width, height), layout="constrained", facecolor="white")
    axes = figure.add_subplot()
    figure.suptitle(title, x=0.02, ha="left", fontsize=13, color=INK)
    if footer:
        text = textwrap.fill(footer, int(width * 17))
        figure.supxlabel(text, x=0.02, ha="left", fontsize=_SMALL, color=PALE)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(PALE)
    axes.tick_params(colors=INK, labelsize=10)
    axes.set_axisbelow(True)
    return figure, axes


def facts_line(facts: Mapping[str, Any], *more: str) -> str:
    """What a result rests on, in a line: more, options that are not the default, seed and keywords, version."""
    changes = ", ".join(f"{name}={value!r}" for name, value in (facts.get("rules_changes") or {}).items())
    told = [f"{name} {facts[name]}" for name in _FACTS if facts.get(name) is not None]
    version = facts.get("versions", {}).get("thousand_env")
    parts = [*more, f"rules: {changes}" if changes else "", *told, f"thousand_env {version}" if version else ""]
    return "; ".join(part for part in parts if part)


def save(figure: Any, path: Path) -> None:
    """Write a figure under a temporary name beside its own, and rename it; the same figure gives the same bytes."""
    backend, kind = ("backend_agg", "png") if path.suffix.lower() == ".png" else ("backend_svg", "svg")
    need(f"matplotlib.backends.{backend}")
    metadata = {"Software": None} if kind == "png" else {"Date": None, "Creator": None}
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with need("matplotlib").rc_context({"svg.hashsalt": "thousand_env"}), temporary.open("xb") as file:
            figure.savefig(file, format=kind, dpi=_DPI, metadata=metadata)
        temporary.replace(path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        if isinstance(error, OSError) and error.filename == str(temporary):
            raise OSError(error.errno, error.strerror, str(path)) from None
        raise


def legend(axes: Any, handles: Sequence[Any] | None = None) -> None:
    """A legend without a frame, where it hides least."""
    options = {} if handles is None else {"handles": handles}
    axes.legend(frameon=False, fontsize=10, labelcolor=INK, loc="best", **options)
