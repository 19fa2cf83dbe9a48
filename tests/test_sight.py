"""Sights: the same from a state, a view and an observation, nothing of hidden cards in them; and compiled agents."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from baselines.greedy import GreedyAgent
from tests.random_rules import random_rules
from thousand_env import NUM_ACTIONS, Game, Rules, RulesError, VectorEnv
from thousand_env.cards import card_id, cards_to_mask
from thousand_env.compiled import SIGHT_DTYPE, option_code, rules_record, see, sight, sights
from thousand_env.engine.compiler import entry, stamp_of
from thousand_env.observation import encode, rules_of


@entry
def see_state(states, rules_records, me, seen):  # type: ignore[no-untyped-def]
    see(states[0], rules_records[0], me, seen[0])


def differences(one: npt.NDArray[np.void], other: npt.NDArray[np.void], but: str = "") -> list[str]:
    return [name for name in SIGHT_DTYPE.names or () if name != but and (one[name] != other[name]).any()]


def cards(text: str) -> int:
    return cards_to_mask([card_id(each) for each in text.split()])


def random_positions(seed: int, rule_sets: int, decisions: int = 120):  # type: ignore[no-untyped-def]
    rng = random.Random(seed)
    for _ in range(rule_sets):
        game = Game(random_rules(rng), seed=rng.getrandbits(64))
        for _ in range(decisions):
            if game.is_over:
                break
            yield game
            game.apply(rng.choice(game.legal_actions()))


def test_view_state_and_observation_say_the_same() -> None:
    """What is read of the full state is what the view has left of it: no hidden card is looked at."""
    phases = set()
    for game in random_positions(1, 120):
        view = game.view(game.seat)
        phases.add(game.phase)
        seen = sight(view)
        if game.phase != "redeal":  # a seat that is not asked sees another table than the state
            full = np.zeros(1, SIGHT_DTYPE)
            see_state(game._states, game._rules_record, game.seat, full)
            assert differences(seen, full, but="legal") == []
        ((rows, from_row, record),) = sights(encode(view)[None], view.action_mask()[None])
        assert rows.tolist() == [0]
        assert differences(seen, from_row) == []
        for field in record.dtype.names or ():
            if field not in ("max_deals",):
                assert (record[field] == rules_record(game.rules)[field]).all(), field
    assert len(phases) == 7


def test_facts_of_a_sight() -> None:
    hands = ["QS JS AC TC KC KD TD", "AH TH KH QH AS 9C JD", "TS KS 9H JH AD QC 9D"]
    game = Game.from_deal(Rules(), hands, "9S QD JC", dealer=0)
    for action in (1, 0, 2, 3, 0):  # bid 100, pass, bid 105, bid 110, pass
        game.apply(action)
    for card in ("9S", "9C"):
        game.apply(66 + card_id(card))
    seen = sight(game.view(1))[0]
    assert seen["hand"] == cards("AH TH KH QH AS JD QD JC")
    assert seen["declarer"] == 0
    assert seen["dealer"] == 2
    assert seen["contract"] == 110
    assert [seen["shown"][seat] for seat in range(3)] == [0, cards("9S"), cards("9C")]
    assert seen["talon"] == cards("9S QD JC")
    assert seen["unseen"] == cards_to_mask(range(24)) & ~int(seen["hand"])
    game.apply(114 + 7)  # KH declaring
    defender = sight(game.view(2))[0]
    assert defender["shown"].tolist() == [0, 0, cards("QH"), 0]
    assert defender["trump"] == 3
    assert (defender["led_card"], defender["best_card"], defender["best_seat"]) == (card_id("KH"), card_id("KH"), 2)
    assert defender["bonus"].tolist() == [0, 0, 100, 0]


def test_rules_of_an_observation() -> None:
    for game in random_positions(3, 60, 1):
        row = encode(game.view(game.seat))
        assert rules_of(row) == game.rules.replace(max_deals=200)
    with pytest.raises(ValueError, match="is no observation"):
        rules_of(row[:-1])
    row[-60:] = 1
    with pytest.raises(RulesError):
        rules_of(row)


def test_batches_of_several_rule_sets() -> None:
    agent = GreedyAgent()
    views = [game.view(game.seat) for game in random_positions(4, 40, 8)]
    order = np.random.default_rng(0).permutation(len(views))
    views = [views[place] for place in order]
    actions = agent.act_batch(np.array([encode(view) for view in views]), np.array([v.action_mask() for v in views]))
    assert actions.dtype == np.int64
    assert actions.tolist() == [agent.act(view) for view in views]


def test_batches_refuse_what_they_cannot_read() -> None:
    agent = GreedyAgent()
    batch = VectorEnv(3, seed=0).reset()
    observation, mask = batch.observation.copy(), batch.action_mask.copy()
    assert agent.act_batch(observation, mask).shape == (3,)
    assert agent.act_batch(observation[:0], mask[:0]).shape == (0,)
    with pytest.raises(ValueError, match=r"observation has the shape \(3, 5\)"):
        agent.act_batch(observation[:, :5], mask)
    with pytest.raises(ValueError, match=rf"it must be \(N, {NUM_ACTIONS}\)"):
        agent.act_batch(observation, mask[:, :5])
    mask[1] = 0
    with pytest.raises(ValueError, match=r"rows \[1\] of action_mask have no legal action"):
        agent.act_batch(observation, mask)


def test_nonsense_observations_give_legal_actions_all_the_same() -> None:
    rng = np.random.default_rng(5)
    batch = VectorEnv(200, seed=1).reset()
    rules_part = batch.observation[0, -120:].copy()
    observation = rng.normal(0, 3, batch.observation.shape).astype(np.float32)
    observation[rng.random(observation.shape) < 0.01] = np.nan
    mask = (rng.random(batch.action_mask.shape) < 0.05).astype(np.int8)
    mask[:, 0] |= ~mask.any(axis=1)
    start = batch.observation.shape[1] - len(rules_part)
    observation[:, start:] = rules_part
    actions = GreedyAgent().act_batch(observation, mask)
    assert mask[np.arange(200), actions].all()


def test_option_codes() -> None:
    assert option_code("marriage_gate", "on_lead") == 0
    assert option_code("must_beat", True) == 1
    with pytest.raises(RulesError, match="is a number"):
        option_code("target", 1000)


def test_entries_outside_the_engine_are_stamped_with_what_they_import(tmp_path: Path) -> None:
    package = tmp_path / "players"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "weights.py").write_text("WEIGHT = 1\n")
    (package / "other.py").write_text("OTHER = 1\n")
    player = package / "player.py"
    player.write_text("from players.weights import WEIGHT\nfrom thousand_env.compiled import entry\n")
    first = stamp_of(player)
    (package / "other.py").write_text("OTHER = 2\n")
    assert stamp_of(player) == first
    (package / "weights.py").write_text("WEIGHT = 2\n")
    assert stamp_of(player) != first
    (package / "weights.py").write_text("WEIGHT = 1\n")
    assert stamp_of(player) == first
    player.write_text(player.read_text() + "\n")
    assert stamp_of(player) != first
