"""The AEC environment as RLlib steps it, with an agent that moves several times, and after ``close``."""

from __future__ import annotations

import pickle
import random
from collections import defaultdict
from typing import Any

import numpy as np
import pytest

from tests.aec_play import legal_actions, play_out
from thousand_env import PRESETS, Game, Rules, thousand_v0

# RLlib


class LikeRLlib:
    """RLlib's wrapper of AEC environments, line for line, and what its collectors assume of it."""

    def __init__(self, env: Any) -> None:
        self.env = env

    def reset(self, seed: int) -> dict[str, Any]:
        self.env.reset(seed=seed)
        return {self.env.agent_selection: self.env.observe(self.env.agent_selection)}

    def step(self, actions: dict[str, int]) -> tuple[dict[str, Any], dict[str, float], dict[str, bool]]:
        self.env.step(actions[self.env.agent_selection])
        observations, rewards, done = {}, {}, {}
        while self.env.agents:
            observation, reward, terminated, truncated, _ = self.env.last()
            agent = self.env.agent_selection
            observations[agent], rewards[agent], done[agent] = observation, reward, terminated or truncated
            if terminated or truncated:
                self.env.step(None)
            else:
                break
        done["__all__"] = not self.env.agents
        return observations, rewards, done


@pytest.mark.parametrize("preset", PRESETS)
def test_rllib_gets_observations_of_who_must_act_with_their_rewards(preset: str) -> None:
    env = LikeRLlib(thousand_v0.env(rules=Rules.preset(preset).replace(max_deals=4)))
    for seed in range(3):
        observations, rng, totals = env.reset(seed), random.Random(seed), defaultdict[str, float](float)
        while True:
            [(agent, observation)] = observations.items()
            legal = np.flatnonzero(observation["action_mask"])
            assert len(legal)
            observations, rewards, done = env.step({agent: int(rng.choice(legal))})
            assert set(rewards) == set(observations) == set(done) - {"__all__"}
            for each, reward in rewards.items():
                totals[each] += reward
            if done["__all__"]:
                break
            assert not any(done.values())
        possible = env.env.possible_agents
        assert set(observations) == set(possible)
        assert not any(observation["action_mask"].any() for observation in observations.values())
        assert [totals[each] for each in possible] == pytest.approx(env.env.unwrapped.game.returns().tolist())


# PettingZoo


def test_the_declarer_moves_several_times_in_a_row() -> None:
    """Two gifts, the raise and the first lead are decisions of one agent, and ``agent_iter`` gives it four times."""
    env = thousand_v0.env(rules=Rules(raise_after_talon=True))
    env.reset(seed=2)
    row: list[tuple[str, str]] = []
    for agent in env.agent_iter():
        game: Game = env.unwrapped.game
        if game.phase == "play" and game.trick:
            break
        row.append((agent, game.phase))
        env.step(legal_actions(env)[0])
    declarer = env.possible_agents[game.declarer or 0]
    assert row[-4:] == [(declarer, phase) for phase in ("exchange", "exchange", "raise", "play")]


def test_everything_can_be_looked_at_after_close() -> None:
    for steps in (0, 20, 10**6):
        env = thousand_v0.env(episode="deal", render_mode="ansi")
        env.reset(seed=1)
        play_out(env, random.Random(1), steps)
        before = [env.observe(agent)["observation"].tobytes() for agent in env.possible_agents]
        env.close()
        env.close()
        assert [env.observe(agent)["observation"].tobytes() for agent in env.possible_agents] == before
        assert env.state() in env.state_space
        assert env.unwrapped.game == pickle.loads(pickle.dumps(env)).unwrapped.game
        env.reset(seed=2)
        assert legal_actions(env)
