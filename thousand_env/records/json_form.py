"""Records as JSON: one object a line, checked key by key when it is read. Whether the actions are legal, a replay says.

The object has the keys

- ``format``, ``version``: ``"thousand_env.record"`` and 1; ``package``: the version of the package that wrote it;
- ``rules``: the options that differ from the default game (options that are not there have their defaults);
- ``episode``: ``"match"`` or ``"deal"``; ``agents``: a name for each seat, or null;
- ``seed``: a whole number up to 2**64 - 1 (more than a double holds); or, in a redacted record, ``seat``: for whom;
- ``start``: the score sheet before the first deal, if that deal is not the one of the seed, or in a redacted record:
  an object with ``scores`` and what else is not as at the start of a match (``bolts``, ``barrel``, ``falls``,
  ``concessions``, ``deals_scored``);
- ``deals``: objects with ``deal`` (its number, from 0; errors and the text form count deals from 1), ``dealer``,
  ``hands`` and ``talons`` (as ``"9S TH"``, null if unknown), ``declarer``, ``contract``, ``actions`` (as
  ``"1 bid 100"``, the seat first; ``"1 give ?"`` for a card that is not known) and ``scores`` afterwards (null while it
  is being played);
- ``result``: an object with ``winner`` (a seat or null), ``truncated`` and ``unfinished``.
"""

from __future__ import annotations

import functools
import itertools
import json
import reprlib
from typing import Any, Final, NoReturn

from thousand_env.actions import NUM_ACTIONS, action_name, parse_action
from thousand_env.cards import NUM_CARDS, card_name
from thousand_env.engine.state import EPISODES
from thousand_env.position import Event
from thousand_env.records.model import Cards, Record, RecordedDeal, RecordError, check_agents, check_record
from thousand_env.rules import Rules
from thousand_env.sheet import ScoreSheet

FORMAT: Final = "thousand_env.record"
VERSION: Final = 1
LINE_START: Final = f'{{"format":"{FORMAT}",'.encode()
"""How every written line begins."""

_NUMBER_LIMIT: Final = 2**31 - 1
_SEED_LIMIT: Final = 2**64 - 1
_UNKNOWN_GIVE: Final = "give ?"
_LONGEST_ACTION: Final = 20
_CARDS: Final = {card_name(card): card for card in range(NUM_CARDS)}
_SHEET: Final = ("bolts", "barrel", "falls", "concessions")

_shortener: Final = reprlib.Repr()
_shortener.maxstring = _shortener.maxother = _shortener.maxlong = 80
_shortener.maxlevel = 2


def encode_line(record: Record) -> str:
    """A record as one line, with the newline."""
    return json.dumps(to_plain(record), ensure_ascii=False, separators=(",", ":")) + "\n"


def decode_line(text: bytes | str, line: int | None = None) -> Record:
    """The record of a line. ``RecordError`` with the line number and the reason if it is none."""
    try:
        return from_plain(parse_json(text), line)
    except RecordError as error:
        raise error.at(line) from None


