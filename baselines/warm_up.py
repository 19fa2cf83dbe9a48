"""Before the clock runs: an agent that is given a time for its decisions must not spend the first on compiling."""

from __future__ import annotations

from thousand_env import Game
from thousand_env.agents import Agent


def warm_up(agent: Agent) -> None:
    """Have a quick agent of the kind bid, give and play two tricks, so that all its code is compiled or loaded."""
    game = Game(seed=0, episode="deal")
    while game.seat is not None and sum(game.tricks_won) < 2:
        game.apply(agent.act(game.view(game.seat)))
