"""PPO in TorchRL on the batched environment: one policy plays all seats of 128 deals at once.
Needs: torchrl (set up: examples/README.md). Run: python examples/torchrl_vector.py

Legal always: MaskedCategorical reads `action_mask`, and the agent masks too.
TorchRL's own GAE would mix the seats that share a row: `advantages` walks back through a batch and keeps by seat what
is paid from here on until its next decision, and the value and the advantage of that decision.
"""

import argparse
import time
from pathlib import Path

import torch
from tensordict.nn import TensorDictModule
from torchrl.collectors import Collector
from torchrl.modules import MLP, MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss

from thousand_env import PolicyAgent
from thousand_env.evaluation import duplicate
from thousand_env.torchrl import BatchedThousandEnv


def advantages(seat, reward, done, value, lam=0.95):
    """From seat, done, value [N, T] and reward [N, T, n]: advantages [N, T], NaN for a seat's last decision if cut."""
    rows, advantage = torch.arange(len(seat)), torch.zeros_like(value)
    paid, next_value, next_advantage = torch.zeros(3, *reward[:, 0].shape)
    next_value[:] = torch.nan  # not known before an end or a decision has been passed
    for t in reversed(range(seat.shape[1])):
        paid[done[:, t]] = next_value[done[:, t]] = next_advantage[done[:, t]] = 0
        paid += reward[:, t]
        own = rows, seat[:, t]
        advantage[:, t] = paid[own] + next_value[own] - value[:, t] + lam * next_advantage[own]
        paid[own], next_value[own], next_advantage[own] = 0, value[:, t], advantage[:, t].nan_to_num(0)
    return advantage


def train(env, policy, steps, batch):
    critic = ValueOperator(MLP(496, 1, num_cells=[256, 256]))
    logits, keys = TensorDictModule(policy, ["observation"], ["logits"]), {"logits": "logits", "mask": "action_mask"}
    actor = ProbabilisticActor(logits, keys, distribution_class=MaskedCategorical, return_log_prob=True)
    collector = Collector(env, actor, frames_per_batch=batch, total_frames=steps)
    loss = ClipPPOLoss(actor, critic, entropy_coeff=0.02, normalize_advantage=True)
    optimizer = torch.optim.Adam(loss.parameters(), lr=5e-4)
    for number, data in enumerate(collector, 1):
        reward, done, value = data["next", "reward"], data["next", "done"][..., 0], critic(data)["state_value"].detach()
        data["advantage"] = advantages(data["seat"], reward, done, value[..., 0])[..., None]
        data["value_target"] = data["advantage"] + value
        known = data[~data["advantage"][..., 0].isnan()]
        for part in (part for _ in range(3) for part in torch.randperm(len(known)).split(1024)):
            losses = loss(known[part])
            optimizer.zero_grad()
            (losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]).backward()
            optimizer.step()
        print(f"{number * batch:,} steps, {reward[done].mean():+.3f} a seat and deal")
    return number * batch


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=409_600, help="environment steps (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of games and learner (default: %(default)s)")
    parser.add_argument("--folder", type=Path, default="runs/torchrl_vector", help="save here (default: %(default)s)")
    parser.add_argument("--smoke", action="store_true", help="a short run, to see that it works: it learns nothing")
    args = parser.parse_args()
    if args.steps < 1:
        parser.error(f"--steps {args.steps} is not accepted: use 1 or more")
    args.folder.mkdir(parents=True, exist_ok=True)
    rows, batch, steps, deals = (16, 512, 1024, 20) if args.smoke else (128, 8192, args.steps, 300)
    torch.manual_seed(args.seed)
    policy, start = MLP(496, 130, num_cells=[256, 256]), time.perf_counter()
    steps = train(BatchedThousandEnv(rows, episode="deal", reward="score", seed=args.seed), policy, steps, batch)
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
