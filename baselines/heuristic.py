"""``HeuristicAgent``: a club player's rules of thumb, with cards counted and the score sheet in mind.

Beyond what ``greedy`` does it counts cards: what each opponent may still hold, from the cards played, suits not
followed, gifts it made and marriages declared, and with what chance he can beat or trump a card. Each choice of the
play is weighed in points: a point is worth more to whoever needs it for the contract, so that a declarer fights until
the contract is safe, and defenders put their tens on each other's tricks as long as he can still fail. Kept cards have
a value: guards, cards on top, trumps, halves of a marriage. It bids by the estimate of ``greedy`` less a margin
that depends on who has bid; it takes the barrel contract before a player who would win with it, fights harder where the
contract wins the match, lays no weight on points that are not written, and gives up what is lost where that is cheaper.
It does not fear the third bolt: in 9,000 matches, bidding lower or higher against it changed nothing.

It is deterministic, keeps no memory and does not search; a decision takes about 4 microseconds through ``act``. The
rules of thumb are this project's own; their numbers were tuned in duplicate deals against ``greedy``.
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
    PAIR,
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
    is_half,
    legal_cards,
    lowest_bid,
    only_action,
    points_of_bid,
    suit_of,
)
from thousand_env.compiled import (
    CARD_POINTS,
    FIRST_PLAY,
    NUM_RANKS,
    NUM_SUITS,
    PASS,
    REDEAL,
    CompiledAgent,
    beats,
    compiled,
    entry,
    is_legal,
    lowest,
    option_code,
    popcount,
    suit_cards,
    wide,
)

KNOBS_DTYPE: Final = np.dtype(
    [
        (name, np.float64)
        for name in (
            "margin",  # how many points a bid stays below the estimate
            "margin_forced",  # more than that against a player who has bid only because he had to
            "block",  # below the barrel contract by so many points it is still bid against who would win with it
            "raise_margin",  # how many points a raise stays below the estimate of the final hand
            "fight",  # what a point is worth beyond itself while the contract is open
            "help",  # share of that which a point on a partner's trick is worth, where the declarer cannot get it
            "lead",  # what having the lead is worth
            "top",  # of a card that nothing in its suit can beat: share of its points that it brings home if it is kept
            "guard",  # share of the points of a guarded card with one above it
            "half",  # share of the value of a marriage that can still be declared
            "loser",  # share of the points of a card that will be lost
            "promote",  # of leading a suit in which the next card is then on top
            "low",  # points that an opponent puts on a trick
            "fat",  # points that a partner puts on a trick
            "give_points",  # share of the points of a card that is given away
        )
    ]
)
KNOBS: Final = np.array([(12, 2.5, 60, 75, 1.0, 0.25, 10, 1.4, 0.5, 0.17, 0.45, 60, 9.6, 12, 0.8)], KNOBS_DTYPE)

MADE, OPEN, LOST = range(3)
WINS_THE_MATCH: Final = 5.0
"""How many times more is fought against a contract that wins the match."""
BID_IS_WRITTEN: Final = option_code("declarer_score", "bid")


class HeuristicAgent(CompiledAgent):
    """Plays by rules of thumb, see the module.

    ``caution``: how many points more than usual it stays below its estimate when bidding, a whole number;
    ``ValueError`` for anything else.
    """

    def __init__(self, *, caution: int = 0) -> None:
        if isinstance(caution, bool) or not hasattr(caution, "__index__"):
            raise ValueError(f"caution={caution!r} is not accepted: use a whole number of points")
        self.caution = int(caution)
        self._knobs = KNOBS.copy()
        self._knobs["margin"] += self.caution

    def choose_all(self, sights: npt.NDArray[Any], rules: npt.NDArray[Any], actions: npt.NDArray[np.int64]) -> None:
        """Write the choice for each sight to ``actions``."""
        choose_all(sights, rules, self._knobs, actions)


@entry
def choose_all(sights: Any, rules_records: Any, knobs: Any, actions: Any) -> None:
    """Write the action chosen for each sight to ``actions``."""
    for i in range(sights.shape[0]):
        actions[i] = choose(sights[i], rules_records[0], knobs[0])


@compiled
def choose(seen: Any, rules: Any, knobs: Any) -> int:
    """The action that the agent takes; legal if any is."""
    only = only_action(seen)
    if only >= 0:
        return only
    phase = seen["phase"]
    action = PASS
    if phase == PLAY:
        action = play(seen, rules, knobs)
    elif phase == EXCHANGE:
        action = exchange(seen, rules, knobs["give_points"], 0.0)
    elif phase == AUCTION:
        action = _bid(seen, rules, knobs)
    elif phase == RAISE:
        action = best_raise(seen, rules, knobs["raise_margin"])
    elif phase == REDEAL_PHASE:
        action = REDEAL if estimate(seen, rules, wide(seen["hand"]), True) < rules["min_bid"] else PASS
    # Otherwise it looks at its cards rather than bid in the dark, and takes talon A, which is as good as B.
    return action if is_legal(seen, action) else first_action(seen)


# Auction


@compiled
def _bid(seen: Any, rules: Any, knobs: Any) -> int:
    """The lowest legal bid while it stays below what the hand is worth; the barrel contract to win or to hold off."""
    worth = estimate(seen, rules, wide(seen["hand"]), True)
    bid = lowest_bid(seen)
    may_pass = is_legal(seen, PASS)
    winning = barrel_bid(rules)
    may_win = winning <= LAST_BID and is_legal(seen, winning)
    if seen["barrel"][0] >= 0:
        if worth >= barrel_needs(rules):
            if may_win:
                return winning
            if not rules["jump_bids"] and bid < winning:
                return bid
        if may_pass and rules["barrel_win_bid"] == EXACT:
            return PASS  # nothing else is worth a bid
    elif (
        may_win
        and rules["barrel_win_bid"] == EXACT
        and _would_win(seen, rules)
        and worth >= rules["barrel_contract"] - knobs["block"]
    ):
        return winning
    margin = knobs["margin"]
    if only_forced(seen, rules):
        margin += knobs["margin_forced"]
    if not may_pass or points_of_bid(bid, rules) <= worth - margin:
        return bid
    return PASS


@compiled
def _would_win(seen: Any, rules: Any) -> bool:
    """Whether another player on the barrel is still in the auction."""
    found = False
    for seat in range(1, rules["players"]):
        found |= seen["barrel"][seat] >= 0 and not (seen["passed"] >> seat) & 1
    return found


@compiled
def only_forced(seen: Any, rules: Any) -> bool:
    """Whether the highest bid is the lowest there is, as a forced opening or the dealer's minimum is."""
    return seen["bid"] == rules["min_bid"]


