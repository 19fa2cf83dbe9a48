"""What a deal is worth to ``baselines.search``: the utilities of ``baselines.pimc_worth``, or match equity.

With ``"equity"`` the end of a deal is worth the chance to win the match that ``baselines.equity`` gives the seat on the
score sheet as it is then, in hundreds. ``"auto"`` is that under the rules of which an equity comes with the package,
those of ``classic``, and ``"score"`` under others.
"""

from __future__ import annotations

import functools
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from baselines.equity import Equity, equity_for, sheets_of_records
from baselines.pimc_worth import UTILITIES as POINT_UTILITIES
from baselines.pimc_worth import Floats, Worth
from thousand_env import Rules, View
from thousand_env.compiled import entry, rules_record, score_as_if, states_of

UTILITIES: Final = ("auto", *POINT_UTILITIES, "equity")


class EquityWorth(Worth):
    """The chance to win the match, times 100."""

    def __init__(self, view: View, equity: Equity) -> None:
        super().__init__(view, "match")
        self._equity = equity
        self._table = states_of([view.sample(np.random.default_rng(0))])
        """Any world: what it shows of the sheet and of the points so far is the same in all."""

    def of_futures(self, futures: npt.NDArray[Any], skill: int = 0) -> Floats:
        """See ``Worth``; ``skill`` is not used."""
        sheets = sheets_of_records(futures.reshape(-1), self._rules.players, next_deal=True)
        return 100 * self._equity.chances(sheets)[:, self._me].astype(np.float64).reshape(futures.shape)

    def of_points(self, declarer: int, contract: int, points: npt.NDArray[Any]) -> Floats:
        """See ``Worth``."""
        found, places = np.unique(np.maximum(points, 0), return_inverse=True)
        ends = np.repeat(self._table, len(found))
        ends["declarer"], ends["contract"] = declarer, contract
        _score_all(ends, rules_record(self._rules), found.astype(np.int64))
        return self.of_futures(ends)[places].reshape(np.shape(points))


@entry
def _score_all(states: Any, rules_records: Any, points: Any) -> None:
    for k in range(states.shape[0]):
        score_as_if(states[k], rules_records[0], points[k])


def utility_of(view: View, name: str, equity: Equity | None) -> Worth:
    """The utility of this name for the observer; without an ``equity`` that of the rules is taken, where needed."""
    if name == "auto":
        name = "equity" if equity is not None or view.rules == Rules() else "score"
    if name != "equity":
        return Worth(view, name)
    return EquityWorth(view, _equity_of(view.rules) if equity is None else equity)


_equity_of: Final = functools.lru_cache(maxsize=16)(equity_for)
