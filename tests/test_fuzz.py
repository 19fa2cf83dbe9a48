"""Garbage from outside: a clear ``ValueError``, or a game that can be played on; never a crash, and nothing changed."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import random
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.play import deal_arguments, play_out, some_game
from thousand_env import (
    NUM_ACTIONS,
    PRESETS,
    DealError,
    Game,
    Rules,
    RulesError,
    ScoreSheet,
    action_name,
    card_id,
    deal_seed,
    env_seed,
    episode_seed,
    parse_action,
    score_deal,
)
from thousand_env.engine.state import STATE_DTYPE

GARBAGE: tuple[Any, ...] = (
    *(None, True, -1, 2**31, 2**63, 2**64, 2**70, -(2**70), 0.5, 1e300, float("nan"), float("inf"), 1j),
    *("", "x", "\0", "\ud800", "9S" * 1000, b"", b"9S", (), [], [None], [[]], {}, {"a": 1}, set(), object(), Ellipsis),
    *(np.array([1, 2]), np.float64(0.5), np.int64(-5), np.array(None), Game, len, range(0), iter(())),
)


def identifier(value: object) -> str:
    """A test id that is the same in every process."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))


def refusal(call: Callable[[], Any], error: type[Exception] = ValueError) -> str | None:
    """The text of the error that a call raises, or None if it works; other errors go on."""
    try:
        call()
    except error as caught:
        return str(caught)
    return None


def assert_clear(call: Callable[[], Any], error: type[Exception] = ValueError) -> bool:
    """The call works (True), or raises the error with a text (False)."""
    message = refusal(call, error)
    assert message is None or message
    return message is None


def assert_playable(game: Game, seed: int = 1, decisions: int = 3000) -> None:
    """A game that was accepted can be looked at, copied, and played on to its end."""
    assert Game.from_bytes(game.to_bytes()) == game
    for seat in range(game.rules.players):
        assert game.view(seat).observer == seat
        repr(game.view(seat))
    play_out(game, random.Random(seed), decisions)
    assert game.is_over or game.rules.max_deals is None or game.rules.max_deals > 20
    places = (*game.hands, *game.talons, game.set_aside, *game.played)
    assert sorted(card for cards in places for card in cards) == list(game.rules.deck)


# from_deal

DEALS: dict[str, dict[str, Any]] = {
    preset: {"rules": Rules.preset(preset), **deal_arguments(Game(Rules.preset(preset), seed=6))} for preset in PRESETS
}


