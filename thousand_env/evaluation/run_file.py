"""The file of a run: a line with its settings, then one line of JSON for every unit that is done, in any order.

Lines are appended whole. A last line that an interrupted run cut off, or a full disk, is ignored and taken away before
the next is written. A file of other settings is refused with what differs, and one with a line that no run writes; a
run may be longer than the last.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from thousand_env.evaluation.report import plain
from thousand_env.evaluation.unit_form import form_of
from thousand_env.evaluation.units import Unit

_MARK: Final = "thousand_env evaluation"
_FORMAT: Final = 1


class RunFileError(ValueError):
    """A file that is no run, one of other settings, or one that another run is writing to."""


class RunWriteError(OSError):
    """A line could not be written: a full disk, say. What stood in the file is as it was."""


class RunFile:
    """The units of a run that are done, and where further ones are written; a context manager.

    ``RunFileError`` for a file that cannot be gone on with, ``OSError`` for one that cannot be opened, and its kind
    ``RunWriteError`` for one that cannot be written.
    """

    def __init__(self, path: str | os.PathLike[str], settings: Mapping[str, Any]) -> None:
        self.path: Final = Path(path)
        self.done: dict[int, Unit] = {}
        _check_kind(self.path)
        self._file: Final = self.path.open("a+b", buffering=0)
        try:
            _lock(self._file, self.path)
            self._load(plain(settings))
        except BaseException:
            self._file.close()
            raise

    def _load(self, settings: dict[str, Any]) -> None:
        self._file.seek(0)
        content = self._file.read()
        whole = content[: content.rfind(b"\n") + 1]
        lines = whole.splitlines()
        if not lines:
            if not _mark_line().startswith(content[: len(_mark_line())]):
                raise RunFileError(f"{str(self.path)!r} is no file of an evaluation: use a new one")
            self._file.truncate(0)
            self._append({_MARK: _FORMAT, "settings": settings})
            return
        header = _parse(lines[0])
        if header.get(_MARK) != _FORMAT or "settings" not in header:
            raise RunFileError(f"{str(self.path)!r} is no file of an evaluation of format {_FORMAT}: use a new one")
        if not isinstance(header["settings"], dict):
            raise RunFileError(f"{str(self.path)!r} is damaged in line 1: use a new one")
        different = _differences(header["settings"], settings)
        if different:
            raise RunFileError(f"{str(self.path)!r} is of other settings ({'; '.join(different)}): use another file")
        is_whole = form_of(settings)
        for number, line in enumerate(lines[1:], 2):
            unit = _parse(line)
            if not is_whole(unit):
                raise RunFileError(f"{str(self.path)!r} is damaged in line {number}: take the line away")
            self.done[unit.pop("unit")] = unit
        if len(whole) < len(content):
            self._file.truncate(len(whole))

    def add(self, index: int, unit: Unit) -> None:
        """Write a unit that is done."""
        self._append({"unit": index, **unit})
        self.done[index] = unit

    def _append(self, entry: Mapping[str, Any]) -> None:
        line = json.dumps(plain(entry), ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        size = os.fstat(self._file.fileno()).st_size
        left = memoryview(line)
        try:
            while left:
                left = left[self._file.write(left) :]
        except BaseException as error:
            with contextlib.suppress(OSError):
                self._file.truncate(size)
            if isinstance(error, OSError):
                raise RunWriteError(error.errno, error.strerror, str(self.path)) from None
            raise

    def __enter__(self) -> RunFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()


def kept_seed(path: str | os.PathLike[str]) -> int | None:
    """The seed of the run that a file holds, None if there is none."""
    try:
        _check_kind(Path(path))
        with Path(path).open("rb") as file:
            settings = _parse(file.readline()).get("settings")
    except (OSError, RunFileError):
        return None  # which is told when the file is used
    seed = settings.get("seed") if isinstance(settings, dict) else None
    return seed if type(seed) is int and 0 <= seed < 2**64 else None


def _check_kind(path: Path) -> None:
    """Refuse what is neither a file nor a folder (which the system refuses): a device may be read without end."""
    if path.exists() and not (stat.S_ISREG(mode := path.stat().st_mode) or stat.S_ISDIR(mode)):
        raise RunFileError(f"{str(path)!r} is no regular file: use another one")


def _mark_line() -> bytes:
    """What every header begins with."""
    return json.dumps({_MARK: _FORMAT}, separators=(",", ":")).encode()[:-1]


def _parse(line: bytes) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return entry if isinstance(entry, dict) else {}


def _differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Each setting that differs, as ``seed 3 instead of 4``; of the rules each option that does."""
    found = []
    for name in sorted({*old, *new}):
        before, now = old.get(name), new.get(name)
        if isinstance(before, dict) and isinstance(now, dict):
            found += _differences(before, now)
        elif before != now:
            found.append(f"{name} {before!r} instead of {now!r}")
    return found


def _lock(file: Any, path: Path) -> None:
    """One run a file at a time, where the system can tell."""
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise RunFileError(f"{str(path)!r} is being written by another run: wait for it or use another file") from None
    except OSError:
        return  # a file system without locks
