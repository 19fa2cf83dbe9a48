"""What users of comparable environments ran into when they trained: batches, several decisions in a row, modes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

# ruff: noqa: E402, what needs the extra is imported after it has been looked for

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from baselines.gae import advantages_by_seat
from baselines.learned import save_agent
from baselines.networks import PolicyNet, masked
from baselines.pool import Opponents
from baselines.rollout import Rollout
from tests.learned_files import declare_files
from thousand_env import Rules, VectorEnv
from thousand_env.agents import from_text
from thousand_env.evaluation import duplicate


def test_illegal_actions_have_no_probability_in_what_is_learned_from() -> None:
    """Exactly none, in every row of a rollout, however sure of them the network is; and none was played."""
    torch.manual_seed(0)
    network = PolicyNet(hidden=(8,))
    torch.nn.init.normal_(network.policy.weight, std=30.0)
    env = VectorEnv(16, episode="deal", seed=0, observation_dtype="int8", num_threads=1, skip_forced=True)
    rollout = Rollout(env, 40, None, torch.device("cpu"))
    rollout.fill(env.reset(), network, Opponents(16, 3, 0.5, ("random",), 1, 0, torch.device("cpu")))
    with torch.no_grad():
        logits = network(torch.from_numpy(rollout.observation.reshape(640, -1)))
    mask = torch.from_numpy(rollout.action_mask.reshape(640, -1))
    assert (logits.masked_fill(mask == 1, -torch.inf).amax(1) > logits.masked_fill(mask == 0, -torch.inf).amax(1)).any()
    chances = masked(logits, mask)
    assert (chances.exp()[mask == 0] == 0).all()
    assert torch.allclose(chances.exp().sum(1), torch.ones(640))
    played = np.take_along_axis(rollout.action_mask, rollout.action[..., None], 2)
    assert (played == 1).all() and not rollout.learned.all() and rollout.learned.any()
    own = chances.gather(1, torch.from_numpy(rollout.action.reshape(640, 1)))[:, 0].numpy()
    learned = rollout.learned.reshape(640)
    assert np.allclose(own[learned], rollout.log_probability.reshape(640)[learned], atol=1e-4)


def test_advantages_where_one_seat_decides_twice_in_a_row() -> None:
    """By hand, of the four decisions of seats 0, 0, 1, 0: what follows is the seat's own next decision, and what is
    paid until then, on whoever's move, belongs to the decision before. After the end another deal begins."""
    seat = np.array([[0], [0], [1], [0], [1]])
    value = np.array([[1.0], [2.0], [3.0], [4.0], [9.0]], np.float32)
    reward = np.zeros((5, 1, 2), np.float32)
    reward[2] = [0.5, -0.5]  # on the move of seat 1
    reward[3] = [2.0, -2.0]
    ended = np.array([[False], [False], [False], [True], [False]])
    found = advantages_by_seat(seat, reward, ended, value, gamma=0.9, lam=0.5)
    last = 2.0 - 4.0
    second = 0.5 + 0.9 * 4.0 - 2.0 + 0.45 * last
    first = 0.9 * 2.0 - 1.0 + 0.45 * second
    other = -0.5 - 2.0 - 3.0
    assert found.advantage[:4, 0] == pytest.approx([first, second, other, last])
    assert found.value_target[:4, 0] == pytest.approx([first + 1, second + 2, other + 3, last + 4])
    assert found.known[:, 0].tolist() == [True, True, True, True, False]
    assert found.advantage[4, 0] == 0


def test_whether_an_agent_draws_or_takes_the_best_is_an_argument_that_reports_keep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    declare_files(monkeypatch)
    torch.manual_seed(0)
    file = tmp_path / "tiny.safetensors"
    save_agent(file, PolicyNet(hidden=(8,)), algorithm="ppo", rules=Rules(), facts={})
    names = [f"{file},mode={mode}" for mode in ("sample", "greedy")]
    assert [from_text(name).mode for name in names] == ["sample", "greedy"]  # type: ignore[attr-defined]
    report = duplicate(*names, deals=2, seed=0)
    assert list(report.names) == names
    assert report.to_dict()["names"] == names
    assert report.differences.any()
