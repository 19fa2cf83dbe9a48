"""The score sheet without cards: a score pad for players, and the start of a match in the middle of one."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from thousand_env.cards import card_id, cards_to_mask
from thousand_env.contradictions import GOLDEN_CONTRACT
from thousand_env.engine import kernels
from thousand_env.engine.state import DARK_BID, DARK_NO, FORCED_GOLDEN, FORCED_NO, NO_BARREL, NOBODY, STATE_DTYPE
from thousand_env.rules import Rules
from thousand_env.rules_record import pack_rules

SCORE_LIMIT: Final = 10**9
_COUNT_LIMIT: Final = 255
ATTEMPT_LIMIT: Final = 32_000


class DealError(ValueError):
    """Cards or a score sheet that cannot be."""


@dataclass(frozen=True)
class ScoreSheet:
    """Totals and counters of each seat after ``deals_scored`` deals. ``barrel``: attempts used, None when off it."""

    scores: tuple[int, ...]
    bolts: tuple[int, ...]
    barrel: tuple[int | None, ...]
    falls: tuple[int, ...]
    concessions: tuple[int, ...]
    deals_scored: int = 0
    winner: int | None = None

    @classmethod
    def start(
        cls,
        rules: Rules,
        scores: Iterable[int] | None = None,
        bolts: Iterable[int] | None = None,
        barrel: Iterable[int | None] | None = None,
        falls: Iterable[int] | None = None,
        concessions: Iterable[int] | None = None,
        deals_scored: int = 0,
    ) -> ScoreSheet:
        """An empty sheet, or a given one, checked against the rules: ``DealError`` says what cannot be.

        Without ``barrel`` a player whose total is at the threshold or above it is on the barrel with no attempt used;
        without ``scores`` one on the barrel stands at the threshold.
        """
        attempts = None if barrel is None else _barrel(barrel, rules)
        totals = (
            _standing(rules, attempts)
            if scores is None
            else _numbers("scores", scores, rules, -SCORE_LIMIT, SCORE_LIMIT)
        )
        if attempts is None:
            attempts = tuple(0 if _is_barrel_score(score, rules) else None for score in totals)
        most_bolts = 0 if rules.bolt_mode == "off" else rules.bolt_limit - 1
        sheet = cls(
            scores=totals,
            bolts=_numbers("bolts", bolts, rules, 0, most_bolts),
            barrel=attempts,
            falls=_numbers("falls", falls, rules, 0, 2 if rules.barrel_third_fall_zero else _COUNT_LIMIT),
            concessions=_numbers("concessions", concessions, rules, 0, _COUNT_LIMIT),
            deals_scored=whole("deals_scored", deals_scored, 0, SCORE_LIMIT),
        )
        for seat, score in enumerate(totals):
            sheet._check_seat(seat, score, rules)
        return sheet

    def _check_seat(self, seat: int, score: int, rules: Rules) -> None:
        on_it = self.barrel[seat] is not None
        if on_it and not rules.barrel:
            raise DealError(f"barrel[{seat}]={self.barrel[seat]!r} cannot be: the rules have no barrel, use None")
        if on_it and rules.barrel_clamp and score != rules.barrel_threshold:
            raise DealError(
                f"scores[{seat}]={score} cannot be: a player on the barrel stands at {rules.barrel_threshold}"
            )
        if on_it != _is_barrel_score(score, rules):
            where = f"from {rules.barrel_threshold} to below {rules.target}"
            raise DealError(
                f"barrel[{seat}]={self.barrel[seat]!r} with scores[{seat}]={score} cannot be: on it are totals {where}"
            )

    def write(self, record: Any) -> None:
        """Put the sheet into an engine record."""
        for seat in range(len(self.scores)):
            record["scores"][seat] = self.scores[seat]
            record["bolts"][seat] = self.bolts[seat]
            attempts = self.barrel[seat]
            record["barrel"][seat] = NO_BARREL if attempts is None else attempts
            record["falls"][seat] = self.falls[seat]
            record["concessions"][seat] = self.concessions[seat]
        record["deals_scored"] = self.deals_scored

    @classmethod
    def read(cls, record: Any, players: int) -> ScoreSheet:
        """The sheet of an engine record."""

        def column(field: str) -> tuple[int, ...]:
            return tuple(record[field][:players].tolist())

        winner = int(record["winner"])
        return cls(
            scores=column("scores"),
            bolts=column("bolts"),
            barrel=tuple(None if attempts == NO_BARREL else attempts for attempts in column("barrel")),
            falls=column("falls"),
            concessions=column("concessions"),
            deals_scored=int(record["deals_scored"]),
            winner=None if winner == NOBODY else winner,
        )


def score_deal(
    rules: Rules,
    sheet: ScoreSheet,
    *,
    dealer: int,
    declarer: int,
    contract: int,
    points: Sequence[int],
    tricks: Sequence[int],
    dark: bool = False,
    conceded: bool = False,
    talon: Iterable[int | str] = (),
) -> ScoreSheet:
    """The sheet after one more deal, by the engine's own scoring.

    ``points``: raw points of each seat, cards and declared marriages together; ``tricks``: tricks won by each seat;
    ``talon``: its cards, which matter only for the resting dealer's bonus with four players. Golden deals follow from
    ``rules.golden`` and ``sheet.deals_scored``. Raises ``DealError`` for numbers out of range, too many tricks, or a
    resting dealer with any; it does not ask whether cards could have made the points.
    """
    if not isinstance(rules, Rules) or not isinstance(sheet, ScoreSheet):
        wrong, needed = (rules, "Rules") if not isinstance(rules, Rules) else (sheet, "ScoreSheet")
        raise DealError(f"{wrong!r} is not accepted: give a {needed}")
    states = np.zeros(1, STATE_DTYPE)
    record = states[0]
    sheet = ScoreSheet.start(
        rules, sheet.scores, sheet.bolts, sheet.barrel, sheet.falls, sheet.concessions, deals_scored=sheet.deals_scored
    )
    record["barrel"][:] = NO_BARREL
    sheet.write(record)
    record["dealer"] = whole("dealer", dealer, 0, rules.players - 1)
    record["declarer"] = whole("declarer", declarer, 0, rules.players - 1)
    if rules.players == 4 and declarer == dealer:
        raise DealError(f"declarer={declarer} cannot be: with four players the dealer sits out")
    record["contract"] = whole("contract", contract, 1, max(rules.top_bid, GOLDEN_CONTRACT))
    record["points"][: rules.players] = _numbers("points", _given("points", points), rules, 0, 10_000)
    record["tricks"][: rules.players] = _numbers("tricks", _given("tricks", tricks), rules, 0, 24)
    _check_tricks(rules, record)
    record["dark"] = DARK_BID if _flag("dark", dark) else DARK_NO
    golden = rules.golden and sheet.deals_scored < rules.players
    record["forced"] = FORCED_GOLDEN if golden else FORCED_NO
    record["talon"][0] = _talon_mask(talon, rules)
    kernels.settle(states, pack_rules(rules), _flag("conceded", conceded))
    return ScoreSheet.read(record, rules.players)


def _check_tricks(rules: Rules, record: Any) -> None:
    """Against slips of the pen: more tricks than a deal has, or points and tricks of a dealer who sits out."""
    most = rules.hand_size + (0 if rules.puts_aside else 1)
    won = int(record["tricks"].sum())
    if won > most:
        raise DealError(f"tricks sum to {won}: a deal of these rules has {most}")
    dealer = record["dealer"]
    if rules.players == 4 and (record["points"][dealer] or record["tricks"][dealer]):
        raise DealError(f"points[{dealer}] and tricks[{dealer}] must be 0: with four players the dealer sits out")


def _given(name: str, values: Iterable[int] | None) -> Iterable[int]:
    if values is None:
        raise DealError(f"{name}=None is not accepted: give one number a seat")
    return values


def _flag(name: str, value: object) -> bool:
    if type(value).__name__ not in ("bool", "bool_"):
        raise DealError(f"{name}={value!r} is not accepted: use True or False")
    return bool(value)


def _talon_mask(talon: Iterable[int | str], rules: Rules) -> int:
    try:
        cards = [card_id(card) for card in talon]
    except (ValueError, TypeError) as error:
        raise DealError(f"talon={talon!r} is not accepted: {error}") from None
    if len(set(cards)) != len(cards) or len(cards) not in (0, rules.talon_size) or not set(cards) <= set(rules.deck):
        raise DealError(
            f"talon={talon!r} is not accepted: give {rules.talon_size} different cards of the deck, or none"
        )
    return cards_to_mask(cards)


def _standing(rules: Rules, attempts: Sequence[int | None] | None) -> tuple[int, ...]:
    on_barrel = attempts or (None,) * rules.players
    return tuple(0 if used is None else rules.barrel_threshold for used in on_barrel)


def _is_barrel_score(score: int, rules: Rules) -> bool:
    return rules.barrel and rules.barrel_threshold <= score < rules.target


def _barrel(barrel: Iterable[int | None], rules: Rules) -> tuple[int | None, ...]:
    most = ATTEMPT_LIMIT if rules.barrel_attempts is None else rules.barrel_attempts - 1
    given = _per_seat("barrel", barrel, rules)
    return tuple(None if used is None else whole(f"barrel[{seat}]", used, 0, most) for seat, used in enumerate(given))


def _numbers(name: str, values: Iterable[int] | None, rules: Rules, low: int, high: int) -> tuple[int, ...]:
    if values is None:
        return (0,) * rules.players
    return tuple(
        whole(f"{name}[{seat}]", value, low, high) for seat, value in enumerate(_per_seat(name, values, rules))
    )


def _per_seat(name: str, values: Iterable[Any], rules: Rules) -> list[Any]:
    try:
        given = list(values)
    except TypeError:
        raise DealError(f"{name}={values!r} is not accepted: give one number a seat") from None
    if len(given) != rules.players:
        raise DealError(f"{name} has {len(given)} values: give one for each of the {rules.players} seats")
    return given


def whole(name: str, value: Any, low: int, high: int) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        number = low - 1
    if isinstance(value, bool) or not low <= number <= high:
        raise DealError(f"{name}={value!r} is not accepted: use a whole number from {low} to {high}")
    return number
