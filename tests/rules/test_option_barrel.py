"""Option `barrel`: the barrel at all."""

from tests.rules.option_helpers import settle
from thousand_env import Game, Rules


def test_barrel_true() -> None:
    """Case K1: 850 + 60 is set to exactly 880, on the barrel, no attempt used."""
    assert Rules().barrel is True
    after = settle(Rules(), (12, 130, 58), scores=(0, 0, 850))
    assert after.scores == (10, 130, 880)
    assert after.barrel == (None, None, 0)
    assert after.winner is None


def test_barrel_true_exactly_at_the_threshold() -> None:
    """Case K2, and 875 stays below."""
    assert settle(Rules(), (25, 130, 45), scores=(0, 0, 835)).barrel == (None, None, 0)
    below = settle(Rules(), (25, 130, 45), scores=(0, 0, 830))
    assert (below.scores[2], below.barrel[2]) == (875, None)


def test_barrel_true_defenders_points_are_not_credited() -> None:
    """Case K4."""
    after = settle(Rules(), (25, 130, 45), scores=(0, 0, 880), barrel=(None, None, 0))
    assert (after.scores[2], after.barrel[2]) == (880, 1)


def test_barrel_false() -> None:
    rules = Rules(barrel=False)
    after = settle(rules, (12, 130, 58), scores=(0, 0, 850))
    assert after.scores == (10, 130, 910)
    assert after.barrel == (None, None, None)
    again = settle(rules, (12, 130, 58), scores=(0, 0, 910))
    assert again.scores[2] == 970
    won = settle(rules, (12, 130, 58), scores=(0, 0, 950))
    assert (won.scores[2], won.winner) == (1010, 2)


def test_barrel_false_in_a_game() -> None:
    game = Game(Rules(barrel=False), seed=1)
    assert list(game.barrel) == [None, None, None]
