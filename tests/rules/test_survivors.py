"""Rules that a small change of the engine could break unnoticed by the other files here: found by tests/mutations.toml."""

import numba
import numpy as np
import pytest

from tests.differential import GAMMA, LOW_64, below, splitmix
from tests.rules.helpers import at_play, do
from tests.rules.option_helpers import bid_for, deal, legal, levels, play_out, quiet, settle
from thousand_env import Rules
from thousand_env.engine import deck
from thousand_env.engine.playout import play_randomly
from thousand_env.engine.state import OVER, STATE_DTYPE
from thousand_env.rules_record import pack_rules


@pytest.mark.parametrize("bid", range(100, 425, 5))
def test_bid_cap_none_every_higher_level_is_offered(bid: int) -> None:
    """The 65 levels lie in two words of the legal set: none is lost where they meet."""
    game = do(quiet(Rules(bid_cap="none")), f"bid {bid}")
    assert legal(game) == {"pass"} | levels(bid + 5, 420)


@pytest.mark.parametrize("bid", [60, 65, 120, 370, 375, 380])
def test_bid_cap_none_every_higher_level_is_offered_from_another_minimum(bid: int) -> None:
    game = do(quiet(Rules(bid_cap="none", min_bid=60)), f"bid {bid}")
    assert legal(game) == {"pass"} | levels(bid + 5, 380)


def test_dark_bids_are_above_a_minimum_of_120_that_the_dealer_holds() -> None:
    """3.1: a dark bid is above the dealer's minimum, so with a minimum of 120 only where more may be bid."""
    rules = Rules(dark=True, opening="dealer_exact", min_bid=120)
    assert quiet(rules).phase == "auction"
    assert legal(quiet(rules.replace(bid_cap="none"))) == {"pass"} | levels(125, 440)


@pytest.mark.parametrize("seat", [1, 2, 3])
def test_aces_held_at_first_lead_with_four_players(seat: int) -> None:
    """`held_at_first_lead`: whichever of the three holds them."""
    rules = Rules(players=4, ace_marriage="held_at_first_lead")
    game = bid_for(deal(rules, {seat: "AS AC AD AH"}), seat, 100 if seat == 1 else 105)
    for _ in range(2):
        do(game, min(name for name in legal(game) if name[5] != "A"))
    do(game, "play AS")
    play_out(game)
    assert game.tricks_won[seat] > 0
    assert sum(game.points) == 120 + 200


def test_marriage_needs_trick_one_trick_is_enough() -> None:
    """P1 declares hearts, loses the trick, and wins nothing but the fourth."""
    hands = ("9H QS QC QD KC KD TC TD", "KH QH 9S 9C 9D JS JC JD", "AH TH JH AS TS KS AC AD")
    game = at_play(*hands, rules=Rules(marriage_needs_trick=True), episode="deal")
    do(
        game,
        "P1 marry KH; P2 play AH; P0 play 9H; P2 play AS; P0 play QS; P1 play 9S; P2 play TS; P0 play QC; P1 play JS; "
        "P2 play KS; P0 play QD; P1 play QH; P1 play 9C; P2 play AC; P0 play TC; P2 play AD; P0 play TD; P1 play 9D; "
        "P2 play TH; P0 play KC; P1 play JC; P2 play JH; P0 play KD; P1 play JD",
    )
    assert list(game.tricks_won) == [0, 1, 7]
    assert game.points[1] == 100 + 10
    assert game.scores[1] == 110


@pytest.mark.parametrize(
    ("contract", "down", "up"),
    [(101, 50, 55), (104, 50, 55), (106, 50, 55), (109, 50, 55), (110, 55, 55), (111, 55, 60), (120, 60, 60)],
)
def test_concede_half_of_a_contract_that_is_no_multiple_of_five(contract: int, down: int, up: int) -> None:
    rules = Rules(concede="half_bid", bid_step=1)
    assert settle(rules.replace(concede_half="down"), conceded=True, contract=contract).scores == (
        down,
        -contract,
        down,
    )
    assert settle(rules.replace(concede_half="up"), conceded=True, contract=contract).scores == (up, -contract, up)


@pytest.mark.parametrize("dealer", [0, 1, 2])
@pytest.mark.parametrize("declarer", [0, 1, 2])
def test_a_concession_is_counted_on_the_declarer(dealer: int, declarer: int) -> None:
    """Limit and free bombs are counted per player: on who conceded, wherever he sits."""
    after = settle(Rules(concede="bid_60"), conceded=True, contract=105, dealer=dealer, declarer=declarer)
    assert after.concessions == tuple(int(seat == declarer) for seat in range(3))


def unmixed(value: int) -> int:
    """The number that SplitMix64 mixes into a given one."""

    def shifted_back(value: int, shift: int) -> int:
        result = value
        for _ in range(64 // shift):
            result = value ^ result >> shift
        return result

    value = shifted_back(value, 31) * pow(0x94D049BB133111EB, -1, 2**64) & LOW_64
    value = shifted_back(value, 27) * pow(0xBF58476D1CE4E5B9, -1, 2**64) & LOW_64
    return shifted_back(value, 30)


@numba.njit
def draw(stream, bound):
    """The generator of the engine, for Python."""
    return deck.below(stream, bound)


@pytest.mark.parametrize("bound", [3, 5, 7, 11, 13, 17, 19, 21, 23])
def test_draws_are_exactly_uniform(bound: int) -> None:
    """Lemire's rejection at its edge: of the 32-bit numbers just those are drawn again that are too many."""
    too_many = 2**32 % bound
    for low in range(bound):
        number = low * pow(bound, -1, 2**32) % 2**32  # its product with the bound ends in ``low``
        stream = (unmixed(number << 32) - GAMMA) & LOW_64
        assert next(splitmix(stream)) >> 32 == number
        with np.errstate(over="ignore"):
            moved, drawn = draw(np.uint64(stream), bound)
        assert drawn == below(splitmix(stream), bound)
        assert ((int(moved) - stream) & LOW_64 != GAMMA) == (low < too_many)


def test_random_play_draws_all_legal_actions_equally_often() -> None:
    """The playout of compiled code, at an opening with five legal bids."""
    rules = pack_rules(Rules(bid_cap="always_120"))
    states = np.zeros(1, STATE_DTYPE)
    counts = np.zeros(7, int)
    for seed in range(1000):
        states["phase"] = OVER
        matches, action = play_randomly(states, rules, np.uint64(seed), 1)
        assert matches == 1
        counts[action] += 1
    assert counts[0] == counts[6] == 0
    assert counts[1:6].min() > 140
    assert counts[1:6].max() < 260
