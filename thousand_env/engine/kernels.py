"""The compiled functions that Python calls. States and rules come as one-element arrays, the cheapest to pass.

Each of them carries a copy of all that it calls, and compiling is slow, so there are few.
"""

from __future__ import annotations

from typing import Any

from thousand_env.actions import NUM_ACTIONS
from thousand_env.engine.bits import lowest
from thousand_env.engine.carry import make_carry, room_for_carry
from thousand_env.engine.compiler import entry
from thousand_env.engine.deck import draw_dealer
from thousand_env.engine.observe import observe, observe_all
from thousand_env.engine.redact import redact
from thousand_env.engine.replay import ALL, actions_taken, is_legal, replay_log, rewind_deal
from thousand_env.engine.scoring import finish_deal
from thousand_env.engine.state import OVER
from thousand_env.engine.step import apply_action, clear_sheet, clear_table, is_void, legal_words, open_deal, start_deal
from thousand_env.engine.tokens import observe_history

__all__ = [
    "ALL",
    "begin",
    "legal_actions",
    "legal_mask",
    "replay_deal",
    "settle",
    "try_action",
    "view_of",
    "write_hidden",
    "write_history",
    "write_observation",
]

ILLEGAL, APPLIED, CLOSED = range(3)
"""What ``try_action`` did: nothing; an action within a deal; one that closed the deal, which may be the last."""

BEGIN_SHEET, BEGIN_MATCH, BEGIN_REWIND, BEGIN_DEALT = range(4)
"""What ``begin`` does: clear the sheet; deal the first deal on it; back to the dealt cards; open the dealt cards."""


@entry
def begin(states: Any, rules_records: Any, command: int, seed: Any, episode: int) -> bool:
    """Start a match in the steps named by ``command``; False if the cards that are there are a void deal."""
    state = states[0]
    rules = rules_records[0]
    if command == BEGIN_SHEET:
        clear_sheet(state, seed, episode)
        state["dealer"] = draw_dealer(seed, rules["players"])
        clear_table(state, rules)
    elif command == BEGIN_MATCH:
        start_deal(state, rules)
    elif command == BEGIN_REWIND:
        rewind_deal(state, rules)
    else:
        clear_table(state, rules)
        if is_void(state, rules):
            return False
        open_deal(state, rules)
    return True


@entry
def legal_actions(states: Any, rules_records: Any, out: Any) -> int:
    """Write the ids of the legal actions, ascending, to ``out`` (at least 130 places); their number."""
    low, middle, high = legal_words(states[0], rules_records[0])
    size = 0
    for word in range(3):
        bits = low if word == 0 else middle if word == 1 else high
        while bits:
            out[size] = 64 * word + lowest(bits)
            bits &= bits - 1
            size += 1
    return size


@entry
def legal_mask(states: Any, rules_records: Any, out: Any) -> None:
    """Write 1 for each legal action and 0 for the others to ``out``, int8[130]."""
    low, middle, high = legal_words(states[0], rules_records[0])
    for action in range(NUM_ACTIONS):
        word = low if action < 64 else middle if action < 128 else high
        out[action] = (word >> (action & 63)) & 1


@entry
def try_action(states: Any, rules_records: Any, action: int) -> int:
    """Play an action, any int64, if it is legal."""
    state = states[0]
    rules = rules_records[0]
    if not is_legal(state, rules, action):
        return ILLEGAL
    deal, scored = state["deal_number"], state["deals_scored"]
    apply_action(state, rules, action)
    closed = state["deal_number"] != deal or state["deals_scored"] != scored or state["phase"] == OVER
    return CLOSED if closed else APPLIED


@entry
def view_of(states: Any, rules_records: Any, seat: int, announced: bool) -> None:
    """Take out of ``states`` what a seat may not know."""
    redact(states[0], rules_records[0], seat, announced)


@entry
def write_observation(states: Any, rules_records: Any, rules_blocks: Any, me: int, rows: Any) -> None:
    """Write an observation to ``rows[0]``."""
    carries = room_for_carry()
    make_carry(states[0], rules_records[0], carries[0])
    observe(states[0], rules_records[0], rules_blocks[0], carries[0], me, rows[0])


@entry
def write_hidden(states: Any, rules_records: Any, me: int, rows: Any) -> None:
    """Write what ``encode_state`` adds to an observation behind that in ``rows[0]``."""
    observe_all(states[0], rules_records[0], me, rows[0])


@entry
def write_history(states: Any, rules_records: Any, me: int, tokens: Any) -> int:
    """Write the history tokens of the deal to ``tokens``, int16, and return their number."""
    return observe_history(states[0], rules_records[0], me, tokens)


@entry
def replay_deal(states: Any, rules_records: Any, sources: Any, decisions: int) -> bool:
    """Take a deal that is not over back to its first decision, and forward through ``decisions`` of ``sources`` again.

    Negative numbers count from the end. False if one of the decisions is not legal.
    """
    state = states[0]
    rules = rules_records[0]
    rewind_deal(state, rules)
    open_deal(state, rules)
    if decisions < 0:
        decisions += actions_taken(sources[0])
    return decisions >= 0 and replay_log(state, rules, sources[0], decisions)


@entry
def settle(states: Any, rules_records: Any, conceded: bool) -> None:
    """Write the deal to the score sheet, from the points, tricks, declarer and contract in the state."""
    finish_deal(states[0], rules_records[0], conceded)
