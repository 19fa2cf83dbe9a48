"""Records played through again, step by step or at once; redacted to one seat; files verified."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass

from thousand_env.actions import IllegalActionError, plain_lead
from thousand_env.cards import card_name
from thousand_env.game import Game
from thousand_env.position import Event
from thousand_env.records.files import Source, numbered_lines
from thousand_env.records.json_form import decode_line, event_text
from thousand_env.records.model import (
    Cards,
    Record,
    RecordedDeal,
    RecordError,
    check_record,
    first_sheet,
    recorded_deals,
)
from thousand_env.rules import Rules
from thousand_env.sheet import DealError, ScoreSheet


@dataclass(frozen=True)
class Verdict:
    """What ``verify`` says of one line. A redacted record cannot be replayed: it is all right if it can be read."""

    line: int
    record: Record | None
    error: RecordError | None

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return self.error is None

    @property
    def replayed(self) -> bool:
        """Whether the match was played through again without a difference."""
        return self.ok and self.record is not None and not self.record.is_redacted

    def __str__(self) -> str:
        if self.error is not None:
            return str(self.error)
        assert self.record is not None
        deals = len(self.record.deals)
        what = f"{deals} deals" if deals != 1 else "1 deal"
        done = "replayed" if self.replayed else f"redacted for seat {self.record.seat}, not replayed"
        return f"line {self.line}: {what}, {done}"


def verify(source: Source) -> Iterator[Verdict]:
    """Read and replay each record of a file; a damaged line does not keep the following ones from being verified."""
    try:
        for line, text in numbered_lines(source):
            yield _judge(line, text)
    except RecordError as error:  # of the file as such, so that there are no further lines
        yield Verdict(error.line or 0, None, error)


def _judge(line: int, text: str | bytes) -> Verdict:
    record = None
    try:
        record = decode_line(text, line)
        if not record.is_redacted:
            replay(record)
    except RecordError as error:
        return Verdict(line, record, error.at(line))
    return Verdict(line, record, None)


def replay(record: Record) -> Game:
    """Play a record through and give the game that was recorded, equal to it and with all its history.

    Seats, cards, legality, declarer and contract, the scores after each deal and the result are checked;
    ``RecordError`` says what does not agree. A redacted record cannot be replayed.
    """
    game = _begin(record)
    for _ in _play(record, game):
        pass
    return game


def steps(record: Record) -> Iterator[tuple[Game, int, int]]:
    """Each decision of a record: the position before it, who decided, and the action, checked as by ``replay``.

    The positions are copies that may be kept, so that every observation, view and mask can be had again.
    """
    game = _begin(record)
    return ((position.clone(), seat, action) for position, seat, action in _play(record, game))


def redact(record: Record, seat: int) -> Record:
    """The record with everything taken out that a seat may not know (rules.md 1.12).

    Out are the seed, the other hands, talons that the seat has not seen, gifts and cards put aside that it does not
    know, and redeals that others declined; its own hands stay, unless it still may bid in the dark. Games that differ
    only in what the seat cannot know give equal redacted records. The record is replayed first: ``RecordError`` if it
    is damaged, ``ValueError`` for a seat that there is not.
    """
    check_record(record)
    if isinstance(seat, bool) or seat not in range(record.rules.players):
        raise ValueError(f"seat={seat!r} is not accepted: use 0 to {record.rules.players - 1}")
    game = replay(record)
    deals = recorded_deals(game, int(seat))
    return dataclasses.replace(record, seed=None, seat=int(seat), start=first_sheet(game), deals=deals)


def _begin(record: Record) -> Game:
    """The first position of a record."""
    check_record(record)
    if record.seat is not None or record.seed is None:
        what = f"a record redacted for seat {record.seat} cannot be replayed"
        how = "it can be read with thousand_env.records.read and printed with to_text"
        raise RecordError(f"{what}, since it lacks what that seat may not know: {how}", record.line)
    if record.start is None:
        return Game(record.rules, record.seed, record.episode)
    try:
        return _open_given(record, record.deals[0], record.start, record.seed)
    except DealError as error:
        raise RecordError(f"deal {record.deals[0].number + 1}: {error}", record.line) from None


def _open_given(record: Record, deal: RecordedDeal, sheet: ScoreSheet, seed: int) -> Game:
    """A game from a given first deal, also in the middle of a match."""
    hands = [cards or () for cards in deal.hands]
    talons = [cards or () for cards in deal.talons]
    return Game.from_deal(
        record.rules,
        hands,
        talons if record.rules.players == 2 else talons[0],
        deal.dealer,
        sheet.scores,
        sheet.bolts,
        sheet.barrel,
        record.episode,
        seed,
        falls=sheet.falls,
        concessions=sheet.concessions,
        deals_scored=sheet.deals_scored,
        deal_number=deal.number,
    )


def _play(record: Record, game: Game) -> Iterator[tuple[Game, int, int]]:
    """Play a record's actions in its first position; yields the game before each action, with seat and action."""
    try:
        for deal in record.deals:
            yield from _play_deal(deal, game, record.rules)
        result = (game.winner, game.truncated, not game.is_over)
        _expect("result (winner, truncated, unfinished)", (record.winner, record.truncated, record.unfinished), result)
    except RecordError as error:
        raise error.at(record.line) from None


