"""Decisions joined with the returns of their deals, on sequences made by hand."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from baselines.returns import Decisions, OpenDeals
from thousand_env.observation import OBSERVATION


def close(open_deals: OpenDeals, *steps: str, earned: dict[tuple[int, int], tuple[float, ...]]) -> Decisions:
    """Steps as ``"0a 1b"``: in row 0 seat 0 takes the action ``a``, in row 1 seat 1 takes ``b``."""
    cells = [[(int(cell[0]), ord(cell[1])) for cell in step.split()] for step in steps]
    numbers = np.array(cells)
    seat, action = numbers[..., 0].astype(np.int8), numbers[..., 1].astype(np.uint8)
    observation = np.zeros((*action.shape, OBSERVATION.size), np.int8)
    observation[..., 0] = action  # tells which decision it is
    ended = np.zeros(action.shape, np.bool_)
    paid = np.full((*action.shape, 3), np.nan, np.float32)  # nothing else may be read
    for place, rewards in earned.items():
        ended[place], paid[place] = True, rewards
    done = open_deals.close(observation, action, seat, ended, paid)
    assert (done.observation[:, 0] == done.action).all()
    return done


def text(actions: npt.NDArray[np.uint8]) -> str:
    return "".join(map(chr, actions.tolist()))


def test_each_decision_has_what_its_own_seat_earns_when_another_ends_the_deal() -> None:
    done = close(OpenDeals(), "0a", "0b", "2c", "1d", earned={(3, 0): (1.0, 2.0, -3.0)})
    assert text(done.action) == "abcd"
    assert done.target.tolist() == [1.0, 1.0, -3.0, 2.0]
    assert done.target.dtype == np.float32 and done.action.dtype == np.uint8


def test_two_deals_in_one_row_and_another_row_beside_them() -> None:
    open_deals = OpenDeals()
    done = close(
        open_deals, "0a 1p", "1b 1q", "2c 0r", "2d 2s", earned={(1, 0): (1, 2, 3), (3, 0): (4, 5, 6), (2, 1): (7, 8, 9)}
    )
    assert dict(zip(text(done.action), done.target.tolist(), strict=True)) == {
        "a": 1, "b": 2, "c": 6, "d": 6, "p": 8, "q": 8, "r": 7,
    }  # fmt: skip
    assert text(open_deals.action) == "s" and open_deals.row.tolist() == [1] and open_deals.seat.tolist() == [2]


def test_decisions_wait_for_the_collection_in_which_their_deal_ends() -> None:
    open_deals = OpenDeals()
    first = close(open_deals, "0a 2p", "1b 2q", earned={(0, 1): (0, 0, 5)})
    assert text(first.action) == "p" and first.target.tolist() == [5]
    assert len(open_deals) == 3
    second = close(open_deals, "2c 0r", "2d 1s", earned={})
    assert not len(second.target)
    assert len(open_deals) == 7
    third = close(open_deals, "0e 2t", "0f 2u", earned={(0, 0): (1, 2, 3), (1, 1): (7, 8, 9)})
    assert text(third.action) == "abqcrdsetu"  # without f, which has begun the next deal
    targets = dict(zip(text(third.action), third.target.tolist(), strict=True))
    assert targets == {"a": 1, "b": 2, "c": 3, "d": 3, "e": 1, "q": 9, "r": 7, "s": 8, "t": 9, "u": 9}
    assert text(open_deals.action) == "f"
    assert third.observation.dtype == np.int8


def test_nothing_is_lost_or_doubled_whatever_the_cuts() -> None:
    rng = np.random.default_rng(0)
    steps, rows = 60, 7
    action = rng.integers(0, 130, (steps, rows))
    seat = rng.integers(0, 3, (steps, rows)).astype(np.int8)
    ended = rng.random((steps, rows)) < 0.15
    earned = rng.normal(size=(steps, rows, 3)).astype(np.float32)
    observation = np.zeros((steps, rows, OBSERVATION.size), np.int8)
    observation[..., 0], observation[..., 1] = np.indices((steps, rows))

    def collected(size: int) -> tuple[set[tuple[float, ...]], int]:
        open_deals, found = OpenDeals(), []
        for start in range(0, steps, size):
            part = slice(start, start + size)
            done = open_deals.close(observation[part], action[part], seat[part], ended[part], earned[part])
            found += zip(*done.observation[:, :2].T.tolist(), done.action.tolist(), done.target.tolist(), strict=True)
        assert len(set(found)) == len(found)
        assert len(found) + len(open_deals) == steps * rows
        return set(found), len(open_deals)

    whole = collected(steps)
    assert all(collected(size) == whole for size in (1, 2, 5, 20))
    for step, row, chosen, target in whole[0]:
        last = step + int(np.argmax(ended[int(step) :, int(row)]))
        assert (
            target == earned[int(last), int(row), seat[int(step), int(row)]] and chosen == action[int(step), int(row)]
        )
