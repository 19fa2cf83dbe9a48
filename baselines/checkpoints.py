"""Checkpoints: the state of a training run in one file, from which it goes on bit for bit.

A checkpoint is ``checkpoint.safetensors``, tensors by name, with everything else as JSON in its metadata. A copy of
that JSON beside it is for people and is never read. Files are written under another name and renamed, so that a run
that is killed leaves the checkpoint before. Nothing here knows an algorithm: a trainer puts its state together from the
parts below, each a pair of what saves and what loads::

    state = {**module_state("policy", policy), **optimizer_state("adam", adam), **env_state("games", env)}
    save_checkpoint(folder, state, {"decisions": decisions, "rng": rng_facts(rng)})

    state, facts = load_checkpoint(folder)
    load_module_state("policy", policy, state)
    load_optimizer_state("adam", adam, state)
    batch = load_env_state("games", env, state)
    restore_rng(rng, facts["rng"])

No pickles: tensors and JSON only.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn

from thousand_env import Batch, VectorEnv

CHECKPOINT: Final = "checkpoint.safetensors"
_KIND: Final = "thousand_env checkpoint 1"


class CheckpointError(ValueError):
    """A file that is no checkpoint, is damaged, or does not fit what it is loaded into."""


def save_checkpoint(folder: Path, state: Mapping[str, Tensor], facts: Mapping[str, Any]) -> None:
    """Write ``checkpoint.safetensors`` and ``checkpoint.json`` to a folder, which is made if need be.

    ``facts`` are plain values that JSON can hold; paths and NumPy scalars are written as texts and numbers.
    """
    folder.mkdir(parents=True, exist_ok=True)
    write_file(folder / CHECKPOINT, _KIND, state, facts)


def load_checkpoint(folder: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """State and facts of ``save_checkpoint``, tensors on the CPU.

    ``FileNotFoundError`` for a folder without a checkpoint, ``CheckpointError`` for one that is damaged.
    """
    return read_file(folder / CHECKPOINT, _KIND)


# Files of tensors and facts


def write_file(path: Path, kind: str, tensors: Mapping[str, Tensor], facts: Mapping[str, Any]) -> None:
    """Write tensors, with facts as JSON in the metadata, to ``path``, and the facts alone beside it as ``.json``.

    ``kind`` says what the file is and in which version. The metadata has a checksum of everything. ``ValueError`` for
    facts that JSON cannot hold.
    """
    kept = {
        name: tensor.detach().cpu().clone(memory_format=torch.contiguous_format) for name, tensor in tensors.items()
    }
    try:
        text = json.dumps(dict(facts), default=_plain)
    except (TypeError, ValueError) as error:
        raise ValueError(f"facts for {path.name!r} cannot be written as JSON: {error}") from None
    metadata = {"format": kind, "facts": text, "sha256": _checksum(kept, text)}
    replace_file(path, save(kept, metadata))
    readable = json.dumps({"format": kind, **json.loads(text)}, indent=2) + "\n"
    replace_file(path.with_suffix(".json"), readable.encode())


def read_file(path: Path, kind: str) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Tensors and facts of ``write_file``.

    ``FileNotFoundError`` if there is no such file, ``CheckpointError`` for one of another kind and for a damaged one.
    """
    if not path.exists():
        raise FileNotFoundError(f"{str(path)!r} does not exist")
    try:
        with safe_open(path, "pt") as file:
            metadata = file.metadata() or {}
            found = metadata.get("format", "")
            if found != kind:
                what = f"a file of {found!r}" if found else "not written by this package"
                raise CheckpointError(f"{str(path)!r} is {what}: it must be {kind!r}")
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118, it is no mapping
        text = metadata["facts"]
        facts = json.loads(text)
    except (SafetensorError, OSError, KeyError, json.JSONDecodeError, RecursionError) as error:
        raise CheckpointError(f"{str(path)!r} cannot be read, it is damaged or no safetensors file: {error}") from None
    if metadata.get("sha256") != _checksum(tensors, text):
        raise CheckpointError(f"{str(path)!r} is damaged: its checksum does not fit its contents")
    return tensors, facts


def _checksum(tensors: Mapping[str, Tensor], text: str) -> str:
    digest = hashlib.sha256(text.encode())
    for name in sorted(tensors):
        digest.update(f"{name} {tensors[name].dtype} {tuple(tensors[name].shape)}".encode())
        digest.update(tensors[name].reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()


def replace_file(path: Path, content: bytes) -> None:
    """Write a file under another name and rename it, so that ``path`` is the old one or the new one, whole."""
    partial = path.with_name(f"{path.name}.tmp")
    try:
        with partial.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def _plain(value: Any) -> Any:
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"{value!r:.80} is a {type(value).__name__}")


# Modules


def plain_module(module: nn.Module) -> nn.Module:
    """The module itself, without what ``torch.compile`` or ``DistributedDataParallel`` have put around it."""
    while True:
        inner = getattr(module, "_orig_mod", None)
        if inner is None and isinstance(module, nn.parallel.DistributedDataParallel):
            inner = module.module
        if not isinstance(inner, nn.Module):
            return module
        module = inner


def module_state(name: str, module: nn.Module) -> dict[str, Tensor]:
    """Weights and buffers of a module as ``name/...``."""
    return {f"{name}/{key}": tensor.detach() for key, tensor in plain_module(module).state_dict().items()}


def load_module_state(name: str, module: nn.Module, state: Mapping[str, Tensor]) -> None:
    """Put back what ``module_state`` gave. ``CheckpointError`` for another module, which then stays as it was."""
    inner = plain_module(module)
    given = _part(name, state)
    refusal = misfit(inner, given)
    if refusal:
        raise CheckpointError(f"the checkpoint does not fit {name!r}: {refusal}")
    inner.load_state_dict(given)


