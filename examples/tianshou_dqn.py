"""Masked DQN of Tianshou 2.0 in self-play: one network for all seats, through its ``PettingZooEnv``.

Needs: tianshou (set up: examples/README.md). Run: python examples/tianshou_dqn.py

``PettingZooEnv`` hands the mask on as ``obs.mask``, where the policy looks for it when it learns, explores and plays.
What follows an action in its buffer is what the next seat saw, so a target may not be taken from there: ``HORIZON`` is
longer than any deal, and what is learned is what a seat's action has led to at the end, as in Deep Monte Carlo.
"""

from __future__ import annotations

import argparse
import logging
import time
from pathlib import Path

import numpy as np
import torch
from tianshou.algorithm.modelfree.dqn import DQN, DiscreteQLearningPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Batch, Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

from thousand_env import PolicyAgent, env
from thousand_env.evaluation import duplicate

GAMES, HORIZON = 32, 100


def new_policy() -> DiscreteQLearningPolicy:
    table = PettingZooEnv(env(episode="deal"))
    net = Net(state_shape=table.observation_space["observation"].shape, action_shape=130, hidden_sizes=[256, 256])
    # Tianshou 2.0 tells the policy of all seats that it is learning and not those below it: they explore with this.
    return DiscreteQLearningPolicy(model=net, action_space=table.action_space, eps_inference=0.1)


def train(steps: int, seed: int) -> tuple[DiscreteQLearningPolicy, int, float]:
    """What has learned for a number of environment steps, that number, and the seconds that it took."""
    np.random.seed(seed)  # Tianshou explores and samples with the global generators
    torch.manual_seed(seed)
    logging.getLogger("tianshou").setLevel(logging.ERROR)  # it warns of returns of several seats with each log
    tables = DummyVectorEnv([lambda: PettingZooEnv(env(episode="deal"))] * GAMES)
    tables.seed(seed)
    dqn = DQN(policy=new_policy(), optim=AdamOptimizerFactory(lr=5e-4), gamma=1.0, n_step_return_horizon=HORIZON)
    seats = MultiAgentOffPolicyAlgorithm(algorithms=[dqn] * 3, env=PettingZooEnv(env(episode="deal")))
    buffer = VectorReplayBuffer(30_000, GAMES, ignore_obs_next=True)
    collector = Collector(seats, tables, buffer, exploration_noise=True)
    params = OffPolicyTrainerParams(max_epochs=1, epoch_num_steps=steps, batch_size=512, training_collector=collector)
    params.collection_step_num_env_steps, params.collection_step_num_episodes = None, GAMES  # whole deals, with ends
    params.update_step_num_gradient_steps_per_sample = 0.02
    params.multi_agent_return_reduction = lambda returns: returns.min(axis=1)  # shown: what deals cost the worst seat
    start = time.perf_counter()
    result = seats.run_training(params)
    return dqn.policy, result.train_step, time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=60_000, help="environment steps (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of games and learner (default: %(default)s)")
    parser.add_argument("--folder", type=Path, default="runs/tianshou_dqn", help="save here (default: %(default)s)")
    parser.add_argument("--smoke", action="store_true", help="a short run, to see that it works: it learns nothing")
    options = parser.parse_args()
    if options.steps < 1:
        parser.error(f"--steps {options.steps} is not accepted: use 1 or more")
    options.folder.mkdir(parents=True, exist_ok=True)

    policy, steps, seconds = train(1_000 if options.smoke else options.steps, options.seed)
    print(f"{steps:,} environment steps in {seconds:.1f} s: {steps / seconds:,.0f} steps/s")
    torch.save(policy.state_dict(), options.folder / "policy.pt")
    print(f"saved as {options.folder / 'policy.pt'}")

    loaded = new_policy()
    loaded.load_state_dict(torch.load(options.folder / "policy.pt"))
    agent = PolicyAgent(lambda observation, mask: loaded(Batch(obs=Batch(obs=observation, mask=mask), info=None)).act)
    print(duplicate(agent, "random", deals=20 if options.smoke else 300, seed=options.seed).text())


if __name__ == "__main__":
    main()
