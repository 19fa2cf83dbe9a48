"""``Cast``: the agents of an evaluation, each with an instance of its own at every seat that it comes to sit at."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Sequence
from typing import Any, Final

from thousand_env.agents import Agent, from_text

FIXED_AGENT: Final = "heuristic"
"""The agent that bids, or plays the cards, for everybody where only the other phase is compared."""


class Cast:
    """Agents by number, and the fixed one behind them.

    ``given``: texts as of ``thousand_env.agents.from_text``, or ``Agent`` objects, which are copied for every seat. The
    same agent may be there twice: the second is then called ``greedy (2)``. Raises what ``from_text`` raises, and
    ``TypeError`` for what is neither.
    """

    def __init__(self, given: Sequence[Any], fixed: Any = FIXED_AGENT) -> None:
        self._sources: Final = [*given, fixed]
        self._instances: dict[tuple[int, int], Agent] = {}
        for number, source in enumerate(self._sources):
            if isinstance(source, type) or not isinstance(source, str | Agent):
                a_class = ", which is a class," if isinstance(source, type) else ""
                raise TypeError(
                    f"agent {source!r:.80}{a_class} is not accepted: use a name, 'name,key=value,...' or an Agent"
                )
            self.agent(number, 0)  # so that what does not exist is told before anything is played
        self.names: Final = _names([_label(source) for source in given])
        self.fixed_name: Final = _label(fixed)
        self.fixed: Final = len(given)

    def agent(self, number: int, seat: int) -> Agent:
        """The instance of an agent at a seat."""
        found = self._instances.get((number, seat))
        if found is None:
            source = self._sources[number]
            found = self._instances[number, seat] = _made(source)
        return found

    def name(self, number: int) -> str:
        """What an agent is called, the fixed one too."""
        return self.names[number] if number < self.fixed else self.fixed_name

    def check_pickles(self) -> None:
        """``ValueError`` naming the first agent that cannot be sent to another process."""
        for number, source in enumerate(self._sources):
            try:
                pickle.dumps(source)
            except Exception as error:
                reason = f"{type(error).__name__}: {error}"
                what = f"agent {self.name(number)!r} cannot be pickled ({reason})"
                raise ValueError(f"{what}: give it by name as module:Class, or use workers=1") from None

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_instances": {}}


def _made(source: Any) -> Agent:
    """An instance of its own; ``ValueError`` for an object that cannot be copied, or a class that ends the process."""
    if isinstance(source, str):
        try:
            return from_text(source)
        except SystemExit as error:
            raise ValueError(f"agent {source!r} cannot be made: it ends the process (SystemExit: {error})") from error
    try:
        agent: Agent = copy.deepcopy(source)
        return agent
    except Exception as error:
        what = f"agent {_label(source)!r} cannot be copied for every seat ({type(error).__name__}: {error})"
        raise ValueError(f"{what}: give it by name as module:Class, or give it __deepcopy__") from error


def _label(source: Any) -> str:
    return source if isinstance(source, str) else type(source).__name__


def _names(labels: Sequence[str]) -> tuple[str, ...]:
    """Labels made different from each other."""
    names: list[str] = []
    for label in labels:
        before = sum(label == each for each in labels[: len(names)])
        names.append(f"{label} ({before + 1})" if before else label)
    return tuple(names)
