"""Exact numbers of histories (perft): the engine and the reference model count the same ones as ``perft.toml`` has.

``histories[d - 1]`` of a position is the number of sequences of ``d`` legal actions from it; a shorter one that ends
the deal counts as well. The small games are counted in whole for dealer = seat 0, with the distinct views of the seat
to act (information sets) over all deals and histories.
"""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.reference import Reference
from tests.world_enumeration import partitions
from thousand_env import PRESETS, Game, Rules, action_name, card_name, parse_action

DATA: dict[str, Any] = tomllib.loads(Path(__file__).with_name("perft.toml").read_text())
POSITIONS: dict[str, dict[str, Any]] = {each["name"]: each for each in DATA["position"]}
SMALL_GAMES: dict[str, dict[str, Any]] = DATA["small_game"]
SHARED = ("options", "deal_source", "_deck", "_levels")
"""What copies of a reference game have in common, because no action changes it."""

Deal = tuple[list[list[str]], list[list[str]]]


def rules_of(position: dict[str, Any]) -> Rules:
    return Rules.preset(position["preset"]).replace(**position.get("options", {}))


def engine_game(rules: Rules, deal: Deal, dealer: int, sheet: dict[str, Any] | None = None) -> Game:
    hands, talons = deal
    talon = talons if rules.players == 2 else talons[0]
    return Game.from_deal(rules, hands, talon, dealer, episode="deal", seed=0, **(sheet or {}))


def reference_game(rules: Rules, deal: Deal, dealer: int, sheet: dict[str, Any] | None = None) -> Reference:
    hands, talons = deal
    cards = {seat: set(hand) for seat, hand in enumerate(hands)}

    def source(number: int, active: tuple[int, ...]) -> tuple[dict[int, set[str]], list[set[str]]]:
        return {seat: set(cards[seat]) for seat in active}, [set(talon) for talon in talons]

    return Reference(rules.to_dict(), source, dealer, "deal", **(sheet or {}))


def deal_of(position: dict[str, Any]) -> Deal:
    return [hand.split() for hand in position["hands"]], [talon.split() for talon in position["talons"]]


def sheet_of(position: dict[str, Any]) -> dict[str, Any]:
    """Scores, and the barrel with -1 for a seat that is not on it."""
    sheet = dict(position.get("sheet", {}))
    if "barrel" in sheet:
        sheet["barrel"] = [None if used < 0 else used for used in sheet["barrel"]]
    return sheet


def engine_at(position: dict[str, Any]) -> Game:
    game = engine_game(rules_of(position), deal_of(position), position["dealer"], sheet_of(position))
    for text in position.get("after", []):
        game.apply(parse_action(text, game.rules))
    return game


def reference_at(position: dict[str, Any]) -> Reference:
    reference = reference_game(rules_of(position), deal_of(position), position["dealer"], sheet_of(position))
    for text in position.get("after", []):
        reference.apply(text)
    return reference


def count_with_undo(game: Game, depth: int) -> int:
    """Histories of ``depth`` actions; a void deal goes on with the next one and counts as an end here."""
    if game.is_over or game.deal_number:
        return 1
    if depth == 1:
        return len(game.legal_actions())
    total = 0
    for action in game.legal_actions():
        game.apply(action)
        total += count_with_undo(game, depth - 1)
        game.undo()
    return total


def count_with_clones(game: Game, depth: int) -> int:
    if game.is_over or game.deal_number:
        return 1
    if depth == 0:
        return 1
    total = 0
    for action in game.legal_actions():
        after = game.clone()
        after.apply(action)
        total += count_with_clones(after, depth - 1)
    return total


def fork(reference: Reference) -> Reference:
    """An independent copy of a reference game."""
    return copy.deepcopy(reference, {id(getattr(reference, name)): getattr(reference, name) for name in SHARED})


def count_in_reference(reference: Reference, depth: int) -> int:
    if reference.phase == "over" or reference.deal_number:
        return 1
    legal = sorted(reference.legal())
    if depth == 1:
        return len(legal)
    total = 0
    for text in legal:
        after = fork(reference)
        after.apply(text)
        total += count_in_reference(after, depth - 1)
    return total


