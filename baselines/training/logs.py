"""What a run writes down as it goes: ``metrics.jsonl``, TensorBoard, and Weights & Biases if asked for.

``metrics.jsonl`` holds one JSON object a record, ``{"decisions": ..., "seconds": ..., NAME: VALUE, ...}``, and is what
curves are drawn from. A run that goes on from a checkpoint cuts it back to what was written before that checkpoint.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from baselines.training.arguments import RunArguments
from baselines.training.errors import TrainingError

METRICS_FILE: Final = "metrics.jsonl"


class Logs:
    """The logs of a run in its folder; ``decisions``: those of the checkpoint that it goes on from, None for none."""

    def __init__(self, folder: Path, algorithm: str, arguments: RunArguments, decisions: int | None) -> None:
        self._wandb: Any = _wandb(folder, algorithm, arguments) if arguments.wandb else None
        self._board: Any = _board(folder, decisions) if arguments.tensorboard else None
        path = folder / METRICS_FILE
        if decisions is not None:
            cut_back(path, decisions)
        self._file: Final = path.open("a", encoding="utf-8")

    def write(self, decisions: int, seconds: float, metrics: Mapping[str, float]) -> None:
        """One record; what is not finite is null in the file and left out elsewhere."""
        numbers = {name: float(value) for name, value in metrics.items()}
        plain = {name: value if math.isfinite(value) else None for name, value in numbers.items()}
        self._file.write(json.dumps({"decisions": decisions, "seconds": round(seconds, 3)} | plain) + "\n")
        self._file.flush()
        finite = {name: value for name, value in plain.items() if value is not None}
        if self._board is not None:
            for name, value in finite.items():
                self._board.add_scalar(name, value, decisions)
        if self._wandb is not None:
            self._wandb.log(finite | {"decisions": decisions}, step=decisions)

    def flush(self) -> None:
        """Bring to the disk what has been written."""
        self._file.flush()
        os.fsync(self._file.fileno())
        if self._board is not None:
            self._board.flush()

    def close(self) -> None:
        """End the logs."""
        self._file.close()
        if self._board is not None:
            self._board.close()
        if self._wandb is not None:
            self._wandb.finish()


def read_metrics(path: Path) -> list[dict[str, Any]]:
    """The records of a ``metrics.jsonl``, without a last line that was not finished."""
    records = []
    with contextlib.suppress(FileNotFoundError):
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            with contextlib.suppress(ValueError):
                record = json.loads(line)
                if isinstance(record, dict) and isinstance(record.get("decisions"), int):
                    records.append(record)
    return records


def cut_back(path: Path, decisions: int) -> None:
    """Leave only the records up to so many decisions."""
    kept = [record for record in read_metrics(path) if record["decisions"] <= decisions]
    write_text(path, "".join(f"{json.dumps(record)}\n" for record in kept))


def write_text(path: Path, text: str) -> None:
    """Write a file under a temporary name, and rename it."""
    temporary = path.with_name(f".{path.name}.part")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)


def need_loggers(arguments: RunArguments) -> None:
    """``TrainingError`` if a logger that is asked for is not installed."""
    loggers = (
        ("tensorboard", arguments.tensorboard, "train", "use --no-tensorboard"),
        ("wandb", arguments.wandb, "wandb", "leave --wandb out"),
    )
    for module, is_asked, extra, otherwise in loggers:
        if is_asked and importlib.util.find_spec(module) is None:
            raise TrainingError(f"{module} is not installed: pip install 'thousand_env[{extra}]', or {otherwise}")


def _board(folder: Path, decisions: int | None) -> Any:
    from torch.utils.tensorboard import SummaryWriter

    return SummaryWriter(str(folder / "tensorboard"), purge_step=None if decisions is None else decisions + 1)


def _wandb(folder: Path, algorithm: str, arguments: RunArguments) -> Any:
    return importlib.import_module("wandb").init(
        project="thousand_env",
        name=folder.name,
        dir=str(folder),
        mode=os.environ.get("WANDB_MODE", "offline"),
        config={"algorithm": algorithm} | arguments.to_json(),
    )
