"""Deep CFR on small games: what it learns, against exact values; going on from a checkpoint; what it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")
pytest.importorskip("tyro")

from baselines.cfr import counterfactual_regrets  # noqa: E402
from baselines.deep_cfr import Arguments, DeepCfr, command, small_game  # noqa: E402
from baselines.learned import load_agent  # noqa: E402
from baselines.training import Run, TrainingError  # noqa: E402
from tests.test_small_games import FOUR_CARDS  # noqa: E402
from thousand_env.evaluation import SmallGame, nash_conv  # noqa: E402

FOUR = json.dumps(FOUR_CARDS.replace(min_bid=10).changes())
"""The four cards with an auction, so that both seats have choices: uniform play's exploitability is 0.1."""

Make = Callable[..., DeepCfr]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """Trainers, each in a run of its own that ends with the test."""
    with ExitStack() as stack:

        def new(**options: Any) -> DeepCfr:
            options = {"rules": FOUR, "batch_size": 128, "tensorboard": False, "plain": True, "threads": 1} | options
            arguments = Arguments(folder=tmp_path / f"run{len(list(tmp_path.iterdir()))}", **options)
            return DeepCfr(arguments, stack.enter_context(Run("deep_cfr", arguments)), small_game(arguments.rules))

        yield new


def test_it_goes_towards_equilibrium(make: Make) -> None:
    trainer = make(rules="mini2", batch_size=512, measure_every=1000)
    uniform = nash_conv("random", trainer.game).exploitability
    first = trainer.update()
    for _ in range(13):
        metrics = trainer.update()
    assert "charts/exploitability" not in metrics
    metrics = trainer.measure()
    assert first["charts/exploitability"] > 0.8 * uniform
    assert metrics["charts/exploitability"] < uniform / 2
    assert metrics["charts/exploitability_of_average"] < uniform / 5
    assert metrics["charts/nash_conv"] == pytest.approx(2 * metrics["charts/exploitability"])


def test_the_four_cards_are_learned(make: Make) -> None:
    trainer = make(learning_rate=3e-3)
    uniform = nash_conv("random", trainer.game).exploitability
    for _ in range(30):
        metrics = trainer.update()
    assert metrics["charts/exploitability"] < uniform / 5
    assert metrics["charts/iterations"] == trainer.iteration == 30
    asked = nash_conv(trainer.agent(), trainer.game).exploitability  # choice by choice, from views
    assert asked == pytest.approx(metrics["charts/exploitability"], abs=1e-6)


def test_advantages_are_mean_regrets_of_the_iterations(make: Make) -> None:
    """After one iteration the memory holds regrets of uniform play; the network follows it."""
    trainer = make(traversals=20_000, advantage_steps=500, learning_rate=1e-2, hidden=(64,), batch_size=256)
    game, slots = trainer.game, trainer.slots
    policy = trainer.current_policy()
    counts = np.diff(game.choice_start)
    assert policy[1:] == pytest.approx(1 / counts[slots.choice[1:]])
    trainer.update()
    regrets = sum(counterfactual_regrets(slots, policy, seat) for seat in (0, 1))
    assert trainer._sums / 20_000 == pytest.approx(regrets, abs=3e-3)
    found = trainer._seen.of_slots(trainer._ask(trainer.advantages))[1:]
    wanted = trainer._sums[1:] / trainer._visits[slots.choice[1:]]
    assert np.abs(found - wanted).mean() < 0.01
    assert np.corrcoef(found, wanted)[0, 1] > 0.98


def test_where_no_advantage_is_positive_the_best_action_is_played(make: Make) -> None:
    trainer = make()
    trainer.update()
    with torch.no_grad():
        for parameter in trainer.advantages.parameters():
            parameter.zero_()
        trainer.advantages.policy.bias.copy_(-torch.arange(1.0, 131.0))  # the lowest action is the least bad
    policy = trainer.current_policy()
    first = trainer.game.choice_start[:-1]
    assert (policy[first] == 1).all()
    assert trainer.slots.sums(policy) == pytest.approx(np.ones(len(first)))


def test_a_resumed_run_is_the_run(make: Make) -> None:
    whole, begun, resumed = (make(seed=3) for _ in range(3))
    for _ in range(4):
        last = whole.update()
    for _ in range(2):
        begun.update()
    state, facts = begun.state()
    resumed.load_state({name: tensor.clone() for name, tensor in state.items()}, json.loads(json.dumps(facts)))
    begun.update()  # shares nothing with it
    for _ in range(2):
        again = resumed.update()
    assert again == last
    assert resumed.decisions == whole.decisions
    for name, tensor in whole.state()[0].items():
        assert torch.equal(tensor, resumed.state()[0][name]), name
    other = make(seed=3, rules="mini2")
    with pytest.raises(ValueError, match="'sums' has"):
        other.load_state(begun.state()[0], facts)


def test_the_command_writes_an_agent_and_its_curve(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    words = ["--rules", FOUR, "--decisions", "30000", "--hidden", "32", "--folder", str(folder), "--plain"]
    more = ["--no-tensorboard", "--check-minutes", "0", "--evaluate-deals", "0", "--measure-every", "1"]
    assert command([*words, *more]) == 0
    agent = load_agent(folder / "deep_cfr.safetensors", mode="sample")
    records = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    assert records[-1]["decisions"] >= 30_000
    assert "losses/advantage_loss" in records[-1]
    game = SmallGame(FOUR_CARDS.replace(min_bid=10))
    found = nash_conv(agent, game).exploitability
    assert found == pytest.approx(records[-1]["charts/exploitability"], abs=1e-6)
    assert "deep_cfr" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--rules", "classic"], "max_deals=200 is not accepted"),
        (["--rules", '{"max_deals": 1}'], "too large for a full tree walk"),
        (["--hidden", "0"], "--hidden 0 is not accepted: use a whole number from 1 to 4096"),
        (["--traversals", "0"], "--traversals 0 is not accepted"),
        (["--learning-rate", "0"], "--learning-rate 0.0 is not accepted"),
        (["--batch-size", "-1"], "--batch-size -1 is not accepted"),
    ],
)
def test_what_is_refused(
    words: list[str], text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert command([*words, "--plain", "--no-tensorboard"]) == 2
    error = capsys.readouterr().err.strip()
    assert text in error
    assert "\n" not in error
    assert not list(tmp_path.iterdir())


def test_no_layers_are_refused(make: Make) -> None:
    with pytest.raises(TrainingError, match="--hidden is empty"):
        make(hidden=())


def test_several_processes_are_refused(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = make()
    run = trainer._run
    monkeypatch.setattr(run, "world_size", 2)
    with pytest.raises(TrainingError, match="2 processes are not accepted"):
        DeepCfr(Arguments(rules=FOUR), run, trainer.game)
