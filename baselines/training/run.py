"""``Run``: what surrounds a training, so that a trainer is an algorithm and nothing else.

It holds the budget, the signals, seeds, device and threads, logs, checkpoints, short matches against the ladder on the
way, and the evaluation at the end. It knows nothing of how anything is learned. A trainer is used like this::

    with Run("ppo", arguments) as run:
        trainer = Trainer(arguments, run)
        run.resume(trainer)
        while run.goes_on(trainer):
            run.record(trainer, trainer.update())
        return run.finish(trainer)

Under torchrun every process does the same; the first alone writes and shows, and all stop after the same update.
"""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Final, Protocol, Self, TypeVar

import numpy as np
import torch
from torch import Tensor, nn

import thousand_env
from baselines.checkpoints import save_checkpoint
from baselines.training import distributed
from baselines.training.arguments import RunArguments, parse_rules
from baselines.training.errors import TrainingError
from baselines.training.finish import CURVE_OPPONENT, end_done, end_stopped
from baselines.training.ladder import Standing, standing
from baselines.training.logs import Logs, need_loggers
from baselines.training.progress import Progress, Quiet, Status, progress_for
from baselines.training.resuming import FORMAT, check_same, new_folder, read_checkpoint
from baselines.training.stopping import Stopping
from thousand_env import Rules
from thousand_env.agents import Agent
from thousand_env.observation import LAYOUT_VERSION

CHECK_SHARE: Final = 0.02
"""The most of the time that checks take."""
CHECK_SEED: Final = 2025
"""All checks play the same deals, so that the curve does not move with the cards."""

Module = TypeVar("Module", bound=nn.Module)


class Trainer(Protocol):
    """What a run asks of a trainer."""

    @property
    def decisions(self) -> int:
        """How many decisions this process has learned from, those before a resume included."""
        ...

    @property
    def network(self) -> nn.Module:
        """What is saved as the agent: a network of ``baselines.networks``."""
        ...

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """All that the next update depends on: tensors by name, and facts that JSON can hold."""
        ...

    def load_state(self, state: dict[str, Tensor], facts: dict[str, Any]) -> None:
        """Go on from what ``state`` gave; ``ValueError`` if it does not fit."""
        ...

    def agent(self) -> Agent:
        """The agent as it plays now."""
        ...


