"""Makes ``Thousand-v0`` known to Gymnasium, without importing Gymnasium.

Gymnasium has no plugins since 1.0, and importing it with NumPy takes 0.12 s, six times what ``import thousand_env``
takes. So if its registry is there, the id is registered at once, and otherwise as soon as something imports it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Final, cast

ENV_ID: Final = "Thousand-v0"
ENTRY_POINT: Final = "thousand_env.single:SingleSeatEnv"
VECTOR_ENTRY_POINT: Final = "thousand_env.single_vector:SingleSeatVectorEnv"

_REGISTRY: Final = "gymnasium.envs.registration"


def announce() -> None:
    """Register now or when Gymnasium is imported."""
    if _REGISTRY in sys.modules:
        register()
    else:
        sys.meta_path.insert(0, _Finder())


def register() -> None:
    """Enter the id in Gymnasium's registry, once."""
    from gymnasium.envs.registration import register as enter
    from gymnasium.envs.registration import registry

    if ENV_ID not in registry:
        enter(ENV_ID, entry_point=ENTRY_POINT, vector_entry_point=VECTOR_ENTRY_POINT)


class _Finder:
    """Stands before the other finders until Gymnasium's registry has been imported; finds it by asking them."""

    def __init__(self) -> None:
        self._asking = False

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != _REGISTRY or self._asking:
            return None
        self._asking = True  # another finder may be one of these and ask back
        try:
            found = (finder.find_spec(name, path, target) for finder in sys.meta_path)
            spec = next((each for each in found if each is not None), None)
        finally:
            self._asking = False
        if spec is not None and spec.loader is not None:
            spec.loader = cast(Any, _Loader(spec.loader, self))  # importlib.abc.Loader takes 10 ms to import
        return spec


class _Loader:
    """Loads a module as its own loader does, and then registers."""

    def __init__(self, loader: Any, finder: _Finder) -> None:
        self._loader: Final = loader
        self._finder: Final = finder

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        module: ModuleType | None = self._loader.create_module(spec)
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        if self._finder in sys.meta_path:
            sys.meta_path.remove(self._finder)
        register()
