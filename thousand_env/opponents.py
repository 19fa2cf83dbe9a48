"""The other seats at a learner's table: who plays them, which seat is whose, and the seeds that the agents start with.

Seats and seeds of episode ``e`` since ``reset(seed=s)`` follow from ``(s, e)`` by a hash of their own (BLAKE2b): they
say nothing about the deals of the same episode, nor about each other.
"""

from __future__ import annotations

import hashlib
import operator
from typing import Any, Final

from thousand_env.actions import IllegalActionError
from thousand_env.agents import Agent, load
from thousand_env.game import Game


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
        while seat is not None and seat != learner:
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

    def names_by_seat(self, learner: int, name: str) -> list[str]:
        """Names of all seats from 0, with that of the learner among them."""
        clockwise = [name, *self.names]
        return [clockwise[(seat - learner) % len(clockwise)] for seat in range(len(clockwise))]

    def _failure(self, place: int, learner: int, what: str, error: Exception) -> OpponentError:
        seat = (learner + 1 + place) % (len(self._agents) + 1)
        reason = f"{error}" if isinstance(error, IllegalActionError) else f"{type(error).__name__}: {error}"
        return OpponentError(f"opponent {self.names[place]!r} at seat {seat} {what}: {reason}")
