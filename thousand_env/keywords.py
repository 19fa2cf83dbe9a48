"""Keywords of the environments: each is checked when it is given, and the error names what is accepted."""

from __future__ import annotations

import difflib
import operator
import os
from collections.abc import Iterable, Mapping
from typing import Any

from thousand_env.rules import Rules, RulesError


def as_rules(rules: Rules | str | Mapping[str, Any] | None) -> Rules:
    """Rules from what environments take: ``Rules``, a preset's name, a mapping of options, None for the default."""
    if rules is None:
        return Rules()
    if isinstance(rules, Rules):
        return rules
    if isinstance(rules, str):
        return Rules.preset(rules)
    if isinstance(rules, Mapping):
        return Rules.from_dict(rules)
    raise RulesError(f"rules={rules!r} is not accepted: use Rules(...), the name of a preset or a dict of options")


def one_of(name: str, value: Any, accepted: tuple[Any, ...]) -> Any:
    """A keyword's value, or ``ValueError`` naming it and what is accepted."""
    if not any(value is each or (isinstance(value, str) and value == each) for each in accepted):
        raise ValueError(f"{name}={value!r} is not accepted: use one of {', '.join(map(repr, accepted))}")
    return value


def flag(name: str, value: Any) -> bool:
    """A keyword that is True or False, or ``ValueError`` naming it."""
    if type(value).__name__ not in ("bool", "bool_"):
        raise ValueError(f"{name}={value!r} is not accepted: use True or False")
    return bool(value)


def unknown_keyword(name: str, accepted: Iterable[str]) -> str:
    """What to say of a keyword that does not exist."""
    names = list(accepted)
    close = difflib.get_close_matches(name, names, 1)
    hint = f"did you mean {close[0]!r}? " if close else ""
    return f"keyword {name!r} does not exist: {hint}accepted are {', '.join(names)}"


def available_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def whole_number(name: str, value: Any, most: int) -> int:
    """A keyword that is an integer from 1, or ``ValueError`` naming it."""
    try:
        number = 0 if type(value).__name__ in ("bool", "bool_") else operator.index(value)
    except TypeError:
        number = 0
    if not 1 <= number <= most:
        raise ValueError(f"{name}={value!r} is not accepted: use an integer from 1 to {most}")
    return number
