"""One game played by agents, with what each of them spent; no statistics, no seeds.

Agents get Views. What they choose is not compared with the legal actions beforehand: the game refuses what is not
legal. Whatever goes wrong in an agent ends the evaluation with an ``AgentError`` that says how to see it again.
"""

from __future__ import annotations

import operator
import signal
import sysconfig
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from traceback import extract_tb
from typing import Any, Final, NoReturn

from thousand_env.actions import FIRST_BID, FIRST_GIVE, IllegalActionError
from thousand_env.agents import Agent
from thousand_env.evaluation.cast import Cast
from thousand_env.evaluation.schedule import Seating, agent_seed, fixed_seed
from thousand_env.game import Game

FULL, PLAY, AUCTION = "full", "play", "auction"
PHASES: Final = (FULL, PLAY, AUCTION)
"""What is compared: everything; card play alone, after an auction and gifts by the fixed agent; auction and gifts
alone, before card play by the fixed agent."""

MOST_DECISIONS: Final = 1_000_000

INSTALLED: Final = tuple(sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib"))
"""Where Python and the libraries are."""


class AgentError(RuntimeError):
    """An agent has failed, or its action cannot be taken. It names the agent, its seat, and how to see it again."""


class Stopped(KeyboardInterrupt):
    """Ctrl-C or SIGTERM, with the number of the signal: told from a ``KeyboardInterrupt`` that an agent raises."""


@dataclass(frozen=True)
class Where:
    """Which game of an evaluation is being played: what an error has to say."""

    what: str
    """``deal`` or ``match``."""
    unit: int
    seed: int
    game_seed: int
    again: str = ""
    """How to see it again, if not by playing this unit alone."""


@dataclass
class Tally:
    """What each agent has spent: the fixed one stands last."""

    decisions: list[int]
    seconds: list[float]
    bids: list[tuple[int, int]] = field(default_factory=list)
    """(seat, action) of every bid and raise of the current game."""

    @classmethod
    def of(cls, cast: Cast) -> Tally:
        """An empty one."""
        agents = cast.fixed + 1
        return cls([0] * agents, [0.0] * agents)


def warm_up() -> None:
    """Compile or load the engine, so that the first unit does not pay for it."""
    game = Game(seed=0)
    assert game.seat is not None
    game.apply(game.view(game.seat).legal_actions()[0])


def play_game(game: Game, cast: Cast, seating: Seating, phase: str, tally: Tally, where: Where) -> None:
    """Play a game to its end: ``seating`` says by seat which agent of the cast sits there."""
    if phase == FULL:
        agents = _ready(cast, seating, where)
        _play(game, cast, (agents, agents), (seating, seating), tally, where)
        return
    fixed = [cast.fixed] * len(seating)
    own = (_ready(cast, seating, where), seating)
    third = (_ready(cast, fixed, where), fixed)
    before, cards = (third, own) if phase == PLAY else (own, third)
    _play(game, cast, (before[0], cards[0]), (before[1], cards[1]), tally, where)


def _ready(cast: Cast, seating: Sequence[int], where: Where) -> list[Agent]:
    """The agents of a seating, reset: their streams depend on unit and seat alone."""
    agents = []
    for seat, number in enumerate(seating):
        seed_of = fixed_seed if number == cast.fixed else agent_seed
        try:
            agent = cast.agent(number, seat)
            agent.reset(seed_of(where.seed, where.unit, seat))
        except BaseException as error:
            _fail(cast, number, seat, seating, where, "cannot be reset", error)
        agents.append(agent)
    return agents


def _play(
    game: Game,
    cast: Cast,
    agents: tuple[Sequence[Agent], Sequence[Agent]],
    numbers: tuple[Sequence[int], Sequence[int]],
    tally: Tally,
    where: Where,
) -> None:
    """Play with two sets of agents: for everything before the cards are played, and for these."""
    clock = time.perf_counter
    decisions, seconds, bids = tally.decisions, tally.seconds, tally.bids
    is_split = agents[0] is not agents[1]
    part = 0
    for _ in range(MOST_DECISIONS):
        seat = game.seat
        if seat is None:
            return
        if is_split:
            part = int(game.phase == "play")
        number = numbers[part][seat]
        view = game.view(seat)
        start = clock()
        try:
            action = agents[part][seat].act(view)
        except BaseException as error:
            _fail(cast, number, seat, numbers[part], where, "cannot act", error)
        seconds[number] += clock() - start
        decisions[number] += 1
        try:
            if type(action) is not int:
                action = plain_action(action)
            game.apply(action)
        except IllegalActionError as error:
            _fail(cast, number, seat, numbers[part], where, "has chosen wrongly", error)
        if FIRST_BID <= action < FIRST_GIVE:
            bids.append((seat, action))
    raise AgentError(
        f"{where.what} {where.unit} of seed {where.seed} is not over after {MOST_DECISIONS:,} decisions: "
        f"set max_deals in the rules"
    )


def plain_action(action: Any) -> Any:
    """What an agent has chosen as an ``int``, so that a NumPy integer of 8 bits does not overflow in what is counted.

    ``IllegalActionError`` for a flag; what else is no whole number stays as it is, and the game refuses it.
    """
    if isinstance(action, bool):
        raise IllegalActionError(f"action {action} is not legal: a flag is no action, use one of view.legal_actions()")
    try:
        return operator.index(action)
    except TypeError:
        return action


def is_of_the_user(error: BaseException) -> bool:
    """Whether an exception that came up in an agent is Ctrl-C or SIGTERM and no doing of the agent's."""
    if isinstance(error, Stopped) or not isinstance(error, KeyboardInterrupt):
        return isinstance(error, Stopped)
    is_main = threading.current_thread() is threading.main_thread()
    return is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler


def reason_of(error: BaseException) -> str:
    """What went wrong in an agent, and where in its code."""
    return str(error) if isinstance(error, IllegalActionError) else f"{type(error).__name__}: {error}{_line(error)}"


def _fail(
    cast: Cast, number: int, seat: int, seating: Sequence[int], where: Where, what: str, error: BaseException
) -> NoReturn:
    """Raise the ``AgentError`` for what an agent has raised, ``SystemExit`` included."""
    if is_of_the_user(error):
        raise error
    names = ", ".join(cast.name(each) for each in seating)
    place = f"at seat {seat} of ({names}) in {where.what} {where.unit} (Game seed {where.game_seed})"
    alone = f"see it again with seed={where.seed}, only={where.unit} (--seed {where.seed} --only {where.unit})"
    told = f"agent {cast.name(number)!r} {place} {what}: {reason_of(error)}; {where.again or alone}"
    raise AgentError(told) from error


def _line(error: BaseException) -> str:
    """Where in the agent's code it happened, not in the library that it has called, unless nothing else was."""
    frames: Any = extract_tb(error.__traceback__)[1:]
    own = [frame for frame in frames if not frame.filename.startswith(INSTALLED)] or frames
    return f" ({Path(own[-1].filename).name}, line {own[-1].lineno})" if own else ""
