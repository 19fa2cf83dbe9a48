"""From a position back to its deal, and from a deal forward through its log again."""

from __future__ import annotations

from typing import Any, Final

from thousand_env.actions import FIRST_ACES, FIRST_MARRY, FIRST_PLAY, PASS
from thousand_env.engine.bits import popcount, wide
from thousand_env.engine.compiler import compiled
from thousand_env.engine.state import MAX_SEATS, PLAY, REDEAL_ASK, in_set, restore_hand
from thousand_env.engine.step import apply_action, clear_table, legal_words
from thousand_env.engine.tricks import played_card
from thousand_env.rules_record import DECLARE_AUTOMATIC

ALL: Final = 1 << 30
"""As many decisions as there are."""


@compiled
def is_legal(state: Any, rules: Any, action: int) -> bool:
    """Whether an action, any int64, is legal for the seat to act."""
    low, middle, high = legal_words(state, rules)
    if action < 0 or action >= 192:
        return False
    word = low if action < 64 else middle if action < 128 else high
    return (word >> (action & 63)) & 1 == 1


@compiled
def chosen_action(action: int, rules: Any) -> int:
    """The action that was chosen where the log has ``action``: under ``automatic`` declaring is no choice."""
    if rules["marriage_declare"] == DECLARE_AUTOMATIC and FIRST_MARRY <= action < FIRST_ACES + 4:
        return FIRST_PLAY + played_card(action)
    return action


@compiled
def actions_taken(state: Any) -> int:
    """Decisions taken so far in this deal, declined redeals included."""
    return state["log_size"] + popcount(state["asked"])


@compiled
def rewind_deal(state: Any, rules: Any) -> None:
    """Back to the dealt cards of a deal that is not over, of which all cards are known; nothing is opened yet."""
    for seat in range(MAX_SEATS):
        state["hands"][seat] = restore_hand(state, rules, seat)
    clear_table(state, rules)


@compiled
def replay_log(state: Any, rules: Any, source: Any, limit: int) -> bool:
    """Take the first ``limit`` decisions of the deal of ``source`` again, or ``ALL``; False once one is not legal.

    ``state`` is at the first decision of its deal. Whoever declined a redeal in ``source`` declines it again.
    """
    taken = read = 0
    while taken < limit:
        if state["phase"] == REDEAL_ASK and in_set(source["asked"], state["seat"]):
            action = PASS
        elif read == source["log_size"]:
            return limit == ALL
        elif state["phase"] == REDEAL_ASK:
            return False
        else:
            action = wide(source["log"][read])
            read += 1
            if state["phase"] == PLAY:
                action = chosen_action(action, rules)
        if not is_legal(state, rules, action):
            return False
        apply_action(state, rules, action)
        taken += 1
    return True
