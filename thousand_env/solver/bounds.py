"""What the rest of a deal can bring the declarer at the least and at the most, without searching. Always admissible."""

from __future__ import annotations

from typing import Any, Final

from thousand_env.cards import KING, NUM_RANKS, NUM_SUITS
from thousand_env.engine.bits import card_points, is_pair, marriages_value, popcount, suit_cards
from thousand_env.engine.compiler import compiled, inlined
from thousand_env.engine.state import NO_SUIT
from thousand_env.engine.tricks import gate_is_open, may_declare_aces
from thousand_env.rules_record import ACES_LEAD, ACES_LEAD_SETS_TRUMP, DECLARE_AUTOMATIC

_NINES: Final = 0b000001_000001_000001_000001
_JACKS, _QUEENS, _KINGS, _TENS = (_NINES << rank for rank in range(1, 5))


@inlined
def least_to_come(node: Any, rules: Any) -> int:
    """Nothing, or that his bonuses lapse."""
    if node["lapse"] and rules["marriage_needs_trick"]:
        return -node["bonus"][node["declarer"]]
    return 0


@inlined
def most_to_come(node: Any, rules: Any) -> int:
    """All cards, his marriages and aces that are still whole, and what the end of play adds."""
    hand = node["hands"][node["declarer"]]
    most = node["left"] + node["at_end"]
    pairs = (hand >> 2) & (hand >> 3) & _NINES
    if pairs:
        most += marriages_value(hand, rules)
    kind = rules["ace_marriage"]
    if kind == ACES_LEAD or kind == ACES_LEAD_SETS_TRUMP:
        aces = rules["four_aces"]
        if aces and hand & aces == aces:
            most += rules["ace_marriage_value"]
    return most


@compiled
def sure_winners(node: Any, rules: Any, seat: int) -> int:
    """Cards of the leader that take a trick each when he leads them one after the other, whatever the others do.

    They are the highest of their suits. While another seat has a trump, a suit is led only as often as it must follow.
    What declares itself under ``automatic`` does not count, because it changes the trumps.
    """
    hand = node["hands"][seat]
    declares = rules["marriage_declare"] == DECLARE_AUTOMATIC
    if declares and rules["ace_marriage"] == ACES_LEAD_SETS_TRUMP and may_declare_aces(node, rules, seat):
        return 0
    first, second = _other_hands(node, seat)
    others = first | second
    trump = node["trump"]
    trumps = 0 if trump == NO_SUIT else suit_cards(trump)
    winners = 0
    for suit in range(NUM_SUITS):
        cards = suit_cards(suit)
        mine = hand & cards
        if mine == 0:
            continue
        most = NUM_RANKS
        if suit != trump:
            if first & trumps:
                most = popcount(first & cards)
            if second & trumps:
                most = min(most, popcount(second & cards))
        against = others & cards
        while against & (against - 1):
            against &= against - 1
        tops = mine & -(2 * against) if against else mine
        if tops and against and popcount(tops) >= max(popcount(first & cards), popcount(second & cards)):
            tops = mine
        while popcount(tops) > most:
            tops &= tops - 1
        if declares and is_pair(hand, suit):
            tops &= -2 << (NUM_RANKS * suit + KING)
        winners |= tops
    return winners


@inlined
def _other_hands(node: Any, seat: int) -> tuple[int, int]:
    if seat == node["first"]:
        return node["hands"][node["second"]], node["hands"][node["third"]]
    if seat == node["second"]:
        return node["hands"][node["first"]], node["hands"][node["third"]]
    return node["hands"][node["first"]], node["hands"][node["second"]]


@inlined
def _cheapest(hand: int, count: int) -> int:
    """The least that so many cards of a hand are worth; 0 for an empty hand."""
    count = min(count, popcount(hand)) - popcount(hand & _NINES)
    points = 0
    for cards, each in ((_JACKS, 2), (_QUEENS, 3), (_KINGS, 4), (_TENS, 10)):
        if count > 0:
            points += each * min(count, popcount(hand & cards))
            count -= popcount(hand & cards)
    return points + 11 * max(count, 0)


@compiled
def sure_points(node: Any, rules: Any, seat: int) -> int:
    """What the leader's side is sure of: his sure winners, what the others must throw on them, and then a marriage.

    Only the declarer's marriages count: one that he may declare now, or after a trick won with another card. With the
    trumps changed its suit wins as before, so that it is led last. 0 says nothing: he may still have bonuses to lose.
    """
    winners = sure_winners(node, rules, seat)
    count = popcount(winners)
    first, second = _other_hands(node, seat)
    points = card_points(winners) + _cheapest(first, count) + _cheapest(second, count)
    if seat == node["declarer"]:
        may_now = node["lapse"] == 0 and gate_is_open(node, rules, seat)
        best = 0
        for suit in range(NUM_SUITS):
            pair = (_QUEENS | _KINGS) & suit_cards(suit)
            if is_pair(node["hands"][seat], suit) and (may_now or winners & ~pair):
                best = max(best, rules["marriage_value"][suit])
        points += best
    return points
