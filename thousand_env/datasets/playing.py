"""Plays episodes and gives a row for every decision, with what its seat earned afterwards. Knows nothing of files.

Agents that all have ``act_batch`` play a block of episodes at once, each asked in one call for all rows that wait for
it. If one has not, the episodes are played one after another, with an instance of each agent at each seat, reset for
every episode. Rows depend on the seed, the number of the episode and, where agents draw numbers, the block.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from thousand_env.actions import NUM_ACTIONS, IllegalActionError
from thousand_env.agents import Agent, BatchAgent
from thousand_env.batch import GameBatch
from thousand_env.datasets.form import Arrays, pack_masks
from thousand_env.engine.state import OVER
from thousand_env.evaluation.cast import Cast
from thousand_env.evaluation.playing import AgentError, is_of_the_user, plain_action, reason_of
from thousand_env.keywords import available_cores
from thousand_env.observation import OBSERVATION, scales
from thousand_env.opponents import opponent_seed
from thousand_env.rules import Rules
from thousand_env.seeding import episode_seed

Ints = npt.NDArray[np.int64]

MOST_DECISIONS: Final = 100_000
_EXPLORE_TAG: Final = 0x6578706C6F7265


@dataclass(frozen=True)
class How:
    """What is played: see ``generate``."""

    rules: Rules
    episode: str
    reward: str
    seed: int
    epsilon: float


class Players:
    """Plays blocks of episodes by the agents of a cast. Its rows have int8 observations."""

    def __init__(self, cast: Cast, how: How) -> None:
        self._cast: Final = cast
        self._how: Final = how
        self._count: Final = cast.fixed
        everyone = [cast.agent(number, 0) for number in range(self._count)]
        self.is_batched: Final = all(isinstance(agent, BatchAgent) for agent in everyone)

    def block(self, first: int, count: int, done: Callable[[int], None] = lambda episodes: None) -> Arrays:
        """The rows of the episodes ``first`` to ``first + count - 1``; ``done`` is told how many of them are over.

        ``AgentError`` if an agent fails, chooses illegally, or the episodes do not end.
        """
        if self.is_batched:
            for number in range(self._count):
                self._reset(self._cast.agent(number, 0), number, first, first)
            rows = self._play(first, count, self._choose_batched)
            done(count)
            return rows
        parts = []
        for episode in range(first, first + count):
            for seat in range(self._how.rules.players):
                number = (seat + episode) % self._count
                self._reset(self._cast.agent(number, seat), seat, episode, episode)
            parts.append(self._play(episode, 1, self._choose_alone))
            done(len(parts))
        return join(parts)

    def _reset(self, agent: Agent, place: int, unit: int, episode: int) -> None:
        try:
            agent.reset(opponent_seed(self._how.seed, unit, place))
        except BaseException as error:
            self._fail(place % self._count, episode, "cannot be reset", error)

    def _play(self, first: int, count: int, choose: Callable[[GameBatch, Ints, Ints, Ints], Ints]) -> Arrays:
        """Play episodes side by side until all are over."""
        how = self._how
        games = self._begun(first, count)
        rng = np.random.default_rng([how.seed, _EXPLORE_TAG, first])
        live = np.flatnonzero((games.states["phase"] != OVER) & (games.books["episode"] == first + np.arange(count)))
        nothing = np.zeros(0, np.int64)
        log = [
            _decisions(games, nothing, first, 0, nothing, nothing, nothing)
        ]  # has the columns without a decision too
        for step in range(MOST_DECISIONS):
            if not len(live):
                return _by_episode(join(log))
            seat = games.seat[live].astype(np.int64)
            agent = (seat + first + live) % self._count
            actions = choose(games, live, agent, live + first)
            explored = rng.random(len(live)) < how.epsilon if how.epsilon else np.zeros(len(live), np.bool_)
            if explored.any():
                mask = games.action_mask[live[explored]]
                actions[explored] = (rng.random(mask.shape) * mask).argmax(-1)
            rows = _decisions(games, live, first, step, agent, actions, explored)
            scored = games.states["deals_scored"][live].copy()
            games.step(actions, live)
            rows["paid"] = games.states["deals_scored"][live] != scored
            rows["reward"] = games.reward[live].astype(np.float64)
            log.append(rows)
            live = live[~games.ended[live]]
        raise AgentError(
            f"episode {first + int(live[0])} is not over after {MOST_DECISIONS:,} decisions: set max_deals in the rules"
        )

    def _begun(self, first: int, count: int) -> GameBatch:
        """Games at the beginning of these episodes."""
        how = self._how
        games = GameBatch(
            count, how.rules, how.episode, how.reward, num_threads=available_cores(), observation_dtype="int8"
        )
        games.books["seed"] = how.seed
        games.books["episode"] = first + np.arange(count) - 1
        games.begin()
        return games

    def _choose_batched(self, games: GameBatch, live: Ints, agent: Ints, episode: Ints) -> Ints:
        actions = np.zeros(len(live), np.int64)
        for number in range(self._count):
            mine = np.flatnonzero(agent == number)
            if not len(mine):
                continue
            rows = live[mine]
            try:
                player: Any = self._cast.agent(number, 0)
                chosen = np.asarray(player.act_batch(as_floats(games.observation[rows]), games.action_mask[rows]))
            except BaseException as error:
                self._fail(number, int(episode[mine[0]]), "cannot act", error)
            if chosen.shape != rows.shape or chosen.dtype.kind not in "iu":
                told = f"act_batch gave {chosen.dtype} of shape {chosen.shape} instead of integers {rows.shape}"
                self._fail(number, int(episode[mine[0]]), "has chosen wrongly", IllegalActionError(told))
            actions[mine] = np.where(chosen < NUM_ACTIONS, chosen, NUM_ACTIONS)
            for place in games.illegal(actions[mine], rows)[:1].tolist():
                wrong = IllegalActionError(f"action {chosen[place]} is not legal")
                self._fail(number, int(episode[mine[place]]), "has chosen wrongly", wrong)
        return actions

    def _choose_alone(self, games: GameBatch, live: Ints, agent: Ints, episode: Ints) -> Ints:
        game, seat = games.game(0), int(games.seat[0])
        number = int(agent[0])
        try:
            action = self._cast.agent(number, seat).act(game.view(seat))
        except BaseException as error:
            self._fail(number, int(episode[0]), "cannot act", error)
        try:
            action = plain_action(action)
            game.apply(action)
        except IllegalActionError as error:
            self._fail(number, int(episode[0]), "has chosen wrongly", error)
        return np.array([action])

    def _fail(self, number: int, episode: int, what: str, error: BaseException) -> None:
        if is_of_the_user(error):
            raise error
        where = f"in episode {episode} (Game seed {episode_seed(self._how.seed, episode)})"
        raise AgentError(f"agent {self._cast.name(number)!r} {where} {what}: {reason_of(error)}") from error


def as_floats(observation: npt.NDArray[np.int8]) -> npt.NDArray[np.float32]:
    """The float32 form [N, K] of observations int8 [N, K]."""
    return np.divide(observation, scales(OBSERVATION.size), dtype=np.float32)


def join(parts: Sequence[Arrays]) -> Arrays:
    """Rows one after another."""
    return {column: np.concatenate([part[column] for part in parts]) for column in parts[0]}


def _decisions(
    games: GameBatch, live: Ints, first: int, step: int, agent: Ints, actions: Ints, explored: npt.NDArray[Any]
) -> Arrays:
    """Rows of decisions before they are played; ``paid`` and ``reward`` are those of the seats before any is."""
    return {
        "observation": games.observation[live],
        "action_mask": pack_masks(games.action_mask[live]),
        "action": actions.astype(np.uint8),
        "seat": games.seat[live],
        "agent": agent.astype(np.uint8),
        "explored": explored.astype(np.bool_),
        "episode": first + live,
        "step": np.full(len(live), step, np.int32),
        "deal": games.states["deal_number"][live].astype(np.int32),
        "paid": np.zeros(len(live), np.bool_),
        "reward": np.zeros((len(live), games.rules.players)),
    }


def _by_episode(rows: Arrays) -> Arrays:
    """Rows in order of episodes, each with what its seat earned; without the columns that say when it was paid."""
    order = np.argsort(rows["episode"], kind="stable")
    rows = {column: array[order] for column, array in rows.items()}
    paid, reward = rows.pop("paid"), rows.pop("reward")
    payments = reward[paid]
    whose = rows["episode"][paid]
    place = np.cumsum(paid) - paid  # the payment that follows a decision, if it is of the same episode
    to_go = payments.copy()
    bounds = [0, *(np.flatnonzero(np.diff(whose)) + 1).tolist(), len(whose)]
    for begin, end in itertools.pairwise(bounds):
        to_go[begin:end] = np.cumsum(payments[begin:end][::-1], axis=0)[::-1]
    comes = place < len(payments)
    comes[comes] = whose[place[comes]] == rows["episode"][comes]
    for column, earned in (("deal_return", payments), ("return_to_go", to_go)):
        rows[column] = np.zeros(len(place), np.float32)
        rows[column][comes] = earned[place[comes], rows["seat"][comes]]
    return rows
