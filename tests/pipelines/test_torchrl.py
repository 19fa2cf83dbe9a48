"""TorchRL: ``BatchedThousandEnv`` plays what ``VectorEnv`` plays, in TorchRL's form; its wrapper takes the others."""

from __future__ import annotations

import copy
import importlib.util
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torchrl = pytest.importorskip("torchrl")

import torch  # noqa: E402
from tensordict import TensorDict  # noqa: E402
from torchrl.collectors import Collector  # noqa: E402
from torchrl.envs import ActionMask, Compose, PettingZooWrapper, RewardSum, SerialEnv, TransformedEnv  # noqa: E402
from torchrl.envs.utils import check_env_specs  # noqa: E402
from torchrl.modules import MaskedCategorical  # noqa: E402

from baselines.gae import advantages_by_seat  # noqa: E402
from thousand_env import Game, IllegalActionError, VectorEnv, env_seed, episode_seed, thousand_v0  # noqa: E402
from thousand_env.observation import encode, encode_state, history  # noqa: E402
from thousand_env.torchrl import BatchedThousandEnv  # noqa: E402

pytestmark = [pytest.mark.integration, pytest.mark.filterwarnings("ignore:PettingZoo in TorchRL is tested")]

PRESETS = ("classic", "modern", "polish", "lithuanian", "two_player", "four_player", "mini3")
FORMS: list[dict[str, Any]] = [
    *({"rules": name, "episode": "deal"} for name in PRESETS),
    {"rules": {"max_deals": 2}, "reward": "win", "device": "cpu"},
    {"episode": "deal", "reward": "score", "skip_forced": True, "num_threads": 2},
    {"rules": {"max_deals": 2}, "state": True, "history": True},
    {"rules": "four_player", "episode": "deal", "observation_dtype": "int8", "state": True, "history": True},
]
ROWS = 6


def masked(tensordict: Any) -> Any:
    """A policy that draws any legal action; TorchRL goes by the name of what it takes."""
    mask = tensordict["action_mask"]
    return tensordict.set("action", MaskedCategorical(logits=torch.zeros(mask.shape), mask=mask).sample())


def play(env: Any, steps: int) -> Any:
    """``steps`` random decisions in each row, [N, T], over the ends of episodes."""
    return env.rollout(steps, masked, break_when_any_done=False)


def flags(rows: list[int], num: int = ROWS) -> torch.Tensor:
    named = torch.zeros(num, 1, dtype=torch.bool)
    named[rows] = True
    return named


def same(one: Any, other: Any) -> bool:
    return bool((one == other).all())


@pytest.mark.parametrize("keywords", FORMS, ids=str)
def test_specs_are_kept(keywords: dict[str, Any]) -> None:
    env = BatchedThousandEnv(ROWS, seed=1, **keywords)
    check_env_specs(env, break_when_any_done="both")
    check_env_specs(TransformedEnv(env, ActionMask()), break_when_any_done="both")
    data = play(env, 120)
    for part in (data, data["next"]):
        for name, spec in env.observation_spec.items():
            assert spec.expand(120, *spec.shape).contains(part[name].transpose(0, 1)), name
    assert data["next", "done"].any()


@pytest.mark.parametrize("keywords", FORMS, ids=str)
def test_rows_play_what_those_of_vector_env_play(keywords: dict[str, Any]) -> None:
    env = BatchedThousandEnv(ROWS, seed=5, **keywords)
    vector = VectorEnv(ROWS, seed=5, **{name: value for name, value in keywords.items() if name != "device"})
    data, batch, ended = env.reset(), vector.reset(), 0
    names = ["observation", "seat", *(name for name in ("state", "history") if keywords.get(name))]
    for _ in range(150):
        for name in names:
            assert same(data[name].numpy(), getattr(batch, name)), name
        assert same(data["action_mask"].numpy(), batch.action_mask != 0)
        movers = data["seat"].numpy()
        stepped, data = env.step_and_maybe_reset(masked(data))
        batch, after = vector.step(stepped["action"].numpy()), stepped["next"]
        assert same(after["reward"].numpy(), batch.reward)
        assert same(after["terminated"].numpy()[:, 0], batch.terminated)
        assert same(after["truncated"].numpy()[:, 0], batch.truncated)
        assert same(after["done"], after["terminated"] | after["truncated"])
        rows, seats = batch.final_index, movers[batch.final_index]
        assert same(after["seat"].numpy()[rows], seats)
        assert same(after["observation"].numpy()[rows], batch.final_observation[np.arange(len(rows)), seats])
        if keywords.get("state") and len(rows):
            zero = seats == 0
            assert same(after["state"].numpy()[rows][zero], batch.final_state[zero])
        ended += len(rows)
    assert ended


