"""``View``: exactly what one seat may know of a position, and complete worlds that agree with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np
import numpy.typing as npt

from thousand_env.actions import FIRST_GIVE, FIRST_PLAY, NUM_ACTIONS
from thousand_env.cards import mask_to_cards
from thousand_env.engine import worlds
from thousand_env.engine.redact import HIDDEN_GIVE
from thousand_env.engine.state import STATE_DTYPE
from thousand_env.position import STATE_SIZE, Position
from thousand_env.rules import Rules

if TYPE_CHECKING:
    from thousand_env.game import Game

_TRIES: Final = 10_000_000

MakeGame = Callable[[Rules, bytearray, Any], "Game"]


@final
class View(Position):
    """What one seat may know of a position; it holds nothing else.

    ``observer`` is the seat that it belongs to. Facts of hands and talon that the observer may not know are left out;
    everything in ``Position`` is public. Views are equal if the same things are known.
    """

    __slots__ = ("_before", "_make_game", "observer")

    def __init__(
        self,
        rules: Rules,
        memory: bytearray,
        observer: int,
        make_game: MakeGame,
        before: tuple[View, int] | None,
        records: tuple[npt.NDArray[Any], npt.NDArray[Any]] | None = None,
    ) -> None:
        if records is None:
            self._attach(rules, memory)
        else:  # the state in this memory and the packed rules, where somebody has made them already
            self.rules, self._memory = rules, memory
            self._states, self._rules_record = records
        self.observer: Final = observer
        self._make_game: Final = make_game
        self._before: Final = before  # of a position that is over: the view before the last action, and that action

    @property
    def hand(self) -> list[int]:
        """The observer's cards, ascending; empty while a dark bid may be made on them unseen."""
        return mask_to_cards(self._per_seat("hands")[self.observer])

    @property
    def hand_sizes(self) -> list[int]:
        """Number of cards in each hand."""
        rules, declarer = self.rules, self.declarer
        if not self.has_cards:
            return [0] * rules.players
        sizes = [rules.hand_size if seat in self.active_seats else 0 for seat in range(rules.players)]
        for seat, cards in enumerate(self.played):
            sizes[seat] -= len(cards)
        for seat in self.gifts:
            sizes[seat] += 1
        if declarer is not None and self._number("talon_taken") >= 0:
            given = sum(1 for action in self._log() if FIRST_GIVE <= action < FIRST_PLAY or action == HIDDEN_GIVE)
            sizes[declarer] += rules.talon_size - given
        return sizes

    @property
    def talon(self) -> list[int]:
        """Cards of the talon that was taken, if the observer has seen them; they stay known after they were taken."""
        return [card for cards in self._states["talon"][0].tolist() for card in mask_to_cards(cards)]

    @property
    def set_aside(self) -> list[int]:
        """Cards put aside face down, which only the declarer knows."""
        return mask_to_cards(self._number("aside"))

    @property
    def gifts(self) -> dict[int, int | None]:
        """By receiver: the card that the declarer gave him, or None if the observer does not know it."""
        return {seat: card if card >= 0 else None for seat, card in enumerate(self._per_seat("gifts")) if card != -1}

    def legal_actions(self) -> list[int]:
        """Ids of the observer's legal actions, ascending; empty when it is not his turn.

        While a seat before him is being offered a redeal, which he cannot know, he sees the table as it stands if that
        seat declines; whose turn it really is, only the game says.
        """
        return super().legal_actions() if self.seat == self.observer else []

    def action_mask(self) -> npt.NDArray[np.int8]:
        """A new int8 array ``[130]`` with 1 for each legal action of the observer; all 0 when it is not his turn."""
        return super().action_mask() if self.seat == self.observer else np.zeros(NUM_ACTIONS, np.int8)

    def sample(self, rng: np.random.Generator) -> Game:
        """A game whose current deal is drawn uniformly from all that agree with this view.

        In it every action of the deal is legal and leads this seat to exactly this view, whatever the others' policies;
        nothing of it depends on the true cards or the game's seed beyond what the view shows. Later deals come from
        ``rng``. The rules and the score sheet are those of the view.
        """
        if not isinstance(rng, np.random.Generator):
            raise TypeError(f"rng={rng!r} is not accepted: use numpy.random.default_rng(seed)")
        if self._before is not None:
            return self._sample_finished(rng, *self._before)
        draw = rng.bit_generator.random_raw
        stream = np.uint64((draw() << 32 ^ draw()) & (2**64 - 1))  # some generators give 32 bits at a time
        if self.is_over:  # after void deals alone there is nothing on the table
            game = self._make_game(self.rules, self._memory[:], None)
            game._states["seed"][0] = stream
            return game
        scratch = np.frombuffer(bytearray(2 * STATE_SIZE) + self._memory, STATE_DTYPE)
        table = scratch.view(np.uint8).reshape(3, STATE_SIZE)
        tries = worlds.sample_world(self._states, self._rules_record, self.observer, stream, scratch, table, _TRIES)
        if tries == 0:
            raise _none_found(self)
        return self._make_game(self.rules, bytearray(table[0]), None)

    def _sample_finished(self, rng: np.random.Generator, before: View, action: int) -> Game:
        """After the end: worlds of the position before the last action in which that action leads here."""
        for _ in range(_TRIES):
            game = before.sample(rng)
            if action in game.legal_actions():
                game.apply(action)
                if game.view(self.observer) == self:
                    return game
        raise _none_found(self)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, View)
            and self.observer == other.observer
            and self._memory == other._memory
            and self.rules == other.rules
        )

    def __hash__(self) -> int:
        return hash((bytes(self._memory), self.observer, self.rules))

    def __reduce__(self) -> tuple[Any, ...]:
        return View, (self.rules, self._memory, self.observer, self._make_game, self._before)

    def __repr__(self) -> str:
        acting = "over" if self.is_over else f"{self.phase}, seat {self.seat} to act"
        return f"<View of seat {self.observer} {self.rules!r} deal {self.deal_number}: {acting}, scores {self.scores}>"


def sample_states(view: View, rng: np.random.Generator, count: int) -> npt.NDArray[Any]:
    """The states of so many worlds of a position that is not over, drawn as ``View.sample`` does, as a new array."""
    states = np.empty(count, STATE_DTYPE)
    rows = states.view(np.uint8).reshape(count, STATE_SIZE)
    scratch = np.frombuffer(bytearray(2 * STATE_SIZE) + view._memory, STATE_DTYPE)
    table = scratch.view(np.uint8).reshape(3, STATE_SIZE)
    for row, stream in zip(rows, rng.integers(0, 2**64, count, np.uint64), strict=True):
        if not worlds.sample_world(view._states, view._rules_record, view.observer, stream, scratch, table, _TRIES):
            raise _none_found(view)
        row[:] = table[0]
    return states


def _none_found(view: View) -> RuntimeError:
    memory = bytes(view._memory).hex()
    return RuntimeError(f"no consistent world found in {_TRIES} tries: please report this view, {memory}")
