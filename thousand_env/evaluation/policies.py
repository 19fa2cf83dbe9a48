"""What plays a small game: agents and other sources of probabilities, asked once for every choice of a ``SmallGame``.

The answer is one number for each slot of the game, which is all that its walks need. Everything asked is checked here:
a source whose probabilities are no probabilities is refused with one error that says where.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from thousand_env import agents as agents_module
from thousand_env.actions import NUM_ACTIONS, action_name
from thousand_env.agents import Agent
from thousand_env.evaluation.small_game import Floats, Ints, SmallGame
from thousand_env.view import View

Policy: TypeAlias = str | Agent | Mapping[View, Any] | Callable[[View], Any] | npt.NDArray[Any]
"""Who plays: the name of an agent; an agent that has ``action_probabilities(view)``; a mapping from views, or a
function of a view, to probabilities ``[130]``; or an array ``[C, 130]`` of them for ``choices(seat)`` of the game in
their order (``choices()`` if it plays all seats), as a network gives them for ``observations(seat)``.
"""

Policies: TypeAlias = Policy | Sequence[Policy]
"""One policy for all seats, or a list or tuple of one for each."""

_NAMED: Final = 5
_TOLERANCE: Final = 1e-4
"""How far probabilities may be from summing to 1: those of a float32 softmax are; they are scaled to sum to 1."""
_CHUNK: Final = 4096


def joint_policy(game: SmallGame, agents: Policies) -> Floats:
    """The probability of each slot, float64 ``[slots]``, 1 for slot 0, when ``agents`` play.

    ``TypeError`` for what gives no probabilities, ``ValueError`` for such as are negative, not finite, do not sum to 1
    or allow illegal actions, and for the wrong number of agents.
    """
    slots = np.ones(game.num_slots)
    if isinstance(agents, list | tuple):
        if len(agents) != game.players:
            raise ValueError(f"{len(agents)} agents are given: give one for all seats, or {game.players}, one a seat")
        for seat, agent in enumerate(agents):
            _fill(slots, game, agent, game.choices(seat), f"agents[{seat}]")
    else:
        _fill(slots, game, agents, game.choices(), "agents")
    return slots


def _fill(slots: Floats, game: SmallGame, policy: Any, choices: Ints, where: str) -> None:
    """Write a policy's probabilities for some choices to their slots."""
    if isinstance(policy, np.ndarray):
        if policy.shape != (len(choices), NUM_ACTIONS):
            raise ValueError(
                f"{where} is an array {list(policy.shape)}: it must be [{len(choices)}, {NUM_ACTIONS}], "
                "a row for each of game.choices(seat)"
            )
        rows, name = policy, where
    else:
        ask, name = _source(policy, where)
        rows = None
    for begin in range(0, len(choices), _CHUNK):
        part = choices[begin : begin + _CHUNK]
        if rows is not None:
            table = np.asarray(rows[begin : begin + _CHUNK], np.float64)
        else:
            table = np.empty((len(part), NUM_ACTIONS))
            for row, choice in enumerate(part.tolist()):
                table[row] = _asked(ask, game.view(choice), name)
        _write(slots, game, part, table, name)


def _source(policy: Any, where: str) -> tuple[Callable[[View], Any], str]:
    """The function that gives probabilities, and how its owner is called in errors."""
    if isinstance(policy, str):
        agent: Any = agents_module.from_text(policy)
        agent.reset(0)
        name = repr(policy)
    else:
        agent, name = policy, f"{where} ({type(policy).__name__})"
    if hasattr(agent, "action_probabilities"):
        return agent.action_probabilities, f"agent {name}"
    if isinstance(agent, Mapping):
        return _look_up(agent), name
    if callable(agent) and not isinstance(agent, type):
        return agent, name
    raise TypeError(
        f"{name} gives no probabilities: use an agent that has action_probabilities(view), "
        "a mapping or a function from View to probabilities, or an array"
    )


def _look_up(table: Mapping[View, Any]) -> Callable[[View], Any]:
    def ask(view: View) -> Any:
        try:
            return table[view]
        except KeyError:
            raise ValueError(f"the mapping has no probabilities for {view!r}, events {view.events()}") from None

    return ask


def _asked(ask: Callable[[View], Any], view: View, name: str) -> Floats:
    answer = np.asarray(ask(view), np.float64)
    if answer.shape != (NUM_ACTIONS,):
        raise ValueError(f"{name} gives probabilities of shape {answer.shape}: they must be ({NUM_ACTIONS},)")
    return answer


def _write(slots: Floats, game: SmallGame, part: Ints, table: Floats, name: str) -> None:
    counts = game.choice_start[part + 1] - game.choice_start[part]
    rows = np.repeat(np.arange(len(part)), counts)
    first = np.cumsum(counts) - counts
    places = np.arange(len(rows)) - first[rows] + game.choice_start[part][rows]
    legal = table[rows, game.slot_action[places]]
    sums = np.bincount(rows, weights=legal, minlength=len(part))
    wrong = ~np.isfinite(table).all(axis=1) | (table < 0).any(axis=1)
    wrong |= (np.abs(table.sum(axis=1) - 1) > _TOLERANCE) | (np.abs(sums - 1) > _TOLERANCE)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(_complaint(game, int(part[row]), table[row], name))
    slots[places] = legal / sums[rows]


def _complaint(game: SmallGame, choice: int, answer: Floats, name: str) -> str:
    view = game.view(choice)
    given = np.flatnonzero(answer != 0).tolist()  # NaN is not 0
    first = sorted(given, key=lambda action: action in game.actions(choice))  # what is not legal comes first
    shown = ", ".join(f"{action_name(action, game.rules)}: {answer[action]:g}" for action in first[:_NAMED])
    more = f" and {len(first) - _NAMED} more" if len(first) > _NAMED else ""
    legal = ", ".join(action_name(action, game.rules) for action in game.actions(choice))
    return (
        f"{name} gives seat {view.observer} no probabilities: they must be at least 0, sum to 1 and be 0 for all but "
        f"the legal actions {legal}; it gave {shown or 'nothing'}{more} at {view!r}"
    )
