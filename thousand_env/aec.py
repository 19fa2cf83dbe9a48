"""The AEC environment without the checks of ``env()``: see ``thousand_env.thousand_v0``, the page of the environment.

It is a skin: the rules of play are the engine's, which episode is which game is ``episodes``', rewards are
``rewards``'.
"""

from __future__ import annotations

import importlib
import operator
import sys
from collections.abc import Iterator, Mapping
from itertools import repeat
from typing import Any, ClassVar, Final, Unpack

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from pettingzoo.utils.env import AECEnv, AECIterable
from pettingzoo.utils.env_logger import EnvLogger

from thousand_env.actions import NUM_ACTIONS, IllegalActionError
from thousand_env.desk import CLOSED, NOBODY, REFUSED, Desk
from thousand_env.episodes import Episodes
from thousand_env.game import Game
from thousand_env.observation import STATE, encode_state
from thousand_env.render import ansi, output
from thousand_env.rewards import earned
from thousand_env.settings import ILLEGAL_REWARD, RENDER_MODES, Keywords, Settings
from thousand_env.sheet import whole
from thousand_env.view import View

_NUMBERS_STREAM: Final = 0x6E705F72616E646F


class NoActionError(IllegalActionError):
    """What was given as an action is none: no integer from 0 to 129."""


class AgentIterable(AECIterable[str, Any, Any]):
    """The agents in turn, as ``AECIterable`` gives them."""

    def __iter__(self) -> Iterator[str]:
        env = self.env
        for _ in repeat(None, min(self.max_iter, sys.maxsize)):
            if not env.agents:
                return
            yield env.agent_selection


