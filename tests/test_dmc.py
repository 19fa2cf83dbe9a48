"""Deep Monte Carlo: what it learns from, that it plays legally and learns, and that it goes on bit for bit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tyro")

from baselines import dmc  # noqa: E402
from baselines.checkpoints import load_checkpoint, save_checkpoint  # noqa: E402
from baselines.dmc import DmcArguments, DmcTrainer, command  # noqa: E402
from baselines.learned import load_agent, save_agent  # noqa: E402
from baselines.networks import ActionValueNet, PolicyNet  # noqa: E402
from baselines.returns import Decisions  # noqa: E402
from baselines.training import Run, TrainingError  # noqa: E402
from thousand_env import NUM_ACTIONS, Game, Rules, episode_seed  # noqa: E402
from thousand_env.evaluation import SmallGame, expected_values  # noqa: E402
from thousand_env.observation import OBSERVATION, encode_int8  # noqa: E402

SMALL = DmcArguments(
    rules="mini2",
    hidden=(16,),
    envs=16,
    steps=3,
    batch_size=32,
    threads=1,
    check_minutes=0,
    evaluate_deals=0,
)


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    with Run("dmc", replace(SMALL, folder=tmp_path / "run")) as found:
        yield found


def last_round(trainer: DmcTrainer) -> Decisions:
    return trainer._memory[-1]


def test_targets_are_the_returns_of_the_games_that_were_played(tmp_path: Path) -> None:
    """Row 0 is played again by hand, from the actions that were learned from."""
    arguments = replace(
        SMALL, rules="classic", utility="relative", envs=1, steps=200, epsilon=0.5, folder=tmp_path / "run"
    )
    with Run("dmc", arguments) as run:
        trainer = DmcTrainer(arguments, run)
        trainer.update()
        rows = last_round(trainer)
        seed = int(trainer._env._games.books["seed"][0])
        place, episode = 0, 0
        while place < len(rows.target):
            game = Game(run.rules, episode_seed(seed, episode), "deal")
            made = []
            while not game.is_over:
                legal = game.legal_actions()
                assert game.seat is not None
                if len(legal) > 1:
                    assert np.array_equal(rows.observation[place], encode_int8(game.view(game.seat)))
                    assert rows.action[place] in legal
                    made.append((place, game.seat))
                    game.apply(int(rows.action[place]))
                    place += 1
                else:
                    game.apply(legal[0])
            for decision, seat in made:
                assert rows.target[decision] == np.float32(game.returns("relative")[seat])
            episode += 1
        assert episode > 3
        assert len(trainer._open) + place == 200


def test_it_takes_the_best_legal_action_or_a_random_legal_one(run: Run) -> None:
    trainer = DmcTrainer(replace(SMALL, epsilon=0.0, epsilon_end=0.0), run)
    batch = trainer._env.reset()
    rng = np.random.default_rng(0)
    mask = (rng.random((16, NUM_ACTIONS)) < 0.05).astype(np.int8)
    mask[:, 7] = 1
    best = trainer.choose(batch.observation, mask)
    seen = torch.from_numpy(batch.observation).float() * trainer.network.scaled.factors
    for row in range(16):
        legal = np.flatnonzero(mask[row])
        values = trainer.network(seen[row].repeat(len(legal), 1), torch.from_numpy(legal)).detach().numpy()
        assert best[row] == legal[values.argmax()]
    trainer = DmcTrainer(replace(SMALL, epsilon=1.0, epsilon_end=1.0), run)
    drawn = np.stack([trainer.choose(batch.observation, mask) for _ in range(500)])
    for row in range(16):
        legal, counts = np.unique(drawn[:, row], return_counts=True)
        assert legal.tolist() == np.flatnonzero(mask[row]).tolist()
        assert counts.min() > 0.4 * 500 / len(legal)


def test_schedules_go_from_first_to_last(run: Run) -> None:
    arguments = replace(
        SMALL, schedule_decisions=1000, epsilon=0.5, epsilon_end=0.1, learning_rate=0.3, learning_rate_end=0.1
    )
    trainer = DmcTrainer(arguments, run)
    found = []
    for trainer.decisions in (0, 500, 1000, 5000):
        found.append((round(trainer._epsilon, 6), round(trainer._learning_rate, 6)))
    assert found == [(0.5, 0.3), (0.3, 0.2), (0.1, 0.1), (0.1, 0.1)]


def test_minibatches_have_each_row_once_before_any_again(run: Run) -> None:
    trainer = DmcTrainer(replace(SMALL, batch_size=10), run)
    drawn = np.concatenate(list(trainer._minibatches(25, 5)))
    assert sorted(drawn[:25]) == sorted(drawn[25:]) == list(range(25))
    assert [len(each) for each in trainer._minibatches(4, 3)] == [4, 4, 4]


def test_a_deal_is_paid_by_the_chance_to_win_the_match(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the sheets before and after it, and clipped when it is learned."""
    seen: list[int] = []

    class Paid:
        def pay(self, observation: Any, seat: Any, at_the_end: Any) -> npt.NDArray[Any]:
            assert observation.shape == (len(seat), OBSERVATION.size)
            assert at_the_end.shape == (len(seat), OBSERVATION.size)
            seen.append(len(seat))
            return np.array([[5.0, -7.0]]).repeat(len(seat), 0)

    monkeypatch.setattr(dmc, "pays_by_match", lambda utility, rules: True)
    monkeypatch.setattr(dmc, "equity_for", lambda rules: Paid())
    monkeypatch.setattr(dmc, "Starts", lambda rules, seed: None)
    trainer = DmcTrainer(replace(SMALL, target_clip=6.0), run)
    losses = []
    trainer._mean_loss = lambda *given: losses.append(given[2]) or given[2].mean().requires_grad_()  # type: ignore[assignment, func-returns-value]
    trainer.update()
    assert seen
    assert set(last_round(trainer).target.tolist()) == {5.0, -7.0}
    assert set(torch.cat(losses).tolist()) == {5.0, -6.0}


