"""Nothing that a seat may not know reaches its ``View``: twins that differ only in hidden cards look the same.

Twins are made in two ways: by swapping cards that the seat cannot see and playing both deals side by side, with the
same public actions and with different hidden ones; and by ``View.sample``, whose worlds must look the same at every
earlier decision as well.
"""

from __future__ import annotations

import contextlib
import itertools
import pickle
import random
import signal
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.play import choose, deal_arguments, play, play_out, some_game
from thousand_env import PRESETS, DealError, Game, Rules, View
from thousand_env.engine.state import STATE_DTYPE
from thousand_env.rules_record import pack_rules

ASK, GIVES = 127, range(66, 90)

OPTIONS: dict[str, dict[str, Any]] = {
    **{f"preset {name}": dict(options) for name, options in PRESETS.items()},
    **{
        f"{exchange}, talon {reveal}, gifts {'shown' if shown else 'hidden'}": {
            "exchange": exchange,
            "talon_reveal": reveal,
            "gifts_face_up": shown,
        }
        for exchange, reveal, shown in itertools.product(
            ("give_one_each", "discard_three"), ("contested", "always", "never"), (False, True)
        )
    },
    **{
        f"two players, {kind}, talon {reveal}": {"players": 2, "two_player": kind, "talon_reveal": reveal}
        for kind, reveal in itertools.product(("two_talons", "give_one"), ("contested", "always", "never"))
    },
    "two players, gift shown": {"players": 2, "two_player": "give_one", "gifts_face_up": True},
    "four players, talon never shown": {"players": 4, "talon_reveal": "never", "sitter_bonus": "none"},
    "four players, talon always shown": {"players": 4, "talon_reveal": "always"},
    "four players, discard, hidden": {"players": 4, "talon_reveal": "never", "exchange": "discard_three"},
    "dark": {"dark": True},
    "dark at any level, redeals": {"dark": True, "bid_cap": "none", "redeal_hand_below": 40},
    "redeal of low hands": {"redeal_hand_below": 40},
    "redeal of any hand, two players": {"redeal_hand_below": 120, "players": 2},
    "redeal, four players": {"redeal_hand_below": 45, "players": 4},
    "redeal, golden": {"redeal_hand_below": 40, "golden": True},
    "redeal of talons": {"redeal_talon_below": 40, "redeal_talon_nines": 1, "talon_reveal": "never"},
    "four nines, optional": {"redeal_four_nines": "optional", "ranks": "9KA", "hand_size": 3},
    "four nines, mandatory": {"redeal_four_nines": "mandatory", "ranks": "9KA", "hand_size": 3},
    "raise, concede": {"raise_after_talon": True, "concede": "half_bid", "bid_cap": "none"},
    "automatic": {"marriage_declare": "automatic", "ace_marriage": "lead_ace_sets_trump"},
    "aces held": {"ace_marriage": "held_at_first_lead", "ranks": "QKTA", "hand_size": 4, "talon_size": 4},
    "no opening": {"opening": "none", "jump_bids": False},
    "dealer opens": {"opening": "dealer_exact", "must_beat": False, "must_trump": False},
}
SMALL_DECK = {"min_bid": 10, "bid_step": 10, "barrel_contract": 30}
OPTIONS["four nines, optional"] |= SMALL_DECK
OPTIONS["four nines, mandatory"] |= SMALL_DECK
OPTIONS["aces held"] |= {**SMALL_DECK, "exchange": "discard_three"}


# What is compared


def public_facts(view: View) -> dict[str, Any]:
    """Every public attribute of a view, and what its public methods say, but for its samples."""
    facts: dict[str, Any] = {}
    for name in dir(view):
        if name.startswith("_") or name == "sample":
            continue
        value = getattr(view, name)
        if name == "talon_is_seen_by":
            value = [value(seat) for seat in range(view.rules.players)]
        elif callable(value):
            value = value()
        facts[name] = value.tolist() if isinstance(value, np.ndarray) else value
    return facts


