"""Option `bolt_on_barrel`: bolts of a player who is on the barrel."""

from tests.rules.option_helpers import settle
from thousand_env import Rules, ScoreSheet

COUNTED = Rules(bolt_on_barrel="counted")


def _after(rules: Rules, bolts: int, attempts: int = 0, raw: int = 0, total: int = 880) -> ScoreSheet:
    """Seat 2 defends on the barrel; with raw points it wins a trick."""
    points = (30, 130 - raw, raw)
    return settle(rules, points, contract=100, scores=(0, 0, total), barrel=(None, None, attempts), bolts=(0, 0, bolts))


def test_bolt_on_barrel_frozen() -> None:
    """Rule 31: the counter stands still, with and without a trick."""
    assert Rules().bolt_on_barrel == "frozen"
    for bolts in range(3):
        for raw in (0, 20):
            after = _after(Rules(), bolts, raw=raw)
            assert (after.scores[2], after.barrel[2], after.bolts[2]) == (880, 1, bolts)


def test_bolt_on_barrel_frozen_still_holds_after_the_fall() -> None:
    after = _after(Rules(), 2, attempts=2)
    assert (after.scores[2], after.barrel[2], after.bolts[2]) == (760, None, 2)


def test_bolt_on_barrel_counted() -> None:
    """The counter runs, a trick clears it, the third bolt is fined and throws him off."""
    for bolts in range(2):
        after = _after(COUNTED, bolts)
        assert (after.scores[2], after.barrel[2], after.bolts[2]) == (880, 1, bolts + 1)
    assert _after(COUNTED, 2, raw=20).bolts[2] == 0
    assert _after(COUNTED.replace(bolt_mode="total"), 2, raw=20).bolts[2] == 2
    fined = _after(COUNTED, 2)
    assert (fined.scores[2], fined.barrel[2], fined.bolts[2]) == (760, None, 0)


def test_bolt_on_barrel_counted_is_a_fall_and_clears_the_attempts() -> None:
    after = settle(
        COUNTED.replace(barrel_third_fall_zero=True),
        (30, 130, 0),
        scores=(0, 0, 880),
        barrel=(None, None, 1),
        bolts=(0, 0, 2),
        falls=(0, 0, 1),
    )
    assert (after.scores[2], after.barrel[2], after.falls[2]) == (760, None, 2)


def test_bolt_on_barrel_counted_comes_on_top_of_the_last_attempt() -> None:
    """Each costs its own price once: 880 − 120 for the bolts − 120 for the attempt. It is one fall."""
    after = settle(
        COUNTED.replace(barrel_third_fall_zero=True),
        (30, 130, 0),
        scores=(0, 0, 880),
        barrel=(None, None, 2),
        bolts=(0, 0, 2),
    )
    assert (after.scores[2], after.barrel[2], after.bolts[2], after.falls[2]) == (640, None, 0, 1)


def test_bolt_on_barrel_counted_comes_on_top_of_a_failed_contract() -> None:
    rules = COUNTED.replace(barrel_failed_contract="deduct_and_fall", bolt_penalty=100)
    after = settle(rules, (60, 0, 60), contract=120, scores=(0, 880, 0), barrel=(None, 0, None), bolts=(0, 2, 0))
    assert (after.scores[1], after.barrel[1]) == (880 - 100 - 120, None)


def test_bolt_on_barrel_counted_need_not_throw_him_off() -> None:
    """If the fine leaves him at the threshold or above, he stays, and the deal is an attempt."""
    rules = COUNTED.replace(barrel_clamp=False, bolt_penalty=50)
    after = _after(rules, 2, total=950)
    assert (after.scores[2], after.barrel[2], after.bolts[2]) == (900, 1, 0)
    lower = _after(rules, 2, total=925)
    assert (lower.scores[2], lower.barrel[2]) == (875, None)
    free = _after(COUNTED.replace(bolt_penalty=0), 2)
    assert (free.scores[2], free.barrel[2]) == (880, 1)


def test_bolt_on_barrel_counted_not_for_a_winner() -> None:
    """A win goes before the bolt fine."""
    after = settle(
        COUNTED.replace(barrel_contract=100),
        (60, 100, 60),
        tricks=(4, 0, 4),
        contract=100,
        scores=(0, 880, 0),
        barrel=(None, 0, None),
        bolts=(0, 2, 0),
    )
    assert (after.scores[1], after.winner) == (1000, 1)


def test_bolt_on_barrel_counted_fine_goes_with_collisions() -> None:
    """Thrown off by the fine before the collisions: no second price."""
    rules = COUNTED.replace(barrel_collision="newcomer_knocks_off")
    after = settle(rules, (0, 130, 70), scores=(880, 0, 850), barrel=(0, None, None), bolts=(2, 0, 0))
    assert after.scores == (760, 130, 880)


def test_bolt_on_barrel_counted_not_on_a_conceded_deal() -> None:
    """Every active player's bolts stay as they are; the attempt is used."""
    sheet = {"scores": (0, 0, 880), "barrel": (None, None, 0), "bolts": (1, 1, 2)}
    after = settle(COUNTED.replace(concede="bid_60"), conceded=True, **sheet)
    assert (after.scores, after.bolts) == ((60, -100, 880), (1, 1, 2))
    assert after.barrel[2] == 1
