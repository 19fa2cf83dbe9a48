"""Positions and matches as text: what is drawn, that it fits, and that a seat reads nothing that it cannot know."""

from __future__ import annotations

import io
import pickle
import random
import re
from collections.abc import Iterator

import pytest

from tests.random_rules import random_rules, random_sheet
from tests.rules.helpers import do
from thousand_env import Game, Rules, parse_action
from thousand_env.actions import CONCEDE, FIRST_GIVE, FIRST_PLAY
from thousand_env.cards import NUM_CARDS, card_name
from thousand_env.render import render
from thousand_env.render.ansi import TABLE_WIDTH, render_hands, table_lines
from thousand_env.render.paint import Paint
from thousand_env.render.sheet import result_line, sheet_lines, sheet_width
from thousand_env.render.steps import Step, is_made, settled, take
from thousand_env.render.story import action_lines, opening_lines, result_lines, trick_line
from thousand_env.rules import PRESETS

ASCII = Paint(unicode=False)
HANDS = ["9S TS AS QC KC QH JD", "JS QS 9C JC AH KH 9D", "KS TC AC TH QD KD AD"]
TALON = "9H JH TD"


def dealt(rules: Rules | None = None, **sheet: object) -> Game:
    hands = [hand.split() for hand in HANDS]
    return Game.from_deal(rules or Rules(), hands, TALON.split(), seed=4, **sheet)  # type: ignore[arg-type]


def random_match(game: Game, rng: random.Random, most: int = 400) -> Iterator[Step]:
    while not game.is_over and most > 0:
        most -= 1
        yield take(game, rng.choice(game.legal_actions()))


def card_words(text: str) -> set[str]:
    """Cards that an ASCII text names."""
    return set(re.findall(r"(?<![A-Z0-9])[9JQKTA][SCDH](?![A-Z0-9])", text))


# What is drawn


def test_game_with_open_cards() -> None:
    game = dealt()
    do(game, "bid 100; bid 105; pass; pass; give 9H; give JH; play KS")
    assert (
        render(game, unicode=False)
        == """\
                                                                  tricks pts
> P0            dealer   AS TS 9S  KC QC  JD  QH 9H                  0     0
  P1                     QS JS  JC 9C  9D  AH KH JH                  0     0
  P2            declarer AC TC  AD TD KD QD  TH                      0     0

  Auction   P1 100  P2 105  P0 pass  P1 pass
  Contract  P2 plays 105   no trump yet
  Talon     JH 9H TD (shown to all)   gave P0 9H P1 JH
  Trick 1   P2 KS


                    P0     P1     P2
  total              0      0      0
  barrel             -      -      -
  bolts              -      -      -"""
    )


def test_view_shows_backs() -> None:
    game = dealt()
    do(game, "bid 100; pass; pass; give 9H; give JH; play AH")
    lines = render(game.view(0), unicode=False).splitlines()
    assert lines[2].split("declarer")[1].split() == ["##"] * 7 + ["0", "0"]
    assert "  Talon     ## ## ## (seen by P1)   gave P0 JH P2 ##" in lines
    assert "  Trick 1   P1 AH" in lines


def test_names_unicode_and_colour() -> None:
    game = dealt()
    text = render(game, names=("ann", "bob", "a very long name"))
    assert "P0 ann" in text
    assert "10♠" in text
    assert "a very lo…" in text
    coloured = render(game, color=True, names=("ann", "bob", "a very long name"))
    assert "\x1b[" in coloured
    plain = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert [line.rstrip() for line in plain.splitlines()] == [line.rstrip() for line in text.splitlines()]
    assert render(game, unicode=False).isascii()


def test_barrel_bolts_and_lock_are_on_the_sheet() -> None:
    text = render(dealt(scores=[880, 300, 0], barrel=[2, None, None], bolts=[0, 2, 0]), unicode=False)
    assert re.search(r"barrel +2 of 3 +- +-", text)
    assert re.search(r"bolts +- +2 of 3 +-", text)
    locked = render(Game(Rules.preset("polish"), seed=1), unicode=False)
    assert "lock " in locked
    assert "barrel" not in locked