def assert_identical(one: View, two: View) -> None:
    """Nothing about two views tells one from the other."""
    assert public_facts(one) == public_facts(two)
    assert one == two
    assert hash(one) == hash(two)
    assert repr(one) == repr(two)
    for protocol in (2, pickle.HIGHEST_PROTOCOL):
        assert pickle.dumps(one, protocol) == pickle.dumps(two, protocol)


# Twins by swapping


def game_of(rules: Rules, rng: random.Random) -> Game:
    """A fresh deal, given to ``from_deal``."""
    game = Game(rules, seed=rng.getrandbits(64), episode="deal")
    while game.is_over:
        game = Game(rules, seed=rng.getrandbits(64), episode="deal")
    return Game.from_deal(rules, **deal_arguments(game), episode="deal", seed=1)


def swapped_twin(game: Game, seat: int, rng: random.Random) -> Game | None:
    """The same deal with some cards exchanged between places that a seat does not see, or None if that is no deal."""
    hands, talons = game.dealt()
    hidden = [cards for owner, cards in enumerate(hands) if owner != seat and cards]
    if rng.random() < 0.6 or len(hidden) < 2:
        hidden += talons
    for _ in range(rng.randint(1, 4)):
        one, two = rng.sample(hidden, 2)
        i, j = rng.randrange(len(one)), rng.randrange(len(two))
        one[i], two[j] = two[j], one[i]
    talon = talons if game.rules.players == 2 else talons[0]
    try:
        return Game.from_deal(game.rules, hands, talon, game.dealer, episode="deal", seed=2)
    except DealError:
        return None


def decline_unseen(game: Game, seat: int) -> Iterator[None]:
    """Redeals that others are offered and decline, of which a seat knows nothing."""
    while game.phase == "redeal" and game.seat != seat:
        game.apply(0)
        yield


def is_hidden_give(game: Game, seat: int) -> bool:
    """Whether the card that the declarer now parts with stays hidden from a seat."""
    if game.phase != "exchange" or game.declarer == seat:
        return False
    if game.rules.puts_aside:
        return True
    active = game.active_seats
    place = active.index(game.declarer)
    clockwise = [active[(place + step) % len(active)] for step in range(1, len(active))]
    receiver = next(each for each in clockwise if each not in game.gifts)
    return receiver != seat and not game.rules.gifts_face_up


def closes_deal(game: Game, action: int) -> bool:
    """Whether an action leads to the next deal."""
    after = game.clone()
    after.apply(action)
    return after.deal_number > game.deal_number


def last_event(game: Game, action: int) -> Any:
    """How an action appears to all: under ``automatic`` a lead may declare."""
    after = game.clone()
    after.apply(action)
    return after.is_over or after.deal_number or after.events()[-1]


def same_public_action(one: Game, two: Game, rng: random.Random) -> int | None:
    """An action that is legal in both and looks the same in both, or None."""
    common = [action for action in one.legal_actions() if action in two.legal_actions() and action != ASK]
    common = [action for action in common if last_event(one, action) == last_event(two, action)]
    return rng.choice(common) if common else None


def same_is_known(one: Game, two: Game, seat: int) -> bool:
    """Whether what the seat may know by now is the same: the talon where it was shown, and the score sheet."""
    if one.talon_is_seen_by(seat) != two.talon_is_seen_by(seat):
        return False
    is_public = one.is_over and one.rules.players == 4  # at the end of the deal at the latest
    if (is_public or one.talon_is_seen_by(seat)) and seen_talon(one) != seen_talon(two):
        return False
    return one.points == two.points and one.scores == two.scores and one.bolts == two.bolts


def seen_talon(game: Game) -> list[int]:
    """The talon that was taken."""
    taken = game.view(0).talon_taken
    assert taken is not None
    return game.dealt()[1][taken]


