"""The engine and the reference model side by side: the same random actions, everything compared at every decision."""

from __future__ import annotations

import random
from typing import Any

from tests.reference import Reference
from thousand_env import DealError, Game, Rules, action_name, card_name, deal_seed, parse_action

SUITS = "SCDH"
GAMMA, LOW_64 = 0x9E3779B97F4A7C15, 2**64 - 1
NAMES = [card_name(card) for card in range(24)]


def splitmix(seed: int) -> Any:
    """SplitMix64 after its published description, in plain integers."""
    while True:
        seed = (seed + GAMMA) & LOW_64
        mixed = (seed ^ seed >> 30) * 0xBF58476D1CE4E5B9 & LOW_64
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & LOW_64
        yield mixed ^ mixed >> 31


def below(numbers: Any, bound: int) -> int:
    """Lemire's exact draw from 32 bits."""
    while True:
        product = (next(numbers) >> 32) * bound
        if product % 2**32 >= 2**32 % bound:
            return int(product >> 32)


Deal = tuple[dict[int, set[str]], list[set[str]]]


def shuffled_deal(rules: Rules, seed: int, number: int, active: tuple[int, ...]) -> Deal:
    """Deal ``number`` as documented: talons, then the active seats in ascending order, from a Fisher-Yates shuffle."""
    cards = list(rules.deck)
    numbers = splitmix(deal_seed(seed, number))
    sizes = [rules.talon_size] * (2 if rules.players == 2 else 1) + [rules.hand_size] * len(active)
    for place in range(len(cards) - sizes[-1]):
        other = place + below(numbers, len(cards) - place)
        cards[place], cards[other] = cards[other], cards[place]
    groups, start = [], 0
    for size in sizes:
        groups.append({NAMES[card] for card in cards[start : start + size]})
        start += size
    talons = groups[: len(groups) - len(active)]
    return dict(zip(sorted(active), groups[len(talons) :], strict=True)), talons


def facts_of_game(game: Game) -> dict[str, Any]:
    """All that is compared, as the engine has it."""
    over = game.phase == "over"
    shown = {seat for seat in range(game.rules.players) if game.talon_is_seen_by(seat)}
    return {
        "phase": game.phase,
        "seat": game.seat,
        "legal": {action_name(action, game.rules) for action in game.legal_actions()},
        "hands": [{NAMES[card] for card in hand} for hand in game.hands] if game.events() or not over else None,
        "talons": [{NAMES[card] for card in talon} for talon in game.talons] if not over else None,
        "set_aside": {NAMES[card] for card in game.set_aside} if not over else None,
        "gifts": {seat: NAMES[card] for seat, card in game.gifts.items()} if not over else None,
        "trick": [(seat, NAMES[card]) for seat, card in game.trick],
        "trump": None if game.trump is None else SUITS[game.trump],
        "declarer": game.declarer,
        "contract": game.contract,
        "bid": game.bid if game.phase == "auction" else None,
        "bidder": game.bidder if game.phase == "auction" else None,
        "passed": game.passed if game.phase == "auction" else None,
        "points": game.points,
        "tricks_won": game.tricks_won,
        "scores": game.scores,
        "bolts": game.bolts,
        "barrel": game.barrel,
        "falls": game.falls,
        "concessions": game.concessions,
        "dealer": game.dealer,
        "deal_number": game.deal_number,
        "winner": game.winner,
        "truncated": game.truncated,
        "talon_shown": shown if not over else None,
    }


def facts_of_reference(reference: Reference, is_table_empty: bool) -> dict[str, Any]:
    """The same, as the reference has it, which leaves the cards of a void last deal lying."""
    over = reference.phase == "over"
    auction = reference.phase == "auction"
    return {
        "phase": reference.phase,
        "seat": reference.seat,
        "legal": reference.legal(),
        "hands": None if is_table_empty else reference.hands,
        "talons": None if over else reference.talons,
        "set_aside": None if over else reference.set_aside,
        "gifts": None if over else reference.gifts,
        "trick": reference.trick,
        "trump": reference.trump,
        "declarer": reference.declarer,
        "contract": reference.contract,
        "bid": reference.bid if auction else None,
        "bidder": reference.bidder if auction else None,
        "passed": reference.passed if auction else None,
        "points": reference.points,
        "tricks_won": reference.tricks_won,
        "scores": reference.scores,
        "bolts": reference.bolts,
        "barrel": reference.barrel,
        "falls": reference.falls,
        "concessions": reference.concessions,
        "dealer": reference.dealer,
        "deal_number": reference.deal_number,
        "winner": reference.winner,
        "truncated": reference.truncated,
        "talon_shown": None if over else set(reference.talon_shown),
    }


def choose(rng: random.Random, legal: list[str], calm: float) -> str:
    """A random action; in ``calm`` matches bids stay low and marriages are declared, so that totals climb as well."""
    if rng.random() < calm:
        for verb in ("pass", "marry", "aces"):
            found = [text for text in legal if text.startswith(verb)]
            if found:
                return rng.choice(found)
        bids = sorted((text for text in legal if text.startswith("bid")), key=lambda text: int(text[4:]))
        if bids:
            return bids[0]
    return rng.choice(legal)


def compare_match(
    rules: Rules, seed: int, rng: random.Random, episode: str, sheet: dict[str, Any] | None, limit: int
) -> int:
    """Play one match in both, comparing at every decision; the number of decisions compared.

    ``limit`` bounds the decisions. With a ``sheet`` the first deal is given to the engine by ``from_deal``.
    """

    def source(number: int, active: tuple[int, ...]) -> Deal:
        return shuffled_deal(rules, seed, number, active)

    game = Game(rules, seed=seed, episode=episode)
    dealer = game.dealer
    if sheet is not None:
        hands, talons = source(0, tuple(game.active_seats))
        given = [sorted(hands.get(seat, ())) for seat in range(rules.players)]
        try:
            talon = talons if rules.players == 2 else talons[0]
            game = Game.from_deal(rules, given, talon, dealer, episode=episode, seed=seed, **sheet)
        except DealError as error:
            if "four nines" not in str(error):
                raise
            return 0
    reference = Reference(rules.to_dict(), source, dealer, episode, **(sheet or {}))
    calm = rng.choice((0.0, 0.5, 0.9))
    compared = 0
    while compared < limit:
        ours = facts_of_game(game)
        theirs = facts_of_reference(reference, is_table_empty=ours["hands"] is None)
        if ours != theirs:
            different = {name: (ours[name], theirs[name]) for name in ours if ours[name] != theirs[name]}
            where = f"{game!r} seed={seed} sheet={sheet} after {game.events()}"
            raise AssertionError(f"(engine, reference) differ in {different}\n{where}")
        compared += 1
        if game.is_over:
            break
        text = choose(rng, sorted(ours["legal"]), calm)
        game.apply(parse_action(text, rules))
        reference.apply(text)
    return compared