# Play


@compiled
def play(seen: Any, rules: Any, knobs: Any) -> int:
    """Declare the best marriage there is, else the card with the highest expectation in points."""
    leads = seen["trick_size"] == 0
    if leads:
        declaration = best_declaration(seen, rules)
        if declaration:
            card = _winner_to_cash(seen)
            return FIRST_PLAY + card if card >= 0 else declaration
    cards = legal_cards(seen, FIRST_PLAY)
    best, most = 0, -1e9
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        value = _value_of_lead(seen, rules, knobs, card) if leads else _value_of_following(seen, rules, knobs, card)
        value -= _value_of_keeping(seen, rules, knobs, card)
        if value > most:
            best, most = card, value
    return FIRST_PLAY + best


@compiled
def _winner_to_cash(seen: Any) -> int:
    """While nobody can trump, a card on top wins for sure, and a declaration can wait: the dearest such card, or -1."""
    if seen["trump"] >= 0:
        return -1
    hand, unseen = wide(seen["hand"]), wide(seen["unseen"])
    best = -1
    while hand:
        card = lowest(hand)
        hand &= hand - 1
        is_sure = unseen & above(card) == 0 and not is_half(card, wide(seen["hand"]))
        if is_sure and (best < 0 or CARD_POINTS[card] >= CARD_POINTS[best]):
            best = card
    return best


