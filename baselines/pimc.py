"""``PimcAgent``."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from baselines.heuristic import KNOBS, HeuristicAgent
from baselines.pimc_worth import UTILITIES, Worth
from baselines.playouts import OVER, PLAY, play_out, worth_as_dealt
from thousand_env import NUM_ACTIONS, Game, View, solver
from thousand_env.compiled import FIRST_BID, FIRST_GIVE, PASS, STATE_DTYPE, rules_record, states_of

PLAY_MIX = 0.5
GIFT_MIX = 0.5
BID_MIX = 0.3
SPREAD = 4


class PimcAgent:
    def __init__(self, *, worlds=10, seconds=None, objective="declarer", postpone=0, utility="score", exact_gifts=False,
                 mix=None, bid_mix=None, gift_mix=None, phases="agp", infer=True, shortlist=8, spread=None, seed=None) -> None:
        self.worlds = worlds
        self.objective = objective
        self.utility = utility
        self.exact_gifts = exact_gifts
        self.play_mix = PLAY_MIX if mix is None else mix
        self.bid_mix = BID_MIX if bid_mix is None else bid_mix
        self.gift_mix = GIFT_MIX if gift_mix is None else gift_mix
        self.phases = phases
        self.infer = infer
        self.spread = SPREAD if spread is None else spread
        self.shortlist = shortlist
        self._heuristic = HeuristicAgent()
        self.log = None
        self.times = {}
        self.reset(seed)

    def reset(self, seed=None):
        self._rng = np.random.default_rng(seed)

    def act(self, view: View) -> int:
        legal = view.legal_actions()
        if len(legal) == 1:
            return legal[0]
        phase = view.phase
        t = time.perf_counter()
        if phase == "play" and "p" in self.phases:
            a = self._play(view, legal)
        elif phase == "exchange" and "g" in self.phases:
            a = self._gifts(view, legal)
        elif phase == "auction" and "a" in self.phases:
            a = self._bid(view, legal)
        else:
            return self._heuristic.act(view)
        self.times.setdefault(phase, []).append(time.perf_counter() - t)
        return a

    def draw(self, view, count, spread):
        games = [view.sample(self._rng) for _ in range(count * spread)]
        states = states_of(games)
        weights = self._weights(view, states) if self.infer else np.full(len(games), 1 / len(games))
        places = np.searchsorted(np.cumsum(weights), (np.arange(count) + self._rng.random()) / count)
        places = np.minimum(places, len(games) - 1)
        return [games[p] for p in places], states, weights

    def _weights(self, view, states):
        n = view.rules.players
        worth = np.zeros((len(states), n))
        worth_as_dealt(states, rules_record(view.rules), worth)
        logw = np.zeros(len(states))
        rules = view.rules
        level = 0
        highest = {}
        for seat, action in view.events():
            if action is None or action >= FIRST_GIVE:
                break
            if action == PASS:
                need = max(level + rules.bid_step, rules.min_bid)
                if seat != view.observer and need <= 120:
                    logw += _log_chance((need + 5 - worth[:, seat]) / 12)
            else:
                level = rules.min_bid + rules.bid_step * (action - FIRST_BID)
                if level > rules.min_bid:
                    highest[seat] = level
        for seat, level in highest.items():
            if seat != view.observer:
                logw += _log_chance((worth[:, seat] - level - 5) / 12)
        w = np.exp(logw - logw.max())
        return w / w.sum()

    def _play(self, view, legal):
        actions = np.array(legal)
        mix = self.play_mix
        games, states, weights = self.draw(view, self.worlds, self.spread)
        worth = Worth(view, self.utility)
        values = np.zeros(len(legal))
        record = rules_record(view.rules)
        if mix < 1:
            futures = np.empty((len(states), len(legal)), STATE_DTYPE)
            play_out(states, record, KNOBS, actions[:, None], OVER, futures)
            values += (1 - mix) * (weights @ worth.of_futures(futures))
        if mix > 0:
            own = self.objective == "own" and view.observer != view.declarer
            points = solver.action_values_batch(games, "own" if own else "declarer", threads=1)[:, actions]
            u = points if own else worth.of_points(view.declarer, view.contract, points)
            values += mix * u.mean(0)
        return self._pick(view, actions, values)

    def _pick(self, view, actions, values):
        best = values.max()
        ties = actions[values >= best - 1e-6]
        if len(ties) > 1:
            a = self._heuristic.act(view)
            if a in ties:
                return a
        return int(ties[0])

    def _gifts(self, view, legal):
        games, states, weights = self.draw(view, self.worlds, 2)
        worth = Worth(view, self.utility)
        record = rules_record(view.rules)
        gifts = solver.gift_ways(games[0])
        width = max(map(len, gifts))
        others = [a for a in legal if not FIRST_GIVE <= a < FIRST_GIVE + 24]
        ways = np.array([w + (-1,) * (width - len(w)) for w in gifts] + [(a,) + (-1,) * (width - 1) for a in others])
        futures = np.empty((len(states), len(ways)), STATE_DTYPE)
        play_out(states, record, KNOBS, ways, OVER, futures)
        played = weights @ worth.of_futures(futures)
        n = len(gifts)
        mix = self.gift_mix
        if mix == 0:
            return int(ways[played.argmax(), 0])
        if self.exact_gifts:
            points = solver.gift_values(games, threads=1)
            exact = worth.of_points(view.declarer, view.contract, points).mean(0)
            values = (1 - mix) * played
            values[:n] += mix * exact
            values[n:] += mix * played[n:]
            return int(ways[values.argmax(), 0])
        made = solver.gift_makes(games, view.contract, threads=1).mean(0)
        high = worth.of_points(view.declarer, view.contract, np.array([view.contract + 20]))[0]
        low = worth.of_points(view.declarer, view.contract, np.array([view.contract - 20]))[0]
        rough = (1 - mix) * played[:n] + mix * (made * high + (1 - made) * low)
        short = np.argsort(-rough, kind="stable")[: self.shortlist]
        ends = np.empty((len(games), len(short)), STATE_DTYPE)
        play_out(states_of(games), record, KNOBS, ways[short], PLAY, ends)
        exact = self.exact(view, worth, ends).mean(0)
        values = (1 - mix) * played[short] + mix * exact
        if len(others) and played[n:].max() > values.max():
            return int(ways[n + played[n:].argmax(), 0])
        if self.log is not None:
            self.log.append(("gift", view.contract, exact[values.argmax()], played[short][values.argmax()], made[short][values.argmax()]))
        return int(ways[short[values.argmax()], 0])

    def exact(self, view, worth, ends):
        flat = ends.ravel()
        out = np.zeros(len(flat))
        play = np.flatnonzero(flat["phase"] == PLAY)
        over = np.flatnonzero(flat["phase"] != PLAY)
        if len(over):
            out[over] = worth.of_futures(flat[over])
        if len(play):
            g = [Game.from_record(view.rules, flat[i].tobytes()) for i in play]
            p = solver.values_batch(g, threads=1)
            for d in set(zip(flat["declarer"][play].tolist(), flat["contract"][play].tolist())):
                m = (flat["declarer"][play] == d[0]) & (flat["contract"][play] == d[1])
                out[play[m]] = worth.of_points(d[0], d[1], p[m])
        return out.reshape(ends.shape)

    def _bid(self, view, legal):
        record = rules_record(view.rules)
        rules = view.rules
        bids = [a for a in legal if a != PASS]
        cands = [a for a in legal if a == PASS] + bids[:1]
        barrel = FIRST_BID + (rules.barrel_contract - rules.min_bid) // rules.bid_step
        if rules.barrel and barrel in bids and barrel not in cands:
            cands.append(barrel)
        if len(cands) == 1:
            return cands[0]
        games, states, weights = self.draw(view, self.worlds, 2 * self.spread)
        worth = Worth(view, self.utility)
        ways = np.array(cands)[:, None]
        futures = np.empty((len(states), len(ways)), STATE_DTYPE)
        play_out(states, record, KNOBS, ways, OVER, futures)
        values = weights @ worth.of_futures(futures)
        mix = self.bid_mix
        if mix > 0:
            ends = np.empty((len(games), len(ways)), STATE_DTYPE)
            play_out(states_of(games), record, KNOBS, ways, PLAY, ends)
            values = (1 - mix) * values + mix * self.exact(view, worth, ends).mean(0)
        return self._pick(view, np.array(cands), values)


def _log_chance(z):
    return np.log(0.03 + 0.97 / (1 + np.exp(-1.7 * z)))
