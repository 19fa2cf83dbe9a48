"""Option `must_overtrump`: a void player must beat a ruff if he can."""

from tests.rules.option_helpers import begin_play, do, plays
from thousand_env import Game, Rules

OVER = Rules(must_overtrump=True)
# Hearts are trump from trick 1. In trick 3 seat 0 leads a spade, seat 1 ruffs, seat 2 has no spade but hearts.
HANDS = ("KH QH 9D JD AC TC KC QC", "AH TH JH 9H QD TD JC 9C", "AS TS KS QS JS 9S AD KD")
HIGH = ("KH QH TH 9D JD AC TC KC", "AH JH 9H QD TD JC 9C QC", "AS TS KS QS JS 9S AD KD")


def _ruffed(rules: Rules) -> Game:
    game = begin_play(rules, *HANDS)
    do(game, "marry KH", "play TH", "play KD", "play QD", "play AD", "play 9D", "play 9S")
    assert (game.seat, plays(game)) == (1, {"QH"})
    return do(game, "play QH")


def test_must_overtrump_false() -> None:
    """Rule 22b and case L7: any trump."""
    assert Rules().must_overtrump is False
    assert plays(_ruffed(Rules())) == {"AH", "JH", "9H"}


def test_must_overtrump_true() -> None:
    assert plays(_ruffed(OVER)) == {"AH"}


def test_must_overtrump_true_without_the_means_still_trumps() -> None:
    game = begin_play(OVER, *HIGH)
    do(game, "marry KH", "play AH", "play KD", "play QD", "play AD", "play 9D", "play 9S")
    assert (game.seat, plays(game)) == (1, {"QH", "TH"})
    do(game, "play QH")
    assert plays(game) == {"JH", "9H"}


def test_must_overtrump_true_first_ruff_is_free() -> None:
    """No trump lies on the table yet: any trump will do."""
    game = begin_play(OVER, *HIGH)
    do(game, "marry KH", "play AH", "play KD", "play QD", "play AD", "play 9D", "play 9S")
    assert plays(game) == {"QH", "TH"}


def test_must_overtrump_concerns_a_void_player_only() -> None:
    """Hearts are led and are trump; seat 2 follows suit, so only `must_beat` could oblige it."""
    game = do(begin_play(OVER.replace(must_beat=False), *HANDS), "marry KH")
    assert plays(game) == {"AH", "TH", "JH", "9H"}
