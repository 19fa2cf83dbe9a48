"""CFR+ of OpenSpiel on `mini2`: towards an equilibrium of a small game. Run: python examples/open_spiel_cfr.py
Needs: open_spiel, scipy (set up: examples/README.md)

`import thousand_env.open_spiel` makes "thousand" a game of OpenSpiel. Deals are chance nodes, so that its solvers are
exact. `export_efg` writes the tree out, and OpenSpiel walks it in C++. An environment step is a decision met in a walk;
an iteration walks the tree once for each seat. What it comes to is a table from information states to probabilities of
the legal actions in their order, which needs no mask.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
import pyspiel

from thousand_env import Rules
from thousand_env.evaluation import SmallGame, duplicate, nash_conv
from thousand_env.open_spiel import export_efg, information_text

FOUR_CARDS = {"ranks": "9A", "hand_size": 1, "min_bid": 20}


class TableAgent:
    """Draws its actions from a table of OpenSpiel's, by what the seat knows."""

    def __init__(self, path):
        self.table = json.loads(path.read_text(encoding="utf-8"))
        self.reset()

    def reset(self, seed=None):
        self.rng = np.random.default_rng(seed)

    def action_probabilities(self, view):
        answer = np.zeros(130)
        answer[view.legal_actions()] = self.table[information_text(view)]
        return answer / answer.sum()

    def act(self, view):
        return int(self.rng.choice(130, p=self.action_probabilities(view)))


def train(game, a_walk, steps):
    """A table, and the decisions met until at least so many."""
    solver, met, iterations, start = pyspiel.CFRPlusSolver(game), 0, 0, time.perf_counter()
    while met < steps:
        solver.evaluate_and_update_policy()
        met, iterations = met + game.num_players() * a_walk, iterations + 1
        if iterations % 20 == 0:
            found = pyspiel.exploitability(game, solver.average_policy())
            print(f"{met:,} decisions, {time.perf_counter() - start:.0f} s, exploitability {found:.6f}", flush=True)
    table = solver.tabular_average_policy().policy_table()
    return {key.split("-", 3)[3]: [chance for _, chance in legal] for key, legal in table.items()}, met


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=80_000_000, help="environment steps (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the evaluation (default: %(default)s)")
    parser.add_argument("--folder", type=Path, default="runs/open_spiel_cfr", help="save here (default: %(default)s)")
    parser.add_argument("--smoke", action="store_true", help="a short run, on a game with four cards")
    args = parser.parse_args()
    if args.steps < 1:
        parser.error(f"--steps {args.steps} is not accepted: use 1 or more")
    args.folder.mkdir(parents=True, exist_ok=True)
    options = FOUR_CARDS if args.smoke else {}
    small = SmallGame(Rules.preset("mini2").replace(**options))
    game = pyspiel.load_efg_game(export_efg(pyspiel.load_game("thousand", {"rules": "mini2", "options": options})))
    start = time.perf_counter()
    table, steps = train(game, small.decision_nodes, 30_000 if args.smoke else args.steps)
    seconds = time.perf_counter() - start
    print(f"{steps:,} environment steps in {seconds:.1f} s: {steps / seconds:,.0f} steps/s")
    path = args.folder / "table.json"
    path.write_text(json.dumps(table), encoding="utf-8")
    print(f"saved as {path}")
    agent = TableAgent(path)
    print(nash_conv(agent, small).text())
    print(duplicate(agent, "random", rules=small.rules, deals=20 if args.smoke else 300, seed=args.seed).text())


if __name__ == "__main__":
    main()
