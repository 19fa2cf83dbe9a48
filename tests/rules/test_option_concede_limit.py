"""Option `concede_limit`: uses of one player in a match."""

from tests.rules.option_helpers import advance, do, legal, quiet
from thousand_env import Game, Rules


def _uses(rules: Rules, deals: int, players: int = 3) -> list[int]:
    """First hands are left with their opening and concede whenever they may; the uses per seat are counted."""
    game = Game(rules, seed=2)
    uses = [0] * players
    for _ in range(deals):
        assert game.winner is None
        assert not game.truncated
        advance(game, lambda g: g.phase == "exchange")
        number = game.deal_number
        if "concede" in legal(game):
            uses[game.declarer] += 1
            do(game, "concede")
        advance(game, lambda g, n=number: g.seat is None or g.deal_number > n)
    return uses


def test_concede_limit_none() -> None:
    assert Rules().concede_limit is None
    assert _uses(Rules(concede="bid_60"), 18) == [6, 6, 6]


def test_concede_limit_3() -> None:
    """A match long enough for a fourth use: it is not offered."""
    rules = Rules(concede="bid_60", concede_limit=3, target=100_000, barrel=False, bolt_mode="off")
    assert _uses(rules, 15) == [3, 3, 3]


def test_concede_limit_1_per_player() -> None:
    rules = Rules(concede="half_bid", concede_limit=1, target=100_000, barrel=False)
    assert _uses(rules, 9) == [1, 1, 1]


def test_concede_limit_counts_free_bombs() -> None:
    rules = Rules(concede="bid_60", concede_limit=1, free_bombs=1, target=100_000, barrel=False)
    assert _uses(rules, 6) == [1, 1, 1]


def test_concede_limit_counts_uses_on_the_barrel() -> None:
    rules = Rules(concede="bid_60", concede_limit=1, barrel_attempts=None)
    game = quiet(rules, scores=[0, 880, 0], barrel=[None, 0, None], episode="match")
    do(game, "bid 100", "pass", "pass", "concede")
    for declarer in (2, 0):
        advance(game, lambda g: g.phase == "exchange")
        assert game.declarer == declarer
        do(game, "concede")
    advance(game, lambda g: g.phase == "exchange")
    assert (game.declarer, game.barrel[1] is None) == (1, False)
    assert "concede" not in legal(game)


def test_concede_limit_with_four_players() -> None:
    rules = Rules(players=4, concede="bid_60", concede_limit=3, target=100_000, barrel=False)
    assert _uses(rules, 16, players=4) == [3, 3, 3, 3]
