"""Networks: what is illegal has no chance, sampling, who holds which card, and one network for every seat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from baselines.networks import (  # noqa: E402
    ActionValueNet,
    Critic,
    PolicyNet,
    build,
    entropy_of,
    masked,
    owners_of,
    sample,
)
from baselines.ppo import owners_loss  # noqa: E402
from thousand_env import NUM_ACTIONS, Game, Rules, action_name  # noqa: E402
from thousand_env.cards import card_id  # noqa: E402
from thousand_env.observation import (  # noqa: E402
    HISTORY_SIZE,
    OBSERVATION,
    STATE,
    encode,
    encode_int8,
    encode_state,
    history,
    scales,
)

NOBODY = 4
RULES = [Rules(), Rules.preset("two_player"), Rules.preset("four_player"), Rules.preset("mini3")]


def random_masks(rows: int, seed: int = 0) -> Any:
    mask = (torch.rand(rows, NUM_ACTIONS, generator=torch.Generator().manual_seed(seed)) < 0.1).to(torch.int8)
    mask[:, 3] = 1
    mask[0] = 0
    mask[0, 5] = 1  # one legal action alone
    mask[1] = 1
    return mask


@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16])
def test_what_is_illegal_has_no_chance_at_all(kind: Any) -> None:
    logits = (30 * torch.randn(50, NUM_ACTIONS)).to(kind)
    logits[2, 0] = 1e5  # however much it is wanted
    mask = random_masks(50)
    mask[2, 0] = 0
    chances = masked(logits, mask)
    assert chances.dtype == torch.float32
    assert (chances.exp()[mask == 0] == 0).all()
    assert torch.allclose(chances.exp().sum(-1), torch.ones(50))
    wanted = torch.softmax(logits[1].float(), -1)
    assert torch.allclose(chances[1].exp(), wanted)
    assert chances[0, 5] == 0


def test_entropy_and_its_gradient_are_numbers() -> None:
    logits = torch.randn(50, NUM_ACTIONS, requires_grad=True)
    mask = random_masks(50)
    entropy = entropy_of(masked(logits, mask))
    entropy.sum().backward()
    assert torch.isfinite(entropy).all() and entropy[0] == 0
    assert logits.grad is not None and torch.isfinite(logits.grad).all()
    assert (logits.grad[mask == 0] == 0).all()
    assert float(entropy_of(masked(torch.zeros(1, NUM_ACTIONS), mask[1:2]))) == pytest.approx(np.log(NUM_ACTIONS))


def test_sampling_draws_legal_actions_as_often_as_it_should() -> None:
    """Chi-square over 20,000 draws from a fixed stream; the limit is passed once in a thousand streams."""
    stats = pytest.importorskip("scipy.stats")
    generator = torch.Generator().manual_seed(1)
    mask = torch.zeros(1, NUM_ACTIONS, dtype=torch.int8)
    legal = [0, 7, 66, 100, 129]
    mask[0, legal] = 1
    chances = masked(torch.linspace(-1, 1, NUM_ACTIONS)[None], mask)
    drawn = sample(chances.expand(20_000, -1), generator)
    counts = torch.bincount(drawn, minlength=NUM_ACTIONS).numpy()
    assert counts.sum() == counts[legal].sum()
    wanted = 20_000 * torch.softmax(chances[0, legal].double(), -1).numpy()
    assert stats.chisquare(counts[legal], wanted).pvalue > 1e-3
    again = sample(chances.expand(20_000, -1), torch.Generator().manual_seed(1))
    assert torch.equal(drawn, again)


def test_no_noise_makes_an_illegal_action_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    """An exponential draw may round to 0, whose logarithm is stronger than any logit."""
    monkeypatch.setattr(
        torch.Tensor, "exponential_", lambda self, generator=None: self.fill_(1).index_fill_(1, ZERO, 0)
    )
    mask = torch.zeros(1, NUM_ACTIONS, dtype=torch.int8)
    mask[0, 9] = 1
    assert sample(masked(torch.zeros(1, NUM_ACTIONS), mask)).item() == 9


ZERO = torch.tensor([4])


def random_games(rules: Rules, count: int, seed: int) -> list[Game]:
    """Games in all phases."""
    rng = np.random.default_rng(seed)
    games = []
    for number in range(count):
        game = Game(rules, number, "deal")
        for _ in range(int(rng.integers(0, 40))):
            after = game.clone()
            after.apply(int(rng.choice(game.legal_actions())))
            if after.is_over:
                break
            game = after
        games.append(game)
    return games


@pytest.mark.parametrize("rules", RULES, ids=["classic", "two", "four", "mini3"])
def test_owners_are_those_of_the_game(rules: Rules) -> None:
    games = random_games(rules, 60, 0)
    target, hidden = owners_of(states_of(games))
    for game, owners, is_hidden in zip(games, target.tolist(), hidden.tolist(), strict=True):
        seat = seat_of(game)
        view = game.view(seat)
        seen = set(view.hand) | set(view.set_aside or ()) | set(played(game))
        hands, talons = game.dealt()
        deck = {card for pile in (*hands, *talons) for card in pile}
        for card in range(24):
            holder = next((each for each, hand in enumerate(game.hands) if card in hand), None)
            assert owners[card] == (NOBODY if holder is None else (holder - seat) % rules.players)
        assert {card for card in range(24) if is_hidden[card]} == deck - seen
    assert hidden.any(1).float().mean() > 0.2  # near the end of a deal nothing is


def test_the_loss_of_owners_counts_hidden_cards_alone() -> None:
    states = states_of(random_games(Rules(), 30, 1))
    target, hidden = owners_of(states)
    right = 50 * torch.nn.functional.one_hot(target, 5).float()
    right[~hidden] = -right[~hidden]  # what is not hidden may be guessed wrong
    assert float(owners_loss(right, states)) == pytest.approx(0, abs=1e-6)
    assert float(owners_loss(torch.zeros_like(right), states)) == pytest.approx(np.log(5))
    assert float(owners_loss(-right, states)) > 10


def seat_of(game: Game) -> int:
    assert game.seat is not None
    return game.seat


def states_of(games: list[Game]) -> Any:
    """int8 [B, M], each for the seat to act."""
    rows = np.array([encode_state(game, seat_of(game)) for game in games]) * scales(STATE.size)
    return torch.from_numpy(np.rint(rows).astype(np.int8))


def played(game: Game) -> list[int]:
    """Cards played in this deal, from the text of the actions."""
    names = (action_name(event.action, game.rules).split() for event in game.events() if event.action is not None)
    return [card_id(words[1]) for words in names if words[0] in ("play", "marry", "aces")]


@pytest.mark.parametrize("turn", [1, 2])
def test_a_game_with_rotated_seats_is_the_same_game(turn: int) -> None:
    """Deal, dealer and sheet are moved on by some seats: observation, state, history and what a network says stay."""
    rules = Rules()
    first = Game.from_sheet(rules, 5, "deal", scores=[300, 880, -20], barrel=[None, 1, None], bolts=[1, 0, 2], dealer=0)
    hands, talons = first.dealt()
    moved = Game.from_deal(
        rules,
        turned(hands, turn),
        talons[0],
        dealer=turn,
        scores=turned(first.scores, turn),
        bolts=turned(first.bolts, turn),
        barrel=turned(first.barrel, turn),
        episode="deal",
    )
    network = PolicyNet("transformer", (16,), value=True, owners=True).eval()
    critic = Critic(True, (16,)).eval()
    rng = np.random.default_rng(turn)
    count = 0
    while not first.is_over:
        pair = [(game, game.view(seat_of(game))) for game in (first, moved)]
        assert seat_of(moved) == (seat_of(first) + turn) % 3
        given = [(encode_int8(view), history(view), encode_state(game, view.observer)) for game, view in pair]
        for one, other in zip(*given, strict=True):
            assert np.array_equal(one, other)
        with torch.inference_mode():
            rows = [[torch.from_numpy(each.copy())[None] for each in some] for some in given]
            one, other = (network.heads(*row[:2]) for row in rows)
            assert all(torch.equal(a, b) for a, b in zip(one, other, strict=True))
            assert torch.equal(*(critic(row[2]) for row in rows))
        action = int(rng.choice(first.legal_actions()))
        first.apply(action)
        moved.apply(action)
        count += 1
    assert count > 25
    assert np.array_equal(np.roll(first.returns("relative"), turn), moved.returns("relative"))


def turned(by_seat: Sequence[Any], turn: int) -> list[Any]:
    """What belongs to seat s belongs to seat s + turn."""
    return [by_seat[(seat - turn) % len(by_seat)] for seat in range(len(by_seat))]


def test_int8_and_float32_say_the_same() -> None:
    views = [game.view(seat_of(game)) for game in random_games(Rules(), 10, 2)]
    rows = torch.from_numpy(np.array([encode_int8(view) for view in views]))
    floats = torch.from_numpy(np.array([encode(view) for view in views]))
    network = PolicyNet("mlp", (16,))
    assert torch.allclose(network(rows), network(floats), atol=1e-5)


def test_histories_are_read_and_padding_is_not() -> None:
    network = PolicyNet("transformer", (16,)).eval()
    observation = torch.zeros(3, OBSERVATION.size)
    told = torch.full((3, HISTORY_SIZE), -1, dtype=torch.int16)
    told[1, :2] = torch.tensor([3, 140], dtype=torch.int16)
    told[2, :9] = torch.arange(9, dtype=torch.int16)
    with torch.inference_mode():
        together = network(observation, told)
        alone = torch.cat([network(observation[row : row + 1], told[row : row + 1]) for row in range(3)])
    assert torch.isfinite(together).all()
    assert torch.allclose(together, alone, atol=1e-5)
    assert not torch.allclose(together[0], together[1])


def test_action_values_of_all_actions_are_those_of_each() -> None:
    network = ActionValueNet((16, 8))
    mask = random_masks(6)
    observation = torch.rand(6, OBSERVATION.size)
    values = network.all_values(observation, mask)
    rows, actions = mask.nonzero(as_tuple=True)
    assert torch.allclose(values[rows, actions], network(observation[rows], actions), atol=1e-5)
    assert (values[mask == 0] == -1e9).all()


def test_a_description_builds_the_same_network_and_others_are_refused() -> None:
    for network in (PolicyNet("transformer", (8, 8), True, True), Critic(False, (8,)), ActionValueNet((8, 4))):
        twin = build(network.description)
        assert type(twin) is type(network)
        assert {name: each.shape for name, each in twin.state_dict().items()} == {
            name: each.shape for name, each in network.state_dict().items()
        }
    with pytest.raises(ValueError, match="network 'lstm' is not known: use one of policy"):
        build({"network": "lstm"})
    with pytest.raises(ValueError, match="cannot be built"):
        build({"network": "policy", "depth": 3})
    with pytest.raises(ValueError, match="kind='rnn' is not accepted"):
        PolicyNet("rnn")


@pytest.mark.parametrize("network", [PolicyNet(hidden=(8,)), Critic(hidden=(8,)), ActionValueNet((8,))], ids=type)
def test_what_tells_a_deal_alone_from_one_of_a_match_is_not_looked_at(network: torch.nn.Module) -> None:
    """Trainers play deals alone; in a match an agent must do what it does there."""
    size = STATE.size if isinstance(network, Critic) else OBSERVATION.size
    given = torch.zeros(2, size, dtype=torch.int8)
    for name in ("deal_episode", "deals_left_hundreds", "deals_left_rest", "falls", "concessions"):
        given[1, OBSERVATION[name].start : OBSERVATION[name].stop] = 1
    for form in (given, given.float()):
        asked = (form, torch.tensor([3, 3])) if isinstance(network, ActionValueNet) else (form,)
        alone, in_a_match = network(*asked).detach()
        assert torch.equal(alone, in_a_match)
    given[1, OBSERVATION["hand"].start] = 1
    asked = (given, torch.tensor([3, 3])) if isinstance(network, ActionValueNet) else (given,)
    one, other = network(*asked).detach()
    assert not torch.equal(one, other)
