"""``Game``: one match as a plain object over the compiled engine.

Not an environment: no rewards on the way, no agents, no rendering. The record is changed in place by ``apply``; what
``undo`` needs of earlier deals is an immutable chain that clones share, so that cloning copies 256 bytes.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, final

import numpy as np
import numpy.typing as npt

from thousand_env import game_bytes, rewards
from thousand_env.actions import NUM_ACTIONS, REDEAL, IllegalActionError, action_name, plain_lead
from thousand_env.cards import card_id, card_name, cards_to_mask, mask_to_cards
from thousand_env.engine import kernels
from thousand_env.engine.state import EPISODE_DEAL, EPISODES, NOBODY, STATE_DTYPE
from thousand_env.position import STATE_SIZE, Position
from thousand_env.rules import Rules, RulesError
from thousand_env.seeding import check_seed, random_seed
from thousand_env.sheet import SCORE_LIMIT, DealError, ScoreSheet, whole
from thousand_env.view import View

Past = tuple["Past", bytes, int] | None
"""The record before the action that closed the last deal, that action, and the same of the deals before."""


@final
class Game(Position):
    """One match from the first deal to the target.

    ``rules`` are the options, ``seed`` (0..2**64 - 1) the deals and the first dealer, drawn at random if None;
    ``episode="deal"`` ends after one scored deal. Cards and actions are ids, seats are absolute.
    """

    __slots__ = ("_past",)

    _past: Past

    def __init__(self, rules: Rules | None = None, seed: int | None = None, episode: str = "match") -> None:
        self._begin(Rules() if rules is None else rules, seed, episode)
        kernels.begin(self._states, self._rules_record, kernels.BEGIN_MATCH, np.uint64(0), 0)

    def _begin(self, rules: Rules, seed: int | None, episode: str) -> None:
        if not isinstance(rules, Rules):
            raise RulesError(f"rules={rules!r} is not accepted: use Rules(...) or Rules.preset(name)")
        if not isinstance(episode, str) or episode not in EPISODES:
            raise ValueError(f"episode={episode!r} is not accepted: use one of {', '.join(map(repr, EPISODES))}")
        number = random_seed() if seed is None else check_seed(seed)
        self._attach(rules, bytearray(STATE_SIZE))
        self._past = None
        episode_code = EPISODES.index(episode)
        kernels.begin(self._states, self._rules_record, kernels.BEGIN_SHEET, np.uint64(number), episode_code)

    @classmethod
    def from_deal(
        cls,
        rules: Rules,
        hands: Sequence[Iterable[int | str]],
        talon: Sequence[Any],
        dealer: int = 0,
        scores: Iterable[int] | None = None,
        bolts: Iterable[int] | None = None,
        barrel: Iterable[int | None] | None = None,
        episode: str = "match",
        seed: int | None = None,
        *,
        falls: Iterable[int] | None = None,
        concessions: Iterable[int] | None = None,
        deals_scored: int = 0,
        deal_number: int = 0,
    ) -> Game:
        """A match whose first deal has given cards, on a given score sheet.

        ``hands``: one sequence a seat, the sitter's empty; ``talon``: one sequence, or a pair of them with two players;
        a sequence has ids or texts, or is one text such as ``"TH 9S"``. The sheet: see ``ScoreSheet.start``;
        ``deal_number`` deals were dealt before, void ones included. ``seed`` serves the later deals. Raises
        ``DealError`` with the reason for what cannot be.
        """
        game = cls.__new__(cls)
        game._begin(rules, seed, episode)
        record = game._states[0]
        dealt = _dealt_cards(rules, hands, talon, dealer)
        sheet = ScoreSheet.start(rules, scores, bolts, barrel, falls, concessions, deals_scored)
        number = whole("deal_number", deal_number, deals_scored, (rules.max_deals or SCORE_LIMIT) - 1)
        sheet.write(record)
        record["dealer"] = dealer
        record["deal_number"] = number
        record["hands"][: rules.players] = dealt[: rules.players]
        record["talon"][:] = dealt[rules.players :] + [0] * (2 - (len(dealt) - rules.players))
        if not kernels.begin(game._states, game._rules_record, kernels.BEGIN_DEALT, np.uint64(0), 0):
            raise DealError("a hand has four nines, which redeal_four_nines='mandatory' deals again")
        return game

    @classmethod
    def from_sheet(
        cls,
        rules: Rules | None = None,
        seed: int | None = None,
        episode: str = "match",
        *,
        scores: Iterable[int] | None = None,
        bolts: Iterable[int] | None = None,
        barrel: Iterable[int | None] | None = None,
        dealer: int | None = None,
        falls: Iterable[int] | None = None,
        concessions: Iterable[int] | None = None,
        deals_scored: int = 0,
    ) -> Game:
        """A match on a given score sheet (see ``ScoreSheet.start``), its deals from ``seed``.

        ``dealer`` deals first, None for the one that the seed draws; ``deals_scored`` deals were dealt before, so that
        the first is deal ``deals_scored`` of the seed. ``DealError`` for a sheet that cannot be.
        """
        game = cls.__new__(cls)
        game._begin(Rules() if rules is None else rules, seed, episode)
        sheet = ScoreSheet.start(game.rules, scores, bolts, barrel, falls, concessions, deals_scored)
        whole("deals_scored", deals_scored, 0, (game.rules.max_deals or SCORE_LIMIT) - 1)
        sheet.write(game._states[0])
        game._states["deal_number"] = sheet.deals_scored - 1
        if dealer is not None:
            game._states["dealer"] = whole("dealer", dealer, 0, game.rules.players - 1)
        kernels.begin(game._states, game._rules_record, kernels.BEGIN_MATCH, np.uint64(0), 0)
        return game

    @classmethod
    def from_record(cls, rules: Rules, record: bytes) -> Game:
        """A game from one record of the engine, as a match that begins with its current deal."""
        return cls._from_memory(rules, bytearray(record), None)

    @property
    def seed(self) -> int:
        """The seed of the deals."""
        return self._number("seed")

    @property
    def sheet(self) -> ScoreSheet:
        """The score sheet."""
        return ScoreSheet.read(self._states[0], self.rules.players)

    # Cards

    @property
    def hands(self) -> list[list[int]]:
        """Card ids in each hand, ascending; empty for a sitter."""
        return [mask_to_cards(cards) for cards in self._per_seat("hands")]

    @property
    def talon(self) -> list[int]:
        """Cards that still lie in the talon: with two players A's, then B's, and at last those of the one not taken."""
        return [card for cards in self.talons for card in cards]

    @property
    def talons(self) -> list[list[int]]:
        """The talon, or with two players A and B, as lists of card ids; a talon that was taken is empty."""
        taken = self._number("talon_taken")
        talons = self._states["talon"][0].tolist()[: 2 if self.rules.players == 2 else 1]
        return [[] if place == taken else mask_to_cards(cards) for place, cards in enumerate(talons)]

    @property
    def set_aside(self) -> list[int]:
        """Cards the declarer has put aside face down."""
        return mask_to_cards(self._number("aside"))

    @property
    def gifts(self) -> dict[int, int]:
        """The card given to each seat that has been given one in this deal."""
        return {seat: card for seat, card in enumerate(self._per_seat("gifts")) if card >= 0}

    def dealt(self) -> tuple[list[list[int]], list[list[int]]]:
        """The cards of the current deal as dealt: hands by seat, and the talon or talons."""
        is_closed = self.is_over and self.has_cards and self._past is not None
        memory = bytearray(self._past[1]) if is_closed and self._past else self._memory[:]
        states = np.frombuffer(memory, STATE_DTYPE)
        kernels.begin(states, self._rules_record, kernels.BEGIN_REWIND, np.uint64(0), 0)
        hands = [mask_to_cards(cards) for cards in states["hands"][0].tolist()[: self.rules.players]]
        talons = [mask_to_cards(cards) for cards in states["talon"][0].tolist() if cards]
        return hands, talons

    # Acting

    def apply(self, action: int) -> None:
        """Play an action. One that is not legal raises ``IllegalActionError`` and changes nothing."""
        if isinstance(action, str):
            raise IllegalActionError(self._refusal(f"{action!r}, a text that parse_action(text, game.rules) reads,"))
        try:
            number = operator.index(action)
        except TypeError:
            raise IllegalActionError(self._refusal(repr(action))) from None
        before = bytes(self._memory)
        outcome = (
            kernels.try_action(self._states, self._rules_record, number)
            if 0 <= number < NUM_ACTIONS
            else kernels.ILLEGAL
        )
        if outcome == kernels.CLOSED:
            self._past = (self._past, before, number)
        elif outcome == kernels.ILLEGAL:
            raise IllegalActionError(self._refusal(self._describe(number)))

    def closing(self, action: int, rules: Rules | None = None) -> Game:
        """A copy after an action that stops there if the deal is scored by it: over, with the deal still on the table.

        ``rules`` scores it under other rules of the same cards. The game itself stays as it is.
        """
        game = self._from_memory(self.rules if rules is None else rules, self._memory[:], self._past)
        episode = self._number("episode")
        game._states["episode"][0] = EPISODE_DEAL
        game.apply(action)
        game._states["episode"][0] = episode
        return game

    def _describe(self, number: int) -> str:
        return f"{number} ({action_name(number, self.rules)})" if 0 <= number < NUM_ACTIONS else f"{number}"

    def _refusal(self, action: str) -> str:
        if self.is_over:
            return f"action {action} is not legal: the episode is over, no action is"
        legal = ", ".join(self._describe(each) for each in self.legal_actions())
        return f"action {action} is not legal for seat {self.seat} in phase {self.phase!r}: legal are {legal}"

    def undo(self) -> None:
        """Take back the last action. ``IllegalActionError`` if none has been taken since the game was made."""
        if self._closed_last():
            assert self._past is not None
            self._past, before, _ = self._past
            self._attach(self.rules, bytearray(before))
        elif self._decisions() == 0:
            raise IllegalActionError("there is no action to undo")
        else:
            source = np.frombuffer(bytes(self._memory), STATE_DTYPE)
            kernels.replay_deal(self._states, self._rules_record, source, -1)

    def _decisions(self) -> int:
        """Actions taken in the current deal."""
        return self._number("log_size") + self._number("asked").bit_count()

    def _closed_last(self) -> bool:
        """Whether the last action closed a deal, so that the current one has not been acted in."""
        return self._past is not None and (self.is_over or self._decisions() == 0)

    def actions(self) -> list[tuple[int, int]]:
        """All actions since the game was made, as (seat, action)."""
        taken: list[tuple[int, int]] = []
        for game, closing in self.closed_deals():
            taken += game._deal_actions()
            assert game.seat is not None
            taken.append((game.seat, closing))
        return taken if self.is_over else taken + self._deal_actions()

    def closed_deals(self) -> Iterator[tuple[Game, int]]:
        """Of each earlier deal, void ones included, the game before the action that closed it, and that action."""
        chain = []
        past = self._past
        while past is not None:
            chain.append(past)
            past = past[0]
        for earlier, before, action in reversed(chain):
            yield self._from_memory(self.rules, bytearray(before), earlier), action

    def _deal_actions(self) -> list[tuple[int, int]]:
        """Actions of the current deal as they were chosen: what was declared automatically is a mere lead."""
        automatic = self.rules.marriage_declare == "automatic"
        return [
            (seat, plain_lead(action) if automatic else action) for seat, action in self.events() if action is not None
        ]

    def deal_start(self) -> Game:
        """The game at the first decision of the current deal."""
        memory = bytearray(self._past[1]) if self.is_over and self._past else self._memory[:]
        source = np.frombuffer(bytes(memory), STATE_DTYPE)
        kernels.replay_deal(np.frombuffer(memory, STATE_DTYPE), self._rules_record, source, 0)
        past = self._past[0] if self.is_over and self._past else self._past
        return self._from_memory(self.rules, memory, past)

    # Results

    def returns(self, reward: str = "relative") -> npt.NDArray[np.float64]:
        """What each seat has earned since the game was made, float64[n].

        ``score``: own change of score / 100. ``relative``: own change minus the mean of the others', / 100; sums to
        zero. ``win``: +1 for the winner of the match and -1/(n-1) for each other, in a deal episode for the largest
        change of score; 0 before the end and on truncation. See ``thousand_env.rewards``.
        """
        return rewards.earned(
            rewards.check_reward(reward),
            np.subtract(self.scores, self._first_scores()),
            episode=self.episode,
            winner=self.winner,
            is_over=self.is_over,
            truncated=self.truncated,
        )

    def _first_scores(self) -> list[int]:
        first = bytes(self._memory)
        past = self._past
        while past is not None:
            past, first, _ = past
        scores: list[int] = np.frombuffer(first, STATE_DTYPE)["scores"][0].tolist()
        return scores[: self.rules.players]

    # Copies, comparison, bytes

    @classmethod
    def _from_memory(cls, rules: Rules, memory: bytearray, past: Past) -> Game:
        game = cls.__new__(cls)
        game._attach(rules, memory)
        game._past = past
        return game

    def clone(self) -> Game:
        """An independent copy."""
        game = object.__new__(Game)
        game.rules = self.rules
        game._rules_record = self._rules_record
        game._memory = memory = self._memory[:]
        game._states = np.frombuffer(memory, STATE_DTYPE)
        game._past = self._past
        return game

    __copy__ = clone

    def __deepcopy__(self, memo: dict[int, Any]) -> Game:
        return self.clone()

    def __eq__(self, other: object) -> bool:
        """Whether two games have the same rules and the same position, wherever they came from."""
        return isinstance(other, Game) and self._memory == other._memory and self.rules == other.rules

    def __hash__(self) -> int:
        return hash((bytes(self._memory), self.rules))

    def __reduce__(self) -> tuple[Any, ...]:
        return Game.from_bytes, (self.to_bytes(),)

    def to_bytes(self) -> bytes:
        """The game with its rules and all that ``undo`` needs, in a form that ``from_bytes`` reads."""
        chain = [(bytes(game._memory), action) for game, action in self.closed_deals()]
        return game_bytes.pack(self.rules, [*chain, (bytes(self._memory), None)])

    @classmethod
    def from_bytes(cls, data: bytes) -> Game:
        """A game from ``to_bytes``. Anything that no game can have given raises ``ValueError`` with the reason."""
        rules, chain = game_bytes.unpack(data)
        past: Past = None
        for record, action in chain[:-1]:
            assert action is not None
            past = (past, record, action)
        return cls._from_memory(rules, bytearray(chain[-1][0]), past)

    # What a seat may know

    def view(self, seat: int) -> View:
        """Exactly what a seat may know of this position."""
        try:
            number = operator.index(seat)
        except TypeError:
            number = NOBODY
        if not 0 <= number < self.rules.players:
            raise ValueError(f"seat={seat!r} is not accepted: use 0 to {self.rules.players - 1}")
        memory = self._memory[:]
        records = np.frombuffer(memory, STATE_DTYPE), self._rules_record
        kernels.view_of(*records, number, False)
        before = None
        if self.is_over and self._past is not None and self._log():  # with a deal on the table
            before = (self._last_view(number), self._past[2])
        return View(self.rules, memory, number, type(self)._from_memory, before, records)

    def _last_view(self, seat: int) -> View:
        """What a seat knew before the action that ended the episode, with what the end has shown of the talon."""
        assert self._past is not None
        memory = bytearray(self._past[1])
        states = np.frombuffer(memory, STATE_DTYPE)
        if self.rules.players == 4:
            states["talon_seen"] = (1 << self.rules.players) - 1
        kernels.view_of(states, self._rules_record, seat, self._past[2] == REDEAL)
        return View(self.rules, memory, seat, type(self)._from_memory, None)

    def __repr__(self) -> str:
        acting = "over" if self.is_over else f"{self.phase}, seat {self.seat} to act"
        return f"<Game {self.rules!r} deal {self.deal_number}: {acting}, scores {self.scores}>"


def _dealt_cards(rules: Rules, hands: Sequence[Iterable[int | str]], talon: Sequence[Any], dealer: int) -> list[int]:
    """Card masks of the hands and the talons, or ``DealError`` with what is wrong with them."""
    if isinstance(dealer, bool) or not isinstance(dealer, int | np.integer) or not 0 <= dealer < rules.players:
        raise DealError(f"dealer={dealer!r} is not accepted: use a seat from 0 to {rules.players - 1}")
    given = _sequence(hands)
    if given is None:
        raise DealError(f"hands={hands!r} is not accepted: give a list with one sequence of cards for each seat")
    if len(given) != rules.players:
        raise DealError(
            f"hands has {len(given)} hands: give one for each of the {rules.players} seats, a sitter's empty"
        )
    talons = (_sequence(talon) or []) if rules.players == 2 else [talon]
    if rules.players == 2 and (len(talons) != 2 or any(isinstance(each, int) for each in talons)):
        raise DealError("talon must be a pair of sequences, talon A and talon B, with two players")
    groups = [(f"hand of seat {seat}", hand, rules.hand_size) for seat, hand in enumerate(given)]
    if rules.players == 4:
        groups[dealer] = (f"hand of seat {dealer}, who deals and sits out,", given[dealer], 0)
    groups += [
        ("talon" if len(talons) == 1 else f"talon {'AB'[i]}", each, rules.talon_size) for i, each in enumerate(talons)
    ]
    owners: dict[int, str] = {}
    masks = []
    for name, cards, size in groups:
        ids = _card_ids(name, cards)
        if len(ids) != size:
            raise DealError(f"{name} has {len(ids)} cards: it must have {size}")
        for card in ids:
            if card not in rules.deck:
                raise DealError(f"{name} has {card_name(card)}, which is not in the deck of these rules")
            if card in owners:
                raise DealError(f"{card_name(card)} is there twice: in {owners[card]} and in {name}")
            owners[card] = name
        masks.append(cards_to_mask(ids))
    return masks


def _sequence(values: Any) -> list[Any] | None:
    """A list, a tuple or an array as a list; None for anything else."""
    is_array = isinstance(values, np.ndarray) and values.ndim > 0
    return list(values) if is_array or (isinstance(values, Sequence) and not isinstance(values, str)) else None


def _card_ids(name: str, cards: Iterable[int | str]) -> list[int]:
    if isinstance(cards, str):
        cards = cards.split()
    try:
        return [card_id(card) for card in cards]
    except (ValueError, TypeError) as error:
        raise DealError(f"{name}: {error}") from None
