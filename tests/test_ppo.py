"""PPO: what it learns from, going on from a checkpoint bit for bit, what it refuses, and that it learns."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")
pytest.importorskip("tyro")

import baselines.ppo  # noqa: E402
from baselines.equity import Starts  # noqa: E402
from baselines.learned import LearnedAgent, load_agent, save_agent  # noqa: E402
from baselines.networks import ActionValueNet, Critic, PolicyNet, masked  # noqa: E402
from baselines.ppo import Ppo, PpoArguments, command  # noqa: E402
from baselines.training import Run, TrainingError  # noqa: E402
from thousand_env import Rules  # noqa: E402
from thousand_env.evaluation import SmallGame, best_response, expected_values  # noqa: E402

TINY: dict[str, Any] = {
    "rules": "mini3",
    "utility": "relative",
    "rows": 16,
    "steps": 12,
    "minibatch": 64,
    "hidden": (8,),
}
POOL: dict[str, Any] = {"opponents": ("heuristic",), "opponent_share": 0.5, "pool": 2, "pool_updates": 1}
LEARNS: dict[str, Any] = {
    "utility": "relative",
    "opponent_share": 0.0,
    "rows": 256,
    "steps": 32,
    "minibatch": 1024,
    "hidden": (64, 64),
    "learning_rate": 3e-3,
}
"""Enough for small games."""

Make = Callable[..., Ppo]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """Trainers, each in a run of its own that ends with the test."""
    with ExitStack() as stack:

        def new(**options: Any) -> Ppo:
            options = TINY | {"tensorboard": False, "plain": True, "threads": 1} | options
            arguments = PpoArguments(folder=tmp_path / f"run{len(list(tmp_path.iterdir()))}", **options)
            return Ppo(arguments, stack.enter_context(Run("ppo", arguments)))

        yield new


@pytest.mark.parametrize("bf16", [False, True], ids=["float32", "bfloat16"])
def test_in_the_batch_that_is_learned_from_illegal_actions_have_no_chance(
    make: Make, monkeypatch: pytest.MonkeyPatch, bf16: bool
) -> None:
    trainer = make(bf16=bf16, target_kl=0.0, **POOL)
    seen = []

    def watched(chances: Any, ratio: Any, batch: dict[str, Any]) -> Any:
        seen.append((chances.detach().clone(), ratio.detach().clone(), batch))
        return Ppo.policy_loss(trainer, chances, ratio, batch)

    monkeypatch.setattr(trainer, "policy_loss", watched)
    for _ in range(3):
        seen.clear()
        metrics = trainer.update()
        assert np.isfinite(list(metrics.values())).all()
        for chances, _, batch in seen:
            assert chances.dtype == torch.float32
            assert (chances.exp()[batch["action_mask"] == 0] == 0).all()
            assert torch.allclose(chances.exp().sum(-1), torch.ones(len(chances)))
            assert (batch["action_mask"].gather(1, batch["action"][:, None]) == 1).all()
        assert seen[0][1].numpy() == pytest.approx(1, abs=0.05 if bf16 else 1e-5)  # nothing has been learned yet
    assert all(torch.isfinite(each).all() for each in trainer.network.parameters())


def test_only_the_learners_own_known_decisions_are_learned_from(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = make(epochs=1, **POOL)
    for _ in range(2):
        trainer.update()
    parts = []

    def watched(batch: dict[str, Any]) -> dict[str, float]:
        parts.append(batch)
        return {"losses/approx_kl": 0.0}

    monkeypatch.setattr(trainer, "step", watched)
    trainer.update()
    rollout = trainer.rollout
    estimated = rollout.advantages(rollout.values(trainer.critic), 1.0, 0.95)
    wanted = estimated.known & rollout.learned
    assert 0 < wanted.sum() < rollout.learned.sum() < rollout.learned.size
    given = {name: torch.cat([part[name] for part in parts]).numpy() for name in parts[0]}
    assert len(given["action"]) == wanted.sum()
    for name, source in (("action", rollout.action), ("value_target", estimated.value_target)):
        assert np.sort(given[name]) == pytest.approx(np.sort(source[wanted]))
    raw = estimated.advantage[wanted]
    assert np.sort(given["advantage"]) == pytest.approx(np.sort((raw - raw.mean()) / raw.std()), abs=1e-3)
    assert given["advantage"].mean() == pytest.approx(0, abs=1e-5)


@pytest.mark.parametrize("critic", ["privileged", "own", "shared"])
def test_every_critic_learns_what_is_paid(make: Make, critic: str) -> None:
    """With a learning rate for it the value explains much of what a deal pays within few updates."""
    trainer = make(critic=critic, rows=64, hidden=(32,), learning_rate=5e-3, opponent_share=0.0, gae_lambda=1.0)
    first = trainer.update()["losses/explained_variance"]
    for _ in range(20):
        last = trainer.update()["losses/explained_variance"]
    assert first < 0.3 < last
    assert (trainer.critic is trainer.network) == (critic == "shared")
    assert isinstance(trainer.critic, Critic) == (critic != "shared")
    assert (trainer.rollout.state is not None) == (critic == "privileged")


def test_a_buffer_in_which_nothing_is_known_teaches_nothing(make: Make) -> None:
    trainer = make(steps=1)
    before = {name: each.clone() for name, each in trainer.network.state_dict().items()}
    trainer.rollout.ended[:] = False
    trainer.batch = trainer.env.reset()
    metrics = trainer.update()
    assert np.isfinite(list(metrics.values())).all()
    assert all(torch.equal(each, before[name]) for name, each in trainer.network.state_dict().items())


RESUMED: dict[str, dict[str, Any]] = {
    "mini3": {"minibatch": 50, "critic": "shared"} | POOL,
    "classic": {"rules": "classic", "utility": "match", "steps": 40, "owners_weight": 0.1} | POOL,
    "transformer": {"network": "transformer", "critic": "own"} | POOL,
}


@pytest.mark.parametrize("name", RESUMED)
def test_a_resumed_run_is_the_run(make: Make, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(baselines.ppo, "Starts", functools.partial(Starts, matches=20))
    options = {"seed": 3, "decisions": 10_000, **RESUMED[name]}
    whole, begun, resumed = (make(**options) for _ in range(3))
    torch.manual_seed(8)
    for _ in range(6):
        last = whole.update()
    torch.manual_seed(8)
    for _ in range(4):
        begun.update()
    state, facts = begun.state()
    state = {key: tensor.clone() for key, tensor in state.items()}
    stream = torch.get_rng_state()
    begun.update()  # shares nothing with it
    resumed.load_state(state, json.loads(json.dumps(facts)))
    torch.set_rng_state(stream)
    for _ in range(2):
        again = resumed.update()
    times = {key for key in last if key.startswith("time/")}
    assert {key: again[key] for key in last if key not in times} == {k: last[k] for k in last if k not in times}
    assert resumed.opponents.past_at == whole.opponents.past_at and len(resumed.opponents.past) == 2
    assert not whole.rollout.learned.all()
    (tensors, numbers), (found, others) = whole.state(), resumed.state()
    assert numbers == others and tensors.keys() == found.keys()
    for key, tensor in tensors.items():
        assert torch.equal(tensor, found[key]), key


def test_a_checkpoint_of_another_network_is_refused(make: Make) -> None:
    state, facts = make().state()
    with pytest.raises(ValueError, match=r"does not fit .modules."):
        make(hidden=(9,)).load_state(state, facts)


def weights(folder: Path, network: Any, name: str = "start") -> str:
    save_agent(folder / name, network, algorithm="test", rules=Rules.preset("mini3"), facts={})
    return str(folder / f"{name}.safetensors")


def test_it_goes_on_from_an_agent(make: Make, tmp_path: Path) -> None:
    start = PolicyNet("mlp", (8,))
    with torch.no_grad():
        start.policy.bias.normal_()
    path = weights(tmp_path, start)
    trainer = make(start_from=path, start_pull=0.1, critic_updates=2, **POOL)
    for _ in range(2):
        trainer.update()
        assert all(torch.equal(a, b) for a, b in zip(start.parameters(), trainer.network.parameters(), strict=True))
    trainer.update()
    assert not torch.equal(start.policy.bias, trainer.network.policy.bias)
    assert trainer.started_from is not None and torch.equal(trainer.started_from.policy.bias, start.policy.bias)
    state, facts = trainer.state()
    again = make(start_from=path, start_pull=0.1, critic_updates=2, **POOL)
    again.load_state({key: each.clone() for key, each in state.items()}, json.loads(json.dumps(facts)))
    assert again.updates == 3 and torch.equal(again.network.policy.bias, trainer.network.policy.bias)


@pytest.mark.parametrize(
    ("network", "options", "message"),
    [
        (PolicyNet("mlp", (4, 4)), {}, "has another network: use --network mlp --hidden 4 4"),
        (PolicyNet("transformer", (8,)), {}, "has another network: use --network transformer --hidden 8"),
        (PolicyNet("mlp", (8,)), {"critic": "shared"}, "has no value head: use --critic privileged or --critic own"),
        (PolicyNet("mlp", (8,)), {"owners_weight": 0.1}, "has no head for the owners of cards: use --owners-weight 0"),
        (ActionValueNet((8,)), {}, "is no policy but action values"),
        (None, {"start_from": "nobody"}, "--start-from: .*nobody"),
        (None, {"start_from": "no/such.safetensors"}, "--start-from: .*such"),
    ],
)
def test_a_start_that_does_not_fit_is_refused(
    make: Make, tmp_path: Path, network: Any, options: dict[str, Any], message: str
) -> None:
    given = {} if network is None else {"start_from": weights(tmp_path, network)}
    with pytest.raises(TrainingError, match=message):
        make(**(given | options))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--rows", "0"], "--rows 0 is not accepted"),
        (["--gamma", "1.5"], "--gamma 1.5 is not accepted"),
        (["--learning-rate", "0"], "--learning-rate 0"),
        (["--hidden", "0"], "--hidden 0 is not accepted"),
        (["--hidden"], "--hidden"),
        (["--owners-weight", "1", "--critic", "own"], "--owners-weight 1 needs --critic privileged"),
        (["--rules", "mini2", "--utility", "match"], "--utility: .*max_deals=1: use relative"),
        (["--opponents", "nobody", "--opponent-share", "0.5"], "--opponents: .*nobody"),
        (["--opponents", "pimc", "--opponent-share", "0.5"], "--opponents: opponent 'pimc' is not accepted"),
    ],
)
def test_a_wrong_argument_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    given = ["--rules", "mini3", "--utility", "relative", "--folder", str(tmp_path / "run"), "--decisions", "1"]
    assert command([*given, *words]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert re.search(message, said)


def test_the_command_writes_an_agent(tmp_path: Path) -> None:
    given = ["--rules", "mini3", "--utility", "relative", "--rows", "16", "--steps", "8", "--hidden", "8", "--plain"]
    budget = ["--decisions", "300", "--evaluate-deals", "0", "--check-minutes", "0", "--threads", "1"]
    assert command([*given, *budget, "--folder", str(tmp_path / "run")]) == 0
    agent = load_agent(tmp_path / "run" / "ppo.safetensors")
    assert isinstance(agent, LearnedAgent) and agent.facts["algorithm"] == "ppo"
    assert agent.facts["facts"]["decisions"] == 384


@pytest.fixture(scope="module")
def mini3() -> tuple[SmallGame, npt.NDArray[np.float32], npt.NDArray[np.int8], float]:
    """The game, its observations and masks, and what the best response gains on random play."""
    game = SmallGame("mini3")
    return game, game.observations(), game.masks(), best_response("random", game).gain


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_half_of_the_best_gain_on_random_play_is_learned(make: Make, mini3: Any, seed: int) -> None:
    """It learns against itself, and then plays one seat against uniform play at the others; all of it is exact.

    The same as: thousand train ppo --rules mini3 --utility relative --opponent-share 0 --rows 256 --steps 32
    --minibatch 1024 --hidden 64 64 --learning-rate 3e-3 --decisions 60000 --seed 0
    """
    game, observations, masks, best = mini3
    trainer = make(**LEARNS, seed=seed, decisions=60_000)
    while trainer.run.progress(trainer) < 1:
        trainer.update()
    assert trainer.decisions < 70_000
    with torch.inference_mode():
        logits = trainer.network(torch.from_numpy(observations))
        learned = masked(logits, torch.from_numpy(masks)).exp().numpy()
    uniform = masks / masks.sum(1, keepdims=True)
    gains = []
    for seat in range(3):
        one = [(learned if each == seat else uniform)[game.choices(each)] for each in range(3)]
        gains.append(expected_values(one, game)[seat] - expected_values("random", game)[seat])
    assert np.mean(gains) > best / 2


def test_a_transformer_with_a_value_head_reads_the_history_for_its_values(make: Make) -> None:
    trainer = make(network="transformer", critic="shared", rows=8, steps=8, hidden=(4,))
    metrics = trainer.update()
    assert np.isfinite(metrics["losses/value_loss"])
    assert trainer.rollout.values(trainer.network).shape == (8, 8)
