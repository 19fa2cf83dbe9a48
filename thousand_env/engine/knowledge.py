"""What a seat can conclude about where the cards are: bins with room, and for each unseen card the bins it may lie in.

Every unseen card is in one bin: kept by another player (dealt or from the talon, and not given away), a hidden gift,
put aside, or in a talon that nobody has taken. Conclusions are drawn with the rules of play themselves: the log is
played again on a bare table, and a card is ruled out for a player if holding it would have made his action illegal.
What depends on several cards at once (a bid that proves some marriage) becomes a *claim* with alternatives.
"""

from __future__ import annotations

from typing import Any, Final

from thousand_env.actions import FIRST_ACES, FIRST_BID, FIRST_GIVE, FIRST_MARRY, PASS
from thousand_env.cards import NUM_CARDS, NUM_SUITS, QUEEN
from thousand_env.engine import auction
from thousand_env.engine.bits import popcount, wide
from thousand_env.engine.compiler import compiled
from thousand_env.engine.redact import HIDDEN_CARD, HIDDEN_GIVE
from thousand_env.engine.state import (
    DARK,
    DARK_NO,
    FORCED_NO,
    MAX_SEATS,
    NOBODY,
    REDEAL_ASK,
    first_hand,
    in_set,
    next_active,
    restore_hand,
)
from thousand_env.engine.step import clear_table
from thousand_env.engine.tricks import apply_play, begin_play, declaring_action, following_cards, played_card
from thousand_env.rules_record import ACES_OFF, CAP_ANY_WITH_MARRIAGE, CAP_HELD, DECLARE_AUTOMATIC

KEPT, GIFT, ASIDE, TALON_LEFT = range(4)
"""Kinds of bins; the owner of the first three is a seat, that of the last the place of the talon."""

MAX_CLAIMS: Final = 4
MAX_ALTERNATIVES: Final = 16
FINAL_HAND: Final = MAX_SEATS
"""Owner of a claim on the declarer's hand after the exchange (a raise), as against a dealt hand."""


@compiled
def gives_made(view: Any) -> int:
    """Cards that the declarer has given away or put aside so far."""
    count = 0
    for i in range(view["log_size"]):
        action = view["log"][i]
        if FIRST_GIVE <= action < FIRST_GIVE + NUM_CARDS or action == HIDDEN_GIVE:
            count += 1
    return count


@compiled
def knows_talon(view: Any, seat: int) -> bool:
    """Whether a seat has seen the talon that was taken."""
    return view["talon_taken"] >= 0 and in_set(view["talon_seen"], seat)


@compiled
def is_blind(view: Any, rules: Any, seat: int) -> bool:
    """Whether a seat does not know its own cards: before its dark decision."""
    return view["phase"] == DARK and seat == first_hand(view, rules)


@compiled
def make_bins(view: Any, rules: Any, me: int, kinds: Any, owners: Any, capacity: Any) -> int:
    """The bins that hide cards from ``me``, and how many cards each holds; their number."""
    declarer = view["declarer"]
    taken = view["talon_taken"] >= 0
    given = gives_made(view)
    bins = 0
    seat = first_hand(view, rules)
    for _ in range(rules["active"]):
        if seat != me or is_blind(view, rules, me):
            kinds[bins], owners[bins], capacity[bins] = KEPT, seat, rules["hand_size"]
            if seat == declarer and taken:
                capacity[bins] += rules["talon_size"] - given
            bins += 1
            if view["gifts"][seat] == HIDDEN_CARD:
                kinds[bins], owners[bins], capacity[bins] = GIFT, seat, 1
                bins += 1
        seat = next_active(seat, view, rules)
    if rules["aside_count"] and given and declarer != me:
        kinds[bins], owners[bins], capacity[bins] = ASIDE, declarer, given
        bins += 1
    for talon in range(2 if rules["players"] == 2 else 1):
        if talon != view["talon_taken"]:
            kinds[bins], owners[bins], capacity[bins] = TALON_LEFT, talon, rules["talon_size"]
            bins += 1
    return bins