def compare_twins(one: Game, two: Game, seat: int, rng: random.Random) -> int:
    """Play two deals side by side until what the seat knows must differ; the number of views compared."""
    compared = 0
    while not one.deal_number and same_is_known(one, two, seat):
        if not one.is_forced or one.phase == two.phase:
            assert_identical(one.view(seat), two.view(seat))
        compared += 1
        for game, other in ((one, two), (two, one)):
            for _ in decline_unseen(game, seat):
                assert game.is_forced or game.view(seat) == other.view(seat)
        if one.is_over or two.is_over or not same_is_known(one, two, seat):
            break
        assert (one.phase, one.seat) == (two.phase, two.seat)
        if is_hidden_give(one, seat):
            for game in (one, two):
                game.apply(rng.choice([action for action in game.legal_actions() if action in GIVES]))
            continue
        action = same_public_action(one, two, rng)
        if action is None:
            break
        one.apply(action)
        two.apply(action)
    return compared


@pytest.mark.parametrize("name", OPTIONS)
def test_twins_with_swapped_cards_look_the_same(name: str) -> None:
    rules, rng = Rules(**OPTIONS[name]), random.Random(name)
    compared = 0
    for _ in range(8):
        for seat in range(rules.players):
            game = game_of(rules, rng)
            twin = swapped_twin(game, seat, rng)
            if twin is not None and game.phase != "dark":
                compared += compare_twins(game, twin, seat, rng)
    assert compared > 40 or "dark" in name


# Twins by sampling


def distinct_views(game: Game, seat: int) -> list[View]:
    """The views of a seat at all decisions of a game from the last back to the first, each once."""
    game = game.clone()
    views = [game.view(seat)]
    for _ in game.actions():
        game.undo()
        if game.view(seat) != views[-1]:
            views.append(game.view(seat))
    return views


@pytest.mark.parametrize("name", OPTIONS)
def test_sampled_twins_look_the_same_at_every_decision(name: str) -> None:
    rules, rng, numbers = Rules(**OPTIONS[name]), random.Random(name), np.random.default_rng(3)
    for _ in range(2):
        for game in play(game_of(rules, rng), rng, 60):
            if game.deal_number:
                break
            if rng.random() < 0.5:
                seat = rng.randrange(rules.players)
                twin = game.view(seat).sample(numbers)
                assert_identical(game.view(seat), twin.view(seat))
                ours, theirs = distinct_views(game, seat), distinct_views(twin, seat)
                assert [view.events() for view in ours] == [view.events() for view in theirs]
                assert ours == theirs


# Seeds


@pytest.mark.parametrize("name", OPTIONS)
def test_no_view_depends_on_the_seed(name: str) -> None:
    rules, rng = Rules(**OPTIONS[name]), random.Random(name)
    start = game_of(rules, rng)
    seeds = (0, 2**64 - 1)
    one, two = (Game.from_deal(rules, **deal_arguments(start), episode="deal", seed=seed) for seed in seeds)
    while True:
        for seat in range(rules.players):
            assert_identical(one.view(seat), two.view(seat))
            if not one.is_over and rng.random() < 0.3:
                first, second = np.random.default_rng(4), np.random.default_rng(4)
                worlds = [one.view(seat).sample(first), two.view(seat).sample(second)]
                assert worlds[0].to_bytes() == worlds[1].to_bytes()
                assert worlds[0].to_bytes() != one.to_bytes()
        action = None if one.is_over else choose(rng, one)
        if action in (None, ASK) or closes_deal(one, action):
            break
        one.apply(action)
        two.apply(action)


# Redeals and dark decisions


@pytest.mark.parametrize("options", [{}, {"players": 4}, {"players": 2}, {"dark": True}, {"opening": "dealer_exact"}])
def test_an_offer_of_a_redeal_is_not_seen_by_others(options: dict[str, Any]) -> None:
    """The view while another seat is asked is the one that the seat has if nobody else is asked."""
    below = 50 if options.get("players") == 2 else 35
    rules, nobody_asks = Rules(redeal_hand_below=below, **options), Rules(**options)
    seen = 0
    for seed in range(60):
        game = Game(rules, seed=seed)
        plain = Game.from_deal(nobody_asks, **deal_arguments(game), seed=1)
        if game.phase == "dark":
            game.apply(0)
            plain.apply(0)
        while game.phase == "redeal":
            for seat in range(rules.players):
                view = game.view(seat)
                if seat != game.seat and view.phase == "redeal":  # his turn comes if nobody asks
                    assert_identical(view, view_if_nobody_asks(game, seat))
                elif seat != game.seat and 0 not in [action for each, action in view.events() if each == seat]:
                    facts, expected = public_facts(view), public_facts(plain.view(seat))
                    assert {**facts, "rules": None} == {**expected, "rules": None}
                    seen += 1
            game.apply(0)
    assert seen > 10


