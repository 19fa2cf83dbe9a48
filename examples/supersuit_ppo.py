"""Self-play with MaskablePPO of sb3-contrib, all seats learning, through SuperSuit's vectors of ``parallel_env``.

Needs: supersuit, sb3-contrib (set up: examples/README.md). Run: python examples/supersuit_ppo.py

SuperSuit knows no masks: ``Masked`` takes them out of the observations. A seat that is not to move has one legal
action, which is ignored: that teaches the values and not the policy, and every seat is paid. When the network plays it
has to be given the mask: ``model.predict(observation, action_masks=mask)``.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import supersuit
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import VecEnvWrapper, VecMonitor

from thousand_env import PolicyAgent, parallel_env
from thousand_env.evaluation import duplicate


class Masked(VecEnvWrapper):
    """A row for each seat of each game, the mask apart from what the network sees."""

    def seed(self, seed: int | None = None) -> None:  # which SuperSuit's wrapper for SB3 cannot do
        self.venv.venv.reset(seed=seed)

    def reset(self) -> Any:
        return self.split(self.venv.reset())

    def step_wait(self) -> Any:
        rows, *rest = self.venv.step_wait()
        return self.split(rows), *rest

    def split(self, rows: dict[str, Any]) -> Any:
        self.masks = rows["action_mask"]
        return rows["observation"]

    def has_attr(self, attr_name: str) -> bool:
        return attr_name == "action_masks"  # the only thing that MaskablePPO asks for

    def env_method(self, method_name: str, *args: Any, **keywords: Any) -> list[Any]:
        return list(self.masks)


def train(steps: int, seed: int) -> tuple[MaskablePPO, int, float]:
    """What has learned for a number of environment steps, that number, and the seconds that it took."""
    games = supersuit.pettingzoo_env_to_vec_env_v1(parallel_env(episode="deal"))
    games = supersuit.concat_vec_envs_v1(games, 16, num_cpus=0, base_class="stable_baselines3")
    env = VecMonitor(Masked(games, observation_space=games.observation_space["observation"]))  # logs the returns
    size = {"n_steps": 128, "batch_size": 1024, "n_epochs": 4, "policy_kwargs": {"net_arch": [256, 256]}}
    model = MaskablePPO("MlpPolicy", env, gamma=1.0, seed=seed, device="cpu", verbose=1, **size)
    start = time.perf_counter()
    model.learn(steps * 3)  # a step for each seat
    return model, model.num_timesteps // 3, time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=60_000, help="environment steps (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of games and learner (default: %(default)s)")
    parser.add_argument("--folder", type=Path, default="runs/supersuit_ppo", help="save here (default: %(default)s)")
    parser.add_argument("--smoke", action="store_true", help="a short run, to see that it works: it learns nothing")
    options = parser.parse_args()
    if options.steps < 1:
        parser.error(f"--steps {options.steps} is not accepted: use 1 or more")
    options.folder.mkdir(parents=True, exist_ok=True)

    model, steps, seconds = train(256 if options.smoke else options.steps, options.seed)
    print(f"{steps:,} environment steps in {seconds:.1f} s: {steps / seconds:,.0f} steps/s")
    model.save(options.folder / "model")
    print(f"saved as {options.folder / 'model.zip'}")

    loaded = MaskablePPO.load(options.folder / "model", device="cpu")
    agent = PolicyAgent(lambda observation, mask: loaded.predict(observation, action_masks=mask, deterministic=True)[0])
    print(duplicate(agent, "random", deals=20 if options.smoke else 300, seed=options.seed).text())


if __name__ == "__main__":
    main()
