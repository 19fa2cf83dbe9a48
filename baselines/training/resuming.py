"""The folder of a run: made for a new one, found and checked for one that goes on."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any, Final

from torch import Tensor

from baselines.checkpoints import load_checkpoint
from baselines.training import distributed
from baselines.training.arguments import RunArguments
from baselines.training.errors import TrainingError
from baselines.training.logs import METRICS_FILE
from thousand_env import Rules
from thousand_env.observation import LAYOUT_VERSION

FORMAT: Final = 1
CHECKPOINT_FILE: Final = "checkpoint.safetensors"
_FACTS: Final[dict[str, Any]] = {
    "format": int,
    "algorithm": str,
    "rules": dict,
    "layout_version": int,
    "world_size": int,
    "decisions": int,
    "seconds": (int, float),
    "arguments": dict,
    "trainers": list,
}


def new_folder(algorithm: str, arguments: RunArguments) -> Path:
    """The folder of a new run, made by the first process; ``TrainingError`` if it cannot be or holds a run already."""
    own = arguments.folder or Path("runs") / f"{algorithm}-{arguments.seed}-{time.strftime('%Y%m%d-%H%M%S')}"
    refusal = _make(own) if distributed.is_first() else None
    folder, refusal = distributed.of_first((own, refusal))
    if refusal is not None:
        raise TrainingError(refusal)
    return folder


def _make(folder: Path) -> str | None:
    """Make a folder; why it cannot be used, None if it can."""
    for name in (CHECKPOINT_FILE, METRICS_FILE):
        if (folder / name).exists():
            return f"--folder {str(folder)!r} holds a run already: use another, or --resume {folder} to go on with it"
    probe = folder / ".probe"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
    except OSError as error:
        return f"--folder {str(folder)!r} cannot be written to ({error.strerror}): use another"
    return None


def read_checkpoint(path: Path) -> tuple[Path, dict[str, Tensor], dict[str, Any]]:
    """Folder, tensors and facts of a run by its folder, or by a file in it; ``TrainingError`` if there is none."""
    folder = path.parent if path.is_file() else path
    if not folder.is_dir():
        raise TrainingError(f"--resume {str(path)!r}: there is no such folder")
    if not (folder / CHECKPOINT_FILE).exists():
        raise TrainingError(f"--resume {str(path)!r}: there is no checkpoint ({CHECKPOINT_FILE}) in this folder")
    try:
        state, facts = load_checkpoint(folder)
    except (OSError, ValueError) as error:
        raise TrainingError(f"--resume {str(path)!r}: {error}") from error
    lacks = [name for name, kind in _FACTS.items() if not isinstance(facts.get(name), kind)]
    if lacks or facts["format"] != FORMAT or len(facts["trainers"]) != facts["world_size"]:
        why = f"it lacks {', '.join(lacks)}" if lacks else f"its format is {facts['format']}"
        raise TrainingError(f"--resume {str(path)!r}: this checkpoint is of no run of this version: {why}")
    return folder, state, facts


def check_same(path: Path, facts: dict[str, Any], algorithm: str, rules: Rules, world_size: int) -> None:
    """``TrainingError`` if a checkpoint is of another algorithm, other rules, or other processes."""
    where = f"--resume {str(path)!r}"
    if facts["algorithm"] != algorithm:
        raise TrainingError(f"{where} is a run of {facts['algorithm']}: use 'thousand train {facts['algorithm']}'")
    if facts["rules"] != rules.to_dict():
        own = json.dumps(Rules.from_dict(facts["rules"]).changes())
        raise TrainingError(f"{where} is a run with other rules ({own}): leave --rules out, or start a new run")
    if facts["layout_version"] != LAYOUT_VERSION:
        version = facts["layout_version"]
        raise TrainingError(f"{where} has observations of layout {version}, and this version {LAYOUT_VERSION}")
    if facts["world_size"] != world_size:
        count = facts["world_size"]
        how = "without torchrun" if count == 1 else f"with torchrun --nproc-per-node {count}"
        raise TrainingError(f"{where} is a run of {count} processes, and here are {world_size}: start it {how}")
