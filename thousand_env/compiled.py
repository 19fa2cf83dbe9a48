"""What players in compiled code are made of: the decorators, what a seat knows as a record, and the engine's steps.

A player written with Numba looks at a *sight*, a record of ``SIGHT_DTYPE`` that says what one seat knows
(``thousand_env.engine.sight`` explains its fields), and at the rules record. The same compiled function then serves
``act``, which gets a ``View``, ``act_batch``, which gets observations, and play-outs inside a search, which have a
state. ``CompiledAgent`` is the part around it that all such players share::

    from thousand_env.compiled import CompiledAgent, compiled, entry, lowest

    class Lowest(CompiledAgent):
        def choose_all(self, sights, rules, actions):
            choose_all(sights, rules, actions)

    @entry  # what Python calls
    def choose_all(sights, rules_records, actions):
        for i in range(sights.shape[0]):
            actions[i] = choose(sights[i], rules_records[0])

    @compiled  # what compiled code calls
    def choose(seen, rules):  # the lowest legal action
        for word in range(3):
            if seen["legal"][word]:
                return 64 * word + lowest(seen["legal"][word])
        return 0

Bit ``i`` of word ``w`` of ``legal`` stands for action ``64 * w + i``. What there is not is ``NOBODY``, ``NO_CARD``,
``NO_SUIT`` or ``NO_BARREL``, all -1. ``baselines.greedy`` is a whole player to read.

Compiled functions are kept on disk; an entry is compiled anew when its file, the engine or anything that it imports
from its own package has changed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from thousand_env.actions import (
    CONCEDE,
    FIRST_ACES,
    FIRST_BID,
    FIRST_GIVE,
    FIRST_MARRY,
    FIRST_PLAY,
    NUM_ACTIONS,
    PASS,
    REDEAL,
)
from thousand_env.cards import ACE, CARD_POINTS, KING, NINE, NUM_CARDS, NUM_RANKS, NUM_SUITS, QUEEN, TEN
from thousand_env.engine.bits import card_points, is_pair, lowest, nth_bit, popcount, suit_cards, wide
from thousand_env.engine.compiler import compiled, entry, inlined, room_for
from thousand_env.engine.deck import below
from thousand_env.engine.forms import FLOATS_DTYPE
from thousand_env.engine.scoring import finish_deal
from thousand_env.engine.sight import SIGHT_DTYPE, see, see_row
from thousand_env.engine.state import (
    EPISODE_DEAL,
    NO_BARREL,
    NO_CARD,
    NO_SUIT,
    NOBODY,
    PHASES,
    STATE_DTYPE,
    first_hand,
    next_active,
    restore_hand,
)
from thousand_env.engine.step import apply_action, legal_words
from thousand_env.engine.tricks import beats
from thousand_env.game import Game
from thousand_env.lockstep import Lockstep, Lookback, Observed, decisions_of, observations_of
from thousand_env.observation import OBSERVATION, rules_of
from thousand_env.options import Choice, Flag
from thousand_env.rules import Rules, RulesError, option_kind
from thousand_env.rules_record import RULES_DTYPE, pack_rules
from thousand_env.solver.kernels import after_action, answer_actions, new_generation
from thousand_env.solver.maxn import SEAT_BITS, SEAT_MASK, maxn_value, own_points
from thousand_env.solver.node import NODE_DTYPE, TABLE_DTYPE, load_node
from thousand_env.view import View, sample_states

__all__ = [
    "ACE",
    "CARD_POINTS",
    "CONCEDE",
    "EPISODE_DEAL",
    "FIRST_ACES",
    "FIRST_BID",
    "FIRST_GIVE",
    "FIRST_MARRY",
    "FIRST_PLAY",
    "KING",
    "NINE",
    "NOBODY",
    "NO_BARREL",
    "NO_CARD",
    "NO_SUIT",
    "NUM_CARDS",
    "NUM_RANKS",
    "NUM_SUITS",
    "PASS",
    "PHASES",
    "QUEEN",
    "REDEAL",
    "RULES_DTYPE",
    "SIGHT_DTYPE",
    "STATE_DTYPE",
    "TEN",
    "CompiledAgent",
    "Lockstep",
    "Lookback",
    "Observed",
    "apply_action",
    "beats",
    "below",
    "card_points",
    "compiled",
    "decisions_of",
    "entry",
    "first_hand",
    "inlined",
    "is_legal",
    "is_pair",
    "legal_words",
    "lowest",
    "next_active",
    "nth_bit",
    "observations_of",
    "option_code",
    "popcount",
    "restore_hand",
    "room_for",
    "rules_record",
    "sample_deals",
    "score_as_if",
    "see",
    "sight",
    "sights",
    "solver_desk",
    "solver_forgets",
    "solver_plays",
    "solver_values",
    "states_of",
    "suit_cards",
    "wide",
]

_RULES_START: Final = OBSERVATION[next(name for name in OBSERVATION.pieces if name.startswith("rules."))].start


def option_code(option: str, value: Any) -> int:
    """The number that stands for the value of an option in a rules record; ``RulesError`` for what there is not."""
    kind = option_kind(option)
    if not isinstance(kind, Choice | Flag):
        raise RulesError(f"{option} is a number in the rules record, it has no codes")
    return kind.code(kind.parse(value))


def rules_record(rules: Rules) -> npt.NDArray[Any]:
    """The rules as an array of one record of ``RULES_DTYPE``, read-only."""
    return pack_rules(rules)


def states_of(games: Iterable[Game]) -> npt.NDArray[Any]:
    """The positions of games, such as worlds sampled from a view, as a new array of records of ``STATE_DTYPE``.

    They are the searcher's own: what compiled code does to them changes no game.
    """
    return np.frombuffer(bytearray().join(game._memory for game in games), STATE_DTYPE)


def sight(view: View) -> npt.NDArray[Any]:
    """What a view says, as a new array of one record of ``SIGHT_DTYPE``.

    ``ValueError`` if the observer of the view is not to move.
    """
    seen = np.empty(1, SIGHT_DTYPE)
    if not _see_view(view._states, view._rules_record, view.observer, seen):
        raise ValueError(f"seat {view.observer} is not to move: there is no legal action")
    return seen


def sample_deals(view: View, rng: np.random.Generator, count: int) -> npt.NDArray[Any]:
    """So many worlds drawn as ``view.sample`` does, as a new array of ``STATE_DTYPE``; a third faster than games.

    Each is an episode of one deal: ``apply_action`` leads it to the phase ``over`` once the deal is scored, so that a
    play-out need not deal the next one. ``ValueError`` if the observer of the view is not to move.
    """
    if view.seat != view.observer:
        raise ValueError(f"seat {view.observer} is not to move: there is nothing to search")
    states = sample_states(view, rng, count)
    states["episode"] = EPISODE_DEAL
    return states


def solver_desk(table_bits: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """What the solver needs in compiled code, arrays of one record each; ``2 ** table_bits`` slots, at most 16 bits."""
    nodes, tables = np.zeros(1, NODE_DTYPE), np.zeros(1, TABLE_DTYPE)
    nodes["table_mask"] = (1 << table_bits) - 1
    return nodes, tables


@compiled
def solver_forgets(node: Any, table: Any) -> None:
    """To be called for each new deal: what the table holds is of another one."""
    new_generation(node, table)


@compiled
def solver_plays(state: Any, rules: Any, node: Any, table: Any) -> int:
    """What the seat to act plays if all cards are open and each seat plays for the most points of its own (max^n).

    ``state`` is in the play phase; ``node`` and ``table`` are the records of a ``solver_desk``.
    """
    bits = legal_words(state, rules)[1]
    best, most = 64 + lowest(bits), -1
    if bits & (bits - 1) == 0:
        return best
    seat = wide(state["seat"])
    while bits:
        action = 64 + lowest(bits)
        bits &= bits - 1
        load_node(node, state, rules)
        before = node["points"][seat] + node["bonus"][seat]
        ended = after_action(node, rules, action)
        to_come = own_points(node, rules) if ended else maxn_value(node, rules, table)
        points = node["points"][seat] + node["bonus"][seat] - before + ((to_come >> (SEAT_BITS * seat)) & SEAT_MASK)
        if points > most:
            best, most = action, points
    return best


@compiled
def solver_values(state: Any, rules: Any, node: Any, table: Any) -> None:
    """The declarer's points after each legal action of the play phase if all cards are open, to ``node["values"]``.

    By action id; those of other actions are left as they were. ``solver_forgets`` must be called before each state.
    """
    answer_actions(node, state, rules, table)


@compiled
def score_as_if(state: Any, rules: Any, points: int) -> None:
    """Score a deal in the play phase as if the declarer ended with so many raw points, as the solver counts them.

    The others share equally what card points are left, and nobody goes without a trick; what the solver says of a
    position thus becomes a score sheet. Neither the phase nor the dealer changes.
    """
    declarer = wide(state["declarer"])
    left = rules["deck_points"] - points + wide(state["bonus"][declarer])
    others = 0
    for seat in range(rules["players"]):
        if wide(state["hands"][seat]) | wide(state["played"][seat]):
            state["tricks"][seat] = max(state["tricks"][seat], 1)
            if seat != declarer:
                others += 1
                left -= wide(state["points"][seat])
    for seat in range(rules["players"]):
        if seat != declarer and wide(state["hands"][seat]) | wide(state["played"][seat]):
            state["points"][seat] += max(0, left) // others
    state["points"][declarer] = max(0, points - wide(state["bonus"][declarer]))
    finish_deal(state, rules, False)


@entry
def _see_view(states: Any, rules_records: Any, me: int, seen: Any) -> bool:
    state = states[0]
    rules = rules_records[0]
    if state["seat"] != me:
        return False
    see(state, rules, me, seen[0])
    low, middle, high = legal_words(state, rules)
    seen[0]["legal"][0] = low
    seen[0]["legal"][1] = middle
    seen[0]["legal"][2] = high
    return True


def sights(
    observation: npt.NDArray[Any], action_mask: npt.NDArray[np.int8]
) -> list[tuple[npt.NDArray[np.int64], npt.NDArray[Any], npt.NDArray[Any]]]:
    """What rows of observations and masks say: for each rule set among them its rows, their sights and its record.

    ``observation`` is float32 ``[N, K]``, ``action_mask`` int8 ``[N, 130]``. ``ValueError`` for other shapes, for a row
    without a legal action and for rows that no rule set gives.
    """
    rows, mask = np.asarray(observation, np.float32), np.asarray(action_mask)
    if mask.ndim != 2 or mask.shape[1] != NUM_ACTIONS:
        raise ValueError(f"action_mask has the shape {mask.shape}: it must be (N, {NUM_ACTIONS})")
    if rows.shape != (len(mask), OBSERVATION.size):
        raise ValueError(f"observation has the shape {rows.shape}: it must be {(len(mask), OBSERVATION.size)}")
    if not len(rows):
        return []
    rows = np.ascontiguousarray(rows)
    bits = np.packbits(mask != 0, axis=1, bitorder="little")
    if not bits.any(axis=1).all():
        raise ValueError(f"rows {np.flatnonzero(~bits.any(axis=1)).tolist()} of action_mask have no legal action")
    words = np.zeros((len(rows), 3), np.int64)
    words.view(np.uint8)[:, : bits.shape[1]] = bits
    blocks = rows[:, _RULES_START:]
    if (blocks == blocks[0]).all():
        groups = [np.arange(len(rows))]
    else:
        _, kinds = np.unique(blocks, axis=0, return_inverse=True)
        groups = [np.flatnonzero(kinds.ravel() == kind) for kind in range(kinds.max() + 1)]
    found = []
    for group in groups:
        record = pack_rules(rules_of(rows[group[0]]))
        seen = np.empty(len(group), SIGHT_DTYPE)
        seen["legal"] = words[group]
        _see_rows(rows.view(FLOATS_DTYPE).ravel(), group, record, seen)
        found.append((group, seen, record))
    return found


@entry
def _see_rows(rows: Any, group: Any, rules_records: Any, seen: Any) -> None:
    for i in range(group.shape[0]):
        see_row(rows[group[i]], rules_records[0], seen[i])


@compiled
def is_legal(seen: Any, action: int) -> bool:
    """Whether a sight allows an action, 0 to 191."""
    return (seen["legal"][action >> 6] >> (action & 63)) & 1 == 1


class CompiledAgent:
    """An agent whose choice is one compiled function of a sight: deterministic, without memory.

    Subclasses say how they choose in ``choose_all``.
    """

    def choose_all(self, sights: npt.NDArray[Any], rules: npt.NDArray[Any], actions: npt.NDArray[np.int64]) -> None:
        """Write a legal action for each sight to ``actions``, int64; ``rules`` is the array of one rules record."""
        raise NotImplementedError(f"{type(self).__name__} must define choose_all(sights, rules, actions)")

    def reset(self, seed: int | None = None) -> None:
        """Nothing to forget: the agent has no memory and draws no numbers."""

    def act(self, view: View) -> int:
        """One of the legal actions. ``ValueError`` if the observer of the view is not to move."""
        actions = np.empty(1, np.int64)
        self.choose_all(sight(view), view._rules_record, actions)
        return int(actions[0])

    def act_batch(self, observation: npt.NDArray[Any], action_mask: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        """A legal action a row, int64 ``[N]``, from float32 observations ``[N, K]`` and masks int8 ``[N, 130]``.

        The same that ``act`` chooses from the views behind them. ``ValueError`` as in ``sights``.
        """
        actions = np.empty(len(action_mask), np.int64)
        for group, seen, record in sights(observation, action_mask):
            chosen = np.empty(len(group), np.int64)
            self.choose_all(seen, record, chosen)
            actions[group] = chosen
        return actions

    def action_probabilities(self, view: View) -> npt.NDArray[np.float64]:
        """float64 ``[130]``: 1 for the action that ``act`` chooses, 0 for all others. ``ValueError`` as in ``act``."""
        probabilities = np.zeros(NUM_ACTIONS)
        probabilities[self.act(view)] = 1
        return probabilities
