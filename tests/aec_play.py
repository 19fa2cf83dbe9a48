"""Playing AEC environments in tests: random legal actions, and everything about an environment that can be observed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from thousand_env import Game


def legal_actions(env: Any) -> list[int]:
    """The legal actions of the agent to move, from the mask that it is handed."""
    agent = env.agent_selection
    observation = env.observe(agent)
    mask = observation["action_mask"] if isinstance(observation, dict) else env.infos[agent]["action_mask"]
    return np.flatnonzero(mask).tolist()


def is_done(env: Any) -> bool:
    """Whether the agent to step is to step with None."""
    agent = env.agent_selection
    return env.terminations[agent] or env.truncations[agent]


def next_action(env: Any, rng: random.Random) -> int | None:
    """A random legal action, or None for an agent that is done."""
    return None if is_done(env) else rng.choice(legal_actions(env))


def play(env: Any, rng: random.Random, steps: int = 10**9) -> Iterator[Any]:
    """The environment before each of so many steps, dead steps included, until no agent is left."""
    for _ in range(steps):
        if not env.agents:
            return
        yield env
        env.step(next_action(env, rng))


def play_out(env: Any, rng: random.Random, steps: int = 10**9) -> None:
    """The same without looking."""
    for _ in play(env, rng, steps):
        pass


def plain(value: Any) -> Any:
    """A value with arrays as lists beside their types, so that values can be compared."""
    if isinstance(value, np.ndarray):
        return str(value.dtype), value.tolist()
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return value


def snapshot(env: Any) -> dict[str, Any]:
    """All that can be observed of an environment between two steps."""
    facts = {name: plain(getattr(env, name)) for name in ("agents", "rewards", "terminations", "truncations", "infos")}
    facts["cumulative"] = plain(env._cumulative_rewards)
    facts["selection"] = env.agent_selection
    facts["observations"] = {agent: plain(env.observe(agent)) for agent in env.possible_agents}
    facts["state"] = plain(env.state())
    facts["last"] = plain(env.last()) if env.agents else None
    return facts


def deal_options(game: Game) -> dict[str, Any]:
    """The deal of a game as options of ``reset``."""
    hands, talons = game.dealt()
    talon = talons if game.rules.players == 2 else talons[0]
    return {"deal": {"hands": hands, "talon": talon}, "dealer": game.dealer}
