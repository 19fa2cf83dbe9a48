"""MAPPO in BenchMARL: one policy for all seats, a critic that sees all cards. Run: python examples/benchmarl_mappo.py
Needs: benchmarl (set up: examples/README.md), in an environment of its own, since it takes an older TorchRL.

BenchMARL steps all agents at once, so that it gets the parallel view, in which an idle agent has one action and nothing
to learn. Its networks take flat observations; the mask is then in the info, where TorchRL finds it. Legal always: the
policy reads the mask when it learns and when it plays. Progress: its bar counts batches, beside the last mean return.
"""

import argparse
import time
from pathlib import Path

import torch
from benchmarl.algorithms import MappoConfig
from benchmarl.environments.pettingzoo.common import PettingZooClass
from benchmarl.experiment import Experiment, ExperimentConfig
from benchmarl.models.mlp import MlpConfig
from tensordict import TensorDict
from torchrl.envs import PettingZooWrapper
from torchrl.envs.utils import ExplorationType, set_exploration_type

from thousand_env import PolicyAgent, thousand_v0
from thousand_env.evaluation import duplicate


class ThousandTask(PettingZooClass):  # a TaskClass, whose specs are those of BenchMARL's own PettingZoo tasks
    def get_env_fun(self, num_envs, continuous_actions, seed, device):
        def make():
            game = thousand_v0.parallel_env(flat_observation=True, **self.config)
            seed = int(torch.randint(2**31, ()))  # BenchMARL gives all copies the same one: they would deal alike
            return PettingZooWrapper(game, return_state=True, done_on_any=False, seed=seed, device=device)

        return make

    def supports_discrete_actions(self):
        return True

    def has_state(self):
        return True

    def max_steps(self, env):
        return 98  # the actions of the longest deal


def train(experiment):
    experiment.run()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=60_000, help="environment steps (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of games and learner (default: %(default)s)")
    parser.add_argument("--folder", type=Path, default="runs/benchmarl_mappo", help="save here (default: %(default)s)")
    parser.add_argument("--smoke", action="store_true", help="a short run, to see that it works: it learns nothing")
    args = parser.parse_args()
    if args.steps < 1:
        parser.error(f"--steps {args.steps} is not accepted: use 1 or more")
    args.folder.mkdir(parents=True, exist_ok=True)
    config, mappo, network = ExperimentConfig.get_from_yaml(), MappoConfig.get_from_yaml(), MlpConfig.get_from_yaml()
    config.save_folder, config.checkpoint_at_end, config.exclude_buffer_from_checkpoint = str(args.folder), True, True
    config.evaluation, config.create_json, config.loggers, config.gamma, config.lr = False, False, [], 1.0, 5e-4
    config.max_n_frames, config.on_policy_collected_frames_per_batch = (800, 400) if args.smoke else (args.steps, 3000)
    config.on_policy_n_minibatch_iters = 3
    mappo.share_param_critic, mappo.entropy_coef, mappo.lmbda = False, 0.02, 0.98  # a value for each seat
    task = ThousandTask("deal", {"episode": "deal", "reward": "score"})
    experiment, start = Experiment(task, mappo, network, args.seed, config), time.perf_counter()
    train(experiment)
    seconds, steps = time.perf_counter() - start, experiment.total_frames
    print(f"{steps:,} environment steps in {seconds:.1f} s: {steps / seconds:,.0f} steps/s")
    [saved] = (experiment.folder_name / "checkpoints").iterdir()
    print(f"saved as {saved}")
    policy = Experiment.reload_from_file(str(saved)).policy  # elsewhere: sys.modules["__main__"].ThousandTask = ...

    def choose(observation, action_mask):  # the policy plays three seats at once: all of them are given the same row
        seats = {"observation": torch.tensor(observation), "action_mask": torch.tensor(action_mask) > 0}
        table = TensorDict({"player": TensorDict(seats, [len(observation)])[:, None].expand(len(observation), 3)})
        with torch.no_grad(), set_exploration_type(ExplorationType.DETERMINISTIC):
            return policy(table)["player", "action"][:, 0]

    print(duplicate(PolicyAgent(choose), "random", deals=20 if args.smoke else 300, seed=args.seed).text())


if __name__ == "__main__":
    main()
