"""Checkpoints: everything comes back as it was, a training goes on bit for bit, and bad files are told in one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

# ruff: noqa: E402, what needs the extra is imported after it has been looked for

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from baselines import checkpoints
from baselines.checkpoints import (
    CheckpointError,
    env_state,
    load_checkpoint,
    load_env_state,
    load_module_state,
    load_optimizer_state,
    load_torch_rng_state,
    module_state,
    optimizer_state,
    restore_rng,
    rng_facts,
    save_checkpoint,
    torch_rng_state,
)
from baselines.networks import Critic, PolicyNet, masked, sample
from thousand_env import VectorEnv


class Training:
    """A little policy gradient that draws from everything a checkpoint has to hold."""

    def __init__(self, seed: int, optimizer: str = "Adam") -> None:
        torch.manual_seed(seed)
        self.network = PolicyNet(hidden=(16,))
        options: dict[str, Any] = {"momentum": 0.9} if optimizer == "SGD" else {}
        self.optimizer = getattr(torch.optim, optimizer)(self.network.parameters(), lr=0.01, **options)
        self.env = VectorEnv(4, seed=seed, num_threads=1, episode="deal")
        self.generator = torch.Generator().manual_seed(seed)
        self.rng = np.random.default_rng(seed)
        self.batch = self.env.reset()

    def train(self, steps: int) -> None:
        for _ in range(steps):
            self.optimizer.param_groups[0]["lr"] = 0.01 / (1 + self.rng.random())
            log_probabilities = masked(
                self.network(torch.from_numpy(self.batch.observation.copy())),
                torch.from_numpy(self.batch.action_mask.copy()),
            )
            actions = sample(log_probabilities, self.generator)
            self.batch = self.env.step(actions.numpy())
            loss = (log_probabilities.gather(1, actions[:, None])[:, 0] * self.rng.normal()).sum()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()

    def save(self, folder: Path) -> None:
        state = {
            **module_state("policy", self.network),
            **optimizer_state("adam", self.optimizer),
            **env_state("games", self.env),
            **torch_rng_state("draws", self.generator),
        }
        save_checkpoint(folder, state, {"rng": rng_facts(self.rng), "folder": folder, "best": np.float64(0.5)})

    def load(self, folder: Path) -> None:
        state, facts = load_checkpoint(folder)
        load_module_state("policy", self.network, state)
        load_optimizer_state("adam", self.optimizer, state)
        self.batch = load_env_state("games", self.env, state)
        load_torch_rng_state("draws", self.generator, state)
        restore_rng(self.rng, facts["rng"])


@pytest.mark.parametrize("optimizer", ["Adam", "AdamW", "RMSprop", "SGD"])
def test_a_training_goes_on_bit_for_bit(tmp_path: Path, optimizer: str) -> None:
    whole, first, second = Training(1, optimizer), Training(1, optimizer), Training(2, optimizer)
    whole.train(30)
    first.train(18)
    first.save(tmp_path / "new" / "folder")
    second.train(3)
    second.load(tmp_path / "new" / "folder")
    second.train(12)
    for name, tensor in whole.network.state_dict().items():
        assert torch.equal(tensor, second.network.state_dict()[name]), name
    assert whole.rng.random() == second.rng.random()
    assert np.array_equal(whole.batch.observation, second.batch.observation)


def test_what_is_saved_comes_back(tmp_path: Path) -> None:
    state = {
        "a": torch.arange(6, dtype=torch.int64).reshape(2, 3).T,  # not contiguous
        "b/c": torch.tensor(3.5),
        "empty": torch.zeros(0, 4, dtype=torch.uint8),
        "half": torch.randn(3).bfloat16().requires_grad_(),
        "bool": torch.tensor([True, False]),
    }
    state["shared"] = state["a"]
    save_checkpoint(tmp_path, state, {"path": tmp_path, "seed": np.uint64(2**64 - 1), "list": (1, None), "text": "ż"})
    loaded, facts = load_checkpoint(tmp_path)
    assert loaded.keys() == state.keys()
    assert all(torch.equal(loaded[name], state[name]) and loaded[name].dtype == state[name].dtype for name in state)
    assert facts == {"path": str(tmp_path), "seed": 2**64 - 1, "list": [1, None], "text": "ż"}
    readable = json.loads((tmp_path / "checkpoint.json").read_text())
    assert readable == {"format": "thousand_env checkpoint 1", **facts}
    assert sorted(each.name for each in tmp_path.iterdir()) == ["checkpoint.json", "checkpoint.safetensors"]


def test_a_save_that_fails_leaves_the_checkpoint_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_checkpoint(tmp_path, {"a": torch.ones(2)}, {"step": 1})
    with pytest.raises(ValueError, match=r"facts for 'checkpoint.safetensors' cannot be written as JSON: <object"):
        save_checkpoint(tmp_path, {"a": torch.zeros(2)}, {"step": object()})

    def full(number: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(checkpoints.os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        save_checkpoint(tmp_path, {"a": torch.zeros(2)}, {"step": 2})
    state, facts = load_checkpoint(tmp_path)
    assert facts == {"step": 1} and state["a"].sum() == 2
    assert sorted(each.name for each in tmp_path.iterdir()) == ["checkpoint.json", "checkpoint.safetensors"]


def test_no_checkpoint(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"checkpoint.safetensors' does not exist"):
        load_checkpoint(tmp_path)


def test_every_damaged_byte_and_every_cut_is_found(tmp_path: Path) -> None:
    save_checkpoint(tmp_path, {"a": torch.ones(5), "b": torch.zeros(2, 2)}, {"step": 1})
    path = tmp_path / "checkpoint.safetensors"
    whole = path.read_bytes()
    for place in range(len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= 1
        path.write_bytes(damaged)
        with pytest.raises(CheckpointError) as caught:
            load_checkpoint(tmp_path)
        assert "\n" not in str(caught.value)
    for size in range(0, len(whole), 7):
        path.write_bytes(whole[:size])
        with pytest.raises(CheckpointError, match="cannot be read, it is damaged or no safetensors file"):
            load_checkpoint(tmp_path)


def test_files_of_others(tmp_path: Path) -> None:
    from safetensors.torch import save_file

    path = tmp_path / "checkpoint.safetensors"
    save_file({"a": torch.ones(2)}, path)
    with pytest.raises(CheckpointError, match="not written by this package: it must be 'thousand_env checkpoint 1'"):
        load_checkpoint(tmp_path)
    save_file({"a": torch.ones(2)}, path, {"format": "pt"})
    with pytest.raises(CheckpointError, match="is a file of 'pt'"):
        load_checkpoint(tmp_path)
    path.unlink()
    path.mkdir()
    with pytest.raises(CheckpointError, match="cannot be read"):
        load_checkpoint(tmp_path)


@pytest.mark.parametrize(
    ("saved", "reason"),
    [
        (PolicyNet(hidden=(8, 8)), "'trunk.layers.3.weight' is not known"),
        (PolicyNet(hidden=(16,)), r"'trunk.layers.1.weight' is torch.float32 \[16, 496\], it must be .*\[8, 496\]"),
        (PolicyNet(hidden=(8,)).double(), ".* is torch.float64"),
        (Critic(hidden=(8,)), "'trunk.layers.1.weight'"),
    ],
)
def test_another_network_is_refused_and_nothing_changes(saved: Any, reason: str) -> None:
    network = PolicyNet(hidden=(8,))
    before = {name: tensor.clone() for name, tensor in network.state_dict().items()}
    with pytest.raises(CheckpointError, match=f"the checkpoint does not fit 'p': {reason}"):
        load_module_state("p", network, module_state("p", saved))
    assert all(torch.equal(tensor, before[name]) for name, tensor in network.state_dict().items())
    with pytest.raises(CheckpointError, match="is missing"):
        load_module_state("q", network, module_state("p", network))


def test_a_compiled_network_has_the_names_of_the_plain_one() -> None:
    network = PolicyNet(hidden=(8,))
    compiled = torch.compile(network)
    assert module_state("p", compiled).keys() == module_state("p", network).keys()
    load_module_state("p", compiled, module_state("p", PolicyNet(hidden=(8,))))


def test_another_optimizer_is_refused_and_nothing_changes() -> None:
    training = Training(1)
    training.train(2)
    state = optimizer_state("adam", training.optimizer)
    with pytest.raises(CheckpointError, match="has no optimizer 'other'"):
        load_optimizer_state("other", training.optimizer, state)
    network = PolicyNet(hidden=(8,))
    small = torch.optim.Adam(network.parameters())
    with pytest.raises(CheckpointError, match="does not fit 'adam'"):
        load_optimizer_state("adam", small, state)
    assert not small.state_dict()["state"]
    fewer = torch.optim.Adam(training.network.policy.parameters())
    fresh = optimizer_state("adam", torch.optim.Adam(training.network.parameters()))
    with pytest.raises(CheckpointError, match="does not fit 'adam'"):
        load_optimizer_state("adam", fewer, fresh)
    parts = [{"params": list(each.parameters())} for each in (training.network.trunk, training.network.policy)]
    with pytest.raises(CheckpointError, match="it has 1 groups of parameters, not 2"):
        load_optimizer_state("adam", torch.optim.Adam(parts), fresh)


@pytest.mark.parametrize("kind", [np.random.PCG64, np.random.MT19937, np.random.Philox, np.random.SFC64])
def test_numpy_generators(kind: Any) -> None:
    rng = np.random.Generator(kind(3))
    rng.integers(0, 9, 5, dtype=np.uint32)
    facts = json.loads(json.dumps(rng_facts(rng)))
    other = np.random.Generator(kind(4))
    restore_rng(other, facts)
    assert np.array_equal(rng.random(9), other.random(9))
    wrong = np.random.Generator(np.random.PCG64DXSM(1))
    with pytest.raises(CheckpointError, match="does not fit a PCG64DXSM"):
        restore_rng(wrong, facts)


def test_torch_generators_are_checked() -> None:
    with pytest.raises(CheckpointError, match="no generator 'draws'"):
        load_torch_rng_state("draws", torch.Generator(), {})
    with pytest.raises(CheckpointError, match="does not fit generator 'draws'"):
        load_torch_rng_state("draws", torch.Generator(), {"draws": torch.zeros(3)})


def test_games_that_do_not_fit_are_refused() -> None:
    state = env_state("games", Training(1).env)
    with pytest.raises(ValueError, match="num_envs=4, this environment has 5"):
        load_env_state("games", VectorEnv(5, episode="deal"), state)
