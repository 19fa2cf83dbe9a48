"""Records for the engine when it runs uncompiled (``NUMBA_DISABLE_JIT=1``): slow, for debugging and for one test.

Compiled code computes with 64-bit integers. NumPy's scalars would keep the narrow types of the fields and overflow, so
here fields are read as Python integers and cut to their width when written, as compiled code does.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np


class Column:
    """A field that is an array of numbers."""

    def __init__(self, numbers: Any) -> None:
        self._numbers = numbers
        self._bits = 8 * numbers.dtype.itemsize if numbers.dtype.kind == "u" else 0

    def __getitem__(self, place: int) -> int:
        return int(self._numbers[place])

    def __setitem__(self, place: int, value: Any) -> None:
        self._numbers[place] = int(value) & ((1 << self._bits) - 1) if self._bits else value


class Record:
    """One record, whose fields are Python integers or columns of them; the seed stays a uint64."""

    def __init__(self, record: Any) -> None:
        self._record = record

    def __getitem__(self, field: str) -> Any:
        value = self._record[field]
        if isinstance(value, np.ndarray):
            return Column(value)
        return value if value.dtype == np.uint64 else int(value)

    def __setitem__(self, field: str, value: Any) -> None:
        kind = self._record.dtype[field]
        if kind.kind == "u" and kind.itemsize < 8:
            value = int(value) & ((1 << 8 * kind.itemsize) - 1)
        self._record[field] = value


class Records:
    """An array of records."""

    def __init__(self, records: Any) -> None:
        self._records = records

    def __getitem__(self, place: int) -> Record:
        return Record(self._records[place])

    def __setitem__(self, place: int, record: Record) -> None:
        self._records[place] = record._record


def interpreted(function: Callable[..., Any]) -> Callable[..., Any]:
    """An entry of the engine that runs uncompiled."""

    @functools.wraps(function)
    def call(*arguments: Any) -> Any:
        wrapped = [Records(each) if isinstance(each, np.ndarray) and each.dtype.names else each for each in arguments]
        with np.errstate(over="ignore"):  # the random stream wraps around, as it should
            return function(*wrapped)

    return call
