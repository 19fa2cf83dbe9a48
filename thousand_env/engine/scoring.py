"""The score sheet: what a finished deal writes, bolts, barrel, falls, dump, and who has won.

The order of the steps is that of rules.md 1.11 and 3.1 ("Scoring, in this order"). Works from points, tricks, declarer
and contract alone, so it also serves as a score pad without cards.
"""

from __future__ import annotations

from typing import Any, Final

from thousand_env.contradictions import DUMP_SCORE
from thousand_env.engine.bits import card_points, marriages_value, popcount
from thousand_env.engine.compiler import compiled
from thousand_env.engine.state import DARK_BID, FORCED_GOLDEN, NO_BARREL, NOBODY, first_hand, in_set, on_barrel, sitter
from thousand_env.rules_record import (
    ATTEMPT_DECLARER_ONLY,
    ATTEMPT_EVERY_DEAL,
    BOLT_CONSECUTIVE,
    BOLT_COUNTED,
    BOLT_OFF,
    BOLT_POINTS,
    CHECK_ROUNDED,
    COLLISION_ALL_FALL,
    COLLISION_NEWCOMER,
    CONCEDE_120_60,
    CONCEDE_HALF_BID,
    CONCEDE_HALF_UP,
    DUMP_OFF,
    DUMP_PLUS_MINUS,
    FAILED_DEDUCT,
    NO_NUMBER,
    ROUND_DOWN5,
    ROUND_NEAREST5,
    ROUND_NEAREST10,
    SCORE_BID,
    SCORE_MAX,
    SITTER_ACE_AND_MARRIAGE,
    SITTER_NONE,
    SITTER_TALON_POINTS,
    TIE_DECLARER_FIRST,
    WIN_AT_LEAST,
)

CONCESSION_PRICE: Final = 120
CONCESSION_SHARE: Final = 60
SITTER_ACE: Final = 50
ALL_ACES: Final = 0b100000_100000_100000_100000
LOWEST_SCORE: Final = -2_000_000_000  # a total has 32 bits; nobody has ever seen one so low
ATTEMPT_LIMIT: Final = 32_000  # counters of the sheet have 16 bits,
COUNT_LIMIT: Final = 255  # or 8


@compiled
def rounded(points: int, rules: Any) -> int:
    """Rule 28 and ``rounding``, of points that are not negative."""
    kind = rules["rounding"]
    if kind == ROUND_NEAREST5:
        return (points + 2) // 5 * 5
    if kind == ROUND_NEAREST10:
        return (points + 5) // 10 * 10
    if kind == ROUND_DOWN5:
        return points // 5 * 5
    return points


@compiled
def raw_points(state: Any, seat: int) -> int:
    """Rule 25: card points in own tricks and own declared bonuses."""
    return state["points"][seat] + state["bonus"][seat]


@compiled
def is_made(state: Any, rules: Any, conceded: bool) -> bool:
    """Rule 26 and ``contract_check``."""
    raw = raw_points(state, state["declarer"])
    if rules["contract_check"] == CHECK_ROUNDED:
        raw = rounded(raw, rules)
    return not conceded and raw >= state["contract"]


@compiled
def made_score(state: Any, rules: Any) -> int:
    """What a made contract writes: ``declarer_score``."""
    taken = rounded(raw_points(state, state["declarer"]), rules)
    if rules["declarer_score"] == SCORE_BID:
        return state["contract"]
    if rules["declarer_score"] == SCORE_MAX:
        return max(taken, state["contract"])
    return taken


@compiled
def conceded_share(contract: int, rules: Any) -> int:
    """What each opponent gets when the declarer concedes."""
    if rules["concede"] != CONCEDE_HALF_BID:
        return CONCESSION_SHARE
    if rules["concede_half"] == CONCEDE_HALF_UP:
        return (contract + 9) // 10 * 5
    return contract // 10 * 5


@compiled
def written_points(state: Any, rules: Any, seat: int, made: bool, conceded: bool) -> int:
    """The points that an active player off the barrel writes, before bolts."""
    contract = state["contract"]
    if seat != state["declarer"]:
        written = conceded_share(contract, rules) if conceded else rounded(raw_points(state, seat), rules)
    elif conceded:
        written = -CONCESSION_PRICE if rules["concede"] == CONCEDE_120_60 else -contract
        if state["concessions"][seat] < rules["free_bombs"]:
            written = 0
    else:
        written = made_score(state, rules) if made else -contract
    if written > 0 and is_locked(state["scores"][seat], rules) and not (seat == state["declarer"] and made):
        written = 0
    if state["forced"] == FORCED_GOLDEN or (seat == state["declarer"] and state["dark"] == DARK_BID):
        written *= 2
    return written


