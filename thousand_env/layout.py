"""The layout of the observation and of the state for critics: named pieces, as data.

Encoder, decoder, spaces, the table in the documentation and the tests all read it. Every piece is an array of integers
``v`` in -127..127; the int8 form of an observation is ``v``, the float32 form ``v / scale``, within [-1, 1]. Scales are
powers of two, so that dividing is exact. Per-seat
pieces have four places, relative to the observer and clockwise: 0 is the observer, unused places are 0. Card pieces
have 24 places, by card id. Numbers that need more room are two pieces, hundreds and remainder with the same sign, and
are clipped to +-12,799.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from thousand_env.cards import NUM_CARDS, NUM_SUITS
from thousand_env.options import Choice, Flag
from thousand_env.rules import Rules, option_kind

LAYOUT_VERSION: Final = 1
SEATS: Final = 4

CODED_OPTIONS: Final = tuple(
    name for name in Rules.__dataclass_fields__ if isinstance(option_kind(name), Choice | Flag) and name != "players"
)
FIRST_RULE: Final = f"rules.{CODED_OPTIONS[0]}"
"""The pieces from this one on depend on the rules alone."""
FIRST_OF_SHEET: Final = "score_hundreds"
"""The pieces from this one up to the rules change only when a deal begins."""
_WORD_ALIGNED: Final = (FIRST_OF_SHEET, FIRST_RULE)


@dataclass(frozen=True)
class Piece:
    """A named part of a vector: where it starts, its shape, what it says, and what its integers are divided by."""

    name: str
    start: int
    shape: tuple[int, ...]
    meaning: str
    scale: int

    @property
    def size(self) -> int:
        """Number of values."""
        return math.prod(self.shape)

    @property
    def stop(self) -> int:
        """Where the next piece may start."""
        return self.start + self.size


class Layout:
    """Pieces one after another, and the length of the whole vector, a multiple of eight."""

    def __init__(self, pieces: list[tuple[str, tuple[int, ...], str, int]], first: int = 0) -> None:
        self.pieces: Final[dict[str, Piece]] = {}
        start = first
        for name, shape, meaning, scale in pieces:
            if name in _WORD_ALIGNED:
                start = -(-start // 8) * 8
            self.pieces[name] = Piece(name, start, shape, meaning, scale)
            start = self.pieces[name].stop
        self.size: Final = -(-start // 8) * 8

    def __getitem__(self, name: str) -> Piece:
        return self.pieces[name]


_CARDS: Final = (NUM_CARDS,)
_SEATS: Final = (SEATS,)

_TABLE: Final = [
    ("hand", _CARDS, "own cards", 1),
    ("played", (SEATS, NUM_CARDS), "cards each seat has played in this deal", 1),
    ("talon", _CARDS, "cards of the taken talon, if seen", 1),
    ("set_aside", _CARDS, "own cards put aside", 1),
    ("trick_of_card", _CARDS, "number of the trick, from 1, in which a card was played", 16),
    ("on_table", _CARDS, "place in the current trick, from 1", 4),
    ("gifts", _CARDS, "known gifts: 1 + relative seat of the receiver", 4),
    ("partner", _CARDS, "cards that a declared marriage or four aces show in a hand: 1 + relative seat", 4),
    ("voids", (SEATS, NUM_SUITS), "suits that a seat has shown not to hold", 1),
    ("marriages", (SEATS, NUM_SUITS), "marriages declared by each seat", 1),
    ("phase", (8,), "one of dark, redeal, auction, talon, exchange, raise, play, over", 1),
    ("passed", _SEATS, "has passed", 1),
    ("bids", _SEATS, "last bid: 1 + level, 0 for none", 128),
    ("forced_bid", _SEATS, "the bid that stands was forced: an opening, or the dealer's minimum", 1),
    ("to_act", _SEATS, "whose turn it is", 1),
    ("dealer", _SEATS, "who deals", 1),
    ("declarer", _SEATS, "who plays the contract", 1),
    ("tricks", _SEATS, "tricks won in this deal", 16),
    ("card_points", _SEATS, "card points won in this deal", 128),
    ("bonus_hundreds", _SEATS, "marriages and aces declared in this deal, hundreds", 128),
    ("bonus_rest", _SEATS, "the same, remainder", 128),
    ("aces", _SEATS, "has declared four aces", 1),
    ("declared_order", (NUM_SUITS,), "the how-manieth declaration of the deal made this suit's marriage", 8),
    ("trump", (NUM_SUITS,), "the trump suit", 1),
    ("next_trump", (NUM_SUITS,), "the suit that is trump from the next trick on", 1),
    ("dark_looked", (1,), "first hand has looked at his cards", 1),
    ("dark_stands", (1,), "a dark bid stands and doubles the result of first hand", 1),
    ("golden", (1,), "a golden deal", 1),
    ("own_turn", (1,), "first hand plays the barrel contract without an auction", 1),
    ("talon_shown", (1,), "the taken talon was shown to all", 1),
    ("redeal_declined", (1,), "the observer has declined a redeal", 1),
    ("talon_a", (1,), "talon A was taken", 1),
    ("talon_b", (1,), "talon B was taken", 1),
    ("bid_hundreds", (1,), "highest bid so far, hundreds", 128),
    ("bid_rest", (1,), "the same, remainder", 128),
    ("contract_hundreds", (1,), "contract, hundreds", 128),
    ("contract_rest", (1,), "the same, remainder", 128),
    ("aces_order", (1,), "the how-manieth declaration of the deal was four aces", 8),
    ("score_hundreds", _SEATS, "total of the match, hundreds", 128),
    ("score_rest", _SEATS, "the same, remainder", 128),
    ("on_barrel", _SEATS, "is on the barrel", 1),
    ("attempts", _SEATS, "attempts used on the barrel, at most 127", 128),
    ("falls", _SEATS, "falls from the barrel, at most 127", 128),
    ("bolts", _SEATS, "bolts counted, at most 127", 128),
    ("concessions", _SEATS, "concessions made, at most 127", 128),
    ("golden_left", (1,), "golden deals left, this one included", 4),
    ("deals_left_hundreds", (1,), "deals left to max_deals after this one, hundreds; 127 without a limit", 128),
    ("deals_left_rest", (1,), "the same, remainder", 128),
    ("deal_episode", (1,), "the episode ends with this deal", 1),
]

NUMBER_OPTIONS: Final = [
    "target",
    "min_bid",
    "bid_step",
    "ace_marriage_value",
    "barrel_threshold",
    "barrel_contract",
    "bolt_limit",
    "bolt_penalty",
    "barrel_fall_penalty",
    "concede_limit",
    "free_bombs",
    "lock_at",
    "silence_below",
]
SMALL_OPTIONS: Final = [
    "players",
    "redeal_hand_below",
    "redeal_talon_below",
    "redeal_talon_nines",
    "barrel_attempts",
    "talon_size",
]
LETTER_OPTIONS: Final = ("ranks", "suits")

_RULES: Final = [
    *((f"rules.{name}", (1,), "its place among the values of the option", 4) for name in CODED_OPTIONS),
    *((f"rules.{name}", (2,), "hundreds and remainder; -127, -99 for None", 128) for name in NUMBER_OPTIONS),
    ("rules.marriage_values", (NUM_SUITS, 2), "hundreds and remainder", 128),
    *((f"rules.{name}", (1,), "the number; 0 for None", 128) for name in SMALL_OPTIONS),
    *((f"rules.{name}", (1,), "set of those in the deck, as bits", 128) for name in LETTER_OPTIONS),
]

OBSERVATION: Final = Layout(_TABLE + _RULES)
SHEET_START: Final = OBSERVATION[FIRST_OF_SHEET].start
RULES_START: Final = OBSERVATION[FIRST_RULE].start
RULES_SIZE: Final = OBSERVATION.size - RULES_START

STATE: Final = Layout(
    [
        ("hands", (SEATS, NUM_CARDS), "cards in each hand", 1),
        ("talons", (2, NUM_CARDS), "cards of talon A and B, as dealt", 1),
        ("all_aside", _CARDS, "cards put aside", 1),
        ("all_gifts", _CARDS, "gifts: 1 + relative seat of the receiver", 4),
    ],
    first=OBSERVATION.size,
)
"""What ``encode_state`` adds to an observation; its ``size`` is the length of the whole."""
