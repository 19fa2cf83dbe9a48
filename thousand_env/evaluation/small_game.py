"""``SmallGame``: the whole tree of a small game in arrays, built once and walked as often as wanted.

Chance is the uniform deal, over all dealers by default; an information set is a ``View`` of the seat to act. Positions
of one depth are a level, and a level holds for each position only where it came from and by which choice, so that a
walk down or up the tree is one pass of NumPy over the levels. Nothing here knows what a policy or a value is: see
``nash``. Not for the full game, whose tree has no end: what is too large is refused.

The walk from the end back needs two things, which the rules accepted here give: a seat never forgets (all actions of
the deal are in its view), and all positions of an information set have the same depth (every action shows in every
view, if only as a card given that is not known; the silent refusal of a redeal would not, and is not accepted).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from thousand_env import observation, rewards
from thousand_env.actions import NUM_ACTIONS
from thousand_env.engine import kernels
from thousand_env.engine.state import OVER, REDEAL_ASK, STATE_DTYPE
from thousand_env.game import Game
from thousand_env.keywords import as_rules
from thousand_env.position import STATE_SIZE
from thousand_env.rules import Rules
from thousand_env.rules_record import pack_rules
from thousand_env.view import View

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

MOST_DEALS: Final = 20_000
MOST_POSITIONS: Final = 10_000_000
"""Deals (with dealers) and positions of the largest game that is accepted: two gigabytes and a minute or two."""

FORCED: Final = 0
"""The slot of a step that nobody chose: the deal, or the only legal action. Slots from 1 on are choices."""

_EPISODE_BYTE: Final[int] = STATE_DTYPE.fields["episode"][1]  # type: ignore[index]


class Level(NamedTuple):
    """All positions at one depth: N of them, T of which are ends.

    ``parent`` int64[N]: place of the position before in the level above. ``slot`` int64[N]: by which choice it was
    reached. ``ends`` int64[T]: places of the ends, ``outcome`` int64[T]: what they pay, a row of ``outcomes``.
    ``slots``: the range of the slots of choices made at this depth.
    """

    parent: Ints
    slot: Ints
    ends: Ints
    outcome: Ints
    slots: range


class SmallGame:
    """The tree of one deal on a sheet of zeros, under ``rules`` (``Rules``, a preset's name or a dict).

    The rules must have ``max_deals=1``, so that the deal is all there is.

    ``dealers``: the seats that may deal, equally likely; None for all. ``ValueError`` for rules whose tree is too large
    (more than 20,000 deals or 10 million positions), that deal again, or that ask for redeals before the auction.

    A *choice* is an information set with more than one legal action; its actions have one *slot* each, numbered from 1
    through all choices, those of one seat mixed with the others' by depth.

    ========================  =========================================================================
    ``deals``                 number of deals, each with each dealer: equally likely
    ``decision_nodes``        positions in which somebody is to act
    ``terminal_histories``    positions at the end
    ``information_sets``      different views of the seat to act
    ``choice_seat``           int64 ``[C]``: whose choice
    ``choice_start``          int64 ``[C + 1]``: its first slot; the last entry is the number of slots
    ``slot_action``           int64 ``[slots]``: the action of each slot; -1 for slot 0, which is no choice
    ``slot_seat``             int64 ``[slots]``: whose; -1 for slot 0
    ``levels``                list of ``Level``, from the deal to the last card
    ``outcomes``              int32 ``[U, n]``: the changes of score that there are
    ========================  =========================================================================
    """

    def __init__(
        self, rules: Rules | str | Mapping[str, Any] = "mini2", *, dealers: Sequence[int] | None = None
    ) -> None:
        self.rules: Final = as_rules(rules)
        self.players: Final[int] = self.rules.players
        self.dealers: Final = _checked_dealers(self.rules, dealers)
        _check_size(self.rules, self.dealers)
        states = _dealt(self.rules, self.dealers)
        self.deals: Final = len(states)
        self.decision_nodes = self.terminal_histories = self.information_sets = 0
        self.levels: Final[list[Level]] = []
        self._payoffs: dict[str, Floats] = {}
        found, outcomes = _Choices(), dict[bytes, int]()
        self._walk(states, found, outcomes)
        self._memories: Final = found.memories
        self.choice_seat: Final[Ints] = np.array(found.seats, np.int64)
        self.choice_start: Final[Ints] = np.array(found.starts, np.int64)
        self.slot_action: Final[Ints] = np.array(found.actions, np.int64)
        self.slot_seat: Final[Ints] = np.concatenate([[-1], np.repeat(self.choice_seat, np.diff(self.choice_start))])
        self.outcomes: Final = np.array([np.frombuffer(row, np.int32) for row in outcomes])[:, : self.players]

    def _walk(self, states: npt.NDArray[Any], found: _Choices, outcomes: dict[bytes, int]) -> None:
        """Make the levels from the dealt positions on; ``outcomes``: the scores that there are, in the order found."""
        rules_record = pack_rules(self.rules)
        parent, slot = np.full(len(states), -1), np.zeros(len(states), np.int64)
        while len(states):
            over = states["phase"] == OVER
            ends, live = np.flatnonzero(over), np.flatnonzero(~over)
            scores = np.ascontiguousarray(states["scores"][over])
            outcome = [outcomes.setdefault(row.tobytes(), len(outcomes)) for row in scores]
            first_slot = found.starts[-1]
            next_parent: list[int] = []
            next_slot: list[int] = []
            next_action: list[int] = []
            known: dict[bytes, int] = {}
            legal = np.empty(NUM_ACTIONS, np.int16)
            for place, memory in zip(live.tolist(), _views_of_movers(_rows(states, live), rules_record), strict=True):
                count = kernels.legal_actions(states[place : place + 1], rules_record, legal)
                actions = legal[:count].tolist()
                start = known.get(memory)
                if start is None:
                    start = known[memory] = found.add(memory, int(states["seat"][place]), actions)
                next_parent += [place] * count
                next_slot += range(start, start + count)
                next_action += actions
                if self.decision_nodes + self.terminal_histories + len(next_parent) > MOST_POSITIONS:
                    raise ValueError(_too_large(self.rules, f"it has more than {MOST_POSITIONS:,} positions"))
            self.levels.append(
                Level(parent, slot, ends, np.array(outcome, np.int64), range(first_slot, found.starts[-1]))
            )
            self.decision_nodes += len(live)
            self.terminal_histories += len(ends)
            self.information_sets += len(known)
            parent, slot = np.array(next_parent, np.int64), np.array(next_slot, np.int64)
            states = _played(_rows(states, parent), rules_record, next_action)

    @property
    def num_slots(self) -> int:
        """Slots of all choices and slot 0."""
        return int(self.choice_start[-1])

    def choices(self, seat: int | None = None) -> Ints:
        """Numbers of the choices of a seat, or of all seats, ascending."""
        every = np.arange(len(self.choice_seat))
        return every if seat is None else every[self.choice_seat == seats_of(self.rules, seat)[0]]

    def view(self, choice: int) -> View:
        """What the seat whose choice it is knows when it makes it. A new view each time."""
        seat = int(self.choice_seat[choice])
        return View(self.rules, bytearray(self._memories[choice]), seat, Game._from_memory, None)

    def actions(self, choice: int) -> list[int]:
        """The legal actions of a choice, ascending."""
        legal: list[int] = self.slot_action[self.choice_start[choice] : self.choice_start[choice + 1]].tolist()
        return legal

    def views(self, seat: int | None = None) -> Iterator[View]:
        """The views of ``choices(seat)``, in that order."""
        return (self.view(choice) for choice in self.choices(seat).tolist())

    def observations(self, seat: int | None = None) -> npt.NDArray[np.float32]:
        """Observations of ``choices(seat)``, float32 ``[C, K]``, in that order, for a network asked in one call."""
        rows = [observation.encode(view) for view in self.views(seat)]
        return np.array(rows, np.float32).reshape(len(rows), observation.OBSERVATION.size)

    def masks(self, seat: int | None = None) -> npt.NDArray[np.int8]:
        """Action masks of ``choices(seat)``, int8 ``[C, 130]``."""
        choices = self.choices(seat)
        masks = np.zeros((len(choices), NUM_ACTIONS), np.int8)
        for row, choice in enumerate(choices.tolist()):
            masks[row, self.actions(choice)] = 1
        return masks

    def payoffs(self, reward: str = "relative") -> Floats:
        """What each outcome pays each seat under a reward scheme, float64 ``[U, n]``: see ``Game.returns``."""
        if rewards.check_reward(reward) not in self._payoffs:
            rows = [rewards.earned(reward, row, episode="deal", winner=None, is_over=True) for row in self.outcomes]
            self._payoffs[reward] = np.array(rows)
        return self._payoffs[reward]

    def keys(self, choices: Ints) -> list[bytes]:
        """``view_key`` of the views of choices."""
        return [_key(self._memories[choice]) for choice in choices.tolist()]

    def __repr__(self) -> str:
        return (
            f"<SmallGame {self.rules!r}: {self.deals} deals, {self.decision_nodes:,} decisions, "
            f"{self.terminal_histories:,} ends, {self.information_sets:,} information sets>"
        )


def seats_of(rules: Rules, seat: int | None) -> list[int]:
    """One seat or, for None, all of them; ``ValueError`` for a seat that there is not."""
    if seat is None:
        return list(range(rules.players))
    if isinstance(seat, bool) or not isinstance(seat, int | np.integer) or not 0 <= seat < rules.players:
        raise ValueError(f"seat={seat!r} is not accepted: use 0 to {rules.players - 1}, or None for all seats")
    return [int(seat)]


def view_key(view: View) -> bytes:
    """What tells the views of one small game from each other: the same in episodes of a deal and of a match."""
    return _key(bytes(view._memory))


def _key(memory: bytes) -> bytes:
    return memory[:_EPISODE_BYTE] + memory[_EPISODE_BYTE + 1 :]


# Building


class _Choices:
    """The choices found so far: whose, their first slots, the action of every slot, and the records of their views."""

    def __init__(self) -> None:
        self.seats: list[int] = []
        self.starts = [FORCED + 1]
        self.actions = [-1]
        self.memories: list[bytes] = []

    def add(self, memory: bytes, seat: int, actions: list[int]) -> int:
        """The first slot of a new information set; ``FORCED`` if it is no choice."""
        if len(actions) == 1:
            return FORCED
        start = self.starts[-1]
        self.starts.append(start + len(actions))
        self.actions += actions
        self.seats.append(seat)
        self.memories.append(memory)
        return start


def _checked_dealers(rules: Rules, dealers: Sequence[int] | None) -> tuple[int, ...]:
    given = tuple(range(rules.players)) if dealers is None else tuple(dealers)
    if not given or len(set(given)) < len(given) or not set(given) <= set(range(rules.players)):
        raise ValueError(f"dealers={dealers!r} is not accepted: use different seats from 0 to {rules.players - 1}")
    return given


def _check_size(rules: Rules, dealers: tuple[int, ...]) -> None:
    if rules.max_deals != 1:
        raise ValueError(f"max_deals={rules.max_deals!r} is not accepted: a small game is one deal, use max_deals=1")
    if rules.redeal_four_nines == "mandatory":
        raise ValueError("redeal_four_nines='mandatory' is not accepted: a small game is one deal, use 'off'")
    sizes = [rules.hand_size] * rules.active_players + [rules.talon_size] * (2 if rules.players == 2 else 1)
    deals = math.factorial(len(rules.deck)) // math.prod(map(math.factorial, sizes)) * len(dealers)
    if deals > MOST_DEALS:
        raise ValueError(_too_large(rules, f"it has {deals:,} deals, more than {MOST_DEALS:,}"))


def _too_large(rules: Rules, why: str) -> str:
    return f"{rules!r} is too large for a full tree walk, {why}: use a smaller deck, such as 'mini2' or 'mini3'"


def _dealt(rules: Rules, dealers: tuple[int, ...]) -> npt.NDArray[Any]:
    """The position after each deal, with each dealer, as records."""
    states = []
    for dealer in dealers:
        sizes = [rules.hand_size] * rules.players + [rules.talon_size] * (2 if rules.players == 2 else 1)
        if rules.players == 4:
            sizes[dealer] = 0
        for groups in _partitions(rules.deck, sizes):
            hands, talons = groups[: rules.players], groups[rules.players :]
            talon = talons if rules.players == 2 else talons[0]
            states.append(Game.from_deal(rules, hands, talon, dealer, episode="deal", seed=0)._memory)
    return np.frombuffer(bytearray(b"".join(states)), STATE_DTYPE)


def _partitions(cards: Sequence[int], sizes: Sequence[int]) -> Iterator[list[tuple[int, ...]]]:
    """All ways to split cards into groups of these sizes."""
    if not sizes:
        yield []
        return
    for group in itertools.combinations(cards, sizes[0]):
        rest = [card for card in cards if card not in group]
        for others in _partitions(rest, sizes[1:]):
            yield [group, *others]


def _rows(states: npt.NDArray[Any], places: Ints) -> npt.NDArray[Any]:
    """A copy of some records byte by byte: NumPy leaves the bytes between fields as they happen to be."""
    rows = states.view(np.uint8).reshape(len(states), STATE_SIZE)[places]
    return rows.reshape(-1).view(STATE_DTYPE)


def _views_of_movers(states: npt.NDArray[Any], rules_record: npt.NDArray[Any]) -> Iterator[bytes]:
    """Of each position the record of what the seat to act knows; ``states`` is changed into these."""
    if (states["phase"] == REDEAL_ASK).any():
        raise ValueError(
            "redeal_four_nines='optional' and redeal_hand_below are not accepted: nobody is told of a redeal that was "
            "not asked for, and the walk needs that all actions of a deal are known"
        )
    for place, seat in enumerate(states["seat"].tolist()):
        kernels.view_of(states[place : place + 1], rules_record, seat, False)
    memory = states.tobytes()
    return (memory[at : at + STATE_SIZE] for at in range(0, len(memory), STATE_SIZE))


def _played(states: npt.NDArray[Any], rules_record: npt.NDArray[Any], actions: list[int]) -> npt.NDArray[Any]:
    """The same records after one action each."""
    for place, action in enumerate(actions):
        kernels.try_action(states[place : place + 1], rules_record, action)
    return states
