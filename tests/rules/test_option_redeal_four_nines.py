"""Option `redeal_four_nines`: a dealt hand with four nines."""

import random

import pytest

from tests.rules.option_helpers import advance, cards, deal, do, finish_deal, legal, quiet, texts
from thousand_env import DealError, Game, Rules

NINES = {"9S", "9C", "9D", "9H"}
HAND = "9S 9C 9D 9H AS AC TD"
ASK = Rules(redeal_four_nines="optional")
ALWAYS = Rules(redeal_four_nines="mandatory")


def _has_nines(game: Game) -> bool:
    return any(texts(hand) >= NINES for hand in game.hands)


def _unlucky_seed(players: int = 3) -> int:
    """A seed whose first deal gives somebody four nines."""
    return next(seed for seed in range(5000) if _has_nines(Game(Rules(players=players), seed=seed)))


def test_redeal_four_nines_off() -> None:
    assert Rules().redeal_four_nines == "off"
    game = deal(Rules(), {2: HAND})
    assert game.phase == "auction"
    assert "redeal" not in legal(game)


def test_redeal_four_nines_optional() -> None:
    """The holder may ask; the deal is void then: same dealer, nothing scored."""
    sheet = {"scores": [15, 880, -40], "bolts": [2, 0, 1], "barrel": [None, 1, None]}
    game = deal(ASK, {2: HAND}, episode="match", **sheet)
    assert (game.phase, game.seat, legal(game)) == ("redeal", 2, {"pass", "redeal"})
    kept = do(game.clone(), "pass")
    assert (kept.phase, kept.seat, kept.deal_number) == ("auction", 1, 0)
    do(game, "redeal")
    assert (game.deal_number, game.dealer) == (1, 0)
    assert list(game.scores) == sheet["scores"]
    assert list(game.bolts) == sheet["bolts"]
    assert list(game.barrel) == sheet["barrel"]
    assert texts(game.hands[2]) != set(cards(HAND))


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_redeal_four_nines_optional_asks_only_the_holder(seat: int) -> None:
    game = deal(ASK, {seat: HAND})
    assert (game.phase, game.seat) == ("redeal", seat)
    do(game, "pass")
    assert (game.phase, game.seat) == ("auction", 1)
    assert quiet(ASK).phase == "auction"


def test_redeal_four_nines_optional_hands_are_judged_as_dealt() -> None:
    """Three nines in hand and one in the talon are no four nines, nor later."""
    game = deal(ASK, {1: "9S 9C 9D"}, talon="9H AS AC")
    assert game.phase == "auction"
    do(game, "bid 100", "pass", "pass")
    assert "redeal" not in legal(game)


def test_redeal_four_nines_optional_a_refusal_is_not_announced() -> None:
    """Seat 0 cannot tell whether seat 2 declined or was never asked."""
    own, talon = "QS QC QD QH KS AC TD", "JS JC AD"
    declined = do(deal(ASK, [own, "TS KC TC KD TH KH AH", "9S 9C 9D 9H AS JD JH"], talon), "pass")
    never = deal(ASK, [own, "TS KC 9S KD TH KH AH", "TC 9C 9D 9H AS JD JH"], talon)
    assert declined.phase == never.phase == "auction"
    assert declined.view(0) == never.view(0)
    do(declined, "bid 100", "pass")
    do(never, "bid 100", "pass")
    assert declined.view(0) == never.view(0)


def test_redeal_four_nines_optional_ends_no_deal_episode() -> None:
    game = do(deal(ASK, {2: HAND}, episode="deal"), "redeal")
    assert game.seat is not None
    assert game.deal_number == 1


@pytest.mark.parametrize("players", [2, 3, 4])
def test_redeal_four_nines_mandatory(players: int) -> None:
    """The deal is void at once, with the same dealer; the next deal of the seed follows."""
    seed = _unlucky_seed(players)
    off = Game(Rules(players=players), seed=seed)
    game = Game(ALWAYS.replace(players=players), seed=seed)
    assert game.deal_number >= 1
    assert game.dealer == off.dealer
    assert not _has_nines(game)
    assert set(game.scores) == {0}
    assert set(game.bolts) == {0}
    assert game.phase == "auction"


def test_redeal_four_nines_mandatory_such_a_deal_cannot_be_given() -> None:
    """It would be void before anybody acts, so `from_deal` refuses it and says why."""
    with pytest.raises(DealError, match="redeal_four_nines"):
        deal(ALWAYS, {0: HAND})


def test_redeal_four_nines_mandatory_nobody_ever_plays_them() -> None:
    for seed in (_unlucky_seed(), 1, 2):
        game, rng = Game(ALWAYS.replace(max_deals=40), seed=seed), random.Random(seed)
        number = -1
        while game.seat is not None:
            if game.deal_number != number:
                number = game.deal_number
                assert game.phase == "auction"
                assert not _has_nines(game)
            game.apply(rng.choice(game.legal_actions()))


def test_redeal_four_nines_mandatory_void_deals_count_for_max_deals() -> None:
    seed = _unlucky_seed()
    over = Game(ALWAYS.replace(max_deals=1), seed=seed)
    assert (over.seat, over.phase) == (None, "over")
    assert over.truncated
    assert over.winner is None
    game = Game(ALWAYS.replace(max_deals=2), seed=seed)
    assert (game.deal_number, game.truncated) == (1, False)
    finish_deal(game)
    assert (game.seat, game.truncated) == (None, True)


def test_redeal_four_nines_optional_with_two_players() -> None:
    game = deal(ASK.replace(players=2), {0: HAND + " JS JC JD"})
    assert (game.phase, game.seat) == ("redeal", 0)
    do(game, "redeal")
    assert (game.deal_number, game.dealer) == (1, 0)


def test_redeal_four_nines_optional_with_four_players() -> None:
    game = deal(ASK.replace(players=4), {3: HAND})
    assert (game.phase, game.seat) == ("redeal", 3)
    advance(do(game, "redeal"), lambda g: g.phase == "auction")
    assert game.dealer == 0
