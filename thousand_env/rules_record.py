"""The rules as one record of plain numbers, which is all that the compiled engine sees of them.

Options keep their names; a choice becomes its place in the list of its values, a flag 0 or 1, None ``NO_NUMBER``.
The constants below name those places, taken from the options themselves so that the two cannot differ.
"""

from __future__ import annotations

import functools
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from thousand_env.cards import ACE, NINE, NUM_CARDS, NUM_RANKS, NUM_SUITS
from thousand_env.options import NO_NUMBER, Choice, Flag, Integer
from thousand_env.rules import Rules, option_kind

__all__ = ["NO_NUMBER", "RULES_DTYPE", "pack_rules"]


def _place(option: str, value: Any) -> int:
    return option_kind(option).code(value)  # type: ignore[union-attr]


OPENING_FIRST_HAND_MIN: Final = _place("opening", "first_hand_min")
OPENING_FIRST_HAND_EXACT: Final = _place("opening", "first_hand_exact")
OPENING_DEALER_EXACT: Final = _place("opening", "dealer_exact")
OPENING_DEALER_LAST_RESORT: Final = _place("opening", "dealer_last_resort")
CAP_HELD: Final = _place("bid_cap", "held")
CAP_ANY_WITH_MARRIAGE: Final = _place("bid_cap", "any_with_marriage")
CAP_NONE: Final = _place("bid_cap", "none")
REVEAL_CONTESTED: Final = _place("talon_reveal", "contested")
REVEAL_ALWAYS: Final = _place("talon_reveal", "always")
ASIDE_LAST_TRICK: Final = _place("set_aside", "last_trick")
SITTER_NONE: Final = _place("sitter_bonus", "none")
SITTER_TALON_POINTS: Final = _place("sitter_bonus", "talon_points")
SITTER_ACE_AND_MARRIAGE: Final = _place("sitter_bonus", "ace_and_marriage")
FOUR_NINES_OPTIONAL: Final = _place("redeal_four_nines", "optional")
FOUR_NINES_MANDATORY: Final = _place("redeal_four_nines", "mandatory")
CONCEDE_OFF: Final = _place("concede", "off")
CONCEDE_120_60: Final = _place("concede", "120_60")
CONCEDE_HALF_BID: Final = _place("concede", "half_bid")
CONCEDE_HALF_UP: Final = _place("concede_half", "up")
GATE_AFTER_OWN_TRICK: Final = _place("marriage_gate", "after_own_trick")
GATE_AFTER_FIRST_TRICK: Final = _place("marriage_gate", "after_first_trick")
DECLARE_AUTOMATIC: Final = _place("marriage_declare", "automatic")
TRUMP_IMMEDIATE: Final = _place("trump_effect", "immediate")
ACES_LEAD: Final = _place("ace_marriage", "lead_ace")
ACES_LEAD_SETS_TRUMP: Final = _place("ace_marriage", "lead_ace_sets_trump")
ACES_HELD: Final = _place("ace_marriage", "held_at_first_lead")
ACES_OFF: Final = _place("ace_marriage", "off")
SCORE_BID: Final = _place("declarer_score", "bid")
SCORE_MAX: Final = _place("declarer_score", "max")
CHECK_ROUNDED: Final = _place("contract_check", "rounded")
ROUND_NEAREST5: Final = _place("rounding", "nearest5")
ROUND_NEAREST10: Final = _place("rounding", "nearest10")
ROUND_DOWN5: Final = _place("rounding", "down5")
DUMP_OFF: Final = _place("dump", "off")
DUMP_PLUS_MINUS: Final = _place("dump", "plus_minus")
TIE_DECLARER_FIRST: Final = _place("tie", "declarer_first")
BOLT_CONSECUTIVE: Final = _place("bolt_mode", "consecutive")
BOLT_OFF: Final = _place("bolt_mode", "off")
BOLT_COUNTED: Final = _place("bolt_on_barrel", "counted")
BOLT_POINTS: Final = _place("bolt_basis", "points")
WIN_AT_LEAST: Final = _place("barrel_win_bid", "at_least")
ATTEMPT_EVERY_DEAL: Final = _place("barrel_attempt_counts", "every_deal")
ATTEMPT_DECLARER_ONLY: Final = _place("barrel_attempt_counts", "declarer_only")
FAILED_DEDUCT: Final = _place("barrel_failed_contract", "deduct_and_fall")
COLLISION_NEWCOMER: Final = _place("barrel_collision", "newcomer_knocks_off")
COLLISION_ALL_FALL: Final = _place("barrel_collision", "all_fall")

_CODED: Final = tuple(
    name
    for name in Rules.__dataclass_fields__
    if isinstance(option_kind(name), Choice | Flag | Integer) and name != "players"
)
_DERIVED: Final = [
    ("players", np.int32),
    ("active", np.int32),  # players who hold cards in a deal
    ("deck_size", np.int32),
    ("deck_points", np.int32),
    ("top_bid", np.int32),
    ("aside_count", np.int32),  # cards the declarer puts aside; 0 where he gives one to each opponent
    ("four_nines", np.int32),  # card masks; 0 where the deck has not all four
    ("four_aces", np.int32),
    ("marriage_value", np.int32, (NUM_SUITS,)),
    ("deck", np.uint8, (NUM_CARDS,)),
]

RULES_DTYPE: Final = np.dtype([*((name, np.int32) for name in _CODED), *_DERIVED], align=True)


@functools.lru_cache(maxsize=256)
def pack_rules(rules: Rules) -> npt.NDArray[Any]:
    """A read-only array of one ``RULES_DTYPE`` record that says what ``rules`` says."""
    packed = np.zeros(1, RULES_DTYPE)
    record = packed[0]
    for name in _CODED:
        record[name] = option_kind(name).code(getattr(rules, name))  # type: ignore[union-attr]
    record["players"] = rules.players
    record["active"] = rules.active_players
    record["deck_size"] = len(rules.deck)
    record["deck_points"] = rules.deck_points
    record["top_bid"] = rules.top_bid
    record["aside_count"] = rules.talon_size if rules.puts_aside else 0
    record["four_nines"] = _four_of_a_rank(rules, NINE)
    record["four_aces"] = _four_of_a_rank(rules, ACE)
    record["marriage_value"] = rules.marriage_values
    record["deck"][: len(rules.deck)] = rules.deck
    return np.frombuffer(packed.tobytes(), RULES_DTYPE)  # over bytes, which nobody can make writable


def _four_of_a_rank(rules: Rules, rank: int) -> int:
    cards = [NUM_RANKS * suit + rank for suit in range(NUM_SUITS)]
    return sum(1 << card for card in cards) if set(cards) <= set(rules.deck) else 0
