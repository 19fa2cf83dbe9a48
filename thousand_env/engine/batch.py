"""Many games of one rule set at once: step, begin and describe ranges of rows. Nothing here allocates per row.

A row is a state, its book (what a batch remembers of it) and its carry; what the caller gets is written to row ``i`` of
the output arrays. Rows do not depend on each other, so that ranges can run in threads. Outputs that are not wanted have
no rows.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from thousand_env.engine.bits import lowest, popcount, wide
from thousand_env.engine.carry import apply_and_carry, begin_carry, make_carry
from thousand_env.engine.compiler import compiled, entry, inlined, pasted, room_for
from thousand_env.engine.deck import ENV_TAG, EPISODE_TAG, derive_seed, draw_dealer
from thousand_env.engine.forms import to_floats, write_mask
from thousand_env.engine.observe import OBSERVATION_DTYPE, STATE_ROW_DTYPE, observe, observe_all
from thousand_env.engine.state import EPISODE_DEAL, MAX_SEATS, NOBODY, OVER, STATE_DTYPE
from thousand_env.engine.step import apply_action, clear_sheet, legal_words, start_deal
from thousand_env.engine.tokens import observe_history

STEP, BEGIN, DESCRIBE = range(3)
"""What ``run_rows`` does before it writes the outputs: play an action; begin the next episode; nothing."""

RELATIVE, SCORE, WIN = range(3)
"""Reward schemes, in the order of ``thousand_env.rewards.REWARDS``."""

POINTS_PER_REWARD: Final = 100.0
MOST_SKIPPED: Final = 200
"""Decisions skipped in a row: more than a deal has, fewer than a match of silenced players, which may never end."""

BOOK_DTYPE: Final = np.dtype(
    [
        ("seed", np.uint64),  # of the environment that this row is
        ("episode", np.int64),  # number of the episode since that seed
        ("earned", np.float64, (MAX_SEATS,)),  # in this step, 0 between steps
        ("returns", np.float64, (MAX_SEATS,)),  # in this episode
        ("scores", np.int32, (MAX_SEATS,)),  # as last paid for
    ],
    align=True,
)

TURN_DTYPE: Final = np.dtype([("legal", np.int64, (3,)), ("length", np.int64)])
"""What every step reads and writes of a row: the legal set of the seat to act, and decisions in this episode."""

SWITCHES_DTYPE: Final = np.dtype(
    [(name, np.int64) for name in ("command", "scheme", "skip", "some", "floats", "state", "history")]
)
"""What ``run_rows`` is to do. In memory, since the compiler makes a copy of a whole loop for each argument that it
could branch on: the command; the reward scheme; forced decisions are skipped; some rows only; the observation is
float32; the state is wanted; the history is wanted.
"""

START_DTYPE: Final = np.dtype(
    [
        ("scores", np.int32, (MAX_SEATS,)),
        ("barrel", np.int16, (MAX_SEATS,)),
        ("bolts", np.uint8, (MAX_SEATS,)),
        ("dealer", np.int8),  # or NOBODY for the one that the seed draws
    ],
    align=True,
)
"""A score sheet that an episode begins with."""

OBSERVATION_WORDS: Final = OBSERVATION_DTYPE.itemsize // 8


_room_for_row: Final = room_for(OBSERVATION_DTYPE)
_room_for_state_row: Final = room_for(STATE_ROW_DTYPE)
_room_for_state: Final = room_for(STATE_DTYPE)


@entry
def seed_rows(books: Any, seed: Any) -> None:
    """Row ``i`` is the environment with the seed ``env_seed(seed, i)``, before its first episode."""
    for i in range(books.shape[0]):
        books[i]["seed"] = derive_seed(seed, ENV_TAG, np.uint64(i))
        books[i]["episode"] = -1


@entry
def make_carries(states: Any, rules_records: Any, carries: Any) -> None:
    """The carry of every state."""
    for i in range(states.shape[0]):
        make_carry(states[i], rules_records[0], carries[i])


@entry
def find_illegal(turns: Any, rows: Any, actions: Any, found: Any) -> int:
    """How many actions, any int64, are not legal; the first of them go to ``found``, as places in ``actions``.

    ``actions`` are those of ``rows``, or of all rows if there are none in it.
    """
    illegal = 0
    for k in range(actions.shape[0]):
        i = rows[k] if rows.shape[0] else k
        action = actions[k]
        is_inside = 0 <= action < 192
        if not is_inside or not (turns[i]["legal"][action >> 6 if is_inside else 0] >> (action & 63)) & 1:
            if illegal < found.shape[0]:
                found[illegal] = k
            illegal += 1
    return illegal


@compiled
def pay(state: Any, rules: Any, book: Any, scheme: int) -> None:
    """Rewards of the deal that was scored last: see ``thousand_env.rewards``."""
    players = wide(rules["players"])
    best, total = -(wide(1) << 40), wide(0)
    for seat in range(players):
        change = wide(state["scores"][seat]) - wide(book["scores"][seat])
        best = max(best, change)
        total += change
    winners = 0
    for seat in range(players):
        winners += wide(state["scores"][seat]) - wide(book["scores"][seat]) == best
    is_deal = state["episode"] == EPISODE_DEAL
    for seat in range(players):
        change = wide(state["scores"][seat]) - wide(book["scores"][seat])
        value = 0.0
        if scheme == SCORE:
            value = change / POINTS_PER_REWARD
        elif scheme == RELATIVE:
            value = (change - (total - change) / (players - 1)) / POINTS_PER_REWARD
        elif is_deal:
            if state["phase"] == OVER and not state["truncated"] and winners < players:
                value = 1.0 / winners if change == best else -1.0 / (players - winners)
        elif state["winner"] != NOBODY:
            value = 1.0 if seat == state["winner"] else -1.0 / (players - 1)
        book["earned"][seat] += value
        book["returns"][seat] += value
    for seat in range(players):
        book["scores"][seat] = state["scores"][seat]


@pasted
def take(state: Any, rules: Any, book: Any, carry: Any, turn: Any, scheme: int, action: int) -> bool:
    """Play an action and pay what it earns; whether it has scored a deal."""
    scored = state["deals_scored"]
    apply_and_carry(state, rules, carry, action)
    turn["length"] += 1
    paid = state["deals_scored"] != scored
    if paid:
        pay(state, rules, book, scheme)
    return paid


@compiled
def begin_episode(state: Any, rules: Any, book: Any, carry: Any, turn: Any, starts: Any, k: int) -> None:
    """The next episode that has a decision, on sheet ``k`` of ``starts`` if there are any."""
    players = wide(rules["players"])
    episode = state["episode"]
    while True:
        book["episode"] += 1
        seed = derive_seed(book["seed"], EPISODE_TAG, np.uint64(book["episode"]))
        clear_sheet(state, seed, episode)
        state["dealer"] = draw_dealer(seed, players)
        if starts.shape[0]:
            for seat in range(players):
                state["scores"][seat] = starts[k]["scores"][seat]
                state["bolts"][seat] = starts[k]["bolts"][seat]
                state["barrel"][seat] = starts[k]["barrel"][seat]
            if starts[k]["dealer"] != NOBODY:
                state["dealer"] = starts[k]["dealer"]
        start_deal(state, rules)
        if state["phase"] != OVER:
            break
    turn["length"] = 0
    for seat in range(MAX_SEATS):
        book["returns"][seat] = 0.0
        book["scores"][seat] = state["scores"][seat]
    begin_carry(state, rules, carry)


@inlined
def describe(state: Any, rules: Any, block: Any, carry: Any, turn: Any, mask: Any, row: Any) -> None:
    """Write the legal set and the observation of the seat to act."""
    low, middle, high = legal_words(state, rules)
    turn["legal"][0] = low
    turn["legal"][1] = middle
    turn["legal"][2] = high
    write_mask(mask, low, middle, high)
    observe(state, rules, block, carry, wide(state["seat"]), row)


@compiled
def step_row(
    state: Any, rules: Any, block: Any, book: Any, carry: Any, turn: Any, mask: Any, row: Any, scheme: int, action: int
) -> bool:
    """``take`` and, unless the episode is over by it, ``describe``; whether a deal was scored."""
    paid = take(state, rules, book, carry, turn, scheme, action)
    if state["phase"] != OVER:
        describe(state, rules, block, carry, turn, mask, row)
    return paid


@compiled
def describe_row(state: Any, rules: Any, block: Any, carry: Any, turn: Any, mask: Any, row: Any) -> None:
    """``describe``, once more."""
    describe(state, rules, block, carry, turn, mask, row)


@compiled
def skip_forced(state: Any, rules: Any, book: Any, carry: Any, turn: Any, scheme: int) -> bool:
    """Take decisions with one legal action; whether a deal was scored."""
    paid = False
    for _ in range(MOST_SKIPPED):
        action = only_action(state, rules)
        if action < 0:
            break
        paid |= take(state, rules, book, carry, turn, scheme, action)
    return paid


@compiled
def observe_state(state: Any, rules: Any, seat: int, row: Any, full: Any) -> None:
    """The state for critics, of which the observation is the beginning."""
    for place in range(OBSERVATION_WORDS):
        full["words"][place] = row["words"][place]
    observe_all(state, rules, seat, full)


@compiled
def only_action(state: Any, rules: Any) -> int:
    """The one legal action, or -1 if there are more, or none because the episode is over."""
    low, middle, high = legal_words(state, rules)
    if popcount(low) + popcount(middle) + popcount(high) != 1:
        return -1
    return lowest(low) if low else 64 + lowest(middle) if middle else 128 + lowest(high)


@entry
def run_rows(
    switches: Any,
    states: Any,
    rules_records: Any,
    rules_blocks: Any,
    books: Any,
    carries: Any,
    turns: Any,
    rows: Any,
    start: int,
    stop: int,
    actions: Any,
    starts: Any,
    observations: Any,
    floats: Any,
    full: Any,
    full_floats: Any,
    histories: Any,
    masks: Any,
    seats: Any,
    rewards: Any,
    ended: Any,
) -> int:
    """Play, begin or describe ``rows[start:stop]``, or these rows themselves if ``rows`` is empty; how many have ended.

    ``actions`` and ``starts`` go by the place in ``rows``, all outputs by row. Of a row that has ended only ``rewards``
    and ``ended`` are written.
    """
    switch = switches[0]
    rules = rules_records[0]
    block = rules_blocks[0]
    players = wide(rules["players"])
    scratch = _room_for_row()
    full_scratch = _room_for_state_row()
    spare = _room_for_state()
    finished = 0
    if switch["command"] == STEP and not switch["some"]:
        for place in range(players * start, players * stop):
            rewards[place] = 0.0
    for k in range(start, stop):
        i = rows[k] if switch["some"] else k
        state, book, carry, turn = states[i], books[i], carries[i], turns[i]
        row = scratch[0] if switch["floats"] else observations[i]
        if switch["command"] == STEP:
            paid = step_row(state, rules, block, book, carry, turn, masks[i], row, switch["scheme"], actions[k])
            if switch["skip"] and skip_forced(state, rules, book, carry, turn, switch["scheme"]):
                paid = True
            if paid or switch["some"]:
                for seat in range(players):
                    rewards[players * i + seat] = book["earned"][seat]
                    book["earned"][seat] = 0.0
            is_over = state["phase"] == OVER
            ended[i] = is_over
            finished += is_over
            if is_over:
                continue
        elif switch["command"] == BEGIN:
            begin_episode(state, rules, book, carry, turn, starts, k)
            for _ in range(MOST_SKIPPED if switch["skip"] else 0):
                action = only_action(state, rules)
                if action < 0:
                    break
                spare[0] = states[i]
                apply_action(spare[0], rules, action)
                if spare[0]["phase"] == OVER:  # an end before the first step would belong to no step
                    break
                states[i] = spare[0]
                turn["length"] += 1
                make_carry(state, rules, carry)
        if switch["skip"] or switch["command"] != STEP:
            describe_row(state, rules, block, carry, turn, masks[i], row)
        seat = wide(state["seat"])
        seats[i] = seat
        if switch["floats"]:
            to_floats(row, floats[i])
        if switch["state"]:
            full_row = full_scratch[0] if switch["floats"] else full[i]
            observe_state(state, rules, seat, row, full_row)
            if switch["floats"]:
                to_floats(full_row, full_floats[i])
        if switch["history"]:
            size = observe_history(state, rules, seat, histories[i])
            for place in range(size, histories.shape[1]):
                histories[i, place] = -1
    return finished


@entry
def final_rows(
    states: Any,
    rules_records: Any,
    rules_blocks: Any,
    carries: Any,
    rows: Any,
    observations: Any,
    floats: Any,
    full: Any,
    full_floats: Any,
) -> None:
    """What each seat sees at the end of the episodes of ``rows``, one after the other, and the whole state once."""
    rules = rules_records[0]
    players = wide(rules["players"])
    scratch = _room_for_row()
    full_scratch = _room_for_state_row()
    wants_state = full.shape[0] or full_floats.shape[0]
    for k in range(rows.shape[0]):
        i = rows[k]
        for seat in range(players):
            place = players * k + seat
            row = observations[place] if observations.shape[0] else scratch[0]
            observe(states[i], rules, rules_blocks[0], carries[i], seat, row)
            if floats.shape[0]:
                to_floats(row, floats[place])
            if seat == 0 and wants_state:
                full_row = full[k] if full.shape[0] else full_scratch[0]
                observe_state(states[i], rules, seat, row, full_row)
                if full_floats.shape[0]:
                    to_floats(full_row, full_floats[k])
