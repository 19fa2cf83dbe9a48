"""What the rest of a deal can bring the declarer at the least and at the most, without searching. Always admissible."""

from __future__ import annotations

from typing import Any

from thousand_env.engine.bits import marriages_value
from thousand_env.engine.compiler import inlined
from thousand_env.rules_record import ACES_LEAD, ACES_LEAD_SETS_TRUMP


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
    pairs = (hand >> 2) & (hand >> 3) & 0b000001_000001_000001_000001
    if pairs:
        most += marriages_value(hand, rules)
    kind = rules["ace_marriage"]
    if kind == ACES_LEAD or kind == ACES_LEAD_SETS_TRUMP:
        aces = rules["four_aces"]
        if aces and hand & aces == aces:
            most += rules["ace_marriage_value"]
    return most
