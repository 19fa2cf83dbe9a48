"""``Thousand-v0``: one learner at a table of given agents, as a Gymnasium environment.

``reset`` and ``step`` play the opponents until the learner has to decide or the episode is over. The ``e``-th episode
since ``reset(seed=s)`` is ``Game(seed=episode_seed(s, e))``. An episode in which the learner has nothing to decide,
such as a single deal that he sits out with four players, cannot be shown by Gymnasium's ``reset``: it counts in ``e``
and the next one is played.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any, Final, Unpack

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.error import ResetNeeded

from thousand_env.actions import NUM_ACTIONS, IllegalActionError
from thousand_env.agents import Agent
from thousand_env.episodes import RESET_OPTIONS, Episodes
from thousand_env.game import Game
from thousand_env.observation import encode, history
from thousand_env.opponents import Opponents, as_action, as_integer, learner_seat
from thousand_env.render import output
from thousand_env.render.ansi import render
from thousand_env.rewards import earned
from thousand_env.settings import ILLEGAL_REWARD, RENDER_MODES, Keywords, Settings

DEFAULT_OPPONENT: Final = "heuristic"
PATIENCE: Final = 100
"""So many episodes without a decision for the learner, one after another, are not passed over but refused."""

Observation = npt.NDArray[np.float32] | dict[str, npt.NDArray[Any]]
"""float32 ``[K]``, or ``observation`` float32 ``[K]``, ``action_mask`` int8 ``[130]`` and perhaps ``history`` int16."""
Info = dict[str, Any]


class SingleSeatEnv(gymnasium.Env[Any, Any]):
    """One learner against given agents.

    ``seat``: the learner's, or None for a random one each episode. ``opponents``: an agent's name or an ``Agent`` for
    all others, or a list of them clockwise from the learner; a name gives each seat an agent of its own, an ``Agent``
    is used as it is, so do not share one between environments that are played at the same time. ``rules``: ``Rules``, a
    preset's name or a dict of options. ``episode``: ``"match"`` or ``"deal"``. ``reward``: a scheme of
    ``thousand_env.rewards``.

    The observation is a dict of ``observation`` (float32 ``[K]``), ``action_mask`` (int8 ``[130]``) and with
    ``history=True`` of ``history`` (int16 ``[H]``), or with ``flat_observation=True`` the first alone. ``info`` is
    empty, but for an ``action_mask`` of its own with ``mask_in_info=True`` or ``flat_observation=True``.

    ``illegal``: what an action does that is not legal. ``"terminate"`` ends the episode with reward -1, ``"raise"``
    raises ``IllegalActionError``, ``"penalty"`` pays -1 and asks again. ``render_mode``: ``"ansi"`` returns text,
    ``"rgb_array"`` uint8 ``[height, width, 3]``, ``"human"`` prints the text at each reset and step; all show what the
    learner knows, or with ``open_cards=True`` all cards. ``ValueError`` names a keyword's value that is not accepted.
    """

    metadata: dict[str, Any] = {"name": "Thousand-v0", "render_modes": list(RENDER_MODES), "render_fps": 2}  # noqa: RUF012

    def __init__(
        self,
        *,
        seat: int | None = 0,
        opponents: str | Agent | Sequence[str | Agent] = DEFAULT_OPPONENT,
        **keywords: Unpack[Keywords],
    ) -> None:
        keywords.setdefault("illegal", "terminate")
        settings = self.settings = Settings(**keywords)
        self.rules: Final = settings.rules
        self.render_mode = settings.render_mode
        self._fixed_seat: Final = as_seat(seat, self.rules.players)
        self._opponents: Final = Opponents(opponents, self.rules.players)
        self.action_space = spaces.Discrete(NUM_ACTIONS)
        self.observation_space = settings.observation_space()
        self._episodes = Episodes(self.rules, self.settings.episode)
        self._seat = self._fixed_seat
        self._game: Game | None = None
        self._paid: list[int] = []  # the scores that the learner has been paid for
        self._ended = False

    @property
    def seat(self) -> int | None:
        """The learner's seat in this episode; before the first reset None if it is random."""
        return self._seat

    @property
    def game(self) -> Game:
        """A copy of the game, with open cards: for critics, records and tests, not for the learner.

        ``ResetNeeded`` before the first reset.
        """
        return self._table().clone()

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[Observation, Info]:
        """Begin the next episode, or the first one of a seed (0..2**64 - 1), at the learner's first decision.

        ``options``: ``deal`` (``hands`` and ``talon`` as in ``Game.from_deal``), ``scores``, ``bolts``, ``barrel``,
        ``dealer``; unknown ones are ignored with a warning. ``ValueError`` for bad ones, and if the learner has nothing
        to decide in 100 episodes one after another. After an error the game is where it was; opponents may not be.
        """
        episodes = copy.copy(self._episodes)
        for attempt in range(PATIENCE):
            game = episodes.begin(None if attempt else seed, options)
            assert episodes.seed is not None
            learner = self._fixed_seat
            if learner is None:
                learner = learner_seat(episodes.seed, episodes.number, self.rules.players)
            paid = game.scores
            self._opponents.begin(episodes.seed, episodes.number, learner)
            self._opponents.play(game, learner)
            if not game.is_over:
                break
            options = {key: options[key] for key in RESET_OPTIONS if key in options} if options else None
        else:
            raise ValueError(
                f"seat={self._fixed_seat!r} with options={options!r} is not accepted: "
                f"the learner had nothing to decide in {PATIENCE} episodes"
            )
        if seed is not None or self._game is None:
            super().reset(seed=episodes.seed)
        self._episodes, self._game, self._seat, self._paid, self._ended = episodes, game, learner, paid, False
        return self._shown()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, Info]:
        """Play the learner's action and the opponents' until his next decision or the end.

        The reward is what the learner has earned by then; the first of an episode has in it what was earned before his
        first decision, so that they sum to ``game.returns(reward)[seat]``. ``terminated``: the episode is over,
        ``truncated``: it was cut off by ``max_deals``; the observation is then what the learner knows of the finished
        game, with an empty mask.

        ``IllegalActionError`` for what is no integer, and for illegal actions with ``illegal="raise"``;
        ``OpponentError`` if an opponent fails; ``ResetNeeded`` before ``reset`` and after the end. After an error the
        game is where it was; opponents may not be.
        """
        if self._ended:
            raise ResetNeeded("the episode is over: call reset() before step()")
        game, learner = self.game, self._learner()
        number = as_action(action)
        try:
            game.apply(number)
        except IllegalActionError:
            if self.settings.illegal == "raise":
                raise
            self._ended = self.settings.illegal == "terminate"
            observation, info = self._shown()
            return observation, ILLEGAL_REWARD, self._ended, False, info
        self._opponents.play(game, learner)
        reward = self._reward(game, learner)
        self._game, self._paid, self._ended = game, game.scores, game.is_over
        observation, info = self._shown()
        return observation, reward, game.is_over and not game.truncated, game.truncated, info

    def _reward(self, game: Game, learner: int) -> float:
        scores = game.scores
        if scores == self._paid and not game.is_over:
            return 0.0
        by_seat = earned(
            self.settings.reward,
            np.subtract(scores, self._paid),
            episode=self.settings.episode,
            winner=game.winner,
            is_over=game.is_over,
            truncated=game.truncated,
        )
        return float(by_seat[learner])

    def action_masks(self) -> npt.NDArray[np.int8]:
        """A new int8 array ``[130]`` with 1 for each legal action, all 0 after the end; MaskablePPO calls it."""
        return np.zeros(NUM_ACTIONS, np.int8) if self._ended else self._table().action_mask()

    def _shown(self) -> tuple[Observation, Info]:
        """What the learner is given, in new arrays."""
        view = self._table().view(self._learner())
        info = {"action_mask": self.action_masks()} if self.settings.mask_in_info else {}
        if self.render_mode == "human":
            self._print()
        if self.settings.flat_observation:
            return encode(view), info
        parts: dict[str, npt.NDArray[Any]] = {"observation": encode(view), "action_mask": self.action_masks()}
        if self.settings.history:
            parts["history"] = history(view)
        return parts, info

    def render(self) -> Any:
        """The table as the render mode says: a str, an array uint8 ``[height, width, 3]``, or None and printed."""
        if self.render_mode is None:
            gymnasium.logger.warn('render() shows nothing without a render_mode: make the environment with "ansi"')
            return None
        if self.render_mode == "human":
            return self._print()
        if self.render_mode == "ansi":
            return self._text()
        from thousand_env.render.picture import rgb_array

        return rgb_array(self._position())

    def _position(self) -> Any:
        game = self._table()
        return game if self.settings.open_cards else game.view(self._learner())

    def _text(self, unicode: bool = True) -> str:
        names = self._opponents.names_by_seat(self._learner(), "learner")
        return render(self._position(), unicode=unicode, names=names)

    def _print(self) -> None:
        output.print_text(self._text(unicode=output.writes_suits()) + "\n")

    def _table(self) -> Game:
        if self._game is None:
            raise ResetNeeded("no game has begun: call reset() first")
        return self._game

    def _learner(self) -> int:
        self._table()
        assert self._seat is not None
        return self._seat


def as_seat(seat: Any, players: int) -> int | None:
    """The keyword ``seat``, or ``ValueError`` naming it."""
    number = as_integer(seat)
    if seat is not None and (number is None or not 0 <= number < players):
        raise ValueError(
            f"seat={seat!r} is not accepted: use 0 to {players - 1}, or None for a random one each episode"
        )
    return number
