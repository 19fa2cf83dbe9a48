"""The plain display: a line for every bid, gift, declaration and trick, and the score sheet after each deal.

For pipes and files, and for terminals that cannot do more. A trick is one line, written when it is complete.
"""

from __future__ import annotations

from typing import Final

from thousand_env.cli.show import Show
from thousand_env.game import Game
from thousand_env.render.ansi import render_hands
from thousand_env.render.sheet import deal_block, summary_lines
from thousand_env.render.steps import DealResult, Step, seen
from thousand_env.render.story import action_lines, ending_line, opening_lines, result_lines, trick_line, trick_text

_INDENT: Final = "  "


class Log:
    """Prints a match line by line."""

    def __init__(self, show: Show) -> None:
        self._show: Final = show
        self._results: Final[list[DealResult]] = []
        self._trick = 0
        self._is_offer_hidden = False

    def begin(self, game: Game) -> None:
        show = self._show
        self._print(f"Thousand: {show.title}")
        self._print(", ".join(show.paint.player(seat) for seat in range(game.rules.players)))
        if show.seat is not None:
            self._print(f"As P{show.seat} sees it")
        self._open_deal(game)

    def step(self, step: Step) -> None:
        paint, rules = self._show.paint, step.scene.rules
        if self._is_offer_hidden and not step.void:
            self._open_deal(step.after)
            return
        self._lines(action_lines(step, paint, self._show.seat))
        trick = trick_line(step, paint)
        if trick is not None:
            self._trick += 1
            self._print(f"{_INDENT}{self._trick:>2}  {trick}")
        if step.result is not None:
            self._results.append(step.result)
            self._lines(result_lines(step.result, rules, paint))
            self._print("")
            self._lines(deal_block(step.result, step.scene, paint), indent="")

    def new_deal(self, step: Step) -> None:
        self._open_deal(step.after)

    def end(self, game: Game, stopped: bool) -> None:
        paint = self._show.paint
        if game.trick:
            self._print(f"{_INDENT}{self._trick + 1:>2}  {trick_text(game.trick, paint)}  (not finished)")
        self._print("")
        self._print(ending_line(game, paint))
        self._print("")
        self._lines(summary_lines(self._results, game, paint), indent="")

    def close(self) -> None:
        pass

    def _open_deal(self, game: Game) -> None:
        paint, position = self._show.paint, seen(game, self._show.seat)
        self._trick = 0
        # On a forced deal the talon is taken at once unless somebody is offered a redeal, which the others must not
        # learn: for them the deal opens when that is over.
        self._is_offer_hidden = position.phase == "redeal" and position.seat is None
        if self._is_offer_hidden:
            return
        self._print("")
        self._print(f"Deal {game.deal_number + 1}, {paint.seat(game.dealer)} deals")
        self._lines(render_hands(position, paint))
        self._lines(opening_lines(position, paint))

    def _lines(self, lines: list[str], indent: str = _INDENT) -> None:
        for line in lines:
            self._print(indent + line if line else "")

    def _print(self, line: str) -> None:
        print(line, flush=self._show.speed > 0)
