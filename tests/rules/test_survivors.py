"""Rules that a small change of the engine could break unnoticed by the other files here: see tests/mutations.toml."""

import numba
import numpy as np
import pytest

from tests.differential import GAMMA, LOW_64, below, splitmix
from tests.rules.helpers import at_play, same
from tests.rules.helpers import do as play
from tests.rules.option_helpers import begin_play, bid_for, deal, do, legal, levels, play_out, quiet, settle
from thousand_env import Game, Rules
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


LOW, ACES, MIDDLE = "9S JS QS KS 9C JC QC KC", "AS TS AC TC AD TD AH TH", "9D JD QD KD 9H JH QH KH"


@pytest.mark.parametrize(
    ("observer", "hands", "swap"), [(0, (LOW, ACES, MIDDLE), "QH"), (1, (LOW, MIDDLE, ACES), "QC")]
)
def test_who_holds_four_aces_at_the_first_lead_is_hidden(observer: int, hands: tuple[str, ...], swap: str) -> None:
    """`held_at_first_lead`: nobody is told before the end, so four aces in another hand look like three."""
    other = {"AH": swap, swap: "AH"}
    apart = [" ".join(other.get(card, card) for card in hand.split()) for hand in hands]
    rules = Rules(ace_marriage="held_at_first_lead")
    one, two = at_play(*hands, rules=rules), at_play(*apart, rules=rules)
    assert same(one, two, observer)


def test_marriage_needs_trick_one_trick_is_enough() -> None:
    """P1 declares hearts, loses the trick, and wins nothing but the fourth."""
    hands = ("9H QS QC QD KC KD TC TD", "KH QH 9S 9C 9D JS JC JD", "AH TH JH AS TS KS AC AD")
    game = at_play(*hands, rules=Rules(marriage_needs_trick=True), episode="deal")
    play(
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


def test_four_aces_may_be_declared_once_in_every_deal() -> None:
    """`lead_ace`: once a deal, not once a match. Twelve cards, so that they meet in one hand often enough."""
    rules = Rules(
        ace_marriage="lead_ace",
        ranks="QKA",
        hand_size=3,
        talon_size=3,
        min_bid=10,
        bid_step=10,
        barrel=False,
        target=1_000_000,
        max_deals=None,
    )
    game = Game(rules, seed=1)
    declared: set[int] = set()
    while len(declared) < 2 and game.deal_number < 1000:
        names = sorted(legal(game), key=lambda name: (not name.startswith("aces"), name.startswith("give A"), name))
        if names[0].startswith("aces"):
            declared.add(game.deal_number)
        do(game, names[0])
    assert len(declared) == 2


def check_dealt_and_undone(game: Game, actions: list[str]) -> None:
    """The dealt cards stay known while a deal is played, and it goes back through the same positions."""
    dealt, before = game.dealt(), []
    for action in actions:
        before.append(game.clone())
        do(game, action)
        assert game.dealt() == dealt
    while before:
        game.undo()
        assert game == before.pop()


def test_cards_put_aside_stay_known_as_dealt() -> None:
    """The declarer puts aside cards of his own and cards of the talon."""
    three = quiet(Rules(exchange="discard_three"))
    check_dealt_and_undone(three, ["bid 100", "pass", "pass", "give 9C", "give 9H", "give AH", "play KS", "play QS"])
    two = quiet(Rules(players=2))
    check_dealt_and_undone(two, ["bid 100", "pass", "talon A", "give 9C", "give 9S", "play KS", "play TS"])


def test_declined_redeals_are_taken_back() -> None:
    game = quiet(Rules(redeal_hand_below=120))
    check_dealt_and_undone(game, ["pass", "pass", "pass", "bid 100", "pass", "pass", "give 9H", "give AH"])


@pytest.mark.parametrize("mode", ["lead_ace", "lead_ace_sets_trump"])
def test_aces_declared_automatically_are_taken_back(mode: str) -> None:
    hands = ("AS AC AD AH TS KS QS 9D", "9S JS 9C TC KC TD KD JD", "QC QD TH KH QH JH 9H JC")
    game = begin_play(Rules(ace_marriage=mode, marriage_declare="automatic"), *hands)
    check_dealt_and_undone(game, ["play AH", "play 9S", "play 9H"])


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
