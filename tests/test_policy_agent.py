"""``PolicyAgent``: a function of observations and masks plays as an agent, and a wrong answer is told."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from thousand_env import Game, IllegalActionError, PolicyAgent, VectorEnv
from thousand_env.agents import Agent, BatchAgent
from thousand_env.evaluation import duplicate
from thousand_env.observation import encode


def first_legal(observation: Any, action_mask: Any) -> Any:
    return action_mask.argmax(axis=1)


def test_it_is_an_agent_and_sees_what_its_seat_may_know() -> None:
    seen = []

    def choose(observation: Any, action_mask: Any) -> list[int]:
        seen.append((observation, action_mask))
        return [int(action_mask[0].argmax())]

    agent = PolicyAgent(choose)
    assert isinstance(agent, Agent)
    assert isinstance(agent, BatchAgent)
    game = Game(seed=3)
    assert game.seat is not None
    view = game.view(game.seat)
    assert agent.act(view) == game.legal_actions()[0]
    ((observation, action_mask),) = seen
    assert observation.dtype == np.float32
    assert np.array_equal(observation, encode(view)[None])
    assert np.array_equal(action_mask, view.action_mask()[None])


def test_many_rows_at_once() -> None:
    envs = VectorEnv(32, seed=1)
    batch = envs.reset()
    actions = PolicyAgent(first_legal).act_batch(batch.observation, batch.action_mask)
    assert actions.dtype == np.int64
    assert np.array_equal(actions, batch.action_mask.argmax(axis=1))
    assert PolicyAgent(first_legal).act_batch(batch.observation[:0], batch.action_mask[:0]).shape == (0,)


def test_it_can_be_evaluated() -> None:
    assert duplicate(PolicyAgent(first_legal), PolicyAgent(first_legal), deals=3, seed=0).mean == 0


@pytest.mark.parametrize("action", [129, 130, -1])
def test_an_action_that_is_not_legal_is_named(action: int) -> None:
    game = Game(seed=3)
    assert game.seat is not None
    with pytest.raises(IllegalActionError, match=f"choose gave {action} in row 0.*use the action mask"):
        PolicyAgent(lambda observation, action_mask: [action]).act(game.view(game.seat))


@pytest.mark.parametrize("answer", [[0.5], [0, 0], 0, [[0]], ["pass"]])
def test_an_answer_of_another_form_is_told(answer: object) -> None:
    game = Game(seed=3)
    assert game.seat is not None
    with pytest.raises(ValueError, match="it has to give 1 integers"):
        PolicyAgent(lambda observation, action_mask: answer).act(game.view(game.seat))


def test_bad_input_is_refused() -> None:
    with pytest.raises(ValueError, match="choose = 3 cannot be called"):
        PolicyAgent(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="on_reset = 3 cannot be called"):
        PolicyAgent(first_legal, 3)  # type: ignore[arg-type]
    agent = PolicyAgent(first_legal)
    with pytest.raises(ValueError, match=r"do not fit: use \[N, 496\] and \[N, 130\]"):
        agent.act_batch(np.zeros((2, 496), np.float32), np.ones((1, 130), np.int8))
    for wrong in (7, [1, 2], None):
        with pytest.raises(ValueError, match="do not fit"):
            agent.act_batch(wrong, wrong)  # type: ignore[arg-type]
    assert agent.act_batch([[0.0] * 496], [[0, 1] * 65]).tolist() == [1]  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="row 1 of action_mask has no legal action"):
        agent.act_batch(np.zeros((2, 496), np.float32), np.eye(130, dtype=np.int8)[:2] * [[1], [0]])
    game = Game(seed=3)
    assert game.seat is not None
    with pytest.raises(ValueError, match="is not to move"):
        agent.act(game.view((game.seat + 1) % 3))


def test_reset_hands_the_seed_on() -> None:
    seeds: list[int | None] = []
    agent = PolicyAgent(first_legal, seeds.append)
    agent.reset(5)
    agent.reset()
    assert seeds == [5, None]
    PolicyAgent(first_legal).reset(1)


def test_a_function_that_writes_to_its_mask_makes_nothing_legal() -> None:
    def choose(observation: Any, action_mask: Any) -> list[int]:
        action_mask[:] = 1
        return [129]

    game = Game(seed=1)
    with pytest.raises(IllegalActionError, match="choose gave 129 in row 0, where "):
        PolicyAgent(choose).act(game.view(game.seat or 0))
