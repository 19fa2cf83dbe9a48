"""Option `players`: two, three or four at the table."""

from tests.rules.option_helpers import QUIET_TALON, cards, do, finish_deal, legal, play_out, quiet, texts
from thousand_env import Game, Rules


def test_players_3() -> None:
    assert Rules().players == 3
    game = quiet(Rules())
    assert [len(hand) for hand in game.hands] == [7, 7, 7]
    assert texts(game.talon) == set(cards(QUIET_TALON))
    assert game.seat == 1
    do(game, "bid 100", "pass", "pass", "give 9C", "give TD")
    assert [len(hand) for hand in game.hands] == [8, 8, 8]
    play_out(game)
    assert sum(game.tricks_won) == 8
    assert sum(game.points) == 120


def test_players_2() -> None:
    rules = Rules(players=2)
    game = quiet(rules)
    assert [len(hand) for hand in game.hands] == [10, 10]
    assert game.seat == 1
    do(game, "bid 100", "pass")
    assert game.phase == "talon"
    assert legal(game) == {"talon A", "talon B"}
    do(game, "talon A", "give 9H", "give JH")
    assert [len(hand) for hand in game.hands] == [10, 10]
    play_out(game)
    assert sum(game.tricks_won) == 10
    assert sum(game.points) == 120


def test_players_4() -> None:
    rules = Rules(players=4)
    game = quiet(rules)
    assert [len(hand) for hand in game.hands] == [0, 7, 7, 7]
    assert len(game.scores) == 4
    spoke = []
    while game.phase == "auction":
        spoke.append(game.seat)
        game.apply(min(game.legal_actions()))
    assert spoke == [1, 2, 3]
    play_out(game)
    assert sum(game.tricks_won) == 8
    assert game.tricks_won[0] == 0
    assert game.points[0] == 0


def test_players_4_everyone_sits_out_once_in_four_deals() -> None:
    game = Game(Rules(players=4), seed=3)
    sitters = []
    for _ in range(4):
        assert game.hands[game.dealer] == []
        assert game.seat == (game.dealer + 1) % 4
        sitters.append(game.dealer)
        finish_deal(game)
    assert sorted(sitters) == [0, 1, 2, 3]
    assert sitters == [(sitters[0] + k) % 4 for k in range(4)]
