"""Option `talon_reveal`: who sees the talon."""

from tests.rules.option_helpers import QUIET_TALON, TWO, TWO_TALONS, cards, deal, do, finish_deal, legal, quiet, texts
from thousand_env import Game, Rules

TALON = set(cards(QUIET_TALON))


def who_saw(game: Game, talon: set[str] = TALON) -> set[int]:
    """The seats that know the talon; a seat that does not must be shown nothing of it."""
    seats = set()
    for seat in range(game.rules.players):
        seen = texts(game.view(seat).talon)
        assert seen in (set(), talon)
        if seen:
            seats.add(seat)
    return seats


def test_talon_reveal_contested() -> None:
    """Shown if at least two players bid (cases A8, A10, A11)."""
    assert Rules().talon_reveal == "contested"
    assert who_saw(do(quiet(Rules()), "bid 100", "pass", "pass")) == {1}
    assert who_saw(do(quiet(Rules()), "bid 120", "pass", "pass")) == {1}
    assert who_saw(do(quiet(Rules()), "bid 100", "bid 120", "pass", "pass")) == {0, 1, 2}
    assert who_saw(do(quiet(Rules()), "bid 100", "pass", "bid 105", "bid 110", "pass")) == {0, 1, 2}


def test_talon_reveal_contested_lasts_through_the_play() -> None:
    game = do(quiet(Rules()), "bid 100", "bid 120", "pass", "pass", "give 9C", "give TD")
    assert game.phase == "play"
    assert who_saw(game) == {0, 1, 2}
    game = do(quiet(Rules()), "bid 100", "pass", "pass", "give 9C", "give TD")
    assert game.phase == "play"
    assert who_saw(game) == {1}


def test_talon_reveal_contested_nobody_sees_it_before() -> None:
    game = quiet(Rules())
    assert who_saw(game) == set()
    assert who_saw(do(game, "bid 100", "bid 105")) == set()


def test_talon_reveal_contested_counts_the_dealers_minimum() -> None:
    alone = do(quiet(Rules(opening="dealer_exact")), "pass", "pass")
    assert who_saw(alone) == {0}
    game = do(quiet(Rules(opening="dealer_exact")), "bid 105", "pass", "pass")
    assert (game.declarer, who_saw(game)) == (1, {0, 1, 2})


def test_talon_reveal_contested_counts_a_dark_bid() -> None:
    alone = do(quiet(Rules(dark=True)), "bid 120", "pass", "pass")
    assert who_saw(alone) == {1}
    overbid = deal(Rules(dark=True), {2: "KH QH"}, QUIET_TALON)
    do(overbid, "bid 120", "bid 125")
    while overbid.phase == "auction":
        do(overbid, "pass")
    assert (overbid.declarer, who_saw(overbid)) == (2, {0, 1, 2})
    over_dealer = do(quiet(Rules(dark=True, opening="dealer_exact")), "bid 120", "pass", "pass")
    assert (over_dealer.declarer, who_saw(over_dealer)) == (1, {0, 1, 2})


def test_talon_reveal_always() -> None:
    rules = Rules(talon_reveal="always")
    assert who_saw(do(quiet(rules), "bid 100", "pass", "pass")) == {0, 1, 2}
    assert who_saw(do(quiet(rules), "bid 100", "bid 105", "pass", "pass")) == {0, 1, 2}
    assert who_saw(quiet(rules)) == set()


def test_talon_reveal_never() -> None:
    rules = Rules(talon_reveal="never")
    assert who_saw(do(quiet(rules), "bid 100", "pass", "pass")) == {1}
    game = do(quiet(rules), "bid 100", "bid 105", "pass", "pass")
    assert (game.declarer, who_saw(game)) == (2, {2})


def test_talon_reveal_with_two_players_shows_the_chosen_one() -> None:
    chosen = set(cards(TWO_TALONS[1]))
    for reveal, contested, seen in (
        ("contested", True, {0, 1}),
        ("contested", False, {1}),
        ("always", False, {0, 1}),
        ("never", True, {1}),
    ):
        game = deal(Rules(players=2, talon_reveal=reveal), TWO, TWO_TALONS)
        do(game, "bid 100", *(["bid 105", "bid 110", "pass"] if contested else ["pass"]))
        assert legal(game) == {"talon A", "talon B"}
        assert who_saw(game, chosen) == set()
        do(game, "talon B")
        assert who_saw(game, chosen) == seen


def test_talon_reveal_with_four_players_treats_the_sitter_like_the_others() -> None:
    for reveal, seen in (("contested", {1}), ("always", {0, 1, 2, 3}), ("never", {1})):
        game = do(quiet(Rules(players=4, talon_reveal=reveal)), "bid 100", "pass", "pass")
        assert who_saw(game) == seen
    contested = do(quiet(Rules(players=4)), "bid 100", "bid 105", "pass", "pass")
    assert (contested.declarer, who_saw(contested)) == (2, {0, 1, 2, 3})


def test_talon_reveal_is_forgotten_with_the_deal() -> None:
    game = do(quiet(Rules(talon_reveal="always"), episode="match"), "bid 100", "pass", "pass")
    finish_deal(game)
    assert game.deal_number == 1
    assert all(not game.view(seat).talon for seat in range(3))
