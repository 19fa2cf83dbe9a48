"""``View.sample``: every world agrees with the view, all of them come up, and equally often."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

from tests.random_rules import random_rules, random_sheet
from tests.world_enumeration import enumerate_worlds, world_of
from thousand_env import PRESETS, Game, Rules

SMALL: dict[str, Any] = {"min_bid": 10, "bid_step": 10, "barrel_contract": 60, "max_deals": 1}
TWELVE = {**SMALL, "ranks": "QKA", "suits": "SCDH", "hand_size": 3, "talon_size": 3}
TWELVE_FOR_TWO = {**SMALL, "players": 2, "ranks": "QKA", "suits": "SCDH", "hand_size": 4, "talon_size": 2}
NINE_CARDS = {**SMALL, "ranks": "QKA", "suits": "SCH", "hand_size": 2, "talon_size": 3}
NINES = {**SMALL, "ranks": "9KA", "suits": "SCDH", "hand_size": 3, "talon_size": 3}
ON_BARREL = {"scores": [880, 880, 0], "barrel": [1, 0, None]}

CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "classic": (TWELVE, {}),
    "bids_prove_marriages": ({**TWELVE, "opening": "none"}, {}),
    "any_marriage": ({**TWELVE, "bid_cap": "any_with_marriage"}, {}),
    "aces_in_the_cap": ({**TWELVE, "ace_marriage": "lead_ace"}, {}),
    "no_limit": ({**TWELVE, "bid_cap": "none"}, {}),
    "talon_shown": ({**TWELVE, "talon_reveal": "always"}, {}),
    "talon_hidden": ({**TWELVE, "talon_reveal": "never"}, {}),
    "gifts_face_up": ({**TWELVE, "gifts_face_up": True}, {}),
    "put_aside": ({**TWELVE, "exchange": "discard_three"}, {}),
    "raise": ({**TWELVE, "raise_after_talon": True}, {}),
    "automatic": ({**TWELVE, "marriage_declare": "automatic", "ace_marriage": "lead_ace_sets_trump"}, {}),
    "automatic_later": ({**TWELVE, "marriage_declare": "automatic", "marriage_gate": "after_own_trick"}, {}),
    "overtrump": ({**TWELVE, "must_overtrump": True, "beat_if_trumped": True}, {}),
    "no_duties": ({**TWELVE, "must_beat": False, "must_trump": False}, {}),
    "barrel_must_bid": ({**TWELVE, "barrel_must_bid": True, "barrel_contract": 90}, ON_BARREL),
    "own_turn": ({**TWELVE, "barrel_own_turn": True}, ON_BARREL),
    "own_turn_and_redeals": ({**TWELVE, "barrel_own_turn": True, "redeal_hand_below": 24}, ON_BARREL),
    "nines_mandatory": ({**NINES, "hand_size": 3, "redeal_four_nines": "mandatory"}, {}),
    "nines_or_low_hand": ({**NINES, "redeal_hand_below": 12, "concede": "bid_60"}, {}),
    "two_talons": (TWELVE_FOR_TWO, {}),
    "give_one": ({**TWELVE_FOR_TWO, "two_player": "give_one"}, {}),
    "four_players": ({**NINE_CARDS, "players": 4, "exchange": "discard_three"}, {}),
    "four_players_gifts": ({**NINE_CARDS, "players": 4}, {}),
}


def play_some(rules: Rules, rng: random.Random, sheet: dict[str, Any], decisions: int) -> Game:
    """A game after some random decisions of its first deal, bids often low so that the auction goes round."""
    game = Game(rules, seed=rng.getrandbits(60), episode="deal")
    while game.deal_number:  # a void first deal
        game = Game(rules, seed=rng.getrandbits(60), episode="deal")
    hands, talons = game.dealt()
    talon = talons if rules.players == 2 else talons[0]
    game = Game.from_deal(rules, hands, talon, game.dealer, episode="deal", seed=1, **sheet)
    for _ in range(decisions):
        if game.is_over:
            break
        legal = game.legal_actions()
        bids = [action for action in legal if 1 <= action < 66]
        action = rng.choice(legal)
        if bids and rng.random() < 0.6:
            action = bids[min(len(bids) - 1, rng.randrange(4))]
        if action == 127:
            continue
        game.apply(action)
    return game


def check_uniform(game: Game, seat: int, rng: np.random.Generator) -> int:
    """Compare samples with the enumeration; the number of worlds."""
    view = game.view(seat)
    own = None if game.phase == "dark" and game.seat == seat else game.dealt()[0][seat]
    worlds = enumerate_worlds(view, own)
    assert world_of(game) in worlds
    samples = 30 * len(worlds) if len(worlds) < 600 else 12_000
    counts: Counter[Any] = Counter()
    for _ in range(samples):
        counts[world_of(view.sample(rng))] += 1
    assert set(counts) <= worlds
    if len(worlds) > 600:  # too many to count each: group them
        groups = Counter()
        sizes = Counter(hash(world) % 97 for world in worlds)
        for world, count in counts.items():
            groups[hash(world) % 97] += count
        observed = np.array([groups[group] for group in sizes])
        expected = np.array([sizes[group] for group in sizes]) * samples / len(worlds)
    else:
        observed = np.array([counts[world] for world in worlds])
        expected = np.full(len(worlds), samples / len(worlds))
    if len(observed) > 1:
        assert chisquare(observed, expected).pvalue > 1e-6, (game, seat)
    return len(worlds)


@pytest.mark.parametrize("case", CASES)
def test_samples_are_uniform(case: str) -> None:
    options, sheet = CASES[case]
    rules = Rules(**options)
    rng = random.Random(case)
    numbers = np.random.default_rng(7)
    for decisions in (0, 3, 7, 11):
        game = play_some(rules, rng, sheet, decisions)
        check_uniform(game, rng.randrange(rules.players), numbers)


def test_samples_are_uniform_before_a_dark_decision() -> None:
    # Six cards with a dark decision would need a small deck, which dark does not allow; so count a marginal instead.
    game = Game(Rules(dark=True), seed=3)
    first = game.seat
    assert first is not None
    view = game.view(first)
    assert view.hand == []
    numbers = np.random.default_rng(1)
    counts = np.zeros(24)
    for _ in range(4000):
        counts[view.sample(numbers).hands[first]] += 1
    assert chisquare(counts).pvalue > 1e-6


@pytest.mark.parametrize("preset", PRESETS)
def test_samples_reproduce_the_view(preset: str) -> None:
    rng, numbers = random.Random(preset), np.random.default_rng(5)
    for _ in range(3):
        game = Game(Rules.preset(preset), seed=rng.getrandbits(60), episode="deal")
        while True:
            for seat in range(game.rules.players):
                assert game.view(seat).sample(numbers).view(seat) == game.view(seat)
            if game.is_over:
                break
            game.apply(rng.choice(game.legal_actions()))


def test_samples_reproduce_the_view_under_random_rules() -> None:
    rng, numbers = random.Random(11), np.random.default_rng(6)
    for _ in range(60):
        rules = random_rules(rng)
        game = Game(rules, seed=rng.getrandbits(60))
        hands, talons = game.dealt()
        talon = talons if rules.players == 2 else talons[0]
        try:
            game = Game.from_deal(rules, hands, talon, game.dealer, seed=4, **random_sheet(rng, rules))
        except ValueError:
            continue
        for _ in range(60):
            if game.is_over:
                break
            seat = rng.randrange(rules.players)
            world = game.view(seat).sample(numbers)
            assert world.view(seat) == game.view(seat)
            assert world.seat == game.view(seat).seat or game.phase == "redeal"
            game.apply(rng.choice(game.legal_actions()))


def test_samples_do_not_depend_on_the_seed_of_the_game() -> None:
    game = Game(seed=5)
    hands, talons = game.dealt()
    one = Game.from_deal(game.rules, hands, talons[0], seed=1)
    two = Game.from_deal(game.rules, hands, talons[0], seed=2)
    first, second = np.random.default_rng(9), np.random.default_rng(9)
    for _ in range(20):
        assert one.view(0) == two.view(0)
        assert one.view(0).sample(first) == two.view(0).sample(second)


def test_a_sampled_world_can_be_undone_and_played_on() -> None:
    game = Game(seed=8)
    rng = random.Random(1)
    for _ in range(12):
        game.apply(rng.choice(game.legal_actions()))
    world = game.view(0).sample(np.random.default_rng(2))
    for _ in range(12):
        world.undo()
    assert world.phase == "auction"
    assert world.bid is None
    while not world.is_over:
        world.apply(rng.choice(world.legal_actions()))