def bad_cards(preset: str) -> dict[str, dict[str, Any]]:
    """Deals with one thing wrong each."""
    deal = DEALS[preset]
    rules, hands, talon, dealer = deal["rules"], deal["hands"], deal["talon"], deal["dealer"]
    seats = [seat for seat in range(rules.players) if hands[seat]]
    one, two = seats[0], seats[1]
    first_talon = talon[0] if rules.players == 2 else talon

    def with_hand(seat: int, cards: Any) -> dict[str, Any]:
        return {"hands": [cards if each == seat else hand for each, hand in enumerate(hands)]}

    def with_talon(cards: Any) -> dict[str, Any]:
        return {"talon": [cards, talon[1]] if rules.players == 2 else cards}

    absent = [card for card in range(24) if card not in rules.deck]
    bad: dict[str, dict[str, Any]] = {
        "too few cards": with_hand(one, hands[one][:-1]),
        "no cards": with_hand(one, []),
        "too many cards": with_hand(one, [*hands[one], *hands[two][:1]]),
        "a card twice in a hand": with_hand(one, [hands[one][-1], *hands[one][1:-1], hands[one][-1]])
        if len(hands[one]) > 1
        else with_hand(one, hands[one] * 2),
        "a card in two hands": with_hand(one, [*hands[one][:-1], hands[two][0]]),
        "a card in hand and talon": with_talon([*first_talon[:-1], hands[one][0]]),
        "too small a talon": with_talon(first_talon[:-1]),
        "too large a talon": with_talon([*first_talon, hands[one][0]]),
        "no talon": {"talon": []},
        "one hand missing": {"hands": hands[:-1]},
        "one hand too many": {"hands": [*hands, []]},
        "no hands": {"hands": []},
        "hands as one list": {"hands": [card for hand in hands for card in hand]},
        "unknown text": with_hand(one, ["1S", *hands[one][1:]]),
        "card 24": with_hand(one, [24, *hands[one][1:]]),
        "card -1": with_hand(one, [-1, *hands[one][1:]]),
        "card 2**70": with_hand(one, [2**70, *hands[one][1:]]),
        "half a card": with_hand(one, [0.5, *hands[one][1:]]),
        "a flag as a card": with_hand(one, [True, *hands[one][1:]]),
        "a hand as text": with_hand(one, "9S JS QS"),
        "wrong dealer for the sitter": {"dealer": one} if rules.players == 4 else {"dealer": rules.players},
    }
    if absent:
        bad["a card that is not in the small deck"] = with_hand(one, [absent[0], *hands[one][1:]])
    if rules.players == 4:
        bad["the sitter holds a card"] = with_hand(dealer, [hands[one][0]])
        bad["the sitter holds all the talon"] = {**with_hand(dealer, talon), "talon": []}
    if rules.players == 2:
        bad["one talon"] = {"talon": [talon[0]]}
        bad["three talons"] = {"talon": [*talon, []]}
        bad["talons as one list"] = {"talon": [*talon[0], *talon[1]]}
    return bad


@pytest.mark.parametrize("preset", PRESETS)
def test_impossible_cards_are_refused(preset: str) -> None:
    for name, changes in bad_cards(preset).items():
        before = copy.deepcopy(changes)
        with pytest.raises(DealError) as caught:
            Game.from_deal(**{**DEALS[preset], **changes})
        assert str(caught.value), name
        assert changes == before


@pytest.mark.parametrize("preset", ["classic", "two_player", "four_player", "mini2"])
@pytest.mark.parametrize("name", ["hands", "talon", "dealer", "scores", "bolts", "barrel"])
def test_wrong_types_in_a_deal_are_refused(preset: str, name: str) -> None:
    is_column = name in ("scores", "bolts", "barrel")
    for value in GARBAGE:
        if is_column and (value is None or isinstance(value, np.ndarray | bytes)):  # not given; numbers
            continue
        with pytest.raises(DealError):
            Game.from_deal(**{**DEALS[preset], name: value})


@pytest.mark.parametrize("preset", ["classic", "two_player", "four_player"])
def test_wrong_types_in_a_hand_or_a_column_are_refused(preset: str) -> None:
    deal = DEALS[preset]
    seat = (deal["dealer"] + 1) % deal["rules"].players
    for value in GARBAGE:
        hands = [[value, *hand[1:]] if each == seat else hand for each, hand in enumerate(deal["hands"])]
        is_card = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 24
        assert not is_card
        with pytest.raises(DealError):
            Game.from_deal(**{**deal, "hands": hands})
        with pytest.raises(DealError):
            Game.from_deal(**{**deal, "hands": [value if each == seat else hand for each, hand in enumerate(hands)]})
        for name in ("scores", "bolts", "barrel"):
            column = [0] * deal["rules"].players if name != "barrel" else [None] * deal["rules"].players
            column[seat] = value
            assert_clear(lambda name=name, column=column: Game.from_deal(**{**deal, name: column}), DealError)


