"""Option `hand_size`: the cards dealt to each player."""

import pytest

from tests.rules.option_helpers import advance, play_out, quiet
from thousand_env import Game, Rules


@pytest.mark.parametrize("players", [3, 4])
def test_hand_size_7(players: int) -> None:
    for rules in (Rules(players=players), Rules(players=players, hand_size=7, talon_size=3)):
        assert sorted(len(hand) for hand in quiet(rules).hands) == [0] * (players - 3) + [7, 7, 7]


def test_hand_size_10_two_players() -> None:
    for rules in (Rules(players=2), Rules(players=2, hand_size=10, talon_size=2)):
        assert [len(hand) for hand in quiet(rules).hands] == [10, 10]


@pytest.mark.parametrize(("hand", "talon"), [(6, 6), (5, 9)])
def test_hand_size_others(hand: int, talon: int) -> None:
    """Cards put aside: as many as the talon has, so as many tricks as cards were dealt."""
    rules = Rules(hand_size=hand, talon_size=talon, exchange="discard_three")
    game = Game(rules, seed=3, episode="deal")
    assert [len(cards) for cards in game.hands] == [hand] * 3
    advance(game, lambda g: g.phase == "exchange")
    assert len(game.hands[game.declarer]) == hand + talon
    advance(game, lambda g: g.phase == "play")
    assert [len(cards) for cards in game.hands] == [hand] * 3
    play_out(game)
    assert sum(game.tricks_won) == hand
    assert sum(game.points) == 120


@pytest.mark.parametrize(("hand", "talon"), [(9, 3), (8, 4), (11, 1)])
def test_hand_size_others_with_two_players(hand: int, talon: int) -> None:
    game = Game(Rules(players=2, hand_size=hand, talon_size=talon), seed=3, episode="deal")
    assert [len(cards) for cards in game.hands] == [hand] * 2
    advance(game, lambda g: g.phase == "exchange")
    assert len(game.hands[game.declarer]) == hand + talon
    advance(game, lambda g: g.phase == "play")
    assert [len(cards) for cards in game.hands] == [hand] * 2
    play_out(game)
    assert sum(game.tricks_won) == hand
    assert sum(game.points) == 120


def test_hand_size_in_the_presets() -> None:
    assert [len(hand) for hand in Game(Rules.preset("mini2"), seed=1).hands] == [2, 2]
    assert [len(hand) for hand in Game(Rules.preset("mini3"), seed=1).hands] == [1, 1, 1]
