"""Complete deals that agree with all that a seat knows, drawn uniformly.

Fillings of the bins of ``knowledge`` are drawn uniformly and exactly; a world made from one is then played through from
its dealt cards, and kept only if every action is legal and the seat's view comes out identical, byte by byte. That
check is the definition of a consistent world, so the rest is a matter of speed: what single cards prove is built into
the fillings, and for bids that prove one of several marriages the fillings are drawn from the union of the cases by the
method of Karp and Luby (1983): a case with chance proportional to its size, and kept if it is the first that holds.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from thousand_env.actions import FIRST_GIVE, PASS
from thousand_env.cards import NUM_CARDS
from thousand_env.engine.bits import lowest, popcount, wide
from thousand_env.engine.compiler import compiled, entry
from thousand_env.engine.deck import below, mix
from thousand_env.engine.fillings import (
    FACTORIALS,
    MAX_BINS,
    MAX_CLASSES,
    count_ways,
    draw_filling,
    make_classes,
    uniform,
)
from thousand_env.engine.knowledge import (
    FINAL_HAND,
    GIFT,
    KEPT,
    MAX_ALTERNATIVES,
    MAX_CLAIMS,
    TALON_LEFT,
    bins_of_ten,
    bins_with,
    find_allowed,
    is_blind,
    knows_talon,
    make_bins,
    make_claims,
)
from thousand_env.engine.redact import HIDDEN_GIVE, redact
from thousand_env.engine.replay import ALL, replay_log
from thousand_env.engine.state import MAX_SEATS, REDEAL_ASK, first_hand, in_set, next_active, restore_hand
from thousand_env.engine.step import apply_action, clear_table, is_void, open_deal

EVERY_SEAT: Final = (1 << MAX_SEATS) - 1


@entry
def sample_world(
    views: Any, rules_records: Any, me: int, stream: Any, scratch: Any, scratch_bytes: Any, limit: int
) -> int:
    """Write a consistent world to ``scratch[0]`` and return the number of tries; 0 if ``limit`` tries found none.

    ``views[0]`` is what seat ``me`` knows. ``scratch`` has three records, ``scratch_bytes`` is the same memory as
    uint8[3, 256]; on entry ``scratch[2]`` is a copy of the view. The world's seed is drawn from ``stream``.
    """
    view = views[0]
    rules = rules_records[0]
    kinds, owners, capacity = np.zeros(MAX_BINS, np.int64), np.zeros(MAX_BINS, np.int64), np.zeros(MAX_BINS, np.int64)
    bins = make_bins(view, rules, me, kinds, owners, capacity)
    allowed, needs = np.zeros(NUM_CARDS, np.int64), np.zeros(MAX_SEATS + 1, np.int64)
    scratch[0] = views[0]
    unseen = find_allowed(view, rules, me, scratch[0], kinds, owners, bins, allowed, needs)
    claim_owner, counts = np.zeros(MAX_CLAIMS, np.int64), np.zeros(MAX_CLAIMS, np.int64)
    alternatives = np.zeros((MAX_CLAIMS, MAX_ALTERNATIVES), np.int64)
    claims = make_claims(view, rules, me, needs, claim_owner, alternatives, counts)
    cases = 1
    for claim in range(claims):
        cases *= counts[claim]
    restricted = np.zeros(NUM_CARDS, np.int64)
    bins_of, sizes = np.zeros(MAX_CLASSES, np.int64), np.zeros(MAX_CLASSES, np.int64)
    filling = np.zeros(MAX_BINS, np.int64)
    weights = np.ones(cases)
    ways = np.zeros((1, 1))
    classes = reserved = 0
    total = 0.0
    for case in range(cases):
        reserved = restrict(
            view, rules, me, case, claims, claim_owner, alternatives, counts, kinds, owners, bins, allowed, restricted
        )
        weights[case] = 0.0
        if reserved >= 0:
            classes = make_classes(restricted, unseen, bins_of, sizes)
            if classes >= 0:
                ways = count_ways(classes, bins_of, sizes, capacity, bins)
                weights[case] = ways[0, ways.shape[1] - 1] * talon_ways(view, rules, me, reserved)
        total += weights[case]
    for tries in range(1, limit + 1):
        case = 0
        if cases > 1:  # a single one has been prepared above
            stream, share = uniform(stream)
            left = share * total
            for case in range(cases):
                left -= weights[case]
                if left < 0.0:
                    break
            if weights[case] == 0.0:
                continue
            reserved = restrict(
                view,
                rules,
                me,
                case,
                claims,
                claim_owner,
                alternatives,
                counts,
                kinds,
                owners,
                bins,
                allowed,
                restricted,
            )
            classes = make_classes(restricted, unseen, bins_of, sizes)
            ways = count_ways(classes, bins_of, sizes, capacity, bins)
        stream, filled = draw_filling(
            ways, classes, bins_of, sizes, capacity, bins, restricted, unseen, stream, filling
        )
        if not filled:
            continue
        stream = build_deal(view, rules, me, kinds, owners, bins, filling, reserved, stream, scratch[0], scratch[1])
        if not is_first_case(
            view, case, claims, claim_owner, alternatives, counts, scratch[0], filling, kinds, owners, bins
        ):
            continue
        stream, legal = play_through(view, rules, me, stream, scratch[0], scratch[1])
        if not legal:
            continue
        scratch[1] = scratch[0]
        scratch[1]["talon_seen"] = view["talon_seen"]  # after the end a talon may be seen that was not in the deal
        redact(scratch[1], rules, me, view["phase"] == REDEAL_ASK and view["seat"] >= 0)
        same = True
        for i in range(scratch_bytes.shape[1]):
            same &= scratch_bytes[1, i] == scratch_bytes[2, i]
        if same:
            scratch[0]["seed"] = mix(stream)
            return tries
    return 0


@compiled
def talon_ways(view: Any, rules: Any, me: int, reserved: int) -> float:
    """In how many ways an unseen talon can lie among the declarer's cards, some of which were dealt to him."""
    if view["talon_taken"] < 0 or knows_talon(view, me):
        return 1.0
    free = rules["hand_size"] + rules["talon_size"] - popcount(reserved)
    if free < rules["talon_size"]:
        return 0.0
    return FACTORIALS[free] / FACTORIALS[rules["talon_size"]] / FACTORIALS[free - rules["talon_size"]]


