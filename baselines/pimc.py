"""``PimcAgent``: perfect-information Monte Carlo, mixed with play-outs, for every phase and every rule set.

A card player does not know the others' hands, but a program can deal them again and again. This agent draws complete
deals that agree with all that its seat has seen, asks in each of them what every action is worth, and takes the action
with the best mean. Two answers are mixed:

- *searched*: the open-card solver says what the declarer gets if from now on everybody sees all cards. It never misses
  a trick, but it lets everybody choose differently in each world, though nobody can tell worlds apart (*strategy
  fusion*): it never pays for information and never hides any.
- *played out*: the heuristic plays the world to its end, each seat from what it knows. It plays less well, but it does
  not cheat, and tells all that the score sheet needs: who of the defenders gets what, bolts, the barrel. It is 100
  times cheaper, so that many more worlds are played out than searched.

=========  ============================================================================================================
card play  both, half and half
exchange   every way to part with cards is played out in a few worlds and asked of the solver with the contract as a
           null window; the best few then in all worlds, and exactly
auction    the heuristic's. With ``bids="search"`` pass, the lowest bid, and the barrel contract are played out, the
           rest of the auction and the deal included; in own contracts this agent is taken to play better by ``SKILL``
           points. In duplicate deals this was no stronger: 1.1 points a deal less, give or take 2.3
raise      as the exchange; the same cards serve every level
=========  ============================================================================================================

On one core a deal costs a seat about 30 milliseconds for the play; both gifts cost 160, a searched bid 21. In duplicate
deals of ``classic`` the mixture beats play-outs alone by 5.3 points a deal (give or take 3.5), which the solver alone
does not (-2.8, give or take 3.4).

Worlds are weighted by how well they explain the others' bids (``baselines.playouts``). The other decisions (redeals,
dark bids, which talon) are the heuristic's.

Sources: perfect-information Monte Carlo was shown by Levy (1989) and Ginsberg (*GIB: Imperfect information in a
computationally challenging game*, JAIR 2001) in bridge; Buro, Long, Furtak and Sturtevant (IJCAI 2009) and Kupferschmid
and Helmert (2006) in skat; Long, Sturtevant, Buro and Furtak (AAAI 2010) say why it works in trick-taking games. The
option ``postpone`` is after Arjonilla, Saffidine and Cazenave (*Perfect information Monte Carlo with postponing
reasoning*, 2024). Play-outs by a policy in place of the solver are Tesauro and Galperin's (1997).
"""

from __future__ import annotations

import math
import time
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from baselines import pimc_ways
from baselines.heuristic import HeuristicAgent
from baselines.pimc_worth import UTILITIES, Floats, Worth
from baselines.playouts import PLAY, draw, play_on
from baselines.warm_up import warm_up
from thousand_env import NUM_ACTIONS, Game, View, solver

OBJECTIVES: Final = ("declarer", "own")
BIDS: Final = ("heuristic", "search")
MOST_WORLDS: Final = 10_000

SEARCHED: Final = {"play": 0.5, "exchange": 0.4, "raise": 0.4, "auction": 0.0}
"""The share of the solver's answer in the value of an action, by phase."""
PLAYED: Final = {"play": 1, "exchange": 2, "raise": 2, "auction": 10}
"""How many times ``worlds * playouts`` worlds are played out, by phase."""
SKILL: Final = 15
"""Points of a deal that this agent takes as declarer beyond what the heuristic does, for the auction."""


