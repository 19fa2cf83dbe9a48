"""The file of a run: a line with its settings, then one line of JSON for every unit that is done, in any order.

Lines are appended whole, each with one call. A last line that an interrupted run cut off is ignored and taken away
before the next is written. A file of other settings is refused with what differs; a run may be longer than the last.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from thousand_env.evaluation.report import plain
from thousand_env.evaluation.units import Unit

_MARK: Final = "thousand_env evaluation"
_FORMAT: Final = 1


class RunFileError(ValueError):
    """A file that is no run, one of other settings, or one that another run is writing to."""


class RunFile:
    """The units of a run that are done, and where further ones are written; a context manager.

    ``RunFileError`` for a file that cannot be gone on with, ``OSError`` for one that cannot be written.
    """

    def __init__(self, path: str | os.PathLike[str], settings: Mapping[str, Any]) -> None:
        self.path: Final = Path(path)
        self.done: dict[int, Unit] = {}
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
        different = _differences(header["settings"], settings)
        if different:
            raise RunFileError(f"{str(self.path)!r} is of other settings ({'; '.join(different)}): use another file")
        for number, line in enumerate(lines[1:], 2):
            unit = _parse(line)
            if not isinstance(unit.get("unit"), int) or "games" not in unit:
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
        if self._file.write(line) != len(line):
            with contextlib.suppress(OSError):
                self._file.truncate(size)
            raise OSError(f"{self.path}: a line could not be written whole")

    def __enter__(self) -> RunFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()


def _mark_line() -> bytes:
    """What every header begins with."""
    return json.dumps({_MARK: _FORMAT}, separators=(",", ":")).encode()[:-1]


def _parse(line: bytes) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except ValueError:
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
