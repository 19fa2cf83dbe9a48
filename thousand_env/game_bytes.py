"""Games as bytes, and the check that bytes from outside are a game: they are played through again.

Layout: a line with the format's name, the length of the rules and the number of deals (little-endian uint32), the
rules' changes as JSON, then for each deal its engine record (256 bytes) and the action that closed it (int16, -1 for
the current deal).
"""

from __future__ import annotations

import json
import struct
from typing import Any, Final

import numpy as np

from thousand_env.cards import NUM_CARDS, mask_to_cards
from thousand_env.engine import kernels
from thousand_env.engine.state import EPISODES, LOG_SIZE, NO_BARREL, NOBODY, OVER, STATE_DTYPE
from thousand_env.rules import Rules
from thousand_env.rules_record import pack_rules
from thousand_env.sheet import SCORE_LIMIT, DealError, ScoreSheet

_MAGIC: Final = b"thousand_game_1\n"
_SIZES: Final = struct.Struct("<II")
_ACTION: Final = struct.Struct("<h")
_RECORD: Final = STATE_DTYPE.itemsize
_OPEN: Final = -1

Chain = list[tuple[bytes, int | None]]
"""Of each deal: the record before the action that closed it, and that action; last the current record and None."""


def pack(rules: Rules, chain: Chain) -> bytes:
    """Bytes of a game."""
    options = json.dumps(rules.changes(), sort_keys=True).encode()
    deals = b"".join(record + _ACTION.pack(_OPEN if action is None else action) for record, action in chain)
    return _MAGIC + _SIZES.pack(len(options), len(chain)) + options + deals


def unpack(data: bytes) -> tuple[Rules, Chain]:
    """Rules and deals of a game from its bytes; ``ValueError`` with the reason if they are none."""
    if not isinstance(data, bytes | bytearray | memoryview):
        raise ValueError(f"a {type(data).__name__} is not bytes of a game")
    data = bytes(data)
    if not data.startswith(_MAGIC) or len(data) < len(_MAGIC) + _SIZES.size:
        raise ValueError("these bytes are not a game: they do not begin like one of this version")
    start = len(_MAGIC) + _SIZES.size
    options_size, deals = _SIZES.unpack_from(data, len(_MAGIC))
    if deals < 1 or len(data) != start + options_size + deals * (_RECORD + _ACTION.size):
        raise ValueError("these bytes are not a whole game: their length does not fit their contents")
    try:
        options = json.loads(data[start : start + options_size])
        rules = Rules.from_dict(options)
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"the rules in these bytes are damaged: {error}") from None
    chain: Chain = []
    for place in range(start + options_size, len(data), _RECORD + _ACTION.size):
        (action,) = _ACTION.unpack_from(data, place + _RECORD)
        chain.append((data[place : place + _RECORD], None if action == _OPEN else action))
    _check_chain(rules, chain)
    return rules, chain


def check_record(rules: Rules, record: bytes) -> None:
    """``ValueError`` with the reason unless a record of the engine is a deal that legal actions lead to."""
    _check_chain(rules, [(record, None)])


def _check_chain(rules: Rules, chain: Chain) -> None:
    """Each deal must be one that can be reached, and must follow from the one before."""
    if chain[-1][1] is not None or any(action is None for _, action in chain[:-1]):
        raise ValueError("these bytes are damaged: the actions that close the deals are not in place")
    expected: bytes | None = None
    for record, action in chain:
        over = np.frombuffer(record, STATE_DTYPE)["phase"][0] == OVER
        if over:
            if len(chain) == 1:
                expected = _never_opened(rules, record)
            if expected != record or action is not None:
                raise ValueError("these bytes are damaged: the end of the game does not follow from its last deal")
            return
        opened, reached = _replay(rules, record)
        if reached != record or (expected is not None and opened != expected):
            raise ValueError("these bytes are damaged: a deal in them cannot be reached by legal actions")
        if action is not None:
            expected = _close(rules, record, action)


def _close(rules: Rules, record: bytes, action: int) -> bytes:
    memory = bytearray(record)
    outcome = kernels.try_action(np.frombuffer(memory, STATE_DTYPE), pack_rules(rules), action)
    if outcome != kernels.CLOSED:
        raise ValueError("these bytes are damaged: an action in them does not close its deal")
    return bytes(memory)


