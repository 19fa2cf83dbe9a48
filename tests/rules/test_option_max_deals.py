"""Option `max_deals`: a match that has not ended by then is truncated."""

from tests.rules.option_helpers import D1, D1_PLAY, D1_TALON, bid_for, deal, do, finish_deal, play_out, quiet
from thousand_env import Game, Rules

# Nobody opens: every deal is void.
VOID = Rules(opening="none")


def _pass_deals(game: Game, most: int) -> int:
    """All pass, deal after deal; how many deals that were."""
    deals = 0
    while game.seat is not None and deals < most:
        do(game, "pass", "pass", "pass")
        deals += 1
    return deals


def test_max_deals_200() -> None:
    assert Rules().max_deals == 200
    game = Game(VOID, seed=1)
    assert _pass_deals(game, 1000) == 200
    assert game.truncated
    assert game.winner is None
    assert game.phase == "over"
    assert game.legal_actions() == []


def test_max_deals_none() -> None:
    game = Game(VOID.replace(max_deals=None), seed=1)
    assert _pass_deals(game, 1000) == 1000
    assert game.seat is not None
    assert not game.truncated
    assert game.deal_number == 1000


def test_max_deals_any() -> None:
    for most in (1, 2, 7):
        game = Game(Rules(max_deals=most, target=100_000, barrel=False), seed=1)
        for number in range(most):
            assert not game.truncated
            assert game.deal_number == number
            finish_deal(game)
        assert game.seat is None
        assert game.truncated
        assert game.winner is None


def test_max_deals_counts_void_deals() -> None:
    game = Game(VOID.replace(max_deals=3), seed=1)
    do(game, "pass", "pass", "pass")
    bid_for(game, game.seat, 100)
    finish_deal(game)
    assert game.deal_number == 2
    do(game, "pass", "pass", "pass")
    assert game.seat is None
    assert game.truncated


def test_max_deals_a_win_in_the_last_deal_is_no_truncation() -> None:
    rules = Rules(max_deals=1, target=150, barrel=False)
    game = deal(rules, D1, D1_TALON, episode="match")
    do(bid_for(game, 1, 110), "give 9S", "give 9C", *D1_PLAY)
    assert (game.seat, game.winner, game.truncated) == (None, 1, False)


def test_max_deals_scores_the_last_deal() -> None:
    game = play_out(quiet(Rules(max_deals=1), episode="match"))
    assert game.truncated
    assert list(game.scores) != [0, 0, 0]


def test_max_deals_ends_with_a_void_deal_whose_dealer_stays() -> None:
    """The dealer of the last deal dealt is kept, also when that deal was void at once."""
    game = Game(Rules(redeal_four_nines="mandatory", max_deals=2), seed=80)
    first = game.dealer
    while not game.is_over:
        game.apply(game.legal_actions()[0])
    assert (game.deal_number, game.deals_scored, game.truncated) == (1, 1, True)
    assert game.dealer == (first + 1) % 3
