"""From units of matches to a ``MatchReport``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from thousand_env.evaluation.control import adjusted
from thousand_env.evaluation.deal_report import control_of
from thousand_env.evaluation.intervals import Resampling
from thousand_env.evaluation.report import MatchReport
from thousand_env.evaluation.summing import SCALE, MatchBlocks, against_others, scaled_means, spent
from thousand_env.evaluation.units import Unit

Floats = npt.NDArray[np.float64]


def shares_of(units: Sequence[Unit], agents: int) -> Floats:
    """float64 ``[U]``: the first agent's share of the wins of each block."""
    return np.asarray(MatchBlocks(units, agents).won()[..., 0].mean(axis=1), np.float64)


def score_differences(blocks: MatchBlocks) -> Floats:
    """float64 ``[U]``: the first agent's final total minus the mean of the others', summed over a block's matches."""
    scaled = against_others(scaled_means(blocks.scores, blocks.owner, blocks.agents))[..., 0]
    return np.asarray(scaled.sum(axis=1) / SCALE, np.float64)


def match_report(
    units: Sequence[Unit], names: tuple[str, ...], seed: int, facts: Mapping[str, Any], stopped: int | None
) -> MatchReport:
    """The report of some units; the bootstrap follows from the seed."""
    blocks = MatchBlocks(units, len(names))
    draws = Resampling(len(units), seed)
    shares = np.asarray(blocks.won().mean(axis=1), np.float64)
    control: dict[str, Any] | None = None
    if "values" in units[0]:
        shares, control = _controlled(units, blocks, shares, draws)
    ratios = [draws.ratio(shares[:, agent]) for agent in range(len(names))]
    score = draws.ratio(score_differences(blocks) / blocks.seatings)
    decisions, seconds = spent(units, len(names))
    games = int(blocks.winner.size)
    return MatchReport(
        names=names,
        mean=ratios[0].value,
        interval=ratios[0].interval,
        even=1 / len(names),
        matches=len(units),
        games=games,
        differences=shares[:, 0],
        shares=tuple(each.value for each in ratios),
        intervals=tuple(each.interval for each in ratios),
        seat_shares=tuple(_seat_share(blocks, agent) for agent in range(len(names))),
        score_difference=score.value,
        score_interval=score.interval,
        deals_per_match=float(blocks.deals.mean()),
        truncated=int((blocks.winner < 0).sum()),
        decisions=decisions,
        seconds=seconds,
        facts=facts,
        control=control,
        stopped=stopped,
    )


def _seat_share(blocks: MatchBlocks, agent: int) -> float:
    """Wins of an agent by match and seat that it sat at; a match without a winner is a win of 1/n for each seat."""
    seats = (blocks.owner == agent).sum()
    winner = np.maximum(blocks.winner, 0)[..., None]
    won = np.take_along_axis(blocks.owner, winner, axis=-1)[..., 0] == agent
    shared = (blocks.owner == agent).sum(axis=-1) / blocks.players
    return float(np.where(blocks.winner >= 0, won, shared).sum() / seats)


def _controlled(
    units: Sequence[Unit], blocks: MatchBlocks, shares: Floats, draws: Resampling
) -> tuple[Floats, dict[str, Any]]:
    values = np.array([unit["values"] for unit in units], np.float64)  # [U, S, n]
    plain = draws.ratio(shares[:, 0])
    out = shares.copy()
    coefficients = (0.0, 0.0)
    for agent in range(blocks.agents - 1, -1, -1):
        out[:, agent], coefficients = adjusted(shares[:, agent], control_of(values, blocks.owner, agent))
    before = float(shares[:, 0].var())
    return out, {
        "plain_mean": plain.value,
        "plain_interval": plain.interval,
        "coefficients": coefficients,
        "variance_left": float(out[:, 0].var()) / before if before else 1.0,
    }
