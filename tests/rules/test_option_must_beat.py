"""Option `must_beat`: the duty to beat in the led suit."""

from tests.rules.option_helpers import begin_play, do, plays
from thousand_env import Game, Rules

# Seat 1 leads the jack of hearts; seat 2 is the hand of case L1, seat 0 has hearts above and below too.
HANDS = ("JH JS QS KS AS 9C 9D TC", "9H QH AH TS KC JC QC JD", "KH TH 9S AC QD KD TD AD")


def _jack_led(rules: Rules) -> Game:
    return do(begin_play(rules, *HANDS), "play JH")


def test_must_beat_true() -> None:
    """Case L1."""
    assert Rules().must_beat is True
    game = _jack_led(Rules())
    assert plays(game) == {"QH", "AH"}
    do(game, "play QH")
    assert plays(game) == {"KH", "TH"}


def test_must_beat_true_without_the_means() -> None:
    """Nothing in hand beats the ace: any card of the suit."""
    game = do(_jack_led(Rules()), "play AH")
    assert plays(game) == {"KH", "TH"}


def test_must_beat_false() -> None:
    """Case L1b: any card of the led suit."""
    game = _jack_led(Rules(must_beat=False))
    assert plays(game) == {"9H", "QH", "AH"}
    do(game, "play 9H")
    assert plays(game) == {"KH", "TH"}


def test_must_beat_false_when_trump_is_led() -> None:
    hands = ("KC QC JS QS KS AS 9D TD", "JC TC AC 9C TS 9S JD QD", "KD AD 9H JH QH KH TH AH")
    assert plays(do(begin_play(Rules(), *hands), "marry QC")) == {"TC", "AC"}
    assert plays(do(begin_play(Rules(must_beat=False), *hands), "marry QC")) == {"JC", "TC", "AC", "9C"}
