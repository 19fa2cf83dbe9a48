"""What ``baselines.pimc`` may do in a decision, and what the open-card solver says of it.

A *way* is a sequence of actions of the observer: one card, bid or raise, or all cards to part with in an exchange.
Arrays of ways are int64 ``[W, M]``, padded with -1. Utilities are those of a ``Worth``, float64 ``[K, W]``, one row for
each world.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from baselines.pimc_worth import Floats, Worth
from baselines.playouts import PLAY, Worlds, play_on
from thousand_env import Game, Rules, View, solver
from thousand_env.compiled import FIRST_BID, FIRST_GIVE, PASS

Ways = npt.NDArray[np.int64]
Solved = Callable[[View, Worth, list[Game]], Floats]

MOST_RAISES: Final = 24
FIRST_CUT: Final = 30
"""Ways to part with cards that are left after a first look at a quarter of the worlds."""
LAST_CUT: Final = 8
CLEAR: Final = 20
"""Points by which a contract is usually made or lost, to give the chance of making it a utility."""


def candidates(view: View) -> Ways:
    """The ways that are worth a thought; at least one.

    Of bids the lowest and that of the barrel contract: a jump tells the others what they need not know. Of raises the
    lowest 24. Of the exchange all ways to finish it, and to concede or to ask for a redeal.
    """
    legal = view.legal_actions()
    if view.phase == "auction":
        bids = [action for action in legal if action != PASS]
        rules = view.rules
        barrel = FIRST_BID + (rules.barrel_contract - rules.min_bid) // rules.bid_step
        chosen = sorted({*bids[:1], *([barrel] if rules.barrel and barrel in bids else [])})
        return _ways([(action,) for action in legal[: len(legal) - len(bids)] + chosen])
    if view.phase == "raise":
        return _ways([(action,) for action in legal[: 1 + MOST_RAISES]])
    if view.phase == "exchange":
        gifts = gift_ways(view)
        return _ways([*gifts, *((action,) for action in legal if not _parts_with_a_card(action))])
    return _ways([(action,) for action in legal])


def gift_ways(view: View) -> tuple[tuple[int, ...], ...]:
    """The ways to finish the exchange, in the solver's order; they are the same in all worlds."""
    return solver.gift_ways(view.sample(np.random.default_rng(0)))


def _parts_with_a_card(action: int) -> bool:
    return FIRST_GIVE <= action < FIRST_GIVE + 24


def _ways(ways: list[tuple[int, ...]]) -> Ways:
    width = max(map(len, ways))
    return np.array([way + (-1,) * (width - len(way)) for way in ways], np.int64)


def shortlist(view: View, worth: Worth, worlds: Worlds, searched: list[Game], ways: Ways, share: float) -> Ways:
    """The most promising ways of an exchange: by play-outs, and by the share of worlds in which the contract is there.

    A first look at a quarter of the worlds leaves ``FIRST_CUT`` of them, a second at the others ``LAST_CUT``. ``share``
    is that of the solver; 1 is without play-outs.
    """
    assert view.contract is not None
    assert view.declarer is not None
    gifts = np.array([_parts_with_a_card(way) for way in ways[:, 0].tolist()])
    made = solver.gift_makes(searched, view.contract, threads=1).mean(0)
    lost, won = worth.of_points(view.declarer, view.contract, view.contract + np.array([-CLEAR, CLEAR]))
    chance = np.zeros(len(ways))
    chance[gifts] = lost + made * (won - lost)
    if share == 1:
        order = np.argsort(-chance[gifts], kind="stable")[:LAST_CUT]
        return np.concatenate([ways[gifts][order], ways[~gifts]])
    left = np.arange(len(ways))
    total, weight = np.zeros(len(ways)), 0.0
    first = 0
    for last, keep in ((len(worlds.games) // 4, FIRST_CUT), (len(worlds.games), LAST_CUT)):
        if first == last:
            continue  # very few worlds
        weights = worlds.weights[first:last] + 1e-9
        total[left] += weights @ worth.of_futures(play_on(worlds.games[first:last], view.rules, ways[left]))
        weight += weights.sum()
        first = last
        played = total[left] / weight
        value = np.where(gifts[left], share * chance[left] + (1 - share) * played, played)
        left = left[np.argsort(-value, kind="stable")[:keep]]
    return ways[left]


def open_cards(rules: Rules, worth: Worth, futures: npt.NDArray[Any]) -> Floats:
    """Utilities of deals at the first lead, if all cards are open from there; of deals that are over as they are.

    The same hands are solved once, whatever the contract.
    """
    flat = futures.ravel()
    values = np.zeros(len(flat))
    plays = flat["phase"] == PLAY
    values[~plays] = worth.of_futures(flat[~plays])
    games: dict[bytes, Game] = {}
    keys = {}
    for place in np.flatnonzero(plays).tolist():
        state = flat[place]
        keys[place] = key = state["hands"].tobytes() + state["declarer"].tobytes() + state["dealer"].tobytes()
        if key not in games:
            games[key] = Game.from_record(rules, state.tobytes())
    points = dict(zip(games, solver.values_batch(games.values(), threads=1).tolist(), strict=True))
    for place, key in keys.items():
        state = flat[place]
        values[place] = worth.of_points(int(state["declarer"]), int(state["contract"]), np.array(points[key]))
    return values.reshape(futures.shape)


def exact_gifts(view: View, worth: Worth, games: list[Game], ways: Ways) -> Floats:
    """Utilities of all ways of an exchange, the solver's exact values."""
    assert view.contract is not None
    assert view.declarer is not None
    gifts = np.array([_parts_with_a_card(way) for way in ways[:, 0].tolist()])
    values = np.zeros((len(games), len(ways)))
    points = solver.gift_values(games, threads=1)
    values[:, gifts] = worth.of_points(view.declarer, view.contract, points)
    if not gifts.all():
        values[:, ~gifts] = open_cards(view.rules, worth, play_on(games, view.rules, ways[~gifts], PLAY))
    return values


def postponed(view: View, worth: Worth, games: list[Game], actions: Ways, solved: Solved) -> Floats:
    """Utilities of actions when the cards are opened for this seat only at its next decision, one trick later.

    The others answer as the solver would. Worlds in which they have answered alike cannot be told apart: there the
    seat goes on with the action that is best on average, which is what the open-card value of each world overlooks.
    There is a next decision, for who has a choice now has at least two cards.
    """
    values = np.zeros((len(games), len(actions)))
    for place, action in enumerate(actions.tolist()):
        lines: list[tuple[int, ...]] = [() for _ in games]
        nodes = [game.clone() for game in games]
        for node in nodes:
            node.apply(action)
        while waiting := [k for k, node in enumerate(nodes) if node.seat != view.observer]:
            answers = solver.action_values_batch([nodes[k] for k in waiting], threads=1)
            for k, row in zip(waiting, answers.astype(np.int64), strict=True):
                legal = np.flatnonzero(row != solver.NO_VALUE)
                best = row[legal].argmax() if nodes[k].seat == view.declarer else row[legal].argmin()
                nodes[k].apply(int(legal[best]))
                lines[k] += (int(legal[best]),)
        found = solved(view, worth, nodes)
        for line in set(lines):
            same = [k for k, each in enumerate(lines) if each == line]
            legal = np.array(nodes[same[0]].legal_actions())
            group = found[same][:, legal]
            values[same, place] = group[:, group.mean(0).argmax()]
    return values
