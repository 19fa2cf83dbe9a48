"""Many random deals, and what holds in all of them: something to do, an end in time, 120 points, one past."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.random_rules import random_rules, random_sheet
from thousand_env import PRESETS, Game, Rules, VectorEnv, action_name
from thousand_env.observation import OBSERVATION, encode_int8, history
from thousand_env.render import render

MOST_ACTIONS = 98
"""Of one deal: 95 that are logged, and three declined redeals."""


def one_deal_each(rules: Rules, rows: int, seed: int) -> VectorEnv:
    """Episodes of exactly one deal, void or scored, on random sheets."""

    def start(rng: np.random.Generator, count: int) -> Any:
        numbers = random.Random(int(rng.integers(2**32)))
        sheets = [random_sheet(numbers, rules) for _ in range(count)]
        barrel = [[-1 if used is None else used for used in sheet["barrel"]] for sheet in sheets]
        return np.array([sheet["scores"] for sheet in sheets]), None, np.array(barrel), None

    return VectorEnv(rows, rules.replace(max_deals=1), seed=seed, observation_dtype="int8", start=start)


def choose(mask: Any, rng: np.random.Generator) -> Any:
    """A random legal action in every row, each equally likely."""
    legal = mask.cumsum(axis=1, dtype=np.int16)
    return (legal > rng.integers(0, legal[:, -1])[:, None]).argmax(axis=1)


def tricks(rules: Rules) -> int:
    """Tricks of a whole deal: one for each card of a hand, gifts included."""
    return rules.hand_size + (not rules.puts_aside)


def points(rules: Rules) -> int:
    """Card points of the whole deck."""
    return len(rules.suits) * sum({"J": 2, "Q": 3, "K": 4, "T": 10, "A": 11}.get(rank, 0) for rank in rules.ranks)


def piece(observations: Any, name: str) -> Any:
    return observations[:, OBSERVATION[name].start : OBSERVATION[name].stop]


def play_deals(rules: Rules, deals: int, seed: int, rows: int = 2048) -> int:
    """Random deals, with what must hold in each; how many were played to the last card."""
    env, rng = one_deal_each(rules, rows, seed), np.random.default_rng(seed)
    batch = env.reset()
    played = whole = 0
    while played < deals:
        mask = batch.action_mask
        assert mask.max() == 1
        assert mask.min() == 0
        assert mask.any(axis=1).all(), "nothing is legal though the deal is not over"
        batch = env.step(choose(mask, rng))
        if not len(batch.final_index):
            continue
        played += len(batch.final_index)
        assert batch.episode_length.max() <= MOST_ACTIONS
        assert (batch.terminated | batch.truncated)[batch.final_index].all()
        assert np.abs(batch.episode_return.sum(axis=1)).max() < 1e-9
        seen = batch.final_observation[:, 0]
        if rules in map(Rules.preset, PRESETS):  # without points that nobody wins
            is_whole = piece(seen, "tricks").sum(axis=1) == tricks(rules)
            assert (piece(seen, "card_points").astype(int).sum(axis=1)[is_whole] == points(rules)).all()
            whole += int(is_whole.sum())
    return whole


@pytest.mark.parametrize("preset", PRESETS)
def test_some_legal_action_while_live(preset: str) -> None:
    assert play_deals(Rules.preset(preset), 12_500, seed=1) > 6_000


def test_some_legal_action_while_live_under_random_rules() -> None:
    rng = random.Random(2)
    for number in range(60):
        play_deals(random_rules(rng), 300, seed=number, rows=128)


@pytest.mark.long
@pytest.mark.parametrize("preset", PRESETS)
def test_a_million_deals(preset: str) -> None:
    play_deals(Rules.preset(preset), 130_000, seed=3)


def resident_kib() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
def test_a_million_steps_take_no_more_memory_and_no_longer_at_the_end() -> None:
    env, rng = VectorEnv(1000, num_threads=1, seed=4, observation_dtype="int8"), np.random.default_rng(4)
    batch = env.reset()
    times, memory = [], 0
    for number in range(1200):
        if number == 200:
            memory = resident_kib()
        actions = choose(batch.action_mask, rng)
        begun = time.perf_counter()
        batch = env.step(actions)
        times.append(time.perf_counter() - begun)
    assert resident_kib() - memory < 4_000
    assert np.quantile(times[-400:], 0.2) < 2 * np.quantile(times[200:600], 0.2)


# Histories


@pytest.mark.parametrize("preset", ["mini2", "mini3", "classic"])
def test_what_a_seat_is_handed_tells_its_whole_past(preset: str) -> None:
    """Perfect recall: the same observation and history never follow two different sequences of those before."""
    rng = random.Random(preset)
    pasts: dict[Any, Any] = {}
    met = 0
    for seed in range(60):
        first = Game(Rules.preset(preset), seed=seed, episode="deal")
        for _ in range(25 if preset != "classic" else 2):  # often the same deal, so that positions are met again
            game = first.clone()
            trails: list[tuple[Any, ...]] = [()] * game.rules.players
            while not game.is_over:
                for seat in range(game.rules.players):
                    view = game.view(seat)
                    seen = encode_int8(view).tobytes() + history(view).tobytes()
                    if not trails[seat] or trails[seat][-1] != seen:
                        met += seen in pasts
                        assert pasts.setdefault(seen, trails[seat]) == trails[seat]
                        trails[seat] = (*trails[seat], seen)
                game.apply(rng.choice(game.legal_actions()))
    assert met > 100


# Marriages


def keep_pairs(game: Game, rng: random.Random) -> int:
    """An action that breaks up no pair of king and queen, if there is one, and declares none."""
    assert game.seat is not None
    hand = game.hands[game.seat]
    legal = [action for action in game.legal_actions() if action < 114 and action != 126] or game.legal_actions()
    pairs = {card for card in hand if card % 6 in (2, 3) and {card - card % 6 + 2, card - card % 6 + 3} <= {*hand}}
    calm = [action for action in legal if action < 66 or (action - 66) % 24 not in pairs]
    return calm[0] if game.phase == "auction" else rng.choice(calm or legal)


@pytest.mark.parametrize("preset", ["classic", "modern", "two_player", "four_player"])
def test_marriages_are_declared_on_every_lead_but_the_last(preset: str) -> None:
    rules, rng = Rules.preset(preset), random.Random(preset)
    leads = {}
    for seed in range(500):
        game = Game(rules, seed=seed, episode="deal")
        while not game.is_over:
            declaring = [action for action in game.legal_actions() if 114 <= action < 122]
            number = sum(game.tricks_won)
            if declaring and (number not in leads or number == tricks(rules) - 2):
                leads[number] = leads.get(number, 0) + 1
                assert game.trick == []
                for action in declaring:
                    check_declared(game, action)
            game.apply(keep_pairs(game, rng))
    first = 0 if rules.marriage_gate == "on_lead" else 1
    assert set(leads) == set(range(first, tricks(rules) - 1))
    assert leads[tricks(rules) - 2] > 3


def check_declared(game: Game, action: int) -> None:
    after, seat = game.clone(), game.seat
    after.apply(action)
    assert seat is not None
    suit, partner = (action - 114) // 2, action - 114 - 2 * ((action - 114) // 2)
    card = 6 * suit + (2 if partner else 3)  # the king shows the queen, the queen the king
    assert after.trump == suit or game.rules.trump_effect == "next_trick"
    assert after.bonuses[seat] - game.bonuses[seat] == game.rules.marriage_values[suit]
    assert card in after.hands[seat]
    assert action_name(action, game.rules).startswith("marry")
    for observer in range(game.rules.players):
        render(after.view(observer))
        view = after.view(observer)
        shown = encode_int8(view)[OBSERVATION["partner"].start + card]
        assert shown == 1 + (seat - observer) % game.rules.players
