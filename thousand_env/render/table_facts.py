"""What a picture of the table shows of the cards and the auction, read from a ``Game`` or a ``View`` alone.

A card is an id, or None where only its back is to be seen. Nothing here says where it is drawn.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from thousand_env.actions import PASS, action_card, bid_points
from thousand_env.cards import CLUBS, DIAMONDS, HEARTS, NUM_RANKS, SPADES
from thousand_env.game import Game
from thousand_env.position import Position
from thousand_env.render.steps import bids, declared, declares_aces
from thousand_env.view import View

Cards = list[int | None]

SUIT_ORDER: Final = (SPADES, DIAMONDS, CLUBS, HEARTS)
"""Of a hand from left to right: black and red in turn."""


class Talon(NamedTuple):
    """The talon, or one of two: its cards, and whether the declarer has taken it."""

    name: str
    cards: Cards
    taken: bool


def sorted_hand(cards: Iterable[int]) -> list[int]:
    """Cards by suit, the highest first."""
    return sorted(cards, key=lambda card: (SUIT_ORDER.index(card // NUM_RANKS), -card))


def bottom_seat(position: Position) -> int:
    """The seat from which the table is seen."""
    return position.observer if isinstance(position, View) else 0


def hand(position: Position, seat: int) -> Cards:
    """The cards that a seat holds."""
    if isinstance(position, View):
        if seat == position.observer and position.hand:
            return list(sorted_hand(position.hand))
        return [] if not position.has_cards else [None] * position.hand_sizes[seat]
    return list(sorted_hand(_game(position).hands[seat]))


def talons(position: Position) -> list[Talon]:
    """The talon, or with two players both."""
    rules, taken = position.rules, position.talon_taken
    names = "AB" if rules.players == 2 else " "
    if not position.has_cards:
        return []
    found = []
    for place, name in enumerate(names):
        if isinstance(position, View):
            known = position.talon if len(names) == 1 or place == taken else []
        else:
            known = _game(position).dealt()[1][place]
        cards: Cards = list(sorted_hand(known)) or [None] * rules.talon_size
        found.append(Talon(f"talon {name}".strip(), cards, place == taken))
    return found


def who_saw_talon(position: Position) -> str:
    """Who has seen the talon that was taken."""
    if all(position.talon_is_seen_by(seat) for seat in range(position.rules.players)):
        return "shown to all"
    return "" if position.declarer is None else f"seen by P{position.declarer}"


def put_aside(position: Position) -> Cards:
    """Cards that the declarer has put aside face down."""
    known = position.set_aside if isinstance(position, View) else _game(position).set_aside
    if known or not position.rules.puts_aside:
        return list(sorted_hand(known))
    return [None for event in position.events() if event.action is None]


def gifts(position: Position) -> list[tuple[int, int | None]]:
    """Whom the declarer gave what."""
    given = position.gifts if isinstance(position, View) else _game(position).gifts
    return list(given.items())


def calls(position: Position) -> list[tuple[int, str]]:
    """Bids and passes in order, and before them the minimum that a seat holds without having spoken."""
    if position.is_forced:
        return []
    spoken = [
        (seat, "pass" if action == PASS else str(bid_points(action, position.rules))) for seat, action in bids(position)
    ]
    bidder = position.bidder
    if bidder is not None and bidder not in {seat for seat, _ in spoken}:
        spoken.insert(0, (bidder, f"holds {position.bid}"))
    elif position.is_dark and spoken:
        spoken[0] = (spoken[0][0], f"dark {spoken[0][1]}")
    return spoken


def rounds(position: Position) -> list[dict[int, str]]:
    """The calls as rows, each with at most one call a seat."""
    order = position.active_seats
    rows: list[dict[int, str]] = []
    last = len(order)
    for seat, call in calls(position):
        place = order.index(seat)
        if place <= last or call.startswith("holds"):
            rows.append({})
        rows[-1][seat] = call
        last = len(order) if call.startswith("holds") else place
    return rows


def declarations(position: Position, seat: int) -> list[int | None]:
    """Suits of the marriages that a seat has declared in this deal; None for four aces."""
    found: list[int | None] = []
    for who, action in position.events():
        if who == seat and action is not None and declared(action):
            card = action_card(action)
            assert card is not None
            found.append(None if declares_aces(action) else card // NUM_RANKS)
    return found


def note(position: Position) -> str:
    """What is special about this deal."""
    if position.is_golden:
        return "golden deal: all counts double"
    if position.is_forced:
        return "no auction: first hand is on the barrel"
    return "a dark bid: counts double" if position.is_dark else ""


def _game(position: Position) -> Game:
    assert isinstance(position, Game)
    return position
