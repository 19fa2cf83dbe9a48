"""Agents played against each other in batches: the same figures as games that are played one by one."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tyro")

import baselines  # noqa: E402
from baselines.training.ladder import (  # noqa: E402
    deal_differences,
    estimate,
    match_shares,
    standing,
)
from thousand_env import Game, Rules, View, env_seed, episode_seed  # noqa: E402
from thousand_env.agents import Agent  # noqa: E402

SEED = 5
REDEAL = 127


class Plain:
    """``greedy`` without ``act_batch``."""

    def __init__(self) -> None:
        self._inner = baselines.load("greedy")

    def act(self, view: View) -> int:
        return self._inner.act(view)

    def reset(self, seed: int | None = None) -> None:
        self._inner.reset(seed)


class Drawing(Plain):
    """Draws from the streams that everybody shares."""

    drawn = 0

    def act_batch(self, observation: npt.NDArray[Any], action_mask: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        self.drawn += 1
        random.random(), np.random.rand(), torch.rand(())
        return np.asarray(action_mask.argmax(1), np.int64)


class Asks:
    """Asks for a redeal whenever it may, and otherwise takes the first action."""

    def act(self, view: View) -> int:
        return int(self.act_batch(np.zeros(0), view.action_mask()[None])[0])

    def act_batch(self, observation: npt.NDArray[Any], action_mask: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        return np.where(action_mask[:, REDEAL] > 0, REDEAL, action_mask.argmax(1)).astype(np.int64)

    def reset(self, seed: int | None = None) -> None:
        """Nothing to forget."""


def one_by_one(agent: Agent, other: Agent, rules: Rules, episode: str, count: int) -> tuple[list[float], list[float]]:
    """Differences of points, and shares of matches won, of each deal or match seed."""
    seatings = [each for each in itertools.product((True, False), repeat=rules.players) if len(set(each)) == 2]
    points, wins = [], []
    for row in range(count):
        differences, shares = [], []
        for seating in seatings:
            game = Game(rules, episode_seed(env_seed(SEED, row), 0), episode)
            while game.seat is not None:
                game.apply((agent if seating[game.seat] else other).act(game.view(game.seat)))
            changes = game.returns("score")
            own = np.mean([change for change, is_own in zip(changes, seating, strict=True) if is_own])
            others = np.mean([change for change, is_own in zip(changes, seating, strict=True) if not is_own])
            differences.append(100 * (own - others))
            shares.append(np.mean(seating) if game.winner is None else float(seating[game.winner]))
        points.append(float(np.mean(differences)))
        wins.append(float(np.mean(shares)))
    return points, wins


@pytest.mark.parametrize("preset", ["classic", "two_player", "four_player", "mini3"])
def test_deals_are_those_played_one_by_one(preset: str) -> None:
    rules = Rules.preset(preset)
    agent, other = baselines.load("greedy"), baselines.load("heuristic")
    points, _ = one_by_one(agent, other, rules, "deal", 6)
    assert deal_differences(agent, other, rules, 6, SEED) == pytest.approx(points, abs=1e-4)


@pytest.mark.parametrize("max_deals", [None, 2])
def test_matches_are_those_played_one_by_one(max_deals: int | None) -> None:
    rules = Rules() if max_deals is None else Rules(max_deals=max_deals)
    agent, other = baselines.load("greedy"), baselines.load("heuristic")
    _, wins = one_by_one(agent, other, rules, "match", 4)
    assert match_shares(agent, other, rules, 4, SEED) == pytest.approx(wins)


def test_the_first_deal_of_a_row_counts_however_long_others_take() -> None:
    rules = Rules(redeal_hand_below=42)
    agent, other = Asks(), baselines.load("greedy")
    points, _ = one_by_one(agent, other, rules, "deal", 12)
    assert deal_differences(agent, other, rules, 12, SEED) == pytest.approx(points, abs=1e-4)


def test_equal_agents_are_even() -> None:
    agent, other = baselines.load("greedy"), baselines.load("greedy")
    assert (deal_differences(agent, other, Rules(), 20, SEED) == 0).all()
    assert match_shares(agent, other, Rules(), 4, SEED) == pytest.approx([0.5] * 4)


def test_agents_without_act_batch_are_measured_too() -> None:
    found = standing(Plain(), "greedy", Rules(max_deals=2), 3, 2, SEED)
    assert found.points.mean == 0
    assert found.wins is not None
    assert found.wins.mean == 0.5


def test_a_standing_leaves_the_streams_alone() -> None:
    def draws() -> list[float]:
        return [random.random(), float(np.random.rand()), float(torch.rand(()))]

    random.seed(1)
    np.random.seed(1)
    torch.manual_seed(1)
    expected = draws()
    random.seed(1)
    np.random.seed(1)
    torch.manual_seed(1)
    agent = Drawing()
    standing(agent, "random", Rules.preset("mini3"), 2, 2, SEED)
    assert agent.drawn > 0
    assert draws() == expected


def test_intervals() -> None:
    found = estimate(np.array([1.0, 2.0, 3.0, 4.0]))
    assert (found.mean, found.count) == (2.5, 4)
    assert found.high - 2.5 == pytest.approx(1.96 * np.std([1, 2, 3, 4], ddof=1) / 2, rel=1e-3)
    assert 2.5 - found.low == pytest.approx(found.high - 2.5)
