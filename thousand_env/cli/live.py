"""The live display in a terminal: table, score sheet and commentary on one screen. Needs rich; nothing else here does.

Sheet and commentary share the space under the table; on a wide screen the sheet has the right side to itself.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

from rich import box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.layout import Layout
from rich.live import Live
from rich.panel import Panel
from rich.text import Text

from thousand_env.cli.show import Show
from thousand_env.game import Game
from thousand_env.position import Position
from thousand_env.render.ansi import TABLE_WIDTH, phase_line, table_lines
from thousand_env.render.paint import Paint
from thousand_env.render.sheet import sheet_lines, sheet_width, summary_lines
from thousand_env.render.steps import DealResult, Step, seen
from thousand_env.render.story import action_lines, ending_line, opening_lines, result_lines, trick_line

_FRAME: Final = 4
_STORY: Final = 400
_FRAME_SECONDS: Final = 1 / 30


class LiveDisplay:
    """A match on the alternate screen of a terminal; its result stays on the ordinary one."""

    def __init__(self, show: Show, console: Console | None = None) -> None:
        self._show: Final = show
        self._paint: Final = show.paint
        self._console: Final = console or Console(highlight=False, no_color=not show.paint.color)
        self._live: Final = Live(
            console=self._console, screen=True, auto_refresh=False, redirect_stdout=False, redirect_stderr=False
        )
        self._results: Final[list[DealResult]] = []
        self._story: list[str] = []
        self._position: Position | None = None
        self._drawn = 0.0

    def begin(self, game: Game) -> None:
        self._open_deal(game)
        self._live.start()
        self._draw(game, at_once=True)

    def step(self, step: Step) -> None:
        self._story += action_lines(step, self._paint, self._show.seat)
        trick = trick_line(step, self._paint)
        if trick is not None:
            self._story.append(trick)
        if step.result is not None:
            self._results.append(step.result)
            self._story += result_lines(step.result, step.scene.rules, self._paint)
        del self._story[:-_STORY]
        self._draw(step.scene, at_once=step.result is not None)

    def new_deal(self, step: Step) -> None:
        self._open_deal(step.after)
        self._draw(step.after)

    def end(self, game: Game, stopped: bool) -> None:
        self.close()
        paint = self._paint
        lines = [
            f"{paint.bold('Thousand')}  {self._show.title}",
            "",
            *sheet_lines(self._results, game, paint),
            "",
            ending_line(game, paint),
            "",
            *summary_lines(self._results, game, paint),
        ]
        for line in lines:
            print(line)

    def close(self) -> None:
        self._live.stop()

    def _open_deal(self, game: Game) -> None:
        paint = self._paint
        rule = paint.symbol("──", "--")
        self._story.append(paint.dim(f"{rule} deal {game.deal_number + 1}, P{game.dealer} deals {rule}"))
        self._story += opening_lines(seen(game, self._show.seat), paint)

    def _draw(self, game: Game, at_once: bool = False) -> None:
        now = time.monotonic()
        if not at_once and now - self._drawn < _FRAME_SECONDS:
            return
        self._drawn = now
        self._live.update(self._screen(seen(game, self._show.seat)), refresh=True)

    def _screen(self, position: Position) -> Layout:
        paint, rules = self._paint, position.rules
        title = Text.from_ansi(f"{paint.bold(' Thousand')}  {self._show.title}   {paint.dim('Ctrl-C ends')}")
        title.no_wrap = True
        table = _panel(_Lines(table_lines(position, paint)), f"{phase_line(position, paint)}", paint)
        sheet = _panel(_Sheet(self._results, position, paint), "score sheet", paint)
        story = _panel(_Tail(self._story), "what happened", paint)
        table_rows, sheet_columns = rules.players + 9, sheet_width(rules.players) + _FRAME
        screen = Layout()
        parts = Layout(name="parts")
        screen.split_column(Layout(title, size=1), parts)
        if self._console.width >= TABLE_WIDTH + _FRAME + sheet_columns:
            match = Layout(size=TABLE_WIDTH + _FRAME)
            match.split_column(Layout(table, size=table_rows), Layout(story))
            parts.split_row(match, Layout(sheet))
        else:
            below = Layout()
            below.split_row(Layout(sheet, size=sheet_columns), Layout(story))
            parts.split_column(Layout(table, size=table_rows), below)
        return screen


def _panel(content: _Lines, title: str, paint: Paint) -> Panel:
    text = Text.from_ansi(title)
    return Panel(
        content,
        title=text,
        title_align="left",
        border_style="bright_black",
        box=box.ROUNDED if paint.unicode else box.ASCII,
    )


class _Lines:
    """Lines of ours, cut to the space that there is."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines

    def fit(self, console: Console, width: int, height: int) -> Sequence[Text]:
        """The lines to be drawn."""
        return [Text.from_ansi(line) for line in self.lines[:height]]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for text in self.fit(console, options.max_width, options.height or options.max_height):
            text.no_wrap = True
            text.overflow = "crop"
            yield from console.render(text, options.update(height=None))


class _Sheet(_Lines):
    """The last deals that fit, and the totals."""

    def __init__(self, results: Sequence[DealResult], position: Position, paint: Paint) -> None:
        super().__init__([])
        self._results, self._position, self._paint = results, position, paint

    def fit(self, console: Console, width: int, height: int) -> Sequence[Text]:
        return [Text.from_ansi(line) for line in sheet_lines(self._results, self._position, self._paint, height)]


class _Tail(_Lines):
    """The last lines that fit, long ones wrapped."""

    def fit(self, console: Console, width: int, height: int) -> Sequence[Text]:
        shown: list[Text] = []
        for line in reversed(self.lines):
            wrapped = list(Text.from_ansi(line).wrap(console, width))
            shown[:0] = [wrapped[0], *(Text("  ") + more for more in wrapped[1:])]
            if len(shown) >= height:
                break
        return shown[max(len(shown) - height, 0) :]
