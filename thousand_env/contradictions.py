"""Options of the rules that contradict each other. One that can merely have no effect is accepted."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final

from thousand_env.cards import NUM_CARDS
from thousand_env.options import RulesError

if TYPE_CHECKING:
    from thousand_env.rules import Rules

GOLDEN_CONTRACT: Final = 120
DUMP_SCORE: Final = 555


def check_together(rules: Rules) -> None:
    """Options that contradict each other. One that can merely have no effect is accepted."""

    wrong = functools.partial(_contradiction, rules)
    full_deck = len(rules.deck) == NUM_CARDS
    if rules.players == 2 and rules.exchange == "discard_three":
        raise wrong("exchange players", "discard_three is for three or four players, use exchange='give_one_each'")
    talons = 2 if rules.players == 2 else 1
    if rules.active_players * rules.hand_size + talons * rules.talon_size != len(rules.deck):
        needed = f"{rules.active_players} * hand_size + {talons} * talon_size"
        raise wrong(
            "hand_size talon_size ranks suits players", f"{needed} must be the {len(rules.deck)} cards of the deck"
        )
    gifts_need = 2 if rules.players == 2 else 3
    if not rules.puts_aside and rules.talon_size != gifts_need:
        name = "two_player" if rules.players == 2 else "exchange"
        raise wrong(f"talon_size {name}", f"for equal hands {getattr(rules, name)} needs talon_size={gifts_need}")
    if rules.min_bid > rules.deck_points:
        raise wrong("min_bid", f"it may be at most the {rules.deck_points} card points of the deck")
    if not full_deck and (rules.golden or rules.dark):
        raise wrong("golden dark ranks suits", "golden and dark need the full deck")
    if rules.dark and not rules.is_bid_level(GOLDEN_CONTRACT):
        raise wrong("dark min_bid bid_step", f"a dark bid needs {GOLDEN_CONTRACT} to be a bid level")
    if rules.beat_if_trumped and not rules.must_beat:
        raise wrong("beat_if_trumped must_beat", "beat_if_trumped needs must_beat=True")
    if rules.must_overtrump and not rules.must_trump:
        raise wrong("must_overtrump must_trump", "must_overtrump needs must_trump=True")
    if rules.free_bombs and rules.concede == "off":
        raise wrong("free_bombs concede", "free_bombs needs a concede other than 'off'")
    if rules.dump != "off" and rules.target <= DUMP_SCORE:
        raise wrong("dump target", f"dump needs a target above {DUMP_SCORE}")
    if rules.lock_at is not None and rules.barrel:
        raise wrong("lock_at barrel", "use lock_at=None or barrel=False")
    if rules.lock_at is not None and rules.lock_at >= rules.target:
        raise wrong("lock_at target", "lock_at must be below target")
    if rules.barrel:
        _check_barrel(rules)


def _contradiction(rules: Rules, names: str, reason: str) -> RulesError:
    values = ", ".join(f"{name}={getattr(rules, name)!r}" for name in names.split())
    return RulesError(f"{values} contradict: {reason}")


def _check_barrel(rules: Rules) -> None:
    wrong = functools.partial(_contradiction, rules)
    if rules.barrel_threshold >= rules.target:
        raise wrong("barrel_threshold target", "barrel_threshold must be below target, or use barrel=False")
    if not rules.is_bid_level(rules.barrel_contract):
        raise wrong("barrel_contract min_bid bid_step", "barrel_contract must be a bid level, or use barrel=False")
    if rules.bid_cap == "always_120" and rules.barrel_contract > rules.deck_points and not rules.barrel_own_turn:
        raise wrong(
            "barrel_contract bid_cap barrel_own_turn",
            f"it can be at most {rules.deck_points} unless barrel_own_turn=True",
        )
    if not rules.barrel_direct_jump_wins and not rules.barrel_clamp:
        raise wrong("barrel_direct_jump_wins barrel_clamp", "barrel_direct_jump_wins=False needs barrel_clamp=True")
