"""Opponents in self-play: past selves of the learner and fixed agents, who take seats in a share of the games.

Self-play alone can run in circles and forgets how to beat what it no longer meets. A row that plays against opponents
gives one seat or all but one, drawn anew for each deal, to one of them. Opponents are asked in batches, each for all
rows in which it is to act.
"""

from __future__ import annotations

import copy
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from baselines.networks import PolicyNet, masked, sample
from thousand_env.agents import Agent, BatchAgent, from_text
from thousand_env.observation import OBSERVATION, scales

LEARNER: Final = -1


class Opponents:
    """Who sits where in each row, and the pool of those who may.

    ``share``: of the rows that play against opponents. ``names``: fixed agents, as text; each must have ``act_batch``.
    ``size``: past selves that are kept, evenly spread over the run as it goes on. Half of the seats given away are
    taken by fixed agents and half by past selves, as far as there are any.
    """

    def __init__(
        self, rows: int, players: int, share: float, names: tuple[str, ...], size: int, seed: int, device: torch.device
    ) -> None:
        self.players: Final = players
        self.size: Final = size
        self.device: Final = device
        self.rng = np.random.default_rng(seed)
        self.fixed: Final[list[BatchAgent]] = [_batch_agent(name) for name in names]
        self.past: list[PolicyNet] = []
        self.past_at: list[int] = []
        self._mixed: Final = np.arange(rows) >= round(rows * (1 - share))
        self.seated = np.full((rows, players), LEARNER, np.int64)
        self._scales = scales(OBSERVATION.size)

    def reseat(self, rows: npt.NDArray[np.int64]) -> None:
        """Draw who plays the next deals of these rows."""
        rows = rows[self._mixed[rows]]
        kinds = len(self.fixed) + len(self.past)
        if not len(rows) or not kinds:
            return
        draw = self.rng.random((3, len(rows)))
        fixed = (draw[0] < 0.5) if self.fixed and self.past else np.full(len(rows), bool(self.fixed))
        who = np.where(
            fixed,
            (draw[1] * len(self.fixed)).astype(np.int64),
            len(self.fixed) + (draw[1] * len(self.past)).astype(np.int64),
        )
        # the learner keeps one seat, or all but one, as often
        alone = self.rng.integers(0, self.players, len(rows))
        is_alone = np.arange(self.players) == alone[:, None]
        given = np.where(draw[2][:, None] < 0.5, is_alone, ~is_alone)
        self.seated[rows] = np.where(given, who[:, None], LEARNER)

    def decide(
        self,
        seat: npt.NDArray[Any],
        observation: npt.NDArray[np.int8],
        action_mask: npt.NDArray[np.int8],
        action: npt.NDArray[np.int64],
        learned: npt.NDArray[np.bool_],
    ) -> None:
        """Put the opponents' actions over the learner's where they are to act, and say in ``learned`` where not."""
        who = self.seated[np.arange(len(seat)), seat]
        np.equal(who, LEARNER, out=learned)
        if learned.all():
            return
        for kind in np.unique(who[~learned]).tolist():
            rows = np.flatnonzero(who == kind)
            action[rows] = self._ask(kind, observation[rows], action_mask[rows])

    @torch.inference_mode()
    def _ask(self, kind: int, observation: npt.NDArray[np.int8], action_mask: npt.NDArray[np.int8]) -> Any:
        if kind < len(self.fixed):
            return self.fixed[kind].act_batch(np.divide(observation, self._scales, dtype=np.float32), action_mask)
        network = self.past[(kind - len(self.fixed)) % len(self.past)]
        logits: Tensor = network(torch.from_numpy(observation).to(self.device))
        return sample(masked(logits, torch.from_numpy(action_mask).to(self.device))).cpu().numpy()

    def remember(self, network: PolicyNet, decisions: int) -> None:
        """Take a copy of the learner into the pool; of too many the one that is closest to its neighbours goes."""
        self.past.append(frozen(network))
        self.past_at.append(decisions)
        if len(self.past) > self.size:
            gaps = np.diff([0, *self.past_at])
            place = int(gaps[:-1].argmin())
            del self.past[place], self.past_at[place]


def frozen(network: PolicyNet) -> PolicyNet:
    """A copy that will not be trained."""
    twin = copy.deepcopy(network).requires_grad_(False)
    return twin.eval()


def _batch_agent(name: str) -> BatchAgent:
    agent: Agent = from_text(name)
    if not isinstance(agent, BatchAgent):
        raise ValueError(f"opponent {name!r} is not accepted: it has no act_batch, which training needs")
    agent.reset(0)
    return agent