@compiled
def weight_of(seen: Any, rules: Any, knobs: Any, seat: int) -> float:
    """What a point that a seat takes is worth to the observer: 1 for his own as long as it is written."""
    declarer = wide(seen["declarer"])
    outlook = outlook_of(seen, rules)
    fight = knobs["fight"] if outlook == OPEN else 0.0
    if _would_win_match(seen, rules):
        fight *= WINS_THE_MATCH
    if seat != 0:
        share = 0.0 if seen["barrel"][seat] >= 0 and seat != declarer else -0.5  # his points are not written
        if declarer == 0:  # own points weigh more while the contract hangs on them
            return share / (1.0 + fight)
        return share - fight if seat == declarer else share + fight * knobs["help"]
    if declarer == 0:
        is_written = outlook == OPEN or (outlook == MADE and rules["declarer_score"] != BID_IS_WRITTEN)
        return 1.0 if is_written else 0.1
    return 1.0 if seen["barrel"][0] < 0 else 0.1


@compiled
def outlook_of(seen: Any, rules: Any) -> int:
    """Whether the declarer has made the contract, can make it or can not, for all that the observer knows."""
    declarer = wide(seen["declarer"])
    need = wide(seen["contract"]) - wide(seen["points"][declarer]) - wide(seen["bonus"][declarer])
    left = wide(rules["deck_points"])
    for seat in range(rules["players"]):
        left -= wide(seen["points"][seat])
    for suit in range(NUM_SUITS):
        held = suit_of(wide(seen["hand"] if declarer == 0 else seen["unseen"]), suit)
        if held & PAIR == PAIR:
            left += wide(rules["marriage_value"][suit])
    if need <= 0:
        return MADE
    return OPEN if need <= left else LOST


@compiled
def _would_win_match(seen: Any, rules: Any) -> bool:
    """Whether the declarer wins the match from the barrel with this contract."""
    if seen["barrel"][seen["declarer"]] < 0:
        return False
    contract = seen["contract"]
    is_exact = contract == rules["barrel_contract"]
    return is_exact or (rules["barrel_win_bid"] != EXACT and contract > rules["barrel_contract"])


@compiled
def next_player(seen: Any, rules: Any, seat: int) -> int:
    """The next seat clockwise that holds cards; with four players the dealer rests."""
    players = wide(rules["players"])
    after = seat + 1 if seat + 1 < players else 0
    if players == 4 and after == seen["dealer"]:
        after = after + 1 if after + 1 < players else 0
    return after


@compiled
def chance_of_holding(seen: Any, seat: int, cards: int) -> float:
    """The chance that a seat holds at least one of some unseen cards, as if each lay there independently."""
    shown = wide(seen["shown"][seat])
    known = wide(seen["shown"][1]) | wide(seen["shown"][2]) | wide(seen["shown"][3])
    if shown & cards:
        return 1.0
    pool = wide(seen["unseen"]) & ~known
    size = popcount(wide(seen["hand"])) - popcount(shown)
    for place in range(seen["trick_size"]):
        size -= seen["trick_seats"][place] == seat
    for suit in range(NUM_SUITS):
        if (wide(seen["voids"][seat]) >> suit) & 1:
            pool &= ~suit_cards(suit)
    count = popcount(pool)
    if count == 0 or size <= 0:
        return 0.0
    miss = 1.0
    for _ in range(popcount(cards & pool)):
        miss *= max(0.0, 1.0 - size / count)
        count -= 1
        if count <= 0:
            break
    return 1.0 - miss


