"""What goes wrong in an evaluation: agents, controls, files and arguments: one error each, and no wrong result."""

from __future__ import annotations

import errno
import functools
import json
import os
import signal
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.evaluation_agents import Failing, First, Flagging, Interrupting, Leaving, Locked, Memory, Narrow, Printing
from thousand_env import Game, PolicyAgent
from thousand_env.cli import main
from thousand_env.evaluation import (
    AgentError,
    ControlError,
    Report,
    RunFileError,
    RunWriteError,
    cross_play,
    duplicate,
    matches,
)
from thousand_env.evaluation.run_file import RunFile

# Agents


def test_narrow_numbers_are_counted_as_others_are() -> None:
    narrow, plain = (duplicate(agent(), Memory(), deals=12, seed=1) for agent in (Narrow, Memory))
    assert (narrow.differences == plain.differences).all()
    named = [{**row, "agent": 0} for row in narrow.by_bid if row["agent"] == "Narrow"]
    assert named == [{**row, "agent": 0} for row in plain.by_bid if row["agent"] == "Memory"]
    assert max(row["contract"] for row in named) > 127


def test_a_flag_is_no_action() -> None:
    with pytest.raises(
        AgentError, match=r"agent 'Flagging' at seat \d .* has chosen wrongly: action True is not legal"
    ):
        duplicate(Flagging(), "random", deals=1)


def test_the_line_that_is_named_is_the_agents_and_not_that_of_a_library_it_calls() -> None:
    agent = PolicyAgent(lambda observation, mask: np.reshape(observation, (7, 7, 7)))
    line = agent._choose.__code__.co_firstlineno
    with pytest.raises(AgentError, match=rf"ValueError: cannot reshape.* \(test_evaluation_failures.py, line {line}\)"):
        duplicate(agent, "random", deals=1)


@pytest.mark.parametrize("agent", [Leaving, Interrupting])
def test_an_agent_that_ends_the_process_has_failed(agent: type[First]) -> None:
    what = "SystemExit: 0" if agent is Leaving else "KeyboardInterrupt"
    told = (
        rf"agent '{agent.__name__}' at seat \d of .* in deal \d .* cannot act: {what}.*evaluation_agents.py, line \d+"
    )
    for workers in (1, 2):
        with pytest.raises(AgentError, match=told):
            duplicate(agent(), "random", deals=2, workers=workers)
    name = f"tests.evaluation_agents:{agent.__name__}"
    assert main(["evaluate", name, "random", "--deals", "2", "--workers", "1"]) == 2


class Signalling(First):
    """Sends its process Ctrl-C after some deals."""

    cards = 0

    def act(self, view: Any) -> int:
        Signalling.cards += view.phase == "play"
        if Signalling.cards > 300:
            os.kill(os.getpid(), signal.SIGINT)
        return super().act(view)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="signals of POSIX")
def test_ctrl_c_in_an_agent_is_still_the_users() -> None:
    Signalling.cards = 0
    report = duplicate(Signalling(), "random", deals=200)
    assert report.stopped == signal.SIGINT
    assert 1 <= report.deals < 200


def test_an_agent_that_cannot_be_copied_is_named() -> None:
    with pytest.raises(ValueError, match=r"agent 'Locked' cannot be copied for every seat \(TypeError: .*lock"):
        duplicate(Locked(), "random", deals=1)


def test_a_fixed_agent_that_fails_on_the_way_to_a_sheet_can_be_seen_again() -> None:
    for unit in (None, 3):
        with pytest.raises(
            AgentError, match=r"in match for sheets 0 .* lost count.*sheets='match', seed=5 and any deal"
        ):
            duplicate("random", "greedy", deals=1, sheets="match", fixed=Failing(), seed=5, only=unit)


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize("output", ["--json", "--csv"])
def test_what_agents_print_is_no_result(workers: str, output: str, capfd: pytest.CaptureFixture[str]) -> None:
    if (workers, output) == ("2", "--csv"):
        pytest.skip("told by --json")
    line = ["evaluate", "tests.evaluation_agents:Printing", "random", "--deals", "2", "--workers", workers, output]
    assert main(line) == 0
    captured = capfd.readouterr()
    assert "thinking" not in captured.out
    assert "thinking aloud" in captured.err
    if output == "--json":
        assert Report.from_dict(json.loads(captured.out)).deals == 2


def test_without_the_command_agents_print_where_they_like(capsys: pytest.CaptureFixture[str]) -> None:
    duplicate(Printing(), "random", deals=1)
    assert "thinking aloud" in capsys.readouterr().out


# Control variates


def by_seat(game: Game) -> Any:
    return np.arange(game.rules.players)


def scaled(scale: float, game: Game) -> Any:
    return scale * np.arange(game.rules.players)


class Weights:
    def __call__(self, game: Game) -> Any:
        return by_seat(game)