def test_an_end_is_shown_to_the_seat_that_has_just_acted() -> None:
    env = BatchedThousandEnv(1, episode="deal", state=True, history=True, seed=3)
    game = Game(seed=episode_seed(env_seed(3, 0), 0), episode="deal")
    data = env.reset()
    while not game.is_over:
        mover = game.seat
        assert mover == int(data["seat"])
        data = env.step(masked(data))
        game.apply(int(data["action"]))
        data = data["next"]
    assert data["done"].all() and int(data["seat"]) == mover
    assert same(data["observation"][0].numpy(), encode(game.view(mover)))
    assert same(data["state"][0].numpy(), encode_state(game, mover))
    assert same(data["history"][0].numpy(), history(game.view(mover)))


@pytest.mark.parametrize("keywords", FORMS, ids=str)
def test_no_transition_mixes_two_episodes(keywords: dict[str, Any]) -> None:
    env = BatchedThousandEnv(ROWS, seed=2, **keywords)
    data = play(env, 150)
    now, before, done = data[:, 1:], data["next"][:, :-1], data["next", "done"][:, :-1, 0]
    for name in ("observation", "action_mask", "seat"):
        assert same(now[name][~done], before[name][~done]), name
    assert done.any() and not now["done"].any()
    if keywords.get("skip_forced") or keywords.get("observation_dtype"):
        return
    for row, time in torch.nonzero(done).tolist():
        number = int(done[row, : time + 1].sum())
        game = Game(env.rules, episode_seed(env_seed(2, row), number), keywords.get("episode", "match"))
        assert same(now["observation"][row, time].numpy(), encode(game.view(game.seat)))


@pytest.mark.parametrize("rules", ["classic", "two_player", "four_player"])
@pytest.mark.parametrize("reward", ["relative", "score", "win"])
def test_every_seat_is_paid_whoever_moves_last(rules: str, reward: str) -> None:
    env = BatchedThousandEnv(ROWS, rules, episode="deal", reward=reward, seed=4)
    data = TransformedEnv(env, Compose(RewardSum())).rollout(80, masked, break_when_any_done=False)
    idle_was_paid = False
    for row in range(ROWS):
        ends = torch.nonzero(data["next", "done"][row, :, 0])[:, 0].tolist()
        begin, number = 0, 0
        for end in ends:
            game = Game(env.rules, episode_seed(env_seed(4, row), number), "deal")
            for action in data["action"][row, begin : end + 1].tolist():
                game.apply(action)
            assert game.is_over
            np.testing.assert_allclose(data["next", "episode_reward"][row, end], game.returns(reward), atol=1e-5)
            assert not data["next", "reward"][row, begin:end].any()
            idle = np.arange(env.num_players) != int(data["seat"][row, end])
            idle_was_paid |= bool(data["next", "reward"][row, end][idle].any())
            begin, number = end + 1, number + 1
        assert number
    assert idle_was_paid


@pytest.mark.parametrize("rules", PRESETS)
def test_masks_are_flags_and_a_living_row_has_some(rules: str) -> None:
    data = play(BatchedThousandEnv(ROWS, rules, episode="deal", seed=6), 120)
    over = data["next", "done"][..., 0]
    assert data["action_mask"].dtype == torch.bool and data["action_mask"].any(-1).all()
    assert data["next", "action_mask"].any(-1).all()
    assert over.any() and same(data["next", "action_mask"][over].nonzero()[:, 1], torch.zeros(int(over.sum())))


def test_rows_that_are_named_begin_anew_and_others_stay() -> None:
    env = BatchedThousandEnv(ROWS, episode="deal", seed=7)
    data = play(env, 10)[:, -1]
    before = data["next"].clone()
    state = before.clone().set("_reset", flags([1, 4]))
    after = env.reset(state)
    for row in range(ROWS):
        if row in (1, 4):
            game = Game(env.rules, episode_seed(env_seed(7, row), 1), "deal")
            assert same(after["observation"][row].numpy(), encode(game.view(game.seat)))
        else:
            assert same(after["observation"][row], before["observation"][row])
            assert same(after["action_mask"][row], before["action_mask"][row])
    env.step(masked(after.exclude("_reset")))


def test_a_reset_that_names_no_row_changes_nothing() -> None:
    env = BatchedThousandEnv(ROWS, episode="deal", seed=7)
    before = env.reset()
    assert same(env.reset(before.clone().set("_reset", flags([])))["observation"], before["observation"])


