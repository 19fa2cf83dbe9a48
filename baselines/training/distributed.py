"""Several processes that train one network, started by torchrun: they agree on gradients, on the end, on checkpoints.

Every process plays games of its own and makes the same updates. Messages go by gloo, which works on CPUs and, through
the host, on GPUs. Without torchrun there is one process, and every function here does nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import torch
import torch.distributed as dist
from torch import Tensor, nn

from baselines.training.errors import TrainingError

T = TypeVar("T")


def join() -> tuple[int, int, bool]:
    """Rank and number of processes as torchrun tells them, and whether the group of processes was made just now."""
    if "RANK" not in os.environ or "WORLD_SIZE" not in os.environ:
        return 0, 1, False
    if not dist.is_available():
        raise TrainingError("torchrun needs a torch with distributed: start one process without it")
    is_new = not dist.is_initialized()
    if is_new:
        dist.init_process_group("gloo")
    return dist.get_rank(), dist.get_world_size(), is_new


def leave() -> None:
    """End what ``join`` began."""
    dist.destroy_process_group()


def is_alone() -> bool:
    """Whether there is one process."""
    return not (dist.is_available() and dist.is_initialized() and dist.get_world_size() > 1)


def is_first() -> bool:
    """Whether this is the process that writes and shows."""
    return os.environ.get("RANK", "0") == "0"


@torch.no_grad()
def average_gradients(parameters: nn.Module | Iterable[nn.Parameter]) -> None:
    """Put the mean over all processes into the gradients of a module or of parameters; one message for all of them."""
    if is_alone():
        return
    given = parameters.parameters() if isinstance(parameters, nn.Module) else parameters
    gradients = [each.grad for each in given if each.grad is not None]
    if not gradients:
        return
    flat = torch.cat([each.reshape(-1) for each in gradients])
    dist.all_reduce(flat)
    flat /= dist.get_world_size()
    means = torch.split(flat, [each.numel() for each in gradients])
    for gradient, mean in zip(gradients, means, strict=True):
        gradient.copy_(mean.view_as(gradient))


@torch.no_grad()
def broadcast(module: nn.Module) -> None:
    """Give every process the parameters and buffers of the first."""
    if is_alone():
        return
    for tensor in (*module.parameters(), *module.buffers()):
        dist.broadcast(tensor, 0)


def most(values: Sequence[int]) -> list[int]:
    """The largest over all processes of each number, the same everywhere."""
    if is_alone():
        return list(values)
    tensor = torch.tensor(values, dtype=torch.int64)
    dist.all_reduce(tensor, dist.ReduceOp.MAX)
    return tensor.tolist()


def of_first(value: T) -> T:
    """What the first process has."""
    if is_alone():
        return value
    values: list[Any] = [value]
    dist.broadcast_object_list(values, 0)
    return values[0]


def gathered(state: dict[str, Tensor], facts: dict[str, Any]) -> tuple[dict[str, Tensor], list[dict[str, Any]]]:
    """The states of all processes as one, and their facts by rank; at other processes than the first, their own.

    Tensors of the process r > 0 are called ``rank{r}/NAME``; those that equal the first's are left out.
    """
    if is_alone():
        return state, [facts]
    on_host = {name: tensor.cpu() for name, tensor in state.items()}
    parts: list[Any] | None = [None] * dist.get_world_size() if dist.get_rank() == 0 else None
    dist.gather_object((on_host, facts), parts)
    if parts is None:
        return state, [facts]
    whole = dict(state)
    for rank, (tensors, _) in enumerate(parts[1:], 1):
        for name, tensor in tensors.items():
            if name not in on_host or not _same(tensor, on_host[name]):
                whole[f"rank{rank}/{name}"] = tensor
    return whole, [each for _, each in parts]


def scattered(state: dict[str, Tensor], rank: int) -> dict[str, Tensor]:
    """The part of a process in what ``gathered`` made."""
    own = f"rank{rank}/"
    common = {name: tensor for name, tensor in state.items() if not _is_of_a_rank(name)}
    return common | {name.removeprefix(own): tensor for name, tensor in state.items() if name.startswith(own)}


def _is_of_a_rank(name: str) -> bool:
    head, slash, _ = name.partition("/")
    return bool(slash) and head.startswith("rank") and head[4:].isdigit()


def _same(one: Tensor, other: Tensor) -> bool:
    return one.dtype == other.dtype and one.shape == other.shape and torch.equal(one, other)
