"""Agents made of a trained network, and the files that they are kept in.

A file is ``NAME.safetensors``: the weights, and as JSON in the metadata what they are of: algorithm, network, rules,
layout and whatever else the trainer tells. ``NAME.json`` beside it says the same for people. No training is done here.

A network plays every rule set, for the observation says the rules; ``rules`` are those that it was trained under.
``load_agent(path, rules=...)`` refuses a file that was trained under others.
"""

from __future__ import annotations

import importlib.resources
import os
from collections.abc import Mapping
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from baselines.checkpoints import CheckpointError, misfit, plain_module, read_file, write_file
from baselines.drawing import draw
from baselines.networks import ActionValueNet, PolicyNet, build, sample
from thousand_env import NUM_ACTIONS, Rules, View, __version__
from thousand_env.observation import LAYOUT_VERSION, OBSERVATION, encode, history

SUFFIX: Final = ".safetensors"
CARD: Final = ".md"
MODES: Final = ("greedy", "sample")
MOST_SEED: Final = 2**64
_KIND: Final = "thousand_env agent 1"


class WeightsError(ValueError):
    """A file that no agent can be made of: damaged, of another layout, of another network, or of other rules."""


class NetworkAgent:
    """A network that plays view by view.

    Args:
        network: a ``PolicyNet`` or an ``ActionValueNet``; put into evaluation mode and shared, not copied, so that it
            plays as it is trained.
        rules: those that it was trained under. It plays others too.
        mode: ``"greedy"`` takes the likeliest action, or the one of the highest value, the lowest id among equals;
            ``"sample"`` draws from the policy, which action values do not have.
        seed: of the draws, None for a random one.
        facts: what the file says of it.

    It is the class for networks that read the history, which no ``act_batch`` is given; see ``LearnedAgent``.
    """

    def __init__(
        self,
        network: nn.Module,
        rules: Rules,
        mode: str = "greedy",
        seed: int | None = None,
        facts: Mapping[str, Any] | None = None,
    ) -> None:
        plain = plain_module(network)
        if not isinstance(plain, PolicyNet | ActionValueNet):
            raise ValueError(f"a {type(plain).__name__} is no policy: use a PolicyNet or an ActionValueNet")
        if mode not in MODES:
            raise ValueError(f"mode={mode!r} is not accepted: use one of {', '.join(MODES)}")
        if mode == "sample" and isinstance(plain, ActionValueNet):
            raise ValueError("mode='sample' is not accepted: action values are no probabilities, use mode='greedy'")
        self.network: Final = plain
        self.rules: Final = rules
        self.mode: Final = mode
        self.facts: Final[dict[str, Any]] = dict(facts or {})
        self._reads_history = isinstance(plain, PolicyNet) and plain.needs_history
        self._generator = torch.Generator()
        self.reset(seed)

    def reset(self, seed: int | None = None) -> None:
        """Draw anew from ``seed``, None for a random one; nothing else is remembered."""
        if seed is None:
            self._generator.seed()
            return
        if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not 0 <= seed < MOST_SEED:
            raise ValueError(f"seed={seed!r} is not accepted: use a whole number from 0 to 2**64 - 1, or None")
        self._generator.manual_seed(int(seed))

    def act(self, view: View) -> int:
        """One of the legal actions. ``ValueError`` if the observer of the view is not to move."""
        legal = _legal(view)
        if len(legal) == 1:
            return legal[0]
        with torch.inference_mode():
            scores = self._scores(view)[legal]
            if self.mode == "greedy":
                return legal[int(scores.argmax())]
            return legal[int(sample(torch.log_softmax(scores, -1), self._generator))]

    def action_probabilities(self, view: View) -> npt.NDArray[np.float64]:
        """float64 ``[130]``: of the draw with ``"sample"``; 1 for what ``act`` chooses with ``"greedy"``.

        0 for what is not legal. ``ValueError`` as in ``act``.
        """
        probabilities = np.zeros(NUM_ACTIONS)
        if self.mode == "greedy":
            probabilities[self.act(view)] = 1
            return probabilities
        legal = _legal(view)
        with torch.inference_mode():
            probabilities[legal] = torch.softmax(self._scores(view)[legal].double(), -1).numpy()
        return probabilities

    def export_onnx(self, path: str | os.PathLike[str]) -> None:
        """Write the network as an ONNX model, see ``baselines.onnx_form``. It needs the package ``onnx``.

        ``ValueError`` for ``mode="sample"``, since the model says what a greedy agent does, and for a network that
        reads the history.
        """
        from baselines.onnx_form import write_onnx

        if self.mode != "greedy":
            raise ValueError(f"mode={self.mode!r} cannot be exported: the model says what a greedy agent does")
        write_onnx(self.network, Path(path), {"rules": self.rules.to_dict(), **self.facts})

    def _scores(self, view: View) -> Tensor:
        """Logits or values [130] on the CPU, of which only those of legal actions mean something."""
        network = self._ready()
        device = next(network.parameters()).device
        observation = torch.from_numpy(encode(view)).unsqueeze(0).to(device)
        if isinstance(network, ActionValueNet):
            mask = torch.from_numpy(view.action_mask()).unsqueeze(0).to(device)
            return network.all_values(observation, mask)[0].cpu()
        told = torch.from_numpy(history(view)).unsqueeze(0).to(device) if self._reads_history else None
        logits: Tensor = network(observation, told)
        return logits[0].float().cpu()

    def _ready(self) -> PolicyNet | ActionValueNet:
        """The network, in evaluation mode whatever a trainer has left it in."""
        if self.network.training:
            self.network.eval()
        return self.network


