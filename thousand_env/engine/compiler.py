"""How the engine is compiled: ``compiled`` for its rooms, ``entry`` for the few functions that Python calls.

Only entries are cached on disk, each with everything that it calls. Numba's own check looks at the file of the cached
function alone and would go on running an old rule after an edit in another room; therefore the cache lies in a folder
whose name is a hash of all sources of the engine. An entry outside the engine is stamped with a hash of its own file
and of all that this imports from our packages and its own. Where no folder can be written, the engine is compiled in
memory.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import os
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, TypeVar

import numba
import numpy as np
from numba import njit
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator

from thousand_env.engine.interpreted import Records, interpreted

Function = TypeVar("Function", bound=Callable[..., Any])

_PACKAGE: Final = Path(__file__).resolve().parent.parent
_BASE_SOURCES: Final = (
    "cards.py",
    "options.py",
    "contradictions.py",
    "rules.py",
    "rules_record.py",
    "actions.py",
    "layout.py",
)


def compiled(function: Function) -> Function:
    """A function of the engine that other compiled functions call."""
    return njit(nogil=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)


def inlined(function: Function) -> Function:
    """A compiled function that is put into each of its callers: for the few that run for every decision."""
    return njit(nogil=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True)(
        function
    )


def pasted(function: Function) -> Function:
    """A function whose code is put into each of its callers before they are compiled.

    For what only hands on: every storey of compiled functions is optimised again as a whole, which here takes seconds.
    """
    return njit(nogil=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True, inline="always")(
        function
    )


def room_for(kind: np.dtype[np.void]) -> Callable[[], Any]:
    """A function of the engine that makes an array with room for one record of this kind."""
    if numba.config.DISABLE_JIT:
        return lambda: Records(np.zeros(1, kind))
    return compiled(lambda: np.empty(1, kind))


def entry(function: Function) -> Function:
    """A compiled function that Python calls: kept on disk between processes."""
    if numba.config.DISABLE_JIT:
        return interpreted(function)  # type: ignore[return-value]
    dispatcher = njit(nogil=True, error_model="numpy", no_cfunc_wrapper=True)(function)
    if cache_folder() is not None:
        dispatcher._cache = _EngineCache(function)
    return dispatcher


def direct(function: Callable[..., Any], *examples: Any) -> Callable[..., Any]:
    """An entry, called once with ``examples``, without Numba's choice by argument types, which costs 0.3 us a call.

    It must be called with arguments of the very types of the examples: nothing checks them.
    """
    function(*examples)
    if numba.config.DISABLE_JIT:
        return function
    compiled_function: Callable[..., Any] = function.get_overload(tuple(numba.typeof(each) for each in examples))  # type: ignore[attr-defined]
    return compiled_function


@functools.cache
def source_hash() -> str:
    """Hash of the engine's sources, of Numba's version and of whether bounds are checked."""
    digest = hashlib.sha256(f"{numba.__version__} {numba.config.BOUNDSCHECK}".encode())
    for path in sorted([*(_PACKAGE / "engine").glob("*.py"), *(_PACKAGE / name for name in _BASE_SOURCES)]):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def stamp_of(file: Path) -> str:
    """Hash of what an entry in this file is made of: the engine alone, or also the file and what it imports."""
    if file.parent == _PACKAGE / "engine":
        return source_hash()
    digest = hashlib.sha256(source_hash().encode())
    for path in sorted(_imported_files(file)):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def _imported_files(file: Path) -> set[Path]:
    """A file and all that it imports, and they import, from this package and from its own; not the engine."""
    own = file.parent
    while (own.parent / "__init__.py").exists():
        own = own.parent
    homes = {"thousand_env": _PACKAGE, own.name: own}
    found: set[Path] = set()
    left = [file]
    while left:
        path = left.pop()
        if path in found or path.parent == _PACKAGE / "engine":
            continue
        found.add(path)
        for module, name in _imports(path, path.stat().st_mtime_ns):
            top, *rest = module.split(".")
            if top in homes:
                place = homes[top].joinpath(*rest)
                candidates = [place.with_suffix(".py"), place / "__init__.py", place / f"{name}.py"]
                left += [each for each in candidates if each.exists()]
    return found


@functools.cache
def _imports(path: Path, changed: int) -> tuple[tuple[str, str], ...]:
    """The modules that a file, last ``changed`` then, imports from, each with a name that is imported."""
    found: list[tuple[str, str]] = []
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found += [(node.module, alias.name) for alias in node.names]
        elif isinstance(node, ast.Import):
            found += [(alias.name, "") for alias in node.names]
    return tuple(found)


@functools.cache
def cache_folder() -> str | None:
    """The first folder of ``NUMBA_CACHE_DIR``, the package's own, the user's cache that can be written, or None."""
    for parent in _cache_parents():
        folder = parent / f"engine-{source_hash()}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
        except OSError:
            continue
        return str(folder)
    warnings.warn(
        "no folder can be written to keep the compiled engine in, so each process compiles it again: "
        "set NUMBA_CACHE_DIR to a folder that can be written",
        RuntimeWarning,
        stacklevel=2,
    )
    return None


def _cache_parents() -> Iterator[Path]:
    if numba.config.CACHE_DIR:
        yield Path(numba.config.CACHE_DIR) / "thousand_env"
        return
    yield _PACKAGE / "__pycache__"
    home = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    try:
        yield (Path(home) if home else Path.home() / ".cache") / "thousand_env"
    except RuntimeError:  # no home directory
        return


class _EngineLocator(_CacheLocator):  # type: ignore[misc]
    def __init__(self, function: Callable[..., Any]) -> None:
        self._name = f"{function.__module__}.{function.__qualname__}"
        self._stamp = stamp_of(Path(function.__code__.co_filename).resolve())

    def get_cache_path(self) -> str:
        folder = cache_folder()
        assert folder is not None
        return folder

    def get_source_stamp(self) -> str:
        return self._stamp

    def get_disambiguator(self) -> str:
        return f"{self._name}-{self._stamp}"

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> _EngineLocator:
        return cls(py_func)


class _EngineCacheImpl(CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = [_EngineLocator]  # noqa: RUF012


class _EngineCache(FunctionCache):  # type: ignore[misc]
    _impl_class = _EngineCacheImpl
