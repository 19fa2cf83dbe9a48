"""What pyspiel's parameters say: the rules, the episode and the reward, and the bounds that follow from them.

pyspiel has a type for each parameter and no value for "not given", so what differs from a preset is one parameter, a
mapping, whose values may be of any type.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from thousand_env.cards import NUM_CARDS
from thousand_env.contradictions import GOLDEN_CONTRACT
from thousand_env.engine.scoring import CONCESSION_PRICE, LOWEST_SCORE, SITTER_ACE
from thousand_env.engine.state import EPISODES, LOG_SIZE
from thousand_env.keywords import one_of
from thousand_env.options import Integer
from thousand_env.rewards import POINTS_PER_REWARD, REWARDS
from thousand_env.rules import Rules, RulesError, option_kind

DEFAULTS: Final[dict[str, Any]] = {
    "rules": "classic",
    "options": {},
    "players": 0,
    "episode": "deal",
    "reward": "relative",
    "dealer": -1,
    "keep_tree": False,
}
"""The parameters of the game, and their values if not given."""

_MOST: Final = 2**31 - 1


@dataclass(frozen=True)
class Setting:
    """What is played. ``dealer`` deals first, None: chance draws him. ``keep_tree``: see ``Node``."""

    rules: Rules
    episode: str
    reward: str
    dealer: int | None
    keep_tree: bool

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> Setting:
        """The setting that parameters describe; ``ValueError`` (``RulesError``) names what is not accepted."""
        given = {**DEFAULTS, **parameters}
        rules = _rules_of(given["rules"], given["options"], given["players"])
        dealer = given["dealer"]
        if not -1 <= dealer < rules.players:
            raise ValueError(f"dealer={dealer!r} is not accepted: use 0 to {rules.players - 1}, or -1 for chance")
        return cls(
            rules,
            one_of("episode", given["episode"], EPISODES),
            one_of("reward", given["reward"], REWARDS),
            None if dealer < 0 else dealer,
            given["keep_tree"],
        )

    @property
    def num_talons(self) -> int:
        """Two with two players, otherwise one."""
        return 2 if self.rules.players == 2 else 1

    @property
    def most_deals(self) -> int:
        """How many deals an episode can have, void ones included."""
        rules = self.rules
        if self.episode == "deal" and not _may_be_void(rules):
            return 1
        return rules.max_deals or _MOST

    @property
    def longest(self) -> int:
        """How many decisions an episode can have, at most 2**31 - 1."""
        a_deal = LOG_SIZE - NUM_CARDS + len(self.rules.deck) + self.rules.active_players  # redeals declined
        return min(_MOST, a_deal * self.most_deals)

    @property
    def most_chance_nodes(self) -> int:
        """How many chance nodes an episode can have, at most 2**31 - 1."""
        return min(_MOST, (self.dealer is None) + len(self.rules.deck) * self.most_deals)

    @property
    def is_zero_sum(self) -> bool:
        """Whether the returns always sum to zero."""
        return self.reward != "score"

    def utilities(self) -> tuple[float, float]:
        """The least and the largest return of a seat: bounds, not all of which can be reached."""
        if self.reward == "win":
            return -1.0, 1.0
        low, high = _changes(self.rules)
        if self.episode == "match":
            low, high = max(LOWEST_SCORE, low * self.most_deals), self.rules.target + high
        if self.reward == "relative":
            low, high = low - high, high - low
        return low / POINTS_PER_REWARD, high / POINTS_PER_REWARD


def _rules_of(preset: str, options: Mapping[str, Any], players: int) -> Rules:
    changes = {name: _value(name, value) for name, value in options.items() if name != "name"}
    if players:
        if changes.get("players", players) != players:
            raise RulesError(f"players={players} and options players={changes['players']} differ: give one of them")
        changes["players"] = players
    return Rules.preset(preset).replace(**changes)


def _value(name: str, value: Any) -> Any:
    """The value of an option, where text says what pyspiel has no type for."""
    if value == "none" and name in Rules.__dataclass_fields__ and isinstance(option_kind(name), Integer):
        return None
    if isinstance(value, Mapping):
        return {suit: number for suit, number in value.items() if suit != "name"}
    return value


def _may_be_void(rules: Rules) -> bool:
    """Whether a deal may end without being scored."""
    asks = (rules.redeal_hand_below, rules.redeal_talon_below, rules.redeal_talon_nines)
    return rules.opening == "none" or rules.redeal_four_nines != "off" or any(each is not None for each in asks)


def _changes(rules: Rules) -> tuple[int, int]:
    """How far one deal can take a total down and up; what a total is set to (barrel, dump) is nearer to 0 than that."""
    marriages = sum(rules.marriage_values)
    aces = 0 if rules.ace_marriage == "off" else rules.ace_marriage_value
    points = rules.deck_points + marriages + aces
    capped = {"held": points, "always_120": rules.deck_points}.get(rules.bid_cap, rules.top_bid)
    forced = [rules.min_bid, rules.barrel_contract * rules.barrel, GOLDEN_CONTRACT * (rules.golden or rules.dark)]
    contract = max(min(capped, rules.top_bid), *forced)
    if rules.players == 4:
        points = max(points, marriages + rules.talon_size * SITTER_ACE)
    rounding = 0 if rules.rounding == "none" else 5
    price = max(contract, 0 if rules.concede == "off" else CONCESSION_PRICE)
    fines = (0 if rules.bolt_mode == "off" else rules.bolt_penalty) + rules.barrel_fall_penalty * rules.barrel
    weight = 2 if rules.golden or rules.dark else 1
    return -weight * (price + fines), weight * (max(contract, points, math.ceil(price / 2)) + rounding)
