"""A position as text for a terminal: the table of the current deal and the score sheet.

``render`` draws a ``Game`` with open cards and a ``View`` with what its seat knows, and needs nothing but the position.
Lines of the table are at most 76 columns wide. Not the story of a match (``story``), and no live display.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from thousand_env.actions import PASS, bid_points
from thousand_env.game import Game
from thousand_env.position import Position
from thousand_env.render.paint import Paint, fit, left, right
from thousand_env.render.sheet import standing_lines
from thousand_env.render.steps import bids, last_winner, tricks
from thousand_env.view import View

TABLE_WIDTH: Final = 76
_NAME, _ROLE, _CARDS = 14, 9, 42
_LABEL: Final = 10
_START: Final = 9


def render(position: Game | View, *, color: bool = False, unicode: bool = True, names: Sequence[str] = ()) -> str:
    """Text of a position, lines joined by newlines.

    A ``Game`` is drawn with open cards; a ``View`` with what its seat knows, the other hands as backs of cards.
    ``color`` adds ANSI colours, ``unicode=False`` gives ASCII only, ``names`` are written beside the seats.
    """
    paint = Paint(color, unicode, tuple(names))
    return "\n".join([*table_lines(position, paint), "", *standing_lines(position, paint)])


def table_lines(position: Position, paint: Paint) -> list[str]:
    """The table of the current deal: hands, auction, contract, talon, trick. Always as many lines for as many seats."""
    return [_heading(paint), *seat_lines(position, paint), *deal_lines(position, paint)]


def phase_line(position: Position, paint: Paint) -> str:
    """Which deal it is, who dealt, and what is to be done by whom."""
    deal = f"deal {position.deal_number + 1}, {paint.seat(position.dealer)} dealt"
    if position.winner is not None:
        return f"{deal}; {paint.seat(position.winner)} has won the match"
    if position.is_over:
        return f"{deal}; the match was cut off" if position.truncated else f"{deal}; it is over"
    doing = {
        "dark": "may bid in the dark",
        "redeal": "may ask for a redeal",
        "auction": "bids or passes",
        "talon": "chooses a talon",
        "exchange": "puts a card aside" if position.rules.puts_aside else "gives a card",
        "raise": "may raise the contract",
        "play": "follows" if position.trick else "leads",
    }
    who = "" if position.seat is None else f"; {paint.seat(position.seat)} {doing[position.phase]}"
    return deal + who


def _heading(paint: Paint) -> str:
    return paint.dim(right("tricks pts", TABLE_WIDTH))


def seat_lines(position: Position, paint: Paint) -> list[str]:
    """One line a seat: whose turn, name, role, cards, tricks and points of this deal."""
    lines = []
    for seat in range(position.rules.players):
        turn = paint.accent(paint.symbol("▸ ", "> ")) if seat == position.seat else "  "
        cards = left(_cards(position, seat, paint), _CARDS)
        counts = f"{position.tricks_won[seat]:>3}{position.points[seat]:>6}"
        if seat not in position.active_seats:
            counts = ""
        name, role = left(paint.player(seat, _NAME - 1), _NAME), left(_role(position, seat, paint), _ROLE)
        lines.append(f"{turn}{name}{role}{cards}{counts}")
    return [line.rstrip() for line in lines]


def _role(position: Position, seat: int, paint: Paint) -> str:
    if seat == position.declarer:
        return paint.accent("declarer")
    if seat not in position.active_seats:
        return paint.dim("rests")
    return paint.dim("dealer") if seat == position.dealer else ""


def _cards(position: Position, seat: int, paint: Paint) -> str:
    if isinstance(position, Game):
        return paint.hand(position.hands[seat])
    assert isinstance(position, View)
    if seat == position.observer and position.hand:
        return paint.hand(position.hand)
    return paint.backs(position.hand_sizes[seat])


def deal_lines(position: Position, paint: Paint) -> list[str]:
    """Auction, contract and trump, talon, and the last two tricks: five lines and an empty one above them."""
    lines = [
        ("Auction", _auction(position, paint)),
        ("Contract", _contract(position, paint)),
        ("Talon", _talon(position, paint)),
        *_tricks(position, paint),
    ]
    return ["", *(f"  {left(paint.dim(name), _LABEL)}{text}".rstrip() for name, text in lines)]


def _auction(position: Position, paint: Paint) -> str:
    if position.is_golden:
        return "none: a golden deal, all counts double"
    if position.is_forced:
        return "none: first hand is on the barrel"
    spoken = []
    for seat, action in bids(position):
        word = paint.dim("pass") if action == PASS else str(bid_points(action, position.rules))
        spoken.append(f"{paint.seat(seat)} {word}")
    if not spoken and position.bid is not None and position.bidder is not None:
        spoken.append(f"{paint.seat(position.bidder)} holds {position.bid}")
    if position.is_dark and spoken:
        spoken[0] += " dark"
    return fit(spoken, TABLE_WIDTH - _LABEL - 2, paint)


def _contract(position: Position, paint: Paint) -> str:
    parts = []
    if position.declarer is not None:
        contract = f"{paint.seat(position.declarer)} plays {paint.bold(str(position.contract))}"
        parts.append(contract + (" doubled" if position.is_dark or position.is_golden else ""))
        trump = "no trump yet" if position.trump is None else f"trump {paint.suit(position.trump)}"
        parts.append(trump)
    return "   ".join(parts)


def _talon(position: Position, paint: Paint) -> str:
    if not position.has_cards:
        return ""
    rules, declarer = position.rules, position.declarer
    if isinstance(position, Game):
        lying, dealt = position.talons, position.dealt()[1]
        taken = next((place for place, cards in enumerate(lying) if not cards), None)
    else:
        assert isinstance(position, View)
        taken = position.talon_taken
        dealt = _known_talons(position)
    texts = []
    for place in range(2 if rules.players == 2 else 1):
        cards = dealt[place]
        text = paint.cards(sorted(cards, reverse=True)) if cards else paint.backs(rules.talon_size)
        name = f"{'AB'[place]} " if rules.players == 2 else ""
        texts.append(f"{name}{text}" + (f" {_takers(position, declarer, paint)}" if place == taken else ""))
    return "   ".join(texts + _given(position, paint))


def _known_talons(view: View) -> list[list[int]]:
    """By talon, the cards that a view knows; a rested dealer's talon is open at the end."""
    if view.rules.players != 2:
        return [view.talon]
    return [view.talon if place == view.talon_taken else [] for place in range(2)]


