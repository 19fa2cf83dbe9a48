"""The heuristic agent: better than greedy, and what a club player knows, position by position."""

from __future__ import annotations

import numpy as np
import pytest

from baselines.greedy import GreedyAgent
from baselines.heuristic import HeuristicAgent
from tests.test_baselines import play
from thousand_env import Game, Rules, action_name
from thousand_env.cards import card_id


def at_first_lead(
    dealer: str, declarer: str, last: str, contract: int = 100, rules: Rules | None = None, **sheet
) -> Game:  # type: ignore[no-untyped-def]
    """Seat 1 leads as declarer; these are the hands of seats 0, 1 and 2 after the exchange.

    The talon held the declarer's last card and the two gifts, which are the others' last cards.
    """
    hands = [each.split() for each in (dealer, declarer, last)]
    game = Game.from_deal(
        rules or Rules(), [hand[:-1] for hand in hands], [hand[-1] for hand in hands], dealer=0, **sheet
    )
    game.apply(1 + (contract - 100) // 5)
    while game.phase == "auction":
        game.apply(0)
    for seat in (2, 0):
        game.apply(66 + card_id(hands[seat][-1]))
    assert [set(game.hands[seat]) for seat in range(3)] == [{card_id(card) for card in hand} for hand in hands]
    return game


def played(game: Game, *cards: str) -> Game:
    """The position after these cards."""
    for card in cards:
        game.apply(90 + card_id(card))
    return game


def thought(game: Game) -> str:
    """The text of what the heuristic agent does, which is legal."""
    assert game.seat is not None
    action = HeuristicAgent().act(game.view(game.seat))
    assert action in game.legal_actions()
    return action_name(action, game.rules)


def auction(hand: str, bids: str = "", seat: int = 1, **sheet) -> Game:  # type: ignore[no-untyped-def]
    """Seat 0 deals, ``seat`` has this hand, and these bids and passes have been made; nobody else has a marriage."""
    own = hand.split()
    rest = [card for card in (f"{rank}{suit}" for suit in "SCDH" for rank in "9TAJQK") if card not in own]
    hands = [rest[:7], rest[7:14]]
    hands.insert(seat, own)
    game = Game.from_deal(Rules(), hands, rest[14:], dealer=0, **sheet)
    for bid in bids.split():
        game.apply(0 if bid == "pass" else 1 + (int(bid) - 100) // 5)
    assert game.seat == seat
    return game


def test_beats_greedy_in_duplicate() -> None:
    differences = []
    for seed in range(250):
        of_deal = []
        for seats in ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2)):
            game = Game(seed=seed, episode="deal")
            play(game, [HeuristicAgent() if seat in seats else GreedyAgent() for seat in range(3)])
            own = np.mean([game.scores[seat] for seat in seats])
            of_deal.append(own - np.mean([game.scores[seat] for seat in range(3) if seat not in seats]))
        differences.append(np.mean(of_deal))
    assert np.mean(differences) > 2 * np.std(differences) / len(differences) ** 0.5


@pytest.mark.parametrize("preset", ["classic", "modern", "polish", "two_player"])
def test_matches_have_a_winner(preset: str) -> None:
    rules = Rules.preset(preset)
    won = 0
    for seed in range(30):
        game = Game(rules, seed=seed)
        play(game, [HeuristicAgent()] * rules.players)
        won += game.winner is not None
    assert won >= 28


def test_caution_is_checked_and_makes_it_pass() -> None:
    with pytest.raises(ValueError, match=r"caution=1.5 is not accepted: use a whole number"):
        HeuristicAgent(caution=1.5)  # type: ignore[arg-type]
    game = auction("AS TS AH TH KH QH AD", "100", seat=2)
    assert HeuristicAgent().act(game.view(2)) != 0
    assert HeuristicAgent(caution=500).act(game.view(2)) == 0


# Bidding


def test_bids_a_hand_with_a_marriage_and_passes_a_poor_one() -> None:
    assert thought(auction("AS TS AH TH KH QH AD", "100", seat=2)) == "bid 105"
    assert thought(auction("9S JS QS 9C JC 9D JD", "100", seat=2)) == "pass"


def test_takes_the_barrel_contract_to_win() -> None:
    assert thought(auction("9S JS KS AC TC 9D JD", barrel=[None, 0, None])) == "bid 120"


def test_holds_off_a_player_who_would_win_from_the_barrel() -> None:
    """Seat 2 is on the barrel and yet to bid: whoever takes 120 first leaves him no bid of exactly 120."""
    fair = "AS TS KS AC TC 9D JD"
    assert thought(auction(fair)) == "bid 100"
    assert thought(auction(fair, barrel=[None, None, 0])) == "bid 120"
    assert thought(auction("9S JS QS 9C JC 9D JD", barrel=[None, None, 0])) == "bid 100"


# Play


def test_cashes_what_nobody_can_trump_before_the_marriage() -> None:
    """Without a trump an ace on lead cannot lose; after the declaration it could be trumped."""
    game = at_first_lead("9S JS 9C TC KC KD TD 9H", "AC AD KH QH JH 9D JC QS", "TS KS AS QC QD JD AH TH")
    assert thought(game) in ("play AC", "play AD")


def test_declares_when_nothing_else_is_sure() -> None:
    game = at_first_lead("9S JS 9C AC KC KD AD 9H", "TC TD KH QH JH 9D JC QS", "TS KS AS QC QD JD AH TH")
    assert thought(game) in ("marry KH", "marry QH")


def test_the_last_player_takes_a_trick_of_points_as_cheaply_as_he_can() -> None:
    game = at_first_lead("AS TS 9C AC KC KD AD 9H", "KS JS KH QH JH 9D JC QC", "9S QS TC TD QD JD AH TH")
    played(game, "KS", "9S")
    assert thought(game) == "play TS"  # nothing is above the king but ace and ten, and both are his


def test_a_defender_puts_points_on_the_trick_of_the_other() -> None:
    """The declarer's king has lost to the ace; the last player cannot win and has a ten that is bare."""
    game = at_first_lead("TD 9C JC QC TH QH JH 9H", "KS JS AC KC TC AD QD AH", "AS TS QS 9S KD JD 9D KH", contract=120)
    played(game, "KS", "AS")
    assert thought(game) == "play TD"


def test_but_none_on_the_declarers() -> None:
    game = at_first_lead("TD 9C JC QC TH QH JH 9H", "AS JS AC KC TC AD QD AH", "KS TS QS 9S KD JD 9D KH", contract=120)
    played(game, "AS", "9S")
    assert thought(game) in ("play 9C", "play 9H", "play JC", "play JH")


@pytest.mark.parametrize("contract", [100, 300])
def test_a_lost_contract_is_played_on(contract: int) -> None:
    rules = Rules(bid_cap="none")
    game = at_first_lead(
        "9S JS 9C AC KC KD AD 9H", "TC TD KH QH JH 9D JC QS", "TS KS AS QC QD JD AH TH", contract, rules
    )
    play(game, [HeuristicAgent()] * 3, 24)
    assert game.deals_scored == 1
