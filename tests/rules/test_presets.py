"""rules.md 6: the presets differ from the default in the fields of the table and in nothing else; the small games."""

import collections
import itertools

import pytest

from tests.rules.helpers import DECK, bids, cards, deal, do, hand, legal, plays, sizes, text_of, trump
from thousand_env import Game, Rules, RulesError

TABLE = {
    "classic": {},
    "modern": {
        "declarer_score": "bid",
        "raise_after_talon": True,
        "talon_reveal": "always",
        "must_beat": False,
        "marriage_gate": "after_own_trick",
        "concede": "bid_60",
        "redeal_four_nines": "optional",
        "bolt_mode": "total",
        "barrel_win_bid": "at_least",
        "barrel_collision": "newcomer_knocks_off",
        "barrel_failed_contract": "deduct_and_fall",
        "dump": "plus",
    },
    "polish": {
        "bid_step": 10,
        "jump_bids": False,
        "declarer_score": "bid",
        "raise_after_talon": True,
        "rounding": "nearest10",
        "marriage_declare": "automatic",
        "must_overtrump": True,
        "barrel": False,
        "lock_at": 900,
        "bolt_mode": "off",
        "concede": "bid_60",
        "free_bombs": 1,
        "talon_reveal": "always",
    },
    "lithuanian": {"players": 4, "bid_step": 10, "exchange": "discard_three", "redeal_four_nines": "mandatory"},
    "two_player": {"players": 2},
    "four_player": {"players": 4},
}

SMALL = {"ranks", "suits", "hand_size", "talon_size", "min_bid", "bid_step", "marriage_values", "rounding", "barrel"}
SMALL |= {"bolt_mode", "max_deals"}

PLAIN = ("9S JS TS AS 9C JC TC", "QS KC 9D JD TD AD 9H", "KS QC AC QD KH JH TH", "KD QH AH")


@pytest.mark.parametrize("name", TABLE)
def test_section_6_presets(name):
    """Section 6: exactly these fields differ."""
    preset = Rules.preset(name)
    assert preset == Rules(**TABLE[name])
    default, options = Rules().to_dict(), preset.to_dict()
    assert set(options) == set(default)
    changed = {key: options[key] for key in options if options[key] != default[key]}
    sizes_follow = {"hand_size", "talon_size"} if name == "two_player" else set()
    assert {key: value for key, value in changed.items() if key not in sizes_follow} == TABLE[name]


def test_section_6_unknown_preset():
    """Section 3: a wrong name is an error that says what would be accepted."""
    with pytest.raises(RulesError) as caught:
        Rules.preset("clasic")
    assert "classic" in str(caught.value)


@pytest.mark.parametrize("name", [*TABLE, "mini2", "mini3"])
def test_section_6_every_preset_plays(name):
    """Section 6: a few deals of every preset by first legal actions; cards never leak or double."""
    game = Game(rules=Rules.preset(name), seed=1, episode="deal")
    steps = 0
    while game.phase != "over":
        held = [card for each in game.hands for card in each]
        assert len(held) == len(set(held))
        game.apply(game.legal_actions()[-1 if game.phase == "play" else 0])
        steps += 1
        assert steps < 200


def test_section_6_modern():
    """`modern`: no declaration on the first lead, no duty to beat, concession and raise offered, the bid is written."""
    game = deal(*PLAIN, rules=Rules.preset("modern"), episode="deal")
    do(game, "P1 bid 100; P2 pass; P0 pass")
    assert "concede" in legal(game)
    do(game, "P1 give QS; P1 give KC")
    assert game.phase == "raise"
    assert legal(game) == {"pass"} | bids(105, 110, 115, 120)
    do(game, "P1 bid 110; P1 play QH")
    assert game.contract == 110
    assert legal(game) == plays("KH JH TH")
    game = deal(*PLAIN, rules=Rules.preset("modern"), episode="deal")
    do(game, "P1 bid 100; P2 pass; P0 pass; P1 concede")
    assert list(game.scores) == [60, -100, 60]


def test_section_6_polish():
    """`polish`: only the next level of 10 may be bid, the first concession is free."""
    game = deal(*PLAIN, rules=Rules.preset("polish"), episode="deal")
    assert legal(game) == bids(100)
    do(game, "P1 bid 100")
    assert legal(game) == {"pass"} | bids(110)
    do(game, "P2 pass; P0 pass; P1 concede")
    assert game.scores[1] == 0


def test_section_6_lithuanian():
    """`lithuanian`: four seats, three cards put aside, seven tricks."""
    rules = Rules.preset("lithuanian")
    hands = [[], *(cards(each) for each in PLAIN[:3])]
    game = Game.from_deal(rules, hands=hands, talon=cards(PLAIN[3]), dealer=0, episode="deal")
    do(game, "P1 bid 100; P2 pass; P3 pass; P1 give KD; P1 give QH; P1 give AH")
    assert sizes(game) == [0, 7, 7, 7]
    tricks = 0
    while game.phase == "play":
        game.apply(game.legal_actions()[0])
        tricks += game.phase == "over" or not game.trick
    assert tricks == 7
    assert sum(game.tricks_won) == 7