@pytest.mark.parametrize("control", [lambda game: by_seat(game), functools.partial(scaled, 2.0), Weights()])
def test_a_file_needs_a_control_with_a_name(control: Any, tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    with pytest.raises(ValueError, match=r"control=.* is not accepted with file"):
        duplicate("random", "greedy", deals=1, control=control, file=file)
    assert not file.exists()
    assert duplicate("random", "greedy", deals=2, control=control).deals == 2


def test_a_control_stands_in_the_file_by_module_and_name(tmp_path: Path) -> None:
    told = {}
    for name, control in (("own", by_seat), ("solver", "solver"), ("none", None)):
        file = tmp_path / name
        duplicate("random", "greedy", deals=1, control=control, file=file, seatings="one", rules="mini3")
        told[name] = json.loads(file.read_text().splitlines()[0])["settings"]["control"]
    assert told == {"own": f"{__name__}:by_seat", "solver": "open_card_values", "none": None}


def few(game: Game) -> Any:
    return np.zeros(game.rules.players + 4)


def no_numbers(game: Game) -> Any:
    return [np.nan] * game.rules.players


def words(game: Game) -> Any:
    return "x"


def failing(game: Game) -> Any:
    raise ZeroDivisionError("by nought")


@pytest.mark.parametrize("control", [few, no_numbers, words])
def test_a_control_must_give_a_number_for_each_seat(control: Callable[[Game], Any]) -> None:
    for play in (duplicate, functools.partial(matches, matches=1, rules="mini2")):
        with pytest.raises(ControlError, match=r"control gave .* is not accepted: it must give [23] finite numbers"):
            play("random", "greedy", control=control)


def test_a_control_that_fails_is_told_by_workers_too() -> None:
    for workers in (1, 2):
        with pytest.raises(ControlError, match="control has failed: ZeroDivisionError: by nought"):
            duplicate("random", "greedy", deals=2, control=failing, workers=workers)
    with pytest.raises(ValueError, match="control cannot be pickled"):
        duplicate("random", "greedy", deals=2, control=lambda game: by_seat(game), workers=2)


# Files


def test_a_random_seed_is_kept_in_report_and_file(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    first = duplicate("greedy", "random", deals=2, seed=None, file=file)
    assert first.facts["seed"] != duplicate("greedy", "random", deals=2, seed=None).facts["seed"]
    longer = duplicate("greedy", "random", deals=3, seed=None, file=file)
    assert longer.facts["seed"] == first.facts["seed"]
    assert (longer.differences == duplicate("greedy", "random", deals=3, seed=first.facts["seed"]).differences).all()


UNIT_CHANGES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "no decisions": lambda unit: unit.pop("decisions"),
    "no wall": lambda unit: unit.pop("wall"),
    "one key more": lambda unit: unit.update(more=1),
    "no games": lambda unit: unit.update(games=[]),
    "games null": lambda unit: unit.update(games=None),
    "a game less": lambda unit: unit["games"].pop(),
    "a game that is none": lambda unit: unit["games"].__setitem__(0, 5),
    "a game twice": lambda unit: unit["games"].__setitem__(1, unit["games"][0]),
    "unit a flag": lambda unit: unit.update(unit=True),
    "unit negative": lambda unit: unit.update(unit=-5),
    "unit a text": lambda unit: unit.update(unit="0"),
    "seconds NaN": lambda unit: unit.update(seconds=[float("nan")] * 3),
    "seconds short": lambda unit: unit.update(seconds=[0.5]),
    "decisions texts": lambda unit: unit.update(decisions=["x", 1, 1]),
    "wall negative": lambda unit: unit.update(wall=-1.0),
    "huge numbers": lambda unit: unit["games"][0].__setitem__(1, [10**30] * 3),
    "too few seats": lambda unit: unit["games"][0].__setitem__(1, [0, 0]),
    "a declarer too far": lambda unit: unit["games"][0].__setitem__(4, 3),
    "made a number": lambda unit: unit["games"][0].__setitem__(6, 1),
    "bids of nobody": lambda unit: unit["games"][0].__setitem__(7, [[7, 100]]),
}


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The lines of a run."""
    file = tmp_path_factory.mktemp("kept") / "run.jsonl"
    duplicate("greedy", "random", deals=3, file=file)
    return file.read_text().splitlines()


def goes_on(lines: list[str], file: Path) -> Report:
    file.write_text("\n".join(lines) + "\n")
    return duplicate("greedy", "random", deals=3, file=file)


@pytest.mark.parametrize("what", list(UNIT_CHANGES))
def test_a_wrong_line_is_named(what: str, kept: list[str], tmp_path: Path) -> None:
    unit = json.loads(kept[2])
    UNIT_CHANGES[what](unit)
    with pytest.raises(RunFileError, match="is damaged in line 3: take"):
        goes_on([*kept[:2], json.dumps(unit), kept[3]], tmp_path / "run.jsonl")


@pytest.mark.parametrize("line", ["", "[" * 100_000, "\0" * 50, "7", "null", '{"unit": ' + "9" * 5000 + "}"])
def test_a_line_that_is_no_unit_is_named(line: str, kept: list[str], tmp_path: Path) -> None:
    with pytest.raises(RunFileError, match="is damaged in line 2: take"):
        goes_on([kept[0], line, *kept[1:]], tmp_path / "run.jsonl")
    assert goes_on([kept[0], *kept[1:3]], tmp_path / "run.jsonl").deals == 3


@pytest.mark.parametrize("settings", [None, [1], 5])
def test_wrong_settings_are_named(settings: Any, kept: list[str], tmp_path: Path) -> None:
    header = json.dumps(json.loads(kept[0]) | {"settings": settings})
    with pytest.raises(RunFileError, match="is damaged in line 1: use a new one"):
        goes_on([header, *kept[1:]], tmp_path / "run.jsonl")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="devices of POSIX")
def test_a_device_is_no_file_of_a_run() -> None:
    with pytest.raises(RunFileError, match="'/dev/zero' is no regular file: use another one"):
        duplicate("greedy", "random", deals=1, file="/dev/zero", seed=None)


class FullDisk:
    """A file that takes so many bytes more and then half of a line at most."""

    def __init__(self, file: Any, room: int) -> None:
        self._file = file
        self.room = room

    def write(self, data: memoryview) -> int:
        if not self.room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written: int = self._file.write(data[: self.room])
        self.room -= written
        return written

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


@pytest.fixture
def small_disk(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """A disk with so much ``room`` for the units of a run."""
    disk = {"room": 0}
    begin = RunFile.__init__

    def init(self: RunFile, *given: Any) -> None:
        begin(self, *given)
        object.__setattr__(self, "_file", FullDisk(self._file, disk["room"]))

    monkeypatch.setattr(RunFile, "__init__", init)
    return disk


def test_a_full_disk_ends_a_run_with_what_is_done(
    small_disk: dict[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "run.jsonl"
    whole = duplicate("greedy", "random", deals=6, seed=1)
    small_disk["room"] = 2000
    report = duplicate("greedy", "random", deals=6, seed=1, file=file)
    assert 1 < report.deals < 6
    assert (report.differences == whole.differences[: report.deals]).all()
    assert report.facts["write_error"] == os.strerror(errno.ENOSPC)
    assert f"Stopped early, {str(file)!r} could not be written (No space left on device)" in report.text()
    assert file.read_bytes().endswith(b"\n")
    assert file.read_bytes().count(b"\n") == report.deals
    monkeypatch.undo()
    assert (duplicate("greedy", "random", deals=6, seed=1, file=file).differences == whole.differences).all()


def test_a_full_disk_in_the_command(
    small_disk: dict[str, int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small_disk["room"] = 2000
    file = tmp_path / "run.jsonl"
    line = ["evaluate", "greedy", "random", "--deals", "6", "--file", str(file), "--workers", "1"]
    assert main(line) == 1
    assert "could not be written" in capsys.readouterr().out


def test_a_disk_that_is_full_from_the_beginning(small_disk: dict[str, int], tmp_path: Path) -> None:
    small_disk["room"] = 5
    file = tmp_path / "run.jsonl"
    with RunFile(file, {"seed": 1}) as kept:
        header = file.read_bytes()
        with pytest.raises(RunWriteError) as caught:
            kept.add(0, {"games": []})
    assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, str(file))
    assert file.read_bytes() == header


# Arguments


def test_a_billion_deals_are_not_listed_beforehand() -> None:
    def stop(done: int, wanted: int) -> None:
        if done:
            raise KeyboardInterrupt

    duplicate("random", "greedy", deals=1)
    tracemalloc.start()
    try:
        report = duplicate("random", "greedy", deals=10**9, progress=stop)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert report.deals == 1
    assert peak < 50_000_000


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"only": True}, "only=True is not accepted: use an integer from 0 to 999999999, or None"),
        ({"only": -1}, "only=-1 is not accepted: use an integer from 0"),
        ({"only": 2.0}, "only=2.0 is not accepted"),
        ({"progress": 5}, "progress=5 is not accepted: use True, False or a function"),
        ({"progress": "x"}, "progress='x' is not accepted"),
        ({"file": 5}, "file=5 is not accepted: use a name or a path"),
        ({"file": True}, "file=True is not accepted"),
    ],
)
def test_wrong_arguments(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        duplicate("random", "greedy", deals=1, **options)
    if "only" not in options:
        with pytest.raises(ValueError, match=words):
            cross_play(["random", "greedy"], deals=1, **options)


def test_numbers_of_numpy_are_numbers() -> None:
    alone = [duplicate("random", "greedy", only=number).mean for number in (0, np.int64(0), 1, np.uint8(1))]
    assert alone[0] == alone[1]
    assert alone[2] == alone[3]
