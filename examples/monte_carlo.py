"""A card player in thirty lines: try each card in sampled worlds, play each out at random, keep the best on average.

It bids and gives like the greedy agent and only thinks about the cards. Run: python examples/monte_carlo.py --deals 5
"""

from __future__ import annotations

import argparse

import numpy as np

import baselines
from thousand_env import Game, View


def think(view: View, rng: np.random.Generator, worlds: int) -> int:
    """The card with the best mean result over sampled worlds, each played out at random."""
    legal = view.legal_actions()
    totals = np.zeros(len(legal))
    for _ in range(worlds):
        world = view.sample(rng)
        for place, action in enumerate(legal):
            totals[place] += play_out(world, action, view.observer, rng)
    return legal[int(totals.argmax())]


def play_out(world: Game, action: int, seat: int, rng: np.random.Generator) -> float:
    """What the seat gains against the others in this deal after an action and random play."""
    game, scores = world, world.scores
    while True:
        after = game.closing(action)  # stops with the deal on the table when it is scored
        if after.is_over:
            change = np.subtract(after.scores, scores)
            return float(change[seat] - np.delete(change, seat).mean())
        game = after
        legal = game.legal_actions()
        action = legal[int(rng.integers(len(legal)))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=5, help="how many deals to play")
    parser.add_argument("--worlds", type=int, default=10, help="sampled worlds for each card")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    greedy = baselines.load("greedy")
    gained = np.zeros(3)
    for deal in range(options.deals):
        game = Game(seed=options.seed + deal, episode="deal")
        thinker = deal % 3
        while not game.is_over:
            view = game.view(game.seat)
            thinks = game.seat == thinker and game.phase == "play"
            game.apply(think(view, rng, options.worlds) if thinks else greedy.act(view))
        gained += np.roll(game.scores, -thinker)
    print(f"mean score a deal: thinker {gained[0] / options.deals:.1f}, greedy {gained[1:].mean() / options.deals:.1f}")


if __name__ == "__main__":
    main()
