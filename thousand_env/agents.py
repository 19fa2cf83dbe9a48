"""Agents: what a player is to this package, and how one is found by name.

An agent gets a ``View``, never a ``Game``: what it knows is what its seat may know. This module holds the protocols and
the look-up by name. It is no home of agents and imports none. Your own agent is loaded as ``module:Class`` from
wherever Python finds the module, on the command line also from the current folder::

    load("my_module:MyAgent")
    thousand watch --agents my_module:MyAgent greedy greedy

A package gives its agent a name in the entry-point group ``thousand_env.agents``, under which it can be loaded wherever
that package is installed::

    [project.entry-points."thousand_env.agents"]
    my_agent = "my_package.my_module:MyAgent"

Either names a class or another callable that takes keyword options and returns an ``Agent``. Options can be written
behind a name, ``greedy,caution=10``, wherever agents are given as text (``from_text``).

An agent can be a file too, such as the weights of a trained network, ``runs/ppo.safetensors``. What reads files of an
ending is in the entry-point group ``thousand_env.agent_files``, by the ending without its dot: a callable that takes
the path and keyword options.
"""

from __future__ import annotations

import difflib
import functools
import importlib
import inspect
import json
import re
import traceback
from collections.abc import Callable, Iterable
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, Final, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from thousand_env.view import View

__all__ = [
    "ENTRY_POINT_GROUP",
    "FILE_GROUP",
    "Agent",
    "AgentWithProbabilities",
    "BatchAgent",
    "available",
    "file_endings",
    "from_text",
    "load",
    "names_a_class",
    "parse_text",
]

ENTRY_POINT_GROUP: Final = "thousand_env.agents"
FILE_GROUP: Final = "thousand_env.agent_files"


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
        """A legal action for each row, int64 ``[N]``, from observations and action masks, int8 ``[N, 130]``.

        Observations are float32 ``[N, K]``, as ``thousand_env.observation.encode`` gives them.

        ``ValueError`` for arrays of other shapes and for a row without a legal action.
        """
        ...


def available() -> list[str]:
    """Names of the agents that are installed, in order. One whose extra is missing is named too."""
    return sorted(_entry_points())


def file_endings() -> list[str]:
    """Endings of the files that agents can be read from, such as ``.safetensors``, in order."""
    return sorted(f".{ending}" for ending in _entry_points(FILE_GROUP))


def load(name: str, **options: Any) -> Agent:
    """A new agent by name, one of ``available()`` or ``module:Class``, or by the path of a file; with these options.

    What ends as one of ``file_endings()`` and is no name is a path.

    Raises ``ValueError`` for a name, a file, a module, a class or an option that does not exist, saying what does;
    ``ImportError`` with one line on what to install for an agent whose extra is missing, and for a module that fails
    when it is imported; ``TypeError`` for what gives no agent. Errors of the agent itself about the value of an option
    are passed on.
    """
    found = _entry_points()
    if name in found:
        factory, where = _import(found[name]), f" ({found[name].value})"
    elif names_a_class(name):
        factory, where = _import_own(name), ""
    elif isinstance(name, str) and (reader := _entry_points(FILE_GROUP).get(Path(name).suffix[1:])):
        if not Path(name).is_file():
            raise ValueError(f"agent {name!r} does not exist: there is no such file")
        factory, where = functools.partial(_import(reader, name), name), f" ({reader.value})"
    else:
        installed = f"choose one of {', '.join(sorted(found))}" if found else "none is installed"
        files = "".join(f", or a file *{ending}" for ending in file_endings())
        raise ValueError(
            f"agent {name!r} does not exist: {_hint(name, found)}{installed}, or module:Class for your own{files}"
        )
    _check_options(name, factory, options)
    agent = factory(**options)
    if not isinstance(agent, Agent):
        lacks = [call for call in ("act(view)", "reset(seed)") if not hasattr(agent, call.partition("(")[0])]
        raise TypeError(f"agent {name!r}{where} is no agent: {agent!r} lacks {' and '.join(lacks)}")
    return agent


def from_text(text: str) -> Agent:
    """A new agent from ``name`` or ``name,key=value,...``, or so from a file; errors as of ``parse_text``, ``load``."""
    name, options = parse_text(text)
    return load(name, **options)


_PYTHON_TO_JSON: Final = {"None": "null", "True": "true", "False": "false"}


