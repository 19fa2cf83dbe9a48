"""Option `marriage_gate`: on which leads a marriage may be declared."""

import random

import pytest

from tests.rules.option_helpers import begin_play, cards, do, legal
from thousand_env import Game, Rules

# Seat 1: KH QH and the best of spades; seat 2: KC QC and the ace of diamonds; seat 0 the rest.
HANDS = ("KH QH AS TS KS 9D 9C JH", "KC QC AD TD KD JC 9H TH", "QS JS 9S QD JD AC TC AH")
AFTER = ["after_own_trick", "after_first_trick"]


def declarations(game: Game) -> set[str]:
    """The declaring actions on offer."""
    return {name for name in legal(game) if name.split()[0] in ("marry", "aces")}


def test_marriage_gate_on_lead() -> None:
    """Case M1: the very first lead counts."""
    assert Rules().marriage_gate == "on_lead"
    game = begin_play(Rules(), *HANDS)
    assert declarations(game) == {"marry KH", "marry QH"}
    do(game, "marry KH")
    assert game.points[1] == 100
    assert game.trump == 3


@pytest.mark.parametrize("gate", AFTER)
def test_marriage_gate_first_lead_without_declaring(gate: str) -> None:
    """Case M2: KH may be led without a bonus; the marriage is gone."""
    game = begin_play(Rules(marriage_gate=gate), *HANDS)
    assert declarations(game) == set()
    assert {"play KH", "play QH"} <= legal(game)
    do(game, "play KH")
    assert list(game.points) == [0, 0, 0]
    assert game.trump is None
    do(game, "play TH", "play AH")
    assert declarations(game) == set()


def _own_trick(gate: str) -> None:
    game = begin_play(Rules(marriage_gate=gate), *HANDS)
    assert declarations(game) == set()
    do(game, "play AS", "play JC", "play 9S")
    assert game.tricks_won[1] == 1
    assert declarations(game) == {"marry KH", "marry QH"}
    do(game, "marry QH")
    assert (game.trump, game.points[1]) == (3, 13 + 100)


def _defender(gate: str) -> None:
    game = begin_play(Rules(marriage_gate=gate), *HANDS)
    do(game, "play 9D", "play AD", "play JD")
    assert (game.seat, game.tricks_won[2]) == (2, 1)
    assert declarations(game) == {"marry KC", "marry QC"}
    do(game, "marry KC")
    assert (game.trump, game.points[2]) == (1, 13 + 60)


def test_marriage_gate_after_own_trick() -> None:
    _own_trick("after_own_trick")
    _defender("after_own_trick")


def test_marriage_gate_after_first_trick() -> None:
    _own_trick("after_first_trick")
    _defender("after_first_trick")


def test_marriage_gate_the_two_gates_come_to_the_same() -> None:
    """After the first trick the leader always has a trick."""
    for seed in range(12):
        rng = random.Random(seed)
        games = [Game(Rules(marriage_gate=gate, bid_cap="none"), seed=seed) for gate in AFTER]
        for _ in range(150):
            if games[0].seat is None:
                break
            assert games[0].legal_actions() == games[1].legal_actions()
            action = rng.choice(games[0].legal_actions())
            for game in games:
                game.apply(action)


def test_marriage_gate_with_two_players() -> None:
    for gate in AFTER:
        game = Game.from_deal(
            Rules(players=2, marriage_gate=gate),
            hands=[cards("AS TS AC TC AD TD AH TH JS JC"), cards("KS QS KC QC KD QD KH QH 9S 9C")],
            talon=(["9D", "JD"], ["9H", "JH"]),
            dealer=0,
        )
        do(game, "bid 100", "pass", "talon A", "give 9D", "give JD")
        assert declarations(game) == set()
