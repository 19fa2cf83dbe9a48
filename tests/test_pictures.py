"""Pictures of results: they show what they are given, in both formats, whole or not at all."""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from thousand_env.evaluation import canvas
from thousand_env.evaluation.pictures import bid_calibration, heat_map, learning_curves, score_differences, wilson

pytest.importorskip("matplotlib")

FACTS = {"rules_changes": {"min_bid": 60}, "seed": 7, "phase": "full", "versions": {"thousand_env": "0.1.0"}}


@dataclass
class Deals:
    """What is read of a report."""

    names: tuple[str, ...] = ("first", "second")
    mean: float = 12.5
    interval: tuple[float, float] = (8.0, 17.0)
    deals: int = 2000
    by_bid: list[dict[str, Any]] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=lambda: dict(FACTS))


@dataclass
class Crossing:
    """What is read of a table."""

    names: tuple[str, ...]
    mean: Any
    facts: dict[str, Any] = field(default_factory=lambda: dict(FACTS))
    half: float = 5.0

    @property
    def low(self) -> Any:
        return self.mean - self.half

    @property
    def high(self) -> Any:
        return self.mean + self.half


BIDS = [
    {"agent": agent, "contract": contract, "times": times, "made": made, "mean": 0.0, "bid": 2 * times}
    for agent, contract, times, made in [
        ("first", 100, 500, 0.9),
        ("first", 110, 40, 0.5),
        ("first", 200, 0, float("nan")),
        ("second", 100, 300, 1.0),
    ]
]
TABLE = Crossing(("weak", "strong", "middle"), np.array([[0, -40, -22.5], [40, 0, 3.0], [22.5, -3.0, 0]]))
CURVES = {"one": [(0, -5, -7, -3), (1e6, 3, 1, 5)], "other": [(0, -5, -7, -3), (2e6, 9, 8, 10)]}
REPORTS = [Deals(), Deals(("second", "third one"), -1.25, (-4.0, 1.5))]

Draw = Callable[[Path], None]
DRAWN: dict[str, Draw] = {
    "differences": lambda file: score_differences(REPORTS, file),
    "bids": lambda file: bid_calibration(Deals(by_bid=BIDS), file),
    "table": lambda file: heat_map(TABLE, file),
    "curves": lambda file: learning_curves(CURVES, file),
}


def names_in(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def words(file: Path) -> str:
    """The texts of an SVG: Matplotlib writes letters as outlines and the text as a comment."""
    return file.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", DRAWN)
def test_png_and_svg(name: str, tmp_path: Path) -> None:
    png, svg = tmp_path / "a.png", tmp_path / "a.SVG"
    DRAWN[name](png)
    DRAWN[name](svg)
    data = png.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = (int.from_bytes(data[at : at + 4], "big") for at in (16, 20))
    assert width > 500
    assert height > 300
    assert ElementTree.parse(svg).getroot().tag.endswith("svg")
    assert names_in(tmp_path) == ["a.SVG", "a.png"]


@pytest.mark.parametrize("name", DRAWN)
def test_the_same_picture_is_the_same_file(name: str, tmp_path: Path) -> None:
    for suffix in canvas.SUFFIXES:
        files = [tmp_path / f"{which}{suffix}" for which in "ab"]
        for file in files:
            DRAWN[name](file)
        assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("differences", ["first – second", "second – third one", "+12.5  (+8.0 to +17.0)", "−1.2  (−4.0 to +1.5)"]),
        ("differences", ["points a deal", "2,000 deals", "seed 7", "min_bid=60", "thousand_env 0.1.0"]),
        ("bids", ["Contracts made: first and second", "contracts made, %", "times played", "contract, points"]),
        ("table", ["weak", "strong", "−40.0", "+22.5", "± 5.0", "points a deal", "bold: the interval excludes 0"]),
        ("curves", ["one", "other", "decisions", "points a deal, with intervals of 95 %", "2M"]),
    ],
)
def test_what_is_written_on_them(name: str, texts: list[str], tmp_path: Path) -> None:
    file = tmp_path / "a.svg"
    DRAWN[name](file)
    for text in texts:
        assert f"<!-- {text}" in words(file) or text in words(file), text


