"""Self-play by RLlib's PPO: one policy for all seats, which play in processes of this machine or of a whole cluster.

Needs: ray[rllib] (set up: examples/README.md). Run: python examples/rllib_ppo.py

On a cluster: `ray start --head` on one machine, `ray start --address HOST:6379` on the others, thousand_env on all of
them, and then `--address HOST:6379 --workers N` on one of them (`--address auto`: the cluster of this machine).
RLlib's module for masks looks for other keys, so here is another: illegal actions have probability 0 when it explores,
learns and plays.
"""

import argparse
import os
from pathlib import Path
from time import perf_counter

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # read when ray starts
import ray
from ray.rllib.algorithms.ppo import PPO, PPOConfig
from ray.rllib.core.rl_module import RLModule, RLModuleSpec
from ray.rllib.core.rl_module.apis import ValueFunctionAPI
from ray.rllib.core.rl_module.torch import TorchRLModule
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from torch import Tensor, from_numpy, nn

from thousand_env import PolicyAgent, thousand_v0
from thousand_env.evaluation import duplicate


class Masked(TorchRLModule, ValueFunctionAPI):
    def setup(self) -> None:  # the last output is the value
        size, n = self.observation_space["observation"].shape[0], self.action_space.n
        self.net = nn.Sequential(nn.Linear(size, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, n + 1))

    def _forward(self, batch: dict, **_: object) -> dict[str, Tensor]:
        logits = self.net(batch["obs"]["observation"])[:, :-1]
        return {"action_dist_inputs": logits.masked_fill(batch["obs"]["action_mask"] == 0, -1e9)}

    def compute_values(self, batch: dict, embeddings: Tensor | None = None) -> Tensor:
        return self.net(batch["obs"]["observation"])[:, -1]

    def choose(self, observation, action_mask) -> Tensor:
        seen = {"observation": from_numpy(observation), "action_mask": from_numpy(action_mask)}
        return self.forward_inference({"obs": seen})["action_dist_inputs"].argmax(1)


def train(algorithm: PPO, steps: int) -> None:
    done, start = 0, perf_counter()
    while done < steps:
        played = algorithm.train()["env_runners"]
        done = int(played["num_env_steps_sampled_lifetime"])
        reward = 100 * played.get("episode_return_mean", float("nan"))  # of the deals that are over
        print(f"{done:,} steps: the seats score {reward:+.0f} points together in a deal", flush=True)
    seconds = perf_counter() - start
    print(f"{done:,} environment steps in {seconds:.1f} s: {done / seconds:,.0f} steps/s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=300_000, help="environment steps (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of games and learner (default: %(default)s)")
    parser.add_argument("--workers", type=int, default=1, help="processes to play in, 0: this (default: %(default)s)")
    parser.add_argument("--address", help="HOST:PORT of a Ray cluster, or auto (default: Ray starts on this machine)")
    parser.add_argument("--folder", type=Path, default="runs/rllib_ppo", help="save here (default: %(default)s)")
    parser.add_argument("--smoke", action="store_true", help="a short run, to see that it works: it learns nothing")
    run = parser.parse_args()
    if run.steps < 1 or run.workers < 0:
        parser.error("--steps has to be 1 or more, --workers 0 or more")
    run.folder.mkdir(parents=True, exist_ok=True)
    tables, batch, steps, deals = (8, 1024, 1_000, 20) if run.smoke else (64, 8192, run.steps, 300)
    with ray.init(run.address or "local", num_cpus=None if run.address else run.workers + 1, include_dashboard=False):
        # Relative rewards sum to zero whatever self-play has learned; the mean score shows how well it plays.
        ray.tune.register_env("thousand", lambda _: PettingZooEnv(thousand_v0.env(episode="deal", reward="score")))
        config = PPOConfig().environment("thousand", disable_env_checking=True)  # the check plays illegal actions
        config.multi_agent(policies={"shared"}, policy_mapping_fn=lambda *_: "shared")
        config.env_runners(num_env_runners=run.workers, num_envs_per_env_runner=tables).debugging(seed=run.seed)
        config.training(train_batch_size_per_learner=batch, minibatch_size=512, num_epochs=4, gamma=1.0, lr=5e-4)
        algorithm = config.rl_module(rl_module_spec=RLModuleSpec(Masked)).build_algo()
        train(algorithm, steps)
        saved = algorithm.save_to_path(run.folder.resolve())
    print(f"saved in {saved}")
    agent = PolicyAgent(RLModule.from_checkpoint(f"{saved}/learner_group/learner/rl_module/shared").choose)
    print(duplicate(agent, "random", deals=deals, seed=run.seed).text())


if __name__ == "__main__":
    main()