def test_steps_play_in_the_rows_that_are_named() -> None:
    env = BatchedThousandEnv(ROWS, episode="deal", seed=8)
    start = env.reset()
    part = env.step(masked(start.clone()).set("_step", flags([0, 3])[:, 0]))
    moved = (part["next", "observation"] != start["observation"]).any(-1).tolist()
    assert moved == [True, False, False, True, False, False]
    data = env.rollout(100, masked, break_when_any_done=False, break_when_all_done=True)
    assert data["next", "done"][:, -1].all() and data.shape[1] < 100
    paid = data["next", "reward"].abs().sum(-1).ne(0)
    first = data["next", "done"][..., 0].int().argmax(1)
    assert all(not paid[row, : int(first[row])].any() for row in range(ROWS))


def test_a_row_that_is_over_has_to_be_reset() -> None:
    env = BatchedThousandEnv(ROWS, episode="deal", seed=9)
    data = env.rollout(100, masked)[:, -1]["next"]
    row = int(data["done"].int().argmax())
    with pytest.raises(RuntimeError, match=rf"reset {row}"):
        env.step(data.set("action", torch.zeros(ROWS, dtype=torch.int64)))


def test_seeds() -> None:
    one, other = BatchedThousandEnv(ROWS, episode="deal"), BatchedThousandEnv(ROWS, episode="deal", seed=11)
    first = other.reset()["observation"]
    assert not same(one.reset()["observation"], first) and one.seed != other.seed
    one.set_seed(11)
    assert one.seed == 11 and same(one.reset()["observation"], first)
    second = one.reset()["observation"]
    assert not same(second, first) and same(one.reset(seed=11)["observation"], first)
    one.set_seed(None)
    assert not same(one.reset()["observation"], first)


def test_a_seed_counts_for_each_row_from_its_next_reset() -> None:
    env = BatchedThousandEnv(ROWS, episode="deal", seed=1)
    first = BatchedThousandEnv(ROWS, episode="deal", seed=12).reset()["observation"]
    data = env.reset()
    env.set_seed(12)
    after = env.reset(data.clone().set("_reset", flags([2])))
    assert same(after["observation"][2], first[2]) and same(after["observation"][3], data["observation"][3])
    env.step(masked(after.exclude("_reset")))
    again = env.reset()
    assert same(again["observation"][3], first[3]) and not same(again["observation"][2], first[2])


