"""Playing a match before somebody's eyes: a source of actions, a display, a pace, and Ctrl-C that ends it cleanly."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, Protocol

from thousand_env.game import Game
from thousand_env.render.paint import Paint
from thousand_env.render.steps import Step, take

_TRICK_BEATS, _DEAL_BEATS = 3.0, 12.0
_SLICE: Final = 0.05

NextAction = Callable[[Game], int | None]
"""The next action in a position, or None where nothing more is known."""


@dataclass
class Show:
    """What is shown, and how: ``title`` such as ``classic, seed 7``; ``seat`` None for open cards."""

    title: str
    paint: Paint
    seat: int | None
    speed: float
    stopped: bool = field(default=False, init=False)

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


def play(game: Game, next_action: NextAction, display: Display, show: Show) -> bool:
    """Play a game to its end on a display; True if Ctrl-C stopped it. The game then holds what has been played."""
    with _ctrl_c(show):
        try:
            display.begin(game)
            show.wait(_TRICK_BEATS)
            while not game.is_over and not show.stopped:
                action = next_action(game)
                if action is None:
                    break
                _one_step(game, action, display, show)
            display.end(game, show.stopped)
        finally:
            display.close()
    return show.stopped


def _one_step(game: Game, action: int, display: Display, show: Show) -> None:
    step = take(game, action)
    display.step(step)
    ends_trick = sum(step.scene.tricks_won) > sum(step.before.tricks_won)
    show.wait(_DEAL_BEATS if step.result or step.void else _TRICK_BEATS if ends_trick else 1.0)
    if step.starts_deal:
        display.new_deal(step)
        show.wait(1.0)


@contextmanager
def _ctrl_c(show: Show) -> Iterator[None]:
    """The first Ctrl-C asks the show to stop between two actions, so that the game is whole; the second is at once."""

    def stop(number: int, frame: object) -> None:
        if show.stopped:
            raise KeyboardInterrupt
        show.stopped = True

    try:
        before = signal.signal(signal.SIGINT, stop)
    except ValueError:  # not in the main thread
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL if before is None else before)
