"""Observations as vectors: encode a ``View`` or a whole ``Game``, and decode every fact again. See ``layout``."""

from __future__ import annotations

import functools
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from thousand_env.cards import RANKS, SUITS
from thousand_env.engine import kernels
from thousand_env.engine.forms import FACTORS
from thousand_env.engine.observe import BLOCK_DTYPE, OBSERVATION_DTYPE, STATE_ROW_DTYPE
from thousand_env.engine.state import LOG_SIZE
from thousand_env.game import Game
from thousand_env.layout import (
    CODED_OPTIONS,
    LAYOUT_VERSION,
    LETTER_OPTIONS,
    NUMBER_OPTIONS,
    OBSERVATION,
    RULES_SIZE,
    RULES_START,
    SMALL_OPTIONS,
    STATE,
    Layout,
    Piece,
)
from thousand_env.options import Choice, Flag
from thousand_env.rules import Rules, RulesError, option_kind
from thousand_env.view import View

__all__ = [
    "HISTORY_SIZE",
    "LAYOUT_VERSION",
    "OBSERVATION",
    "STATE",
    "Layout",
    "Piece",
    "decode",
    "encode",
    "encode_int8",
    "encode_state",
    "history",
    "layout_table",
    "rules_of",
]

HISTORY_SIZE: Final = LOG_SIZE + 1
"""Length of a history: no deal has more actions that one seat may know."""

_LARGEST: Final = 12_799
_NONE: Final = (-127, -99)


@functools.cache
def scales(layout_size: int) -> npt.NDArray[np.float32]:
    """What the integers of a vector are divided by, float32; read-only. ``layout_size`` is K or M."""
    divisors: npt.NDArray[np.float32] = np.reciprocal(FACTORS[:layout_size])
    divisors.setflags(write=False)
    return divisors


@functools.lru_cache(maxsize=256)
def rules_block(rules: Rules) -> npt.NDArray[np.void]:
    """The part of an observation that depends on the rules alone, as one row of bytes; read-only."""
    block = np.zeros(RULES_SIZE, np.int8)

    def put(name: str, *numbers: int) -> None:
        start = OBSERVATION[f"rules.{name}"].start - RULES_START
        block[start : start + len(numbers)] = numbers

    for name in CODED_OPTIONS:
        kind = option_kind(name)
        assert isinstance(kind, Choice | Flag)
        put(name, kind.code(getattr(rules, name)))
    for name in NUMBER_OPTIONS:
        number = getattr(rules, name)
        put(name, *(_NONE if number is None else split(max(number, 1 - _LARGEST))))
    put("marriage_values", *(part for value in rules.marriage_values for part in split(value)))
    for name in SMALL_OPTIONS:
        put(name, getattr(rules, name) or 0)
    put("ranks", sum(1 << RANKS.index(rank) for rank in rules.ranks))
    put("suits", sum(1 << SUITS.index(suit) for suit in rules.suits))
    assert LETTER_OPTIONS == ("ranks", "suits")
    row = block.view(BLOCK_DTYPE)
    row.setflags(write=False)
    return row


