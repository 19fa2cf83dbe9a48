"""Self-play by RLlib's PPO: one policy for all seats, which play in processes of this machine or of a whole cluster.

Needs: pip install "ray[rllib]==2.60.0" torch. Run: python examples/rllib_ppo.py (--address auto: on the cluster here)
RLlib's module for masks asks for other keys; with this one illegal actions have probability 0 in learning and in play.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # read when ray is imported
import numpy as np
import ray
from ray.rllib.algorithms.ppo import PPO, PPOConfig
from ray.rllib.core.rl_module import RLModuleSpec
from ray.rllib.core.rl_module.apis import ValueFunctionAPI
from ray.rllib.core.rl_module.torch import TorchRLModule
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from torch import Tensor, from_numpy, nn

from thousand_env import PolicyAgent, thousand_v0
from thousand_env.evaluation import duplicate


class Masked(TorchRLModule, ValueFunctionAPI):
    def setup(self) -> None:
        for name, width in (("policy", self.action_space.n), ("value", 1)):
            inputs = nn.Linear(self.observation_space["observation"].shape[0], 256)
            setattr(self, name, nn.Sequential(inputs, nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, width)))

    def _forward(self, batch: dict, **_: object) -> dict[str, Tensor]:
        seen, mask = batch["obs"]["observation"], batch["obs"]["action_mask"]
        return {"action_dist_inputs": self.policy(seen).masked_fill(mask == 0, -1e9)}

    def compute_values(self, batch: dict, embeddings: Tensor | None = None) -> Tensor:
        return self.value(batch["obs"]["observation"]).squeeze(-1)

    def choose(self, observation: np.ndarray, action_mask: np.ndarray) -> Tensor:
        seen = {"observation": from_numpy(observation), "action_mask": from_numpy(action_mask)}
        return self.forward_inference({"obs": seen})["action_dist_inputs"].argmax(1)


def train(algorithm: PPO, steps: int) -> None:
    done, start = 0, time.perf_counter()
    while done < steps:
        result = algorithm.train()
        done, seconds = int(result["num_env_steps_sampled_lifetime"]), time.perf_counter() - start
        reward = result["env_runners"].get("episode_return_mean", float("nan"))  # of the deals that are over
        print(f"{done:,} steps: the seats score {100 * reward:+.0f} points together in a deal", flush=True)
    print(f"{done:,} environment steps in {seconds:.1f} s: {done / seconds:,.0f} steps/s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    flags = {"steps": 300_000, "seed": 0, "workers": 1, "address": "local", "folder": "runs/rllib_ppo"}
    for name, default in flags.items():  # with 0 workers this process plays, too
        parser.add_argument(f"--{name}", type=type(default), default=default)
    parser.add_argument("--smoke", action="store_true")
    arguments = parser.parse_args()
    smoke, workers, folder = arguments.smoke, arguments.workers, Path(arguments.folder).resolve()
    own = {"num_cpus": workers + 1, "include_dashboard": False} if arguments.address == "local" else {}
    with ray.init(arguments.address, logging_level="error", **own):
        ray.tune.register_env("thousand", lambda _: PettingZooEnv(thousand_v0.env(episode="deal", reward="score")))
        config = PPOConfig().environment("thousand", disable_env_checking=True)  # the check plays illegal actions
        config.multi_agent(policies={"shared"}, policy_mapping_fn=lambda *_, **__: "shared")
        config.env_runners(num_env_runners=workers, num_envs_per_env_runner=8 if smoke else 64)
        config.rl_module(rl_module_spec=RLModuleSpec(Masked)).debugging(seed=arguments.seed)
        config.training(gamma=1.0, lambda_=0.95, entropy_coeff=0.01, lr=5e-4, num_epochs=4, minibatch_size=512)
        algorithm = config.training(train_batch_size_per_learner=1024 if smoke else 8192).build_algo()
        train(algorithm, 1_000 if smoke else arguments.steps)
        algorithm.save_to_path(folder)
    module = Masked.from_checkpoint(folder / "learner_group/learner/rl_module/shared")
    print(duplicate(PolicyAgent(module.choose), "random", deals=20 if smoke else 300, seed=arguments.seed).text())


if __name__ == "__main__":
    main()
