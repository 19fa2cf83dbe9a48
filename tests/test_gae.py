"""Advantages by seat, on sequences of turns worked out by hand and against a slow twin."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

pytest.importorskip("torch")

from baselines.gae import Advantages, advantages_by_seat

# Five decisions of one game of two: seat 0 decides twice in a row, seat 1's move at step 2 pays both, the deal ends at
# step 4 on seat 1's move. gamma 0.9, lambda 0.8, so that gamma * lambda = 0.72.
SEAT = [0, 0, 1, 0, 1]
VALUE = [0.5, 0.25, -0.5, 1.0, 0.75]
PAID = [[0, 0], [0, 0], [3, -3], [0, 0], [1, -1]]
ADVANTAGE = [
    0.9 * 0.25 - 0.5 + 0.72 * 3.65,  # seat 0 decides again at once: its own value is what follows
    3 + 0.9 * 1.0 - 0.25 + 0.72 * 0.0,  # the 3 come on the other's move
    -3 + 0.9 * 0.75 + 0.5 + 0.72 * -1.75,
    1 - 1.0,  # the deal ends before it decides again
    -1 - 0.75,
]


def of_one_row(seat: list[int], paid: Any, ended: list[bool], value: list[float], gamma: float, lam: float) -> Any:
    columns = np.array(seat), np.array(paid, np.float32), np.array(ended), np.array(value, np.float32)
    found = advantages_by_seat(*(column[:, None] for column in columns), gamma, lam)
    return Advantages(*(each[:, 0] for each in found))


def test_a_deal_worked_out_by_hand() -> None:
    found = of_one_row(SEAT, PAID, [False] * 4 + [True], VALUE, 0.9, 0.8)
    assert found.advantage == pytest.approx(ADVANTAGE)
    assert found.advantage == pytest.approx([2.353, 3.65, -3.085, 0, -1.75])
    assert found.value_target == pytest.approx(np.add(ADVANTAGE, VALUE))
    assert found.known.all()
    assert found.advantage.dtype == found.value_target.dtype == np.float32


def test_what_follows_the_last_decision_of_each_seat_is_not_known_where_the_buffer_ends() -> None:
    found = of_one_row(SEAT[:4], PAID[:4], [False] * 4, VALUE[:4], 0.9, 0.8)
    assert found.known.tolist() == [True, True, False, False]
    assert found.advantage == pytest.approx([2.353, 3.65, 0, 0])  # step 1 rests on the value of step 3 alone
    alone = of_one_row([0, 1, 1], np.zeros((3, 2)), [False] * 3, [0.0, 0.0, 0.0], 1, 1)
    assert alone.known.tolist() == [False, True, False]


def test_nothing_passes_the_end_of_a_deal() -> None:
    """The same deal after another one and before a third: it finds the same, and so do they."""
    first = of_one_row([1], [[5, -5]], [True], [0.1], 0.9, 0.8)
    ends = [True, *[False] * 4, True, False]
    found = of_one_row([1, *SEAT, 0], [[5, -5], *PAID, [9, -9]], ends, [0.1, *VALUE, 0.3], 0.9, 0.8)
    assert found.advantage == pytest.approx([*first.advantage, *ADVANTAGE, 0])
    assert found.known.tolist() == [True] * 6 + [False]


def test_a_seat_that_never_decides_in_a_deal_changes_nothing() -> None:
    """Seat 2 is paid but has no decision; seat 0 is paid only before its first one, which is no merit of it."""
    found = of_one_row([1, 0, 1], [[7, 0, 4], [0, 0, 0], [1, 2, 4]], [False, False, True], [0.0] * 3, 1, 1)
    assert found.advantage == pytest.approx([2, 1, 2])


def test_with_gamma_and_lambda_1_the_target_is_what_a_seat_is_paid_from_then_on() -> None:
    found = of_one_row(SEAT, PAID, [False] * 4 + [True], VALUE, 1.0, 1.0)
    assert found.value_target == pytest.approx([4, 4, -4, 1, -1])
    one_step = of_one_row(SEAT, PAID, [False] * 4 + [True], VALUE, 1.0, 0.0)
    assert one_step.value_target == pytest.approx([0.25, 4, -2.25, 1, -1])


def slow_twin(seat: Any, reward: Any, ended: Any, value: Any, gamma: float, lam: float) -> list[float | None]:
    """Of one game, decision by decision from its definition; None where it is not known."""

    def next_own(step: int) -> int | None:
        """The seat's next decision in the deal; ``len(seat)`` for none in a deal that goes on, None if it has ended."""
        for later in range(step, len(seat)):
            if later > step and seat[later] == seat[step]:
                return later
            if ended[later]:
                return None
        return len(seat)

    def advantage(step: int) -> float | None:
        after = next_own(step)
        if after == len(seat):
            return None
        if after is None:
            last = next(later for later in range(step, len(seat)) if ended[later])
            return float(reward[step : last + 1, seat[step]].sum() - value[step])
        error = reward[step:after, seat[step]].sum() + gamma * value[after] - value[step]
        return float(error + gamma * lam * (advantage(after) or 0))

    return [advantage(step) for step in range(len(seat))]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_it_agrees_with_a_slow_twin_on_random_sequences(players: int) -> None:
    rng = np.random.default_rng(players)
    steps, rows = 30, 40
    seat = rng.integers(0, players, (steps, rows))
    reward: npt.NDArray[np.float32] = rng.normal(size=(steps, rows, players)).astype(np.float32)
    ended = rng.random((steps, rows)) < 0.15
    value = rng.normal(size=(steps, rows)).astype(np.float32)
    found = advantages_by_seat(seat, reward, ended, value, 0.95, 0.9)
    for row in range(rows):
        wanted = slow_twin(seat[:, row], reward[:, row], ended[:, row], value[:, row], 0.95, 0.9)
        assert found.known[:, row].tolist() == [each is not None for each in wanted]
        assert found.advantage[:, row] == pytest.approx([each or 0 for each in wanted], abs=1e-5)