def split(number: int) -> tuple[int, int]:
    """Hundreds and remainder, of one sign, of a number clipped to +-12,799."""
    size = min(abs(number), _LARGEST)
    sign = -1 if number < 0 else 1
    return sign * (size // 100), sign * (size % 100)


def encode_int8(view: View) -> npt.NDArray[np.int8]:
    """A new int8 observation ``[K]`` of the integers themselves."""
    if not isinstance(view, View):
        raise TypeError(f"a {type(view).__name__} cannot be encoded: encode a View, such as game.view(seat)")
    row = np.empty(OBSERVATION.size, np.int8)
    _write(view, view.observer, row)
    return row


def encode(view: View) -> npt.NDArray[np.float32]:
    """A new float32 observation ``[K]``, each value within [-1, 1]."""
    return np.divide(encode_int8(view), scales(OBSERVATION.size), dtype=np.float32)


def encode_state(game: Game, seat: int = 0) -> npt.NDArray[np.float32]:
    """A new float32 vector ``[M]`` for centralised critics: the observation of ``seat`` and all hidden cards after it.

    Places are relative to ``seat``; it is never part of an observation.
    """
    if not isinstance(game, Game):
        raise TypeError(f"a {type(game).__name__} has no hidden cards: encode_state takes a Game")
    row = np.empty(STATE.size, np.int8)
    _write(game, seat, row[: OBSERVATION.size])
    kernels.write_hidden(game._states, game._rules_record, seat, row.view(STATE_ROW_DTYPE))
    return np.divide(row, scales(STATE.size), dtype=np.float32)


def _write(position: View | Game, seat: int, row: npt.NDArray[np.int8]) -> None:
    block = rules_block(position.rules)
    kernels.write_observation(position._states, position._rules_record, block, seat, row.view(OBSERVATION_DTYPE))


def history(view: View) -> npt.NDArray[np.int16]:
    """The actions of the current deal, int16 ``[H]``: ``131 * relative seat + action``, -1 after the last.

    In place of the action 130 says that a card was given which the observer does not know.
    """
    tokens = np.full(HISTORY_SIZE, -1, np.int16)
    kernels.write_history(view._states, view._rules_record, view.observer, tokens)
    return tokens


def decode(vector: npt.ArrayLike) -> dict[str, Any]:
    """Every fact of an observation ``[K]`` or a state ``[M]``, float32 or int8, by name of its piece.

    Pieces are integer arrays of their shapes, single values Python integers; two pieces ``x_hundreds`` and ``x_rest``
    are one fact ``x``; options are under ``rules`` with their values, clipped where the layout clips them.
    """
    given = np.asarray(vector)
    if given.shape not in ((OBSERVATION.size,), (STATE.size,)):
        raise ValueError(f"a vector of shape {given.shape} is none of {(OBSERVATION.size,)} and {(STATE.size,)}")
    numbers = given.astype(np.int64)
    if given.dtype.kind == "f":
        numbers = np.rint(given * scales(len(given))).astype(np.int64)
    facts: dict[str, Any] = {}
    options: dict[str, Any] = {}
    for piece in [*OBSERVATION.pieces.values(), *(STATE.pieces.values() if len(given) == STATE.size else ())]:
        value = numbers[piece.start : piece.stop].reshape(piece.shape)
        name, is_option = piece.name.removeprefix("rules."), piece.name.startswith("rules.")
        if is_option:
            options[name] = _option(name, value)
        elif name.endswith("_rest"):
            whole = 100 * facts.pop(name.removesuffix("_rest") + "_hundreds") + value
            facts[name.removesuffix("_rest")] = _plain(whole)
        else:
            facts[name] = value if name.endswith("_hundreds") else _plain(value)
    facts["rules"] = options
    return facts


def rules_of(vector: npt.ArrayLike) -> Rules:
    """The rules that an observation ``[K]``, float32 or int8, was made under, as far as it says.

    ``max_deals`` is left at its default, and numbers are clipped where the layout clips them. ``ValueError``
    (``RulesError``) for a vector that no rule set gives.
    """
    given = np.asarray(vector)
    if given.shape != (OBSERVATION.size,):
        raise ValueError(f"a vector of shape {given.shape} is no observation: it must be {(OBSERVATION.size,)}")
    block = given[RULES_START:]
    if given.dtype.kind == "f":
        with np.errstate(invalid="ignore"):
            block = np.rint(block * scales(OBSERVATION.size)[RULES_START:])
    return _rules_of_block(block.astype(np.int8).tobytes())


@functools.lru_cache(maxsize=256)
def _rules_of_block(block: bytes) -> Rules:
    vector = np.zeros(OBSERVATION.size, np.int8)
    vector[RULES_START:] = np.frombuffer(block, np.int8)
    try:
        options = decode(vector)["rules"]
    except IndexError:
        raise RulesError("the observation says options that there are not: it was not made by encode") from None
    cards = len(options["ranks"]) * len(options["suits"])
    hands, talons = (2, 2) if options["players"] == 2 else (3, 1)
    options["hand_size"] = (cards - talons * options["talon_size"]) // hands
    return Rules.from_dict(options)


def _plain(value: npt.NDArray[np.int64]) -> Any:
    return int(value[0]) if value.shape == (1,) else value


def _option(name: str, value: npt.NDArray[np.int64]) -> Any:
    if name == "marriage_values":
        return {suit: int(100 * high + low) for suit, (high, low) in zip(SUITS, value, strict=True)}
    if name in NUMBER_OPTIONS:
        return None if tuple(value) == _NONE else int(100 * value[0] + value[1])
    if name in ("ranks", "suits"):
        letters = RANKS if name == "ranks" else SUITS
        return "".join(letter for place, letter in enumerate(letters) if int(value[0]) >> place & 1)
    kind = option_kind(name)
    if isinstance(kind, Choice) and name in CODED_OPTIONS:
        return kind.values[int(value[0])]
    if isinstance(kind, Flag):
        return bool(value[0])
    optional = name not in ("players", "talon_size")
    return (int(value[0]) or None) if optional else int(value[0])


def layout_table(layout: Layout = OBSERVATION) -> str:
    """The layout as a Markdown table."""
    lines = ["| start | shape | piece | scale | meaning |", "|---|---|---|---|---|"]
    lines += [f"| {p.start} | {p.shape} | `{p.name}` | {p.scale} | {p.meaning} |" for p in layout.pieces.values()]
    return "\n".join(lines)
