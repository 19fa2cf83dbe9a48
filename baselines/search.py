"""``SearchAgent``: a trained network inside perfect-information Monte Carlo, for every phase.

``baselines.pimc`` draws worlds by the cards, tries every action in them and has the heuristic and the open-card solver
say how it ends. Here a network takes part wherever it knows better:

1. *Which worlds*: those in which it would have bid and played as the others did (``search_policy.draw``).
2. *Which actions*: those it thinks possible; what it is sure of is played at once, which is most of what there is.
3. *How it ends*: it plays on itself for all seats, all worlds and actions in lockstep, so that a network call has
   hundreds of rows. The solver's open-card values are mixed in as in ``pimc``, and the heuristic's play-outs if wanted.
4. *What that is worth*: the chance to win the match from the score sheet that comes of it, where that can be told.

The network is always asked as in an episode of one deal, for that is what learners are trained in.

Values are means over few worlds. An action that the network thinks less likely must therefore be better by more than
chance would have it: by ``prior`` standard errors for every factor e of probability.

Sources: policy and search as in AlphaGo (Silver et al., *Nature* 2016), whose network also proposes and judges moves,
with sampled worlds in place of a tree; play-outs by a policy are Tesauro and Galperin's (1997); inference by policy is
that of Rebstock et al. (2019). See ``pimc`` for the rest.
"""

from __future__ import annotations

import copy
import os
import time
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from baselines import load
from baselines.equity import Equity
from baselines.heuristic import KNOBS
from baselines.learned import NetworkAgent
from baselines.pimc_ways import open_cards
from baselines.pimc_worth import Worth
from baselines.playouts import OVER, PLAY, play_out
from baselines.search_options import number, one_of, whole
from baselines.search_policy import Floats, Ints, Policy, draw
from baselines.search_ways import Ways, candidates, play_on
from baselines.search_worth import UTILITIES, utility_of
from baselines.warm_up import warm_up
from thousand_env import NUM_ACTIONS, Game, View, solver
from thousand_env.compiled import STATE_DTYPE, rules_record

SEARCHED: Final = ("auction", "exchange", "raise", "play")
"""Phases in which it can search; in the others it does what the network says."""


class Shares(NamedTuple):
    """Of each source in the value of an action; what is left is the network's play-outs'."""

    solver: float
    heuristic: float


SHARES: Final = {
    "auction": Shares(0.0, 0.0),
    "exchange": Shares(0.4, 0.0),
    "raise": Shares(0.4, 0.0),
    "play": Shares(0.5, 0.0),
}


