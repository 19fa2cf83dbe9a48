"""Option `silence_below`: a player whose total is at or below it may not bid."""

import pytest

from tests.rules.option_helpers import D1, D1_TALON, advance, bid_for, bids, deal, do, legal, levels, quiet
from thousand_env import Rules

SILENT = Rules(silence_below=-120)


def test_silence_below_none() -> None:
    assert Rules().silence_below is None
    game = quiet(Rules(), scores=[0, -1000, -1000])
    assert legal(game) == levels(100, 120)
    assert legal(do(game, "bid 100")) == {"pass"} | levels(105, 120)


def _silenced_at(limit: int) -> None:
    rules = Rules(silence_below=limit)
    for total, silent in ((limit + 5, False), (limit, True), (limit - 5, True)):
        game = do(quiet(rules, scores=[0, 0, total]), "bid 100")
        assert (game.seat, legal(game)) == (2, {"pass"} if silent else {"pass"} | levels(105, 120))


def test_silence_below_minus_120() -> None:
    _silenced_at(-120)


def test_silence_below_minus_240() -> None:
    _silenced_at(-240)


def test_silence_below_first_hand_opens_at_the_minimum() -> None:
    """His only bid is the minimum, where he is forced to open; later he can only pass."""
    for opening in ("first_hand_min", "first_hand_exact"):
        game = quiet(SILENT.replace(opening=opening), scores=[0, -120, 0])
        assert legal(game) == {"bid 100"}
        do(game, "bid 100", "bid 105", "pass")
        assert (game.seat, legal(game)) == (1, {"pass"})


def test_silence_below_first_hand_is_silent_where_he_need_not_open() -> None:
    for opening in ("dealer_exact", "dealer_last_resort", "none"):
        game = quiet(SILENT.replace(opening=opening), scores=[0, -120, 0])
        assert legal(game) == {"pass"}


def test_silence_below_last_hand_holds_or_opens_at_the_minimum() -> None:
    game = quiet(SILENT.replace(opening="dealer_exact"), scores=[-120, 0, 0])
    held = do(game.clone(), "pass", "pass")
    assert (held.phase, held.declarer, held.contract) == ("exchange", 0, 100)
    do(game, "bid 105", "pass")
    assert (game.seat, legal(game)) == (0, {"pass"})
    forced = do(quiet(SILENT.replace(opening="dealer_last_resort"), scores=[-120, 0, 0]), "pass", "pass")
    assert (forced.seat, legal(forced)) == (0, {"bid 100"})


def test_silence_below_all_silent_voids_a_deal_without_an_opening() -> None:
    game = quiet(SILENT.replace(opening="none"), scores=[-120, -120, -120])
    for _ in range(3):
        assert legal(game) == {"pass"}
        do(game, "pass")
    assert (game.deal_number, game.dealer) == (1, 0)


def test_silence_below_no_raise() -> None:
    game = deal(SILENT.replace(raise_after_talon=True), D1, D1_TALON, scores=[0, -120, 0])
    bid_for(game, 1, 100)
    do(game, "give 9S", "give 9C")
    assert not (game.phase == "raise" and bids(game))
    advance(game, lambda g: g.phase == "play")
    assert game.contract == 100


def test_silence_below_is_judged_at_the_start_of_the_deal() -> None:
    """A concession takes seat 1 to −130; in its next deals it is silent."""
    game = quiet(SILENT.replace(concede="bid_60"), scores=[0, -30, 0], episode="match")
    do(game, "bid 100", "pass", "pass", "concede")
    assert game.scores[1] == -130
    advance(game, lambda g: g.seat == 1)
    assert game.phase == "auction"
    assert legal(game) == {"pass"}


@pytest.mark.parametrize("cap", ["held", "none"])
def test_silence_below_the_others_bid_as_usual(cap: str) -> None:
    game = quiet(SILENT.replace(bid_cap=cap), scores=[0, -500, 0])
    do(game, "bid 100")
    assert legal(game) == {"pass"} | levels(105, 120 if cap == "held" else 420)
