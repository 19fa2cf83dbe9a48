"""What a seat knows, and the whole position, as lines of text: the strings of OpenSpiel's states.

Two views of one rule set have the same ``information_text`` if and only if they are equal. It is for keys and for
reading, and is not parsed.
"""

from __future__ import annotations

from collections.abc import Iterable

from thousand_env.actions import action_name
from thousand_env.cards import SUITS, card_name
from thousand_env.game import Game
from thousand_env.position import Position
from thousand_env.view import View


def information_text(view: View) -> str:
    """All that a seat knows of the current deal and the score sheet."""
    return "; ".join([f"seat {view.observer}", *_sheet(view), *_own(view), _events(view), _turn(view)])


def observation_text(view: View) -> str:
    """What lies before a seat: as ``information_text``, without the order in which things were done."""
    declarer = "none" if view.declarer is None else f"seat {view.declarer} for {view.contract}"
    bid = "none" if view.bid is None else f"{view.bid} of seat {view.bidder}"
    return "; ".join(
        [
            f"seat {view.observer}",
            *_sheet(view),
            *_own(view),
            f"bid {bid}, passed {_numbers(sorted(view.passed))}",
            f"declarer {declarer}",
            f"trump {'none' if view.trump is None else SUITS[view.trump]}",
            f"played {_groups(view.played)}",
            f"trick {', '.join(f'{seat} {card_name(card)}' for seat, card in view.trick)}",
            f"points {_numbers(view.points)}, tricks {_numbers(view.tricks_won)}",
            _turn(view),
        ]
    )


def past_text(last: Game, seat: int, action: int) -> str:
    """What a seat knows of a deal that is closed, as a line: at its end, or before the action that made it void."""
    text = information_text(last.view(seat))
    return f"{text}\n" if last.is_over else f"{text}, {action_name(action, last.rules)}\n"


def game_text(game: Game) -> str:
    """A position with all cards."""
    hands, talons = game.dealt()
    return "; ".join(
        [
            *_sheet(game),
            f"dealt {_groups(hands)}, talon {_groups(talons)}",
            _events(game),
            _turn(game),
            f"hands {_groups(game.hands)}",
        ]
    )


def _sheet(position: Position) -> list[str]:
    parts = [
        f"deal {position.deal_number}, {position.deals_scored} scored, dealer {position.dealer}",
        f"scores {_numbers(position.scores)}",
    ]
    rules = position.rules
    if rules.bolt_mode != "off":
        parts.append(f"bolts {_numbers(position.bolts)}")
    if rules.barrel:
        parts.append(f"barrel {' '.join('-' if used is None else str(used) for used in position.barrel)}")
        parts.append(f"falls {_numbers(position.falls)}")
    if rules.concede != "off":
        parts.append(f"concessions {_numbers(position.concessions)}")
    return parts


def _own(view: View) -> list[str]:
    parts = [f"hand {_cards(view.hand)}"]
    if view.talon_taken is not None:
        parts.append(f"talon {_cards(view.talon)}")
    if view.set_aside:
        parts.append(f"aside {_cards(view.set_aside)}")
    gifts = [f"{seat} {'?' if card is None else card_name(card)}" for seat, card in view.gifts.items()]
    if gifts:
        parts.append(f"gifts {', '.join(gifts)}")
    return parts


def _events(position: Position) -> str:
    named = [
        f"{seat} {'give ?' if action is None else action_name(action, position.rules)}"
        for seat, action in position.events()
    ]
    return f"actions {', '.join(named)}"


def _turn(position: Position) -> str:
    return position.phase if position.seat is None else f"{position.phase} of seat {position.seat}"


def _cards(cards: Iterable[int]) -> str:
    return " ".join(map(card_name, cards))


def _groups(groups: Iterable[Iterable[int]]) -> str:
    return " | ".join(map(_cards, groups))


def _numbers(numbers: Iterable[int]) -> str:
    return " ".join(map(str, numbers))
