"""AgileRL's PPO over the seats of ``parallel_env``: the masks, actions and rewards that it keeps are the game's."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from thousand_env import Game, env_seed, episode_seed

pytestmark = pytest.mark.integration
pytest.importorskip("agilerl")

PATH = Path(__file__).parent.parent.parent / "examples" / "agilerl_ppo.py"
TABLES, STEPS, SEED = 3, 80, 5


@pytest.fixture(scope="module")
def rollout() -> tuple[Any, dict[str, np.ndarray]]:
    """What has learned nothing yet, and its buffer: arrays [step, table, seat, ...]."""
    spec = importlib.util.spec_from_file_location("agilerl_ppo", PATH)
    assert spec is not None
    assert spec.loader is not None
    script: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    seats = script.Seats(TABLES, SEED)
    spaces = seats.tables[0].observation_space("player_0"), seats.tables[0].action_space("player_0")
    sizes = {"num_envs": 3 * TABLES, "learn_step": STEPS * 3 * TABLES}
    ppo = script.PPO(*spaces, **sizes, net_config=script.NETWORK, **script.LEARNING)
    script.collect_rollouts(ppo, seats)
    buffer = ppo.rollout_buffer.buffer
    names = ("observations", "action_masks", "actions", "rewards", "dones", "returns")
    return ppo, {name: buffer[name].numpy().reshape(STEPS, TABLES, 3, *buffer[name].shape[2:]) for name in names}


def test_what_is_kept_is_the_game(rollout: tuple[Any, dict[str, np.ndarray]]) -> None:
    _, kept = rollout
    ended = 0
    for table in range(TABLES):
        episode, first = 0, 0
        game = Game(seed=episode_seed(env_seed(SEED, table), 0), episode="deal")
        for step in range(STEPS):
            for seat in range(3):
                legal = game.legal_actions() if seat == game.seat else [0]
                assert np.flatnonzero(kept["action_masks"][step, table, seat]).tolist() == legal
                assert kept["actions"][step, table, seat].item() in legal
            game.apply(int(kept["actions"][step, table, game.seat].item()))
            assert (kept["dones"][step, table] == game.is_over).all()
            if game.is_over:
                np.testing.assert_allclose(kept["rewards"][step, table], game.returns("relative"), rtol=1e-6)
                told = kept["returns"][first : step + 1, table]  # to every decision of the deal, and to no other
                np.testing.assert_allclose(told, np.broadcast_to(game.returns("relative"), told.shape), rtol=1e-6)
                episode, first, ended = episode + 1, step + 1, ended + 1
                game = Game(seed=episode_seed(env_seed(SEED, table), episode), episode="deal")
            else:
                assert not kept["rewards"][step, table].any()
    assert ended >= TABLES


def test_it_learns_with_the_masks_that_it_has_played_with(rollout: tuple[Any, dict[str, np.ndarray]]) -> None:
    ppo, _ = rollout
    batch = ppo.rollout_buffer.get_tensor_batch()
    chances, _, _ = ppo.evaluate_actions(
        batch["observations"], batch["actions"].squeeze(-1), action_mask=batch["action_masks"]
    )
    np.testing.assert_allclose(chances.detach(), batch["log_probs"], atol=1e-5)
    assert (batch["log_probs"] > np.log(1e-6)).all()
