"""Option `bolt_penalty`: the fine."""

from tests.rules.option_helpers import settle
from thousand_env import Rules

FINED = {"scores": (0, 0, 300), "bolts": (0, 0, 2)}


def test_bolt_penalty_120() -> None:
    assert Rules().bolt_penalty == 120
    assert settle(Rules(), (12, 188, 0), **FINED).scores[2] == 180


def test_bolt_penalty_others() -> None:
    for penalty in (0, 60, 100, 240):
        after = settle(Rules(bolt_penalty=penalty), (12, 188, 0), **FINED)
        assert (after.scores[2], after.bolts[2]) == (300 - penalty, 0)


def test_bolt_penalty_comes_before_the_clamp() -> None:
    """A marriage of 100 without a trick makes the contract: 860 + 100 − 120 = 840, no barrel."""
    after = settle(Rules(), (60, 100, 60), tricks=(4, 0, 4), scores=(0, 860, 0), bolts=(0, 2, 0))
    assert (after.scores[1], after.barrel[1]) == (840, None)
    after = settle(Rules(bolt_penalty=60), (60, 100, 60), tricks=(4, 0, 4), scores=(0, 860, 0), bolts=(0, 2, 0))
    assert (after.scores[1], after.barrel[1]) == (880, 0)


def test_bolt_penalty_comes_before_the_target() -> None:
    after = settle(Rules(barrel=False), (60, 100, 60), tricks=(4, 0, 4), scores=(0, 910, 0), bolts=(0, 2, 0))
    assert (after.scores[1], after.winner) == (890, None)
