"""The game, its states and its observer as pyspiel wants them: thin skins over ``Node``. See the package's page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyspiel

from thousand_env.actions import NUM_ACTIONS
from thousand_env.engine.state import MAX_SEATS
from thousand_env.engine.tokens import TOKENS_A_SEAT
from thousand_env.observation import HISTORY_SIZE, OBSERVATION, encode, history
from thousand_env.open_spiel.node import TERMINAL, Node
from thousand_env.open_spiel.parameters import DEFAULTS, Setting
from thousand_env.view import View

SHORT_NAME: Final = "thousand"


def _game_type(is_zero_sum: bool) -> pyspiel.GameType:
    utility = pyspiel.GameType.Utility
    return pyspiel.GameType(
        short_name=SHORT_NAME,
        long_name="Thousand",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=utility.ZERO_SUM if is_zero_sum else utility.GENERAL_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=4,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=DEFAULTS,
    )


GAME_TYPE: Final = _game_type(is_zero_sum=True)


class ThousandGame(pyspiel.Game):
    """One rule set, episode and reward. ``ValueError`` (``RulesError``) names a parameter that is not accepted."""

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        given = {name: value for name, value in (params or {}).items() if DEFAULTS.get(name) != value}
        setting = Setting.of(given)
        low, high = setting.utilities()
        info = pyspiel.GameInfo(
            num_distinct_actions=NUM_ACTIONS,
            max_chance_outcomes=setting.rules.players + setting.num_talons,
            num_players=setting.rules.players,
            min_utility=low,
            max_utility=high,
            utility_sum=0.0 if setting.is_zero_sum else None,
            max_game_length=setting.longest,
        )
        super().__init__(_game_type(setting.is_zero_sum), info, given)
        self.setting: Final = setting
        self.root: Final = Node.root(setting)

    def __reduce__(self) -> tuple[Any, ...]:
        return pyspiel.load_game, (SHORT_NAME, self.get_parameters())

    def new_initial_state(self) -> ThousandState:
        """The state before the first deal."""
        return ThousandState(self)

    def max_chance_nodes_in_history(self) -> int:
        """The most chance nodes that an episode can have."""
        return self.setting.most_chance_nodes

    def make_py_observer(
        self, iig_obs_type: pyspiel.IIGObservationType | None = None, params: Mapping[str, Any] | None = None
    ) -> ThousandObserver | None:
        """An observer of all that one seat knows, with or without perfect recall; None for any other kind."""
        if params:
            raise ValueError(f"params={dict(params)!r} is not accepted: the observer has no parameters")
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if not kind.public_info or kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            return None
        return ThousandObserver(kind.perfect_recall)


class ThousandState(pyspiel.State):
    """A state: a node of the tree, and the history that pyspiel keeps."""

    def __init__(self, game: ThousandGame) -> None:
        super().__init__(game)
        self.node = game.root

    def current_player(self) -> int:
        """The seat to act, or pyspiel's number of chance or of the end."""
        return self.node.player

    def is_terminal(self) -> bool:
        """Whether the episode is over."""
        return self.node.player == TERMINAL

    def _legal_actions(self, player: int) -> list[int]:
        return self.node.legal_actions()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Outcomes, ascending, and their probabilities."""
        return self.node.chance_outcomes()

    def _apply_action(self, action: int) -> None:
        self.node = self.node.after(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return self.node.action_text(player, action)

    def returns(self) -> list[float]:
        """What each seat has earned; zeros before the end."""
        return self.node.returns()

    def __str__(self) -> str:
        return str(self.node)

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> ThousandState:
        """A new state in which ``player`` knows what it knows here, uniformly over the deals that agree with that.

        ``sampler`` gives numbers from 0 to 1, such as ``pyspiel.UniformProbabilitySampler()``. Earlier deals of a match
        stay as they were. ``ValueError`` at a chance node and at the end.
        """
        node = self.node
        if node.game is None or self.is_terminal():
            raise ValueError("resample_from_infostate needs a state in which a seat is to act")
        before = len(self.history()) - len(node.game.rules.deck) - len(node.game.actions())
        state = self.get_game().new_initial_state()
        for action in self.history()[:before]:
            state.apply_action(action)
        return _continued(state, node.past, node.game.view(player), sampler)


def state_from_view(game: ThousandGame, view: View, sampler: Callable[[], float]) -> ThousandState:
    """A state in which the observer of ``view`` knows just that: for bots of OpenSpiel that play as our agents.

    It is drawn as in ``resample_from_infostate``. Its history begins with the cards of this deal, and earlier deals are
    not in it. ``ValueError`` if the rules or the episode are others than the game's, or nobody is to act.
    """
    setting = game.setting
    if (view.rules, view.episode) != (setting.rules, setting.episode):
        raise ValueError(f"{view!r}, episode {view.episode!r}, is no view of {game}, which has {setting.rules!r}")
    if view.seat is None:
        raise ValueError(f"{view!r} has no seat to act")
    return _continued(game.new_initial_state(), game.root.past, view, sampler)


def _continued(state: ThousandState, past: tuple[str, ...], view: View, sampler: Callable[[], float]) -> ThousandState:
    """``state`` after a deal, drawn from those that agree with the view, and the actions of the view."""
    world = view.sample(np.random.default_rng([int(sampler() * 2**53), int(sampler() * 2**53)]))
    state.node = Node.beginning(state.node.setting, past, world)
    hands, talons = world.dealt()
    owners = {card: owner for owner, cards in enumerate([*hands, *talons]) for card in cards}
    for card in view.rules.deck:
        state.apply_action(owners[card])
    for _, action in world.actions():
        state.apply_action(action)
    return state


class ThousandObserver:
    """What a seat knows, as arrays and as text; pyspiel asks for both.

    ``tensor`` float32: the pieces of ``dict`` one after the other. ``observation`` ``[496]``; with perfect recall also
    ``player`` ``[4]``, one-hot, and ``history`` ``[96, 2]``, a pair for each action of the deal, zeros after the last.
    """

    def __init__(self, perfect_recall: bool) -> None:
        shapes: dict[str, tuple[int, ...]] = {"observation": (OBSERVATION.size,)}
        if perfect_recall:
            shapes |= {"player": (MAX_SEATS,), "history": (HISTORY_SIZE, 2)}
        self._perfect_recall: Final = perfect_recall
        self.tensor: Final = np.zeros(sum(int(np.prod(shape)) for shape in shapes.values()), np.float32)
        self.dict: Final[dict[str, npt.NDArray[np.float32]]] = {}
        start = 0
        for name, shape in shapes.items():
            stop = start + int(np.prod(shape))
            self.dict[name] = self.tensor[start:stop].reshape(shape)
            start = stop

    def set_from(self, state: ThousandState, player: int) -> None:
        """Write what ``player`` knows to the arrays."""
        self.tensor.fill(0)
        if state.node.game is None:
            return
        view = state.node.game.view(player)
        self.dict["observation"][:] = encode(view)
        if self._perfect_recall:
            self.dict["player"][player] = 1
            tokens = history(view).astype(np.float32)
            is_there = tokens >= 0
            self.dict["history"][:, 0] = (tokens // TOKENS_A_SEAT + 1) / MAX_SEATS * is_there
            self.dict["history"][:, 1] = (tokens % TOKENS_A_SEAT + 1) / TOKENS_A_SEAT * is_there

    def string_from(self, state: ThousandState, player: int) -> str:
        """What ``player`` knows, as text: with perfect recall, a line for each earlier deal comes first."""
        return state.node.information_text(player) if self._perfect_recall else state.node.observation_text(player)
