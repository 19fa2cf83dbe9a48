"""The chance to win a match from its score sheet, fitted to matches of the heuristic: what learners are paid by.

The equity of ``classic`` in the box is ``--matches 60000``. Run: python examples/fit_equity.py --out equity.safetensors
"""

from __future__ import annotations

import argparse
from pathlib import Path

from baselines.equity import fit, play_matches, save_equity
from thousand_env import Rules


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="the file to write, *.safetensors")
    parser.add_argument("--rules", default="classic", help="the name of a preset")
    parser.add_argument("--matches", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    equity = fit(Rules.preset(options.rules), options.matches, options.seed)
    save_equity(options.out, equity, {"matches": options.matches, "seed": options.seed})
    sheets, winners = play_matches(equity.rules, max(20, options.matches // 20), options.seed + 1)
    right = equity.chances(sheets)[range(len(winners)), winners].mean()
    print(f"{options.out}: on fresh matches the winner was given a chance of {100 * right:.1f} % on average")


if __name__ == "__main__":
    main()
