"""Option `ace_marriage_value`: what four aces are worth."""

import pytest

from tests.rules.option_helpers import begin_play, do, play_out
from thousand_env import Rules

HANDS = ("AS AC AD AH TS KS QS 9D", "9S JS 9C TC KC TD KD JD", "QC QD TH KH QH JH 9H JC")


@pytest.mark.parametrize("mode", ["lead_ace", "lead_ace_sets_trump"])
def test_ace_marriage_value_200(mode: str) -> None:
    assert Rules().ace_marriage_value == 200
    assert do(begin_play(Rules(ace_marriage=mode), *HANDS), "aces AH").points[1] == 200


@pytest.mark.parametrize("mode", ["lead_ace", "lead_ace_sets_trump"])
@pytest.mark.parametrize("worth", [0, 44, 100, 300])
def test_ace_marriage_value_any(mode: str, worth: int) -> None:
    rules = Rules(ace_marriage=mode, ace_marriage_value=worth)
    assert do(begin_play(rules, *HANDS), "aces AH").points[1] == worth


@pytest.mark.parametrize("worth", [44, 200])
def test_ace_marriage_value_any_held_at_first_lead(worth: int) -> None:
    game = play_out(begin_play(Rules(ace_marriage="held_at_first_lead", ace_marriage_value=worth), *HANDS))
    assert sum(game.points) == 120 + worth