@pytest.mark.parametrize("preset", PRESETS)
def test_every_position_of_every_preset_fits(preset: str) -> None:
    rng = random.Random(preset)
    rules = Rules.preset(preset)
    heights = set()
    paint = Paint()
    for step in random_match(Game(rules, seed=11), rng, most=150):
        for position in (step.scene, step.after, *(step.after.view(seat) for seat in range(rules.players))):
            lines = table_lines(position, paint)
            heights.add(len(lines))
            assert max(map(len, lines)) <= TABLE_WIDTH
            assert render(position, unicode=False).isascii()
    assert heights == {rules.players + 7}


def test_random_rules_are_drawn_and_told() -> None:
    rng = random.Random(5)
    paint = Paint()
    for number in range(25):
        rules = random_rules(rng)
        game = Game(rules, seed=number)
        for step in random_match(game, rng, most=120):
            seat = rng.randrange(rules.players)
            for observer in (None, seat):
                _, scene, after = step.seen(observer)
                assert max(map(len, table_lines(scene, paint))) <= TABLE_WIDTH
                action_lines(step, paint, observer)
                opening_lines(after, paint)
                render_hands(after, paint)
            trick_line(step, paint)
            if step.result is not None:
                assert result_lines(step.result, rules, paint)


# Steps and results


def test_steps_follow_the_game_and_leave_it_as_it_is() -> None:
    rng = random.Random(2)
    game, twin = Game(seed=3), Game(seed=3)
    for step in random_match(game, rng, most=2000):
        assert step.before == twin
        before = step.before.clone()
        twin.apply(step.action)
        assert step.after == twin == game
        assert step.before == before
        if step.result is None:
            continue
        result = step.result
        assert result.scores == tuple(twin.scores)
        assert result.number == step.before.deal_number
        assert sum(result.tricks) == 8
        assert sum(result.points) - sum(result.bonuses) == 120
        assert (result.outcome == "made") == (result.points[result.declarer] >= result.contract)
        assert step.scene.episode == "match"
        for seat in range(3):
            third_bolt = result.tricks[seat] == 0 and result.bolts_before[seat] == 2
            assert result.fined[seat] == (third_bolt and result.barrel_before[seat] is None)


def test_settled_of_a_deal_episode_is_the_game_itself() -> None:
    game = Game(seed=9, episode="deal")
    rng = random.Random(1)
    *_, last = random_match(game, rng)
    assert settled(last.before, last.action) == game
    assert last.after.is_over
    assert not last.starts_deal


def test_is_made_is_the_engines_word() -> None:
    assert is_made(Rules(), 0, 1, 120, [0, 120, 0], [0, 8, 0])
    assert not is_made(Rules(), 0, 1, 120, [2, 118, 0], [0, 8, 0])
    assert is_made(Rules(contract_check="rounded"), 0, 1, 120, [2, 118, 0], [0, 8, 0])
    assert is_made(Rules(bolt_limit=1, marriage_gate="on_lead"), 0, 1, 100, [120, 100, 0], [8, 0, 0])


def test_dump_concession_and_void_deals_are_told() -> None:
    concession = dealt(Rules.preset("modern"), scores=[495, 100, 0])
    do(concession, "bid 100; pass; pass")
    step = take(concession, CONCEDE)
    assert step.result is not None
    assert step.result.outcome == "conceded"
    assert step.result.dumped == (True, False, False)
    told = result_lines(step.result, concession.rules, ASCII)
    assert told == ["P1 concedes 100", "P0 stood at exactly 555 and starts again at 0"]
    void = dealt(Rules(opening="none"))
    do(void, "pass; pass")
    step = take(void, 0)
    assert step.void
    assert step.starts_deal
    assert action_lines(step, ASCII) == ["P0 passes, and nobody has bid: the deal is void"]


def test_a_failed_contract_is_not_marked_as_nothing() -> None:
    """Without Unicode a dash stands for nothing, so a failed contract is a cross."""
    results = [
        step.result for step in random_match(Game(seed=8), random.Random(8), most=1200) if step.result is not None
    ]
    marks = {result.outcome: result_line(result, ASCII).split()[3] for result in results}
    assert {outcome: marks[outcome] for outcome in ("made", "failed")} == {"made": "+", "failed": "x"}


