"""What ``Game`` and ``View`` have in common: the public facts of a position, read from one engine record."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from thousand_env.actions import (
    CONCEDE,
    FIRST_GIVE,
    FIRST_PLAY,
    NUM_ACTIONS,
    PASS,
    action_card,
)
from thousand_env.cards import NUM_SUITS, mask_to_cards
from thousand_env.engine import kernels
from thousand_env.engine.redact import HIDDEN_GIVE
from thousand_env.engine.state import (
    DARK_NO,
    EPISODES,
    FORCED_GOLDEN,
    FORCED_NO,
    NO_BARREL,
    NO_SUIT,
    NOBODY,
    OVER,
    PHASES,
    STATE_DTYPE,
)
from thousand_env.rules import Rules
from thousand_env.rules_record import pack_rules

STATE_SIZE: Final = STATE_DTYPE.itemsize


class Event(NamedTuple):
    """One action of the current deal: who took it, and its id; None for a card given that is not known."""

    seat: int
    action: int | None


class Position:
    """A position in a match, over one record of the engine. Seats are absolute, cards and actions are ids."""

    __slots__ = ("_memory", "_rules_record", "_states", "rules")

    rules: Rules
    _memory: bytearray
    _states: npt.NDArray[Any]
    _rules_record: npt.NDArray[Any]

    def _attach(self, rules: Rules, memory: bytearray) -> None:
        self.rules = rules
        self._rules_record = pack_rules(rules)
        self._memory = memory
        self._states = np.frombuffer(memory, STATE_DTYPE)

    def _number(self, field: str) -> int:
        return int(self._states[field][0])

    def _seat_or_none(self, field: str) -> int | None:
        seat = self._number(field)
        return None if seat == NOBODY else seat

    def _per_seat(self, field: str) -> list[int]:
        numbers: list[int] = self._states[field][0].tolist()
        return numbers[: self.rules.players]

    # Whose turn, and what may be done

    @property
    def seat(self) -> int | None:
        """The seat to act, or None when the episode is over."""
        return self._seat_or_none("seat")

    @property
    def phase(self) -> str:
        """``"dark"``, ``"redeal"``, ``"auction"``, ``"talon"``, ``"exchange"``, ``"raise"``, ``"play"``, ``"over"``."""
        return PHASES[self._number("phase")]

    def legal_actions(self) -> list[int]:
        """Ids of the legal actions of the seat to act, ascending; empty when the episode is over."""
        found = np.empty(NUM_ACTIONS, np.int16)
        size = kernels.legal_actions(self._states, self._rules_record, found)
        actions: list[int] = found[:size].tolist()
        return actions

    def action_mask(self) -> npt.NDArray[np.int8]:
        """A new int8 array ``[130]`` with 1 for each legal action of the seat to act and 0 elsewhere."""
        mask = np.empty(NUM_ACTIONS, np.int8)
        kernels.legal_mask(self._states, self._rules_record, mask)
        return mask

    # The match

    @property
    def episode(self) -> str:
        """``"match"``, or ``"deal"`` for an episode that ends with one scored deal."""
        return EPISODES[self._number("episode")]

    @property
    def scores(self) -> list[int]:
        """Running totals of the match."""
        return self._per_seat("scores")

    @property
    def bolts(self) -> list[int]:
        """Bolts counted against each seat."""
        return self._per_seat("bolts")

    @property
    def barrel(self) -> list[int | None]:
        """Attempts used of each seat on the barrel; None for one that is not on it."""
        return [None if attempts == NO_BARREL else attempts for attempts in self._per_seat("barrel")]

    @property
    def falls(self) -> list[int]:
        """Falls from the barrel; with ``barrel_third_fall_zero`` the third starts the count again."""
        return self._per_seat("falls")

    @property
    def concessions(self) -> list[int]:
        """Contracts conceded by each seat in this match."""
        return self._per_seat("concessions")

    @property
    def dealer(self) -> int:
        """The dealer of the current deal."""
        return self._number("dealer")

    @property
    def deal_number(self) -> int:
        """Deals dealt before the current one, void ones included."""
        return self._number("deal_number")

    @property
    def deals_scored(self) -> int:
        """Deals written to the score sheet."""
        return self._number("deals_scored")

    @property
    def winner(self) -> int | None:
        """The winner of the match, or None."""
        return self._seat_or_none("winner")

    @property
    def truncated(self) -> bool:
        """Whether the episode was cut off by ``max_deals``."""
        return bool(self._number("truncated"))

    @property
    def is_over(self) -> bool:
        """Whether the episode is over."""
        return self._number("phase") == OVER

    # The deal

    @property
    def has_cards(self) -> bool:
        """Whether a deal is there, being played or finished; False once void deals have ended a match."""
        return not self.is_over or bool(self._states["hands"][0].any()) or self._number("log_size") > 0

    @property
    def active_seats(self) -> list[int]:
        """Seats that hold cards in this deal, clockwise from first hand."""
        players, dealer = self.rules.players, self.dealer
        return [(dealer + 1 + i) % players for i in range(self.rules.active_players)]

    @property
    def bid(self) -> int | None:
        """The highest bid of this deal in points, or None before the first."""
        return self._number("bid") or None

    @property
    def bidder(self) -> int | None:
        """Who made the highest bid."""
        return self._seat_or_none("bidder")

    @property
    def passed(self) -> set[int]:
        """Seats that have passed in this deal's auction."""
        seats = self._number("passed")
        return {seat for seat in self.active_seats if seats >> seat & 1}

    @property
    def declarer(self) -> int | None:
        """Who plays the contract, or None until the auction has ended."""
        return self._seat_or_none("declarer")

    @property
    def contract(self) -> int | None:
        """The contract in points, or None until the auction has ended."""
        return self._number("contract") or None

    @property
    def is_dark(self) -> bool:
        """Whether a dark bid stands, so that first hand's result counts double."""
        return self._number("dark") > 1

    @property
    def is_golden(self) -> bool:
        """Whether this is a golden deal, in which all counts double."""
        return self._number("forced") == FORCED_GOLDEN

    @property
    def is_forced(self) -> bool:
        """Whether this deal's contract is played without an auction (golden, or first hand's own turn)."""
        return self._number("forced") != FORCED_NO

    @property
    def trump(self) -> int | None:
        """The trump suit 0..3, or None."""
        suit = self._number("trump")
        return None if suit == NO_SUIT else suit

    @property
    def leader(self) -> int | None:
        """Who leads, or led, to the current trick; None before the play."""
        return self._seat_or_none("leader")

    @property
    def trick(self) -> list[tuple[int, int]]:
        """The cards on the table as (seat, card), in order of play."""
        size = self._number("trick_size")
        if not size:
            return []
        seats = self.active_seats
        first = seats.index(self._number("leader"))
        cards = [action_card(action) for action in self._log()[-size:]]
        return [(seats[(first + i) % len(seats)], card) for i, card in enumerate(cards) if card is not None]

    @property
    def points(self) -> list[int]:
        """Card points won and bonuses declared in this deal."""
        return [card + bonus for card, bonus in zip(self._per_seat("points"), self._per_seat("bonus"), strict=True)]

    @property
    def bonuses(self) -> list[int]:
        """The part of ``points`` that is marriages and aces."""
        return self._per_seat("bonus")

    @property
    def tricks_won(self) -> list[int]:
        """Tricks won in this deal."""
        return self._per_seat("tricks")

    @property
    def played(self) -> list[list[int]]:
        """Cards played in this deal by each seat, ascending."""
        return [mask_to_cards(cards) for cards in self._per_seat("played")]

    @property
    def voids(self) -> list[list[int]]:
        """Suits that each seat has shown not to hold, ascending."""
        return [[suit for suit in range(NUM_SUITS) if suits >> suit & 1] for suits in self._per_seat("voids")]

    @property
    def talon_taken(self) -> int | None:
        """Which talon the declarer has taken: 0, with two players 0 or 1; None before."""
        taken = self._number("talon_taken")
        return None if taken < 0 else taken

    def talon_is_seen_by(self, seat: int) -> bool:
        """Whether a seat has seen the cards of the talon that was taken."""
        return bool(self._number("talon_seen") >> seat & 1)

    def events(self) -> list[Event]:
        """The actions of the current deal in order. Under ``automatic`` a lead that declared appears as declaring."""
        return self._bidding_events() + self._card_events()

    def _log(self) -> list[int]:
        log: list[int] = self._states["log"][0].tolist()
        return log[: self._number("log_size")]

    def _auction_size(self) -> int:
        """Entries of the log before the first that is no bid or pass of the auction, the dark decision included."""
        log = self._log()
        return next((place for place, action in enumerate(log) if action >= FIRST_GIVE), len(log))

    def _bidding_events(self) -> list[Event]:
        log = self._log()[: self._auction_size()]
        seats = self.active_seats
        events = []
        turn = 0
        if self._number("dark") != DARK_NO:
            events.append(Event(seats[0], log.pop(0)))
            turn = int(events[0].action != PASS)
        asked = self._number("asked")
        events += [Event(seat, PASS) for seat in seats if asked >> seat & 1]
        for action in log:
            turn %= len(seats)
            events.append(Event(seats[turn], action))
            if action == PASS:
                seats.pop(turn)
            else:
                turn += 1
        return events

    def _card_events(self) -> list[Event]:
        owners = {card: seat for seat, cards in enumerate(self.played) for card in cards}
        events = []
        for action in self._log()[self._auction_size() :]:
            if action == HIDDEN_GIVE:
                events.append(Event(self._number("declarer"), None))
            elif FIRST_PLAY <= action < CONCEDE:
                card = action_card(action)
                assert card is not None
                events.append(Event(owners[card], action))
            else:
                events.append(Event(self._number("declarer"), action))
        return events
