"""PufferLib 3's trainer in self-play: every seat of many games is a row, and one policy plays them all.

Needs: pufferlib (set up: examples/README.md). Run: python examples/pufferlib_ppo.py
The mask stands behind the observation, and the policy takes illegal actions off its logits, when it learns and when it
plays. PufferLib counts steps of all three seats, here decisions are counted. It leaves a link, `resources`, behind.
"""

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from pufferlib.pufferl import PuffeRL
from torch import Tensor, nn

from thousand_env import NUM_ACTIONS, PolicyAgent
from thousand_env.evaluation import duplicate
from thousand_env.observation import OBSERVATION
from thousand_env.pufferlib import ThousandPufferEnv

ADAM = {"optimizer": "adam", "learning_rate": 1e-3, "adam_beta1": 0.9, "adam_beta2": 0.999, "adam_eps": 1e-8}
PPO = {"gamma": 1.0, "gae_lambda": 0.98, "update_epochs": 2, "clip_coef": 0.2, "vf_coef": 0.5, "vf_clip_coef": 0.2}
MORE = {"ent_coef": 0.01, "max_grad_norm": 0.5, "vtrace_rho_clip": 1.0, "vtrace_c_clip": 1.0, "anneal_lr": True}
ROWS = {"bptt_horizon": 64, "batch_size": "auto", "max_minibatch_size": 1 << 20, "prio_alpha": 0.0, "prio_beta0": 1.0}
MACHINE = {"device": "cpu", "precision": "float32", "cpu_offload": False, "torch_deterministic": True, "compile": False}
KEPT = {"use_rnn": False, "checkpoint_interval": 1 << 20}


class Policy(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(OBSERVATION.size, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU())
        self.action, self.value = nn.Linear(256, NUM_ACTIONS), nn.Linear(256, 1)

    def forward(self, seen: Tensor, state: object = None) -> tuple[Tensor, Tensor]:
        features = self.trunk(seen[:, :-NUM_ACTIONS])
        return self.action(features).masked_fill(seen[:, -NUM_ACTIONS:] == 0, -1e9), self.value(features)

    forward_eval = forward


class Trainer(PuffeRL):
    def print_dashboard(self, **options: object) -> None:
        pass  # lines are printed instead


def train(trainer: Trainer) -> int:
    while trainer.global_step < trainer.config["total_timesteps"]:
        trainer.evaluate()
        if logs := trainer.train():
            size = logs.get("environment/points_at_stake", float("nan"))
            print(f"{trainer.global_step // 3:,} steps: a seat wins or loses {size:.0f} points a deal", flush=True)
    return trainer.global_step // 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=500_000, help="environment steps (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of games and learner (default: %(default)s)")
    parser.add_argument("--folder", type=Path, default="runs/pufferlib_ppo", help="save here (default: %(default)s)")
    parser.add_argument("--smoke", action="store_true", help="a short run, to see that it works: it learns nothing")
    options = parser.parse_args()
    if options.steps < 1:
        parser.error(f"--steps {options.steps} is not accepted: use 1 or more")
    options.folder.mkdir(parents=True, exist_ok=True)
    games, steps, deals = (8, 1024, 20) if options.smoke else (128, options.steps, 300)
    torch.manual_seed(options.seed)
    env = ThousandPufferEnv(games)
    sizes = {"total_timesteps": 3 * steps, "minibatch_size": 16 * env.num_agents, "data_dir": str(options.folder)}
    config = {**ADAM, **PPO, **MORE, **ROWS, **MACHINE, **KEPT, **sizes, "seed": options.seed}
    trainer = Trainer(config, env, Policy())
    started = time.perf_counter()
    steps = train(trainer)
    seconds = time.perf_counter() - started
    print(f"{steps:,} environment steps in {seconds:.1f} s: {steps / seconds:,.0f} steps/s")
    learned = Policy()
    learned.load_state_dict(torch.load(saved := trainer.close()))  # PufferLib keeps the weights alone
    print(f"saved as {saved}")
    agent = PolicyAgent(lambda seen, mask: learned(torch.from_numpy(np.hstack([seen, mask])))[0].argmax(-1))
    print(duplicate(agent, "random", deals=deals, seed=options.seed).text())


if __name__ == "__main__":
    main()
