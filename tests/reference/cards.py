"""Cards, marriages, following suit, and who wins a trick (sections 1.1, 1.5, 1.6)."""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

ORDER = "9JQKTA"  # rule 1: trick order, lowest first
STRENGTH = {rank: place for place, rank in enumerate(ORDER)}
POINTS = {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2, "9": 0}  # rule 1
FOUR_ACES = frozenset({"AS", "AC", "AD", "AH"})
FOUR_NINES = frozenset({"9S", "9C", "9D", "9H"})


def deck(options: Mapping[str, Any]) -> set[str]:
    """Rule 1; section 6 for smaller decks."""
    return {rank + suit for rank in options["ranks"] for suit in options["suits"]}


def card_points(cards: Iterable[str]) -> int:
    """Rule 1."""
    return sum(POINTS[card[0]] for card in cards)


def marriages(cards: AbstractSet[str]) -> set[str]:
    """Rule 15: the suits of which both K and Q are among these cards."""
    return {card[1] for card in cards if card[0] == "K" and "Q" + card[1] in cards}


def partner(card: str) -> str:
    """The other half of the marriage to which this K or Q belongs."""
    return ("Q" if card[0] == "K" else "K") + card[1]


def best_of(suit: str, trick: list[tuple[int, str]]) -> int:
    """Strength of the best card of the suit on the table, -1 if there is none."""
    return max((STRENGTH[card[0]] for _, card in trick if card[1] == suit), default=-1)


def legal_cards(
    hand: AbstractSet[str], trick: list[tuple[int, str]], trump: str | None, options: Mapping[str, Any]
) -> set[str]:
    """Rules 21 and 22: the cards that may be played to this trick (empty trick: on lead)."""
    if not trick:
        return set(hand)  # rule 21
    led = trick[0][1][1]
    of_led = {card for card in hand if card[1] == led}
    if of_led:
        return _follow(of_led, led, trick, trump, options)
    of_trump = {card for card in hand if card[1] == trump}
    if of_trump and options["must_trump"]:
        return _ruff(of_trump, trump, trick, options)
    return set(hand)  # rule 22c


def _follow(
    of_led: set[str], led: str, trick: list[tuple[int, str]], trump: str | None, options: Mapping[str, Any]
) -> set[str]:
    """Rule 22a with `must_beat` and `beat_if_trumped`; 3.1: the card to beat is the best of the led suit."""
    trumped = led != trump and any(card[1] == trump for _, card in trick)
    if options["must_beat"] and (not trumped or options["beat_if_trumped"]):
        to_beat = best_of(led, trick)
        higher = {card for card in of_led if STRENGTH[card[0]] > to_beat}
        if higher:
            return higher
    return of_led


def _ruff(of_trump: set[str], trump: str | None, trick: list[tuple[int, str]], options: Mapping[str, Any]) -> set[str]:
    """Rule 22b with `must_overtrump`: who cannot over-trump still trumps."""
    if options["must_overtrump"] and trump is not None:
        to_beat = best_of(trump, trick)
        higher = {card for card in of_trump if STRENGTH[card[0]] > to_beat}
        if higher:
            return higher
    return of_trump


def trick_winner(trick: list[tuple[int, str]], trump: str | None) -> int:
    """Rule 23: the highest trump wins, else the highest card of the led suit."""
    led = trick[0][1][1]
    trumped = any(card[1] == trump for _, card in trick)
    suit = trump if trumped else led
    return max((STRENGTH[card[0]], seat) for seat, card in trick if card[1] == suit)[1]
