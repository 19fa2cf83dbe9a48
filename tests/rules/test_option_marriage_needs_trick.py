"""Option `marriage_needs_trick`: the bonus lapses for a player who ends the deal without a trick."""

from tests.rules.option_helpers import D1, D1_PLAY, D1_TALON, begin_play, deal, do, play_out
from thousand_env import Game, Rules

# Seat 1 declares spades and never wins a trick; seat 2 takes all eight.
HANDS = ("KS QS 9C JC 9D JD 9H JH", "AS TS AC TC AD TD AH TH", "9S JS KC QC KD QD KH QH")


def _no_trick(rules: Rules) -> Game:
    game = begin_play(rules, *HANDS)
    do(game, "marry KS", "play AS", "play 9S", "play TS", "play JS", "play QS")
    assert game.trump == 0
    play_out(game)
    assert list(game.tricks_won) == [0, 0, 8]
    return game


def test_marriage_needs_trick_false() -> None:
    assert Rules().marriage_needs_trick is False
    game = _no_trick(Rules(min_bid=40))
    assert list(game.points) == [0, 40, 120]
    assert list(game.scores) == [0, 40, 120]


def test_marriage_needs_trick_true() -> None:
    game = _no_trick(Rules(min_bid=40, marriage_needs_trick=True))
    assert list(game.points) == [0, 0, 120]
    assert list(game.scores) == [0, -40, 120]


def test_marriage_needs_trick_with_a_trick_the_bonus_stays() -> None:
    game = deal(Rules(marriage_needs_trick=True), D1, D1_TALON)
    do(game, "bid 100", "pass", "pass", "give 9S", "give 9C", *D1_PLAY)
    assert list(game.points) == [16, 158, 46]


def test_marriage_needs_trick_decides_a_bolt_by_points() -> None:
    """The bonuses drop out of raw at the end, so there are 0 raw points."""
    assert _no_trick(Rules(min_bid=40, bolt_basis="points")).bolts[1] == 0
    assert _no_trick(Rules(min_bid=40, bolt_basis="points", marriage_needs_trick=True)).bolts[1] == 1


def test_marriage_needs_trick_the_trump_stays() -> None:
    game = begin_play(Rules(marriage_needs_trick=True), *HANDS)
    do(game, "marry QS", "play AS", "play JS")
    assert game.trump == 0
    do(game, "play AC", "play KC", "play 9C")
    assert game.trump == 0
