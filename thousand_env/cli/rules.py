"""Read what can be set: every option with its sentence, its values and its default, and what each preset changes."""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
from collections.abc import Iterable
from typing import Any, Final

from thousand_env.cli.arguments import NamedRules, parse_rules
from thousand_env.cli.errors import CommandError
from thousand_env.options import Choice
from thousand_env.rules import PRESETS, Rules, option_doc, option_kind

_WIDTH: Final = 100
_INDENT: Final = "    "
_DEFAULTS: Final = Rules().to_dict()
_HOW_TO_SET: Final = (
    """Set them with --rules '{"golden": true, "max_deals": null}', or in Python with""",
    "Rules(golden=True, max_deals=None).",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``thousand rules``."""
    accepted = f"a preset ({', '.join(PRESETS)}), a JSON file of options, or a JSON object"
    parser.add_argument(
        "preset",
        metavar="PRESET",
        nargs="?",
        type=parse_rules,
        default=None,
        help=f"show what this changes: {accepted}",
    )
    parser.add_argument("--rules", metavar="RULES", type=parse_rules, default=None, help="the same as PRESET")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(options: argparse.Namespace) -> int:
    """Print options, or what given rules change."""
    if options.preset is not None and options.rules is not None:
        raise CommandError("PRESET and --rules say the same: give one of them")
    named: NamedRules | None = options.preset or options.rules
    if options.json:
        print(json.dumps(_all_as_json() if named is None else _one_as_json(named), indent=2))
    else:
        print("\n".join(_all_as_text() if named is None else _one_as_text(named)))
    return 0


def _all_as_json() -> dict[str, Any]:
    options = {
        name: {"default": default, "accepts": _accepts(name), "meaning": option_doc(name)}
        for name, default in _DEFAULTS.items()
    }
    return {"options": options, "presets": {name: Rules.preset(name).changes() for name in PRESETS}}


def _one_as_json(named: NamedRules) -> dict[str, Any]:
    return {"name": named.name, "changes": named.rules.changes(), "options": named.rules.to_dict()}


def _all_as_text() -> list[str]:
    lines = ["Every option of the rules, with its default.", *_HOW_TO_SET, ""]
    for name, default in _DEFAULTS.items():
        lines += [
            f"{name} = {_value(default)}",
            *_wrapped(option_doc(name)),
            *_wrapped(f"({_accepts(name)})"),
        ]
    return [*lines, "", "What the presets change; all other options have their defaults.", "", *_preset_table()]


def _one_as_text(named: NamedRules) -> list[str]:
    changes = named.rules.changes()
    if not changes:
        return [f"{named.name} is the default game: it changes nothing."]
    plural = "s" if len(changes) > 1 else ""
    lines = [f"{named.name} differs from the default game in {len(changes)} option{plural}:", ""]
    for name, value in changes.items():
        was = _value(_DEFAULTS[name])
        lines += [f"{name} = {_value(value)}   (default {was})", *_wrapped(option_doc(name))]
    return [*lines, "", *_HOW_TO_SET]


def _preset_table() -> list[str]:
    """Rows of option, default, and the presets that have another value, those with the same value together."""
    changes = {preset: Rules.preset(preset).changes() for preset in PRESETS}
    changed = [name for name in _DEFAULTS if any(name in options for options in changes.values())]
    rows = [("option", "default", "value: presets")]
    for name in changed:
        by_value: dict[str, list[str]] = {}
        for preset, options in changes.items():
            if name in options:
                by_value.setdefault(_value(options[name]), []).append(preset)
        values = "; ".join(f"{value}: {', '.join(presets)}" for value, presets in by_value.items())
        rows.append((name, _value(_DEFAULTS[name]), values))
    widths = [max(len(row[column]) for row in rows) + 2 for column in range(2)]
    lines = [f"{name:{widths[0]}}{default:{widths[1]}}{rest}".rstrip() for name, default, rest in rows]
    dash = "─" if _writes("─") else "-"
    return [lines[0], dash * min(max(map(len, lines)), _WIDTH), *lines[1:]]


def _value(value: Any) -> str:
    """A value as it is written in JSON."""
    return json.dumps(value, separators=(",", ":"))


def _accepts(name: str) -> str:
    """What an option takes, as it is written in JSON."""
    kind = option_kind(name)
    if isinstance(kind, Choice):
        return "one of " + ", ".join(map(_value, kind.values))
    return kind.accepts().replace("True or False", "true or false").replace("or None", "or null")


def _wrapped(text: str) -> Iterable[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent=_INDENT, subsequent_indent=_INDENT)


def _writes(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
