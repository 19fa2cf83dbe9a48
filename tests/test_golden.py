"""Golden playthroughs: one seeded game per preset as readable text, compared line by line.

``python tests/test_golden.py`` shows what would change; with ``--write`` it writes the files in ``tests/golden``. The
player is the small fixed rule of ``choose``, so that auctions, exchanges, marriages and raises come up.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from thousand_env import PRESETS, Game, Rules, action_name, card_name

FOLDER = Path(__file__).with_name("golden")
SUITS = "SCDH"

# By preset: seed, episode and the number of scored deals that are shown.
PLAYS: dict[str, tuple[int, str, int]] = {
    "classic": (1, "match", 2),
    "modern": (1, "match", 2),
    "polish": (1, "match", 2),
    "lithuanian": (1, "match", 2),
    "two_player": (4, "deal", 1),
    "four_player": (3, "deal", 1),
    "mini2": (6, "match", 1),
    "mini3": (8, "match", 1),
}

HEADER = """\
# Golden playthrough of the preset {preset!r}, seed {seed}, episode {episode!r}; read by tests/test_golden.py.
# What stands here is the behaviour of this version of the environment. Changing it makes a new environment version:
# write the files anew (python tests/test_golden.py --write) only with a new version and a line in CHANGELOG.md.
"""


class Player:
    """Chooses by a linear congruential generator of its own, so that no library can change the choices."""

    def __init__(self, seed: int) -> None:
        self.number = seed

    def below(self, bound: int) -> int:
        self.number = (self.number * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.number >> 33) % bound

    def choose(self, texts: list[str]) -> str:
        """Declares what can be declared, mostly bids and raises by one step, seldom concedes, otherwise anything."""
        declaring = [text for text in texts if text.startswith(("marry", "aces"))]
        if declaring:
            return declaring[self.below(len(declaring))]
        bids = [text for text in texts if text.startswith("bid")]
        if bids and self.below(3):
            return bids[0]
        if bids and "pass" in texts:
            return "pass"
        calm = [text for text in texts if text not in ("concede", "redeal")]
        return calm[self.below(len(calm))] if self.below(20) else texts[self.below(len(texts))]


def names(cards: list[int]) -> str:
    return " ".join(map(card_name, cards)) or "-"


def numbers(values: list[int]) -> str:
    return " ".join(map(str, values))


def trick_winner(trick: list[tuple[int, int]], trump: int | None) -> int:
    """The highest trump wins, else the highest card of the suit led."""
    led = trick[0][1] // 6
    return max(trick, key=lambda each: (each[1] // 6 == trump, each[1] // 6 == led, each[1] % 6))[0]


def deal_lines(game: Game) -> Iterator[str]:
    hands, talons = game.dealt()
    yield ""
    yield f"deal {game.deal_number}, dealer {game.dealer}"
    for seat, hand in enumerate(hands):
        yield f"  seat {seat}: {names(hand)}"
    for place, talon in enumerate(talons):
        yield f"  talon{'' if len(talons) == 1 else ' ' + 'AB'[place]}: {names(talon)}"


def sheet_lines(game: Game) -> Iterator[str]:
    barrel = " ".join("-" if used is None else str(used) for used in game.barrel)
    yield f"  sheet: scores {numbers(game.scores)}, bolts {numbers(game.bolts)}, barrel {barrel}"


def trick_line(before: Game, card: int, game: Game, closed: bool) -> str:
    """The trick that a card has just completed."""
    assert before.seat is not None
    trick = [*before.trick, (before.seat, card)]
    winner = trick_winner(trick, before.trump)
    if not closed:
        assert [seat for seat, won in enumerate(game.tricks_won) if won > before.tricks_won[seat]] == [winner]
    suit = "none" if before.trump is None else SUITS[before.trump]
    points = "" if closed else f", points {numbers(game.points)}"
    return f"  trick: {names([card for _, card in trick])}, trump {suit}, seat {winner} wins{points}"


def playthrough(preset: str) -> list[str]:
    """The lines of a playthrough, without the header."""
    seed, episode, deals = PLAYS[preset]
    game = Game(Rules.preset(preset), seed=seed, episode=episode)
    player = Player(seed)
    lines: list[str] = []
    step = 0
    deal = -1
    while not game.is_over and game.deals_scored < deals:
        if game.deal_number != deal:
            deal = game.deal_number
            lines += deal_lines(game)
        legal = [action_name(action, game.rules) for action in game.legal_actions()]
        text = player.choose(legal)
        lines.append(f"{step}: {game.phase}, seat {game.seat}, scores {numbers(game.scores)}, terminal no")
        lines.append(f"  legal: {', '.join(legal)}")
        lines.append(f"  action: {text}")
        lines += act(game, text)
        step += 1
    lines.append("")
    lines.append(f"{step}: {game.phase}, scores {numbers(game.scores)}, terminal {'yes' if game.is_over else 'no'}")
    winner = "none" if game.winner is None else str(game.winner)
    lines.append(f"  winner {winner}, truncated {'yes' if game.truncated else 'no'}")
    for reward in ("score", "relative", "win"):
        lines.append(f"  returns {reward}: {' '.join(f'{value:+.4f}' for value in game.returns(reward))}")
    return lines


def act(game: Game, text: str) -> Iterator[str]:
    """Take an action and tell what it brought about."""
    before = game.clone()
    action = next(each for each in game.legal_actions() if action_name(each, game.rules) == text)
    game.apply(action)
    closed = game.deals_scored > before.deals_scored or game.deal_number > before.deal_number
    seats = len(game.active_seats)
    if before.phase == "play" and len(before.trick) == seats - 1:
        yield trick_line(before, action - 90, game, closed)
    if game.declarer is not None and before.declarer is None:
        yield f"  contract: seat {game.declarer}, {game.contract}"
    if before.phase == "raise" and game.contract != before.contract:
        yield f"  contract raised: {game.contract}"
    if game.deals_scored > before.deals_scored:
        yield from sheet_lines(game)
    elif closed:
        yield "  void deal"


def expected_text(preset: str) -> str:
    seed, episode, _ = PLAYS[preset]
    return HEADER.format(preset=preset, seed=seed, episode=episode) + "\n".join(playthrough(preset)) + "\n"


def golden_file(preset: str) -> Path:
    return FOLDER / f"{preset}.txt"


@pytest.mark.parametrize("preset", PRESETS)
def test_playthrough(preset: str) -> None:
    golden = golden_file(preset).read_text(encoding="utf-8").splitlines()
    now = expected_text(preset).splitlines()
    for number, (old, new) in enumerate(zip(golden, now, strict=False), start=1):
        assert new == old, f"{golden_file(preset).name} line {number}: has {old!r}, is {new!r}"
    assert len(now) == len(golden)


def test_playthroughs_cover_the_phases() -> None:
    found = "\n".join(expected_text(preset) for preset in PRESETS)
    for what in (": auction,", ": exchange,", ": talon,", ": raise,", ": play,", "action: marry", "contract raised"):
        assert what in found, what


def test_every_playthrough_has_a_marriage_a_contest_and_a_whole_deal() -> None:
    for preset in PRESETS:
        lines = playthrough(preset)
        bidders = {lines[i - 2].split(",")[1] for i, line in enumerate(lines) if line.startswith("  action: bid")}
        assert len(bidders) > 1, preset
        optional = Rules.preset(preset).marriage_declare == "optional"
        assert not optional or any("action: marry" in line for line in lines), preset
        assert any(line.startswith("  sheet:") for line in lines), preset


def main(arguments: list[str]) -> int:
    """Show the differences, or write the files; 1 if there are differences and they were not written."""
    different = False
    for preset in PRESETS:
        path = golden_file(preset)
        old = path.read_text(encoding="utf-8") if path.exists() else ""
        new = expected_text(preset)
        different |= old != new
        if "--write" in arguments:
            path.write_text(new, encoding="utf-8")
        else:
            sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), new.splitlines(True), path.name, "now"))
    return int(different and "--write" not in arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
