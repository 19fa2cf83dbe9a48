"""All worlds that agree with a view, by brute force over complete deals: what ``View.sample`` is compared with."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from thousand_env import DealError, Game, View
from thousand_env.actions import plain_lead

World = tuple[Any, ...]


def world_of(game: Game) -> World:
    """What makes one world differ from another: cards as dealt, gifts, cards put aside, declined redeals."""
    hands, talons = game.dealt()
    return (
        tuple(map(tuple, hands)),
        tuple(map(tuple, talons)),
        tuple(sorted(game.gifts.items())),
        tuple(game.set_aside),
        tuple(event for event in game.events() if event.action == 0) if game.phase == "redeal" else (),
    )


def partitions(cards: tuple[int, ...], sizes: list[int]) -> Iterator[list[tuple[int, ...]]]:
    """All ways to split cards into groups of given sizes."""
    if not sizes:
        yield []
        return
    for group in itertools.combinations(cards, sizes[0]):
        rest = tuple(card for card in cards if card not in group)
        for others in partitions(rest, sizes[1:]):
            yield [group, *others]


def deals(view: View, own: list[int] | None) -> Iterator[Game]:
    """Every deal with the observer's own dealt hand (None: unknown too), on the sheet of the view."""
    rules, seats = view.rules, view.active_seats
    others = [seat for seat in seats if seat != view.observer or own is None]
    unseen = tuple(card for card in rules.deck if own is None or card not in own)
    talons = 2 if rules.players == 2 else 1
    for groups in partitions(unseen, [rules.hand_size] * len(others) + [rules.talon_size] * talons):
        hands: list[Any] = [() for _ in range(rules.players)]
        for seat, group in zip(others, groups, strict=False):
            hands[seat] = group
        if own is not None and view.observer in seats:
            hands[view.observer] = own
        talon: Any = groups[len(others) :] if talons == 2 else groups[-1]
        sheet = {"scores": view.scores, "bolts": view.bolts, "barrel": view.barrel}
        try:
            yield Game.from_deal(rules, hands, talon, view.dealer, episode=view.episode, seed=0, **sheet)
        except DealError:
            continue


def follow(game: Game, view: View, events: list[Any]) -> Iterator[Game]:
    """Every way to take the actions of a view in a deal, declining redeals that others do not announce."""
    while game.phase == "redeal" and game.seat != view.observer:
        if view.phase == "redeal" and view.seat is None and not events and game.view(view.observer) == view:
            yield game.clone()  # the offer is open; or it has been declined, and a later one is
        game.apply(0)
    if not events:
        if game.view(view.observer) == view:
            yield game
        return
    seat, action = events[0]
    if game.seat != seat:
        return
    if action is None:
        gives = [each for each in game.legal_actions() if 66 <= each < 90]
        if game.set_aside:  # a set: one order is enough
            gives = [each for each in gives if each - 66 > max(game.set_aside)]
    else:
        gives = [plain_lead(action) if game.rules.marriage_declare == "automatic" else action]
    for each in gives:
        if each in game.legal_actions():
            after = game.clone()
            after.apply(each)
            if action is None or after.deal_number or after.is_over or after.events()[-1].action == action:
                yield from follow(after, view, events[1:])


def enumerate_worlds(view: View, own: list[int] | None) -> set[World]:
    """The worlds that agree with a view whose observer was dealt ``own``."""
    return {world_of(found) for deal in deals(view, own) for found in follow(deal, view, view.events())}
