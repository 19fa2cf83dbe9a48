"""Option `bid_step`: the distance between bids."""

from tests.rules.option_helpers import do, legal, levels, quiet
from thousand_env import Rules


def test_bid_step_5() -> None:
    assert Rules().bid_step == 5
    game = do(quiet(Rules()), "bid 100")
    assert legal(game) == {"pass"} | levels(105, 120)


def test_bid_step_10() -> None:
    """Case A13."""
    game = quiet(Rules(bid_step=10))
    assert legal(game) == {"bid 100", "bid 110", "bid 120"}
    do(game, "bid 100")
    assert legal(game) == {"pass", "bid 110", "bid 120"}


def test_bid_step_10_top_level() -> None:
    assert legal(quiet(Rules(bid_step=10, bid_cap="none"))) == levels(100, 740, 10)


def test_bid_step_that_misses_the_cap() -> None:
    """Levels 100, 115, 130: without a marriage 115 is the highest within 120."""
    game = quiet(Rules(bid_step=15, barrel_contract=115))
    assert legal(game) == {"bid 100", "bid 115"}