class SearchAgent:
    """A network inside perfect-information Monte Carlo, see the module.

    ``network``: the name or the path of a learned agent as ``baselines.load`` takes it, such an agent, or a
    ``PolicyNet``. All other options by keyword; ``ValueError`` for values that are not accepted:

    - ``worlds``: in which the deal is played on after each action;
    - ``solved``: how many of them the open-card solver is asked about, too;
    - ``pool``: worlds drawn by the cards alone for each one that is kept;
    - ``trust``: the power that the network's chances are taken to when worlds are weighed; 0: not weighed;
    - ``least``, ``most``: an action is searched if the network takes it with a chance of at least ``least``, and at
      most ``most`` of them are;
    - ``sure``: an action with at least this chance is played at once;
    - ``prior``: standard errors by which an action must be better for every factor e that it is less likely;
    - ``solver``, ``heuristic``: shares of the value that are the solver's and the heuristic's play-outs'; the rest is
      the network's. None for ``SHARES`` of the phase;
    - ``drawn``: the network's play-outs draw their actions instead of taking the most likely;
    - ``phases``: those that are searched, joined by ``+``; in the others the network's most likely action is played;
    - ``utility``: what is maximised, ``"points"``, ``"score"``, ``"match"``, ``"equity"``, or ``"auto"``, which chooses
      between score and equity by the rules (``baselines.search_worth``);
    - ``equity``: an ``Equity`` of the rules that are played; None for the one that comes with this package, or, for
      rules of which there is none, one fitted at the first decision, which takes half a minute;
    - ``seconds``: None, or a time for each decision that is searched: rounds of ``worlds`` worlds go on until it is
      used up, at least one. What the agent does then depends on the speed of the machine;
    - ``seed``: as of ``reset``.

    Without ``seconds`` it does the same after the same ``reset(seed)`` on the same machine.
    """

    def __init__(
        self,
        network: str | os.PathLike[str] | NetworkAgent | nn.Module = "distill",
        *,
        worlds: int = 48,
        solved: int = 20,
        pool: int = 3,
        trust: float = 1.0,
        least: float = 0.01,
        most: int = 8,
        sure: float = 0.98,
        prior: float = 0.3,
        solver: float | None = None,
        heuristic: float | None = None,
        drawn: bool = False,
        phases: str = "+".join(SEARCHED),
        utility: str = "auto",
        equity: Equity | None = None,
        seconds: float | None = None,
        seed: int | None = None,
    ) -> None:
        self.worlds = whole("worlds", worlds, 1)
        self.solved = whole("solved", solved, 1)
        self.pool = whole("pool", pool, 1)
        self.trust = number("trust", trust, 0, 10)
        self.least = number("least", least, 0, 1)
        self.most = whole("most", most, 1)
        self.sure = number("sure", sure, 0, 2)
        self.prior = number("prior", prior, 0, 100)
        self.drawn = one_of("drawn", drawn, (False, True))
        self.phases = _phases(phases)
        self.utility = one_of("utility", utility, UTILITIES)
        self.seconds = None if seconds is None else number("seconds", seconds, 1e-6, 1e6)
        self.shares = {phase: _shares(usual, solver, heuristic) for phase, usual in SHARES.items()}
        self._policy = Policy(_network(network))
        self._equity = equity
        self.reset(seed)
        if self.seconds is not None:
            warm_up(copy.copy(self)._quick())

    def reset(self, seed: int | None = None) -> None:
        """Worlds are drawn anew from this seed; None draws one. ``ValueError`` for what is no whole number from 0."""
        if seed is not None and (isinstance(seed, bool) or not hasattr(seed, "__index__") or int(seed) < 0):
            raise ValueError(f"seed={seed!r} is not accepted: use a whole number from 0, or None for a random one")
        self._rng = np.random.default_rng(seed)

    def _quick(self) -> SearchAgent:
        self.worlds, self.sure, self.seconds = 1, 2.0, None
        self._rng = np.random.default_rng(0)
        return self

    def act(self, view: View) -> int:
        """The best legal action found. ``ValueError`` if the observer of the view is not to move."""
        legal = view.legal_actions()
        if not legal:
            raise ValueError(f"seat {view.observer} is not to move: there is no legal action")
        if len(legal) == 1:
            return legal[0]
        ways = candidates(view, self._policy, self.least, self.most)
        if view.phase not in self.phases or len(ways.actions) == 1 or ways.chances[0] >= self.sure:
            return int(ways.actions[0, 0])
        return int(ways.actions[self._best(view, ways), 0])

    def action_probabilities(self, view: View) -> Floats:
        """float64 ``[130]``: 1 for the action that ``act`` would choose now. Draws nothing from the random stream."""
        stream = self._rng.bit_generator.state
        try:
            action = self.act(view)
        finally:
            self._rng.bit_generator.state = stream
        probabilities = np.zeros(NUM_ACTIONS)
        probabilities[action] = 1
        return probabilities

    def _best(self, view: View, ways: Ways) -> int:
        """The place of the best way."""
        start = time.monotonic()
        means, variances = self._values(view, ways)
        if self.seconds is not None:
            rounds, begun = 1, start
            while 2 * time.monotonic() - begun < start + self.seconds:  # if the next takes as long as the last
                begun = time.monotonic()
                found = self._values(view, ways)
                means, variances = means + found[0], variances + found[1]
                rounds += 1
            means, variances = means / rounds, variances / rounds**2
        doubts = np.log(np.maximum(ways.chances, 1e-9) / ways.chances[0])
        return int((means + self.prior * np.sqrt(variances) * doubts).argmax())

    def _values(self, view: View, ways: Ways) -> tuple[Floats, Floats]:
        """For each way, by worlds drawn now: its mean less that of the likeliest way, and the variance of that."""
        states = draw(view, self._policy, self._rng, self.worlds, self.pool, self.trust)
        means, variances = np.zeros(len(ways.actions)), np.zeros(len(ways.actions))
        for share, utilities in self._answers(view, states, ways.actions):
            better = utilities - utilities[:, :1]
            means += share * better.mean(0)
            variances += share**2 * better.var(0) / len(better)
        return means, variances

    def _answers(self, view: View, states: npt.NDArray[Any], ways: Ints) -> Iterator[tuple[float, Floats]]:
        """Of each source its share, above 0, and utilities [W, A]."""
        worth = utility_of(view, self.utility, self._equity)
        shares = self.shares[view.phase]
        if sum(shares) < 1:
            generator = None
            if self.drawn:
                generator = torch.Generator().manual_seed(int(self._rng.integers(2**63)))
            futures = play_on(states, view.rules, ways, self._policy, generator)
            yield 1 - sum(shares), worth.of_futures(futures)
        if shares.heuristic > 0:
            yield shares.heuristic, worth.of_futures(by_heuristic(states, view, ways, OVER))
        if shares.solver > 0:
            evenly = np.linspace(0, len(states), min(self.solved, len(states)), endpoint=False).astype(np.int64)
            yield shares.solver, self._solved(view, worth, states[evenly], ways)

    def _solved(self, view: View, worth: Worth, states: npt.NDArray[Any], ways: Ints) -> Floats:
        """Utilities [W, A] with open cards."""
        if view.phase != "play":
            return open_cards(view.rules, worth, by_heuristic(states, view, ways, PLAY))
        games = [Game.from_record(view.rules, state.tobytes()) for state in states]
        assert view.contract is not None
        assert view.declarer is not None
        points = solver.action_values_batch(games, threads=1)[:, ways[:, 0]]
        return worth.of_points(view.declarer, view.contract, points)


