"""Agents: what a player is to this package, and how one is found by name.

An agent gets a ``View``, never a ``Game``: what it knows is what its seat may know. This module holds the protocols and
the look-up through the entry-point group ``thousand_env.agents``. It is no home of agents and imports none: a package
that has one declares it, and it can be loaded wherever that package is installed::

    [project.entry-points."thousand_env.agents"]
    my_agent = "my_package.my_module:MyAgent"

An entry point names a class or another callable that takes keyword options and returns an ``Agent``.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from thousand_env.view import View

__all__ = ["ENTRY_POINT_GROUP", "Agent", "AgentWithProbabilities", "BatchAgent", "available", "load"]

ENTRY_POINT_GROUP: Final = "thousand_env.agents"


@runtime_checkable
class Agent(Protocol):
    """Whoever can choose an action. This is all that an agent must have; the two protocols below are optional."""

    def act(self, view: View) -> int:
        """The id of one of ``view.legal_actions()``; ``ValueError`` if the observer of the view is not to move."""
        ...

    def reset(self, seed: int | None = None) -> None:
        """Forget everything and start anew: with the same seed an agent then does the same; None draws a seed."""
        ...


@runtime_checkable
class AgentWithProbabilities(Agent, Protocol):
    """An agent that can say how likely it is to take each action. Optional."""

    def action_probabilities(self, view: View) -> npt.NDArray[np.float64]:
        """A new float64 array ``[130]`` that sums to 1 and is 0 for every action that is not legal.

        ``ValueError`` if the observer of the view is not to move.
        """
        ...


@runtime_checkable
class BatchAgent(Agent, Protocol):
    """An agent that can act in many games at once. Optional."""

    def act_batch(self, observation: npt.NDArray[Any], action_mask: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        """A legal action for each row, int64 ``[N]``, from observations ``[N, K]`` and action masks, int8 ``[N, 130]``.

        ``ValueError`` for arrays of other shapes and for a row without a legal action.
        """
        ...


def available() -> list[str]:
    """Names of the agents that are installed, in order. One whose extra is missing is named too."""
    return sorted(_entry_points())


def load(name: str, **options: Any) -> Agent:
    """A new agent by name, made with the given options.

    Raises ``ValueError`` for a name or an option that does not exist, saying what does; ``ImportError`` with one line
    on what to install for an agent whose extra is missing; ``TypeError`` for an entry point that gives no agent.
    Errors of the agent itself about the value of an option are passed on.
    """
    found = _entry_points()
    if name not in found:
        installed = f"choose one of {', '.join(sorted(found))}" if found else "none is installed"
        raise ValueError(f"agent {name!r} does not exist: {installed}")
    factory = _import(found[name])
    _check_options(name, factory, options)
    agent = factory(**options)
    if not isinstance(agent, Agent):
        raise TypeError(f"agent {name!r} ({found[name].value}) is no agent: {agent!r} lacks act(view) or reset(seed)")
    return agent


def _entry_points() -> dict[str, EntryPoint]:
    return {each.name: each for each in entry_points(group=ENTRY_POINT_GROUP)}


def _import(entry: EntryPoint) -> Callable[..., Any]:
    try:
        factory = entry.load()
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if not missing or missing == entry.module.partition(".")[0]:
            raise
        install = f"pip install '{_what_to_install(entry, missing)}'"
        raise ImportError(f"agent {entry.name!r} needs {missing}, which is missing: {install}") from error
    if not callable(factory):
        raise TypeError(f"agent {entry.name!r} ({entry.value}) is no agent: {factory!r} cannot be called")
    return factory  # type: ignore[no-any-return]


def _what_to_install(entry: EntryPoint, missing: str) -> str:
    """The extra of the agent's own package that brings a missing module, else the module."""
    if entry.dist is None:
        return missing
    for requirement in entry.dist.requires or ():
        package = re.match(r"[\w.-]+", requirement)
        extra = re.search(r"extra\s*==\s*['\"]([\w.-]+)['\"]", requirement)
        if package and extra and _plain(package[0]) == _plain(missing):
            return f"{entry.dist.name}[{extra[1]}]"
    return missing


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _check_options(name: str, factory: Callable[..., Any], options: dict[str, Any]) -> None:
    try:
        signature = inspect.signature(factory)
    except (ValueError, TypeError):
        return  # a callable that does not say what it takes: it has to complain itself
    try:
        signature.bind(**options)
    except TypeError as error:
        takes = [str(each) for each in signature.parameters.values() if each.kind is not each.POSITIONAL_ONLY]
        accepted = ", ".join(takes) if takes else "no options"
        refusal = f"options {options!r} of agent {name!r} are not accepted: {error}; it takes {accepted}"
        raise ValueError(refusal) from None