def _play_deal(deal: RecordedDeal, game: Game, rules: Rules) -> Iterator[tuple[Game, int, int]]:
    where = f"deal {deal.number + 1}"
    if game.is_over:
        raise RecordError(f"{where}: the match is over before it")
    _expect(f"{where}: number", deal.number + 1, game.deal_number + 1)
    _expect(f"{where}: dealer", deal.dealer, game.dealer)
    hands, talons = game.dealt()
    _expect(f"{where}: hands", _names(deal.hands), _names(hands))
    _expect(f"{where}: talons", _names(deal.talons), _names(talons))
    last = len(deal.actions) if deal.scores is None else len(deal.actions) - 1
    for place, event in enumerate(deal.actions):
        here = f"{where}, action {place + 1} ({event_text(event, rules)})"
        action = _chosen(event, rules)
        seat = game.seat
        if seat is None or game.deal_number != deal.number:
            raise RecordError(f"{here}: the deal is over before it")
        if event.seat != seat:
            raise RecordError(f"{here}: it is the turn of seat {seat}")
        if place == last:
            _check_table(where, deal, game, last)
        yield game, seat, action
        try:
            game.apply(action)
        except IllegalActionError as error:
            raise RecordError(f"{here}: {error}") from None
    is_closed = game.is_over or game.deal_number != deal.number
    if is_closed != (deal.scores is not None):
        state = "is over" if is_closed else "is not over"
        raise RecordError(f"{where}: after its {len(deal.actions)} actions it {state}, but the scores say otherwise")
    if deal.scores is None:
        _check_table(where, deal, game, last)
    else:
        _expect(f"{where}: scores", list(deal.scores), game.scores)


def _chosen(event: Event, rules: Rules) -> int:
    """The action as it was chosen: what is declared automatically is a mere lead."""
    if event.action is None:
        raise RecordError("an action is not known")
    return plain_lead(event.action) if rules.marriage_declare == "automatic" else event.action


def _check_table(where: str, deal: RecordedDeal, game: Game, actions: int) -> None:
    """Declarer, contract and what was declared automatically, before the action that closes the deal."""
    _expect(f"{where}: declarer", deal.declarer, game.declarer)
    _expect(f"{where}: contract", deal.contract, game.contract)
    if game.rules.marriage_declare == "automatic":
        for place, (recorded, played) in enumerate(zip(deal.actions[:actions], game.events(), strict=True)):
            _expect(f"{where}, action {place + 1}", event_text(recorded, game.rules), event_text(played, game.rules))


def _expect(where: str, recorded: object, played: object) -> None:
    if recorded != played:
        raise RecordError(f"{where}: the record says {recorded}, the game {played}")


def _names(groups: tuple[Cards | None, ...] | list[list[int]]) -> list[str]:
    return [" ".join(card_name(card) for card in cards or ()) for cards in groups]