class PimcAgent:
    """Perfect-information Monte Carlo, see the module. Options, all by keyword; ``ValueError`` for other values:

    - ``worlds``: searched in each decision;
    - ``playouts``: worlds played out for each one searched (in the exchange 2 and in the auction 10 times as many);
      0 for the solver's answer alone;
    - ``seconds``: None, or a time for each decision: rounds of ``worlds`` worlds go on until it is used up, at least
      one. What the agent does then depends on the speed of the machine, and making it takes as long as its code takes
      to compile, so that no decision does;
    - ``objective``: what a defender has the solver maximise, minus the declarer's points together with his partner
      (``"declarer"``), or his own, each for himself (``"own"``);
    - ``postpone``: 1 to have the solver see all cards only from this seat's next decision on: this seat's choice there
      is then the same in all worlds that it could not tell apart;
    - ``utility``: what is maximised, ``"points"``, ``"score"`` or ``"match"`` (``baselines.pimc_worth``);
    - ``bids``: whether the auction is searched or the heuristic's;
    - ``exact_gifts``: to search all ways to part with cards exactly;
    - ``inference``: whether worlds are weighted by the auction;
    - ``seed``: as of ``reset``.

    Without ``seconds`` it does the same after the same ``reset(seed)``.
    """

    def __init__(
        self,
        *,
        worlds: int = 10,
        playouts: int = 8,
        seconds: float | None = None,
        objective: str = "declarer",
        postpone: int = 0,
        utility: str = "score",
        bids: str = "heuristic",
        exact_gifts: bool = False,
        inference: bool = True,
        seed: int | None = None,
    ) -> None:
        self.worlds = _whole("worlds", worlds, 1)
        self.playouts = _whole("playouts", playouts, 0)
        self.seconds = _seconds(seconds)
        self.objective = _one_of("objective", objective, OBJECTIVES)
        self.postpone = _one_of("postpone", postpone, (0, 1))
        self.utility = _one_of("utility", utility, UTILITIES)
        self.bids = _one_of("bids", bids, BIDS)
        self.exact_gifts = _one_of("exact_gifts", exact_gifts, (False, True))
        self.inference = _one_of("inference", inference, (False, True))
        self._heuristic = HeuristicAgent()
        self.reset(seed)
        if self.seconds is not None:
            warm_up(PimcAgent(worlds=1, playouts=1, bids="search", seed=0))

    def reset(self, seed: int | None = None) -> None:
        """Worlds are drawn anew from this seed; None draws one. ``ValueError`` for what is no whole number from 0."""
        if seed is not None and (isinstance(seed, bool) or not hasattr(seed, "__index__") or int(seed) < 0):
            raise ValueError(f"seed={seed!r} is not accepted: use a whole number from 0, or None for a random one")
        self._rng = np.random.default_rng(seed)

    def act(self, view: View) -> int:
        """The best legal action found. ``ValueError`` if the observer of the view is not to move."""
        legal = view.legal_actions()
        if len(legal) == 1:
            return legal[0]
        if not legal or not self._thinks_about(view):
            return self._heuristic.act(view)
        ways = pimc_ways.candidates(view)
        if len(ways) == 1:
            return int(ways[0, 0])
        start = time.monotonic()
        if view.phase == "exchange" and not self.exact_gifts:
            ways = self._shortlist(view, ways)
        values = self._values(view, ways)
        if self.seconds is not None:
            rounds, begun = 1, start
            while 2 * time.monotonic() - begun < start + self.seconds:  # if the next takes as long as the last
                begun = time.monotonic()
                values += self._values(view, ways)
                rounds += 1
        return self._best(view, ways, values)

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

    def values(self, view: View) -> dict[int, float]:
        """What each action that is considered is worth, in the unit of the utility; drawn from the random stream.

        In the exchange it is that of the best way found that begins with the action. Empty where there is no choice
        and where the heuristic decides.
        """
        if len(view.legal_actions()) < 2 or not self._thinks_about(view):
            return {}
        ways = pimc_ways.candidates(view)
        found: dict[int, float] = {}
        for way, value in zip(ways[:, 0].tolist(), self._values(view, ways).tolist(), strict=True):
            found[way] = max(value, found.get(way, -math.inf))
        return found

    def _thinks_about(self, view: View) -> bool:
        return view.phase in SEARCHED and (view.phase != "auction" or self.bids == "search")

    def _best(self, view: View, ways: npt.NDArray[np.int64], values: Floats) -> int:
        """The first action of the best way; the heuristic's choice if that is as good as any."""
        ties = ways[values >= values.max() - 1e-9, 0]
        if len(ties) > 1:
            usual = self._heuristic.act(view)
            if usual in ties:
                return usual
        return int(ties[0])

    def _values(self, view: View, ways: npt.NDArray[np.int64]) -> Floats:
        """Mean utility of each way over worlds that are drawn now."""
        phase = view.phase
        count = self.worlds * max(1, self.playouts * PLAYED[phase])
        worlds = draw(view, self._rng, count, inference=self.inference)
        worth = Worth(view, self.utility)
        share = SEARCHED[phase] if self.playouts else 1.0
        values = np.zeros(len(ways))
        if share < 1:
            skill = SKILL if phase == "auction" else 0
            values += (1 - share) * worlds.weights @ worth.of_futures(play_on(worlds.games, view.rules, ways), skill)
        if share > 0:
            values += share * self._searched(view, worth, worlds.pick(self._rng, self.worlds), ways).mean(0)
        return values

    def _searched(self, view: View, worth: Worth, games: list[Game], ways: npt.NDArray[np.int64]) -> Floats:
        """Utilities ``[K, W]`` with open cards."""
        if view.phase != "play":
            if self.exact_gifts and view.phase == "exchange":
                return pimc_ways.exact_gifts(view, worth, games, ways)
            return pimc_ways.open_cards(view.rules, worth, play_on(games, view.rules, ways, PLAY))
        if self.postpone:
            return pimc_ways.postponed(view, worth, games, ways[:, 0], self._solved)
        return self._solved(view, worth, games)[:, ways[:, 0]]

    def _solved(self, view: View, worth: Worth, games: list[Game]) -> Floats:
        """Utilities ``[K, 130]`` of the actions in positions of the play in which the observer is to move."""
        if self.objective == "own" and view.observer != view.declarer:
            return solver.action_values_batch(games, "own", threads=1).astype(np.float64)
        points = solver.action_values_batch(games, threads=1)
        assert view.contract is not None
        assert view.declarer is not None
        return worth.of_points(view.declarer, view.contract, points)

    def _shortlist(self, view: View, ways: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The most promising ways to part with cards."""
        worlds = draw(view, self._rng, self.worlds * max(1, self.playouts), inference=self.inference)
        searched = worlds.pick(self._rng, self.worlds)
        worth = Worth(view, self.utility)
        return pimc_ways.shortlist(view, worth, worlds, searched, ways, SEARCHED["exchange"] if self.playouts else 1.0)


def _whole(name: str, value: Any, least: int) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__") or not least <= int(value) <= MOST_WORLDS:
        raise ValueError(f"{name}={value!r} is not accepted: use a whole number from {least} to {MOST_WORLDS}")
    return int(value)


def _seconds(value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < math.inf:
        raise ValueError(f"seconds={value!r} is not accepted: use None or a number above 0")
    return float(value)


def _one_of(name: str, value: Any, accepted: tuple[Any, ...]) -> Any:
    if not any(value == each and type(value) is type(each) for each in accepted):
        raise ValueError(f"{name}={value!r} is not accepted: use one of {', '.join(map(repr, accepted))}")
    return value