class ThousandEnv(AECEnv[str, Any, Any]):
    """Thousand as an AEC environment; all keywords, spaces, rewards and options are described in ``thousand_v0``."""

    metadata: ClassVar[dict[str, Any]] = {
        "name": "thousand_v0",
        "render_modes": list(RENDER_MODES),
        "render_fps": 2,
        "is_parallelizable": False,
    }

    def __init__(self, **keywords: Unpack[Keywords]) -> None:
        super().__init__()
        settings = self.settings = Settings(**keywords)
        self.rules: Final = settings.rules
        self.render_mode: Final = settings.render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(self.rules.players)]
        self.observation_spaces = {agent: settings.observation_space() for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(NUM_ACTIONS) for agent in self.possible_agents}
        self.state_space: Final = spaces.Box(-1.0, 1.0, (STATE.size,), np.float32)
        self._seats: Final = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._episodes: Final = Episodes(self.rules, settings.episode)
        self._numbers: np.random.Generator | None = None
        self._is_plain: Final = not (settings.history or settings.flat_observation)
        self._has_extras: Final = settings.mask_in_info or settings.render_mode == "human"
        self._lines_drawn = 0

    # Spaces

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The observation space of an agent, the same object at each call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """``Discrete(130)``, the same object at each call."""
        return self.action_spaces[agent]

    # Playing

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Start the next episode, or with a seed the first of that seed; ``options`` as in ``thousand_v0``.

        ``ValueError`` for a seed or an option that cannot be leaves everything as it was.
        """
        game = self._episodes.begin(seed, options)
        desk: Desk | None = getattr(self, "_desk", None)
        if desk is None:
            self._desk = Desk(game)
        else:
            desk.take(game)
        self._numbers = None
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection: str | None = None
        self._scores = game.scores
        self.agent_selection = self.agents[0]
        self._go_on(game.seat, game.truncated)  # it is over at once if all deals were void
        if self._has_extras:
            self._add_extras()

    def step(self, action: Any) -> None:
        """Play the action of ``agent_selection``, any integer type; ``None`` for an agent that is done."""
        try:
            agent = self.agent_selection
            is_done = self.terminations[agent] or self.truncations[agent]
        except (AttributeError, KeyError):
            raise IllegalActionError("no agent is there to step: call reset()") from None
        if is_done:
            self._was_dead_step(None if action is None else _number(action))
            return
        number = int(action) if type(action) is np.int64 or type(action) is int else -1
        if not 0 <= number < NUM_ACTIONS:  # other kinds of integers, and what is none
            number = _number(action)
        outcome = self._desk.play(number)
        if outcome == REFUSED and self.settings.illegal == "raise":
            self._desk.game.apply(number)  # says what is legal
        if outcome >= 0:  # at once, so that an interrupt finds who is to move as the game has it
            self._mover = outcome
            self.agent_selection = self.possible_agents[outcome]
        self._cumulative_rewards[agent] = 0.0
        rewards, infos = self.rewards, self.infos
        for each in self.agents:
            rewards[each] = 0.0
            infos[each] = {}
        if outcome == CLOSED:
            self._close_deal()
        elif outcome == REFUSED:
            self._punish(agent)
        if self._has_extras:
            self._add_extras()

    def _close_deal(self) -> None:
        """Pay what the deal has earned, and go on with the next deal or end the episode."""
        game = self._desk.game
        scores = game.scores
        change = [after - before for after, before in zip(scores, self._scores, strict=True)]
        self._scores = scores
        seat = game.seat
        is_over = seat is None
        truncated = is_over and game.truncated
        self._go_on(seat, truncated)
        rewards = earned(
            self.settings.reward,
            change,
            episode=self.settings.episode,
            winner=game.winner if is_over else None,
            is_over=is_over,
            truncated=truncated,
        )
        self.rewards.update(zip(self.possible_agents, rewards.tolist(), strict=True))
        self._accumulate_rewards()

    def _go_on(self, seat: int | None, truncated: bool) -> None:
        """With the next decision, or to the end if there is none."""
        if seat is None:
            self._end(truncated)
        else:
            self._mover = seat
            self.agent_selection = self.possible_agents[seat]

    def _punish(self, agent: str) -> None:
        """After an illegal action: -1 for it, and with ``illegal="terminate"`` the end.

        PettingZoo's wrapper sets terminations and truncations; here it is terminations alone, as at any other end:
        trainers that look for one flag on all agents, and checkers that take a truncation for a time limit, need that.
        """
        self.rewards[agent] = ILLEGAL_REWARD
        self._accumulate_rewards()
        if self.settings.illegal == "terminate":
            EnvLogger.warn_on_illegal_move()
            self._end(truncated=False)

    def _end(self, truncated: bool) -> None:
        """All agents are done, all by the same flag."""
        self._mover = NOBODY
        flags = self.truncations if truncated else self.terminations
        flags.update(dict.fromkeys(self.agents, True))
        self._deads_step_first()

    def _add_extras(self) -> None:
        if self.settings.mask_in_info:
            for agent in self.agents:
                self.infos[agent]["action_mask"] = self._mask(self._seats[agent])
        if self.render_mode == "human":
            self.render()

    def agent_iter(self, max_iter: int = 2**63) -> AgentIterable:
        """The agent to step, again and again until none is left; for a loop that steps once each time."""
        return AgentIterable(self, max_iter)

    # Looking

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Observation (None without ``observe``), reward since its last step, flags and info of ``agent_selection``."""
        try:
            agent = self.agent_selection
        except AttributeError:
            raise AttributeError("agent_selection cannot be accessed before reset") from None
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def observe(self, agent: str) -> Any:
        """New arrays of what an agent sees, whoever is to act, also after the end."""
        try:
            seat = self._seats[agent]
            desk = self._desk
        except (KeyError, TypeError):
            known = ", ".join(map(repr, self.possible_agents))
            raise ValueError(f"agent={agent!r} is not accepted: use one of {known}") from None
        except AttributeError:
            EnvLogger.error_observe_before_reset()
        if seat == self._mover:
            seen, mask = desk.seen.copy(), desk.mask.copy()
        else:
            seen, mask = desk.look(seat), np.zeros(NUM_ACTIONS, np.int8)
        if self._is_plain:
            return {"observation": seen, "action_mask": mask}
        if self.settings.flat_observation:
            return seen
        return {"observation": seen, "action_mask": mask, "history": desk.history(seat)}

    def _mask(self, seat: int) -> npt.NDArray[np.int8]:
        return self._desk.mask.copy() if seat == self._mover else np.zeros(NUM_ACTIONS, np.int8)

    def state(self, seat: int = 0) -> npt.NDArray[np.float32]:
        """A new float32 ``[M]`` with all cards, for centralised critics; places are relative to ``seat``."""
        if not self._has_begun():
            EnvLogger.error_state_before_reset()
        return encode_state(self._desk.game, whole("seat", seat, 0, self.rules.players - 1))

    @property
    def game(self) -> Game:
        """A copy of the game being played, for agents that take a ``View`` and for search; it shows all cards."""
        if not self._has_begun():
            raise AttributeError("game cannot be accessed before reset")
        return self._desk.game.clone()

    def _has_begun(self) -> bool:
        return self._episodes.number >= 0

    @property
    def np_random(self) -> np.random.Generator:
        """Random numbers for wrappers, set by the episode's seed; the deals do not come from here."""
        if self._numbers is None:
            seed = self._episodes.seed
            self._numbers = np.random.default_rng(
                None if seed is None else [_NUMBERS_STREAM, seed, self._episodes.number]
            )
        return self._numbers

    @np_random.setter
    def np_random(self, generator: np.random.Generator) -> None:
        self._numbers = generator

    # Rendering

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """The table as the seat to act sees it (seat 0 after the end); with ``open_cards`` all of it.

        ``ansi``: a text. ``rgb_array``: uint8 ``[H, W, 3]``. ``human``: prints the text, in place in a terminal, and
        gives None. Without a render mode: None, with a warning.
        """
        if self.render_mode is None:
            EnvLogger._generic_warning(
                "[WARNING]: render() was called without a render mode: "
                f"use one of render_mode={', '.join(map(repr, RENDER_MODES))}"
            )
            return None
        if not self._has_begun():
            EnvLogger.error_render_before_reset()
        position = self._position()
        if self.render_mode == "rgb_array":
            picture: npt.NDArray[np.uint8] = importlib.import_module("thousand_env.render.picture").rgb_array(position)
            return picture
        if self.render_mode == "ansi":
            return ansi.render(position)
        self._print(ansi.render(position, unicode=output.writes_suits()))
        return None

    def _position(self) -> Game | View:
        game = self._desk.game
        if self.settings.open_cards:
            return game
        return game.view(0 if game.seat is None else game.seat)

    def _print(self, text: str) -> None:
        if output.is_terminal():
            if self._lines_drawn:
                text = f"\x1b[{self._lines_drawn}F\x1b[J{text}"
            self._lines_drawn = text.count("\n") + 1
        output.print_text(text)

    def close(self) -> None:
        """Nothing is held that would have to be released."""
        self._lines_drawn = 0


def _number(action: Any) -> int:
    """An action as a Python integer 0..129; a truth value is none."""
    try:
        number = -1 if isinstance(action, bool | np.bool_) else operator.index(action)
    except TypeError:
        number = -1
    if not 0 <= number < NUM_ACTIONS:
        raise NoActionError(
            f"action {action!r} is not accepted: use an integer from 0 to {NUM_ACTIONS - 1}, "
            "or None for an agent that is done"
        )
    return number
