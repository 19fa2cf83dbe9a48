"""Match equity: against simulated matches, rotated seats, real score sheets, and what begins and ends a deal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from baselines.equity import (  # noqa: E402
    UNIT,
    Equity,
    Sheets,
    Starts,
    equity_for,
    fit,
    pays_by_match,
    save_equity,
    sheets_of_observations,
    sheets_of_records,
)
from baselines.heuristic import HeuristicAgent  # noqa: E402
from thousand_env import Game, Rules, VectorEnv  # noqa: E402
from thousand_env.compiled import states_of  # noqa: E402
from thousand_env.observation import encode_int8  # noqa: E402

CLASSIC = Rules()


@pytest.fixture(scope="module")
def equity() -> Equity:
    return equity_for(CLASSIC)


def sheet(scores: Any, barrel: Any = (-1, -1, -1), bolts: Any = (0, 0, 0), dealer: int = 0) -> Sheets:
    return Sheets(np.array([scores]), np.array([barrel]), np.array([bolts]), np.array([dealer]))


@pytest.mark.parametrize(
    "given",
    [
        sheet((0, 0, 0)),
        sheet((400, 100, -50), dealer=2),
        sheet((880, 300, 500), barrel=(0, -1, -1), dealer=1),
        sheet((880, 880, 600), barrel=(2, 0, -1), bolts=(0, 0, 2)),
        sheet((850, 700, 860), bolts=(2, 0, 0), dealer=1),
    ],
    ids=["new", "apart", "barrel", "two on it", "near"],
)
def test_equity_is_what_matches_say(given: Sheets, equity: Equity) -> None:
    """Four standard errors of 1,500 matches are at most 0.05; the fit itself may be off by 0.02."""
    assert equity.chances(given)[0] == pytest.approx(shares_won(given, 1500), abs=0.06)


def shares_won(given: Sheets, matches: int) -> Any:
    """Shares of matches that each seat wins from a sheet, all seats played by the heuristic."""
    env = VectorEnv(
        matches,
        CLASSIC,
        seed=5,
        num_threads=1,
        start=lambda rng, count: tuple(np.repeat(given[place], count, 0) for place in (0, 2, 1, 3)),
    )
    agent = HeuristicAgent()
    batch = env.reset()
    winners = np.full(matches, -1)
    while (winners < 0).any():
        batch = env.step(agent.act_batch(batch.observation, batch.action_mask))
        new = winners[batch.final_index] < 0
        winners[batch.final_index[new]] = batch.winner[new]
    return np.bincount(winners, minlength=3) / matches


def test_equity_turns_with_the_table(equity: Equity) -> None:
    given = sheet((880, 300, -40), barrel=(1, -1, -1), bolts=(0, 2, 1), dealer=1)
    turned = Sheets(*(np.roll(part, 1, 1) for part in given[:3]), (given.dealer + 1) % 3)
    assert equity.chances(turned)[0] == pytest.approx(np.roll(equity.chances(given)[0], 1), abs=1e-6)


def test_who_has_won_has_won(equity: Equity) -> None:
    assert equity.chances(sheet((1010, 880, 300), barrel=(-1, 0, -1))).tolist() == [[1, 0, 0]]
    assert equity.chances(sheet((1000, 1020, 300))).tolist() == [[0, 1, 0]]
    assert equity.chances(sheet((1000, 1000, 300))).tolist() == [[0.5, 0.5, 0]]


def test_more_is_better(equity: Equity) -> None:
    own = [equity.chances(sheet((score, 300, 300)))[0, 0] for score in range(0, 880, 80)]
    assert own == sorted(own)
    on_it = [equity.chances(sheet((880, 300, 300), barrel=(used, -1, -1)))[0, 0] for used in range(3)]
    assert on_it == sorted(on_it, reverse=True)


def finished_deals(count: int) -> list[tuple[Game, Game]]:
    """Deals of the heuristic in the middle of matches: at their last decision, and scored."""
    agent, found, seed = HeuristicAgent(), [], 0
    while len(found) < count:
        game = Game(CLASSIC, seed)
        seed += 1
        for _ in range(seed % 12):
            number = game.deal_number
            while game.deal_number == number and not game.is_over:
                game.apply(agent.act(game.view(game.seat)))  # type: ignore[arg-type]
        if game.is_over:
            continue
        game = Game.from_deal(
            CLASSIC,
            game.hands,
            game.talon,
            game.dealer,
            game.scores,
            game.bolts,
            game.barrel,
            episode="deal",
        )
        while True:
            before = game.clone()
            game.apply(agent.act(game.view(game.seat)))  # type: ignore[arg-type]
            if game.is_over:
                break
        found.append((before, game))
    return found


def test_sheets_of_records_and_observations_are_those_of_the_game() -> None:
    for before, after in finished_deals(30):
        for game, later in ((before, 0), (after, 1)):
            barrel = [-1 if used is None else used for used in game.barrel]
            want = (list(game.scores), barrel, list(game.bolts), (game.dealer + later) % 3)
            found = sheets_of_records(states_of([game]), 3, next_deal=bool(later))
            assert (found.scores[0].tolist(), found.barrel[0].tolist(), found.bolts[0].tolist()) == want[:3]
            assert found.dealer[0] == want[3]
            for seat in range(3):
                seen = encode_int8(game.view(seat))[None]
                turned = sheets_of_observations(seen, 3, next_deal=bool(later))
                for part in range(3):
                    assert np.roll(turned[part][0], seat).tolist() == want[part]
                assert (turned.dealer[0] + seat) % 3 == want[3]


def test_deals_are_paid_by_what_they_change(equity: Equity) -> None:
    """By absolute seat, as of the sheets before and after; all rewards of a deal sum to 0."""
    for before, after in finished_deals(30):
        seat = before.seat
        assert seat is not None
        paid = equity.pay(
            encode_int8(before.view(seat))[None],
            np.array([seat]),
            encode_int8(after.view(seat))[None],
        )
        sheets = [sheets_of_records(states_of([game]), 3, next_deal=game is after) for game in (before, after)]
        assert paid == pytest.approx(UNIT * (equity.chances(sheets[1]) - equity.chances(sheets[0])), abs=1e-5)
        assert paid.sum() == pytest.approx(0, abs=1e-5)


@pytest.mark.parametrize("preset", ["classic", "modern", "two_player", "four_player"])
def test_starts_are_accepted(preset: str) -> None:
    rules = Rules.preset(preset)
    starts = Starts(rules, 1, matches=20)
    env = VectorEnv(500, rules, episode="deal", start=starts, seed=3)
    env.reset()
    sheets = sheets_of_records(env.positions(), rules.players)
    assert 0.2 < (sheets.scores == 0).all(1).mean() < 0.5
    assert (sheets.barrel >= 0).any()


def test_a_fit_is_reproducible_and_saved(tmp_path: Path) -> None:
    one, other = (fit(Rules.preset("two_player"), matches=40, seed=3, passes=1) for _ in range(2))
    assert all(torch.equal(one.state_dict()[name], other.state_dict()[name]) for name in one.state_dict())
    given = Sheets(np.array([[100, 300]]), np.full((1, 2), -1), np.zeros((1, 2), int), np.array([0]))
    assert one.chances(given).sum() == pytest.approx(1)
    save_equity(tmp_path / "equity.safetensors", one, {"matches": 40})
    assert (tmp_path / "equity.json").exists()


def test_utility_follows_the_rules() -> None:
    assert pays_by_match("auto", CLASSIC)
    assert not pays_by_match("auto", Rules.preset("mini2"))
    assert not pays_by_match("relative", CLASSIC)
    with pytest.raises(ValueError, match="max_deals=1: use relative"):
        pays_by_match("match", Rules.preset("mini3"))
