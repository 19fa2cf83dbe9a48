"""Magnetic mirror descent: its loss, its magnets and schedules, going on bit for bit, and NashConv on a small game."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")
pytest.importorskip("tyro")

from baselines.learned import load_agent  # noqa: E402
from baselines.mmd import Mmd, MmdArguments, command, divergence  # noqa: E402
from baselines.networks import masked  # noqa: E402
from baselines.training import Run, TrainingError  # noqa: E402
from thousand_env import NUM_ACTIONS  # noqa: E402
from thousand_env.evaluation import SmallGame, nash_conv  # noqa: E402
from thousand_env.observation import OBSERVATION  # noqa: E402

TINY: dict[str, Any] = {
    "rules": "mini3",
    "utility": "relative",
    "rows": 16,
    "steps": 12,
    "minibatch": 64,
    "hidden": (8,),
}
LEARNS: dict[str, Any] = {
    "rules": "mini2",
    "utility": "relative",
    "opponent_share": 0.0,
    "rows": 256,
    "steps": 32,
    "minibatch": 1024,
    "hidden": (64, 64),
    "learning_rate": 3e-3,
}

Make = Callable[..., Mmd]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """Trainers, each in a run of its own that ends with the test."""
    with ExitStack() as stack:

        def new(**options: Any) -> Mmd:
            options = TINY | {"tensorboard": False, "plain": True, "threads": 1} | options
            arguments = MmdArguments(folder=tmp_path / f"run{len(list(tmp_path.iterdir()))}", **options)
            return Mmd(arguments, stack.enter_context(Run("mmd", arguments)))

        yield new


def rows_of(*probabilities: list[float]) -> Any:
    """Log-probabilities [B, 130] over the first actions, and the mask of those that are not 0."""
    chances = torch.zeros(len(probabilities), NUM_ACTIONS)
    for row, some in enumerate(probabilities):
        chances[row, : len(some)] = torch.tensor(some)
    return masked(chances.log(), (chances > 0).to(torch.int8)), (chances > 0).to(torch.int8)


def test_divergence_is_that_of_the_legal_actions() -> None:
    one, _ = rows_of([0.5, 0.5], [1.0], [0.2, 0.3, 0.5])
    other, _ = rows_of([0.9, 0.1], [1.0], [0.2, 0.3, 0.5])
    wanted = 0.5 * math.log(0.5 / 0.9) + 0.5 * math.log(0.5 / 0.1)
    assert divergence(one, other).tolist() == pytest.approx([wanted, 0, 0], abs=1e-6)
    assert torch.isfinite(divergence(other, one)).all()


@pytest.mark.parametrize("magnet", ["uniform", "moving"])
def test_the_loss_is_that_of_the_paper(make: Make, magnet: str) -> None:
    """By hand: probabilities 0.8 and 0.2 now, 0.6 and 0.4 before, an advantage of 2 for the action that was drawn."""
    trainer = make(magnet=magnet, alpha=0.3, eta=4.0, anneal="none")
    trainer.begin_update(1.0)
    for network, probabilities in ((trainer.before, [0.6, 0.4]), (trainer.magnet, [0.1, 0.9])):
        if network is not None:
            with torch.no_grad():
                network.policy.weight.zero_()
                network.policy.bias[:2] = torch.tensor(probabilities).log()
    chances, mask = rows_of([0.8, 0.2])
    batch = {
        "observation": torch.zeros(1, OBSERVATION.size, dtype=torch.int8),
        "action_mask": mask,
        "advantage": torch.tensor([2.0]),
    }
    ratio = torch.tensor([0.8 / 0.6])
    first, second = (0.5, 0.5) if magnet == "uniform" else (0.1, 0.9)
    to_magnet = 0.8 * math.log(0.8 / first) + 0.2 * math.log(0.2 / second)
    to_before = 0.8 * math.log(0.8 / 0.6) + 0.2 * math.log(0.2 / 0.4)
    loss = float(trainer.policy_loss(chances, ratio, batch))
    assert loss == pytest.approx(0.3 * to_magnet + to_before / 4 - 2 * 0.8 / 0.6, abs=1e-5)


def test_alpha_and_eta_fall_with_the_root_of_the_updates(make: Make) -> None:
    trainer, fixed = make(alpha=0.2, eta=6.0), make(alpha=0.2, eta=6.0, anneal="none")
    for number in (1, 2, 3, 4):
        trainer.update()
        assert (trainer.alpha, trainer.eta) == pytest.approx((0.2 / number**0.5, 6 / number**0.5))
    fixed.update()
    fixed.update()
    assert (fixed.alpha, fixed.eta) == (0.2, 6)


def test_advantages_keep_the_units_of_the_reward(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = make(opponent_share=0.0, epochs=1)
    parts = []

    def watched(batch: dict[str, Any]) -> dict[str, float]:
        parts.append(batch["advantage"])
        return {"losses/approx_kl": 0.0}

    monkeypatch.setattr(trainer, "step", watched)
    trainer.update()
    rollout = trainer.rollout
    estimated = rollout.advantages(rollout.values(trainer.critic), 1.0, 0.95)
    assert np.sort(torch.cat(parts).numpy()) == pytest.approx(np.sort(estimated.advantage[estimated.known]))


def test_the_policy_before_is_the_one_that_played_and_the_magnet_follows_it(make: Make) -> None:
    trainer = make(magnet="moving", magnet_rate=0.25, learning_rate=0.01)
    assert trainer.magnet is not None
    weights = [trainer.network.policy.bias.detach().clone()]
    trainer.update()
    assert torch.equal(trainer.before.policy.bias, weights[0]) and torch.equal(trainer.magnet.policy.bias, weights[0])
    weights.append(trainer.network.policy.bias.detach().clone())
    assert not torch.equal(*weights)
    trainer.update()
    assert torch.equal(trainer.before.policy.bias, weights[1])
    assert torch.allclose(trainer.magnet.policy.bias, 0.75 * weights[0] + 0.25 * weights[1])


def test_a_strong_pull_leaves_the_policy_uniform_and_small_steps_leave_it_where_it_was(make: Make) -> None:
    options = {"opponent_share": 0.0, "learning_rate": 0.01, "anneal": "none", "target_kl": 0.0, "rows": 32}
    free, pulled, slow = (make(alpha=a, eta=e, **options) for a, e in ((0.0, 1e6), (10.0, 1e6), (0.0, 1e-3)))
    lost = []
    for trainer in (free, pulled, slow):
        found = [trainer.update()["losses/entropy"] for _ in range(4)]
        lost.append(found[0] - found[-1])
    assert lost[0] > 0.1
    assert abs(lost[1]) < lost[0] / 4 and abs(lost[2]) < lost[0] / 4


@pytest.mark.parametrize("magnet", ["uniform", "moving"])
def test_a_resumed_run_is_the_run(make: Make, magnet: str) -> None:
    options = {"seed": 3, "decisions": 5000, "magnet": magnet, "pool": 2, "pool_updates": 1, "opponent_share": 0.5}
    whole, begun, resumed = (make(**options) for _ in range(3))
    torch.manual_seed(8)
    for _ in range(5):
        whole.update()
    torch.manual_seed(8)
    for _ in range(3):
        begun.update()
    state, facts = begun.state()
    resumed.load_state({key: tensor.clone() for key, tensor in state.items()}, json.loads(json.dumps(facts)))
    for _ in range(2):
        resumed.update()
    (tensors, numbers), (found, others) = whole.state(), resumed.state()
    assert numbers == others and tensors.keys() == found.keys()
    for key, tensor in tensors.items():
        assert torch.equal(tensor, found[key]), key


def test_what_is_wrong_is_refused(make: Make) -> None:
    for options in ({"alpha": -1.0}, {"eta": 0.0}, {"magnet_rate": 2.0}, {"rows": 0}):
        name, value = next(iter(options.items()))
        with pytest.raises(TrainingError, match=f"--{name.replace('_', '-')} {value} is not accepted"):
            make(**options)


def test_the_command_writes_an_agent(tmp_path: Path) -> None:
    given = ["--rules", "mini2", "--utility", "relative", "--rows", "16", "--steps", "8", "--hidden", "8", "--plain"]
    budget = ["--decisions", "300", "--evaluate-deals", "0", "--check-minutes", "0", "--threads", "1"]
    assert command([*given, *budget, "--folder", str(tmp_path / "run")]) == 0
    assert load_agent(tmp_path / "run" / "mmd.safetensors", mode="sample").facts["algorithm"] == "mmd"


@pytest.fixture(scope="module")
def mini2() -> SmallGame:
    return SmallGame("mini2")


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_nash_conv_falls_below_a_tenth_of_uniform_plays(make: Make, mini2: SmallGame, seed: int) -> None:
    """Of the last policy, exactly.

    The same as: thousand train mmd --rules mini2 --utility relative --opponent-share 0 --rows 256 --steps 32
    --minibatch 1024 --hidden 64 64 --learning-rate 3e-3 --decisions 100000 --seed 0
    """
    trainer = make(**LEARNS, seed=seed, decisions=100_000)
    while trainer.run.progress(trainer) < 1:
        trainer.update()
    assert trainer.decisions < 110_000
    with torch.inference_mode():
        logits = trainer.network(torch.from_numpy(mini2.observations()))
        learned = masked(logits, torch.from_numpy(mini2.masks())).exp().numpy()
    assert nash_conv(learned, mini2).nash_conv < nash_conv("random", mini2).nash_conv / 10
