"""Thousand in RLCard: states, payoffs and steps back are those of ``Game``, and RLCard's agents learn and play."""

from __future__ import annotations

import copy
import pickle
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from thousand_env import PRESETS, Game, IllegalActionError, Rules, action_name, episode_seed
from thousand_env.actions import action_card
from thousand_env.evaluation import duplicate
from thousand_env.observation import encode, encode_int8

pytestmark = pytest.mark.integration
rlcard: Any = pytest.importorskip("rlcard")
torch: Any = pytest.importorskip("torch")

from rlcard.agents import DQNAgent, NFSPAgent, RandomAgent  # noqa: E402
from rlcard.utils import reorganize, tournament  # noqa: E402

from thousand_env.rlcard import RLCardAgent, ThousandEnv  # noqa: E402

CONFIGS: list[dict[str, Any]] = [
    *({"rules": name} for name in PRESETS),
    {"rules": {"max_deals": 3}, "episode": "match", "reward": "score"},
    {"rules": {"max_deals": 2, "players": 4}, "episode": "match", "reward": "win", "observation_dtype": "int8"},
]


def made(config: dict[str, Any], **more: Any) -> ThousandEnv:
    env: ThousandEnv = rlcard.make("thousand", {**config, **more})
    env.set_agents([RandomAgent(env.num_actions)] * env.num_players)
    return env


def rules_of(config: dict[str, Any]) -> Rules:
    rules = config.get("rules")
    return Rules.preset(rules) if isinstance(rules, str) else Rules.from_dict(rules or {})


def assert_shows(env: ThousandEnv, state: dict[str, Any], game: Game, seat: int, dtype: str) -> None:
    view = game.view(seat)
    assert state["obs"].dtype == dtype
    assert (state["obs"] == (encode if dtype == "float32" else encode_int8)(view)).all()
    assert list(state["obs"].shape) == env.state_shape[seat]
    assert list(state["legal_actions"]) == view.legal_actions()
    assert state["raw_legal_actions"] == [action_name(action, game.rules) for action in view.legal_actions()]
    assert state["raw_obs"] == view
    seen = [(who, "give ?" if act is None else action_name(act, game.rules)) for who, act in view.events()]
    assert state["action_record"] == seen


@pytest.mark.parametrize("config", CONFIGS, ids=str)
def test_an_episode_is_that_of_the_game(config: dict[str, Any]) -> None:
    rng, env, dtype = random.Random(1), made(config, seed=5), config.get("observation_dtype", "float32")
    for number in range(2):
        game = Game(rules_of(config), episode_seed(5, number), config.get("episode", "deal"))
        state, seat = env.reset()
        while not env.is_over():
            assert seat == game.seat == env.get_player_id()
            assert_shows(env, state, game, seat, dtype)
            for other in range(env.num_players):
                assert_shows(env, env.get_state(other), game, other, dtype)
            action = rng.choice(game.legal_actions())
            game.apply(action)
            state, seat = env.step(action)
        assert game.is_over
        assert (env.get_payoffs() == game.returns(config.get("reward", "relative"))).all()
        for other in range(env.num_players):
            assert_shows(env, env.get_state(other), game, other, dtype)


@pytest.mark.parametrize("config", CONFIGS, ids=str)
def test_run_pays_every_seat_at_its_last_step(config: dict[str, Any]) -> None:
    env = made(config, seed=2)
    trajectories, payoffs = env.run(is_training=True)
    for seat, transitions in enumerate(reorganize(trajectories, payoffs)):
        if transitions:
            assert [done for *_, done in transitions] == [False] * (len(transitions) - 1) + [True]
            assert [reward for _, _, reward, _, _ in transitions] == [0] * (len(transitions) - 1) + [payoffs[seat]]
    assert len(tournament(env, 3)) == env.num_players


def test_steps_back_lead_to_the_beginning() -> None:
    env = made({"rules": {"max_deals": 2}, "episode": "match"}, seed=3, allow_step_back=True)
    rng, before = random.Random(4), []
    state, seat = env.reset()
    while not env.is_over():
        before.append((state["raw_obs"], seat, list(state["action_record"])))
        state, seat = env.step(rng.choice(list(state["legal_actions"])))
    for view, seat, record in reversed(before):
        state, again = env.step_back()
        assert (state["raw_obs"], again, state["action_record"]) == (view, seat, record)
    assert env.step_back() is False
    with pytest.raises(Exception, match="Step back is off"):
        made({}).step_back()


