"""Best responses: what an opponent who knows an agent gains on it, exactly in small games, from below in full ones.

In a small game the best response is computed (see ``nash``) and comes as an agent that plays it. In a full game it has
to be learned: a ``Responder`` trains an agent against frozen copies of the given one, and what the trained agent then
gains in fresh deals is a lower bound on what a best response would. This module holds the interface and the measuring;
it trains nothing. A package offers a responder through the entry-point group ``thousand_env.responders``::

    [project.entry-points."thousand_env.responders"]
    my_responder = "my_package.my_module:train"
"""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Any, Final, Protocol, cast, runtime_checkable

import numpy as np
import numpy.typing as npt

from thousand_env import agents as agents_module
from thousand_env.actions import NUM_ACTIONS, IllegalActionError
from thousand_env.agents import Agent
from thousand_env.evaluation.nash import SmallRules, as_small_game, best_choices, values_of
from thousand_env.evaluation.playing import AgentError, is_of_the_user, plain_action, reason_of
from thousand_env.evaluation.policies import Policies, joint_policy
from thousand_env.evaluation.schedule import draw
from thousand_env.evaluation.small_game import SmallGame, seats_of, view_key
from thousand_env.game import Game
from thousand_env.keywords import as_rules, whole_number
from thousand_env.rewards import check_reward
from thousand_env.rules import Rules
from thousand_env.seeding import check_seed, random_seed
from thousand_env.view import View

ENTRY_POINT_GROUP: Final = "thousand_env.responders"
MOST: Final = 10**12
Progress = Callable[[str, int, int], None]
"""Is told what is being done (``"training"``, ``"measuring"``), how much of it is done, and how much there is."""

_NORMAL_95: Final = 1.959963984540054


@runtime_checkable
class Responder(Protocol):
    """Trains an opponent for an agent."""

    def __call__(self, agent: Agent, rules: Rules, budget: int, seed: int) -> Agent:
        """A new agent that plays well against copies of ``agent`` at all other seats, each in turn at every seat.

        ``agent`` is frozen: it must not be changed. ``budget`` is the most decisions that training may take; the same
        ``seed`` gives the same agent. It is a hash of the seed of ``best_response`` and says nothing about the deals
        that the agent will be measured in.

        One that has a keyword ``progress`` is given ``progress(done, budget)`` to call, if whoever asked wants to know.
        """
        ...


