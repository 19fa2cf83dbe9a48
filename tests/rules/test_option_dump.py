"""Option `dump`: самосвал, a total of exactly 555 becomes 0."""

from tests.rules.option_helpers import settle
from thousand_env import Rules

# Seat 2 takes 58 (+60); seat 0 takes 12 (+10).
POINTS = (12, 130, 58)


def test_dump_off() -> None:
    assert Rules().dump == "off"
    assert settle(Rules(), POINTS, scores=(0, 0, 495)).scores[2] == 555
    assert settle(Rules(), POINTS, scores=(-565, 0, 0)).scores[0] == -555


def test_dump_plus() -> None:
    """Case S15."""
    rules = Rules(dump="plus")
    assert settle(rules, POINTS, scores=(0, 0, 495)).scores == (10, 130, 0)
    assert settle(rules, POINTS, scores=(0, 0, 490)).scores[2] == 550
    assert settle(rules, POINTS, scores=(0, 0, 500)).scores[2] == 560
    assert settle(rules, POINTS, scores=(-565, 0, 0)).scores[0] == -555


def test_dump_plus_minus() -> None:
    rules = Rules(dump="plus_minus")
    assert settle(rules, POINTS, scores=(0, 0, 495)).scores[2] == 0
    assert settle(rules, POINTS, scores=(-565, 0, 0)).scores == (0, 130, 60)
    assert settle(rules, POINTS, contract=155, scores=(0, -400, 0)).scores[1] == 0


def test_dump_on_the_way_down() -> None:
    after = settle(Rules(dump="plus"), POINTS, contract=155, scores=(0, 710, 0))
    assert after.scores[1] == 0


def test_dump_several_at_once() -> None:
    after = settle(Rules(dump="plus"), POINTS, scores=(545, 425, 495))
    assert after.scores == (0, 0, 0)


def test_dump_looks_at_the_sitter() -> None:
    rules = Rules(players=4, dump="plus")
    after = settle(rules, (0, 130, 12, 58), talon="AS TH 9C", scores=(535, 0, 0, 0))
    assert after.scores[0] == 0


def test_dump_passes_over_players_on_the_barrel() -> None:
    rules = Rules(dump="plus", barrel_threshold=555)
    after = settle(rules, POINTS, scores=(0, 0, 500))
    assert (after.scores[2], after.barrel[2]) == (555, 0)


def test_dump_comes_after_the_falls() -> None:
    """675 − 120 = 555: off the barrel, so it is dumped."""
    rules = Rules(dump="plus", barrel_threshold=675)
    after = settle(rules, POINTS, scores=(0, 0, 675), barrel=(None, None, 2))
    assert (after.scores[2], after.barrel[2]) == (0, None)


def test_dump_after_a_concession_and_a_doubled_deal() -> None:
    after = settle(Rules(dump="plus", concede="bid_60"), conceded=True, scores=(495, 655, 0))
    assert after.scores == (0, 0, 60)
    golden = settle(Rules(dump="plus", golden=True), POINTS, contract=120, scores=(0, 295, 0))
    assert golden.scores[1] == 0