def test_section_6_lithuanian_four_nines_are_dealt_again():
    """`redeal_four_nines=mandatory`: no dealt hand ever holds four nines."""
    rules = Rules.preset("lithuanian")
    for seed in range(400):
        game = Game(rules=rules, seed=seed)
        for seat in range(4):
            assert sum(card[0] == "9" for card in hand(game, seat)) < 4


@pytest.mark.parametrize(("name", "players", "hand_size", "talon_size"), [("mini2", 2, 2, 1), ("mini3", 3, 1, 3)])
def test_section_6_mini_games_are_as_described(name, players, hand_size, talon_size):
    """Section 6: ranks QKA, suits SH, bids by 10 from 10, marriages S10 H30, one deal, 36 card points."""
    rules = Rules.preset(name)
    assert rules == Rules(
        players=players, ranks="QKA", suits="SH", hand_size=hand_size, talon_size=talon_size, min_bid=10, bid_step=10,
        marriage_values=rules.marriage_values, rounding="none", barrel=False, bolt_mode="off", max_deals=1,
    )  # fmt: skip
    values = rules.marriage_values
    assert (values["S"], values["H"]) == (10, 30) if isinstance(values, dict) else (values[0], values[3]) == (10, 30)
    default, options = Rules().to_dict(), rules.to_dict()
    assert {key for key in options if options[key] != default[key]} <= SMALL | {"players"}
    game = Game(rules=rules, seed=0, episode="deal")
    assert {text_of(card) for held in game.hands for card in held} <= {"QS", "KS", "AS", "QH", "KH", "AH"}
    assert sorted(sizes(game)) == [hand_size] * players


def mini_deals(name):
    """All deals of a mini game with dealer 0, as (hands, talon)."""
    deck = ["QS", "KS", "AS", "QH", "KH", "AH"]
    if name == "mini3":
        for order in itertools.permutations(deck, 3):
            yield [[card] for card in order], [card for card in deck if card not in order]
        return
    for one in itertools.combinations(deck, 2):
        rest = [card for card in deck if card not in one]
        for two in itertools.combinations(rest, 2):
            left = [card for card in rest if card not in two]
            yield [list(one), list(two)], [left[:1], left[1:]]
            yield [list(one), list(two)], [left[1:], left[:1]]


def terminal_histories(game):
    """Number of action sequences that end the deal."""
    if game.phase == "over":
        return 1
    total = 0
    for action in game.legal_actions():
        child = game.clone()
        child.apply(action)
        total += terminal_histories(child)
    return total


@pytest.mark.parametrize(("name", "deals", "histories"), [("mini2", 180, 33_800), ("mini3", 120, 73_728)])
def test_section_6_mini_games_are_counted(name, deals, histories):
    """Section 6: the numbers of deals and of terminal histories for dealer = seat 0."""
    rules = Rules.preset(name)
    counts = collections.Counter()
    for hands, talon in mini_deals(name):
        game = Game.from_deal(rules, hands=hands, talon=talon, dealer=0)
        counts["deals"] += 1
        counts["histories"] += terminal_histories(game)
    assert counts == {"deals": deals, "histories": histories}


def test_section_6_the_cap_of_a_small_game():
    """Section 6: in rule 9 the card points of the deck stand for 120: 36, and 36 + 30 with the heart marriage."""
    rules = Rules.preset("mini2")
    game = Game.from_deal(rules, hands=[["QS", "KS"], ["QH", "AH"]], talon=[["KH"], ["AS"]], dealer=0)
    assert legal(game) == bids(10, 20, 30)
    game = Game.from_deal(rules, hands=[["QS", "AS"], ["QH", "KH"]], talon=[["AH"], ["KS"]], dealer=0)
    assert legal(game) == bids(10, 20, 30, 40, 50, 60)


def test_section_6_a_small_deal_played():
    """Section 6: two tricks of `mini2`: take, put aside, declare hearts, 36 + 30 points written unrounded."""
    rules = Rules.preset("mini2")
    game = Game.from_deal(rules, hands=[["QS", "AS"], ["QH", "KH"]], talon=[["AH"], ["KS"]], dealer=0)
    do(game, "P1 bid 60; P0 pass; P1 talon A; P1 give QH")
    assert legal(game) == plays("KH AH")
    game = Game.from_deal(rules, hands=[["QS", "AS"], ["QH", "KH"]], talon=[["AH"], ["KS"]], dealer=0)
    do(game, "P1 bid 60; P0 pass; P1 talon A; P1 give AH; P1 marry KH")
    assert trump(game) == "H"
    do(game, "P0 play QS; P1 play QH; P0 play AS")
    assert game.phase == "over"
    assert list(game.scores) == [0, 66]
    assert game.truncated


def test_section_6_sizes_must_use_up_the_deck():
    """3.1 and section 6: hand and talon sizes that do not use up the deck are refused."""
    with pytest.raises(RulesError):
        Rules(ranks="9QKA", suits="SH", hand_size=2, talon_size=3)
    with pytest.raises(RulesError):
        Rules(hand_size=6)
    assert len(DECK) == 24