def _takers(position: Position, declarer: int | None, paint: Paint) -> str:
    seen_by_all = all(position.talon_is_seen_by(seat) for seat in range(position.rules.players))
    how = "shown to all" if seen_by_all else f"seen by {paint.seat(declarer)}" if declarer is not None else ""
    return paint.dim("(") + how + paint.dim(")")


def _given(position: Position, paint: Paint) -> list[str]:
    assert isinstance(position, Game | View)
    gifts = [
        f"{paint.seat(seat)} {paint.backs(1) if card is None else paint.card(card)}"
        for seat, card in position.gifts.items()
    ]
    given = ["gave " + " ".join(gifts)] if gifts else []
    aside = position.set_aside
    if aside:
        return [*given, f"aside {paint.cards(sorted(aside, reverse=True))}"]
    hidden = sum(1 for event in position.events() if event.action is None) if position.rules.puts_aside else 0
    return [*given, f"aside {paint.backs(hidden)}"] if hidden else given


def _tricks(position: Position, paint: Paint) -> list[tuple[str, str]]:
    """The trick on the table and the one before it."""
    all_tricks = tricks(position)
    done = len(all_tricks) - (1 if position.trick else 0)
    lines = []
    if position.phase == "play":
        lines.append((f"Trick {done + 1}", _trick(position.trick, paint) or paint.dim("to be led")))
    else:
        lines.append(("Trick", ""))
    if done:
        winner = last_winner(position)
        assert winner is not None
        lines.append((paint.dim("before"), f"{_trick(all_tricks[done - 1], paint)}   {paint.seat(winner)} took it"))
    else:
        lines.append(("", ""))
    return lines


def _trick(cards: Sequence[tuple[int, int]], paint: Paint) -> str:
    return "   ".join(f"{paint.seat(seat)} {paint.card(card)}" for seat, card in cards)


def render_hands(position: Position, paint: Paint) -> list[str]:
    """The cards of a deal before anything was done with them: a line a player, and the talon."""
    lines = [f"{left(paint.seat(seat), _START)}{_cards(position, seat, paint)}" for seat in position.active_seats]
    lying = position.talons if isinstance(position, Game) else []
    for place in range(2 if position.rules.players == 2 else 1):
        name = f"talon {'AB'[place]}" if position.rules.players == 2 else "talon"
        cards = lying[place] if place < len(lying) else []
        if cards:
            lines.append(f"{left(name, _START)}{paint.hand(cards)}")
    return lines