def check_in_reference(name: str, most: int) -> None:
    """Compare with the reference at every depth that has at most so many histories."""
    for depth, expected in enumerate(POSITIONS[name]["histories"], start=1):
        if expected <= most:
            assert count_in_reference(reference_at(POSITIONS[name]), depth) == expected, (name, depth)


def test_every_preset_has_positions() -> None:
    assert {position["preset"] for position in POSITIONS.values()} == set(PRESETS)


@pytest.mark.parametrize("name", POSITIONS)
def test_engine_counts(name: str) -> None:
    game = engine_at(POSITIONS[name])
    before = game.to_bytes()
    for depth, expected in enumerate(POSITIONS[name]["histories"], start=1):
        assert count_with_undo(game, depth) == expected, (name, depth)
        assert game.to_bytes() == before
        if expected <= 2000:
            assert count_with_clones(game, depth) == expected, (name, depth)


@pytest.mark.parametrize("name", POSITIONS)
def test_reference_counts(name: str) -> None:
    check_in_reference(name, most=400)


@pytest.mark.long
@pytest.mark.parametrize("name", POSITIONS)
def test_reference_counts_at_full_depth(name: str) -> None:
    check_in_reference(name, most=10**9)


# The small games in whole


def small_deals(rules: Rules) -> Iterator[Deal]:
    """Every deal of a small game."""
    talons = 2 if rules.players == 2 else 1
    sizes = [rules.hand_size] * rules.players + [rules.talon_size] * talons
    for groups in partitions(rules.deck, sizes):
        named = [[card_name(card) for card in group] for group in groups]
        yield named[: rules.players], named[rules.players :]


def walk(game: Game, views: set[tuple[int, bytes]]) -> tuple[int, int]:
    """Decisions and terminal histories below a position; adds what the seat to act knows at each decision.

    Under one set of rules two views are equal if seat and memory are; a view itself takes twice as long to hash.
    """
    if game.is_over:
        return 0, 1
    seat = game.seat
    assert seat is not None
    views.add((seat, bytes(game.view(seat)._memory)))
    decisions, ends = 1, 0
    for action in game.legal_actions():
        after = game.clone()
        after.apply(action)
        below = walk(after, views)
        decisions, ends = decisions + below[0], ends + below[1]
    return decisions, ends


def reference_ends(reference: Reference) -> int:
    """Terminal histories below a position of the reference."""
    if reference.phase == "over":
        return 1
    total = 0
    for text in sorted(reference.legal()):
        after = fork(reference)
        after.apply(text)
        total += reference_ends(after)
    return total


@pytest.mark.parametrize("name", SMALL_GAMES)
def test_small_game_in_whole(name: str) -> None:
    rules = Rules.preset(name)
    views: set[tuple[int, bytes]] = set()
    counted = {"deals": 0, "decisions": 0, "terminal_histories": 0}
    for deal in small_deals(rules):
        decisions, ends = walk(engine_game(rules, deal, dealer=0), views)
        counted["deals"] += 1
        counted["decisions"] += decisions
        counted["terminal_histories"] += ends
    by_seat = [sum(observer == seat for observer, _ in views) for seat in range(rules.players)]
    assert counted | {"information_sets": len(views), "information_sets_by_seat": by_seat} == SMALL_GAMES[name]


def check_small_game_in_reference(name: str, step: int) -> None:
    """Every ``step``-th deal in the reference and in the engine; with step 1 the known sum as well."""
    rules = Rules.preset(name)
    total = 0
    for deal in list(small_deals(rules))[::step]:
        ends = reference_ends(reference_game(rules, deal, dealer=0))
        assert ends == walk(engine_game(rules, deal, dealer=0), set())[1], deal
        total += ends
    if step == 1:
        assert total == SMALL_GAMES[name]["terminal_histories"]


@pytest.mark.parametrize("name", SMALL_GAMES)
def test_small_game_in_reference(name: str) -> None:
    check_small_game_in_reference(name, step=41)


@pytest.mark.long
@pytest.mark.parametrize("name", SMALL_GAMES)
def test_small_game_in_reference_in_whole(name: str) -> None:
    check_small_game_in_reference(name, step=1)


def test_engine_and_reference_list_the_same_actions() -> None:
    for position in POSITIONS.values():
        game = engine_at(position)
        assert {action_name(action, game.rules) for action in game.legal_actions()} == reference_at(position).legal()
