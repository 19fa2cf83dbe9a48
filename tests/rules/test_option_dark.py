"""Option `dark`: тёмная, a bid of 120 before looking at the cards; it counts double unless overbid."""

import pytest

from tests.rules.option_helpers import (
    QUIET,
    advance,
    bid_for,
    bids,
    cards,
    deal,
    do,
    legal,
    levels,
    play_out,
    quiet,
    settle,
    texts,
    written,
)
from thousand_env import Rules

DARK = Rules(dark=True)
LOW = "9S 9C 9D QS QC QD QH"


def test_dark_false() -> None:
    assert Rules().dark is False
    assert quiet(Rules()).phase == "auction"


def test_dark_true() -> None:
    game = quiet(DARK)
    assert (game.phase, game.seat, legal(game)) == ("dark", 1, {"pass", "bid 120"})
    looked = do(game.clone(), "pass")
    assert (looked.phase, looked.seat, legal(looked)) == ("auction", 1, levels(100, 120))
    do(game, "bid 120")
    assert (game.phase, game.seat, legal(game)) == ("auction", 2, {"pass"})
    do(game, "pass", "pass")
    assert (game.phase, game.declarer, game.contract) == ("exchange", 1, 120)


@pytest.mark.parametrize("cap", ["held", "any_with_marriage", "always_120"])
def test_dark_the_choices_do_not_depend_on_the_unseen_hand(cap: str) -> None:
    rules = DARK.replace(bid_cap=cap)
    for hand in ("", "KH QH", "KD QD KH QH"):
        assert legal(deal(rules, {1: hand})) == {"pass", "bid 120"}


def test_dark_any_level_from_120_without_a_cap() -> None:
    assert legal(quiet(DARK.replace(bid_cap="none"))) == {"pass"} | levels(120, 420)
    assert legal(quiet(DARK.replace(bid_cap="none", min_bid=60, bid_step=10))) == {"pass"} | levels(120, 700, 10)
    game = do(quiet(DARK.replace(bid_cap="none")), "bid 200")
    assert legal(game) == {"pass"} | levels(205, 420)


def test_dark_he_does_not_see_his_cards_before() -> None:
    game = quiet(DARK)
    assert list(game.view(1).hand) == []
    assert texts(game.view(0).hand) == set(cards(QUIET[0]))
    assert texts(game.view(2).hand) == set(cards(QUIET[2]))
    for action in ("pass", "bid 120"):
        after = do(game.clone(), action)
        assert texts(after.view(1).hand) == set(cards(QUIET[1]))


def test_dark_view_does_not_depend_on_the_unseen_cards() -> None:
    one, two = deal(DARK, QUIET, "9C TD AH"), deal(DARK, [QUIET[0], QUIET[1].replace("9H", "AH"), QUIET[2]], "9C TD 9H")
    assert one.view(1) == two.view(1)


def test_dark_counts_double() -> None:
    """Case S13."""
    bid = DARK.replace(declarer_score="bid")
    assert settle(bid, (12, 125, 23), contract=120, dark=True).scores == (10, 240, 25)
    assert settle(bid, (60, 30, 30), contract=120, dark=True).scores == (60, -240, 30)
    assert settle(DARK, (12, 125, 23), contract=120, dark=True).scores == (10, 250, 25)
    assert settle(DARK, (12, 123, 25), contract=120, dark=True).scores == (10, 250, 25)
    assert settle(DARK, (12, 125, 23), contract=120).scores == (10, 125, 25)


def test_dark_does_not_double_his_bolt() -> None:
    after = settle(DARK, (60, 0, 60), contract=120, dark=True, scores=(0, 500, 0), bolts=(0, 1, 0))
    assert (after.scores[1], after.bolts[1]) == (260, 2)
    fined = settle(DARK, (60, 0, 60), contract=120, dark=True, scores=(0, 500, 0), bolts=(0, 2, 0))
    assert (fined.scores[1], fined.bolts[1]) == (500 - 240 - 120, 0)


def test_dark_doubles_the_price_of_a_concession() -> None:
    for concede, others in (("bid_60", 60), ("120_60", 60), ("half_bid", 60)):
        after = settle(DARK.replace(concede=concede), conceded=True, contract=120, dark=True)
        assert after.scores == (others, -240, others)


def test_dark_doubles_nothing_on_the_barrel() -> None:
    sheet = {"scores": (0, 880, 0), "barrel": (None, 0, None)}
    won = settle(DARK, (12, 125, 23), contract=120, dark=True, **sheet)
    assert (won.scores[1], won.winner) == (1005, 1)
    rules = DARK.replace(barrel_failed_contract="deduct_and_fall")
    assert settle(rules, (60, 30, 30), contract=120, dark=True, **sheet).scores[1] == 760
    conceded = settle(rules.replace(concede="bid_60"), conceded=True, contract=120, dark=True, **sheet)
    assert conceded.scores[1] == 760


