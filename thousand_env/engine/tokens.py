"""The actions of a deal as tokens, for recurrent and transformer networks, as far as one seat knows them."""

from __future__ import annotations

from typing import Any, Final

from thousand_env.actions import FIRST_ACES, FIRST_GIVE, FIRST_PLAY, PASS
from thousand_env.cards import NUM_SUITS
from thousand_env.engine.bits import wide
from thousand_env.engine.compiler import compiled
from thousand_env.engine.observe import player_of, relative_seat
from thousand_env.engine.redact import HIDDEN_GIVE
from thousand_env.engine.state import DARK_NO, first_hand, in_set, next_active
from thousand_env.engine.tricks import PLAYED_CARD

HIDDEN_TOKEN: Final = 130
"""In place of an action: a card was given that the observer does not know."""

TOKENS_A_SEAT: Final = 131


@compiled
def observe_history(state: Any, rules: Any, me: int, tokens: Any) -> int:
    """Write the actions of the deal as ``131 * relative seat + action`` and return their number.

    A card given that ``me`` does not know is ``HIDDEN_TOKEN``. An own declined redeal comes after the dark decision.
    """
    size = 0
    players = rules["players"]
    seat = wide(first_hand(state, rules))
    place = 0
    if state["dark"] != DARK_NO:
        tokens[0] = TOKENS_A_SEAT * relative_seat(seat, me, players) + state["log"][0]
        place = size = 1
        if state["log"][0] != PASS:
            seat = next_active(seat, state, rules)
    if in_set(state["asked"], me):
        tokens[size] = PASS
        size += 1
    passed = 0
    receiver = wide(next_active(state["declarer"], state, rules)) if state["declarer"] >= 0 else 0
    while place < state["log_size"]:
        action = wide(state["log"][place])
        place += 1
        actor = wide(state["declarer"])
        if FIRST_PLAY <= action < FIRST_ACES + NUM_SUITS:
            actor = player_of(state, wide(PLAYED_CARD[action]))
        elif FIRST_GIVE <= action < FIRST_PLAY or action == HIDDEN_GIVE:
            if not _knows_give(state, rules, me, receiver):
                action = HIDDEN_TOKEN
            receiver = wide(next_active(receiver, state, rules))
        elif action < FIRST_GIVE and not (actor >= 0 and state["talon_taken"] >= 0 and _after_gifts(state, place)):
            actor = seat
            if action == PASS:
                passed |= 1 << seat
            for _ in range(rules["active"]):
                seat = wide(next_active(seat, state, rules))
                if not (passed >> seat) & 1:
                    break
        tokens[size] = TOKENS_A_SEAT * relative_seat(actor, me, players) + action
        size += 1
    return size


@compiled
def _knows_give(state: Any, rules: Any, me: int, receiver: int) -> bool:
    if me == state["declarer"]:
        return True
    return not rules["aside_count"] and (receiver == me or rules["gifts_face_up"] != 0)


@compiled
def _after_gifts(state: Any, place: int) -> bool:
    """Whether the entry before ``place`` of the log is a raise: it follows a card that was given."""
    if place < 2:
        return False
    earlier = wide(state["log"][place - 2])
    return FIRST_GIVE <= earlier < FIRST_PLAY or earlier == HIDDEN_GIVE
