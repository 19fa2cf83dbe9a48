"""Playing a match before somebody's eyes: a source of actions, a display, a pace, and an end when one is asked for."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Final, Protocol

from thousand_env.cli.errors import CommandError
from thousand_env.game import Game
from thousand_env.records import RecordError
from thousand_env.render.paint import Paint
from thousand_env.render.steps import Step, take

_TRICK_BEATS, _DEAL_BEATS = 3.0, 12.0
_SLICE: Final = 0.05

NextAction = Callable[[Game], int | None]
"""The next action in a position, or None where nothing more is known."""


@dataclass
class Show:
    """What is shown, and how: ``title`` such as ``classic, seed 7``; ``seat`` None for open cards.

    ``signal``: the one that asked it to stop, or None.
    """

    title: str
    paint: Paint
    seat: int | None
    speed: float
    signal: int | None = field(default=None, init=False)

    @property
    def stopped(self) -> bool:
        """Whether it was asked to stop."""
        return self.signal is not None

    @property
    def exit_code(self) -> int:
        """0, or that of a process ended by the signal: 130 for Ctrl-C, 143 for SIGTERM."""
        return 0 if self.signal is None else 128 + self.signal

    def wait(self, beats: float) -> None:
        """As long as so many actions take, or until Ctrl-C."""
        if self.speed <= 0:
            return
        end = time.monotonic() + beats / self.speed
        while not self.stopped and (left := end - time.monotonic()) > 0:
            time.sleep(min(left, _SLICE))


class Display(Protocol):
    """Somewhere to show a match."""

    def begin(self, game: Game) -> None:
        """The first position."""

    def step(self, step: Step) -> None:
        """An action has been taken."""

    def new_deal(self, step: Step) -> None:
        """The deal that a step began is on the table."""

    def end(self, game: Game, stopped: bool) -> None:
        """The match is over, or was stopped."""

    def close(self) -> None:
        """Leave the terminal as it was. May be called again."""


def play(game: Game, next_action: NextAction, display: Display, show: Show) -> None:
    """Play a game to its end on a display, or until the show is stopped; the game then holds what has been played."""
    try:
        display.begin(game)
        show.wait(_TRICK_BEATS)
        while not game.is_over and not show.stopped:
            try:
                action = next_action(game)
            except (CommandError, RecordError):
                display.end(game, stopped=True)
                raise
            if action is None:
                break
            _one_step(game, action, display, show)
        display.end(game, show.stopped)
    finally:
        display.close()


def _one_step(game: Game, action: int, display: Display, show: Show) -> None:
    step = take(game, action)
    display.step(step)
    ends_trick = sum(step.scene.tricks_won) > sum(step.before.tricks_won)
    show.wait(_DEAL_BEATS if step.result or step.void else _TRICK_BEATS if ends_trick else 1.0)
    if step.starts_deal:
        display.new_deal(step)
        show.wait(1.0)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """While something is written that must not be lost, Ctrl-C and SIGTERM are ignored."""
    before = {}
    try:
        for number in (signal.SIGINT, signal.SIGTERM):
            with suppress(ValueError):  # not in the main thread
                before[number] = signal.signal(number, signal.SIG_IGN)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


@contextmanager
def stoppable(show: Show) -> Iterator[None]:
    """The first Ctrl-C or SIGTERM asks the show to stop between two actions, so that the game is whole.

    The second is at once.
    """

    def stop(number: int, frame: object) -> None:
        if show.stopped:
            raise KeyboardInterrupt(number)
        show.signal = number

    before = {}
    try:
        for number in (signal.SIGINT, signal.SIGTERM):
            with suppress(ValueError):  # not in the main thread
                before[number] = signal.signal(number, stop)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
