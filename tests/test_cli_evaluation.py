"""``thousand evaluate`` and ``thousand tournament``: what they print, and what they say when something is wrong."""

from __future__ import annotations

import json
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from thousand_env import Rules
from thousand_env.cli import main
from thousand_env.evaluation import MatchReport, Report, Table, duplicate, matches

Capture = pytest.CaptureFixture[str]


def run(capsys: Capture, *arguments: str) -> tuple[int, str, str]:
    code = main([*arguments, "--workers", "1"])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """Pictures that are only asked for."""
    asked: list[tuple[Any, ...]] = []
    fake = types.ModuleType("thousand_env.evaluation.pictures")
    fake.bid_calibration = lambda *given: asked.append(("bid_calibration", *given))  # type: ignore[attr-defined]
    fake.heat_map = lambda *given: asked.append(("heat_map", *given))  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "thousand_env.evaluation.pictures", fake)
    return asked


def test_evaluate_prints_a_report(capsys: Capture) -> None:
    code, out, err = run(capsys, "evaluate", "greedy", "random", "--deals", "5", "--seed", "3")
    assert (code, err) == (0, "")
    assert out.startswith("greedy against random: ")
    assert out.splitlines()[:20] == duplicate("greedy", "random", deals=5, seed=3).text().splitlines()[:20]


def test_every_argument_arrives(capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("thousand_env.evaluation.sheets.MATCHES", 2)
    file = tmp_path / "run.jsonl"
    line = ["--rules", "modern", "--seed", "4", "--phase", "play", "--fixed", "random", "--seatings", "one"]
    line += ["--sheets", "match", "--file", str(file), "--half-width", "300", "--most", "9", "--deals", "3", "--json"]
    code, out, _ = run(capsys, "evaluate", "greedy", "greedy,caution=20", *line)
    report = Report.from_dict(json.loads(out))
    assert code == 0
    assert report.names == ("greedy", "greedy,caution=20")
    facts = report.facts
    told = {name: facts[name] for name in ("seed", "phase", "fixed", "seatings", "sheets", "half_width")}
    assert told == {
        "seed": 4,
        "phase": "play",
        "fixed": "random",
        "seatings": "one",
        "sheets": "match",
        "half_width": 300,
    }
    assert Rules.from_dict(facts["rules"]) == Rules.preset("modern")
    assert report.deals == 3
    assert file.read_text().count("\n") == 4
    only = Report.from_dict(json.loads(run(capsys, "evaluate", "greedy", "random", "--only", "2", "--json")[1]))
    assert only.differences[0] == duplicate("greedy", "random", deals=3).differences[2]


def test_evaluate_matches_and_three_agents(capsys: Capture) -> None:
    code, out, err = run(capsys, "evaluate", "greedy", "random", "greedy", "--matches", "2", "--seed", "3", "--json")
    assert (code, err) == (0, "")
    report = MatchReport.from_dict(json.loads(out))
    assert report.names == ("greedy", "random", "greedy (2)")
    assert report.mean == matches("greedy", "random", "greedy", matches=2, seed=3).mean
    assert "wins" in run(capsys, "evaluate", "greedy", "random", "--matches", "1")[1]


def test_csv(capsys: Capture) -> None:
    code, out, _ = run(capsys, "evaluate", "greedy", "random", "--deals", "2", "--csv")
    assert code == 0
    assert out.startswith("part,agent,item,quantity,value\ntotal,greedy,,mean,")


def test_pictures_are_drawn(capsys: Capture, drawn: list[tuple[Any, ...]]) -> None:
    assert run(capsys, "evaluate", "greedy", "random", "--deals", "2", "--picture", "bids.svg")[0] == 0
    name, report, file = drawn.pop()
    assert name == "bid_calibration"
    assert isinstance(report, Report)
    assert file == Path("bids.svg")


def test_agents_of_the_current_folder(capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place])
    (tmp_path / "own_evaluated.py").write_text(
        "class Own:\n"
        "    def __init__(self, *, shift=0):\n        self.shift = shift\n"
        "    def act(self, view):\n        return view.legal_actions()[self.shift]\n"
        "    def reset(self, seed=None):\n        pass\n"
    )
    code, out, err = run(capsys, "evaluate", "own_evaluated:Own", "own_evaluated:Own,shift=-1", "--deals", "2")
    assert (code, err) == (0, "")
    assert "own_evaluated:Own,shift=-1" in out
    code, out, err = run(capsys, "evaluate", "own_evaluated:Own,shift=99", "greedy", "--deals", "2", "--seed", "5")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "agent 'own_evaluated:Own,shift=99' at seat" in err
    assert "IndexError" in err
    assert "--seed 5 --only 0" in err
    del sys.modules["own_evaluated"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (["evaluate", "greedy"], "AGENT: 1 of them are not accepted: name two or three"),
        (["evaluate"], "AGENT"),
        (["evaluate", "greedy", "randm"], "agent 'randm' does not exist: did you mean 'random'?"),
        (["evaluate", "greedy,cauton=3", "random"], "options {'cauton': 3} of agent 'greedy' are not accepted"),
        (["evaluate", "greedy", "random", "--deals", "0"], "--deals: '0' is not accepted"),
        (["evaluate", "greedy", "random", "--deals", "2", "--matches", "2"], "not allowed with"),
        (
            ["evaluate", "greedy", "random", "--matches", "2", "--sheets", "match"],
            "--sheets does not go with --matches",
        ),
        (
            ["evaluate", "greedy", "random", "--matches", "2", "--picture", "a.png"],
            "--picture does not go with --matches",
        ),
        (["evaluate", "greedy", "random", "--half-width", "-1"], "'-1' is no half width"),
        (["evaluate", "greedy", "random", "--most", "5"], "--most does not go without --half-width"),
        (["evaluate", "greedy", "random", "--phase", "bids"], "invalid choice: 'bids'"),
        (["evaluate", "greedy", "random", "--file", "no/such/folder.jsonl"], "'no/such/folder.jsonl' cannot be used"),
        (["evaluate", "greedy", "random", "greedy", "--rules", "two_player"], "3 agents do not fit 2 seats"),
        (["tournament", "greedy"], "AGENT: one is not enough: name two or more"),
        (["tournament", "greedy", "random", "--fixed", "gredy"], "agent 'gredy' does not exist"),
    ],
)
def test_one_line_says_what_is_wrong(line: list[str], words: str, capsys: Capture) -> None:
    code, out, err = run(capsys, *line)
    assert (code, out) == (2, "")
    assert err.startswith(f"thousand {line[0]}: ")
    assert words in err
    assert err.count("\n") == 1