def test_dark_in_a_game_against_the_same_bid_with_open_eyes() -> None:
    dark = play_out(do(quiet(DARK), "bid 120", "pass", "pass"))
    plain = play_out(bid_for(do(quiet(DARK), "pass"), 1, 120))
    assert list(dark.points) == list(plain.points)
    assert dark.scores[1] == 2 * plain.scores[1]
    assert [dark.scores[0], dark.scores[2]] == [plain.scores[0], plain.scores[2]]
    assert list(dark.bolts) == list(plain.bolts)


def test_dark_doubling_ends_for_good_when_overbid() -> None:
    """Seat 1 wins the auction after all, at 130, and plays for single points."""
    game = deal(DARK, {1: "KD QD", 2: "KH QH"})
    do(game, "bid 120", "bid 125", "pass", "bid 130", "pass")
    assert (game.declarer, game.contract) == (1, 130)
    play_out(game)
    assert game.scores[1] == written(game.points[1], 130)


def test_dark_overbid_declarer_is_not_doubled() -> None:
    game = do(deal(DARK, {2: "KH QH"}), "bid 120", "bid 125", "pass", "pass")
    assert (game.declarer, game.contract) == (2, 125)
    play_out(game)
    assert game.scores[2] == written(game.points[2], 125)


def test_dark_a_raise_of_his_own_keeps_it() -> None:
    game = deal(DARK.replace(raise_after_talon=True), {1: "KD QD"})
    do(game, "bid 120", "pass", "pass")
    gifts = sorted(name for name in legal(game) if name not in ("give KD", "give QD"))
    do(game, *gifts[:2])
    assert game.phase == "raise"
    do(game, "bid 140")
    play_out(game)
    assert game.scores[1] == 2 * written(game.points[1], 140)


def test_dark_is_above_the_dealers_minimum() -> None:
    game = deal(DARK.replace(opening="dealer_exact"), {2: "KH QH"})
    assert legal(game) == {"pass", "bid 120"}
    do(game, "bid 120")
    assert (game.seat, legal(game)) == (2, {"pass"} | levels(125, 220))


@pytest.mark.parametrize("opening", ["first_hand_exact", "dealer_exact", "dealer_last_resort", "none"])
def test_dark_under_any_opening(opening: str) -> None:
    game = do(quiet(DARK.replace(opening=opening)), "bid 120", "pass", "pass")
    assert (game.phase, game.declarer, game.contract) == ("exchange", 1, 120)


def test_dark_he_may_not_ask_for_a_redeal() -> None:
    """The dark bidder has looked too late; the others may ask."""
    rules = DARK.replace(redeal_hand_below=14)
    game = deal(rules, {1: LOW})
    assert game.phase == "dark"
    looked = do(game.clone(), "pass")
    assert (looked.phase, looked.seat) == ("redeal", 1)
    bid = do(game.clone(), "bid 120")
    assert (bid.phase, bid.seat) == ("auction", 2)
    other = do(deal(rules, {2: LOW}), "bid 120")
    assert (other.phase, other.seat, legal(other)) == ("redeal", 2, {"pass", "redeal"})
    do(other, "redeal")
    assert (other.deal_number, other.phase, other.seat) == (1, "dark", 1)


def test_dark_no_talon_redeal() -> None:
    """A talon redeal needs a contract won in an auction, and not by a dark bid."""
    rules = DARK.replace(min_bid=120, redeal_talon_below=5, redeal_talon_nines=2)
    game = do(deal(rules, talon="9S 9C JD"), "bid 120", "pass", "pass")
    assert (game.phase, game.contract) == ("exchange", 120)
    assert "redeal" not in legal(game)
    looked = do(deal(rules, talon="9S 9C JD"), "pass", "bid 120", "pass", "pass")
    assert "redeal" in legal(looked)


def test_dark_not_for_the_silent() -> None:
    game = quiet(DARK.replace(silence_below=-120), scores=[0, -120, 0])
    assert not (game.phase == "dark" and bids(game))
    advance(game, lambda g: g.phase != "dark")
    assert (game.seat, legal(game)) == (1, {"bid 100"})


@pytest.mark.parametrize("players", [2, 4])
def test_dark_with_other_numbers_of_players(players: int) -> None:
    game = quiet(DARK.replace(players=players))
    assert (game.phase, game.seat, legal(game)) == ("dark", 1, {"pass", "bid 120"})
    do(game, "bid 120")
    while game.phase == "auction":
        do(game, "pass")
    assert (game.declarer, game.contract) == (1, 120)
