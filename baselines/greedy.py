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

from baselines.judgement import (
    AUCTION,
    EXACT,
    EXCHANGE,
    LAST_BID,
    PLAY,
    RAISE,
    REDEAL_PHASE,
    above,
    barrel_bid,
    barrel_needs,
    best_declaration,
    best_raise,
    estimate,
    exchange,
    first_action,
    highest,
    is_half,
    legal_cards,
    lowest_bid,
    only_action,
    points_of_bid,
)
from thousand_env import View
from thousand_env.compiled import (
    CARD_POINTS,
    FIRST_PLAY,
    NUM_RANKS,
    PASS,
    REDEAL,
    TEN,
    CompiledAgent,
    beats,
    compiled,
    entry,
    is_legal,
    lowest,
    popcount,
    rules_record,
    sight,
    suit_cards,
    wide,
)

CAUTION: Final = 5
"""How many points below its estimate the agent stops bidding: the best in matches against itself with other numbers."""
RAISE_CAUTION: Final = 40
"""How many points further below a raise stays: a contract that is safe is worth more than a high one that is not."""
GIVEN_POINTS: Final = 0.5
"""The share of the points of a card given away that its receiver is thought to win."""
GIVEN_MARRIAGE: Final = 0.1
"""The same of the marriage that the card may complete."""


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
        action = exchange(seen, rules, GIVEN_POINTS, GIVEN_MARRIAGE)
    elif phase == AUCTION:
        action = _bid(seen, rules, caution)
    elif phase == RAISE:
        action = best_raise(seen, rules, caution + RAISE_CAUTION)
    elif phase == REDEAL_PHASE:
        action = REDEAL if estimate(seen, rules, wide(seen["hand"]), True) < rules["min_bid"] else PASS
    # Otherwise it looks at its cards rather than bid in the dark, and takes talon A, which is as good as B.
    return action if is_legal(seen, action) else first_action(seen)


# Auction


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


# Play


@compiled
def _play(seen: Any, rules: Any) -> int:
    hand, unseen = wide(seen["hand"]), wide(seen["unseen"])
    if seen["trick_size"]:
        return FIRST_PLAY + _follow(seen, rules, hand, unseen)
    declaration = best_declaration(seen, rules)
    return declaration if declaration else FIRST_PLAY + _lead(seen, hand, unseen)


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
