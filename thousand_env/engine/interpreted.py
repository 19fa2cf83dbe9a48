"""Records for the engine when it runs uncompiled (``NUMBA_DISABLE_JIT=1``): slow, for debugging and for one test.

Compiled code computes with 64-bit integers. NumPy's scalars would keep the narrow types of the fields and overflow, so
here fields are read as Python integers and cut to their width when written, as compiled code does.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np


def cut(value: Any, kind: Any) -> Any:
    """A number as a field of this kind holds it after compiled code has written it: only its lowest bits."""
    if kind.kind not in "iu" or kind == np.uint64:
        return value
    bits = 8 * kind.itemsize
    low = int(value) & ((1 << bits) - 1)
    return low - (1 << bits) if kind.kind == "i" and low >> (bits - 1) else low


class Column:
    """A field that is an array of numbers."""

    def __init__(self, numbers: Any) -> None:
        self._numbers = numbers

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, place: int) -> Any:
        return self._numbers[place].item()

    def __setitem__(self, place: int, value: Any) -> None:
        self._numbers[place] = cut(value, self._numbers.dtype)


class Record:
    """One record, whose fields are Python integers or columns of them; the seed stays a uint64."""

    def __init__(self, record: Any) -> None:
        self._record = record

    def __getitem__(self, field: str) -> Any:
        value = self._record[field]
        if isinstance(value, np.ndarray):
            return Column(value)
        if isinstance(value, np.void):
            return Record(value)
        return value if value.dtype == np.uint64 else int(value)

    def __setitem__(self, field: str, value: Any) -> None:
        self._record[field] = cut(value, self._record.dtype[field])


class Records:
    """An array of records."""

    def __init__(self, records: Any) -> None:
        self._records = records
        self.shape = records.shape

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
