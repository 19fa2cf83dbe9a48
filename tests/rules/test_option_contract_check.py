"""Option `contract_check`: are raw or rounded points compared with the contract?"""

from tests.rules.option_helpers import settle
from thousand_env import Rules


def _declarer(raw: int, contract: int, **options: object) -> int:
    return settle(Rules(**options), (0, raw, 160 - raw), contract=contract).scores[1]


def test_contract_check_raw() -> None:
    """Case S4: 118 would be written as 120 and yet fails."""
    assert Rules().contract_check == "raw"
    assert _declarer(118, 120) == -120
    assert _declarer(119, 120) == -120
    assert _declarer(120, 120) == 120


def test_contract_check_rounded() -> None:
    assert _declarer(118, 120, contract_check="rounded") == 120
    assert _declarer(117, 120, contract_check="rounded") == -120


def test_contract_check_rounded_follows_the_rounding() -> None:
    assert _declarer(115, 120, contract_check="rounded", rounding="nearest10") == 120
    assert _declarer(114, 120, contract_check="rounded", rounding="nearest10") == -120
    assert _declarer(119, 120, contract_check="rounded", rounding="down5") == -120
    assert _declarer(119, 120, contract_check="rounded", rounding="none") == -120


def test_contract_check_rounded_can_also_fail_what_raw_makes() -> None:
    assert _declarer(122, 122, bid_step=2) == 120
    assert _declarer(122, 122, bid_step=2, contract_check="rounded") == -122


def test_contract_check_rounded_on_the_barrel() -> None:
    sheet = {"scores": (0, 880, 0), "barrel": (None, 0, None)}
    assert settle(Rules(), (12, 118, 30), contract=120, **sheet).winner is None
    assert settle(Rules(contract_check="rounded"), (12, 118, 30), contract=120, **sheet).winner == 1
