"""Contradictory options, wrong types, unknown names and bad values are errors that name the option and the value."""

import pytest

from tests.rules.option_helpers import Game, quiet
from thousand_env import Rules, RulesError

SMALL = {"ranks": "QKA", "hand_size": 3, "talon_size": 3, "min_bid": 10, "barrel": False}

# The message may put the blame on the sizes that go with the full deck.
USUAL_SIZES = {"hand_size": 7, "talon_size": 3}

# Each case: what is wrong (one of these pairs must be named), and what has to be set for it to be wrong.
CONTRADICTIONS = {
    "barrel with lock_at": ({"lock_at": 900}, {}),
    "barrel with lock_at, both said": ({"barrel": True, "lock_at": 800}, {}),
    "barrel_threshold at target": ({"barrel_threshold": 1000}, {}),
    "barrel_threshold above target": ({"barrel_threshold": 1200}, {}),
    "barrel_threshold not below a low target": ({"barrel_threshold": 880, "target": 880}, {}),
    "lock_at at target": ({"lock_at": 1000}, {"barrel": False}),
    "lock_at above target": ({"lock_at": 800, "target": 700}, {"barrel": False}),
    "barrel_contract between levels": ({"barrel_contract": 122}, {}),
    "barrel_contract below min_bid": ({"barrel_contract": 95}, {}),
    "barrel_contract above the top level": ({"barrel_contract": 425}, {}),
    "barrel_contract no level of another step": ({"barrel_contract": 125, "bid_step": 10}, {}),
    "barrel_contract above 120 under always_120": ({"barrel_contract": 125, "bid_cap": "always_120"}, {}),
    "direct jump without clamp": ({"barrel_direct_jump_wins": False, "barrel_clamp": False}, {}),
    "min_bid above 120": ({"min_bid": 125}, {"barrel_contract": 125}),
    "min_bid far above 120": ({"min_bid": 200}, {"barrel": False}),
    "dark without 120": ({"dark": True, "bid_step": 15}, {"barrel_contract": 115}),
    "dark without 120, no barrel": ({"dark": True, "min_bid": 110, "bid_step": 15}, {"barrel": False}),
    "golden with a small deck": ({"golden": True}, SMALL),
    "dark with a small deck": ({"dark": True}, SMALL),
    "beat_if_trumped without must_beat": ({"beat_if_trumped": True, "must_beat": False}, {}),
    "must_overtrump without must_trump": ({"must_overtrump": True, "must_trump": False}, {}),
    "free_bombs without concede": ({"free_bombs": 1}, {}),
    "dump with a target of 555": ({"dump": "plus", "target": 555}, {"barrel_threshold": 500}),
    "dump with a lower target": ({"dump": "plus_minus", "target": 300}, {"barrel_threshold": 200}),
    "discard_three with two players": ({"exchange": "discard_three", "players": 2}, {}),
    "too few cards": ({"hand_size": 6}, {}),
    "too many cards": ({"hand_size": 8}, {}),
    "talon too large": ({"talon_size": 4}, {}),
    "sizes for two": ({"hand_size": 11}, {"players": 2}),
    "deck left over": ({"ranks": "QKA"}, {"min_bid": 10, "barrel": False}),
    "suits left over": ({"suits": "SH"}, {"min_bid": 10, "barrel": False}),
    "give_one_each needs a talon of three": ({"hand_size": 6, "talon_size": 6}, {}),
    "give_one needs talons of two": ({"hand_size": 9, "talon_size": 3, "two_player": "give_one"}, {"players": 2}),
}


@pytest.mark.parametrize("case", CONTRADICTIONS)
def test_contradiction(case: str) -> None:
    wrong, setting = CONTRADICTIONS[case]
    with pytest.raises(RulesError) as caught:
        Rules(**wrong, **setting)
    message = str(caught.value)
    named = list(wrong.items()) + (list(USUAL_SIZES.items()) if "left over" in case else [])
    assert any(option in message and str(value) in message for option, value in named), message


