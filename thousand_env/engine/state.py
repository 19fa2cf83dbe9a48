"""The state of a match: one NumPy record of plain numbers, and the phases of a deal.

Everything that can be derived is derived. Card sets are integers with bit ``card id`` set, seats are absolute, and a
seat that there is not is ``NOBODY``. Per-seat fields have four places whatever the number of players; unused ones
stay 0 (``NO_BARREL`` in ``barrel``). ``log`` holds the action ids of the current deal in order, from which who did
what follows. An automatic declaration is logged as the declaring action that it is, so that the log tells it from a
mere lead; declined redeals are not logged, because they are not announced.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from thousand_env.engine.bits import wide
from thousand_env.engine.compiler import compiled

PHASES: Final = ("dark", "redeal", "auction", "talon", "exchange", "raise", "play", "over")
DARK, REDEAL_ASK, AUCTION, TALON, EXCHANGE, RAISE, PLAY, OVER = range(8)

MAX_SEATS: Final = 4
NOBODY: Final = -1
NO_CARD: Final = -1
NO_SUIT: Final = -1
NO_BARREL: Final = -1
LOG_SIZE: Final = 95
"""A dark bid or look, 65 bids and 2 passes, 24 cards given or played and 2 gifts played again, a raise: 95."""

EPISODE_MATCH, EPISODE_DEAL = range(2)
EPISODES: Final = ("match", "deal")

DARK_NO, DARK_LOOKED, DARK_BID = range(3)
"""``dark``: no dark decision taken; first hand looked; his dark bid stands and doubles his result."""

FORCED_NO, FORCED_GOLDEN, FORCED_OWN_TURN = range(3)
"""``forced``: the contract of this deal is played without an auction, and why."""

STATE_DTYPE: Final = np.dtype(
    [
        ("seed", np.uint64),
        ("hands", np.uint32, (MAX_SEATS,)),
        ("played", np.uint32, (MAX_SEATS,)),  # cards each seat has played in this deal
        ("talon", np.uint32, (2,)),  # as dealt; the second only with two players
        ("aside", np.uint32),  # put aside by the declarer
        ("scores", np.int32, (MAX_SEATS,)),
        ("deal_number", np.int32),  # deals dealt before this one, void ones included
        ("deals_scored", np.int32),
        ("barrel", np.int16, (MAX_SEATS,)),  # attempts used, or NO_BARREL
        ("bolts", np.uint8, (MAX_SEATS,)),
        ("falls", np.uint8, (MAX_SEATS,)),
        ("concessions", np.uint8, (MAX_SEATS,)),
        ("points", np.int16, (MAX_SEATS,)),  # card points won in this deal
        ("bonus", np.int16, (MAX_SEATS,)),  # marriages and aces declared in this deal
        ("bid", np.int16),  # the highest bid so far, 0 before the first
        ("contract", np.int16),  # 0 until there is a declarer
        ("tricks", np.uint8, (MAX_SEATS,)),
        ("bids", np.uint8, (MAX_SEATS,)),  # last bid of each seat: its action id, 0 for none
        ("voids", np.uint8, (MAX_SEATS,)),  # sets of suits that a seat has shown not to hold
        ("gifts", np.int8, (MAX_SEATS,)),  # by receiver: the card given to him, or NO_CARD
        ("phase", np.uint8),
        ("seat", np.int8),  # to act
        ("dealer", np.int8),
        ("bidder", np.int8),  # of the highest bid
        ("declarer", np.int8),
        ("winner", np.int8),
        ("truncated", np.uint8),
        ("episode", np.uint8),
        ("passed", np.uint8),  # set of seats, the sitter included
        ("bidders", np.uint8),  # set of seats that have bid, forced bids included
        ("asked", np.uint8),  # set of seats that have declined a redeal
        ("talon_seen", np.uint8),  # set of seats that have seen the taken talon
        ("talon_taken", np.int8),  # which talon the declarer took, or -1
        ("dark", np.uint8),
        ("forced", np.uint8),
        ("trump", np.int8),
        ("next_trump", np.int8),  # declared in this trick, in force from the next
        ("aces_declared", np.uint8),
        ("aces_holder", np.int8),  # who held four aces at the first lead, under held_at_first_lead
        ("leader", np.int8),  # of the current trick
        ("best_seat", np.int8),  # who is winning the current trick
        ("best_card", np.int8),
        ("trick_size", np.uint8),
        ("led_card", np.int8),  # of the current trick
        ("log_size", np.uint8),
        ("log", np.uint8, (LOG_SIZE,)),
    ],
    align=True,
)
assert STATE_DTYPE.itemsize <= 256


@compiled
def next_seat(seat: int, rules: Any) -> int:
    """The seat clockwise from one, sitters included."""
    return seat + 1 if seat + 1 < rules["players"] else 0


@compiled
def sitter(state: Any, rules: Any) -> int:
    """With four players the dealer sits out."""
    return state["dealer"] if rules["players"] == 4 else NOBODY


@compiled
def first_hand(state: Any, rules: Any) -> int:
    """The active player at the dealer's left, who speaks first."""
    return next_seat(state["dealer"], rules)


@compiled
def last_hand(state: Any, rules: Any) -> int:
    """The active player who speaks last: the dealer, or with four players the one at his right."""
    dealer = state["dealer"]
    if rules["players"] == 4:
        return dealer - 1 if dealer > 0 else 3
    return dealer


@compiled
def next_active(seat: int, state: Any, rules: Any) -> int:
    """The next seat clockwise that holds cards in this deal."""
    after = next_seat(seat, rules)
    return next_seat(after, rules) if after == sitter(state, rules) else after


@compiled
def in_set(seats: int, seat: int) -> bool:
    """Whether a set of seats has one."""
    return (seats >> seat) & 1 == 1


@compiled
def on_barrel(state: Any, seat: int) -> bool:
    """Whether a seat is on the barrel."""
    return state["barrel"][seat] != NO_BARREL


@compiled
def is_silenced(state: Any, rules: Any, seat: int) -> bool:
    """``silence_below``: totals change only at the end of a deal, so this is judged as at its start."""
    return state["scores"][seat] <= rules["silence_below"]


@compiled
def restore_hand(state: Any, rules: Any, seat: int) -> int:
    """The cards dealt to a seat in this deal, from those it holds, has played, received, given and put aside."""
    cards = wide(state["hands"][seat]) | wide(state["played"][seat])
    if state["gifts"][seat] >= 0:
        cards &= ~(1 << wide(state["gifts"][seat]))
    if seat == state["declarer"] and state["talon_taken"] >= 0:
        cards |= wide(state["aside"])
        for receiver in range(MAX_SEATS):
            if state["gifts"][receiver] >= 0:
                cards |= 1 << wide(state["gifts"][receiver])
        cards &= ~wide(state["talon"][state["talon_taken"]])
    return cards


@compiled
def log_action(state: Any, action: int) -> None:
    """Append an action to the log of the deal."""
    state["log"][state["log_size"]] = action
    state["log_size"] += 1
