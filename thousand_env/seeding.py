"""Seeds of deals, episodes and environments: which of them gives which game, in plain Python.

Every seed is an integer 0..2**64 - 1. Deal ``k`` of a match with seed ``s`` is shuffled by ``deal_seed(s, k)``; the
``e``-th episode since ``reset(seed=s)`` plays ``Game(seed=episode_seed(s, e))``; the ``i``-th game of a batch with seed
``s`` plays what a single environment with seed ``env_seed(s, i)`` plays. Each is one mixing function with a tag of
its own, so that the three never give the same streams. For training and testing on different games use different
seeds; two seeds share no deal but by chance.
"""

from __future__ import annotations

import operator
import secrets
from typing import Any, Final

from thousand_env.engine.deck import DEAL_TAG, ENV_TAG, EPISODE_TAG, GAMMA, MIX_1, MIX_2

_LOW_64: Final = 2**64 - 1


def check_seed(seed: Any) -> int:
    """A seed as an int; ``ValueError`` naming the value for anything else than an integer 0..2**64 - 1."""
    try:
        number = -1 if type(seed).__name__ in ("bool", "bool_") else operator.index(seed)
    except TypeError:
        number = -1
    if not 0 <= number <= _LOW_64:
        raise ValueError(f"seed={seed!r} is not accepted: use an integer from 0 to 2**64 - 1, or None for a random one")
    return number


def random_seed() -> int:
    """A seed from the operating system."""
    return secrets.randbits(64)


def deal_seed(seed: int, deal: int) -> int:
    """Seed of the shuffle of deal ``deal`` (from 0, void deals counted) of a match with this seed."""
    return _derive(check_seed(seed), DEAL_TAG, deal)


def episode_seed(seed: int, episode: int) -> int:
    """Seed of the ``episode``-th game (from 0) that an environment plays after ``reset(seed=seed)``."""
    return _derive(check_seed(seed), EPISODE_TAG, episode)


def env_seed(seed: int, index: int) -> int:
    """Seed of the single environment that plays what environment ``index`` of a batch with this seed plays."""
    return _derive(check_seed(seed), ENV_TAG, index)


def _derive(seed: int, tag: Any, index: int) -> int:
    number = operator.index(index)
    if not 0 <= number <= _LOW_64:
        raise ValueError(f"index {index!r} is not accepted: use an integer from 0 to 2**64 - 1")
    return _mix((_mix((seed + int(tag)) & _LOW_64) + number * int(GAMMA)) & _LOW_64)


def _mix(value: int) -> int:
    value = (value ^ value >> 30) * int(MIX_1) & _LOW_64
    value = (value ^ value >> 27) * int(MIX_2) & _LOW_64
    return value ^ value >> 31
