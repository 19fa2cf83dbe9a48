"""Actions drawn from a policy for many rows at once, on the CPU and from the legal actions alone.

A row has about seven legal actions of 130, so that what is drawn here costs a tenth of a distribution over all of them.
The probabilities are those of ``baselines.networks.masked``, up to rounding. It is not for learning: no gradients.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from thousand_env import NUM_ACTIONS


def draw(
    logits: Tensor, action_mask: npt.NDArray[np.int8], generator: torch.Generator | None = None
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
    """A legal action a row, int64 [N], and its log-probability, float32 [N]; logits [N, 130], masks int8 [N, 130].

    One uniform number a row is drawn, on the CPU whatever the device of the logits, from ``generator`` or torch's own.
    ``ValueError`` for rows without a legal action.
    """
    rows = len(action_mask)
    uniform = torch.rand(rows, dtype=torch.float64, generator=generator).numpy()
    legal, starts, counts = legal_places(action_mask)
    if not rows:
        return np.zeros(0, np.int64), np.zeros(0, np.float32)
    scores = logits.float().cpu().numpy().reshape(-1)[legal].astype(np.float64)
    scores -= np.repeat(np.maximum.reduceat(scores, starts), counts)
    reached = np.exp(scores)
    totals = np.add.reduceat(reached, starts)
    np.cumsum(reached, out=reached)  # over all rows: those before a row have used up what is reached before its first
    last = starts + counts - 1
    before = np.concatenate([[0.0], reached[last[:-1]]])
    chosen = np.searchsorted(reached, before + uniform * totals, side="right")
    np.clip(chosen, starts, last, out=chosen)
    return legal[chosen] % NUM_ACTIONS, (scores[chosen] - np.log(totals)).astype(np.float32)


def legal_places(action_mask: npt.NDArray[np.int8]) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
    """Places of the L legal actions in the flat mask, int64 [L] ascending, and for each row its first and how many.

    ``ValueError`` for rows without a legal action.
    """
    legal = np.flatnonzero(action_mask != 0)
    starts = np.searchsorted(legal, np.arange(len(action_mask) + 1) * NUM_ACTIONS)
    counts = np.diff(starts)
    if not counts.all():
        raise ValueError(f"rows {np.flatnonzero(counts == 0).tolist()} of action_mask have no legal action")
    return legal, starts[:-1], counts
