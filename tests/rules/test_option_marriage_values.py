"""Option `marriage_values`: what each marriage is worth."""

import pytest

from tests.rules.option_helpers import deal, do, legal, levels
from thousand_env import Rules

TURNED = {"S": 100, "C": 80, "D": 60, "H": 40}


def _declared(rules: Rules, suit: str, rank: str) -> int:
    game = deal(rules, {1: f"K{suit} Q{suit}"}, talon=" ".join(f"9{other}" for other in "SCDH" if other != suit))
    do(game, "bid 100", "pass", "pass", *(f"give 9{other}" for other in "SCDH".replace(suit, "")[:2]))
    do(game, f"marry {rank}{suit}")
    assert game.trump == "SCDH".index(suit)
    return game.points[1]


@pytest.mark.parametrize("rank", ["K", "Q"])
def test_marriage_values_s40_c60_d80_h100(rank: str) -> None:
    assert Rules().marriage_values == Rules(marriage_values={"S": 40, "C": 60, "D": 80, "H": 100}).marriage_values
    assert [_declared(Rules(), suit, rank) for suit in "SCDH"] == [40, 60, 80, 100]


@pytest.mark.parametrize("rank", ["K", "Q"])
def test_marriage_values_any_four(rank: str) -> None:
    rules = Rules(marriage_values=TURNED)
    assert [_declared(rules, suit, rank) for suit in "SCDH"] == [100, 80, 60, 40]


def test_marriage_values_any_four_need_not_be_round() -> None:
    rules = Rules(marriage_values={"S": 7, "C": 0, "D": 333, "H": 1})
    assert [_declared(rules, suit, "K") for suit in "SCDH"] == [7, 0, 333, 1]


def test_marriage_values_any_four_set_the_cap() -> None:
    assert legal(deal(Rules(marriage_values=TURNED), {1: "KS QS"})) == levels(100, 220)
    assert legal(deal(Rules(marriage_values=TURNED), {1: "KH QH"})) == levels(100, 160)
    odd = Rules(marriage_values={"S": 7, "C": 60, "D": 80, "H": 100})
    assert legal(deal(odd, {1: "KS QS"})) == levels(100, 125)


def test_marriage_values_make_different_rules() -> None:
    turned = Rules(marriage_values=TURNED)
    assert turned != Rules()
    assert turned == Rules(marriage_values=dict(reversed(TURNED.items())))
    assert hash(turned) == hash(Rules(marriage_values=dict(TURNED)))
