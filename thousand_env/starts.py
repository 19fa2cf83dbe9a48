"""Score sheets that the episodes of a batch begin with, from a callable of the user's, checked all at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from thousand_env.engine.batch import START_DTYPE
from thousand_env.engine.state import NO_BARREL, NOBODY
from thousand_env.rules import Rules
from thousand_env.sheet import ATTEMPT_LIMIT, SCORE_LIMIT, DealError, ScoreSheet

Start = Callable[[np.random.Generator, int], Any]
"""``start(rng, n) -> scores, bolts, barrel, dealer`` for n episodes; see ``VectorEnv``."""

NO_STARTS: Final = np.zeros(0, START_DTYPE)
_BEYOND: Final = 10**12  # what numbers are clipped to: no part of a sheet may be so large
_PARTS: Final = ("scores", "bolts", "barrel", "dealer")


def draw_starts(start: Start, rng: np.random.Generator, rules: Rules, count: int) -> npt.NDArray[np.void]:
    """The sheets of ``count`` episodes as records of the engine, or ``DealError`` naming the first that cannot be."""
    given = start(rng, count)
    if not isinstance(given, tuple | list) or len(given) != len(_PARTS):
        raise DealError(f"start(rng, {count}) gave {given!r:.200}: it must give {', '.join(_PARTS)}, each may be None")
    shape = (count, rules.players)
    scores, bolts, barrel = (_numbers(_PARTS[place], given[place], shape) for place in range(3))
    dealer = _numbers("dealer", given[3], (count,))
    sheets = np.zeros(count, START_DTYPE)
    sheets["barrel"] = NO_BARREL
    sheets["dealer"] = NOBODY
    if scores is None:
        scores = np.zeros(shape, np.int64) if barrel is None else np.where(barrel >= 0, rules.barrel_threshold, 0)
    stands_on_it = rules.barrel & (scores >= rules.barrel_threshold) & (scores < rules.target)
    if barrel is None:
        barrel = np.where(stands_on_it, 0, NO_BARREL)
    if bolts is None:
        bolts = np.zeros(shape, np.int64)
    _refuse(_impossible(rules, scores, bolts, barrel, stands_on_it), rules, scores, bolts, barrel)
    seats = slice(rules.players)
    sheets["scores"][:, seats], sheets["bolts"][:, seats], sheets["barrel"][:, seats] = scores, bolts, barrel
    if dealer is not None:
        wrong = np.flatnonzero((dealer < 0) | (dealer >= rules.players))
        if len(wrong):
            accepted = f"use a seat from 0 to {rules.players - 1}"
            raise DealError(f"start: dealer[{wrong[0]}]={dealer[wrong[0]]} is not accepted: {accepted}")
        sheets["dealer"] = dealer
    return sheets


def _numbers(name: str, values: Any, shape: tuple[int, ...]) -> npt.NDArray[np.int64] | None:
    if values is None:
        return None
    try:
        numbers = np.asarray(values)
    except ValueError as error:
        raise DealError(f"start: {name} is no array of {shape}: {error}") from None
    if numbers.dtype.kind not in "iu" or numbers.shape != shape:
        raise DealError(f"start: {name} is {numbers.dtype} of shape {numbers.shape}: it must be integers of {shape}")
    clipped: npt.NDArray[np.int64] = np.clip(numbers, -_BEYOND, _BEYOND).astype(np.int64)
    return clipped


def _impossible(rules: Rules, scores: Any, bolts: Any, barrel: Any, stands_on_it: Any) -> npt.NDArray[np.bool_]:
    """Which rows ``ScoreSheet.start`` refuses."""
    most_bolts = 0 if rules.bolt_mode == "off" else rules.bolt_limit - 1
    most_attempts = ATTEMPT_LIMIT if rules.barrel_attempts is None else rules.barrel_attempts - 1
    wrong = (np.abs(scores) > SCORE_LIMIT) | (bolts < 0) | (bolts > most_bolts)
    wrong |= (barrel < NO_BARREL) | ((barrel >= 0) != stands_on_it)
    wrong |= barrel > most_attempts
    if rules.barrel_clamp:
        wrong |= (barrel >= 0) & (scores != rules.barrel_threshold)
    return np.asarray(wrong.any(axis=1))


def _refuse(wrong: npt.NDArray[np.bool_], rules: Rules, scores: Any, bolts: Any, barrel: Any) -> None:
    for row in np.flatnonzero(wrong)[:1].tolist():
        attempts = [None if used == NO_BARREL else used for used in barrel[row].tolist()]
        try:
            ScoreSheet.start(rules, scores[row].tolist(), bolts[row].tolist(), attempts)
        except DealError as error:
            raise DealError(f"start: sheet {row}: {error}") from None
        raise AssertionError(f"sheet {row} is refused for no reason")
