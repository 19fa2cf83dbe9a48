"""``GreedyAgent``: a sound player by rule of thumb, in plain Python, for every rule set and every phase.

It bids what its hand is worth and no more, parts with what it needs least, declares its best marriage at once, cashes
cards that nothing can beat, wins tricks as cheaply as it can and loses them with the fewest points. It looks at one
``View`` at a time: it keeps no memory, never guesses who holds what, and does not search. It is deterministic.

Inside, hands are sets of cards as in ``thousand_env.cards``: integers with bit ``id`` set.
"""

from __future__ import annotations

import functools
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from thousand_env.actions import (
    CONCEDE,
    FIRST_ACES,
    FIRST_BID,
    FIRST_GIVE,
    FIRST_MARRY,
    FIRST_PLAY,
    NUM_ACTIONS,
    PASS,
    REDEAL,
)
from thousand_env.cards import CARD_POINTS, KING, NUM_CARDS, NUM_RANKS, NUM_SUITS, QUEEN, TEN, cards_to_mask
from thousand_env.rules import Rules
from thousand_env.view import View

CAUTION: Final = 5
"""How many points below its estimate the agent stops bidding: the best in matches against itself with other numbers."""
RAISE_CAUTION: Final = 40
"""How many points further below a raise stays: a contract that is safe is worth more than a high one that is not."""

