"""A deal against a trained agent, action by action. Run: python examples/play_learned.py runs/x/ppo.safetensors"""

from __future__ import annotations

import sys

import baselines
from thousand_env import Game, action_name

name = sys.argv[1] if len(sys.argv) > 1 else "ppo"  # of an agent in the box, or a file
players = [baselines.load("heuristic"), baselines.load(name), baselines.load(name)]  # the first seat is yours
for seed, player in enumerate(players):
    player.reset(seed)
game = Game(seed=7, episode="deal")
while not game.is_over:
    action = players[game.seat].act(game.view(game.seat))  # for you: one of game.view(0).legal_actions()
    print(f"seat {game.seat}: {action_name(action, game.rules)}")
    game.apply(action)
print("scores", game.scores)