def test_starts_are_drawn_as_vector_env_draws_them() -> None:
    def start(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
        return rng.integers(-30, 80, (n, 3)) * 10, None, None, None

    env, vector = (make(ROWS, episode="deal", seed=13, start=start) for make in (BatchedThousandEnv, VectorEnv))
    data, batch = env.reset(), vector.reset()
    for _ in range(60):
        assert same(data["observation"].numpy(), batch.observation)
        stepped, data = env.step_and_maybe_reset(masked(data))
        batch = vector.step(stepped["action"].numpy())


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"])
def test_copies_go_on_identically(copied: Any) -> None:
    env = BatchedThousandEnv(ROWS, episode="deal", state=True, history=True, seed=14)
    data = env.rollout(100, masked)[:, -1]["next"]
    twin = copied(env)
    over = data["done"].clone()
    assert over.any() and not over.all()
    played = []
    for each in (env, twin):
        torch.manual_seed(0)
        played.append(each.step(masked(data.clone()).set("_step", ~over[:, 0]))["next"])
    for name in ("observation", "action_mask", "seat", "state", "history", "done", "reward"):
        assert same(played[0][name], played[1][name]), name
    assert same(played[1]["observation"][over[:, 0]], data["observation"][over[:, 0]])
    assert not played[0]["reward"][over[:, 0]].any(), "nobody is paid twice"
    data = played[0]
    over = data["done"].clone()
    played = []
    for each in (env, twin):
        torch.manual_seed(0)
        begun = each.reset(data.clone().set("_reset", over))
        played.append(each.rollout(60, masked, break_when_any_done=False, tensordict=begun, auto_reset=False))
    for name in ("observation", "action", "seat", "state", "history"):
        assert same(played[0][name], played[1][name]), name
    assert same(played[0]["next", "reward"], played[1]["next", "reward"])


def test_tensors_are_new_with_every_call() -> None:
    env = BatchedThousandEnv(ROWS, episode="deal", seed=15)
    data = env.reset()
    kept = data.clone()
    data["action_mask"].logical_not_()
    env.step(masked(kept.clone()))
    assert same(data["observation"], kept["observation"]) and same(data["action_mask"], ~kept["action_mask"])


def test_close_may_be_called_twice() -> None:
    env = BatchedThousandEnv(ROWS)
    env.reset()
    env.close()
    env.close()


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"num_envs": 0}, "num_envs=0"),
        ({"rules": "clasic"}, "clasic"),
        ({"episode": "hand"}, "episode='hand'"),
        ({"reward": "points"}, "reward='points'"),
        ({"seed": -1}, "-1"),
        ({"observation_dtype": "float64"}, "observation_dtype='float64'"),
        ({"state": 1}, "state=1"),
        ({"start": 3}, "start=3"),
        ({"num_threads": 0}, "num_threads=0"),
    ],
    ids=str,
)
def test_arguments_that_are_not_accepted(keywords: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        BatchedThousandEnv(**{"num_envs": 2, **keywords})


def test_what_is_called_out_of_turn_or_illegal_is_named() -> None:
    env = BatchedThousandEnv(ROWS, seed=1)
    nothing = TensorDict({"action": torch.zeros(ROWS, dtype=torch.int64)}, [ROWS])
    with pytest.raises(RuntimeError, match="reset all rows first"):
        env.step(nothing)
    with pytest.raises(RuntimeError, match="reset all rows first"):
        env.reset(TensorDict({"_reset": flags([1])}, [ROWS]))
    data = env.reset()
    actions = masked(data.clone())["action"]
    actions[3] = 129
    with pytest.raises(IllegalActionError, match="row 3: action 129"):
        env.step(data.clone().set("action", actions))
    with pytest.raises(ValueError, match="must be integers of shape"):
        env.step(data.clone().set("action", torch.zeros(ROWS, 130)))
    with pytest.raises(ValueError, match="there is no action"):
        env.step(data.clone())
    for wrong in (torch.ones(ROWS, 1), torch.ones(ROWS, 2, dtype=torch.bool)):
        with pytest.raises(ValueError, match=r"_reset is torch\..* it must be torch\.bool"):
            env.reset(data.clone().set("_reset", wrong))
    assert same(env.reset(data.clone().set("_reset", flags([])))["observation"], data["observation"])


def test_several_of_them_in_one_environment() -> None:
    env = SerialEnv(2, [lambda: BatchedThousandEnv(3, episode="deal"), lambda: BatchedThousandEnv(3, episode="deal")])
    data = env.rollout(100, masked, break_when_any_done=False)
    assert data.shape == (2, 3, 100) and data["next", "done"].any()
    assert not same(data["observation"][0, :, 0], data["observation"][1, :, 0])
    env.close()


def test_a_collector_fills_its_batches() -> None:
    env = BatchedThousandEnv(ROWS, episode="deal", seed=1)
    batches = list(Collector(env, masked, frames_per_batch=ROWS * 20, total_frames=ROWS * 60))
    assert [batch.shape for batch in batches] == [(ROWS, 20)] * 3
    last, first = batches[0][:, -1]["next"], batches[1][:, 0]
    assert same(last["observation"][~last["done"][:, 0]], first["observation"][~last["done"][:, 0]])


def test_advantages_of_the_script_are_those_by_seat() -> None:
    path = Path(__file__).parent.parent.parent / "examples" / "torchrl_vector.py"
    spec = importlib.util.spec_from_file_location("torchrl_vector", path)
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    data = play(BatchedThousandEnv(ROWS, episode="deal", seed=16), 90)
    seat, reward, done = data["seat"], data["next", "reward"], data["next", "done"][..., 0]
    value = torch.randn(seat.shape, generator=torch.Generator().manual_seed(0))
    found = script.advantages(seat, reward, done, value)
    by_step = (each.transpose(0, 1).numpy() for each in (seat, reward, done, value))
    expected = advantages_by_seat(*by_step, gamma=1.0, lam=0.95)
    assert same(~found.isnan().T.numpy(), expected.known) and not expected.known.all()
    np.testing.assert_allclose(found.T.nan_to_num(0).numpy(), expected.advantage, atol=1e-5)


@pytest.mark.parametrize("rules", ["classic", "two_player", "four_player"])
@pytest.mark.parametrize("parallel", [False, True], ids=["aec", "parallel"])
def test_the_wrapper_of_torchrl_takes_the_pettingzoo_environments(rules: str, parallel: bool) -> None:
    make = thousand_v0.parallel_env if parallel else thousand_v0.env
    inner = make(rules=rules, episode="deal", reward="score")
    group = {"seats": inner.possible_agents}
    env = PettingZooWrapper(inner, use_mask=True, group_map=group, return_state=True, done_on_any=False, seed=1)
    env = TransformedEnv(env, ActionMask(("seats", "action"), ("seats", "action_mask")))
    check_env_specs(env)
    data = env.rollout(200, break_when_any_done=False)
    done = data["next", "done"][:, 0]
    assert done.any() and same(data["next", "seats", "done"].all(1)[:, 0], done)
    assert parallel or same(data["seats", "mask"].sum(1), torch.ones(200))
    paid = data["next", "seats", "reward"][..., 0]
    assert paid[done].any(1).all() and not paid[~done].any()
