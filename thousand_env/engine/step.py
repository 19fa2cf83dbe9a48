"""One deal after another: legal actions and their effect, dispatched on the phase.

The legal set is three 64-bit words; bit ``i`` of word ``w`` stands for action ``64 * w + i``.
"""

from __future__ import annotations

from typing import Any

from thousand_env.actions import REDEAL
from thousand_env.contradictions import GOLDEN_CONTRACT
from thousand_env.engine import auction, exchange, tricks
from thousand_env.engine.auction import holds_four_nines
from thousand_env.engine.compiler import compiled
from thousand_env.engine.deck import deal_cards, draw_dealer
from thousand_env.engine.scoring import finish_deal
from thousand_env.engine.state import (
    AUCTION,
    DARK,
    DARK_NO,
    EPISODE_DEAL,
    EXCHANGE,
    FORCED_GOLDEN,
    FORCED_NO,
    FORCED_OWN_TURN,
    LOG_SIZE,
    MAX_SEATS,
    NO_BARREL,
    NO_CARD,
    NO_SUIT,
    NOBODY,
    OVER,
    PLAY,
    RAISE,
    REDEAL_ASK,
    TALON,
    first_hand,
    is_silenced,
    next_seat,
    on_barrel,
    sitter,
)
from thousand_env.rules_record import FOUR_NINES_MANDATORY, NO_NUMBER


@compiled
def start_match(state: Any, rules: Any, seed: Any, episode: int) -> None:
    """An empty score sheet, the first dealer drawn from the seed, and the first deal."""
    clear_sheet(state, seed, episode)
    state["dealer"] = draw_dealer(seed, rules["players"])
    start_deal(state, rules)


@compiled
def clear_sheet(state: Any, seed: Any, episode: int) -> None:
    """The fields that outlive a deal, as before the first one."""
    state["seed"] = seed
    state["episode"] = episode
    state["deal_number"] = -1
    state["deals_scored"] = 0
    state["winner"] = NOBODY
    state["truncated"] = 0
    for seat in range(MAX_SEATS):
        state["scores"][seat] = 0
        state["bolts"][seat] = 0
        state["barrel"][seat] = NO_BARREL
        state["falls"][seat] = 0
        state["concessions"][seat] = 0


@compiled
def start_deal(state: Any, rules: Any) -> None:
    """Deal until the cards are no void deal, or truncate the match at ``max_deals``."""
    void = False
    while True:
        if rules["max_deals"] != NO_NUMBER and state["deal_number"] + 1 >= rules["max_deals"]:
            if void:
                clear_cards(state, rules)
            state["truncated"] = 1
            state["phase"] = OVER
            state["seat"] = NOBODY
            return
        state["deal_number"] += 1
        clear_table(state, rules)
        deal_cards(state, rules)
        void = is_void(state, rules)
        if not void:
            break
    open_deal(state, rules)


@compiled
def clear_cards(state: Any, rules: Any) -> None:
    """After a void deal that was the last: nothing lies on the table."""
    clear_table(state, rules)
    for seat in range(MAX_SEATS):
        state["hands"][seat] = 0
    state["talon"][0] = 0
    state["talon"][1] = 0


@compiled
def is_void(state: Any, rules: Any) -> bool:
    """``redeal_four_nines=mandatory``: a dealt hand of four nines."""
    if rules["redeal_four_nines"] == FOUR_NINES_MANDATORY:
        for seat in range(rules["players"]):
            if holds_four_nines(state["hands"][seat], rules):
                return True
    return False


@compiled
def clear_table(state: Any, rules: Any) -> None:
    """The fields of one deal, as before its cards are dealt."""
    state["aside"] = 0
    state["bid"] = 0
    state["contract"] = 0
    state["bidder"] = NOBODY
    state["declarer"] = NOBODY
    resting = sitter(state, rules)
    state["passed"] = 0 if resting == NOBODY else 1 << resting
    state["bidders"] = 0
    state["asked"] = 0
    state["talon_seen"] = 0
    state["talon_taken"] = -1
    state["dark"] = DARK_NO
    state["forced"] = FORCED_NO
    state["trump"] = NO_SUIT
    state["next_trump"] = NO_SUIT
    state["aces_declared"] = 0
    state["aces_holder"] = NOBODY
    state["leader"] = NOBODY
    state["best_seat"] = NOBODY
    state["best_card"] = NO_CARD
    state["trick_size"] = 0
    state["led_card"] = NO_CARD
    for seat in range(MAX_SEATS):
        state["played"][seat] = 0
        state["bids"][seat] = 0
        state["voids"][seat] = 0
        state["points"][seat] = 0
        state["bonus"][seat] = 0
        state["tricks"][seat] = 0
        state["gifts"][seat] = NO_CARD
    state["log_size"] = 0
    for i in range(LOG_SIZE):
        state["log"][i] = 0


