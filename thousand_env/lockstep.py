"""Many positions in the hands of a network: what the seats to act see, positions played on together, deals looked back.

A search that lets a network play has hundreds of positions at once, and a network is fast on many rows only. Here
positions are arrays of records of ``thousand_env.compiled.STATE_DTYPE``, of one rule set, such as ``sample_deals``
draws; observations are the int8 integers of the layout, ``action_mask`` is int8 ``[N, 130]``. Of episodes and rewards
see ``VectorEnv``.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from thousand_env.actions import NUM_ACTIONS, PASS, IllegalActionError
from thousand_env.engine.bits import lowest, popcount, wide
from thousand_env.engine.carry import make_carry, room_for_carry
from thousand_env.engine.compiler import compiled, entry
from thousand_env.engine.forms import MASK_DTYPE, write_mask
from thousand_env.engine.observe import OBSERVATION_DTYPE, observe
from thousand_env.engine.replay import actions_taken, chosen_action, rewind_deal
from thousand_env.engine.state import OVER, PLAY, REDEAL_ASK, STATE_DTYPE
from thousand_env.engine.step import apply_action, legal_words, open_deal
from thousand_env.engine.tokens import observe_history
from thousand_env.observation import HISTORY_SIZE, OBSERVATION, rules_block
from thousand_env.rules import Rules
from thousand_env.rules_record import pack_rules

States = npt.NDArray[Any]
Ints = npt.NDArray[np.int64]

_NO_ACTION: Final = -1


class Observed(NamedTuple):
    """What seats see that have a choice, N rows.

    ``observation`` int8 [N, K], ``action_mask`` int8 [N, 130], ``seat`` int8 [N], ``history`` int16 [N, H] with the
    tokens of the deal, or None unless asked for.
    """

    observation: npt.NDArray[np.int8]
    action_mask: npt.NDArray[np.int8]
    seat: npt.NDArray[np.int8]
    history: npt.NDArray[np.int16] | None


class Lookback(NamedTuple):
    """Decisions that were taken in positions before now, N rows: what the seat saw, in which position, what it did.

    ``position`` int64 [N] is the place in the array of states, ascending; ``action`` int64 [N].
    """

    observed: Observed
    position: Ints
    action: Ints


class Lockstep:
    """Positions that are played on together, a decision in each of them at a time, until all are over.

    ``states`` [B] is changed in place. Decisions with one legal action are played at once. ``rows`` int64 [N] are the
    places of the positions that wait for a choice, and ``observed`` says what the seats to act see there::

        table = Lockstep(states, rules)
        while len(table.rows):
            table.step(choices_of(table.observed))

    A state whose ``episode`` is that of a deal ends when the deal is scored, which is what searches want.
    """

    def __init__(self, states: States, rules: Rules, *, history: bool = False) -> None:
        _check(states)
        self.states: Final = states
        self._rules = rules
        self._history = history
        rows = np.arange(len(states))
        self.rows, self.observed = self._go_on(rows, np.full(len(states), _NO_ACTION))

    def step(self, actions: npt.NDArray[np.integer[Any]]) -> None:
        """Play an action in each of ``rows``, integers [N].

        ``ValueError`` for another shape and ``IllegalActionError`` for actions that are not legal; then nothing is
        played.
        """
        chosen = np.ascontiguousarray(actions, np.int64)
        if chosen.shape != self.rows.shape:
            raise ValueError(f"actions have the shape {chosen.shape}: it must be {self.rows.shape}")
        inside = (chosen >= 0) & (chosen < NUM_ACTIONS)
        legal = self.observed.action_mask[np.arange(len(chosen)), np.where(inside, chosen, 0)] != 0
        if not (inside & legal).all():
            place = int(np.flatnonzero(~(inside & legal))[0])
            raise IllegalActionError(f"action {chosen[place]} is not legal in row {place}: nothing was played")
        self.rows, self.observed = self._go_on(self.rows, chosen)

    def _go_on(self, rows: Ints, actions: Ints) -> tuple[Ints, Observed]:
        left = np.empty(len(rows), np.int64)
        observed = _room_for(len(rows), self._history)
        block = rules_block(self._rules)
        count = _go_on(self.states, pack_rules(self._rules), block, rows, actions, left, *_outputs(observed))
        return left[:count], _first(observed, count)


def observations_of(states: States, rules: Rules, *, history: bool = False) -> Observed:
    """What the seat to act sees in each of N positions, of which none is over; a row each."""
    _check(states)
    if (states["phase"] == OVER).any():
        row = int(np.flatnonzero(states["phase"] == OVER)[0])
        raise ValueError(f"position {row} is over: nobody is to act")
    observed = _room_for(len(states), history)
    _observe(states, pack_rules(rules), rules_block(rules), *_outputs(observed))
    return observed


def decisions_of(states: States, rules: Rules, observer: int, *, history: bool = False) -> Lookback:
    """The decisions of the deal so far that other seats than ``observer`` took where they had a choice.

    All positions are of one deal as ``observer`` has seen it, and none is over: that is what worlds of a view are.
    Whether to ask for a redeal is left out, as those who declined it do not tell.
    """
    _check(states)
    if (states["phase"] == OVER).any():
        raise ValueError("a position is over: its deal cannot be taken back")
    longest = int(states["log_size"].max(initial=0))
    room = len(states) * longest
    observed = _room_for(room, history)
    position, action = np.empty(room, np.int64), np.empty(room, np.int64)
    scratch = np.empty(1, STATE_DTYPE)
    count = _look_back(
        states, scratch, pack_rules(rules), rules_block(rules), observer, position, action, *_outputs(observed)
    )
    return Lookback(_first(observed, count), position[:count], action[:count])


def _check(states: States) -> None:
    if states.dtype != STATE_DTYPE or states.ndim != 1:
        raise ValueError(f"states are {states.dtype} of shape {states.shape}: they must be STATE_DTYPE of shape (N,)")


def _room_for(rows: int, history: bool) -> Observed:
    return Observed(
        np.empty((rows, OBSERVATION.size), np.int8),
        np.empty((rows, NUM_ACTIONS), np.int8),
        np.empty(rows, np.int8),
        np.empty((rows, HISTORY_SIZE), np.int16) if history else None,
    )


def _outputs(observed: Observed) -> tuple[npt.NDArray[Any], ...]:
    """As the compiled code takes them."""
    rows = len(observed.seat)
    return (
        observed.observation.view(OBSERVATION_DTYPE).reshape(rows),
        observed.action_mask.view(MASK_DTYPE).reshape(rows),
        observed.seat,
        np.zeros((0, 0), np.int16) if observed.history is None else observed.history,
    )


def _first(observed: Observed, count: int) -> Observed:
    history = None if observed.history is None else observed.history[:count]
    return Observed(observed.observation[:count], observed.action_mask[:count], observed.seat[:count], history)


@compiled
def _describe(
    state: Any, rules: Any, block: Any, carry: Any, row: Any, mask: Any, place: int, seats: Any, histories: Any
) -> None:
    """Write what the seat to act sees."""
    low, middle, high = legal_words(state, rules)
    write_mask(mask, low, middle, high)
    make_carry(state, rules, carry)
    seat = wide(state["seat"])
    observe(state, rules, block, carry, seat, row)
    seats[place] = seat
    if histories.shape[0]:
        size = observe_history(state, rules, seat, histories[place])
        for token in range(size, histories.shape[1]):
            histories[place, token] = -1


@entry
def _observe(states: Any, rules_records: Any, blocks: Any, rows: Any, masks: Any, seats: Any, histories: Any) -> None:
    carries = room_for_carry()
    for i in range(states.shape[0]):
        _describe(states[i], rules_records[0], blocks[0], carries[0], rows[i], masks[i], i, seats, histories)


@entry
def _go_on(
    states: Any,
    rules_records: Any,
    blocks: Any,
    waiting: Any,
    actions: Any,
    left: Any,
    rows: Any,
    masks: Any,
    seats: Any,
    histories: Any,
) -> int:
    """Play an action, or none if it is negative, and what is forced; how many positions wait for a choice then."""
    rules = rules_records[0]
    carries = room_for_carry()
    count = 0
    for k in range(waiting.shape[0]):
        state = states[waiting[k]]
        if actions[k] >= 0:
            apply_action(state, rules, actions[k])
        while state["phase"] != OVER:
            low, middle, high = legal_words(state, rules)
            if popcount(low) + popcount(middle) + popcount(high) != 1:
                break
            apply_action(state, rules, lowest(low) if low else 64 + lowest(middle) if middle else 128 + lowest(high))
        if state["phase"] != OVER:
            left[count] = waiting[k]
            _describe(state, rules, blocks[0], carries[0], rows[count], masks[count], count, seats, histories)
            count += 1
    return count


@entry
def _look_back(
    states: Any,
    scratch: Any,
    rules_records: Any,
    blocks: Any,
    observer: int,
    positions: Any,
    actions: Any,
    rows: Any,
    masks: Any,
    seats: Any,
    histories: Any,
) -> int:
    rules = rules_records[0]
    carries = room_for_carry()
    state = scratch[0]
    count = 0
    for k in range(states.shape[0]):
        scratch[0] = states[k]
        rewind_deal(state, rules)
        open_deal(state, rules)
        taken = actions_taken(states[k])
        read = 0
        for _ in range(taken):
            if state["phase"] == REDEAL_ASK:
                apply_action(state, rules, PASS)  # declined by all, or the deal would not go on
                continue
            action = wide(states[k]["log"][read])
            if state["phase"] == PLAY:
                action = chosen_action(action, rules)
            read += 1
            low, middle, high = legal_words(state, rules)
            if state["seat"] != observer and popcount(low) + popcount(middle) + popcount(high) > 1:
                positions[count] = k
                actions[count] = action
                _describe(state, rules, blocks[0], carries[0], rows[count], masks[count], count, seats, histories)
                count += 1
            apply_action(state, rules, action)
    return count
