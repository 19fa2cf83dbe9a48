"""Files of records: written whole or not at all, appended to line by line, read one record at a time.

A line is written with one call and ends with a newline, so that whatever interrupts a run leaves whole records and at
most one line that is cut off at the end. Reading names that line; ``RecordWriter`` takes it away before it appends.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final

from thousand_env.records.json_form import LINE_START, decode_line, encode_line, parse_json
from thousand_env.records.model import Record, RecordError

FilePath = str | os.PathLike[str]
Source = FilePath | IO[str] | IO[bytes]

_LONGEST_LINE: Final = 2**28
_CHUNK: Final = 2**16


def write(target: Source, records: Iterable[Record]) -> int:
    """Write records to a path or an open file, text or binary, and return how many.

    A file that is there is replaced; ``RecordWriter`` appends to it. A path is written under a temporary name beside it
    and then renamed: it has all records or stays as it was.
    """
    if isinstance(records, Record) or not isinstance(records, Iterable):
        what = "a single Record" if isinstance(records, Record) else f"{records!r:.80}"
        raise TypeError(f"{what} is not accepted as records: give a list, such as write(path, [record])")
    if isinstance(target, str | os.PathLike):
        return _write_path(target, records)
    if not hasattr(target, "write"):
        raise TypeError(f"{target!r:.80} is neither a path nor an open file: use write(path, records)")
    return _write_lines(target, records)


def _write_path(target: FilePath, records: Iterable[Record]) -> int:
    path = Path(os.path.realpath(target))
    if path.exists() and not path.is_file():  # a device or a pipe has no place beside it
        with path.open("wb") as file:
            return _write_lines(file, records)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with temporary.open("xb") as file:
            count = _write_lines(file, records)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            temporary.chmod(path.stat().st_mode & 0o7777)
        temporary.replace(path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        if isinstance(error, OSError) and error.filename == str(temporary):
            raise OSError(error.errno, error.strerror, os.fspath(target)) from None
        raise
    return count


def _write_lines(file: IO[Any], records: Iterable[Record]) -> int:
    is_text = hasattr(file, "encoding")
    count = 0
    for record in records:
        line = encode_line(record)
        file.write(line if is_text else line.encode())
        count += 1
    return count


class RecordWriter:
    """Appends records to a file, one at a time; a context manager.

    Each record is in the file as soon as ``write`` returns; ``sync=True`` also waits until the disk has it, which
    matters when the machine itself stops. A file that does not hold records is refused with ``RecordError``; a last
    line cut off by an interrupted run is taken away first. One writer a file at a time.
    """

    def __init__(self, path: FilePath, sync: bool = False) -> None:
        self.path: Final = Path(path)
        self.count = 0
        self._sync: Final = sync
        _mend_end(self.path)
        self._file: Final = self.path.open("ab", buffering=0)

    def write(self, record: Record) -> None:
        """Append a record."""
        line = encode_line(record).encode()
        size = os.fstat(self._file.fileno()).st_size
        written = self._file.write(line)
        if written != len(line):
            with contextlib.suppress(OSError):
                self._file.truncate(size)
            raise OSError(f"{self.path}: only {written} of the {len(line)} bytes of a record could be written")
        if self._sync:
            os.fsync(self._file.fileno())
        self.count += 1

    def close(self) -> None:
        """Make sure that the disk has everything, and close the file. May be called again."""
        if not self._file.closed:
            with contextlib.suppress(OSError):  # a pipe cannot be synced
                os.fsync(self._file.fileno())
            self._file.close()

    def __enter__(self) -> RecordWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _mend_end(path: Path) -> None:
    """Take a cut off line away from the end of a file of records, or add the newline that alone is missing."""
    if not path.is_file() or path.stat().st_size == 0:
        return
    with path.open("r+b") as file:
        start = file.read(len(LINE_START))
        if not LINE_START.startswith(start):
            raise RecordError(f"{path} does not begin with a record, so nothing is appended to it", 1)
        place = _last_line(file)
        file.seek(place)
        tail = file.read()
        if not tail:
            return
        try:
            parse_json(tail)
        except RecordError:
            if not LINE_START.startswith(tail[: len(LINE_START)]):
                raise RecordError(f"{path} does not end with a record, so nothing is appended to it") from None
            file.truncate(place)
        else:
            decode_line(tail)
            file.write(b"\n")


def _last_line(file: IO[bytes]) -> int:
    """Where the last line begins: after the last newline."""
    end = file.seek(0, os.SEEK_END)
    while end > 0:
        begin = max(0, end - _CHUNK)
        file.seek(begin)
        found = file.read(end - begin).rfind(b"\n")
        if found >= 0:
            return begin + found + 1
        end = begin
    return 0


def read(source: Source) -> Iterator[Record]:
    """The records of a path or an open file, text or binary, one after another.

    ``RecordError`` with the line and the reason for whatever is no record, be it the last line cut off. The actions
    are checked by ``replay``.
    """
    for line, text in numbered_lines(source):
        yield decode_line(text, line)


def numbered_lines(source: Source) -> Iterator[tuple[int, str | bytes]]:
    """The lines of a path or an open file, numbered from 1."""
    if isinstance(source, str | os.PathLike):
        with Path(source).open("rb") as file:
            yield from _lines_of_file(file)
    elif hasattr(source, "readline"):
        yield from _lines_of_file(source)
    else:
        raise TypeError(f"{source!r:.80} is neither a path nor an open file of records")


def _lines_of_file(file: IO[Any]) -> Iterator[tuple[int, str | bytes]]:
    number = 0
    while True:
        number += 1
        try:
            text = file.readline(_LONGEST_LINE)
        except UnicodeDecodeError as error:
            raise RecordError(f"not UTF-8: {error.reason}", number) from None
        if not text:
            return
        if len(text) == _LONGEST_LINE:
            raise RecordError(f"longer than {_LONGEST_LINE} characters", number)
        yield number, text
