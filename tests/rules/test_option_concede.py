"""Option `concede`: роспись, after seeing the talon."""

import pytest

from tests.rules.option_helpers import bid_for, do, legal, quiet, settle
from thousand_env import Game, IllegalActionError, Rules

MODES = ["bid_60", "120_60", "half_bid"]


def _conceded(rules: Rules, contract: int = 110, **rest: object) -> Game:
    return do(bid_for(quiet(rules, **rest), 1, contract), "concede")


def test_concede_off() -> None:
    """Rule 14: even a hopeless contract is played."""
    assert Rules().concede == "off"
    game = bid_for(quiet(Rules()), 1, 110)
    assert "concede" not in legal(game)
    with pytest.raises(IllegalActionError):
        do(game, "concede")


def test_concede_bid_60() -> None:
    """Case S11."""
    game = _conceded(Rules(concede="bid_60"))
    assert list(game.scores) == [60, -110, 60]
    assert settle(Rules(concede="bid_60"), conceded=True, contract=120).scores == (60, -120, 60)


def test_concede_120_60() -> None:
    game = _conceded(Rules(concede="120_60"))
    assert list(game.scores) == [60, -120, 60]
    assert settle(Rules(concede="120_60"), conceded=True, contract=200).scores == (60, -120, 60)


def test_concede_half_bid() -> None:
    game = _conceded(Rules(concede="half_bid"))
    assert list(game.scores) == [55, -110, 55]
    assert settle(Rules(concede="half_bid"), conceded=True, contract=200).scores == (100, -200, 100)


@pytest.mark.parametrize("mode", MODES)
def test_concede_instead_of_the_first_card_only(mode: str) -> None:
    game = quiet(Rules(concede=mode, raise_after_talon=True))
    assert "concede" not in legal(game)
    bid_for(game, 1, 110)
    assert game.phase == "exchange"
    assert "concede" in legal(game)
    do(game, "give 9C")
    assert "concede" not in legal(game)
    do(game, "give TD")
    assert "concede" not in legal(game)
    do(game, "pass")
    assert "concede" not in legal(game)


@pytest.mark.parametrize("mode", MODES)
def test_concede_before_cards_are_put_aside(mode: str) -> None:
    game = bid_for(quiet(Rules(concede=mode, exchange="discard_three")), 1, 110)
    assert "concede" in legal(game)
    assert "concede" not in legal(do(game, "give 9C"))


@pytest.mark.parametrize("mode", MODES)
def test_concede_ends_the_deal_without_bolts(mode: str) -> None:
    """Every active player's bolts stay as they are; the deal is completed."""
    game = _conceded(Rules(concede=mode), bolts=[2, 1, 2], scores=[300, 300, 300], episode="match")
    assert list(game.bolts) == [2, 1, 2]
    assert (game.deal_number, game.dealer, game.phase) == (1, 1, "auction")
    assert min(game.scores) < 300 < max(game.scores)


@pytest.mark.parametrize("mode", MODES)
def test_concede_ends_a_deal_episode(mode: str) -> None:
    game = _conceded(Rules(concede=mode))
    assert (game.seat, game.phase) == (None, "over")


def test_concede_scores_count_as_usual() -> None:
    """+60 may lift on to the barrel or win; the deal is an attempt for those on the barrel, who get nothing."""
    rules = Rules(concede="bid_60")
    after = settle(rules, conceded=True, scores=(850, 300, 880), barrel=(None, None, 0))
    assert after.scores == (880, 200, 880)
    assert after.barrel == (0, None, 1)
    last = settle(rules, conceded=True, scores=(0, 300, 880), barrel=(None, None, 2))
    assert (last.scores[2], last.barrel[2]) == (760, None)
    won = settle(rules.replace(barrel=False), conceded=True, scores=(940, 300, 0))
    assert (won.scores[0], won.winner) == (1000, 0)


@pytest.mark.parametrize("mode", MODES)
def test_concede_counts_uses(mode: str) -> None:
    after = settle(Rules(concede=mode), conceded=True, concessions=(1, 1, 0))
    assert after.concessions == (1, 2, 0)
    assert settle(Rules(concede=mode), (12, 130, 58), concessions=(1, 1, 0)).concessions == (1, 1, 0)


def test_concede_with_four_players() -> None:
    """+60 goes to the active opponents, and the sitter gets his bonus."""
    rules = Rules(players=4, concede="bid_60")
    game = do(bid_for(quiet(rules), 1, 110), "concede")
    assert list(game.scores) == [20, -110, 60, 60]


def test_concede_with_two_players() -> None:
    game = quiet(Rules(players=2, concede="bid_60"))
    do(game, "bid 100", "pass")
    assert "concede" not in legal(game)
    do(game, "talon A")
    assert "concede" in legal(game)
    do(game, "concede")
    assert list(game.scores) == [60, -100]


@pytest.mark.parametrize("score", ["taken", "bid", "max"])
def test_concede_price_does_not_depend_on_declarer_score(score: str) -> None:
    assert settle(Rules(concede="bid_60", declarer_score=score), conceded=True).scores == (60, -100, 60)
