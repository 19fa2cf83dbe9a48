"""``Rules``: one field per option of the game, the presets, and what contradicts what.

Options are fixed before the first deal. Not modelled, because no rule set here has it: deals cut or dealt by hand,
claims and revokes, agreements between players, stakes, and time limits.
"""

from __future__ import annotations

import dataclasses
import difflib
import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from thousand_env.cards import CARD_POINTS, NUM_RANKS, RANKS, SUITS
from thousand_env.contradictions import check_together
from thousand_env.options import (
    Choice,
    Flag,
    FourNumbers,
    Integer,
    Kind,
    Letters,
    RulesError,
    SuitValues,
    parse_option,
)
from thousand_env.presets import PRESETS

__all__ = ["NUM_BID_LEVELS", "PRESETS", "Rules", "RulesError", "SuitValues", "option_doc", "option_kind"]

NUM_BID_LEVELS: Final = 65
_ANY: Final = 10**9


def _option(default: Any, kind: Kind, doc: str) -> Any:
    return field(default=default, metadata={"kind": kind, "doc": doc})


@dataclass(frozen=True, kw_only=True)
class Rules:
    """The rules of one match: hashable, picklable, checked when made.

    ``Rules()`` is the preset ``classic``. Every argument is an option; ``thousand rules`` lists them with their
    meaning. Raises ``RulesError`` for an unknown option (through ``from_dict``), a value that is not accepted, or
    options that contradict each other.
    """

    # The table
    players: Literal[2, 3, 4] = _option(
        3, Choice((2, 3, 4)), "Seats; with four the dealer sits out, with two there are two talons."
    )
    target: int = _option(1000, Integer(1, _ANY), "The total that ends the match.")
    max_deals: int | None = _option(
        200,
        Integer(1, _ANY, none=True),
        "A match not over after so many deals, void ones included, is truncated: nobody wins.",
    )

    # Auction
    opening: str = _option(
        "first_hand_min",
        Choice(("first_hand_min", "first_hand_exact", "dealer_exact", "dealer_last_resort", "none")),
        "Who must open. first_hand_min: first hand, with any bid; first_hand_exact: first hand, with the minimum; "
        "dealer_exact: the dealer holds the minimum from the start; dealer_last_resort: the dealer takes the minimum "
        "if all others pass; none: nobody, and if all pass the cards are dealt again.",
    )
    min_bid: int = _option(100, Integer(1, 1000), "The lowest bid.")
    bid_step: int = _option(5, Integer(1, 500), "Bids are the minimum plus a multiple of this, up to 64 times.")
    jump_bids: bool = _option(True, Flag(), "A bid may skip levels.")
    bid_cap: str = _option(
        "held",
        Choice(("held", "any_with_marriage", "always_120", "none")),
        "The highest bid. held: 120 and the marriages in hand; any_with_marriage: no limit with a marriage in hand; "
        "always_120: 120; none: no limit.",
    )
    raise_after_talon: bool = _option(False, Flag(), "The declarer may raise the contract after the exchange.")
    silence_below: int | None = _option(
        None,
        Integer(-_ANY, _ANY, none=True),
        "A player whose total is this or lower may not bid, except the minimum when forced.",
    )
    golden: bool = _option(
        False,
        Flag(),
        "In the first deals, one a player, first hand plays 120 without an auction and all counts double.",
    )
    dark: bool = _option(False, Flag(), "First hand may bid 120 before seeing his cards; his result counts double.")

    # Talon and exchange
    talon_reveal: str = _option(
        "contested",
        Choice(("contested", "always", "never")),
        "Who sees the talon. contested: all, if two players bid, else the declarer; always: all; "
        "never: the declarer alone.",
    )
    exchange: str = _option(
        "give_one_each",
        Choice(("give_one_each", "discard_three")),
        "The declarer gives each opponent one card; or puts the size of the talon aside, its points his own.",
    )
    gifts_face_up: bool = _option(False, Flag(), "All see the cards given.")
    two_player: str = _option(
        "two_talons",
        Choice(("two_talons", "give_one")),
        "Two players: the declarer puts two cards aside; or gives the opponent one and the other talon is dead.",
    )
    set_aside: str = _option(
        "last_trick",
        Choice(("last_trick", "dead")),
        "Two players: cards put aside go to the winner of the last trick; or to nobody.",
    )
    sitter_bonus: str = _option(
        "talon_points",
        Choice(("talon_points", "none", "marriage_only", "ace_and_marriage")),
        "Four players, what the resting dealer writes. talon_points: the talon's card points and marriage; "
        "marriage_only: its marriage; ace_and_marriage: 50 an ace and the marriage; none: nothing.",
    )

    # Void deals and concession
    redeal_four_nines: str = _option(
        "off",
        Choice(("off", "optional", "mandatory")),
        "A dealt hand with four nines: nothing; its holder may ask for a redeal; a redeal.",
    )
    redeal_hand_below: int | None = _option(
        None, Integer(1, 120, none=True), "A player dealt fewer card points than this may ask for a redeal."
    )
    redeal_talon_below: int | None = _option(
        None,
        Integer(1, 120, none=True),
        "The declarer at the minimum may ask for a redeal if the talon has fewer card points.",
    )
    redeal_talon_nines: int | None = _option(
        None,
        Integer(1, 4, none=True),
        "The declarer at the minimum may ask for a redeal if the talon has so many nines.",
    )
    concede: str = _option(
        "off",
        Choice(("off", "bid_60", "120_60", "half_bid")),
        "The declarer may give up after seeing the talon. bid_60: he loses the bid, the others get 60 each; "
        "120_60: he loses 120, they get 60; half_bid: he loses the bid, they get half of it; off: he may not.",
    )
    concede_half: str = _option("down", Choice(("down", "up")), "Half a bid is rounded to 5 down or up.")
    concede_limit: int | None = _option(
        None, Integer(1, 250, none=True), "How often one player may concede in a match."
    )
    free_bombs: int = _option(0, Integer(0, 250), "A player's first so many concessions cost him nothing.")

    # Marriages and aces
    marriage_values: SuitValues = _option(
        SuitValues(40, 60, 80, 100), FourNumbers(), "Bonus for king and queen of spades, clubs, diamonds, hearts."
    )
    marriage_gate: str = _option(
        "on_lead",
        Choice(("on_lead", "after_own_trick", "after_first_trick")),
        "A marriage may be declared on any lead; by a leader who has won a trick; on any lead but the first.",
    )
    marriage_declare: str = _option(
        "optional",
        Choice(("optional", "automatic")),
        "Declaring is the leader's choice; or leading from a held pair always declares.",
    )
    marriage_needs_trick: bool = _option(
        False, Flag(), "The bonuses of a player who ends the deal without a trick lapse."
    )
    trump_effect: str = _option("immediate", Choice(("immediate", "next_trick")), "When a declared suit becomes trump.")
    ace_marriage: str = _option(
        "off",
        Choice(("off", "lead_ace", "lead_ace_sets_trump", "held_at_first_lead")),
        "Four aces in one hand. lead_ace: declared by leading one; lead_ace_sets_trump: its suit becomes trump too; "
        "held_at_first_lead: counted at the end for who held them and won a trick; off: worth nothing.",
    )
    ace_marriage_value: int = _option(200, Integer(0, 1000), "Bonus for four aces.")

    # Following
    must_beat: bool = _option(True, Flag(), "In the led suit a card that can win must be played.")
    beat_if_trumped: bool = _option(False, Flag(), "The same after the trick has been trumped.")
    must_trump: bool = _option(True, Flag(), "Without the led suit a trump must be played.")
    must_overtrump: bool = _option(False, Flag(), "And it must beat the trumps in the trick if it can.")

    # Scoring
    declarer_score: str = _option(
        "taken",
        Choice(("taken", "bid", "max")),
        "A made contract writes the points taken; the contract; the larger of the two.",
    )
    contract_check: str = _option(
        "raw", Choice(("raw", "rounded")), "Points are compared with the contract before or after rounding."
    )
    rounding: str = _option(
        "nearest5",
        Choice(("nearest5", "nearest10", "down5", "none")),
        "Of all points written: to the nearest 5; nearest 10 (5 up); down to 5; not.",
    )
    dump: str = _option(
        "off", Choice(("off", "plus", "plus_minus")), "A total of exactly 555 (or also -555) becomes 0."
    )
    tie: str = _option(
        "highest",
        Choice(("highest", "declarer_first")),
        "Several at the target: the highest total wins; or the declarer if he is one of them.",
    )
    lock_at: int | None = _option(
        None,
        Integer(-_ANY, _ANY, none=True),
        "Polish lock instead of a barrel: from this total on only a made contract adds points.",
    )

    # Bolts
    bolt_mode: str = _option(
        "consecutive",
        Choice(("consecutive", "total", "off")),
        "Deals without a trick: counted in a row; in all until the fine; not at all.",
    )
    bolt_limit: int = _option(3, Integer(1, 250), "So many bolts are fined.")
    bolt_penalty: int = _option(120, Integer(0, 10_000), "The fine.")
    bolt_declarer: bool = _option(True, Flag(), "The declarer can get bolts.")
    bolt_on_barrel: str = _option(
        "frozen", Choice(("frozen", "counted")), "On the barrel the counter stands still; or runs and is fined."
    )
    bolt_basis: str = _option(
        "tricks", Choice(("tricks", "points")), "A bolt is a deal without a trick; or with 0 points."
    )

    # Barrel
    barrel: bool = _option(True, Flag(), "There is a barrel.")
    barrel_threshold: int = _option(880, Integer(1, _ANY), "The total at which a player is on it.")
    barrel_clamp: bool = _option(True, Flag(), "He stands at exactly this total.")
    barrel_direct_jump_wins: bool = _option(True, Flag(), "A total that reaches the target past the barrel wins.")
    barrel_contract: int = _option(120, Integer(1, 32_000), "The contract that wins from the barrel.")
    barrel_win_bid: str = _option("exact", Choice(("exact", "at_least")), "That contract exactly; or a higher one too.")
    barrel_must_bid: bool = _option(False, Flag(), "A player on the barrel must bid the barrel contract while he can.")
    barrel_attempts: int | None = _option(3, Integer(1, 5, none=True), "Deals before he falls; None: no limit.")
    barrel_attempt_counts: str = _option(
        "every_deal",
        Choice(("every_deal", "declarer_only", "own_turn_only")),
        "Which deals are attempts: all; as declarer; as first hand.",
    )
    barrel_own_turn: bool = _option(False, Flag(), "As first hand he plays the barrel contract without an auction.")
    barrel_failed_contract: str = _option(
        "attempt_only",
        Choice(("attempt_only", "deduct_and_fall")),
        "A failed contract there costs an attempt; or is subtracted and he falls.",
    )
    barrel_fall_penalty: int = _option(
        120, Integer(0, 10_000), "Subtracted when the last attempt is gone or in a collision."
    )
    barrel_collision: str = _option(
        "coexist",
        Choice(("coexist", "newcomer_knocks_off", "all_fall")),
        "Another player climbs while one sits there. coexist: nothing; newcomer_knocks_off: those who were there fall; "
        "all_fall: all on the barrel fall.",
    )
    barrel_third_fall_zero: bool = _option(False, Flag(), "A player's third fall sets his total to 0.")

    # Small decks
    ranks: str = _option(RANKS, Letters(RANKS), "Ranks in the deck.")
    suits: str = _option(SUITS, Letters(SUITS), "Suits in the deck.")
    hand_size: int = _option(None, Integer(1, 24, none=True), "Cards dealt to a player: 7, with two players 10.")
    talon_size: int = _option(None, Integer(1, 24, none=True), "Cards dealt to a talon: 3, with two players 2.")

    def __new__(cls, /, *given: Any, **options: Any) -> Rules:
        if given:
            raise RulesError(f"{given[0]!r} is not accepted: name the options, or use Rules.preset(name)")
        for name in options:
            if name not in _KINDS:
                close = difflib.get_close_matches(name.lower(), _KINDS, 1)
                hint = f"did you mean {close[0]!r}? " if close else ""
                raise RulesError(f"option {name!r} does not exist: {hint}'thousand rules' lists all options")
        return super().__new__(cls)

    def __post_init__(self) -> None:
        for name, kind in _KINDS.items():
            object.__setattr__(self, name, parse_option(name, kind, getattr(self, name)))
        for name, size in _standard_sizes(self.players).items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, size)
        check_together(self)

    @staticmethod
    def preset(name: str) -> Rules:
        """The rules of a preset: one of ``PRESETS``."""
        if not isinstance(name, str) or name not in PRESETS:
            close = difflib.get_close_matches(str(name).lower(), PRESETS, 1)
            hint = f"did you mean {close[0]!r}? " if close else ""
            raise RulesError(f"preset {name!r} does not exist: {hint}choose one of {', '.join(PRESETS)}")
        return Rules(**PRESETS[name])

    @classmethod
    def from_dict(cls, options: Mapping[str, Any]) -> Rules:
        """Rules from a mapping of options; those not named have their defaults."""
        if not isinstance(options, Mapping) or not all(isinstance(name, str) for name in options):
            raise RulesError(f"{options!r} is no mapping from names of options to their values")
        return cls(**options)

    def to_dict(self) -> dict[str, Any]:
        """All options as plain values that JSON can hold; ``from_dict`` gives equal rules."""
        return {name: _plain(getattr(self, name)) for name in _KINDS}

    def changes(self) -> dict[str, Any]:
        """The options that differ from the default game, as in ``to_dict``."""
        standard = {**_DEFAULTS, **_standard_sizes(self.players)}
        return {name: value for name, value in self.to_dict().items() if value != _plain(standard[name])}

    def replace(self, **changes: Any) -> Rules:
        """These rules with some options changed."""
        return Rules.from_dict({**self.changes(), **changes})

    def __hash__(self) -> int:
        return self._hash

    def __deepcopy__(self, memo: dict[int, Any]) -> Rules:
        return self  # rules never change

    @functools.cached_property
    def _hash(self) -> int:
        return hash(tuple(getattr(self, name) for name in _KINDS))

    def __reduce__(self) -> tuple[Any, ...]:
        return Rules.from_dict, (self.changes(),)

    def __repr__(self) -> str:
        return f"Rules({', '.join(f'{name}={value!r}' for name, value in self.changes().items())})"

    @functools.cached_property
    def active_players(self) -> int:
        """Players who hold cards in a deal: with four seats the dealer sits out."""
        return min(self.players, 3)

    @functools.cached_property
    def deck(self) -> tuple[int, ...]:
        """Ids of the cards in the deck, ascending."""
        return tuple(
            NUM_RANKS * SUITS.index(s) + RANKS.index(r)
            for s in SUITS
            for r in RANKS
            if s in self.suits and r in self.ranks
        )

    @functools.cached_property
    def deck_points(self) -> int:
        """Card points in the deck: 120 in the full one."""
        return sum(CARD_POINTS[card] for card in self.deck)

    @functools.cached_property
    def top_bid(self) -> int:
        """The highest bid there is."""
        return self.min_bid + (NUM_BID_LEVELS - 1) * self.bid_step

    @property
    def puts_aside(self) -> bool:
        """Whether the declarer puts cards aside (otherwise he gives one to each opponent)."""
        return self.two_player == "two_talons" if self.players == 2 else self.exchange == "discard_three"

    def is_bid_level(self, points: int) -> bool:
        """Whether a number is one of the 65 bid levels."""
        return self.min_bid <= points <= self.top_bid and (points - self.min_bid) % self.bid_step == 0


_FIELDS: Final = dataclasses.fields(Rules)
_KINDS: Final[dict[str, Kind]] = {each.name: each.metadata["kind"] for each in _FIELDS}
_DEFAULTS: Final[dict[str, Any]] = {each.name: each.default for each in _FIELDS}
_DOCS: Final[dict[str, str]] = {each.name: each.metadata["doc"] for each in _FIELDS}


def option_kind(name: str) -> Kind:
    """What values an option takes."""
    return _KINDS[name]


def option_doc(name: str) -> str:
    """The sentence that says what an option does."""
    return _DOCS[name]


def _standard_sizes(players: int) -> dict[str, int]:
    return {"hand_size": 10, "talon_size": 2} if players == 2 else {"hand_size": 7, "talon_size": 3}


def _plain(value: Any) -> Any:
    return value._asdict() if isinstance(value, SuitValues) else value
