"""Option `redeal_talon_below`: the declarer at the minimum may ask for a redeal on a poor talon."""

from tests.rules.option_helpers import bid_for, deal, do, legal, value
from thousand_env import Game, Rules

ASK = Rules(redeal_talon_below=5)
POOR, EVEN = "9S JD JC", "9S JD QC"


def _taken(rules: Rules, talon: str, contract: int = 100, seat: int = 1, **rest: object) -> Game:
    game = bid_for(deal(rules, talon=talon, **rest), seat, contract)
    assert game.phase == "exchange"
    return game


def test_redeal_talon_below_none() -> None:
    assert Rules().redeal_talon_below is None
    assert "redeal" not in legal(_taken(Rules(), "9S 9C 9D"))


def test_redeal_talon_below_5() -> None:
    """Fewer than five card points."""
    assert (value(POOR), value(EVEN)) == (4, 5)
    assert "redeal" in legal(_taken(ASK, POOR))
    assert "redeal" not in legal(_taken(ASK, EVEN))
    assert "redeal" in legal(_taken(ASK.replace(redeal_talon_below=6), EVEN))


def test_redeal_talon_below_voids_the_deal() -> None:
    sheet = {"scores": [15, 880, -40], "bolts": [2, 0, 1], "barrel": [None, 1, None]}
    game = _taken(ASK, POOR, episode="match", **sheet)
    do(game, "redeal")
    assert (game.deal_number, game.dealer, game.phase, game.seat) == (1, 0, "auction", 1)
    assert list(game.scores) == sheet["scores"]
    assert list(game.bolts) == sheet["bolts"]
    assert list(game.barrel) == sheet["barrel"]
    assert [len(hand) for hand in game.hands] == [7, 7, 7]


def test_redeal_talon_below_needs_the_minimum() -> None:
    assert "redeal" not in legal(_taken(ASK, POOR, contract=105))
    assert "redeal" not in legal(_taken(ASK, POOR, contract=105, seat=2))
    assert "redeal" in legal(_taken(ASK.replace(min_bid=60), POOR, contract=60))
    assert "redeal" not in legal(_taken(ASK.replace(min_bid=60), POOR, contract=100))


def test_redeal_talon_below_for_whoever_won_at_the_minimum() -> None:
    assert "redeal" in legal(_taken(ASK.replace(opening="dealer_exact"), POOR, seat=0))
    assert "redeal" in legal(_taken(ASK.replace(opening="dealer_last_resort"), POOR, seat=0))
    assert "redeal" in legal(_taken(ASK.replace(opening="none"), POOR, seat=2))


def test_redeal_talon_below_instead_of_the_first_card_only() -> None:
    game = _taken(ASK.replace(concede="bid_60"), POOR)
    assert {"redeal", "concede", "give 9S"} <= legal(game)
    do(game, "give 9S")
    assert not {"redeal", "concede"} & legal(game)


def test_redeal_talon_below_before_cards_are_put_aside() -> None:
    game = _taken(ASK.replace(exchange="discard_three"), POOR)
    assert "redeal" in legal(game)
    assert "redeal" not in legal(do(game, "give 9S"))


def test_redeal_talon_below_with_two_players_judges_the_talon_chosen() -> None:
    rules = ASK.replace(players=2)
    for letter, offered in (("A", True), ("B", False)):
        game = do(deal(rules, talon=("9S JD", "AH TC")), "bid 100", "pass")
        assert "redeal" not in legal(game)
        do(game, f"talon {letter}")
        assert ("redeal" in legal(game)) is offered


def test_redeal_talon_below_ends_no_deal_episode() -> None:
    game = do(_taken(ASK, POOR, episode="deal"), "redeal")
    assert game.seat == 1
    assert game.deal_number == 1
