"""``Dataset``: a finished data set as arrays that are mapped into memory, and as shuffled batches."""

from __future__ import annotations

import importlib
import os
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from thousand_env.datasets.form import (
    COLUMNS,
    MANIFEST,
    SETTINGS,
    Arrays,
    DatasetError,
    check_sizes,
    is_shard,
    open_array,
    read_json,
    unpack_masks,
)
from thousand_env.keywords import flag, whole_number
from thousand_env.rules import Rules, RulesError
from thousand_env.seeding import check_seed

MIXED_SHARDS: Final = 8
"""Shards that are shuffled together: about half a gigabyte of them by default."""


class Dataset:
    """The rows in a folder that ``generate`` has finished; see ``thousand_env.datasets`` for the columns.

    ``len(data)`` is the number of rows, ``data[i]`` of an integer, a slice or an array of integers gives new arrays by
    column, ``data.shard(k)`` all of a shard without reading it. ``manifest`` says how it was made.

    Names, sizes and shapes are checked when the folder or a shard is opened, and ``verify()`` reads everything:
    ``DatasetError`` names what is foreign, unfinished or damaged.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder: Final = Path(folder)
        if not (self.folder / MANIFEST).exists():
            raise DatasetError(_why_none(self.folder))
        self.manifest: Final = read_json(self.folder / MANIFEST, "use another data set")
        shards = self.manifest.get("shards")
        if not isinstance(shards, list) or not all(is_shard(each, number) for number, each in enumerate(shards)):
            raise DatasetError(f"{str(self.folder / MANIFEST)!r} is damaged: it does not say what shards there are")
        self._shards: Final[list[dict[str, Any]]] = shards
        for facts in shards:
            check_sizes(self.folder, facts)
        try:
            self.rules: Final = Rules.from_dict(self.manifest["rules"])
            self._dtype: Final[str] = {"int8": "int8", "float32": "float32"}[self.manifest["dtype"]]
        except (KeyError, TypeError, RulesError) as error:
            raise DatasetError(f"{str(self.folder / MANIFEST)!r} is damaged: {error!r}") from None
        self._starts: Final = np.cumsum([0, *(facts["rows"] for facts in shards)])
        self._open: dict[int, Arrays] = {}

    def __len__(self) -> int:
        return int(self._starts[-1])

    @property
    def num_shards(self) -> int:
        """How many shards there are."""
        return len(self._shards)

    def shard(self, number: int) -> Arrays:
        """All columns of a shard, read-only and mapped into memory; the masks as bits, see ``unpack_masks``."""
        place = range(self.num_shards)[number]
        if place not in self._open:
            facts = self._shards[place]
            self._open[place] = {name: open_array(self.folder, facts, name, self._dtype) for name in COLUMNS}
        return self._open[place]

    def __getitem__(self, rows: int | slice | Sequence[int] | npt.NDArray[Any]) -> Arrays:
        if isinstance(rows, slice):
            return self._take(np.arange(*rows.indices(len(self))), tuple(COLUMNS))
        wanted = np.asarray(rows)
        if wanted.dtype.kind not in "iu" and wanted.size:
            raise IndexError(f"rows {rows!r:.60} are not accepted: use an integer, a slice or an array of integers")
        wanted = wanted.astype(np.int64)
        if ((wanted < -len(self)) | (wanted >= len(self))).any():
            raise IndexError(f"row {rows!r:.60} is not there: the data set has {len(self):,} rows")
        found = self._take(np.atleast_1d(wanted) % max(1, len(self)), tuple(COLUMNS))
        return found if wanted.ndim else {name: array[0] for name, array in found.items()}

    def _take(self, rows: npt.NDArray[np.int64], columns: Sequence[str]) -> Arrays:
        """New arrays of some rows, in their order; masks as int8 [N, 130]."""
        shard = np.searchsorted(self._starts, rows, "right") - 1
        found: Arrays = {}
        for name in columns:
            first = self.shard(0)[name]
            array = np.empty((len(rows), *first.shape[1:]), first.dtype)
            for number in np.unique(shard).tolist():
                mine = np.flatnonzero(shard == number)
                array[mine] = self.shard(number)[name][rows[mine] - self._starts[number]]
            found[name] = unpack_masks(array) if name == "action_mask" else array
        return found

    def batches(
        self,
        size: int,
        *,
        seed: int | None = None,
        epoch: int = 0,
        columns: Sequence[str] | None = None,
        drop_last: bool = False,
        shards: Sequence[int] | None = None,
    ) -> Iterator[Arrays]:
        """Every row once, in batches of ``size``, the last smaller unless it is dropped: new arrays by column.

        Without a ``seed`` in order. With one, shards come in random order and eight at a time are shuffled together,
        which reads the disk in long runs; the same seed and ``epoch`` give the same batches. ``columns``: only these.
        ``shards``: only those. ``ValueError`` for what is not accepted.
        """
        whole_number("size", size, 2**40)
        flag("drop_last", drop_last)
        names = tuple(COLUMNS) if columns is None else tuple(columns)
        for name in names:
            if name not in COLUMNS:
                raise ValueError(f"column {name!r} does not exist: there are {', '.join(COLUMNS)}")
        chosen = np.arange(self.num_shards) if shards is None else np.array([*shards], np.int64)
        rng = None if seed is None else np.random.default_rng([check_seed(seed), epoch])
        return self._batches(size, rng, names, drop_last, chosen)

    def _batches(
        self,
        size: int,
        rng: np.random.Generator | None,
        columns: Sequence[str],
        drop_last: bool,
        shards: npt.NDArray[np.int64],
    ) -> Iterator[Arrays]:
        if rng is not None:
            shards = rng.permutation(shards)
        waiting = np.zeros(0, np.int64)
        for begin in range(0, len(shards), MIXED_SHARDS):
            group = shards[begin : begin + MIXED_SHARDS].tolist()
            rows = np.concatenate([np.arange(self._starts[each], self._starts[each + 1]) for each in group])
            waiting = np.concatenate([waiting, rows if rng is None else rng.permutation(rows)])
            whole = len(waiting) // size * size
            for first in range(0, whole, size):
                yield self._take(waiting[first : first + size], columns)
            waiting = waiting[whole:]
        if len(waiting) and not drop_last:
            yield self._take(waiting, columns)

    def torch(self, size: int, *, seed: int | None = None, columns: Sequence[str] | None = None) -> Any:
        """``batches`` as an iterable data set of PyTorch, of dicts of tensors.

        For ``DataLoader(data.torch(256, seed=0), batch_size=None, num_workers=2)``: workers share the shards. Each
        iteration is of the epoch 0 unless ``set_epoch`` was called before. ``ImportError`` without torch.
        """
        self.batches(size, seed=seed, columns=columns)
        form = importlib.import_module("thousand_env.datasets.torch_form")
        return form.rows(self.folder, size, seed, None if columns is None else tuple(columns))

    def verify(self) -> None:
        """Read everything: ``DatasetError`` names the first array that is not what was written."""
        for number, facts in enumerate(self._shards):
            for name, array in self.shard(number).items():
                content = np.ascontiguousarray(array).reshape(-1).view(np.uint8).data
                if zlib.crc32(content) != facts["files"][name]["crc32"]:
                    path = self.folder / facts["name"] / f"{name}.npy"
                    raise DatasetError(f"{str(path)!r} is damaged: it is not what was written")

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_open": {}}

    def __repr__(self) -> str:
        agents = ", ".join(self.manifest["agents"])
        return f"<Dataset of {len(self):,} decisions by {agents} in {self.num_shards} shards, {str(self.folder)!r}>"


def _why_none(folder: Path) -> str:
    if not folder.is_dir():
        return f"{str(folder)!r} is no folder: name one that 'thousand generate' has written"
    if (folder / SETTINGS).exists():
        return f"{str(folder)!r} is not finished: go on with 'thousand generate … --resume'"
    return f"{str(folder)!r} holds no data set: there is no {MANIFEST}"