@compiled
def find_known(view: Any, rules: Any, me: int) -> int:
    """The cards whose whole way is known to ``me``: his own, gifts that he knows, as declarer the talon."""
    known = restore_hand(view, rules, me)
    for seat in range(MAX_SEATS):
        if view["gifts"][seat] >= 0:
            known |= wide(1) << wide(view["gifts"][seat])
    if view["declarer"] == me and view["talon_taken"] >= 0:
        known |= wide(view["talon"][view["talon_taken"]])
    return known


@compiled
def bins_with(kinds: Any, owners: Any, bins: int, first_kind: int, last_kind: int, owner: int) -> int:
    """The set of bins of some kinds and an owner."""
    found = 0
    for b in range(bins):
        if first_kind <= kinds[b] <= last_kind and owners[b] == owner:
            found |= 1 << b
    return found


@compiled
def bins_of_ten(view: Any, kinds: Any, owners: Any, bins: int) -> int:
    """The set of bins that the declarer's cards went to, his hand and his talon together."""
    found = 0
    for b in range(bins):
        if kinds[b] == GIFT or ((kinds[b] == KEPT or kinds[b] == ASIDE) and owners[b] == view["declarer"]):
            found |= 1 << b
    return found


@compiled
def find_allowed(
    view: Any, rules: Any, me: int, bare: Any, kinds: Any, owners: Any, bins: int, allowed: Any, needs: Any
) -> int:
    """For each card the bins it may lie in (0 for known cards), and what the bids need; the set of unseen cards.

    ``bare`` is a record to play the log again in. ``needs[seat]`` becomes the highest bid that a seat made having seen
    its cards, and ``needs[FINAL_HAND]`` a raised contract, 0 where there is none.
    """
    unseen = 0
    known = find_known(view, rules, me)
    for i in range(rules["deck_size"]):
        card = wide(rules["deck"][i])
        allowed[card] = 0
        if not (known >> card) & 1:
            allowed[card] = (1 << bins) - 1
            unseen |= wide(1) << card
    if knows_talon(view, me) and view["declarer"] != me:
        talon = wide(view["talon"][view["talon_taken"]])
        ten = bins_of_ten(view, kinds, owners, bins)
        for card in range(NUM_CARDS):
            if (talon >> card) & 1:
                allowed[card] &= ten
    for seat in range(MAX_SEATS):
        holding = bins_with(kinds, owners, bins, KEPT, GIFT, seat)
        for card in range(NUM_CARDS):
            if (wide(view["played"][seat]) >> card) & 1:
                allowed[card] &= holding
    _read_log(view, rules, bare, kinds, owners, bins, allowed, needs)
    return unseen


@compiled
def _read_log(view: Any, rules: Any, bare: Any, kinds: Any, owners: Any, bins: int, allowed: Any, needs: Any) -> None:
    """Play the log again on a bare table, bidding and play, and draw the conclusions."""
    for owner in range(MAX_SEATS + 1):
        needs[owner] = 0
    clear_table(bare, rules)
    for seat in range(MAX_SEATS):
        bare["hands"][seat] = 0
    place = _read_bids(view, rules, bare, needs)
    declarer = view["declarer"]
    if declarer == NOBODY:
        return
    contract = bare["bid"]
    size = view["log_size"]
    cards = popcount(wide(view["played"][0])) + popcount(wide(view["played"][1]))
    cards += popcount(wide(view["played"][2])) + popcount(wide(view["played"][3]))
    if size - cards > place and FIRST_BID <= view["log"][size - cards - 1] < FIRST_GIVE and view["contract"] > contract:
        needs[FINAL_HAND] = view["contract"]
    bare["declarer"] = declarer
    begin_play(bare, rules)
    for i in range(size - cards, size):
        _read_play(rules, bare, wide(view["log"][i]), kinds, owners, bins, allowed)