def _never_opened(rules: Rules, record: bytes) -> bytes:
    """A match whose deals were all void, from its seed."""
    found = np.frombuffer(record, STATE_DTYPE)[0]
    memory = bytearray(_RECORD)
    states = np.frombuffer(memory, STATE_DTYPE)
    if found["episode"] < len(EPISODES):
        kernels.begin(states, pack_rules(rules), kernels.BEGIN_SHEET, found["seed"], int(found["episode"]))
        kernels.begin(states, pack_rules(rules), kernels.BEGIN_MATCH, np.uint64(0), 0)
    return bytes(memory)


def _replay(rules: Rules, record: bytes) -> tuple[bytes, bytes]:
    """The deal of a record from its first decision, and after all its actions, built anew from cards, sheet and log."""
    found = np.frombuffer(record, STATE_DTYPE)[0]
    players = rules.players
    if not (
        0 <= found["dealer"] < players
        and NOBODY <= found["declarer"] < players
        and -1 <= found["talon_taken"] < 2
        and found["log_size"] <= LOG_SIZE
        and found["episode"] < len(EPISODES)
        and _is_canonical(found, players)
        and found["winner"] == NOBODY
        and found["truncated"] == 0
        and found["deal_number"] >= 0
        and (rules.max_deals is None or found["deal_number"] < rules.max_deals)
        and found["gifts"].max() < NUM_CARDS
        and found["gifts"].min() >= -1
    ):
        raise ValueError("these bytes are damaged: a deal in them has numbers out of range")
    try:
        sheet = ScoreSheet.read(found, players)
        scores = [max(-SCORE_LIMIT, min(score, SCORE_LIMIT)) for score in sheet.scores]  # play may go beyond
        ScoreSheet.start(rules, scores, sheet.bolts, sheet.barrel, sheet.falls, sheet.concessions, sheet.deals_scored)
    except DealError as error:
        raise ValueError(f"these bytes are damaged: {error}") from None
    opened = bytearray(record)
    states = np.frombuffer(opened, STATE_DTYPE)
    kernels.begin(states, pack_rules(rules), kernels.BEGIN_REWIND, np.uint64(0), 0)
    _check_cards(rules, states[0])
    if not kernels.begin(states, pack_rules(rules), kernels.BEGIN_DEALT, np.uint64(0), 0):
        raise ValueError("these bytes are damaged: a deal in them is void")
    reached = bytearray(opened)
    source = np.frombuffer(record, STATE_DTYPE)
    if not kernels.replay_deal(np.frombuffer(reached, STATE_DTYPE), pack_rules(rules), source, kernels.ALL):
        raise ValueError("these bytes are damaged: an action in them is not legal")
    return bytes(opened), bytes(reached)


def _is_canonical(found: Any, players: int) -> bool:
    """Whether places of seats that there are not, and bytes between the fields, are as the engine leaves them."""
    plain = np.zeros(1, STATE_DTYPE)
    for name in STATE_DTYPE.names or ():
        plain[name] = found[name]
    unused = [found[name][players:].any() for name in ("scores", "bolts", "falls", "concessions")]
    return (
        plain.tobytes() == found.tobytes() and not any(unused) and bool((found["barrel"][players:] == NO_BARREL).all())
    )


def _check_cards(rules: Rules, rewound: Any) -> None:
    """The cards of a deal must be the deck, each once, in hands and talons of the right size."""
    resting = rewound["dealer"] if rules.players == 4 else NOBODY
    sizes = [rules.hand_size if seat < rules.players and seat != resting else 0 for seat in range(4)]
    sizes += [rules.talon_size, rules.talon_size if rules.players == 2 else 0]
    masks = rewound["hands"].tolist() + rewound["talon"].tolist()
    groups = [mask_to_cards(cards) for cards in masks]
    together = sorted(card for cards in groups for card in cards)
    if [len(cards) for cards in groups] != sizes or together != list(rules.deck) or max(masks) >> NUM_CARDS:
        raise ValueError("these bytes are damaged: the cards of a deal in them are not the deck")
