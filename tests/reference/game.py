"""The match: deals, auction, talon, exchange, play (sections 1.2 to 1.6, 3.1, 4, 5)."""

from collections.abc import Callable, Mapping
from typing import Any

from .cards import FOUR_ACES, FOUR_NINES, card_points, deck, legal_cards, marriages, partner, trick_winner
from .options import complete
from .scoring import DealScoring, Outcome, Sheet, find_winner

DealSource = Callable[[int, tuple[int, ...]], tuple[dict[int, set[str]], list[set[str]]]]


class Reference:
    """One match (or one deal) of Thousand."""

    def __init__(
        self,
        options: Mapping[str, Any],
        deal_source: DealSource,
        first_dealer: int,
        episode: str = "match",
        scores: list[int] | None = None,
        bolts: list[int] | None = None,
        barrel: list[int | None] | None = None,
    ) -> None:
        self.options = complete(options)
        self.deal_source = deal_source
        self.episode = episode
        self.players: int = self.options["players"]
        self.scores: list[int] = list(scores) if scores is not None else [0] * self.players
        self.bolts: list[int] = list(bolts) if bolts is not None else [0] * self.players
        self.barrel: list[int | None] = [None] * self.players
        if barrel is not None and self.options["barrel"]:
            self.barrel = list(barrel)
        self.falls: list[int] = [0] * self.players
        self.concessions: list[int] = [0] * self.players
        self.sheet = Sheet(self.scores, self.bolts, self.barrel, self.falls, self.concessions)
        self.history: list[dict[str, Any]] = []
        self.winner: int | None = None
        self.truncated = False
        self._legal: set[str] | None = None  # the choices at this point, once computed
        self.dealer = first_dealer
        self.deal_number = 0
        self._deck = deck(self.options)
        self._levels = self._bid_levels()
        self._next_deal()

    # ---- the two public methods

    def legal(self) -> set[str]:
        """The action texts of the seat to act; empty when the episode is over."""
        if self._legal is None:
            self._legal = self._choices()
        return set(self._legal)

    def apply(self, text: str) -> None:
        """Perform one action of the seat to act."""
        if self._legal is None:
            self._legal = self._choices()
        if text not in self._legal:
            raise ValueError(f"{text!r} is not legal in phase {self.phase} for seat {self.seat}: {sorted(self._legal)}")
        self._legal = None
        verb, _, what = text.partition(" ")
        if self.phase == "dark":
            self._act_dark(verb, what)
        elif self.phase == "redeal":
            self._act_redeal(verb)
        elif self.phase == "auction":
            self._act_auction(verb, what)
        elif self.phase == "talon":
            self._take_talon("AB".index(what))
        elif self.phase == "exchange":
            self._act_exchange(verb, what)
        elif self.phase == "raise":
            self._act_raise(verb, what)
        else:
            self._act_play(verb, what)

    def _choices(self) -> set[str]:
        """3.1, the table of phases."""
        if self.phase == "dark":
            return {"pass"} | {f"bid {level}" for level in self._dark_levels()}
        if self.phase == "redeal":
            return {"pass", "redeal"}
        if self.phase == "auction":
            return self._auction_choices()
        if self.phase == "talon":
            return {"talon A", "talon B"}
        if self.phase == "exchange":
            return self._exchange_choices()
        if self.phase == "raise":
            return self._raise_choices()
        if self.phase == "play":
            return self._play_choices()
        return set()

    # ---- the deal

    def _next_deal(self) -> None:
        """Rules 4 and 5; 3.1 "deal": a hand of four nines may void the deal here."""
        self._set_up_deal()
        while self._mandatory_redeal():
            if self._no_deals_left():
                self._finish(truncated=True)
                return
            self.deal_number += 1
            self._set_up_deal()
        self._enter_dark()

    def _set_up_deal(self) -> None:
        """A fresh deal: cards, and everything that is fixed at its start."""
        self._legal = None
        self.active = self._active_seats()
        self.first, self.last = self.active[0], self.active[-1]
        hands, talons = self.deal_source(self.deal_number, self.active)
        self.hands: list[set[str]] = [set(hands.get(seat, ())) for seat in range(self.players)]
        self.talons: list[set[str]] = [set(talon) for talon in talons]
        self._check_deal()
        self.seat: int | None = None
        self.phase = "deal"
        self.talon_shown: set[int] = set()
        self.set_aside: set[str] = set()
        self.gifts: dict[int, str] = {}
        self.trick: list[tuple[int, str]] = []
        self.trump: str | None = None
        self.declarer: int | None = None
        self.contract: int | None = None
        self.bid: int | None = None
        self.bidder: int | None = None
        self.passed: set[int] = set()
        self.points: list[int] = [0] * self.players
        self.tricks_won: list[int] = [0] * self.players
        self.kind = self._kind_of_deal()
        self._bonus: list[int] = [0] * self.players  # bonuses declared, included in points
        self._bidders: set[int] = set()
        self._dark_bid = False  # first hand has bid in the dark
        self._dark_stands = False  # and nobody has overbid
        self._taken: set[str] = set()  # the talon that was taken
        self._askers: list[int] = []  # still to be asked about a redeal
        self._receivers: list[int | None] = []  # of the cards still to part with; None: put aside
        self._untouched = True  # no card given or put aside yet
        self._coming_trump: str | None = None  # `trump_effect=next_trick`
        self._held_four_aces: int | None = None  # who, at the first lead

    def _active_seats(self) -> tuple[int, ...]:
        """Rule 3, sections 4 and 5: clockwise from first hand; with four players the dealer sits out."""
        count = 3 if self.players == 4 else self.players
        return tuple((self.dealer + 1 + place) % self.players for place in range(count))

    def _check_deal(self) -> None:
        """Rule 4, sections 4.1 and 6: hands and talons use up the deck."""
        two = self.players == 2
        hand_size = self.options["hand_size"] or (10 if two else 7)
        talon_size = self.options["talon_size"] or (2 if two else 3)
        sizes = [len(self.hands[seat]) for seat in self.active] + [len(talon) for talon in self.talons]
        wanted = [hand_size] * len(self.active) + [talon_size] * (2 if two else 1)
        if sizes != wanted or set().union(*self.hands, *self.talons) != self._deck:
            raise ValueError(f"deal {self.deal_number} has the sizes {sizes}, not {wanted}, or wrong cards")

    def _kind_of_deal(self) -> str:
        """3.1: golden until `players` deals have been scored; own turn when first hand is on the barrel."""
        if self.options["golden"] and len(self.history) < self.players:
            return "golden"
        if self.options["barrel_own_turn"] and self._on_barrel(self.first):
            return "own_turn"
        return "auction"

    def _on_barrel(self, seat: int) -> bool:
        """The sheet does not change during a deal, so this is the state at its start."""
        return self.barrel[seat] is not None

    def _silenced(self, seat: int) -> bool:
        """`silence_below`; the sheet does not change during a deal."""
        limit = self.options["silence_below"]
        return limit is not None and self.scores[seat] <= limit

    def _mandatory_redeal(self) -> bool:
        """`redeal_four_nines=mandatory`."""
        return self.options["redeal_four_nines"] == "mandatory" and any(hand >= FOUR_NINES for hand in self.hands)

    def _no_deals_left(self) -> bool:
        """`max_deals` counts the deals dealt, void ones included."""
        limit = self.options["max_deals"]
        return limit is not None and self.deal_number + 1 >= limit

    def _void_deal(self) -> None:
        """3.1: a void deal scores nothing and changes nothing: same dealer again."""
        if self._no_deals_left():
            self._finish(truncated=True)
        else:
            self.deal_number += 1
            self._next_deal()

    def _finish(self, truncated: bool) -> None:
        self.seat = None
        self.phase = "over"
        self.truncated = truncated
        self._legal = None

    def _after(self, seat: int) -> int:
        """The active seat at the left of this one."""
        return self.active[(self.active.index(seat) + 1) % len(self.active)]

    def _opponents(self, seat: int) -> list[int]:
        """The other active seats, clockwise from this one."""
        place = self.active.index(seat)
        return [self.active[(place + steps) % len(self.active)] for steps in range(1, len(self.active))]

    # ---- dark

    def _enter_dark(self) -> None:
        """`dark`: not on golden and own-turn deals, not for a silenced first hand."""
        offered = self.options["dark"] and self.kind == "auction" and not self._silenced(self.first)
        if offered and self._dark_levels():
            self.phase, self.seat = "dark", self.first
        else:
            self._enter_redeal()

    def _dark_levels(self) -> list[int]:
        """3.1 Dark: 120; under `bid_cap=none` any level from 120 up; above the dealer's minimum."""
        levels = [
            level for level in self._levels if level == 120 or (level > 120 and self.options["bid_cap"] == "none")
        ]
        if self.options["opening"] == "dealer_exact":
            return [level for level in levels if level > self.options["min_bid"]]
        return levels

    def _act_dark(self, verb: str, what: str) -> None:
        if verb == "bid":
            self._dark_bid = self._dark_stands = True
            self._place_bid(self.first, int(what))
        self._enter_redeal()

    # ---- redeal

    def _enter_redeal(self) -> None:
        """3.1: every player entitled to ask, clockwise from first hand; not the dark bidder."""
        entitled = [seat for seat in self.active if self._may_ask_redeal(self.hands[seat])]
        self._askers = [seat for seat in entitled if not (self._dark_bid and seat == self.first)]
        self._ask_next()

    def _may_ask_redeal(self, hand: set[str]) -> bool:
        """`redeal_four_nines=optional`, `redeal_hand_below`."""
        if self.options["redeal_four_nines"] == "optional" and hand >= FOUR_NINES:
            return True
        below = self.options["redeal_hand_below"]
        return below is not None and card_points(hand) < below

    def _ask_next(self) -> None:
        if self._askers:
            self.phase, self.seat = "redeal", self._askers.pop(0)
        else:
            self._enter_auction()

    def _act_redeal(self, verb: str) -> None:
        """The first who asks voids the deal."""
        if verb == "redeal":
            self._void_deal()
        else:
            self._ask_next()

    # ---- auction

    def _bid_levels(self) -> list[int]:
        """`min_bid`, `bid_step`: levels k = 0 to 64."""
        return [self.options["min_bid"] + k * self.options["bid_step"] for k in range(65)]

    def _enter_auction(self) -> None:
        """Rule 6 and `opening`; golden and own-turn deals have no auction."""
        if self.kind == "golden":
            self._settle_contract(self.first, 120)
            return
        if self.kind == "own_turn":
            self._settle_contract(self.first, self.options["barrel_contract"])
            return
        if self.options["opening"] == "dealer_exact":
            self._bidders.add(self.last)
            if not self._dark_bid:
                self.bid, self.bidder = self.options["min_bid"], self.last
        self.phase = "auction"
        self.seat = self._after(self.first) if self._dark_bid else self.first

    def _place_bid(self, seat: int, level: int) -> None:
        self.bid, self.bidder = level, seat
        self._bidders.add(seat)

    def _cap(self, hand: set[str]) -> int:
        """Rule 9 and `bid_cap`; section 6: 120 stands for the card points of the deck."""
        kind, held = self.options["bid_cap"], marriages(hand)
        base = card_points(self._deck)
        if kind == "none" or (kind == "any_with_marriage" and held):
            return self._levels[-1]
        if kind == "held":
            base += sum(self.options["marriage_values"][suit] for suit in held)
            if self.options["ace_marriage"] != "off" and hand >= FOUR_ACES:
                base += self.options["ace_marriage_value"]
        return base

    def _forced_opener(self, seat: int) -> bool:
        """`opening`: must this player open now?"""
        if self.bid is not None:
            return False
        if self.options["opening"] in ("first_hand_min", "first_hand_exact"):
            return seat == self.first
        if self.options["opening"] == "dealer_last_resort":
            return seat == self.last and len(self.passed) == len(self.active) - 1
        return False

    def _auction_choices(self) -> set[str]:
        """Rules 6 to 9, `jump_bids`, `silence_below`, `barrel_must_bid`."""
        seat = self._actor()
        forced = self._forced_opener(seat)
        levels = self._open_levels(seat) if forced else self._higher_levels(seat)
        if self.options["barrel_must_bid"] and self._on_barrel(seat) and self.options["barrel_contract"] in levels:
            return {f"bid {self.options['barrel_contract']}"}
        choices = {f"bid {level}" for level in levels}
        return choices if forced else choices | {"pass"}

    def _open_levels(self, seat: int) -> list[int]:
        """Rule 6: a forced opening; the minimum is always possible, and for some the only possibility."""
        minimum: int = self.options["min_bid"]
        if self.options["opening"] != "first_hand_min" or not self.options["jump_bids"] or self._silenced(seat):
            return [minimum]
        cap = self._cap(self.hands[seat])
        return [minimum] + [level for level in self._levels[1:] if level <= cap]

    def _higher_levels(self, seat: int) -> list[int]:
        """Rules 7 and 9: the levels above the current bid and within the cap."""
        if self._silenced(seat):
            return []
        above = [level for level in self._levels if self.bid is None or level > self.bid]
        if not self.options["jump_bids"]:
            above = above[:1]
        cap = self._cap(self.hands[seat])
        return [level for level in above if level <= cap]

    def _act_auction(self, verb: str, what: str) -> None:
        """Rules 7, 8 and 10."""
        seat = self._actor()
        if verb == "bid":
            self._dark_stands = False  # overbid, for good
            self._place_bid(seat, int(what))
        else:
            self.passed.add(seat)
        still_in = [other for other in self.active if other not in self.passed]
        if not still_in:
            self._void_deal()  # `opening=none`
        elif still_in == [self.bidder]:
            assert self.bid is not None
            self._settle_contract(still_in[0], self.bid)
        else:
            following = self._after(seat)
            while following in self.passed:
                following = self._after(following)
            self.seat = following

    def _settle_contract(self, declarer: int, contract: int) -> None:
        """Rules 10 and 11; then the talon."""
        self.declarer, self.contract = declarer, contract
        if self.players == 2:
            self.phase, self.seat = "talon", declarer  # section 4, rule 3
        else:
            self._take_talon(0)

    # ---- talon

    def _take_talon(self, which: int) -> None:
        """Rule 12, section 4 rule 3: shown or not, then taken."""
        declarer = self._declarer()
        self._taken = self.talons[which]
        self.talons[which] = set()
        self.hands[declarer] |= self._taken
        self.talon_shown = set(range(self.players)) if self._talon_is_public() else {declarer}
        self._enter_exchange()

    def _talon_is_public(self) -> bool:
        """Rule 12 and `talon_reveal`: contested if at least two different players bid."""
        if self.options["talon_reveal"] == "contested":
            return len(self._bidders) >= 2
        return bool(self.options["talon_reveal"] == "always")

    # ---- exchange

    def _enter_exchange(self) -> None:
        """Rule 13, `exchange`, section 4 rule 4 and `two_player`: gifts clockwise, or as many cards aside as taken."""
        two = self.players == 2
        gives = self.options["two_player"] == "give_one" if two else self.options["exchange"] == "give_one_each"
        if gives:
            self._receivers = list(self._opponents(self._declarer()))
        else:
            self._receivers = [None] * len(self._taken)
        self.phase, self.seat = "exchange", self.declarer

    def _exchange_choices(self) -> set[str]:
        """One card at a time; instead of the first one: concede, or refuse the talon."""
        choices = {f"give {card}" for card in self.hands[self._declarer()]}
        if self._untouched and self._may_concede():
            choices.add("concede")
        if self._untouched and self._may_refuse_talon():
            choices.add("redeal")
        return choices

    def _may_concede(self) -> bool:
        """`concede` and `concede_limit`."""
        limit = self.options["concede_limit"]
        used = self.concessions[self._declarer()]
        return self.options["concede"] != "off" and (limit is None or used < limit)

    def _may_refuse_talon(self) -> bool:
        """`redeal_talon_below`, `redeal_talon_nines`; 3.1: exactly `min_bid`, won in an auction, not dark."""
        if self.kind != "auction" or self._dark_stands or self.contract != self.options["min_bid"]:
            return False
        below, nines = self.options["redeal_talon_below"], self.options["redeal_talon_nines"]
        poor = below is not None and card_points(self._taken) < below
        return poor or (nines is not None and sum(card[0] == "9" for card in self._taken) >= nines)

    def _act_exchange(self, verb: str, what: str) -> None:
        if verb == "redeal":
            self._void_deal()
        elif verb == "concede":
            self._complete_deal(conceded=True)
        else:
            self._part_with(what)
            if not self._receivers:
                self._enter_raise()

    def _part_with(self, card: str) -> None:
        """Rule 13: the gift joins the opponent's hand; `discard_three` and two players: face down aside."""
        self._untouched = False
        self.hands[self._declarer()].remove(card)
        receiver = self._receivers.pop(0)
        if receiver is None:
            self.set_aside.add(card)
        else:
            self.hands[receiver].add(card)
            self.gifts[receiver] = card

    # ---- raise

    def _enter_raise(self) -> None:
        """`raise_after_talon`: not on golden and own-turn deals; asked even if he can only keep."""
        if self.options["raise_after_talon"] and self.kind == "auction":
            self.phase, self.seat = "raise", self.declarer
        else:
            self._enter_play()

    def _raise_choices(self) -> set[str]:
        """3.1: to any level up to the cap of the hand after the exchange; a silenced player may not raise."""
        declarer = self._declarer()
        if self._silenced(declarer):
            return {"pass"}
        assert self.contract is not None
        cap = self._cap(self.hands[declarer])
        return {"pass"} | {f"bid {level}" for level in self._levels if self.contract < level <= cap}

    def _act_raise(self, verb: str, what: str) -> None:
        if verb == "bid":
            self.contract = int(what)
        self._enter_play()

    # ---- play

    def _enter_play(self) -> None:
        """Rule 21: the declarer leads to the first trick."""
        self.phase, self.seat = "play", self.declarer
        self._held_four_aces = next((seat for seat in self.active if self.hands[seat] >= FOUR_ACES), None)

    def _play_choices(self) -> set[str]:
        """Rules 16 and 22; declaring is possible on lead only."""
        hand = self.hands[self._actor()]
        choices = {f"play {card}" for card in legal_cards(hand, self.trick, self.trump, self.options)}
        if not self.trick and self.options["marriage_declare"] == "optional" and self._gate_open():
            choices |= {f"marry {card}" for card in hand if self._is_marriage(card)}
            choices |= {f"aces {card}" for card in hand if self._is_ace_marriage(card)}
        return choices

    def _gate_open(self) -> bool:
        """`marriage_gate`, for the player on lead."""
        if self.options["marriage_gate"] == "after_own_trick":
            return self.tricks_won[self._actor()] > 0
        if self.options["marriage_gate"] == "after_first_trick":
            return sum(self.tricks_won) > 0
        return True

    def _is_marriage(self, card: str) -> bool:
        """Rules 15 and 16: K or Q, the other one being in hand."""
        return card[0] in "KQ" and partner(card) in self.hands[self._actor()]

    def _is_ace_marriage(self, card: str) -> bool:
        """`ace_marriage=lead_ace*`: an ace, with all four in hand."""
        offered = self.options["ace_marriage"] in ("lead_ace", "lead_ace_sets_trump")
        return offered and card[0] == "A" and self.hands[self._actor()] >= FOUR_ACES

    def _act_play(self, verb: str, card: str) -> None:
        """Rules 16 to 18 and 21."""
        seat = self._actor()
        automatic = self.options["marriage_declare"] == "automatic" and not self.trick and self._gate_open()
        if verb == "marry" or (automatic and self._is_marriage(card)):
            self._declare(seat, self.options["marriage_values"][card[1]], card[1])
        elif verb == "aces" or (automatic and self._is_ace_marriage(card)):
            sets_trump = self.options["ace_marriage"] == "lead_ace_sets_trump"
            self._declare(seat, self.options["ace_marriage_value"], card[1] if sets_trump else None)
        self.hands[seat].remove(card)
        self.trick.append((seat, card))
        if len(self.trick) == len(self.active):
            self._end_trick()
        else:
            self.seat = self._after(seat)

    def _declare(self, seat: int, value: int, suit: str | None) -> None:
        """Rule 18 and `trump_effect`: the value at once, the suit is trump at once or from the next trick."""
        self.points[seat] += value
        self._bonus[seat] += value
        if suit is None:
            return
        if self.options["trump_effect"] == "immediate":
            self.trump = suit
        else:
            self._coming_trump = suit

    def _end_trick(self) -> None:
        """Rules 21, 23 and 24."""
        winner = trick_winner(self.trick, self.trump)
        self.points[winner] += card_points(card for _, card in self.trick)
        self.tricks_won[winner] += 1
        self.trick = []
        if self._coming_trump is not None:
            self.trump, self._coming_trump = self._coming_trump, None
        if self.hands[winner]:
            self.seat = winner
        else:
            self._settle_points(last_winner=winner)
            self._complete_deal(conceded=False)

    # ---- the end of the deal

    def _settle_points(self, last_winner: int) -> None:
        """What is added to and dropped from the raw points at the end."""
        self.points[self._set_aside_owner(last_winner)] += self._set_aside_points()
        holder = self._held_four_aces
        if self.options["ace_marriage"] == "held_at_first_lead" and holder is not None and self.tricks_won[holder] > 0:
            self.points[holder] += self.options["ace_marriage_value"]
        if self.options["marriage_needs_trick"]:
            for seat in self.active:
                if self.tricks_won[seat] == 0:
                    self.points[seat] -= self._bonus[seat]

    def _set_aside_owner(self, last_winner: int) -> int:
        """`discard_three`: the declarer; section 4 rule 6: the winner of the last trick."""
        return last_winner if self.players == 2 else self._declarer()

    def _set_aside_points(self) -> int:
        """`exchange`, section 4 rule 6, `set_aside`, `give_one`."""
        if self.players != 2:
            return card_points(self.set_aside)  # empty unless `discard_three`
        if self.options["two_player"] == "give_one" or self.options["set_aside"] == "dead":
            return 0
        return card_points(self.set_aside) + sum(card_points(talon) for talon in self.talons)

    def _complete_deal(self, conceded: bool) -> None:
        """1.10 and 1.11: score, judge the match, move the dealer."""
        declarer, contract = self._declarer(), self.contract
        assert contract is not None
        outcome = Outcome(
            active=self.active,
            sitter=self.dealer if self.players == 4 else None,
            declarer=declarer,
            contract=contract,
            conceded=conceded,
            raw=self.points,
            tricks=self.tricks_won,
            golden=self.kind == "golden",
            dark=self._dark_stands,
            talon=frozenset(self._taken),
        )
        DealScoring(self.options, self.sheet, outcome).score()
        if self.players == 4:
            self.talon_shown = set(range(self.players))  # section 5, rule 5
        self.history.append(
            {
                "deal_number": self.deal_number,
                "dealer": self.dealer,
                "declarer": declarer,
                "contract": contract,
                "conceded": conceded,
                "points": list(self.points),
                "tricks_won": list(self.tricks_won),
                "scores": list(self.scores),
                "bolts": list(self.bolts),
                "barrel": list(self.barrel),
            }
        )
        self.winner = find_winner(self.options, self.scores, declarer)
        if self.winner is not None or self.episode == "deal":
            self._finish(truncated=False)
        elif self._no_deals_left():
            self._finish(truncated=True)
        else:
            self.dealer = (self.dealer + 1) % self.players  # rule 3
            self.deal_number += 1
            self._next_deal()

    # ---- small helpers

    def _actor(self) -> int:
        assert self.seat is not None
        return self.seat

    def _declarer(self) -> int:
        assert self.declarer is not None
        return self.declarer
