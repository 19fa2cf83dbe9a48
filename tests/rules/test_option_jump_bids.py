"""Option `jump_bids`: may a bid skip levels?"""

from tests.rules.option_helpers import D1, D1_TALON, bid_for, deal, do, legal, levels, quiet
from thousand_env import Rules


def test_jump_bids_true() -> None:
    assert Rules().jump_bids is True
    game = do(quiet(Rules()), "bid 100", "bid 120")
    assert (game.seat, legal(game)) == (0, {"pass"})


def test_jump_bids_false() -> None:
    game = quiet(Rules(jump_bids=False))
    assert legal(game) == {"bid 100"}
    do(game, "bid 100")
    assert legal(game) == {"pass", "bid 105"}
    do(game, "bid 105")
    assert legal(game) == {"pass", "bid 110"}
    do(game, "pass")
    assert (game.seat, legal(game)) == (1, {"pass", "bid 110"})


def test_jump_bids_false_with_the_dealers_minimum() -> None:
    game = quiet(Rules(jump_bids=False, opening="dealer_exact"))
    assert legal(game) == {"pass", "bid 105"}


def test_jump_bids_false_keeps_the_cap() -> None:
    game = do(quiet(Rules(jump_bids=False)), "bid 100", "bid 105", "bid 110", "bid 115", "bid 120")
    assert (game.seat, legal(game)) == (0, {"pass"})


def test_jump_bids_false_binds_no_raise() -> None:
    game = deal(Rules(jump_bids=False, raise_after_talon=True), D1, D1_TALON)
    bid_for(game, 1, 100)
    do(game, "give 9S", "give 9C")
    assert legal(game) == {"pass"} | levels(105, 220)


def test_jump_bids_false_binds_no_dark_bid() -> None:
    game = quiet(Rules(jump_bids=False, dark=True))
    assert game.phase == "dark"
    assert legal(game) == {"pass", "bid 120"}
    game = quiet(Rules(jump_bids=False, dark=True, bid_cap="none"))
    assert legal(game) == {"pass"} | levels(120, 420)
