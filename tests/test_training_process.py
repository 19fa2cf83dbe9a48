"""A training as a process: signals, a real terminal, a closed pipe, and several processes by torchrun."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tyro")

from baselines.checkpoints import load_checkpoint  # noqa: E402
from baselines.training.distributed import scattered  # noqa: E402
from baselines.training.logs import read_metrics  # noqa: E402
from tests.training_dummy import command  # noqa: E402

ROOT = Path(__file__).parent.parent
QUICK = ("--no-tensorboard", "--check-minutes", "0", "--evaluate-deals", "0", "--threads", "1", "--plain")
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}


@contextlib.contextmanager
def started(*arguments: str, **more: Any) -> Iterator[subprocess.Popen[str]]:
    line = [sys.executable, "-m", "tests.training_dummy", *arguments]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | more
    process = subprocess.Popen(line, text=True, env=ENVIRONMENT, cwd=ROOT, **pipes)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def until(process: subprocess.Popen[str], words: str) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        if words in line:
            return
    raise AssertionError(f"the process has ended without {words!r}")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_a_run_that_goes_on_later(number: int, code: int, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with started(*QUICK, "--sleep", "0.05", "--folder", str(folder)) as process:
        until(process, "decisions")
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert process.returncode == code
    assert err == "\nstopping after this update; once more stops at once\n"
    done = load_checkpoint(folder)[1]["decisions"]
    assert out.splitlines()[-1] == (
        f"stopped after {done:,} decisions; go on with: thousand train dummy --resume {folder}"
    )
    assert [each["decisions"] for each in read_metrics(folder / "metrics.jsonl")] == list(range(64, done + 1, 64))
    assert (folder / "dummy.safetensors").exists()
    assert command(["--resume", str(folder), "--decisions", str(done + 128), "--sleep", "0"]) == 0
    assert load_checkpoint(folder)[1]["decisions"] == done + 128


def test_the_second_ctrl_c_stops_at_once(tmp_path: Path) -> None:
    with started(*QUICK, "--sleep", "3600", "--folder", str(tmp_path)) as process:
        until(process, "dummy on cpu")
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        process.stderr.readline()
        assert process.stderr.readline() == "stopping after this update; once more stops at once\n"
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert process.returncode == 130
    assert not (tmp_path / "checkpoint.safetensors").exists()


def test_a_run_goes_on_when_nobody_listens_any_more(tmp_path: Path) -> None:
    with started(*QUICK, "--decisions", "640", "--folder", str(tmp_path)) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait(timeout=60) == 0
    assert load_checkpoint(tmp_path)[1]["decisions"] == 640


@pytest.mark.skipif(not hasattr(os, "forkpty"), reason="needs a pseudo-terminal")
def test_a_terminal_has_a_live_panel(tmp_path: Path) -> None:
    pytest.importorskip("rich")
    fcntl, pty, termios = (importlib.import_module(name) for name in ("fcntl", "pty", "termios"))
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    more = ("--rules", "mini3", "--check-minutes", "1", "--decisions", "640", "--folder", str(tmp_path))
    line = [sys.executable, "-m", "tests.training_dummy", *QUICK[:-1], *more]
    environment = {**ENVIRONMENT, "TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8"}
    process = subprocess.Popen(line, stdin=slave, stdout=slave, stderr=subprocess.DEVNULL, env=environment, cwd=ROOT)
    os.close(slave)
    seen = b""
    with contextlib.suppress(OSError):  # the end of a pseudo-terminal is an error on Linux
        while chunk := os.read(master, 65536):
            seen += chunk
    os.close(master)
    assert process.wait(timeout=60) == 0
    text = seen.decode("utf-8", "replace")
    for words in ("entropy", "against heuristic", "points a deal", "left", "640 decisions in"):
        assert words in text


def test_the_part_of_a_process_is_its_own_and_what_all_share() -> None:
    state = {"rank1/a": torch.ones(1), "a": torch.zeros(1), "b": torch.zeros(2), "rank12/b": torch.ones(2)}
    assert {name: float(each[0]) for name, each in scattered(state, 0).items()} == {"a": 0, "b": 0}
    assert {name: float(each[0]) for name, each in scattered(state, 1).items()} == {"a": 1, "b": 0}
    assert {name: float(each[0]) for name, each in scattered(state, 12).items()} == {"a": 0, "b": 1}


def torchrun(*arguments: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    line += ["-m", "tests.training_dummy", *QUICK, *arguments]
    return subprocess.run(line, capture_output=True, text=True, env=ENVIRONMENT, cwd=ROOT, timeout=300)


@pytest.mark.integration
def test_two_processes_train_one_network_and_go_on_as_they_were(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    done = torchrun("--decisions", "1280", "--folder", str(whole))
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("1,280 decisions in") == 1
    state, facts = load_checkpoint(whole)
    assert facts["world_size"] == 2
    assert facts["trainers"] == [{"decisions": 640}] * 2
    assert not torch.equal(state["generator"], state["rank1/generator"])
    assert not [name for name in state if name.startswith("rank1/network")], "the networks differ"
    assert [each["decisions"] for each in read_metrics(whole / "metrics.jsonl")] == list(range(128, 1281, 128))
    assert json.loads((whole / "dummy.json").read_text())["facts"]["decisions"] == 1280
    assert torchrun("--decisions", "512", "--folder", str(parts)).returncode == 0
    assert torchrun("--decisions", "1280", "--resume", str(parts)).returncode == 0
    again, _ = load_checkpoint(parts)
    assert again.keys() == state.keys()
    assert all(torch.equal(again[name], state[name]) for name in state)


@pytest.mark.integration
@pytest.mark.parametrize("whole_group", [True, False])
def test_two_processes_stop_together(whole_group: bool, tmp_path: Path) -> None:
    """A signal to torchrun, or to all: none waits for another that has gone."""
    line = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    line += ["-m", "tests.training_dummy", *QUICK, "--sleep", "0.05", "--folder", str(tmp_path)]
    process = subprocess.Popen(
        line,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
        cwd=ROOT,
        start_new_session=True,
    )
    try:
        until(process, "decisions")
        if whole_group:
            os.killpg(process.pid, signal.SIGINT)
        else:
            process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=100)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    assert "go on with: thousand train dummy --resume" in out
    assert load_checkpoint(tmp_path)[1]["world_size"] == 2
