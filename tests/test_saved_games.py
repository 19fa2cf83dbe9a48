"""``VectorEnv.save`` and ``restore``: an environment goes on bit for bit, and what does not fit changes nothing."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.random_rules import random_rules
from thousand_env import Batch, Rules, VectorEnv
from thousand_env.engine.batch import BOOK_DTYPE
from thousand_env.engine.state import STATE_DTYPE

Saved = dict[str, np.ndarray]


def sheets(rng: np.random.Generator, count: int) -> Any:
    """Sheets that also draw from a generator of their own, which counts how many there were."""
    own = rng.spawn(1)[0]
    return 10 * own.integers(0, 80, (count, 3)), None, None, rng.integers(0, 3, count)


OPTIONS: list[dict[str, Any]] = [
    {},
    {"skip_forced": True, "start": sheets, "observation_dtype": "int8", "state": True, "history": True},
    {"rules": "four_player", "episode": "deal", "reward": "win", "state": True},
    {"rules": "two_player", "episode": "deal", "skip_forced": True, "history": True, "copy": True},
]


def play(env: VectorEnv, batch: Batch, steps: int, seed: int) -> list[Batch]:
    """Batches of random play, copied."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(steps):
        batch = env.step((batch.action_mask * rng.random(batch.action_mask.shape)).argmax(axis=1))
        found.append(Batch(*(None if each is None else each.copy() for each in batch)))
    return found


def assert_same(ours: Batch, theirs: Batch, names: tuple[str, ...] = Batch._fields) -> None:
    for name in names:
        one, other = getattr(ours, name), getattr(theirs, name)
        assert (one is None) == (other is None), name
        assert one is None or (one.dtype == other.dtype and one.tobytes() == other.tobytes()), name


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("steps", [0, 70])
def test_it_goes_on_bit_for_bit(options: dict[str, Any], steps: int) -> None:
    env = VectorEnv(8, seed=3, num_threads=1, **options)
    batch = env.reset()
    batch = [batch, *play(env, batch, steps, seed=1)][-1]
    saved = env.save()
    other = VectorEnv(8, seed=77, num_threads=1, **options)
    play(other, other.reset(), 5, seed=2)
    waiting = other.restore(saved)
    assert_same(waiting, batch, ("observation", "action_mask", "seat", "state", "history"))
    assert not waiting.reward.any() and not waiting.terminated.any() and not len(waiting.final_index)
    assert other.seed == env.seed == 3
    expected = play(env, batch, 150, seed=5)
    for ours, theirs in zip(play(other, waiting, 150, seed=5), expected, strict=True):
        assert_same(ours, theirs)
    assert options.get("episode") != "deal" or sum(len(each.final_index) for each in expected) > 4
    assert_same(env.reset(), other.reset())  # the next episodes of the same seed


def test_what_is_saved_is_plain_and_its_own() -> None:
    env = VectorEnv(3, seed=1)
    batch = env.reset()
    saved = env.save()
    assert {name: array.dtype.name for name, array in saved.items()} == {
        "states": "uint8",
        "books": "uint8",
        "lengths": "int64",
        "facts": "uint8",
    }
    before = {name: array.copy() for name, array in saved.items()}
    play(env, batch, 20, seed=0)
    assert all(np.array_equal(saved[name], before[name]) for name in saved)
    for array in saved.values():
        array.setflags(write=False)
    restored = VectorEnv(3)
    play(restored, restored.restore(saved), 20, seed=0)
    assert all(np.array_equal(saved[name], before[name]) for name in saved)
    assert_same(env.reset(), restored.reset())


def test_other_threads_dtype_and_outputs_are_accepted() -> None:
    env = VectorEnv(600, seed=1, num_threads=1)
    play(env, env.reset(), 30, seed=0)
    other = VectorEnv(600, seed=2, num_threads=2, observation_dtype="int8", history=True, state=True, copy=True)
    rewards = [each.reward for each in play(other, other.restore(env.save()), 30, seed=9)]
    fresh = VectorEnv(600, num_threads=1)
    assert np.array_equal(rewards, [each.reward for each in play(fresh, fresh.restore(env.save()), 30, seed=9)])


@pytest.mark.parametrize("seed", range(12))
def test_every_position_of_random_rules_is_accepted(seed: int) -> None:
    rng = random.Random(seed)
    rules = random_rules(rng)
    env = VectorEnv(3, rules, seed=seed, episode=rng.choice(["match", "deal"]), skip_forced=rng.random() < 0.5)
    batch = env.reset()
    for step in range(12):
        batch = play(env, batch, rng.randrange(1, 12), seed=step)[-1]
        assert_same(env.restore(env.save()), batch, ("observation", "action_mask", "seat"))


def test_before_the_first_reset_there_is_nothing_to_save() -> None:
    with pytest.raises(RuntimeError, match=r"call reset\(\) first"):
        VectorEnv(2, seed=1).save()


