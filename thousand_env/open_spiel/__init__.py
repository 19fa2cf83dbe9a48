"""Thousand as a game of OpenSpiel: importing this package registers ``"thousand"`` with pyspiel.

::

    import pyspiel
    import thousand_env.open_spiel

    game = pyspiel.load_game("thousand", {"rules": "mini2"})
    game = pyspiel.load_game("thousand(rules=modern,options=(target=1500,must_beat=True),episode=match)")

==============  =============  ===================================================================================
parameter       default        meaning
==============  =============  ===================================================================================
``rules``       ``"classic"``  the name of a preset
``options``     ``{}``         options of the rules that differ from the preset, by name; None is ``"none"``, and
                               ``marriage_values`` are ``{"S": 40, ...}``
``players``     ``0``          2, 3 or 4; 0: as ``rules`` and ``options`` say
``episode``     ``"deal"``     ``"deal"`` ends after one scored deal, ``"match"`` at the target
``reward``      ``"relative"`` ``"relative"``, ``"score"`` or ``"win"``: see ``Game.returns``; paid at the end
``dealer``      ``-1``         who deals first; -1: chance draws him
``keep_tree``   ``False``      nodes that were met are kept (about 1 KB each): for algorithms that walk the whole tree
                               of a small game again and again
==============  =============  ===================================================================================

*Chance* is explicit and exact. First it draws the dealer (n outcomes), then it goes through the deck, cards ascending,
and says of each whose it is: a seat, or with the outcomes from n on a talon. A place is as likely as it has room, so
that all deals are equally likely, and a deal is one path: ``mini2`` has 180 with each dealer. Every later deal of a
match is drawn in the same way, and so is the deal after one that was void.

*Actions* are the 130 ids of ``thousand_env.actions``.

*Information states*: the string tells all that the seat knows, and all that it has known in the earlier deals. The
tensor, float32 ``[692]``, is the observation, the seat one-hot and, as pairs (1 + relative seat) / 4 and
(1 + action) / 131, the history of the current deal; of earlier deals it has the score sheet alone.

*Observations*: the tensor is ``observation.encode``, float32 ``[496]``, the string what lies on the table. While cards
are dealt nothing is known, and tensors are zeros.

``state.resample_from_infostate(player, sampler)`` draws a state that the seat cannot tell from this one, uniformly over
the deals that agree with what it knows, so that OpenSpiel's search in Python needs nothing more; its C++ bots do not
reach methods of Python games. States are cloned, pickled and serialised as OpenSpiel does it; who reads them imports
this package first.

*Both ways*: ``state_from_view(game, view, sampler)`` makes such a state from a ``View``, so that a bot plays as one of
our agents. ``information_text(view)`` is the information state's string of a view in the first deal of an episode, so
that a table which OpenSpiel has made can be looked up.

*Speed*: a game in Python is slow for solvers that walk the tree many times. ``pyspiel.load_efg_game(export_efg(game))``
is the tree of a small game in C++, where an iteration of CFR on ``mini2`` takes a twentieth of the time.
"""

from __future__ import annotations

from thousand_env.missing import not_installed

try:
    import pyspiel
except ModuleNotFoundError as error:
    raise not_installed(error, "pyspiel", "pip install open_spiel") from None

from thousand_env.open_spiel.efg import export_efg
from thousand_env.open_spiel.game import GAME_TYPE, ThousandGame, ThousandState, state_from_view
from thousand_env.open_spiel.texts import information_text

__all__ = ["ThousandGame", "ThousandState", "export_efg", "information_text", "state_from_view"]

pyspiel.register_game(GAME_TYPE, ThousandGame)
