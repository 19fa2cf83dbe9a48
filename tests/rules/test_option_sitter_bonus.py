"""Option `sitter_bonus`: what the dealer who sits out gets from the talon."""

import pytest

from tests.rules.option_helpers import bid_for, do, play_out, quiet, settle
from thousand_env import Rules

FOUR = Rules(players=4)


def _bonus(mode: str, talon: str, **options: object) -> int:
    """What the sitter writes."""
    after = settle(FOUR.replace(sitter_bonus=mode, **options), (0, 130, 12, 58), talon=talon)
    assert after.bolts[0] == 0
    return after.scores[0]


def test_sitter_bonus_talon_points() -> None:
    """Case P4: 21 is written as 20. K and Q of one suit add the marriage."""
    assert Rules().sitter_bonus == "talon_points"
    assert _bonus("talon_points", "AS TH 9C") == 20
    assert _bonus("talon_points", "AS AC AD") == 35
    assert _bonus("talon_points", "KH QH 9S") == 105
    assert _bonus("talon_points", "KH QD 9S") == 5
    assert _bonus("talon_points", "9H 9D 9S") == 0


def test_sitter_bonus_none() -> None:
    for talon in ("AS TH 9C", "KH QH 9S", "AS AC AD"):
        assert _bonus("none", talon) == 0


def test_sitter_bonus_marriage_only() -> None:
    assert _bonus("marriage_only", "AS TH 9C") == 0
    assert [_bonus("marriage_only", f"K{suit} Q{suit} A{suit}") for suit in "SCDH"] == [40, 60, 80, 100]


def test_sitter_bonus_ace_and_marriage() -> None:
    assert _bonus("ace_and_marriage", "AS TH 9C") == 50
    assert _bonus("ace_and_marriage", "AS AC AD") == 150
    assert _bonus("ace_and_marriage", "AS KD QD") == 130
    assert _bonus("ace_and_marriage", "TS KD QH") == 0


def test_sitter_bonus_uses_the_values_of_the_rules() -> None:
    values = {"S": 100, "C": 80, "D": 60, "H": 40}
    assert _bonus("talon_points", "KS QS 9C", marriage_values=values) == 105
    assert _bonus("marriage_only", "KS QS 9C", marriage_values=values) == 100
    assert _bonus("ace_and_marriage", "KS QS AC", marriage_values=values) == 150


def test_sitter_bonus_is_rounded_like_everything() -> None:
    assert _bonus("talon_points", "AS TH QC", rounding="nearest10") == 20
    assert _bonus("talon_points", "AS TH KC", rounding="nearest10") == 30
    assert _bonus("talon_points", "AS TH KC") == 25
    assert _bonus("talon_points", "AS TH QC", rounding="down5") == 20
    assert _bonus("talon_points", "AS TH QC", rounding="none") == 24


def test_sitter_bonus_the_cards_still_count_for_whoever_wins_them() -> None:
    game = play_out(bid_for(quiet(FOUR), 1, 100))
    assert sum(game.points) == 120
    assert game.scores[0] == 20


@pytest.mark.parametrize("mode", ["talon_points", "none", "marriage_only", "ace_and_marriage"])
def test_sitter_bonus_is_written_with_a_conceded_deal_too(mode: str) -> None:
    """The talon of the quiet deal is 9C TD AH."""
    game = do(bid_for(quiet(FOUR.replace(sitter_bonus=mode, concede="bid_60")), 1, 110), "concede")
    bonus = {"talon_points": 20, "none": 0, "marriage_only": 0, "ace_and_marriage": 50}[mode]
    assert list(game.scores) == [bonus, -110, 60, 60]


def test_sitter_bonus_on_the_barrel() -> None:
    """A sitter on the barrel scores nothing, and the deal is not one of his attempts; a bonus can lift him on to it."""
    points = (0, 130, 12, 58)
    sits = settle(FOUR, points, talon="AS TH 9C", scores=(880, 0, 0, 0), barrel=(2, None, None, None))
    assert (sits.scores[0], sits.barrel[0]) == (880, 2)
    climbs = settle(FOUR, points, talon="AS TH 9C", scores=(860, 0, 0, 0))
    assert (climbs.scores[0], climbs.barrel[0]) == (880, 0)
    above = settle(FOUR, points, talon="AS TH 9C", scores=(875, 0, 0, 0))
    assert (above.scores[0], above.barrel[0]) == (880, 0)


def test_sitter_bonus_can_win() -> None:
    after = settle(FOUR, (0, 130, 12, 58), talon="KH QH AS", scores=(875, 0, 0, 0))
    assert (after.scores[0], after.winner) == (880, None)
    after = settle(FOUR.replace(barrel=False), (0, 130, 12, 58), talon="KH QH AS", scores=(885, 0, 0, 0))
    assert (after.scores[0], after.winner) == (1005, 0)
