"""What a small change of the sampler could break unnoticed by test_worlds.py: found by tests/mutations.toml."""

from __future__ import annotations

import numpy as np

from tests.test_worlds import TWELVE_FOR_TWO, check_uniform
from thousand_env import Game, Rules, parse_action


def test_samples_are_uniform_where_a_hidden_talon_meets_proofs_of_different_sizes() -> None:
    """The bid needs KH QH or two other marriages, and nobody saw which two of the declarer's six cards were the talon.

    Two cards that were surely dealt leave six places for the talon, four leave one.
    """
    rules = Rules(**{**TWELVE_FOR_TWO, "talon_reveal": "never"})
    assert rules.deck_points == 72
    hands, talons = (["AS", "AC", "AD", "KD"], ["KH", "QH", "KS", "QD"]), (["QS", "KC"], ["QC", "AH"])
    game = Game.from_deal(rules, hands, talons, dealer=0, episode="deal", seed=1)
    for action in ("bid 160", "pass", "talon a"):
        game.apply(parse_action(action, rules))
    assert check_uniform(game, 0, np.random.default_rng(7)) == 96
