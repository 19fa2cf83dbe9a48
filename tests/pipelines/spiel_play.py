"""What the tests of OpenSpiel share: the small game that its slow algorithms walk, and states of random episodes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from tests.play import choose
from thousand_env import Rules

FOUR = "thousand(rules=mini2,options=(ranks=9A,hand_size=1,min_bid=20))"
FOUR_RULES = Rules.preset("mini2").replace(ranks="9A", hand_size=1, min_bid=20)
"""``mini2`` with four cards: one to each of two players and one in each talon."""


def random_states(game: Any, rng: random.Random, episodes: int) -> Iterator[Any]:
    """States of random episodes in which a seat is to act."""
    for _ in range(episodes):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(rng.choices(outcomes, chances)[0])
            else:
                yield state
                state.apply_action(choose(rng, state.node.game))


def known(state: Any, seat: int) -> tuple[Any, ...]:
    """All that a state says to a seat."""
    return (
        state.information_state_string(seat),
        state.observation_string(seat),
        tuple(state.information_state_tensor(seat)),
        tuple(state.observation_tensor(seat)),
        state.legal_actions(seat),
    )
