"""Option `declarer_score`: what a made contract writes."""

import pytest

from tests.rules.option_helpers import D1, D1_PLAY, D1_TALON, bid_for, deal, do, settle
from thousand_env import Rules


def _d1(rules: Rules) -> list[int]:
    game = deal(rules, D1, D1_TALON)
    do(bid_for(game, 1, 110), "give 9S", "give 9C", *D1_PLAY)
    assert list(game.points) == [16, 158, 46]
    return list(game.scores)


def _declarer(mode: str, raw: int, contract: int, **rest: object) -> int:
    """The declarer's score; the defenders share what is left of 160."""
    rules = Rules(declarer_score=mode, **rest)
    return settle(rules, (0, raw, 160 - raw), contract=contract).scores[1]


def test_declarer_score_taken() -> None:
    """Deal D1, cases S6 and S7."""
    assert Rules().declarer_score == "taken"
    assert _d1(Rules()) == [15, 160, 45]
    assert _declarer("taken", 114, 110) == 115
    assert _declarer("taken", 123, 120) == 125


def test_declarer_score_bid() -> None:
    assert _d1(Rules(declarer_score="bid")) == [15, 110, 45]
    assert _declarer("bid", 114, 110) == 110
    assert _declarer("bid", 123, 120) == 120


def test_declarer_score_max() -> None:
    assert _d1(Rules(declarer_score="max")) == [15, 160, 45]
    assert _declarer("max", 123, 120) == 125
    assert _declarer("max", 120, 120) == 120
    assert _declarer("max", 102, 102, bid_step=2) == 102


def test_declarer_score_max_takes_the_contract_where_rounding_falls_below_it() -> None:
    """Raw 102 makes a contract of 102 and would be written as 100."""
    for mode, total in (("taken", 100), ("bid", 102), ("max", 102)):
        assert _declarer(mode, 102, 102, bid_step=2) == total


@pytest.mark.parametrize("mode", ["taken", "bid", "max"])
def test_declarer_score_of_a_failed_contract_is_minus_the_contract(mode: str) -> None:
    assert _declarer(mode, 119, 120) == -120
    assert _declarer(mode, 0, 100) == -100


@pytest.mark.parametrize("mode", ["bid", "max"])
def test_declarer_score_leaves_the_defenders_alone(mode: str) -> None:
    assert settle(Rules(declarer_score=mode), (12, 130, 58), contract=100).scores[::2] == (10, 60)


def test_declarer_score_of_a_barrel_win() -> None:
    """Rule 35: 880 + what rule 26 writes."""
    for mode, total in (("taken", 1010), ("bid", 1000), ("max", 1010)):
        rules = Rules(declarer_score=mode)
        after = settle(rules, (12, 131, 17), contract=120, scores=(0, 880, 0), barrel=(None, 1, None))
        assert (after.scores[1], after.winner) == (total, 1)
