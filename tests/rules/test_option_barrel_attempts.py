"""Option `barrel_attempts`: how many deals a player may stay on the barrel."""

from tests.rules.option_helpers import settle
from thousand_env import Rules, ScoreSheet


def _after(attempts: int | None, used: int) -> ScoreSheet:
    """The sheet after one more deal in which the barrel player defends."""
    return settle(Rules(barrel_attempts=attempts), (12, 130, 58), scores=(0, 0, 880), barrel=(None, None, used))


def _allows(attempts: int) -> None:
    for used in range(attempts - 1):
        stays = _after(attempts, used)
        assert (stays.scores[2], stays.barrel[2]) == (880, used + 1)
    falls = _after(attempts, attempts - 1)
    assert (falls.scores[2], falls.barrel[2]) == (760, None)


def test_barrel_attempts_3() -> None:
    """Case K10."""
    assert Rules().barrel_attempts == 3
    _allows(3)


def test_barrel_attempts_3_counted_from_the_climb() -> None:
    """Case K15: three deals after K1."""
    sheet = settle(Rules(), (12, 130, 58), scores=(0, 0, 850))
    seen = []
    for declarer, points in ((1, (0, 120, 40)), (2, (0, 90, 110)), (1, (15, 120, 25))):
        assert sheet.barrel[2] is not None
        sheet = settle(
            Rules(),
            points,
            declarer=declarer,
            contract=110,
            scores=(0, 0, sheet.scores[2]),
            barrel=(None, None, sheet.barrel[2]),
        )
        seen.append((sheet.scores[2], sheet.barrel[2]))
    assert seen == [(880, 1), (880, 2), (760, None)]


def test_barrel_attempts_1() -> None:
    _allows(1)


def test_barrel_attempts_2() -> None:
    _allows(2)


def test_barrel_attempts_4() -> None:
    _allows(4)


def test_barrel_attempts_5() -> None:
    _allows(5)


def test_barrel_attempts_none() -> None:
    """Unlimited: he never falls, however long he sits there."""
    for used in (0, 2, 5, 50):
        stays = _after(None, used)
        assert stays.scores[2] == 880
        assert stays.barrel[2] is not None
    sheet = ScoreSheet.start(Rules(barrel_attempts=None), scores=(0, 0, 880), barrel=(None, None, 0))
    for _ in range(300):
        sheet = settle(Rules(barrel_attempts=None), (12, 130, 58), scores=(0, 0, 880), barrel=sheet.barrel)
        assert (sheet.scores[2], sheet.barrel[2] is None) == (880, False)
