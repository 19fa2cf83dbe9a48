"""Helpers of the option tests: ready deals, scripted play, and one call that settles a deal on the score pad.

Nothing here knows how the engine works; everything goes through the public names of the package. Deals for three have
dealer 0, so that seat 1 is first hand, seat 2 speaks next and seat 0 is last hand.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations

from thousand_env import Game, Rules, ScoreSheet, action_name, parse_action, score_deal

RANKS, SUITS = "9JQKTA", "SCDH"
DECK = [rank + suit for suit in SUITS for rank in RANKS]
CARD_POINTS = dict(zip(RANKS, (0, 2, 3, 4, 10, 11), strict=True))
BONUSES = {sum(some) for n in range(6) for some in combinations((40, 60, 80, 100, 200), n)}

# Nobody holds a marriage, whoever takes the talon; every hand has 32 card points or more. Order: seat 0, 1, 2.
QUIET = ["TS 9S QC JC AD KD KH", "AS KS TC QD JD 9H JH", "QS JS AC KC 9D TH QH"]
QUIET_TALON = "9C TD AH"
# The deal of rules.md 7.6: seat 1 holds the marriage in hearts, the others none.
D1 = ["QS JS AC TC KC KD TD", "AH TH KH QH AS 9C JD", "TS KS 9H JH AD QC 9D"]
D1_TALON = "9S QD JC"
D1_PLAY = [
    "play AH", "play 9H", "play 9C",
    "marry KH", "play JH", "play JS",
    "play TH", "play 9D", "play QS",
    "play QH", "play 9S", "play KD",
    "play AS", "play KS", "play KC",
    "play QD", "play AD", "play TD",
    "play TS", "play TC", "play JD",
    "play QC", "play AC", "play JC",
]  # fmt: skip
# Two players, no marriage in either hand. Talon B makes two marriages with the hand of seat 0.
TWO = ["QS JS TS AC KC AD KD 9D TH QH", "AS KS 9S TC JC QD JD 9H JH AH"]
TWO_TALONS = ("9C TD", "QC KH")


def cards(text: str | Iterable[str]) -> list[str]:
    """Card texts of a string such as "TH 9S"."""
    return text.split() if isinstance(text, str) else list(text)


def card_id(text: str) -> int:
    """Card id of a text: 6·suit + rank."""
    return 6 * SUITS.index(text[1]) + RANKS.index(text[0])


def texts(ids: Iterable[int]) -> set[str]:
    """Card texts of ids."""
    return {DECK[int(card)] for card in ids}


def value(text: str | Iterable[str]) -> int:
    """Card points of some cards."""
    return sum(CARD_POINTS[card[0]] for card in cards(text))


def levels(first: int, last: int, step: int = 5) -> set[str]:
    """The bids from first to last, as action texts."""
    return {f"bid {level}" for level in range(first, last + 1, step)}


def legal(game: Game) -> set[str]:
    """Legal actions as texts."""
    return {action_name(action, game.rules) for action in game.legal_actions()}


def plays(game: Game) -> set[str]:
    """The cards that may be played plainly."""
    return {name.split()[1] for name in legal(game) if name.startswith("play ")}


def bids(game: Game) -> set[str]:
    """The legal bids."""
    return {name for name in legal(game) if name.startswith("bid ")}


def do(game: Game, *actions: str) -> Game:
    """Apply actions given as texts, and hand the game back."""
    for action in actions:
        game.apply(parse_action(action, game.rules))
    return game


def active_seats(players: int, dealer: int) -> list[int]:
    """Active seats clockwise from first hand."""
    seats = [(dealer + k) % players for k in range(1, players + 1)]
    return [seat for seat in seats if players < 4 or seat != dealer]


def _calm(hand: Sequence[str], given: Sequence[str]) -> bool:
    """A filled hand that brings no marriage, no weak hand and no third nine of its own."""
    for suit in SUITS:
        pair = {"K" + suit, "Q" + suit}
        if pair <= set(hand) and not pair <= set(given):
            return False
    nines = sum(card[0] == "9" for card in hand) - sum(card[0] == "9" for card in given)
    return bool(given) or (value(hand) >= 20 and nines < 3)


def deal(
    rules: Rules,
    hands: Sequence[str] | Mapping[int, str] = (),
    talon: str | Sequence[str] | None = None,
    dealer: int = 0,
    episode: str = "deal",
    seed: int = 5,
    **sheet: Sequence[int | None],
) -> Game:
    """A game with these cards; what is left open is filled with quiet hands (full deck and usual hand sizes only)."""
    players, size = rules.players, 10 if rules.players == 2 else 7
    given = dict(hands) if isinstance(hands, Mapping) else dict(enumerate(hands))
    wanted = {seat: cards(given.get(seat, "")) for seat in active_seats(players, dealer)}
    if talon is None or isinstance(talon, str):
        heap = cards(talon or "")
    else:
        heap = [card for part in talon for card in cards(part)]
    heap_size = 4 if players == 2 else 3
    used = {card for hand in wanted.values() for card in hand} | set(heap)
    rest = [card for card in DECK if card not in used]
    rng = random.Random(1)
    for _ in range(20_000):
        rng.shuffle(rest)
        left, filled = list(rest), {}
        for seat, hand in wanted.items():
            need = size - len(hand)
            filled[seat], left = hand + left[:need], left[need:]
        if all(len(wanted[seat]) == size or _calm(filled[seat], wanted[seat]) for seat in filled):
            break
    else:
        raise AssertionError("no quiet deal around these cards")
    heap = heap + left
    assert len(heap) == heap_size
    return Game.from_deal(
        rules,
        hands=[filled.get(seat, []) for seat in range(players)],
        talon=(heap[:2], heap[2:]) if players == 2 else heap,
        dealer=dealer,
        episode=episode,
        seed=seed,
        **sheet,
    )


def quiet(rules: Rules, **rest: object) -> Game:
    """The quiet deal, for two, three or four players (dealer 0)."""
    if rules.players == 2:
        return deal(rules, TWO, TWO_TALONS, **rest)
    hands = ["", QUIET[1], QUIET[2], QUIET[0]] if rules.players == 4 else QUIET
    return deal(rules, hands, QUIET_TALON, **rest)


def bid_for(game: Game, seat: int, bid: int) -> Game:
    """This seat bids as soon as it can, the others pass or open with the least they must."""
    while game.phase == "auction":
        options = legal(game)
        if game.seat == seat and f"bid {bid}" in options:
            do(game, f"bid {bid}")
        elif "pass" in options:
            do(game, "pass")
        else:
            game.apply(min(game.legal_actions()))
    assert (game.declarer, game.contract) == (seat, bid)
    return game


def begin_play(rules: Rules, seat1: str, seat2: str, seat0: str, contract: int | None = None, **rest: object) -> Game:
    """Three players at the first lead, with exactly these eight cards each; seat 1 is declarer.

    The last cards of seats 2 and 0 are the gifts; the last card of seat 1 came from the talon.
    """
    finals = [cards(seat0), cards(seat1), cards(seat2)]
    assert sorted(card for hand in finals for card in hand) == sorted(DECK), "the three hands must make up the deck"
    game = deal(
        rules,
        [" ".join(hand[:7]) for hand in finals],
        " ".join([finals[1][7], finals[2][7], finals[0][7]]),
        **rest,
    )
    while game.phase in ("dark", "redeal"):
        do(game, "pass")
    if game.phase == "auction":
        bid_for(game, 1, contract if contract is not None else rules.min_bid)
    do(game, f"give {finals[2][7]}", f"give {finals[0][7]}")
    if game.phase == "raise":
        do(game, "pass")
    assert game.phase == "play"
    assert [texts(hand) for hand in game.hands] == [set(hand) for hand in finals]
    return game


def advance(game: Game, until: Callable[[Game], bool], limit: int = 20_000) -> Game:
    """Play the lowest legal action until the condition holds."""
    for _ in range(limit):
        if until(game):
            return game
        assert game.seat is not None, "the game is over and the condition never held"
        game.apply(min(game.legal_actions()))
    raise AssertionError("the condition never held")


def play_out(game: Game) -> Game:
    """Play the lowest legal action to the end of the episode."""
    return advance(game, lambda g: g.seat is None)


def finish_deal(game: Game) -> Game:
    """Play the lowest legal action to the start of the next deal, or to the end."""
    number = game.deal_number
    return advance(game, lambda g: g.seat is None or g.deal_number != number)


def _tricks(rules: Rules, points: Sequence[int]) -> list[int]:
    """A plausible count: one trick to everybody with points, the others to the best."""
    total = 7 if rules.exchange == "discard_three" else 8
    if rules.players == 2:
        total = 11 if rules.two_player == "give_one" else 10
    tricks = [int(raw > 0) for raw in points]
    tricks[max(range(len(points)), key=lambda seat: points[seat])] += total - sum(tricks)
    return tricks


def settle(
    rules: Rules,
    points: Sequence[int] = (),
    *,
    contract: int = 100,
    declarer: int = 1,
    dealer: int = 0,
    tricks: Sequence[int] | None = None,
    dark: bool = False,
    conceded: bool = False,
    talon: str = "",
    **sheet: object,
) -> ScoreSheet:
    """Score one deal. Without tricks everybody with points has one; `sheet` is what ScoreSheet.start takes."""
    if conceded:
        points, tricks = [0] * rules.players, [0] * rules.players
    else:
        assert sum(points) - 120 in BONUSES, "raw points of a deal are 120 and some marriages"
    return score_deal(
        rules,
        ScoreSheet.start(rules, **sheet),
        dealer=dealer,
        declarer=declarer,
        contract=contract,
        points=tuple(points),
        tricks=tuple(_tricks(rules, points) if tricks is None else tricks),
        dark=dark,
        conceded=conceded,
        talon=tuple(cards(talon)),
    )


def round5(raw: int) -> int:
    """Rounding of rule 28."""
    return (raw + 2) // 5 * 5


def written(raw: int, contract: int) -> int:
    """What a declarer writes by the default rules."""
    return round5(raw) if raw >= contract else -contract
