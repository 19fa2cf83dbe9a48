"""Tianshou: its wrapper's masks and rewards are ours, and its policies play and explore legally."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("tianshou")

from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.data import Batch, Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.utils.net.common import Net

from thousand_env import NUM_ACTIONS, env, raw_env

pytestmark = pytest.mark.integration


@pytest.mark.parametrize("rules", ["classic", "two_player", "four_player"])
def test_the_wrapper_gives_our_masks_and_rewards(rules: str) -> None:
    rng = np.random.default_rng(0)
    wrapped, ours = PettingZooEnv(env(rules=rules, episode="deal")), raw_env(rules=rules, episode="deal")
    for seed in range(5):
        seen, _ = wrapped.reset(seed=seed)
        ours.reset(seed=seed)
        is_over = False
        while not is_over:
            expected = ours.observe(ours.agent_selection)
            assert seen["agent_id"] == ours.agent_selection
            assert np.array_equal(seen["obs"], expected["observation"])
            assert np.array_equal(seen["mask"], expected["action_mask"] == 1)
            action = rng.choice(np.flatnonzero(seen["mask"]))
            ours.step(action)
            seen, rewards, terminated, truncated, _ = wrapped.step(action)
            assert rewards == [*ours.rewards.values()]
            is_over = terminated or truncated
            assert is_over == (ours.terminations["player_0"] or ours.truncations["player_0"])
        assert not any(seen["mask"])
        assert any(rewards)


def test_policies_choose_and_explore_legally() -> None:
    """With ``illegal="raise"`` an action that is not legal would end the test."""
    tables = DummyVectorEnv([lambda: PettingZooEnv(raw_env(episode="deal"))] * 4)
    net = Net(state_shape=(496,), action_shape=NUM_ACTIONS, hidden_sizes=[8])
    space = PettingZooEnv(env()).action_space
    policy = DiscreteQLearningPolicy(model=net, action_space=space, eps_inference=0.5)
    buffer = VectorReplayBuffer(2000, 4)
    collector = Collector(policy, tables, buffer, exploration_noise=True)
    collector.reset()
    stats = collector.collect(n_episode=12)
    assert stats.n_collected_episodes == 12
    rows, _ = buffer.sample(0)
    assert rows.obs.mask[np.arange(len(rows)), rows.act].all()
    assert rows.rew.shape[1] == 3
    assert np.allclose(rows.rew.sum(axis=1), 0)
    assert (np.abs(rows.rew).sum(axis=1)[~rows.done] == 0).all()  # paid at the end alone, to all seats


def test_a_policy_is_asked_with_the_mask_when_it_plays() -> None:
    net = Net(state_shape=(496,), action_shape=NUM_ACTIONS, hidden_sizes=[8])
    policy = DiscreteQLearningPolicy(model=net, action_space=PettingZooEnv(env()).action_space)
    masks = np.eye(NUM_ACTIONS, dtype=np.int8)
    rows = Batch(obs=Batch(obs=np.zeros((NUM_ACTIONS, 496), np.float32), mask=masks), info=None)
    assert np.array_equal(policy(rows).act, np.arange(NUM_ACTIONS))
