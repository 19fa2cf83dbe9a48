"""Which game an episode is: seeds, and the options of a reset."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from thousand_env import DealError, Game, Rules, RulesError, episode_seed
from thousand_env.episodes import Episodes
from thousand_env.keywords import as_rules, flag, one_of

HANDS = ["9S JS QS KS TS AS 9C", "JC QC KC TC AC 9D JD", "QD KD TD AD 9H JH QH"]
TALON = "KH TH AH"


def test_the_eth_episode_is_the_game_of_its_seed() -> None:
    episodes = Episodes(Rules(), "match")
    assert episodes.begin(seed=5) == Game(seed=episode_seed(5, 0))
    assert episodes.begin() == Game(seed=episode_seed(5, 1))
    assert episodes.begin() == Game(seed=episode_seed(5, 2))
    assert episodes.begin(seed=5) == Game(seed=episode_seed(5, 0))
    for copied in (copy.deepcopy(episodes), pickle.loads(pickle.dumps(episodes))):
        assert copied.begin() == Game(seed=episode_seed(5, 1))
    assert episodes.number == 0


def test_without_a_seed_episodes_differ() -> None:
    first, second = Episodes(Rules(), "deal").begin(), Episodes(Rules(), "deal").begin()
    assert first != second


def test_a_given_deal_and_sheet() -> None:
    options: dict[str, Any] = {
        "deal": {"hands": HANDS, "talon": TALON},
        "scores": [100, 880, -20],
        "bolts": [0, 1, 2],
        "barrel": [None, 2, None],
        "dealer": 1,
    }
    episodes = Episodes(Rules(), "match")
    game = episodes.begin(seed=1, options=options)
    assert (game.scores, game.bolts, game.barrel, game.dealer) == ([100, 880, -20], [0, 1, 2], [None, 2, None], 1)
    assert game.hands[0] == [0, 1, 2, 3, 4, 5, 6]
    assert episodes.begin() == Game(seed=episode_seed(1, 1)), "options of one reset do not stay for the next"


def test_a_sheet_without_a_deal_keeps_the_cards_of_the_seed() -> None:
    plain = Game(seed=episode_seed(1, 0))
    game = Episodes(Rules(), "match").begin(seed=1, options={"scores": [10, 20, 30]})
    assert (game.hands, game.dealer, game.scores) == (plain.hands, plain.dealer, [10, 20, 30])
    for dealer in range(3):
        dealt = Episodes(Rules(), "match").begin(seed=1, options={"dealer": dealer})
        assert (dealt.dealer, dealt.seat, dealt.hands) == (dealer, (dealer + 1) % 3, plain.hands)


def test_with_four_players_the_given_dealer_sits_out() -> None:
    for dealer in range(4):
        game = Game.from_sheet(Rules.preset("four_player"), seed=3, dealer=dealer)
        assert game.hands[dealer] == []


def test_unknown_options_are_ignored_with_one_warning() -> None:
    with pytest.warns(UserWarning, match="'a', 1; known are 'deal'") as caught:
        game = Episodes(Rules(), "match").begin(seed=1, options={"a": 1, 1: 2})
    assert len(caught) == 1
    assert game == Game(seed=episode_seed(1, 0))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"deal": {"hands": HANDS}}, "hands.*talon"),
        ({"deal": {"hands": HANDS, "talon": TALON, "dealer": 1}}, "no others"),
        ({"deal": {"hands": HANDS, "talon": "KH TH 9S"}}, "9S is there twice"),
        ({"deal": 7}, "deal=7"),
        ({"scores": [1, 2]}, "scores has 2 values"),
        ({"scores": [900, 0, 0]}, r"scores\[0\]=900"),
        ({"bolts": [5, 0, 0]}, r"bolts\[0\]=5"),
        ({"barrel": [1, None, "x"]}, r"barrel\[2\]='x'"),
        ({"dealer": 3}, "dealer=3"),
        ({"dealer": True}, "dealer=True"),
        (7, "options=7"),
    ],
)
def test_bad_options_are_named_and_change_nothing(options: Any, message: str) -> None:
    episodes = Episodes(Rules(), "match")
    episodes.begin(seed=9)
    with pytest.raises(ValueError, match=message):
        episodes.begin(seed=4, options=options)
    assert (episodes.seed, episodes.number) == (9, 0)
    assert episodes.begin() == Game(seed=episode_seed(9, 1))


def test_bad_seeds_are_named() -> None:
    for seed in (-1, 2**64, 1.5, "x", True, np.bool_(True)):
        with pytest.raises(ValueError, match="seed="):
            Episodes(Rules(), "match").begin(seed=seed)  # type: ignore[arg-type]


def test_rules_of_all_kinds() -> None:
    assert as_rules(None) == as_rules("classic") == as_rules({}) == as_rules(Rules()) == Rules()
    assert as_rules({"players": 2}) == Rules(players=2)
    for bad in (7, "modrn", {"x": 1}):
        with pytest.raises(RulesError):
            as_rules(bad)  # type: ignore[arg-type]


def test_keywords() -> None:
    assert one_of("render_mode", None, (None, "ansi")) is None
    assert flag("history", np.bool_(True)) is True
    with pytest.raises(ValueError, match="reward=3 is not accepted: use one of 'a', 'b'"):
        one_of("reward", 3, ("a", "b"))
    with pytest.raises(ValueError, match="history=1 is not accepted"):
        flag("history", 1)


def test_an_impossible_sheet_is_a_deal_error() -> None:
    with pytest.raises(DealError):
        Game.from_sheet(scores=[1, 2, 900])


def test_a_sheet_in_the_middle_of_a_match() -> None:
    """The game goes on as the match does from which the sheet was taken: next deal, golden deals, limits."""
    rules = Rules(golden=True, max_deals=9, barrel_third_fall_zero=True)
    match = Game(rules, seed=4)
    while not match.is_over:
        sheet = match.sheet
        deal = Game.from_sheet(
            rules,
            4,
            scores=sheet.scores,
            bolts=sheet.bolts,
            barrel=sheet.barrel,
            dealer=match.dealer,
            falls=sheet.falls,
            concessions=sheet.concessions,
            deals_scored=sheet.deals_scored,
        )
        assert deal == match
        assert Game.from_bytes(deal.to_bytes()) == deal
        scored = match.deals_scored
        while match.deals_scored == scored:
            match.apply(match.legal_actions()[-1])
    with pytest.raises(DealError, match="deals_scored=9 is not accepted: use a whole number from 0 to 8"):
        Game.from_sheet(rules, 4, deals_scored=9)