@compiled
def is_locked(score: int, rules: Any) -> bool:
    """``lock_at``, judged at the start of the deal: before the score changes."""
    return rules["lock_at"] != NO_NUMBER and score >= rules["lock_at"]


@compiled
def bolt_fine(state: Any, rules: Any, seat: int, weight: int) -> int:
    """Rules 30 to 32: count a bolt of this weight or clear the counter; the fine, before any doubling."""
    if rules["bolt_mode"] == BOLT_OFF:
        return 0
    nothing = raw_points(state, seat) == 0 if rules["bolt_basis"] == BOLT_POINTS else state["tricks"][seat] == 0
    if not nothing:
        if rules["bolt_mode"] == BOLT_CONSECUTIVE:
            state["bolts"][seat] = 0
        return 0
    if seat == state["declarer"] and not rules["bolt_declarer"]:
        return 0
    state["bolts"][seat] += weight
    if state["bolts"][seat] < rules["bolt_limit"]:
        return 0
    state["bolts"][seat] = 0
    return rules["bolt_penalty"]


@compiled
def add_to_score(state: Any, rules: Any, seat: int, change: int) -> bool:
    """Change the total of a player off the barrel; True if he climbs on to it (rule 33)."""
    before = state["scores"][seat]
    after = before + change
    if rules["lock_at"] != NO_NUMBER and not is_locked(before, rules):
        after = min(after, rules["target"])
    climbs = rules["barrel"] != 0 and after >= rules["barrel_threshold"]
    if climbs and after >= rules["target"]:
        climbs = not rules["barrel_direct_jump_wins"]
    if climbs:
        state["barrel"][seat] = 0
        if rules["barrel_clamp"]:
            after = rules["barrel_threshold"]
    state["scores"][seat] = max(after, LOWEST_SCORE)
    return climbs


@compiled
def fall(state: Any, rules: Any, seat: int, price: int) -> None:
    """Off the barrel downwards, at the price of the cause."""
    state["scores"][seat] = max(state["scores"][seat] - price, LOWEST_SCORE)
    state["barrel"][seat] = NO_BARREL
    state["falls"][seat] = min(state["falls"][seat] + 1, COUNT_LIMIT)
    if rules["barrel_third_fall_zero"] and state["falls"][seat] == 3:
        state["falls"][seat] = 0
        state["scores"][seat] = 0


@compiled
def score_on_barrel(state: Any, rules: Any, seat: int, made: bool, conceded: bool) -> bool:
    """Rules 34 to 37 for a player who began the deal on the barrel; True if he falls."""
    contract = state["contract"]
    is_declarer = seat == state["declarer"]
    wins = (
        contract >= rules["barrel_contract"]
        if rules["barrel_win_bid"] == WIN_AT_LEAST
        else contract == rules["barrel_contract"]
    )
    if is_declarer and made and wins:
        state["scores"][seat] = max(rules["target"], state["scores"][seat] + made_score(state, rules))
        state["barrel"][seat] = NO_BARREL
        return False
    if rules["bolt_on_barrel"] == BOLT_COUNTED and not conceded:
        state["scores"][seat] -= bolt_fine(state, rules, seat, 1)
    if is_declarer and not made and rules["barrel_failed_contract"] == FAILED_DEDUCT:
        fall(state, rules, seat, contract)
        return True
    counts = rules["barrel_attempt_counts"]
    if counts == ATTEMPT_EVERY_DEAL or (
        is_declarer if counts == ATTEMPT_DECLARER_ONLY else seat == first_hand(state, rules)
    ):
        state["barrel"][seat] = min(state["barrel"][seat] + 1, ATTEMPT_LIMIT)
        if state["barrel"][seat] == rules["barrel_attempts"]:
            fall(state, rules, seat, rules["barrel_fall_penalty"])
            return True
    if state["scores"][seat] < rules["barrel_threshold"]:  # thrown off by the fine
        fall(state, rules, seat, 0)
        return True
    return False


