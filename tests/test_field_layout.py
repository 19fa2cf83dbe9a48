"""What trained networks depend on stays as it is: numbers of actions, places in vectors, and the vectors of some games.

``tests/golden/vectors.json`` holds it. ``python -m tests.test_field_layout`` says whether it still holds; with
``--write`` it writes the file anew.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.test_golden import PLAYS, Player
from thousand_env import PRESETS, Game, Rules, action_name, card_name
from thousand_env.observation import (
    HISTORY_SIZE,
    LAYOUT_VERSION,
    OBSERVATION,
    STATE,
    decode,
    encode,
    encode_int8,
    encode_state,
    history,
    layout_table,
    scales,
)

FILE = Path(__file__).with_name("golden") / "vectors.json"
CHANGED = (
    "is not what it was under this LAYOUT_VERSION: networks trained before cannot be used. Raise LAYOUT_VERSION in "
    "thousand_env/layout.py, or while no version has been released, and then write the file anew with "
    "`python -m tests.test_field_layout --write`."
)


def digest(*parts: bytes) -> str:
    return hashlib.sha256(b"".join(parts)).hexdigest()[:16]


def vectors(preset: str) -> dict[str, str]:
    """Digests of the observations and histories of all seats and of the state, at every decision of a short game."""
    seed, episode, _ = PLAYS[preset]
    game, player = Game(Rules.preset(preset), seed=seed, episode=episode), Player(seed)
    parts: dict[str, list[bytes]] = {"observation": [], "history": [], "state": []}
    for _ in range(70):
        for seat in range(game.rules.players):
            view = game.view(seat)
            parts["observation"].append(encode_int8(view).tobytes())
            parts["history"].append(history(view).astype("<i2").tobytes())
        parts["state"].append(np.rint(encode_state(game) * scales(STATE.size)).astype(np.int8).tobytes())
        if game.is_over:
            break
        legal = {action_name(action, game.rules): action for action in game.legal_actions()}
        game.apply(legal[player.choose(list(legal))])
    return {name: digest(*each) for name, each in parts.items()}


def now() -> dict[str, Any]:
    """What the file should hold."""
    return {
        "layout_version": LAYOUT_VERSION,
        "sizes": {"observation": OBSERVATION.size, "state": STATE.size, "history": HISTORY_SIZE},
        "actions": [action_name(action, Rules()) for action in range(130)],
        "layout": digest((layout_table() + layout_table(STATE)).encode()),
        "vectors": {preset: vectors(preset) for preset in PRESETS},
    }


def golden() -> dict[str, Any]:
    stored: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return stored


@pytest.mark.parametrize("name", ["layout_version", "sizes", "actions", "layout"])
def test_the_order_of_actions_and_pieces_stays(name: str) -> None:
    assert golden()[name] == now()[name], f"{name} {CHANGED}"


@pytest.mark.parametrize("preset", PRESETS)
def test_vectors_stay(preset: str) -> None:
    assert vectors(preset) == golden()["vectors"][preset], f"The encoding of {preset} {CHANGED}"


def test_actions_are_cards_and_not_places_in_a_hand() -> None:
    """``66 + card``, ``90 + card`` and so on, whatever is held and whatever the rules."""
    for rules in map(Rules.preset, PRESETS):
        for card in range(24):
            assert action_name(66 + card, rules) == f"give {card_name(card)}"
            assert action_name(90 + card, rules) == f"play {card_name(card)}"
            if card % 6 in (2, 3):
                assert action_name(114 + 2 * (card // 6) + (card % 6 == 3), rules) == f"marry {card_name(card)}"
            if card % 6 == 5:
                assert action_name(122 + card // 6, rules) == f"aces {card_name(card)}"


TOTALS = (-12_799, -2000, -1001, -201, -200, -129, -128, -127, -101, -100, -99, -5, 0)
TOTALS += (*(-total for total in TOTALS), 995, 1000, 1001, 1005)


def test_large_totals_fit_into_small_integers() -> None:
    """A total is two int8, which wrap round beyond 127."""
    hands, [talon] = Game(seed=1).dealt()
    for total in TOTALS:
        sheet = [total, -total, total // 2]
        game = Game.from_deal(Rules(target=20_000, barrel=False), hands, talon, scores=sheet)
        for seat in range(3):
            expected = [*sheet[seat:], *sheet[:seat], 0]
            for vector in (encode_int8(game.view(seat)), encode(game.view(seat)), encode_state(game, seat)):
                assert decode(vector)["score"].tolist() == expected


def test_what_is_mine_to_me_is_the_next_ones_to_you() -> None:
    """Public per-seat pieces of two observers are the same, turned by a place; own cards are not mixed up."""
    game = Game.from_deal(Rules(), *Game(seed=3).dealt()[:1], Game(seed=3).dealt()[1][0], scores=[10, 200, -30], seed=3)
    player = Player(3)
    public = ("played", "tricks", "card_points", "score", "passed", "to_act", "dealer", "declarer", "bids", "marriages")
    seen: set[str] = set()
    for _ in range(25):
        facts = [decode(encode_int8(game.view(seat))) for seat in range(3)]
        for seat in range(3):
            assert np.flatnonzero(facts[seat]["hand"]).tolist() == game.hands[seat]
            following = facts[(seat + 1) % 3]
            for name in public:
                assert np.array_equal(np.roll(facts[seat][name][:3], -1, axis=0), following[name][:3]), name
                seen |= {name} if facts[seat][name].any() else set()
        legal = {action_name(action, game.rules): action for action in game.legal_actions()}
        game.apply(legal[player.choose(list(legal))])
    assert seen >= {*public} - {"marriages"}


def main(arguments: list[str]) -> int:
    """Say what has changed, or write the file; 1 if something has changed and was not written."""
    new = now()
    if "--write" in arguments:
        FILE.write_text(json.dumps(new, indent=1) + "\n", encoding="utf-8")
        return 0
    changed = [name for name, value in new.items() if golden()[name] != value]
    print("changed:", *(changed or ["nothing"]))
    return bool(changed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
