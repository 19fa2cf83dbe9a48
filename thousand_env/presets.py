"""The rule sets that people play, and two small games, as what each changes in the default game."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

_MINI: Final[dict[str, Any]] = {
    "ranks": "QKA",
    "suits": "SH",
    "min_bid": 10,
    "bid_step": 10,
    "marriage_values": {"S": 10, "C": 0, "D": 0, "H": 30},
    "rounding": "none",
    "barrel": False,
    "bolt_mode": "off",
    "max_deals": 1,
}

PRESETS: Final[Mapping[str, Mapping[str, Any]]] = MappingProxyType(
    {
        "classic": {},
        "modern": {
            "declarer_score": "bid",
            "raise_after_talon": True,
            "talon_reveal": "always",
            "must_beat": False,
            "marriage_gate": "after_own_trick",
            "concede": "bid_60",
            "redeal_four_nines": "optional",
            "bolt_mode": "total",
            "barrel_win_bid": "at_least",
            "barrel_collision": "newcomer_knocks_off",
            "barrel_failed_contract": "deduct_and_fall",
            "dump": "plus",
        },
        "polish": {
            "bid_step": 10,
            "jump_bids": False,
            "declarer_score": "bid",
            "raise_after_talon": True,
            "rounding": "nearest10",
            "marriage_declare": "automatic",
            "must_overtrump": True,
            "barrel": False,
            "lock_at": 900,
            "bolt_mode": "off",
            "concede": "bid_60",
            "free_bombs": 1,
            "talon_reveal": "always",
        },
        "lithuanian": {"players": 4, "bid_step": 10, "exchange": "discard_three", "redeal_four_nines": "mandatory"},
        "two_player": {"players": 2},
        "four_player": {"players": 4},
        "mini2": {**_MINI, "players": 2, "hand_size": 2, "talon_size": 1},
        "mini3": {**_MINI, "players": 3, "hand_size": 1, "talon_size": 3},
    }
)
"""What each preset changes in the default game.

``mini2`` and ``mini3`` are single deals with six cards, small enough for a full tree walk. Counted by a test with
dealer = seat 0, an information set being a distinct view of the seat to act:

========  =====  ==================  ==============  ================
preset    deals  terminal histories  decision nodes  information sets
========  =====  ==================  ==============  ================
mini2     180    33,800              108,332         57,293
mini3     120    73,728              341,376         221,808
========  =====  ==================  ==============  ================
"""