@pytest.mark.parametrize("replay", [0, 2])
def test_a_resumed_run_is_the_run(replay: int, tmp_path: Path) -> None:
    arguments = replace(SMALL, replay=replay, folder=tmp_path / "run")
    with Run("dmc", arguments) as run:
        whole = DmcTrainer(arguments, run)
        for _ in range(4):
            whole.update()
        save_checkpoint(tmp_path / "kept", *whole.state())
        metrics = [whole.update() for _ in range(3)]
        other = DmcTrainer(arguments, run)
        other.update()
        other.load_state(*load_checkpoint(tmp_path / "kept"))
        assert [other.update() for _ in range(3)] == metrics
        states = whole.state(), other.state()
    assert states[0][1] == states[1][1]
    assert set(states[0][0]) == set(states[1][0])
    for name, tensor in states[0][0].items():
        assert torch.equal(tensor, states[1][0][name]), name


def test_a_checkpoint_of_another_network_is_refused(run: Run) -> None:
    state, facts = DmcTrainer(SMALL, run).state()
    with pytest.raises(ValueError, match="does not fit"):
        DmcTrainer(replace(SMALL, hidden=(8,)), run).load_state(state, facts)


def test_it_starts_from_the_network_of_a_file(run: Run, tmp_path: Path) -> None:
    network = ActionValueNet((16,))
    save_agent(tmp_path / "a.safetensors", network, algorithm="distill", rules=Rules.preset("mini2"), facts={})
    trainer = DmcTrainer(replace(SMALL, start_from=tmp_path / "a.safetensors"), run)
    for mine, given in zip(trainer.network.parameters(), network.parameters(), strict=True):
        assert torch.equal(mine, given) and mine.requires_grad
    trainer.update()
    save_agent(tmp_path / "p.safetensors", PolicyNet(hidden=(16,)), algorithm="x", rules=run.rules, facts={})
    for name, says in (("p", "it must be"), ("none", "does not exist")):
        with pytest.raises(TrainingError, match=f"--start-from.*{says}"):
            DmcTrainer(replace(SMALL, start_from=tmp_path / f"{name}.safetensors"), run)


def gains(game: SmallGame, network: ActionValueNet) -> float:
    """What a seat expects more than its due when it alone plays the network greedily among random players."""
    with torch.inference_mode():
        found = []
        for seat in range(game.players):
            mask = game.masks(seat)
            chosen = network.all_values(torch.from_numpy(game.observations(seat)), torch.from_numpy(mask)).argmax(-1)
            greedy = np.zeros(mask.shape)
            greedy[np.arange(len(mask)), chosen.numpy()] = 1
            policies: list[Any] = ["random"] * game.players
            policies[seat] = greedy
            found.append(expected_values(policies, game)[seat])
    return float(np.mean(found))


def test_it_learns_a_small_game(tmp_path: Path) -> None:
    """By exact values: from what an untrained network gains on random players to far more."""
    game = SmallGame("mini2", dealers=[0])
    arguments = replace(
        SMALL, hidden=(64,), envs=128, steps=16, batch_size=256, epochs=2, schedule_decisions=80_000, epsilon=0.3,
        learning_rate=3e-3, folder=tmp_path / "run",
    )  # fmt: skip
    with Run("dmc", arguments) as run:
        trainer = DmcTrainer(arguments, run)
        before = gains(game, trainer.network)
        first = trainer.update()["losses/value_loss"]
        while trainer.decisions < 80_000:
            metrics = trainer.update()
        after = gains(game, trainer.network)
    assert metrics["losses/value_loss"] < first
    assert after > 0.1 and after > before + 0.1


def test_command_goes_on_to_the_same_network(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = "--rules mini2 --hidden 16 --envs 16 --steps 8 --threads 1 --check-minutes 0 --evaluate-deals 0 --plain"
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert command([*small.split(), "--decisions", "1000", "--folder", str(whole)]) == 0
    assert command([*small.split(), "--decisions", "500", "--folder", str(parts)]) == 0
    assert command(["--resume", str(parts), "--decisions", "1000"]) == 0
    agents = [load_agent(folder / "dmc.safetensors") for folder in (whole, parts)]
    assert agents[0].facts["algorithm"] == "dmc"
    states = [agent.network.state_dict() for agent in agents]
    assert all(torch.equal(tensor, states[1][name]) for name, tensor in states[0].items())
    capsys.readouterr()
    assert command(["--epsilon", "2"]) == 2
    assert "--epsilon 2.0 is not accepted: use a number from 0 to 1" in capsys.readouterr().err
