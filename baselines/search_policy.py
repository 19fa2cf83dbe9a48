"""The network as ``baselines.search`` uses it: probabilities of many rows at once, and worlds that they explain.

Worlds of a view are equally likely as far as the cards go, but others have bid and played as they did for a reason.
``draw`` looks back on all their decisions in every world, asks the network with what chance it would have done the
same with the cards they hold there, and draws again among the worlds by the product of these chances. This is the
inference that Buro, Long, Furtak and Sturtevant (*Improving state evaluation, inference, and search in trick-based
card games*, 2009) did in skat, and with a policy network Rebstock, Solinas, Buro and Sturtevant (*Policy based
inference in trick-taking card games*, 2019).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from baselines.networks import PolicyNet, masked, sample
from thousand_env import View
from thousand_env.compiled import Observed, decisions_of, sample_deals

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

SURPRISE: Final = 0.05
"""The share of decisions of which the network says nothing: players think otherwise than it does."""


class Policy:
    """A ``PolicyNet`` that is asked for many rows at once and never trained; ``ValueError`` for another network."""

    def __init__(self, network: nn.Module) -> None:
        if not isinstance(network, PolicyNet):
            raise ValueError(f"a {type(network).__name__} is not accepted: search needs a PolicyNet")
        self.network: Final = network.eval()
        self.needs_history: Final = network.needs_history

    @torch.inference_mode()
    def log_probabilities(self, observed: Observed) -> npt.NDArray[np.float32]:
        """float32 [N, 130]; of illegal actions so low that ``exp`` is 0."""
        return self._log_probabilities(observed).numpy()

    def _log_probabilities(self, observed: Observed) -> torch.Tensor:
        history = None if observed.history is None else torch.from_numpy(observed.history)
        logits = self.network(torch.from_numpy(observed.observation), history)
        return masked(logits, torch.from_numpy(observed.action_mask))

    @torch.inference_mode()
    def choices(self, observed: Observed, generator: torch.Generator | None) -> Ints:
        """An action a row, int64 [N]: drawn with the generator, or without one the most likely."""
        found = self._log_probabilities(observed)
        return (found.argmax(-1) if generator is None else sample(found, generator)).numpy()


def draw(view: View, policy: Policy, rng: np.random.Generator, count: int, pool: int, trust: float) -> npt.NDArray[Any]:
    """So many worlds [count] as records, of ``count * pool`` that are equally likely by the cards alone.

    ``trust`` is the power that the chances of the network are taken to: 0 for none of them to count.
    """
    if trust == 0:
        return sample_deals(view, rng, count)
    states = sample_deals(view, rng, count * pool)
    weights = np.exp(trust * log_likelihood(view, policy, states))
    marks = (np.arange(count) + rng.random()) / count  # evenly spaced draws: systematic resampling
    places = np.searchsorted(np.cumsum(weights / weights.sum()), marks)
    return states[np.minimum(places, len(states) - 1)]


def log_likelihood(view: View, policy: Policy, states: npt.NDArray[Any]) -> Floats:
    """How well each world explains what the others did in this deal, as logarithms [W] of which the largest is 0."""
    found = decisions_of(states, view.rules, view.observer, history=policy.needs_history)
    total = np.zeros(len(states))
    if len(found.action):
        chances = np.exp(policy.log_probabilities(found.observed)[np.arange(len(found.action)), found.action])
        choices = found.observed.action_mask.sum(1)
        np.add.at(total, found.position, np.log(SURPRISE / choices + (1 - SURPRISE) * chances.astype(np.float64)))
    return total - total.max()
