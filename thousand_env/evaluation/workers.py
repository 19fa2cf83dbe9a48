"""Who plays the units: this process, worker processes, or a Ray cluster. Results come as they are done, in any order.

Every source is a generator of ``(index, unit)``; closing it ends the workers at once. Workers are started anew
(``spawn``), so a script that uses them needs ``if __name__ == "__main__":``. Each plays with one thread. Their SIGINT
is the parent's business; what agents print there goes to standard error if it does so in the parent.
"""

from __future__ import annotations

import contextlib
import importlib
import itertools
import multiprocessing
import os
import pickle
import signal
import sys
import traceback
from collections.abc import Iterable, Iterator
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, Final

from thousand_env.evaluation.control import ControlError
from thousand_env.evaluation.playing import AgentError, warm_up
from thousand_env.evaluation.units import Unit, Units
from thousand_env.keywords import available_cores

PROCESSES, RAY = "processes", "ray"
EXECUTORS: Final = (PROCESSES, RAY)
_ONE_THREAD: Final = (
    "NUMBA_NUM_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)
_MOST_WORKERS: Final = 10_000
_AHEAD: Final = 2
"""Units that wait at each worker of a cluster while it plays one."""


class WorkerError(RuntimeError):
    """A worker process died, or what it ran failed for a reason that is not an agent's."""


def play_units(units: Units, indices: Iterable[int], workers: int | None, executor: str) -> Iterator[tuple[int, Unit]]:
    """Play units; one worker of ``processes`` is this process itself."""
    waiting = iter(indices)
    first = _first(waiting, workers or (available_cores() if executor == PROCESSES else _MOST_WORKERS))
    workers, indices = len(first), itertools.chain(first, waiting)
    if executor == RAY:
        units.cast.check_pickles()
        return _ray(units, indices, workers)
    if workers == 1:
        warm_up()
        return ((index, units.play(index)) for index in indices)
    units.cast.check_pickles()
    return _processes(units, indices, workers)


def _processes(units: Units, indices: Iterable[int], workers: int) -> Iterator[tuple[int, Unit]]:
    if multiprocessing.parent_process() is not None:
        raise WorkerError(
            'workers were asked for inside a worker: put what starts them under if __name__ == "__main__":'
        )
    context = multiprocessing.get_context("spawn")
    payload = _payload(units)
    is_quiet = _prints_to_stderr()
    waiting = iter(indices)
    team: dict[Connection, Any] = {}
    playing: dict[Connection, int] = {}
    try:
        with _one_thread(), _deaf():
            for index in _first(waiting, workers):
                ours, theirs = context.Pipe()
                process = context.Process(target=_work, args=(theirs, payload, is_quiet), daemon=True)
                process.start()
                theirs.close()
                team[ours], playing[ours] = process, index
                ours.send(index)
        while playing:
            for connection in wait(list(playing)):
                assert isinstance(connection, Connection)
                yield _received(connection, playing.pop(connection), team[connection])
                for index in _first(waiting, 1):
                    connection.send(index)
                    playing[connection] = index
    finally:
        for connection, process in team.items():
            process.terminate()
            connection.close()
        for process in team.values():
            process.join()


def _first(waiting: Iterator[int], count: int) -> list[int]:
    return [index for _, index in zip(range(count), waiting, strict=False)]


def _received(connection: Connection, index: int, process: Any) -> tuple[int, Unit]:
    try:
        kind, result = connection.recv()
    except (EOFError, OSError):
        process.join(timeout=5)
        raise WorkerError(
            f"a worker died while it played unit {index} (exit code {process.exitcode}): "
            f"out of memory, or a script without if __name__ == '__main__':"
        ) from None
    return index, _result(index, kind, result)


def _result(index: int, kind: str, result: Any) -> Unit:
    """The unit of an outcome, or its error."""
    if kind == "agent":
        raise AgentError(result)
    if kind == "control":
        raise ControlError(result)
    if kind == "failed":
        raise WorkerError(f"unit {index} could not be played:\n{result}")
    unit: Unit = result
    return unit


def _payload(units: Units) -> bytes:
    """What workers get; agents have been checked before."""
    try:
        return pickle.dumps(units)
    except Exception as error:
        what = f"control cannot be pickled ({type(error).__name__}: {error})"
        raise ValueError(f"{what}: use a function of a module, or workers=1") from None


def _prints_to_stderr() -> bool:
    """Whether what this process prints goes to standard error now."""
    try:
        return sys.stdout.fileno() == sys.stderr.fileno()
    except (AttributeError, OSError, ValueError):  # replaced by something that is no file
        return sys.stdout is sys.stderr


def _work(connection: Connection, payload: bytes, is_quiet: bool) -> None:
    """A worker process: plays what it is told until it is ended."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError))
        if is_quiet:
            stack.enter_context(contextlib.redirect_stdout(sys.stderr))
        try:
            units = pickle.loads(payload)
            warm_up()
        except (Exception, SystemExit):
            connection.recv()
            connection.send(("failed", traceback.format_exc()))
            return
        while True:
            connection.send(_outcome(units, connection.recv()))


def _outcome(units: Units, index: int) -> tuple[str, Any]:
    try:
        return "done", units.play(index)
    except AgentError as error:
        return "agent", str(error)
    except ControlError as error:
        return "control", str(error)
    except (Exception, SystemExit):
        return "failed", traceback.format_exc()


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """What is started meanwhile uses one thread in each of its libraries."""
    before = {name: os.environ.get(name) for name in _ONE_THREAD}
    os.environ.update(dict.fromkeys(_ONE_THREAD, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextlib.contextmanager
def _deaf() -> Iterator[None]:
    """What is started meanwhile ignores Ctrl-C from its first moment."""
    before: Any = None
    with contextlib.suppress(ValueError):  # not in the main thread
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        if before is not None:
            signal.signal(signal.SIGINT, before)


class _Player:
    """A Ray actor: it keeps its agents from unit to unit."""

    def __init__(self, payload: bytes) -> None:
        self._units: Final[Units] = pickle.loads(payload)
        warm_up()

    def play(self, index: int) -> tuple[str, Any]:
        return _outcome(self._units, index)


def _ray(units: Units, indices: Iterable[int], workers: int) -> Iterator[tuple[int, Unit]]:
    try:
        ray: Any = importlib.import_module("ray")
    except ModuleNotFoundError:
        raise ImportError('executor="ray" needs ray, which is missing: pip install "thousand_env[ray]"') from None
    is_ours = not ray.is_initialized()
    if is_ours:
        ray.init(log_to_driver=False, include_dashboard=False)
    workers = max(1, min(workers, int(ray.cluster_resources().get("CPU", 1))))
    environment = dict.fromkeys(_ONE_THREAD, "1") | {"PYTHONPATH": os.pathsep.join(_search_path())}
    actor = ray.remote(_Player).options(num_cpus=1, runtime_env={"env_vars": environment})
    payload = ray.put(_payload(units))
    team = [actor.remote(payload) for _ in range(workers)]
    waiting = iter(indices)
    playing = {}
    try:
        for member in team * _AHEAD:
            for index in _first(waiting, 1):
                playing[member.play.remote(index)] = (index, member)
        while playing:
            for task in ray.wait(list(playing), num_returns=1)[0]:
                index, member = playing.pop(task)
                for following in _first(waiting, 1):
                    playing[member.play.remote(following)] = (following, member)
                kind, result = ray.get(task)
                yield index, _result(index, kind, result)
    finally:
        for member in team:
            ray.kill(member)
        if is_ours:
            ray.shutdown()


def _search_path() -> list[str]:
    """Where this process finds modules, so that workers find the same agents."""
    return [each or str(Path.cwd()) for each in sys.path]
