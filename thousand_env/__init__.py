"""Thousand (Тысяча, Tysiąc) as a reinforcement-learning environment: the auction, the talon, marriages, and the match.

Names are loaded when they are first used, so that importing the package is quick.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

from thousand_env import registration as _registration

if TYPE_CHECKING:
    from thousand_env import solver, thousand_v0
    from thousand_env.actions import NUM_ACTIONS, IllegalActionError, action_name, parse_action
    from thousand_env.cards import card_id, card_name, card_pretty
    from thousand_env.game import Game
    from thousand_env.policy_agent import PolicyAgent
    from thousand_env.rules import PRESETS, Rules, RulesError
    from thousand_env.seeding import deal_seed, env_seed, episode_seed
    from thousand_env.sheet import DealError, ScoreSheet, score_deal
    from thousand_env.thousand_v0 import env, parallel_env, raw_env
    from thousand_env.vector import Batch, VectorEnv
    from thousand_env.view import View

__version__ = "0.1.0"

_HOMES: Final = {
    "NUM_ACTIONS": "actions",
    "IllegalActionError": "actions",
    "action_name": "actions",
    "parse_action": "actions",
    "card_id": "cards",
    "card_name": "cards",
    "card_pretty": "cards",
    "Game": "game",
    "PolicyAgent": "policy_agent",
    "PRESETS": "rules",
    "Rules": "rules",
    "RulesError": "rules",
    "deal_seed": "seeding",
    "env_seed": "seeding",
    "episode_seed": "seeding",
    "DealError": "sheet",
    "ScoreSheet": "sheet",
    "score_deal": "sheet",
    "Batch": "vector",
    "VectorEnv": "vector",
    "env": "thousand_v0",
    "parallel_env": "thousand_v0",
    "raw_env": "thousand_v0",
    "View": "view",
}
_MODULES: Final = ("solver", "thousand_v0")

__all__ = [
    "NUM_ACTIONS",
    "PRESETS",
    "Batch",
    "DealError",
    "Game",
    "IllegalActionError",
    "PolicyAgent",
    "Rules",
    "RulesError",
    "ScoreSheet",
    "VectorEnv",
    "View",
    "__version__",
    "action_name",
    "card_id",
    "card_name",
    "card_pretty",
    "deal_seed",
    "env",
    "env_seed",
    "episode_seed",
    "parallel_env",
    "parse_action",
    "raw_env",
    "score_deal",
    "solver",
    "thousand_v0",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


_registration.announce()
