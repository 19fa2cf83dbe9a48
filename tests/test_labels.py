"""Labels and what is learned from them, against plain play of the same positions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tyro")

from baselines.checkpoints import load_checkpoint, save_checkpoint  # noqa: E402
from baselines.distill import UNLIKELY, Distill, DistillArguments, Memory, expected_gain  # noqa: E402
from baselines.equity import UNIT, Equity, equity_for, sheets_of_records  # noqa: E402
from baselines.heuristic import HeuristicAgent  # noqa: E402
from baselines.labels import MOST, MOST_BIDS, Labeller, Labels  # noqa: E402
from baselines.networks import masked  # noqa: E402
from baselines.training import Run, TrainingError  # noqa: E402
from thousand_env import Game, Rules, VectorEnv, score_deal, solver  # noqa: E402
from thousand_env.compiled import states_of  # noqa: E402

CLASSIC = Rules()
SMALL = DistillArguments(
    rows=8, minibatch=16, memory=40, updates=2, hidden=(8,), threads=1, check_minutes=0, evaluate_deals=0, decisions=100
)


@pytest.fixture(scope="module")
def equity() -> Equity:
    return equity_for(CLASSIC)


@pytest.fixture(scope="module")
def games() -> list[Game]:
    """Positions in every phase of single deals, as a batch meets them."""
    agent, found = HeuristicAgent(), []
    for seed in range(6):
        game = Game(CLASSIC, seed, "deal")
        while not game.is_over:
            found.append(game.clone())
            game.apply(agent.act(game.view(game.seat)))  # type: ignore[arg-type]
    assert {game.phase for game in found} >= {"auction", "exchange", "play"}
    return found


def worth(equity: Equity, game: Game, seat: int) -> float:
    """Of a finished deal."""
    chances = equity.chances(sheets_of_records(states_of([game]), 3, next_deal=True))
    return float(UNIT * chances[0, seat])


def labelled(game: Game) -> list[int]:
    legal = game.legal_actions()
    bids = [action for action in legal if 1 <= action <= 65]
    return [action for action in legal if action not in bids[MOST_BIDS:]]


def test_actions_are_played_out_by_the_heuristic(equity: Equity, games: list[Game]) -> None:
    found = Labeller(CLASSIC, equity, solver_share=0)(states_of(games))
    agent = HeuristicAgent()
    for row, game in enumerate(games):
        seat = game.seat
        assert seat is not None
        assert found.reference[row] == agent.act(game.view(seat))
        actions = labelled(game)
        assert found.actions[row].tolist() == actions + [-1] * (MOST - len(actions))
        values = []
        for action in actions:
            twin = game.clone()
            twin.apply(action)
            while not twin.is_over:
                twin.apply(agent.act(twin.view(twin.seat)))  # type: ignore[arg-type]
            values.append(worth(equity, twin, seat))
        want = np.array(values) - np.mean(values)
        assert found.advantages[row, : len(actions)] == pytest.approx(want, abs=1e-4)
        assert not found.advantages[row, len(actions) :].any()


def test_cards_are_labelled_by_the_solver(equity: Equity, games: list[Game]) -> None:
    """The declarer's points by the solver, what is left shared by the others, scored by ``score_deal``."""
    plays = [game for game in games if game.phase == "play" and len(game.legal_actions()) > 1]
    found = Labeller(CLASSIC, equity, solver_share=1)(states_of(plays))
    for row, game in enumerate(plays):
        declarer, seat = game.declarer, game.seat
        assert declarer is not None
        assert seat is not None
        values = []
        for action, points in solver.action_values(game).items():
            bonus = game.view(seat).bonuses
            taken = [have + more for have, more in zip(game_points(game), bonus, strict=True)]
            left = (
                120 - points + bonus[declarer] - sum(game_points(game)[each] for each in range(3) if each != declarer)
            )
            for each in range(3):
                if each != declarer:
                    taken[each] += max(0, left) // 2
            taken[declarer] = max(points, bonus[declarer])
            after = score_deal(
                CLASSIC,
                game.sheet,
                dealer=game.dealer,
                declarer=declarer,
                contract=game.contract or 0,
                points=taken,
                tricks=[max(1, won) for won in game.tricks_won],
            )
            sheets = sheets_of_records(states_of([game]), 3, next_deal=True)
            barrel = [-1 if used is None else used for used in after.barrel]
            sheets = sheets._replace(
                scores=np.array([after.scores]), barrel=np.array([barrel]), bolts=np.array([after.bolts])
            )
            values.append(float(UNIT * equity.chances(sheets)[0, seat]))
            assert found.actions[row, len(values) - 1] == action
        want = np.array(values) - np.mean(values)
        assert found.advantages[row, : len(values)] == pytest.approx(want, abs=1e-4)


