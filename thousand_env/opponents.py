"""The other seats at a learner's table: who plays them, which seat is whose, and the seeds that the agents start with.

Seats and seeds of episode ``e`` since ``reset(seed=s)`` follow from ``(s, e)`` by a hash of their own (BLAKE2b): they
say nothing about the deals of the same episode, nor about each other.
"""

from __future__ import annotations

import copy
import hashlib
import operator
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from thousand_env.actions import NUM_ACTIONS, IllegalActionError
from thousand_env.agents import Agent, BatchAgent, load
from thousand_env.batch import GameBatch
from thousand_env.game import Game

MOST_ACTIONS: Final = 100_000
NEVER_ASKED: Final = f"the learner has had nothing to decide in {MOST_ACTIONS:,} actions: these rules go on without him"


class OpponentError(RuntimeError):
    """An opponent has failed, or its action cannot be taken. It names the agent and its seat."""


def learner_seat(seed: int, episode: int, players: int) -> int:
    """The random seat of the learner in the ``episode``-th game since ``reset(seed=seed)``."""
    return _draw(f"learner {seed} {episode}") % players


def opponent_seed(seed: int, episode: int, place: int) -> int:
    """The seed, 0..2**64 - 1, of the opponent ``place`` seats clockwise of the one on the learner's left, from 0."""
    return _draw(f"opponent {seed} {episode} {place}")


