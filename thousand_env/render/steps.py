"""A match followed action by action: what each action led to, deals that it ended included.

The engine goes on to the next deal with the last card of one, so the finished deal is not to be seen in the position
after it. ``take`` keeps it as ``Step.scene``.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from thousand_env.actions import CONCEDE, FIRST_ACES, FIRST_GIVE, FIRST_MARRY, FIRST_PLAY, action_card
from thousand_env.game import Game
from thousand_env.position import Position
from thousand_env.rules import Rules
from thousand_env.sheet import ScoreSheet, score_deal
from thousand_env.view import View


@dataclass(frozen=True)
class DealResult:
    """A scored deal: who played what, what each seat took, and the score sheet before and after it."""

    number: int
    dealer: int
    declarer: int
    contract: int
    outcome: str
    """``"made"``, ``"failed"`` or ``"conceded"``."""
    points: tuple[int, ...]
    bonuses: tuple[int, ...]
    tricks: tuple[int, ...]
    change: tuple[int, ...]
    scores: tuple[int, ...]
    bolts: tuple[int, ...]
    barrel: tuple[int | None, ...]
    bolts_before: tuple[int, ...]
    barrel_before: tuple[int | None, ...]
    fined: tuple[bool, ...]
    """Who paid for his bolts."""
    dumped: tuple[bool, ...]
    """Whose total became 0 by the option ``dump``."""
    golden: bool = False
    dark: bool = False


@dataclass(frozen=True)
class Step:
    """One action.

    ``scene`` is the table right after it, with the deal that it ended still on it; ``after`` the position from which
    the match goes on; ``result`` the deal that it closed; ``void``: it made a deal void.
    """

    seat: int
    action: int
    before: Game
    scene: Game
    after: Game
    result: DealResult | None = None
    void: bool = False

    @property
    def starts_deal(self) -> bool:
        """Whether a new deal lies on the table after it."""
        return (self.result is not None or self.void) and not self.after.is_over

    def seen(self, seat: int | None) -> tuple[Position, Position, Position]:
        """Before, scene and after, with open cards or as one seat sees them."""
        return seen(self.before, seat), seen(self.scene, seat), seen(self.after, seat)


def seen(game: Game, seat: int | None) -> Game | View:
    """A position with open cards (None) or as one seat sees it."""
    return game if seat is None else game.view(seat)


def take(game: Game, action: int) -> Step:
    """Play an action in a game and say what it led to."""
    before = game.clone()
    assert before.seat is not None
    game.apply(action)
    if game.deals_scored != before.deals_scored:
        scene = settled(before, action)
        return Step(before.seat, action, before, scene, game.clone(), deal_result(before, action, scene))
    void = game.deal_number != before.deal_number or game.is_over
    return Step(before.seat, action, before, before if void else game.clone(), game.clone(), None, void)


def settled(before: Game, action: int, **changes: Any) -> Game:
    """The finished deal after the action that ends it: cards, points and the score sheet with it, nothing dealt anew.

    ``changes``: options of the rules under which to score it instead.
    """
    return before.closing(action, before.rules.replace(**changes) if changes else None)


def deal_result(before: Game, action: int, scene: Game) -> DealResult:
    """What a deal came to, from the position before its last action and the one that ``settled`` gives."""
    rules, declarer, contract = scene.rules, scene.declarer, scene.contract
    assert declarer is not None
    assert contract is not None
    conceded = scene.events()[-1].action == CONCEDE
    made = not conceded and is_made(rules, scene.dealer, declarer, contract, scene.points, scene.tricks_won)
    no_fines = settled(before, action, bolt_penalty=0).scores if any(before.bolts) else scene.scores
    no_dump = settled(before, action, dump="off").scores if rules.dump != "off" else scene.scores
    return DealResult(
        number=scene.deal_number,
        dealer=scene.dealer,
        declarer=declarer,
        contract=contract,
        outcome="conceded" if conceded else "made" if made else "failed",
        points=tuple(scene.points),
        bonuses=tuple(scene.bonuses),
        tricks=tuple(scene.tricks_won),
        change=tuple(new - old for new, old in zip(scene.scores, before.scores, strict=True)),
        scores=tuple(scene.scores),
        bolts=tuple(scene.bolts),
        barrel=tuple(scene.barrel),
        bolts_before=tuple(before.bolts),
        barrel_before=tuple(before.barrel),
        fined=tuple(with_it != without for with_it, without in zip(scene.scores, no_fines, strict=True)),
        dumped=tuple(with_it != without for with_it, without in zip(scene.scores, no_dump, strict=True)),
        golden=scene.is_golden,
        dark=scene.is_dark,
    )


def is_made(
    rules: Rules, dealer: int, declarer: int, contract: int, points: Sequence[int], tricks: Sequence[int]
) -> bool:
    """Whether a contract was made: asked of the engine's own scoring on a sheet where nothing else counts."""
    bare = _bare(rules)
    sheet = ScoreSheet.start(bare, deals_scored=rules.players)
    after = score_deal(bare, sheet, dealer=dealer, declarer=declarer, contract=contract, points=points, tricks=tricks)
    return after.scores[declarer] >= 0


@functools.lru_cache(maxsize=64)
def _bare(rules: Rules) -> Rules:
    return rules.replace(barrel=False, bolt_mode="off", dump="off", lock_at=None)


# What the actions of the current deal say


def plays(position: Position) -> list[tuple[int, int]]:
    """Cards played in the current deal as (seat, card), in order."""
    played = []
    for seat, action in position.events():
        if action is not None and FIRST_PLAY <= action < CONCEDE:
            card = action_card(action)
            assert card is not None
            played.append((seat, card))
    return played


def tricks(position: Position) -> list[list[tuple[int, int]]]:
    """The tricks of the current deal, the last one perhaps unfinished."""
    played, size = plays(position), position.rules.active_players
    return [played[start : start + size] for start in range(0, len(played), size)]


def last_winner(position: Position) -> int | None:
    """Who won the last complete trick; None before the first."""
    return position.leader if any(position.tricks_won) else None


def bids(position: Position) -> list[tuple[int, int]]:
    """Bids and passes of the auction as (seat, action), without declined redeals and looks at the cards."""
    spoken: list[tuple[int, int]] = []
    for seat, action in position.events():
        if action is None or action >= FIRST_GIVE:
            break
        spoken.append((seat, action))
    last = {seat: place for place, (seat, _) in enumerate(spoken)}
    passed = position.passed
    return [
        (seat, action)
        for place, (seat, action) in enumerate(spoken)
        if action or (seat in passed and place == last[seat])
    ]


def declared(action: int | None) -> bool:
    """Whether an action declares a marriage or four aces."""
    return action is not None and FIRST_MARRY <= action < CONCEDE


def declares_aces(action: int) -> bool:
    """Whether a declaring action declares four aces."""
    return action >= FIRST_ACES
