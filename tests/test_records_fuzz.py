"""Whatever the bytes: a record, or ``RecordError``, and nothing else."""

from __future__ import annotations

import copy
import io
import json
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.record_games import random_games
from thousand_env import Game, Rules, parse_action
from thousand_env.records import Record, RecordError, from_text, read, redact, replay, steps, to_text, verify
from thousand_env.records.json_form import decode_line, encode_line


def small() -> Record:
    """A short record with a closed deal, a sheet and agents."""
    rules = Rules.preset("mini3").replace(max_deals=2)
    game = Game(rules, seed=3)
    hands, talons = Game(rules, seed=4).dealt()
    game = Game.from_deal(rules, hands, talons[0], 1, scores=[5, -10, 0], seed=3)
    while game.deal_number == 0:
        game.apply(game.legal_actions()[-1])
    game.apply(game.legal_actions()[0])
    return Record.from_game(game, ["a", "é", ""])


SMALL = small()
REDACTED = redact(SMALL, 1)
ODD: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2.0, 1e308, "", "x", "1 bid 10", [], {}, [[]], {"a": 1}, 2**31, 2**63, 2**64, -(2**64),
    10**400, "9S", [None] * 3, ["a"] * 3, [0, 0, 0], "\x00", "\ud800", "é" * 500,
)  # fmt: skip


def refused(function: Callable[[Any], Any], argument: Any) -> RecordError | None:
    """The error with which a function refuses its argument, or None; any other exception goes through."""
    try:
        function(argument)
    except RecordError as error:
        return error
    return None


def attempt(line: bytes | str) -> Record | None:
    """Read a line and do everything with what it gives; None if it is refused as it should be."""
    error = refused(lambda text: decode_line(text, 1), line)
    if error is not None:
        assert error.line == 1
        assert error.reason
        return None
    record = decode_line(line, 1)
    assert decode_line(encode_line(record)) == record
    assert from_text(to_text(record)) == record
    if refused(replay, record):
        assert refused(lambda each: list(steps(each)), record)
        assert refused(lambda each: redact(each, 0), record)
    else:
        assert Record.from_game(replay(record)).deals == record.deals
    return record


def paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from paths(value[key], (*path, key))