def change_facts(**changes: Any) -> Callable[[Saved], None]:
    def change(saved: Saved) -> None:
        facts = json.loads(saved["facts"].tobytes()) | changes
        saved["facts"] = np.frombuffer(json.dumps(facts).encode(), np.uint8)

    return change


def put(name: str, value: Any) -> Callable[[Saved], None]:
    return lambda saved: saved.__setitem__(name, value(saved[name]))


def poke(name: str, dtype: np.dtype[Any], field: str, value: Any) -> Callable[[Saved], None]:
    """Set a field of row 1."""

    def change(saved: Saved) -> None:
        saved[name].view(dtype)[field][1] = value

    return change


WRONG: list[tuple[Callable[[Saved], None], str]] = [
    (lambda saved: saved.pop("books"), "lack 'books'"),
    (lambda saved: saved.update(more=saved["books"]), "'more' is not part of saved games: they are states"),
    (put("states", lambda array: array[:2]), r"'states' of the saved games is uint8 of shape \(2, \d+\): it must be"),
    (put("books", lambda array: array.astype(np.int64)), "'books' of the saved games is int64"),
    (put("lengths", lambda array: array - 1000), "row 0 is no episode"),
    (put("facts", lambda array: array[:-3]), "their facts are no JSON"),
    (put("facts", lambda array: array[None]), "'facts' of the saved games is uint8 of shape"),
    (change_facts(format=2), "another format: this version reads format 1"),
    (change_facts(num=4), "num_envs=4, this environment has 3"),
    (change_facts(rules=Rules.preset("modern").to_dict()), "this environment has Rules"),
    (change_facts(rules={"players": 9}), "rules of the saved games are damaged: .*players"),
    (change_facts(reward="win"), "reward='win', this environment has 'relative'"),
    (change_facts(episode="deal"), "episode='deal', this environment has 'match'"),
    (change_facts(skip_forced=True), "skip_forced=True, this environment has False"),
    (change_facts(start=True), "start=True, this environment has False"),
    (change_facts(seed=4), "row 0 is no episode"),
    (change_facts(seed=-4), "seed=-4 is not accepted"),
    (change_facts(rng={"bit_generator": "MT19937"}), "damaged"),
    (change_facts(rng={"bit_generator": "PCG64", "state": {"state": -1, "inc": 2}}), "damaged"),
    (change_facts(spawned="many"), "damaged"),
    (poke("books", BOOK_DTYPE, "episode", -1), "row 1 is no episode"),
    (poke("books", BOOK_DTYPE, "episode", 5), "row 1 has a game of another seed"),
    (poke("books", BOOK_DTYPE, "returns", np.nan), "row 1 is no episode"),
    (poke("books", BOOK_DTYPE, "earned", 1), "row 1 is no episode"),
    (poke("states", STATE_DTYPE, "hands", 0b111), "row 1: these bytes are damaged"),
    (poke("states", STATE_DTYPE, "seat", 77), "row 1: these bytes are damaged"),
    (poke("states", STATE_DTYPE, "log_size", 255), "row 1: these bytes are damaged"),
    (poke("states", STATE_DTYPE, "log", 129), "row 1: these bytes are damaged"),
    (poke("states", STATE_DTYPE, "seed", 1), "row 1 has a game of another seed"),
]


@pytest.mark.parametrize(("damage", "reason"), WRONG)
def test_what_does_not_fit_is_refused_and_changes_nothing(damage: Callable[[Saved], None], reason: str) -> None:
    env = VectorEnv(3, seed=1)
    play(env, env.reset(), 25, seed=0)
    saved = env.save()
    damage(saved)
    other, twin = VectorEnv(3, seed=9), VectorEnv(3, seed=9)
    batch = play(other, other.reset(), 10, seed=1)[-1]
    play(twin, twin.reset(), 10, seed=1)
    with pytest.raises(ValueError, match=reason) as caught:
        other.restore(saved)
    assert "\n" not in str(caught.value)
    for ours, theirs in zip(play(other, batch, 20, seed=2), play(twin, batch, 20, seed=2), strict=True):
        assert_same(ours, theirs)
    assert other.seed == 9


def test_what_is_no_dict_is_refused() -> None:
    with pytest.raises(ValueError, match="a list is not what save"):
        VectorEnv(2).restore([])  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(20))
def test_random_damage_is_refused_or_harmless(seed: int) -> None:
    rng = np.random.default_rng(seed)
    env = VectorEnv(2, seed=1, num_threads=1)
    play(env, env.reset(), 40, seed=seed)
    for _ in range(30):
        saved = env.save()
        array = saved[rng.choice(["states", "books", "facts"])].reshape(-1)
        array[rng.integers(len(array))] ^= np.uint8(1 << rng.integers(8))
        other = VectorEnv(2, seed=2, num_threads=1)
        try:
            batch = other.restore(saved)
        except ValueError:
            continue
        play(other, batch, 40, seed=0)