@pytest.mark.parametrize("case", CONTRADICTIONS)
def test_contradiction_by_replace_and_from_dict(case: str) -> None:
    wrong, setting = CONTRADICTIONS[case]
    with pytest.raises(RulesError):
        Rules().replace(**wrong, **setting)
    with pytest.raises(RulesError):
        Rules.from_dict(Rules().to_dict() | wrong | setting)


NEIGHBOURS = {
    "lock_at without barrel": {"lock_at": 900, "barrel": False},
    "threshold just below target": {"barrel_threshold": 999},
    "lock just below target": {"lock_at": 995, "barrel": False},
    "barrel_contract at the top level": {"barrel_contract": 420},
    "barrel_contract at min_bid": {"barrel_contract": 100},
    "barrel_contract with own turn": {"barrel_contract": 125, "bid_cap": "always_120", "barrel_own_turn": True},
    "direct jump with clamp": {"barrel_direct_jump_wins": False},
    "no clamp with direct jump": {"barrel_clamp": False},
    "min_bid 120": {"min_bid": 120},
    "dark with a level of 120": {"dark": True, "min_bid": 60, "bid_step": 20},
    "dark at min_bid 120": {"dark": True, "min_bid": 120},
    "beat_if_trumped": {"beat_if_trumped": True},
    "must_overtrump": {"must_overtrump": True},
    "free_bombs with concede": {"free_bombs": 1, "concede": "bid_60"},
    "dump above 555": {"dump": "plus", "target": 560, "barrel_threshold": 500},
    "discard_three with three": {"exchange": "discard_three"},
    "discard_three with four": {"exchange": "discard_three", "players": 4},
    "small deck": SMALL,
    "sizes": {"hand_size": 6, "talon_size": 6, "exchange": "discard_three"},
    "sizes for two": {"hand_size": 9, "talon_size": 3, "players": 2},
}


@pytest.mark.parametrize("case", NEIGHBOURS)
def test_just_beside_a_contradiction_is_accepted(case: str) -> None:
    rules = Rules(**NEIGHBOURS[case])
    assert Game(rules, seed=1).seat is not None


# Options that can merely have no effect.
HARMLESS = {
    "set_aside with three": {"set_aside": "dead"},
    "two_player with three": {"two_player": "give_one"},
    "sitter_bonus with three": {"sitter_bonus": "none"},
    "exchange options with two": {"players": 2, "sitter_bonus": "marriage_only"},
    "concede_half without concede": {"concede_half": "up"},
    "concede_limit without concede": {"concede_limit": 3},
    "concede_half with bid_60": {"concede": "bid_60", "concede_half": "up"},
    "ace_marriage_value without aces": {"ace_marriage_value": 100},
    "barrel_threshold without barrel": {"barrel": False, "barrel_threshold": 1200},
    "barrel_threshold and a low target without barrel": {"barrel": False, "target": 500},
    "barrel_contract without barrel": {"barrel": False, "barrel_contract": 122},
    "barrel_contract off the levels of another step without barrel": {"barrel": False, "bid_step": 15},
    "barrel_clamp and jump without barrel": {
        "barrel": False,
        "barrel_clamp": False,
        "barrel_direct_jump_wins": False,
    },
    "barrel_* without barrel": {
        "barrel": False,
        "barrel_must_bid": True,
        "barrel_own_turn": True,
        "barrel_attempts": 1,
        "barrel_collision": "all_fall",
        "barrel_third_fall_zero": True,
        "barrel_failed_contract": "deduct_and_fall",
        "barrel_fall_penalty": 240,
        "barrel_win_bid": "at_least",
        "barrel_attempt_counts": "own_turn_only",
    },
    "bolt_* with bolts off": {"bolt_mode": "off", "bolt_limit": 2, "bolt_penalty": 60, "bolt_basis": "points"},
    "bolt_on_barrel without barrel": {"barrel": False, "bolt_on_barrel": "counted"},
    "gifts_face_up with cards put aside": {"gifts_face_up": True, "exchange": "discard_three"},
    "gate with automatic": {"marriage_gate": "after_own_trick", "marriage_declare": "automatic"},
    "jump_bids with an exact opening": {"jump_bids": False, "opening": "first_hand_exact"},
    "silence with golden and dark": {"silence_below": -120, "golden": True, "dark": True},
    "overtrump and beat": {"must_overtrump": True, "beat_if_trumped": True},
    "both redeals on the talon": {"redeal_talon_below": 5, "redeal_talon_nines": 2},
}


