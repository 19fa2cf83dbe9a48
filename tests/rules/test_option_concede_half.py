"""Option `concede_half`: half a bid, to a multiple of 5."""

from tests.rules.option_helpers import settle
from thousand_env import Rules


def _halves(half: str) -> list[tuple[int, ...]]:
    rules = Rules(concede="half_bid", concede_half=half)
    return [settle(rules, conceded=True, contract=contract).scores for contract in (100, 105, 110, 125)]


def test_concede_half_down() -> None:
    assert Rules().concede_half == "down"
    assert _halves("down") == [(50, -100, 50), (50, -105, 50), (55, -110, 55), (60, -125, 60)]


def test_concede_half_up() -> None:
    assert _halves("up") == [(50, -100, 50), (55, -105, 55), (55, -110, 55), (65, -125, 65)]


def test_concede_half_concerns_half_bid_only() -> None:
    for concede in ("bid_60", "120_60"):
        for half in ("down", "up"):
            rules = Rules(concede=concede, concede_half=half)
            assert settle(rules, conceded=True, contract=125).scores[::2] == (60, 60)