@dataclass(frozen=True)
class BestResponse:
    """What a seat gains by playing against the others' policy, in units of the reward (1 is 100 points of score).

    ``value``: what the responding seat expects; ``gain``: how much more than the policy in its place. ``exact``: found
    by a full tree walk; otherwise it was learned, and ``gain`` is measured: a lower bound, with ``interval`` (95 %).
    ``seat`` None: the mean over all seats, each responding alone. ``agent`` plays the response.
    """

    value: float
    gain: float
    agent: Agent
    seat: int | None
    rules: Rules
    reward: str
    exact: bool
    interval: tuple[float, float]
    facts: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Everything but the agent as plain numbers and texts."""
        return {
            "value": self.value,
            "gain": self.gain,
            "seat": self.seat,
            "rules": self.rules.to_dict(),
            "reward": self.reward,
            "exact": self.exact,
            "interval": list(self.interval),
            "facts": self.facts,
        }


class TableAgent:
    """Plays the best response of a seat, or of each seat, in a small game: one action for each choice, from a table.

    It knows no other game: a view that is not in the table is a ``ValueError``.
    """

    def __init__(self, game: SmallGame, slots: npt.NDArray[np.int64], seat: int | None) -> None:
        keys = game.keys(game.choices(seat))
        self._actions: dict[bytes, int] = dict(zip(keys, game.slot_action[slots].tolist(), strict=True))
        self.rules: Final = game.rules
        self.seat: Final = seat

    def reset(self, seed: int | None = None) -> None:
        """Nothing to forget: the agent has no memory and draws no numbers."""

    def act(self, view: View) -> int:
        """The action of the table, or the only legal one. ``ValueError`` outside the small game or the seat."""
        legal = view.legal_actions()
        if not legal:
            raise ValueError(f"seat {view.observer} is not to move: there is no legal action")
        if len(legal) == 1:
            return legal[0]
        action = self._actions.get(view_key(view)) if view.rules == self.rules else None
        if action is None:
            whose = "any seat" if self.seat is None else f"seat {self.seat}"
            raise ValueError(f"{view!r} is not in the table, which is for {whose} of the small game of {self.rules!r}")
        return action

    def action_probabilities(self, view: View) -> npt.NDArray[np.float64]:
        """float64 ``[130]``: 1 for the action that ``act`` chooses, 0 for all others. ``ValueError`` as in ``act``."""
        probabilities = np.zeros(NUM_ACTIONS)
        probabilities[self.act(view)] = 1
        return probabilities


def best_response(
    agent: Policies,
    rules: SmallRules = "mini2",
    *,
    seat: int | None = None,
    reward: str = "relative",
    budget: int | None = None,
    responder: str | Responder | None = None,
    deals: int = 2000,
    seed: int | None = 0,
    progress: Progress | None = None,
) -> BestResponse:
    """The best response to an agent; ``agent`` may be any of ``nash.nash_conv``'s profiles in a small game.

    ``seat``: who responds; None: each seat alone, and the mean of what they gain. Without ``budget`` the game must be
    small (see ``SmallGame``) and the answer is exact. With it, a whole number of decisions for training, ``agent`` must
    be one ``Agent`` or a name and plays all other seats; ``responder`` trains (a function, or the name of one that is
    installed; it may be left out if there is only one), and the gain is measured in ``deals`` fresh deals, each played
    once with the responder at every seat that it takes, and once with the agent alone. Training, deals and agents have
    streams of their own, BLAKE2b of ``seed`` (None for a random one): see ``schedule`` on what that guards against, and
    what not. ``ValueError`` names what is not accepted, and says so if no responder is installed; ``AgentError`` if an
    agent fails in the measuring.
    """
    check_reward(reward)
    if budget is None:
        return _exact(agent, as_small_game(rules), seat, reward)
    whole_number("budget", budget, MOST)
    whole_number("deals", deals, MOST)
    seed = random_seed() if seed is None else check_seed(seed)
    played = rules.rules if isinstance(rules, SmallGame) else as_rules(rules)
    seats = seats_of(played, seat)
    train = _found_responder(responder)
    frozen = agents_module.from_text(agent) if isinstance(agent, str) else agent
    if not isinstance(frozen, Agent):
        raise TypeError(f"agent={frozen!r:.80} is not accepted with budget: use one Agent or the name of one")
    if progress is not None and "progress" in inspect.signature(train).parameters:
        train = functools.partial(cast(Any, train), progress=functools.partial(progress, "training"))
    trained = train(copy.deepcopy(frozen), played, budget, draw("response training", seed))
    if isinstance(trained, type) or not isinstance(trained, Agent):
        raise TypeError(f"the responder gave {trained!r:.80}, which is no agent: it lacks act(view) or reset(seed)")
    gains, values = _measure(trained, frozen, played, seats, reward, deals, seed, progress)
    half = _NORMAL_95 * float(gains.std(ddof=1)) / deals**0.5 if deals > 1 else float("inf")
    gain = float(gains.mean())
    facts = {"budget": budget, "deals": deals, "seed": seed}
    interval = (gain - half, gain + half)
    return BestResponse(float(values.mean()), gain, trained, seat, played, reward, False, interval, facts)


def _exact(agent: Policies, game: SmallGame, seat: int | None, reward: str) -> BestResponse:
    slots = joint_policy(game, agent)
    now = values_of(game, slots, reward)
    seats = seats_of(game.rules, seat)
    table = np.zeros(len(game.choice_seat), np.int64)
    values = []
    for each in seats:
        value, table[game.choices(each)] = best_choices(game, slots, each, reward)
        values.append(value)
    value, gain = float(np.mean(values)), float(np.mean(np.subtract(values, now[seats])))
    facts = {"deals": game.deals, "terminal_histories": game.terminal_histories, "dealers": list(game.dealers)}
    responder = TableAgent(game, table[game.choices(seat)], seat)
    return BestResponse(value, gain, responder, seat, game.rules, reward, True, (gain, gain), facts)


def installed_responders() -> list[str]:
    """Names of the responders that are installed, in order."""
    return sorted(entry.name for entry in entry_points(group=ENTRY_POINT_GROUP))


def _found_responder(responder: str | Responder | None) -> Responder:
    if responder is not None and not isinstance(responder, str):
        if not callable(responder):
            raise TypeError(f"responder={responder!r:.80} is not accepted: use a function or the name of one")
        return responder
    found = {entry.name: entry for entry in entry_points(group=ENTRY_POINT_GROUP)}
    names = ", ".join(sorted(found)) or "none is installed"
    if not found:
        raise ValueError(
            f"a best response with budget needs a responder, and none is installed in the group {ENTRY_POINT_GROUP!r}: "
            "give responder=FUNCTION, or leave budget out for a small game"
        )
    if responder is None:
        if len(found) > 1:
            raise ValueError(f"responder=None is not accepted, there are several: use one of {names}")
        responder = next(iter(found))
    if responder not in found:
        raise ValueError(f"responder={responder!r} is not accepted: installed are {names}")
    return cast(Responder, found[responder].load())


def _measure(
    trained: Agent,
    frozen: Agent,
    rules: Rules,
    seats: list[int],
    reward: str,
    deals: int,
    seed: int,
    progress: Progress | None,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """The gain and the value of the responder in each deal, float64[deals]: the mean over the seats that it takes.

    Each seat's random stream is fixed by the deal, whoever sits there, and apart from the streams of the cards and of
    training.
    """
    players = rules.players
    copies = [copy.deepcopy(frozen) for _ in range(players)]
    gains, values = np.empty(deals), np.empty(deals)
    for deal in range(deals):
        start = Game(rules, draw("response cards", seed, deal), episode="deal")
        seeds = [draw("response agent", seed, deal, each) for each in range(players)]
        base = _returns(start.clone(), copies, seeds, reward)
        tried = [_returns(start.clone(), [*copies[:s], trained, *copies[s + 1 :]], seeds, reward)[s] for s in seats]
        values[deal] = np.mean(tried)
        gains[deal] = np.mean(np.subtract(tried, base[seats]))
        if progress is not None:
            progress("measuring", deal + 1, deals)
    return gains, values


def _returns(game: Game, agents: list[Agent], seeds: list[int], reward: str) -> npt.NDArray[np.float64]:
    seat = 0
    try:
        for seat, each in enumerate(seeds):
            agents[seat].reset(each)
        while (mover := game.seat) is not None:
            seat = mover
            game.apply(plain_action(agents[mover].act(game.view(mover))))
    except BaseException as error:
        if is_of_the_user(error):
            raise
        what = "has chosen wrongly" if isinstance(error, IllegalActionError) else "has failed"
        place = f"{type(agents[seat]).__name__!r} at seat {seat} {what} while a response was measured"
        raise AgentError(f"agent {place} (Game seed {game.seed}): {reason_of(error)}") from error
    return game.returns(reward)
