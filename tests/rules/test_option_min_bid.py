"""Option `min_bid`: the lowest bid."""

from tests.rules.option_helpers import deal, legal, levels, quiet
from thousand_env import Rules


def test_min_bid_100() -> None:
    assert Rules().min_bid == 100
    assert legal(quiet(Rules())) == levels(100, 120)


def test_min_bid_60() -> None:
    game = quiet(Rules(min_bid=60))
    assert legal(game) == levels(60, 120)
    assert legal(quiet(Rules(min_bid=60, opening="first_hand_exact"))) == {"bid 60"}


def test_min_bid_120_leaves_one_bid_without_a_marriage() -> None:
    assert legal(quiet(Rules(min_bid=120))) == {"bid 120"}


def test_min_bid_top_level() -> None:
    """No bid goes beyond min_bid + 64 steps."""
    hands = {1: "KH QH"}
    assert legal(deal(Rules(bid_cap="none"), hands)) == levels(100, 420)
    assert legal(deal(Rules(bid_cap="none", min_bid=60), hands)) == levels(60, 380)
