"""The command ``thousand``: each command in a pipe and in a terminal, its one-line errors and its exit codes.

All in this process; signals, closed pipes and imports are in ``test_cli_process``.
"""

from __future__ import annotations

import json
import re
import shlex
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.learned_files import declare_files
from thousand_env import Game, Rules
from thousand_env.cli import main
from thousand_env.cli.arguments import parse_rules
from thousand_env.cli.dispatch import COMMANDS
from thousand_env.records import Record, RecordWriter, read, redact, replay
from thousand_env.rules import PRESETS

Capture = pytest.CaptureFixture[str]
ESCAPE = "\x1b"


def run(capsys: Capture, *arguments: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command."""
    code = main(list(arguments))
    out, err = capsys.readouterr()
    return code, out, err


def refused(capsys: Capture, *arguments: str) -> str:
    """The one line of a wrong argument."""
    code, out, err = run(capsys, *arguments)
    assert code == 2
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("thousand")
    return err


@pytest.fixture
def terminal(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard output that is a terminal with colours."""
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda self: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")


@pytest.fixture
def recorded(tmp_path: Path, capsys: Capture) -> Path:
    """A file with two matches."""
    path = tmp_path / "two.jsonl"
    for seed in ("5", "6"):
        assert main(["watch", "--seed", seed, "--record", str(path), "--agents", "greedy"]) == 0
    capsys.readouterr()
    return path


# Overview and help


def test_alone_it_says_what_to_type_first(capsys: Capture) -> None:
    code, out, err = run(capsys)
    assert code == 0
    assert err == ""
    assert "Type this first:\n\n  thousand watch\n" in out
    assert all(name in out and command.summary in out for name, command in COMMANDS.items())
    assert run(capsys, "--help") == run(capsys, "help") == (0, out, "")


@pytest.mark.parametrize("name", COMMANDS)
def test_help_teaches_with_examples(name: str, capsys: Capture) -> None:
    code, out, err = run(capsys, name, "--help")
    assert code == 0
    assert err == ""
    assert f"thousand {name}" in out.split("examples:")[1]
    assert run(capsys, "help", name) == (0, out, "")


def fake_bench(monkeypatch: pytest.MonkeyPatch, metrics: dict[str, Any]) -> list[tuple[str, int]]:
    """A benchmark that takes no time; the calls of it."""
    asked: list[tuple[str, int]] = []

    def bench(name: str, seed: int = 0, **_: Any) -> dict[str, Any]:
        asked.append((name, seed))
        return {"name": name, "machine": "a machine", "metrics": metrics}

    fake = types.ModuleType("thousand_env.bench")
    fake.run = bench  # type: ignore[attr-defined]
    fake.BENCHMARKS = {"engine": bench}  # type: ignore[attr-defined]
    fake.RIVALS = {"aec": bench}  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "thousand_env.bench", fake)
    return asked


OWN_AGENT = """
class MyAgent:
    def act(self, view):
        return view.legal_actions()[0]

    def reset(self, seed=None):
        pass
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder as the current one, whose modules are not found yet and are forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place])
    yield tmp_path
    for name in [name for name, module in sys.modules.items() if str(tmp_path) in str(getattr(module, "__file__", ""))]:
        del sys.modules[name]


def example_lines() -> list[str]:
    """The command lines of all helps, without what is said of them and what follows in the shell."""
    lines = [line for command in COMMANDS.values() for line in command.examples.splitlines()]
    return [re.split(r"   | [|>] ", line.strip())[0] for line in lines if line.startswith("  thousand ")]


def save_learned(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of a learned agent, if what exports it is installed."""
    for name in ("torch", "safetensors", "onnx", "onnxruntime"):
        pytest.importorskip(name)
    from baselines.learned import save_agent
    from baselines.networks import ActionValueNet

    declare_files(monkeypatch)
    save_agent(path, ActionValueNet((8,)), algorithm="dmc", rules=Rules(), facts={})


