"""The 130 action ids, the same for every rule set, and their text in both directions.

========  ==============================================================================  =============
ids       action                                                                          text
========  ==============================================================================  =============
0         pass; also "no": keep the contract, decline a redeal, look at the cards         ``pass``
1..65     bid, dark bid or raise to ``min_bid + bid_step * (id - 1)``                      ``bid 105``
66..89    part with a card: a gift or a card put aside                                    ``give 9S``
90..113   play a card                                                                     ``play TH``
114..121  lead K or Q declaring the marriage: ``114 + 2 * suit + (1 if K else 0)``         ``marry KH``
122..125  lead the ace of a suit declaring four aces                                      ``aces AH``
126       concede                                                                         ``concede``
127       ask for a redeal                                                                ``redeal``
128, 129  take talon A, B (two players)                                                   ``talon A``
========  ==============================================================================  =============
"""

from __future__ import annotations

import operator
from typing import Final

from thousand_env.cards import ACE, KING, NUM_RANKS, NUM_SUITS, QUEEN, card_id, card_name
from thousand_env.rules import NUM_BID_LEVELS, Rules

NUM_ACTIONS: Final = 130
PASS: Final = 0
FIRST_BID: Final = 1
FIRST_GIVE: Final = 66
FIRST_PLAY: Final = 90
FIRST_MARRY: Final = 114
FIRST_ACES: Final = 122
CONCEDE: Final = 126
REDEAL: Final = 127
TALON_A: Final = 128

_CARD_VERBS: Final = {"give": FIRST_GIVE, "play": FIRST_PLAY}
_FIXED: Final = {"pass": PASS, "concede": CONCEDE, "redeal": REDEAL, "talon a": TALON_A, "talon b": TALON_A + 1}
_FIXED_NAMES: Final = {PASS: "pass", CONCEDE: "concede", REDEAL: "redeal", TALON_A: "talon A", TALON_A + 1: "talon B"}


class IllegalActionError(ValueError):
    """An action that is not legal now. The state is as it was."""


def action_card(action: int) -> int | None:
    """The card that an action gives, plays or leads, or None for an action without one."""
    if FIRST_GIVE <= action < FIRST_PLAY:
        return action - FIRST_GIVE
    if FIRST_PLAY <= action < FIRST_MARRY:
        return action - FIRST_PLAY
    if FIRST_MARRY <= action < FIRST_ACES:
        suit, king = divmod(action - FIRST_MARRY, 2)
        return NUM_RANKS * suit + (KING if king else QUEEN)
    if FIRST_ACES <= action < CONCEDE:
        return NUM_RANKS * (action - FIRST_ACES) + ACE
    return None


def plain_lead(action: int) -> int:
    """The action of merely playing the card that a declaring action leads; any other action as it is."""
    card = action_card(action)
    return FIRST_PLAY + card if FIRST_MARRY <= action < CONCEDE and card is not None else action


def bid_points(action: int, rules: Rules) -> int | None:
    """The points that a bid or raise names, or None for any other action."""
    return rules.min_bid + rules.bid_step * (action - FIRST_BID) if FIRST_BID <= action < FIRST_GIVE else None


def action_name(action: int, rules: Rules) -> str:
    """Text of an action id, such as ``"bid 105"``. Raises ``ValueError`` for a number that is no action id."""
    try:
        number = operator.index(action)
    except TypeError:
        number = -1
    if not 0 <= number < NUM_ACTIONS:
        raise ValueError(f"{action!r} is no action id: use 0..{NUM_ACTIONS - 1}")
    if number in _FIXED_NAMES:
        return _FIXED_NAMES[number]
    points = bid_points(number, rules)
    if points is not None:
        return f"bid {points}"
    card = action_card(number)
    assert card is not None
    verb = (
        "give"
        if number < FIRST_PLAY
        else "play"
        if number < FIRST_MARRY
        else "marry"
        if number < FIRST_ACES
        else "aces"
    )
    return f"{verb} {card_name(card)}"


def parse_action(text: str, rules: Rules) -> int:
    """Action id 0..129 of a text. Raises ``ValueError`` naming the text and what is understood."""
    words = str(text).strip().lower()
    if words in _FIXED:
        return _FIXED[words]
    verb, _, rest = words.partition(" ")
    rest = rest.strip()
    if verb == "bid":
        return _parse_bid(text, rest, rules)
    try:
        if verb in _CARD_VERBS:
            return _CARD_VERBS[verb] + card_id(rest)
        if verb in ("marry", "aces"):
            suit, rank = divmod(card_id(rest), NUM_RANKS)
            if verb == "aces" and rank == ACE:
                return FIRST_ACES + suit
            if verb == "marry" and rank in (KING, QUEEN):
                return FIRST_MARRY + 2 * suit + (rank == KING)
            raise ValueError(f"{rest.upper()!r} does not go with {verb!r}")
    except ValueError as error:
        raise ValueError(f"{text!r} is no action: {error}") from None
    known = "pass, bid 105, give 9S, play TH, marry KH, aces AH, concede, redeal, talon A, talon B"
    raise ValueError(f"{text!r} is no action: write it like one of {known}")


def _parse_bid(text: str, rest: str, rules: Rules) -> int:
    if rest.isascii() and rest.isdigit() and len(rest) < 10 and rules.is_bid_level(int(rest)):
        return FIRST_BID + (int(rest) - rules.min_bid) // rules.bid_step
    levels = f"{rules.min_bid} to {rules.top_bid} in steps of {rules.bid_step}"
    raise ValueError(f"{text!r} is no action: bids are {levels}")


assert FIRST_BID + NUM_BID_LEVELS == FIRST_GIVE
assert FIRST_MARRY + 2 * NUM_SUITS == FIRST_ACES
