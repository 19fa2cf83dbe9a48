"""``thousand solve``: values of cards and records on the command line, and one-line errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from thousand_env import Game, Rules, action_name, solver
from thousand_env.cli import main
from thousand_env.records import Record, write

ENDING = "AH TH AC | KH QH AS | KS QS JS"
DEAL = "QS JS AC TC KC KD TD | AH TH KH QH AS 9C JD | TS KS 9H JH AD QC 9D | 9S QD JC"

Capture = pytest.CaptureFixture[str]


def solved(capsys: Capture, *arguments: str) -> dict[str, object]:
    assert main(["solve", *arguments, "--json"]) == 0
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


@pytest.fixture
def match(tmp_path: Path) -> tuple[str, Game]:
    """A file of one match of two deals, and the first lead of its second deal."""
    game = Game(seed=3)
    lead = None
    while game.deal_number < 2:
        if lead is None and game.deal_number == 1 and game.phase == "play":
            lead = game.clone()
        game.apply(game.legal_actions()[0])
    write(tmp_path / "match.jsonl", [Record.from_game(game)])
    assert lead is not None
    return str(tmp_path / "match.jsonl"), lead


def test_cards_before_a_lead(capsys: Capture) -> None:
    found = solved(capsys, ENDING, "--declarer", "1", "--contract", "120")
    game = solver.position(Rules(), ENDING.split("|"), declarer=1)
    assert found["values"] == {action_name(each, game.rules): v for each, v in solver.action_values(game).items()}
    assert found["best"] == found["made_by"] == ["play AS"]
    assert main(["solve", ENDING, "--declarer", "1", "--contract", "120"]) == 0
    out = capsys.readouterr().out
    assert "play, player 1 to act, declarer player 1, no trump" in out
    assert " 124  play AS  best\n" in out
    assert out.endswith("120 is made by play AS\n")
    first = solver.position(Rules(), ENDING.split("|"), declarer=0)
    assert list(solved(capsys, ENDING)["values"].values()) == list(solver.action_values(first).values())  # type: ignore[attr-defined]


def test_leader_trump_and_own_objective(capsys: Capture) -> None:
    found = solved(capsys, "9D 9H | AS KH | TS JH", "--declarer", "1", "--leader", "0", "--trump", "s")
    assert found["values"] == {"play 9D": 27, "play 9H": 27}
    own = solved(capsys, "9D 9H | AS KH | TS JH", "--leader", "0", "--trump", "S", "--objective", "own")
    assert own["values"] == {"play 9D": [0, 27, 0], "play 9H": [0, 27, 0]}
    assert main(["solve", ENDING, "--objective", "own"]) == 0
    assert "each seat's points" in capsys.readouterr().out


def test_a_deal_with_its_talon_gives_the_best_gifts(capsys: Capture) -> None:
    found = solved(capsys, DEAL)
    assert found["phase"] == "exchange" and found["declarer"] == 1
    assert len(found["best"]) == 2  # type: ignore[arg-type]
    assert solved(capsys, DEAL, "--declarer", "2")["declarer"] == 2
    assert main(["solve", DEAL, "--contract", "300"]) == 0
    assert "300 is made by nothing" in capsys.readouterr().out


def test_two_players_and_cards_put_aside(capsys: Capture) -> None:
    arguments = ["TS JC | AS 9C", "--rules", "two_player", "--declarer", "1", "--aside", "KH QH AD JD"]
    assert solved(capsys, *arguments)["values"] == {"play AS": 21, "play 9C": 41}
    cards = [f"{rank}{suit}" for suit in "SCDH" for rank in "9JQKTA"]
    groups = [cards[:10], cards[10:20], cards[20:22], cards[22:]]
    text = " | ".join(" ".join(group) for group in groups)
    assert len(solved(capsys, text, "--rules", "two_player", "--talon", "B")["best"]) == 2  # type: ignore[arg-type]


def test_positions_of_a_record(capsys: Capture, match: tuple[str, Game]) -> None:
    path, lead = match
    expected = {action_name(each, lead.rules): value for each, value in solver.action_values(lead).items()}
    found = solved(capsys, path, "--deal", "2")
    assert found["values"] == expected
    assert solved(capsys, path, "--deal", "2", "--action", "exchange")["phase"] == "exchange"
    assert found["contract"] == lead.contract
    taken = len(lead.events())
    assert solved(capsys, path, "--deal", "2", "--action", str(taken + 1))["values"] == expected
    assert solved(capsys, path, "--deal", "2", "--action", str(taken))["phase"] == "exchange"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["AS | KS"], "2 groups of cards: with 3 players give hands, or hands and the talon"),
        (["AS | KS | 1S"], "'1S' is no card"),
        (["AS | KS | TS", "--trump", "X"], "trump='X' is not accepted"),
        (["AS | KS | TS", "--declarer", "7"], "declarer=7 is not accepted: use one of 0, 1, 2"),
        (["AS | KS | TS", "--deal", "1"], "--deal is for a file of records"),
        (["AS | KS | TS", "--talon", "A"], "--talon goes with both talons"),
        ([DEAL, "--trump", "S"], "--trump is for the play"),
        ([DEAL, "--declarer", "5"], "--declarer: 5 is not accepted: use one of 1, 2, 0"),
        ([DEAL, "--objective", "own"], "in the exchange use 'declarer'"),
        ([DEAL.replace("9S QD JC", "9S QD")], "talon has 2 cards: it must have 3"),
        (["none.jsonl"], "give a file of records"),
        (["AS|KS|TS", "--objective", "mine"], "choose from"),
        (["AS|KS|TS", "--contract", "0"], "whole number from 1"),
        ([], "WHAT: a file of records, or cards such as"),
    ],
)
def test_wrong_arguments_give_one_line(arguments: list[str], says: str, capsys: Capture) -> None:
    assert main(["solve", *arguments]) == 2
    out, err = capsys.readouterr()
    assert not out and err.count("\n") == 1 and says in err, err


def test_wrong_places_in_a_record_are_named(capsys: Capture, match: tuple[str, Game]) -> None:
    path, _ = match
    for arguments, says in (
        (["--deal", "9"], "use 1 to 2"),
        (["--record", "2"], "use 1 to 1"),
        (["--action", "99"], "actions: use 1 to "),
        (["--action", "1"], "is in phase 'auction'"),
        (["--declarer", "1"], "--declarer is for cards"),
    ):
        assert main(["solve", path, *arguments]) == 2
        assert says in capsys.readouterr().err
