"""Agents of trained networks: what they choose, alone and in batches, their files, and how they are found."""

from __future__ import annotations

import copy
import json
import pickle
import random
import shutil
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

# ruff: noqa: E402, what needs the extra is imported after it has been looked for

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

import safetensors.torch

import baselines
from baselines import checkpoints, learned
from baselines.checkpoints import write_file
from baselines.learned import (
    LearnedAgent,
    NetworkAgent,
    WeightsError,
    agent_of,
    load_agent,
    load_named,
    save_agent,
)
from baselines.networks import NO_CHANCE, ActionValueNet, Critic, PolicyNet
from tests.learned_files import declare_files
from tests.random_rules import random_rules
from thousand_env import NUM_ACTIONS, Game, Rules, VectorEnv, View, agents
from thousand_env.agents import AgentWithProbabilities, BatchAgent
from thousand_env.cli import main
from thousand_env.observation import LAYOUT_VERSION, OBSERVATION, encode, encode_int8, history

RULES = Rules.preset("modern")


def network(kind: str, seed: int = 0, hidden: tuple[int, ...] = (16,), **options: Any) -> Any:
    """A small network that prefers some actions clearly, so that rounding decides nothing."""
    torch.manual_seed(seed)
    made = ActionValueNet(hidden) if kind == "action_value" else PolicyNet(kind, hidden, **options)
    last = made.policy if isinstance(made, PolicyNet) else made.chosen
    torch.nn.init.normal_(last.weight, std=1.0)
    return made


COUNT = 1000
KINDS = ("mlp", "action_value", "transformer")
BATCHED = KINDS[:2]


def some_views(count: int = 60, seed: int = 0) -> list[View]:
    """Views of who is to act, of random play under random rules."""
    rng = np.random.default_rng(seed)
    views: list[View] = []
    while len(views) < count:
        game = Game(random_rules(random.Random(len(views))), seed=len(views), episode="deal")
        while not game.is_over:
            assert game.seat is not None
            if rng.random() < 0.3:
                views.append(game.view(game.seat))
            game.apply(int(rng.choice(game.legal_actions())))
    return views[:count]


def arrays(views: list[View], dtype: str = "float32") -> tuple[np.ndarray, np.ndarray]:
    write = encode_int8 if dtype == "int8" else encode
    return np.stack([write(view) for view in views]), np.stack([view.action_mask() for view in views])