@compiled
def sitter_bonus(state: Any, rules: Any) -> int:
    """Section 5: what the resting dealer writes for the talon, rounded."""
    talon = state["talon"][0]
    if rules["sitter_bonus"] == SITTER_NONE:
        return 0
    points = marriages_value(talon, rules)
    if rules["sitter_bonus"] == SITTER_TALON_POINTS:
        points += card_points(talon)
    elif rules["sitter_bonus"] == SITTER_ACE_AND_MARRIAGE:
        points += SITTER_ACE * popcount(talon & ALL_ACES)
    return rounded(points, rules)


@compiled
def finish_deal(state: Any, rules: Any, conceded: bool) -> None:
    """Write a deal to the score sheet and find the winner of the match, if there is one."""
    made = is_made(state, rules, conceded)
    weight = 2 if state["forced"] == FORCED_GOLDEN else 1
    resting = sitter(state, rules)
    before = climbed = fallen = 0  # sets of seats: on the barrel at the start of the deal, ...
    for seat in range(rules["players"]):
        if on_barrel(state, seat):
            before |= 1 << seat
    for seat in range(rules["players"]):
        if not in_set(before, seat) and seat != resting:
            change = written_points(state, rules, seat, made, conceded)
            if not conceded:
                change -= weight * bolt_fine(state, rules, seat, weight)
            if add_to_score(state, rules, seat, change):
                climbed |= 1 << seat
    if resting != NOBODY and not in_set(before, resting) and not is_locked(state["scores"][resting], rules):
        climbs = add_to_score(state, rules, resting, weight * sitter_bonus(state, rules))
        climbed |= (1 << resting) if climbs else 0
    for seat in range(rules["players"]):
        if in_set(before, seat) and seat != resting and score_on_barrel(state, rules, seat, made, conceded):
            fallen |= 1 << seat
    fallen |= collide(state, rules, before, climbed)
    for seat in range(rules["players"]):
        if in_set(fallen, seat) and state["scores"][seat] >= rules["barrel_threshold"]:
            state["barrel"][seat] = 0
    dump(state, rules)
    if conceded:
        declarer = state["declarer"]
        state["concessions"][declarer] = min(state["concessions"][declarer] + 1, COUNT_LIMIT)
    state["deals_scored"] += 1
    state["winner"] = find_winner(state, rules)


@compiled
def collide(state: Any, rules: Any, before: int, climbed: int) -> int:
    """``barrel_collision``: who falls because somebody climbed; the set of those seats."""
    if climbed == 0:
        return 0
    falling = 0
    for seat in range(rules["players"]):
        if on_barrel(state, seat) and (
            rules["barrel_collision"] == COLLISION_ALL_FALL
            or (rules["barrel_collision"] == COLLISION_NEWCOMER and in_set(before, seat))
        ):
            falling |= 1 << seat
    if rules["barrel_collision"] == COLLISION_ALL_FALL and popcount(falling) < 2:
        return 0
    for seat in range(rules["players"]):
        if in_set(falling, seat):
            fall(state, rules, seat, rules["barrel_fall_penalty"])
    return falling


@compiled
def dump(state: Any, rules: Any) -> None:
    """``dump``: a total of exactly 555 off the barrel becomes 0."""
    if rules["dump"] == DUMP_OFF:
        return
    for seat in range(rules["players"]):
        score = state["scores"][seat]
        if not on_barrel(state, seat) and (
            score == DUMP_SCORE or (score == -DUMP_SCORE and rules["dump"] == DUMP_PLUS_MINUS)
        ):
            state["scores"][seat] = 0


@compiled
def find_winner(state: Any, rules: Any) -> int:
    """Rule 42 and ``tie``: the winner of the match, or NOBODY while it goes on."""
    best = rules["target"]
    leaders = 0
    for seat in range(rules["players"]):
        if state["scores"][seat] > best or (leaders == 0 and state["scores"][seat] == best):
            best = state["scores"][seat]
            leaders = 1 << seat
        elif state["scores"][seat] == best:
            leaders |= 1 << seat
    declarer = state["declarer"]
    if rules["tie"] == TIE_DECLARER_FIRST and state["scores"][declarer] >= rules["target"]:
        return declarer
    if popcount(leaders) > 1 and not in_set(leaders, declarer):
        return NOBODY
    if popcount(leaders) > 1:
        return declarer
    for seat in range(rules["players"]):
        if in_set(leaders, seat):
            return seat
    return NOBODY
