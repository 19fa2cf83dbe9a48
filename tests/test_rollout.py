"""Self-play in batches: every row is a game of its own, and every seat is paid what its deal has changed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from baselines.equity import Equity, Sheets, random_starts  # noqa: E402
from baselines.networks import Critic, PolicyNet, masked  # noqa: E402
from baselines.pool import LEARNER, Opponents  # noqa: E402
from baselines.rollout import Rollout, value_of  # noqa: E402
from thousand_env import NUM_ACTIONS, Game, Rules, ScoreSheet, VectorEnv, agents  # noqa: E402
from thousand_env.agents import BatchAgent  # noqa: E402
from thousand_env.observation import OBSERVATION, STATE, encode_int8, encode_state, history, scales  # noqa: E402

CPU = torch.device("cpu")
ROWS = 12


class Recorder:
    """A policy that prefers low actions a little, and keeps copies of all games before each of its decisions."""

    def __init__(self, env: VectorEnv) -> None:
        self.env = env
        self.games: list[list[Game]] = []

    def __call__(self, observation: Any, *told: Any) -> Any:
        self.games.append([self.env.game(row) for row in range(self.env.num_envs)])
        return -torch.linspace(0, 2, NUM_ACTIONS).expand(len(observation), -1)


def start(rng: np.random.Generator, count: int) -> Any:
    return random_starts(Rules(), rng, count)


def played(rules: Rules, steps: int, matchwise: bool, share: float = 0.0, **options: Any) -> tuple[Rollout, Recorder]:
    equity = Equity(rules).eval() if matchwise else None
    env = VectorEnv(
        ROWS,
        rules,
        episode="deal",
        reward="relative",
        seed=3,
        num_threads=1,
        observation_dtype="int8",
        start=start if matchwise else None,
        skip_forced=True,
        **options,
    )
    opponents = Opponents(ROWS, rules.players, share, ("heuristic",) if share else (), 1, 0, CPU)
    rollout = Rollout(env, steps, equity, CPU, "history" in options)
    recorder = Recorder(env)
    torch.manual_seed(0)
    rollout.fill(env.reset(), recorder, opponents)
    return rollout, recorder


def sheets_of(sheet: ScoreSheet, dealer: int) -> Sheets:
    barrel = [-1 if used is None else used for used in sheet.barrel]
    return Sheets(np.array([sheet.scores]), np.array([barrel]), np.array([sheet.bolts]), np.array([dealer]))


def after(game: Game, action: int) -> Game:
    """The game once somebody has a choice again or the deal is scored; forced decisions are played on the way."""
    game = game.clone()
    deals = game.sheet.deals_scored
    game.apply(action)
    while not game.is_over and game.sheet.deals_scored == deals and len(game.legal_actions()) == 1:
        game.apply(game.legal_actions()[0])
    return game


def test_every_row_is_a_game_and_is_paid_the_change_of_match_equity_by_seat() -> None:
    """Sheets are those of the games, by absolute seat; the rollout reads them from observations, by relative seat."""
    rollout, recorder = played(Rules(), 150, matchwise=True, state=True, history=True)
    assert rollout.equity is not None and rollout.state is not None and rollout.history is not None
    ends, barrels = 0, 0
    for step, games in enumerate(recorder.games):
        for row, game in enumerate(games):
            place = step, row
            assert game.seat == rollout.seat[place]
            assert np.array_equal(rollout.action_mask[place], game.action_mask())
            reached = after(game, int(rollout.action[place]))
            ended = reached.sheet.deals_scored > game.sheet.deals_scored
            assert rollout.ended[place] == ended
            if not ended:
                assert not rollout.reward[place].any()
                assert step + 1 == len(recorder.games) or reached.hands == recorder.games[step + 1][row].hands
                continue
            ends += 1
            barrels += any(used is not None for used in reached.sheet.barrel)
            dealers = game.dealer, (game.dealer + 1) % 3
            before, now = sheets_of(game.sheet, dealers[0]), sheets_of(reached.sheet, dealers[1])
            assert reached.is_over or reached.dealer == dealers[1]
            assert rollout.reward[place] == pytest.approx(rollout.equity.rewards(before, now)[0], abs=1e-5)
            assert reached.winner is None or rollout.reward[place].argmax() == reached.winner
    assert ends > 40 and barrels > 10
    for step, row in ((0, 0), (70, 3), (149, 11)):
        game = recorder.games[step][row]
        view = game.view(int(rollout.seat[step, row]))
        same = ~np.isin(np.arange(OBSERVATION.size), np.arange(OBSERVATION.size)[episode_places()])
        assert np.array_equal(rollout.observation[step, row][same], encode_int8(view)[same])
        assert np.array_equal(rollout.history[step, row], history(view))
        state = np.rint(encode_state(game, view.observer) * scales(STATE.size))
        assert np.array_equal(rollout.state[step, row][OBSERVATION.size :], state[OBSERVATION.size :])


def episode_places() -> slice:
    """Where an observation says that the episode is this deal, which the copy of a game, a match, does not."""
    piece = OBSERVATION["deal_episode"]
    return slice(piece.start, piece.stop)


@pytest.mark.parametrize("name", ["mini3", "two_player", "four_player"])
def test_without_equity_a_deal_is_paid_by_the_reward_of_the_environment(name: str) -> None:
    rules = Rules.preset(name)
    rollout, recorder = played(rules, 60, matchwise=False)
    returns = []
    for step, row in zip(*np.nonzero(rollout.ended), strict=True):
        game = recorder.games[step][row]
        reached = after(game, int(rollout.action[step, row]))
        change = np.subtract(reached.sheet.scores, game.sheet.scores) / 100
        others = (change.sum() - change) / (rules.players - 1)
        assert rollout.reward[step, row] == pytest.approx(change - others, abs=1e-6)
        returns.append(rollout.reward[step, row])
    assert len(returns) > 20
    assert rollout.episode_returns == pytest.approx(np.ravel(returns), abs=1e-6)
    assert not rollout.reward[~rollout.ended].any()


def test_actions_are_drawn_from_the_policy_and_their_probability_is_kept() -> None:
    rollout, _ = played(Rules(), 30, matchwise=False)
    mask = torch.from_numpy(rollout.action_mask.reshape(-1, NUM_ACTIONS))
    chances = masked(-torch.linspace(0, 2, NUM_ACTIONS).expand(len(mask), -1), mask)
    action = torch.from_numpy(rollout.action.reshape(-1))
    assert (mask.gather(1, action[:, None]) == 1).all()
    wanted = chances.gather(1, action[:, None])[:, 0]
    assert torch.allclose(wanted, torch.from_numpy(rollout.log_probability.reshape(-1)))
    assert rollout.learned.all()
    assert set(rollout.seconds) == {"environment", "policy", "opponents"}


def test_where_opponents_sit_the_decision_is_theirs() -> None:
    rollout, _ = played(Rules(), 80, matchwise=False, share=0.5)
    theirs = ~rollout.learned
    assert theirs.sum() > 50 and not theirs[:, :6].any()  # in half of the rows, from their second deal on
    heuristic = agents.from_text("heuristic")
    assert isinstance(heuristic, BatchAgent)
    observation = rollout.observation[theirs] / scales(OBSERVATION.size)
    wanted = heuristic.act_batch(observation.astype(np.float32), rollout.action_mask[theirs])
    assert np.array_equal(rollout.action[theirs], wanted)
    for row in range(6, 12):
        for deal in np.split(np.arange(80), np.flatnonzero(rollout.ended[:, row]) + 1):
            learned, seats = rollout.learned[deal, row], rollout.seat[deal, row]
            assert not set(seats[learned].tolist()) & set(seats[~learned].tolist())


def test_rewards_by_equity_go_round_with_the_seats() -> None:
    equity = Equity(Rules()).eval()
    rng = np.random.default_rng(0)
    pairs = [random_starts(Rules(), rng, 50) for _ in range(2)]
    before, now = (Sheets(scores, barrel, bolts, dealer) for scores, bolts, barrel, dealer in pairs)
    rewards = equity.rewards(before, now)
    assert np.abs(rewards).max() > 0.01
    assert rewards.sum(1) == pytest.approx(np.zeros(50), abs=1e-5)
    for turn in (1, 2):
        moved = [
            Sheets(*(np.roll(each, turn, 1) for each in sheets[:3]), (sheets.dealer + turn) % 3)
            for sheets in (before, now)
        ]
        assert equity.rewards(*moved) == pytest.approx(np.roll(rewards, turn, 1), abs=1e-5)


@pytest.mark.parametrize("kind", ["privileged", "own", "shared"])
def test_values_are_those_of_the_critic_for_the_seat_that_decides(kind: str) -> None:
    rollout, _ = played(Rules.preset("mini3"), 20, matchwise=False, state=kind == "privileged")
    critic = PolicyNet("mlp", (8,), value=True) if kind == "shared" else Critic(kind == "privileged", (8,))
    values = rollout.values(critic)
    assert values.shape == (20, ROWS) and values.dtype == np.float32
    source = rollout.state if kind == "privileged" else rollout.observation
    assert source is not None
    with torch.inference_mode():
        assert values[7] == pytest.approx(value_of(critic, torch.from_numpy(source[7])).numpy(), abs=1e-6)


def test_returns_are_those_of_the_learners_seats_against_opponents(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seats are drawn once here and kept, so that who sat where is known afterwards."""
    drawn: list[Opponents] = []

    def once(self: Opponents, rows: Any) -> None:
        if not drawn:
            drawn.append(self)
            self.seated[:] = LEARNER
            self.seated[::2, 1] = 0

    monkeypatch.setattr(Opponents, "reseat", once)
    rollout, _ = played(Rules.preset("mini3"), 60, matchwise=False, share=1.0)
    late = rollout.ended.copy()
    late[: np.flatnonzero(rollout.ended.any(1))[0] + 1] = False  # before the seats were drawn
    paid = rollout.reward[late & (np.arange(ROWS) % 2 == 0)][:, [0, 2]]
    assert len(paid) > 20
    assert rollout.episode_returns[-paid.size :] == pytest.approx(paid.ravel(), abs=1e-6)
