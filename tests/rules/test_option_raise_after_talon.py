"""Option `raise_after_talon`: the declarer may raise once he has seen the talon and given his cards."""

from tests.rules.option_helpers import (
    D1,
    D1_PLAY,
    D1_TALON,
    bid_for,
    bids,
    deal,
    do,
    legal,
    levels,
    quiet,
)
from thousand_env import Game, Rules

RAISE = Rules(raise_after_talon=True)


def _given(rules: Rules, *gifts: str, contract: int = 110, **rest: object) -> Game:
    game = deal(rules, D1, D1_TALON, **rest)
    bid_for(game, 1, contract)
    return do(game, *(f"give {card}" for card in gifts))


def test_raise_after_talon_false() -> None:
    assert Rules().raise_after_talon is False
    game = _given(Rules(), "9S", "9C")
    assert (game.phase, game.contract, game.seat) == ("play", 110, 1)


def test_raise_after_talon_true() -> None:
    game = _given(RAISE, "9S", "9C")
    assert (game.phase, game.seat) == ("raise", 1)
    assert legal(game) == {"pass"} | levels(115, 220)
    do(game, "bid 160")
    assert (game.phase, game.seat, game.contract) == ("play", 1, 160)


def test_raise_keep() -> None:
    game = do(_given(RAISE, "9S", "9C"), "pass")
    assert (game.phase, game.contract) == ("play", 110)


def test_raise_is_scored_as_the_contract() -> None:
    """The deal of 7.6 takes 158: enough for 155, not for 160."""
    for contract, total in ((155, 160), (160, -160)):
        game = do(_given(RAISE, "9S", "9C"), f"bid {contract}", *D1_PLAY)
        assert game.points[1] == 158
        assert game.scores[1] == total


def test_raise_is_the_contract_of_the_barrel() -> None:
    sheet = {"scores": [0, 880, 0], "barrel": [None, 1, None]}
    won = do(_given(RAISE, "9S", "9C", episode="match", **sheet), "bid 120", *D1_PLAY)
    assert (won.winner, won.scores[1]) == (1, 1040)
    kept = do(_given(RAISE, "9S", "9C", episode="match", **sheet), "pass", *D1_PLAY)
    assert kept.winner is None
    assert (kept.scores[1], kept.barrel[1]) == (880, 2)
    beyond = do(_given(RAISE, "9S", "9C", episode="match", contract=120, **sheet), "bid 125", *D1_PLAY)
    assert (beyond.winner, beyond.barrel[1]) == (None, 2)


def test_raise_cap_is_that_of_the_final_hand() -> None:
    """He gives the king of his only marriage away: 120 again."""
    game = _given(RAISE, "KH", "9C")
    assert legal(game) == {"pass", "bid 115", "bid 120"}


def test_raise_counts_what_the_talon_brought() -> None:
    game = deal(RAISE, {1: "QH KS"}, talon="KH QS 9S")
    bid_for(game, 1, 100)
    lows = sorted(card for card in legal(game) if card.startswith("give ") and card[5] not in "KQ")
    do(game, *lows[:2])
    assert legal(game) == {"pass"} | levels(105, 260)


def test_raise_is_asked_even_if_he_can_only_keep() -> None:
    game = quiet(RAISE)
    bid_for(game, 1, 120)
    do(game, "give 9C", "give TD")
    assert (game.phase, game.seat, legal(game)) == ("raise", 1, {"pass"})
    above = _given(RAISE, "KH", "9C", contract=200)
    assert (above.phase, legal(above)) == ("raise", {"pass"})


def test_raise_under_other_caps() -> None:
    assert legal(_given(RAISE.replace(bid_cap="always_120"), "9S", "9C")) == {"pass", "bid 115", "bid 120"}
    assert legal(_given(RAISE.replace(bid_cap="none"), "KH", "9C")) == {"pass"} | levels(115, 420)
    assert legal(_given(RAISE.replace(bid_cap="any_with_marriage"), "9S", "9C")) == {"pass"} | levels(115, 420)
    assert legal(_given(RAISE.replace(bid_cap="any_with_marriage"), "KH", "9C")) == {"pass", "bid 115", "bid 120"}


def test_raise_counts_four_aces() -> None:
    game = deal(RAISE.replace(ace_marriage="lead_ace"), {1: "AS AC AD 9S JC TD QH"}, talon="AH 9C 9D")
    bid_for(game, 1, 100)
    do(game, "give 9C", "give 9D")
    assert legal(game) == {"pass"} | levels(105, 320)


def test_raise_after_cards_put_aside() -> None:
    game = _given(RAISE.replace(exchange="discard_three"), "9S", "9C", "JD")
    assert (game.phase, game.seat) == ("raise", 1)
    assert legal(game) == {"pass"} | levels(115, 220)


def test_raise_with_two_players() -> None:
    """Order of section 4: choose, take, put aside card by card, then raise."""
    game = quiet(RAISE.replace(players=2))
    do(game, "bid 100", "bid 105", "pass", "talon B")
    assert game.phase == "exchange"
    do(game, "give 9D", "give JS")
    assert (game.phase, game.seat) == ("raise", 0)
    assert bids(game) == levels(110, 280)
