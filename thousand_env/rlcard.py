"""Thousand as an environment of RLCard, and RLCard's agents as agents of ours.

Importing this module registers ``"thousand"``::

    import rlcard
    import thousand_env.rlcard

    env = rlcard.make("thousand", {"rules": "mini2", "seed": 1})
    env.set_agents([agent] * env.num_players)
    trajectories, payoffs = env.run(is_training=True)

RLCard has no mask: its agents choose among ``state["legal_actions"]``, when they learn and when they play. Payoffs come
at the end. Only ``rlcard`` itself is imported here, not its agents, which need torch.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from gymnasium.error import ResetNeeded

from thousand_env.missing import not_installed

try:
    from rlcard.envs import Env
    from rlcard.envs.registration import register, registry
except ModuleNotFoundError as error:
    raise not_installed(error, "rlcard", "pip install rlcard setuptools") from None

from thousand_env.actions import NUM_ACTIONS, IllegalActionError, action_name, parse_action
from thousand_env.engine.state import EPISODES
from thousand_env.episodes import Episodes
from thousand_env.game import Game
from thousand_env.keywords import as_rules, flag, one_of, unknown_keyword
from thousand_env.observation import OBSERVATION, encode, encode_int8
from thousand_env.rewards import REWARDS
from thousand_env.seeding import check_seed
from thousand_env.view import View

__all__ = ["ENV_ID", "RLCardAgent", "ThousandEnv"]

ENV_ID: Final = "thousand"
CONFIG: Final[dict[str, Any]] = {
    "rules": None,
    "episode": "deal",
    "reward": "relative",
    "observation_dtype": "float32",
    "allow_step_back": False,
    "seed": None,
}
"""What an environment can be told, and what it is if it is not told."""

_ENCODERS: Final = {"float32": encode, "int8": encode_int8}


class ThousandEnv(Env):
    """One table. ``config`` is a mapping; ``ValueError`` names a key or a value that is not accepted.

    =====================  ============================================================================================
    ``rules``              ``Rules``, the name of a preset, a dict of options, or None for the default rules
    ``episode``            ``"deal"`` (the default) ends after one scored deal, ``"match"`` at the target
    ``reward``             of ``get_payoffs``: ``"relative"``, ``"score"`` or ``"win"``, see ``Game.returns``
    ``observation_dtype``  ``"float32"``, or ``"int8"`` for RLCard's DMC, whose buffers keep nothing else
    ``allow_step_back``    whether ``step_back`` may be used
    ``seed``               0..2**64 - 1: the e-th game, from 0, is ``Game(seed=episode_seed(seed, e))``; None: random
    =====================  ============================================================================================

    States are dicts: ``obs`` ``[496]`` as ``observation.encode`` gives it, ``legal_actions`` from action ids to None,
    empty for a seat that is not to move, ``raw_obs`` the ``View``, ``raw_legal_actions`` the same actions as texts, and
    ``action_record`` what the seat has seen of the actions of the current deal, as (seat, text), with ``"give ?"`` for
    a card that it does not know. ``state_shape`` and ``num_actions`` are what RLCard's networks ask for. An illegal
    action raises ``IllegalActionError`` and changes nothing; ``ResetNeeded`` before the first ``reset``.
    """

    timestep: int  # actions played, over all episodes

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        if config is not None and not isinstance(config, Mapping):
            raise ValueError(f"config={config!r} is not accepted: use a dict with any of {', '.join(CONFIG)}")
        for name in config or {}:
            if name not in CONFIG:
                raise ValueError(unknown_keyword(name, CONFIG))
        given = {**CONFIG, **(config or {})}
        self.name = ENV_ID
        self._rules: Final = as_rules(given["rules"])
        self._episode: Final[str] = one_of("episode", given["episode"], EPISODES)
        self._reward: Final[str] = one_of("reward", given["reward"], REWARDS)
        self._dtype: Final[str] = one_of("observation_dtype", given["observation_dtype"], tuple(_ENCODERS))
        given["allow_step_back"] = flag("allow_step_back", given["allow_step_back"])
        self.game = _Table(self._rules.players)
        super().__init__(given)
        self.state_shape = [[OBSERVATION.size] for _ in range(self.num_players)]
        self.action_shape = [None for _ in range(self.num_players)]

    def seed(self, seed: int | None = None) -> int | None:
        """Begin anew with this seed at the next ``reset``; None for a random one."""
        self.game.episodes = Episodes(self._rules, self._episode, None if seed is None else check_seed(seed))
        return seed

    def step(self, action: int | str, raw_action: bool = False) -> tuple[dict[str, Any], int]:
        """Play an action of the seat to move, an id or with ``raw_action`` a text: the next state, the next seat."""
        recorded, timestep = len(self.action_recorder), self.timestep
        try:
            next_state: tuple[dict[str, Any], int] = super().step(action, raw_action)
        except Exception:  # it has been counted before it was played
            del self.action_recorder[recorded:]
            self.timestep = timestep
            raise
        return next_state

    def step_back(self) -> tuple[dict[str, Any], int] | bool:
        """Take back the last action: the state and the seat to move again, or False at the beginning."""
        found: tuple[dict[str, Any], int] | bool = super().step_back()
        if found:
            self.action_recorder.pop()
        return found

    def get_payoffs(self) -> npt.NDArray[np.float64]:
        """What each seat has earned, float64 ``[n]``."""
        return self.game.position.returns(self._reward)

    def get_perfect_information(self) -> dict[str, Any]:
        """All cards, for analysis: hands and talon as ids, the seat to move, scores."""
        position = self.game.position
        return {
            "hand_cards": position.hands,
            "talon": position.talon,
            "current_player": position.seat,
            "scores": position.scores,
            "legal_actions": position.legal_actions(),
        }

    def _extract_state(self, view: View) -> dict[str, Any]:
        return state_of(view, self._dtype)

    def _decode_action(self, action_id: int) -> str:
        return action_name(action_id, self._rules)

    def _get_legal_actions(self) -> OrderedDict[int, None]:
        return OrderedDict.fromkeys(self.game.position.legal_actions())


class _Table:
    """What RLCard calls a game: it begins the next one, plays actions given as text, and takes them back."""

    def __init__(self, players: int) -> None:
        self.allow_step_back = False
        self.episodes: Episodes
        self._position: Game | None = None
        self._players: Final = players

    @property
    def position(self) -> Game:
        if self._position is None:
            raise ResetNeeded("no game has begun: call reset() first")
        return self._position

    @position.setter
    def position(self, position: Game) -> None:
        self._position = position

    def get_num_players(self) -> int:
        return self._players

    @staticmethod
    def get_num_actions() -> int:
        return NUM_ACTIONS

    def init_game(self) -> tuple[View, int]:
        self.position = self.episodes.begin()
        while self.position.is_over:  # all deals that the rules allow were void
            self.position = self.episodes.begin()
        return self._now()

    def step(self, action: str) -> tuple[View, int]:
        self.position.apply(parse_action(action, self.position.rules))
        return self._now()

    def step_back(self) -> bool:
        try:
            self.position.undo()
        except IllegalActionError:
            return False
        return True

    def get_player_id(self) -> int:
        seat = self.position.seat
        return 0 if seat is None else seat

    def get_state(self, player_id: int) -> View:
        return self.position.view(player_id)

    def is_over(self) -> bool:
        return self.position.is_over

    def _now(self) -> tuple[View, int]:
        seat = self.get_player_id()
        return self.position.view(seat), seat


def state_of(view: View, observation_dtype: str = "float32") -> dict[str, Any]:
    """What RLCard calls a state: see ``ThousandEnv``."""
    legal = view.legal_actions()
    return {
        "obs": _ENCODERS[observation_dtype](view),
        "legal_actions": OrderedDict.fromkeys(legal),
        "raw_obs": view,
        "raw_legal_actions": [action_name(action, view.rules) for action in legal],
        "action_record": [
            (seat, "give ?" if action is None else action_name(action, view.rules)) for seat, action in view.events()
        ],
    }


class RLCardAgent:
    """An ``Agent`` that plays what RLCard's agents say in ``eval_step``.

    ``agents``: one for all seats, or a sequence of one a seat, as RLCard's DMC trains them. ``observation_dtype``: as
    that of the environment they were trained in. RLCard's NFSP draws its actions with NumPy's global generator, which
    ``reset`` leaves alone: who wants the same games again calls ``numpy.random.seed``.
    """

    def __init__(self, agents: Any, observation_dtype: str = "float32") -> None:
        self._agents: Final = list(agents) if isinstance(agents, Sequence) else None
        for agent in [agents] if self._agents is None else self._agents:
            if isinstance(agent, type) or not callable(getattr(agent, "eval_step", None)):
                raise ValueError(
                    f"agents={agents!r} is not accepted: use an agent with eval_step, or one for each seat"
                )
        self._agent: Final = agents
        self._dtype: Final[str] = one_of("observation_dtype", observation_dtype, tuple(_ENCODERS))

    def reset(self, seed: int | None = None) -> None:
        """Nothing to forget."""

    def act(self, view: View) -> int:
        """The chosen action. ``ValueError`` if the observer is not to move, ``IllegalActionError`` for a wrong one."""
        if not view.legal_actions():
            raise ValueError(f"seat {view.observer} is not to move")
        if self._agents is not None and len(self._agents) != view.rules.players:
            raise ValueError(f"there are {len(self._agents)} agents for {view.rules.players} seats")
        agent = self._agent if self._agents is None else self._agents[view.observer]
        action, _ = agent.eval_step(state_of(view, self._dtype))
        if isinstance(action, (bool, float)) or action not in view.legal_actions():
            raise IllegalActionError(f"{type(agent).__name__} chose {action!r}, legal are {view.legal_actions()}")
        return int(action)


if ENV_ID not in registry.env_specs:
    register(ENV_ID, f"{__name__}:ThousandEnv")
