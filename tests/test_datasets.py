"""Data sets: rows are those of the games themselves, returns are by seat, interrupted runs go on to the same bytes."""

from __future__ import annotations

import json
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from thousand_env import Game, View, action_name, episode_seed
from thousand_env.cli import main
from thousand_env.datasets import COLUMNS, Dataset, DatasetError, generate, generating, unpack_masks
from thousand_env.evaluation import AgentError
from thousand_env.observation import encode, encode_int8


class Alone:
    """Chooses by itself, without batches, and counts what it has been asked since it was reset."""

    def reset(self, seed: int | None = None) -> None:
        self._rng = np.random.default_rng(seed)

    def act(self, view: View) -> int:
        return int(self._rng.choice(view.legal_actions()))


class Broken(Alone):
    def act(self, view: View) -> int:
        return 129 if view.phase == "play" else super().act(view)


class WrongBatch(Alone):
    def act_batch(self, observation: Any, action_mask: Any) -> Any:
        return np.full(len(action_mask), 2**40)


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def check_replay(data: Dataset, episode: str, seed: int, dtype: str = "int8") -> None:
    """Every row against a game that is played again by hand."""
    rows = data[:]
    agents = len(data.manifest["agents"])
    place = 0
    for number in range(data.manifest["episodes"]):
        game = Game(data.rules, episode_seed(seed, number), episode)
        first = place
        scores = {0: np.array(game.scores)}  # by deals that were scored before
        scored_before, seats = [], []
        step = 0
        while not game.is_over:
            seat = game.seat
            assert seat is not None
            row = {name: array[place] for name, array in rows.items()}
            assert (row["episode"], row["step"], row["seat"]) == (number, step, seat)
            assert row["agent"] == (seat + number) % agents
            assert row["deal"] == game.deal_number
            seen = (encode_int8 if dtype == "int8" else encode)(game.view(seat))
            assert np.array_equal(row["observation"], seen) and row["observation"].dtype == seen.dtype
            assert np.array_equal(row["action_mask"], game.action_mask())
            scored_before.append(len(scores) - 1)
            seats.append(seat)
            game.apply(int(row["action"]))
            if int(game._states["deals_scored"][0]) == len(scores):
                scores[len(scores)] = np.array(game.scores)
            place, step = place + 1, step + 1
        for offset, (before_deals, seat) in enumerate(zip(scored_before, seats, strict=True)):
            total = relative(scores[len(scores) - 1] - scores[before_deals], seat)
            deal_only = relative(scores[before_deals + 1] - scores[before_deals], seat)
            assert rows["return_to_go"][first + offset] == pytest.approx(total, abs=1e-5)
            assert rows["deal_return"][first + offset] == pytest.approx(deal_only, abs=1e-6)
    assert place == len(data)


def relative(change: Any, seat: int) -> float:
    return float(change[seat] - np.delete(change, seat).mean()) / 100


@pytest.mark.parametrize(
    ("agents", "rules", "episode", "dtype"),
    [
        ("heuristic", "classic", "deal", "int8"),
        (["greedy", "random"], "modern", "deal", "float32"),
        (["heuristic", "greedy", "random", "greedy"], "two_player", "deal", "int8"),
        (["heuristic", "greedy"], "classic", "match", "int8"),
        ([Alone(), "greedy"], "four_player", "deal", "int8"),
    ],
)
def test_rows_are_those_of_the_games(agents: Any, rules: str, episode: str, dtype: str, tmp_path: Path) -> None:
    number = 5 if episode == "match" else 20
    data = generate(
        agents, tmp_path, episodes=number, rules=rules, episode=episode, seed=7, dtype=dtype, shard_rows=300
    )
    assert data.num_shards > 1
    check_replay(data, episode, 7, dtype)
    data.verify()


def test_win_pays_at_the_end_of_the_match(tmp_path: Path) -> None:
    data = generate("heuristic", tmp_path, episodes=3, episode="match", reward="win")
    rows = data[:]
    for number in range(3):
        mine = rows["episode"] == number
        assert set(np.round(rows["return_to_go"][mine], 3).tolist()) == {1.0, -0.5}
        last = mine & (rows["deal"] == rows["deal"][mine].max())
        assert np.array_equal(rows["deal_return"][last], rows["return_to_go"][last])
        assert not rows["deal_return"][mine & ~last].any()


def test_random_actions_are_marked(tmp_path: Path) -> None:
    plain = generate("heuristic", tmp_path / "plain", episodes=200)[:]
    rows = generate("heuristic", tmp_path / "some", episodes=200, epsilon=0.2)
    found = rows[:]
    check_replay(rows, "deal", 0)
    assert not plain["explored"].any()
    assert found["explored"].mean() == pytest.approx(0.2, abs=0.03)
    assert (np.take_along_axis(found["action_mask"], found["action"][:, None].astype(int), 1) == 1).all()
    everything = generate("heuristic", tmp_path / "all", episodes=5, epsilon=1)[:]
    assert everything["explored"].all()


