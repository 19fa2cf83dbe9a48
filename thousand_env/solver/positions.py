"""A position of the play from its cards alone, for endgames that were not played here; it has no history to show."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np

from thousand_env.cards import ACE, NUM_RANKS, NUM_SUITS, SUITS, card_id, card_name, cards_to_mask
from thousand_env.engine.state import NO_SUIT, NOBODY, PLAY, STATE_DTYPE
from thousand_env.game import Game
from thousand_env.rules import Rules
from thousand_env.sheet import DealError

_MOST_POINTS: Final = 32_767
"""The largest contract that a state holds."""


def position(
    rules: Rules,
    hands: Sequence[Iterable[int | str]],
    *,
    declarer: int,
    leader: int | None = None,
    trump: int | str | None = None,
    set_aside: Iterable[int | str] = (),
    contract: int | None = None,
) -> Game:
    """A game before a lead, with these cards in the hands and nothing won so far, for the functions of this package.

    ``hands``: one sequence of ids or texts a seat, a sitter's empty, all others of one size, up to that of the first
    lead; or one text each, such as ``"TH 9S"``. ``leader``: the declarer unless said; he is taken to have won all
    tricks before. ``trump``: a suit 0..3 or one of ``SCDH``. ``set_aside``: cards whose points still come to somebody.
    It can be asked about and played on, but ``from_bytes``, pickles and records refuse it for want of a history.
    Raises ``DealError`` (a ``ValueError``) with the reason for what cannot be.
    """
    if not isinstance(rules, Rules):
        raise DealError(f"rules={rules!r:.80} is not accepted: use Rules(...)")
    if isinstance(hands, str) or not isinstance(hands, Iterable):
        raise DealError(f"hands={hands!r:.80} is not accepted: give a list with the cards of each seat")
    cards = [_ids(f"hand of seat {seat}", hand) for seat, hand in enumerate(hands)]
    if len(cards) != rules.players:
        raise DealError(f"hands has {len(cards)} hands: give one for each of the {rules.players} seats")
    resting = [seat for seat, hand in enumerate(cards) if not hand] if rules.players == 4 else []
    active = [seat for seat in range(rules.players) if seat not in resting[:1]]
    size = len(cards[active[0]])
    most = rules.hand_size + (0 if rules.puts_aside else 1)
    if (rules.players == 4 and len(resting) != 1) or any(len(cards[seat]) != size for seat in active):
        sizes = ", ".join(str(len(hand)) for hand in cards)
        raise DealError(f"hands of {sizes} cards: give {rules.active_players} seats equally many, a sitter none")
    if not 1 <= size <= most:
        raise DealError(f"hands of {size} cards: they have from 1 to {most} before a lead under these rules")
    declarer = _seat("declarer", declarer, active)
    leads = declarer if leader is None else _seat("leader", leader, active)
    if contract is not None and not 0 <= _number(contract, -1) <= _MOST_POINTS:
        raise DealError(f"contract={contract!r} is not accepted: use an integer from 0 to {_MOST_POINTS}, or None")
    if size == most and leads != declarer:
        raise DealError(f"leader={leads} is not accepted: the declarer, seat {declarer}, leads to the first trick")
    aside = _ids("set_aside", set_aside)
    _check_cards(rules, [*cards, aside])
    state = np.frombuffer(bytearray(Game(rules, seed=0, episode="deal")._memory), STATE_DTYPE)
    record = state[0]
    for field in ("hands", "played", "talon", "points", "bonus", "tricks", "log", "voids"):
        record[field] = 0
    record["hands"][: rules.players] = [cards_to_mask(hand) for hand in cards]
    record["dealer"] = resting[0] if resting else 0
    record["aside"] = cards_to_mask(aside)
    record["talon_taken"] = 0
    record["log_size"] = 0
    record["tricks"][leads] = most - size
    record["declarer"] = declarer
    record["contract"] = rules.min_bid if contract is None else contract
    record["phase"] = PLAY
    record["seat"] = record["leader"] = leads
    record["trump"] = record["next_trump"] = _suit(trump)
    record["aces_holder"] = _aces_holder(rules, cards) if size == most else NOBODY
    return Game.from_record(rules, state.tobytes())


def _seat(name: str, seat: Any, active: Sequence[int]) -> int:
    number = _number(seat, -1)
    if number not in active:
        raise DealError(f"{name}={seat!r} is not accepted: use one of {', '.join(map(str, active))}")
    return number


def _number(value: Any, otherwise: int) -> int:
    """A whole number as an int, or what stands for anything else."""
    try:
        return otherwise if isinstance(value, bool) else operator.index(value)
    except TypeError:
        return otherwise


def _aces_holder(rules: Rules, cards: Sequence[Sequence[int]]) -> int:
    """``held_at_first_lead``: whoever has all four aces."""
    aces = {NUM_RANKS * suit + ACE for suit in range(NUM_SUITS)}
    held = rules.ace_marriage == "held_at_first_lead"
    return next((seat for seat, hand in enumerate(cards) if held and aces <= set(hand)), NOBODY)


def _check_cards(rules: Rules, groups: Iterable[Sequence[int]]) -> None:
    seen: set[int] = set()
    for card in (card for group in groups for card in group):
        if card not in rules.deck:
            raise DealError(f"{card_name(card)} is not in the deck of these rules")
        if card in seen:
            raise DealError(f"{card_name(card)} is there twice")
        seen.add(card)


def _ids(name: str, cards: Any) -> list[int]:
    try:
        return [card_id(card) for card in (cards.split() if isinstance(cards, str) else cards)]
    except (ValueError, TypeError) as error:
        raise DealError(f"{name}: {error}") from None


def _suit(trump: Any) -> int:
    if trump is None:
        return NO_SUIT
    if isinstance(trump, str) and len(trump) == 1 and trump.upper() in SUITS:
        return SUITS.index(trump.upper())
    if 0 <= (number := _number(trump, -1)) < NUM_SUITS:
        return number
    raise DealError(f"trump={trump!r} is not accepted: use a suit 0..3, one of {', '.join(SUITS)}, or None")