@pytest.mark.parametrize("line", example_lines())
def test_examples_of_the_help_run(line: str, here: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_bench(monkeypatch, {})
    monkeypatch.setattr("thousand_env.cli.show.time.sleep", lambda seconds: None)
    monkeypatch.setattr("thousand_env.cli.show.Show.wait", lambda self, beats: None)
    (here / "my_agent.py").write_text(OWN_AGENT)
    with RecordWriter(here / "match.jsonl") as writer:
        for seed in range(3):
            game = Game(Rules(max_deals=1), seed=seed)
            while not game.is_over:
                game.apply(game.legal_actions()[0])
            writer.write(Record.from_game(game))
    program, *arguments = shlex.split(line)
    assert program == "thousand"
    if arguments[0] == "export":
        save_learned(Path(arguments[1]), monkeypatch)
    if arguments[0] in ("evaluate", "tournament"):
        few = ["--matches"] if "--matches" in arguments else ["--deals"]
        arguments += [*few, "2", "--workers", "1"]
    elif arguments[0] == "generate":
        arguments += ["--deals", "2"]
    code, out, err = run(capsys, *arguments)
    assert code == 0
    assert out
    assert not err or arguments[0] == "bench"


def test_examples_of_rules_are_accepted(capsys: Capture) -> None:
    examples = re.findall(r"'(\{[^']*\})'", " ".join(run(capsys, "watch", "--help")[1].split()))
    assert len(examples) == 2
    for example in examples:
        assert parse_rules(example).rules != Rules()


def test_version(capsys: Capture) -> None:
    assert re.fullmatch(r"thousand_env \d+\.\d+\.\d+\n", run(capsys, "--version")[1])


# watch in a pipe


def test_watch_in_a_pipe_is_a_log_of_everything(capsys: Capture) -> None:
    code, out, err = run(capsys, "watch", "--seed", "7")
    assert code == 0
    assert err == ""
    assert ESCAPE not in out
    lines = out.splitlines()
    assert lines[:2] == ["Thousand: classic, to 1000, seed 7", "P0 greedy, P1 greedy, P2 greedy"]
    assert "♥" in out
    game = Game(seed=7)
    deals = sum(line.startswith("Deal ") for line in lines)
    assert sum(bool(re.match(r"  written ", line)) for line in lines) == deals
    assert sum(bool(re.match(r"   \d  P\d ", line)) for line in lines) == 8 * deals
    first = game.hands[game.active_seats[0]]
    assert lines[4].split()[0] == f"P{game.active_seats[0]}"
    assert len(lines[4].split()) == 1 + len(first)
    assert re.search(r"^P\d greedy wins the match with 1\d\d\d points after \d+ deals$", out, re.MULTILINE)
    assert lines[-4].split() == ["total", "contracts", "made", "tricks", "marriage", "pts", "bolts"]
    assert max(map(len, lines[-4:])) <= 80
    assert run(capsys, "watch", "--seed", "7") == (0, out, "")


def test_watch_names_a_new_seed_that_gives_the_same_match(capsys: Capture) -> None:
    _, out, _ = run(capsys, "watch", "--episode", "deal")
    found = re.search(r"one deal, seed (\d+)", out)
    assert found
    assert run(capsys, "watch", "--episode", "deal", "--seed", found[1])[1] == out
    assert out.count("Deal ") == 1
    assert "The deal is over" in out


@pytest.mark.parametrize("preset", PRESETS)
def test_watch_plays_every_preset(preset: str, capsys: Capture) -> None:
    options = dict(PRESETS[preset])
    options["max_deals"] = min(options.get("max_deals", 6), 6)
    for seat in ((), ("--seat", "1")):
        code, out, err = run(
            capsys, "watch", "--rules", json.dumps(options), "--seed", "1", "--agents", "random", *seat
        )
        assert (code, err) == (0, "")
        assert f"P{Rules.preset(preset).players - 1} random" in out
        assert "cut off after" in out or "wins the match" in out


def test_watch_as_one_seat_hides_the_others(capsys: Capture) -> None:
    _, out, _ = run(capsys, "watch", "--seed", "7", "--seat", "1", "--episode", "deal")
    assert "As P1 sees it" in out
    hands = [line for line in out.splitlines() if re.match(r"  P\d  ", line)]
    assert sorted("▒" in line for line in hands) == [False, True, True]
    assert not re.search(r"^  talon", out, re.MULTILINE)


def test_watch_in_ascii(capsys: Capture) -> None:
    for seat in ((), ("--seat", "0")):
        _, out, _ = run(capsys, "watch", "--seed", "7", "--ascii", "--episode", "deal", *seat)
        assert out.isascii()


def test_watch_with_speed_waits(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr("thousand_env.cli.show.time.monotonic", lambda: sum(slept))
    monkeypatch.setattr("thousand_env.cli.show.time.sleep", slept.append)
    run(capsys, "watch", "--seed", "1", "--rules", "mini3", "--speed", "100")
    assert 0.1 < sum(slept) < 1
    slept.clear()
    run(capsys, "watch", "--seed", "1", "--rules", "mini3")
    assert slept == []


def test_rules_from_a_file_and_inline(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "short.json"
    path.write_text('{"target": 200, "players": 2, "barrel": false}')
    _, out, _ = run(capsys, "watch", "--seed", "3", "--rules", str(path))
    assert out.startswith("Thousand: short, to 200, seed 3\nP0 greedy, P1 greedy\n")
    _, inline, _ = run(capsys, "watch", "--seed", "3", "--rules", path.read_text())
    assert inline.splitlines()[1:] == out.splitlines()[1:]


# watch in a terminal


def test_watch_in_a_terminal_is_live(capsys: Capture, terminal: None) -> None:
    pytest.importorskip("rich")
    code, out, err = run(capsys, "watch", "--seed", "1", "--rules", "mini3", "--speed", "0")
    assert (code, err) == (0, "")
    assert f"{ESCAPE}[?1049h" in out  # the other screen, and back
    screen, _, rest = out.rpartition(f"{ESCAPE}[?1049l")
    assert "score sheet" in screen
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", rest)
    assert "Thousand  mini3, to 1000, seed 1" in plain
    assert "Nobody has won: the match was cut off after 1 deal" in plain


def test_no_color_takes_the_colours_alone(capsys: Capture, terminal: None, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rich")
    monkeypatch.setenv("NO_COLOR", "1")
    code, out, err = run(capsys, "watch", "--seed", "1", "--rules", "mini3", "--speed", "0")
    assert (code, err) == (0, "")
    assert f"{ESCAPE}[?1049h" in out
    assert "score sheet" in out
    assert "Ctrl-C ends" in out
    codes = {int(code) for each in re.findall(r"\x1b\[([0-9;]*)m", out) for code in each.split(";") if code}
    assert not codes & {*range(30, 50), *range(90, 108)}


@pytest.mark.parametrize("how", ["TERM", "--plain"])
def test_a_terminal_that_can_no_more_gets_the_log(
    how: str, capsys: Capture, terminal: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if how == "TERM":
        monkeypatch.setenv(how, "dumb")
    arguments = ["watch", "--seed", "1", "--rules", "mini3", "--speed", "0"]
    code, out, err = run(capsys, *arguments, *(["--plain"] if how == "--plain" else []))
    assert (code, err) == (0, "")
    assert ESCAPE not in out
    assert out.startswith("Thousand: mini3, to 1000, seed 1\n")


def test_missing_extra_says_what_to_install(capsys: Capture, terminal: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rich", None)
    for name in [name for name in sys.modules if name.startswith("rich.") or name == "thousand_env.cli.live"]:
        monkeypatch.delitem(sys.modules, name)
    line = refused(capsys, "watch", "--seed", "1")
    assert 'pip install "thousand_env[cli]"' in line
    assert run(capsys, "watch", "--seed", "1", "--rules", "mini3", "--plain", "--speed", "0")[0] == 0


# Records


def test_recorded_and_replayed(recorded: Path, capsys: Capture) -> None:
    games = [replay(record) for record in read(recorded)]
    assert [game.is_over for game in games] == [True, True]
    assert next(iter(read(recorded))).agents == ("greedy",) * 3
    _, watched, _ = run(capsys, "watch", "--seed", "6")
    code, out, err = run(capsys, "replay", str(recorded), "--record", "2")
    assert (code, err) == (0, "")
    assert out.startswith("Thousand: classic, to 1000, record 2 of two.jsonl\n")
    assert out.splitlines()[1:] == watched.splitlines()[1:]
    _, seat, _ = run(capsys, "replay", str(recorded), "--seat", "2", "--ascii")
    assert "As P2 sees it" in seat
    assert seat.isascii()


def test_replay_of_an_unfinished_match(tmp_path: Path, capsys: Capture) -> None:
    game = Game(seed=1)
    for _ in range(9):
        game.apply(game.legal_actions()[0])
    with RecordWriter(tmp_path / "part.jsonl") as writer:
        writer.write(Record.from_game(game))
    code, out, _ = run(capsys, "replay", str(tmp_path / "part.jsonl"))
    assert code == 0
    assert "Stopped after 0 deals; the match was not over" in out


def test_replay_refuses_what_it_cannot_show(recorded: Path, tmp_path: Path, capsys: Capture) -> None:
    assert "has 2 records: use 1 to 2" in refused(capsys, "replay", str(recorded), "--record", "3")
    assert "whole number from 1" in refused(capsys, "replay", str(recorded), "--record", "0")
    assert "with 3 players use 0 to 2" in refused(capsys, "replay", str(recorded), "--seat", "3")
    assert "give a file of records" in refused(capsys, "replay", str(tmp_path / "none.jsonl"))
    (tmp_path / "empty.jsonl").touch()
    assert "is empty" in refused(capsys, "replay", str(tmp_path / "empty.jsonl"))
    (tmp_path / "text.jsonl").write_text("hello\n")
    assert "line 1" in refused(capsys, "replay", str(tmp_path / "text.jsonl"))
    with RecordWriter(tmp_path / "redacted.jsonl") as writer:
        writer.write(redact(next(iter(read(recorded))), 1))
    line = refused(capsys, "replay", str(tmp_path / "redacted.jsonl"))
    assert "redacted for seat 1" in line
    assert "read with thousand_env.records.read and printed with to_text" in line


def test_replay_ends_at_what_does_not_hold(recorded: Path, capsys: Capture) -> None:
    """One line that says what ``verify`` says, after what does hold."""
    whole = run(capsys, "replay", str(recorded))[1]
    text = recorded.read_text()
    plays = re.findall(r"\d play ..", text)
    scores = [json.loads(text.splitlines()[0])["deals"][k]["scores"] for k in (0, -1)]
    winner = re.search(r'"winner":(\d)', text)
    assert winner
    damages = [(plays[9], plays[9][:-2] + "AH" if plays[9][-2:] != "AH" else plays[9][:-2] + "9S")]
    for column in scores:
        old = json.dumps(column, separators=(",", ":"))
        damages.append((f'"scores":{old}', f'"scores":{old.replace("[", "[1")}'))
    damages.append((winner[0], f'"winner":{(int(winner[1]) + 1) % 3}'))
    for old, new in damages:
        assert old in text
        recorded.write_text(text.replace(old, new, 1))
        code, out, err = run(capsys, "replay", str(recorded))
        assert code == 2
        assert err.count("\n") == 1
        verdict = run(capsys, "verify", str(recorded))[1].splitlines()[0]
        assert verdict.startswith("WRONG line 1: ")
        assert err == f"thousand replay: {recorded}: {verdict.removeprefix('WRONG ')}\n"
        shown, _, rest = out.partition("\nStopped after ")
        assert "the match was not over" in rest
        lines = [line for line in shown.splitlines() if "(not finished)" not in line]
        assert lines[:4] == whole.splitlines()[:4]
        assert all(line in whole for line in lines)


def test_replay_in_a_terminal_leaves_the_screen_before_it_complains(
    recorded: Path, terminal: None, capsys: Capture
) -> None:
    pytest.importorskip("rich")
    recorded.write_text(re.sub(r"(\d) play (\w\w)", r"\1 give \2", recorded.read_text(), count=1))
    code, out, err = run(capsys, "replay", str(recorded), "--speed", "0")
    assert code == 2
    assert out.rindex("Stopped after") > out.rindex(f"{ESCAPE}[?1049l")
    assert err.count("\n") == 1


def test_verify(recorded: Path, capsys: Capture) -> None:
    code, out, err = run(capsys, "verify", str(recorded))
    assert (code, err) == (0, "")
    assert out.splitlines()[-1] == "2 records: all hold"
    lines = recorded.read_text().splitlines()
    recorded.write_text(f"{lines[0]}\n{lines[1][:-40]}\n")
    code, out, err = run(capsys, "verify", str(recorded))
    assert code == 1
    assert out.splitlines()[0].startswith("ok    line 1: ")
    assert out.splitlines()[1].startswith("WRONG line 2: ")
    assert out.splitlines()[-1] == "2 records: one does not hold"
    code, out, err = run(capsys, "verify", str(recorded), "--json")
    report = json.loads(out)
    assert (code, report["ok"], report["records"], report["failed"]) == (1, False, 2, 1)
    assert [line["ok"] for line in report["lines"]] == [True, False]
    assert report["lines"][1]["reason"]
    assert "give a file of records" in refused(capsys, "verify", str(recorded.parent))


# rules and bench


def test_rules_lists_everything(capsys: Capture) -> None:
    code, out, err = run(capsys, "rules")
    assert (code, err) == (0, "")
    assert all(re.search(rf"^{name} = ", out, re.MULTILINE) for name in Rules().to_dict())
    table = out.split("What the presets change")[1]
    assert re.search(r'^declarer_score +"taken" +"bid": modern, polish$', table, re.MULTILINE)
    assert max(map(len, out.splitlines())) <= 110
    for name, default in Rules().to_dict().items():
        found = re.search(rf"^{name} = (.+)$", out, re.MULTILINE)
        assert found
        assert json.loads(found[1]) == default
    assert "(true or false)" in out
    assert not re.search(r"= (True|False|None)|or None|'held'", out.split("\n\n", 1)[1])
    report = json.loads(run(capsys, "rules", "--json")[1])
    assert list(report["options"]) == list(Rules().to_dict())
    assert list(report["presets"]) == list(PRESETS)
    assert report["options"]["players"]["accepts"] == "one of 2, 3, 4"


def test_rules_of_one_preset(capsys: Capture) -> None:
    _, out, _ = run(capsys, "rules", "modern")
    assert 'declarer_score = "bid"   (default "taken")' in out
    assert "in 1 option:" in run(capsys, "rules", '{"golden": true}')[1]
    assert len(re.findall(r"^\w+ = ", out, re.MULTILINE)) == len(PRESETS["modern"])
    assert run(capsys, "rules", "--rules", "modern")[1] == out
    assert "changes nothing" in run(capsys, "rules", "classic")[1]
    own = json.loads(run(capsys, "rules", '{"golden": true}', "--json")[1])
    assert own["changes"] == {"golden": True}
    assert own["options"]["golden"] is True
    assert "say the same" in refused(capsys, "rules", "modern", "--rules", "polish")
    assert "PRESET, --rules, --json" in refused(capsys, "rules", "--nothing")


def test_bench_prints_what_it_is_given(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    metrics = {
        "clone_us": {"median": 0.5, "min": 0.25, "max": 1.0, "unit": "us"},
        "speed": {"median": 1234567.0, "min": 1e6, "max": 2e6, "unit": "decisions/s"},
    }
    asked = fake_bench(monkeypatch, metrics)
    code, out, err = run(capsys, "bench", "engine", "--json", "--seed", "4")
    assert code == 0
    assert re.fullmatch(r"measuring engine: .* seconds.*\n", err)
    assert json.loads(out)["metrics"] == metrics
    _, out, _ = run(capsys, "bench", "engine")
    assert out.splitlines()[0] == "engine: a machine"
    assert "1,234,567 decisions/s   (1,000,000 to 2,000,000)" in out
    assert asked == [("engine", 4), ("engine", 0)]
    assert "choose one of engine" in refused(capsys, "bench", "motor")
    assert "did you mean 'engine'?" in refused(capsys, "bench", "Engin")
    assert run(capsys, "bench", "aec", "--rivals", "--json")[0] == 0
    assert "--rivals does not go with 'engine': choose one of aec" in refused(capsys, "bench", "engine", "--rivals")


# Wrong arguments


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["wotch"], "choose one of watch, replay"),
        (["wotch"], "did you mean 'watch'?"),
        (["Watch"], "did you mean 'watch'?"),
        (["help", "wotch"], "did you mean 'watch'?"),
        (["watch", "--sed", "7"], "did you mean '--seed'?"),
        (["watch", "--SEED=7"], "did you mean '--seed'?"),
        (["watch", "--rules", "modrn"], "did you mean 'modern'?"),
        (["watch", "--rules", "Modern"], "did you mean 'modern'?"),
        (["rules", "Polish"], "did you mean 'polish'?"),
        (["watch", "--agents", "gredy"], "did you mean 'greedy'?"),
        (["watch", "--agents", "Random"], "did you mean 'random'?"),
        (["watch", "--agents", "no_such_module:Agent"], "there is no module 'no_such_module'"),
        (
            ["watch", "--agents", "thousand_env.game:Gam"],
            "there is no 'Gam' in module 'thousand_env.game', did you mean",
        ),
        (["watch", "--agents", "thousand_env.game:Game"], "is no agent"),
        (["watch", "--agents", "thousand_env.game:__doc__"], "cannot be called"),
        (["watch", "--sed", "7"], "--seed"),
        (["watch", "more"], "--agents"),
        (["watch", "--seed"], "--seed N"),
        (["watch", "--seed", "x"], "whole number from 0 to 2**64 - 1"),
        (["watch", "--seed", "-1"], "whole number from 0 to 2**64 - 1"),
        (["watch", "--seed", str(2**64)], "whole number from 0 to 2**64 - 1"),
        (["watch", "--speed", "fast"], "actions a second"),
        (["watch", "--speed", "nan"], "actions a second"),
        (["watch", "--seat", "3"], "use 0 to 2"),
        (["watch", "--seat", "-1"], "whole number from 0"),
        (["watch", "--episode", "trick"], "choose from"),
        (["watch", "--agents", "nobody"], "greedy, heuristic"),
        (["watch", "--agents", "greedy", "random"], "name 3, or one for all"),
        (["watch", "--rules", "two_player", "--agents", "greedy", "greedy", "greedy"], "do not fit 2 players"),
        (["watch", "--rules", "russian"], "classic, modern, polish"),
        (["watch", "--rules", "none.json"], "cannot be read"),
        (["watch", "--rules", "{"], "is no JSON"),
        (["watch", "--rules", '{"bidding": 1}'], "option 'bidding' does not exist"),
        (["watch", "--rules", '{"players": 5}'], "one of 2, 3, 4"),
        (["watch", "--rules", '{"lock_at": 900}'], "barrel=False"),
        (["watch", "--record", "/no/such/folder/file"], "cannot be written"),
        (["replay"], "a file of records"),
        (["verify"], "a file of records"),
        (["verify", "none.jsonl"], "give a file of records"),
        (["rules", "russian"], "classic, modern, polish"),
        (["bench"], "engine"),
        (["bench", "motor"], "engine"),
    ],
)
def test_a_wrong_argument_gives_one_line(arguments: list[str], says: str, capsys: Capture) -> None:
    assert says in refused(capsys, *arguments)


def test_record_does_not_append_to_a_foreign_file(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("my notes\n")
    assert "use a new file or one of records" in refused(capsys, "watch", "--record", str(path), "--rules", "mini3")
    assert path.read_text() == "my notes\n"


def test_an_agent_that_breaks_the_rules_is_named(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Cheat:
        def act(self, view: object) -> int:
            return 126

        def reset(self, seed: int | None = None) -> None:
            pass

    monkeypatch.setattr("thousand_env.cli.arguments.from_text", lambda name: Cheat())
    path = tmp_path / "cheat.jsonl"
    code, _, err = run(capsys, "watch", "--agents", "cheat", "--record", str(path))
    assert code == 2
    assert "agent 'cheat' chose action 126" in err
    assert [record.unfinished for record in read(path)] == [True]


def test_an_own_agent_of_the_current_folder(here: Path, capsys: Capture) -> None:
    (here / "my_agent.py").write_text(OWN_AGENT)
    command = ("watch", "--seed", "1", "--rules", "mini3", "--agents")
    code, out, err = run(capsys, *command, "my_agent:MyAgent", "greedy", "greedy")
    assert (code, err) == (0, "")
    assert "P0 my_agent:MyAgent, P1 greedy" in out
    assert "write my_agent:MyAgent" in refused(capsys, *command, "my_agent.py:MyAgent")
    assert "did you mean 'MyAgent'?" in refused(capsys, *command, "my_agent:myagent")
    (here / "broken.py").write_text("x = 1\ny = z\n")
    line = refused(capsys, *command, "broken:MyAgent")
    assert "NameError: name 'z' is not defined" in line
    assert "broken.py, line 2" in line
    (here / "unreadable.py").write_text("x = = 1\n")
    assert "SyntaxError" in refused(capsys, *command, "unreadable:MyAgent")
    (here / "needy.py").write_text("import absent_module\n")
    assert "needs absent_module, which is missing" in refused(capsys, *command, "needy:MyAgent")


def test_agents_do_not_learn_the_seed(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    from thousand_env.agents import load

    seeds: list[int | None] = []

    def spy(name: str) -> Any:
        agent = load(name)
        reset = agent.reset
        agent.reset = lambda seed=None: (seeds.append(seed), reset(seed))[1]  # type: ignore[method-assign]
        return agent

    monkeypatch.setattr("thousand_env.cli.arguments.from_text", spy)
    run(capsys, "watch", "--seed", "77", "--rules", "mini3", "--agents", "random")
    assert seeds == [0, 1, 2]


def test_an_offer_of_a_redeal_to_another_leaves_no_trace_in_a_seats_log(capsys: pytest.CaptureFixture[str]) -> None:
    """On a forced deal the talon is taken as soon as the offers are over; the table opens with it in either case."""
    rules = '{"golden": true, "redeal_hand_below": 30}'
    sizes = set()
    for seed in range(12):
        game = Game(Rules(golden=True, redeal_hand_below=30), seed=seed)
        seat = game.active_seats[0]
        if game.view(seat).seat == seat and game.phase == "redeal":
            continue  # he is offered one himself
        arguments = ["--rules", rules, "--episode", "deal", "--seat", str(seat), "--seed", str(seed), "--agents"]
        assert main(["watch", *arguments, "greedy", "greedy", "greedy", "--plain"]) == 0
        lines = capsys.readouterr().out.partition("Deal 2")[0].splitlines()
        for table in [line for line in lines if line.startswith(f"  P{seat}   ")][:1]:  # none if the deal was void
            sizes.add(sum(table.count(suit) for suit in "♠♣♦♥"))
    assert sizes == {10}
