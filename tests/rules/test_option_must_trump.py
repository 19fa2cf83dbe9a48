"""Option `must_trump`: the duty of a void player."""

from tests.rules.option_helpers import begin_play, do, plays
from thousand_env import Game, Rules

# Trick 1: hearts become trump. Trick 2: a spade; seat 2 has none, but one heart.
HANDS = ("AH TH KH QH KS TS JS 9C", "JH 9H AC TC KC AD TD KD", "AS QS 9S QC JC QD JD 9D")


def _spade_led(rules: Rules) -> Game:
    return do(begin_play(rules, *HANDS), "marry KH", "play 9H", "play QC", "play KS")


def test_must_trump_true() -> None:
    """Case L6."""
    assert Rules().must_trump is True
    assert plays(_spade_led(Rules())) == {"JH"}


def test_must_trump_false() -> None:
    """Case L6b: any card."""
    game = _spade_led(Rules(must_trump=False))
    assert plays(game) == {"JH", "AC", "TC", "KC", "AD", "TD", "KD"}
    do(game, "play TC")
    assert plays(game) == {"AS"}


def test_must_trump_is_a_duty_of_void_players_only() -> None:
    game = do(_spade_led(Rules()), "play JH")
    assert plays(game) == {"AS", "QS", "9S"}


def test_must_trump_without_any_trump_suit() -> None:
    game = do(begin_play(Rules(), *HANDS), "play KS")
    assert plays(game) == {"JH", "9H", "AC", "TC", "KC", "AD", "TD", "KD"}