SHEETS: dict[str, dict[str, Any]] = {
    "too few scores": {"scores": [0, 0]},
    "too many scores": {"scores": [0, 0, 0, 0]},
    "a score of 2**31": {"scores": [2**31, 0, 0]},
    "a score of -2**40": {"scores": [-(2**40), 0, 0]},
    "a score in text": {"scores": ["0", 0, 0]},
    "half a point": {"scores": [0.5, 0, 0]},
    "a score of nothing": {"scores": [None, 0, 0]},
    "too many bolts": {"bolts": [3, 0, 0]},
    "fewer than no bolts": {"bolts": [0, -1, 0]},
    "all attempts used": {"barrel": [3, None, None]},
    "fewer than no attempts": {"barrel": [-1, None, None]},
    "on the barrel with another score": {"scores": [875, 0, 0], "barrel": [0, None, None]},
    "off the barrel with its score": {"scores": [880, 0, 0], "barrel": [None, None, None]},
    "between threshold and target": {"scores": [900, 0, 0]},
    "a barrel for two": {"barrel": [None, None]},
    "a flag as attempts": {"scores": [880, 0, 0], "barrel": [False, None, None]},
}


@pytest.mark.parametrize("name", SHEETS)
def test_impossible_sheets_are_refused(name: str) -> None:
    with pytest.raises(DealError):
        Game.from_deal(**DEALS["classic"], **SHEETS[name])


def test_sheets_that_other_rules_do_not_have_are_refused() -> None:
    deal = DEALS["classic"]
    with pytest.raises(DealError, match="barrel"):
        Game.from_deal(**{**deal, "rules": Rules(barrel=False)}, barrel=[0, None, None])
    with pytest.raises(DealError, match="bolts"):
        Game.from_deal(**{**deal, "rules": Rules(bolt_mode="off")}, bolts=[1, 0, 0])


@pytest.mark.parametrize("episode", ["", "matches", "DEAL", None, 0, 1, [], b"deal", ("deal",)])
def test_unknown_episodes_are_refused(episode: Any) -> None:
    with pytest.raises(ValueError, match="episode"):
        Game(episode=episode)
    with pytest.raises(ValueError, match="episode"):
        Game.from_deal(**DEALS["classic"], episode=episode)


@pytest.mark.parametrize("rules", [None, "classic", {}, 5, Rules])
def test_rules_of_other_types_are_refused(rules: Any) -> None:
    with pytest.raises(RulesError):
        Game.from_deal(**{**DEALS["classic"], "rules": rules})
    if rules is not None:
        with pytest.raises(RulesError):
            Game(rules)


# Seeds

BAD_SEEDS = [-1, 2**64, 2**70, 0.5, 1.0, float("nan"), "1", b"1", True, np.bool_(True), [], {}, object(), np.float64(1)]


@pytest.mark.parametrize("seed", BAD_SEEDS, ids=identifier)
def test_seeds_out_of_range_are_refused(seed: Any) -> None:
    calls = (lambda: Game(seed=seed), lambda: Game.from_deal(**DEALS["classic"], seed=seed))
    for call in (*calls, lambda: deal_seed(seed, 0), lambda: env_seed(seed, 0), lambda: episode_seed(seed, 0)):
        with pytest.raises(ValueError, match="seed"):
            call()


@pytest.mark.parametrize(
    "seed", [0, 1, 2**63, 2**64 - 1, np.uint64(2**64 - 1), np.int8(5), np.array(7)], ids=identifier
)
def test_seeds_in_range_are_accepted(seed: Any) -> None:
    assert Game(seed=seed) == Game(seed=int(seed))
    assert deal_seed(seed, 3) == deal_seed(int(seed), 3)


# Bytes