def misfit(module: nn.Module, given: Mapping[str, Tensor]) -> str:
    """Why tensors are not those of a module, the first reason in words; empty if they are."""
    own = module.state_dict()
    for key in own:
        if key not in given:
            return f"{key!r} is missing"
        if given[key].shape != own[key].shape or given[key].dtype != own[key].dtype:
            found, needed = (f"{each.dtype} {list(each.shape)}" for each in (given[key], own[key]))
            return f"{key!r} is {found}, it must be {needed}"
    unknown = [key for key in given if key not in own]
    return f"{unknown[0]!r} is not known" if unknown else ""


# Optimizers


def optimizer_state(name: str, optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """State of an optimizer as ``name/...``: tensors as they are, the rest as JSON in bytes."""
    found = optimizer.state_dict()
    tensors: dict[str, Tensor] = {}
    plain: dict[str, dict[str, Any]] = {}
    for index, values in found["state"].items():
        for key, value in values.items():
            if isinstance(value, Tensor):
                tensors[f"{name}/{index}/{key}"] = value.detach()
            else:
                plain.setdefault(str(index), {})[key] = value
    groups = [{key: _number(value) for key, value in group.items()} for group in found["param_groups"]]
    return {**tensors, f"{name}/facts": _as_bytes({"groups": groups, "values": plain})}


def load_optimizer_state(name: str, optimizer: torch.optim.Optimizer, state: Mapping[str, Tensor]) -> None:
    """Put back what ``optimizer_state`` gave, learning rates included.

    ``CheckpointError`` for the state of an optimizer of other parameters; this one then stays as it was.
    """
    given = _part(name, state)
    if "facts" not in given:
        raise CheckpointError(f"the checkpoint has no optimizer {name!r}")
    facts = _from_bytes(given.pop("facts"))
    parameters = [each for group in optimizer.param_groups for each in group["params"]]
    values: dict[int, dict[str, Any]] = {int(index): dict(found) for index, found in facts["values"].items()}
    for key, tensor in given.items():
        index, _, field = key.partition("/")
        place = int(index)
        if place >= len(parameters) or (tensor.dim() and tensor.shape != parameters[place].shape):
            raise CheckpointError(f"the checkpoint does not fit {name!r}: {key!r} is of shape {list(tensor.shape)}")
        values.setdefault(place, {})[field] = tensor
    if len(facts["groups"]) != len(optimizer.param_groups):
        how_many = f"{len(facts['groups'])} groups of parameters, not {len(optimizer.param_groups)}"
        raise CheckpointError(f"the checkpoint does not fit {name!r}: it has {how_many}")
    groups = [
        {key: tuple(value) if isinstance(own.get(key), tuple) else value for key, value in group.items()}
        for own, group in zip(optimizer.param_groups, facts["groups"], strict=True)
    ]
    try:
        optimizer.load_state_dict({"state": values, "param_groups": groups})
    except ValueError as error:
        raise CheckpointError(f"the checkpoint does not fit {name!r}: {error}") from None


def _number(value: Any) -> Any:
    return value.item() if isinstance(value, Tensor) else value


# Random numbers


def rng_facts(rng: np.random.Generator) -> dict[str, Any]:
    """State of a NumPy generator as plain values for ``facts``."""
    facts: dict[str, Any] = json.loads(json.dumps(rng.bit_generator.state, default=_plain))
    return facts


def restore_rng(rng: np.random.Generator, facts: Mapping[str, Any]) -> None:
    """Put back what ``rng_facts`` gave. ``CheckpointError`` for the state of another kind of generator."""
    try:
        rng.bit_generator.state = dict(facts)
    except (TypeError, ValueError, KeyError) as error:
        raise CheckpointError(f"the checkpoint does not fit a {type(rng.bit_generator).__name__}: {error}") from None


def torch_rng_state(name: str, generator: torch.Generator) -> dict[str, Tensor]:
    """State of a torch generator as ``name``; ``torch.default_generator`` is the one that is used by default."""
    return {name: generator.get_state()}


def load_torch_rng_state(name: str, generator: torch.Generator, state: Mapping[str, Tensor]) -> None:
    """Put back what ``torch_rng_state`` gave."""
    if name not in state:
        raise CheckpointError(f"the checkpoint has no generator {name!r}")
    try:
        generator.set_state(state[name])
    except (RuntimeError, TypeError) as error:
        raise CheckpointError(f"the checkpoint does not fit generator {name!r}: {error}") from None


# Environments


def env_state(name: str, env: VectorEnv) -> dict[str, Tensor]:
    """The games of an environment as ``name/...``, see ``VectorEnv.save``."""
    return {f"{name}/{key}": torch.from_numpy(array) for key, array in env.save().items()}


def load_env_state(name: str, env: VectorEnv, state: Mapping[str, Tensor]) -> Batch:
    """Put back what ``env_state`` gave; the decisions that wait. ``ValueError`` as of ``VectorEnv.restore``."""
    return env.restore({key: tensor.cpu().numpy() for key, tensor in _part(name, state).items()})


def _part(name: str, state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {key.removeprefix(f"{name}/"): tensor for key, tensor in state.items() if key.startswith(f"{name}/")}


def _as_bytes(facts: Any) -> Tensor:
    return torch.frombuffer(bytearray(json.dumps(facts, default=_plain).encode()), dtype=torch.uint8)


def _from_bytes(tensor: Tensor) -> Any:
    return json.loads(tensor.cpu().numpy().tobytes())
