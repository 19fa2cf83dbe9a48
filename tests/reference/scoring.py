"""Scoring a completed deal: sections 1.7 to 1.11, "Scoring, in this order" in 3.1, and the sitter of section 5."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .cards import card_points, marriages


@dataclass
class Sheet:
    """What is carried from deal to deal, by seat."""

    scores: list[int]
    bolts: list[int]
    barrel: list[int | None]  # attempts used, None: off the barrel
    falls: list[int]
    concessions: list[int]


@dataclass(frozen=True)
class Outcome:
    """A completed deal."""

    active: tuple[int, ...]  # clockwise from first hand
    sitter: int | None
    declarer: int
    contract: int
    conceded: bool
    raw: list[int]  # by seat
    tricks: list[int]  # by seat
    golden: bool
    dark: bool  # the contract is a dark bid that nobody overbid
    talon: frozenset[str]  # the talon that was taken, for the sitter


def rounded(raw: int, rounding: str) -> int:
    """Rule 28 and the option `rounding`."""
    if rounding == "nearest5":
        return (raw + 2) // 5 * 5
    if rounding == "nearest10":
        return (raw + 5) // 10 * 10
    if rounding == "down5":
        return raw // 5 * 5
    return raw


def half_bid(contract: int, direction: str) -> int:
    """3.1: half the contract, to a multiple of 5, down or up."""
    fives, remainder = divmod(contract, 10)
    if remainder and direction == "up":
        fives += 1
    return fives * 5


def find_winner(options: Mapping[str, Any], scores: list[int], declarer: int) -> int | None:
    """Rules 41 and 42 and the option `tie`; None: the match goes on."""
    qualified = {seat for seat, total in enumerate(scores) if total >= options["target"]}
    if not qualified:
        return None
    if options["tie"] == "declarer_first" and declarer in qualified:
        return declarer
    highest = max(scores[seat] for seat in qualified)
    on_top = {seat for seat in qualified if scores[seat] == highest}
    if len(on_top) == 1:
        return on_top.pop()
    return declarer if declarer in on_top else None


class DealScoring:
    """Writes one completed deal into the sheet."""

    def __init__(self, options: Mapping[str, Any], sheet: Sheet, outcome: Outcome) -> None:
        self.options = options
        self.sheet = sheet
        self.deal = outcome
        seats = range(len(sheet.scores))
        lock_at = options["lock_at"]
        self.sat_on_barrel = {seat for seat in seats if sheet.barrel[seat] is not None}
        self.locked = {seat for seat in seats if lock_at is not None and sheet.scores[seat] >= lock_at}
        self.newcomers: set[int] = set()  # put on the barrel by this deal
        self.fallen: set[int] = set()
        self.made = self._made()
        self.free = outcome.conceded and sheet.concessions[outcome.declarer] < options["free_bombs"]
        if outcome.conceded:
            sheet.concessions[outcome.declarer] += 1

    def score(self) -> None:
        """3.1 "Scoring, in this order", steps 1 to 6 (step 7 is find_winner)."""
        for seat in self.deal.active:
            if seat not in self.sat_on_barrel:
                self._score_off_barrel(seat)
        self._score_sitter()
        for seat in self.deal.active:
            if seat in self.sat_on_barrel:
                self._score_on_barrel(seat)
        self._collide()
        self._new_barrel_for_the_fallen()
        self._dump()

    # what the deal is worth

    def _made(self) -> bool:
        """Rule 26 and `contract_check`; a concession is a failed contract."""
        if self.deal.conceded:
            return False
        raw = self.deal.raw[self.deal.declarer]
        if self.options["contract_check"] == "rounded":
            raw = self._rounded(raw)
        return raw >= self.deal.contract

    def _rounded(self, raw: int) -> int:
        return rounded(raw, self.options["rounding"])

    def _made_contract_writes(self) -> int:
        """Rule 26 and `declarer_score`: what a made contract writes."""
        taken = self._rounded(self.deal.raw[self.deal.declarer])
        if self.options["declarer_score"] == "bid":
            return self.deal.contract
        if self.options["declarer_score"] == "max":
            return max(taken, self.deal.contract)
        return taken

    def _declarer_writes(self) -> int:
        """Rule 26; for a concession its price."""
        if self.deal.conceded:
            return -self._concession_price()
        return self._made_contract_writes() if self.made else -self.deal.contract

    def _concession_price(self) -> int:
        """`concede` and `free_bombs`."""
        if self.free:
            return 0
        return 120 if self.options["concede"] == "120_60" else self.deal.contract

    def _defender_writes(self, seat: int) -> int:
        """Rule 27; for a concession the opponents' share."""
        if not self.deal.conceded:
            return self._rounded(self.deal.raw[seat])
        if self.options["concede"] == "half_bid":
            return half_bid(self.deal.contract, self.options["concede_half"])
        return 60

    def _factor(self, seat: int) -> int:
        """3.1: everything counts double in a golden deal, the declarer's own result after a dark bid."""
        return 2 if self.deal.golden or (self.deal.dark and seat == self.deal.declarer) else 1

    # 1. active players off the barrel at the start of the deal

    def _score_off_barrel(self, seat: int) -> None:
        if seat == self.deal.declarer:
            plus_or_minus = self._declarer_writes()
            plus_allowed = self.made or seat not in self.locked
        else:
            plus_or_minus = self._defender_writes(seat)
            plus_allowed = seat not in self.locked
        if plus_or_minus > 0 and not plus_allowed:
            plus_or_minus = 0  # 3.1 `lock_at`
        plus_or_minus *= self._factor(seat)
        fined = self._bolt(seat, 2 if self.deal.golden else 1)
        self._write(seat, plus_or_minus - (fined or 0))

    def _write(self, seat: int, plus_or_minus: int) -> None:
        """Add to a total off the barrel, then lock and barrel (1.11, rule 33)."""
        scores = self.sheet.scores
        scores[seat] += plus_or_minus
        target = self.options["target"]
        if self.options["lock_at"] is not None and seat not in self.locked:
            scores[seat] = min(scores[seat], target)  # 3.1 `lock_at`: who crosses it keeps the points, up to the target
        if not self.options["barrel"] or scores[seat] < self.options["barrel_threshold"]:
            return
        if scores[seat] >= target:
            if self.options["barrel_direct_jump_wins"]:
                return
            scores[seat] = self.options["barrel_threshold"]
        if self.options["barrel_clamp"]:
            scores[seat] = self.options["barrel_threshold"]
        self.sheet.barrel[seat] = 0
        self.newcomers.add(seat)

    def _bolt(self, seat: int, times: int) -> int | None:
        """Rules 30 to 32 and the `bolt_*` options: run the counter; the fine, None if there is none."""
        options, bolts = self.options, self.sheet.bolts
        if options["bolt_mode"] == "off" or self.deal.conceded:
            return None
        counted = self.deal.raw if options["bolt_basis"] == "points" else self.deal.tricks
        if counted[seat] > 0:
            if options["bolt_mode"] == "consecutive":
                bolts[seat] = 0
            return None
        if seat == self.deal.declarer and not options["bolt_declarer"]:
            return None
        bolts[seat] += times
        if bolts[seat] < options["bolt_limit"]:
            return None
        bolts[seat] = 0
        return int(options["bolt_penalty"]) * times

    # 2. the sitter

    def _score_sitter(self) -> None:
        """Section 5, rules 3 and 4."""
        sitter = self.deal.sitter
        if sitter is None or sitter in self.sat_on_barrel:
            return
        bonus = 0 if sitter in self.locked else self._rounded(self._sitter_bonus())
        self._write(sitter, bonus * self._factor(sitter))

    def _sitter_bonus(self) -> int:
        """Section 5, rule 3."""
        kind, talon = self.options["sitter_bonus"], self.deal.talon
        if kind == "none":
            return 0
        values = self.options["marriage_values"]
        bonus = sum(int(values[suit]) for suit in marriages(talon))
        if kind == "talon_points":
            bonus += card_points(talon)
        if kind == "ace_and_marriage":
            bonus += 50 * sum(card[0] == "A" for card in talon)
        return bonus

    # 3. active players on the barrel at the start of the deal

    def _score_on_barrel(self, seat: int) -> None:
        """Rules 34 to 37: win; else bolt fine if `counted`; then attempt or fall. Nothing is doubled."""
        if seat == self.deal.declarer and self._barrel_contract_made():
            self._win_from_barrel(seat)
            return
        falls = False
        if self.options["bolt_on_barrel"] == "counted":
            falls = self._barrel_bolt(seat)
        if self._failed_contract_throws_off(seat):
            self.sheet.scores[seat] -= self.deal.contract
            falls = True
        elif self._is_attempt(seat) and self._use_attempt(seat):
            self.sheet.scores[seat] -= self.options["barrel_fall_penalty"]
            falls = True
        if falls:
            self._fall(seat)

    def _barrel_contract_made(self) -> bool:
        """Rule 35, `barrel_contract` and `barrel_win_bid`."""
        wanted = self.options["barrel_contract"]
        if self.options["barrel_win_bid"] == "at_least":
            return self.made and self.deal.contract >= wanted
        return self.made and self.deal.contract == wanted

    def _win_from_barrel(self, seat: int) -> None:
        """Rule 35; with `barrel_clamp=False` "880 +" is his total."""
        scores = self.sheet.scores
        base = self.options["barrel_threshold"] if self.options["barrel_clamp"] else scores[seat]
        scores[seat] = max(self.options["target"], base + self._made_contract_writes())
        self.sheet.barrel[seat] = None

    def _barrel_bolt(self, seat: int) -> bool:
        """3.1: a bolt fine is subtracted on top; does it throw him off?"""
        fine = self._bolt(seat, 1)
        if fine is None:
            return False
        self.sheet.scores[seat] -= fine
        return self.sheet.scores[seat] < int(self.options["barrel_threshold"])

    def _failed_contract_throws_off(self, seat: int) -> bool:
        """`barrel_failed_contract`."""
        failed = seat == self.deal.declarer and not self.made
        return failed and self.options["barrel_failed_contract"] == "deduct_and_fall"

    def _is_attempt(self, seat: int) -> bool:
        """Rule 36 and `barrel_attempt_counts`."""
        which = self.options["barrel_attempt_counts"]
        if which == "declarer_only":
            return seat == self.deal.declarer
        if which == "own_turn_only":
            return seat == self.deal.active[0]
        return True

    def _use_attempt(self, seat: int) -> bool:
        """Rule 37: was it the last one?"""
        attempts = (self.sheet.barrel[seat] or 0) + 1
        self.sheet.barrel[seat] = attempts
        limit = self.options["barrel_attempts"]
        return limit is not None and attempts >= limit

    def _fall(self, seat: int) -> None:
        """3.1: a fall clears the attempts; `barrel_third_fall_zero`."""
        self.sheet.barrel[seat] = None
        self.sheet.falls[seat] += 1
        self.fallen.add(seat)
        if self.options["barrel_third_fall_zero"] and self.sheet.falls[seat] == 3:
            self.sheet.scores[seat] = 0
            self.sheet.falls[seat] = 0

    # 4. to 6.

    def _collide(self) -> None:
        """`barrel_collision`."""
        if not self.newcomers:
            return
        on_barrel = {seat for seat, attempts in enumerate(self.sheet.barrel) if attempts is not None}
        falling: set[int] = set()
        if self.options["barrel_collision"] == "newcomer_knocks_off":
            falling = on_barrel & self.sat_on_barrel
        if self.options["barrel_collision"] == "all_fall" and len(on_barrel) >= 2:
            falling = on_barrel
        for seat in falling:
            self.sheet.scores[seat] -= self.options["barrel_fall_penalty"]
            self._fall(seat)

    def _new_barrel_for_the_fallen(self) -> None:
        """3.1: who has fallen and is still at the threshold or above is on the barrel again at once."""
        for seat in self.fallen:
            if self.sheet.scores[seat] >= self.options["barrel_threshold"]:
                self.sheet.barrel[seat] = 0

    def _dump(self) -> None:
        """`dump`: every player off the barrel, the sitter included."""
        dumped = {"off": set(), "plus": {555}, "plus_minus": {555, -555}}[self.options["dump"]]
        for seat, total in enumerate(self.sheet.scores):
            if total in dumped and self.sheet.barrel[seat] is None:
                self.sheet.scores[seat] = 0
