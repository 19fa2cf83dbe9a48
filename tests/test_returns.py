"""``Game.returns`` on deals that were scored by hand, and what holds for it in every game."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.play import play, some_game
from thousand_env import Game, Rules, parse_action

# D1 of rules.md: P0 deals, P1 is declarer at 110 and makes it with raw points (16, 158, 46).
D1_HANDS = ["QS JS AC TC KC KD TD", "AH TH KH QH AS 9C JD", "TS KS 9H JH AD QC 9D"]
D1_TALON = "9S QD JC"
D1_AUCTION = "bid 100, pass, bid 105, bid 110, pass"
D1_PLAY = (
    "give 9S, give 9C, play AH, play 9H, play 9C, marry KH, play JH, play JS, play TH, play 9D, play QS, "
    "play QH, play 9S, play KD, play AS, play KS, play KC, play QD, play AD, play TD, play TS, play TC, play JD, "
    "play QC, play AC, play JC"
)
D1_WHOLE = f"{D1_AUCTION}, {D1_PLAY}"
AT_ONCE = "bid 100, pass, pass, concede"

FOUR_HANDS = ["", "9S JS QS KS TS JC QC", "KC TC AC 9D JD QD KD", "TD AD 9H JH QH KH AH"]
FOUR_TALON = "AS TH 9C"
TWO_HANDS = ["9S JS QS KS TS AS 9C JC QC KC", "TC AC 9D JD QD KD TD AD 9H JH"]
TWO_TALONS = ["QH KH", "TH AH"]


class Scored(NamedTuple):
    """A deal with dealer = seat 0, and by hand: each seat's change, 100 times ``relative``, and ``win``."""

    options: dict[str, Any]
    hands: list[str]
    talon: str | list[str]
    actions: str
    change: list[int]
    relative: list[float]
    win: list[float]
    sheet: dict[str, Any] = {}  # noqa: RUF012


MINI2, MINI3 = dict(Rules.preset("mini2").changes()), dict(Rules.preset("mini3").changes())
POLISH = dict(Rules.preset("polish").changes())

SCORED: dict[str, Scored] = {
    "D1": Scored({}, D1_HANDS, D1_TALON, D1_WHOLE, [15, 160, 45], [-87.5, 130, -42.5], [-0.5, 1, -0.5]),
    "D1 writes the bid": Scored(
        *({"declarer_score": "bid"}, D1_HANDS, D1_TALON, D1_WHOLE),
        *([15, 110, 45], [-62.5, 80, -17.5], [-0.5, 1, -0.5]),
    ),
    "conceded after a contest: -110, +60 each": Scored(
        *({"concede": "bid_60"}, D1_HANDS, D1_TALON, f"{D1_AUCTION}, concede"),
        *([60, -110, 60], [85, -170, 85], [0.5, -1, 0.5]),
    ),
    "conceded for 120 at a contract of 100": Scored(
        *({"concede": "120_60"}, D1_HANDS, D1_TALON, AT_ONCE),
        *([60, -120, 60], [90, -180, 90], [0.5, -1, 0.5]),
    ),
    "conceded at 125: half of it is 65": Scored(
        *({"concede": "half_bid", "concede_half": "up"}, D1_HANDS, D1_TALON, "bid 125, pass, pass, concede"),
        *([65, -125, 65], [95, -190, 95], [0.5, -1, 0.5]),
    ),
    "golden: all doubled": Scored(
        *({"concede": "bid_60", "golden": True}, D1_HANDS, D1_TALON, "concede"),
        *([120, -240, 120], [180, -360, 180], [0.5, -1, 0.5]),
    ),
    "dark: the declarer's doubled": Scored(
        *({"concede": "bid_60", "dark": True}, D1_HANDS, D1_TALON, "bid 120, pass, pass, concede"),
        *([60, -240, 60], [150, -300, 150], [0.5, -1, 0.5]),
    ),
    "four players: the sitter writes 20 for AS TH 9C": Scored(
        *({"concede": "bid_60", "players": 4}, FOUR_HANDS, FOUR_TALON, AT_ONCE),
        *([20, -100, 60, 60], [40 / 3, -440 / 3, 200 / 3, 200 / 3], [-0.5, -0.5, 0.5, 0.5]),
    ),
    "two players": Scored(
        *({"concede": "bid_60", "players": 2}, TWO_HANDS, TWO_TALONS, "bid 100, pass, talon B, concede"),
        *([60, -100], [160, -160], [1, -1]),
    ),
    "a free bomb, the others locked: nobody writes anything": Scored(
        *(POLISH, D1_HANDS, D1_TALON, AT_ONCE, [0, 0, 0], [0, 0, 0], [0, 0, 0]),
        sheet={"scores": [900, 0, 900]},
    ),
    # Marriage 30, tricks QH KS (7) and KH QS (7), two aces from the cards put aside (22): 66 against a contract of 20.
    "mini2": Scored(
        *(MINI2, ["AS KH", "QS KS"], ["QH", "AH"]),
        "bid 10, bid 20, pass, talon A, give AS, marry QH, play KS, play KH, play QS",
        *([66, 0], [66, -66], [1, -1]),
    ),
    # P1 wins AH AS QH (25) and KH QS KS (11).
    "mini3 made": Scored(
        *(MINI3, ["KS", "AH", "AS"], "QS QH KH"),
        "bid 10, pass, pass, give QS, give QH, play AH, play AS, play QH, play KH, play QS, play KS",
        *([0, 36, 0], [-18, 36, -18], [-0.5, 1, -0.5]),
    ),
    # P2 wins QS AS AH (25) and KH QH KS (11); P1 fails his contract of 30.
    "mini3 failed": Scored(
        *(MINI3, ["AH", "QS", "AS"], "KS QH KH"),
        "bid 30, pass, pass, give KH, give QH, play QS, play AS, play AH, play KH, play QH, play KS",
        *([0, -30, 36], [-3, -48, 51], [-0.5, -0.5, 1]),
    ),
}


