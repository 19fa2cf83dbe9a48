"""Pictures of the table: what is on them, that all of it fits, and that a seat sees nothing that it cannot know."""

from __future__ import annotations

import itertools
import math
import os
import pickle
import random
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from tests import test_no_leak
from tests.play import choose, deal_arguments, play, some_game
from tests.rules.helpers import do
from tests.test_no_leak import OPTIONS, compare_twins, game_of, swapped_twin
from tests.test_render import dealt, known_cards
from thousand_env import PRESETS, Game, Rules, View
from thousand_env.cards import RANKS, card_name
from thousand_env.render import picture
from thousand_env.render.picture import rgb_array, svg
from thousand_env.render.scene import HEIGHT_OF_ALL, WIDTH
from thousand_env.render.shapes import OUTLINES, cut, text_width
from thousand_env.render.steps import tricks
from thousand_env.render.table_facts import rounds

ASCENT, DESCENT = 0.76, 0.22
"""Of a text's size: how far letters reach above the base line and below it."""

ROOT = Path(__file__).parent.parent
SPACE = "{http://www.w3.org/2000/svg}"
NAMES = ("W" * 60, "Анна & <Żółć> 中文名字中文名字中文名字", "il\x00\n\u202e|" * 9, "")

Position = Game | View


class Area(NamedTuple):
    """A rectangle of the picture."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Area) -> bool:
        apart = self.right <= other.left or other.right <= self.left
        return not (apart or self.bottom <= other.top or other.bottom <= self.top)


def parsed(position: Position, names: tuple[str, ...] = ()) -> ET.Element:
    return ET.fromstring(svg(position, names=names))


def number(element: ET.Element, name: str) -> float:
    return float(element.attrib[name])


def area(element: ET.Element) -> Area:
    """The room that a shape takes."""
    if element.tag == f"{SPACE}rect":
        line = float(element.get("stroke-width", 0)) / 2
        x, y = number(element, "x") - line, number(element, "y") - line
        return Area(x, y, x + number(element, "width") + 2 * line, y + number(element, "height") + 2 * line)
    if element.tag == f"{SPACE}use":
        x, y, size = map(float, re.findall(r"-?[\d.]+", element.attrib["transform"]))
        return Area(x - size / 2, y - size / 2, x + size / 2, y + size / 2)
    wide, size = number(element, "textLength"), number(element, "font-size")
    left = number(element, "x") - wide * {"middle": 0.5, "end": 1}.get(element.get("text-anchor", ""), 0)
    return Area(left, number(element, "y") - ASCENT * size, left + wide, number(element, "y") + DESCENT * size)


def drawn(root: ET.Element) -> list[ET.Element]:
    """Rectangles, symbols and texts, from back to front."""
    return [each for each in root.iter() if each.tag in (f"{SPACE}rect", f"{SPACE}use", f"{SPACE}text")]


def groups(root: ET.Element, kind: str, **data: str) -> list[ET.Element]:
    found = [each for each in root.iter(f"{SPACE}g") if each.get("class") == kind]
    return [each for each in found if all(each.get(f"data-{name}") == value for name, value in data.items())]


def cards(root: ET.Element, place: str | None = None) -> list[str]:
    found = groups(root, "card") if place is None else groups(root, "card", place=place)
    return [each.attrib["data-card"] for each in found]


def words(root: ET.Element) -> list[str]:
    return [each.text or "" for each in root.iter(f"{SPACE}text")]


def plate(root: ET.Element, seat: int) -> ET.Element:
    (found,) = groups(root, "plate", seat=str(seat))
    return found


def names_of(ids: list[int]) -> list[str]:
    return sorted(map(card_name, ids))


def both(game: Game) -> Iterator[Position]:
    """A game and all its views."""
    yield game
    for seat in range(game.rules.players):
        yield game.view(seat)


def positions(numbers: range, decisions: int = 60) -> Iterator[Game]:
    """Positions of games under all sorts of rules and sheets, each begun and ended ones too."""
    for each in numbers:
        game, rng = some_game(each)
        for now in play(game, rng, decisions):
            if rng.random() < 0.12 or now.is_over or not now.actions():
                yield now


def until(game: Game, phase: str, seed: int = 0) -> Game:
    rng = random.Random(seed)
    while game.phase != phase:
        game.apply(choose(rng, game))
    return game


# What is drawn


@pytest.mark.parametrize("preset", PRESETS)
def test_every_card_is_there_once_and_the_hidden_ones_as_backs(preset: str) -> None:
    rules, rng = Rules.preset(preset), random.Random(preset)
    for game in play(Game(rules, seed=4, episode="deal"), rng, 60):
        for position in both(game):
            check_cards(game, position)


def test_under_random_rules_every_card_is_there_once() -> None:
    for game in positions(range(30)):
        for position in both(game):
            check_cards(game, position)


def check_cards(game: Game, position: Position) -> None:
    root = parsed(position)
    for seat in range(game.rules.players):
        (place,) = groups(root, "seat", seat=str(seat))
        if isinstance(position, Game) or (seat == position.observer and game.phase != "dark"):
            assert sorted(cards(place)) == names_of(game.hands[seat])
            assert not groups(place, "back")
        elif seat != position.observer:
            assert len(groups(place, "back")) == len(game.hands[seat]) or game.phase == "redeal" or unseen_end(position)
            assert cards(place) == []
    assert [(card, turn) for card, turn in trick_of(root)] == [(card_name(card), seat) for seat, card in position.trick]
    physical = [card for place in ("hand", "talon", "trick", "aside") for card in cards(root, place)]
    assert len(physical) == len(set(physical))
    backs = groups(root, "back")
    assert not (isinstance(position, Game) and backs)
    if game.phase != "redeal" and any(game.hands) and not unseen_end(position):
        done = sum(len(played) for played in position.played) - len(position.trick)
        assert len(physical) + len(backs) + done == len(game.rules.deck)


def unseen_end(position: Position) -> bool:
    """Whether void deals have ended the match, so that a resting seat sees as much as after an undealt one."""
    return isinstance(position, View) and position.is_over and not position.hand and not position.events()


def trick_of(root: ET.Element) -> list[tuple[str, int]]:
    """The cards of the trick in order, each with the seat that its number names."""
    found = []
    for trick in groups(root, "trick"):
        shown, turns = groups(trick, "card"), groups(trick, "order")
        pairs = zip(shown, turns, strict=True)
        ordered = sorted(pairs, key=lambda pair: int(pair[1].attrib["data-turn"]))
        found += [(card.attrib["data-card"], int(turn.attrib["data-seat"])) for card, turn in ordered]
    return found


def test_a_ten_is_written_10_and_lies_between_ace_and_king() -> None:
    root = parsed(dealt())
    suits: dict[str, str] = {}
    for name in cards(groups(root, "seat", seat="2")[0]):
        suits[name[1]] = suits.get(name[1], "") + name[0]
    assert suits == {"S": "K", "C": "AT", "D": "AKQ", "H": "T"}
    for game in positions(range(6)):
        for seat in range(game.rules.players):
            hand = cards(groups(parsed(game), "seat", seat=str(seat))[0])
            for suit in "SCDH":
                ranks = [RANKS.index(name[0]) for name in hand if name[1] == suit]
                assert ranks == sorted(ranks, reverse=True)
    (ten,) = groups(root, "card", card="TH")
    assert words(ten) == ["10"]
    assert [each.get("href") for each in ten.iter(f"{SPACE}use")] == ["#heart", "#heart"]
    for letter, symbol, red in (("S", "spade", 0), ("C", "club", 0), ("D", "diamond", 1), ("H", "heart", 1)):
        (ace,) = groups(root, "card", card=f"A{letter}")
        uses = list(ace.iter(f"{SPACE}use"))
        assert {each.get("href") for each in uses} == {f"#{symbol}"}
        colors = [int(uses[0].attrib["fill"][place : place + 2], 16) for place in (1, 3)]
        assert (colors[0] > 3 * colors[1]) == bool(red)


@pytest.mark.parametrize("preset", ["classic", "two_player", "four_player"])
def test_seats_go_round_clockwise_and_the_observer_sits_at_the_bottom(preset: str) -> None:
    game = until(Game(Rules.preset(preset), seed=3), "play")
    players = game.rules.players
    for position in both(game):
        root = parsed(position)
        bottom = position.observer if isinstance(position, View) else 0
        angles = []
        for turn in range(players):
            place = area(drawn(plate(root, (bottom + turn) % players))[0])
            x, y = (place.left + place.right - WIDTH) / 2, (place.top + place.bottom - HEIGHT_OF_ALL) / 2
            angles.append(math.atan2(-x, y) % (2 * math.pi))
        assert angles[0] == 0
        assert angles == sorted(angles)


def test_cards_of_the_trick_lie_nearest_to_who_played_them() -> None:
    for preset in ("classic", "two_player", "four_player"):
        for game in play(Game(Rules.preset(preset), seed=5, episode="deal"), random.Random(1), 60):
            root = parsed(game)
            hands = {seat: middle(plate(root, seat)) for seat in game.active_seats}
            for (seat, _), card in zip(game.trick, ordered_cards(root), strict=True):
                near = min(hands, key=lambda each: math.dist(hands[each], middle(card)))
                assert near == seat


def ordered_cards(root: ET.Element) -> list[ET.Element]:
    by_name = {each.attrib["data-card"]: each for each in groups(root, "card", place="trick")}
    return [by_name[name] for name, _ in trick_of(root)]


def middle(group: ET.Element) -> tuple[float, float]:
    place = area(drawn(group)[0])
    return (place.left + place.right) / 2, (place.top + place.bottom) / 2


def test_plates_and_boxes_say_what_the_position_says() -> None:
    for game in positions(range(40)):
        for position in (game, game.view(0)):
            root, rules = parsed(position), game.rules
            for seat in range(rules.players):
                own = plate(root, seat)
                said = words(own)
                assert said[1 + bool(badges(position, seat)) + (seat == position.dealer)] == str(position.scores[seat])
                assert bool(groups(own, "dealer")) == (seat == position.dealer)
                assert bool(groups(own, "turn")) == (seat == position.seat)
                assert [each for each in said if each in ("DECLARER", "RESTS", "DEALER", "WINS")] == badges(
                    position, seat
                )
                barrel, bolts = position.barrel[seat], position.bolts[seat]
                limit = "" if rules.barrel_attempts is None else f"/{rules.barrel_attempts}"
                assert (f"barrel {barrel}{limit}" in said) == (barrel is not None)
                assert any(re.fullmatch(rf"bolts? {bolts}/{rules.bolt_limit}", each) for each in said) == (bolts > 0)
                locked = rules.lock_at is not None and position.scores[seat] >= rules.lock_at
                assert ("locked" in said) == locked
                tricks_, points = position.tricks_won[seat], position.points[seat]
                taken = f"{tricks_} trick{'' if tricks_ == 1 else 's'}, {points} pts"
                assert (taken in said) == (seat in position.active_seats)
                assert ("pass" in said) == (seat in position.passed and not position.is_forced)
                bonus = position.bonuses[seat]
                assert any(each.endswith(f"+{bonus}") for each in said) or not bonus
            (deal,) = groups(root, "deal")
            assert words(deal)[:2] == [f"Deal {position.deal_number + 1}", f"P{position.dealer} dealt"]
            points_ = position.bid if position.declarer is None else position.contract
            assert (str(points_) in words(deal)) == (points_ is not None)
            trump = [each.attrib["data-suit"] for each in groups(deal, "trump")]
            assert trump == (
                [] if position.trump is None else [("spades", "clubs", "diamonds", "hearts")[position.trump]]
            )


def badges(position: Position, seat: int) -> list[str]:
    if seat == position.winner:
        return ["WINS"]
    if seat == position.declarer:
        return ["DECLARER"]
    if seat not in position.active_seats:
        return ["RESTS"]
    return ["DEALER"] if seat == position.dealer else []


def test_talon_gifts_and_the_trick_before_are_reported() -> None:
    game = dealt()
    do(game, "bid 100; bid 105; pass; pass; give 9H; give JH; marry KD; play JD; play 9D; play AC")
    root = parsed(game.view(0))
    (report,) = groups(root, "report")
    assert cards(report) == ["TD", "JH", "9H", "9H", "KD", "JD", "9D"]
    assert [each for each in words(report) if len(each) > 2] == ["Talon, shown to all", "Given", "Trick 1, taken by P2"]
    assert len(groups(report, "place")) == 1
    assert "+80" in words(plate(root, 2))
    assert trick_of(root) == [("AC", 2)]
    (deal,) = groups(root, "deal")
    assert words(deal)[-1] == "P0 follows"


def test_a_talon_that_was_taken_unseen_leaves_empty_places() -> None:
    game = dealt()
    do(game, "bid 100; pass; pass")
    root = parsed(game.view(0))
    (talon,) = groups(root, "talon")
    assert cards(talon) == []
    assert (len(groups(talon, "place")), words(talon)) == (3, ["talon, seen by P1"])
    assert cards(parsed(game.view(1)), "shown") == ["TD", "JH", "9H"]


def test_the_auction_is_a_row_a_round() -> None:
    game = dealt(Rules(opening="dealer_exact"))
    assert rounds(game) == [{0: "holds 100"}]
    do(game, "bid 105; pass")
    assert rounds(game) == [{1: "105", 2: "pass"}]
    do(game, "bid 110; bid 115")
    assert rounds(game.view(1)) == [{1: "105", 2: "pass", 0: "110"}, {1: "115"}]
    (auction,) = groups(parsed(game), "auction")
    assert words(auction) == ["Auction", "P1", "105", "115", "P2", "pass", "P0", "110"]
    dark = Game(Rules(dark=True), seed=1)
    do(dark, "bid 120")
    assert next(iter(rounds(dark)[0].values())) == "dark 120"


def test_the_end_of_a_match_is_told() -> None:
    rng = random.Random(1)
    game = Game(seed=6)
    while not game.is_over:
        game.apply(choose(rng, game))
    winner = game.winner
    assert winner is not None
    for position in both(game):
        root = parsed(position, ("ann", "bob", "eve"))
        (end,) = groups(root, "end")
        name = ("ann", "bob", "eve")[winner]
        assert words(end) == [f"P{winner} has won the match", f"P{winner} {name}: {game.scores[winner]}"]
        assert cards(groups(root, "report")[0])[-3:] == [card_name(card) for _, card in tricks(game)[-1]]


# That it fits


def assert_fits(position: Position, names: tuple[str, ...]) -> None:
    shapes = [(each, area(each)) for each in drawn(parsed(position, names))]
    texts = [(place, each, room) for place, (each, room) in enumerate(shapes) if each.tag == f"{SPACE}text"]
    for each, room in shapes:
        assert room.left >= 0 and room.top >= 0 and room.right <= WIDTH and room.bottom <= HEIGHT_OF_ALL, each.attrib
    for place, text, room in texts:
        assert number(text, "font-size") >= 2
        for other, neighbour, its_room in texts:
            assert other <= place or not room.meets(its_room), (text.text, neighbour.text)
        for later, its_room in shapes[place + 1 :]:
            covers = later.tag != f"{SPACE}rect" or later.get("fill") != "none"
            assert not (covers and room.meets(its_room)), (text.text, later.attrib)


def test_nothing_overlaps_or_leaves_the_picture() -> None:
    rng = random.Random(2)
    seen: set[tuple[str, int]] = set()
    for game in itertools.chain([Game(Rules(dark=True), seed=1)], positions(range(100, 160))):
        seen.add((game.phase, game.rules.players))
        observer = rng.randrange(game.rules.players)
        for position in (game, game.view(observer)):
            names = NAMES[1:] + NAMES[:1] if rng.random() < 0.3 else NAMES
            assert_fits(position, rng.choice(((), names)))
    assert {phase for phase, _ in seen} == {
        *("dark", "redeal", "auction", "talon", "exchange", "raise", "play", "over")
    }
    assert {players for _, players in seen} == {2, 3, 4}


HUGE = 999_999_999


def test_large_numbers_and_unusual_decks_fit() -> None:
    rules = Rules(players=4, target=10**9, barrel_threshold=10**9 - 1, barrel_attempts=None, bolt_limit=3)
    sheet = {"scores": [-HUGE, HUGE, HUGE, -5], "barrel": [None, 1000, 31, None], "bolts": [2, 2, 0, 1]}
    for game in play(Game.from_deal(rules, **deal_arguments(Game(rules, seed=1)), **sheet), random.Random(1), 40):
        assert_fits(game, NAMES)
    wide = Rules(hand_size=1, talon_size=21, exchange="discard_three")
    for game in play(Game(wide, seed=3, episode="deal"), random.Random(3), 60):
        for position in both(game):
            assert_fits(position, NAMES)


def test_names_are_cut_with_an_ellipsis() -> None:
    root = parsed(dealt(), ("a name that goes on and on and on, up to the end of the plate", "bob"))
    assert re.fullmatch(r"P0 a name that .*…", words(plate(root, 0))[2])
    assert words(plate(root, 1))[0] == "P1 bob"
    assert cut("x" * 100_000, 10, 100).endswith("x…")
    assert cut("bob\x00\ud800\n", 10, 100) == "bob"
    assert text_width(cut("中文" * 50, 16, 90), 16) <= 90


def test_pixels_keep_to_the_room_of_the_text() -> None:
    pytest.importorskip("PIL")
    from thousand_env.render.paint_raster import _plain, _text_mask

    for text in ("Deal 120", "WWW", "10", "P0 Тимофей Щукин", "Łódź 中文", "bolts 2/3", "jgq,|", "a" * 40, "A", "J"):
        for size in (9.0, 12.0, 24.0):
            for bold in (False, True):
                room = text_width(text, size, bold) * 4
                mask, width, _, _ = _text_mask(text, size * 4, bold, math.floor(room) + 1)
                assert width <= room + 1
                assert mask.getbbox() is not None
                if text.isascii():  # written as it is, nothing cut
                    assert width > 0.85 * room
    assert _plain("Тимофей Щукин, Łódź é ß 中") == "Timofei Shchukin, Lodz e ss ?"


# Pixels


def pixels_are_sound(position: Position, width: int = WIDTH) -> np.ndarray:
    image = rgb_array(position, width=width)
    assert image.dtype == np.uint8
    assert image.shape == (round(width * HEIGHT_OF_ALL / WIDTH), width, 3)
    assert image.flags.writeable and image.flags.owndata and image.flags.c_contiguous
    assert image.std() > 10
    return image


@pytest.mark.parametrize("preset", PRESETS)
def test_pixels_of_every_preset_from_the_deal_to_the_end(preset: str) -> None:
    pytest.importorskip("PIL")
    rules, rng = Rules.preset(preset), random.Random(preset)
    last: np.ndarray | None = None
    for game in play(Game(rules, seed=2, episode="deal"), rng, 70):
        image = pixels_are_sound(game)
        assert last is None or (image != last).any()
        last = image
        view = game.view(rng.randrange(rules.players))
        assert (pixels_are_sound(view, 480) == rgb_array(pickle.loads(pickle.dumps(view)), width=480)).all()
    assert game.is_over


def test_pixels_and_svg_are_the_same_for_the_same_position() -> None:
    pytest.importorskip("PIL")
    game = until(Game(seed=8), "play")
    image, text = rgb_array(game, names=("ann",)), svg(game, names=("ann",))
    image[:] = 0  # an array handed out is the caller's own
    assert rgb_array(game, names=("ann",)).any()
    assert (rgb_array(game, names=("ann",)) == rgb_array(game.clone(), names=("ann",))).all()
    assert svg(game.clone(), names=("ann",)) == text
    assert svg(game) != text
    assert (rgb_array(game) != rgb_array(game.view(0))).any()


def test_cards_are_where_the_svg_has_them() -> None:
    pytest.importorskip("PIL")
    game = until(Game(seed=8), "exchange")
    for scale in (1, 2):
        image = rgb_array(game.view(0), width=WIDTH * scale)
        for kind, color in (("card", (0xFD, 0xFC, 0xF7)), ("back", (0x2F, 0x53, 0x84))):
            for group in groups(parsed(game.view(0)), kind):
                place = area(drawn(group)[0])
                x, y = round((place.left + 2.5) * scale), round((place.bottom - 9) * scale)
                assert tuple(image[y, x]) == color


@pytest.mark.parametrize("width", [0, 159, 7681, -5, 960.0, "960", None])
def test_other_widths_are_refused(width: object) -> None:
    with pytest.raises(ValueError, match=r"width=.* is not accepted"):
        rgb_array(Game(seed=1), width=width)  # type: ignore[arg-type]


def test_a_match_that_was_over_before_it_began_is_drawn() -> None:
    rules = Rules(redeal_four_nines="mandatory", max_deals=1)
    game = next(game for game in (Game(rules, seed=seed) for seed in range(1000)) if game.is_over)
    after = Game(Rules(redeal_four_nines="mandatory", max_deals=2), seed=80)
    while not after.is_over:
        after.apply(after.legal_actions()[0])
    assert not any(after.hands)
    for each in (game, after):
        for position in both(each):
            root = parsed(position)
            assert cards(root) == []
            assert groups(root, "back") == []
            assert words(groups(root, "end")[0])


# What a seat may know


def test_cards_of_a_view_are_known_cards() -> None:
    for game in positions(range(200, 240)):
        for seat in range(game.rules.players):
            assert set(cards(parsed(game.view(seat)))) <= known_cards(game, seat)


@pytest.mark.parametrize("name", OPTIONS)
def test_twins_with_other_hidden_cards_look_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Deals that differ only in what a seat cannot see are played side by side; at each decision the pictures agree."""
    pytest.importorskip("PIL")
    rules, rng = Rules(**OPTIONS[name]), random.Random(name)
    compared = []

    def assert_same_picture(one: View, two: View) -> None:
        assert svg(one) == svg(two)
        if not compared or rng.random() < 0.05:
            assert rgb_array(one, width=480).tobytes() == rgb_array(two, width=480).tobytes()
        compared.append(one)

    monkeypatch.setattr(test_no_leak, "assert_identical", assert_same_picture)
    for _ in range(2):
        for seat in range(rules.players):
            game = game_of(rules, rng)
            twin = swapped_twin(game, seat, rng)
            if twin is not None and game.phase != "dark":
                assert (svg(game) != svg(twin)) == (game.dealt() != twin.dealt())
                compare_twins(game, twin, seat, rng)
    assert len(compared) > 5 or "dark" in name or "redeal" in name or "four nines" in name