class LearnedAgent(NetworkAgent):
    """A ``NetworkAgent`` that plays many games at once too; ``ValueError`` for a network that reads the history."""

    def __init__(
        self,
        network: nn.Module,
        rules: Rules,
        mode: str = "greedy",
        seed: int | None = None,
        facts: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(network, rules, mode, seed, facts)
        if self._reads_history:
            raise ValueError("a network that reads the history cannot play from observations alone: use NetworkAgent")

    def act_batch(self, observation: npt.NDArray[Any], action_mask: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        """A legal action a row, int64 ``[N]``, from observations ``[N, K]`` and masks int8 ``[N, 130]``.

        Observations are float32, or the int8 integers of the layout. What ``act`` chooses from the views behind them,
        up to the rounding of matrix products. ``ValueError`` for other shapes and for a row without a legal action.
        """
        rows, mask = np.asarray(observation), np.asarray(action_mask)
        if mask.ndim != 2 or mask.shape[1] != NUM_ACTIONS:
            raise ValueError(f"action_mask has the shape {mask.shape}: it must be (N, {NUM_ACTIONS})")
        if rows.shape != (len(mask), OBSERVATION.size):
            raise ValueError(f"observation has the shape {rows.shape}: it must be {(len(mask), OBSERVATION.size)}")
        if rows.dtype.kind not in "biuf" or mask.dtype.kind not in "biu":
            raise ValueError(f"observation is {rows.dtype} and action_mask {mask.dtype}: use float32 or int8, and int8")
        if rows.dtype != np.int8:
            rows = np.asarray(rows, np.float32)
            if not np.isfinite(rows.sum()):
                raise ValueError("observation has numbers that are not finite: use what encode gives")
        network = self._ready()
        device = next(network.parameters()).device
        with torch.inference_mode():
            seen = _tensor(rows).to(device)
            if self.mode == "sample":
                return draw(network(seen), mask, self._generator)[0]
            allowed = _tensor(np.asarray(mask, np.int8)).to(device)
            if isinstance(network, ActionValueNet):
                chosen = network.all_values(seen, allowed).argmax(-1)
            else:
                chosen = network(seen).masked_fill_(allowed == 0, -torch.inf).argmax(-1)
        actions: npt.NDArray[np.int64] = chosen.cpu().numpy()
        refused = np.flatnonzero(mask[np.arange(len(mask)), actions] == 0)
        if len(refused):  # among no legal actions one that is not was chosen
            raise ValueError(f"rows {refused.tolist()} of action_mask have no legal action")
        return actions


def _tensor(array: npt.NDArray[Any]) -> Tensor:
    """The array itself as a tensor, which is only read; a copy of one that torch would warn of or cannot take."""
    plain = np.ascontiguousarray(array)
    return torch.from_numpy(plain if plain.flags.writeable else plain.copy())


def _legal(view: View) -> list[int]:
    legal = view.legal_actions() if view.seat == view.observer else []
    if not legal:
        raise ValueError(f"seat {view.observer} is not to move: there is no legal action")
    return legal


def agent_of(
    network: nn.Module,
    rules: Rules,
    mode: str = "greedy",
    seed: int | None = None,
    facts: Mapping[str, Any] | None = None,
) -> NetworkAgent:
    """The agent of a network: a ``LearnedAgent``, or one without ``act_batch`` for a network that reads the history."""
    plain = plain_module(network)
    reads_history = isinstance(plain, PolicyNet) and plain.needs_history
    return (NetworkAgent if reads_history else LearnedAgent)(plain, rules, mode, seed, facts)


# Files


def save_agent(path: Path, network: nn.Module, *, algorithm: str, rules: Rules, facts: Mapping[str, Any]) -> None:
    """Write ``PATH.safetensors`` and ``PATH.json``; the suffix may be given. Each is written whole or not at all.

    ``facts``: arguments, decisions, seed, seconds and the like, plain values as of ``save_checkpoint``. ``ValueError``
    for a network that is no ``PolicyNet`` or ``ActionValueNet``, or has weights that are not finite.
    """
    plain = plain_module(network)
    if not isinstance(plain, PolicyNet | ActionValueNet):
        raise ValueError(f"a {type(plain).__name__} is no policy: save a PolicyNet or an ActionValueNet")
    weights = plain.state_dict()
    if unusable := _not_finite(weights):
        raise ValueError(f"{unusable!r} has weights that are not finite: such a network cannot play")
    described = {
        "layout_version": LAYOUT_VERSION,
        "package_version": __version__,
        "algorithm": algorithm,
        "network": plain.description,
        "rules": rules.to_dict(),
        "facts": dict(facts),
    }
    path = Path(path)
    if path.suffix != SUFFIX:
        path = path.with_name(path.name + SUFFIX)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, _KIND, weights, described)


def load_agent(
    path: str | os.PathLike[str],
    *,
    mode: str = "greedy",
    seed: int | None = None,
    rules: Rules | Mapping[str, Any] | str | None = None,
) -> NetworkAgent:
    """The agent of a file of ``save_agent``, on the CPU; its ``facts`` are those of the file, as in its JSON.

    ``rules``, a ``Rules``, the name of a preset or a dict of options: refuse a file that was trained under others.
    ``FileNotFoundError`` for a file that does not exist; ``WeightsError`` for one of another format, layout, network or
    rules, and for one that is damaged; ``ValueError`` for options as of ``NetworkAgent``.
    """
    path = Path(path)
    try:
        weights, facts = read_file(path, _KIND)
    except CheckpointError as error:
        raise WeightsError(str(error)) from None
    where = f"agent {str(path)!r}"
    if not isinstance(facts, dict):
        raise WeightsError(f"{where} cannot be made: its facts are {facts!r:.60}, which describe nothing")
    if facts.get("layout_version") != LAYOUT_VERSION:
        layouts = f"layout version {facts.get('layout_version')!r}, this package has {LAYOUT_VERSION}"
        raise WeightsError(f"{where} sees {layouts}: train it anew, or use thousand_env {facts.get('package_version')}")
    try:
        trained_under = Rules.from_dict(facts["rules"])
        network = _network(facts["network"], weights)
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        raise WeightsError(f"{where} cannot be made: {error}") from None
    if rules is not None and (differing := _differences(trained_under, _as_rules(rules))):
        raise WeightsError(f"{where} was trained under other rules ({differing}): leave rules out to let it play them")
    return agent_of(network, trained_under, mode, seed, facts)


def load_named(
    name: str,
    *,
    mode: str = "greedy",
    seed: int | None = None,
    rules: Rules | Mapping[str, Any] | str | None = None,
) -> NetworkAgent:
    """The agent that comes with this package as ``weights/NAME.safetensors``; options and errors as of ``load_agent``.

    ``WeightsError`` for a name without a file. An entry point of such a name is ``functools.partial`` of this.
    """
    folder = weights_folder()
    file = folder / f"{name}{SUFFIX}"
    if not file.is_file():
        files = folder.iterdir() if folder.is_dir() else ()
        there = sorted(each.name.removesuffix(CARD) for each in files if each.name.endswith(CARD))
        known = f"there are {', '.join(there)}" if there else "there are none"
        raise WeightsError(f"no weights of {name!r} come with this package: {known}; or name a file *{SUFFIX}")
    with importlib.resources.as_file(file) as path:
        return load_agent(path, mode=mode, seed=seed, rules=rules)


def network_of(name_or_path: str) -> PolicyNet | ActionValueNet:
    """The network of an agent that comes with this package, by name, or of a file; errors as of ``load_agent``."""
    is_file = name_or_path.endswith(SUFFIX)
    return (load_agent(name_or_path) if is_file else load_named(name_or_path)).network


def weights_folder() -> Traversable:
    """Where the weights are that come with this package."""
    return importlib.resources.files("baselines") / "weights"


def _network(description: Any, weights: Mapping[str, Tensor]) -> nn.Module:
    """The network of a description with these weights; ``ValueError`` if they do not fit it."""
    if not isinstance(description, Mapping):
        raise ValueError(f"its network is {description!r}, which describes none")
    with torch.device("meta"):  # sizes are compared before any memory is taken
        outline = build(description)
    if not isinstance(outline, PolicyNet | ActionValueNet):
        raise ValueError(f"its network is {description!r}, which is no policy")
    if refusal := misfit(outline, weights):
        raise ValueError(f"its weights do not fit its network: {refusal}")
    if unusable := _not_finite(weights):
        raise ValueError(f"its weights {unusable!r} are not finite")
    with torch.random.fork_rng(devices=[]):  # loading an agent must not change what a training draws
        network = build(description)
    network.load_state_dict(dict(weights))
    return network.requires_grad_(False).eval()


def _not_finite(weights: Mapping[str, Tensor]) -> str:
    """The name of the first tensor with a number that is not finite, or nothing."""
    return next((name for name, each in weights.items() if not torch.isfinite(each).all()), "")


def _as_rules(rules: Rules | Mapping[str, Any] | str) -> Rules:
    if isinstance(rules, Rules):
        return rules
    return Rules.preset(rules) if isinstance(rules, str) else Rules.from_dict(rules)


def _differences(trained: Rules, asked: Rules) -> str:
    """``bid_step=5, not 10``, for each option that differs."""
    own, other = trained.to_dict(), asked.to_dict()
    return ", ".join(f"{name}={own[name]!r}, not {other[name]!r}" for name in own if own[name] != other[name])
