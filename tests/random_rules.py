"""Random option sets that do not contradict themselves, and random score sheets for them, for tests of all kinds."""

from __future__ import annotations

import random
from typing import Any

from thousand_env.options import Choice, Flag
from thousand_env.rules import PRESETS, Rules, RulesError, option_kind

NUMBERS: dict[str, tuple[Any, ...]] = {
    "target": (1000, 1001, 600, 300),
    "max_deals": (200, 12, 40, None),
    "min_bid": (100, 60, 120, 75),
    "bid_step": (5, 10, 1, 20, 15),
    "silence_below": (None, -120, -240, 0),
    "redeal_hand_below": (None, 13, 14, 30),
    "redeal_talon_below": (None, 5, 12),
    "redeal_talon_nines": (None, 2, 1),
    "concede_limit": (None, 3, 1),
    "free_bombs": (0, 1),
    "marriage_values": ((40, 60, 80, 100), (20, 0, 200, 7), (60, 60, 60, 60)),
    "ace_marriage_value": (200, 100),
    "lock_at": (None, 800, 900, 200),
    "bolt_limit": (3, 1, 2),
    "bolt_penalty": (120, 0, 15),
    "barrel_threshold": (880, 900, 480, 250),
    "barrel_contract": (120, 125, 100, 130),
    "barrel_attempts": (3, 1, 2, 5, None),
    "barrel_fall_penalty": (120, 0, 240),
}
DECKS: tuple[dict[str, Any], ...] = (
    {"ranks": "9JQKTA", "suits": "SCDH"},
    {"ranks": "QKA", "suits": "SH"},
    {"ranks": "QKTA", "suits": "SCH"},
    {"ranks": "JQKTA", "suits": "SCDH"},
    {"ranks": "9QKA", "suits": "SCDH"},
)


def random_options(rng: random.Random, change: float) -> dict[str, Any]:
    """Each option off its default with the given chance; small decks with sizes that use them up now and then."""
    options: dict[str, Any] = {}
    for name in Rules.__dataclass_fields__:
        kind = option_kind(name)
        if name in ("ranks", "suits", "hand_size", "talon_size") or rng.random() >= change:
            continue
        if name in NUMBERS:
            options[name] = rng.choice(NUMBERS[name])
        elif isinstance(kind, Choice | Flag):
            options[name] = rng.choice(kind.values if isinstance(kind, Choice) else (False, True))
    if rng.random() < 0.15:
        options |= random_deck(rng, options)
    return options


def random_deck(rng: random.Random, options: dict[str, Any]) -> dict[str, Any]:
    """A deck with hand and talon sizes that use it up."""
    deck = rng.choice(DECKS)
    cards = len(deck["ranks"]) * len(deck["suits"])
    players = options.get("players", 3)
    talons, active = (2, 2) if players == 2 else (1, 3)
    gives = options.get("two_player") == "give_one" if players == 2 else options.get("exchange") != "discard_three"
    sizes = [(cards - active * hand) // talons for hand in range(1, 12) if (cards - active * hand) % talons == 0]
    sizes = [size for size in sizes if size > 0 and (not gives or size == (2 if players == 2 else 3))]
    if not sizes:
        return {}
    talon = rng.choice(sizes)
    small = {"min_bid": 10, "bid_step": 10, "barrel_contract": 30} if cards < 24 else {}
    return {**deck, "talon_size": talon, "hand_size": (cards - talons * talon) // active, **small}


def random_rules(rng: random.Random) -> Rules:
    """Rules from a preset, from few or from many random options."""
    while True:
        options = dict(PRESETS[rng.choice(list(PRESETS))]) if rng.random() < 0.5 else {}
        small = "ranks" in options
        changes = random_options(rng, rng.choice((0.05, 0.2, 0.5)))
        if small:
            changes = {name: value for name, value in changes.items() if name not in ("players", "exchange", *DECKS[0])}
        try:
            return Rules(**{**options, **changes})
        except RulesError:
            continue


def random_sheet(rng: random.Random, rules: Rules) -> dict[str, Any]:
    """Scores, bolts and barrel near the places where something happens."""
    edges = [0, rules.target, rules.barrel_threshold, rules.lock_at or 0, 555, -555, -240]
    scores: list[int] = []
    barrel: list[int | None] = []
    for _ in range(rules.players):
        score = rng.choice(edges) - rng.choice((0, 5, 30, 60, 120, 150))
        if rng.random() < 0.05:
            score = rules.target  # as after a tie
        used = None
        if rules.barrel and rules.barrel_threshold <= score < rules.target:
            used = rng.randrange(rules.barrel_attempts or 4)
            score = rules.barrel_threshold if rules.barrel_clamp else score
        scores.append(score)
        barrel.append(used)
    most = 0 if rules.bolt_mode == "off" else rules.bolt_limit - 1
    return {"scores": scores, "bolts": [rng.randint(0, most) for _ in scores], "barrel": barrel}
