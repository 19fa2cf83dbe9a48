"""The responder that learns: what it gains in small games, that its opponent stays as it is, and what it refuses."""

from __future__ import annotations

import copy
import json
import sys
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")
pytest.importorskip("tyro")

from baselines.learned import LearnedAgent, NetworkAgent  # noqa: E402
from baselines.networks import PolicyNet  # noqa: E402
from baselines.pool import LEARNER  # noqa: E402
from baselines.random_agent import RandomAgent  # noqa: E402
from baselines.responder import FrozenAgent, respond  # noqa: E402
from thousand_env import Rules, VectorEnv, View  # noqa: E402
from thousand_env.agents import Agent  # noqa: E402
from thousand_env.cli import main  # noqa: E402
from thousand_env.evaluation import AgentError, best_response  # noqa: E402

MINI2 = Rules.preset("mini2")


class OneByOne:
    """Plays the first legal action, has no ``act_batch``, and counts what it is asked since its reset."""

    def __init__(self) -> None:
        self.asked: list[int] = []
        self.seeds: list[int | None] = []

    def reset(self, seed: int | None = None) -> None:
        self.asked.clear()
        self.seeds.append(seed)

    def act(self, view: View) -> int:
        assert view.seat == view.observer
        self.asked.append(view.observer)
        assert len(set(self.asked)) == 1, "each seat of each game has a copy of its own"
        return view.legal_actions()[0]


class Fails(OneByOne):
    def act(self, view: View) -> int:
        raise RuntimeError("out of order")


class Wrong(OneByOne):
    def act(self, view: View) -> int:
        return 129


@pytest.mark.parametrize(("rules", "budget"), [("mini2", 16_000), ("mini3", 9_000)])
def test_half_of_what_can_be_gained_on_random_play_is_found(rules: str, budget: int) -> None:
    exact = best_response("random", rules).gain
    learned = best_response("random", rules, budget=budget, responder=respond, deals=300, seed=1)
    assert not learned.exact
    assert 0.5 * exact < learned.interval[0]
    assert learned.interval[1] < 1.2 * exact


def test_it_starts_from_the_network_it_meets_and_leaves_it_alone() -> None:
    torch.manual_seed(3)
    network = PolicyNet(hidden=(32,))
    torch.nn.init.normal_(network.policy.weight, std=1.0)
    agent = LearnedAgent(network, MINI2)
    before = copy.deepcopy(network.state_dict())
    stream = torch.get_rng_state()
    started = respond(agent, MINI2, 10, 5)  # too little for an update
    assert isinstance(started, LearnedAgent)
    assert started.network is not network
    assert all(torch.equal(each, before[name]) for name, each in started.network.state_dict().items())
    assert best_response(agent, MINI2, budget=10, responder=respond, deals=20).gain == 0
    found = best_response(agent, MINI2, budget=4000, responder=respond, deals=300)
    assert found.gain > 0.05
    assert all(torch.equal(each, before[name]) for name, each in network.state_dict().items())
    assert torch.equal(torch.get_rng_state(), stream)


def test_the_same_seed_gives_the_same_agent() -> None:
    told: list[tuple[int, int]] = []
    agents = [
        respond(RandomAgent(), MINI2, 3000, seed, progress=lambda done, budget: told.append((done, budget)))
        for seed in (7, 7, 2**64 - 1)
    ]
    weights = [each.network.state_dict() for each in agents if isinstance(each, NetworkAgent)]
    assert all(torch.equal(each, weights[1][name]) for name, each in weights[0].items())
    assert any(not torch.equal(each, weights[2][name]) for name, each in weights[0].items())
    assert told
    assert all(0 < done <= 3000 == budget for done, budget in told)


def test_agents_without_batches_are_asked_game_by_game_each_seat_by_a_copy_of_its_own() -> None:
    agent = OneByOne()
    assert isinstance(respond(agent, MINI2, 3000, 1), LearnedAgent)
    assert not agent.asked
    assert not agent.seeds


def test_one_seat_is_the_learner_s_and_each_as_often() -> None:
    env = VectorEnv(900, "classic", episode="deal", seed=1, observation_dtype="int8")
    frozen = FrozenAgent(RandomAgent(), env, 1)
    assert ((frozen.seated == LEARNER).sum(1) == 1).all()
    assert ((frozen.seated == LEARNER).sum(0) > 230).all()
    before = frozen.seated.copy()
    frozen.reseat(np.arange(100))
    assert (frozen.seated[:100] != before[:100]).any()
    assert (frozen.seated[100:] == before[100:]).all()
    batch = env.reset()
    action, learned = np.full(900, -1), np.zeros(900, np.bool_)
    frozen.decide(batch.seat, batch.observation, batch.action_mask, action, learned)
    assert (learned == (frozen.seated[np.arange(900), batch.seat] == LEARNER)).all()
    assert (action[learned] == -1).all()
    assert batch.action_mask[np.flatnonzero(~learned), action[~learned]].all()


@pytest.mark.parametrize(
    ("agent", "told"),
    [(Fails(), "agent 'Fails' has failed in training: RuntimeError: out of order"), (Wrong(), "129 is not legal")],
)
def test_an_agent_that_fails_is_named(agent: Agent, told: str) -> None:
    with pytest.raises(AgentError, match=told):
        respond(agent, MINI2, 3000, 1)


def test_a_start_that_is_no_policy_is_refused() -> None:
    with pytest.raises(ValueError, match="--start-from"):
        respond(RandomAgent(), MINI2, 10, 1, start_from="no_such_agent")


# The command


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The responder is found whether or not the installed package has its entry point."""
    entry = EntryPoint("ppo", "baselines.responder:respond", "thousand_env.responders")

    def found(group: str) -> Any:
        return [entry] if group == entry.group else entry_points(group=group)

    monkeypatch.setattr(sys.modules["thousand_env.evaluation.best_response"], "entry_points", found)


def test_exploit_prints_a_lower_bound(installed: None, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["exploit", "random", "--rules", "mini2", "--budget", "1500", "--deals", "40", "--seed", "3"]
    assert main([*arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["agent"] == "random"
    assert found["facts"] == {"budget": 1500, "deals": 40, "seed": 3}
    assert found["interval"][0] < found["gain"] < found["interval"][1]
    assert main(arguments) == 0
    out = capsys.readouterr().out
    assert f"{100 * found['gain']:+.1f} points a deal" in out
    assert "lower bound on exploitability" in out


def test_exploit_is_exact_in_small_games_without_a_budget(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["exploit", "random", "--rules", "mini2"]) == 0
    assert f"{100 * best_response('random', 'mini2').gain:+.2f} points a deal, exact" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["random"], "a small game is one deal"),
        (["nobody", "--budget", "9"], "agent 'nobody' does not exist"),
        (["random", "--budget", "0"], "'0' is not accepted: use a whole number from 1"),
        (["random", "--responder", "ppo"], "--responder does not go without --budget"),
        (["random", "--budget", "9", "--responder", "x"], "responder='x' is not accepted: installed are ppo"),
    ],
)
def test_exploit_refuses_in_one_line(
    arguments: list[str], told: str, installed: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["exploit", *arguments]) == 2
    err = capsys.readouterr().err
    assert err.startswith("thousand exploit: ")
    assert told in err
    assert err.count("\n") == 1
