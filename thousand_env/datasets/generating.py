"""``generate``: a data set from agents, shard by shard, going on where it was interrupted.

Episodes are played in blocks of a size that follows from the settings, and a shard has whole blocks: another one as
long as there is room for one like the largest so far. So what is in a shard depends on the settings and the number of
its first episode alone, and an interrupted run that goes on writes what it would have written.
"""

from __future__ import annotations

import functools
import operator
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import thousand_env
from thousand_env.agents import Agent
from thousand_env.datasets.form import (
    FORMAT,
    MANIFEST,
    MARK,
    SETTINGS,
    Arrays,
    DatasetError,
    read_json,
    read_shard_facts,
    write_json,
    write_shard,
)
from thousand_env.datasets.playing import How, Players, as_floats, join
from thousand_env.datasets.reading import Dataset
from thousand_env.engine.state import EPISODES
from thousand_env.evaluation.cast import Cast
from thousand_env.keywords import as_rules, flag, one_of, whole_number
from thousand_env.observation import LAYOUT_VERSION
from thousand_env.rewards import REWARDS
from thousand_env.rules import Rules
from thousand_env.seeding import check_seed

Progress = Callable[[int, int], None]

DTYPES: Final = ("int8", "float32")
SHARD_ROWS: Final = 100_000
MOST_EPISODES: Final = 10**12
_MOST_AGENTS: Final = 255
_LARGEST_BLOCK: Final = 1024
_ROWS_OF: Final = {"deal": 64, "match": 1024}
"""More rows than most deals and matches have: a block is a part of a shard."""


def generate(
    agents: str | Agent | Sequence[str | Agent],
    folder: str | os.PathLike[str],
    *,
    episodes: int,
    rules: Rules | str | Mapping[str, Any] | None = None,
    seed: int = 0,
    episode: str = "deal",
    reward: str = "relative",
    epsilon: float = 0.0,
    dtype: str = "int8",
    shard_rows: int = SHARD_ROWS,
    resume: bool = False,
    progress: Progress | None = None,
) -> Dataset:
    """Play ``episodes`` deals, or matches with ``episode="match"``, and write a row for every decision to ``folder``.

    - ``agents``: one or more, up to 255; names with options as text, or ``Agent`` objects, which are copied. With k of
      them seat i of episode e is played by agent ``(i + e) % k``. If all have ``act_batch`` they play in batches.
    - ``epsilon``: the share of decisions, from 0 to 1, that are drawn uniformly from the legal ones instead.
    - ``reward``: what deals pay, see ``Game.returns``. ``dtype``: of the observations on disk, int8 or float32.
    - ``shard_rows``: about how many rows a shard has; it holds whole episodes.
    - ``resume``: go on in a folder where the same call was interrupted. Without it the folder must be new or empty.
    - ``progress``: a function ``(done, wanted)`` of episodes.

    Same arguments, same bytes. ``ValueError`` for an argument that is not accepted, ``DatasetError`` for a folder that
    cannot be used, ``AgentError`` for an agent that fails: the shards that are done stay.
    """
    given = list(agents) if isinstance(agents, list | tuple) else [agents]
    if not 1 <= len(given) <= _MOST_AGENTS:
        raise ValueError(f"{len(given)} agents are not accepted: give 1 to {_MOST_AGENTS}")
    how = How(
        as_rules(rules),
        one_of("episode", episode, EPISODES),
        one_of("reward", reward, REWARDS),
        check_seed(seed),
        _share("epsilon", epsilon),
    )
    wanted = whole_number("episodes", episodes, MOST_EPISODES)
    rows = whole_number("shard_rows", shard_rows, 2**40)
    cast = Cast(given, fixed=given[0])
    settings = {
        MARK: FORMAT,
        "version": thousand_env.__version__,
        "layout_version": LAYOUT_VERSION,
        "agents": [cast.name(number) for number in range(cast.fixed)],
        "rules": how.rules.to_dict(),
        "episodes": wanted,
        "episode": how.episode,
        "reward": how.reward,
        "seed": how.seed,
        "epsilon": how.epsilon,
        "dtype": one_of("dtype", dtype, DTYPES),
        "shard_rows": rows,
        "block": max(1, min(_LARGEST_BLOCK, rows // _ROWS_OF[how.episode])),
    }
    place = Path(folder)
    shards = _begin(place, settings, flag("resume", resume))
    if not (place / MANIFEST).exists():
        _write_shards(place, settings, Players(cast, how), shards, progress or (lambda done, of: None))
        write_json(place / MANIFEST, {**settings, "rows": sum(each["rows"] for each in shards), "shards": shards})
    return Dataset(place)


def _share(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError(f"{name}={value!r} is not accepted: use a number from 0 to 1")
    return float(value)


def _begin(folder: Path, settings: dict[str, Any], resume: bool) -> list[dict[str, Any]]:
    """Make the folder, or find what is done in it: the facts of the shards that are there, in order."""
    if folder.exists() and not folder.is_dir():
        raise DatasetError(f"{str(folder)!r} is no folder: use another name")
    begun = f".{SETTINGS}.part"  # all that there is if the first moment of a run was its last
    if not folder.is_dir() or all(each.name == begun for each in folder.iterdir()):
        folder.mkdir(parents=True, exist_ok=True)
        write_json(folder / SETTINGS, settings)
        return []
    if not resume:
        raise DatasetError(f"{str(folder)!r} is not empty: use a new folder, or --resume (resume=True) to go on there")
    there = read_json(folder / SETTINGS, "use a new folder")
    different = [f"{name} {there.get(name)!r:.60}" for name in settings if there.get(name) != settings[name]]
    if different:
        raise DatasetError(f"{str(folder)!r} has other settings ({', '.join(different)}): use these or a new folder")
    shards: list[dict[str, Any]] = []
    while (facts := read_shard_facts(folder, len(shards))) is not None:
        expected = shards[-1]["first"] + shards[-1]["episodes"] if shards else 0
        if facts["first"] != expected:
            raise DatasetError(f"shard {facts['name']!r} of {str(folder)!r} does not follow the one before: remove it")
        shards.append(facts)
    for left in folder.glob(".*.part"):  # what an interruption has left half written
        shutil.rmtree(left) if left.is_dir() else left.unlink()
    return shards


def _say_more(say: Progress, before: int, wanted: int, over: int) -> None:
    say(before + over, wanted)


def _write_shards(
    folder: Path, settings: Mapping[str, Any], players: Players, shards: list[dict[str, Any]], say: Progress
) -> None:
    """Play what is missing and write it; ``shards`` gets the facts of each."""
    wanted, block = operator.index(settings["episodes"]), operator.index(settings["block"])
    done = sum(each["episodes"] for each in shards)
    say(done, wanted)
    while done < wanted:
        first, parts, rows, largest = done, list[Arrays](), 0, 0
        while done < wanted and rows + largest <= settings["shard_rows"]:
            count = min(block, wanted - done)
            parts.append(players.block(done, count, functools.partial(_say_more, say, done, wanted)))
            done += count
            largest = max(largest, len(parts[-1]["action"]))
            rows += len(parts[-1]["action"])
        whole = join(parts)
        if settings["dtype"] == "float32":
            whole["observation"] = as_floats(whole["observation"])
        shards.append(write_shard(folder, len(shards), {"first": first, "episodes": done - first}, whole))
