"""The command ``thousand`` as a process: Ctrl-C, closed pipes, a real terminal, and what it imports.

Each process takes a second or two to start, so there are few.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import re
import signal
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from thousand_env.cli import main
from thousand_env.records import read, replay

ESCAPE = "\x1b"


def start(*arguments: str, **more: Any) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONUNBUFFERED": ""}
    return subprocess.Popen(
        [sys.executable, "-m", "thousand_env", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env=environment,
        **more,
    )


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_ctrl_c_and_sigterm_end_with_what_has_been_played(number: int, code: int, tmp_path: Path) -> None:
    path = tmp_path / "stopped.jsonl"
    process = start("watch", "--seed", "7", "--speed", "40", "--record", str(path))
    assert process.stdout is not None
    try:
        for line in process.stdout:
            if re.match(r"   2  P\d ", line):
                break
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == code
    assert err == ""
    assert "Stopped after 0 deals; the match was not over" in out
    [record] = read(path)
    assert record.unfinished
    assert replay(record).tricks_won != [0, 0, 0]
    assert main(["verify", str(path)]) == 0


def test_closed_pipe_ends_quietly() -> None:
    process = start("watch", "--seed", "7")
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline().startswith("Thousand: ")
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait(timeout=60) == 0


def test_importing_the_command_is_light() -> None:
    heavy = ("torch", "matplotlib", "rich", "tyro", "numba", "numpy", "gymnasium", "pettingzoo")
    program = f"import sys, thousand_env.cli; print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_watch_in_a_pipe_needs_no_extra() -> None:
    program = (
        "import sys; sys.modules['rich'] = sys.modules['tyro'] = None\n"
        "from thousand_env.cli import main\n"
        "code = main(['watch', '--rules', 'mini3', '--seed', '1'])\n"
        "assert 'torch' not in sys.modules and 'matplotlib' not in sys.modules\n"
        "sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env={**os.environ, "PYTHONIOENCODING": "ascii"}
    )
    assert done.returncode == 0
    assert done.stdout.isascii()
    assert "Nobody has won" in done.stdout


@pytest.mark.skipif(not hasattr(os, "forkpty"), reason="needs a pseudo-terminal")
def test_ctrl_c_in_a_terminal_restores_it() -> None:
    fcntl, pty, termios = (importlib.import_module(name) for name in ("fcntl", "pty", "termios"))
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "LINES")}
    process = subprocess.Popen(
        [sys.executable, "-m", "thousand_env", "watch", "--seed", "7"],
        stdin=slave,
        stdout=slave,
        stderr=subprocess.DEVNULL,
        env={**environment, "TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8"},
    )
    os.close(slave)
    seen, asked = b"", False
    with contextlib.suppress(OSError):  # the end of a pseudo-terminal is an error on Linux
        while chunk := os.read(master, 65536):
            seen += chunk
            if not asked and seen.count(b"score sheet") > 2:
                asked = True
                process.send_signal(signal.SIGINT)
    os.close(master)
    assert process.wait(timeout=60) == 130
    text = seen.decode("utf-8", "replace")
    assert text.count(f"{ESCAPE}[?1049h") == text.count(f"{ESCAPE}[?1049l") == 1
    assert text.rindex("Stopped after 0 deals") > text.rindex(f"{ESCAPE}[?1049l")
    assert text.rindex(f"{ESCAPE}[?25h") > text.rindex(f"{ESCAPE}[?25l")  # the cursor is back
