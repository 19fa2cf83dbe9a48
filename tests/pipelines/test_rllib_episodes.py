"""What RLlib's scripts learn from, looked at in the episodes that their own environments and policies play."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.integration

torch = pytest.importorskip("torch")
pytest.importorskip("ray.rllib.algorithms.ppo")

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
SCRIPTS = ["rllib_ppo", "rllib_league"]

Run = Callable[[str, int, Callable[[Any], None]], None]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Runs a script in its smoke form, with a number of workers, and looks at its algorithm when it has learned."""

    def run_and_look(name: str, workers: int, look: Callable[[Any], None]) -> None:
        monkeypatch.syspath_prepend(EXAMPLES)
        monkeypatch.setenv("PYTHONPATH", str(EXAMPLES), prepend=os.pathsep)  # for the processes of the workers
        script = importlib.import_module(name)
        train = script.train

        def train_and_look(algorithm: Any, steps: int) -> None:
            train(algorithm, steps)
            look(algorithm)

        monkeypatch.setattr(script, "train", train_and_look)
        flags = ["--smoke", "--workers", str(workers), "--folder", str(tmp_path / name)]
        monkeypatch.setattr(sys, "argv", [name, *flags])
        script.main()

    return run_and_look


@pytest.mark.parametrize("name", SCRIPTS)
def test_episodes_hold_legal_actions_alone_and_every_reward(name: str, run: Run) -> None:
    looked = []

    def look(algorithm: Any) -> None:
        deals = [deal for deal in algorithm.env_runner.sample(num_episodes=40) if deal.is_done]
        assert len(deals) >= 40
        starts = set()
        for deal in deals:
            actions = 0
            for part in deal.agent_episodes.values():
                seen = part.get_observations()
                chosen = np.asarray(part.get_actions())
                masks, rows = seen["action_mask"][:-1], np.arange(len(chosen))
                assert masks[rows, chosen].all()
                assert not seen["action_mask"][-1].any()  # the deal is over
                logits = torch.from_numpy(np.asarray(part.get_extra_model_outputs("action_dist_inputs")))
                assert (torch.softmax(logits, dim=1).numpy()[masks == 0] == 0).all()
                starts.add(seen["observation"][0].tobytes())
                actions += len(chosen)
            assert actions == len(deal)  # a step is one decision
            returns = [part.get_return() for part in deal.agent_episodes.values()]
            if name == "rllib_league":  # relative rewards sum to zero if none is lost
                assert sum(returns) == pytest.approx(0.0, abs=1e-6)
            assert any(returns)
        assert len(starts) > 2 * len(deals)  # each table has cards of its own
        looked.append(len(deals))

    run(name, 0, look)
    assert looked


def test_the_oldest_of_the_league_becomes_a_copy_where_it_plays(run: Run) -> None:
    looked = []

    def look(algorithm: Any) -> None:
        assert algorithm.iteration == 5
        main = algorithm.learner_group.get_weights()["main"]
        learners = [algorithm.learner_group.get_weights()]
        players = algorithm.env_runner_group.foreach_env_runner(
            lambda runner: {name: runner.module[name].get_state() for name in runner.module.keys()}  # noqa: SIM118
        )
        for networks in [*learners, *players]:
            assert sorted(networks) == ["main", "past_0", "past_1", "past_2"]
            for name, weights in networks.items():
                equal = all(np.array_equal(main[key], np.asarray(weights[key])) for key in main)
                assert equal == (name in ("main", "past_1")), name
        looked.append(len(players))

    run("rllib_league", 1, look)
    assert looked == [2]  # the process of the script and the one that plays
