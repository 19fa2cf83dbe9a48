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
import sys
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from thousand_env import solver
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

    ``ValueError`` for anything else.
    """
    if control is None:
        return None
    if callable(control):
        function: Callable[[Game], Floats] = control
        return function
    if control == "solver":
        return open_card_values
    raise ValueError(f"control={control!r} is not accepted: use None, 'solver' or a function of a Game")


class ControlError(ValueError):
    """A control variate that fails, or gives something else than a number for each seat."""


def checked_values(control: Callable[[Game], Floats], game: Game) -> list[float]:
    """What a control variate says of a game; ``ControlError`` if that is no finite number for each seat."""
    try:
        given: Any = control(game)
    except Exception as error:
        raise ControlError(f"control has failed: {type(error).__name__}: {error}") from error
    try:
        values = np.asarray(given, np.float64)
    except (ValueError, TypeError):
        values = np.zeros(0)
    if values.shape != (game.rules.players,) or not np.isfinite(values).all():
        raise ControlError(
            f"control gave {given!r:.80}, which is not accepted: it must give {game.rules.players} finite numbers"
        )
    numbers: list[float] = values.tolist()
    return numbers


def is_named(control: Callable[[Game], Floats]) -> bool:
    """Whether a function is found again by its module and name, as no lambda and no partial is."""
    found: Any = sys.modules.get(getattr(control, "__module__", None) or "")
    for part in getattr(control, "__qualname__", "<unnamed>").split("."):
        found = getattr(found, part, None)
    return found is control


def control_name(control: Callable[[Game], Floats] | None) -> str | None:
    """What a control variate is called: ``module:name``, the solver's by its name alone."""
    if control is None or control is open_card_values:
        return None if control is None else open_card_values.__name__
    name = getattr(control, "__qualname__", type(control).__name__)
    return f"{control.__module__}:{name}" if is_named(control) else name


def open_card_values(game: Game, best: Callable[[Game], float] | None = None) -> Floats:
    """What the dealt cards are worth to each seat as declarer, open and with the best gifts: points, float64 ``[n]``.

    ``best`` gives the declarer's points in a game in its exchange, None for the solver. A dealer who sits out gets the
    mean of the others, so that a seat's expectation is the same for all.
    """
    points = best or (lambda exchange: float(solver.best_gifts(exchange).value))
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
