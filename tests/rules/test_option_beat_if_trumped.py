"""Option `beat_if_trumped`: the duty to beat in the led suit after the trick was trumped."""

from tests.rules.option_helpers import begin_play, do, plays
from thousand_env import Game, Rules

# Trick 1: hearts become trump. Trick 2: a spade, ruffed by seat 2; seat 0 has spades.
HANDS = ("AH TH KH QH KS TS JS 9C", "JH 9H AC TC KC AD TD KD", "AS QS 9S QC JC QD JD 9D")


def _ruffed(rules: Rules, led: str) -> Game:
    game = begin_play(rules, *HANDS)
    do(game, "marry KH", "play 9H", "play QC", f"play {led}")
    assert plays(game) == {"JH"}
    return do(game, "play JH")


def test_beat_if_trumped_false() -> None:
    """Rule 22a: when the trick has been ruffed you need not beat."""
    assert Rules().beat_if_trumped is False
    assert plays(_ruffed(Rules(), "KS")) == {"AS", "QS", "9S"}


def test_beat_if_trumped_true() -> None:
    rules = Rules(beat_if_trumped=True)
    assert plays(_ruffed(rules, "KS")) == {"AS"}
    assert plays(_ruffed(rules, "JS")) == {"AS", "QS"}


def test_beat_if_trumped_true_without_the_means() -> None:
    game = do(_ruffed(Rules(beat_if_trumped=True), "TS"), "play AS")
    assert (game.seat, list(game.tricks_won)) == (2, [0, 1, 1])
    hands = ("AH TH KH QH AS TS JS 9C", "JH 9H AC TC KC AD TD KD", "KS QS 9S QC JC QD JD 9D")
    game = begin_play(Rules(beat_if_trumped=True), *hands)
    do(game, "marry KH", "play 9H", "play QC", "play AS", "play JH")
    assert plays(game) == {"KS", "QS", "9S"}


def test_beat_if_trumped_with_two_players_has_no_effect() -> None:
    assert Rules(players=2, beat_if_trumped=True).beat_if_trumped is True
