"""Records of matches: written and read as JSON lines or as text, replayed, and redacted to what one seat may know.

    with RecordWriter("matches.jsonl") as writer:
        writer.write(Record.from_game(game, agents=["ann", "bob", "cid"]))
    for record in read("matches.jsonl"):
        for game, seat, action in steps(record):
            observation = game.view(seat)

``json_form`` documents the JSON form, ``text_form`` the text form. Whatever is wrong with a file or a record is a
``RecordError`` with the line and the reason.
"""

from __future__ import annotations

from thousand_env.records.files import RecordWriter, read, write
from thousand_env.records.model import Record, RecordedDeal, RecordError
from thousand_env.records.replaying import Verdict, redact, replay, steps, verify
from thousand_env.records.text_form import from_text, to_text

__all__ = [
    "Record",
    "RecordError",
    "RecordWriter",
    "RecordedDeal",
    "Verdict",
    "from_text",
    "read",
    "redact",
    "replay",
    "steps",
    "to_text",
    "verify",
    "write",
]
