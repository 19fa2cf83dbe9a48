"""Labels by a network that plays deals out, against plain play of the same positions."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

torch = pytest.importorskip("torch")

from baselines.equity import UNIT, equity_for, sheets_of_records  # noqa: E402
from baselines.labels import MOST, MOST_BIDS  # noqa: E402
from baselines.networks import PolicyNet  # noqa: E402
from baselines.playing_out import NetworkLabeller, labelled_actions, playing_form  # noqa: E402
from thousand_env import NUM_ACTIONS, Game, Rules  # noqa: E402
from thousand_env.compiled import states_of  # noqa: E402
from thousand_env.observation import encode_int8  # noqa: E402

CLASSIC = Rules()


@pytest.fixture(scope="module")
def network() -> PolicyNet:
    torch.manual_seed(1)
    network = PolicyNet(hidden=(16,))
    with torch.no_grad():
        network.policy.weight *= 300  # far from ties
    return network


def choice(player: torch.nn.Module, game: Game) -> int:
    assert game.seat is not None
    logits = player(torch.from_numpy(encode_int8(game.view(game.seat)))[None])[0].float().numpy()
    legal = game.legal_actions()
    return legal[int(logits[legal].argmax())]


def test_actions_are_played_out_by_the_network(network: PolicyNet) -> None:
    player, equity = playing_form(network), equity_for(CLASSIC)
    games = []
    for seed in range(3):
        game = Game(CLASSIC, seed, "deal")
        while not game.is_over:
            if len(game.legal_actions()) > 1:
                games.append(game.clone())
            game.apply(choice(player, game))
    found = NetworkLabeller(CLASSIC, equity, network, threads=2)(states_of(games))
    for row, game in enumerate(games):
        seat = game.seat
        assert seat is not None
        assert found.reference[row] == choice(player, game)
        actions = [each for each in found.actions[row].tolist() if each >= 0]
        values = []
        for action in actions:
            twin = game.clone()
            twin.apply(action)
            while not twin.is_over:
                twin.apply(choice(player, twin))
            chances = equity.chances(sheets_of_records(states_of([twin]), 3, next_deal=True))
            values.append(UNIT * chances[0, seat])
        want = np.array(values) - np.mean(values)
        assert found.advantages[row, : len(actions)] == pytest.approx(want, abs=1e-4)


def test_legal_actions_are_labelled_but_for_high_bids() -> None:
    rng = np.random.default_rng(0)
    masks = (rng.random((200, NUM_ACTIONS)) < 0.08).astype(np.int8)
    masks[:, 0] = 1
    for mask, row in zip(masks, labelled_actions(masks), strict=True):
        legal = np.flatnonzero(mask).tolist()
        bids = [action for action in legal if 1 <= action <= 65]
        want = [action for action in legal if action not in bids[MOST_BIDS:]]
        assert row.tolist() == want + [-1] * (MOST - len(want))


def test_the_playing_form_is_the_network(network: PolicyNet) -> None:
    rows: npt.NDArray[np.int8] = np.stack(
        [encode_int8(Game(CLASSIC, seed).view(seat)) for seed in range(20) for seat in range(3)]
    )
    given = torch.from_numpy(rows)
    fast, plain = playing_form(network)(given).float(), network(given)
    assert float((fast - plain).detach().abs().max()) < 0.03 * float(plain.detach().abs().max())


def test_a_network_that_reads_the_history_is_refused() -> None:
    with pytest.raises(ValueError, match="history"):
        playing_form(PolicyNet("transformer", (8,)))
