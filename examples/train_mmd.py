"""Magnetic mirror descent on a small game, and how far what it has learned is from equilibrium, exactly.

The same as ``thousand train mmd``, which has more arguments. Run: python examples/train_mmd.py --decisions 100000
"""

from __future__ import annotations

import argparse
from pathlib import Path

from baselines.learned import load_agent
from baselines.mmd import command
from thousand_env.evaluation import SmallGame, nash_conv

SMALL = "--utility relative --opponent-share 0 --rows 256 --steps 32 --minibatch 1024 --hidden 64 64"
STEP = "--learning-rate 3e-3 --evaluate-deals 0"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rules", default="mini2", help="mini2, mini3, or other rules that are small enough")
    parser.add_argument("--decisions", default="100000")
    parser.add_argument("--seed", default="0")
    parser.add_argument("--folder", default="runs/mmd", help="where the run is kept, a new folder")
    options = parser.parse_args()
    words = [word for name, value in vars(options).items() for word in (f"--{name}", value)]
    code = command([*words, *SMALL.split(), *STEP.split()])
    if code:
        raise SystemExit(code)
    agent = load_agent(Path(options.folder) / "mmd.safetensors", mode="sample")
    game = SmallGame(agent.rules)
    for name, player in (("uniform play", "random"), ("mmd", agent)):
        print(f"NashConv of {name}: {nash_conv(player, game).nash_conv:.4f}")


if __name__ == "__main__":
    main()