def games_for_bytes() -> dict[str, Game]:
    """Games of all kinds, short enough for every byte of them to be changed."""
    rng = random.Random(3)
    classic = Rules()
    concede = Rules(concede="bid_60", raise_after_talon=True)
    give_one = Rules(players=2, two_player="give_one")
    return {
        "fresh": Game(classic, seed=1),
        "auction": play_out(Game(classic, seed=2), rng, 3),
        "play": play_out(Game(classic, seed=3), rng, 16),
        "after three deals": play_out(Game(Rules(opening="none", max_deals=6), seed=4), rng, 70),
        "finished deal": play_out(Game(classic, seed=5, episode="deal"), rng, 100),
        "finished match": play_out(Game(concede.replace(max_deals=2), seed=6), rng, 200),
        "two players": play_out(Game(Rules(players=2), seed=7), rng, 12),
        "two players, finished": play_out(Game(give_one, seed=8, episode="deal"), rng, 99),
        "four players": play_out(Game(Rules(players=4, dark=True), seed=9), rng, 12),
        "lithuanian": play_out(Game(Rules.preset("lithuanian"), seed=10), rng, 14),
        "small": play_out(Game(Rules.preset("mini3"), seed=11), rng, 99),
    }


GAMES = games_for_bytes()


def assert_refused_or_playable(data: bytes, original: Game) -> bool:
    """Changed bytes are refused, or are a game; True if they are one."""
    if not assert_clear(lambda: Game.from_bytes(data)):
        return False
    game = Game.from_bytes(data)
    assert game.to_bytes() == data or game.rules.to_dict() == original.rules.to_dict()
    if game.rules.max_deals is not None:
        assert_playable(game.clone())
    return True


@pytest.mark.parametrize("name", GAMES)
def test_bytes_with_one_byte_changed(name: str) -> None:
    data = GAMES[name].to_bytes()
    rng = random.Random(name)
    places = range(len(data)) if len(data) < 700 else sorted(rng.sample(range(len(data)), 500))
    accepted = 0
    for place in places:
        value = rng.choice((0, 1, 127, 128, 255, data[place] ^ 1, data[place] ^ 128, rng.randrange(256)))
        if value != data[place]:
            accepted += assert_refused_or_playable(data[:place] + bytes([value]) + data[place + 1 :], GAMES[name])
    assert accepted < len(places) / 5
    assert Game.from_bytes(data) == GAMES[name]


@pytest.mark.long
@pytest.mark.parametrize("name", GAMES)
def test_bytes_with_every_byte_changed_in_many_ways(name: str) -> None:
    data = GAMES[name].to_bytes()
    rng = random.Random(name)
    for place in range(len(data)):
        near = (data[place] ^ 1, data[place] ^ 128, *rng.choices(range(256), k=6))
        for value in {0, 1, 2, 3, 127, 128, 254, 255, *near}:
            if value != data[place]:
                assert_refused_or_playable(data[:place] + bytes([value]) + data[place + 1 :], GAMES[name])


@pytest.mark.parametrize("name", GAMES)
def test_bytes_cut_short_or_extended_are_refused(name: str) -> None:
    data = GAMES[name].to_bytes()
    for size in range(len(data)):
        with pytest.raises(ValueError, match="bytes"):
            Game.from_bytes(data[:size])
    for more in (b"\0", b"\n", data[-258:], data, bytes(1000)):
        with pytest.raises(ValueError, match="bytes"):
            Game.from_bytes(data + more)


def test_random_bytes_are_refused() -> None:
    rng = random.Random(8)
    start = Game(seed=1).to_bytes()[:24]
    for size in (0, 1, 15, 16, 24, 100, 282, 284, 300, 1000):
        for _ in range(20):
            for data in (rng.randbytes(size), start + rng.randbytes(size)):
                with pytest.raises(ValueError, match="bytes"):
                    Game.from_bytes(data)


def test_records_of_random_bytes_are_refused() -> None:
    """The right length and rules, the record itself random or a mixture of two games."""
    rng = random.Random(9)
    data, other = GAMES["play"].to_bytes(), GAMES["auction"].to_bytes()
    assert len(data) == len(other)
    start = len(data) - STATE_DTYPE.itemsize - 2
    for _ in range(200):
        with pytest.raises(ValueError, match="bytes"):
            Game.from_bytes(data[:start] + rng.randbytes(STATE_DTYPE.itemsize) + data[-2:])
        cut = rng.randrange(start, len(data))
        assert_refused_or_playable(data[:cut] + other[cut:], GAMES["play"])