def test_the_best_of_a_table_stand_first(tmp_path: Path) -> None:
    heat_map(TABLE, tmp_path / "a.svg")
    places = [words(tmp_path / "a.svg").index(f"<!-- {name} -->") for name in ("strong", "middle", "weak")]
    assert places == sorted(places)


def test_tables_with_holes_and_of_one_pair(tmp_path: Path) -> None:
    mean = np.array([[0, np.nan], [np.nan, 0]])
    heat_map(Crossing(("a", "b"), mean), tmp_path / "a.svg")
    heat_map(Crossing(("a", "a name that is long"), np.array([[0, 0.0], [0, 0]]), half=np.nan), tmp_path / "b.svg")
    assert "±" not in words(tmp_path / "b.svg")


def test_one_report_alone_and_one_contract_alone(tmp_path: Path) -> None:
    score_differences(Deals(), tmp_path / "a.png")
    bid_calibration(Deals(by_bid=BIDS[:1]), tmp_path / "b.png")


def test_intervals_of_shares() -> None:
    """Wilson's interval: 8 of 10 is 0.490 to 0.943; all of 10 ends at 1."""
    low, high = wilson(np.array([0.8, 1.0, 0.0]), np.array([10.0, 10.0, 10.0]))
    assert low == pytest.approx([0.4902, 0.7225, 0.0], abs=1e-4)
    assert high == pytest.approx([0.9433, 1.0, 0.2775], abs=1e-4)


@pytest.mark.parametrize(
    ("draw", "error", "text"),
    [
        (
            lambda at: heat_map(TABLE, at / "a.jpg"),
            ValueError,
            r"a\.jpg' is not accepted: the name must end in \.png or",
        ),
        (lambda at: score_differences([], at / "a.png"), ValueError, r"reports=\[\] is not accepted"),
        (lambda at: score_differences([TABLE], at / "a.png"), TypeError, "Crossing is not accepted as a report"),
        (lambda at: bid_calibration(Deals(), at / "a.png"), ValueError, "no contracts that were played"),
        (lambda at: learning_curves({}, at / "a.png"), ValueError, "curves={} is not accepted"),
        (
            lambda at: learning_curves({"x": [(1, 2)]}, at / "a.png"),
            ValueError,
            r"'x' is not accepted: its rows must be",
        ),
        (lambda at: learning_curves({"x": []}, at / "a.png"), ValueError, r"'x' is not accepted: its rows must be"),
        (lambda at: heat_map(TABLE, at / "no" / "a.png"), OSError, r"No such file or directory: '.*no/a\.png'"),
    ],
)
def test_what_cannot_be_drawn(draw: Any, error: type[Exception], text: str, tmp_path: Path) -> None:
    with pytest.raises(error, match=text):
        draw(tmp_path)
    assert names_in(tmp_path) == []


def test_a_failure_leaves_the_old_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from matplotlib.figure import Figure

    def fail(self: Any, file: Any, **options: Any) -> None:
        file.write(b"half")
        raise KeyboardInterrupt

    file = tmp_path / "a.png"
    file.write_bytes(b"old")
    monkeypatch.setattr(Figure, "savefig", fail)
    with pytest.raises(KeyboardInterrupt):
        heat_map(TABLE, file)
    assert names_in(tmp_path) == ["a.png"]
    assert file.read_bytes() == b"old"


def test_without_matplotlib_one_line_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [_Missing(), *sys.meta_path])
    for draw in DRAWN.values():
        with pytest.raises(ImportError, match=r'^matplotlib is not installed: pip install "thousand_env\[eval\]"$'):
            draw(tmp_path / "a.png")


class _Missing:
    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if name.partition(".")[0] == "matplotlib":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def test_no_global_state_is_touched(tmp_path: Path) -> None:
    import matplotlib

    before = dict(matplotlib.rcParams)
    for number, draw in enumerate(DRAWN.values()):
        draw(tmp_path / f"{number}.svg")
    assert dict(matplotlib.rcParams) == before
