"""``ThousandPufferEnv`` under PufferLib: rows are the seats of the games, and its trainer plays and is paid as they."""

from __future__ import annotations

import contextlib
import importlib.util
import re
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from thousand_env import NUM_ACTIONS, Game, IllegalActionError, Rules, env_seed, episode_seed, parallel_env
from thousand_env.observation import OBSERVATION, encode

pytestmark = pytest.mark.integration

with contextlib.chdir(tempfile.mkdtemp()):  # it leaves a link where it is imported
    pytest.importorskip("pufferlib")
    import pufferlib.emulation
    import pufferlib.vector

    from thousand_env.pufferlib import ThousandPufferEnv

K = OBSERVATION.size
SCRIPT = Path(__file__).parent.parent.parent / "examples" / "pufferlib_ppo.py"


def legal_choice(rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return (rng.random((len(rows), NUM_ACTIONS)) * rows[:, K:]).argmax(axis=1).astype(np.int32)


def game_of(seed: int, row: int, episode: int, rules: str = "classic") -> Game:
    return Game(Rules.preset(rules), seed=episode_seed(env_seed(seed, row), episode), episode="deal")


@pytest.mark.parametrize("rules", ["classic", "four_player"])
def test_rows_are_the_seats_of_the_games(rules: str) -> None:
    count, seed, rng = 5, 3, np.random.default_rng(0)
    env = ThousandPufferEnv(count, rules=rules, num_threads=1)
    seats = env.num_agents // count
    observations, infos = env.reset(seed)
    assert infos == []
    episodes = [0] * count
    games = [game_of(seed, row, 0, rules) for row in range(count)]
    seen = np.zeros((count, seats, K), np.float32)
    ended = 0
    for _ in range(120):
        shown = observations.reshape(count, seats, -1)
        for row, game in enumerate(games):
            seen[row, game.seat] = encode(game.view(game.seat))
            np.testing.assert_array_equal(shown[row, :, :K], seen[row])
            for seat in range(seats):
                legal = game.legal_actions() if seat == game.seat else [0]
                assert np.flatnonzero(shown[row, seat, K:]).tolist() == legal
        assert env.single_observation_space.contains(observations[0])
        actions = legal_choice(observations, rng)
        observations, rewards, terminals, truncations, infos = env.step(actions)
        lengths = []
        for row, game in enumerate(games):
            game.apply(int(actions[seats * row + game.seat]))
            own = slice(seats * row, seats * (row + 1))
            assert (terminals[own] == game.is_over).all()
            assert (truncations[own] == game.truncated).all()
            np.testing.assert_allclose(rewards[own], 0.2 * game.returns("relative") * game.is_over, atol=1e-6)
            if game.is_over:
                ended += 1
                lengths.append(len(game.actions()))
                episodes[row] += 1
                seen[row] = 0
                games[row] = game_of(seed, row, episodes[row], rules)
        assert len(infos) == bool(lengths)
        if lengths:
            assert infos[0]["episode_length"] == np.mean(lengths)
    assert ended >= count


def test_the_trainer_plays_legally_and_is_paid_in_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.chdir(tmp_path)
    spec = importlib.util.spec_from_file_location("pufferlib_ppo", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    script: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    count, seed, horizon = 4, 7, 64
    env = ThousandPufferEnv(count, num_threads=1)
    sizes = {"total_timesteps": 3 * count * horizon, "minibatch_size": 3 * count * horizon, "data_dir": str(tmp_path)}
    settings = (script.ADAM, script.PPO, script.MORE, script.ROWS, script.MACHINE, script.KEPT, sizes)
    config = {key: value for each in settings for key, value in each.items()}
    trainer = script.Trainer({**config, "seed": seed}, env, script.Policy())
    request.addfinalizer(trainer.utilization.stop)  # a thread that would keep a failed test from ending
    trainer.evaluate()
    ended = 0
    for row in range(count):
        own = slice(3 * row, 3 * row + 3)
        actions, rewards, terminals = (
            each[own].numpy() for each in (trainer.actions, trainer.rewards, trainer.terminals)
        )
        game, episode, earned, has_ended = game_of(seed, row, 0), 0, np.zeros(3), False
        for step in range(horizon):
            np.testing.assert_allclose(rewards[:, step], 0.2 * earned, atol=1e-6)  # with the first row after an end
            assert (terminals[:, step] == has_ended).all()
            for seat in range(3):
                assert actions[seat, step] in (game.legal_actions() if seat == game.seat else [0])
            game.apply(int(actions[game.seat, step]))
            earned, has_ended = np.zeros(3), game.is_over
            if has_ended:
                earned, episode, ended = game.returns("relative"), episode + 1, ended + 1
                game = game_of(seed, row, episode)
    assert ended >= count
    chances = trainer.logprobs.clone()
    logits, _ = trainer.policy(trainer.observations.reshape(-1, K + NUM_ACTIONS))
    _, again, _ = pufferlib.pytorch.sample_logits(logits, action=trainer.actions)
    np.testing.assert_allclose(again.detach().reshape(chances.shape), chances, atol=1e-5)
    trainer.train()
    assert Path(trainer.close()).exists()


def test_workers_write_into_the_arrays_of_pufferlib() -> None:
    rng = np.random.default_rng(1)
    options = {"num_envs": 2, "num_threads": 1}
    envs = pufferlib.vector.make(
        ThousandPufferEnv, env_kwargs=options, backend=pufferlib.vector.Serial, num_envs=2, seed=0
    )
    observations, _ = envs.reset(seed=4)
    first = observations.copy()
    assert not np.array_equal(first[:6], first[6:])  # other deals in each
    alone = [ThousandPufferEnv(**options) for _ in range(2)]
    for number, env in enumerate(alone):
        np.testing.assert_array_equal(env.reset(4 + number)[0], first[6 * number : 6 * number + 6])
    for _ in range(40):
        actions = legal_choice(observations, rng)
        observations, rewards, *_ = envs.step(actions)
        for number, env in enumerate(alone):
            own = slice(6 * number, 6 * number + 6)
            one, paid, *_ = env.step(actions[own])
            np.testing.assert_array_equal(one, observations[own])
            np.testing.assert_array_equal(paid, rewards[own])
    envs.close()


def test_what_is_refused() -> None:
    for scale in (0, -1, float("nan"), float("inf"), 1e300, True, None, "x"):
        with pytest.raises(ValueError, match=re.escape(f"reward_scale={scale!r} is not accepted")):
            ThousandPufferEnv(2, reward_scale=scale)
    env = ThousandPufferEnv(2, num_threads=1)
    observations, _ = env.reset(0)
    before = observations.copy()
    with pytest.raises(IllegalActionError, match="row 0"):
        env.step(np.full(6, 113))
    for wrong in (np.zeros(2, int), np.zeros((6, 1), int), np.zeros(6)):
        with pytest.raises(ValueError, match=r"must be integers of shape \(6,\)"):
            env.step(wrong)
    np.testing.assert_array_equal(observations, before)


def test_parallel_env_under_its_emulation() -> None:
    rng = np.random.default_rng(2)
    env = pufferlib.emulation.PettingZooPufferEnv(env=parallel_env(episode="deal"))
    env.reset(seed=0)
    total, ends = np.zeros(3), 0
    for _ in range(200):
        masks = env.obs_struct["action_mask"].reshape(3, NUM_ACTIONS)
        env.step((rng.random(masks.shape) * masks).argmax(axis=1).astype(np.int32))
        total += env.rewards
        if env.done:
            assert env.terminals.all()
            assert env.rewards.any()
            ends += 1
            env.reset()
    assert ends >= 3
    np.testing.assert_allclose(total.sum(), 0, atol=1e-4)
