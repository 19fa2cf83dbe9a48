"""Option `redeal_talon_nines`: the declarer at the minimum may ask for a redeal on a talon of nines."""

from tests.rules.option_helpers import bid_for, deal, do, legal
from thousand_env import Game, Rules

ASK = Rules(redeal_talon_nines=2)


def _taken(rules: Rules, talon: str, contract: int = 100) -> Game:
    return bid_for(deal(rules, talon=talon), 1, contract)


def test_redeal_talon_nines_none() -> None:
    assert Rules().redeal_talon_nines is None
    assert "redeal" not in legal(_taken(Rules(), "9S 9C 9D"))


def test_redeal_talon_nines_2() -> None:
    """So many nines or more, whatever lies beside them."""
    assert "redeal" in legal(_taken(ASK, "9S 9C AH"))
    assert "redeal" in legal(_taken(ASK, "9S 9C 9D"))
    assert "redeal" not in legal(_taken(ASK, "9S JC JD"))


def test_redeal_talon_nines_other_numbers() -> None:
    assert "redeal" in legal(_taken(Rules(redeal_talon_nines=1), "9S AC AD"))
    assert "redeal" in legal(_taken(Rules(redeal_talon_nines=3), "9S 9C 9D"))
    assert "redeal" not in legal(_taken(Rules(redeal_talon_nines=3), "9S 9C JD"))


def test_redeal_talon_nines_voids_the_deal() -> None:
    game = do(_taken(ASK, "9S 9C AH"), "redeal")
    assert (game.deal_number, game.dealer, game.phase) == (1, 0, "auction")


def test_redeal_talon_nines_needs_the_minimum_and_the_first_card() -> None:
    assert "redeal" not in legal(_taken(ASK, "9S 9C AH", contract=105))
    game = do(_taken(ASK, "9S 9C AH"), "give 9S")
    assert "redeal" not in legal(game)


def test_redeal_talon_nines_or_below() -> None:
    """Either ground is enough."""
    both = ASK.replace(redeal_talon_below=5)
    assert "redeal" in legal(_taken(both, "9S 9C AH"))
    assert "redeal" in legal(_taken(both, "9S JC JD"))
    assert "redeal" not in legal(_taken(both, "9S AC JD"))


def test_redeal_talon_nines_with_two_players() -> None:
    for letter, offered in (("A", False), ("B", True)):
        game = do(deal(ASK.replace(players=2), talon=("9S AD", "9H 9C")), "bid 100", "pass", f"talon {letter}")
        assert ("redeal" in legal(game)) is offered