@compiled
def case_alternative(case: int, claim: int, counts: Any) -> int:
    """Which alternative of a claim a case stands for."""
    for earlier in range(claim):
        case //= counts[earlier]
    return case % counts[claim]


@compiled
def restrict(
    view: Any,
    rules: Any,
    me: int,
    case: int,
    claims: int,
    claim_owner: Any,
    alternatives: Any,
    counts: Any,
    kinds: Any,
    owners: Any,
    bins: int,
    allowed: Any,
    restricted: Any,
) -> int:
    """The bins that cards may lie in if a case holds; the cards it says were dealt to the declarer, -1 if it cannot."""
    for card in range(NUM_CARDS):
        restricted[card] = allowed[card]
    reserved = 0
    for claim in range(claims):
        owner = claim_owner[claim]
        cards = alternatives[claim, case_alternative(case, claim, counts)]
        is_declarers = owner == view["declarer"] and view["talon_taken"] >= 0
        if owner == FINAL_HAND:
            homes = bins_with(kinds, owners, bins, KEPT, KEPT, view["declarer"])
        elif is_declarers:
            homes = bins_of_ten(view, kinds, owners, bins)
            reserved |= cards
            if knows_talon(view, me) and cards & wide(view["talon"][view["talon_taken"]]):
                return -1
        else:
            homes = bins_with(kinds, owners, bins, KEPT, KEPT, owner)
        left = cards
        while left:
            card = lowest(left)
            left &= left - 1
            if allowed[card] == 0:
                if not (is_declarers and is_gift(view, card)):
                    return -1
            else:
                restricted[card] &= homes
                if restricted[card] == 0:
                    return -1
    return reserved


@compiled
def is_gift(view: Any, card: int) -> bool:
    """Whether a card is known to have been given by the declarer."""
    for seat in range(MAX_SEATS):
        if view["gifts"][seat] == card:
            return True
    return False


