"""What kinds of values an option of the rules can take, and the errors for all others. Knows no option by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from thousand_env.cards import SUITS


class RulesError(ValueError):
    """An option that does not exist, has a value that is not accepted, or contradicts another one."""


class SuitValues(NamedTuple):
    """One number a suit, in the order of the suits: the values of the marriages."""

    S: int
    C: int
    D: int
    H: int


def _is_int(value: object) -> bool:
    return hasattr(value, "__index__") and not isinstance(value, bool)


@dataclass(frozen=True)
class Choice:
    """One of a few values; the position of a value in ``values`` is its code in the rules record."""

    values: tuple[Any, ...]

    def accepts(self) -> str:
        return "one of " + ", ".join(map(repr, self.values))

    def parse(self, value: object) -> Any:
        for known in self.values:
            if type(value) is type(known) and value == known:
                return known
            if _is_int(known) and _is_int(value) and value == known:
                return known
        raise ValueError

    def code(self, value: object) -> int:
        return self.values.index(value)


@dataclass(frozen=True)
class Flag:
    """True or False."""

    def accepts(self) -> str:
        return "True or False"

    def parse(self, value: object) -> bool:
        if type(value).__name__ in ("bool", "bool_"):
            return bool(value)
        raise ValueError

    def code(self, value: object) -> int:
        return int(bool(value))


NO_NUMBER = -(2**31)
"""Code of ``None`` in the rules record."""


@dataclass(frozen=True)
class Integer:
    """A whole number between two bounds, or None where that is allowed."""

    low: int
    high: int
    none: bool = False

    def accepts(self) -> str:
        return f"a whole number from {self.low} to {self.high}" + (", or None" if self.none else "")

    def parse(self, value: Any) -> int | None:
        if value is None and self.none:
            return None
        if _is_int(value) and self.low <= int(value) <= self.high:
            return int(value)
        raise ValueError

    def code(self, value: object) -> int:
        return NO_NUMBER if value is None else int(value)  # type: ignore[call-overload]


@dataclass(frozen=True)
class Letters:
    """A subset of some letters, each at most once, kept in their order."""

    letters: str

    def accepts(self) -> str:
        return f"one or more of the letters {self.letters}, each once"

    def parse(self, value: object) -> str:
        if isinstance(value, str) and value and len(set(value)) == len(value) and set(value) <= set(self.letters):
            return "".join(letter for letter in self.letters if letter in value)
        raise ValueError


@dataclass(frozen=True)
class FourNumbers:
    """One number a suit, as a mapping from suit letters or four numbers in the order of the suits."""

    number: Integer = field(default=Integer(0, 1000))

    def accepts(self) -> str:
        return f"four whole numbers from 0 to {self.number.high}, for the suits {SUITS} in this order or by letter"

    def parse(self, value: object) -> SuitValues:
        if isinstance(value, Mapping):
            if set(value) != set(SUITS):
                raise ValueError
            value = [value[suit] for suit in SUITS]
        if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != len(SUITS):
            raise ValueError
        return SuitValues(*(int(self.number.parse(each) or 0) for each in value))


Kind = Choice | Flag | Integer | Letters | FourNumbers


def parse_option(name: str, kind: Kind, value: object) -> Any:
    """The value in its normal form, or ``RulesError`` naming the option, the value and what is accepted."""
    try:
        return kind.parse(value)
    except (ValueError, TypeError):
        raise RulesError(f"{name}={_text(value)} is not accepted: {name} takes {kind.accepts()}") from None


def _text(value: object) -> str:
    try:
        return f"{value!r:.200}"
    except ValueError:  # Python does not write numbers of thousands of digits
        return f"this {type(value).__name__}"