class Run:
    """A training in its folder, see the module. ``TrainingError`` for what a user can have done wrong.

    Attributes: ``device``; ``folder``; ``rules``; ``rank`` and ``world_size`` (0 and 1 without torchrun); ``seed``, of
    this process: that of the arguments at the first.
    """

    def __init__(self, algorithm: str, arguments: RunArguments) -> None:
        arguments.check()
        self.algorithm: Final = algorithm
        self.arguments: Final = arguments
        self.rules: Final[Rules] = parse_rules(arguments.rules)
        self._loaded: tuple[dict[str, Tensor], dict[str, Any]] | None = None
        self._base = 0.0
        self.rank, self.world_size, self._joined = distributed.join()
        try:
            self.device: Final = _device(arguments.device)
            need_loggers(arguments)
            if arguments.resume is not None:
                self.folder, state, facts = read_checkpoint(arguments.resume)
                check_same(arguments.resume, facts, algorithm, self.rules, self.world_size)
                self._loaded, self._base = (state, facts), float(facts["seconds"])
            else:
                self.folder = new_folder(algorithm, arguments)
        except BaseException:
            self._leave()
            raise
        self.seed: Final = arguments.seed if self.rank == 0 else _seed_of(arguments.seed, self.rank)
        self._stopping: Final = Stopping(says=self.rank == 0)
        self._progress: Progress = Quiet()
        self._logs: Logs | None = None
        self._is_open = False
        self._began: float | None = None
        self._saved = False
        self._standing: Standing | None = None
        self._last = (0, 0.0)
        self._checkpoint_at = self._check_at = 0.0
        self._threads = torch.get_num_threads()

    def __enter__(self) -> Self:
        try:
            if self.arguments.threads is not None:
                torch.set_num_threads(self.arguments.threads)
            random.seed(self.seed)
            np.random.seed(self.seed % 2**32)
            torch.manual_seed(self.seed)
            if self.rank == 0:
                self._progress = progress_for(f"{self.algorithm}: {self.folder}", self.arguments.plain)
            self._stopping.start()
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    @property
    def seconds(self) -> float:
        """How long the run has trained, in all its parts."""
        return self._base + (0.0 if self._began is None else time.monotonic() - self._began)

    def progress(self, trainer: Trainer) -> float:
        """How much of the budget is used up, 0 to 1 and the same in all processes; 0 where there is no limit.

        By decisions if they are limited, so that a run can be reproduced, else by time.
        """
        arguments = self.arguments
        if arguments.decisions is not None:
            return min(1.0, self._decisions(trainer) / arguments.decisions)
        if arguments.minutes is None:
            return 0.0
        return distributed.of_first(min(1.0, self.seconds / (60 * arguments.minutes)))

    def autocast(self) -> contextlib.AbstractContextManager[Any]:
        """bfloat16 where it is safe, if it is asked for."""
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.arguments.bf16)

    def maybe_compile(self, module: Module) -> Module:
        """The module, compiled if that is asked for; both have the same parameters. Save the one that was given."""
        compiled: Module = torch.compile(module) if self.arguments.compile else module  # type: ignore[assignment]
        return compiled

    def resume(self, trainer: Trainer) -> None:
        """Give a new trainer what the checkpoint holds, or, at the start of a run, the first process's network.

        Every run needs it, before its first update.
        """
        if self._loaded is None:
            distributed.broadcast(trainer.network)
            self._open(None)
            return
        (state, facts), self._loaded = self._loaded, None
        own = distributed.scattered(state, self.rank)
        streams = {name: own.pop(name) for name in list(own) if name.startswith("run.")}
        try:
            trainer.load_state(own, facts["trainers"][self.rank])
        except (ValueError, KeyError, RuntimeError) as error:
            raise TrainingError(
                f"--resume {str(self.arguments.resume)!r} does not fit these arguments: {error}"
            ) from error
        torch.set_rng_state(streams["run.torch_random"])
        if "run.cuda_random" in streams and self.device.type == "cuda":
            torch.cuda.set_rng_state(streams["run.cuda_random"], self.device)
        self._open(int(facts["decisions"]))

    def goes_on(self, trainer: Trainer) -> bool:
        """Whether another update is to be made: False once the budget is used up or a signal has come.

        To be asked between updates. Now and then, and at the end, it writes a checkpoint and plays a short match.
        """
        if self._began is None:
            self._begin(trainer)
        arguments, now = self.arguments, time.monotonic()
        done, due = False, False
        if self.rank == 0:
            minutes, decisions = arguments.minutes, arguments.decisions
            done = minutes is not None and self.seconds >= 60 * minutes
            done |= decisions is not None and self._decisions(trainer) >= decisions
            due = now >= self._checkpoint_at
        number, ends, writes = distributed.most((self._stopping.number, int(done), int(due)))
        self._stopping.number = self._stopping.number or number
        if number or ends or writes:
            self._checkpoint(trainer)
        if number or ends:
            return False
        if self.rank == 0 and arguments.check_minutes and now >= self._check_at:
            self._check(trainer)
        self._saved = False
        return True

    def record(self, trainer: Trainer, metrics: Mapping[str, float]) -> None:
        """Log the metrics of an update, and show them. ``charts/decisions_per_second`` is added if it is not there."""
        self._saved = False
        if self._logs is None:
            return
        decisions, seconds = self._decisions(trainer), self.seconds
        passed = seconds - self._last[1]
        rate = (decisions - self._last[0]) / passed if passed > 0 else 0.0
        self._last = decisions, seconds
        whole = {"charts/decisions_per_second": rate} | dict(metrics)
        self._logs.write(decisions, seconds, whole)
        rate = whole["charts/decisions_per_second"]
        left = self._seconds_left(decisions, rate)
        self._progress.update(Status(decisions, rate, seconds, left, whole, self._standing))

    def finish(self, trainer: Trainer) -> int:
        """End the run; the exit code.

        The agent is saved and evaluated, and what came of it is written and printed. A run that a signal has stopped is
        not evaluated: it says how to go on with it, and its code is 128 and the signal's number.
        """
        if not self._saved:
            self._checkpoint(trainer)
        number = self._stopping.number
        self._progress.close()
        if self.rank != 0:
            return 128 + number if number else 0
        seconds = self.seconds
        facts = {
            "decisions": self._decisions(trainer),
            "seconds": round(seconds, 1),
            "seed": self.arguments.seed,
            "arguments": self.arguments.to_json(),
        }
        if number:
            end_stopped(self.folder, self.algorithm, self.rules, trainer.network, facts)
            return 128 + number
        self._stopping.at_once = True
        return end_done(self.folder, self.algorithm, self.rules, trainer.network, trainer.agent(), facts)

    def _open(self, decisions: int | None) -> None:
        """Open the logs, which changes files: only once nothing can be refused any more."""
        self._is_open = True
        if self.rank == 0:
            self._logs = Logs(self.folder, self.algorithm, self.arguments, decisions)
            again = "" if decisions is None else f", which goes on after {decisions:,} decisions"
            self._progress.note(f"{self.algorithm} on {self.device} in {self.folder}{again}")

    def _begin(self, trainer: Trainer) -> None:
        if not self._is_open:
            raise RuntimeError("call run.resume(trainer) before run.goes_on(trainer)")
        if self.rank == 0 and self.arguments.check_minutes:
            self._measured(trainer, 2, 2)  # compiles, which is no training
        self._began = time.monotonic()
        self._last = self._decisions(trainer), self.seconds
        self._checkpoint_at = self._began + 60 * self.arguments.checkpoint_minutes

    def _decisions(self, trainer: Trainer) -> int:
        """Those of all processes, which make equally many."""
        return trainer.decisions * self.world_size

    def _seconds_left(self, decisions: int, rate: float) -> float | None:
        left = []
        if self.arguments.minutes is not None:
            left.append(60 * self.arguments.minutes - self.seconds)
        if self.arguments.decisions is not None and rate > 0:
            left.append((self.arguments.decisions - decisions) / rate)
        return max(0.0, min(left)) if left else None

    def _checkpoint(self, trainer: Trainer) -> None:
        """Write a checkpoint of all processes; the logs up to it are on the disk before."""
        state, facts = trainer.state()
        state = state | {"run.torch_random": torch.get_rng_state()}
        if self.device.type == "cuda":
            state["run.cuda_random"] = torch.cuda.get_rng_state(self.device)
        whole, all_facts = distributed.gathered(state, facts)
        if self._logs is not None:
            self._logs.flush()
            run_facts = {
                "format": FORMAT,
                "algorithm": self.algorithm,
                "rules": self.rules.to_dict(),
                "layout_version": LAYOUT_VERSION,
                "package_version": thousand_env.__version__,
                "world_size": self.world_size,
                "decisions": self._decisions(trainer),
                "seconds": round(self.seconds, 3),
                "arguments": self.arguments.to_json(),
                "trainers": all_facts,
            }
            save_checkpoint(self.folder, whole, run_facts)
        self._checkpoint_at = time.monotonic() + 60 * self.arguments.checkpoint_minutes
        self._saved = True

    def _check(self, trainer: Trainer) -> None:
        """Short matches against the ladder, no more often than their share of the time allows."""
        assert self._logs is not None
        began = time.monotonic()
        try:
            found = self._measured(trainer, self.arguments.check_deals, self.arguments.check_matches)
        except KeyboardInterrupt as stop:
            if self._stopping.number or not stop.args:
                raise
            self._stopping.number = stop.args[0]  # the evaluation of slow agents has taken the signal
            return
        now = time.monotonic()
        self._check_at = now + max(60 * self.arguments.check_minutes, (now - began) / CHECK_SHARE)
        self._standing = found
        self._logs.write(self._decisions(trainer), self.seconds, standing_metrics(found))
        self._last = self._decisions(trainer), self.seconds

    def _measured(self, trainer: Trainer, deals: int, games: int) -> Standing:
        """How the agent does; its network is left in the mode it was in."""
        is_training = trainer.network.training
        try:
            return standing(trainer.agent(), CURVE_OPPONENT, self.rules, deals, games, CHECK_SEED)
        finally:
            trainer.network.train(is_training)

    def _close(self) -> None:
        self._progress.close()
        if self._logs is not None:
            self._logs.close()
        self._stopping.end()
        torch.set_num_threads(self._threads)
        self._leave()

    def _leave(self) -> None:
        if self._joined:
            distributed.leave()


def standing_metrics(found: Standing) -> dict[str, float]:
    """A standing as metrics: ``evaluation/heuristic_points`` with ``_low`` and ``_high``, and ``..._win_share``."""
    parts = {"points": found.points} | ({} if found.wins is None else {"win_share": found.wins})
    metrics: dict[str, float] = {}
    for name, part in parts.items():
        head = f"evaluation/{found.opponent}_{name}"
        metrics |= {head: part.mean, f"{head}_low": part.low, f"{head}_high": part.high}
    return metrics


def _device(name: str) -> torch.device:
    accepted = "use cpu, cuda, cuda:N or auto"
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(name)
    except RuntimeError:
        raise TrainingError(f"--device {name!r:.40} is not accepted: {accepted}") from None
    if device.type not in ("cpu", "cuda"):
        raise TrainingError(f"--device {name!r:.40} is not accepted: {accepted}")
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise TrainingError(f"--device {name}: torch finds {torch.cuda.device_count()} CUDA devices here: use cpu")
    return device


def _seed_of(seed: int, rank: int) -> int:
    """A seed of another process, which has nothing to do with the others'."""
    return int(np.random.SeedSequence([seed, rank]).generate_state(1, np.uint64)[0] >> np.uint64(1))
