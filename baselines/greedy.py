"""``GreedyAgent``: a sound player by rule of thumb, for every rule set and every phase.

It bids what its hand is worth and no more, parts with what it needs least, declares its best marriage at once, cashes
cards that nothing can beat, wins tricks as cheaply as it can and loses them with the fewest points. It looks at one
decision at a time: it keeps no memory, never guesses who holds what, and does not search. It is deterministic. A
decision takes about 3 microseconds through ``act`` and a fraction of one in a batch or inside a search.

The rules of thumb are this project's own. They are compiled functions of a *sight* (``thousand_env.compiled``), in
which hands are sets of cards: integers with bit ``id`` set, ``id = 6 * suit + rank``.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from thousand_env import View
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
    CompiledAgent,
    beats,
    compiled,
    entry,
    is_legal,
    lowest,
    option_code,
    popcount,
    rules_record,
    sight,
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

CAUTION: Final = 5
"""How many points below its estimate the agent stops bidding: the best in matches against itself with other numbers."""
RAISE_CAUTION: Final = 40
"""How many points further below a raise stays: a contract that is safe is worth more than a high one that is not."""


class GreedyAgent(CompiledAgent):
    """Plays by rules of thumb, see the module.

    ``caution``: how many points below its estimate it stops bidding, a whole number; ``ValueError`` for anything else.
    """

    def __init__(self, *, caution: int = CAUTION) -> None:
        if isinstance(caution, bool) or not hasattr(caution, "__index__"):
            raise ValueError(f"caution={caution!r} is not accepted: use a whole number of points")
        self.caution = int(caution)

    def choose_all(self, sights: npt.NDArray[Any], rules: npt.NDArray[Any], actions: npt.NDArray[np.int64]) -> None:
        """Write the choice for each sight to ``actions``."""
        choose_all(sights, rules, self.caution, actions)

    def estimate(self, view: View) -> float:
        """Points that the observer, whose turn it is, may expect to take as declarer, from the cards in his hand."""
        return float(estimate_hand(sight(view), rules_record(view.rules)))


@entry
def choose_all(sights: Any, rules_records: Any, caution: int, actions: Any) -> None:
    """Write the action chosen for each sight to ``actions``."""
    for i in range(sights.shape[0]):
        actions[i] = choose(sights[i], rules_records[0], caution)


@entry
def estimate_hand(sights: Any, rules_records: Any) -> float:
    """What the hand of the first sight is worth."""
    seen = sights[0]
    return estimate(seen, rules_records[0], wide(seen["hand"]), seen["phase"] <= AUCTION)


@compiled
def choose(seen: Any, rules: Any, caution: int) -> int:
    """The action that the agent takes; legal if any is."""
    only = only_action(seen)
    if only >= 0:
        return only
    phase = seen["phase"]
    action = PASS
    if phase == PLAY:
        action = _play(seen, rules)
    elif phase == EXCHANGE:
        action = _exchange(seen, rules)
    elif phase == AUCTION:
        action = _bid(seen, rules, caution)
    elif phase == RAISE:
        action = _raise(seen, rules, caution)
    elif phase == REDEAL_PHASE:
        action = REDEAL if estimate(seen, rules, wide(seen["hand"]), True) < rules["min_bid"] else PASS
    # Otherwise it looks at its cards rather than bid in the dark, and takes talon A, which is as good as B.
    return action if is_legal(seen, action) else first_action(seen)


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
def _bid(seen: Any, rules: Any, caution: int) -> int:
    """The lowest legal bid while it stays below what the hand is worth, or the contract that wins from the barrel."""
    worth = estimate(seen, rules, wide(seen["hand"]), True)
    bid = lowest_bid(seen)
    may_pass = is_legal(seen, PASS)
    if seen["barrel"][0] >= 0:
        winning = barrel_bid(rules)
        if worth >= barrel_needs(rules):
            if winning <= LAST_BID and is_legal(seen, winning):
                return winning
            if not rules["jump_bids"] and bid < winning:
                return bid
        if may_pass and rules["barrel_win_bid"] == EXACT:
            return PASS  # nothing else is worth a bid
    if not may_pass or points_of_bid(bid, rules) <= worth - caution:
        return bid
    return PASS


@compiled
def _raise(seen: Any, rules: Any, caution: int) -> int:
    """Raise to the barrel contract; or where the contract is what gets written, to what the final hand is worth."""
    worth = estimate(seen, rules, wide(seen["hand"]), False)
    if seen["barrel"][0] >= 0:
        winning = barrel_bid(rules)
        tries = winning <= LAST_BID and is_legal(seen, winning) and worth >= barrel_needs(rules)
        return winning if tries else PASS
    if rules["declarer_score"] == TAKEN:
        return PASS
    best = PASS
    for action in range(FIRST_BID, LAST_BID + 1):
        if is_legal(seen, action) and points_of_bid(action, rules) <= worth - caution - RAISE_CAUTION:
            best = action
    return best


@compiled
def _exchange(seen: Any, rules: Any) -> int:
    """Refuse a poor talon, give up a lost contract, or part with the cheapest card."""
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
            cost = cost_of_parting(seen, rules, hand, card)
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
def cost_of_parting(seen: Any, rules: Any, hand: int, card: int) -> float:
    """What is lost with a card: its worth in its suit, and what it may do for whoever gets it."""
    suit, rank, points = card // NUM_RANKS, card % NUM_RANKS, CARD_POINTS[card]
    kind = kind_of_game(rules)
    deck = suit_of(wide(seen["deck"]), suit)
    held = suit_of(hand, suit)
    cost = worth_of_suit(kind, 1, deck, held) - worth_of_suit(kind, 1, deck, held ^ (1 << rank))
    if (PAIR >> rank) & 1:
        value = wide(rules["marriage_value"][suit])
        if held & PAIR == PAIR:
            return 1000.0 + value
        if not rules["aside_count"]:
            cost += value / 10  # it may complete the marriage
    if rules["players"] > 2 and rules["aside_count"]:
        return cost - points  # put aside, its points are won
    return cost + points / 2 + (500 if rank >= TEN else 0)


# Play


@compiled
def _play(seen: Any, rules: Any) -> int:
    hand, unseen = wide(seen["hand"]), wide(seen["unseen"])
    if seen["trick_size"]:
        return FIRST_PLAY + _follow(seen, rules, hand, unseen)
    declaration = best_declaration(seen, rules)
    return declaration if declaration else FIRST_PLAY + _lead(seen, hand, unseen)


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
def _lead(seen: Any, hand: int, unseen: int) -> int:
    """Cash the best card that nothing can beat; without one lose the lead cheaply."""
    trump = wide(seen["trump"])
    trumps_out = unseen & suit_cards(trump) if trump >= 0 else 0
    best, best_gain = -1, 0
    cheapest, least_cost = -1, 10_000
    cards = legal_cards(seen, FIRST_PLAY)
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        suit = card // NUM_RANKS
        cost = CARD_POINTS[card]
        if is_half(card, hand):
            cost += 1000  # a marriage that may not be declared yet
        elif unseen & above(card) == 0:
            gain = _gain_of_cashing(card, trump, trumps_out, unseen)
            if gain > best_gain:
                best, best_gain = card, gain
            cost += 30
        else:
            left = hand & suit_cards(suit) & ~(wide(1) << card)
            if left and popcount(unseen & above(highest(left))) == 1:
                cost -= 6  # once the one card above is gone, the best of what is left is on top
            if suit == trump:
                cost += 5
        if cost < least_cost:
            cheapest, least_cost = card, cost
    return cheapest if best < 0 else best


@compiled
def _gain_of_cashing(card: int, trump: int, trumps_out: int, unseen: int) -> int:
    """How good it is to lead a card that no card of its suit can beat: 0 if it is likely to be trumped."""
    suit = card // NUM_RANKS
    if suit == trump:
        return 60 + CARD_POINTS[card] if trumps_out else 20  # draw trumps; keep them when nobody else has any
    followers = popcount(unseen & suit_cards(suit))
    return 30 + CARD_POINTS[card] + followers if followers > 1 or trumps_out == 0 else 0


@compiled
def _follow(seen: Any, rules: Any, hand: int, unseen: int) -> int:
    """Win as cheaply as it can be done, else lose as few points as possible."""
    trump, best = wide(seen["trump"]), wide(seen["best_card"])
    cards = legal_cards(seen, FIRST_PLAY)
    is_last = seen["trick_size"] == rules["active"] - 1
    winner, sure, bait, cheapest = -1, -1, -1, -1
    least_win = least_bait = least_dump = 1_000_000
    all_win = True
    left = cards
    while left:
        card = lowest(left)
        left &= left - 1
        dump = _cost_of_dumping(rules, card, hand, unseen)
        if dump < least_dump:
            cheapest, least_dump = card, dump
        if not beats(card, best, trump):
            all_win = False
            continue
        cost = _cost_of_winning(card, hand, unseen, trump)
        if cost < least_win:
            winner, least_win = card, cost
        if sure < 0 and _stays_best(card, trump, unseen):
            sure = card
        if dump < least_bait:
            bait, least_bait = card, dump
    if winner >= 0:
        if is_last:
            return winner
        if sure >= 0:
            return sure
        if CARD_POINTS[bait] < CARD_POINTS[TEN] or all_win:
            return bait
    return cheapest


@compiled
def _stays_best(card: int, trump: int, unseen: int) -> bool:
    """Whether the last player can hardly beat a card: by no card of its suit, and a trump is not to be feared."""
    if unseen & above(card):
        return False
    suit = card // NUM_RANKS
    if trump < 0 or suit == trump or unseen & suit_cards(trump) == 0:
        return True
    return popcount(unseen & suit_cards(suit)) > 1


@compiled
def is_half(card: int, hand: int) -> bool:
    """Whether a card is half of a marriage in the hand."""
    return (PAIR >> (card % NUM_RANKS)) & 1 == 1 and suit_of(hand, card // NUM_RANKS) & PAIR == PAIR


@compiled
def _cost_of_winning(card: int, hand: int, unseen: int, trump: int) -> int:
    """For the last player: a trump is dear, a card on top wins later too, and another brings its points home."""
    cost = -CARD_POINTS[card] if unseen & above(card) else 8
    if card // NUM_RANKS == trump:
        cost += 2 * (card % NUM_RANKS)
    return cost + 40 if is_half(card, hand) else cost


@compiled
def _cost_of_dumping(rules: Any, card: int, hand: int, unseen: int) -> int:
    """Points that go to another, a trick that the card would have won, a marriage that it would have declared."""
    cost = CARD_POINTS[card] if unseen & above(card) else CARD_POINTS[card] + 8
    return cost + wide(rules["marriage_value"][card // NUM_RANKS]) // 3 if is_half(card, hand) else cost
