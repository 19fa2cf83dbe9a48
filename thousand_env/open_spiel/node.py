"""``Node``: one node of the game tree, with chance for the deals. Knows no pyspiel but the numbers of its players.

A node never changes, so that states share it when they are copied. The engine deals from seeds and never sees them
here: each deal is a ``Game`` of its own, made from the cards that chance has drawn and the sheet of the deal before.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, final

from thousand_env import rewards
from thousand_env.actions import action_name
from thousand_env.cards import NINE, NUM_RANKS, NUM_SUITS, card_name
from thousand_env.game import Game
from thousand_env.open_spiel.parameters import Setting
from thousand_env.open_spiel.texts import game_text, information_text, observation_text, past_text
from thousand_env.sheet import ScoreSheet
from thousand_env.view import View

CHANCE: Final = -1
TERMINAL: Final = -4
"""``pyspiel.PlayerId``, as numbers."""

_NINES: Final = {NUM_RANKS * suit + NINE for suit in range(NUM_SUITS)}


@dataclass(frozen=True)
class Dealing:
    """A deal while chance draws it: who deals (None: not drawn yet), and whose the first cards of the deck are.

    ``owners``: for each card a seat, or the number of seats plus 0 or 1 for talon A or B. ``sheet``: what the deal
    begins with. ``number``: deals dealt before.
    """

    sheet: ScoreSheet
    number: int
    dealer: int | None
    owners: tuple[int, ...] = ()


@final
class Node:
    """A position (``game``), or a deal being drawn (``dealing``).

    ``player``: the seat to act, ``CHANCE`` or ``TERMINAL``; a match whose last deal was void ends without a ``game``.
    ``past``: for each seat what it knew of the earlier deals, as text.

    With ``setting.keep_tree`` a node keeps what was asked of it: nodes after it, legal actions, the mover's text.
    """

    __slots__ = ("_children", "_legal", "_text", "dealing", "game", "past", "player", "setting")

    def __init__(self, setting: Setting, past: tuple[str, ...], at: Dealing | Game, player: int | None) -> None:
        self.setting: Final = setting
        self.past: Final = past
        self.dealing: Final = at if isinstance(at, Dealing) else None
        self.game: Final = at if isinstance(at, Game) else None
        self.player: Final = TERMINAL if player is None else player
        self._children: dict[int, Node] = {}
        self._legal: list[int] | None = None
        self._text: str | None = None

    @classmethod
    def root(cls, setting: Setting) -> Node:
        """Before the first deal."""
        dealing = Dealing(ScoreSheet.start(setting.rules), 0, setting.dealer)
        return cls(setting, ("",) * setting.rules.players, dealing, CHANCE)

    @classmethod
    def beginning(cls, setting: Setting, past: tuple[str, ...], game: Game) -> Node:
        """Before the cards of a game's current deal, which is not over."""
        return cls(setting, past, Dealing(game.sheet, game.deal_number, game.dealer), CHANCE)

    def __deepcopy__(self, memo: dict[int, Any]) -> Node:
        return self

    @property
    def sheet(self) -> ScoreSheet:
        """The score sheet."""
        if self.game is not None:
            return self.game.sheet
        assert self.dealing is not None
        return self.dealing.sheet

    def __reduce__(self) -> tuple[Any, ...]:
        at = self.dealing if self.game is None else self.game
        return Node, (self.setting, self.past, at, None if self.player == TERMINAL else self.player)

    def after(self, action: int) -> Node:
        """The node after an action of the player or an outcome of chance; ``ValueError`` for one that cannot be."""
        if not self.setting.keep_tree:
            return self._after(action)
        if action not in self._children:
            self._children[action] = self._after(action)
        return self._children[action]

    def legal_actions(self) -> list[int]:
        """The legal actions of the seat to act, ascending."""
        if self._legal is not None:
            return self._legal
        assert self.game is not None
        legal = self.game.legal_actions()
        if self.setting.keep_tree:
            self._legal = legal
        return legal

    def information_text(self, seat: int) -> str:
        """All that a seat knows, with a line for each earlier deal first."""
        if self._text is not None and seat == self.player:
            return self._text
        text = self.past[seat] + self._now(seat, information_text)
        if self.setting.keep_tree and seat == self.player:
            self._text = text
        return text

    def observation_text(self, seat: int) -> str:
        """What lies before a seat."""
        return self._now(seat, observation_text)

    def _now(self, seat: int, text_of: Callable[[View], str]) -> str:
        if self.game is not None:
            return text_of(self.game.view(seat))
        return f"seat {seat}; {'cards are dealt' if self.player == CHANCE else 'over'}"

    def _after(self, action: int) -> Node:
        if self.game is None:
            return self._drawn(action)
        game = self.game.clone()
        game.apply(action)
        if not game.is_over and game.deal_number == self.game.deal_number:
            return Node(self.setting, self.past, game, game.seat)
        return self._closed(self.game, action, game)

    def _closed(self, before: Game, action: int, after: Game) -> Node:
        """The deal is closed. The engine has dealt another, which does not count."""
        is_scored = after.deals_scored > before.deals_scored
        number = before.deal_number + 1
        most = self.setting.rules.max_deals
        if after.winner is not None or (is_scored and after.episode == "deal") or number == most:
            return Node(self.setting, self.past, after, None)
        last = before.closing(action) if is_scored else before
        past = tuple(text + past_text(last, seat, action) for seat, text in enumerate(self.past))
        return Node(self.setting, past, Dealing(after.sheet, number, after.dealer), CHANCE)

    # Chance

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Outcomes, ascending, and their probabilities."""
        assert self.dealing is not None
        rules = self.setting.rules
        if self.dealing.dealer is None:
            return [(seat, 1 / rules.players) for seat in range(rules.players)]
        room = self._room(self.dealing)
        left = sum(room)
        return [(owner, places / left) for owner, places in enumerate(room) if places]

    def _room(self, dealing: Dealing) -> list[int]:
        """How many more cards each seat and each talon gets."""
        rules = self.setting.rules
        room = [rules.hand_size] * rules.players + [rules.talon_size] * self.setting.num_talons
        if rules.players == 4:
            assert dealing.dealer is not None
            room[dealing.dealer] = 0
        for owner in dealing.owners:
            room[owner] -= 1
        return room

    def _can_be(self, dealing: Dealing, outcome: int) -> bool:
        """Whether ``chance_outcomes`` has it, in less time."""
        rules = self.setting.rules
        if not 0 <= outcome < rules.players:
            is_talon = dealing.dealer is not None and 0 <= outcome - rules.players < self.setting.num_talons
            return is_talon and dealing.owners.count(outcome) < rules.talon_size
        if dealing.dealer is None:
            return True
        sits_out = rules.players == 4 and outcome == dealing.dealer
        return not sits_out and dealing.owners.count(outcome) < rules.hand_size

    def _drawn(self, outcome: int) -> Node:
        dealing = self.dealing
        assert dealing is not None
        if not self._can_be(dealing, outcome):
            raise ValueError(
                f"outcome {outcome} is not possible here: use one of {[each for each, _ in self.chance_outcomes()]}"
            )
        if dealing.dealer is None:
            return Node(self.setting, self.past, dataclasses.replace(dealing, dealer=outcome), CHANCE)
        dealt = dataclasses.replace(dealing, owners=(*dealing.owners, outcome))
        if len(dealt.owners) < len(self.setting.rules.deck):
            return Node(self.setting, self.past, dealt, CHANCE)
        return self._dealt(dealt)

    def _dealt(self, dealing: Dealing) -> Node:
        """All cards are drawn: the first decision, or the next deal if the cards are void."""
        rules, sheet = self.setting.rules, dealing.sheet
        groups: list[list[int]] = [[] for _ in range(rules.players + self.setting.num_talons)]
        for card, owner in zip(rules.deck, dealing.owners, strict=True):
            groups[owner].append(card)
        hands, talons = groups[: rules.players], groups[rules.players :]
        if rules.redeal_four_nines == "mandatory" and any(set(hand) >= _NINES for hand in hands):
            again = dataclasses.replace(dealing, number=dealing.number + 1, owners=())
            return Node(self.setting, self.past, again, None if again.number == rules.max_deals else CHANCE)
        game = Game.from_deal(
            rules,
            hands,
            talons if rules.players == 2 else talons[0],
            dealing.dealer or 0,
            sheet.scores,
            sheet.bolts,
            sheet.barrel,
            self.setting.episode,
            0,
            falls=sheet.falls,
            concessions=sheet.concessions,
            deals_scored=sheet.deals_scored,
            deal_number=dealing.number,
        )
        return Node(self.setting, self.past, game, game.seat)

    # The end

    def returns(self) -> list[float]:
        """What each seat has earned; zeros before the end."""
        if self.player != TERMINAL:
            return [0.0] * self.setting.rules.players
        earned: list[float] = rewards.earned(
            self.setting.reward,
            self.sheet.scores,
            episode=self.setting.episode,
            winner=self.sheet.winner,
            is_over=True,
            truncated=self.game is None or self.game.truncated,
        ).tolist()
        return earned

    # Texts

    def __str__(self) -> str:
        past = f"{self.past[0].count(chr(10))} deals before; "
        return past + (str(self.dealing) if self.game is None else game_text(self.game))

    def action_text(self, player: int, action: int) -> str:
        """An action, or an outcome of chance, in words."""
        players = self.setting.rules.players
        if player != CHANCE or self.player != CHANCE or self.dealing is None:
            return action_name(action, self.setting.rules)
        if self.dealing.dealer is None:
            return f"seat {action} deals"
        card = card_name(self.setting.rules.deck[len(self.dealing.owners)])
        talon = "talon" if self.setting.num_talons == 1 else f"talon {'AB'[action - players]}"
        return f"{card} to seat {action}" if action < players else f"{card} to {talon}"