FREE_FIELDS = ("seed", "episode", "scores", "bolts", "falls", "concessions", "deal_number", "deals_scored")


@pytest.mark.parametrize("field", STATE_DTYPE.names or ())
def test_a_changed_field_is_refused_or_means_what_it_says(field: str) -> None:
    """Fields set to the ends of their range. A seed, a sheet or an episode may be another one; the rest must agree."""
    for name in ("play", "four players", "two players", "auction"):
        data = GAMES[name].to_bytes()
        start = len(data) - STATE_DTYPE.itemsize - 2
        kind = STATE_DTYPE[field].base
        for value in (np.iinfo(kind).min, np.iinfo(kind).max, 1, 2, 77):
            memory = bytearray(data)
            record = np.frombuffer(memory, STATE_DTYPE, 1, start)
            record[field] = value
            if bytes(memory) != data and assert_refused_or_playable(bytes(memory), GAMES[name]):
                assert field in FREE_FIELDS


def test_what_no_game_can_hold_is_refused() -> None:
    """Places of seats that there are not, and the gaps of the record."""
    data = GAMES["play"].to_bytes()
    start = len(data) - STATE_DTYPE.itemsize - 2
    for field in ("scores", "bolts", "barrel", "falls", "concessions", "hands", "played", "points", "tricks"):
        memory = bytearray(data)
        np.frombuffer(memory, STATE_DTYPE, 1, start)[field][0, 3] = 1
        with pytest.raises(ValueError, match="bytes"):
            Game.from_bytes(bytes(memory))
    covered = set()
    for name in STATE_DTYPE.names or ():
        kind, place = (STATE_DTYPE.fields or {})[name][:2]
        covered |= set(range(place, place + kind.itemsize))
    for place in set(range(STATE_DTYPE.itemsize)) - covered:
        memory = bytearray(data)
        memory[start + place] ^= 1
        with pytest.raises(ValueError, match="bytes"):
            Game.from_bytes(bytes(memory))


@pytest.mark.parametrize("data", [*GARBAGE, 10**12, 2**62, [300], ["a"], range(10), np.zeros(3)], ids=identifier)
def test_what_is_no_bytes_is_refused(data: Any) -> None:
    with pytest.raises(ValueError):
        Game.from_bytes(data)


def test_all_kinds_of_bytes_are_read() -> None:
    data = GAMES["play"].to_bytes()
    for kind in (bytes, bytearray, memoryview):
        assert Game.from_bytes(kind(data)) == GAMES["play"]
    buffer = bytearray(data)
    game = Game.from_bytes(buffer)
    buffer[:] = bytes(len(buffer))
    assert game == GAMES["play"]


# Pickles


def payload(pickled: bytes, game: Game) -> tuple[int, int]:
    """Where the bytes of a game stand in its pickle."""
    data = game.to_bytes()
    start = pickled.index(data)
    return start, start + len(data)


@pytest.mark.parametrize("name", ["fresh", "play", "two players", "small"])
def test_pickles_with_a_damaged_payload(name: str) -> None:
    """Only the bytes of the game are changed, so that reading the pickle runs nothing but ``Game.from_bytes``."""
    game = GAMES[name]
    pickled = pickle.dumps(game, pickle.HIGHEST_PROTOCOL)
    start, end = payload(pickled, game)
    rng = random.Random(name)
    for place in sorted(rng.sample(range(start, end), 200)):
        damaged = pickled[:place] + bytes([pickled[place] ^ rng.randrange(1, 256)]) + pickled[place + 1 :]
        if assert_clear(lambda damaged=damaged: pickle.loads(damaged)):
            assert_playable(pickle.loads(damaged))


