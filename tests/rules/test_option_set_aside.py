"""Option `set_aside`: who gets the four cards put aside by two players."""

from tests.rules.option_helpers import advance, deal, do, play_out, quiet, value
from thousand_env import Game, Rules

# Case P2: unchosen talon AS 9D, put aside JC 9C: 13 points.
HANDS = ["KS TS 9S KC TC QD JD QH JH 9H", "QS JS JC 9C QC KD TD KH TH AH"]
TALONS = ("AS 9D", "AC AD")


def _before_the_last_trick(aside: str, last: bool = True) -> Game:
    game = deal(Rules(players=2, set_aside=aside), HANDS, TALONS)
    do(game, "bid 100", "pass", "talon B", "give JC", "give 9C")
    if last:
        advance(game, lambda g: sum(g.tricks_won) == 9)
    return game


def test_set_aside_last_trick() -> None:
    """The winner of the last trick gets 13 extra; card points sum to 120."""
    assert Rules().set_aside == "last_trick"
    game = _before_the_last_trick("last_trick")
    before, tricks = list(game.points), list(game.tricks_won)
    last = [card for hand in game.hands for card in hand]
    assert len(last) == 2
    play_out(game)
    winner = next(seat for seat in (0, 1) if game.tricks_won[seat] > tricks[seat])
    trick = 120 - 13 - sum(before)
    assert game.points[winner] == before[winner] + trick + 13
    assert game.points[1 - winner] == before[1 - winner]
    assert sum(game.points) == 120


def test_set_aside_dead() -> None:
    """Nobody scores them: sum 107."""
    assert value("AS 9D JC 9C") == 13
    game = _before_the_last_trick("dead")
    twin = _before_the_last_trick("last_trick")
    assert list(game.points) == list(twin.points)
    play_out(game)
    play_out(twin)
    assert sum(game.points) == 107
    assert sorted(b - a for a, b in zip(game.points, twin.points, strict=True)) == [0, 13]


def test_set_aside_are_no_trick() -> None:
    for aside in ("last_trick", "dead"):
        game = play_out(_before_the_last_trick(aside, last=False))
        assert sum(game.tricks_won) == 10


def test_set_aside_has_no_effect_with_three_players() -> None:
    game = do(quiet(Rules(set_aside="dead")), "bid 100", "pass", "pass")
    play_out(game)
    assert sum(game.points) == 120
