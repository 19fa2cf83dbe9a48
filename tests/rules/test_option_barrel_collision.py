"""Option `barrel_collision`: another player climbs while one sits there."""

from tests.rules.option_helpers import settle
from thousand_env import Rules, ScoreSheet

# Case K13: seat 0 sits there with one attempt used, seat 2 climbs from 850 with 58, seat 1 is declarer.
K13 = {"scores": (880, 0, 850), "barrel": (1, None, None)}
KNOCK = Rules(barrel_collision="newcomer_knocks_off")
ALL = Rules(barrel_collision="all_fall")


def _k13(rules: Rules, **sheet: object) -> ScoreSheet:
    return settle(rules, (12, 130, 58), **(K13 | sheet))


def test_barrel_collision_coexist() -> None:
    assert Rules().barrel_collision == "coexist"
    after = _k13(Rules())
    assert after.scores == (880, 130, 880)
    assert after.barrel == (2, None, 0)


def test_barrel_collision_newcomer_knocks_off() -> None:
    after = _k13(KNOCK)
    assert after.scores == (760, 130, 880)
    assert after.barrel == (None, None, 0)


def test_barrel_collision_all_fall() -> None:
    after = _k13(ALL)
    assert after.scores == (760, 130, 760)
    assert after.barrel == (None, None, None)


def test_barrel_collision_nothing_without_a_newcomer() -> None:
    for rules in (KNOCK, ALL):
        after = settle(rules, (12, 130, 58), scores=(880, 0, 880), barrel=(1, None, 0))
        assert after.scores == (880, 130, 880)
        assert after.barrel == (2, None, 1)


def test_barrel_collision_nothing_for_a_lone_newcomer() -> None:
    for rules in (KNOCK, ALL):
        after = settle(rules, (12, 130, 58), scores=(0, 0, 850))
        assert (after.scores[2], after.barrel[2]) == (880, 0)


def test_barrel_collision_newcomers_of_one_deal_stay_together() -> None:
    newcomers = {"scores": (870, 0, 850), "barrel": (None, None, None)}
    after = _k13(KNOCK, **newcomers)
    assert after.scores == (880, 130, 880)
    assert after.barrel == (0, None, 0)
    after = _k13(Rules(), **newcomers)
    assert after.barrel == (0, None, 0)


def test_barrel_collision_all_fall_newcomers_of_one_deal() -> None:
    """Two are then on the barrel, so both fall."""
    after = _k13(ALL, scores=(870, 0, 850), barrel=(None, None, None))
    assert after.scores == (760, 130, 760)
    assert after.barrel == (None, None, None)


def test_barrel_collision_two_newcomers_and_one_who_sat_there() -> None:
    sheet = {"scores": (870, 880, 850), "barrel": (None, 0, None)}
    after = _k13(KNOCK, **sheet)
    assert after.scores == (880, 760, 880)
    assert after.barrel == (0, None, 0)
    after = _k13(ALL, **sheet)
    assert after.scores == (760, 760, 760)


def test_barrel_collision_knocks_off_all_who_sat_there() -> None:
    after = _k13(KNOCK, scores=(880, 880, 850), barrel=(0, 1, None))
    assert after.scores == (760, 760, 880)
    assert after.barrel == (None, None, 0)


def test_barrel_collision_comes_after_the_attempts() -> None:
    """Seat 0 falls with its last attempt and pays once; then seat 2 is alone up there."""
    for rules in (Rules(), KNOCK, ALL):
        after = _k13(rules, barrel=(2, None, None))
        assert after.scores == (760, 130, 880)
        assert after.barrel == (None, None, 0)


def test_barrel_collision_after_deduct_and_fall() -> None:
    """The declarer fails on the barrel and is gone before the newcomer is looked at."""
    sheet = {"scores": (0, 880, 850), "barrel": (None, 0, None)}
    for rules in (KNOCK, ALL):
        rules = rules.replace(barrel_failed_contract="deduct_and_fall")
        after = settle(rules, (12, 50, 58), contract=100, **sheet)
        assert after.scores == (10, 780, 880)
        assert after.barrel == (None, None, 0)


def test_barrel_collision_direct_jump_is_no_newcomer() -> None:
    after = _k13(KNOCK, scores=(880, 870, 0))
    assert after.winner == 1
    assert (after.scores[0], after.barrel[0]) == (880, 2)


def test_barrel_collision_newcomer_by_a_clamped_jump() -> None:
    after = _k13(KNOCK.replace(barrel_direct_jump_wins=False), scores=(880, 870, 0))
    assert after.scores == (760, 880, 60)
    assert after.barrel == (None, 0, None)


def test_barrel_collision_sitter_is_the_newcomer() -> None:
    sheet = {"scores": (865, 0, 880, 0), "barrel": (None, None, 0, None)}
    points = (0, 130, 12, 58)
    after = settle(KNOCK.replace(players=4), points, talon="AS TH 9C", **sheet)
    assert after.scores == (880, 130, 760, 60)
    assert after.barrel == (0, None, None, None)
    after = settle(ALL.replace(players=4), points, talon="AS TH 9C", **sheet)
    assert after.scores == (760, 130, 760, 60)
    assert after.barrel == (None, None, None, None)


def test_barrel_collision_sitter_is_knocked_off() -> None:
    sheet = {"scores": (880, 0, 0, 850), "barrel": (1, None, None, None)}
    for rules, newcomer in ((KNOCK, 880), (ALL, 760)):
        after = settle(rules.replace(players=4), (0, 130, 12, 58), talon="9S JC 9C", **sheet)
        assert after.scores == (760, 130, 10, newcomer)
        assert after.barrel[0] is None
