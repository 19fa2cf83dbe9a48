"""Gymnasium's vectors of environments around ``Thousand-v0``: masks arrive, and samplers take them."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv


def make_single() -> Any:
    return gymnasium.make("thousand_env:Thousand-v0", seat=None, illegal="raise", episode="deal")


@pytest.mark.parametrize("kind", [SyncVectorEnv, AsyncVectorEnv])
def test_vectors_of_environments_sample_by_masks(kind: Callable[..., Any]) -> None:
    """Masks arrive as they are, ``action_masks()`` may be called in each copy, and ``sample`` takes them."""
    env = kind([make_single] * 3)
    waits = hasattr(gymnasium.vector, "AutoresetMode")  # for the next step before it begins anew
    env.action_space.seed(0)
    observations, _ = env.reset(seed=1)
    over = np.zeros(3, bool)
    for _ in range(40):
        masks = observations["action_mask"]
        assert (masks.dtype, masks.shape) == (np.int8, (3, 130))
        called = env.call("action_masks")
        assert all(mask.dtype == np.int8 for mask in called)
        assert np.array_equal(np.stack(called), masks)
        assert masks.any(axis=1).tolist() == (~over).tolist()
        for mask in masks[~over]:
            assert mask[env.single_action_space.sample(mask)] == 1
        actions = env.action_space.sample(tuple(masks))
        assert over[~masks[np.arange(3), actions].astype(bool)].all()
        observations, _, terminated, truncated, _ = env.step(actions)
        over = (terminated | truncated) & waits
    env.close()


@pytest.mark.skipif(hasattr(gymnasium.vector, "AutoresetMode"), reason="this gymnasium has autoreset modes")
def test_an_older_gymnasium_is_told_what_batches_need() -> None:
    with pytest.raises(ImportError, match=r"needs gymnasium 1\.1 or newer"):
        importlib.import_module("thousand_env.single_vector")
