"""Known endings, each with its reasoning in a line, and positions made from cards alone."""

from __future__ import annotations

from typing import Any

import pytest

from tests.solver_brute import action_points
from thousand_env import DealError, Game, Rules, action_name, solver

CLASSIC = Rules()


def ending(hands: str, rules: Rules = CLASSIC, **facts: Any) -> Game:
    """A position with the declarer in seat 1, hands by seat between bars, checked against brute force."""
    game = solver.position(rules, hands.split("|"), declarer=1, **facts)
    expected = {action: points[1] for action, points in action_points(game, True).items()}
    assert solver.action_values(game) == expected
    return game


def values(game: Game) -> dict[str, int]:
    return {action_name(action, game.rules): value for action, value in solver.action_values(game).items()}


def test_the_ace_is_cashed_before_the_marriage_is_declared() -> None:
    """AS takes JS and an ace (a heart thrown would free the king to ruff AC): 24, then 100 and no more trick.

    Declaring at once loses the lead for good, and with it the ace of spades: 100.
    """
    game = ending("AH TH AC | KH QH AS | KS QS JS")
    found = values(game)
    assert found["play AS"] == 124 == solver.value(game)
    assert found["marry KH"] == found["marry QH"] == 100
    assert found["play KH"] < 100


def test_a_defender_declares_so_that_he_must_ruff_an_ace() -> None:
    """AS takes the queen and the ten, 24; then the king, a trump now, must ruff AC. Undeclared, AC wins 15 too."""
    game = ending("KS QS | AS AC | TS 9C", leader=0)
    assert values(game) == {"marry QS": 24, "marry KS": 25, "play QS": 39, "play KS": 39}


def test_who_must_beat_cannot_duck() -> None:
    """QH draws the ace and the ten takes the jack: 12. Without the duty the jack ducks and the ace takes the ten."""
    hands = "9C 9D | QH TH | AH JH"
    assert values(ending(hands, CLASSIC)) == {"play QH": 12, "play TH": 5}
    free = CLASSIC.replace(must_beat=False)
    assert values(ending(hands, free)) == {"play QH": 5, "play TH": 5}


def test_a_marriage_without_a_trick_lapses_where_the_rules_say_so() -> None:
    """AH and TH take both halves. The bonus stays, or lapses with a player who has won no trick."""
    short = {"ranks": "QKTA", "suits": "SCH", "hand_size": 3, "talon_size": 3, "exchange": "discard_three"}
    small = Rules(**short, min_bid=10, bid_step=10)
    hands = "QS KS TS | KH QH QC | AH TH AC"
    assert values(ending(hands, small))["marry QH"] == 100
    assert values(ending(hands, small.replace(marriage_needs_trick=True)))["marry QH"] == 0


def test_what_a_defender_declares_is_not_the_declarers_to_lose() -> None:
    """The declarer can win no trick, so that his 60 lapse; the defenders declare on the way, which changes nothing."""
    rules = Rules(exchange="discard_three", hand_size=6, talon_size=6, marriage_needs_trick=True)
    game = ending("AC KD TD JH QH KH | QS QC KC 9D JD QD | JS TS 9C TC AD AH", rules)
    assert solver.value(game) == 0 and set(values(game).values()) == {0}
    assert not solver.makes(game, 1)


def test_the_last_trick_is_kept_for_the_cards_put_aside() -> None:
    """The nine goes first; the ace takes the last trick, TS and the 20 points put aside. Dead, they change nothing."""
    rules = Rules.preset("two_player")
    hands, aside = "TS JC | AS 9C", "KH QH AD JD"
    assert values(ending(hands, rules, set_aside=aside.split())) == {"play AS": 21, "play 9C": 41}
    dead = rules.replace(set_aside="dead")
    assert values(ending(hands, dead, set_aside=aside.split())) == {"play AS": 21, "play 9C": 21}


def test_a_smothered_trump_falls_with_the_ruff() -> None:
    """Nobody else has diamonds: AS must ruff and TS under-ruff, 21, and KH takes the rest; so it does at once."""
    assert values(ending("9D 9H | AS KH | TS JH", leader=0, trump="S")) == {"play 9D": 27, "play 9H": 27}


def test_positions_that_cannot_be_are_refused() -> None:
    def refused(says: str, hands: str, rules: Rules = CLASSIC, **facts: Any) -> None:
        with pytest.raises(DealError, match=says):
            solver.position(rules, hands.split("|"), **{"declarer": 1, **facts})

    refused("hands has 2 hands: give one for each of the 3 seats", "AS|KS")
    refused("hands of 1, 2, 1 cards: give 3 seats equally many", "AS|KS QS|TS")
    refused("hands of 0 cards: they have from 1 to 8", "||")
    refused("AS is there twice", "AS|KS|AS")
    refused("hand of seat 2: '1S' is no card", "AS|KS|1S")
    refused("declarer=3 is not accepted: use one of 0, 1, 2", "AS|KS|TS", declarer=3)
    refused("leader=5 is not accepted", "AS|KS|TS", leader=5)
    refused("declarer=True is not accepted", "AS|KS|TS", declarer=True)
    refused("declarer=1.0 is not accepted", "AS|KS|TS", declarer=1.0)
    refused("leader='1' is not accepted", "AS|KS|TS", leader="1")
    refused("contract=-1 is not accepted: use an integer from 0 to 32767, or None", "AS|KS|TS", contract=-1)
    refused("contract=1000000000 is not accepted", "AS|KS|TS", contract=10**9)
    refused("contract='x' is not accepted", "AS|KS|TS", contract="x")
    refused("contract=1.5 is not accepted", "AS|KS|TS", contract=1.5)
    refused("rules='classic' is not accepted: use Rules", "AS|KS|TS", rules="classic")  # type: ignore[arg-type]
    refused("trump='X' is not accepted", "AS|KS|TS", trump="X")
    refused("9S is not in the deck", "9S|KS|QS", Rules.preset("mini3"))
    refused("declarer=0 is not accepted: use one of 1, 2, 3", "|AS|KS|TS", Rules.preset("four_player"), declarer=0)
    refused("give 3 seats equally many, a sitter none", "9S|AS|KS|TS", Rules.preset("four_player"))
    refused("leader=0 is not accepted: the declarer", "QS QH|KS KH|AS AH", Rules.preset("mini3"), leader=0)
