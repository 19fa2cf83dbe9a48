"""The observation: every fact of a view comes back from it, nothing else is in it, and it turns with the seats."""

from __future__ import annotations

import contextlib
import random
from typing import Any

import numpy as np
import pytest

from tests.random_rules import random_rules, random_sheet
from thousand_env import PRESETS, Game, Rules, View
from thousand_env.actions import action_card
from thousand_env.observation import (
    HISTORY_SIZE,
    OBSERVATION,
    STATE,
    decode,
    encode,
    encode_int8,
    encode_state,
    history,
    layout_table,
)

PHASES = ["dark", "redeal", "auction", "talon", "exchange", "raise", "play", "over"]


def random_game(rng: random.Random, rules: Rules, decisions: int) -> Game:
    """A game after some random decisions, in the first deal or a later one."""
    game = Game(rules, seed=rng.getrandbits(60), episode=rng.choice(("match", "deal")))
    if rng.random() < 0.5 and not game.is_over:
        hands, talons = game.dealt()
        talon = talons if rules.players == 2 else talons[0]
        with contextlib.suppress(ValueError):
            game = Game.from_deal(
                rules, hands, talon, game.dealer, seed=3, episode=game.episode, **random_sheet(rng, rules)
            )
    for _ in range(decisions):
        if game.is_over:
            break
        game.apply(rng.choice(game.legal_actions()))
    return game


def cards(ids: Any) -> list[int]:
    """A card set as 24 flags."""
    return [int(card in ids) for card in range(24)]


def seats(view: View, values: Any) -> list[int]:
    """Values by seat, the observer's first, padded to four."""
    players = view.rules.players
    return [int(values[(view.observer + i) % players]) for i in range(players)] + [0] * (4 - players)


def one(view: View, seat: int | None) -> list[int]:
    return seats(view, [each == seat for each in range(view.rules.players)])