def parse_text(text: str) -> tuple[str, dict[str, Any]]:
    """Name and options of ``name,key=value,...``: a value is a JSON literal, None, True, False, or the text itself.

    A comma begins another option where a name and ``=`` follow, so that lists and texts may have commas. ``ValueError``
    for anything else.

    >>> parse_text("greedy,caution=10")
    ('greedy', {'caution': 10})
    >>> parse_text("pimc,weights=[1,2],objective=own points")
    ('pimc', {'weights': [1, 2], 'objective': 'own points'})
    """
    if not isinstance(text, str):
        raise ValueError(f"agent {text!r} is no text: write name or name,key=value")
    name, *parts = re.split(r",(?=\s*[A-Za-z_]\w*\s*=)", text)
    options: dict[str, Any] = {}
    for part in parts:
        key, _, value = part.partition("=")
        key, value = key.strip(), value.strip()
        if key in options:
            raise ValueError(f"agent {text!r} has the option {key!r} twice: write name,key=value,...")
        try:
            options[key] = json.loads(_PYTHON_TO_JSON.get(value, value))
        except (ValueError, RecursionError):
            options[key] = value
    if not name.strip() or "," in name or "=" in name:
        raise ValueError(f"agent {text!r} is not understood: write name or name,key=value,...")
    return name.strip(), options


def names_a_class(name: object) -> bool:
    """Whether a name is written ``module:Class`` or ``package.module:Class``."""
    if not isinstance(name, str):
        return False
    module, _, attribute = name.partition(":")
    return all(part.isidentifier() for part in [*module.split("."), attribute])


def _hint(name: object, known: Iterable[str]) -> str:
    """``did you mean 'greedy'? `` for what is nearly a known name; case does not count."""
    names = {each.lower(): each for each in known}
    close = difflib.get_close_matches(str(name).lower(), names, 1)
    return f"did you mean {names[close[0]]!r}? " if close else ""


def _entry_points(group: str = ENTRY_POINT_GROUP) -> dict[str, EntryPoint]:
    return {each.name: each for each in entry_points(group=group)}


def _import(entry: EntryPoint, called: str = "") -> Callable[..., Any]:
    """What an entry point names; ``called`` is the agent in error messages if it is not the entry point's name."""
    called = called or entry.name
    try:
        factory = entry.load()
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if not missing or missing == entry.module.partition(".")[0]:
            raise
        install = f"pip install '{_what_to_install(entry, missing)}'"
        raise ImportError(f"agent {called!r} needs {missing}, which is missing: {install}") from error
    if not callable(factory):
        raise TypeError(f"agent {called!r} ({entry.value}) is no agent: {factory!r} cannot be called")
    return factory  # type: ignore[no-any-return]


def _import_own(name: str) -> Callable[..., Any]:
    """What ``module:Class`` names."""
    module_name, _, attribute = name.partition(":")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        missing = error.name or ""
        if missing and f"{module_name}.".startswith(f"{missing}."):
            how = f": write {module_name[:-3]}:{attribute}" if module_name.endswith(".py") else ""
            raise ValueError(f"agent {name!r} does not exist: there is no module {missing!r}{how}") from None
        raise ImportError(f"agent {name!r} needs {missing}, which is missing") from error
    except Exception as error:
        failed = f"{type(error).__name__}: {error}{_place(error)}"
        raise ImportError(f"agent {name!r}: its module cannot be imported: {failed}") from error
    try:
        factory = getattr(module, attribute)
    except AttributeError:
        hint = _hint(attribute, [each for each in vars(module) if not each.startswith("_")])
        what = f"there is no {attribute!r} in module {module_name!r}"
        raise ValueError(f"agent {name!r} does not exist: {what}{', ' if hint else ''}{hint.rstrip()}") from None
    if not callable(factory):
        raise TypeError(f"agent {name!r} is no agent: {factory!r:.80} cannot be called, name a class")
    return factory  # type: ignore[no-any-return]


def _place(error: Exception) -> str:
    """Where the import of a module failed; a syntax error says so itself."""
    frames = traceback.extract_tb(error.__traceback__)
    if isinstance(error, SyntaxError) or not frames or "importlib" in frames[-1].filename:
        return ""
    return f" ({frames[-1].filename}, line {frames[-1].lineno})"


def _what_to_install(entry: EntryPoint, missing: str) -> str:
    """The smallest extra of the agent's own package that brings a missing module, else the module."""
    if entry.dist is None:
        return missing
    extras: dict[str, list[str]] = {}
    for requirement in entry.dist.requires or ():
        package = re.match(r"[\w.-]+", requirement)
        extra = re.search(r"extra\s*==\s*['\"]([\w.-]+)['\"]", requirement)
        if package and extra:
            extras.setdefault(extra[1], []).append(_plain(package[0]))
    fitting = [extra for extra, packages in extras.items() if _plain(missing) in packages]
    return f"{entry.dist.name}[{min(fitting, key=lambda extra: len(extras[extra]))}]" if fitting else missing


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
        known = [each for each in signature.parameters.values() if each.kind is not each.POSITIONAL_ONLY]
        takes = [str(each.replace(annotation=each.empty)) for each in known]
        accepted = ", ".join(takes) if takes else "no options"
        unknown = next((option for option in options if option not in signature.parameters), "")
        hint = _hint(unknown, signature.parameters) if unknown else ""
        refusal = f"options {options!r} of agent {name!r} are not accepted: {error}; {hint}it takes {accepted}"
        raise ValueError(refusal) from None
