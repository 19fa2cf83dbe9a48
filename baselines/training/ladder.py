"""Playing an agent against another in batches: the same deals or matches in every mixed seating, hundreds at once.

The figures mean what those of ``thousand_env.evaluation`` mean: the mean over all mixed seatings of a deal of the
agent's change of score minus the other's, per seat, and the share of matches won, in which equal agents have a half.
They come many times faster, for agents are asked through ``act_batch``, and they tell less: there is no split by role,
phase or seat. An agent that has no ``act_batch`` is measured by the evaluation itself.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import random
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch

import baselines
from thousand_env import Rules, VectorEnv
from thousand_env.agents import Agent, BatchAgent
from thousand_env.evaluation import MatchReport, Report, duplicate, matches

Floats = npt.NDArray[np.float64]

MOST_DECISIONS: Final = 20_000
"""Of one match: what takes longer counts as a match without a winner."""
_SCALE: Final = 6
"""A multiple of every number of seats that an agent can have: means over seats are whole numbers of sixths, so that
equal agents come out at exactly 0."""
_NORMAL_95: Final = 1.959963984540054


@dataclass(frozen=True)
class Estimate:
    """A mean with its interval of 95 %, from so many independent deals or matches."""

    mean: float
    low: float
    high: float
    count: int


@dataclass(frozen=True)
class Standing:
    """How an agent does against another: points a deal, and share of matches won, None where a match is one deal."""

    opponent: str
    points: Estimate
    wins: Estimate | None

    def to_dict(self) -> dict[str, Any]:
        """All of it, for JSON."""
        return asdict(self)


def standing(agent: Agent, opponent: str, rules: Rules, deals: int, games: int, seed: int) -> Standing:
    """Measure an agent in ``deals`` deals and ``games`` matches, 2 or more, each in all mixed seatings.

    Streams of random numbers other than the agents' own are left as they were.
    """
    with undisturbed():
        other = baselines.load(opponent)
        points = deal_differences(agent, other, rules, deals, seed)
        wins = None if rules.max_deals == 1 else match_shares(agent, other, rules, games, seed)
    return Standing(opponent, estimate(points), None if wins is None else _share(wins))


def deal_differences(agent: Agent, other: Agent, rules: Rules, deals: int, seed: int) -> Floats:
    """Points float64 ``[deals]``: mean change of score of the agent's seats minus that of the other's."""
    if not (isinstance(agent, BatchAgent) and isinstance(other, BatchAgent)):
        return _unstopped(duplicate(agent, other, deals=deals, rules=rules, seed=seed, workers=1))
    owners, changes, _ = _play(agent, other, rules, "deal", deals, seed)
    points = np.rint(100 * changes).astype(np.int64)  # [S, deals, n]
    weights = np.where(owners, _SCALE // owners.sum(1, keepdims=True), -(_SCALE // (~owners).sum(1, keepdims=True)))
    return np.asarray((points * weights[:, None]).sum((0, 2)) / (_SCALE * len(owners)), np.float64)


def match_shares(agent: Agent, other: Agent, rules: Rules, games: int, seed: int) -> Floats:
    """Shares float64 ``[games]`` of the wins of each match seed; one without a winner is shared by seats."""
    if not (isinstance(agent, BatchAgent) and isinstance(other, BatchAgent)):
        return _unstopped(matches(agent, other, matches=games, rules=rules, seed=seed, workers=1))
    owners, _, winners = _play(agent, other, rules, "match", games, seed)
    won = np.take_along_axis(owners, np.maximum(winners, 0), 1)
    shared = np.broadcast_to(owners.mean(-1)[:, None], winners.shape)
    return np.asarray(np.where(winners >= 0, won, shared).mean(0), np.float64)


def estimate(values: Floats) -> Estimate:
    """Mean and interval of independent values."""
    mean = float(values.mean())
    half = _NORMAL_95 * float(values.std(ddof=1)) / math.sqrt(len(values))
    return Estimate(mean, mean - half, mean + half, len(values))


def _share(values: Floats) -> Estimate:
    found = estimate(values)
    return Estimate(found.mean, max(found.low, 0.0), min(found.high, 1.0), found.count)


def _play(
    agent: BatchAgent, other: BatchAgent, rules: Rules, episode: str, count: int, seed: int
) -> tuple[npt.NDArray[np.bool_], Floats, npt.NDArray[np.int64]]:
    """Play ``count`` episodes in all S mixed seatings.

    Gives bool ``[S, n]``, where the agent sits; returns ``[S, count, n]``, 1 is 100 points; winners ``[S, count]``.
    """
    agent.reset(seed)
    other.reset(seed)
    players = rules.players
    owners = np.array([each for each in itertools.product((True, False), repeat=players) if len(set(each)) == 2])
    tables = [VectorEnv(count, rules, episode, "score", seed, skip_forced=True) for _ in owners]
    batches = [table.reset() for table in tables]
    returns = np.zeros((len(owners), count, players))
    winners = np.full((len(owners), count), -1, np.int64)
    live = np.ones((len(owners), count), np.bool_)
    for _ in range(MOST_DECISIONS):
        going = np.flatnonzero(live.any(1))
        if not len(going):
            break
        # An episode that is over is followed by another, in which anything legal will do.
        actions = {s: batches[s].action_mask.argmax(1) for s in going}
        for player, is_agent in ((agent, True), (other, False)):
            rows = {s: np.flatnonzero(live[s] & (owners[s][batches[s].seat] == is_agent)) for s in going}
            if not any(map(len, rows.values())):
                continue
            observation = np.concatenate([batches[s].observation[rows[s]] for s in going])
            mask = np.concatenate([batches[s].action_mask[rows[s]] for s in going])
            chosen = player.act_batch(observation, mask)
            ends = np.cumsum([len(rows[s]) for s in going])
            for s, part in zip(going, np.split(chosen, ends[:-1]), strict=True):
                actions[s][rows[s]] = part
        for s in going:
            batches[s] = batch = tables[s].step(actions[s])
            first = live[s, batch.final_index]
            ended = batch.final_index[first]
            returns[s, ended] = batch.episode_return[first]
            winners[s, ended] = batch.winner[first]
            live[s, ended] = False
    return owners, returns, winners


def _unstopped(report: Report | MatchReport) -> Floats:
    """What each deal or match gave. The evaluation takes signals itself, and gives what it has: here they go on."""
    if report.stopped is not None:
        raise KeyboardInterrupt(report.stopped)
    return report.differences


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Put the global streams of random numbers back afterwards: what is measured, and when, changes no training."""
    python, numpy = random.getstate(), np.random.get_state()
    devices = [torch.cuda.current_device()] if torch.cuda.is_initialized() else []  # type: ignore[no-untyped-call]
    try:
        with torch.random.fork_rng(devices):
            yield
    finally:
        random.setstate(python)
        np.random.set_state(numpy)
