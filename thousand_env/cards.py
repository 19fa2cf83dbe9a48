"""The 24 cards: ids, suits, ranks, points and text. Knows nothing of the game that is played with them.

A card id is ``6 * suit + rank`` (0..23) with suits ``SCDH`` = 0..3 and ranks ``9JQKTA`` = 0..5 in trick order, so that
within a suit the larger id wins. A set of cards is an integer with bit ``id`` set.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

SUITS: Final = "SCDH"
RANKS: Final = "9JQKTA"
SUIT_SYMBOLS: Final = "♠♣♦♥"
NUM_SUITS: Final = 4
NUM_RANKS: Final = 6
NUM_CARDS: Final = 24

NINE, JACK, QUEEN, KING, TEN, ACE = range(NUM_RANKS)
SPADES, CLUBS, DIAMONDS, HEARTS = range(NUM_SUITS)

RANK_POINTS: Final = (0, 2, 3, 4, 10, 11)
CARD_POINTS: Final = RANK_POINTS * NUM_SUITS


def card_id(card: int | str) -> int:
    """Id 0..23 of a card given as an id, as text (``"TH"``, ``"10H"``) or in pretty form (``"10♥"``).

    Raises ``ValueError`` naming the value if it is no card.
    """
    if isinstance(card, str):
        text = card.strip().upper().replace("10", "T")
        if len(text) == 2:
            rank, suit = text[0], text[1]
            if rank in RANKS:
                if suit in SUITS:
                    return NUM_RANKS * SUITS.index(suit) + RANKS.index(rank)
                if suit in SUIT_SYMBOLS:
                    return NUM_RANKS * SUIT_SYMBOLS.index(suit) + RANKS.index(rank)
    elif not isinstance(card, bool):
        try:
            number = int(card)
        except (TypeError, ValueError, OverflowError):
            number = -1
        if number == card and 0 <= number < NUM_CARDS:
            return number
    raise ValueError(f"{card!r} is no card: use an id 0..23 or text of a rank {RANKS} and a suit {SUITS}, such as 'TH'")


def card_name(card: int) -> str:
    """Two-character text of a card id, such as ``"TH"``. ``ValueError`` for what is no id 0..23."""
    card = card_id(card)
    return RANKS[card % NUM_RANKS] + SUITS[card // NUM_RANKS]


def card_pretty(card: int) -> str:
    """Text for people, such as ``"10♥"``. ``ValueError`` for what is no id 0..23."""
    card = card_id(card)
    rank = RANKS[card % NUM_RANKS]
    return ("10" if rank == "T" else rank) + SUIT_SYMBOLS[card // NUM_RANKS]


def cards_to_mask(cards: Iterable[int]) -> int:
    """Set of card ids as an integer with one bit a card."""
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask


def mask_to_cards(mask: int) -> list[int]:
    """Ascending card ids of a set given as an integer."""
    return [card for card in range(NUM_CARDS) if mask >> card & 1]
