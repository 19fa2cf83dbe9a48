"""For agents that search: worlds drawn by how well they explain the auction, and deals played out by the heuristic.

A *world* is a complete deal that agrees with what a seat knows (``View.sample``). All such deals are equally likely as
far as the cards go, but not all explain why an opponent has bid or passed: ``draw`` gives each world the chance that
the others would have bid so with the cards they hold in it, by the heuristic's estimate of a hand. This inference is
that of Buro, Long, Furtak and Sturtevant (*Improving state evaluation, inference, and search in trick-based card
games*, 2009), with a formula in place of a table.

A *way* is a sequence of actions to try, padded with -1. ``play_on`` lets the heuristic play on after it, for every seat
from what that seat knows; nothing of it is random, a world and a way lead to one deal, in about 13 microseconds.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from baselines.heuristic import KNOBS, choose
from baselines.judgement import estimate
from thousand_env import Game, Rules, View
from thousand_env.compiled import (
    CARD_POINTS,
    EPISODE_DEAL,
    FIRST_BID,
    FIRST_GIVE,
    PASS,
    PHASES,
    SIGHT_DTYPE,
    STATE_DTYPE,
    apply_action,
    compiled,
    entry,
    legal_words,
    restore_hand,
    room_for,
    rules_record,
    see,
    states_of,
    wide,
)

Floats = npt.NDArray[np.float64]
OVER: Final = PHASES.index("over")
PLAY: Final = PHASES.index("play")

BIDS_ABOVE: Final = 5
"""A player bids while the level stays so many points below what his hand is worth to him."""
BLUR: Final = 7.0
"""How sharply: ``4 * BLUR`` points below or above it he is nearly sure to bid or to pass."""
SURPRISE: Final = 0.03
"""The share of bids and passes that say nothing: a player may think otherwise."""

_room_for_sight: Final = room_for(SIGHT_DTYPE)


class Worlds(NamedTuple):
    """Worlds of a view. ``weights`` float64 ``[M]`` sum to 1."""

    games: list[Game]
    weights: Floats

    def pick(self, rng: np.random.Generator, count: int) -> list[Game]:
        """So many of them, each as often as its weight says: evenly spaced draws (systematic resampling)."""
        marks = (np.arange(count) + rng.random()) / count
        places = np.minimum(np.searchsorted(np.cumsum(self.weights), marks), len(self.games) - 1)
        return [self.games[place] for place in places.tolist()]


def draw(view: View, rng: np.random.Generator, count: int, *, inference: bool) -> Worlds:
    """So many worlds of a view, equally likely ones or, with ``inference``, weighted by the auction."""
    games = [view.sample(rng) for _ in range(count)]
    if not inference:
        return Worlds(games, np.full(count, 1 / count))
    worth = np.zeros((count, view.rules.players))
    worth_as_dealt(states_of(games), rules_record(view.rules), worth)
    weights = np.exp(_log_likelihood(view, worth))
    return Worlds(games, weights / weights.sum())


def _log_likelihood(view: View, worth: Floats) -> Floats:
    """How well each world explains the others' bids and passes, as logarithms of which the largest is 0.

    A forced opening says nothing, nor does a pass at a level that may only be bid with a marriage.
    """
    rules = view.rules
    deck_points = sum(CARD_POINTS[card] for card in rules.deck)
    total = np.zeros(len(worth))
    level = 0
    highest: dict[int, int] = {}
    for seat, action in view.events():
        if action is None or action >= FIRST_GIVE:
            break
        if action != PASS:
            level = rules.min_bid + rules.bid_step * (action - FIRST_BID)
            if level > rules.min_bid:
                highest[seat] = level
        elif seat != view.observer:
            least = max(level + rules.bid_step, rules.min_bid)
            if least <= deck_points:
                total += _log_chance(least + BIDS_ABOVE - worth[:, seat])
    for seat, level in highest.items():
        if seat != view.observer:
            total += _log_chance(worth[:, seat] - level - BIDS_ABOVE)
    return total - total.max()


def _log_chance(margin: Floats) -> Floats:
    found: Floats = np.log(SURPRISE + (1 - SURPRISE) / (1 + np.exp(-margin / BLUR)))
    return found


def play_on(games: list[Game], rules: Rules, ways: npt.NDArray[np.int64], until: int = OVER) -> npt.NDArray[Any]:
    """What each world becomes after each way, records of ``STATE_DTYPE`` ``[K, W]``; ``ways`` int64 ``[W, M]``.

    Played on until the deal is scored (``OVER``) or until the first lead (``PLAY``), at the latest until it is scored.
    """
    futures = np.empty((len(games), len(ways)), STATE_DTYPE)
    play_out(states_of(games), rules_record(rules), KNOBS, ways, until, futures)
    return futures


@entry
def play_out(worlds: Any, rules_records: Any, knobs: Any, ways: Any, until: int, futures: Any) -> None:
    """Write to ``futures[k, w]`` what world k becomes after way w, see ``play_on``."""
    rules, own = rules_records[0], knobs[0]
    room = _room_for_sight()
    seen = room[0]
    for k in range(worlds.shape[0]):
        for w in range(ways.shape[0]):
            futures[k, w] = worlds[k]
            state = futures[k, w]
            state["episode"] = EPISODE_DEAL
            for place in range(ways.shape[1]):
                if ways[w, place] >= 0:
                    apply_action(state, rules, ways[w, place])
            play_until(state, rules, own, seen, until)


@compiled
def play_until(state: Any, rules: Any, knobs: Any, seen: Any, until: int) -> None:
    """Let the heuristic play on, for every seat, until a phase or the end."""
    while state["phase"] != OVER and state["phase"] != until:
        look(state, rules, seen)
        apply_action(state, rules, choose(seen, rules, knobs))


@compiled
def look(state: Any, rules: Any, seen: Any) -> None:
    """Write to ``seen``, a sight, what the seat to act sees and may do."""
    low, middle, high = legal_words(state, rules)
    see(state, rules, wide(state["seat"]), seen)
    seen["legal"][0] = low
    seen["legal"][1] = middle
    seen["legal"][2] = high


@entry
def worth_as_dealt(worlds: Any, rules_records: Any, worth: Any) -> None:
    """Write to ``worth[k, seat]``, float64, what the heuristic thinks the hand dealt to each active seat is worth."""
    rules = rules_records[0]
    room = _room_for_sight()
    seen = room[0]
    for k in range(worlds.shape[0]):
        see(worlds[k], rules, 0, seen)  # for the deck alone
        for seat in range(rules["players"]):
            hand = restore_hand(worlds[k], rules, seat)
            if hand:
                worth[k, seat] = estimate(seen, rules, hand, True)