def view_if_nobody_asks(game: Game, seat: int) -> View:
    """The view of a seat when the others before it have declined."""
    game = game.clone()
    for _ in decline_unseen(game, seat):
        pass
    return game.view(seat)


def test_before_a_golden_deal_an_offer_of_a_redeal_shows_no_more_than_that_play_has_not_begun() -> None:
    """The talon is taken at once if nobody may ask, so there is no other view to show; who is asked is hidden."""
    rules = Rules(redeal_hand_below=60, golden=True)
    for seed in range(30):
        game = Game(rules, seed=seed)
        views: dict[int, View] = {}
        while game.phase == "redeal":
            for seat in range(3):
                view = game.view(seat)
                if seat != game.seat and not view.events():
                    assert view.seat is None or view.seat == seat
                    assert view.talon == []
                    assert view.declarer is None
                    assert_identical(views.setdefault(seat, view), view)
            game.apply(0)


def test_before_a_dark_decision_first_hand_knows_no_card() -> None:
    """Whatever was dealt, first hand's view is the same, and another seat's depends on its own hand alone."""
    for players in (2, 3, 4):
        rules = Rules(dark=True, players=players)
        games = [game_of(rules, random.Random(number)) for number in range(8)]
        games = [Game.from_deal(rules, **{**deal_arguments(game), **rotated(game)}, seed=3) for game in games]
        first = games[0].seat
        for game in games:
            assert game.phase == "dark"
            assert_identical(game.view(first), games[0].view(first))
            assert game.view(first).hand == []


def rotated(game: Game) -> dict[str, Any]:
    """The deal of a game turned round the table until seat 0 is dealer."""
    hands, _ = game.dealt()
    return {"hands": hands[game.dealer :] + hands[: game.dealer], "dealer": 0}


# Paths from a view


def reachable(root: Any) -> Iterator[Any]:
    """Everything that can be reached from an object by attributes, items and buffers, but for classes."""
    seen: dict[int, Any] = {}
    left = [root]
    while left:
        thing = left.pop()
        if id(thing) in seen or isinstance(thing, type | int | float | str | None.__class__):
            continue
        seen[id(thing)] = thing
        yield thing
        if isinstance(thing, dict):
            left += [*thing.keys(), *thing.values()]
        elif isinstance(thing, list | tuple | set | frozenset):
            left += thing
        elif isinstance(thing, np.ndarray):
            left.append(thing.base)
        elif isinstance(thing, memoryview):
            left.append(thing.obj)
        elif hasattr(thing, "__self__"):
            left.append(thing.__self__)
        slots = [name for kind in type(thing).__mro__ for name in getattr(kind, "__slots__", ())]
        left += [getattr(thing, name) for name in slots if hasattr(thing, name)]
        left += vars(thing).values() if hasattr(thing, "__dict__") else []


def hidden_hands(game: Game, seat: int) -> list[bytes]:
    """The others' hands as the engine keeps them, of at least four cards, so that other bytes do not look like them."""
    hands = [hand for owner, hand in enumerate(game.hands) if owner != seat and len(hand) > 3]
    return [sum(1 << card for card in hand).to_bytes(4, "little") for hand in hands]


