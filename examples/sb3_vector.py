"""MaskablePPO of sb3-contrib on the compiled batch: ``ThousandVecEnv`` in place of a list of environments.

Needs: sb3-contrib (set up: examples/README.md). Run: python examples/sb3_vector.py

MaskablePPO asks ``env_method("action_masks")``; when the network plays it has to be given the mask, see below.
``opponents`` may be agents, such as
``PolicyAgent(lambda observation, mask: past.predict(observation, action_masks=mask)[0])``: what the learner was, asked
once a step for all tables that wait for it. ``past = copy.deepcopy(model.policy)`` comes after the model and before it
learns, and ``past.load_state_dict(model.policy.state_dict())`` in a callback makes it newer.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import VecMonitor

from thousand_env import PolicyAgent
from thousand_env.evaluation import duplicate
from thousand_env.stable_baselines3 import ThousandVecEnv

TABLES = 64


def train(steps: int, seed: int, smoke: bool) -> tuple[MaskablePPO, int, float]:
    """What has learned for a number of environment steps, that number, and the seconds that it took."""
    # A random seat in each deal, one opponent of each kind.
    env = ThousandVecEnv(TABLES, seat=None, opponents=["greedy", "random"], episode="deal", flat_observation=True)
    model = MaskablePPO(
        "MlpPolicy",
        VecMonitor(env),  # so that returns are logged
        n_steps=4 if smoke else 64,
        batch_size=64 if smoke else 1024,
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
    parser.add_argument("--steps", type=int, default=200_000, help="environment steps (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of games and learner (default: %(default)s)")
    parser.add_argument("--folder", type=Path, default="runs/sb3_vector", help="save here (default: %(default)s)")
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