@compiled
def chance_of_beating(seen: Any, seat: int, card: int, led_suit: int) -> float:
    """The chance that a seat still to play can beat the best card of the trick."""
    unseen, trump = wide(seen["unseen"]), wide(seen["trump"])
    suit = card // NUM_RANKS
    follows = chance_of_holding(seen, seat, unseen & suit_cards(led_suit))
    if suit != led_suit:  # trumped already
        return (1.0 - follows) * chance_of_holding(seen, seat, unseen & above(card))
    chance = chance_of_holding(seen, seat, unseen & above(card))
    if trump >= 0 and trump != led_suit:
        chance += (1.0 - follows) * chance_of_holding(seen, seat, unseen & suit_cards(trump))
    return min(chance, 1.0)


@compiled
def _added(seen: Any, knobs: Any, seat: int, winner: int) -> float:
    """Points that a seat is likely to put on a trick that another wins: a defender's fat goes to his partner."""
    declarer = seen["declarer"]
    return knobs["fat"] if seat != declarer and winner != declarer and seat != winner else knobs["low"]


@compiled
def _value_of_lead(seen: Any, rules: Any, knobs: Any, card: int) -> float:
    suit = card // NUM_RANKS
    points = CARD_POINTS[card]
    second = next_player(seen, rules, 0)
    third = next_player(seen, rules, second)
    by_second = chance_of_beating(seen, second, card, suit)
    by_third = 0.0 if third == 0 else chance_of_beating(seen, third, card, suit)
    wins = (1.0 - by_second) * (1.0 - by_third)
    second_wins = by_second * (1.0 - 0.5 * by_third)
    third_wins = 1.0 - wins - second_wins
    gain = points + _added(seen, knobs, second, 0)
    if third != 0:
        gain += _added(seen, knobs, third, 0)
    value = wins * (weight_of(seen, rules, knobs, 0) * gain + knobs["lead"])
    value += second_wins * weight_of(seen, rules, knobs, second) * (points + 2 * knobs["low"])
    if third != 0:
        value += third_wins * weight_of(seen, rules, knobs, third) * (points + 2 * knobs["low"])
    unseen = wide(seen["unseen"])
    left = wide(seen["hand"]) & suit_cards(suit) & ~(wide(1) << card)
    if unseen & above(card) and left:
        over = popcount(unseen & above(_highest(left)))
        if over == 1:
            value += knobs["promote"]
    return value


@compiled
def _highest(cards: int) -> int:
    best = 0
    while cards:
        best = lowest(cards)
        cards &= cards - 1
    return best


@compiled
def _value_of_following(seen: Any, rules: Any, knobs: Any, card: int) -> float:
    best, winner = wide(seen["best_card"]), wide(seen["best_seat"])
    led_suit = wide(seen["led_card"]) // NUM_RANKS
    points = CARD_POINTS[card] + CARD_POINTS[wide(seen["trick_cards"][0])]
    if seen["trick_size"] == 2:
        points += CARD_POINTS[wide(seen["trick_cards"][1])]
    if beats(card, best, wide(seen["trump"])):
        best, winner = card, 0
    lead = knobs["lead"] if winner == 0 else 0.0
    if seen["trick_size"] == rules["active"] - 1:
        return weight_of(seen, rules, knobs, winner) * points + lead
    last = next_player(seen, rules, 0)
    chance = chance_of_beating(seen, last, best, led_suit)
    value = chance * weight_of(seen, rules, knobs, last) * (points + knobs["low"])
    stays = weight_of(seen, rules, knobs, winner) * (points + _added(seen, knobs, last, winner)) + lead
    return value + (1.0 - chance) * stays


@compiled
def _value_of_keeping(seen: Any, rules: Any, knobs: Any, card: int) -> float:
    """Points that a card may still bring if it is not played now; less than nothing for one that will be lost."""
    hand, unseen = wide(seen["hand"]), wide(seen["unseen"])
    suit, points = card // NUM_RANKS, CARD_POINTS[card]
    over = popcount(unseen & above(card))
    value = 0.0
    if is_half(card, hand):
        value += knobs["half"] * rules["marriage_value"][suit]
    if over == 0:
        value += points * knobs["top"]
    elif over == 1 and popcount(hand & suit_cards(suit)) > 1:
        value += points * knobs["guard"]
    else:
        value -= points * knobs["loser"]
    return value