def changed(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    result = copy.copy(value)
    result[path[0]] = changed(value[path[0]], path[1:], new)
    return result


@pytest.mark.parametrize("record", [SMALL, REDACTED])
def test_cut_at_every_byte(record: Record) -> None:
    line = encode_line(record).encode()
    for end in range(len(line) - 1):
        assert attempt(line[:end]) is None
    assert attempt(line[:-1]) == record
    both = io.BytesIO(line + line[: len(line) // 2])
    lines = read(both)
    assert next(lines) == record
    with pytest.raises(RecordError, match="line 2: not JSON"):
        next(lines)


@pytest.mark.parametrize("record", [SMALL, REDACTED])
def test_every_byte_changed(record: Record) -> None:
    line = encode_line(record).encode()
    rng = random.Random(1)
    for place in range(len(line) - 1):
        for byte in {rng.randrange(256), line[place] ^ 1, rng.choice(b'0123456789"[]{},: -')}:
            attempt(line[:place] + bytes([byte]) + line[place + 1 :])
        attempt(line[:place] + line[place + 1 :])
        attempt(line[:place] + bytes([rng.randrange(256)]) + line[place:])


@pytest.mark.parametrize("record", [SMALL, REDACTED])
def test_every_field_of_another_type_missing_or_too_much(record: Record) -> None:
    plain = json.loads(encode_line(record))
    for path in paths(plain):
        for odd in ODD:
            attempt(json.dumps(changed(plain, path, odd)))
        holder = plain
        for key in path[:-1]:
            holder = holder[key]
        if path and isinstance(holder, dict):
            rest = {key: value for key, value in holder.items() if key != path[-1]}
            found = attempt(json.dumps(changed(plain, path[:-1], rest)))
            assert found is None or path[0] in ("rules", "start")
            assert attempt(json.dumps(changed(plain, path[:-1], {**holder, "more": 1}))) is None
        elif path:
            twice = [*holder, holder[path[-1]]]
            attempt(json.dumps(changed(plain, path[:-1], twice)))
            attempt(json.dumps(changed(plain, path[:-1], twice[1:-1])))


@pytest.mark.parametrize("seed", range(4))
def test_parts_of_records_exchanged(seed: int) -> None:
    rng = random.Random(seed)
    games = random_games(rng, 40, decisions=60)
    plains = [json.loads(encode_line(Record.from_game(game))) for game in games]
    for _ in range(250):
        plain, other = rng.sample(plains, 2)
        for _ in range(rng.choice((1, 1, 2, 4))):
            path = rng.choice(list(paths(plain))[1:])
            same = [
                each for each in paths(other) if each and type(each[-1]) is type(path[-1]) and len(each) == len(path)
            ]
            if not same:
                continue
            new = other
            for key in rng.choice(same):
                new = new[key]
            plain = changed(plain, path, new)
        attempt(json.dumps(plain))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"", "empty"),
        (b"\n", "empty"),
        (b"\xff\xfe", "byte 0 is not UTF-8"),
        (b"\xef\xbb\xbf{}", "not JSON"),
        ("{}".encode("utf-16"), "not UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a":' * 100_000, "nested too deeply"),
        (b"1" * 100_000, "not a record"),
        (b"null", "not a record"),
        (b'"text"', "not a record"),
        (b"NaN", "NaN"),
        (b"[-Infinity]", "Infinity"),
        (b'{"a":1,"a":2}', "twice"),
        (b'{"format":"chess"}', "format"),
        (b'{"format":"thousand_env.record"}', "version None"),
        (b'{"format":"thousand_env.record","version":2}', "version 2 is not known: this package reads version 1"),
        (b'{"format":"thousand_env.record","version":true}', "version True"),
        (encode_line(SMALL).encode() * 2, "Extra data"),
        (encode_line(SMALL).strip().encode() + b" garbage\n", "Extra data"),
        (b"\x00" * 1000, "not JSON"),
    ],
)
def test_lines_that_are_no_records(line: bytes, reason: str) -> None:
    with pytest.raises(RecordError, match=reason) as found:
        decode_line(line, 5)
    assert str(found.value).startswith("line 5: ")
    assert len(str(found.value)) < 1000


@pytest.mark.parametrize("depth", [10, 500, 900, 990])
def test_deep_values_in_fields(depth: int) -> None:
    plain = json.loads(encode_line(SMALL))
    for path in paths(plain):
        holder = json.dumps(changed(plain, path, "HERE"))
        for opening, closing in (("[", "]"), ('{"a":', "}")):
            attempt(holder.replace('"HERE"', opening * depth + "1" + closing * depth))


def test_rules_options_with_names_of_arguments() -> None:
    plain = json.loads(encode_line(SMALL))
    for name in ("cls", "self", "options", "__class__", ""):
        assert attempt(json.dumps({**plain, "rules": {name: 1}})) is None


def test_huge_numbers_in_sheets_and_deals() -> None:
    line = encode_line(SMALL)
    for old, values in {'"scores":[5,': '"scores":[{},', '"deal":1': '"deal":{}', '"seed":3': '"seed":{}'}.items():
        assert old in line
        for value in (2**31 - 1, 2**31, 10**9, 10**9 + 1, 2**64 - 1, 2**64, -(2**31), -1, 10**5000 % 10**4200):
            attempt(line.replace(old, values.format(value), 1))


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.binary(max_size=200))
def test_random_bytes(data: bytes) -> None:
    for verdict in verify(io.BytesIO(data)):
        assert not verdict.ok


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from([1, "1 pass", "9S"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)


@settings(max_examples=400, deadline=None, derandomize=True)
@given(st.data())
def test_random_values_in_fields(data: st.DataObject) -> None:
    plain = json.loads(encode_line(data.draw(st.sampled_from([SMALL, REDACTED]))))
    path = data.draw(st.sampled_from(list(paths(plain))))
    attempt(json.dumps(changed(plain, path, data.draw(JSON))))


# The text form


def attempt_text(text: str) -> None:
    if not refused(from_text, text):
        record = from_text(text)
        assert from_text(to_text(record)) == record


@pytest.mark.parametrize("record", [SMALL, REDACTED])
def test_damaged_texts(record: Record) -> None:
    text = to_text(record)
    rng = random.Random(2)
    for place in range(len(text)):
        attempt_text(text[:place])
        for character in (rng.choice(' |,:?-0123456789[]"\n'), chr(rng.randrange(0x3000))):
            attempt_text(text[:place] + character + text[place + 1 :])
            attempt_text(text[:place] + character + text[place:])
        attempt_text(text[:place] + text[place + 1 :])
    lines = text.split("\n")
    for _ in range(500):
        mixed = lines[:]
        for _ in range(rng.randint(1, 3)):
            mixed[rng.randrange(len(mixed))] = rng.choice(lines)
        attempt_text("\n".join(mixed))
        rng.shuffle(mixed)
        attempt_text("\n".join(mixed))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not a record"),
        ("hello", "line 1: 'hello' is neither"),
        ("[Format x]", "line 1: not JSON"),
        ("[Format 1]\n[Format 1]", "line 2: the header Format is there twice"),
        ("[Deals []]", "the header Deals"),
        ("Deal x", "line 1: 'Deal x' is not accepted"),
        ("Deal 0, dealer 0", "line 1: 'Deal 0, dealer 0' is not accepted: a deal begins like 'Deal 1, dealer 2'"),
        ("Deal 1, dealer 0", "deal 1: there is no line with its hands"),
        ("Deal 1, dealer 0\nTricks: AH", "line 2: the trick 'AH' does not begin with a seat"),
        ("Deal 1, dealer 0\nScores: many", "line 2: Scores: 'many' is not accepted"),
        ("Deal 1, dealer 0\nTalon: 9S\nTalon: 9S", "line 3: the line Talon is there twice"),
        ("Deal 1, dealer 0\nDance: 9S", "line 2: 'Dance: 9S' is not accepted"),
        ("Deal 1, dealer 0\n[Seed 1]", "line 2: a header comes after the first deal"),
    ],
)
def test_texts_that_are_no_records(text: str, reason: str) -> None:
    with pytest.raises(RecordError, match=reason.replace("(", r"\(")):
        from_text(text)


def test_orders_of_actions_that_no_game_has_still_round_trip() -> None:
    line = encode_line(Record.from_game(Game(Rules(players=4), seed=1)))
    actions = ["1 play 9S", "1 marry KH", "0 aces AH", "2 bid 100", "3 talon A", "3 play 9C", "2 redeal", "0 concede"]
    record = decode_line(line.replace('"actions":[]', '"actions":' + json.dumps(actions)))
    assert from_text(to_text(record)) == record
    assert [event.action for event in record.deals[0].actions][-1] == parse_action("concede", record.rules)
