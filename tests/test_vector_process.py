"""``VectorEnv`` with threads, forks and other processes: the games are always the same."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from thousand_env import VectorEnv

ROOT = Path(__file__).parent.parent
NUM = 1200
"""Enough rows for several threads, see ``batch.ROWS_A_THREAD``."""


def digest(env: VectorEnv, steps: int = 40) -> str:
    """A hash of everything that the environment gives in so many steps of one fixed policy."""
    found = hashlib.sha256()
    batch = env.reset()
    for step in range(steps):
        for each in batch:
            if each is not None:
                found.update(np.ascontiguousarray(each).tobytes())
        nth = step % batch.action_mask.sum(axis=1)
        actions = np.argmax(np.cumsum(batch.action_mask, axis=1, dtype=np.int64) > nth[:, None], axis=1)
        batch = env.step(actions)
    return found.hexdigest()


def make(num_threads: int = 1, seed: int = 7) -> VectorEnv:
    return VectorEnv(NUM, episode="deal", seed=seed, num_threads=num_threads, state=True, history=True)


@pytest.fixture(scope="module")
def expected() -> str:
    return digest(make())


@pytest.mark.parametrize("num_threads", [2, 3, 4, None])
def test_the_number_of_threads_changes_nothing(num_threads: int | None, expected: str) -> None:
    env = VectorEnv(NUM, episode="deal", seed=7, num_threads=num_threads, state=True, history=True)
    assert digest(env) == expected


def test_another_process_plays_the_same(expected: str) -> None:
    script = (
        "from tests.test_vector_process import digest, make; import numpy; numpy.random.seed(3); print(digest(make(2)))"
    )
    run = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == expected
    assert digest(make(seed=8), 3) != digest(make(), 3)


def test_two_environments_in_two_threads(expected: str) -> None:
    found: dict[int, str] = {}

    def play(place: int) -> None:
        found[place] = digest(make(2))

    threads = [threading.Thread(target=play, args=(place,)) for place in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {0: expected, 1: expected}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_process_that_steps_forks_and_steps_in_the_child() -> None:
    env = make(2)
    actions = env.reset().action_mask.argmax(axis=1)
    actions = env.step(actions).action_mask.argmax(axis=1)
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        seen = hashlib.sha256(env.step(actions).observation.tobytes()).hexdigest()
        os.write(send, seen.encode())
        os._exit(0)
    os.close(send)
    with os.fdopen(receive) as pipe:
        from_child = pipe.read()
    assert os.waitpid(child, 0)[1] == 0
    assert from_child == hashlib.sha256(env.step(actions).observation.tobytes()).hexdigest()


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers on this system")
def test_an_interrupt_while_threads_step_leaves_none_of_them_at_work() -> None:
    env = VectorEnv(40_000, seed=1, num_threads=8, observation_dtype="int8")
    env.step(env.reset().action_mask.argmax(axis=1))  # all that is compiled is there, and the threads are
    expected = VectorEnv(40_000, seed=1, num_threads=1, observation_dtype="int8").reset().observation.copy()
    interrupted = 0

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    previous = signal.signal(signal.SIGALRM, interrupt)
    try:
        for attempt in range(10):
            actions = env.reset(seed=2).action_mask.argmax(axis=1)
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.001 + 0.0005 * attempt)
                env.step(actions)
                signal.setitimer(signal.ITIMER_REAL, 0)
            except KeyboardInterrupt:
                interrupted += 1
            assert np.array_equal(env.reset(seed=1).observation, expected)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    assert interrupted
