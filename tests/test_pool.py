"""Opponents in self-play: who sits where, who decides, and which past selves are kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from baselines.networks import PolicyNet  # noqa: E402
from baselines.pool import LEARNER, Opponents  # noqa: E402
from thousand_env import Batch, Rules, VectorEnv, agents  # noqa: E402
from thousand_env.agents import BatchAgent  # noqa: E402

ROWS = 600
ALL = np.arange(ROWS)


def pool(players: int = 3, share: float = 0.5, names: tuple[str, ...] = ("heuristic",), size: int = 4) -> Opponents:
    return Opponents(ROWS, players, share, names, size, 1, torch.device("cpu"))


def always(action: int, kind: str = "mlp") -> PolicyNet:
    """A network that takes an action wherever it is legal."""
    network = PolicyNet(kind, (4,))
    with torch.no_grad():
        network.policy.weight.zero_()
        network.policy.bias.zero_()
        network.policy.bias[action] = 100
    return network


def decisions(steps: int, dtype: str = "int8") -> Batch:
    """The same positions in both forms."""
    env = VectorEnv(ROWS, Rules(), episode="deal", seed=0, num_threads=1, observation_dtype=dtype, history=True)
    batch = env.reset()
    rng = np.random.default_rng(0)
    for _ in range(steps):
        batch = env.step([int(rng.choice(np.flatnonzero(mask))) for mask in batch.action_mask])
    return batch


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_learner_keeps_one_seat_or_all_but_one(players: int) -> None:
    opponents = pool(players)
    assert (opponents.seated == LEARNER).all()
    opponents.reseat(ALL)
    mixed = (opponents.seated != LEARNER).any(1)
    assert mixed.sum() == ROWS // 2
    learners = (opponents.seated[mixed] == LEARNER).sum(1)
    assert set(learners.tolist()) == {1, players - 1}
    if players > 2:
        assert 0.4 < (learners == 1).mean() < 0.6
    seats = (opponents.seated[mixed] == LEARNER)[learners == 1].argmax(1)
    assert (np.bincount(seats, minlength=players) > 0.6 * len(seats) / players).all()
    before = opponents.seated.copy()
    opponents.reseat(ALL[-10:])
    assert np.array_equal(opponents.seated[:-10], before[:-10])


def test_seats_go_to_fixed_agents_and_past_selves_alike_one_of_them_a_deal() -> None:
    opponents = pool(names=("heuristic", "greedy"))
    opponents.remember(always(0), 10)
    opponents.reseat(ALL)
    given = opponents.seated[(opponents.seated != LEARNER).any(1)]
    assert all(len(set(row) - {LEARNER}) == 1 for row in given.tolist())
    shares = np.bincount(given.max(1), minlength=3) / len(given)
    assert shares == pytest.approx([0.25, 0.25, 0.5], abs=0.08)


def test_without_anybody_to_play_against_the_learner_keeps_all_seats() -> None:
    for opponents in (pool(names=()), pool(share=0.0)):
        opponents.reseat(ALL)
        assert (opponents.seated == LEARNER).all()


def test_opponents_decide_where_they_sit_and_that_is_not_learned_from() -> None:
    opponents = pool(names=("greedy",))
    opponents.remember(always(0), 10)  # a past self that passes
    opponents.reseat(ALL)
    batch = decisions(1)
    action = np.full(ROWS, -7)
    learned = np.ones(ROWS, np.bool_)
    opponents.decide(batch.seat, batch.observation, batch.action_mask, action, learned)
    who = opponents.seated[ALL, batch.seat]
    assert np.array_equal(learned, who == LEARNER) and 0.5 < learned.mean() < 0.95
    assert (action[learned] == -7).all()
    floats = decisions(1, "float32")
    greedy = agents.from_text("greedy")
    assert isinstance(greedy, BatchAgent)
    wanted = greedy.act_batch(floats.observation[who == 0], floats.action_mask[who == 0])
    assert np.array_equal(action[who == 0], wanted)
    passes = (who == 1) & (batch.action_mask[:, 0] == 1)
    assert passes.sum() > 20 and (action[passes] == 0).all()
    assert (batch.action_mask[ALL[~learned], action[~learned]] == 1).all()


def test_a_past_self_that_reads_the_history_is_given_it() -> None:
    opponents = pool(names=(), share=1.0)
    opponents.remember(always(0, "transformer"), 10)
    opponents.reseat(ALL)
    batch = decisions(1)
    action: npt.NDArray[Any] = np.full(ROWS, -7)
    learned = np.ones(ROWS, np.bool_)
    opponents.decide(batch.seat, batch.observation, batch.action_mask, action, learned, batch.history)
    passes = ~learned & (batch.action_mask[:, 0] == 1)
    assert passes.sum() > 50 and (action[passes] == 0).all()


def test_the_past_is_kept_evenly_spread_and_is_a_copy() -> None:
    opponents = pool(size=4)
    network = always(3)
    for number in range(1, 60):
        opponents.remember(network, 100 * number)
        assert len(opponents.past) == len(opponents.past_at) == min(number, 4)
        assert opponents.past_at == sorted(opponents.past_at) and opponents.past_at[-1] == 100 * number
        if number >= 8:
            gaps = np.diff([0, *opponents.past_at[:-1]])
            assert gaps.max() <= 2.5 * gaps.min()
    with torch.no_grad():
        network.policy.bias.zero_()
    assert all(past.policy.bias[3] == 100 and not past.policy.bias.requires_grad for past in opponents.past)


def test_who_cannot_play_in_batches_is_refused() -> None:
    with pytest.raises(ValueError, match="opponent 'pimc' is not accepted: it has no act_batch"):
        pool(names=("pimc",))
