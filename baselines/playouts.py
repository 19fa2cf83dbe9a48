"""Compiled helpers of agents that search: worlds played on by the heuristic, and how well they explain the auction.

A *world* is a complete deal that agrees with what a seat knows, as a record of ``STATE_DTYPE``. Nothing here chooses an
action for anybody but the players of a play-out, and nothing is drawn at random: a play-out is the one deal that follows
when all play as ``baselines.heuristic`` does, each from what its own seat knows.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from baselines.greedy import estimate, points_of_bid
from baselines.heuristic import choose
from thousand_env.compiled import (
    EPISODE_DEAL,
    FIRST_GIVE,
    PASS,
    PHASES,
    SIGHT_DTYPE,
    apply_action,
    compiled,
    entry,
    legal_words,
    restore_hand,
    room_for,
    see,
    wide,
)

OVER: Final = PHASES.index("over")
PLAY: Final = PHASES.index("play")
_room_for_sight: Final = room_for(SIGHT_DTYPE)


@entry
def play_out(worlds: Any, rules_records: Any, knobs: Any, ways: Any, until: int, futures: Any) -> None:
    """Write to ``futures[k, a]`` what world k becomes after the actions of ``ways[a]``, int64 ``[A, M]``.

    An action of -1 is none. The heuristic with these knobs plays on for all seats until a phase, ``PLAY`` or ``OVER``,
    has begun; the deal is scored as an episode of its own, so that the score sheet is that after this deal.
    """
    rules, own = rules_records[0], knobs[0]
    room = _room_for_sight()
    seen = room[0]
    for k in range(worlds.shape[0]):
        for a in range(ways.shape[0]):
            futures[k, a] = worlds[k]
            state = futures[k, a]
            state["episode"] = EPISODE_DEAL
            for place in range(ways.shape[1]):
                if ways[a, place] >= 0:
                    apply_action(state, rules, ways[a, place])
            _play_on(state, rules, own, seen, until)


@compiled
def _play_on(state: Any, rules: Any, knobs: Any, seen: Any, until: int) -> None:
    while state["phase"] != OVER and state["phase"] != until:
        low, middle, high = legal_words(state, rules)
        see(state, rules, wide(state["seat"]), seen)
        seen["legal"][0] = low
        seen["legal"][1] = middle
        seen["legal"][2] = high
        apply_action(state, rules, choose(seen, rules, knobs))


@entry
def worth_as_dealt(worlds: Any, rules_records: Any, worth: Any) -> None:
    """Write to ``worth[k, seat]``, float64, what the heuristic thinks the hand dealt to each active seat is worth."""
    rules = rules_records[0]
    room = _room_for_sight()
    seen = room[0]
    for k in range(worlds.shape[0]):
        see(worlds[k], rules, 0, seen)  # for the deck alone
        for seat in range(rules["players"]):
            hand = restore_hand(worlds[k], rules, seat)
            if hand:
                worth[k, seat] = estimate(seen, rules, hand, True)
