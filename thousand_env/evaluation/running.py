"""A run: units played until there are enough, kept in a file, shown as they come, stopped by Ctrl-C without loss.

What a run gives is the longest series of units from 0 without a gap, so that the result depends neither on the workers
nor on which deals take long, and a run that was stopped and gone on with gives what an uninterrupted one does.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from thousand_env.evaluation.playing import Stopped
from thousand_env.evaluation.run_file import RunFile, RunWriteError
from thousand_env.evaluation.units import Unit, Units
from thousand_env.evaluation.workers import play_units

Progress = Callable[[int, int], None]
"""Is told how many units are done and how many are wanted."""
Enough = Callable[[Sequence[Unit]], bool]
_SAY_EVERY: Final = 5.0


@dataclass(frozen=True)
class How:
    """How units are played, which changes nothing in the result."""

    workers: int | None = 1
    """None for as many as there are cores."""
    executor: str = "processes"
    file: str | os.PathLike[str] | None = None
    progress: bool | Progress = False


@dataclass(frozen=True)
class Plan:
    """How many units: ``least``, then ``step`` more each time until ``enough`` says so or ``most`` are done."""

    least: int
    most: int
    step: int
    enough: Enough | None = None
    only: int | None = None
    """Play this unit alone."""


@dataclass(frozen=True)
class Run:
    """What a run gives."""

    units: list[Unit]
    wall: float
    """Seconds of this run; units taken from a file have cost theirs before."""
    stopped: int | None
    """The signal that ended it early."""
    failure: RunWriteError | None = None
    """Why the file could not be written to, which ends a run as a signal does."""


def run(units: Units, plan: Plan, how: How) -> Run:
    """Play what a plan asks for.

    ``KeyboardInterrupt`` or ``RunWriteError`` if it is ended by one of them before the first unit is done.
    """
    began = time.perf_counter()
    if plan.only is not None:
        with _stoppable():
            return Run([units.play(plan.only)], time.perf_counter() - began, None)
    stopped = failure = None
    with contextlib.ExitStack() as stack:
        file = None if how.file is None else stack.enter_context(RunFile(how.file, units.settings()))
        done = {} if file is None else file.done
        stack.enter_context(_stoppable())
        try:
            wanted = plan.least
            while True:
                _fill(units, wanted, done, file, how)
                if wanted >= plan.most or plan.enough is None or plan.enough([done[i] for i in range(wanted)]):
                    break
                wanted = min(wanted + plan.step, plan.most)
        except KeyboardInterrupt as stop:
            stopped = int(stop.args[0]) if stop.args else int(signal.SIGINT)
        except RunWriteError as error:
            failure = error
    series: list[Unit] = []
    while len(series) < wanted and len(series) in done:
        series.append(done[len(series)])
    if not series:
        raise failure or KeyboardInterrupt(stopped)
    return Run(series, time.perf_counter() - began, stopped, failure)


def _fill(units: Units, wanted: int, done: dict[int, Unit], file: RunFile | None, how: How) -> None:
    """Play the units below ``wanted`` that are not done."""
    count = sum(index < wanted for index in done)
    if count == wanted:
        return
    missing = (index for index in range(wanted) if index not in done)
    say = _progress(how.progress)
    source = play_units(units, missing, how.workers, how.executor)
    try:
        say(count, wanted)
        for index, unit in source:
            done[index] = unit
            if file is not None:
                file.add(index, unit)
            count += 1
            say(count, wanted)
    finally:
        if hasattr(source, "close"):
            source.close()


def _progress(progress: bool | Progress) -> Progress:
    if callable(progress):
        return progress
    return Lines() if progress else lambda done, wanted: None


class Lines:
    """Progress as lines on standard error, one every few seconds."""

    def __init__(self) -> None:
        self._began: Final = time.monotonic()
        self._said = self._began

    def __call__(self, done: int, wanted: int) -> None:
        now = time.monotonic()
        if now - self._said >= _SAY_EVERY or (done == wanted and self._said != self._began):
            self._said = now
            print(f"{done:,} of {wanted:,} done after {now - self._began:,.0f} s", file=sys.stderr, flush=True)


@contextlib.contextmanager
def _stoppable() -> Iterator[None]:
    """SIGTERM ends a run as Ctrl-C does, and both say which it was."""

    def stop(number: int, frame: Any) -> None:
        raise Stopped(number)

    before = {}
    try:
        for number in (signal.SIGINT, signal.SIGTERM):
            with contextlib.suppress(ValueError):  # not in the main thread
                before[number] = signal.signal(number, stop)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
