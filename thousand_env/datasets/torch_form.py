"""A data set as PyTorch wants it. The one module here that needs torch, which is imported when it is asked for."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from thousand_env.datasets.reading import Dataset


def rows(folder: Path, size: int, seed: int | None, columns: tuple[str, ...] | None, epoch: int = 0) -> Any:
    """An ``IterableDataset`` of batches: see ``Dataset.torch``. It can be pickled, as spawned workers need."""
    return _kind()(folder, size, seed, columns, epoch)


@functools.cache
def _kind() -> type:
    """The class, which needs torch for its base."""
    torch = importlib.import_module("torch")
    data = importlib.import_module("torch.utils.data")

    def __init__(self: Any, *options: Any) -> None:  # noqa: N807
        self.options = options

    def set_epoch(self: Any, epoch: int) -> None:
        """Which epoch the next iterations are of: each has another order."""
        self.options = (*self.options[:4], epoch)

    def __iter__(self: Any) -> Iterator[dict[str, Any]]:  # noqa: N807
        folder, size, seed, columns, epoch = self.options
        dataset = Dataset(folder)
        worker = data.get_worker_info()
        shards = range(dataset.num_shards)
        mine = shards if worker is None else shards[worker.id :: worker.num_workers]
        for batch in dataset.batches(size, seed=seed, epoch=epoch, columns=columns, shards=mine):
            yield {name: torch.from_numpy(array) for name, array in batch.items()}

    def __reduce__(self: Any) -> Any:  # noqa: N807
        return rows, self.options

    members = {each.__name__: each for each in (__init__, set_epoch, __iter__, __reduce__)}
    return type("Rows", (data.IterableDataset,), members)
