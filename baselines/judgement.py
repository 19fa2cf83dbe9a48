"""What ``greedy`` and ``heuristic`` have in common: sets of cards, what a hand is worth, and where they decide alike.

Compiled functions of a *sight* (``thousand_env.compiled``), in which hands are sets of cards: integers with bit ``id``
set, ``id = 6 * suit + rank``. How the two bid and play differs and stands in their own files.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from thousand_env.compiled import (
    CARD_POINTS,
    CONCEDE,
    FIRST_ACES,
    FIRST_BID,
    FIRST_GIVE,
    FIRST_MARRY,
    FIRST_PLAY,
    KING,
    NUM_CARDS,
    NUM_RANKS,
    NUM_SUITS,
    PASS,
    PHASES,
    QUEEN,
    REDEAL,
    TEN,
    compiled,
    is_legal,
    lowest,
    option_code,
    popcount,
    suit_cards,
    wide,
)

LAST_BID: Final = FIRST_GIVE - 1
PAIR: Final = 1 << QUEEN | 1 << KING
"""Queen and king among the six bits of a suit."""

REDEAL_PHASE: Final = PHASES.index("redeal")
AUCTION: Final = PHASES.index("auction")
EXCHANGE: Final = PHASES.index("exchange")
RAISE: Final = PHASES.index("raise")
PLAY: Final = PHASES.index("play")

GATE_ON_LEAD: Final = option_code("marriage_gate", "on_lead")
AUTOMATIC: Final = option_code("marriage_declare", "automatic")
EXACT: Final = option_code("barrel_win_bid", "exact")
ATTEMPT_ONLY: Final = option_code("barrel_failed_contract", "attempt_only")
DECLARER_ONLY: Final = option_code("barrel_attempt_counts", "declarer_only")
TAKEN: Final = option_code("declarer_score", "taken")
CONCEDE_120_60: Final = option_code("concede", "120_60")
CONCEDE_HALF: Final = option_code("concede", "half_bid")


@compiled
def only_action(seen: Any) -> int:
    """The only legal action, -1 if there are several."""
    legal = seen["legal"]
    count = popcount(legal[0]) + popcount(legal[1]) + popcount(legal[2])
    return first_action(seen) if count == 1 else -1


@compiled
def first_action(seen: Any) -> int:
    """The lowest legal action."""
    legal = seen["legal"]
    if legal[0]:
        return lowest(legal[0])
    return 64 + lowest(legal[1]) if legal[1] else 128 + lowest(legal[2])


@compiled
def legal_cards(seen: Any, first: int) -> int:
    """The cards that may be given (``FIRST_GIVE``) or played (``FIRST_PLAY``), as a set."""
    return (seen["legal"][1] >> (first - 64)) & 0xFFFFFF


@compiled
def suit_of(cards: int, suit: int) -> int:
    """The cards of a suit in a set, as six bits."""
    return (cards >> (NUM_RANKS * suit)) & 63


@compiled
def above(card: int) -> int:
    """The cards of the same suit that beat a card."""
    return suit_cards(card // NUM_RANKS) & (-2 << card)


@compiled
def highest(cards: int) -> int:
    """The highest card id in a set that is not empty."""
    best = lowest(cards)
    while cards:
        best = lowest(cards)
        cards &= cards - 1
    return best


# What a hand is worth: how many points each feature adds to what its holder takes as declarer, with the full deck.
# Ace, ten and king stand for the three best cards of a suit, whatever the deck has.

FEATURES: Final = (
    "base",  # any hand
    "ace",
    "ten_behind_ace",
    "ten_guarded",  # no ace, but another card of the suit
    "ten_bare",
    "king",  # for each of ace and ten beside it
    "length",  # each card of a suit after the third
    "void",  # a suit without a card
    "marriage",  # share of the value of all marriages
    "trump",  # each card of the best marriage's suit beside king and queen
)
BASE, ACE_HELD, TEN_BEHIND, TEN_GUARDED, TEN_BARE, KING_BESIDE, LENGTH, VOID, MARRIAGE, TRUMP = range(len(FEATURES))
PLAIN, GATED, ASIDE, TWO = range(4)

# Least squares over 12,000 random deals of each kind, played by this agent: as dealt, and after the exchange.
WEIGHTS: Final = np.array(
    [
        [[61, 11, 7, 3, -4, 5, 5, -2, 0.77, 2], [2, 18, 14, 7, -1, 1, 4, 3, 0.88, 9]],  # PLAIN
        [[47, 19, 8, 3, -2, 5, 6, -1, 0.66, 3], [-15, 27, 14, 7, 0, 2, 4, 6, 0.73, 11]],  # GATED
        [[78, 11, 8, 1, 0, 5, 5, -1, 0.75, 3], [17, 18, 15, 4, 0, 2, 4, 6, 0.87, 8]],  # ASIDE
        [[66, 9, 6, 4, 0, 4, 1, -5, 0.79, 2], [4, 16, 10, 10, 7, 2, 3, 6, 0.94, 2]],  # TWO
    ],
    np.float64,
)


@compiled
def kind_of_game(rules: Any) -> int:
    """Which weights fit."""
    if rules["players"] == 2:
        return TWO
    if rules["aside_count"]:
        return ASIDE
    return PLAIN if rules["marriage_gate"] == GATE_ON_LEAD else GATED


@compiled
def estimate(seen: Any, rules: Any, hand: int, dealt: bool) -> float:
    """Points that a declarer may expect to take, from a hand as it was dealt or (``dealt=False``) with the talon."""
    kind, stage = kind_of_game(rules), 0 if dealt else 1
    deck_points = rules["deck_points"]
    cards = WEIGHTS[kind, stage, BASE] * deck_points / 120
    marriages = best = trumps = 0
    for suit in range(NUM_SUITS):
        held = suit_of(hand, suit)
        cards += worth_of_suit(kind, stage, suit_of(wide(seen["deck"]), suit), held)
        if held & PAIR == PAIR:
            value = wide(rules["marriage_value"][suit])
            marriages += value
            if value >= best:
                best, trumps = value, popcount(held) - 2
    return min(cards + WEIGHTS[kind, stage, TRUMP] * trumps, deck_points) + WEIGHTS[kind, stage, MARRIAGE] * marriages


@compiled
def worth_of_suit(kind: int, stage: int, deck: int, held: int) -> float:
    """What holding exactly these cards of a suit is worth; ``deck`` are all there are of it."""
    if held == 0:
        return WEIGHTS[kind, stage, VOID] if deck else 0.0
    has = wide(0)  # the best three cards of the suit, as bits from the top
    place = 0
    for rank in range(NUM_RANKS - 1, -1, -1):
        if (deck >> rank) & 1 and place < 3:
            has |= ((held >> rank) & 1) << place
            place += 1
    ace, ten, king = has & 1, (has >> 1) & 1, (has >> 2) & 1
    worth = WEIGHTS[kind, stage, ACE_HELD] * ace + WEIGHTS[kind, stage, KING_BESIDE] * king * (ace + ten)
    if ten and ace:
        worth += WEIGHTS[kind, stage, TEN_BEHIND]
    elif ten:
        worth += WEIGHTS[kind, stage, TEN_GUARDED if popcount(held) > 1 else TEN_BARE]
    return worth + WEIGHTS[kind, stage, LENGTH] * max(0, popcount(held) - 3)


# Auction and exchange


@compiled
def lowest_bid(seen: Any) -> int:
    """The lowest legal bid, 0 if there is none."""
    low, middle = seen["legal"][0] & -2, seen["legal"][1] & 3
    if low:
        return lowest(low)
    return 64 + lowest(middle) if middle else 0


@compiled
def points_of_bid(action: int, rules: Any) -> int:
    """The points that a bid names."""
    return rules["min_bid"] + rules["bid_step"] * (action - FIRST_BID)


@compiled
def barrel_bid(rules: Any) -> int:
    """The bid of exactly the barrel contract."""
    return FIRST_BID + (rules["barrel_contract"] - rules["min_bid"]) // rules["bid_step"]


@compiled
def barrel_needs(rules: Any) -> int:
    """What a hand must be worth for the barrel contract to be tried: anything where a failure costs nothing."""
    failure_is_free = rules["barrel_failed_contract"] == ATTEMPT_ONLY
    if failure_is_free and rules["barrel_attempt_counts"] != DECLARER_ONLY:
        return 0
    return rules["barrel_contract"]


@compiled
def best_raise(seen: Any, rules: Any, margin: float) -> int:
    """Raise to the barrel contract; where the contract is what gets written, to the worth of the hand less a margin."""
    worth = estimate(seen, rules, wide(seen["hand"]), False)
    if seen["barrel"][0] >= 0:
        winning = barrel_bid(rules)
        tries = winning <= LAST_BID and is_legal(seen, winning) and worth >= barrel_needs(rules)
        return winning if tries else PASS
    if rules["declarer_score"] == TAKEN:
        return PASS
    best = PASS
    for action in range(FIRST_BID, LAST_BID + 1):
        if is_legal(seen, action) and points_of_bid(action, rules) <= worth - margin:
            best = action
    return best


@compiled
def exchange(seen: Any, rules: Any, points: float, marriage: float) -> int:
    """Refuse a poor talon, give up a lost contract, or part with the cheapest card.

    ``points`` and ``marriage`` as of ``cost_of_parting``.
    """
    hand = wide(seen["hand"])
    contract = wide(seen["contract"])
    if is_legal(seen, CONCEDE) or is_legal(seen, REDEAL):
        worth = estimate(seen, rules, hand, False)
        if is_legal(seen, REDEAL) and worth < contract:
            return REDEAL
        if is_legal(seen, CONCEDE) and gives_up(seen, rules, worth, contract):
            return CONCEDE
    cards = legal_cards(seen, FIRST_GIVE)
    best, least = 0, 1e9
    for card in range(NUM_CARDS):
        if (cards >> card) & 1:
            cost = cost_of_parting(seen, rules, hand, card, points, marriage)
            if cost < least:
                best, least = card, cost
    return FIRST_GIVE + best


@compiled
def gives_up(seen: Any, rules: Any, worth: float, contract: int) -> bool:
    """Whether conceding is expected to cost less than playing, against the average opponent."""
    if seen["barrel"][0] >= 0:
        return False
    price = 120 if rules["concede"] == CONCEDE_120_60 else contract
    if seen["concessions"][0] < rules["free_bombs"]:
        price = 0
    gift = contract / 2 if rules["concede"] == CONCEDE_HALF else 60.0
    made = min(1.0, max(0.0, 0.5 + (worth - contract) / 80))
    left_to_others = max(0.0, rules["deck_points"] - worth) / (rules["active"] - 1)
    return -price - gift > (2 * made - 1) * contract - left_to_others


@compiled
def cost_of_parting(seen: Any, rules: Any, hand: int, card: int, points: float, marriage: float) -> float:
    """What is lost with a card: its worth in its suit, and what it may do for whoever gets it.

    Who gets it is thought to win the share ``points`` of its points, and ``marriage`` of the one it may complete.
    """
    suit, rank = card // NUM_RANKS, card % NUM_RANKS
    kind = kind_of_game(rules)
    deck = suit_of(wide(seen["deck"]), suit)
    held = suit_of(hand, suit)
    cost = worth_of_suit(kind, 1, deck, held) - worth_of_suit(kind, 1, deck, held ^ (1 << rank))
    if (PAIR >> rank) & 1:
        value = wide(rules["marriage_value"][suit])
        if held & PAIR == PAIR:
            return 1000.0 + value
        if not rules["aside_count"]:
            cost += value * marriage  # it may complete the marriage
    if rules["players"] > 2 and rules["aside_count"]:
        return cost - CARD_POINTS[card]  # put aside, its points are won
    return cost + CARD_POINTS[card] * points + (500 if rank >= TEN else 0)


# Play


@compiled
def best_declaration(seen: Any, rules: Any) -> int:
    """The lead that declares four aces, or the best marriage; 0 if nothing can be declared."""
    hand = wide(seen["hand"])
    best, action = -1, 0
    if rules["marriage_declare"] == AUTOMATIC:
        tricks = seen["tricks"]
        if rules["marriage_gate"] != GATE_ON_LEAD and not (tricks[0] or tricks[1] or tricks[2] or tricks[3]):
            return 0
        for suit in range(NUM_SUITS):
            if suit_of(hand, suit) & PAIR == PAIR and rules["marriage_value"][suit] > best:
                best, action = wide(rules["marriage_value"][suit]), FIRST_PLAY + QUEEN + NUM_RANKS * suit
        return action
    for suit in range(NUM_SUITS):
        if is_legal(seen, FIRST_ACES + suit) and popcount(suit_of(hand, suit)) > best:
            best, action = popcount(suit_of(hand, suit)), FIRST_ACES + suit
    if action:
        return action
    for suit in range(NUM_SUITS):
        if is_legal(seen, FIRST_MARRY + 2 * suit) and rules["marriage_value"][suit] > best:
            best, action = wide(rules["marriage_value"][suit]), FIRST_MARRY + 2 * suit
    return action


@compiled
def is_half(card: int, hand: int) -> bool:
    """Whether a card is half of a marriage in the hand."""
    return (PAIR >> (card % NUM_RANKS)) & 1 == 1 and suit_of(hand, card // NUM_RANKS) & PAIR == PAIR