def test_raw_actions_are_texts_and_illegal_ones_raise() -> None:
    env = made({}, seed=1)
    state, _ = env.reset()
    env.step(state["raw_legal_actions"][-1], raw_action=True)
    assert env.game.position.actions()[0][1] == list(state["legal_actions"])[-1]
    for action, raw in ((127, False), ("talon A", True)):
        with pytest.raises(IllegalActionError, match="is not legal"):
            env.step(action, raw)


def test_gifts_are_known_to_those_who_gave_or_got_them() -> None:
    env = made({}, seed=7)
    state, _ = env.reset()
    while env.game.position.phase != "play":
        state, _ = env.step(next(iter(state["legal_actions"])))
    gifts = [(who, act) for who, act in env.game.position.actions() if action_name(act, Rules()).startswith("give ")]
    assert len(gifts) == 2
    declarer, got = gifts[0][0], env.game.position.gifts
    for seat in range(3):
        shown = [text for who, text in env.get_state(seat)["action_record"] if text.startswith("give ")]
        known = [seat == declarer or got[seat] == action_card(act) for _, act in gifts]
        named = [action_name(act, Rules()) for _, act in gifts]
        assert shown == [name if knows else "give ?" for name, knows in zip(named, known, strict=True)]


def test_what_is_refused_changes_nothing() -> None:
    env = made({}, seed=1)
    for ask in (env.get_payoffs, env.is_over, lambda: env.step(0), env.get_perfect_information):
        with pytest.raises(ResetNeeded, match="reset"):
            ask()
    state, _ = env.reset()
    before, illegal = (
        (list(env.action_recorder), env.timestep),
        next(a for a in range(130) if a not in state["legal_actions"]),
    )
    for action in (illegal, 130, "bid 7"):
        with pytest.raises(ValueError, match=str(action)):
            env.step(action, isinstance(action, str))
        assert (env.action_recorder, env.timestep) == before


def test_hidden_cards_are_not_in_states() -> None:
    env = made({}, seed=7)
    state, _ = env.reset()
    while not env.is_over():
        for other in range(3):
            twin = copy.deepcopy(env)
            twin.game.position = env.game.position.view(other).sample(np.random.default_rng(1))
            actions = twin.game.position.actions()
            twin.action_recorder = [(who, action_name(action, twin.game.position.rules)) for who, action in actions]
            one, two = env.get_state(other), twin.get_state(other)
            assert (one["obs"] == two["obs"]).all()
            assert {**one, "obs": 0} == {**two, "obs": 0}
        state, _ = env.step(next(iter(state["legal_actions"])))