def parse_json(text: bytes | str) -> Any:
    """A JSON value without repeated keys, infinite numbers and the like, or ``RecordError``."""
    try:
        decoded = text if isinstance(text, str) else text.decode()
        if not decoded.strip():
            raise RecordError("the line is empty")
        return json.loads(decoded, parse_constant=_refuse_constant, object_pairs_hook=_unique_keys)
    except UnicodeDecodeError as error:
        raise RecordError(f"byte {error.start} is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise RecordError(f"not JSON: {error.msg.removesuffix(' at')} at character {error.pos}") from None
    except RecursionError:
        raise RecordError("not a record: nested too deeply") from None
    except RecordError:
        raise
    except ValueError as error:
        raise RecordError(f"not a record: {error}") from None


def _refuse_constant(name: str) -> NoReturn:
    raise RecordError(f"not JSON: {name} is no number")


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise RecordError("not a record: a key is there twice")
    return found


# From a record to plain values


def to_plain(record: Record) -> dict[str, Any]:
    """A record as what JSON can hold."""
    check_record(record)
    head: dict[str, Any] = {"format": FORMAT, "version": VERSION, "package": record.package}
    head["rules"] = record.rules.changes()
    head["episode"] = record.episode
    if record.seat is None:
        head["seed"] = record.seed
    else:
        head["seat"] = record.seat
    head["agents"] = None if record.agents is None else list(record.agents)
    if record.start is not None:
        head["start"] = _plain_sheet(record.start)
    head["deals"] = [_plain_deal(deal, record.rules) for deal in record.deals]
    head["result"] = {"winner": record.winner, "truncated": record.truncated, "unfinished": record.unfinished}
    return head


def _plain_sheet(sheet: ScoreSheet) -> dict[str, Any]:
    """The scores, and those of the counters that do not stand at their first value."""
    plain: dict[str, Any] = {"scores": list(sheet.scores)}
    for name in _SHEET:
        column = list(getattr(sheet, name))
        if any(value is not None if name == "barrel" else value for value in column):
            plain[name] = column
    return plain | ({"deals_scored": sheet.deals_scored} if sheet.deals_scored else {})


def _plain_deal(deal: RecordedDeal, rules: Rules) -> dict[str, Any]:
    return {
        "deal": deal.number,
        "dealer": deal.dealer,
        "hands": [_cards_text(cards) for cards in deal.hands],
        "talons": [_cards_text(cards) for cards in deal.talons],
        "declarer": deal.declarer,
        "contract": deal.contract,
        "actions": [event_text(event, rules) for event in deal.actions],
        "scores": None if deal.scores is None else list(deal.scores),
    }


def event_text(event: Event, rules: Rules) -> str:
    """An action with its seat, such as ``"1 bid 100"``."""
    return f"{event.seat} {_UNKNOWN_GIVE if event.action is None else action_name(event.action, rules)}"


def _cards_text(cards: Cards | None) -> str | None:
    return None if cards is None else " ".join(card_name(card) for card in cards)


# From plain values to a record


def from_plain(value: Any, line: int | None = None) -> Record:
    """The record that plain values hold, all of them checked; ``RecordError`` with the reason if they hold none."""
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise RecordError(f"not a record: it must be an object with the format {FORMAT!r}, found {_show(value)}")
    if type(value.get("version")) is not int or value["version"] != VERSION:
        raise RecordError(f"version {_show(value.get('version'))} is not known: this package reads version {VERSION}")
    head = ("format", "version", "package", "rules", "episode", "agents", "deals", "result")
    if "seat" in value:
        _keys(value, "a redacted record", (*head, "seat", "start"))
    else:
        _keys(value, "a record", (*head, "seed"), ("start",))
    rules = _rules(value["rules"])
    if not isinstance(value["package"], str) or not value["package"].isprintable():
        raise _wrong("package", value["package"], "a text of printable characters")
    if not isinstance(value["episode"], str) or value["episode"] not in EPISODES:
        raise _wrong("episode", value["episode"], "one of " + ", ".join(map(repr, EPISODES)))
    seat = _whole(value["seat"], "seat", 0, rules.players - 1) if "seat" in value else None
    result = _keys(value["result"], "result", ("winner", "truncated", "unfinished"))
    record = Record(
        rules=rules,
        episode=value["episode"],
        seed=_whole(value["seed"], "seed", 0, _SEED_LIMIT) if seat is None else None,
        deals=tuple(_deal(deal, f"deals[{i}]", rules, seat) for i, deal in enumerate(_list(value["deals"], "deals"))),
        winner=_optional(result["winner"], "result.winner", 0, rules.players - 1),
        truncated=_flag(result["truncated"], "result.truncated"),
        unfinished=_flag(result["unfinished"], "result.unfinished"),
        start=_sheet(value["start"], rules) if "start" in value else None,
        agents=None if value["agents"] is None else check_agents(_list(value["agents"], "agents"), rules),
        seat=seat,
        package=value["package"],
        line=line,
    )
    _check_together(record)
    return record


def _check_together(record: Record) -> None:
    """What must hold between the parts of a record, redacted or not."""
    deals = record.deals
    if record.truncated + record.unfinished + (record.winner is not None) > 1:
        raise RecordError("result: a match has a winner, or is truncated, or is unfinished")
    if not deals and (not record.truncated or (record.start is not None and record.seat is None)):
        raise RecordError("deals: there is none")
    for earlier, later in itertools.pairwise(deals):
        if later.number <= earlier.number:
            raise RecordError(f"deals: deal {later.number + 1} comes after deal {earlier.number + 1}")
        if earlier.scores is None:
            raise RecordError(f"deal {earlier.number + 1}: scores are null, but it is not the last deal")
    if record.unfinished != (bool(deals) and deals[-1].scores is None):
        raise RecordError("result.unfinished: it must be true exactly if the last deal has no scores")


def _deal(value: Any, where: str, rules: Rules, seat: int | None) -> RecordedDeal:
    keys = ("deal", "dealer", "hands", "talons", "declarer", "contract", "actions", "scores")
    _keys(value, where, keys)
    number = _whole(value["deal"], f"{where}.deal", 0, _NUMBER_LIMIT)
    where = f"deal {number + 1}"
    dealer = _whole(value["dealer"], f"{where}: dealer", 0, rules.players - 1)
    declarer = _optional(value["declarer"], f"{where}: declarer", 0, rules.players - 1)
    contract = _optional(value["contract"], f"{where}: contract", 1, _NUMBER_LIMIT)
    if (declarer is None) != (contract is None):
        raise RecordError(f"{where}: declarer and contract must both be there, or neither")
    actions = _list(value["actions"], f"{where}: actions")
    scores = value["scores"]
    if scores is not None:
        scores = _numbers(scores, f"{where}: scores", rules.players, -_NUMBER_LIMIT, _NUMBER_LIMIT)
    hands, talons = _dealt(value, where, rules, seat, dealer)
    return RecordedDeal(
        number=number,
        dealer=dealer,
        hands=hands,
        talons=talons,
        actions=tuple(_event(text, f"{where}, action {i}", rules, seat) for i, text in enumerate(actions, 1)),
        declarer=declarer,
        contract=contract,
        scores=scores,
    )


def _dealt(
    value: dict[str, Any], where: str, rules: Rules, seat: int | None, dealer: int
) -> tuple[tuple[Cards | None, ...], tuple[Cards | None, ...]]:
    """Hands and talons of the right sizes, each card once; unknown ones only where a redacted record may have them."""
    hands = _list(value["hands"], f"{where}: hands", rules.players)
    talons = _list(value["talons"], f"{where}: talons", 2 if rules.players == 2 else 1)
    sitter = dealer if rules.players == 4 else None
    groups: list[Cards | None] = []
    for place, text in enumerate([*hands, *talons]):
        is_hand = place < rules.players
        name = f"{where}: hands[{place}]" if is_hand else f"{where}: talons[{place - rules.players}]"
        size = 0 if place == sitter else rules.hand_size if is_hand else rules.talon_size
        groups.append(_cards(text, name, size, rules, may_be_unknown=seat is not None and place != sitter))
        if is_hand and seat not in (None, place) and groups[-1]:
            raise RecordError(f"{name} must be null in a record redacted for seat {seat}")
    known = [card for cards in groups if cards is not None for card in cards]
    if len(set(known)) != len(known):
        raise RecordError(f"{where}: a card is there twice")
    return tuple(groups[: rules.players]), tuple(groups[rules.players :])


def _cards(text: Any, where: str, size: int, rules: Rules, may_be_unknown: bool) -> Cards | None:
    if text is None and may_be_unknown:
        return None
    expected = f"{size} cards in ascending order, such as '9S TH'" + (", or null" if may_be_unknown else "")
    if not isinstance(text, str):
        raise _wrong(where, text, expected)
    cards = tuple(_CARDS.get(name, -1) for name in text.split(" ")) if text else ()
    if len(cards) != size or not set(cards) <= set(rules.deck) or list(cards) != sorted(set(cards)):
        raise _wrong(where, text, expected)
    return cards


def _event(text: Any, where: str, rules: Rules, seat: int | None) -> Event:
    expected = "a seat and an action, such as '1 bid 100'"
    if not isinstance(text, str) or len(text) < 3 or text[0] not in "0123"[: rules.players] or text[1] != " ":
        raise _wrong(where, text, expected)
    name = text[2:]
    if name == _UNKNOWN_GIVE and seat is not None:
        return Event(int(text[0]), None)
    action = _actions_by_name(rules).get(name)
    if action is None:
        raise RecordError(f"{where}={_show(text)} is not accepted: {_why_no_action(name, rules, expected)}")
    return Event(int(text[0]), action)


def _why_no_action(name: str, rules: Rules, expected: str) -> str:
    if len(name) <= _LONGEST_ACTION:
        try:
            parse_action(name, rules)
        except ValueError as error:
            return str(error)
    return f"it must be {expected}"


@functools.lru_cache(maxsize=64)
def _actions_by_name(rules: Rules) -> dict[str, int]:
    return {action_name(action, rules): action for action in range(NUM_ACTIONS)}


def _rules(value: Any) -> Rules:
    if not isinstance(value, dict):
        raise _wrong("rules", value, "an object of options")
    try:
        return Rules.from_dict(value)
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise RecordError(f"rules: {error!s:.500}") from None


def _sheet(value: Any, rules: Rules) -> ScoreSheet:
    _keys(value, "start", ("scores",), (*_SHEET, "deals_scored"))
    columns = {
        name: _list(value[name], f"start.{name}", rules.players) for name in ("scores", *_SHEET) if name in value
    }
    try:
        return ScoreSheet.start(rules, **columns, deals_scored=value.get("deals_scored", 0))
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise RecordError(f"start: {error!s:.500}") from None


def _keys(value: Any, where: str, required: tuple[str, ...], optional: tuple[str, ...] = ()) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _wrong(where, value, f"an object with the keys {', '.join(required)}")
    for key in required:
        if key not in value:
            raise RecordError(f"{where} has no key {key!r}")
    for key in value:
        if key not in required and key not in optional:
            known = ", ".join((*required, *optional))
            raise RecordError(f"{where} has an unknown key {_show(key)}: the keys are {known}")
    return value


def _list(value: Any, where: str, size: int | None = None) -> list[Any]:
    if not isinstance(value, list) or (size is not None and len(value) != size):
        raise _wrong(where, value, "a list" if size is None else f"a list of {size}")
    return value


def _numbers(value: Any, where: str, size: int, low: int, high: int) -> tuple[int, ...]:
    return tuple(_whole(each, f"{where}[{i}]", low, high) for i, each in enumerate(_list(value, where, size)))


def _whole(value: Any, where: str, low: int, high: int) -> int:
    if type(value) is not int or not low <= value <= high:
        raise _wrong(where, value, f"a whole number from {low} to {high}")
    return value


def _optional(value: Any, where: str, low: int, high: int) -> int | None:
    return None if value is None else _whole(value, where, low, high)


def _flag(value: Any, where: str) -> bool:
    if not isinstance(value, bool):
        raise _wrong(where, value, "true or false")
    return value


def _wrong(where: str, value: Any, expected: str) -> RecordError:
    return RecordError(f"{where}={_show(value)} is not accepted: it must be {expected}")


def _show(value: Any) -> str:
    return _shortener.repr(value)
