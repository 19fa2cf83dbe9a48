"""Runs of an evaluation: files that are gone on with, workers, and what ends a run early."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.evaluation_agents import Cheat, Dying, Last, Unpicklable
from thousand_env import Rules
from thousand_env.evaluation import AgentError, RunFileError, WorkerError, duplicate, matches
from thousand_env.evaluation.cast import Cast
from thousand_env.evaluation.run_file import RunFile
from thousand_env.evaluation.running import How, Plan, run
from thousand_env.evaluation.units import DealUnits
from thousand_env.evaluation.workers import play_units

ROOT = Path(__file__).parents[1]


def deal_units(seed: int = 1, rules: Rules | None = None, **more: Any) -> DealUnits:
    keywords = {"phase": "full", "seatings": "all", "sheets": "zero"} | more
    return DealUnits(Cast(["greedy", "random"]), rules or Rules(), seed, **keywords)


def without_times(result: dict[str, Any]) -> dict[str, Any]:
    """A report without what differs between two runs of the same."""
    changing = ("wall_seconds", "played_seconds", "decisions_per_second", "workers", "file", "executor")
    facts = {name: value for name, value in result["facts"].items() if name not in changing}
    return {name: value for name, value in result.items() if name not in ("seconds", *changing)} | {"facts": facts}


# The file of a run


def test_a_run_goes_on_from_its_file(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    whole = duplicate("greedy", "random", deals=12, seed=1)
    part = duplicate("greedy", "random", deals=5, seed=1, file=file)
    assert (part.differences == whole.differences[:5]).all()
    lines = file.read_bytes().splitlines(keepends=True)
    assert len(lines) == 6
    told: list[tuple[int, int]] = []
    report = duplicate("greedy", "random", deals=12, seed=1, file=file, progress=lambda *step: told.append(step))
    assert told[0] == (5, 12)
    assert told[-1] == (12, 12)
    assert without_times(report.to_dict()) == without_times(whole.to_dict())
    assert file.read_bytes().splitlines(keepends=True)[:6] == lines
    again = duplicate("greedy", "random", deals=12, seed=1, file=file)
    assert again.to_dict()["seconds"] == report.to_dict()["seconds"]
    assert len(file.read_text().splitlines()) == 13


def test_a_line_cut_off_is_played_again(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    whole = duplicate("greedy", "random", deals=6, seed=1, file=file)
    content = file.read_bytes()
    for cut in (1, 40, len(content.splitlines()[-1]), len(content.splitlines()[-1]) + 1):
        file.write_bytes(content[:-cut])
        report = duplicate("greedy", "random", deals=6, seed=1, file=file)
        assert without_times(report.to_dict()) == without_times(whole.to_dict())
        assert len(file.read_text().splitlines()) == 7
        assert all(json.loads(line) for line in file.read_text().splitlines())


def test_a_header_cut_off_is_written_again(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    duplicate("greedy", "random", deals=1, seed=1, file=file)
    header = file.read_bytes().splitlines()[0]
    for size in (0, 5, 60):
        file.write_bytes(header[:size])
        assert duplicate("greedy", "random", deals=2, seed=1, file=file).deals == 2


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"seed": 2}, "seed 1 instead of 2"),
        ({"sheets": "match"}, "sheets 'zero' instead of 'match'"),
        ({"phase": "play"}, "phase 'full' instead of 'play'"),
        ({"seatings": "one"}, "seatings 'all' instead of 'one'"),
        ({"rules": {"bid_step": 10}}, "bid_step 5 instead of 10"),
        ({"fixed": "random"}, "fixed 'heuristic' instead of 'random'"),
    ],
)
def test_a_file_of_other_settings_is_refused(changes: dict[str, Any], words: str, tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    duplicate("greedy", "random", deals=1, seed=1, file=file)
    content = file.read_bytes()
    with pytest.raises(RunFileError, match=f"of other settings .*{words}.*: use another file"):
        duplicate("greedy", "random", **({"deals": 1, "seed": 1, "file": file} | changes))
    with pytest.raises(RunFileError, match=r"agents \['greedy', 'random'\] instead of"):
        duplicate("greedy", "greedy", deals=1, seed=1, file=file)
    with pytest.raises(RunFileError, match="kind 'deals' instead of 'matches'"):
        matches("greedy", "random", matches=1, seed=1, file=file)
    assert file.read_bytes() == content


@pytest.mark.parametrize(
    "content", [b"hello\n", b"hello", b'{"a": 1}\n', b"\xff\xfe\n", b'{"thousand_env evaluation":7}\n']
)
def test_a_foreign_file_is_refused(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_bytes(content)
    with pytest.raises(RunFileError, match="is no file of an evaluation"):
        duplicate("greedy", "random", deals=1, file=file)
    assert file.read_bytes() == content


def test_a_damaged_line_is_named(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    duplicate("greedy", "random", deals=3, file=file)
    lines = file.read_text().splitlines()
    lines[2] = lines[2][:30]
    file.write_text("\n".join(lines) + "\n")
    with pytest.raises(RunFileError, match="is damaged in line 3: take"):
        duplicate("greedy", "random", deals=3, file=file)


def test_two_runs_do_not_write_to_one_file(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    file = tmp_path / "run.jsonl"
    units = deal_units()
    with RunFile(file, units.settings()), pytest.raises(RunFileError, match="is being written by another run"):
        RunFile(file, units.settings())
    with RunFile(file, units.settings()) as again:
        assert again.done == {}


# Workers


def test_workers_change_nothing(tmp_path: Path) -> None:
    alone = duplicate(Last(), "random", deals=9, seed=4)
    file = tmp_path / "run.jsonl"
    together = duplicate(Last(), "random", deals=9, seed=4, workers=2, file=file)
    assert without_times(together.to_dict()) == without_times(alone.to_dict())
    assert sorted(json.loads(line)["unit"] for line in file.read_text().splitlines()[1:]) == list(range(9))
    assert together.facts["workers"] == 2


def test_an_agent_that_does_not_pickle_is_named() -> None:
    assert duplicate(Unpicklable(), "random", deals=1).deals == 1
    with pytest.raises(
        ValueError, match=r"agent 'Unpicklable' cannot be pickled \(.*: give it by name as module:Class"
    ):
        duplicate(Unpicklable(), "random", deals=2, workers=2)


def test_what_goes_wrong_in_a_worker_is_told() -> None:
    with pytest.raises(AgentError, match=r"agent 'Cheat' at seat . .* has chosen wrongly") as caught:
        duplicate(Cheat(), "greedy", deals=4, workers=2)
    assert "\n" not in str(caught.value)
    with pytest.raises(WorkerError, match=r"a worker died while it played unit \d \(exit code 3\)"):
        duplicate(Dying(), "greedy", deals=4, workers=2)


def test_workers_use_one_thread_each() -> None:
    before = dict(os.environ)
    units = ThreadUnits()
    source = play_units(units, [0, 1], 2, "processes")  # type: ignore[arg-type]
    assert [unit["threads"] for _, unit in source] == ["1", "1"]
    assert dict(os.environ) == before


class ThreadUnits:
    """Units that tell how many threads their process may use."""

    cast = Cast(["random"])

    def settings(self) -> dict[str, Any]:
        return {}

    def play(self, index: int) -> dict[str, Any]:
        return {"threads": os.environ["OMP_NUM_THREADS"]}


def test_results_are_those_of_the_series_without_gaps(tmp_path: Path) -> None:
    units = deal_units()
    file = tmp_path / "run.jsonl"
    with RunFile(file, units.settings()) as kept:
        for index in (0, 1, 3):
            kept.add(index, units.play(index))

    def stop(done: int, wanted: int) -> None:
        raise KeyboardInterrupt(signal.SIGTERM)

    found = run(units, Plan(4, 4, 4), How(file=file, progress=stop))
    assert len(found.units) == 2
    assert found.stopped == signal.SIGTERM


# Ctrl-C and SIGTERM


@pytest.mark.skipif(not hasattr(os, "fork"), reason="signals of POSIX")
@pytest.mark.parametrize(("workers", "number", "code"), [(2, signal.SIGINT, 130), (1, signal.SIGTERM, 143)])
def test_a_stopped_command_reports_and_goes_on(workers: int, number: int, code: int, tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    line = ["-m", "thousand_env", "evaluate", "tests.evaluation_agents:Slow", "greedy"]
    line += ["--deals", "400", "--seed", "3", "--file", str(file), "--workers", str(workers)]
    process = subprocess.Popen(
        [sys.executable, *line],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while not file.exists() or file.read_bytes().count(b"\n") < 6:
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    os.killpg(process.pid, number) if number == signal.SIGINT else process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == code, err
    assert err == ""
    assert f"Stopped early by signal {int(number)}: run it again with file" in out
    done = file.read_bytes().count(b"\n") - 1
    assert 5 <= done < 400
    assert f"{done} deals" in out or f"{done - 1} deals" in out or f"{done - 2} deals" in out
    if workers == 2:
        report = duplicate("tests.evaluation_agents:Slow", "greedy", deals=5, seed=3, file=file)
        assert (
            report.differences == duplicate("tests.evaluation_agents:Slow", "greedy", deals=5, seed=3).differences
        ).all()


def test_stopped_before_anything_is_done() -> None:
    def stop(done: int, wanted: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        duplicate("greedy", "random", deals=3, progress=stop)


# A cluster


@pytest.mark.integration
def test_a_ray_cluster_gives_the_same() -> None:
    ray = pytest.importorskip("ray")
    try:
        alone = duplicate("greedy", "random", deals=6, seed=4)
        together = duplicate("greedy", "random", deals=6, seed=4, workers=2, executor="ray")
        assert without_times(together.to_dict()) == without_times(alone.to_dict())
        assert not ray.is_initialized()
        ray.init(num_cpus=1, log_to_driver=False)  # a cluster that is there is left there
        with pytest.raises(AgentError, match="agent 'Cheat'"):
            duplicate(Cheat(), "greedy", deals=4, workers=None, executor="ray")
        assert ray.is_initialized()
    finally:
        ray.shutdown()


def test_ray_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(
        ImportError, match=r'executor="ray" needs ray, which is missing: pip install "thousand_env\[ray\]"'
    ):
        duplicate("greedy", "random", deals=1, executor="ray")