@pytest.mark.parametrize("case", HARMLESS)
def test_options_without_effect_are_accepted(case: str) -> None:
    rules = Rules(**HARMLESS[case])
    assert Game(rules, seed=1).seat is not None


ENUMERATED = {
    "opening": ["first_hand_min", "first_hand_exact", "dealer_exact", "dealer_last_resort", "none"],
    "bid_cap": ["held", "any_with_marriage", "always_120", "none"],
    "talon_reveal": ["contested", "always", "never"],
    "exchange": ["give_one_each", "discard_three"],
    "marriage_gate": ["on_lead", "after_own_trick", "after_first_trick"],
    "marriage_declare": ["optional", "automatic"],
    "trump_effect": ["immediate", "next_trick"],
    "ace_marriage": ["off", "lead_ace", "lead_ace_sets_trump", "held_at_first_lead"],
    "declarer_score": ["taken", "bid", "max"],
    "contract_check": ["raw", "rounded"],
    "rounding": ["nearest5", "nearest10", "down5", "none"],
    "barrel_win_bid": ["exact", "at_least"],
    "barrel_attempt_counts": ["every_deal", "declarer_only", "own_turn_only"],
    "barrel_failed_contract": ["attempt_only", "deduct_and_fall"],
    "barrel_collision": ["coexist", "newcomer_knocks_off", "all_fall"],
    "bolt_mode": ["consecutive", "total", "off"],
    "bolt_on_barrel": ["frozen", "counted"],
    "bolt_basis": ["tricks", "points"],
    "tie": ["highest", "declarer_first"],
    "concede": ["off", "bid_60", "120_60", "half_bid"],
    "concede_half": ["down", "up"],
    "dump": ["off", "plus", "plus_minus"],
    "redeal_four_nines": ["off", "optional", "mandatory"],
    "two_player": ["two_talons", "give_one"],
    "set_aside": ["last_trick", "dead"],
    "sitter_bonus": ["talon_points", "none", "marriage_only", "ace_and_marriage"],
}


@pytest.mark.parametrize("option", ENUMERATED)
@pytest.mark.parametrize("bad", ["sometimes", "", None, 3, True])
def test_bad_value_of_an_enumerated_option(option: str, bad: object) -> None:
    """The message names the option, the value and what would be accepted."""
    with pytest.raises(RulesError) as caught:
        Rules(**{option: bad})
    message = str(caught.value)
    assert option in message
    assert repr(bad) in message or str(bad) in message
    assert all(value in message for value in ENUMERATED[option])


@pytest.mark.parametrize("option", ENUMERATED)
def test_every_value_of_an_enumerated_option_is_accepted(option: str) -> None:
    for value in ENUMERATED[option]:
        assert getattr(Rules(**{option: value}), option) == value


BOOLEANS = (
    "jump_bids raise_after_talon gifts_face_up marriage_needs_trick must_beat beat_if_trumped must_trump "
    "must_overtrump barrel barrel_clamp barrel_direct_jump_wins barrel_must_bid barrel_own_turn barrel_third_fall_zero "
    "bolt_declarer golden dark"
)


@pytest.mark.parametrize("option", BOOLEANS.split())
@pytest.mark.parametrize("bad", [1, 0, "yes", "True", None, 1.0])
def test_wrong_type_of_a_switch(option: str, bad: object) -> None:
    with pytest.raises(RulesError) as caught:
        Rules(**{option: bad})
    assert option in str(caught.value)
    assert repr(bad) in str(caught.value) or str(bad) in str(caught.value)


INTEGERS = (
    "players target min_bid bid_step ace_marriage_value barrel_threshold barrel_contract barrel_fall_penalty "
    "bolt_limit bolt_penalty free_bombs"
)
OPTIONAL_INTEGERS = (
    "barrel_attempts lock_at concede_limit silence_below redeal_hand_below redeal_talon_below "
    "redeal_talon_nines max_deals"
)