def assert_no_path(game: Game, seat: int) -> None:
    view = game.view(seat)
    found = list(reachable(view))
    assert view in found
    assert not any(isinstance(thing, Game) for thing in found)
    assert not any(callable(thing) and isinstance(getattr(thing, "__self__", None), Game) for thing in found)
    of_rules = pack_rules(game.rules).tobytes()  # the same in all games, though its numbers may look like a hand
    buffers = [bytes(thing) for thing in found if isinstance(thing, bytes | bytearray) and thing != of_rules]
    records = [data for data in buffers if len(data) == STATE_DTYPE.itemsize]
    assert records
    for data in [*buffers, pickle.dumps(view)]:
        for hand in hidden_hands(game, seat):
            assert hand not in data
        assert SEED.to_bytes(8, "little") not in data
    for data in records:
        record = np.frombuffer(data, STATE_DTYPE)[0]
        assert record["seed"] == 0
        assert [cards for owner, cards in enumerate(record["hands"].tolist()) if owner != seat and cards] == []
        assert int(record["asked"]) & ~(1 << seat) == 0
        is_public = game.is_over and game.rules.players == 4
        for place, talon in enumerate(record["talon"].tolist()):
            known = is_public or (place == record["talon_taken"] and game.talon_is_seen_by(seat))
            assert known or talon == 0


SEED = 0x1234_5678_9ABC_DEF1


@pytest.mark.parametrize("name", OPTIONS)
def test_a_view_has_no_path_to_hidden_cards(name: str) -> None:
    rules, rng = Rules(**OPTIONS[name]), random.Random(name)
    for episode in ("deal", "match"):
        game = Game(rules, seed=SEED, episode=episode)
        for each in play(game, rng, 90):
            if rng.random() < 0.5 or each.is_over:
                for seat in range(rules.players):
                    assert_no_path(each, seat)


def test_random_rules_leave_no_path_to_hidden_cards() -> None:
    for number in range(25):
        game, rng = some_game(number)
        play_out(game, rng, rng.randrange(60))
        for seat in range(game.rules.players):
            view = game.view(seat)
            own = view.hand
            assert own == (game.hands[seat] if not (game.phase == "dark" and seat == game.seat) else [])
            assert not any(isinstance(thing, Game) for thing in reachable(view))


def test_a_pickled_view_reads_back_without_the_game() -> None:
    game = play_out(Game(Rules(), seed=SEED), random.Random(1), 12)
    for seat in range(3):
        view = game.view(seat)
        back = pickle.loads(pickle.dumps(view))
        assert_identical(view, back)
        assert back.sample(np.random.default_rng(1)) == view.sample(np.random.default_rng(1))


# Samples after the end


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raises ``TimeoutError`` in the block when it takes longer."""

    def stop(*_: Any) -> None:
        raise TimeoutError(f"not done in {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def assert_samples_look_the_same(game: Game) -> None:
    numbers = np.random.default_rng(1)
    Game(seed=1).view(0).sample(numbers)  # compiled before the clock starts
    for seat in range(game.rules.players):
        with time_limit(5):
            world = game.view(seat).sample(numbers)
        assert world.is_over
        assert_identical(world.view(seat), game.view(seat))


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs an interval timer")
@pytest.mark.parametrize("players", [2, 3, 4])
def test_views_of_a_match_cut_off_by_a_redeal_can_be_sampled(players: int) -> None:
    rules = Rules(redeal_hand_below=60, max_deals=1, players=players)
    for seed in range(6):
        game = Game(rules, seed=seed)
        while game.phase == "redeal":
            game.apply(0 if seed % 2 and not game.actions() else ASK)
        if game.is_over:
            assert_samples_look_the_same(game)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs an interval timer")
def test_views_of_a_match_that_was_over_at_once_can_be_sampled() -> None:
    rules = Rules(redeal_four_nines="mandatory", max_deals=1)
    game = next(game for game in (Game(rules, seed=seed) for seed in range(1000)) if game.is_over)
    assert_samples_look_the_same(game)


def test_views_of_a_match_whose_last_deal_was_void_can_be_sampled() -> None:
    game = Game(Rules(redeal_four_nines="mandatory", max_deals=2), seed=80)
    while not game.is_over:
        game.apply(game.legal_actions()[0])
    assert game.deal_number == 1
    assert_samples_look_the_same(game)


def test_nobody_can_change_the_rules_that_a_view_shares_with_its_game() -> None:
    game = Game(seed=1)
    assert game.seat is not None
    record = game.view(game.seat)._rules_record
    with pytest.raises(ValueError, match="WRITEABLE"):
        record.setflags(write=True)
    with pytest.raises(ValueError, match="read-only"):
        record["players"] = 2
