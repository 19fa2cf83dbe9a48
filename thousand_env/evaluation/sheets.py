"""Score sheets that the deals of an evaluation begin with: empty, or as they occur in matches.

``"match"`` takes the sheet before a deal drawn uniformly from all deals of ``MATCHES`` matches, with totals, bolts,
barrel, falls, concessions, deals scored and dealer. The matches are those of the fixed agent against itself (a second
or so), whoever is compared, and follow from the seed of the evaluation alone.
"""

from __future__ import annotations

from typing import Any, Final

from thousand_env.evaluation.cast import Cast
from thousand_env.evaluation.playing import FULL, Tally, Where, play_game
from thousand_env.evaluation.schedule import draw, game_seed
from thousand_env.game import Game
from thousand_env.rules import Rules
from thousand_env.sheet import ScoreSheet

ZERO, MATCH = "zero", "match"
SHEETS: Final = (ZERO, MATCH)
MATCHES: Final = 64

Start = tuple[ScoreSheet, int]
"""A sheet and the dealer of the next deal."""


class Sheets:
    """The sheets of all units of an evaluation: ``begin(unit)`` gives the game of its deal."""

    def __init__(self, which: str, cast: Cast, rules: Rules, seed: int) -> None:
        self._which: Final = which
        self._cast: Final = cast
        self._rules: Final = rules
        self._seed: Final = seed
        self._pool: list[Start] = []

    def begin(self, unit: int) -> Game:
        """The game of a unit at its first decision: one deal, on its sheet."""
        seed = game_seed(self._seed, unit)
        if self._which == ZERO:
            return Game(self._rules, seed, "deal")
        sheet, dealer = self.sheet(unit)
        return Game.from_sheet(
            self._rules,
            seed,
            "deal",
            scores=sheet.scores,
            bolts=sheet.bolts,
            barrel=sheet.barrel,
            dealer=dealer,
            falls=sheet.falls,
            concessions=sheet.concessions,
            deals_scored=sheet.deals_scored,
        )

    def sheet(self, unit: int) -> Start:
        """The sheet of a unit and its dealer."""
        if not self._pool:
            self._pool = sheets_of_matches(self._cast, self._rules, self._seed)
        return self._pool[draw("sheet", self._seed, unit) % len(self._pool)]

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_pool": []}


def sheets_of_matches(cast: Cast, rules: Rules, seed: int) -> list[Start]:
    """The sheet before each deal of the fixed agent's matches; one before a void deal is that before the next."""
    found: list[Start] = []
    again = f"see it again with sheets='match', seed={seed} and any deal (--sheets match --seed {seed} --only 0)"
    seed = draw("sheets", seed)
    seating = (cast.fixed,) * rules.players
    for match in range(MATCHES):
        where = Where("match for sheets", match, seed, game_seed(seed, match), again)
        game = Game(rules, where.game_seed)
        play_game(game, cast, seating, FULL, Tally.of(cast), where)
        by_deal = {deal.deals_scored: (deal.sheet, deal.dealer) for deal, _ in game.closed_deals()}
        found += by_deal.values()
    return found