@pytest.mark.parametrize("agents", [["random", "greedy"], [Alone(), "random"]])
def test_same_seed_same_bytes_whatever_the_interruptions(
    agents: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    how: dict[str, Any] = {"episodes": 60, "seed": 3, "shard_rows": 400, "epsilon": 0.1}
    whole, other, broken = tmp_path / "whole", tmp_path / "other", tmp_path / "broken"
    generate(agents, whole, **how)
    generate(agents, other, **how)
    assert content(whole) == content(other)
    assert content(generate(agents, tmp_path / "seed", **(how | {"seed": 4})).folder) != content(whole)

    written = generating.write_shard

    def write_two(folder: Path, number: int, *more: Any) -> Any:
        if number % 2:
            (folder / f".shard-{number:05}.part").mkdir()
            (folder / f".shard-{number:05}.part" / "action.npy").write_bytes(b"half")
            raise KeyboardInterrupt
        return written(folder, number, *more)

    monkeypatch.setattr(generating, "write_shard", write_two)
    with pytest.raises(KeyboardInterrupt):
        generate(agents, broken, **how)
    with pytest.raises(DatasetError, match="not finished"):
        Dataset(broken)
    monkeypatch.setattr(generating, "write_shard", written)
    with pytest.raises(DatasetError, match="is not empty"):
        generate(agents, broken, **how)
    said: list[tuple[int, int]] = []
    data = generate(agents, broken, resume=True, progress=lambda done, wanted: said.append((done, wanted)), **how)
    assert content(broken) == content(whole)
    assert 0 < said[0][0] < 60 and said[-1] == (60, 60)
    assert len(generate(agents, broken, resume=True, **how)) == len(data)
    with pytest.raises(DatasetError, match=r"other settings \(epsilon 0.1\)"):
        generate(agents, broken, resume=True, **(how | {"epsilon": 0.2}))
    assert content(broken) == content(whole)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("data") / "set"
    generate(["heuristic", "greedy"], place, episodes=100, shard_rows=500)
    return place


def test_rows_shards_and_batches_are_the_same_rows(folder: Path) -> None:
    data = Dataset(folder)
    assert len(data) == sum(len(data.shard(number)["action"]) for number in range(data.num_shards))
    assert isinstance(data.shard(0)["observation"], np.memmap)
    with pytest.raises(ValueError, match="read-only"):
        data.shard(0)["action"][0] = 1
    whole = data[:]
    assert list(whole) == list(COLUMNS)
    last = data.shard(-1)
    assert np.array_equal(data[-1]["observation"], last["observation"][-1])
    assert np.array_equal(data[-1]["action_mask"], unpack_masks(last["action_mask"])[-1])
    picked = [5, len(data) - 1, 0, 600, 5]
    assert all(np.array_equal(array, whole[name][picked]) for name, array in data[picked].items())
    assert not len(data[[]]["action"])
    with pytest.raises(IndexError, match="is not there"):
        data[len(data)]
    with pytest.raises(IndexError, match="not accepted"):
        data[0.5]  # type: ignore[index]
    in_order = list(data.batches(64))
    assert [len(batch["action"]) for batch in in_order] == [64] * (len(data) // 64) + [len(data) % 64]
    for name, array in whole.items():
        assert np.array_equal(np.concatenate([batch[name] for batch in in_order]), array)


def test_shuffled_batches_have_every_row_once(folder: Path) -> None:
    data = Dataset(folder)

    def keys(**how: Any) -> list[tuple[int, int]]:
        batches = list(data.batches(50, columns=("episode", "step"), **how))
        assert all(set(batch) == {"episode", "step"} for batch in batches)
        pairs = [zip(batch["episode"].tolist(), batch["step"].tolist(), strict=True) for batch in batches]
        return [key for each in pairs for key in each]

    assert keys(seed=1) == keys(seed=1)
    assert len({tuple(keys(**how)) for how in ({"seed": 1}, {"seed": 2}, {"seed": 1, "epoch": 1}, {})}) == 4
    assert sorted(keys(seed=1)) == keys()
    assert len(keys(seed=1, drop_last=True)) == len(data) // 50 * 50
    with pytest.raises(ValueError, match="column 'reward' does not exist"):
        data.batches(50, columns=["reward"])
    with pytest.raises(ValueError, match="size=0"):
        data.batches(0)


def test_torch_loaders_have_every_row_once(folder: Path) -> None:
    torch = pytest.importorskip("torch")
    data = Dataset(folder)
    rows = data.torch(64, seed=1)
    for workers in (0, 2):
        batches = list(torch.utils.data.DataLoader(rows, batch_size=None, num_workers=workers))
        assert all(isinstance(array, torch.Tensor) for array in batches[0].values())
        keys = torch.cat([1000 * batch["episode"] + batch["step"] for batch in batches])
        assert len(keys) == len(set(keys.tolist())) == len(data)
    before = next(iter(rows))["step"].tolist()
    assert next(iter(pickle.loads(pickle.dumps(rows))))["step"].tolist() == before  # as spawned workers get it
    rows.set_epoch(1)
    assert next(iter(rows))["step"].tolist() != before


Damage = Callable[[Path], object]


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda folder: shutil.rmtree(folder), "is no folder"),
        (lambda folder: (folder / "manifest.json").unlink(), "is not finished"),
        (lambda folder: (folder / "manifest.json").write_text("{"), "is no JSON"),
        (lambda folder: (folder / "manifest.json").write_text('{"a": 1}'), "no file of a data set"),
        (lambda folder: change(folder, "thousand_env dataset", 9), "of format 9"),
        (lambda folder: change(folder, "layout_version", 99), "layout 99"),
        (lambda folder: change(folder, "shards", [{}]), "what shards"),
        (lambda folder: change(folder, "rules", {"players": 9}), "damaged"),
        (lambda folder: (folder / "shard-00001" / "seat.npy").unlink(), "seat.npy"),
        (lambda folder: (folder / "shard-00001" / "seat.npy").write_bytes(b"x"), "1 bytes instead of"),
    ],
)
def test_damaged_folders_are_refused(folder: Path, damage: Damage, says: str, tmp_path: Path) -> None:
    copy = shutil.copytree(folder, tmp_path / "copy")
    damage(copy)
    with pytest.raises(DatasetError, match=says):
        Dataset(copy)


