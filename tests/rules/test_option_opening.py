"""Option `opening`: who must open the auction."""

import pytest

from tests.rules.option_helpers import bids, do, legal, levels, quiet
from thousand_env import IllegalActionError, Rules


def test_opening_first_hand_min() -> None:
    assert Rules().opening == "first_hand_min"
    game = quiet(Rules())
    assert game.seat == 1
    assert legal(game) == levels(100, 120)
    with pytest.raises(IllegalActionError):
        do(game, "pass")
    do(game, "bid 100")
    assert legal(game) == {"pass"} | levels(105, 120)


def test_opening_first_hand_exact() -> None:
    game = quiet(Rules(opening="first_hand_exact"))
    assert game.seat == 1
    assert legal(game) == {"bid 100"}
    do(game, "bid 100")
    assert legal(game) == {"pass"} | levels(105, 120)
    do(game, "bid 115", "pass")
    assert (game.seat, legal(game)) == (1, {"pass", "bid 120"})


def test_opening_dealer_exact() -> None:
    """The last hand holds the minimum from the start; first hand speaks first and may pass."""
    game = quiet(Rules(opening="dealer_exact"))
    assert game.seat == 1
    assert legal(game) == {"pass"} | levels(105, 120)
    do(game, "pass")
    assert (game.seat, legal(game)) == (2, {"pass"} | levels(105, 120))
    do(game, "pass")
    assert (game.phase, game.seat, game.declarer, game.contract) == ("exchange", 0, 0, 100)


def test_opening_dealer_exact_can_be_overbid() -> None:
    game = quiet(Rules(opening="dealer_exact"))
    do(game, "bid 105", "pass")
    assert (game.seat, legal(game)) == (0, {"pass"} | levels(110, 120))
    passed = do(game.clone(), "pass")
    assert (passed.declarer, passed.contract) == (1, 105)
    do(game, "bid 110", "pass")
    assert (game.declarer, game.contract) == (0, 110)


def test_opening_dealer_last_resort() -> None:
    """If all others passed without a bid, the last hand must bid the minimum and nothing else."""
    game = quiet(Rules(opening="dealer_last_resort"))
    assert (game.seat, legal(game)) == (1, {"pass"} | levels(100, 120))
    do(game, "pass")
    assert (game.seat, legal(game)) == (2, {"pass"} | levels(100, 120))
    do(game, "pass")
    assert (game.seat, legal(game)) == (0, {"bid 100"})
    do(game, "bid 100")
    assert (game.phase, game.declarer, game.contract) == ("exchange", 0, 100)


def test_opening_dealer_last_resort_after_a_bid() -> None:
    game = quiet(Rules(opening="dealer_last_resort"))
    do(game, "pass", "bid 100")
    assert (game.seat, legal(game)) == (0, {"pass"} | levels(105, 120))
    do(game, "pass")
    assert (game.declarer, game.contract) == (2, 100)


def test_opening_none() -> None:
    game = quiet(Rules(opening="none"))
    for seat in (1, 2, 0):
        assert (game.seat, legal(game)) == (seat, {"pass"} | levels(100, 120))
        if seat:
            do(game, "pass")
    do(game, "bid 105")
    assert (game.declarer, game.contract) == (0, 105)


def test_opening_none_all_pass_voids_the_deal() -> None:
    """A void deal scores nothing and changes nothing: same dealer, no attempt, no bolt."""
    sheet = {"scores": [15, 880, -40], "bolts": [2, 0, 1], "barrel": [None, 1, None]}
    for episode in ("match", "deal"):
        game = quiet(Rules(opening="none"), episode=episode, **sheet)
        hands = game.hands
        do(game, "pass", "pass", "pass")
        assert game.phase == "auction"
        assert game.seat == 1
        assert (game.deal_number, game.dealer) == (1, 0)
        assert game.hands != hands
        assert list(game.scores) == sheet["scores"]
        assert list(game.bolts) == sheet["bolts"]
        assert list(game.barrel) == sheet["barrel"]


@pytest.mark.parametrize("opening", ["dealer_exact", "dealer_last_resort"])
def test_opening_with_four_players_means_the_last_hand(opening: str) -> None:
    """The dealer sits out, so the player at his right holds the minimum."""
    game = quiet(Rules(players=4, opening=opening))
    do(game, "pass", "pass")
    if opening == "dealer_last_resort":
        assert (game.seat, legal(game)) == (3, {"bid 100"})
        do(game, "bid 100")
    assert (game.phase, game.declarer, game.contract) == ("exchange", 3, 100)


def test_opening_with_two_players() -> None:
    game = quiet(Rules(players=2, opening="dealer_exact"))
    assert (game.seat, legal(game)) == (1, {"pass"} | levels(105, 120))
    do(game, "pass")
    assert (game.phase, game.declarer, game.contract) == ("talon", 0, 100)
    game = quiet(Rules(players=2, opening="none"))
    do(game, "pass", "pass")
    assert (game.deal_number, game.dealer, game.phase) == (1, 0, "auction")


def test_opening_pass_is_final() -> None:
    game = quiet(Rules(opening="none"))
    do(game, "pass", "bid 100", "bid 105")
    assert game.seat == 2
    do(game, "pass")
    assert (game.declarer, game.contract) == (0, 105)
    assert bids(game) == set()
