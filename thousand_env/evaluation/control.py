"""A control variate: what luck with the cards explains of a difference is taken out, and its mean stays as it was.

For a game with given seats let c be the mean over A's seats minus the mean over the others' seats of what the dealt
cards are worth to each seat as declarer, all cards open. Who gets which cards does not depend on who sits where, so the
expectation of c is 0; in a match c is the sum over its deals, and it stays 0 however the match's length depends on the
deals before (a martingale stopped). Differences d become d - b·c. The coefficient b comes from the other half of the
units (even and odd ones), so that it does not know c, and the mean stays unbiased (cross-fitting; see Glynn and
Szechtman, Some new perspectives on the method of control variates, 2002).

With every seating of every deal c cancels within the deal, so that nothing is left to correct: it serves
``seatings="one"``, and matches.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from thousand_env.actions import FIRST_BID, PASS
from thousand_env.game import Game
from thousand_env.rules import Rules

Floats = npt.NDArray[np.float64]
_KEPT: Final = (
    "players",
    "ranks",
    "suits",
    "hand_size",
    "talon_size",
    "min_bid",
    "bid_step",
    "exchange",
    "two_player",
    "set_aside",
    "marriage_values",
    "marriage_gate",
    "marriage_declare",
    "marriage_needs_trick",
    "trump_effect",
    "ace_marriage",
    "ace_marriage_value",
    "must_beat",
    "beat_if_trumped",
    "must_trump",
    "must_overtrump",
)
"""Options that touch the cards after the auction."""


def card_values(control: Any) -> Callable[[Game], Floats] | None:
    """What ``control`` names: None, ``"solver"``, or a function of a game before its first decision -> float64 ``[n]``.

    ``ValueError`` for anything else, ``ImportError`` without the solver.
    """
    if control is None:
        return None
    if callable(control):
        function: Callable[[Game], Floats] = control
        return function
    if control == "solver":
        _solver()
        return open_card_values
    raise ValueError(f"control={control!r} is not accepted: use None, 'solver' or a function of a Game")


def open_card_values(game: Game, best: Callable[[Game], float] | None = None) -> Floats:
    """What the dealt cards are worth to each seat as declarer, open and with the best gifts: points, float64 ``[n]``.

    ``best`` gives the declarer's points in a game in its exchange, None for the solver. A dealer who sits out gets the
    mean of the others, so that a seat's expectation is the same for all.
    """
    points = best or (lambda exchange: float(_solver().best_gifts(exchange).value))
    hands, talons = game.dealt()
    rules = _bare_rules(game.rules)
    talon = talons if rules.players == 2 else talons[0]
    table = Game.from_deal(rules, hands, talon, game.dealer, episode="deal", seed=0)
    values = np.full(rules.players, np.nan)
    for seat in table.active_seats:
        values[seat] = max(map(points, _as_declarer(table, seat)))
    values[np.isnan(values)] = np.nanmean(values)
    return values


def _as_declarer(table: Game, declarer: int) -> list[Game]:
    """The exchange with a seat as declarer at the lowest bid; with two players one for each talon."""
    game = table.clone()
    while game.phase == "auction":
        game.apply(FIRST_BID if game.seat == declarer and game.bid is None else PASS)
    if game.phase != "talon":
        return [game]
    found = []
    for action in game.legal_actions():
        found.append(game.clone())
        found[-1].apply(action)
    return found


@functools.lru_cache(maxsize=64)
def _bare_rules(rules: Rules) -> Rules:
    """The same cards and tricks, where everybody may bid, or nobody, and no deal is void, dark or golden."""
    kept = {name: getattr(rules, name) for name in _KEPT}
    return Rules(**kept, opening="none", bid_cap="none", barrel=False, max_deals=None)


def _solver() -> Any:
    try:
        return importlib.import_module("thousand_env.solver")
    except ModuleNotFoundError:
        raise ImportError("control='solver' needs thousand_env.solver, which is missing in this version") from None


def adjusted(differences: Floats, control: Floats) -> tuple[Floats, tuple[float, float]]:
    """Differences float64 ``[units]`` less what the control ``[units]`` explains, and both coefficients."""
    even = np.arange(len(differences)) % 2 == 0
    out = differences.copy()
    coefficients = []
    for half in (even, ~even):
        slope = _slope(differences[~half], control[~half])
        out[half] -= slope * control[half]
        coefficients.append(slope)
    return out, (coefficients[0], coefficients[1])


def _slope(differences: Floats, control: Floats) -> float:
    """Least squares through the known mean 0 of the control."""
    spread = float(control @ control)
    return float((differences - differences.mean()) @ control) / spread if spread > 0 else 0.0
