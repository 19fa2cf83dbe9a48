"""Thousand (Тысяча, Tysiąc): the card game with an auction, a talon, marriages, and a match to 1000.

``env()`` is the AEC environment with PettingZoo's usual checks, ``raw_env()`` the one without them, ``parallel_env()``
a turn-based parallel view. Agents are ``player_0`` .. by seat; three play under most rules, two or four under others.
The agent to move is ``agent_selection``, and it often moves several times in a row: the declarer gives a card to each
opponent, may raise, and leads. With four players the dealer rests: it stays in ``agents`` and is not selected.

Example
-------
>>> from thousand_env import thousand_v0
>>> env = thousand_v0.env(rules="classic", episode="deal", reward="relative")
>>> env.reset(seed=42)
>>> for agent in env.agent_iter():
...     observation, reward, termination, truncation, info = env.last()
...     if termination or truncation:
...         action = None
...     else:
...         action = env.action_space(agent).sample(observation["action_mask"])
...     env.step(action)
>>> env.agents
[]
>>> env.close()

Keywords
--------
All three take the same, by name only; a wrong value raises ``ValueError`` that names it and what is accepted.

==================== =================================================================================================
``rules``            a ``Rules``, the name of a preset (``"classic"``, ``"modern"``, ``"polish"``, ..) or a dict of
                     options; ``None`` is ``Rules()``
``episode``          ``"match"``: deals until the target is reached; ``"deal"``: one scored deal
``reward``           ``"relative"``, ``"score"`` or ``"win"``, see below
``history``          True adds ``history`` to the observation: the actions of the deal, int16 ``[96]``
``illegal``          ``"terminate"``, ``"raise"`` or ``"penalty"``, see below; ``raw_env`` has ``"raise"`` by default,
                     the others ``"terminate"``
``flat_observation`` True: the observation is the vector alone, the mask is in the info; not with ``history``
``mask_in_info``     True: ``infos[agent]`` holds ``action_mask`` too, an array of its own, and nothing else
``render_mode``      None, ``"ansi"``, ``"rgb_array"`` or ``"human"``
``open_cards``       True: rendering shows all cards instead of those that the seat to act may know
==================== =================================================================================================

Actions
-------
``Discrete(130)``, the same numbers under all rules; ``thousand_env.action_name(action, rules)`` gives the text. Any
integer type is taken, truth values and floats are not.

| ids | action | text |
|---|---|---|
| 0 | pass; also "no": keep the contract, decline a redeal, look at the cards | `pass` |
| 1..65 | bid, dark bid, raise to `min_bid + bid_step * (id - 1)` | `bid 105` |
| 66..89 | part with card `id - 66`: a gift, or put aside | `give 9S` |
| 90..113 | play card `id - 90` | `play TH` |
| 114..121 | lead K or Q and declare the marriage: `114 + 2 * suit + (1 if K else 0)` | `marry KH` |
| 122..125 | lead the ace of suit `id - 122` and declare four aces | `aces AH` |
| 126 | concede | `concede` |
| 127 | ask for a redeal | `redeal` |
| 128, 129 | take talon A, B (two players) | `talon A` |

Cards are `6 * suit + rank` with suits `SCDH` and ranks `9JQKTA` from 0. A deal takes at most 98 actions, a match at
most 98 times `max_deals`.

Observations
------------
``Dict(observation=Box(-1, 1, (K,), float32), action_mask=Box(0, 1, (130,), int8))``. The mask is 1 for each legal
action of the agent to move. It is all zeros for every other agent and for all after the end: zeros mean "not your turn,
or over". ``observe(agent)`` is valid for every agent from the deal to the end, and each call gives new arrays. What an
agent sees is what its seat may know, from its own place: seat 0 of each piece is the observer, 1 the next clockwise.
The vector and its pieces have the same places under all rules; ``thousand_env.observation.decode`` gives every fact
back. A value is an integer divided by its scale.

{layout}

``state()`` is a float32 vector for centralised critics: the observation of seat 0 and all hidden cards after it;
``state(seat)`` the same as another seat sees it. It is valid after the end too.

Rewards
-------
Paid once, to all agents, in the step that ends a deal; ``last()`` gives what an agent has earned since its last step.
With ``d[i]`` the change of agent i's score by the deal and n agents:

- ``score``: ``d[i] / 100``
- ``relative``: ``(d[i] - sum(d[j] for j != i) / (n - 1)) / 100``; sums to zero
- ``win``: at the end of a match 1 for the winner and ``-1 / (n - 1)`` for each other. In a deal episode the same by the
  largest ``d``: ``1 / k`` for each of k agents that share it and ``-1 / (n - k)`` for each other, 0 if all share it. 0
  for all on truncation.

Illegal actions
---------------
- ``terminate``: the episode is over, -1 for the offender and 0 for the others, with the warning of PettingZoo's
  ``TerminateIllegalWrapper``. All agents are terminated; none is truncated.
- ``raise``: ``IllegalActionError`` says what is legal, and nothing has changed.
- ``penalty``: -1 for the offender, the position stays, and the same agent moves again.

What is no action at all (130, 1.5, True) raises ``AssertionError`` in ``env()`` and ``IllegalActionError`` in
``raw_env()``.

End of an episode
-----------------
All agents end in the same step. ``terminations`` are True when the match is won, or in a deal episode when the deal has
been scored; ``truncations`` when ``max_deals`` cut the match off. After that each agent takes one step with ``None``.
Under rules with redeals and few ``max_deals`` an episode can be over at once.

Reset
-----
``reset(seed=s)`` starts the first episode of that seed, ``reset()`` the next one: the e-th is
``Game(seed=episode_seed(s, e))``. ``options`` of a reset are for that episode alone: ``deal``, a dict with ``hands``
(one sequence of cards a seat) and ``talon``; ``scores``, ``bolts``, ``barrel`` by seat; ``dealer``. What cannot be
raises ``ValueError``, an unknown key is ignored with a warning.

Copies
------
``copy.deepcopy`` and ``pickle`` in the middle of a game give an environment that goes on identically.
``unwrapped.game`` is a copy of the game as a ``Game``, for agents that take a ``View``:
``env.unwrapped.game.view(seat)``.

Rendering
---------
``ansi`` gives a text, ``rgb_array`` a uint8 picture ``[H, W, 3]``, both of what the seat to act may know, or with
``open_cards`` of everything. ``human`` prints the text at each step, in place in a terminal. Pictures need Pillow,
``pip install 'thousand_env[picture]'``.

Parallel view
-------------
``parallel_env()`` steps with a dict of actions, of which only that of the agent to move counts. An idle agent's mask
allows action 0 alone, as do all masks after the end, so that samplers have something to sample.

Version history
---------------
- v0: the first version, observation layout 1.
"""

