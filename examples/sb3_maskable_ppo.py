"""MaskablePPO of sb3-contrib on ``gymnasium.make("Thousand-v0")``: one learner at a table of given agents.

Needs: sb3-contrib (set up: examples/README.md). Run: python examples/sb3_maskable_ppo.py

examples/sb3_vector.py learns the same on compiled tables.

MaskablePPO asks ``action_masks()`` of each environment while it learns. When the network plays it has to be given the
mask: ``model.predict(observation, action_masks=mask)``.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_util import make_vec_env

from thousand_env import PolicyAgent
from thousand_env.evaluation import duplicate

TABLES = 8


def train(steps: int, seed: int, smoke: bool) -> tuple[MaskablePPO, int, float]:
    """What has learned for a number of environment steps, that number, and the seconds that it took."""
    keywords = {"seat": None, "opponents": "greedy", "episode": "deal", "flat_observation": True}
    # make_vec_env knows the name since thousand_env is imported.
    env = make_vec_env("Thousand-v0", TABLES, seed=seed, env_kwargs={**keywords, "disable_env_checker": True})
    model = MaskablePPO(
        "MlpPolicy",
        env,
        n_steps=16 if smoke else 256,
        batch_size=64 if smoke else 512,
        n_epochs=4,
        gamma=1.0,
        ent_coef=0.01,
        policy_kwargs={"net_arch": [256, 256]},
        seed=seed,
        device="cpu",
        verbose=1,
    )
    start = time.perf_counter()
    model.learn(steps, log_interval=1 if smoke else 10)
    return model, model.num_timesteps, time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=60_000, help="environment steps (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of games and learner (default: %(default)s)")
    parser.add_argument("--folder", type=Path, default="runs/sb3_maskable_ppo", help="save here (default: %(default)s)")
    parser.add_argument("--smoke", action="store_true", help="a short run, to see that it works: it learns nothing")
    options = parser.parse_args()
    if options.steps < 1:
        parser.error(f"--steps {options.steps} is not accepted: use 1 or more")
    options.folder.mkdir(parents=True, exist_ok=True)

    model, steps, seconds = train(256 if options.smoke else options.steps, options.seed, options.smoke)
    print(f"{steps:,} environment steps in {seconds:.1f} s: {steps / seconds:,.0f} steps/s")
    model.save(options.folder / "model")
    print(f"saved as {options.folder / 'model.zip'}")

    loaded = MaskablePPO.load(options.folder / "model", device="cpu")
    agent = PolicyAgent(lambda observation, mask: loaded.predict(observation, action_masks=mask, deterministic=True)[0])
    print(duplicate(agent, "random", deals=20 if options.smoke else 300, seed=options.seed).text())


if __name__ == "__main__":
    main()
