"""Options of ``baselines.search``, checked: each function gives the value back or says what is accepted."""

from __future__ import annotations

import math
from typing import Any, Final

MOST: Final = 10_000


def whole(name: str, value: Any, least: int) -> int:
    """A whole number from ``least`` to 10,000."""
    if isinstance(value, bool) or not hasattr(value, "__index__") or not least <= int(value) <= MOST:
        raise ValueError(f"{name}={value!r} is not accepted: use a whole number from {least} to {MOST}")
    return int(value)


def number(name: str, value: Any, low: float, high: float) -> float:
    """A number from ``low`` to ``high``."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    if not is_number or not low <= value <= high:
        raise ValueError(f"{name}={value!r} is not accepted: use a number from {low:g} to {high:g}")
    return float(value)


def one_of(name: str, value: Any, accepted: tuple[Any, ...]) -> Any:
    """One of these values, of the same type."""
    if not any(value == each and type(value) is type(each) for each in accepted):
        raise ValueError(f"{name}={value!r} is not accepted: use one of {', '.join(map(repr, accepted))}")
    return value