def test_a_file_of_other_settings(capsys: Capture, tmp_path: Path) -> None:
    file = str(tmp_path / "run.jsonl")
    assert run(capsys, "evaluate", "greedy", "random", "--deals", "1", "--file", file)[0] == 0
    code, _, err = run(capsys, "evaluate", "greedy", "random", "--deals", "1", "--seed", "2", "--file", file)
    assert code == 2
    assert "is of other settings (seed 0 instead of 2): use another file" in err


def test_stopped_it_prints_what_is_done(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    from thousand_env.evaluation import comparing, units

    play = units.DealUnits.play

    def stopping(self: Any, index: int) -> Any:
        if index == 2:
            raise KeyboardInterrupt(15)
        return play(self, index)

    monkeypatch.setattr(comparing.DealUnits, "play", stopping)
    code, out, _ = run(capsys, "evaluate", "greedy", "random", "--deals", "9")
    assert code == 143
    assert "2 deals" in out.splitlines()[0]
    assert out.endswith("Stopped early by signal 15: nothing was kept: name a file to go on another time.\n")


# Tournaments


def test_tournament_prints_table_ratings_and_circles(capsys: Capture, drawn: list[tuple[Any, ...]]) -> None:
    pytest.importorskip("thousand_env.evaluation.ratings")
    pytest.importorskip("scipy")
    line = ["tournament", "greedy", "random", "greedy,caution=20", "--deals", "6"]
    code, out, err = run(capsys, *line, "--picture", "table.png")
    assert (code, err) == (0, "")
    assert "points a deal, row against column" in out
    assert "rating" in out
    assert "circle" in out
    name, table, file = drawn.pop()
    assert (name, file) == ("heat_map", Path("table.png"))
    assert isinstance(table, Table)
    data = json.loads(run(capsys, *line, "--json")[1])
    assert {each["name"] for each in data["ratings"]["agents"]} == {"greedy", "random", "greedy,caution=20"}
    assert data["circles"] == []
    assert Table.from_dict(data).names == ("greedy", "random", "greedy,caution=20")
    data = json.loads(run(capsys, "tournament", "greedy", "random", "--matches", "1", "--json")[1])
    assert data["kind"] == "matches"
