"""``RunArguments``: what every trainer can be told, checked in one place; each trainer adds its own fields.

The comment line under a field is its help text (tyro reads it). ``to_json`` and ``from_json`` carry arguments through
checkpoints, so that a run that is resumed goes on with what it was started with.
"""

from __future__ import annotations

import dataclasses
import json
import math
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

from baselines.training.errors import TrainingError
from thousand_env import PRESETS, Rules, RulesError

MOST_SEED: Final = 2**63 - 1


@dataclass
class RunArguments:
    """Arguments of a run."""

    rules: str = "classic"
    """a preset, a JSON file of options, or a JSON object of options"""
    seed: int = 0
    """everything follows from it; on one thread of a CPU the same seed gives the same run"""
    minutes: float | None = None
    """train so long, what was trained before a resume included; without a limit Ctrl-C ends the run"""
    decisions: int | None = None
    """train for so many decisions, those of all processes together"""
    folder: Path | None = None
    """where all that the run writes goes (default: runs/ALGORITHM-SEED-TIME)"""
    resume: Path | None = None
    """the folder of a run that was stopped, which goes on there with its own arguments and those given now"""
    device: str = "cpu"
    """cpu, cuda, cuda:N, or auto for cuda where there is one"""
    threads: int | None = None
    """threads of torch (default: what torch chooses)"""
    compile: bool = False
    """let torch.compile make the networks faster, after a while"""
    bf16: bool = False
    """calculate in bfloat16 where that is safe (autocast)"""
    tensorboard: bool = True
    """write logs for TensorBoard"""
    wandb: bool = False
    """log to Weights & Biases too: offline, unless WANDB_MODE says otherwise"""
    checkpoint_minutes: float = 5.0
    """write a checkpoint so often; another one is written at the end and when the run is stopped"""
    check_minutes: float = 0.5
    """play short matches against heuristic so often, or less so that they take 2 % of the time; 0 for none"""
    check_deals: int = 200
    """deals of such a check, each in all seatings"""
    check_matches: int = 32
    """matches of such a check, each in all seatings"""
    evaluate_deals: int = 1000
    """deals of the evaluation at the end, each in all seatings and against each agent; 0 for no evaluation"""
    evaluate_matches: int = 100
    """matches of the evaluation at the end"""
    plain: bool = False
    """lines instead of the live display, as in a pipe"""

    def check(self) -> None:
        """``TrainingError`` for the first value that is not accepted. Trainers add their own to it."""
        parse_rules(self.rules)
        whole("seed", self.seed, 0, MOST_SEED)
        if self.minutes is not None:
            number("minutes", self.minutes, 0, above=True)
        if self.decisions is not None:
            whole("decisions", self.decisions, 1)
        if self.threads is not None:
            whole("threads", self.threads, 1, 1024)
        number("checkpoint_minutes", self.checkpoint_minutes, 0, above=True)
        number("check_minutes", self.check_minutes, 0)
        for name, least in (("check_deals", 2), ("check_matches", 2), ("evaluate_deals", 0), ("evaluate_matches", 2)):
            whole(name, getattr(self, name), least, 1_000_000)
        if self.evaluate_deals == 1:
            raise TrainingError("--evaluate-deals 1 is not accepted: use 0 for no evaluation, or 2 or more")
        if self.resume is not None and self.folder is not None:
            raise TrainingError("--folder does not go with --resume: a run goes on in its own folder")

    def to_json(self) -> dict[str, Any]:
        """All fields as plain values; rules as their preset, or else as the options that differ from the default."""
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        if self.rules not in PRESETS:
            values["rules"] = json.dumps(parse_rules(self.rules).changes())
        return {name: _plain(value) for name, value in values.items()}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """Arguments from ``to_json``; fields that are not there have their defaults, and unknown ones are left out."""
        hints = typing.get_type_hints(cls)
        names = [field.name for field in dataclasses.fields(cls) if field.name in values]
        return cls(**{name: _restored(values[name], hints[name]) for name in names})


def parse_rules(text: str) -> Rules:
    """The rules that a text stands for; ``TrainingError`` says what is accepted."""
    if text in PRESETS:
        return Rules.preset(text)
    accepted = f"use a preset ({', '.join(PRESETS)}), a JSON file of options, or a JSON object"
    try:
        content = text if text.lstrip().startswith("{") else Path(text).read_text(encoding="utf-8")
        options = json.loads(content)
    except OSError:
        raise TrainingError(f"--rules {text!r:.80} is neither a preset nor a file: {accepted}") from None
    except (ValueError, RecursionError) as error:
        raise TrainingError(f"--rules {text!r:.80} is no JSON ({error}): {accepted}") from None
    try:
        return Rules.from_dict(options)
    except RulesError as error:
        raise TrainingError(f"--rules: {error}") from None


def option(name: str) -> str:
    """How a field is written on the command line."""
    return f"--{name.replace('_', '-')}"


def whole(name: str, value: Any, least: int, most: int | None = None) -> None:
    """``TrainingError`` for what is no whole number of a range."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least or (most is not None and value > most):
        to = "" if most is None else f" to {most}"
        raise TrainingError(f"{option(name)} {value!r:.40} is not accepted: use a whole number from {least}{to}")


def number(name: str, value: Any, least: float, most: float = math.inf, above: bool = False) -> None:
    """``TrainingError`` for what is no finite number of a range; ``above``: ``least`` itself is not accepted."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not is_number or not least <= value <= most or (above and value == least):
        span = f"{'above' if above else 'from'} {least:g}" + ("" if most == math.inf else f" to {most:g}")
        raise TrainingError(f"{option(name)} {value!r:.40} is not accepted: use a number {span}")


def _plain(value: Any) -> Any:
    if isinstance(value, Path):
        return str(value)
    return [_plain(each) for each in value] if isinstance(value, tuple | list) else value


def _restored(value: Any, hint: Any) -> Any:
    kinds = typing.get_args(hint) or (hint,)
    if isinstance(value, str) and Path in kinds:
        return Path(value)
    is_tuple = typing.get_origin(hint) is tuple or any(typing.get_origin(kind) is tuple for kind in kinds)
    return tuple(value) if isinstance(value, list) and is_tuple else value
