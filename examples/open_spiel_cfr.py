"""CFR+ of OpenSpiel on `mini2`: towards an equilibrium of a small game. Run: python examples/open_spiel_cfr.py
Needs `pip install thousand_env open_spiel`, and one gigabyte of memory for the tree.

`import thousand_env.open_spiel` makes "thousand" a game of OpenSpiel. Deals are chance nodes, so that its solvers are
exact. An environment step is a decision met in a walk of the tree; an iteration walks it once for each seat. What it
comes to is a table from information states to probabilities of legal actions, which needs no mask.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
import pyspiel

from thousand_env import Rules
from thousand_env.evaluation import SmallGame, duplicate, nash_conv
from thousand_env.open_spiel import information_text

FOUR_CARDS = {"ranks": "9A", "hand_size": 1, "min_bid": 20}  # the smoke form's game


class TableAgent:
    """Draws its actions from a table of OpenSpiel's, by what the seat knows."""

    def __init__(self, path):
        self.table = json.loads(path.read_text(encoding="utf-8"))
        self.reset()

    def reset(self, seed=None):
        self.rng = np.random.default_rng(seed)

    def action_probabilities(self, view):
        answer = np.zeros(130)
        for action, probability in self.table[information_text(view)]:
            answer[action] = probability
        return answer / answer.sum()

    def act(self, view):
        return int(self.rng.choice(130, p=self.action_probabilities(view)))


def train(options, a_walk, steps):
    """A table, and the decisions met until at least so many."""
    game = pyspiel.load_game("thousand", {"rules": "mini2", "options": options, "keep_tree": True})
    solver, met, start = pyspiel.CFRPlusSolver(game), 0, time.perf_counter()
    while met < steps:
        solver.evaluate_and_update_policy()
        met += game.num_players() * a_walk
        dealt_by_0 = game.new_initial_state().child(0)
        value = pyspiel.expected_returns(dealt_by_0, solver.average_policy(), -1, True)[1]
        print(f"{met:,} decisions, {time.perf_counter() - start:.0f} s, reward {value:+.4f} for first hand")
    return solver.tabular_average_policy().policy_table(), met


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=8_000_000)
    parser.add_argument("--seed", type=int, default=0, help="of the evaluation: CFR draws nothing")
    parser.add_argument("--folder", type=Path, default=Path("runs/open_spiel_cfr"))
    parser.add_argument("--smoke", action="store_true")
    args = parser.parse_args()
    options = FOUR_CARDS if args.smoke else {}
    small = SmallGame(Rules.preset("mini2").replace(**options))
    start = time.perf_counter()
    table, steps = train(options, small.decision_nodes, 10_000 if args.smoke else args.steps)
    seconds = time.perf_counter() - start
    print(f"{steps:,} environment steps in {seconds:.1f} s: {steps / seconds:,.0f} steps/s")
    args.folder.mkdir(parents=True, exist_ok=True)
    path = args.folder / "table.json"
    path.write_text(json.dumps(table), encoding="utf-8")
    agent = TableAgent(path)
    print(nash_conv(agent, small).text())
    print(duplicate(agent, "random", rules=small.rules, deals=20 if args.smoke else 300, seed=args.seed).text())


if __name__ == "__main__":
    main()