@compiled
def build_deal(
    view: Any,
    rules: Any,
    me: int,
    kinds: Any,
    owners: Any,
    bins: int,
    filling: Any,
    reserved: int,
    stream: Any,
    world: Any,
    source: Any,
) -> Any:
    """Dealt cards in ``world`` and the log with all cards given in ``source``, from a filling. Returns the stream."""
    declarer = view["declarer"]
    taken = view["talon_taken"]
    gifts = view["gifts"]
    ten = wide(0)
    aside = wide(view["aside"])
    for seat in range(MAX_SEATS):
        world["hands"][seat] = 0
        source["gifts"][seat] = gifts[seat]
        if gifts[seat] >= 0:
            ten |= wide(1) << wide(gifts[seat])
    if not is_blind(view, rules, me):
        world["hands"][me] = restore_hand(view, rules, me)
    world["talon"][0] = view["talon"][0]
    world["talon"][1] = view["talon"][1]
    for b in range(bins):
        if kinds[b] == TALON_LEFT:
            world["talon"][owners[b]] = filling[b]
        elif kinds[b] == KEPT:
            world["hands"][owners[b]] = filling[b]
        elif kinds[b] == GIFT:
            source["gifts"][owners[b]] = lowest(filling[b])
            ten |= filling[b]
        else:
            aside |= filling[b]
    if taken >= 0 and declarer != me:
        ten |= wide(world["hands"][declarer]) | aside
        if not knows_talon(view, me):
            stream, world["talon"][taken] = draw_cards(ten & ~reserved, rules["talon_size"], stream)
        world["hands"][declarer] = ten & ~wide(world["talon"][taken])
    _fill_log(view, rules, aside, source)
    return stream


@compiled
def draw_cards(cards: int, count: int, stream: Any) -> tuple[Any, int]:
    """So many cards of a set, drawn uniformly."""
    drawn = 0
    for _ in range(count):
        stream, chosen = below(stream, popcount(cards))
        left = cards
        for _ in range(chosen):
            left &= left - 1
        drawn |= left & -left
        cards &= ~(left & -left)
    return stream, drawn


@compiled
def _fill_log(view: Any, rules: Any, aside: int, source: Any) -> None:
    """Complete the log: who gave what in clockwise order, cards put aside in ascending order; and refused redeals."""
    source["asked"] = view["asked"]
    source["log_size"] = view["log_size"]
    receiver = next_active(view["declarer"], view, rules) if view["declarer"] >= 0 else 0
    for i in range(view["log_size"]):
        action = view["log"][i]
        source["log"][i] = action
        gives = FIRST_GIVE <= action < FIRST_GIVE + NUM_CARDS or action == HIDDEN_GIVE
        if gives and not rules["aside_count"]:
            source["log"][i] = FIRST_GIVE + source["gifts"][receiver]
            receiver = next_active(receiver, view, rules)
        elif action == HIDDEN_GIVE:
            source["log"][i] = FIRST_GIVE + lowest(aside)
            aside &= aside - 1


@compiled
def is_first_case(
    view: Any,
    case: int,
    claims: int,
    claim_owner: Any,
    alternatives: Any,
    counts: Any,
    world: Any,
    filling: Any,
    kinds: Any,
    owners: Any,
    bins: int,
) -> bool:
    """Whether a case is the first of those that hold in a world, so that each world is drawn through one case only."""
    for claim in range(claims):
        owner = claim_owner[claim]
        if owner == FINAL_HAND:
            held = wide(0)
            for b in range(bins):
                if kinds[b] == KEPT and owners[b] == view["declarer"]:
                    held = filling[b]
        else:
            held = wide(world["hands"][owner])
        for earlier in range(case_alternative(case, claim, counts)):
            if alternatives[claim, earlier] & held == alternatives[claim, earlier]:
                return False
    return True


@compiled
def play_through(view: Any, rules: Any, me: int, stream: Any, world: Any, source: Any) -> tuple[Any, bool]:
    """Play the deal in ``world`` from its first decision by the log of ``source``; False if something is not legal.

    Whoever may ask for a redeal has declined, but for the one whose decision is still open. Returns the stream too.
    """
    source["asked"] = EVERY_SEAT
    hidden_offer = view["phase"] == REDEAL_ASK and view["seat"] < 0
    if hidden_offer:
        source["asked"] = asked_before(view, rules, me)
    elif view["phase"] == REDEAL_ASK:
        source["asked"] = EVERY_SEAT & ~(1 << view["seat"])
    clear_table(world, rules)
    if is_void(world, rules):
        return stream, False
    open_deal(world, rules)
    if not replay_log(world, rules, source, ALL):
        return stream, False
    if hidden_offer:  # how many others have declined by now is part of the world
        stream, declined = below(stream, rules["active"])
        for _ in range(declined):
            if world["phase"] != REDEAL_ASK or world["seat"] == me:
                return stream, False
            apply_action(world, rules, PASS)
    return stream, True


@compiled
def asked_before(view: Any, rules: Any, me: int) -> int:
    """The seats up to ``me`` if he has declined a redeal: those before him can only have declined too."""
    asked = 0
    if in_set(view["asked"], me):
        seat = wide(first_hand(view, rules))
        asked = 1 << seat
        while seat != me:
            seat = wide(next_active(seat, view, rules))
            asked |= 1 << seat
    return asked