def change(folder: Path, name: str, value: Any) -> None:
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {name: value}))


def test_a_changed_byte_is_found(folder: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(folder, tmp_path / "copy")
    path = copy / "shard-00001" / "deal_return.npy"
    path.write_bytes(path.read_bytes()[:-1] + b"\x7f")
    with pytest.raises(DatasetError, match="deal_return"):
        Dataset(copy).verify()
    path = copy / "shard-00000" / "step.npy"
    path.write_bytes(path.read_bytes().replace(b"<i4", b"|O8"))
    with pytest.raises(DatasetError, match="step"):
        Dataset(copy).shard(0)


def test_a_run_that_was_killed_at_once_leaves_nothing_in_the_way(tmp_path: Path) -> None:
    (tmp_path / ".settings.json.part").write_text("{")
    generate("random", tmp_path, episodes=1)
    assert not list(tmp_path.glob(".*"))


def test_a_foreign_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(DatasetError, match="holds no data set"):
        Dataset(tmp_path)
    for resume in (False, True):
        with pytest.raises(DatasetError):
            generate("random", tmp_path, episodes=1, resume=resume)
    with pytest.raises(DatasetError, match="is no folder"):
        generate("random", tmp_path / "mine.txt", episodes=1)
    assert content(tmp_path) == {"mine.txt": b"mine"}


@pytest.mark.parametrize(
    "wrong",
    [{"episodes": 0}, {"epsilon": 2}, {"dtype": "int16"}, {"seed": -1}, {"shard_rows": 0}, {"episode": "hand"}],
)
def test_wrong_arguments_change_nothing(wrong: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        generate("random", tmp_path / "new", **({"episodes": 1} | wrong))
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("agent", [Broken(), WrongBatch()])
def test_an_agent_that_fails_is_named(agent: Any, tmp_path: Path) -> None:
    with pytest.raises(AgentError, match=rf"{type(agent).__name__}.*in episode 0 \(Game seed \d+\) has chosen wrongly"):
        generate(agent, tmp_path, episodes=2)


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["generate", "greedy", "random", "--deals", "30", "--out", str(tmp_path / "set"), "--seed", "5"]
    assert main(command) == 0
    assert "decisions of 30 deals in 1 shard," in capsys.readouterr().out
    check_replay(Dataset(tmp_path / "set"), "deal", 5)
    assert main(command) == 2
    assert "is not empty" in capsys.readouterr().err
    assert main([*command, "--resume", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["agents"] == ["greedy", "random"] and told["rows"] == len(Dataset(tmp_path / "set"))
    assert main(["generate", "greedy", "--deals", "1", "--out", str(tmp_path / "x"), "--epsilon", "2"]) == 2
    assert "a number from 0 to 1" in capsys.readouterr().err
    assert main(["generate", "nobody", "--deals", "1", "--out", str(tmp_path / "x")]) == 2
    assert "'nobody' does not exist" in capsys.readouterr().err
    assert not (tmp_path / "x").exists()


def test_actions_have_names(folder: Path) -> None:
    data = Dataset(folder)
    assert action_name(int(data[0]["action"]), data.rules).startswith("bid")
