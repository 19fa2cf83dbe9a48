"""An independent, slow model of the card game Thousand, written from shared/rules.md alone; it judges the engine.

cards.py: cards, following suit, tricks. scoring.py: the sheet. game.py: the course of a deal and of a match.
options.py: options and presets.

Readings (where rules.md leaves room, and the rule each rests on):

General
- deal_source gets the active seats clockwise from first hand (4: "active 1, 2, 3; first hand 1"; section 1.2).
- "Four nines" and "four aces" are the four cards of that rank; a deck without them never has them (section 6).
- "At the start of the deal" is the sheet as the deal begins; nothing on it moves in mid-deal (1.11, rule 40).
- A `barrel` argument is ignored when the option `barrel` is off (3.1 "An option that can merely have no effect").
- With four players talon_shown holds every seat once a deal has been scored (5.5); a public talon is shown to the
  sitter too (rule 12 "shown to all", 5.2 "sees only public information").
- Single-choice decisions are still decisions (rule 9 "can only pass"; `dealer_last_resort` "must bid `min_bid`").

Dark, redeal, auction
- `dark` is skipped when there is no dark bid to choose: silenced, golden, own turn, or, under `dealer_exact` with
  `min_bid` 120, nothing above the dealer's minimum (3.1 "above the dealer's minimum", "skipped").
- `barrel_must_bid` binds in the auction only, not in the dark phase or the raise (it stands under "Auction").
- A forced opening may always be the minimum, whatever the cap (rule 6 "must bid").
- `any_with_marriage` asks for a K-Q marriage; four aces open nothing there (they are named for `held` only).
- `dealer_exact` with a dark bid counts two bidders: contested (3.1 "the dealer's minimum and a dark bid count").
- Golden and own-turn deals are uncontested with no bidder: `contested` shows the talon to the declarer only (3.1).

Exchange, raise
- A gift joins the receiver's hand at once, before the next card is chosen (rule 13, "one card at a time").
- A silenced declarer is asked in the raise phase but can only keep ("asked even if he can only keep"); golden and
  own-turn deals have no raise phase at all (3.1 "no dark bid, raise or talon redeal").
- As many cards go aside as the talon had (section 6).

Play
- With `trump_effect=next_trick` `trump` stays the old one until the trick of the declaration is complete (3.1).
- `bolt_basis=points` looks at the final raw points: cards put aside and lapsed bonuses settled (3.1).

Scoring
- "880 + what rule 26 writes" (rule 35) obeys `declarer_score`; 1.11 spells only the default `taken`.
- `half_bid`, and every other amount, is rounded first and doubled afterwards (3.1 "Everything written is doubled").
- A free bomb costs the declarer nothing; the opponents still get theirs ("uses that cost him nothing").
- `120_60` costs 120 whatever the contract; on the barrel `deduct_and_fall` subtracts the contract all the same (3.1).
- `lock_at` "up to the target": whoever was below the lock, declarer included, ends the deal with at most the target.
- A player who wins from the barrel has no bolt of either kind in that deal (3.1 step 3 "win; else bolt fine").
- Bolt fine on the barrel and last attempt (or `deduct_and_fall`) in one deal are both paid and are one fall
  (3.1 "subtracted on top", "each costs its own price only once").
- `deduct_and_fall` replaces the attempt of that deal, so the fall penalty is not added (3.1).
- A newcomer for `barrel_collision` is whoever steps 1 and 2 put on the barrel, clamped from above the target included.
- Collisions are settled even when somebody wins the match in that deal (3.1, order of steps).
- `falls` counts every fall; only `barrel_third_fall_zero` starts it again at 0.
- Rule 42 is applied afresh to every deal, the declarer's preference included, also after a tie (1.11).
- Golden deals are counted by the deals scored in this object, concessions included (3.1 "have been scored").
"""

from .game import DealSource, Reference
from .options import DEFAULTS, PRESETS

__all__ = ["DEFAULTS", "PRESETS", "DealSource", "Reference"]