@pytest.mark.parametrize("name", ["fresh", "play", "four players"])
def test_pickled_views_with_a_damaged_record_do_not_crash(name: str) -> None:
    """A view is not a game: a damaged one may say anything, but it is refused, or says it without a crash."""
    game = GAMES[name]
    for seat in range(game.rules.players):
        view = game.view(seat)
        pickled = pickle.dumps(view)
        start = pickled.index(bytes(view._memory))
        rng = random.Random(seat)
        for place in range(start, start + STATE_DTYPE.itemsize):
            damaged = pickled[:place] + bytes([rng.randrange(256)]) + pickled[place + 1 :]
            assert_clear(lambda damaged=damaged: read_all(pickle.loads(damaged)), Exception)


def read_all(view: Any) -> None:
    for name in dir(view):
        if not name.startswith("_") and name not in ("sample", "talon_is_seen_by"):
            value = getattr(view, name)
            if callable(value):
                value()


# Rules


@pytest.mark.parametrize("name", Rules.__dataclass_fields__)
def test_garbage_in_an_option_is_refused(name: str) -> None:
    default = getattr(Rules(), name)
    for value in GARBAGE:
        with_it = {name: value}
        if assert_clear(lambda with_it=with_it: Rules(**with_it), RulesError):
            rules = Rules(**with_it)
            assert rules == pickle.loads(pickle.dumps(rules))
            assert value is None or type(getattr(rules, name)) is type(default) or default is None
            assert Game(rules, seed=1).rules == rules


MORE_MAPPINGS = ({1: 2}, {"": 1}, {"players ": 3}, {"Players": 3}, [("players", 3)])


@pytest.mark.parametrize("options", [each for each in (*GARBAGE, *MORE_MAPPINGS) if type(each) is not dict or each])
def test_garbage_for_a_mapping_of_options_is_refused(options: Any) -> None:
    with pytest.raises(RulesError):
        Rules.from_dict(options)


def test_an_empty_mapping_is_the_default_game() -> None:
    assert Rules.from_dict({}) == Rules()


@pytest.mark.parametrize("name", GARBAGE, ids=identifier)
def test_garbage_for_a_preset_is_refused(name: Any) -> None:
    with pytest.raises(RulesError):
        Rules.preset(name)


def test_options_cannot_be_changed() -> None:
    rules = Rules()
    with pytest.raises(dataclasses.FrozenInstanceError):
        rules.players = 2  # type: ignore[misc]
    with pytest.raises(RulesError):
        rules.replace(players=5)
    assert rules == Rules()


# Text of actions and cards

WORDS = ("pass", "bid", "give", "play", "marry", "aces", "concede", "redeal", "talon", "100", "105", "TH", "9S", "A")
LETTERS = "pasbidgvelyrctkqjhno 0123456789THKQA♥\t\n-+.é１"


def test_garbage_for_an_action_text_is_refused() -> None:
    rng, rules = random.Random(4), Rules()
    for value in GARBAGE:
        with pytest.raises(ValueError, match="action"):
            parse_action(value, rules)
    for _ in range(3000):
        text = rng.choice(WORDS) + rng.choice((" ", "", "  ", "\t")) + rng.choice(("", *WORDS))
        if rng.random() < 0.5:
            text = "".join(rng.choices(LETTERS, k=rng.randrange(12)))
        message = refusal(lambda text=text: parse_action(text, rules))
        if message is not None:
            assert "action" in message
        else:
            action = parse_action(text, rules)
            assert 0 <= action < NUM_ACTIONS
            assert type(action) is int
            assert parse_action(action_name(action, rules), rules) == action


@pytest.mark.parametrize("action", [value for value in GARBAGE if value is not True], ids=identifier)
def test_garbage_for_an_action_id_has_no_name(action: Any) -> None:
    with pytest.raises(ValueError):
        action_name(action, Rules())


@pytest.mark.parametrize("card", GARBAGE, ids=identifier)
def test_garbage_for_a_card_is_refused(card: Any) -> None:
    with pytest.raises(ValueError):
        card_id(card)