def test_a_pickled_environment_goes_on() -> None:
    env = made({"rules": "mini3"}, seed=9)
    env.reset()
    copied = pickle.loads(pickle.dumps(env))
    np.random.seed(1)
    one = [env.run()[1].tolist() for _ in range(5)]
    np.random.seed(1)
    assert [copied.run()[1].tolist() for _ in range(5)] == one
    assert env.get_perfect_information()["hand_cards"] == copied.get_perfect_information()["hand_cards"]


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"rule": "mini2"}, "did you mean 'rules'"),
        ({"rules": "mini"}, "did you mean 'mini2'|did you mean 'mini3'"),
        ({"episode": "round"}, "episode='round' is not accepted"),
        ({"reward": "money"}, "reward='money' is not accepted"),
        ({"observation_dtype": "float64"}, "observation_dtype='float64' is not accepted"),
        ({"allow_step_back": 1}, "allow_step_back=1 is not accepted"),
        ({"seed": -1}, "seed=-1 is not accepted"),
    ],
)
def test_what_is_not_accepted_is_named(config: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rlcard.make("thousand", config)


# RLCard's agents


def dqn(env: ThousandEnv) -> Any:
    shape = {"num_actions": env.num_actions, "state_shape": env.state_shape[0]}
    return DQNAgent(**shape, mlp_layers=[32], replay_memory_init_size=40, train_every=5, device=torch.device("cpu"))


def nfsp(env: ThousandEnv) -> Any:
    shape = {"num_actions": env.num_actions, "state_shape": env.state_shape[0]}
    layers = {"hidden_layers_sizes": [32], "q_mlp_layers": [32]}
    return NFSPAgent(**shape, **layers, q_train_every=5, train_every=5, device=torch.device("cpu"))


@pytest.mark.parametrize("make", [dqn, nfsp])
def test_agents_learn_and_play(make: Any, capsys: pytest.CaptureFixture[str]) -> None:
    env = made({"rules": "mini3"}, seed=1)
    agent = make(env)
    env.set_agents([agent] * env.num_players)
    for _ in range(20):
        trajectories, payoffs = env.run(is_training=True)
        for transitions in reorganize(trajectories, payoffs):
            for transition in transitions:
                agent.feed(transition)
    capsys.readouterr()
    report = duplicate(RLCardAgent(agent), "random", rules="mini3", deals=3, seed=1)
    assert report.deals == 3


class LastAgent:
    """Plays the last legal action; ``asked`` has the states."""

    use_raw = False

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []

    def eval_step(self, state: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        self.asked.append(state)
        return np.int64(list(state["legal_actions"])[-1]), {}


def test_an_agent_of_each_seat_is_asked_in_its_place() -> None:
    agents = [LastAgent() for _ in range(3)]
    ours, game = RLCardAgent(agents, "int8"), Game(seed=1, episode="deal")
    ours.reset(3)
    while game.seat is not None:
        view = game.view(game.seat)
        action = ours.act(view)
        assert type(action) is int
        assert action == view.legal_actions()[-1]
        state = agents[game.seat].asked[-1]
        assert (state["obs"] == encode_int8(view)).all()
        assert state["raw_obs"] == view
        game.apply(action)
    with pytest.raises(ValueError, match="seat 0 is not to move"):
        ours.act(game.view(0))


def test_an_agent_that_plays_what_is_not_legal_is_named() -> None:
    agent = LastAgent()
    agent.eval_step = lambda state: (129, {})  # type: ignore[method-assign]
    game = Game(seed=1)
    with pytest.raises(IllegalActionError, match="LastAgent chose 129"):
        RLCardAgent(agent).act(game.view(game.seat or 0))


DMC = """
import multiprocessing, sys
import rlcard, torch
from rlcard.agents.dmc_agent import DMCTrainer
from thousand_env.evaluation import duplicate
from thousand_env.rlcard import RLCardAgent

if __name__ == "__main__":
    env = rlcard.make("thousand", {"rules": "mini3", "observation_dtype": "int8", "seed": 1})
    sizes = {"unroll_length": 10, "batch_size": 4, "num_buffers": 16, "num_actors": 1, "num_threads": 1}
    DMCTrainer(env, savedir=sys.argv[1], total_frames=200, **sizes).start()
    for actor in multiprocessing.active_children():  # it leaves them running
        actor.terminate()
    from pathlib import Path
    agents = []
    for seat in range(3):
        newest = max(Path(sys.argv[1], "dmc").glob(f"{seat}_*.pth"), key=lambda path: path.stat().st_mtime)
        agents.append(torch.load(newest, weights_only=False))
    print(duplicate(RLCardAgent(agents, "int8"), "random", rules="mini3", deals=2, seed=0).text())
"""


def test_dmc_trains_in_processes_of_its_own_and_plays(tmp_path: Path) -> None:
    """It needs integers: what its buffers keep of a float observation is its sign at the ends and 0 between."""
    pytest.importorskip("git", reason="RLCard's DMC needs GitPython")
    script = tmp_path / "dmc.py"
    script.write_text(DMC)
    command = [sys.executable, str(script), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "RLCardAgent against random" in done.stdout


@pytest.mark.parametrize("agents", [None, 5, RandomAgent, [RandomAgent(130), None]], ids=str)
def test_what_is_no_agent_is_refused(agents: Any) -> None:
    with pytest.raises(ValueError, match="use an agent with eval_step"):
        RLCardAgent(agents)


def test_agents_and_seats_are_counted() -> None:
    game = Game(seed=1)
    with pytest.raises(ValueError, match="there are 2 agents for 3 seats"):
        RLCardAgent([RandomAgent(130)] * 2).act(game.view(game.seat or 0))


@pytest.mark.parametrize("config", [5, [1]])
def test_a_configuration_is_a_dict(config: Any) -> None:
    with pytest.raises(ValueError, match="use a dict with any of rules"):
        ThousandEnv(config)
