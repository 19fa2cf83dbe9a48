"""Learned best responses: the interface, and what is measured of them, against the exact values of small games."""

from __future__ import annotations

import importlib
from importlib.metadata import EntryPoint
from typing import Any

import pytest

from baselines.greedy import GreedyAgent
from baselines.random_agent import RandomAgent
from tests.evaluation_agents import Cheat, Leaving
from thousand_env import Game, Rules, View
from thousand_env.agents import Agent
from thousand_env.evaluation import AgentError
from thousand_env.evaluation.best_response import Responder, best_response, installed_responders
from thousand_env.evaluation.schedule import draw
from thousand_env.evaluation.small_game import SmallGame
from thousand_env.seeding import env_seed, episode_seed

module = importlib.import_module("thousand_env.evaluation.best_response")


def to_greedy(agent: Agent, rules: Rules, budget: int, seed: int) -> Agent:
    """A responder that does not learn."""
    return GreedyAgent()


def test_a_function_is_a_responder() -> None:
    assert isinstance(to_greedy, Responder)


@pytest.mark.parametrize("rules", [Rules.preset("mini2"), Rules.preset("mini3").replace(min_bid=35)], ids=["2", "3"])
def test_what_is_measured_of_a_best_response_is_near_the_exact_gain(rules: Rules) -> None:
    """Within 1.6 times the interval of 95 %, 3.1 standard errors; also with a responder at one seat alone."""
    game = SmallGame(rules)
    exact = best_response("random", game)
    measured = best_response("random", rules, budget=1, responder=lambda *_: exact.agent, deals=300, seed=1)
    low, high = measured.interval
    assert low < measured.gain < high < low + 0.15
    assert abs(measured.gain - exact.gain) < 0.8 * (high - low)
    assert measured.value == pytest.approx(measured.gain)  # the others' play alone is worth 0 to all seats together
    assert exact.value == pytest.approx(exact.gain)
    last = game.players - 1
    one = best_response("random", game, seat=last)
    tried = best_response("random", rules, budget=1, seat=last, responder=lambda *_: exact.agent, deals=300, seed=2)
    assert abs(tried.gain - one.gain) < 0.8 * (tried.interval[1] - tried.interval[0])
    assert tried.seat == one.seat == last


def test_no_gain_by_the_same_agent() -> None:
    same = best_response("greedy", "classic", budget=1, responder=to_greedy, deals=20)
    assert (same.value, same.gain, same.interval) == (pytest.approx(0), pytest.approx(0), pytest.approx((0, 0)))


def test_greedy_gains_on_random_in_the_full_game_and_the_seed_fixes_all() -> None:
    first, again, other = (
        best_response("random", "classic", budget=10, responder=to_greedy, deals=60, seed=seed) for seed in (3, 3, 4)
    )
    assert first.interval[0] > 0
    assert not first.exact
    assert first.to_dict() == again.to_dict() != other.to_dict()
    assert first.to_dict()["facts"] == {"budget": 10, "deals": 60, "seed": 3}


def test_the_responder_gets_a_frozen_copy_and_what_was_asked_for() -> None:
    asked: list[Any] = []
    agent = RandomAgent(seed=1)

    def train(frozen: Agent, rules: Rules, budget: int, seed: int) -> Agent:
        asked.append((rules, budget, seed))
        assert frozen is not agent
        return GreedyAgent()

    best_response(agent, "polish", budget=77, responder=train, deals=2, seed=9)
    assert asked == [(Rules.preset("polish"), 77, draw("response training", 9))]


def test_agents_seeds_are_those_of_the_seat_and_the_deal_and_not_of_the_cards() -> None:
    seeds: list[tuple[int, int | None]] = []

    class Watched(RandomAgent):
        """Notes each seed with the seat that it then plays."""

        def reset(self, seed: int | None = None) -> None:
            super().reset(seed)
            self.started = seed

        def act(self, view: View) -> int:
            seeds.append((view.observer, self.started))
            return super().act(view)

    best_response(Watched(), "mini2", budget=1, responder=lambda *_: Watched(), deals=4)
    by_seat = [{seed for seat, seed in seeds if seat == each} for each in (0, 1)]
    assert [len(each) for each in by_seat] == [4, 4]  # one seed for each deal, whoever sits there
    assert not by_seat[0] & by_seat[1]


