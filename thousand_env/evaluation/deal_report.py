"""From units of deals to a ``Report``."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from thousand_env.evaluation.control import adjusted
from thousand_env.evaluation.intervals import Ratio, Resampling, mean_of
from thousand_env.evaluation.report import Report
from thousand_env.evaluation.summing import SCALE, DealBlocks, against_others, spent
from thousand_env.evaluation.units import Unit

Floats = npt.NDArray[np.float64]


def differences_of(units: Sequence[Unit], agents: int) -> Floats:
    """float64 ``[U]``: the first agent's mean change of score minus that of the others, deal by deal."""
    blocks = DealBlocks(units, agents)
    return _by_block(against_others(blocks.scaled_means(blocks.changes)))[:, 0]


def deal_report(
    units: Sequence[Unit], names: tuple[str, ...], seed: int, facts: Mapping[str, Any], stopped: int | None
) -> Report:
    """The report of some units; the bootstrap follows from the seed."""
    blocks = DealBlocks(units, len(names))
    draws = Resampling(len(units), seed)
    means = blocks.scaled_means(blocks.changes)
    points = blocks.scaled_means(blocks.points)
    relative = _by_block(against_others(means))
    plain = draws.ratio(relative[:, 0])
    control: dict[str, Any] | None = None
    if "values" in units[0]:
        relative, coefficients = _controlled(units, blocks, relative)
        left = relative[:, 0].var() / by_chance if (by_chance := _by_block(against_others(means))[:, 0].var()) else 1.0
        control = {
            "plain_mean": plain.value,
            "plain_interval": plain.interval,
            "coefficients": coefficients,
            "variance_left": float(left),
        }
    ratios = [draws.ratio(relative[:, agent]) for agent in range(len(names))]
    raw = draws.ratio(_by_block(against_others(points))[:, 0])
    decisions, seconds = spent(units, len(names))
    return Report(
        names=names,
        mean=ratios[0].value,
        interval=ratios[0].interval,
        deals=len(units),
        differences=relative[:, 0],
        relative=tuple(each.value for each in ratios),
        intervals=tuple(each.interval for each in ratios),
        scores=tuple(_by_block(means).mean(axis=0).tolist()),
        points={
            "mean": raw.value,
            "interval": raw.interval,
            "agents": dict(zip(names, _by_block(points).mean(axis=0).tolist(), strict=True)),
        },
        by_role=_by_role(blocks, names, draws),
        by_seat=_by_seat(blocks, names, draws),
        by_bid=_by_bid(blocks, names),
        decisions=decisions,
        seconds=seconds,
        facts=facts,
        control=control,
        stopped=stopped,
    )


def _by_block(scaled: npt.NDArray[np.int64]) -> Floats:
    """float64 ``[U, k]`` from ``[U, S, k]`` in units of ``SCALE``: the average over the seatings of each block."""
    return np.asarray(scaled.sum(axis=1) / (SCALE * scaled.shape[1]), np.float64)


def _controlled(units: Sequence[Unit], blocks: DealBlocks, relative: Floats) -> tuple[Floats, tuple[float, float]]:
    """Differences less what the cards explain, and the coefficients for the first agent."""
    values = np.array([unit["values"] for unit in units], np.float64)  # [U, 1, n]
    values = np.broadcast_to(values, blocks.owner.shape)
    out = relative.copy()
    coefficients = (0.0, 0.0)
    for agent in range(blocks.agents - 1, -1, -1):
        control = control_of(values, blocks.owner, agent)
        out[:, agent], coefficients = adjusted(relative[:, agent], control)
    return out, coefficients


def control_of(values: Floats, owner: npt.NDArray[np.int64], agent: int) -> Floats:
    """float64 ``[U]``: mean of values ``[U, S, n]`` over an agent's seats minus that over the others' seats.

    Exactly 0 where every seating is there: what is smaller than a billionth is taken for 0.
    """
    agents = int(owner.max()) + 1
    means = [np.where(owner == each, values, 0).sum(axis=-1) / (owner == each).sum(axis=-1) for each in range(agents)]
    others = [each for number, each in enumerate(means) if number != agent]
    by_game = means[agent] - sum(others) / len(others)
    return np.asarray(by_game.mean(axis=1).round(9), np.float64)


def _by_role(blocks: DealBlocks, names: tuple[str, ...], draws: Resampling) -> dict[str, Any]:
    found = {}
    for role, seats in blocks.roles().items():
        figures: dict[str, Any] = {}
        ratios = []
        for agent, name in enumerate(names):
            mine = seats & (blocks.owner == agent)
            times = mine.sum(axis=(1, 2))
            ratio = draws.ratio((blocks.changes * mine).sum(axis=(1, 2)), times)
            ratios.append(ratio)
            total = int(times.sum())
            figures[name] = {
                "times": total,
                "share": total / max(int((blocks.owner == agent).sum()), 1),
                "mean": ratio.value,
                "points": float((blocks.points * mine).sum()) / total if total else math.nan,
                "made": _made_share(blocks, mine) if role == "declarer" else None,
            }
        found[role] = _difference(ratios) | {"agents": figures}
    return found


def _made_share(blocks: DealBlocks, mine: npt.NDArray[np.bool_]) -> float:
    declared = mine.any(axis=-1)
    return float(blocks.made[declared].mean()) if declared.any() else math.nan


def _by_seat(blocks: DealBlocks, names: tuple[str, ...], draws: Resampling) -> list[dict[str, Any]]:
    places = blocks.places()
    found = []
    for place in range(blocks.players):
        ratios = []
        for agent in range(len(names)):
            mine = (places == place) & (blocks.owner == agent)
            ratios.append(draws.ratio((blocks.changes * mine).sum(axis=(1, 2)), mine.sum(axis=(1, 2))))
        means = {name: ratio.value for name, ratio in zip(names, ratios, strict=True)}
        found.append(
            {"place": place, "name": _place_name(place, blocks.players), **_difference(ratios), "agents": means}
        )
    return found


def _place_name(place: int, players: int) -> str:
    if place == players - 1:
        return "dealer" if players < 4 else "dealer, sits out"
    return ("first hand", "second", "third")[place]


def _difference(ratios: list[Ratio]) -> dict[str, Any]:
    difference = ratios[0] - mean_of(ratios[1:])
    return {"difference": difference.value, "interval": difference.interval}


def _by_bid(blocks: DealBlocks, names: tuple[str, ...]) -> list[dict[str, Any]]:
    played = blocks.declarer >= 0
    declarer = np.maximum(blocks.declarer, 0)[..., None]
    agent = np.take_along_axis(blocks.owner, declarer, axis=-1)[..., 0]
    change = np.take_along_axis(blocks.changes, declarer, axis=-1)[..., 0]
    named: Counter[tuple[int, int]] = Counter()
    for owner, bids in zip(blocks.owner.reshape(-1, blocks.players).tolist(), blocks.bids, strict=True):
        named.update((bid, owner[seat]) for seat, bid in bids)
    levels = {(int(bid), int(who)) for bid, who in zip(blocks.contract[played], agent[played], strict=True)}
    found = []
    for bid, who in sorted(levels | set(named)):
        chosen = played & (blocks.contract == bid) & (agent == who)
        times = int(chosen.sum())
        found.append(
            {
                "agent": names[who],
                "contract": bid,
                "times": times,
                "made": float(blocks.made[chosen].mean()) if times else math.nan,
                "mean": float(change[chosen].mean()) if times else math.nan,
                "bid": named[bid, who],
            }
        )
    return found
