"""AgileRL's PPO in self-play: each seat of `parallel_env` is a row for one policy. Run: python examples/agilerl_ppo.py
Needs: agilerl, peft (set up: examples/README.md).

PPO and not IPPO, for in AgileRL 2.58 IPPO learns without the masks that it has played with, and mixes up the advantages
of agents that share a policy. PPO keeps the masks of the infos for learning, and is given them when it plays in the
end: illegal actions are never drawn. A seat that is not to move has action 0 alone, which teaches nothing. Rewards are
summed up as they are: the GAE of PPO takes the end of a deal for one step earlier.
"""

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from agilerl.algorithms import PPO
from agilerl.rollouts.on_policy import collect_rollouts

from thousand_env import PolicyAgent, env_seed, parallel_env
from thousand_env.evaluation import duplicate

NETWORK = {"encoder_config": {"hidden_size": [256]}, "latent_dim": 128, "head_config": {"hidden_size": [128]}}
LEARNING = {"lr": 5e-4, "gamma": 1.0, "update_epochs": 4, "rollout_buffer_config": {"use_gae": False}}


class Seats:
    """What PPO takes for a vector environment: row 3 t + s is seat s of table t, where deal follows deal."""

    def __init__(self, tables: int, seed: int) -> None:
        self.tables = [parallel_env(episode="deal", flat_observation=True) for _ in range(tables)]
        self.agents = self.tables[0].possible_agents
        self.seen = [table.reset(seed=env_seed(seed, number)) for number, table in enumerate(self.tables)]

    def reset(self):  # asked for before each rollout: the deals go on
        masks = np.stack([infos[agent]["action_mask"] for _, infos in self.seen for agent in self.agents])
        return np.stack([seen[agent] for seen, _ in self.seen for agent in self.agents]), {"action_mask": masks}

    def step(self, actions: np.ndarray):
        rewards, ended = np.zeros((2, len(self.tables), len(self.agents)))
        for number, (table, chosen) in enumerate(zip(self.tables, actions.reshape(ended.shape), strict=True)):
            seen, reward, _, _, infos = table.step(dict(zip(self.agents, chosen, strict=True)))
            rewards[number], ended[number] = list(reward.values()), not table.agents  # an end is one for all seats
            self.seen[number] = (seen, infos) if table.agents else table.reset()
        observation, info = self.reset()
        return observation, rewards.ravel(), ended.ravel() == 1, np.zeros(ended.size, bool), info


def train(ppo: PPO, seats: Seats, steps: int) -> int:
    done = 0
    while done < steps:
        results, *_ = collect_rollouts(ppo, seats)
        done, loss = done + ppo.learn_step // 3, ppo.learn()  # decisions, of all three seats together
        print(f"{done:,} steps: a seat wins or loses {100 * np.abs(results).mean():.0f} points a deal, loss {loss:.6f}")
    return done


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=200_000, help="environment steps (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of games and learner (default: %(default)s)")
    parser.add_argument("--folder", type=Path, default="runs/agilerl_ppo", help="save here (default: %(default)s)")
    parser.add_argument("--smoke", action="store_true", help="a short run, to see that it works: it learns nothing")
    options = parser.parse_args()
    if options.steps < 1:
        parser.error(f"--steps {options.steps} is not accepted: use 1 or more")
    options.folder.mkdir(parents=True, exist_ok=True)
    tables, steps, deals = (4, 512, 20) if options.smoke else (32, options.steps, 300)
    torch.manual_seed(options.seed)
    np.random.seed(options.seed)  # AgileRL shuffles with it
    seats, rows = Seats(tables, options.seed), 3 * tables
    spaces = [ask("player_0") for ask in (seats.tables[0].observation_space, seats.tables[0].action_space)]
    ppo = PPO(*spaces, net_config=NETWORK, num_envs=rows, learn_step=64 * rows, batch_size=16 * rows, **LEARNING)
    started = time.perf_counter()
    steps = train(ppo, seats, steps)
    seconds = time.perf_counter() - started
    print(f"{steps:,} environment steps in {seconds:.1f} s: {steps / seconds:,.0f} steps/s")
    ppo.save_checkpoint(str(options.folder / "ppo.pt"))
    print(f"saved as {options.folder / 'ppo.pt'}")
    learned = PPO.load(str(options.folder / "ppo.pt"))
    agent = PolicyAgent(lambda seen, mask: learned.get_action(seen, action_mask=mask)[0], on_reset=torch.manual_seed)
    print(duplicate(agent, "random", deals=deals, seed=options.seed).text())


if __name__ == "__main__":
    main()
