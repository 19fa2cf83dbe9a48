"""What ``baselines.search`` may do in a decision, by the network's policy, and how the deal goes on after it.

A *way* is a sequence of actions of the observer: one card, bid or raise, or all cards to part with in an exchange.
Arrays of ways are int64 ``[A, M]``, padded with -1.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from baselines.search_policy import Floats, Ints, Policy
from thousand_env import NUM_ACTIONS, Rules, View
from thousand_env.compiled import (
    PHASES,
    Lockstep,
    apply_action,
    entry,
    observations_of,
    rules_record,
    sample_deals,
)

MOST_PARTED: Final = 3
"""Cards that a declarer parts with at most."""
_EXCHANGE: Final = PHASES.index("exchange")


class Ways(NamedTuple):
    """Ways worth a search, the most likely first: ``actions`` int64 [A, M], ``chances`` float64 [A] by the policy."""

    actions: Ints
    chances: Floats


def candidates(view: View, policy: Policy, least: float, most: int) -> Ways:
    """The ways that the policy takes with a chance of at least ``least``; at least one, at most ``most``.

    In the exchange ways to finish it, found by a beam of ``most``: what the seat sees after it has given a card does
    not depend on the cards that it does not know.
    """
    table = sample_deals(view, np.random.default_rng(0), 1)
    is_exchange = view.phase == "exchange"
    actions, chances = np.full((1, MOST_PARTED if is_exchange else 1), -1, np.int64), np.ones(1)
    for place in range(actions.shape[1]):
        going = np.ones(1, np.bool_) if place == 0 else (table["phase"] == _EXCHANGE) & (table["seat"] == view.observer)
        if not going.any():
            break
        observed = observations_of(table[going], view.rules, history=policy.needs_history)
        following = np.full((len(actions), NUM_ACTIONS), -1.0)  # never kept
        following[going] = np.where(observed.action_mask, np.exp(policy.log_probabilities(observed)), -1)
        following[~going, 0] = 1  # a way that is finished goes on as it is
        following *= chances[:, None]
        order = np.argsort(-following, axis=None, kind="stable")[:most]
        origins, taken = np.unravel_index(order, following.shape)
        kept = following[origins, taken] >= least
        kept[0] = True
        origins, taken = origins[kept], taken[kept]
        before, actions, chances = table[origins], actions[origins], following[origins, taken]
        actions[:, place] = np.where(going[origins], taken, -1)
        table = _after(before, view.rules, actions[:, place : place + 1])
        actions, chances, table = _distinct(view, actions, chances, table)
    return Ways(actions, chances)


def _after(states: npt.NDArray[Any], rules: Rules, actions: Ints) -> npt.NDArray[Any]:
    after = states.copy()
    _apply_each(after, rules_record(rules), actions)
    return after


def _distinct(
    view: View, actions: Ints, chances: Floats, table: npt.NDArray[Any]
) -> tuple[Ints, Floats, npt.NDArray[Any]]:
    """Where cards are put aside, their order does not count: ways that are alike become one."""
    if view.phase != "exchange" or view.rules.exchange != "discard_three":
        return actions, chances, table
    _, first, place = np.unique(np.sort(actions, axis=1), axis=0, return_index=True, return_inverse=True)
    total = np.bincount(place.ravel(), chances).astype(np.float64)
    order = np.argsort(-total, kind="stable")
    return actions[first[order]], total[order], table[first[order]]


def play_on(
    states: npt.NDArray[Any], rules: Rules, ways: Ints, policy: Policy, generator: torch.Generator | None
) -> npt.NDArray[Any]:
    """What each of W worlds becomes after each way if the policy plays on for every seat, records [W, A].

    Each seat goes by what it sees, by drawn actions or, without a generator, by the most likely ones.
    """
    futures = np.repeat(states[:, None], len(ways), axis=1)
    flat = futures.reshape(-1)
    _apply_each(flat, rules_record(rules), np.tile(ways, (len(states), 1)))
    table = Lockstep(flat, rules, history=policy.needs_history)
    while len(table.rows):
        table.step(policy.choices(table.observed, generator))
    return futures


@entry
def _apply_each(states: Any, rules_records: Any, ways: Any) -> None:
    for i in range(states.shape[0]):
        for place in range(ways.shape[1]):
            if ways[i, place] >= 0:
                apply_action(states[i], rules_records[0], ways[i, place])