@pytest.fixture
def declared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of learned agents are known."""
    declare_files(monkeypatch)


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    save_agent(tmp_path / "ppo", network("mlp"), algorithm="ppo", rules=RULES, facts={"seed": 7})
    return tmp_path / "ppo.safetensors"


# Choices


@pytest.mark.parametrize("kind", KINDS)
def test_greedy_takes_the_best_legal_action(kind: str) -> None:
    agent = agent_of(network(kind), RULES)
    for view in some_views(30):
        legal = view.legal_actions()
        observation = torch.from_numpy(encode(view))[None]
        with torch.no_grad():
            if kind == "action_value":
                scores = agent.network(observation.repeat(NUM_ACTIONS, 1), torch.arange(NUM_ACTIONS))
            else:
                scores = agent.network(observation, torch.from_numpy(history(view))[None])[0]
        assert agent.act(view) == max(legal, key=lambda action: float(scores[action]))
        probabilities = agent.action_probabilities(view)
        assert probabilities.dtype == np.float64 and probabilities.shape == (NUM_ACTIONS,)
        assert probabilities[agent.act(view)] == 1 == probabilities.sum()


@pytest.mark.parametrize("kind", BATCHED)
@pytest.mark.parametrize("dtype", ["float32", "int8"])
def test_a_batch_chooses_what_single_views_do(kind: str, dtype: str) -> None:
    agent = agent_of(network(kind), RULES)
    views = some_views()
    observation, mask = arrays(views, dtype)
    before = observation.copy(), mask.copy()
    chosen = agent.act_batch(observation, mask)  # type: ignore[attr-defined]
    assert chosen.dtype == np.int64
    assert chosen.tolist() == [agent.act(view) for view in views]
    assert np.array_equal(observation, before[0]) and np.array_equal(mask, before[1])
    for array in (observation, mask):
        array.setflags(write=False)
    assert np.array_equal(agent.act_batch(observation, mask), chosen)  # type: ignore[attr-defined]
    assert np.array_equal(agent.act_batch(observation[::-1], mask[::-1]), chosen[::-1])  # type: ignore[attr-defined]
    assert agent.act_batch(observation[:0], mask[:0]).shape == (0,)  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", ["mlp", "transformer"])
def test_samples_follow_the_seed_and_the_policy(kind: str) -> None:
    agent = agent_of(network(kind), RULES, mode="sample", seed=1)
    view = next(each for each in some_views() if 2 < len(each.legal_actions()) < 9)
    expected = agent.action_probabilities(view)
    assert expected.sum() == pytest.approx(1)
    assert set(np.flatnonzero(expected)) == set(view.legal_actions())
    agent.reset(5)
    drawn = [agent.act(view) for _ in range(COUNT)]
    agent.reset(5)
    assert [agent.act(view) for _ in range(40)] == drawn[:40]
    agent.reset(6)
    assert [agent.act(view) for _ in range(COUNT)] != drawn
    counts = np.bincount(drawn, minlength=NUM_ACTIONS)
    assert np.abs(counts / COUNT - expected).max() < 0.05
    other = agent_of(network(kind), RULES, mode="sample", seed=5)
    assert [other.act(view) for _ in range(40)] == drawn[:40]
    agent.reset()
    if isinstance(agent, LearnedAgent):
        observation, mask = arrays([view] * COUNT)
        agent.reset(5)
        batch = agent.act_batch(observation, mask)
        assert np.abs(np.bincount(batch, minlength=NUM_ACTIONS) / COUNT - expected).max() < 0.05
        agent.reset(5)
        assert np.array_equal(agent.act_batch(observation, mask), batch)


@pytest.mark.parametrize("mode", ["greedy", "sample"])
@pytest.mark.parametrize("kind", BATCHED)
def test_illegal_actions_are_never_chosen(kind: str, mode: str) -> None:
    if (kind, mode) == ("action_value", "sample"):
        return
    made = network(kind)
    last = made.policy if kind == "mlp" else made.rest[-1]
    torch.nn.init.constant_(last.bias, -1e6)  # all logits far below those of nothing
    agent = LearnedAgent(made, RULES, mode=mode, seed=0)
    env = VectorEnv(64, seed=1, num_threads=1)
    batch = env.reset()
    for _ in range(60):
        batch = env.step(agent.act_batch(batch.observation, batch.action_mask))  # an illegal action raises


def test_a_seat_that_is_not_to_move_is_refused() -> None:
    game = Game(RULES, seed=1)
    assert game.seat is not None
    other = (game.seat + 1) % 3
    for mode in ("greedy", "sample"):
        agent = agent_of(network("mlp"), RULES, mode=mode)
        for call in (agent.act, agent.action_probabilities):
            with pytest.raises(ValueError, match=f"seat {other} is not to move: there is no legal action"):
                call(game.view(other))


@pytest.mark.parametrize("kind", BATCHED)
def test_wrong_batches_are_refused(kind: str) -> None:
    agent: Any = agent_of(network(kind), RULES)
    observation, mask = arrays(some_views(5))
    mask[3] = 0
    with pytest.raises(ValueError, match=r"rows \[3\] of action_mask have no legal action"):
        agent.act_batch(observation, mask)
    with pytest.raises(ValueError, match=r"action_mask has the shape \(5, 129\): it must be \(N, 130\)"):
        agent.act_batch(observation, mask[:, :129])
    with pytest.raises(ValueError, match=rf"observation has the shape \(4, {OBSERVATION.size}\): it must be \(5, "):
        agent.act_batch(observation[:4], mask)
    with pytest.raises(ValueError, match=r"action_mask has the shape \(130,\)"):
        agent.act_batch(observation[0], mask[0])


def test_protocols() -> None:
    assert isinstance(agent_of(network("mlp"), RULES), BatchAgent)
    reader = agent_of(network("transformer"), RULES)
    assert isinstance(reader, AgentWithProbabilities) and not isinstance(reader, BatchAgent)
    with pytest.raises(ValueError, match="reads the history cannot play from observations alone: use NetworkAgent"):
        LearnedAgent(network("transformer"), RULES)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: NetworkAgent(Critic(), RULES), "a Critic is no policy"),
        (
            lambda: agent_of(network("mlp"), RULES, mode="best"),
            "mode='best' is not accepted: use one of greedy",
        ),
        (lambda: agent_of(network("action_value"), RULES, mode="sample"), "action values are no probabilities"),
    ],
)
def test_wrong_agents_are_refused(make: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        make()


def test_copies_and_pickles_draw_on() -> None:
    agent = agent_of(network("mlp"), RULES, mode="sample", seed=3)
    views = some_views(20)
    agent.act(views[0])
    copies = [copy.deepcopy(agent), pickle.loads(pickle.dumps(agent))]
    expected = [agent.act(view) for view in views]
    assert all([each.act(view) for view in views] == expected for each in copies)


def test_it_plays_as_its_network_is_trained() -> None:
    made = network("mlp")
    agent = agent_of(made, RULES)
    view = next(each for each in some_views() if len(each.legal_actions()) > 2)
    for action in view.legal_actions():
        with torch.no_grad():
            made.policy.bias.zero_()[action] = 1e4
        made.train()
        assert agent.act(view) == action


# Files


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_gives_the_same_agent(kind: str, tmp_path: Path) -> None:
    made = network(kind, **({"value": True, "owners": True} if kind != "action_value" else {}))
    facts = {"arguments": {"folder": tmp_path, "minutes": None}, "decisions": np.int64(10), "seed": 1}
    save_agent(tmp_path / "new" / "a.b", made, algorithm="ppo", rules=RULES, facts=facts)
    path = tmp_path / "new" / "a.b.safetensors"
    draws = torch.get_rng_state()
    agent = load_agent(path, rules="modern")
    assert torch.equal(torch.get_rng_state(), draws)
    assert agent.rules == RULES
    assert agent.facts["algorithm"] == "ppo" and agent.facts["layout_version"] == LAYOUT_VERSION
    assert agent.facts["facts"] == {"arguments": {"folder": str(tmp_path), "minutes": None}, "decisions": 10, "seed": 1}
    readable = json.loads((tmp_path / "new" / "a.b.json").read_text())
    assert readable == {"format": "thousand_env agent 1", **agent.facts}
    assert all(torch.equal(each, made.state_dict()[name]) for name, each in agent.network.state_dict().items())
    views = some_views(20)
    assert [agent.act(view) for view in views] == [agent_of(made, RULES).act(view) for view in views]
    save_agent(path, agent.network, algorithm="ppo", rules=agent.rules, facts=facts)  # the suffix may be there
    assert sorted(each.name for each in path.parent.iterdir()) == ["a.b.json", "a.b.safetensors"]


def test_options_of_a_file(saved: Path) -> None:
    agent = load_agent(saved, mode="sample", seed=4)
    assert agent.mode == "sample"
    view = next(each for each in some_views() if len(each.legal_actions()) > 2)
    first = [agent.act(view) for _ in range(20)]
    agent.reset(4)
    assert [agent.act(view) for _ in range(20)] == first
    with pytest.raises(ValueError, match="mode='max' is not accepted"):
        load_agent(saved, mode="max")


def test_rules_are_compared_only_if_asked_for(saved: Path) -> None:
    assert load_agent(saved).rules == RULES
    assert load_agent(saved, rules=RULES.to_dict()).rules == load_agent(saved, rules=RULES).rules
    with pytest.raises(WeightsError, match=r"trained under other rules \(bid_step=\d+, not 10\): leave rules out"):
        load_agent(saved, rules=RULES.replace(bid_step=10))
    with pytest.raises(ValueError, match="preset 'modren' does not exist"):
        load_agent(saved, rules="modren")


def rewrite(path: Path, facts: dict[str, Any] | None = None, weights: dict[str, Any] | None = None) -> None:
    """A file with a right checksum and other contents."""
    agent = load_agent(path)
    write_file(path, learned._KIND, {**agent.network.state_dict(), **(weights or {})}, {**agent.facts, **(facts or {})})


@pytest.mark.parametrize(
    ("facts", "weights", "reason"),
    [
        ({"layout_version": 99}, {}, "sees layout version 99, this package has .*: train it anew, or use thousand_env"),
        ({"network": {"network": "magic"}}, {}, "network 'magic' is not known"),
        ({"network": {"network": "policy", "depth": 3}}, {}, "'policy' cannot be built"),
        ({"network": None}, {}, "its network is None"),
        ({"network": {"network": "critic"}}, {}, "which is no policy"),
        ({"network": {"network": "policy", "hidden": [10**4]}}, {}, "do not fit its network: 'trunk.*it must be"),
        ({"network": {"network": "policy", "hidden": [10**7]}}, {}, "hidden=.* is not accepted: use 1 to 64 widths"),
        ({"network": {"network": "policy", "hidden": [-1]}}, {}, "hidden=.* is not accepted: use 1 to 64 widths"),
        ({"network": {"network": "policy", "hidden": [1] * 99}}, {}, "hidden=.* is not accepted: use 1 to 64 widths"),
        ({"network": {"network": "policy", "hidden": "wide"}}, {}, "cannot be made"),
        ({"rules": {"players": 77}}, {}, "players"),
        ({"rules": {"option": 1}}, {}, "option"),
        ({}, {"policy.bias": torch.zeros(131)}, r"'policy.bias' is torch.float32 \[131\], it must be .*\[130\]"),
        ({}, {"policy.bias": torch.zeros(130, dtype=torch.int64)}, "'policy.bias' is torch.int64"),
        ({}, {"policy.more": torch.zeros(1)}, "'policy.more' is not known"),
        ({}, {"policy.bias": torch.full((130,), torch.nan)}, "its weights 'policy.bias' are not finite"),
        ({}, {"policy.bias": torch.full((130,), torch.inf)}, "its weights 'policy.bias' are not finite"),
    ],
)
def test_files_that_do_not_fit_are_refused(
    saved: Path, facts: dict[str, Any], weights: dict[str, Any], reason: str
) -> None:
    rewrite(saved, facts, weights)
    with pytest.raises(WeightsError, match=reason) as caught:
        load_agent(saved)
    assert str(saved) in str(caught.value) and "\n" not in str(caught.value)


def test_other_files_are_refused(saved: Path) -> None:
    whole = saved.read_bytes()
    saved.write_bytes(whole[:-10])
    with pytest.raises(WeightsError, match="it is damaged or no safetensors file"):
        load_agent(saved)
    saved.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    with pytest.raises(WeightsError, match="is damaged: its checksum does not fit"):
        load_agent(saved)
    write_file(saved, "thousand_env agent 9", {}, {})
    with pytest.raises(WeightsError, match="is a file of 'thousand_env agent 9': it must be 'thousand_env agent 1'"):
        load_agent(saved)
    with pytest.raises(FileNotFoundError):
        load_agent(saved.with_name("nobody.safetensors"))


def test_what_cannot_play_is_not_saved(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="a Critic is no policy"):
        save_agent(tmp_path / "a", Critic(), algorithm="ppo", rules=RULES, facts={})
    broken = network("mlp")
    broken.policy.bias.data[3] = torch.nan
    with pytest.raises(ValueError, match=r"'policy.bias' has weights that are not finite"):
        save_agent(tmp_path / "a", broken, algorithm="ppo", rules=RULES, facts={})
    assert not list(tmp_path.iterdir())


# How they are found


@pytest.mark.usefixtures("declared")
def test_a_path_is_an_agent_wherever_agents_are_text(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for agent in (baselines.load(saved, mode="sample"), agents.from_text(f"{saved},mode=sample,rules=modern")):
        assert isinstance(agent, LearnedAgent) and agent.mode == "sample"
    assert isinstance(baselines.load(str(saved)), LearnedAgent)
    code = main(["evaluate", str(saved), f"{saved},mode=sample", "--deals", "2", "--workers", "1", "--json"])
    assert code == 0
    assert json.loads(capsys.readouterr().out)
    assert main(["watch", "--agents", str(saved), "--seed", "1", "--rules", "mini3"]) == 0


@pytest.mark.usefixtures("declared")
def test_paths_that_are_no_agents(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(FileNotFoundError, match="there is no such file"):
        baselines.load(saved.with_name("x.safetensors"))
    with pytest.raises(ValueError, match=r"agent '.*x.safetensors' does not exist: there is no such file"):
        agents.load(str(saved.with_name("x.safetensors")))
    with pytest.raises(ValueError, match=r"cannot be read: saved agents are files \*.safetensors"):
        baselines.load(saved.with_suffix(".json"))
    with pytest.raises(ValueError, match=r"cannot be read: saved agents are files \*.safetensors"):
        baselines.load(saved.parent)
    with pytest.raises(ValueError, match=r"'mod'; did you mean 'mode'\? it takes mode='greedy', seed=None, rules=None"):
        agents.load(str(saved), mod="sample")
    with pytest.raises(ValueError, match=r"or module:Class for your own, or a file \*.safetensors"):
        agents.load("ppoo")
    saved.write_bytes(b"x")
    assert main(["evaluate", str(saved), "random", "--deals", "1"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.usefixtures("declared")
@pytest.mark.parametrize("package", ["torch", "safetensors"])
def test_a_missing_extra_is_told_in_one_line(saved: Path, monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    for name in ("learned", "checkpoints", "networks"):
        monkeypatch.delitem(sys.modules, f"baselines.{name}")
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=rf"agent '{saved}' needs {package}, which is missing: pip install") as caught:
        baselines.load(saved)
    assert "\n" not in str(caught.value)


def test_this_package_declares_its_files() -> None:
    import tomllib

    project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())["project"]
    assert project["entry-points"][agents.FILE_GROUP] == {"safetensors": "baselines.learned:load_agent"}


def test_weights_in_the_box(saved: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = tmp_path / "weights"
    monkeypatch.setattr(learned, "weights_folder", lambda: folder)
    with pytest.raises(WeightsError, match="no weights of 'ppo' come with this package: there are none"):
        load_named("ppo")
    folder.mkdir()
    shutil.copy(saved, folder)
    (folder / "ppo.md").write_text("# `ppo`")
    agent = load_named("ppo", mode="sample", seed=1, rules="modern")
    assert isinstance(agent, LearnedAgent) and agent.mode == "sample" and agent.facts["facts"] == {"seed": 7}
    with pytest.raises(WeightsError, match="no weights of 'dmc' come with this package: there are ppo"):
        load_named("dmc")
    factory = partial(load_named, "ppo")
    monkeypatch.setattr(learned, "ppo", factory, raising=False)
    assert isinstance(agents.load("baselines.learned:ppo", mode="sample"), LearnedAgent)
    with pytest.raises(ValueError, match="it takes mode='greedy', seed=None, rules=None"):
        agents.load("baselines.learned:ppo", temperature=2)


def test_no_chance_is_below_every_value() -> None:
    made = network("action_value")
    observation, mask = arrays(some_views(10))
    with torch.no_grad():
        values = made.all_values(torch.from_numpy(observation), torch.from_numpy(mask))
    assert (values[torch.from_numpy(mask) == 0] == NO_CHANCE).all()


@pytest.mark.parametrize("facts", [[], 5, None, "policy"])
def test_facts_that_describe_nothing_are_refused(saved: Path, facts: Any) -> None:
    weights = load_agent(saved).network.state_dict()
    text = json.dumps(facts)
    metadata = {"format": learned._KIND, "facts": text, "sha256": checkpoints._checksum(weights, text)}
    saved.write_bytes(safetensors.torch.save(weights, metadata))
    with pytest.raises(WeightsError, match="describe nothing"):
        load_agent(saved)


@pytest.mark.parametrize("seed", [1.5, "a", -1, 2**64, True])
def test_seeds_are_whole_numbers(saved: Path, seed: Any) -> None:
    with pytest.raises(ValueError, match=r"seed=.* is not accepted: use a whole number"):
        load_agent(saved, seed=seed)
    with pytest.raises(ValueError, match=r"seed=.* is not accepted"):
        load_agent(saved).reset(seed)


def test_a_batch_of_no_numbers_is_refused(saved: Path) -> None:
    agent: Any = load_agent(saved)
    observation, mask = np.zeros((2, OBSERVATION.size), np.float32), np.ones((2, NUM_ACTIONS), np.int8)
    with pytest.raises(ValueError, match="not finite"):
        agent.act_batch(observation + np.nan, mask)
    with pytest.raises(ValueError, match="action_mask float64"):
        agent.act_batch(observation, mask * np.nan)
    with pytest.raises(ValueError, match="observation is complex"):
        agent.act_batch(observation.astype(complex), mask)
