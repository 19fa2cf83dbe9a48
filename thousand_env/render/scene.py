"""The scene of a picture: where at the table everything is, as one list of shapes for all painters.

Seats sit around the table clockwise, the observer of a view (of a game seat 0) at the bottom; in the middle lie the
talon and then the trick; the boxes in the lower corners say what is played and what has been.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from thousand_env.position import Position
from thousand_env.render.ansi import phase_line
from thousand_env.render.drawn_cards import (
    DARK,
    DIM,
    FELT,
    FELT_EDGE,
    GOLD,
    HEIGHT,
    LIGHT,
    PAD,
    PLATE,
    ROOM,
    SHADE,
    SLOT,
    SUIT_COLORS,
    SUITS,
    card_shapes,
    empty_place,
    row,
)
from thousand_env.render.paint import SUIT_WORDS, Paint
from thousand_env.render.plates import PLATE_WIDTH, plate_shapes
from thousand_env.render.shapes import Box, Group, Shape, Symbol, Text, label, number, text_width
from thousand_env.render.steps import last_winner, tricks
from thousand_env.render.table_facts import (
    Talon,
    bottom_seat,
    gifts,
    hand,
    note,
    put_aside,
    rounds,
    talons,
    who_saw_talon,
)

WIDTH: Final = 960
HEIGHT_OF_ALL: Final = 640
_MIDDLE: Final = (480, 311)
_BOX_WIDTH, _BOX_HEIGHT, _BOX_TOP = 234, 200, 424
_LEFT_BOX, _RIGHT_BOX = 16, WIDTH - 16 - _BOX_WIDTH
_TRICK_CARD, _TALON_CARD, _SMALL_CARD = 70, 66, 30
_BEFORE_PLAY: Final = ("dark", "redeal", "auction", "talon", "exchange", "raise")


class Seat(NamedTuple):
    """Where a player sits: middle and top of his place, his cards, and where he puts a card down."""

    x: float
    plate_y: float
    hand_y: float
    hand_room: float
    card: float
    trick: tuple[float, float]
    """From the middle of the table to the middle of his card there."""


_BOTTOM: Final = Seat(480, 538, 430, 428, 72, (0, 54))
_SEATS: Final = {
    2: (_BOTTOM, Seat(480, 16, 110, 520, 56, (0, -54))),
    3: (
        _BOTTOM._replace(trick=(0, 50)),
        Seat(236, 24, 118, 424, 56, (-84, -44)),
        Seat(724, 24, 118, 424, 56, (84, -44)),
    ),
    4: (
        _BOTTOM,
        Seat(161, 218, 312, 290, 56, (-84, 0)),
        Seat(480, 16, 110, 440, 56, (0, -54)),
        Seat(799, 218, 312, 290, 56, (84, 0)),
    ),
}


def scene(position: Position, names: Sequence[str] = ()) -> list[Shape]:
    """All shapes of the picture of a position, from back to front."""
    paint = Paint(names=tuple(names))
    players, bottom = position.rules.players, bottom_seat(position)
    places = {(bottom + turn) % players: place for turn, place in enumerate(_SEATS[players])}
    shapes: list[Shape] = [
        Box(0, 0, WIDTH, HEIGHT_OF_ALL, 0, ROOM),
        Box(4, 4, WIDTH - 8, HEIGHT_OF_ALL - 8, 26, FELT, FELT_EDGE, 2),
        Box(_MIDDLE[0] - 164, _MIDDLE[1] - 114, 328, 228, 36, PAD),
    ]
    shapes += [_seat(position, seat, places[seat], paint) for seat in range(players)]
    shapes.append(_middle(position, places, paint))
    shapes.append(Group("deal", {}, _deal_box(position)))
    moved = gifts(position) or put_aside(position)
    bidding = position.phase in _BEFORE_PLAY and not moved
    report = _auction_box(position) if bidding else _cards_box(position)
    return [*shapes, Group("auction" if bidding else "report", {}, report)]


def heading(position: Position) -> str:
    """The position in one line."""
    return f"Thousand: {phase_line(position, Paint())}"


def _seat(position: Position, seat: int, place: Seat, paint: Paint) -> Group:
    cards = hand(position, seat)
    room = place.hand_room
    shapes = [plate_shapes(position, seat, place.x - PLATE_WIDTH / 2, place.plate_y, paint)]
    return Group("seat", {"seat": str(seat)}, [*shapes, *row(cards, place.x, place.hand_y, room, place.card, "hand")])


# The middle of the table


def _middle(position: Position, places: dict[int, Seat], paint: Paint) -> Group:
    if position.phase in _BEFORE_PLAY:
        return Group("talon", {}, _talon_in_the_middle(position))
    if position.phase == "play":
        return Group("trick", {}, _trick(position, places))
    x, y = _MIDDLE
    what = _doing(position)
    shapes: list[Shape] = [label(x, y + 4, what[:1].upper() + what[1:], 24, GOLD, 330, "middle", bold=True)]
    if position.winner is not None:
        name = paint.player(position.winner)
        shapes.append(label(x, y + 34, f"{name}: {position.scores[position.winner]}", 16, LIGHT, 330, "middle"))
    return Group("end", {}, shapes)


def _doing(position: Position) -> str:
    """What is to be done by whom, or how the match has ended."""
    return phase_line(position, Paint()).partition("; ")[2]


def _trick(position: Position, places: dict[int, Seat]) -> list[Shape]:
    shapes: list[Shape] = []
    order = {seat: turn for turn, (seat, _) in enumerate(position.trick)}
    cards = dict(position.trick)
    height = round(_TRICK_CARD * HEIGHT)
    for seat in position.active_seats:
        dx, dy = places[seat].trick
        x, y = round(_MIDDLE[0] + dx - _TRICK_CARD / 2), round(_MIDDLE[1] + dy - height / 2)
        if seat not in cards:
            shapes.append(empty_place(x, y, _TRICK_CARD, GOLD if seat == position.seat else SLOT))
            continue
        leads = order[seat] == 0
        turn = str(order[seat] + 1)
        letter = Text(x + _TRICK_CARD - 13, y + 18, turn, 12, DARK if leads else LIGHT, "middle", True, 8)
        button = Box(x + _TRICK_CARD - 23, y + 4, 20, 20, 10, GOLD if leads else SHADE)
        shapes.append(card_shapes(cards[seat], x, y, _TRICK_CARD, "trick"))
        shapes.append(Group("order", {"seat": str(seat), "turn": turn}, [button, letter]))
    return shapes


def _talon_in_the_middle(position: Position) -> list[Shape]:
    lying = talons(position)
    shapes: list[Shape] = []
    height = round(_TALON_CARD * HEIGHT)
    room = 300 if len(lying) == 1 else 150
    for number_, talon in enumerate(lying):
        x = _MIDDLE[0] if len(lying) == 1 else _MIDDLE[0] + (number_ * 2 - 1) * 82
        shapes += _talon_cards(talon, x, _MIDDLE[1] - height / 2 - 8, room, _TALON_CARD)
        how = f", {who_saw_talon(position)}" if talon.taken else ""
        shapes.append(label(x, _MIDDLE[1] + height / 2 + 14, talon.name + how, 13, DIM, room, "middle"))
    return shapes


def _talon_cards(talon: Talon, x: float, y: float, room: float, width: float) -> list[Shape]:
    """A talon that lies there, or what is known of one that has been taken: then empty places for unseen cards."""
    if not talon.taken or None not in talon.cards:
        return row(talon.cards, x, y, room, width, "shown" if talon.taken else "talon", gap=4)
    places = []
    for group in row(talon.cards, x, y, room, width, "shown", gap=4):
        assert isinstance(group, Group)
        box = group.shapes[0]
        assert isinstance(box, Box)
        places.append(empty_place(box.x, box.y, box.width, SLOT))
    return list(places)


# The boxes in the corners


def _box(x: float) -> list[Shape]:
    return [Box(x, _BOX_TOP, _BOX_WIDTH, _BOX_HEIGHT, 12, PLATE, FELT_EDGE, 1)]


def _deal_box(position: Position) -> list[Shape]:
    x, y, inner = _LEFT_BOX + 14, _BOX_TOP, _BOX_WIDTH - 28
    right, half = x + inner, x + inner / 2 + 4
    shapes = _box(_LEFT_BOX)
    shapes.append(number(x, y + 28, f"Deal {position.deal_number + 1}", 17, LIGHT, inner - 80, bold=True))
    shapes.append(label(right, y + 28, f"P{position.dealer} dealt", 13, DIM, 76, "end"))
    shapes.append(Box(x, y + 40, inner, 1, 0, FELT_EDGE))

    declarer, bidder = position.declarer, position.bidder
    title, points, who = "Contract", position.contract, declarer
    if declarer is None:
        title, points, who = "Bid", position.bid, bidder
    shapes.append(label(x, y + 62, title, 13, DIM, inner / 2))
    if points is None:
        shapes.append(label(x, y + 86, "none yet", 15, DIM, inner / 2))
    else:
        shapes.append(number(x, y + 90, str(points), 24, LIGHT, inner / 2 - 8, bold=True))
    if who is not None:
        verb = "by" if declarer is None else "played by"
        shapes.append(label(x, y + 109, f"{verb} P{who}", 13, LIGHT, inner / 2 - 8))

    shapes.append(label(half, y + 62, "Trump", 13, DIM, inner / 2))
    if position.trump is None:
        shapes.append(label(half, y + 86, "none yet", 15, DIM, inner / 2 - 4))
    else:
        shapes.append(
            Group(
                "trump",
                {"suit": SUIT_WORDS[position.trump]},
                [
                    Box(half, y + 69, 28, 28, 6, LIGHT),
                    Symbol(SUITS[position.trump], half + 14, y + 83, 20, SUIT_COLORS[position.trump]),
                ],
            )
        )
        shapes.append(label(half, y + 113, SUIT_WORDS[position.trump], 13, LIGHT, inner / 2 - 4))
    text = note(position)
    if text:
        shapes.append(label(x, y + 146, text, 12, GOLD, inner))
    if not position.is_over:
        shapes.append(Box(x, y + 160, inner, 1, 0, FELT_EDGE))
        shapes.append(label(x, y + 184, _doing(position), 15, GOLD, inner, bold=True))
    return shapes


def _auction_box(position: Position) -> list[Shape]:
    x, y, inner = _RIGHT_BOX + 14, _BOX_TOP, _BOX_WIDTH - 28
    shapes = _box(_RIGHT_BOX)
    shapes.append(label(x, y + 28, "Auction", 17, LIGHT, inner, bold=True))
    shapes.append(Box(x, y + 40, inner, 1, 0, FELT_EDGE))
    if position.is_forced:
        shapes.append(label(x, y + 62, "none", 13, DIM, inner))
        return shapes
    seats = position.active_seats
    column = inner / len(seats)
    rows = rounds(position)
    for place, seat in enumerate(seats):
        middle = x + column * (place + 0.5)
        shapes.append(label(middle, y + 60, f"P{seat}", 13, DIM, column - 6, "middle"))
        for line, said in enumerate(rows[-6:]):
            if seat in said:
                color = DIM if said[seat] == "pass" else LIGHT
                shapes.append(number(middle, y + 82 + 21 * line, said[seat], 14, color, column - 6, "middle"))
    return shapes


def _cards_box(position: Position) -> list[Shape]:
    """What has become of the talon and the cards given, and the trick before."""
    x, y, inner = _RIGHT_BOX + 14, _BOX_TOP + 9, _BOX_WIDTH - 28
    shapes = _box(_RIGHT_BOX)
    line = 62
    if position.phase not in _BEFORE_PLAY:
        shapes += _talon_report(position, x, y, inner)
        y += line
    given, aside = gifts(position), put_aside(position)
    if given:
        shapes.append(label(x, y + 11, "Given", 12, DIM, inner))
        shapes += _small_cards(given, x, y + 16)
    elif aside:
        shapes.append(label(x, y + 11, "Put aside", 12, DIM, inner))
        wide = _small_width(len(aside), inner)
        shapes += row(aside, x + wide / 2, y + 16, wide, _SMALL_CARD, "aside", gap=4)
    y += line
    whole = [trick for trick in tricks(position) if len(trick) == position.rules.active_players]
    if whole and any(position.tricks_won):
        winner = last_winner(position)
        shapes.append(label(x, y + 11, f"Trick {len(whole)}, taken by P{winner}", 12, DIM, inner))
        shapes += _small_cards(whole[-1], x, y + 16)
    return shapes


def _talon_report(position: Position, x: float, y: float, inner: float) -> list[Shape]:
    lying = talons(position)
    shapes: list[Shape] = []
    for number_, talon in enumerate(lying):
        room = inner / len(lying) - 4
        left = x + number_ * (room + 8)
        name = talon.name.removeprefix("talon ") if talon.taken else talon.name
        how = f", {who_saw_talon(position)}" if talon.taken else ""
        shapes.append(label(left, y + 11, name[:1].upper() + name[1:] + how, 12, DIM, room))
        wide = _small_width(len(talon.cards), room)
        shapes += _talon_cards(talon, left + wide / 2, y + 16, wide, _SMALL_CARD)
    return shapes


def _small_width(cards: int, room: float) -> float:
    """What so many small cards take of the room."""
    return min(room, cards * (_SMALL_CARD + 4) - 4)


def _small_cards(cards: Sequence[tuple[int, int | None]], x: float, y: float) -> list[Shape]:
    """Cards in a report, each with the seat that it came from or went to; empty places for those unknown."""
    shapes: list[Shape] = []
    for seat, card in cards:
        name = f"P{seat}"
        wide = text_width(name, 12)
        shapes.append(Text(x, y + 25, name, 12, LIGHT, "start", False, wide))
        left = round(x + wide + 4)
        shown = card_shapes(card, left, y, _SMALL_CARD, "shown")
        shapes.append(empty_place(left, y, _SMALL_CARD, SLOT) if card is None else shown)
        x += 70
    return shapes
