"""Labels by a network that plays the deals out, which is the next step of policy iteration after the heuristic's.

As ``baselines.labels``, but after each action all seats are played by one network, by its likeliest actions, thousands
of deals together (``thousand_env.compiled.Lockstep``). That costs ten times as much as the heuristic and says what
an action is worth among better players.
"""

from __future__ import annotations

import copy
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from baselines.equity import UNIT, Equity, sheets_of_records
from baselines.labels import MOST, MOST_BIDS, Labels
from baselines.networks import Mlp, PolicyNet, Scaled
from thousand_env import Rules
from thousand_env.compiled import EPISODE_DEAL, FIRST_BID, FIRST_GIVE, Lockstep, observations_of

ROWS: Final = 4096
"""Rows that the network looks at in one go: more do not fit the cache."""


class NetworkLabeller:
    """Labels positions under one rule set, on the scale of ``Equity.rewards``; the network is copied.

    Positions are records of ``STATE_DTYPE``, as ``VectorEnv.positions`` gives them. ``Labels.reference`` is what the
    network would choose. The network reads no history.
    """

    def __init__(self, rules: Rules, equity: Equity, network: PolicyNet, *, threads: int = 1) -> None:
        self._rules = rules
        self._pool = ThreadPoolExecutor(threads, "playing out")
        self._threads = threads
        self._equity = equity
        self._network = playing_form(network)
        self.rng = np.random.default_rng(0)

    def __call__(self, states: npt.NDArray[Any]) -> Labels:
        """Labels of all positions, in each of which somebody is to act."""
        parts = [part for part in np.array_split(states, self._threads) if len(part)]
        found = list(self._pool.map(self._label, parts))
        return Labels(*(np.concatenate(each) for each in zip(*found, strict=True)))

    def _label(self, states: npt.NDArray[Any]) -> Labels:
        observed = observations_of(states, self._rules)
        reference = self._choices(observed.observation, observed.action_mask)
        actions = labelled_actions(observed.action_mask)
        known = actions >= 0
        rows, places = np.nonzero(known)
        futures = states[rows]
        futures["episode"] = EPISODE_DEAL
        table = Lockstep(futures, self._rules)  # plays where there is no choice, and there the label says nothing
        table.step(actions[rows[table.rows], places[table.rows]])
        while len(table.rows):
            table.step(self._choices(table.observed.observation, table.observed.action_mask))
        chances = self._equity.chances(sheets_of_records(futures, self._rules.players, next_deal=True))
        values = np.zeros(actions.shape, np.float32)
        values[known] = UNIT * chances[np.arange(len(rows)), states["seat"][rows]]
        mean = values.sum(1) / np.maximum(1, known.sum(1))
        advantages = np.where(known, values - mean[:, None], 0).astype(np.float32)
        return Labels(actions, advantages, reference)

    @torch.inference_mode()
    def _choices(self, observation: npt.NDArray[np.int8], action_mask: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        """The likeliest legal action of each row, int64 [N]."""
        chosen = np.empty(len(observation), np.int64)
        for first in range(0, len(observation), ROWS):
            part = slice(first, first + ROWS)
            logits: Tensor = self._network(torch.from_numpy(observation[part]))
            allowed = torch.from_numpy(action_mask[part]).bool()
            chosen[part] = logits.masked_fill_(~allowed, -torch.inf).argmax(-1).numpy()
        return chosen


def labelled_actions(action_mask: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
    """The legal actions that are labelled, ascending, int64 [N, 24], -1 behind the last; see ``baselines.labels``."""
    kept = action_mask != 0
    bids = kept[:, FIRST_BID:FIRST_GIVE]
    bids &= np.cumsum(bids, 1) <= MOST_BIDS
    rows, found = np.nonzero(kept)
    actions = np.full((len(kept), MOST), -1, np.int64)
    place = np.arange(len(rows)) - np.searchsorted(rows, rows)
    actions[rows, place] = found
    return actions


class _Narrow(nn.Module):
    def forward(self, given: Tensor) -> Tensor:
        """bfloat16 of the integers of the layout."""
        return given.to(torch.bfloat16)


def playing_form(network: PolicyNet) -> nn.Module:
    """A copy of a network of layers for fast play on a CPU, from int8 observations [N, K] to logits [N, 130].

    In bfloat16, with the scales of the layout in the weights of the first layer: half the time, and logits that differ
    by up to a hundredth. ``ValueError`` for a network that reads the history.
    """
    if not isinstance(network.trunk, Mlp):
        raise ValueError("a network that reads the history is not accepted: use one of kind mlp")
    scaled, *layers = copy.deepcopy(network.trunk.layers)
    assert isinstance(scaled, Scaled)
    layers.append(copy.deepcopy(network.policy))
    first = next(each for each in layers if isinstance(each, nn.Linear))
    with torch.no_grad():
        first.weight *= scaled.factors
    return nn.Sequential(_Narrow(), *layers).to(torch.bfloat16).requires_grad_(False).eval()