def _draw(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


def as_action(action: Any) -> int:
    """An action as an int; ``IllegalActionError`` naming it for anything but an integer, truth values included."""
    number = as_integer(action)
    if number is None:
        raise IllegalActionError(f"action {action!r} of type {type(action).__name__} is not accepted: use an integer")
    return number


def as_integer(value: Any) -> int | None:
    """An integer of any kind as an int; None for anything else, truth values included."""
    if type(value).__name__ in ("bool", "bool_"):  # old versions of NumPy take theirs for an index
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None


class Opponents:
    """The agents of all seats but the learner's, clockwise from the learner: place 0 is the next seat.

    ``given`` is one agent for all places or a list of one each: a name, of which each place gets an agent of its own,
    or an ``Agent``, which is used as it is and may stand at several places. ``ValueError`` for anything else; names
    and their errors: see ``thousand_env.agents.load``.
    """

    def __init__(self, given: Any, players: int) -> None:
        places = players - 1
        accepted = f"use an agent's name or an Agent, or a list of {places} of them clockwise from the learner"
        if isinstance(given, list | tuple):
            if len(given) != places:
                raise ValueError(f"opponents={given!r} has {len(given)} agents for {players} players: {accepted}")
            named = [(f"opponents[{place}]", each) for place, each in enumerate(given)]
        else:
            named = [("opponents", given)] * places
        self.names: Final = tuple(each if isinstance(each, str) else type(each).__name__ for _, each in named)
        for name, each in named:
            if isinstance(each, type) or not isinstance(each, str | Agent):
                a_class = ", which is a class," if isinstance(each, type) else ""
                raise ValueError(f"{name}={each!r}{a_class} is not accepted: {accepted}")
        self._is_named: Final = [isinstance(each, str) for _, each in named]
        self._agents: Final = [load(each) if isinstance(each, str) else each for _, each in named]

    def begin(self, seed: int, episode: int, learner: int) -> None:
        """Reset each agent for an episode; one that stands at several places, with the seed of the first."""
        for place, agent in enumerate(self._agents):
            if not any(agent is earlier for earlier in self._agents[:place]):
                try:
                    agent.reset(opponent_seed(seed, episode, place))
                except Exception as error:
                    raise self._failure(place, learner, "cannot be reset", error) from error

    def play(self, game: Game, learner: int) -> None:
        """Play in a game until the learner has to decide or it is over. ``OpponentError`` if an opponent cannot."""
        seat = game.seat
        for _ in range(MOST_ACTIONS):
            if seat is None or seat == learner:
                return
            place = (seat - learner - 1) % game.rules.players
            try:
                action = self._agents[place].act(game.view(seat))
            except Exception as error:
                raise self._failure(place, learner, "cannot act", error) from error
            try:
                game.apply(as_action(action))
            except IllegalActionError as error:
                raise self._failure(place, learner, "has chosen wrongly", error) from error
            seat = game.seat
        raise OpponentError(NEVER_ASKED)

    def names_by_seat(self, learner: int, name: str) -> list[str]:
        """Names of all seats from 0, with that of the learner among them."""
        clockwise = [name, *self.names]
        return [clockwise[(seat - learner) % len(clockwise)] for seat in range(len(clockwise))]

    def _failure(self, place: int, learner: int, what: str, error: Exception, where: str = "") -> OpponentError:
        seat = (learner + 1 + place) % (len(self._agents) + 1)
        reason = f"{error}" if isinstance(error, IllegalActionError) else f"{type(error).__name__}: {error}"
        return OpponentError(f"opponent {self.names[place]!r} at seat {seat}{where} {what}: {reason}")


class BatchOpponents(Opponents):
    """The agents at ``num`` tables at once.

    One agent plays a place at all tables if it is a ``BatchAgent``, and then chooses for all of them in one call, or if
    it was given as an ``Agent``. Another that was given by name plays at one table: each has a copy of its own.
    """

    def __init__(self, given: Any, players: int, num: int) -> None:
        super().__init__(given, players)
        self._by_row: Final = [
            self._copies(place, num) if is_named and not isinstance(self._agents[place], BatchAgent) else None
            for place, is_named in enumerate(self._is_named)
        ]
        self._batches: Final = [
            (agent, np.array([each is agent for each in self._agents]))
            for place, agent in enumerate(self._agents)
            if isinstance(agent, BatchAgent) and not any(agent is earlier for earlier in self._agents[:place])
        ]
        self._acts_alone: Final = np.array([not isinstance(agent, BatchAgent) for agent in self._agents])

    def _copies(self, place: int, num: int) -> list[Agent]:
        agent = self._agents[place]
        try:
            return [agent, *(copy.deepcopy(agent) for _ in range(num - 1))]
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            raise ValueError(
                f"opponent {self.names[place]!r} is not accepted: each row needs a copy of it, "
                f"since it has no act_batch, and it cannot be copied: {reason}"
            ) from error

    def begin_row(self, row: int, seed: int, episode: int, learner: int) -> None:
        """Reset the agents that play at one table alone, for an episode there; ``begin`` resets the others."""
        for place, agents in enumerate(self._by_row):
            if agents is not None:
                try:
                    agents[row].reset(opponent_seed(seed, episode, place))
                except Exception as error:
                    raise self._failure(place, learner, "cannot be reset", error, f" in row {row}") from error

    def choose(self, games: GameBatch, rows: npt.NDArray[np.int64], learners: npt.NDArray[np.int64]) -> Any:
        """A legal action for each of some rows that wait for an opponent, int64 ``[len(rows)]``.

        ``learners`` are the learners' seats in these rows. ``OpponentError`` if an opponent cannot choose.
        """
        places = (games.seat[rows] - learners - 1) % games.rules.players
        actions = np.zeros(len(rows), np.int64)
        for agent, is_at in self._batches:
            mine = np.flatnonzero(is_at[places])
            if len(mine):
                actions[mine] = self._act_batch(agent, games, rows[mine], learners[mine])
        for index in np.flatnonzero(self._acts_alone[places]).tolist():
            actions[index] = self._act(games, int(rows[index]), int(learners[index]))
        return actions

    def _act(self, games: GameBatch, row: int, learner: int) -> int:
        seat = int(games.seat[row])
        place = (seat - learner - 1) % games.rules.players
        agents = self._by_row[place]
        agent = self._agents[place] if agents is None else agents[row]
        try:
            action = agent.act(games.game(row).view(seat))
        except Exception as error:
            raise self._failure(place, learner, "cannot act", error, f" in row {row}") from error
        if type(action) is not int or not 0 <= action < NUM_ACTIONS or not games.allows(row, action):
            return self._checked(games, row, learner, action)
        return action

    def _act_batch(
        self, agent: BatchAgent, games: GameBatch, rows: npt.NDArray[np.int64], learners: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        row, learner = int(rows[0]), int(learners[0])
        place = (int(games.seat[row]) - learner - 1) % games.rules.players
        where = f" in row {row}" + (f" and {len(rows) - 1} more" if len(rows) > 1 else "")
        try:
            actions = np.asarray(agent.act_batch(games.observation[rows], games.action_mask[rows]))
        except Exception as error:
            raise self._failure(place, learner, "cannot act", error, where) from error
        if actions.shape != rows.shape or actions.dtype.kind not in "iu":
            wrong = IllegalActionError(
                f"act_batch gave {actions.dtype} of shape {actions.shape}, it must give integers of shape {rows.shape}"
            )
            raise self._failure(place, learner, "has chosen wrongly", wrong, where)
        chosen = actions.astype(np.int64)
        for index in games.illegal(chosen, rows)[:1].tolist():
            self._checked(games, int(rows[index]), int(learners[index]), int(actions[index]))
        return chosen

    def _checked(self, games: GameBatch, row: int, learner: int, action: Any) -> int:
        """The action as an int if it is legal in a row, else ``OpponentError`` with the reason."""
        game = games.game(row)
        assert game.seat is not None
        place = (game.seat - learner - 1) % games.rules.players
        try:
            number = as_action(action)
            game.apply(number)
        except IllegalActionError as error:
            raise self._failure(place, learner, "has chosen wrongly", error, f" in row {row}") from error
        return number
