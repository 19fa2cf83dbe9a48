"""Information-set MCTS of OpenSpiel at our table. Run: python examples/open_spiel_ismcts.py
Needs: open_spiel, scipy (set up: examples/README.md)

The search gets worlds from `resample_from_infostate`, drawn from those that the seat cannot tell apart, and chooses
among the `legal_actions` of a state: no mask is needed. `state_from_view` makes a state of what an agent is given.
Nothing is learned: `train` lets constants of exploration play each other, and the best is saved. An environment step
is a decision at this table; what the search does to come to it is not counted.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
import pyspiel
from open_spiel.python.algorithms.ismcts import ISMCTSBot
from open_spiel.python.algorithms.mcts import RandomRolloutEvaluator

from thousand_env import Game
from thousand_env.evaluation import duplicate
from thousand_env.open_spiel import state_from_view

GAME = pyspiel.load_game("thousand", {"rules": "classic", "episode": "deal"})
CONSTANTS = (0.5, 1.0, 2.0)  # of exploration, in rewards: 1 is 100 points


class SearchAgent:
    """Searches anew for each decision."""

    def __init__(self, uct_c, simulations):
        self.uct_c, self.simulations = uct_c, simulations
        self.reset()

    def reset(self, seed=None):
        self.rng = np.random.RandomState(None if seed is None else seed % 2**32)

    def act(self, view):
        rng = self.rng
        bot = ISMCTSBot(GAME, RandomRolloutEvaluator(1, rng), self.uct_c, self.simulations, random_state=rng)
        bot.set_resampler(lambda state, player: state.resample_from_infostate(player, rng.random_sample))
        return int(bot.step(state_from_view(GAME, view, rng.random_sample)))


def train(steps, seed, simulations):
    """The constant that has earned most, and the decisions taken."""
    agents, earned, taken, deal = [SearchAgent(each, simulations) for each in CONSTANTS], np.zeros(3), 0, 0
    while taken < steps or deal % 3:
        game, shift = Game(seed=seed + deal // 3, episode="deal"), deal % 3  # each deal three times: every seat once
        for number, agent in enumerate(agents):
            agent.reset(3 * deal + number)
        while game.seat is not None:
            game.apply(agents[(game.seat + shift) % 3].act(game.view(game.seat)))
            taken += 1
        earned += np.roll(game.returns("relative"), shift)
        deal += 1
        print(f"{taken:,} decisions, {deal} deals, rewards {(earned / deal).round(2)} with {CONSTANTS}")
    return CONSTANTS[int(earned.argmax())], taken


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=1_000, help="environment steps (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of games and learner (default: %(default)s)")
    parser.add_argument("--folder", type=Path, default="runs/ismcts", help="save here (default: %(default)s)")
    parser.add_argument("--smoke", action="store_true", help="a short run, to see that it works")
    args = parser.parse_args()
    if args.steps < 1:
        parser.error(f"--steps {args.steps} is not accepted: use 1 or more")
    args.folder.mkdir(parents=True, exist_ok=True)
    simulations, start = 3 if args.smoke else 50, time.perf_counter()
    constant, steps = train(10 if args.smoke else args.steps, args.seed, simulations)
    seconds = time.perf_counter() - start
    print(f"{steps:,} environment steps in {seconds:.1f} s: {steps / seconds:,.0f} steps/s")
    path = args.folder / "search.json"
    path.write_text(json.dumps({"uct_c": constant, "simulations": simulations}), encoding="utf-8")
    print(f"saved as {path}")
    agent = SearchAgent(**json.loads(path.read_text(encoding="utf-8")))
    print(duplicate(agent, "random", deals=2 if args.smoke else 20, seed=args.seed).text())


if __name__ == "__main__":
    main()
