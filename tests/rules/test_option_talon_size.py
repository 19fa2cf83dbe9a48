"""Option `talon_size`: the cards of the talon, or of each of two."""

from tests.rules.option_helpers import advance, do, play_out, quiet, texts
from thousand_env import Game, Rules


def test_talon_size_3() -> None:
    game = quiet(Rules())
    assert len(texts(game.talon)) == 3
    do(game, "bid 100", "pass", "pass")
    assert len(game.hands[1]) == 10
    assert len(quiet(Rules(hand_size=7, talon_size=3)).talon) == 3


def test_talon_size_2_two_players() -> None:
    for letter in "AB":
        game = do(quiet(Rules(players=2)), "bid 100", "pass", f"talon {letter}")
        assert len(game.hands[1]) == 12
        assert len(game.view(1).talon) == 2


def test_talon_size_others() -> None:
    """As many cards are put aside as the talon has."""
    for hand, talon in ((6, 6), (5, 9)):
        game = Game(Rules(hand_size=hand, talon_size=talon, exchange="discard_three"), seed=7, episode="deal")
        advance(game, lambda g: g.phase == "exchange")
        given = 0
        while game.phase == "exchange":
            game.apply(min(game.legal_actions()))
            given += 1
        assert given == talon
        play_out(game)
        assert sum(game.points) == 120


def test_talon_size_in_the_presets() -> None:
    mini2 = do(Game(Rules.preset("mini2"), seed=1), "bid 10", "pass", "talon A")
    assert sorted(len(hand) for hand in mini2.hands) == [2, 3]
    mini3 = do(Game(Rules.preset("mini3"), seed=1), "bid 10", "pass", "pass")
    assert sorted(len(hand) for hand in mini3.hands) == [1, 1, 4]