from __future__ import annotations

from typing import Unpack

import pettingzoo

from thousand_env.aec import ThousandEnv
from thousand_env.aec_checked import CheckedEnv
from thousand_env.observation import layout_table
from thousand_env.parallel import ThousandParallelEnv
from thousand_env.settings import Keywords

__all__ = ["env", "parallel_env", "raw_env"]

if __doc__ is not None:
    __doc__ = __doc__.replace("{layout}", layout_table())


raw_env = ThousandEnv
"""The AEC environment without the checks of ``env``; an illegal action raises by default."""


def env(**keywords: Unpack[Keywords]) -> CheckedEnv:
    """The AEC environment with order and actions checked; an illegal action ends the episode by default."""
    keywords.setdefault("illegal", "terminate")
    return CheckedEnv(ThousandEnv(**keywords))


def parallel_env(**keywords: Unpack[Keywords]) -> ThousandParallelEnv:
    """The turn-based parallel view; an illegal action of the agent to move ends the episode by default."""
    keywords.setdefault("illegal", "terminate")
    return ThousandParallelEnv(ThousandEnv(**keywords))


def _register() -> None:
    """Make the environments known to ``pettingzoo.make``, which came with PettingZoo 1.27."""
    if hasattr(pettingzoo, "register"):
        for kind, entry_point in (("aec", "thousand_env:env"), ("parallel", "thousand_env:parallel_env")):
            registry = pettingzoo.aec_registry if kind == "aec" else pettingzoo.parallel_registry
            if "thousand/thousand_v0" not in registry:
                pettingzoo.register(kind, "thousand/thousand_v0", entry_point)


_register()
