"""Positions in bulk: their observations, playing on together, and decisions looked back on, each against a ``Game``."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tests.random_rules import random_rules
from thousand_env import Game, IllegalActionError, Rules
from thousand_env.compiled import EPISODE_DEAL, PHASES, Lockstep, decisions_of, observations_of, sample_deals, states_of
from thousand_env.observation import encode_int8, history

OVER = PHASES.index("over")


def games_under_way(rng: random.Random, rules: Rules, count: int) -> list[Game]:
    """Deals played at random, each up to some decision."""
    games = []
    while len(games) < count:
        game = Game(rules, seed=rng.getrandbits(63), episode="deal")
        for _ in range(rng.randrange(40)):
            if game.seat is None:
                break
            game.apply(rng.choice(game.legal_actions()))
        if game.seat is not None:
            games.append(game)
    return games


@pytest.mark.parametrize("seed", range(6))
def test_observations_are_those_of_the_views(seed: int) -> None:
    rng = random.Random(seed)
    rules = random_rules(rng)
    games = games_under_way(rng, rules, 12)
    observed = observations_of(states_of(games), rules, history=True)
    assert observed.history is not None
    for row, game in enumerate(games):
        assert game.seat == observed.seat[row]
        view = game.view(game.seat)
        assert (observed.observation[row] == encode_int8(view)).all()
        assert (observed.action_mask[row] == view.action_mask()).all()
        assert (observed.history[row] == history(view)).all()


@pytest.mark.parametrize("seed", range(6))
def test_lockstep_plays_what_games_play(seed: int) -> None:
    rng = random.Random(seed)
    rules = random_rules(rng)
    games = games_under_way(rng, rules, 12)
    table = Lockstep(states_of(games), rules, history=True)
    for _ in range(400):
        for game in games:
            while game.seat is not None and len(game.legal_actions()) == 1:
                game.apply(game.legal_actions()[0])
        assert table.rows.tolist() == [row for row, game in enumerate(games) if game.seat is not None]
        actions = []
        for place, row in enumerate(table.rows.tolist()):
            seat = games[row].seat
            assert seat is not None
            assert (table.observed.observation[place] == encode_int8(games[row].view(seat))).all()
            actions.append(rng.choice(games[row].legal_actions()))
            games[row].apply(actions[-1])
        if not actions:
            break
        table.step(np.array(actions))
    assert [state.tobytes() for state in table.states] == [state.tobytes() for state in states_of(games)]


@pytest.mark.parametrize("seed", range(6))
def test_decisions_are_those_that_were_taken(seed: int) -> None:
    rng = random.Random(seed)
    rules = random_rules(rng)
    for game in games_under_way(rng, rules, 8):
        observer = game.seat
        assert observer is not None
        found = decisions_of(states_of([game, game]), rules, observer, history=True)
        assert found.observed.history is not None
        replayed = [game]
        for _ in range(len(game.actions())):
            earlier = replayed[-1].clone()
            earlier.undo()
            replayed.append(earlier)
        wanted = []
        for before, (seat, action) in zip(replayed[:0:-1], game.actions(), strict=True):
            if before.deal_number != game.deal_number or before.phase == "redeal":
                continue
            if seat != observer and len(before.legal_actions()) > 1:
                wanted.append((before.view(seat), action))
        assert found.position.tolist() == [0] * len(wanted) + [1] * len(wanted)
        for row, (view, action) in enumerate(wanted * 2):
            assert found.action[row] == action
            assert found.observed.seat[row] == view.observer
            assert (found.observed.observation[row] == encode_int8(view)).all()
            assert (found.observed.action_mask[row] == view.action_mask()).all()
            assert (found.observed.history[row] == history(view)).all()


def test_worlds_show_the_observer_the_same_and_others_what_they_hold_there() -> None:
    game = games_under_way(random.Random(3), Rules(), 1)[0]
    assert game.seat is not None
    view = game.view(game.seat)
    states = sample_deals(view, np.random.default_rng(0), 20)
    observed = observations_of(states, view.rules)
    assert (observed.observation == observed.observation[0]).all()
    assert (states["episode"] == EPISODE_DEAL).all()


def test_what_is_not_accepted_changes_nothing() -> None:
    rules = Rules()
    table = Lockstep(states_of([Game(seed=1), Game(seed=2)]), rules)
    before = table.states.copy()
    with pytest.raises(ValueError, match=r"actions have the shape \(3,\)"):
        table.step(np.zeros(3, np.int64))
    for action in (-1, 93, 130, 2**40):
        with pytest.raises(IllegalActionError, match=f"action {action} is not legal in row 1"):
            table.step(np.array([int(np.flatnonzero(table.observed.action_mask[0])[0]), action]))
    assert (table.states == before).all()
    with pytest.raises(ValueError, match="STATE_DTYPE"):
        Lockstep(np.zeros(3), rules)
    ended = before.copy()
    ended["phase"][1] = OVER
    with pytest.raises(ValueError, match="position 1 is over"):
        observations_of(ended, rules)
    with pytest.raises(ValueError, match="is over"):
        decisions_of(ended, rules, 0)
