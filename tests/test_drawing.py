"""Draws from the legal actions alone: never an illegal one, the right probabilities, the same numbers as ``masked``."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from baselines.drawing import draw, legal_places  # noqa: E402
from baselines.networks import masked  # noqa: E402


def some_rows(rows: int) -> tuple[torch.Tensor, np.ndarray]:
    rng = np.random.default_rng(3)
    mask = (rng.random((rows, 130)) < 0.05).astype(np.int8)
    mask[np.arange(rows), rng.integers(0, 130, rows)] = 1
    return torch.from_numpy(rng.normal(0, 30, (rows, 130)).astype(np.float32)), mask


def test_what_is_drawn_is_legal_and_has_the_probability_of_the_masked_policy() -> None:
    logits, mask = some_rows(3000)
    action, log_probability = draw(logits, mask, torch.Generator().manual_seed(1))
    assert action.dtype == np.int64
    assert log_probability.dtype == np.float32
    assert mask[np.arange(len(mask)), action].all()
    whole = masked(logits, torch.from_numpy(mask)).numpy()[np.arange(len(mask)), action]
    np.testing.assert_allclose(log_probability, whole, rtol=1e-5, atol=1e-5)


def test_actions_come_as_often_as_they_should() -> None:
    rows, legal = 40_000, [3, 64, 128, 129]
    mask = np.zeros((rows, 130), np.int8)
    mask[:, legal] = 1
    logits = torch.zeros(rows, 130)
    logits[:, legal] = torch.tensor([0.5, 0.1, 0.3, 0.1]).log()
    logits[:, 5] = 1000.0  # illegal, however high
    counts = np.bincount(draw(logits, mask, torch.Generator().manual_seed(2))[0], minlength=130)
    np.testing.assert_allclose(counts[legal] / rows, [0.5, 0.1, 0.3, 0.1], atol=0.012)  # 5 standard errors


def test_the_generator_decides_and_torch_s_own_otherwise() -> None:
    logits, mask = torch.zeros(200, 130), some_rows(200)[1]
    own = [draw(logits, mask, torch.Generator().manual_seed(seed))[0] for seed in (4, 4, 5)]
    assert (own[0] == own[1]).all()
    assert (own[0] != own[2]).any()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(4)
        assert (draw(logits, mask)[0] == own[0]).all()


def test_rows_without_a_legal_action_are_named_and_none_is_no_error() -> None:
    logits, mask = some_rows(5)
    mask[[1, 4]] = 0
    with pytest.raises(ValueError, match=r"rows \[1, 4\] of action_mask have no legal action"):
        draw(logits, mask)
    assert [len(each) for each in draw(torch.zeros(0, 130), np.zeros((0, 130), np.int8))] == [0, 0]


def test_places_of_the_legal_actions() -> None:
    mask = np.zeros((2, 130), np.int8)
    mask[0, [0, 129]] = mask[1, 7] = 1
    legal, starts, counts = legal_places(mask)
    assert (legal.tolist(), starts.tolist(), counts.tolist()) == ([0, 129, 137], [0, 2], [2, 1])