@pytest.mark.parametrize("seat", [value for value in GARBAGE if value is not True], ids=identifier)
def test_garbage_for_a_seat_is_refused(seat: Any) -> None:
    game = Game(seed=1)
    before = game.to_bytes()
    with pytest.raises(ValueError, match="seat"):
        game.view(seat)
    assert game.to_bytes() == before


# score_deal

DEAL: dict[str, Any] = {"dealer": 0, "declarer": 1, "contract": 100, "points": [20, 80, 20], "tricks": [1, 5, 2]}


def is_empty(value: Any) -> bool:
    """Whether a value is a collection of no cards, as a talon that does not matter may be."""
    return value is GARBAGE[-1] or (hasattr(value, "__len__") and not isinstance(value, np.ndarray) and len(value) == 0)


@pytest.mark.parametrize("name", ["dealer", "declarer", "contract", "points", "tricks", "talon", "rules", "sheet"])
def test_garbage_in_a_scored_deal_is_refused(name: str) -> None:
    rules = Rules()
    for value in GARBAGE:
        if name == "talon" and is_empty(value):
            continue
        arguments = {"rules": rules, "sheet": ScoreSheet.start(rules), **DEAL, name: value}
        with pytest.raises(ValueError):
            score_deal(**arguments)


@pytest.mark.parametrize("name", ["dark", "conceded"])
def test_garbage_for_a_flag_of_a_scored_deal_is_refused(name: str) -> None:
    for value in (None, 5, "x", [], 0.5, np.array([1, 2])):
        with pytest.raises(ValueError):
            score_deal(Rules(), ScoreSheet.start(Rules()), **DEAL, **{name: value})


BAD_NUMBERS: dict[str, dict[str, Any]] = {
    "too few points": {"points": [20, 80]},
    "points below zero": {"points": [20, 80, -1]},
    "a million points": {"points": [20, 80, 10**6]},
    "too many tricks": {"tricks": [300, 0, 0]},
    "tricks below zero": {"tricks": [-1, 5, 2]},
    "no contract": {"contract": 0},
    "a contract above the highest": {"contract": 425},
    "no such dealer": {"dealer": 3},
    "no such declarer": {"declarer": 3},
    "unknown card": {"talon": ["XX"]},
    "a card twice": {"talon": ["9S", "9S", "AH"]},
    "too many cards": {"talon": ["9S", "JS", "QS", "KS"]},
}


@pytest.mark.parametrize("name", BAD_NUMBERS)
def test_numbers_that_cannot_be_are_refused(name: str) -> None:
    with pytest.raises(ValueError):
        score_deal(Rules(), ScoreSheet.start(Rules()), **{**DEAL, **BAD_NUMBERS[name]})


@pytest.mark.parametrize("field", [each.name for each in dataclasses.fields(ScoreSheet) if each.name != "winner"])
def test_garbage_in_a_sheet_is_refused(field: str) -> None:
    sheet = ScoreSheet.start(Rules())
    for value in GARBAGE:
        if value is not None:
            with pytest.raises(ValueError):
                score_deal(Rules(), dataclasses.replace(sheet, **{field: value}), **DEAL)


def test_sitters_cannot_be_declarer() -> None:
    rules = Rules(players=4)
    deal = {**DEAL, "points": [0, 80, 20, 20], "tricks": [0, 4, 2, 2]}
    assert score_deal(rules, ScoreSheet.start(rules), **deal).deals_scored == 1
    with pytest.raises(DealError):
        score_deal(rules, ScoreSheet.start(rules), **{**deal, "declarer": 0})


def test_garbage_changes_no_game() -> None:
    for number in range(5):
        game, rng = some_game(number)
        play_out(game, rng, 20)
        before = game.to_bytes()
        for value in GARBAGE:
            assert_clear(lambda value=value, game=game: game.view(value))
            assert_clear(lambda value=value, game=game: game.returns(value))
            if not isinstance(value, bool):
                assert_clear(lambda value=value, game=game: game.apply(value))
        assert game.to_bytes() == before