@pytest.mark.parametrize("option", (INTEGERS + " " + OPTIONAL_INTEGERS).split())
@pytest.mark.parametrize("bad", ["3", 100.5, 3.0, True, [3], {}])
def test_wrong_type_of_a_number(option: str, bad: object) -> None:
    with pytest.raises(RulesError) as caught:
        Rules(**{option: bad})
    assert option in str(caught.value)
    assert repr(bad) in str(caught.value) or str(bad) in str(caught.value)


@pytest.mark.parametrize("option", INTEGERS.split())
def test_none_is_no_number(option: str) -> None:
    with pytest.raises(RulesError) as caught:
        Rules(**{option: None})
    assert option in str(caught.value)


@pytest.mark.parametrize("option", OPTIONAL_INTEGERS.split())
def test_none_is_accepted_where_the_table_says_so(option: str) -> None:
    assert getattr(Rules(**{option: None}), option) is None


BAD_NUMBERS = {
    "players": [0, 1, 5, -3],
    "target": [0, -1000],
    "min_bid": [-100],
    "bid_step": [0, -5],
    "barrel_attempts": [0, 6, -1],
    "bolt_limit": [0, -1],
    "max_deals": [0, -1],
    "concede_limit": [-1],
    "free_bombs": [-1],
    "barrel_fall_penalty": [-120],
    "bolt_penalty": [-120],
}


@pytest.mark.parametrize(("option", "bad"), [(option, bad) for option, values in BAD_NUMBERS.items() for bad in values])
def test_bad_number(option: str, bad: int) -> None:
    with pytest.raises(RulesError) as caught:
        Rules(**{option: bad})
    assert option in str(caught.value)
    assert str(bad) in str(caught.value)


@pytest.mark.parametrize(
    "bad",
    [
        {"S": 40, "C": 60, "D": 80},
        {"S": 40, "C": 60, "D": 80, "H": 100, "X": 1},
        {"S": 40, "C": 60, "D": 80, "X": 100},
        {"S": 40, "C": 60, "D": 80, "H": "100"},
        {"S": 40, "C": 60, "D": 80, "H": 0.5},
        40,
        None,
        "SCDH",
    ],
)
def test_bad_marriage_values(bad: object) -> None:
    with pytest.raises(RulesError) as caught:
        Rules(marriage_values=bad)
    assert "marriage_values" in str(caught.value)


@pytest.mark.parametrize(
    ("option", "bad"),
    [("ranks", "QKX"), ("ranks", ""), ("ranks", "QQK"), ("ranks", 3), ("suits", "SX"), ("suits", ""), ("suits", "SS")],
)
def test_bad_deck(option: str, bad: object) -> None:
    with pytest.raises(RulesError) as caught:
        Rules(**{option: bad}, hand_size=3, talon_size=3, min_bid=10, barrel=False)
    assert option in str(caught.value)


@pytest.mark.parametrize("option", ["hand_size", "talon_size"])
@pytest.mark.parametrize("bad", ["7", 7.0, 0, -1, 100, True])
def test_bad_size(option: str, bad: object) -> None:
    with pytest.raises(RulesError) as caught:
        Rules(**{option: bad})
    assert option in str(caught.value)
    assert str(bad) in str(caught.value)


def test_unknown_names() -> None:
    for make in (
        lambda: Rules(barell=True),
        lambda: Rules().replace(barell=True),
        lambda: Rules.from_dict(Rules().to_dict() | {"barell": True}),
    ):
        with pytest.raises(RulesError) as caught:
            make()
        assert "barell" in str(caught.value)


def test_unknown_preset() -> None:
    with pytest.raises(ValueError) as caught:
        Rules.preset("clasic")
    message = str(caught.value)
    assert "clasic" in message
    for name in ("classic", "modern", "polish", "lithuanian", "two_player", "four_player", "mini2", "mini3"):
        assert name in message


def test_rules_error_is_a_value_error() -> None:
    assert issubclass(RulesError, ValueError)
    assert quiet(Rules()).seat == 1
