"""Records as text for people, which gives the same record back.

Headers as in PGN, a name and a JSON value each, then a paragraph for each deal::

    [Format "thousand_env.record"]
    [Version 1]
    [Package "0.1.0"]
    [Rules {"max_deals": 1}]
    [Episode "match"]
    [Seed 17]
    [Agents ["ann", "bob", "cid"]]
    [Start {"scores": [0, 0, 0]}]
    [Result {"winner": null, "truncated": true, "unfinished": false}]

    Deal 1, dealer 0
    Hands: JS QS KC TC AC KD TD | AS 9C JD QH KH TH AH | KS TS QC 9D AD 9H JH
    Talon: 9S JC QD
    Auction: 1 bid 100, 2 pass, 0 bid 105, 1 bid 110, 0 pass
    Contract: 110 by 1
    Exchange: 1 give 9S, 1 give 9C
    Tricks: 1 AH 9H 9C | 1 marry KH JH JS | 1 TH 9D QS | 1 QH 9S KD | 1 AS KS KC | 1 QD AD TD | 2 TS TC JD | 2 QC AC JC
    Scores: 15 160 45

Numbers before actions are seats, from 0; deals are counted from 1, as on the screen (the JSON form and
``Game.deal_number`` count from 0). ``Hands`` are by seat, ``-`` for a sitter; with two players ``Talon`` has both. In a
trick the seat is written where the turn does not simply go clockwise, so at every lead; ``marry`` and ``aces`` stand
before a lead that declares. Declined redeals and a look at the cards are passes at the head of ``Auction``; a raise or
a keep is ``Auction`` after ``Exchange``. ``?`` is a card, a hand or a talon that is not known in a redacted record.
Lines for which there is nothing are left out; ``Scores`` are missing while the deal is being played.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from typing import Any, Final

from thousand_env.records.json_form import from_plain, parse_json, to_plain
from thousand_env.records.model import Record, RecordError

_HEADER: Final = re.compile(r"\[([A-Z][a-z]*) (.*)\]")
_DEAL: Final = re.compile(r"Deal ([1-9][0-9]{0,9}), dealer ([0-9])")
_CONTRACT: Final = re.compile(r"([0-9]{1,10}) by ([0-9])")
_SCORES: Final = re.compile(r"-?[0-9]{1,10}(?: -?[0-9]{1,10})*")
_SEPARATOR: Final = " | "
_LEAD_VERBS: Final = ("marry", "aces")
_BIDDING: Final = ("bid", "pass", "redeal")
_PLAYING: Final = ("play", *_LEAD_VERBS)
_LABELS: Final = ("Hands", "Talon", "Auction", "Contract", "Exchange", "Tricks", "Scores")


def to_text(record: Record) -> str:
    """A record as text; ``from_text`` gives it back."""
    plain = to_plain(record)
    deals = plain.pop("deals")
    headers = [f"[{name.capitalize()} {json.dumps(value, ensure_ascii=False)}]" for name, value in plain.items()]
    paragraphs = [headers, *(_deal_lines(deal, record.rules.players) for deal in deals)]
    return "\n\n".join("\n".join(lines) for lines in paragraphs) + "\n"


def from_text(text: str) -> Record:
    """The record of a text. ``RecordError`` with the line and the reason if it is none."""
    plain: dict[str, Any] = {"deals": []}
    players = 0
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip()
        if not stripped:
            continue
        try:
            if stripped.startswith("["):
                _read_header(stripped, plain)
                continue
            players = players or _players(plain)
            if stripped.startswith("Deal "):
                plain["deals"].append(_new_deal(stripped))
            elif plain["deals"]:
                _read_part(stripped, plain["deals"][-1], players)
            else:
                raise RecordError(f"{stripped!r:.80} is neither a header nor the first line of a deal")
        except RecordError as error:
            raise error.at(number) from None
    for deal in plain["deals"]:
        deal["hands"] = _required(deal, "hands")
        deal["talons"] = _required(deal, "talons")
    return from_plain(plain)


def _players(plain: dict[str, Any]) -> int:
    """Seats, for the turns within a trick; rules that are damaged are reported in the end."""
    rules = plain.get("rules")
    players = rules.get("players", 3) if isinstance(rules, dict) else 3
    return players if type(players) is int and players in (2, 3, 4) else 3


def _required(deal: dict[str, Any], key: str) -> Any:
    if deal[key] is None:
        raise RecordError(f"deal {deal['deal'] + 1}: there is no line with its {key}")
    return deal[key]


# Writing a deal


def _deal_lines(deal: dict[str, Any], players: int) -> list[str]:
    lines = [f"Deal {deal['deal'] + 1}, dealer {deal['dealer']}"]
    lines.append("Hands: " + _SEPARATOR.join(_cards_or_mark(cards) for cards in deal["hands"]))
    lines.append("Talon: " + _SEPARATOR.join(_cards_or_mark(cards) for cards in deal["talons"]))
    contract = [] if deal["declarer"] is None else [f"Contract: {deal['contract']} by {deal['declarer']}"]
    for part, group in itertools.groupby(deal["actions"], _part_of):
        run = list(group)
        if part != "Auction":
            lines += contract
            contract = []
        text = ", ".join(run) if part != "Tricks" else _SEPARATOR.join(_tricks(run, deal["dealer"], players))
        lines.append(f"{part}: {text}")
    lines += contract
    if deal["scores"] is not None:
        lines.append("Scores: " + " ".join(map(str, deal["scores"])))
    return lines


def _cards_or_mark(cards: str | None) -> str:
    return "?" if cards is None else cards or "-"


def _part_of(action: str) -> str:
    verb = action.split(" ")[1]
    return "Auction" if verb in _BIDDING else "Tricks" if verb in _PLAYING else "Exchange"


def _tricks(actions: list[str], dealer: int, players: int) -> Iterator[str]:
    """The cards of each trick, with a seat where it is not the next one clockwise."""
    size = min(players, 3)
    for start in range(0, len(actions), size):
        words: list[str] = []
        expected = -1
        for action in actions[start : start + size]:
            seat, verb, card = action.split(" ")
            words += [seat] if int(seat) != expected else []
            words += [verb, card] if verb in _LEAD_VERBS else [card]
            expected = _next_seat(int(seat), dealer, players)
        yield " ".join(words)


def _next_seat(seat: int, dealer: int, players: int) -> int:
    after = (seat + 1) % players
    return (after + 1) % players if players == 4 and after == dealer else after


# Reading a deal


def _read_header(line: str, plain: dict[str, Any]) -> None:
    found = _HEADER.fullmatch(line)
    if not found:
        raise RecordError(f'{line!r:.80} is no header: write it like [Episode "match"]')
    if plain["deals"]:
        raise RecordError("a header comes after the first deal")
    name = found[1].lower()
    if name in plain:
        raise RecordError(f"the header {found[1]} is there twice or not known")
    plain[name] = parse_json(found[2])


def _new_deal(line: str) -> dict[str, Any]:
    found = _DEAL.fullmatch(line)
    if not found:
        raise RecordError(f"{line!r:.80} is not accepted: a deal begins like 'Deal 1, dealer 2'")
    unknown = dict.fromkeys(("hands", "talons", "declarer", "contract", "scores"))
    return {"deal": int(found[1]) - 1, "dealer": int(found[2]), **unknown, "actions": []}


def _read_part(line: str, deal: dict[str, Any], players: int) -> None:
    """Take one line of a deal into its plain form."""
    label, _, text = line.partition(": ")
    if label in ("Hands", "Talon"):
        key = "hands" if label == "Hands" else "talons"
        _once(deal, key, label)
        deal[key] = [None if cards == "?" else "" if cards == "-" else cards for cards in text.split(_SEPARATOR)]
    elif label == "Contract":
        _once(deal, "contract", label)
        found = _match(_CONTRACT, text, label, "110 by 1")
        deal["contract"], deal["declarer"] = int(found[1]), int(found[2])
    elif label == "Scores":
        _once(deal, "scores", label)
        deal["scores"] = [int(score) for score in _match(_SCORES, text, label, "15 160 45")[0].split(" ")]
    elif label in ("Auction", "Exchange"):
        deal["actions"] += text.split(", ")
    elif label == "Tricks":
        for trick in text.split(_SEPARATOR):
            deal["actions"] += _trick_actions(trick, deal["dealer"], players)
    else:
        labels = ", ".join(_LABELS)
        raise RecordError(f"{line!r:.80} is not accepted: a line of a deal begins with one of {labels} and ': '")


def _trick_actions(trick: str, dealer: int, players: int) -> Iterator[str]:
    seat: int | None = None
    verb = "play"
    for word in trick.split(" "):
        if len(word) == 1 and word in "0123":
            seat = int(word)
        elif word in _LEAD_VERBS:
            verb = word
        elif seat is None:
            raise RecordError(f"the trick {trick!r:.80} does not begin with a seat")
        else:
            yield f"{seat} {verb} {word}"
            seat = _next_seat(seat, dealer, players)
            verb = "play"


def _once(deal: dict[str, Any], key: str, label: str) -> None:
    if deal[key] is not None:
        raise RecordError(f"the line {label} is there twice")


def _match(pattern: re.Pattern[str], text: str, label: str, example: str) -> re.Match[str]:
    found = pattern.fullmatch(text)
    if not found:
        raise RecordError(f"{label}: {text!r:.80} is not accepted, write it like {example!r}")
    return found