def played(scored: Scored, episode: str, **sheet: Any) -> Game:
    rules = Rules(**scored.options)
    hands = [hand.split() for hand in scored.hands]
    talon = scored.talon.split() if isinstance(scored.talon, str) else [cards.split() for cards in scored.talon]
    game = Game.from_deal(rules, hands, talon, dealer=0, episode=episode, seed=1, **{**scored.sheet, **sheet})
    for text in scored.actions.split(", "):
        assert game.returns().tolist() == [0] * rules.players
        game.apply(parse_action(text, rules))
    return game


@pytest.mark.parametrize("name", SCORED)
def test_deal_scored_by_hand(name: str) -> None:
    scored = SCORED[name]
    game = played(scored, "deal")
    assert game.is_over
    assert not game.truncated
    start = scored.sheet.get("scores", [0] * game.rules.players)
    assert game.scores == [before + change for before, change in zip(start, scored.change, strict=True)]
    assert game.returns("score").tolist() == [change / 100 for change in scored.change]
    assert game.returns("relative") == pytest.approx(np.array(scored.relative) / 100, abs=1e-12)
    assert game.returns() == pytest.approx(game.returns("relative"))
    assert game.returns("win") == pytest.approx(scored.win, abs=1e-12)


@pytest.mark.parametrize("name", SCORED)
def test_a_match_that_goes_on_pays_no_win_yet(name: str) -> None:
    scored = SCORED[name]
    game = played(scored, "match")
    assert game.returns("score").tolist() == [change / 100 for change in scored.change]
    assert game.returns("win").tolist() == [0] * game.rules.players
    assert game.truncated == (game.rules.max_deals == 1)
    assert game.is_over == game.truncated


def test_a_match_that_is_won_pays_the_winner() -> None:
    game = played(SCORED["D1"], "match", scores=[700, 850, -300])
    assert game.scores == [715, 1010, -255]
    assert game.winner == 1
    assert game.returns("win").tolist() == [-0.5, 1, -0.5]
    assert game.returns("score").tolist() == [0.15, 1.6, 0.45]
    assert game.returns("relative") == pytest.approx([-0.875, 1.3, -0.425])


def test_the_winner_of_a_match_need_not_have_gained_most() -> None:
    sheet = {"scores": [990, 0, 0], "barrel": [None] * 3}
    scored = SCORED["D1"]._replace(options={"barrel": False})
    game = played(scored, "match", **sheet)
    assert game.winner == 0
    assert game.returns("win").tolist() == [1, -0.5, -0.5]
    assert game.returns("relative") == pytest.approx([-0.875, 1.3, -0.425])


def test_truncation_pays_no_win() -> None:
    for name in ("mini2", "mini3 made"):
        game = played(SCORED[name], "match")
        assert game.truncated
        assert game.winner is None
        assert game.returns("win").tolist() == [0] * game.rules.players
        assert game.returns("score").any()


@settings(derandomize=True, database=None, deadline=None, max_examples=40)
@given(st.integers(0, 2**32 - 1))
def test_sums_shapes_and_the_start(number: int) -> None:
    game, rng = some_game(number, max_deals=8)
    players = game.rules.players
    start = game.scores
    for _ in play(game, rng, 500):
        change = np.subtract(game.scores, start)
        for scheme in ("score", "relative", "win"):
            returns = game.returns(scheme)
            assert returns.dtype == np.float64
            assert returns.shape == (players,)
            assert np.isfinite(returns).all()
            if scheme == "score":
                assert returns == pytest.approx(change / 100)
            else:
                assert returns.sum() == pytest.approx(0, abs=1e-9)
        if not game.is_over or game.truncated:
            assert not game.returns("win").any()
    if game.winner is not None and game.episode == "match":
        assert game.returns("win")[game.winner] == 1


@pytest.mark.parametrize("scheme", ["", "Win", "wins", None, 1, 0.5, b"win", ("win",)])
def test_an_unknown_scheme_is_an_error(scheme: Any) -> None:
    with pytest.raises(ValueError, match="reward"):
        Game(seed=1).returns(scheme)


def test_returns_of_a_game_in_the_middle_of_a_match_count_from_its_start() -> None:
    game, rng = Game(seed=5), random.Random(5)
    seen = [(each.scores, each.returns("score").tolist()) for each in play(game, rng, 150)]
    assert all(returns == [score / 100 for score in scores] for scores, returns in seen)
    world = game.view(0).sample(np.random.default_rng(1))
    assert world.returns("score").tolist() == [0, 0, 0]