def game_points(game: Game) -> list[int]:
    """Card points alone."""
    return [have - bonus for have, bonus in zip(game.points, game.view(0).bonuses, strict=True)]


def test_labels_do_not_depend_on_threads(equity: Equity, games: list[Game]) -> None:
    one, three = (Labeller(CLASSIC, equity, seed=4, threads=threads)(states_of(games)) for threads in (1, 3))
    for own, other in zip(one, three, strict=True):
        assert np.array_equal(own, other)


def test_the_gain_of_a_policy_by_hand() -> None:
    """Actions 0, 1, 2 legal with chances 0.5, 0.25, 0.25; the first two labelled 0.3 and -0.3."""
    mask = torch.zeros(1, 130)
    mask[0, :3] = 1
    chances = masked(torch.log(torch.tensor([[0.5, 0.25, 0.25, *[1.0] * 127]])), mask)
    actions = torch.full((1, MOST), -1)
    actions[0, :2] = torch.tensor([0, 1])
    advantages = torch.zeros(1, MOST)
    advantages[0, :2] = torch.tensor([0.3, -0.3])
    want = 0.5 * 0.3 - 0.25 * 0.3 + 0.25 * (-0.3 - UNLIKELY)
    assert float(expected_gain(chances, actions, advantages)) == pytest.approx(want)


def test_memory_keeps_the_last_decisions() -> None:
    memory = Memory(10)
    for first in range(0, 28, 4):
        rows = np.arange(first, first + 4)
        labels = Labels(np.repeat(rows[:, None], MOST, 1), np.zeros((4, MOST), np.float32), rows)
        memory.add(np.zeros((4, 496), np.int8), np.ones((4, 130), np.int8), labels)
    assert sorted(memory.arrays["reference"].tolist()) == list(range(18, 28))
    drawn = memory.draw(np.random.default_rng(0), 1000)
    assert set(drawn["reference"].tolist()) == set(range(18, 28))
    assert drawn["action_mask"].shape == (1000, 130)
    assert (drawn["actions"][:, 0] == drawn["reference"]).all()


def test_a_resumed_run_is_the_run(tmp_path: Path) -> None:
    arguments = replace(SMALL, folder=tmp_path / "run")
    with Run("distill", arguments) as run:
        whole = Distill(arguments, run)
        for _ in range(7):
            whole.update()
        save_checkpoint(tmp_path / "kept", *whole.state())
        stream = torch.get_rng_state()
        metrics = [whole.update() for _ in range(3)]
        other = Distill(arguments, run)
        other.update()
        other.load_state(*load_checkpoint(tmp_path / "kept"))
        torch.set_rng_state(stream)
        assert [other.update() for _ in range(3)] == metrics
        states = whole.state(), other.state()
    assert states[0][1] == states[1][1]
    for name, tensor in states[0][0].items():
        assert torch.equal(tensor, states[1][0][name]), name


def test_it_learns_what_the_heuristic_does(tmp_path: Path) -> None:
    """With the pull alone it is imitation: the cross-entropy of the heuristic's choices falls."""
    arguments = replace(
        SMALL,
        rows=128,
        minibatch=256,
        memory=4000,
        hidden=(64,),
        pull=1.0,
        solver_share=0.0,
        learning_rate=3e-3,
        folder=tmp_path / "run",
        decisions=10**9,
    )
    with Run("distill", arguments) as run:
        trainer = Distill(arguments, run)
        found = [trainer.update() for _ in range(60)]
    name = "losses/reference_cross_entropy"
    assert np.mean([each[name] for each in found[-10:]]) < 0.6 * np.mean([each[name] for each in found[1:5]])


def test_rules_of_one_deal_are_refused() -> None:
    with pytest.raises(TrainingError, match="mini2 is not accepted"):
        replace(SMALL, rules="mini2").check()


def test_positions_are_copies() -> None:
    env = VectorEnv(4, seed=1)
    with pytest.raises(RuntimeError, match="reset"):
        env.positions()
    env.reset()
    positions: Any = env.positions()
    positions["scores"][:] = 500
    assert not env.positions()["scores"].any()