@compiled
def open_deal(state: Any, rules: Any) -> None:
    """The first decision of a deal whose cards have been dealt."""
    first = first_hand(state, rules)
    if rules["golden"] and state["deals_scored"] < rules["players"]:
        state["forced"] = FORCED_GOLDEN
    elif rules["barrel"] and rules["barrel_own_turn"] and on_barrel(state, first):
        state["forced"] = FORCED_OWN_TURN
    low, high = auction.dark_bids(rules)
    may_bid = (low | high) != 0 and not is_silenced(state, rules, first)
    if rules["dark"] and state["forced"] == FORCED_NO and may_bid:
        state["phase"] = DARK
        state["seat"] = first
    else:
        ask_or_begin(state, rules)


@compiled
def ask_or_begin(state: Any, rules: Any) -> None:
    """The next offer of a redeal, or the auction, or the forced contract."""
    asked = auction.next_to_ask(state, rules)
    if asked != NOBODY:
        state["phase"] = REDEAL_ASK
        state["seat"] = asked
    elif state["forced"] == FORCED_NO:
        auction.begin_auction(state, rules)
    else:
        contract = GOLDEN_CONTRACT if state["forced"] == FORCED_GOLDEN else rules["barrel_contract"]
        exchange.become_declarer(state, rules, first_hand(state, rules), contract)


@compiled
def after_bid(state: Any, rules: Any, outcome: int) -> None:
    """What follows a bid or a pass."""
    if outcome == auction.WON:
        exchange.become_declarer(state, rules, state["bidder"], state["bid"])
    elif outcome == auction.VOID:
        start_deal(state, rules)


@compiled
def end_deal(state: Any, rules: Any, conceded: bool) -> None:
    """Score the deal; the match goes on with the next dealer unless the episode is over."""
    finish_deal(state, rules, conceded)
    if state["winner"] != NOBODY or state["episode"] == EPISODE_DEAL:
        state["phase"] = OVER
        state["seat"] = NOBODY
        return
    dealer, number = state["dealer"], state["deal_number"]
    state["dealer"] = next_seat(dealer, rules)
    start_deal(state, rules)
    if state["deal_number"] == number:  # no further deal: the dealer stays that of the last one
        state["dealer"] = dealer


@compiled
def legal_words(state: Any, rules: Any) -> tuple[int, int, int]:
    """The legal set of the seat to act; empty when the episode is over."""
    phase = state["phase"]
    if phase == PLAY:
        return 0, tricks.legal_play(state, rules), 0
    if phase == AUCTION:
        low, high = auction.legal_auction(state, rules)
        return low, high, 0
    if phase == EXCHANGE:
        return 0, exchange.legal_exchange(state, rules), 0
    if phase == RAISE:
        low, high = exchange.legal_raise(state, rules)
        return low, high, 0
    if phase == TALON:
        return 0, 0, exchange.legal_talon()
    if phase == REDEAL_ASK:
        return auction.PASS_BIT, 1 << (REDEAL - 64), 0
    if phase == DARK:
        low, high = auction.legal_dark(rules)
        return low, high, 0
    return 0, 0, 0


@compiled
def apply_action(state: Any, rules: Any, action: int) -> None:
    """Play one action, which must be legal, and all that follows from it without a decision."""
    phase = state["phase"]
    if phase == PLAY:
        if tricks.apply_play(state, rules, action):
            tricks.settle_points(state, rules)
            end_deal(state, rules, False)
    elif phase == AUCTION:
        after_bid(state, rules, auction.apply_auction(state, rules, action))
    elif phase == EXCHANGE:
        outcome = exchange.apply_exchange(state, rules, action)
        if outcome == exchange.CONCEDED:
            end_deal(state, rules, True)
        elif outcome == exchange.VOIDED:
            start_deal(state, rules)
        elif state["phase"] == PLAY:
            tricks.begin_play(state, rules)
    elif phase == RAISE:
        exchange.apply_raise(state, rules, action)
        tricks.begin_play(state, rules)
    elif phase == TALON:
        exchange.apply_talon(state, rules, action)
    elif phase == REDEAL_ASK:
        if auction.apply_redeal_answer(state, action):
            start_deal(state, rules)
        else:
            ask_or_begin(state, rules)
    elif phase == DARK:
        auction.apply_dark(state, rules, action)
        ask_or_begin(state, rules)
