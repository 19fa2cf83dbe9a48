"""Option `bid_cap`: how high a player may bid."""

import pytest

from tests.rules.option_helpers import deal, do, legal, levels, quiet
from thousand_env import Rules

ACES = {1: "AS AC AD AH 9S JC TD"}
ACES_AND_TWO = {1: "AS AC AD AH KH QH 9S"}


def test_bid_cap_held() -> None:
    assert Rules().bid_cap == "held"
    assert legal(quiet(Rules())) == levels(100, 120)
    for pair, bonus in (("KS QS", 40), ("KC QC", 60), ("KD QD", 80), ("KH QH", 100)):
        assert legal(deal(Rules(), {1: pair})) == levels(100, 120 + bonus)
    assert legal(deal(Rules(), {1: "KD QD KH QH"})) == levels(100, 300)
    assert legal(deal(Rules(), {1: "KC QC KD QD KH QH"})) == levels(100, 360)


def test_bid_cap_held_is_each_players_own() -> None:
    game = do(deal(Rules(), {2: "KH QH"}), "bid 120")
    assert legal(game) == {"pass"} | levels(125, 220)
    do(game, "bid 125")
    assert (game.seat, legal(game)) == (0, {"pass"})


def test_bid_cap_held_ignores_the_talon() -> None:
    """Bids count the marriages held at the moment of bidding; the talon has not been seen."""
    game = deal(Rules(), {1: "QH KS"}, talon="KH QS 9S")
    assert legal(game) == levels(100, 120)


@pytest.mark.parametrize("mode", ["lead_ace", "lead_ace_sets_trump", "held_at_first_lead"])
def test_bid_cap_held_with_four_aces(mode: str) -> None:
    assert legal(deal(Rules(), ACES)) == levels(100, 120)
    assert legal(deal(Rules(ace_marriage=mode), ACES)) == levels(100, 320)
    assert legal(deal(Rules(ace_marriage=mode, ace_marriage_value=50), ACES)) == levels(100, 170)
    assert legal(deal(Rules(ace_marriage=mode, ace_marriage_value=50), ACES_AND_TWO)) == levels(100, 270)
    assert legal(deal(Rules(ace_marriage=mode), {1: "AS AC AD"})) == levels(100, 120)


def test_bid_cap_held_stops_at_the_top_level() -> None:
    game = deal(Rules(ace_marriage="lead_ace", ace_marriage_value=300), ACES_AND_TWO)
    assert legal(game) == levels(100, 420)


def test_bid_cap_any_with_marriage() -> None:
    rules = Rules(bid_cap="any_with_marriage")
    assert legal(quiet(rules)) == levels(100, 120)
    assert legal(deal(rules, {1: "KS QS"})) == levels(100, 420)
    game = do(deal(rules, {2: "KS QS"}), "bid 120")
    assert legal(game) == {"pass"} | levels(125, 420)


def test_bid_cap_any_with_marriage_does_not_count_aces() -> None:
    rules = Rules(bid_cap="any_with_marriage", ace_marriage="lead_ace")
    assert legal(deal(rules, ACES)) == levels(100, 120)


def test_bid_cap_always_120() -> None:
    rules = Rules(bid_cap="always_120")
    assert legal(quiet(rules)) == levels(100, 120)
    assert legal(deal(rules, {1: "KD QD KH QH"})) == levels(100, 120)
    assert legal(deal(rules.replace(ace_marriage="lead_ace"), ACES)) == levels(100, 120)


def test_bid_cap_none() -> None:
    rules = Rules(bid_cap="none")
    game = quiet(rules)
    assert legal(game) == levels(100, 420)
    do(game, "bid 415")
    assert legal(game) == {"pass", "bid 420"}
    do(game, "bid 420")
    assert legal(game) == {"pass"}


def test_bid_cap_for_two_players() -> None:
    """Ten cards hold up to four marriages: at most 400."""
    game = deal(Rules(players=2), {1: "KS QS KC QC KD QD KH QH"})
    assert legal(game) == levels(100, 400)
