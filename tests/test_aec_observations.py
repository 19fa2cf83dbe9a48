"""What agents are handed: every observation is that of the seat's view, masks are the legal sets, nothing is shared."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
import pytest

from tests.aec_play import deal_options, legal_actions, next_action, play, play_out
from tests.play import some_game
from tests.random_rules import random_rules
from tests.test_no_leak import (
    OPTIONS,
    game_of,
    is_hidden_give,
    same_is_known,
    same_public_action,
    swapped_twin,
)
from thousand_env import PRESETS, Game, Rules, thousand_v0
from thousand_env.observation import HISTORY_SIZE, OBSERVATION, STATE, encode, encode_state, history

KEYS = {"observation", "action_mask", "history"}


def check_observations(env: Any) -> None:
    """All observations, masks and infos against the game itself, and the spaces."""
    game: Game = env.unwrapped.game
    for seat, agent in enumerate(env.possible_agents):
        view = game.view(seat)
        observation = env.observe(agent)
        assert set(observation) == KEYS
        assert observation["observation"].tobytes() == encode(view).tobytes(), (game, seat)
        assert observation["history"].tobytes() == history(view).tobytes(), (game, seat)
        legal = game.legal_actions() if agent == env.agent_selection and not game.is_over else []
        assert np.flatnonzero(observation["action_mask"]).tolist() == legal
        assert observation in env.observation_space(agent)
        if agent in env.agents:
            assert list(env.infos[agent]) == ["action_mask"]
            assert env.infos[agent]["action_mask"].tolist() == observation["action_mask"].tolist()
            assert env.infos[agent]["action_mask"].dtype == np.int8
            assert env.infos[agent] is env.infos[agent]
        assert env.state(seat).tobytes() == encode_state(game, seat).tobytes()
    assert env.state().tobytes() == env.state(0).tobytes()
    assert env.state() in env.state_space
    assert bool(legal_actions(env)) != game.is_over if env.agents else game.is_over


@pytest.mark.parametrize("preset", PRESETS)
def test_every_observation_is_that_of_the_seats_view(preset: str) -> None:
    for episode in ("deal", "match"):
        env = thousand_v0.env(rules=preset, episode=episode, history=True, mask_in_info=True)
        env.reset(seed=3)
        check_observations(env)
        for _ in play(env, random.Random(1), 90):
            check_observations(env)
        check_observations(env)


def test_every_observation_under_random_rules() -> None:
    for number in range(60):
        rng = random.Random(number)
        rules = random_rules(rng)
        env = thousand_v0.raw_env(rules=rules, episode=rng.choice(("match", "deal")), history=True, mask_in_info=True)
        env.reset(seed=number)
        play_out(env, rng, rng.randrange(150))
        for _ in play(env, rng, 12):
            check_observations(env)
        check_observations(env)


def test_every_observation_from_random_sheets() -> None:
    for number in range(40):
        game, rng = some_game(number)
        env = thousand_v0.env(rules=game.rules, history=True, mask_in_info=True)
        sheet = {"scores": game.scores, "bolts": game.bolts, "barrel": game.barrel}
        env.reset(seed=1, options=sheet)
        for _ in play(env, rng, 40):
            check_observations(env)


@pytest.mark.parametrize("options", [{}, {"players": 4}, {"players": 2}, {"dark": True}, {"golden": True}])
def test_while_a_redeal_is_offered_others_see_what_their_views_show(options: dict[str, Any]) -> None:
    """The one phase in which the table itself would tell the others who is being asked."""
    env = thousand_v0.env(rules=Rules(redeal_hand_below=60, **options), history=True, mask_in_info=True)
    offers = 0
    for seed in range(25):
        env.reset(seed=seed)
        for _ in play(env, random.Random(seed), 6):
            game = env.unwrapped.game
            if game.phase != "redeal":
                continue
            offers += 1
            check_observations(env)
            for seat, agent in enumerate(env.possible_agents):
                asked = env.observe(agent)["observation"][OBSERVATION["phase"].start + 1]
                assert bool(asked) == (game.view(seat).phase == "redeal")
    assert offers > 20


def test_types_and_shapes() -> None:
    env = thousand_v0.env()
    env.reset(seed=1)
    for agent in env.agents:
        observation = env.observe(agent)
        assert set(observation) == {"observation", "action_mask"}
        assert observation["observation"].dtype == np.float32
        assert observation["observation"].shape == (OBSERVATION.size,)
        assert observation["action_mask"].dtype == np.int8
        assert observation["action_mask"].shape == (130,)
        assert env.infos[agent] == {}
        assert type(env.infos[agent]) is dict
    assert env.state().dtype == np.float32
    assert env.state().shape == (STATE.size,)
    longest = thousand_v0.raw_env(history=True)
    longest.reset(seed=1)
    assert longest.observe("player_1")["history"].shape == (HISTORY_SIZE,)
    assert env.action_space("player_0").sample(env.last()[0]["action_mask"]) in legal_actions(env)


def test_the_vector_alone() -> None:
    flat, usual = thousand_v0.env(flat_observation=True), thousand_v0.env()
    for env in (flat, usual):
        env.reset(seed=1)
    rng = random.Random(1)
    for _ in range(80):
        for agent in usual.agents:
            observation = usual.observe(agent)
            assert flat.observe(agent).tobytes() == observation["observation"].tobytes()
            assert flat.infos[agent]["action_mask"].tolist() == observation["action_mask"].tolist()
            assert list(flat.infos[agent]) == ["action_mask"]
            assert flat.observe(agent) in flat.observation_space(agent)
        action = next_action(usual, rng)
        flat.step(action)
        usual.step(action)


def test_the_mask_handed_out_is_that_of_a_position_built_anew() -> None:
    env = thousand_v0.env(mask_in_info=True)
    env.reset(seed=5)
    for _ in play(env, random.Random(5), 150):
        rebuilt = Game.from_bytes(env.unwrapped.game.to_bytes())
        mask = env.last()[0]["action_mask"]
        assert mask.tolist() == rebuilt.action_mask().tolist()
        assert mask.any()


@pytest.mark.parametrize(
    "keywords", [{"history": True}, {"mask_in_info": True}, {"flat_observation": True}], ids=lambda one: next(iter(one))
)
def test_what_was_handed_out_stays_as_it_is_and_is_shared_with_nothing(keywords: dict[str, Any]) -> None:
    env = thousand_v0.env(**keywords)
    env.reset(seed=1)
    handed: list[np.ndarray[Any, Any]] = []
    copies: list[np.ndarray[Any, Any]] = []
    infos: list[dict[str, Any]] = []
    rng = random.Random(1)
    for number in range(160):
        if not env.agents:
            env.reset()
        parts: list[Any] = [env.last()[0], *(env.observe(agent) for agent in env.agents), env.last()[0]]
        parts += [env.infos[agent] for agent in env.agents] if number % 2 == 0 else []
        new = [array for each in parts for array in (each.values() if isinstance(each, dict) else [each])]
        new += [env.state(), env.state(1)]
        handed += new
        copies += [array.copy() for array in new]
        assert not any(env.infos[agent] is info for agent in env.agents for info in infos)
        infos += env.infos.values()
        env.step(None if env.terminations[env.agent_selection] else rng.choice(legal_actions(env)))
    for array, copied in zip(handed, copies, strict=True):
        assert array.tobytes() == copied.tobytes()
        assert array.flags.writeable
    spans = sorted((array.__array_interface__["data"][0], array.nbytes) for array in handed)
    for (start, size), (following, _) in itertools.pairwise(spans):
        assert start + size <= following


def test_writing_into_what_was_handed_out_changes_nothing() -> None:
    env, untouched = thousand_v0.env(mask_in_info=True), thousand_v0.env(mask_in_info=True)
    for each in (env, untouched):
        each.reset(seed=2)
    rng = random.Random(2)
    for _ in range(60):
        action = rng.choice(legal_actions(untouched))
        for agent in env.agents:
            observation = env.observe(agent)
            observation["observation"][:] = 7
            observation["action_mask"][:] = 1
            env.infos[agent]["action_mask"][:] = 1
            env.infos[agent]["mine"] = 3
            env.state()[:] = 7
        for agent in env.agents:
            ours, theirs = env.observe(agent), untouched.observe(agent)
            assert all(ours[key].tobytes() == theirs[key].tobytes() for key in ours)
        env.step(action)
        untouched.step(action)
        assert all(list(info) == ["action_mask"] for info in env.infos.values())


def observer_sees(env: Any, seat: int) -> list[Any]:
    """All that a seat is handed, as bytes; the rendering when it is its turn."""
    agent = env.possible_agents[seat]
    observation = env.observe(agent)
    seen = [observation[key].tobytes() for key in sorted(observation)]
    seen += [env.infos[agent]["action_mask"].tobytes(), env.rewards[agent], env._cumulative_rewards[agent]]
    return [*seen, env.render()] if env.unwrapped.game.seat == seat else seen


@pytest.mark.parametrize("name", OPTIONS)
def test_hidden_cards_change_nothing_that_an_agent_is_handed(name: str) -> None:
    """Two deals that differ only in cards that a seat does not see are stepped side by side."""
    rules, rng = Rules(**OPTIONS[name]), random.Random(name)
    compared = 0
    for _ in range(3):
        for seat in range(rules.players):
            game = game_of(rules, rng)
            twin = swapped_twin(game, seat, rng)
            if twin is None or game.phase == "dark":
                continue
            envs = []
            for each in (game, twin):
                env = thousand_v0.env(
                    rules=rules, episode="deal", history=True, mask_in_info=True, illegal="raise", render_mode="ansi"
                )
                env.reset(seed=len(envs), options=deal_options(each))
                envs.append(env)
            compared += compare_envs(envs[0], envs[1], seat, rng)
    assert compared > 12 or "dark" in name


def compare_envs(one: Any, two: Any, seat: int, rng: random.Random) -> int:
    compared = 0
    while True:
        for env in (one, two):  # of offers to others, and what they answer, the seat knows nothing
            while env.unwrapped.game.phase == "redeal" and env.unwrapped.game.seat != seat:
                env.step(0)
        games = [env.unwrapped.game for env in (one, two)]
        if games[0].deal_number or not same_is_known(games[0], games[1], seat):
            return compared
        assert observer_sees(one, seat) == observer_sees(two, seat)
        compared += 1
        if games[0].is_over or games[1].is_over:
            return compared
        if is_hidden_give(games[0], seat):
            for env in (one, two):
                env.step(rng.choice([action for action in legal_actions(env) if 66 <= action < 90]))
            continue
        action = same_public_action(games[0], games[1], rng)
        if action is None:
            return compared
        one.step(action)
        two.step(action)


@pytest.mark.parametrize("preset", PRESETS)
def test_the_table_turned_by_a_seat_gives_each_agent_what_its_neighbour_saw(preset: str) -> None:
    rules = Rules.preset(preset)
    players = rules.players
    game = Game(rules, seed=11)
    options = deal_options(game) | {"scores": [10 * seat for seat in range(players)]}
    turned = {
        "deal": {**options["deal"], "hands": [options["deal"]["hands"][seat - 1] for seat in range(players)]},
        "dealer": (game.dealer + 1) % players,
        "scores": [options["scores"][seat - 1] for seat in range(players)],
    }
    one, two = (thousand_v0.env(rules=rules, episode="deal", history=True) for _ in range(2))
    one.reset(seed=1, options=options)
    two.reset(seed=2, options=turned)
    rng = random.Random(4)
    while True:
        for seat in range(players):
            ours = one.observe(f"player_{seat}")
            theirs = two.observe(f"player_{(seat + 1) % players}")
            assert all(ours[key].tobytes() == theirs[key].tobytes() for key in ours)
        assert one.terminations["player_0"] == two.terminations["player_0"]
        if one.terminations["player_0"]:
            break
        action = next_action(one, rng)
        one.step(action)
        two.step(action)
    assert one.rewards["player_0"] == two.rewards["player_1"]


def test_an_agent_that_there_is_not() -> None:
    env = thousand_v0.env()
    env.reset(seed=1)
    for wrong in ("player_3", "", None, 0, ["player_0"]):
        with pytest.raises(ValueError, match=r"agent=.*use one of 'player_0', 'player_1', 'player_2'"):
            env.observe(wrong)


def test_a_seat_of_the_state_that_there_is_not() -> None:
    env = thousand_v0.env()
    env.reset(seed=1)
    for wrong in (-1, 3, 1.0, True, "0", None, 2**70):
        with pytest.raises(ValueError, match="seat="):
            env.state(wrong)
    assert env.state(np.int64(2)).tobytes() == env.state(2).tobytes()
