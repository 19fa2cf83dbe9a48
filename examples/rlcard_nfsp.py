"""Neural fictitious self-play of RLCard: one agent for all seats. Run: python examples/rlcard_nfsp.py
Needs: rlcard, setuptools, GitPython (set up: examples/README.md).

Importing `thousand_env.rlcard` makes "thousand" an environment of RLCard. Its agents have no mask: they learn from and
choose among `state["legal_actions"]`, when they play too. Observations are relative to the seat, so that one agent can
sit everywhere; what plays in the end is its average policy.
"""

import argparse
import contextlib
import io
import random
import time
from pathlib import Path

import numpy as np
import rlcard
import torch
from rlcard.agents import NFSPAgent
from rlcard.agents.nfsp_agent import AveragePolicyNetwork
from rlcard.utils import reorganize

from thousand_env import PolicyAgent
from thousand_env.evaluation import duplicate
from thousand_env.rlcard import ENV_ID

BEST_RESPONSE = {"q_mlp_layers": [128, 128], "rl_learning_rate": 1e-3, "q_batch_size": 128, "q_train_every": 8}
MEMORIES = {"q_replay_memory_size": 50_000, "q_replay_memory_init_size": 1_000, "reservoir_buffer_capacity": 100_000}
AVERAGE = {"hidden_layers_sizes": [128, 128], "sl_learning_rate": 1e-3, "batch_size": 128, "train_every": 8}
PLAY = {"anticipatory_param": 0.2, "q_epsilon_start": 0.1, "q_discount_factor": 1.0, "min_buffer_size_to_learn": 1_000}


def train(steps, seed):
    """What has learned for at least so many steps, and how many they were."""
    env = rlcard.make(ENV_ID, {"seed": seed, "episode": "deal", "reward": "score"})
    sizes = {"num_actions": env.num_actions, "state_shape": env.state_shape[0], "q_epsilon_decay_steps": steps}
    agent = NFSPAgent(**sizes, **BEST_RESPONSE, **MEMORIES, **AVERAGE, **PLAY, device=torch.device("cpu"))
    env.set_agents([agent] * env.num_players)
    taken, start, earned = 0, time.perf_counter(), []
    while taken < steps:
        agent.sample_episode_policy()
        trajectories, payoffs = env.run(is_training=True)
        earned.append(payoffs.mean())
        with contextlib.redirect_stdout(io.StringIO()):  # it prints a line for each step
            for transition in (each for seat in reorganize(trajectories, payoffs) for each in seat):
                agent.feed(transition)
                taken += 1
        if len(earned) % 200 == 0:
            seconds = time.perf_counter() - start
            print(f"{taken:,} steps, {len(earned)} deals, {seconds:.0f} s, {np.mean(earned[-200:]):+.2f} a seat")
    return agent, taken


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=150_000, help="environment steps (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of games and learner (default: %(default)s)")
    parser.add_argument("--folder", type=Path, default="runs/rlcard_nfsp", help="save here (default: %(default)s)")
    parser.add_argument("--smoke", action="store_true", help="a short run, to see that it works: it learns nothing")
    args = parser.parse_args()
    if args.steps < 1:
        parser.error(f"--steps {args.steps} is not accepted: use 1 or more")
    args.folder.mkdir(parents=True, exist_ok=True)
    for seed in (random.seed, np.random.seed, torch.manual_seed):  # RLCard draws with the global generators
        seed(args.seed)
    start = time.perf_counter()
    agent, steps = train(1_500 if args.smoke else args.steps, args.seed)
    seconds = time.perf_counter() - start
    print(f"{steps:,} environment steps in {seconds:.1f} s: {steps / seconds:,.0f} steps/s")
    torch.save(agent.policy_network.checkpoint_attributes(), args.folder / "policy.pt")  # NFSP's own has its memories
    print(f"saved as {args.folder / 'policy.pt'}")
    loaded = AveragePolicyNetwork.from_checkpoint(torch.load(args.folder / "policy.pt")).eval()

    def choose(observation, action_mask):
        with torch.no_grad():
            logits = loaded(torch.from_numpy(observation))
        return logits.masked_fill(torch.from_numpy(action_mask) == 0, -torch.inf).argmax(dim=1)

    print(duplicate(PolicyAgent(choose), "random", deals=20 if args.smoke else 300, seed=args.seed).text())


if __name__ == "__main__":
    main()
