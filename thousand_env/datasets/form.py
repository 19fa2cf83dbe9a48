"""What a data set is on disk: a folder with ``settings.json``, a folder of arrays for each shard, ``manifest.json``.

``settings.json`` says what is being played and comes first; a shard is written under another name and renamed when the
disk has it; ``manifest.json`` comes last, so that a folder which has one is whole. Arrays are NumPy's own files, which
can be mapped into memory. Nothing here plays or knows what a row means.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from thousand_env.actions import NUM_ACTIONS
from thousand_env.observation import LAYOUT_VERSION, OBSERVATION

Arrays = dict[str, npt.NDArray[Any]]

FORMAT: Final = 1
MARK: Final = "thousand_env dataset"
MANIFEST: Final = "manifest.json"
SETTINGS: Final = "settings.json"
SHARD: Final = "shard.json"
COLUMNS: Final[dict[str, str]] = {
    "observation": "int8 or float32",
    "action_mask": "uint8",
    "action": "uint8",
    "seat": "int8",
    "agent": "uint8",
    "explored": "bool",
    "episode": "int64",
    "step": "int32",
    "deal": "int32",
    "deal_return": "float32",
    "return_to_go": "float32",
}
"""The columns and what they are of on disk."""
MASK_BYTES: Final = -(-NUM_ACTIONS // 8)
_PART: Final = ".part"


class DatasetError(ValueError):
    """A folder that holds no data set, one of other settings, an unfinished or a damaged one."""


def pack_masks(masks: npt.NDArray[np.int8]) -> npt.NDArray[np.uint8]:
    """uint8 [N, 17] from masks int8 [N, 130]: action i is bit ``i % 8`` of byte ``i // 8``."""
    return np.packbits(masks.view(np.uint8), axis=-1, bitorder="little")


def unpack_masks(packed: npt.NDArray[np.uint8]) -> npt.NDArray[np.int8]:
    """A new array of masks int8 [..., 130] from the bytes that are on disk, uint8 [..., 17]."""
    return np.unpackbits(packed, axis=-1, count=NUM_ACTIONS, bitorder="little").view(np.int8)


def shard_name(number: int) -> str:
    """The folder of a shard, from 0."""
    return f"shard-{number:05}"


def shape_of(column: str, rows: int) -> tuple[int, ...]:
    """The shape on disk of a column."""
    width = {"observation": (OBSERVATION.size,), "action_mask": (MASK_BYTES,)}
    return (rows, *width.get(column, ()))


def dtype_of(column: str, observation: str) -> np.dtype[Any]:
    """The dtype on disk of a column, with that of the observations given."""
    return np.dtype(observation if column == "observation" else COLUMNS[column])


# Writing


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write a file whole or not at all."""
    temporary = path.with_name(f".{path.name}{_PART}")
    with temporary.open("w", encoding="utf-8") as file:
        file.write(json.dumps(content, indent=1, ensure_ascii=False) + "\n")
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    _sync_folder(path.parent)


def write_shard(folder: Path, number: int, facts: Mapping[str, Any], rows: Arrays) -> dict[str, Any]:
    """Write a shard whole or not at all; what its ``shard.json`` says."""
    name = shard_name(number)
    temporary = folder / f".{name}{_PART}"
    if temporary.exists():
        shutil.rmtree(temporary)
    temporary.mkdir()
    try:
        files = {column: _write_array(temporary / f"{column}.npy", rows[column]) for column in COLUMNS}
        content = {"name": name, **facts, "rows": len(rows["action"]), "files": files}
        write_json(temporary / SHARD, content)
        temporary.rename(folder / name)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    _sync_folder(folder)
    return content


def _write_array(path: Path, array: npt.NDArray[Any]) -> dict[str, int]:
    whole = np.ascontiguousarray(array)
    with path.open("xb") as file:
        np.save(file, whole, allow_pickle=False)
        file.flush()
        os.fsync(file.fileno())
        size = file.tell()
    return {"bytes": size, "crc32": zlib.crc32(whole.reshape(-1).view(np.uint8).data)}


def _sync_folder(folder: Path) -> None:
    """Have the disk know the names in a folder, where the system can."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


# Reading


def read_json(path: Path, what: str) -> dict[str, Any]:
    """The object in a file of a data set; ``DatasetError`` if it cannot be read or is of another kind or format."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DatasetError(f"{str(path)!r} cannot be read ({error.strerror}): {what}") from None
    except (ValueError, RecursionError):
        raise DatasetError(f"{str(path)!r} is damaged: it is no JSON; {what}") from None
    if not isinstance(content, dict) or MARK not in content:
        raise DatasetError(f"{str(path)!r} is no file of a data set: {what}")
    if content[MARK] != FORMAT:
        raise DatasetError(f"{str(path)!r} is of format {content[MARK]!r}, and this version reads format {FORMAT}")
    if content.get("layout_version") != LAYOUT_VERSION:
        found = content.get("layout_version")
        raise DatasetError(
            f"{str(path)!r} has observations of layout {found!r}, and this version reads {LAYOUT_VERSION}"
        )
    return content


def read_shard_facts(folder: Path, number: int) -> dict[str, Any] | None:
    """What the ``shard.json`` of a shard says; None if there is no such shard; ``DatasetError`` if it is damaged."""
    path = folder / shard_name(number)
    if not path.exists():
        return None
    try:
        facts = json.loads((path / SHARD).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        facts = None
    if not is_shard(facts, number):
        raise DatasetError(f"shard {str(path)!r} is damaged: remove it, and --resume (resume=True) plays it again")
    check_sizes(folder, facts)
    result: dict[str, Any] = facts
    return result


def is_shard(facts: Any, number: int) -> bool:
    """Whether this is what is said of shard ``number``."""
    numbers = ("first", "episodes", "rows")
    return (
        isinstance(facts, dict)
        and facts.get("name") == shard_name(number)
        and all(type(facts.get(name)) is int and facts[name] >= 0 for name in numbers)
        and isinstance(facts.get("files"), dict)
        and set(facts["files"]) == set(COLUMNS)
        and all(
            isinstance(each, dict) and type(each.get("bytes")) is int and type(each.get("crc32")) is int
            for each in facts["files"].values()
        )
    )


def check_sizes(folder: Path, facts: Mapping[str, Any]) -> None:
    """``DatasetError`` if a file of a shard is missing or of another size."""
    for column, said in facts["files"].items():
        path = folder / facts["name"] / f"{column}.npy"
        try:
            size = path.stat().st_size
        except OSError as error:
            raise DatasetError(f"{str(path)!r} cannot be read ({error.strerror}): the data set is damaged") from None
        if size != said["bytes"]:
            raise DatasetError(f"{str(path)!r} is damaged: it has {size:,} bytes instead of {said['bytes']:,}")


def open_array(folder: Path, facts: Mapping[str, Any], column: str, observation: str) -> npt.NDArray[Any]:
    """A column of a shard, mapped into memory and read-only; ``DatasetError`` if it is not what it should be."""
    path = folder / facts["name"] / f"{column}.npy"
    shape, dtype = shape_of(column, facts["rows"]), dtype_of(column, observation)
    try:
        array: npt.NDArray[Any] = np.load(path, mmap_mode="r" if facts["rows"] else None, allow_pickle=False)
    except (OSError, ValueError) as error:
        raise DatasetError(f"{str(path)!r} is damaged: {error}") from None
    if not isinstance(array, np.ndarray) or array.shape != shape or array.dtype != dtype:
        raise DatasetError(f"{str(path)!r} is damaged: it is no array of {dtype}, {list(shape)}")
    return array
