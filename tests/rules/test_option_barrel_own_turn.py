"""Option `barrel_own_turn`: as first hand the barrel player gets the talon without an auction."""

import pytest

from tests.rules.option_helpers import QUIET_TALON, cards, deal, do, legal, levels, play_out, quiet, texts
from thousand_env import Rules

OWN = Rules(barrel_own_turn=True)
FIRST = {"scores": [0, 880, 0], "barrel": [None, 1, None]}
SECOND = {"scores": [0, 0, 880], "barrel": [None, None, 1]}


def test_barrel_own_turn_false() -> None:
    assert Rules().barrel_own_turn is False
    game = quiet(Rules(), **FIRST)
    assert (game.phase, game.seat, legal(game)) == ("auction", 1, levels(100, 120))


def test_barrel_own_turn_true() -> None:
    game = quiet(OWN, **FIRST)
    assert (game.phase, game.seat, game.declarer, game.contract) == ("exchange", 1, 1, 120)
    assert len(game.hands[1]) == 10


def test_barrel_own_turn_true_in_other_deals_he_bids_as_usual() -> None:
    game = quiet(OWN, **SECOND)
    assert (game.phase, game.seat) == ("auction", 1)
    do(game, "bid 100")
    assert legal(game) == {"pass"} | levels(105, 120)


def test_barrel_own_turn_true_other_barrel_players_defend() -> None:
    game = quiet(OWN.replace(barrel_must_bid=True), scores=[880, 880, 0], barrel=[0, 1, None], episode="match")
    assert (game.phase, game.declarer) == ("exchange", 1)
    do(game, "give 9C", "give TD")
    assert game.phase == "play"


def test_barrel_own_turn_true_is_uncontested() -> None:
    game = quiet(OWN, **FIRST)
    assert [texts(game.view(seat).talon) for seat in range(3)] == [set(), set(cards(QUIET_TALON)), set()]
    shown = quiet(OWN.replace(talon_reveal="always"), **FIRST)
    assert all(texts(shown.view(seat).talon) == set(cards(QUIET_TALON)) for seat in range(3))


def test_barrel_own_turn_true_plays_the_barrel_contract() -> None:
    game = quiet(OWN.replace(barrel_contract=130), **FIRST)
    assert (game.declarer, game.contract) == (1, 130)


def test_barrel_own_turn_true_no_raise() -> None:
    game = quiet(OWN.replace(raise_after_talon=True), **FIRST)
    do(game, "give 9C", "give TD")
    assert game.phase == "play"


def test_barrel_own_turn_true_no_dark_bid() -> None:
    game = quiet(OWN.replace(dark=True, bid_cap="none"), **FIRST)
    assert (game.phase, game.contract) == ("exchange", 120)


def test_barrel_own_turn_true_no_talon_redeal() -> None:
    rules = OWN.replace(barrel_contract=100, redeal_talon_below=5, redeal_talon_nines=2)
    game = deal(rules, talon="9S 9C JD", **FIRST)
    assert (game.phase, game.contract) == ("exchange", 100)
    assert "redeal" not in legal(game)


def test_barrel_own_turn_true_hand_redeal_as_usual() -> None:
    game = deal(OWN.replace(redeal_hand_below=14), {2: "9S 9C 9D QS QC QD QH"}, **FIRST)
    assert (game.phase, game.seat, legal(game)) == ("redeal", 2, {"pass", "redeal"})
    do(game, "pass")
    assert (game.phase, game.declarer, game.contract) == ("exchange", 1, 120)


def test_barrel_own_turn_true_concession_as_usual() -> None:
    game = quiet(OWN.replace(concede="bid_60"), **FIRST)
    do(game, "concede")
    assert list(game.scores) == [60, 880, 60]
    assert list(game.barrel) == [None, 2, None]


def test_barrel_own_turn_true_is_not_doubled() -> None:
    """Played out with lowest cards: an attempt, or the win of rule 35; the others write their points once."""
    game = quiet(OWN, **FIRST)
    play_out(game)
    assert game.points[1] < 120
    assert (game.scores[1], game.barrel[1]) == (880, 2)
    assert [game.scores[seat] for seat in (0, 2)] == [(game.points[seat] + 2) // 5 * 5 for seat in (0, 2)]


@pytest.mark.parametrize("barrel_contract", [120, 130])
def test_barrel_own_turn_true_golden_goes_before(barrel_contract: int) -> None:
    game = quiet(OWN.replace(golden=True, barrel_contract=barrel_contract), **FIRST)
    assert (game.phase, game.declarer, game.contract) == ("exchange", 1, 120)


def test_barrel_own_turn_true_with_two_players_picks_a_talon() -> None:
    game = quiet(OWN.replace(players=2), scores=[0, 880], barrel=[None, 0])
    assert (game.phase, game.declarer, game.contract) == ("talon", 1, 120)
    assert legal(game) == {"talon A", "talon B"}
