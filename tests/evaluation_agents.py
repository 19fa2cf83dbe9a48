"""Agents and a slow way to evaluate that the tests of the evaluation share. Worker processes import them from here."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any, ClassVar

import numpy as np

from thousand_env import Game, Rules
from thousand_env.agents import from_text
from thousand_env.evaluation.schedule import agent_seed, game_seed
from thousand_env.view import View


class First:
    """The least action."""

    def act(self, view: View) -> int:
        return view.legal_actions()[0]

    def reset(self, seed: int | None = None) -> None:
        pass


class Last(First):
    """The greatest action."""

    def act(self, view: View) -> int:
        return view.legal_actions()[-1]


class Slow(First):
    """Takes a while to begin."""

    def reset(self, seed: int | None = None) -> None:
        time.sleep(0.02)


class Memory(First):
    """Chooses by a number that it was reset with and by how often it was asked since: random, and reproducible."""

    def reset(self, seed: int | None = None) -> None:
        self._rng = np.random.default_rng(seed)

    def act(self, view: View) -> int:
        legal = view.legal_actions()
        return int(legal[self._rng.integers(len(legal))])


class Watcher(First):
    """Writes down what it is told, for all its copies together."""

    seen: ClassVar[list[tuple[Any, ...]]] = []

    def reset(self, seed: int | None = None) -> None:
        Watcher.seen.append(("reset", seed))

    def act(self, view: View) -> int:
        assert type(view) is View
        Watcher.seen.append((view.phase, view.observer, tuple(view.hand), view.dealer, tuple(view.scores)))
        return super().act(view)


class Failing(First):
    """Fails in the play of a deal."""

    def act(self, view: View) -> int:
        if view.phase == "play":
            raise ArithmeticError("lost count")
        return super().act(view)


class Cheat(First):
    """Chooses what is not legal."""

    def act(self, view: View) -> int:
        return 5 if view.phase == "play" else super().act(view)


class Unpicklable(First):
    """Holds what cannot be sent to another process."""

    def __init__(self) -> None:
        self.function = lambda: None

    def __deepcopy__(self, memo: dict[int, Any]) -> Unpicklable:
        return Unpicklable()


class Dying(First):
    """Ends its process."""

    def act(self, view: View) -> int:
        import os

        os._exit(3)


class Leaving(First):
    """Asks for the end of its process, and says that all is well."""

    def act(self, view: View) -> int:
        raise SystemExit(0)


class Interrupting(First):
    """Raises what Ctrl-C does."""

    def act(self, view: View) -> int:
        raise KeyboardInterrupt


class Printing(First):
    """Talks at every decision."""

    def act(self, view: View) -> int:
        print("thinking aloud")
        return super().act(view)


class Narrow(Memory):
    """``Memory`` whose actions are numbers of 8 bits where these have room for them."""

    def act(self, view: View) -> Any:
        action = super().act(view)
        return np.int8(action) if action < 128 else action


class Flagging(First):
    """Chooses True where it may pass or bid."""

    def act(self, view: View) -> Any:
        return True


class Locked(First):
    """Holds what cannot be copied."""

    def __init__(self) -> None:
        self.lock = threading.Lock()


def mixed(agents: int, players: int) -> list[tuple[int, ...]]:
    return [each for each in product(range(agents), repeat=players) if len(set(each)) == agents]


def slow_games(names: Sequence[str], deals: int, rules: Rules, seed: int) -> Iterator[dict[str, Any]]:
    """Every game of a duplicate evaluation from an empty sheet, played in the plainest way."""
    for deal in range(deals):
        for seating in mixed(len(names), rules.players):
            agents = [from_text(names[each]) for each in seating]
            for seat, agent in enumerate(agents):
                agent.reset(agent_seed(seed, deal, seat))
            game = Game(rules, seed=game_seed(seed, deal), episode="deal")
            named = []
            while not game.is_over:
                assert game.seat is not None
                action = agents[game.seat].act(game.view(game.seat))
                if 1 <= action <= 65:
                    named.append((seating[game.seat], rules.min_bid + rules.bid_step * (action - 1)))
                game.apply(action)
            yield {"deal": deal, "seating": seating, "game": game, "named": named}


def slow_mean(values: Sequence[int], seating: Sequence[int], agent: int) -> Fraction:
    """The mean of a value by seat over an agent's seats."""
    mine = [value for value, owner in zip(values, seating, strict=True) if owner == agent]
    return Fraction(sum(mine), len(mine))