def test_story_of_a_deal() -> None:
    game = dealt()
    told: dict[int | None, list[str]] = {None: [], 1: []}
    for text in ("bid 100", "bid 105", "pass", "pass", "give 9H", "give JH", "marry KD", "play JD", "play 9D"):
        step = take(game, parse_action(text, game.rules))
        for seat, lines in told.items():
            lines += action_lines(step, ASCII, seat)
    assert trick_line(step, ASCII) == "P2 KD  P0 JD  P1 9D  -> P2 +6"
    assert told[None] == [
        "P1 bids 100",
        "P2 bids 105",
        "P0 passes",
        "P1 passes",
        "P2 is declarer at 105",
        "P2 takes the talon: JH 9H TD, shown to all",
        "P2 gives P0 9H",
        "P2 gives P1 JH",
        "P2 declares the marriage in D diamonds: +80, now trump",
    ]
    assert told[1] == [line.replace("P0 9H", "P0 ##") for line in told[None]]


def test_sheet_keeps_to_its_rows_and_width() -> None:
    rng = random.Random(8)
    game = Game(seed=8)
    results = [step.result for step in random_match(game, rng, most=1200) if step.result is not None]
    assert len(results) > 10
    whole = sheet_lines(results, game, ASCII)
    assert len(whole) == len(results) + 4
    for rows in (4, 7, 12):
        lines = sheet_lines(results, game, ASCII, rows)
        assert len(lines) == rows
        assert lines[1 : rows - 3] == whole[len(whole) - rows + 1 : -3]
        assert max(map(len, lines)) <= sheet_width(3)


# What a seat may know


def known_cards(game: Game, seat: int) -> set[str]:
    """Cards that a seat has seen, put together from the game itself."""
    view = game.view(seat)
    known = {*view.hand, *view.talon, *view.set_aside, *(card for card in view.gifts.values() if card is not None)}
    known |= {card for cards in view.played for card in cards}
    return {card_name(card) for card in known}


@pytest.mark.parametrize("preset", PRESETS)
def test_text_of_a_view_names_known_cards_only(preset: str) -> None:
    rules = Rules.preset(preset)
    rng = random.Random(preset)
    for step in random_match(Game(rules, seed=21), rng, most=120):
        for seat in range(rules.players):
            assert card_words(render(step.after.view(seat), unicode=False)) <= known_cards(step.after, seat)
            told = "\n".join(action_lines(step, ASCII, seat))
            known = known_cards(step.scene, seat)
            assert card_words(told) <= known, told


def swapped(game: Game, first: int, second: int) -> Game | None:
    """The deal with two cards in each other's place from the start and all else done as it was; None if impossible."""
    change = {first: second, second: first}
    hands, talons = game.dealt()
    groups = [[change.get(card, card) for card in cards] for cards in (*hands, *talons)]
    hands, talons = groups[: len(hands)], groups[len(hands) :]
    talon = talons if game.rules.players == 2 else talons[0]
    try:
        other = Game.from_deal(game.rules, hands, talon, dealer=game.dealer, seed=1)
        for _, action in game.actions():
            is_gift = FIRST_GIVE <= action < FIRST_PLAY
            other.apply(FIRST_GIVE + change.get(action - FIRST_GIVE, action - FIRST_GIVE) if is_gift else action)
    except ValueError:
        return None
    return other


