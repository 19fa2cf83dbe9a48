"""Networks of the learned agents: a policy with optional heads, a critic that may see all cards, action values.

One network plays every seat and every role, for observations are relative to the seat. Inputs are the observation
``[N, K]`` or the state for critics ``[N, M]``, as float32 or as the int8 integers of the layout, which are a quarter of
the memory and are scaled here. Logits of illegal actions are whatever they are: ``masked`` is what makes a distribution
of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from thousand_env import NUM_ACTIONS
from thousand_env.observation import HISTORY_SIZE, OBSERVATION, STATE, Piece, scales

NO_CHANCE: Final = -1e9
"""A logit so low that the probability is exactly 0, and yet 0 times it is 0, which does not hold for infinity."""
OWNERS: Final = 5
"""Of a hidden card: the four seats relative to the observer, or nobody (talon, put aside, not in the deck)."""
SEATS: Final = 4
NUM_CARDS: Final = 24
LEFT_OUT: Final = ("deal_episode", "deals_left_hundreds", "deals_left_rest", "falls", "concessions")
"""Pieces of the observation that networks do not look at."""
MOST_LAYERS: Final = 64
MOST_WIDTH: Final = 1 << 14
KINDS: Final = ("mlp", "transformer")
_TOKENS: Final = SEATS * (NUM_ACTIONS + 1)


class Heads(NamedTuple):
    """What a ``PolicyNet`` says: ``logits`` [N, 130]; ``value`` [N] and ``owners`` [N, 24, 5] or None."""

    logits: Tensor
    value: Tensor | None
    owners: Tensor | None


def masked(logits: Tensor, action_mask: Tensor) -> Tensor:
    """Log-probabilities [N, 130] over the legal actions; ``exp`` of those of illegal ones is exactly 0."""
    return torch.log_softmax(logits.float().masked_fill(action_mask == 0, NO_CHANCE), -1)


def entropy_of(log_probabilities: Tensor) -> Tensor:
    """Entropy [N] in nats of rows of ``masked``."""
    return -(log_probabilities.exp() * log_probabilities).sum(-1)


def sample(log_probabilities: Tensor, generator: torch.Generator | None = None) -> Tensor:
    """An action a row, int64 [N], drawn by the Gumbel trick; illegal ones are never drawn."""
    noise = torch.empty_like(log_probabilities).exponential_(generator=generator)
    noise.clamp_(min=torch.finfo(noise.dtype).tiny)  # a noise of 0 would be stronger than any logit
    return (log_probabilities - noise.log()).argmax(-1)


class Scaled(nn.Module):
    """float32 of the integers of a layout: an observation of K or a state of M numbers, which may be float32 already.

    What tells a single deal from one of a match is left out, as 0: trainers play deals alone, and a network must not
    see for the first time in a match what it has never seen change. ``kept`` [size] is 0 there and 1 elsewhere.
    """

    factors: Tensor
    kept: Tensor

    def __init__(self, size: int) -> None:
        super().__init__()
        kept = np.ones(size, np.float32)
        for name in LEFT_OUT:
            kept[OBSERVATION[name].start : OBSERVATION[name].stop] = 0
        self.register_buffer("kept", torch.from_numpy(kept), persistent=False)
        self.register_buffer("factors", torch.from_numpy(kept / scales(size)), persistent=False)

    def forward(self, given: Tensor) -> Tensor:
        """[N, size] as float32."""
        if given.dtype == torch.int8:
            return given.float().mul_(self.factors)  # float() has made it new
        return given * self.kept


class Mlp(nn.Module):
    """Fully connected layers with ReLU after each; ``features`` is the width of what comes out."""

    def __init__(self, size: int, hidden: tuple[int, ...]) -> None:
        super().__init__()
        layers: list[nn.Module] = [Scaled(size)]
        for width, following in zip((size, *hidden), hidden, strict=False):
            layers += [_orthogonal(nn.Linear(width, following), 2**0.5), nn.ReLU()]
        self.layers = nn.Sequential(*layers)
        self.features: Final = hidden[-1] if hidden else size

    def forward(self, given: Tensor) -> Tensor:
        """Features [N, features]."""
        features: Tensor = self.layers(given)
        return features


class HistoryTransformer(nn.Module):
    """A small transformer over the actions of the deal, beside layers over the observation; both are joined.

    Tokens are those of ``thousand_env.observation.history``. Attention goes over the whole history, which the seat
    knows anyway; the features are the mean of what comes out at its tokens.
    """

    def __init__(self, hidden: tuple[int, ...], width: int = 64, layers: int = 2, attention_heads: int = 4) -> None:
        super().__init__()
        self.observed = Mlp(OBSERVATION.size, hidden)
        self.token = nn.Embedding(_TOKENS + 1, width, padding_idx=0)
        self.place = nn.Parameter(torch.zeros(HISTORY_SIZE, width))
        layer = nn.TransformerEncoderLayer(width, attention_heads, 2 * width, 0.0, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.joined = _orthogonal(nn.Linear(self.observed.features + width, self.observed.features), 2**0.5)
        self.features: Final = self.observed.features

    def forward(self, observation: Tensor, history: Tensor) -> Tensor:
        """Features [N, features] from observations [N, K] and histories, integers [N, H]."""
        longest = max(1, int((history >= 0).sum(-1).max())) if len(history) else 1
        tokens = history[:, :longest].long() + 1
        empty = tokens == 0
        empty[:, 0] = False  # a row without any token attends to one that says nothing
        told = self.encoder(self.token(tokens) + self.place[:longest], src_key_padding_mask=empty)
        kept = (~empty).unsqueeze(-1)
        summary = (told * kept).sum(1) / kept.sum(1)
        return torch.relu(self.joined(torch.cat([self.observed(observation), summary], -1)))


class PolicyNet(nn.Module):
    """A policy over the observation, with a value head and a head for the owners of hidden cards if asked for."""

    def __init__(
        self, kind: str = "mlp", hidden: tuple[int, ...] = (256, 256), value: bool = False, owners: bool = False
    ) -> None:
        super().__init__()
        if kind not in KINDS:
            raise ValueError(f"kind={kind!r} is not accepted: use one of {', '.join(KINDS)}")
        self.description: Final[dict[str, Any]] = {
            "network": "policy",
            "kind": kind,
            "hidden": list(hidden),
            "value": value,
            "owners": owners,
        }
        self.needs_history: Final[bool] = kind == "transformer"
        self.trunk = HistoryTransformer(hidden) if self.needs_history else Mlp(OBSERVATION.size, hidden)
        self.policy = _orthogonal(nn.Linear(self.trunk.features, NUM_ACTIONS), 0.01)
        self.value = _orthogonal(nn.Linear(self.trunk.features, 1), 1.0) if value else None
        self.owners = _orthogonal(nn.Linear(self.trunk.features, NUM_CARDS * OWNERS), 0.01) if owners else None

    def forward(self, observation: Tensor, history: Tensor | None = None) -> Tensor:
        """Logits [N, 130]."""
        logits: Tensor = self.policy(self._features(observation, history))
        return logits

    def heads(self, observation: Tensor, history: Tensor | None = None) -> Heads:
        """All that the network says."""
        features = self._features(observation, history)
        value = None if self.value is None else self.value(features).squeeze(-1)
        owners = None if self.owners is None else self.owners(features).view(-1, NUM_CARDS, OWNERS)
        return Heads(self.policy(features), value, owners)

    def _features(self, observation: Tensor, history: Tensor | None) -> Tensor:
        features: Tensor = self.trunk(observation, history) if self.needs_history else self.trunk(observation)
        return features


class Critic(nn.Module):
    """What a seat expects, [N]: privileged from the state [N, M], which shows all cards, else from the observation."""

    def __init__(self, privileged: bool = True, hidden: tuple[int, ...] = (256, 256)) -> None:
        super().__init__()
        self.description: Final[dict[str, Any]] = {
            "network": "critic",
            "privileged": privileged,
            "hidden": list(hidden),
        }
        self.privileged: Final = privileged
        self.trunk = Mlp(STATE.size if privileged else OBSERVATION.size, hidden)
        self.value = _orthogonal(nn.Linear(self.trunk.features, 1), 1.0)

    def forward(self, given: Tensor) -> Tensor:
        """[N]"""
        value: Tensor = self.value(self.trunk(given)).squeeze(-1)
        return value


class ActionValueNet(nn.Module):
    """The value of an action that is part of the input, as in DouZero (Zha et al., ICML 2021).

    The first layer takes the observation and the action as one vector. Its share of the observation is computed once a
    row and its share of an action is a row of a table, so that all legal actions of a row cost little more than one.
    """

    def __init__(self, hidden: tuple[int, ...] = (256, 256)) -> None:
        super().__init__()
        self.description: Final[dict[str, Any]] = {"network": "action_value", "hidden": list(hidden)}
        self.scaled = Scaled(OBSERVATION.size)
        self.seen = _orthogonal(nn.Linear(OBSERVATION.size, hidden[0]), 2**0.5)
        self.chosen = nn.Embedding(NUM_ACTIONS, hidden[0])
        nn.init.normal_(self.chosen.weight, std=0.1)
        layers: list[nn.Module] = [nn.ReLU()]
        for width, following in itertools.pairwise(hidden):
            layers += [_orthogonal(nn.Linear(width, following), 2**0.5), nn.ReLU()]
        self.rest = nn.Sequential(*layers, _orthogonal(nn.Linear(hidden[-1], 1), 0.1))

    def forward(self, observation: Tensor, action: Tensor) -> Tensor:
        """Values [N] of one action a row, int64 [N]."""
        values: Tensor = self.rest(self.seen(self.scaled(observation)) + self.chosen(action)).squeeze(-1)
        return values

    def all_values(self, observation: Tensor, action_mask: Tensor) -> Tensor:
        """Values [N, 130] of all legal actions, ``NO_CHANCE`` for the others."""
        rows, actions = action_mask.nonzero(as_tuple=True)
        seen = self.seen(self.scaled(observation))
        found = self.rest(seen[rows] + self.chosen(actions)).squeeze(-1)
        values = torch.full(action_mask.shape, NO_CHANCE, dtype=found.dtype, device=found.device)
        values[rows, actions] = found
        return values


def owners_of(state: Tensor) -> tuple[Tensor, Tensor]:
    """From states int8 [B, M]: who holds each card, int64 [B, 24] in the places of ``OWNERS``, and which are hidden.

    Hidden are, bool [B, 24], the cards of the deck that the observer neither holds, nor has put aside, nor has seen
    played.
    """

    def cards(piece: Piece) -> Tensor:
        return state[:, piece.start : piece.stop].reshape(len(state), -1, NUM_CARDS)

    held = cards(STATE["hands"])
    anyone = held.amax(1) != 0
    aside = (cards(STATE["talons"]).amax(1) != 0) | (cards(STATE["all_aside"])[:, 0] != 0)
    known = [cards(OBSERVATION[name]).amax(1) != 0 for name in ("hand", "set_aside", "played")]
    target = torch.where(anyone, held.argmax(1), OWNERS - 1)
    return target, (anyone | aside) & ~(known[0] | known[1] | known[2])


def build(description: Mapping[str, Any]) -> nn.Module:
    """A new network from its ``description``; ``ValueError`` for one that is not understood."""
    kinds = {"policy": PolicyNet, "critic": Critic, "action_value": ActionValueNet}
    options = dict(description)
    name = options.pop("network", None)
    if name not in kinds:
        raise ValueError(f"network {name!r} is not known: use one of {', '.join(kinds)}")
    if "hidden" in options:
        widths = options["hidden"]
        listed = isinstance(widths, list | tuple) and 1 <= len(widths) <= MOST_LAYERS
        if not listed or not all(type(each) is int and 1 <= each <= MOST_WIDTH for each in widths):
            raise ValueError(f"hidden={widths!r:.60} is not accepted: use 1 to {MOST_LAYERS} widths to {MOST_WIDTH}")
        options["hidden"] = tuple(widths)
    try:
        return kinds[name](**options)
    except TypeError as error:
        raise ValueError(f"network {name!r} cannot be built of {options!r}: {error}") from None


def _orthogonal(layer: nn.Linear, gain: float) -> nn.Linear:
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer
