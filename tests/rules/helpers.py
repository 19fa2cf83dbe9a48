"""Small tools shared by the tests of rules.md.

Cards are texts (``"TH"``; ``"10H"`` is accepted), seats are numbers, actions are the texts of interface.md.
With ``dealer=0`` the P0, P1, P2 of rules.md are the seats 0, 1, 2. No rule of play is written down here, except
the points of the cards and how a deal is laid out so that it reaches given eight-card hands.
"""

import pickle
import random

import numpy as np
import pytest

from thousand_env import Game, IllegalActionError, Rules, ScoreSheet, action_name, parse_action, score_deal

SUITS = "SCDH"
RANKS = "9JQKTA"
DECK = [rank + suit for suit in SUITS for rank in RANKS]
POINTS = {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2, "9": 0}
CLASSIC = Rules()


def cards(text):
    """Card texts of a line, tens as ``T``."""
    return text.replace("10", "T").split()


def text_of(card):
    """Text of a card id: id = 6 * suit + rank."""
    return RANKS[card % 6] + SUITS[card // 6]


def hand(game, seat):
    """The set of card texts a seat holds."""
    return {text_of(card) for card in game.hands[seat]}


def sizes(game):
    """Number of cards a seat holds, for all seats."""
    return [len(held) for held in game.hands]


def trick(game):
    """The unfinished trick as (seat, card text) pairs, in order of play."""
    return [(seat, text_of(card)) for seat, card in game.trick]


def trump(game):
    """Trump as a suit letter, None before the first declaration."""
    return None if game.trump is None else SUITS[game.trump]


def legal(game):
    """The legal actions as a set of texts."""
    return {action_name(action, game.rules) for action in game.legal_actions()}


def playable(game):
    """The cards that may be played, as a set of texts (declaring or not)."""
    return {text.split()[1] for text in legal(game)}


def plays(text):
    """``"AH KS"`` -> ``{"play AH", "play KS"}``."""
    return {f"play {card}" for card in cards(text)}


def bids(*levels):
    """``bids(100, 105)`` -> ``{"bid 100", "bid 105"}``."""
    return {f"bid {level}" for level in levels}


def do(game, script):
    """Apply actions separated by ``;``; one that starts with ``P<seat>`` also states who must be to act."""
    for step in filter(None, (part.strip() for part in script.split(";"))):
        if step[0] == "P" and step[1].isdigit():
            who, step = step.split(" ", 1)
            assert game.seat == int(who[1:]), f"{step}: seat {game.seat} is to act, not {who}"
        game.apply(parse_action(step, game.rules))
    return game


def refuses(game, text):
    """Whether the action is illegal here: not listed, refused by `apply`, nothing changed."""
    before = game.clone()
    with pytest.raises(IllegalActionError):
        game.apply(parse_action(text, game.rules))
    assert game == before
    return text not in legal(game)


def deal(p0, p1, p2, talon, rules=CLASSIC, **sheet):
    """A three-player game with the given dealt hands, dealer 0."""
    hands = [cards(p0), cards(p1), cards(p2)]
    return Game.from_deal(rules, hands=hands, talon=cards(talon), **{"dealer": 0, **sheet})


def at_play(p0, p1, p2, rules=CLASSIC, bid=None, **sheet):
    """A three-player game before the first lead, P1 declarer, with these eight-card hands after the gifts.

    P1 bids (the minimum unless ``bid`` says more), the others pass. The last card of P0 and of P2 is the gift.
    """
    p0, p1, p2 = cards(p0), cards(p1), cards(p2)
    assert sorted(p0 + p1 + p2) == sorted(DECK), "not a full deck"
    hands = [p0[:7], p1[:7], p2[:7]]
    talon = [p1[7], p2[7], p0[7]]
    game = Game.from_deal(rules, hands=hands, talon=talon, **{"dealer": 0, **sheet})
    do(game, f"P1 bid {bid or rules.min_bid}; P2 pass; P0 pass; P1 give {p2[7]}; P1 give {p0[7]}")
    assert game.phase == "play"
    return game


def play_out(game, seed=0, only=None):
    """Play random legal actions until the present deal is over; ``only`` filters the texts where it leaves any."""
    rng = random.Random(seed)
    number = game.deal_number
    while game.seat is not None and game.deal_number == number:
        texts = sorted(legal(game))
        texts = [text for text in texts if only(text)] or texts if only else texts
        do(game, rng.choice(texts))
    return game


def at_random_play(rules=CLASSIC, seed=0, episode="deal"):
    """A random deal brought to its first lead: first hand opens as low as he can, the others pass, random gifts."""
    rng = random.Random(seed)
    game = Game(rules=rules, seed=seed, episode=episode)
    while game.phase != "play":
        choices = game.legal_actions()
        game.apply(choices[0] if game.phase in ("auction", "raise", "redeal") else rng.choice(choices))
    return game


def settle(points, contract, rules=CLASSIC, *, declarer=1, tricks=(1, 6, 1), dealer=0, sheet=None, how=None, **start):
    """Score one deal on a card-free sheet: raw points and tricks per seat; ``how`` goes on to `score_deal`.

    The sheet is given, or begun with the scores, bolts and barrel named. Unless said, everybody has a trick.
    """
    sheet = sheet or ScoreSheet.start(rules, **start)
    return score_deal(
        rules, sheet, dealer=dealer, declarer=declarer, contract=contract, points=points, tricks=tricks, **(how or {})
    )


def plain(value):
    """A value as nested tuples, so that arrays and their copies compare."""
    if isinstance(value, np.ndarray | np.void):
        return plain(value.tolist())
    if isinstance(value, dict):
        return tuple(sorted((str(key), plain(each)) for key, each in value.items()))
    if isinstance(value, list | tuple):
        return tuple(plain(each) for each in value)
    return value


def facts(view):
    """Everything public on a view: its properties, its history and the choices it offers."""
    public = (name for name in dir(view) if not name.startswith("_"))
    named = {name: plain(getattr(view, name)) for name in public if not callable(getattr(view, name))}
    assert named, "the view shows nothing at all"
    return named | {"events": plain(view.events()), "legal": plain(view.legal_actions())}


def same(one, two, seat):
    """Whether a seat sees the same in both games: public names, equality and pickle must agree about it."""
    one, two = one.view(seat), two.view(seat)
    equal = facts(one) == facts(two)
    assert (one == two) == equal, "`==` of two views does not agree with their public names"
    assert (pickle.dumps(one) == pickle.dumps(two)) == equal, "a pickle holds something that no public name shows"
    return equal