def expected(view: View) -> dict[str, Any]:
    """The facts of a view in the form that ``decode`` gives, from its public names."""
    players, me = view.rules.players, view.observer
    log = [(seat, action) for seat, action in view.events() if action is not None and 90 <= action < 126]
    trick_of, table, partner, order = [0] * 24, [0] * 24, [0] * 24, [0] * 4
    aces_order = declared = 0
    marriages: list[list[int]] = [[0] * 4 for _ in range(players)]
    aces = [0] * players
    for place, (seat, action) in enumerate(log):
        card = action_card(action)
        assert card is not None
        trick_of[card] = 1 + place // view.rules.active_players
        if action >= 114:
            declared += 1
            others = [6 * suit + 5 for suit in range(4)] if action >= 122 else [card ^ 1]
            for other in others:
                partner[other] = 1 + (seat - me) % players
            if action >= 122:
                aces[seat], aces_order = 1, declared
            else:
                marriages[seat][card // 6], order[card // 6] = 1, declared
    for cards_played in view.played:
        for card in cards_played:
            partner[card] = 0
    for place, (_, card) in enumerate(view.trick):
        table[card] = place + 1
    relative = [(me + i) % players for i in range(players)] + [None] * (4 - players)
    gifts = [0] * 24
    for seat, card in view.gifts.items():
        if card is not None:
            gifts[card] = 1 + (seat - me) % players
    barrel = view.barrel
    clip = 12_799
    left = clip if view.rules.max_deals is None else view.rules.max_deals - 1 - view.deal_number
    return {
        "hand": cards(view.hand),
        "played": [cards(view.played[seat]) if seat is not None else [0] * 24 for seat in relative],
        "talon": cards(view.talon),
        "set_aside": cards(view.set_aside),
        "trick_of_card": trick_of,
        "on_table": table,
        "gifts": gifts,
        "partner": partner,
        "voids": [[int(suit in view.voids[s]) for suit in range(4)] if s is not None else [0] * 4 for s in relative],
        "marriages": [marriages[seat] if seat is not None else [0] * 4 for seat in relative],
        "phase": [int(view.phase == phase) for phase in PHASES],
        "passed": seats(view, [seat in view.passed for seat in range(players)]),
        "to_act": one(view, view.seat),
        "dealer": one(view, view.dealer),
        "declarer": one(view, view.declarer),
        "tricks": seats(view, view.tricks_won),
        "card_points": seats(view, np.subtract(view.points, view.bonuses)),
        "bonus": seats(view, view.bonuses),
        "aces": seats(view, aces),
        "score": seats(view, np.clip(view.scores, -clip, clip)),
        "on_barrel": seats(view, [used is not None for used in barrel]),
        "attempts": seats(view, [used or 0 for used in barrel]),
        "falls": seats(view, view.falls),
        "bolts": seats(view, view.bolts),
        "concessions": seats(view, view.concessions),
        "trump": [int(view.trump == suit) for suit in range(4)],
        "declared_order": order,
        "aces_order": aces_order,
        "dark_stands": int(view.is_dark),
        "golden": int(view.is_golden),
        "own_turn": int(view.is_forced and not view.is_golden),
        "deal_episode": int(view.episode == "deal"),
        "talon_a": int(view.talon_taken == 0),
        "talon_b": int(view.talon_taken == 1),
        "bid": view.bid or 0,
        "contract": view.contract or 0,
        "deals_left": min(left, clip),
        "golden_left": max(0, players - view.deals_scored) if view.rules.golden else 0,
    }


def check(view: View) -> None:
    facts = decode(encode(view))
    for name, value in expected(view).items():
        assert np.array_equal(facts[name], value), (name, facts[name], value, view)
    as_integers = decode(encode_int8(view))
    for name, fact in as_integers.items():
        assert np.array_equal(facts[name], fact) if name != "rules" else facts[name] == fact


def check_rules(view: View) -> None:
    found = decode(encode(view))["rules"]
    rules = view.rules.to_dict()
    for name, value in found.items():
        if isinstance(rules[name], int) and not isinstance(rules[name], bool):
            rules[name] = max(-12_799, min(rules[name], 12_799))
        assert value == rules[name], name


@pytest.mark.parametrize("preset", PRESETS)
def test_every_fact_comes_back(preset: str) -> None:
    rng = random.Random(preset)
    for _ in range(150):
        game = random_game(rng, Rules.preset(preset), rng.randrange(60))
        for seat in range(game.rules.players):
            check(game.view(seat))
        check_rules(game.view(0))


def test_every_fact_comes_back_under_random_rules() -> None:
    rng = random.Random(21)
    for _ in range(400):
        game = random_game(rng, random_rules(rng), rng.randrange(60))
        view = game.view(rng.randrange(game.rules.players))
        check(view)
        check_rules(view)


def test_values_keep_to_their_bounds() -> None:
    rng = random.Random(22)
    for _ in range(200):
        game = random_game(rng, random_rules(rng), rng.randrange(80))
        vector = encode(game.view(0))
        assert vector.dtype == np.float32
        assert vector.shape == (OBSERVATION.size,)
        assert np.abs(vector).max() <= 1
        assert np.abs(encode_state(game)).max() <= 1


def test_totals_far_below_zero_are_clipped() -> None:
    game = Game.from_deal(
        Rules(),
        [deal.split() for deal in ("QS JS AC TC KC KD TD", "AH TH KH QH AS 9C JD", "TS KS 9H JH AD QC 9D")],
        ["9S", "QD", "JC"],
        scores=[-20_000, -101, 12],
    )
    assert decode(encode(game.view(0)))["score"].tolist() == [-12_799, -101, 12, 0]


def test_hidden_cards_change_nothing() -> None:
    rng, numbers = random.Random(23), np.random.default_rng(1)
    for _ in range(150):
        game = random_game(rng, random_rules(rng), rng.randrange(50))
        seat = rng.randrange(game.rules.players)
        world = game.view(seat).sample(numbers)
        if game.phase == "redeal" and game.seat != seat:
            continue
        assert np.array_equal(encode_int8(game.view(seat)), encode_int8(world.view(seat)))
        assert np.array_equal(history(game.view(seat)), history(world.view(seat)))


@pytest.mark.parametrize("preset", ["classic", "modern", "four_player", "two_player", "lithuanian"])
def test_it_turns_with_the_seats(preset: str) -> None:
    rules, rng = Rules.preset(preset), random.Random(preset)
    players = rules.players
    for _ in range(15):
        game = Game(rules, seed=rng.getrandbits(60))
        hands, talons = game.dealt()
        talon = talons if players == 2 else talons[0]
        sheet = random_sheet(rng, rules)
        turn = rng.randrange(1, players)

        def turned(values: Any, by: int = turn) -> list[Any]:
            return [values[(seat - by) % players] for seat in range(players)]

        one_way = Game.from_deal(rules, hands, talon, game.dealer, seed=0, **sheet)
        other = Game.from_deal(
            rules,
            turned(hands),
            talon,
            (game.dealer + turn) % players,
            seed=0,
            **{name: turned(values) for name, values in sheet.items()},
        )
        for _ in range(45):
            if one_way.deal_number or one_way.is_over:
                break
            for seat in range(players):
                moved = (seat + turn) % players
                assert np.array_equal(encode(one_way.view(seat)), encode(other.view(moved)))
                assert np.array_equal(history(one_way.view(seat)), history(other.view(moved)))
            action = rng.choice(one_way.legal_actions())
            one_way.apply(action)
            other.apply(action)


def test_history_holds_the_events_in_order() -> None:
    rng = random.Random(24)
    for _ in range(300):
        game = random_game(rng, random_rules(rng), rng.randrange(60))
        view = game.view(rng.randrange(game.rules.players))
        tokens = history(view)
        events = [
            131 * ((seat - view.observer) % game.rules.players) + (130 if action is None else action)
            for seat, action in view.events()
        ]
        assert tokens.dtype == np.int16
        assert tokens.tolist() == events + [-1] * (HISTORY_SIZE - len(events))


def test_the_state_adds_all_hidden_cards() -> None:
    rng = random.Random(25)
    for _ in range(200):
        game = random_game(rng, random_rules(rng), rng.randrange(60))
        seat = rng.randrange(game.rules.players)
        facts = decode(encode_state(game, seat))
        for place in range(game.rules.players):
            assert facts["hands"][place].tolist() == cards(game.hands[(seat + place) % game.rules.players])
        assert facts["all_aside"].tolist() == cards(game.set_aside)
        if not game.is_over:
            assert facts["talons"][: len(game.dealt()[1])].tolist() == [cards(talon) for talon in game.dealt()[1]]


def test_pieces_are_disjoint_and_cover_the_vector() -> None:
    for layout, first in ((OBSERVATION, 0), (STATE, OBSERVATION.size)):
        owners = np.zeros(layout.size, np.int64)
        for piece in layout.pieces.values():
            owners[piece.start : piece.stop] += 1
            assert piece.meaning
            assert piece.scale in (1, 2, 4, 8, 16, 32, 64, 128)  # so that dividing is exact
        assert owners[first:].max() == 1
        assert (owners[first:] == 0).sum() < 16  # what fills up to eight
    assert OBSERVATION.size < 500
    assert layout_table().count("\n") == len(OBSERVATION.pieces) + 1


def test_a_vector_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="shape"):
        decode(np.zeros(7))


def test_what_is_encoded_must_be_of_the_right_kind() -> None:
    game = Game(seed=1)
    for encoder in (encode, encode_int8):
        with pytest.raises(TypeError, match="a Game cannot be encoded: encode a View"):
            encoder(game)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a View has no hidden cards: encode_state takes a Game"):
        encode_state(game.view(0))  # type: ignore[arg-type]