@pytest.mark.parametrize("preset", PRESETS)
def test_sampled_worlds_look_the_same_to_their_seat(preset: str) -> None:
    pytest.importorskip("PIL")
    rng, numbers = random.Random(preset), np.random.default_rng(5)
    different = 0
    for game in play(Game(Rules.preset(preset), seed=31), rng, 60):
        seat = rng.randrange(game.rules.players)
        world = game.view(seat).sample(numbers)
        different += svg(world) != svg(game)
        assert svg(world.view(seat)) == svg(game.view(seat))
        if rng.random() < 0.1:
            assert (rgb_array(world.view(seat), width=320) == rgb_array(game.view(seat), width=320)).all()
    assert different > 3


# Around it


def run(code: str) -> subprocess.CompletedProcess[str]:
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER", "XDG_RUNTIME_DIR")
    variables = {name: value for name, value in os.environ.items() if name not in hidden}
    return subprocess.run([sys.executable, "-c", code], env=variables, cwd=ROOT, capture_output=True, text=True)


def test_no_display_is_needed() -> None:
    pytest.importorskip("PIL")
    code = """
import sys
from thousand_env import Game
from thousand_env.render.picture import rgb_array, svg
assert svg(Game(seed=1)).startswith("<svg")
assert "PIL" not in sys.modules
image = rgb_array(Game(seed=1))
assert image.std() > 10
assert not {"pygame", "tkinter", "matplotlib"} & set(sys.modules)
print(image.shape)
"""
    done = run(code)
    assert done.stdout == "(640, 960, 3)\n", done.stderr


def test_without_pillow_the_error_says_what_to_install() -> None:
    code = """
import sys
sys.modules["PIL"] = None
from thousand_env import Game
from thousand_env.render.picture import rgb_array, svg
svg(Game(seed=1))
try:
    rgb_array(Game(seed=1))
except ImportError as error:
    print(error)
"""
    done = run(code)
    assert done.stdout == "rgb_array draws with Pillow: pip install 'thousand_env[picture]'\n", done.stderr


def test_the_sample_picture_is_what_its_command_makes() -> None:
    assert picture.__doc__ is not None
    command = picture.__doc__.partition("::\n")[2].replace("\\\n", "")
    code = re.search(r'python -c "(.*)" > docs/table.svg', command)
    assert code is not None
    done = run(code.group(1))
    assert done.stdout == (ROOT / "docs" / "table.svg").read_text(encoding="utf-8"), done.stderr


def test_symbols_keep_to_their_square() -> None:
    for polygons in OUTLINES.values():
        points = [point for polygon in polygons for point in polygon]
        assert all(abs(each) <= 0.5 for point in points for each in point)
