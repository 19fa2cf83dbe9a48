"""Who sits where in which deal, and the seeds of everything: all of it follows from the seed of the evaluation.

A *unit* is what all seatings of one deal (or of one match seed) make together. The streams of cards, agents, seatings
and score sheets come from BLAKE2b with a word of their own each: to an agent that does not know the seed of the
evaluation its own seed is a hash that says nothing about the cards, and no deal is one that an environment with the
same seed plays (see ``thousand_env.seeding``). This does not guard against an agent that is written to cheat: it can
try small seeds until one gives the hash that it was reset with, and then knows all cards. Where agents are not to be
trusted, evaluate them with a random seed (``seed=None``), which is too large a number to be found by trying.
"""

from __future__ import annotations

import hashlib
import itertools
from typing import Final

ALL, ONE = "all", "one"
SEATINGS: Final = (ALL, ONE)

Seating = tuple[int, ...]
"""By seat, which of the agents sits there."""


def mixed_seatings(agents: int, players: int) -> list[Seating]:
    """Every way to seat the agents at which each sits somewhere: 2**players - 2 for two agents, in ascending order.

    Each agent has each seat equally often. ``ValueError`` for more agents than seats.
    """
    if agents > players:
        raise ValueError(f"{agents} agents do not fit {players} seats: give {players} agents at most, or other rules")
    return [each for each in itertools.product(range(agents), repeat=players) if len(set(each)) == agents]


def seatings_of(seed: int, unit: int, agents: int, players: int, which: str) -> list[Seating]:
    """The seatings that a unit is played in: all mixed ones, or ``"one"`` of them drawn from the seed."""
    mixed = mixed_seatings(agents, players)
    if which == ALL:
        return mixed
    return [mixed[draw("seating", seed, unit) % len(mixed)]]


def game_seed(seed: int, unit: int) -> int:
    """The seed of the cards of a unit: of its deal, or of all deals of its matches."""
    return draw("cards", seed, unit)


def agent_seed(seed: int, unit: int, seat: int) -> int:
    """What the agent at a seat is reset with in a unit, whichever agent it is."""
    return draw("agent", seed, unit, seat)


def fixed_seed(seed: int, unit: int, seat: int) -> int:
    """What the third agent is reset with that bids, or plays the cards, at a seat for whoever sits there."""
    return draw("fixed", seed, unit, seat)


def draw(word: str, *numbers: int) -> int:
    """A number 0..2**64 - 1 that a word and numbers stand for."""
    text = f"evaluation {word} {' '.join(map(str, numbers))}"
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
