"""Deep CFR on a small game, and how far what it has learned is from equilibrium, exactly.

The same as ``thousand train deep_cfr``, which has more arguments. Run: python examples/train_deep_cfr.py --minutes 1
"""

from __future__ import annotations

import argparse
from pathlib import Path

from baselines.deep_cfr import command
from baselines.learned import load_agent
from thousand_env.evaluation import SmallGame, nash_conv


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rules", default="mini2", help="mini2, mini3, or other rules that are small enough")
    parser.add_argument("--minutes", default="1")
    parser.add_argument("--seed", default="0")
    parser.add_argument("--folder", default="runs/deep_cfr", help="where the run is kept, a new folder")
    options = parser.parse_args()
    words = [word for name, value in vars(options).items() for word in (f"--{name}", value)]
    code = command([*words, "--evaluate-deals", "0"])
    if code:
        raise SystemExit(code)
    agent = load_agent(Path(options.folder) / "deep_cfr.safetensors", mode="sample")
    game = SmallGame(agent.rules)
    for name, player in (("uniform play", "random"), ("deep_cfr", agent)):
        print(f"exploitability of {name}: {nash_conv(player, game).exploitability:.4f}")


if __name__ == "__main__":
    main()
