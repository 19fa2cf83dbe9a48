"""Which moves a search tries, and in what order; which cards are as good as each other.

The order only makes a search faster. Two cards of a hand and suit with nothing but own cards between them win and lose
the same tricks, so that the values of playing them differ by no more than their points do; a half of a whole marriage
is like its other half alone. Where the trick is decided whichever of them is played, the one with more points is the
better for the side that wins it and the other for the side that loses it.
"""

from __future__ import annotations

from typing import Any, Final

from thousand_env.actions import FIRST_ACES, FIRST_MARRY, FIRST_PLAY
from thousand_env.cards import CARD_POINTS, NUM_RANKS
from thousand_env.engine.bits import lowest, suit_cards
from thousand_env.engine.compiler import compiled, inlined
from thousand_env.engine.state import NO_SUIT
from thousand_env.engine.tricks import beats, following_cards, legal_play, played_card
from thousand_env.rules_record import ACES_LEAD, ACES_LEAD_SETS_TRUMP
from thousand_env.solver.node import MOST_MOVES

PAIRS: Final = 0b001100_001100_001100_001100
_SCORE_SHIFT: Final = 8


@inlined
def move_card(action: int) -> int:
    """The card of an action of the play phase."""
    return action - FIRST_PLAY if action < FIRST_MARRY else played_card(action)


@inlined
def protected_cards(hand: int, rules: Any) -> int:
    """Cards that may be worth more together: kings and queens of whole marriages, and four aces where they count."""
    pairs = (hand >> 2) & (hand >> 3) & 0b000001_000001_000001_000001
    protected = (pairs << 2) | (pairs << 3)
    kind = rules["ace_marriage"]
    if kind == ACES_LEAD or kind == ACES_LEAD_SETS_TRUMP:
        aces = rules["four_aces"]
        if aces and hand & aces == aces:
            protected |= aces
    return protected


@inlined
def are_equivalent(low: int, high: int, others: int, protected: int) -> bool:
    """Whether two cards of a hand differ by their points alone; ``others`` holds all cards in play but the hand's."""
    if low > high:
        low, high = high, low
    if low // NUM_RANKS != high // NUM_RANKS:
        return False
    if others & ((1 << high) - (2 << low)):
        return False
    touched = protected & ((1 << low) | (1 << high))
    if touched == 0:
        return True
    return touched == (1 << low) | (1 << high) and touched & PAIRS == touched


@inlined
def others_cards(node: Any, seat: int) -> int:
    """All cards in play that are not in a seat's hand."""
    cards = node["hands"][node["first"]] | node["hands"][node["second"]] | node["hands"][node["third"]]
    cards &= ~node["hands"][seat]
    if node["trick_size"]:
        cards |= (1 << node["led_card"]) | (1 << node["best_card"])
    return cards


@compiled
def list_moves(node: Any, rules: Any, favourite: int, others: int, protected: int) -> int:
    """Write the moves worth trying to ``node["moves"]`` from the place of this depth, the most promising first.

    ``favourite`` is an action to try first, or 0. Returns how many there are.
    """
    base = MOST_MOVES * node["depth"]
    if node["trick_size"] == 0:
        return _list_leads(node, rules, base, favourite, others)
    return _list_follows(node, rules, base, others, protected)


@inlined
def _insert(node: Any, base: int, count: int, score: int, action: int) -> int:
    entry = (score << _SCORE_SHIFT) | action
    place = base + count
    while place > base and node["moves"][place - 1] < entry:
        node["moves"][place] = node["moves"][place - 1]
        place -= 1
    node["moves"][place] = entry
    return count + 1


@inlined
def _list_leads(node: Any, rules: Any, base: int, favourite: int, others: int) -> int:
    bits = legal_play(node, rules)
    trump = node["trump"]
    is_declarer = node["seat"] == node["declarer"]
    against = others if is_declarer else node["hands"][node["declarer"]]
    trumps = 0 if trump == NO_SUIT else against & suit_cards(trump)
    count = 0
    while bits:
        action = 64 + lowest(bits)
        bits &= bits - 1
        card = move_card(action)
        suit = card // NUM_RANKS
        if action == favourite:
            score = 1000
        elif action >= FIRST_ACES:
            score = 700
        elif action >= FIRST_MARRY:
            score = 600 + rules["marriage_value"][suit] // 10 if is_declarer else 60
        elif against & suit_cards(suit) & (-2 << card) == 0 and (trumps == 0 or suit == trump):
            score = 300 + CARD_POINTS[card]
        else:
            score = 50 - CARD_POINTS[card]
        count = _insert(node, base, count, score, action)
    return count


@inlined
def _list_follows(node: Any, rules: Any, base: int, others: int, protected: int) -> int:
    seat, best, trump = node["seat"], node["best_card"], node["trump"]
    is_declarer = seat == node["declarer"]
    is_last = node["trick_size"] + 1 == rules["active"]
    is_partner_best = not is_declarer and node["best_seat"] != node["declarer"]
    bits = following_cards(node["hands"][seat], node, rules)
    count = 0
    kept = -1
    while bits:
        card = lowest(bits)
        bits &= bits - 1
        wins = beats(card, best, trump)
        good = wins or is_partner_best
        if is_last and kept >= 0 and are_equivalent(kept, card, others, protected):
            if good:  # the higher one has more points
                place = base
                while node["moves"][place] & 255 != FIRST_PLAY + kept:
                    place += 1
                count -= 1
                while place < base + count:
                    node["moves"][place] = node["moves"][place + 1]
                    place += 1
            else:
                continue
        kept = card
        if good:
            score = 100 + CARD_POINTS[card] if is_last else 60 + CARD_POINTS[card]
        else:
            score = 50 - CARD_POINTS[card]
        count = _insert(node, base, count, score, FIRST_PLAY + card)
    return count
