"""Exact play with all cards open, under every rule option, from any position of the play or of the exchange.

=========================================  =========================================================================
``action_values(game)``, ``_batch``        what each legal action is worth
``value(game)``, ``values_batch``          the declarer's points with best play
``makes(game, N)``, ``makes_batch``        whether he gets N, much cheaper
``best_gifts(game)``, ``_batch``           the best way to finish the exchange
``gifts_make(game, N)``, ``_batch``        a way that makes N, or None
``gift_ways``, ``gift_values``,            all ways, and for many games what each is worth or whether it makes N
``gift_makes``
=========================================  =========================================================================

The declarer plays against all others together, for his raw points of the deal; ``objective="own"`` lets each seat play
for itself. All take a ``Game``: an agent asks about worlds that it has sampled from its ``View``. Batches run in
threads without Python's lock. ``search`` says how it works, ``bounds`` and ``moves`` what is pruned.
"""

from __future__ import annotations

from thousand_env.solver.gifts import (
    Gifts,
    best_gifts,
    best_gifts_batch,
    gift_makes,
    gift_values,
    gift_ways,
    gifts_make,
    gifts_make_batch,
)
from thousand_env.solver.play import (
    OBJECTIVES,
    action_values,
    action_values_batch,
    makes,
    makes_batch,
    value,
    values_batch,
)
from thousand_env.solver.workers import NO_VALUE, TABLE_BITS

__all__ = [
    "NO_VALUE",
    "OBJECTIVES",
    "TABLE_BITS",
    "Gifts",
    "action_values",
    "action_values_batch",
    "best_gifts",
    "best_gifts_batch",
    "gift_makes",
    "gift_values",
    "gift_ways",
    "gifts_make",
    "gifts_make_batch",
    "makes",
    "makes_batch",
    "value",
    "values_batch",
]
