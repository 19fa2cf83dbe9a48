"""PPO in TorchRL on the PettingZoo environment: one policy plays all seats. Run: python examples/torchrl_ppo.py
Needs: torchrl (set up: examples/README.md). torchrl_vector.py is the same on the batched environment, much faster.

All seats are one group with a column each: TorchRL's GAE goes down the columns, over what is paid while others move,
and the policy learns where `mask` says that the seat was to move. Legal always: MaskedCategorical reads `action_mask`,
and the agent masks too; ActionMask is for actions that the environment draws itself.
"""

import argparse
import time
from pathlib import Path

import torch
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torchrl.collectors import Collector
from torchrl.envs import ActionMask, PettingZooWrapper, TransformedEnv
from torchrl.modules import MLP, MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from thousand_env import PolicyAgent, thousand_v0
from thousand_env.evaluation import duplicate


def train(env, policy, steps, batch):
    names = ("advantage", "value_target", "value", "reward", "done", "terminated", "sample_log_prob")
    keys, seen = {name: ("seats", name) for name in names}, [("seats", "observation", "observation")]
    logits = TensorDictModule(policy, seen, [("seats", "logits")])
    parts = {"logits": ("seats", "logits"), "mask": ("seats", "action_mask")}
    draw = {"distribution_class": MaskedCategorical, "return_log_prob": True, "log_prob_key": keys["sample_log_prob"]}
    actor = ProbabilisticActor(logits, parts, [("seats", "action")], **draw)
    critic = ValueOperator(MLP(496, 1, num_cells=[256, 256]), seen, [keys["value"]])
    loss = ClipPPOLoss(actor, critic, entropy_coeff=0.02, normalize_advantage=True)
    loss.set_keys(action=("seats", "action"), **keys)
    gae = GAE(gamma=1.0, lmbda=0.98, value_network=critic)
    gae.set_keys(**keys)
    optimizer = torch.optim.Adam(loss.parameters(), lr=5e-4)
    collector = Collector(env, actor, frames_per_batch=batch, total_frames=steps)
    for number, data in enumerate(collector, 1):
        seats = gae(data)["seats"]
        moves = TensorDict({"seats": seats[seats["mask"]]}, [batch])
        for part in (part for _ in range(5) for part in torch.randperm(batch).split(250)):
            losses = loss(moves[part])
            optimizer.zero_grad()
            (losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]).backward()
            optimizer.step()
        reward, done = data["next", "seats", "reward"], data["next", "done"][:, 0]
        print(f"{number * batch:,} steps, {reward[done].mean():+.3f} a seat and deal")
    return number * batch


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=60_000, help="environment steps (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of games and learner (default: %(default)s)")
    parser.add_argument("--folder", type=Path, default="runs/torchrl_ppo", help="save here (default: %(default)s)")
    parser.add_argument("--smoke", action="store_true", help="a short run, to see that it works: it learns nothing")
    args = parser.parse_args()
    if args.steps < 1:
        parser.error(f"--steps {args.steps} is not accepted: use 1 or more")
    args.folder.mkdir(parents=True, exist_ok=True)
    batch, steps, deals = (128, 256, 20) if args.smoke else (2000, args.steps, 300)
    torch.manual_seed(args.seed)
    table = thousand_v0.env(episode="deal", reward="score")
    env = PettingZooWrapper(table, use_mask=True, group_map={"seats": table.possible_agents}, seed=args.seed)
    env = TransformedEnv(env, ActionMask(("seats", "action"), ("seats", "action_mask")))
    policy, start = MLP(496, 130, num_cells=[256, 256]), time.perf_counter()
    steps = train(env, policy, steps, batch)
    seconds = time.perf_counter() - start
    print(f"{steps:,} environment steps in {seconds:.1f} s: {steps / seconds:,.0f} steps/s")
    torch.save(policy.state_dict(), args.folder / "policy.pt")
    print(f"saved as {args.folder / 'policy.pt'}")
    net = MLP(496, 130, num_cells=[256, 256]).requires_grad_(False)
    net.load_state_dict(torch.load(args.folder / "policy.pt", weights_only=True))
    agent = PolicyAgent(lambda seen, mask: net(torch.tensor(seen)).where(torch.tensor(mask) > 0, -torch.inf).argmax(1))
    print(duplicate(agent, "random", deals=deals, seed=args.seed).text())


if __name__ == "__main__":
    main()
