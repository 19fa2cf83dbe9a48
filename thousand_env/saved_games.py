"""The games of a batch as plain arrays, and back: what a ``VectorEnv`` saves, checked in full before it is restored.

``states``, ``books``  uint8 [N, bytes]  engine records of the rows (``STATE_DTYPE``, ``BOOK_DTYPE``)
``lengths``            int64 [N]         decisions of the episodes so far
``facts``              uint8 [bytes]     JSON: format, options of the batch, its seed, the generator of ``start``

Everything else follows from these. They are no pickles, so that they may come from anywhere: each row must be a game
that can be reached by legal actions, of the seed that its row has.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from thousand_env.batch import GameBatch, start_rng
from thousand_env.engine import batch as kernels
from thousand_env.engine.batch import BOOK_DTYPE
from thousand_env.engine.state import OVER, STATE_DTYPE
from thousand_env.game_bytes import check_record
from thousand_env.rules import Rules, RulesError
from thousand_env.seeding import check_seed, episode_seed

FORMAT: Final = 1
_ARRAYS: Final = ("states", "books", "lengths", "facts")
_SAME: Final = ("num", "rules", "episode", "reward", "skip_forced")
"""Options that the saved batch and the restored one must have in common; others change no game."""


def save_games(games: GameBatch, seed: int) -> dict[str, npt.NDArray[Any]]:
    """New arrays that say all of a batch whose rows are those of ``seed``; every episode must be going on."""
    generator = games.rng.bit_generator
    facts = {
        "format": FORMAT,
        **{name: games.options[name] for name in _SAME},
        "rules": games.rules.to_dict(),
        "start": games.options["start"] is not None,
        "seed": seed,
        "rng": generator.state,
        "spawned": generator.seed_seq.n_children_spawned,  # type: ignore[attr-defined]
    }
    return {
        "states": games.states.view(np.uint8).reshape(games.num, -1).copy(),
        "books": games.books.view(np.uint8).reshape(games.num, -1).copy(),
        "lengths": games.turns["length"].copy(),
        "facts": np.frombuffer(json.dumps(facts).encode(), np.uint8).copy(),
    }


def restore_games(games: GameBatch, saved: Mapping[str, Any]) -> int:
    """Put back what ``save_games`` gave, and describe it; the seed. ``ValueError``, and nothing has changed, if not."""
    facts = _facts(games, saved)
    seed: int = _checked(check_seed, facts.get("seed"))
    states = _array(saved, "states", np.uint8, (games.num, STATE_DTYPE.itemsize)).view(STATE_DTYPE).ravel()
    books = _array(saved, "books", np.uint8, (games.num, BOOK_DTYPE.itemsize)).view(BOOK_DTYPE).ravel()
    lengths = _array(saved, "lengths", np.int64, (games.num,))
    rng = _checked(_generator, seed, facts)
    _check_rows(games, states, books, lengths, seed)
    games.states[:], games.books[:], games.turns["length"] = states, books, lengths
    games.rng = rng
    games.describe()
    return seed


def _facts(games: GameBatch, saved: Mapping[str, Any]) -> dict[str, Any]:
    """The facts, once they are those of such a batch."""
    if not isinstance(saved, Mapping):
        raise ValueError(f"a {type(saved).__name__} is not what save() gives: restore takes a dict of arrays")
    for name in saved:
        if name not in _ARRAYS:
            raise ValueError(f"{name!r} is not part of saved games: they are {', '.join(_ARRAYS)}")
    text = _array(saved, "facts", np.uint8, None)
    try:
        facts = json.loads(text.tobytes())
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the saved games are damaged: their facts are no JSON ({error})") from None
    if not isinstance(facts, dict) or facts.get("format") != FORMAT:
        raise ValueError(f"the saved games are of another format: this version reads format {FORMAT}")
    own = {name: games.options[name] for name in _SAME} | {"start": games.options["start"] is not None}
    try:
        facts["rules"] = Rules.from_dict(facts.get("rules", {}))
    except RulesError as error:
        raise ValueError(f"the rules of the saved games are damaged: {error}") from None
    for name, value in own.items():
        if facts.get(name) != value:
            called = {"num": "num_envs"}.get(name, name)
            raise ValueError(f"the saved games are of {called}={facts.get(name)!r}, this environment has {value!r}")
    return facts


def _array(saved: Mapping[str, Any], name: str, dtype: type, shape: tuple[int, ...] | None) -> npt.NDArray[Any]:
    if name not in saved:
        raise ValueError(f"the saved games lack {name!r}: restore takes what save() gives")
    found = np.asarray(saved[name])
    if found.dtype != dtype or (found.ndim != 1 if shape is None else found.shape != shape):
        needed = f"{np.dtype(dtype)} of shape {'(bytes,)' if shape is None else shape}"
        raise ValueError(f"{name!r} of the saved games is {found.dtype} of shape {found.shape}: it must be {needed}")
    return np.ascontiguousarray(found)


def _checked(make: Any, *given: Any) -> Any:
    try:
        return make(*given)
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
        raise ValueError(f"the saved games are damaged: {error}") from None


def _generator(seed: int, facts: Mapping[str, Any]) -> np.random.Generator:
    rng = start_rng(seed, facts["spawned"])
    rng.bit_generator.state = facts["rng"]
    return rng


def _check_rows(games: GameBatch, states: Any, books: Any, lengths: npt.NDArray[np.int64], seed: int) -> None:
    seeded = np.zeros(games.num, BOOK_DTYPE)
    kernels.seed_rows(seeded, np.uint64(seed))
    players = games.rules.players
    wrong = (
        (books["seed"] != seeded["seed"])
        | (books["episode"] < 0)
        | (states["episode"] != games.states["episode"])
        | (states["phase"] == OVER)
        | (lengths < 0)
        | books["earned"].any(axis=1)
        | ~np.isfinite(books["returns"]).all(axis=1)
        | books["returns"][:, players:].any(axis=1)
        | books["scores"][:, players:].any(axis=1)
    )
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise ValueError(f"the saved games are damaged: row {row} is no episode of this environment")
    for row, (root, number, own) in enumerate(
        zip(books["seed"].tolist(), books["episode"].tolist(), states["seed"].tolist(), strict=True)
    ):
        if episode_seed(root, number) != own:
            raise ValueError(f"the saved games are damaged: row {row} has a game of another seed")
        try:
            check_record(games.rules, states[row].tobytes())
        except ValueError as error:
            raise ValueError(f"the saved games are damaged: row {row}: {error}") from None
