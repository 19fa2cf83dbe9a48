"""Option `barrel_must_bid`: a barrel player must bid the barrel contract while he legally can."""

from tests.rules.option_helpers import deal, do, legal, levels, quiet
from thousand_env import Rules

MUST = Rules(barrel_must_bid=True)
FIRST = {"scores": [0, 880, 0], "barrel": [None, 1, None]}
SECOND = {"scores": [0, 0, 880], "barrel": [None, None, 1]}


def test_barrel_must_bid_false() -> None:
    assert Rules().barrel_must_bid is False
    assert legal(quiet(Rules(), **FIRST)) == levels(100, 120)
    assert legal(do(quiet(Rules(), **SECOND), "bid 100")) == {"pass"} | levels(105, 120)


def test_barrel_must_bid_true() -> None:
    game = quiet(MUST, **FIRST)
    assert legal(game) == {"bid 120"}
    game = do(quiet(MUST, **SECOND), "bid 100")
    assert (game.seat, legal(game)) == (2, {"bid 120"})


def test_barrel_must_bid_true_only_on_the_barrel() -> None:
    game = quiet(MUST, **SECOND)
    assert legal(game) == levels(100, 120)
    do(game, "bid 115", "bid 120")
    assert (game.seat, legal(game)) == (0, {"pass"})


def test_barrel_must_bid_true_free_once_it_is_too_late() -> None:
    """If the barrel contract is not among his legal bids, he is free."""
    game = do(quiet(MUST, **SECOND), "bid 120")
    assert legal(game) == {"pass"}
    game = do(deal(MUST, {2: "KH QH"}, **SECOND), "bid 120")
    assert legal(game) == {"pass"} | levels(125, 220)


def test_barrel_must_bid_true_free_after_his_bid() -> None:
    game = deal(MUST, {1: "KH QH", 2: "KD QD"}, **FIRST)
    do(game, "bid 120", "bid 125", "pass")
    assert (game.seat, legal(game)) == (1, {"pass"} | levels(130, 220))


def test_barrel_must_bid_true_without_jumps() -> None:
    rules = MUST.replace(jump_bids=False)
    assert legal(quiet(rules, **FIRST)) == {"bid 100"}
    game = do(quiet(rules, **SECOND), "bid 100")
    assert legal(game) == {"pass", "bid 105"}
    do(game, "bid 105", "bid 110", "bid 115")
    assert (game.seat, legal(game)) == (2, {"bid 120"})


def test_barrel_must_bid_true_with_an_exact_opening() -> None:
    game = quiet(MUST.replace(opening="first_hand_exact"), **FIRST)
    assert legal(game) == {"bid 100"}
    do(game, "bid 100", "pass", "bid 105")
    assert (game.seat, legal(game)) == (1, {"bid 120"})


def test_barrel_must_bid_true_where_one_may_pass() -> None:
    game = quiet(MUST.replace(opening="none"), **FIRST)
    assert legal(game) == {"bid 120"}


def test_barrel_must_bid_true_other_contract() -> None:
    """125 is above the cap without a marriage, so nothing is forced."""
    rules = MUST.replace(barrel_contract=125)
    assert legal(quiet(rules, **FIRST)) == levels(100, 120)
    assert legal(deal(rules, {1: "KH QH"}, **FIRST)) == {"bid 125"}


def test_barrel_must_bid_true_several_on_the_barrel() -> None:
    game = quiet(MUST, scores=[880, 880, 0], barrel=[0, 1, None])
    assert legal(game) == {"bid 120"}
    do(game, "bid 120", "pass")
    assert (game.seat, legal(game)) == (0, {"pass"})