@compiled
def _read_bids(view: Any, rules: Any, bare: Any, needs: Any) -> int:
    """The bids made on seen cards; where the log goes on after the auction."""
    place = 0
    if view["forced"] != FORCED_NO or view["phase"] == DARK or view["phase"] == REDEAL_ASK:
        return place
    if view["dark"] != DARK_NO:
        bare["seat"] = first_hand(bare, rules)
        auction.apply_dark(bare, rules, wide(view["log"][0]))
        place = 1
    auction.begin_auction(bare, rules)
    while place < view["log_size"]:
        action = wide(view["log"][place])
        seat = bare["seat"]
        place += 1
        outcome = auction.apply_auction(bare, rules, action)
        if action != PASS:
            needs[seat] = bare["bid"]
        if outcome != auction.GOES_ON:
            break
    return place


@compiled
def _read_play(rules: Any, bare: Any, action: int, kinds: Any, owners: Any, bins: int, allowed: Any) -> None:
    """What one card played, or one declaration, says about the cards its player holds."""
    seat = bare["seat"]
    holding = bins_with(kinds, owners, bins, KEPT, GIFT, seat)
    card = played_card(action)
    played = wide(bare["played"][0]) | wide(bare["played"][1]) | wide(bare["played"][2]) | wide(bare["played"][3])
    leads = bare["trick_size"] == 0
    if holding:
        if leads and action >= FIRST_ACES:
            for suit in range(NUM_SUITS):
                if suit != action - FIRST_ACES:
                    allowed[6 * suit + 5] &= holding
        elif leads and action >= FIRST_MARRY:
            suit = (action - FIRST_MARRY) >> 1
            allowed[2 * (6 * suit + QUEEN) + 1 - card] &= holding
        for other in range(NUM_CARDS):
            if other != card and not (played >> other) & 1 and allowed[other] & holding:
                hand = (wide(1) << other) | (wide(1) << card)
                if leads:
                    if rules["marriage_declare"] != DECLARE_AUTOMATIC or action >= FIRST_MARRY:
                        continue
                    bare["hands"][seat] = hand
                    possible = declaring_action(bare, rules, seat, action) == action
                else:
                    possible = (following_cards(hand, bare, rules) >> card) & 1 == 1
                if not possible:
                    allowed[other] &= ~holding
    bare["hands"][seat] = 0
    apply_play(bare, rules, action)


@compiled
def make_claims(view: Any, rules: Any, me: int, needs: Any, claim_owner: Any, alternatives: Any, counts: Any) -> int:
    """What the bids of the others prove: claims, each with the minimal card sets of which one must have been held.

    A bid beyond the card points of the deck needs marriages (or four aces): ``bid_cap``.
    """
    claims = 0
    cap = rules["bid_cap"]
    if cap != CAP_HELD and cap != CAP_ANY_WITH_MARRIAGE:
        return 0
    for owner in range(MAX_SEATS + 1):
        seat = view["declarer"] if owner == FINAL_HAND else owner
        excess = needs[owner] - rules["deck_points"]
        if needs[owner] and excess > 0 and seat != me:
            claim_owner[claims] = owner
            counts[claims] = _find_alternatives(rules, excess, alternatives, claims)
            claims += 1
    return claims


@compiled
def _find_alternatives(rules: Any, excess: int, alternatives: Any, claim: int) -> int:
    """The minimal sets of marriages and aces that allow a bid so much above the points of the deck."""
    count = 0
    any_marriage = rules["bid_cap"] == CAP_ANY_WITH_MARRIAGE
    items = NUM_SUITS
    if rules["ace_marriage"] != ACES_OFF and rules["four_aces"] and not any_marriage:
        items += 1
    for chosen in range(1, 1 << items):
        value = 0
        least = 1 << 30
        cards = 0
        for item in range(items):
            if (chosen >> item) & 1:
                worth = (
                    excess
                    if any_marriage
                    else rules["ace_marriage_value"]
                    if item == NUM_SUITS
                    else rules["marriage_value"][item]
                )
                cards |= rules["four_aces"] if item == NUM_SUITS else 3 << (6 * item + QUEEN)
                value += worth
                least = min(least, worth)
        if value >= excess and value - least < excess:
            alternatives[claim, count] = cards
            count += 1
    return count
