"""Option `trump_effect`: when the new suit starts to be trump."""

from tests.rules.option_helpers import begin_play, do, plays
from thousand_env import Game, Rules

NEXT = Rules(trump_effect="next_trick")
# Trick 1: seat 1 declares spades and wins. Trick 2: he declares hearts; seat 0 has no heart but the last spade.
HANDS = ("AS TS KS QS KH QH 9C 9D", "AH TH JH 9H AC TC AD TD", "JS 9S KC QC JC KD QD JD")
FOUR_ACES = ("AS AC AD AH TS KS QS 9D", "9S JS 9C TC KC TD KD JD", "QC QD TH KH QH JH 9H JC")


def _second_declaration(rules: Rules) -> Game:
    game = begin_play(rules, *HANDS)
    do(game, "marry KS", "play TC", "play 9S")
    assert (game.seat, game.trump) == (1, 0)
    return do(game, "marry KH", "play AH")


def test_trump_effect_immediate() -> None:
    assert Rules().trump_effect == "immediate"
    game = do(begin_play(Rules(), *HANDS), "marry KS")
    assert game.trump == 0
    game = _second_declaration(Rules())
    assert game.trump == 3
    assert plays(game) == {"JS", "KC", "QC", "JC", "KD", "QD", "JD"}
    do(game, "play JS")
    assert (game.seat, game.trump) == (2, 3)


def test_trump_effect_next_trick() -> None:
    """The trick of the declaration is played and won under the old trump, or none."""
    game = do(begin_play(NEXT, *HANDS), "marry KS")
    assert game.trump is None
    assert game.points[1] == 40
    do(game, "play TC", "play 9S")
    assert game.trump == 0
    game = _second_declaration(NEXT)
    assert game.trump == 0
    assert plays(game) == {"JS"}
    do(game, "play JS")
    assert (game.seat, game.trump) == (0, 3)
    assert list(game.tricks_won) == [1, 1, 0]


def test_trump_effect_next_trick_starts_even_if_the_trick_is_lost() -> None:
    hands = ("KS QS 9C JC 9D JD 9H JH", "AS TS AC TC AD TD AH TH", "9S JS KC QC KD QD KH QH")
    game = do(begin_play(NEXT, *hands), "marry KS", "play AS", "play 9S")
    assert (game.seat, game.trump) == (2, 0)


def test_trump_effect_next_trick_with_aces() -> None:
    game = begin_play(NEXT.replace(ace_marriage="lead_ace_sets_trump"), *FOUR_ACES)
    do(game, "aces AC")
    assert (game.trump, game.points[1]) == (None, 200)
    do(game, "play 9C", "play JC")
    assert game.trump == 1


def test_trump_effect_next_trick_automatic() -> None:
    game = do(begin_play(NEXT.replace(marriage_declare="automatic"), *HANDS), "play KS")
    assert game.trump is None
    do(game, "play TC", "play 9S")
    assert game.trump == 0
