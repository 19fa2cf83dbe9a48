"""What an observation needs beside the state, carried from decision to decision instead of made anew for each.

``words`` 0 to 3 are the score sheet by absolute seat, which changes when a deal is scored or begins; the 24 ``bytes``
after them are the number of the trick in which each card was played, which the log tells, but slowly.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from thousand_env.cards import NUM_CARDS
from thousand_env.engine.bits import wide
from thousand_env.engine.compiler import compiled, pasted, room_for
from thousand_env.engine.state import EPISODE_DEAL, NO_BARREL, OVER, PLAY
from thousand_env.engine.step import apply_action
from thousand_env.engine.tricks import PLAYED_CARD
from thousand_env.layout import RULES_START, SHEET_START
from thousand_env.rules_record import NO_NUMBER

LARGEST: Final = 12_799
COUNT_CAP: Final = 127

SHEET_WORDS: Final = (RULES_START - SHEET_START) // 8
TRICK_WORDS: Final = NUM_CARDS // 8
FIRST_TRICK: Final = 8 * SHEET_WORDS


def row_dtype(size: int) -> np.dtype[np.void]:
    """``size`` bytes, which are also words of eight.

    Rows are records and not arrays, because compiled code counts references to arrays, which costs more than the row.
    """
    fields: Any = {"names": ["bytes", "words"], "formats": [(np.int8, size), (np.int64, size // 8)], "offsets": [0, 0]}
    return np.dtype(fields)


CARRY_DTYPE: Final = row_dtype(8 * (SHEET_WORDS + TRICK_WORDS))
room_for_carry: Final = room_for(CARRY_DTYPE)


@compiled
def split_bytes(number: int) -> tuple[int, int]:
    """A number clipped to what two bytes hold, as hundreds and remainder, both of its sign, each as a byte."""
    size = min(abs(number), LARGEST)
    high, low = size // 100, size % 100
    return (-high & 255, -low & 255) if number < 0 else (high, low)


@compiled
def pack_sheet(state: Any, rules: Any, carry: Any) -> None:
    """Write the part of the score sheet."""
    for place in range(SHEET_WORDS):
        carry["words"][place] = 0
    for seat in range(rules["players"]):
        high, low = split_bytes(wide(state["scores"][seat]))
        used = wide(state["barrel"][seat])
        on_it = used != NO_BARREL
        attempts = min(used, COUNT_CAP) if on_it else 0
        shift = 8 * seat
        carry["words"][0] |= (high | low << 32) << shift
        carry["words"][1] |= (wide(on_it) | attempts << 32) << shift
        falls, bolts = min(wide(state["falls"][seat]), COUNT_CAP), min(wide(state["bolts"][seat]), COUNT_CAP)
        carry["words"][2] |= (falls | bolts << 32) << shift
        carry["words"][3] |= min(wide(state["concessions"][seat]), COUNT_CAP) << shift
    left = LARGEST
    if rules["max_deals"] != NO_NUMBER:
        left = wide(rules["max_deals"]) - 1 - wide(state["deal_number"])
    high, low = split_bytes(left)
    golden = max(0, wide(rules["players"]) - wide(state["deals_scored"])) if rules["golden"] else 0
    episode = wide(state["episode"] == EPISODE_DEAL)
    carry["words"][3] |= (golden | high << 8 | low << 16 | episode << 24) << 32


@compiled
def tricks_done(state: Any) -> int:
    """Tricks finished in this deal."""
    tricks = state["tricks"]
    return wide(tricks[0]) + wide(tricks[1]) + wide(tricks[2]) + wide(tricks[3])


@compiled
def begin_carry(state: Any, rules: Any, carry: Any) -> None:
    """At the beginning of a deal."""
    pack_sheet(state, rules, carry)
    for place in range(TRICK_WORDS):
        carry["words"][SHEET_WORDS + place] = 0


@compiled
def make_carry(state: Any, rules: Any, carry: Any) -> None:
    """At any place of a deal."""
    begin_carry(state, rules, carry)
    active = wide(rules["active"])
    plays = wide(state["trick_size"]) + active * tricks_done(state)
    first = wide(state["log_size"]) - plays
    for play in range(plays):
        carry["bytes"][FIRST_TRICK + PLAYED_CARD[state["log"][first + play]]] = 1 + play // active


@pasted
def apply_and_carry(state: Any, rules: Any, carry: Any, action: int) -> bool:
    """Play an action, which must be legal, and keep what is carried; whether it has closed the deal."""
    deal = state["deal_number"]
    if state["phase"] == PLAY:
        carry["bytes"][FIRST_TRICK + PLAYED_CARD[action]] = 1 + tricks_done(state)
    apply_action(state, rules, action)
    if state["deal_number"] != deal:
        begin_carry(state, rules, carry)
    elif state["phase"] == OVER:
        pack_sheet(state, rules, carry)
    else:
        return False
    return True