def by_heuristic(states: npt.NDArray[Any], view: View, ways: Ints, until: int) -> npt.NDArray[Any]:
    """As ``search_ways.play_on``, but the heuristic plays on, until the phase ``until`` at most."""
    futures = np.empty((len(states), len(ways)), STATE_DTYPE)
    play_out(states, rules_record(view.rules), KNOBS, ways, until, futures)
    return futures


def _network(given: str | os.PathLike[str] | NetworkAgent | nn.Module) -> nn.Module:
    if isinstance(given, nn.Module):
        return given
    agent = given if isinstance(given, NetworkAgent) else load(given)
    if not isinstance(agent, NetworkAgent):
        raise ValueError(f"network={given!r} is not accepted: a {type(agent).__name__} has no network")
    return agent.network


def _phases(given: str) -> tuple[str, ...]:
    names = tuple(given.split("+")) if isinstance(given, str) else ()
    if not names or not set(names) <= set(SEARCHED):
        raise ValueError(f"phases={given!r} is not accepted: use some of {', '.join(SEARCHED)}, joined by +")
    return names


def _shares(usual: Shares, solver: float | None, heuristic: float | None) -> Shares:
    """Those asked for; a share that is not is the usual one, or what the other leaves of the whole."""
    first = None if solver is None else number("solver", solver, 0, 1)
    second = None if heuristic is None else number("heuristic", heuristic, 0, 1)
    if (first or 0) + (second or 0) > 1:
        raise ValueError(f"solver={solver!r} and heuristic={heuristic!r} are shares of more than 1")
    return Shares(
        min(usual.solver, 1 - (second or 0)) if first is None else first,
        min(usual.heuristic, 1 - (first or 0)) if second is None else second,
    )
