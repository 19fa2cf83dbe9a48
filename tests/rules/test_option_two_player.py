"""Option `two_player`: two talons, or one card given."""

from tests.rules.option_helpers import TWO, TWO_TALONS, cards, do, legal, play_out, quiet, settle, texts, value
from thousand_env import Rules

TALONS = Rules(players=2)
GIVE = Rules(players=2, two_player="give_one")


def test_two_player_two_talons() -> None:
    """Case P1: 10/10 + 2 + 2; he takes one talon and puts two cards aside; 10 tricks."""
    assert Rules().two_player == "two_talons"
    game = do(quiet(TALONS), "bid 100", "pass")
    assert (game.phase, game.seat, legal(game)) == ("talon", 1, {"talon A", "talon B"})
    do(game, "talon B")
    assert game.phase == "exchange"
    assert texts(game.hands[1]) == set(cards(TWO[1])) | set(cards(TWO_TALONS[1]))
    do(game, "give QC", "give 9H")
    assert (game.phase, [len(hand) for hand in game.hands]) == ("play", [10, 10])
    assert not {"QC", "9H"} & (texts(game.hands[0]) | texts(game.hands[1]))
    play_out(game)
    assert sum(game.tricks_won) == 10
    assert sum(game.points) == 120


def test_two_player_two_talons_the_other_stays_closed() -> None:
    game = do(quiet(TALONS), "bid 100", "pass", "talon A", "give 9C", "give 9H")
    assert texts(game.view(1).talon) == set(cards(TWO_TALONS[0]))
    assert texts(game.view(0).talon) == set()


def test_two_player_give_one() -> None:
    """Case P3: 11/11, 11 tricks, the unchosen talon is dead whatever `set_aside` says."""
    for aside in ("last_trick", "dead"):
        for letter, dead in (("A", TWO_TALONS[1]), ("B", TWO_TALONS[0])):
            game = do(quiet(GIVE.replace(set_aside=aside)), "bid 100", "pass", f"talon {letter}")
            assert [len(hand) for hand in game.hands] == [10, 12]
            do(game, "give 9H")
            assert "9H" in texts(game.hands[0])
            assert (game.phase, [len(hand) for hand in game.hands]) == ("play", [11, 11])
            play_out(game)
            assert sum(game.tricks_won) == 11
            assert sum(game.points) == 120 - value(dead)


def test_two_player_give_one_is_a_gift() -> None:
    """The opponent knows the card; the first pass has ended the auction."""
    one, two = (do(quiet(GIVE), "bid 100", "pass", "talon A") for _ in range(2))
    do(one, "give 9H")
    do(two, "give JH")
    assert one.view(0) != two.view(0)


def test_two_player_give_one_concession_and_raise() -> None:
    rules = GIVE.replace(concede="bid_60", raise_after_talon=True)
    game = do(quiet(rules), "bid 100", "pass", "talon A")
    assert "concede" in legal(game)
    do(game, "give 9H")
    assert game.phase == "raise"
    assert "concede" not in legal(game)


def test_two_player_scoring_is_that_of_section_1() -> None:
    after = settle(GIVE, (42, 118), contract=100, scores=(860, 0))
    assert (after.scores, after.barrel) == ((880, 120), (0, None))
