"""Random play inside compiled code: for benchmarks, and to reach random positions fast."""

from __future__ import annotations

from typing import Any

from thousand_env.engine.bits import nth_bit, popcount
from thousand_env.engine.compiler import compiled, entry
from thousand_env.engine.deck import below
from thousand_env.engine.state import EPISODE_MATCH, OVER
from thousand_env.engine.step import apply_action, legal_words, start_match


@compiled
def choose(low: int, middle: int, high: int, stream: Any) -> tuple[Any, int]:
    """The stream moved on, and one of the actions in the three words of a legal set, each as likely as any other."""
    in_low, in_middle = popcount(low), popcount(middle)
    stream, choice = below(stream, in_low + in_middle + popcount(high))
    if choice < in_low:
        return stream, nth_bit(low, choice)
    if choice < in_low + in_middle:
        return stream, 64 + nth_bit(middle, choice - in_low)
    return stream, 128 + nth_bit(high, choice - in_low - in_middle)


@entry
def choose_randomly(turns: Any, actions: Any, stream: Any) -> Any:
    """Write a random legal action of each row to ``actions`` and return the stream moved on."""
    for i in range(actions.shape[0]):
        legal = turns[i]["legal"]
        stream, actions[i] = choose(legal[0], legal[1], legal[2], stream)
    return stream


@entry
def play_randomly(states: Any, rules_records: Any, stream: Any, decisions: int) -> tuple[int, int]:
    """Play uniformly random legal actions in ``states[0]``, one match after another.

    Returns the number of matches begun and a checksum of the actions, so that no work can be left out.
    """
    state = states[0]
    rules = rules_records[0]
    matches = checksum = 0
    for _ in range(decisions):
        if state["phase"] == OVER:
            start_match(state, rules, stream, EPISODE_MATCH)
            matches += 1
        low, middle, high = legal_words(state, rules)
        stream, action = choose(low, middle, high, stream)
        apply_action(state, rules, action)
        checksum += action
    return matches, checksum