def test_measuring_meets_no_deal_of_the_seeds_that_training_and_agents_get() -> None:
    """Nor does the seed of the call itself give them in an environment."""
    known: set[tuple[int, ...]] = set()
    met: list[tuple[int, ...]] = []

    def learn(seed: int) -> None:
        games = [Game(seed=each(seed, k), episode="deal") for each in (episode_seed, env_seed) for k in range(8)]
        known.update(tuple(hand) for game in [Game(seed=seed, episode="deal"), *games] for hand in game.hands)

    class Learning(RandomAgent):
        """Knows the deals of the seeds that it is given."""

        def reset(self, seed: int | None = None) -> None:
            super().reset(seed)
            self.is_new = True
            if seed is not None:
                learn(seed)

        def act(self, view: View) -> int:
            if self.is_new and view.phase == "auction":
                met.append(tuple(view.hand))
            self.is_new = False
            return super().act(view)

    def train(agent: Agent, rules: Rules, budget: int, seed: int) -> Agent:
        learn(seed)
        return Learning()

    learn(7)
    best_response("random", "classic", budget=1, responder=train, deals=8, seed=7)
    assert len(met) == 24
    assert not known & set(met)


def test_a_random_seed_is_stated() -> None:
    first, second = (best_response("random", "mini2", budget=1, responder=to_greedy, deals=2, seed=None) for _ in "12")
    assert first.facts["seed"] != second.facts["seed"]
    again = best_response("random", "mini2", budget=1, responder=to_greedy, deals=2, seed=first.facts["seed"])
    assert again.to_dict() == first.to_dict()


@pytest.mark.parametrize(
    ("trained", "error", "text"),
    [
        (None, TypeError, "the responder gave None, which is no agent"),
        (GreedyAgent, TypeError, "the responder gave <class .*, which is no agent"),
        (Cheat(), AgentError, r"agent 'Cheat' at seat 0 has chosen wrongly while .* \(Game seed \d+\): action 5 "),
        (Leaving(), AgentError, "agent 'Leaving' at seat 0 has failed while .*: SystemExit: 0"),
    ],
)
def test_what_is_wrong_with_a_trained_agent_is_told(trained: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        best_response("random", "classic", budget=1, responder=lambda *_: trained, deals=1)


def test_responders_are_found_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [EntryPoint(name, f"{__name__}:to_greedy", "thousand_env.responders") for name in ("b", "a")]
    monkeypatch.setattr(module, "entry_points", lambda group: entries if group == module.ENTRY_POINT_GROUP else [])
    assert installed_responders() == ["a", "b"]
    assert isinstance(best_response("random", "mini2", budget=1, responder="a", deals=2).agent, GreedyAgent)
    with pytest.raises(ValueError, match="responder=None is not accepted, there are several: use one of a, b"):
        best_response("random", "mini2", budget=1)
    with pytest.raises(ValueError, match="responder='c' is not accepted: installed are a, b"):
        best_response("random", "mini2", budget=1, responder="c")
    entries.pop()
    assert isinstance(best_response("random", "mini2", budget=1, deals=2).agent, GreedyAgent)


def test_without_a_responder_one_error_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "entry_points", lambda group: [])
    with pytest.raises(ValueError, match=r"none is installed in the group 'thousand_env\.responders'"):
        best_response("random", "classic", budget=1000)


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"budget": 0}, ValueError, "budget=0 is not accepted: use an integer from 1"),
        ({"budget": 1.5}, ValueError, "budget=1.5 is not accepted"),
        ({"budget": 1, "deals": 0}, ValueError, "deals=0 is not accepted"),
        ({"budget": 1, "seed": -1}, ValueError, "seed=-1 is not accepted"),
        ({"budget": 1, "seat": 3}, ValueError, "seat=3 is not accepted: use 0 to 2"),
        ({"budget": 1, "seat": "x"}, ValueError, "seat='x' is not accepted: use 0 to 2"),
        ({"budget": 1, "reward": "x"}, ValueError, "reward='x' is not accepted"),
        ({"budget": 1, "responder": 7}, TypeError, "responder=7 is not accepted"),
        ({"budget": 1, "agent": ["random"] * 3}, TypeError, r"agent=\['random'.* is not accepted with budget"),
        ({"budget": None}, ValueError, "max_deals=200 is not accepted: a small game is one deal"),
    ],
)
def test_wrong_arguments(options: dict[str, Any], error: type[Exception], text: str) -> None:
    arguments: dict[str, Any] = {"agent": "random", "rules": "classic", "responder": to_greedy, "deals": 2} | options
    with pytest.raises(error, match=text):
        best_response(**arguments)


def test_an_exact_best_response_says_that_it_is() -> None:
    found = best_response("random", "mini2", seat=1)
    assert found.exact
    assert found.interval == (found.gain, found.gain)
    assert found.to_dict()["facts"] == {"deals": 360, "terminal_histories": 67600, "dealers": [0, 1]}
    assert found.gain == pytest.approx(0.3645, abs=1e-4)
    assert found.value - found.gain == pytest.approx(0, abs=1e-12)
