"""The plate of a player: name, role, score, what was taken and said in this deal, barrel and bolts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from thousand_env.position import Position
from thousand_env.render.drawn_cards import (
    ALERT,
    DARK,
    DIM,
    FELT_EDGE,
    GOLD,
    LIGHT,
    PLATE,
    SHADE,
    SUIT_COLORS,
    SUITS,
)
from thousand_env.render.paint import Paint
from thousand_env.render.shapes import Box, Group, Shape, Symbol, Text, label, number, text_width
from thousand_env.render.table_facts import calls, declarations

PLATE_WIDTH: Final = 290
PLATE_HEIGHT: Final = 86
_PAD: Final = 12
_CHIP: Final = 12
_CHIP_HEIGHT: Final = 20
_BADGE: Final = 10.5


class Chip(NamedTuple):
    """A fact in a small frame: symbols of suits, then text."""

    text: str
    fill: str
    color: str
    suits: tuple[int, ...] = ()

    def width(self, size: float) -> float:
        """How much room it takes with its text at a size."""
        return text_width(self.text, size, True) + size * (1.2 + 1.05 * len(self.suits) + (0.2 if self.suits else 0))


def plate_shapes(position: Position, seat: int, x: float, y: float, paint: Paint) -> Group:
    """The plate of a seat with its upper left corner at a point."""
    turn, won = seat == position.seat, seat == position.winner
    right = x + PLATE_WIDTH - _PAD
    frame = Box(x, y, PLATE_WIDTH, PLATE_HEIGHT, 12, PLATE, GOLD if turn or won else FELT_EDGE, 2 if turn or won else 1)
    shapes: list[Shape] = [frame]

    left = x + _PAD
    badge = _badge(position, seat, right, y + 11)
    shapes += badge
    if turn:
        shapes.append(Group("turn", {}, [Symbol("arrow", left + 6, y + 21, 12, GOLD)]))
        left += 18
    if seat == position.dealer:
        shapes.append(dealer_button(left, y + 11))
        left += 26
    end = min([shape.x for shape in badge if isinstance(shape, Box)], default=right)
    shapes.append(label(left, y + 26.5, paint.player(seat), 16, LIGHT, end - 8 - left, bold=True))

    middle = x + PLATE_WIDTH * 0.42
    score = number(x + _PAD, y + 52, str(position.scores[seat]), 20, LIGHT, middle - 34 - x - _PAD, bold=True)
    shapes.append(score)
    if seat in position.active_seats:
        tricks, points = position.tricks_won[seat], position.points[seat]
        text = f"{tricks} trick{'' if tricks == 1 else 's'}, {points} pts"
        shapes.append(number(right, y + 51, text, 13, DIM, right - middle, "end"))
    shapes.append(number(score.left + score.width + 5, y + 52, "total", 11, DIM, 28))
    return Group("plate", {"seat": str(seat)}, shapes + _chips(_facts(position, seat), x + _PAD, y + 60))


def dealer_button(x: float, y: float) -> Group:
    """The round button that lies before the dealer."""
    letter = Text(x + 10, y + 14.5, "D", 12.5, DARK, "middle", True, text_width("D", 12.5, True))
    return Group("dealer", {}, [Box(x, y, 20, 20, 10, LIGHT, GOLD, 2), letter])


def _badge(position: Position, seat: int, right: float, y: float) -> list[Shape]:
    """What a seat is in this deal, at the right of its name."""
    if seat == position.winner:
        words, fill, color = "WINS", GOLD, DARK
    elif seat == position.declarer:
        words, fill, color = "DECLARER", GOLD, DARK
    elif seat not in position.active_seats:
        words, fill, color = "RESTS", SHADE, LIGHT
    elif seat == position.dealer:
        words, fill, color = "DEALER", SHADE, LIGHT
    else:
        return []
    width = text_width(words, _BADGE, True)
    box = Box(right - width - 14, y, width + 14, 20, 10, fill)
    return [box, Text(box.x + box.width / 2, y + 14, words, _BADGE, color, "middle", True, width)]


def _facts(position: Position, seat: int) -> list[Chip]:
    """What was said and declared in this deal, and what stands on the sheet besides the score."""
    rules = position.rules
    chips = []
    call = dict(calls(position)).get(seat)
    if call is not None:
        text = f"bid {call}" if call.isdecimal() else call
        chips.append(Chip(text, SHADE, DIM if call == "pass" else LIGHT))
    suits = declarations(position, seat)
    bonus = position.bonuses[seat]
    if suits or bonus:
        aces = "aces " if None in suits or not suits else ""
        chips.append(Chip(f"{aces}+{bonus}", LIGHT, DARK, tuple(suit for suit in suits if suit is not None)))
    attempts = position.barrel[seat]
    if attempts is not None:
        limit = "" if rules.barrel_attempts is None else f"/{rules.barrel_attempts}"
        chips.append(Chip(f"barrel {attempts}{limit}", SHADE, GOLD))
    if rules.lock_at is not None and position.scores[seat] >= rules.lock_at:
        chips.append(Chip("locked", SHADE, ALERT))
    if position.bolts[seat]:
        bolts = position.bolts[seat]
        chips.append(Chip(f"{'bolt' if bolts == 1 else 'bolts'} {bolts}/{rules.bolt_limit}", SHADE, ALERT))
    return chips


def _chips(chips: Sequence[Chip], x: float, y: float) -> list[Shape]:
    """Chips beside each other, smaller where they would not fit."""
    gap, room = 5, PLATE_WIDTH - 2 * _PAD
    size = float(_CHIP)
    wide = sum(chip.width(size) + gap for chip in chips) - gap
    if wide > room:
        size = int(size * (room - gap * len(chips)) / wide * 100) / 100
    shapes: list[Shape] = []
    for chip in chips:
        width = chip.width(size)
        shapes.append(Box(x, y, width, _CHIP_HEIGHT, 6, chip.fill))
        place = x + size * 0.6
        for suit in chip.suits:
            shapes.append(Symbol(SUITS[suit], place + size * 0.45, y + _CHIP_HEIGHT / 2, size, SUIT_COLORS[suit]))
            place += size * 1.05
        wide = text_width(chip.text, size, True)
        middle = x + width - size * 0.6 - wide / 2
        shapes.append(Text(middle, y + 10 + size * 0.36, chip.text, size, chip.color, "middle", True, wide))
        x += width + gap
    return shapes