@pytest.mark.parametrize("preset", ["classic", "modern", "lithuanian", "two_player", "four_player", "mini2"])
def test_permuted_unseen_cards_leave_a_seats_text_as_it_is(preset: str) -> None:
    rules = Rules.preset(preset)
    rng = random.Random(preset)
    compared = 0
    for number in range(30):
        first = Game(rules, seed=number)
        hands, talons = first.dealt()
        talon = talons if rules.players == 2 else talons[0]
        game = Game.from_deal(rules, hands, talon, dealer=first.dealer, seed=1)
        for _ in range(rng.randrange(1, 22)):
            if game.deal_number == 0 and not game.is_over:
                before = game.clone()
                game.apply(rng.choice(game.legal_actions()))
        game = game if game.deal_number == 0 and not game.is_over else before
        for seat in range(rules.players):
            known = known_cards(game, seat)
            unseen = [card for card in range(NUM_CARDS) if card in rules.deck and card_name(card) not in known]
            pairs = [rng.sample(unseen, 2) for _ in range(4) if len(unseen) > 1]
            for pair in pairs:
                other = swapped(game, *pair)
                if other is None or other.view(seat) != game.view(seat):
                    continue
                compared += other != game
                assert render(other.view(seat), color=True) == render(game.view(seat), color=True)
                assert render_hands(other.view(seat), ASCII) == render_hands(game.view(seat), ASCII)
    assert compared > 40


def test_text_of_a_view_needs_the_view_alone() -> None:
    rng = random.Random(6)
    for step in random_match(Game(Rules.preset("modern"), seed=5), rng, most=60):
        for seat in range(3):
            view = step.after.view(seat)
            assert render(pickle.loads(pickle.dumps(view))) == render(view)


# The live display


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (120, 40), (60, 18)])
@pytest.mark.parametrize("preset", ["classic", "two_player", "four_player", "polish"])
def test_live_screen_fits(preset: str, columns: int, rows: int) -> None:
    console_module = pytest.importorskip("rich.console")
    from thousand_env.cli.live import LiveDisplay
    from thousand_env.cli.show import Show

    console = console_module.Console(
        file=io.StringIO(), force_terminal=True, width=columns, height=rows, color_system="standard"
    )
    rules = Rules.preset(preset)
    show = Show(f"{preset}, seed 7", Paint(color=True, names=("greedy",) * rules.players), None, 0.0)
    display = LiveDisplay(show, console)
    game = Game(rules, seed=7)
    display._open_deal(game)
    rng = random.Random(7)
    text = ""
    for count, step in enumerate(random_match(game, rng, most=90)):
        display.step(step)
        if step.starts_deal:
            display.new_deal(step)
        if count % 5 == 0:
            drawn = console.render_lines(display._screen(step.scene), console.options)
            assert len(drawn) == rows
            assert all(sum(segment.cell_length for segment in line) == columns for line in drawn)
            text = "\n".join("".join(segment.text for segment in line) for line in drawn)
            assert "score sheet" in text
            assert "what" in text
    if columns >= 80:
        assert f"P{rules.players - 1} greedy" in text
        heading = next(line for line in text.splitlines() if re.search(r"P0 +P1", line))
        assert f"P{rules.players - 1}" in heading
        assert re.search(r"Trick ", text)


def test_random_sheets_are_drawn() -> None:
    rng = random.Random(12)
    for _ in range(30):
        sheet = random_sheet(rng, Rules())
        text = render(dealt(**sheet), unicode=False)
        for score in sheet["scores"]:
            assert str(score) in text


def test_a_match_that_void_deals_have_ended_has_no_cards() -> None:
    rules = Rules(redeal_four_nines="mandatory", max_deals=1)
    games = (Game(rules, seed=seed) for seed in range(2000))
    over = next(game for game in games if game.is_over)
    for position in (over, *(over.view(seat) for seat in range(3))):
        assert not position.has_cards
        assert "Talon\n" in render(position, unicode=False) + "\n"
        assert "##" not in render(position, unicode=False)
    assert over.view(1).hand_sizes == [0, 0, 0]
    assert over.dealt() == ([[], [], []], [])


def test_a_void_deal_after_others_leaves_none_of_them_on_the_table() -> None:
    rules = Rules(redeal_four_nines="mandatory", max_deals=2)
    for seed in range(3000):
        game = Game(rules, seed=seed)
        if game.is_over or game.deal_number:
            continue
        while not game.is_over and game.deal_number == 0:
            game.apply(game.legal_actions()[0])
        if game.is_over:
            assert not game.has_cards
            assert game.dealt() == ([[], [], []], [])
            assert game.view(0).hand_sizes == [0, 0, 0]
            render(game)
            return
    raise AssertionError("no seed found")
