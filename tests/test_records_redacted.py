"""Redacted records: exactly what the seat's views tell, and the same for all games between which it cannot tell."""

from __future__ import annotations

import dataclasses
import functools
import random
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

from tests.random_rules import random_rules
from tests.record_games import choose, new_game, random_games
from thousand_env import PRESETS, DealError, Game, IllegalActionError, Rules, View, parse_action
from thousand_env.records import Record, RecordError, from_text, redact, replay, steps, to_text
from thousand_env.records.json_form import decode_line, encode_line
from thousand_env.records.model import RecordedDeal, first_sheet
from thousand_env.records.replaying import _open_given

FIRST_GIVE, FIRST_PLAY, PASS = 66, 90, 0


def started(*texts: str, rules: Rules | None = None, seed: int = 17) -> Game:
    game = Game(rules or Rules(), seed=seed)
    for text in texts:
        game.apply(parse_action(text, game.rules))
    return game


def last_deal(game: Game, seat: int) -> RecordedDeal:
    return redact(Record.from_game(game), seat).deals[-1]


# What stays and what goes


@pytest.mark.parametrize("seed", range(4))
def test_redacted_records_agree_with_views_at_every_decision(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(12):
        game = new_game(rng, Rules.preset(rng.choice(list(PRESETS))) if rng.random() < 0.3 else random_rules(rng))
        for _ in range(rng.randint(1, 45)):
            if game.is_over:
                break
            hands, talons = game.dealt()
            for seat in range(game.rules.players):
                view, deal = game.view(seat), last_deal(game, seat)
                assert list(deal.actions) == view.events()
                assert (deal.declarer, deal.contract, deal.dealer) == (view.declarer, view.contract, view.dealer)
                assert [card for cards in deal.talons for card in cards or ()] == view.talon
                is_blind = game.phase == "dark" and game.seat == seat
                assert deal.hands[seat] == (None if is_blind else tuple(hands[seat]))
                assert all(not cards for owner, cards in enumerate(deal.hands) if owner != seat)
                assert all(cards in (None, tuple(dealt)) for cards, dealt in zip(deal.talons, talons, strict=True))
            game.apply(choose(rng, game, 0.3))


def test_seed_and_hidden_gifts_go_and_own_cards_stay() -> None:
    game = started("bid 105", "pass", "bid 145", "pass", "give 9H", "give JH")
    record = Record.from_game(game, ["a", "b", "c"])
    text = encode_line(redact(record, 2))
    assert '"seed"' not in text
    assert '"seat":2' in text
    assert '"agents":["a","b","c"]' in text
    assert '"hands":[null,null,"JS TS JC JD AD KH TH"],"talons":["TD 9H AH"]' in text
    assert '"1 give 9H","1 give ?"' in text
    assert '"1 give ?","1 give JH"' in encode_line(redact(record, 0))
    assert '"1 give 9H","1 give JH"' in encode_line(redact(record, 1))


def test_a_talon_that_was_not_shown_is_not_there_after_the_deal_but_with_four_players() -> None:
    rng = random.Random(2)
    for players, known in ((3, None), (4, True)):
        game = Game(Rules.from_dict({"players": players, "talon_reveal": "never"}), seed=3)
        while game.deal_number == 0:
            game.apply(choose(rng, game, 0.9))
        closed, running = Record.from_game(game).deals
        assert closed.declarer is not None
        assert running.scores is None
        for seat in range(players):
            deals = redact(Record.from_game(game), seat).deals
            assert (deals[0].talons[0] is not None) is (seat == closed.declarer or bool(known))
            assert deals[1].talons == (None,)


def test_the_talon_not_taken_by_either_of_two_stays_hidden() -> None:
    game = started("bid 110", "bid 115", "pass", "talon B", rules=Rules.preset("two_player"))
    for seat in (0, 1):
        talon_a, talon_b = last_deal(game, seat).talons
        assert talon_a is None
        assert talon_b is not None
    quiet = started("bid 110", "pass", "talon B", rules=Rules.preset("two_player"))
    assert quiet.declarer == 1
    assert last_deal(quiet, 0).talons == (None, None)


def test_redeals_that_others_declined_are_not_told() -> None:
    rules = Rules(redeal_hand_below=120)  # everybody may ask
    game = started("pass", "pass", "pass", "bid 100", rules=rules)
    assert [event.action for event in last_deal(game, game.dealer).actions] == [0, 1]
    assert len(Record.from_game(game).deals[0].actions) == 4
    asked = started("pass", "redeal", rules=rules)
    first, second = redact(Record.from_game(asked), asked.dealer).deals
    assert [event.action for event in first.actions] == [127]
    assert not second.actions


def test_own_cards_are_not_there_before_the_dark_bid_is_decided() -> None:
    game = started(rules=Rules(dark=True))
    assert game.phase == "dark"
    assert game.seat is not None
    assert last_deal(game, game.seat).hands[game.seat] is None
    assert last_deal(game, game.dealer).hands[game.dealer] is not None
    game.apply(PASS)
    first_hand = (game.dealer + 1) % 3
    assert last_deal(game, first_hand).hands[first_hand] is not None


@pytest.mark.parametrize("seed", range(2))
def test_redacted_records_are_written_and_read_but_not_replayed(seed: int) -> None:
    rng = random.Random(50 + seed)
    for game in random_games(rng, 25):
        seat = rng.randrange(game.rules.players)
        record = redact(Record.from_game(game), seat)
        assert record.is_redacted
        assert record.seed is None
        assert decode_line(encode_line(record)) == record
        assert from_text(to_text(record)) == record
        again = decode_line(encode_line(record), 3)
        for refused in (replay, steps, functools.partial(redact, seat=seat)):
            with pytest.raises(RecordError, match=f"line 3: a record redacted for seat {seat} cannot be replayed"):
                refused(again)


@pytest.mark.parametrize("seat", [-1, 3, None, "1", True])
def test_a_seat_that_there_is_not_is_refused(seat: object) -> None:
    with pytest.raises(ValueError, match="seat="):
        redact(Record.from_game(Game(seed=1)), seat)  # type: ignore[arg-type]


def test_a_redacted_record_must_not_show_other_hands() -> None:
    line = encode_line(redact(Record.from_game(Game(seed=17)), 2))
    with pytest.raises(RecordError, match="must be null in a record redacted for seat 2"):
        decode_line(line.replace("[null,null", '["9S AS QC TC AC 9D QH",null'))
    with pytest.raises(RecordError, match="unknown key 'seed'"):
        decode_line(line.replace('"seat":2', '"seat":2,"seed":3'))


# Games between which the seat cannot tell

Swap = Callable[[int], int]


def first_view(record: Record, seat: int) -> View:
    """The last view of the first deal, of which the tested ``redact`` knows nothing."""
    game = replay(record)
    return next((position for position, _ in game.closed_deals()), game).view(seat)


def another_world(rng: random.Random, record: Record, seat: int) -> tuple[RecordedDeal, Swap]:
    """The first deal with some cards swapped that were not dealt to the seat, or that it has not looked at."""
    deal, view = record.deals[0], first_view(record, seat)
    groups = [list(cards or ()) for cards in (*deal.hands, *deal.talons)]
    is_blind = view.phase == "dark" and view.seat == seat
    seen = set() if is_blind else set(deal.hands[seat] or ())
    if record.rules.players == 4 and deal.scores is not None:
        seen |= {card for cards in deal.talons for card in cards or ()}  # public at the end of the deal
    gives = hidden_gives(deal, view)
    names = {card: card for cards in groups for card in cards}
    for _ in range(rng.choice((1, 1, 2, 3))):
        hidden = [card for card in names if card not in seen]
        given = [action - FIRST_GIVE for action in gives if action - FIRST_GIVE in hidden]
        if len(hidden) < 2:
            break
        one = rng.choice(given) if given and rng.random() < 0.7 else rng.choice(hidden)
        other = rng.choice(hidden)
        names[one], names[other] = names[other], names[one]
    swapped = [tuple(sorted(names[card] for card in cards)) for cards in groups]
    players = record.rules.players
    hands, talons = tuple(swapped[:players]), tuple(swapped[players:])
    rename_gives = rng.random() < 0.8
    return dataclasses.replace(deal, hands=hands, talons=talons), lambda card: names[card] if rename_gives else card


def hidden_gives(deal: RecordedDeal, view: View) -> set[int]:
    """The actions of giving a card which the seat does not know."""
    given, known = [
        [event.action for event in events if event.action is None or FIRST_GIVE <= event.action < FIRST_PLAY]
        for events in (deal.actions, view.events())
    ]
    return {action for action, his in zip(given, known, strict=True) if his is None and action is not None}


def play_in(world: Game, record: Record, seat: int, swap: Swap) -> Game | None:
    """The same match in another world, if all its actions are legal there and the seat sees the same all the time."""
    hidden = hidden_gives(record.deals[0], first_view(record, seat))
    for position, actor, action in steps(record):
        if position.deal_number == record.deals[0].number:
            if position.phase == "redeal" and actor != seat and action == PASS:
                continue  # whether others are asked depends on the world
            while world.phase == "redeal" and world.seat != seat and position.phase != "redeal":
                world.apply(PASS)
            if action in hidden:
                action = FIRST_GIVE + swap(action - FIRST_GIVE)
        if world.seat != actor or world.view(seat) != position.view(seat):
            return None
        try:
            world.apply(action)
        except IllegalActionError:
            return None
    end = replay(record)
    while world.phase == "redeal" and world.seat != seat and end.phase != "redeal":
        world.apply(PASS)
    return world if world.view(seat) == end.view(seat) else None


@pytest.mark.parametrize("seed", range(6))
def test_games_that_differ_only_in_what_the_seat_cannot_know_give_equal_records(seed: int) -> None:
    rng = random.Random(seed)
    found: Counter[str] = Counter()
    for _ in range(60):
        rules = Rules.preset(rng.choice(list(PRESETS))) if rng.random() < 0.3 else random_rules(rng)
        game = new_game(rng, rules)
        if game.is_over:
            continue
        calm = rng.choice((0.0, 0.5, 0.9))
        for _ in range(rng.randint(0, 60)):
            if not game.is_over:
                game.apply(choose(rng, game, calm))
        record = Record.from_game(game)
        seat = rng.randrange(rules.players)
        redacted = redact(record, seat)
        for _ in range(14):
            deal, swap = another_world(rng, record, seat)
            is_open = len(record.deals) == 1 and record.unfinished
            later = rng.getrandbits(64) if is_open else record.seed
            assert later is not None
            try:
                begun = _open_given(record, deal, first_sheet(game), later)
            except DealError:
                continue
            world = play_in(begun, record, seat, swap)
            if world is None or Record.from_game(world).deals[0] == record.deals[0]:
                continue
            other = Record.from_game(world)
            assert redact(other, seat) == redacted
            assert encode_line(redact(other, seat)) == encode_line(redacted)
            assert to_text(redact(other, seat)) == to_text(redacted)
            found["worlds"] += 1
            found["other actions"] += other.deals[0].actions != record.deals[0].actions
            found["finished deals"] += other.deals[0].scores is not None
            found["other seeds"] += other.seed != record.seed
    assert len(found) == 4, found
    assert min(found.values()) > 5, found


def test_nothing_depends_on_the_seed() -> None:
    game = started("bid 105", "pass")
    hands, talons = game.dealt()
    lines = set()
    for seed in (17, 18, 2**64 - 1):
        same = Game.from_deal(Rules(), hands, talons[0], game.dealer, seed=seed)
        for _, action in game.actions():
            same.apply(action)
        lines |= {encode_line(redact(Record.from_game(same), seat)) for seat in range(3)}
    assert len(lines) == 3


@pytest.mark.parametrize("seed", range(3))
def test_sampled_worlds_give_the_same_record_of_the_current_deal(seed: int) -> None:
    rng = random.Random(200 + seed)
    numbers = np.random.default_rng(seed)
    for game in random_games(rng, 30, decisions=120):
        if not game.actions():
            continue
        for seat in range(game.rules.players):
            world = game.view(seat).sample(numbers)
            record = redact(Record.from_game(world), seat)
            assert record.deals[-1] == last_deal(game, seat)
            assert replay(decode_line(encode_line(Record.from_game(world)))) == world


def test_cards_that_first_hand_has_not_looked_at_do_not_matter() -> None:
    lines = set()
    for seed in range(5):
        hands, talons = Game(seed=seed).dealt()
        game = Game.from_deal(Rules(dark=True), hands, talons[0], 0, seed=seed)
        assert game.phase == "dark"
        lines.add(encode_line(redact(Record.from_game(game), 1)))
    assert len(lines) == 1