_SUIT: Final = 2**NUM_RANKS - 1
_SUIT_OF: Final = tuple(card // NUM_RANKS for card in range(NUM_CARDS))
_RANK_OF: Final = tuple(card % NUM_RANKS for card in range(NUM_CARDS))
_SUIT_CARDS: Final = tuple(_SUIT << NUM_RANKS * suit for suit in range(NUM_SUITS))
_ABOVE: Final = tuple(_SUIT_CARDS[_SUIT_OF[card]] & -(2 << card) for card in range(NUM_CARDS))
_PAIRS: Final = tuple((1 << QUEEN | 1 << KING) << NUM_RANKS * suit for suit in range(NUM_SUITS))


class GreedyAgent:
    """Plays by rules of thumb, see the module.

    ``caution``: how many points below its estimate it stops bidding, a whole number; ``ValueError`` for anything else.
    """

    def __init__(self, *, caution: int = CAUTION) -> None:
        if isinstance(caution, bool) or not hasattr(caution, "__index__"):
            raise ValueError(f"caution={caution!r} is not accepted: use a whole number of points")
        self.caution = int(caution)

    def reset(self, seed: int | None = None) -> None:
        """Nothing to forget: the agent has no memory and draws no numbers."""

    def act(self, view: View) -> int:
        """One of the legal actions. ``ValueError`` if the observer of the view is not to move."""
        legal = view.legal_actions()
        if len(legal) < 2:
            if not legal:
                raise ValueError(f"seat {view.observer} is not to move: there is no legal action")
            return legal[0]
        phase = view.phase
        if phase == "play":
            return _play(view, legal)
        if phase == "exchange":
            return _exchange(view, legal)
        if phase == "auction":
            return _bid(view, legal, self.caution)
        if phase == "raise":
            return _raise(view, legal, self.caution)
        if phase == "redeal":
            return REDEAL if estimate(view.rules, cards_to_mask(view.hand)) < view.rules.min_bid else PASS
        return legal[0]  # looks at its cards rather than bid in the dark; takes talon A, which is as good as B

    def action_probabilities(self, view: View) -> npt.NDArray[np.float64]:
        """float64 ``[130]``: 1 for the action that ``act`` chooses, 0 for all others. ``ValueError`` as in ``act``."""
        probabilities = np.zeros(NUM_ACTIONS)
        probabilities[self.act(view)] = 1
        return probabilities


# What a hand is worth


class Weights(NamedTuple):
    """How many points each feature of a hand adds to what its holder takes as declarer, with the full deck.

    Ace, ten and king stand for the three best cards of a suit, whatever the deck has.
    """

    base: float  # any hand
    ace: float
    ten_behind_ace: float
    ten_guarded: float  # no ace, but another card of the suit
    ten_bare: float
    king: float  # for each of ace and ten beside it
    length: float  # each card of a suit after the third
    void: float  # a suit without a card
    marriage: float  # share of the value of all marriages
    trump: float  # each card of the best marriage's suit beside king and queen


# Least squares over 12,000 random deals of each kind, played by this agent: as dealt, and after the exchange.
_WEIGHTS: Final = {
    "plain": (Weights(61, 11, 7, 3, -4, 5, 5, -2, 0.77, 2), Weights(2, 18, 14, 7, -1, 1, 4, 3, 0.88, 9)),
    "gated": (Weights(47, 19, 8, 3, -2, 5, 6, -1, 0.66, 3), Weights(-15, 27, 14, 7, 0, 2, 4, 6, 0.73, 11)),
    "aside": (Weights(78, 11, 8, 1, 0, 5, 5, -1, 0.75, 3), Weights(17, 18, 15, 4, 0, 2, 4, 6, 0.87, 8)),
    "two": (Weights(66, 9, 6, 4, 0, 4, 1, -5, 0.79, 2), Weights(4, 16, 10, 10, 7, 2, 3, 6, 0.94, 2)),
}


def _weights(rules: Rules, dealt: bool) -> Weights:
    if rules.players == 2:
        kind = "two"
    elif rules.puts_aside:
        kind = "aside"
    else:
        kind = "plain" if rules.marriage_gate == "on_lead" else "gated"
    return _WEIGHTS[kind][0 if dealt else 1]


def estimate(rules: Rules, hand: int, dealt: bool = True) -> float:
    """Points that a declarer may expect to take, from the hand as it was dealt or (``dealt=False``) with the talon."""
    weights = _weights(rules, dealt)
    worth = _suit_worth(rules, dealt)
    cards = weights.base * rules.deck_points / 120
    marriages = best = trumps = 0
    for suit in range(NUM_SUITS):
        cards += worth[suit][hand >> NUM_RANKS * suit & _SUIT]
        if hand & _PAIRS[suit] == _PAIRS[suit]:
            value = rules.marriage_values[suit]
            marriages += value
            if value >= best:
                best, trumps = value, (hand & _SUIT_CARDS[suit]).bit_count() - 2
    return min(cards + weights.trump * trumps, rules.deck_points) + weights.marriage * marriages


@functools.lru_cache(maxsize=64)
def _suit_worth(rules: Rules, dealt: bool) -> tuple[tuple[float, ...], ...]:
    """By suit and by set of its cards (six bits), what holding exactly these is worth."""
    weights = _weights(rules, dealt)
    decks = [cards_to_mask(rules.deck) >> NUM_RANKS * suit & _SUIT for suit in range(NUM_SUITS)]
    return tuple(tuple(_worth_of_suit(weights, deck, held) for held in range(_SUIT + 1)) for deck in decks)


def _worth_of_suit(weights: Weights, deck: int, held: int) -> float:
    if not held:
        return weights.void if deck else 0
    from_the_top = [bool(held >> rank & 1) for rank in reversed(range(NUM_RANKS)) if deck >> rank & 1]
    ace, ten, king = [*from_the_top, False, False, False][:3]
    worth = weights.ace * ace + weights.king * king * (ace + ten)
    if ten:
        worth += weights.ten_behind_ace if ace else weights.ten_guarded if held.bit_count() > 1 else weights.ten_bare
    return worth + weights.length * max(0, held.bit_count() - 3)


# Auction and exchange


def _bid(view: View, legal: list[int], caution: int) -> int:
    """The lowest legal bid while it stays below what the hand is worth, or the contract that wins from the barrel."""
    rules = view.rules
    worth = estimate(rules, cards_to_mask(view.hand))
    bids = [action for action in legal if FIRST_BID <= action < FIRST_GIVE]
    if view.barrel[view.observer] is not None:
        winning = _barrel_action(rules)
        if worth >= _barrel_needs(rules):
            if winning in bids:
                return winning
            if not rules.jump_bids and bids[0] < winning:
                return bids[0]
        if legal[0] == PASS and rules.barrel_win_bid == "exact":
            return PASS  # nothing else is worth a bid
    if legal[0] != PASS or _points_of(bids[0], rules) <= worth - caution:
        return bids[0]
    return PASS


def _raise(view: View, legal: list[int], caution: int) -> int:
    """Raise to the barrel contract; or where the contract is what gets written, to what the final hand is worth."""
    rules = view.rules
    worth = estimate(rules, cards_to_mask(view.hand), dealt=False)
    raises = [action for action in legal if FIRST_BID <= action < FIRST_GIVE]
    if view.barrel[view.observer] is not None:
        winning = _barrel_action(rules)
        return winning if winning in raises and worth >= _barrel_needs(rules) else PASS
    if rules.declarer_score == "taken":
        return PASS
    safe = [action for action in raises if _points_of(action, rules) <= worth - caution - RAISE_CAUTION]
    return safe[-1] if safe else PASS


def _points_of(action: int, rules: Rules) -> int:
    return rules.min_bid + rules.bid_step * (action - FIRST_BID)


def _barrel_action(rules: Rules) -> int:
    """The bid of exactly the barrel contract."""
    return FIRST_BID + (rules.barrel_contract - rules.min_bid) // rules.bid_step


def _barrel_needs(rules: Rules) -> int:
    """What a hand must be worth for the barrel contract to be tried: anything where a failure costs nothing."""
    costs_nothing = rules.barrel_failed_contract == "attempt_only" and rules.barrel_attempt_counts != "declarer_only"
    return 0 if costs_nothing else rules.barrel_contract


def _exchange(view: View, legal: list[int]) -> int:
    """Refuse a poor talon, give up a lost contract, or part with the cheapest card."""
    rules = view.rules
    hand = cards_to_mask(view.hand)
    if legal[-1] >= CONCEDE:
        worth = estimate(rules, hand, dealt=False)
        contract = view.contract or 0
        if legal[-1] == REDEAL and worth < contract:
            return REDEAL
        if CONCEDE in legal and _gives_up(view, worth, contract):
            return CONCEDE
    cards = [action - FIRST_GIVE for action in legal if action < FIRST_PLAY]
    worth_of_suit = _suit_worth(rules, False)
    return FIRST_GIVE + min(cards, key=lambda card: _cost_of_parting(rules, worth_of_suit[_SUIT_OF[card]], hand, card))


def _gives_up(view: View, worth: float, contract: int) -> bool:
    """Whether conceding is expected to cost less than playing, against the average opponent."""
    rules = view.rules
    if view.barrel[view.observer] is not None:
        return False
    free = view.concessions[view.observer] < rules.free_bombs
    price = 0 if free else 120 if rules.concede == "120_60" else contract
    gift = contract / 2 if rules.concede == "half_bid" else 60
    made = min(1, max(0, 0.5 + (worth - contract) / 80))
    left_to_others = max(0, rules.deck_points - worth) / (rules.active_players - 1)
    return -price - gift > (2 * made - 1) * contract - left_to_others


def _cost_of_parting(rules: Rules, worth: tuple[float, ...], hand: int, card: int) -> float:
    """What is lost with a card: its worth in its suit, and what it may do for whoever gets it."""
    suit, rank, points = _SUIT_OF[card], _RANK_OF[card], CARD_POINTS[card]
    held = hand >> NUM_RANKS * suit & _SUIT
    cost = worth[held] - worth[held ^ 1 << rank]
    if _PAIRS[suit] >> card & 1:
        value = rules.marriage_values[suit]
        if hand & _PAIRS[suit] == _PAIRS[suit]:
            return 1000 + value
        if not rules.puts_aside:
            cost += value / 10  # it may complete the marriage
    if rules.players > 2 and rules.puts_aside:
        return cost - points  # put aside, its points are won
    return cost + points / 2 + (500 if rank >= TEN else 0)


# Play


def _play(view: View, legal: list[int]) -> int:
    hand = cards_to_mask(view.hand)
    unseen = cards_to_mask(view.rules.deck) & ~hand
    for cards in view.played:
        unseen &= ~cards_to_mask(cards)
    unseen &= ~cards_to_mask(view.set_aside)
    trick = view.trick
    if trick:
        return FIRST_PLAY + _follow(view, [action - FIRST_PLAY for action in legal], hand, unseen, trick)
    return _declaration(view, legal, hand) or FIRST_PLAY + _lead(view, legal, hand, unseen)


def _declaration(view: View, legal: list[int], hand: int) -> int:
    """The lead that declares four aces, or the best marriage; 0 if nothing can be declared."""
    rules = view.rules
    if rules.marriage_declare == "automatic":
        return _automatic_declaration(view, hand)
    if legal[-1] < FIRST_MARRY:
        return 0
    if legal[-1] >= FIRST_ACES:
        aces = [action for action in legal if action >= FIRST_ACES]
        return max(aces, key=lambda action: (hand & _SUIT_CARDS[action - FIRST_ACES]).bit_count())
    marriages = [action for action in legal if action >= FIRST_MARRY]
    return max(marriages, key=lambda action: (rules.marriage_values[action - FIRST_MARRY >> 1], -action))


def _automatic_declaration(view: View, hand: int) -> int:
    """The lead of the queen that declares the best marriage by itself; 0 if none does."""
    rules = view.rules
    if rules.marriage_gate != "on_lead" and not any(view.tricks_won):
        return 0
    suits = [suit for suit in range(NUM_SUITS) if hand & _PAIRS[suit] == _PAIRS[suit]]
    if not suits:
        return 0
    return FIRST_PLAY + QUEEN + NUM_RANKS * max(suits, key=lambda suit: (rules.marriage_values[suit], -suit))


def _lead(view: View, legal: list[int], hand: int, unseen: int) -> int:
    """Cash the best card that nothing can beat; without one lose the lead cheaply."""
    trump = view.trump
    trumps_out = unseen & _SUIT_CARDS[trump] if trump is not None else 0
    best, best_gain = -1, 0
    cheapest, least_cost = -1, 10_000
    for action in legal:
        card = action - FIRST_PLAY
        suit = _SUIT_OF[card]
        cost = CARD_POINTS[card]
        if _is_half(card, hand):
            cost += 1000  # a marriage that may not be declared yet
        elif not unseen & _ABOVE[card]:
            gain = _gain_of_cashing(card, trump, trumps_out, unseen)
            if gain > best_gain:
                best, best_gain = card, gain
            cost += 30
        else:
            left = hand & _SUIT_CARDS[suit] & ~(1 << card)
            if left and (unseen & _ABOVE[left.bit_length() - 1]).bit_count() == 1:
                cost -= 6  # once the one card above is gone, the best of what is left is on top
            if suit == trump:
                cost += 5
        if cost < least_cost:
            cheapest, least_cost = card, cost
    return cheapest if best < 0 else best


def _gain_of_cashing(card: int, trump: int | None, trumps_out: int, unseen: int) -> int:
    """How good it is to lead a card that no card of its suit can beat: 0 if it is likely to be trumped."""
    suit = _SUIT_OF[card]
    if suit == trump:
        return 60 + CARD_POINTS[card] if trumps_out else 20  # draw trumps; keep them when nobody else has any
    followers = (unseen & _SUIT_CARDS[suit]).bit_count()
    return 30 + CARD_POINTS[card] + followers if followers > 1 or not trumps_out else 0


def _follow(view: View, cards: list[int], hand: int, unseen: int, trick: list[tuple[int, int]]) -> int:
    """Win as cheaply as it can be done, else lose as few points as possible."""
    rules, trump = view.rules, view.trump
    best = trick[0][1]
    for _, card in trick[1:]:
        if _beats(card, best, trump):
            best = card
    winners = [card for card in cards if _beats(card, best, trump)]
    if winners:
        if len(trick) == rules.active_players - 1:
            return min(winners, key=lambda card: _cost_of_winning(card, hand, unseen, trump))
        sure = [card for card in winners if _stays_best(card, trump, unseen)]
        if sure:
            return sure[0]
        bait = min(winners, key=lambda card: _cost_of_dumping(rules, card, hand, unseen))
        if CARD_POINTS[bait] < CARD_POINTS[TEN] or len(winners) == len(cards):
            return bait
    return min(cards, key=lambda card: _cost_of_dumping(rules, card, hand, unseen))


def _beats(card: int, best: int, trump: int | None) -> bool:
    return card > best if _SUIT_OF[card] == _SUIT_OF[best] else _SUIT_OF[card] == trump


def _stays_best(card: int, trump: int | None, unseen: int) -> bool:
    """Whether the last player can hardly beat a card: by no card of its suit, and a trump is not to be feared."""
    if unseen & _ABOVE[card]:
        return False
    suit = _SUIT_OF[card]
    if trump is None or suit == trump or not unseen & _SUIT_CARDS[trump]:
        return True
    return (unseen & _SUIT_CARDS[suit]).bit_count() > 1


def _is_half(card: int, hand: int) -> bool:
    """Whether a card is half of a marriage in the hand."""
    pair = _PAIRS[_SUIT_OF[card]]
    return bool(pair >> card & 1) and hand & pair == pair


def _cost_of_winning(card: int, hand: int, unseen: int, trump: int | None) -> int:
    """For the last player: a trump is dear, a card on top wins later too, and another brings its points home."""
    cost = -CARD_POINTS[card] if unseen & _ABOVE[card] else 8
    if _SUIT_OF[card] == trump:
        cost += 2 * _RANK_OF[card]
    return cost + 40 if _is_half(card, hand) else cost


def _cost_of_dumping(rules: Rules, card: int, hand: int, unseen: int) -> int:
    """Points that go to another, a trick that the card would have won, a marriage that it would have declared."""
    cost = CARD_POINTS[card] if unseen & _ABOVE[card] else CARD_POINTS[card] + 8
    return cost + rules.marriage_values[_SUIT_OF[card]] // 3 if _is_half(card, hand) else cost
