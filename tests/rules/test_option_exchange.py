"""Option `exchange`: gifts to the opponents, or cards put aside."""

import pytest

from tests.rules.option_helpers import (
    QUIET,
    QUIET_TALON,
    advance,
    cards,
    deal,
    do,
    legal,
    play_out,
    quiet,
    texts,
    value,
)
from thousand_env import Game, IllegalActionError, Rules

ASIDE = Rules(exchange="discard_three")
# Whatever seat 1 leads, the others hold only higher cards in every suit: he wins no trick.
HOPELESS = {1: "9S JS 9C JC 9D JD 9H"}
HOPELESS_TALON = "QS QC JH"


def hopeless(rules: Rules, *aside: str, **rest: object) -> Game:
    """The hopeless declarer plays a deal in which he wins no trick."""
    game = deal(rules, HOPELESS, HOPELESS_TALON, **rest)
    do(game, f"bid {rules.min_bid}", "pass", "pass", *(f"give {card}" for card in aside))
    assert game.phase == "play"
    return play_out(game)


def test_exchange_give_one_each() -> None:
    assert Rules().exchange == "give_one_each"
    game = do(quiet(Rules()), "bid 100", "pass", "pass")
    assert [len(hand) for hand in game.hands] == [7, 10, 7]
    assert legal(game) == {f"give {card}" for card in cards(QUIET[1]) + cards(QUIET_TALON)}
    do(game, "give AH")
    assert game.seat == 1
    assert "AH" in texts(game.hands[2])
    with pytest.raises(IllegalActionError):
        do(game, "give AH")
    do(game, "give 9H")
    assert "9H" in texts(game.hands[0])
    assert [len(hand) for hand in game.hands] == [8, 8, 8]
    assert (game.phase, game.seat) == ("play", 1)
    play_out(game)
    assert sum(game.tricks_won) == 8


def test_exchange_gifts_go_clockwise_from_the_declarer() -> None:
    game = do(quiet(Rules()), "bid 100", "pass", "bid 105", "pass", "give 9C", "give TD")
    assert game.declarer == 0
    assert "9C" in texts(game.hands[1])
    assert "TD" in texts(game.hands[2])


def test_exchange_discard_three() -> None:
    game = do(quiet(ASIDE), "bid 100", "pass", "pass")
    assert [len(hand) for hand in game.hands] == [7, 10, 7]
    for card in ("AH", "TD", "9H"):
        assert (game.phase, game.seat) == ("exchange", 1)
        do(game, f"give {card}")
    assert [len(hand) for hand in game.hands] == [7, 7, 7]
    assert not {"AH", "TD", "9H"} & set().union(*(texts(hand) for hand in game.hands))
    assert (game.phase, game.seat) == ("play", 1)
    play_out(game)
    assert sum(game.tricks_won) == 7
    assert sum(game.points) == 120


def test_exchange_discard_three_counts_for_the_declarer() -> None:
    """Three cards of 10 + 11 + 10 points are his without a trick."""
    game = deal(ASIDE, HOPELESS, "TS AC TD", scores=[0, 0, 0])
    do(game, "bid 100", "pass", "pass", "give TS", "give AC", "give TD")
    play_out(game)
    assert game.tricks_won[1] == 0
    assert game.points[1] == value("TS AC TD") == 31
    assert sum(game.points) == 120


def test_exchange_discard_three_counts_for_the_contract() -> None:
    rules = ASIDE.replace(min_bid=30)
    game = deal(rules, HOPELESS, "TS AC TD")
    do(game, "bid 30", "pass", "pass", "give TS", "give AC", "give TD")
    play_out(game)
    assert game.scores[1] == 30


def test_exchange_discard_three_is_no_trick_for_bolts() -> None:
    assert hopeless(ASIDE, "QS", "QC", "JH").bolts[1] == 1
    assert hopeless(ASIDE.replace(bolt_basis="points"), "QS", "QC", "JH").bolts[1] == 0
    fined = hopeless(ASIDE, "QS", "QC", "JH", bolts=[0, 2, 0])
    assert (fined.scores[1], fined.bolts[1]) == (-220, 0)


def test_exchange_discard_three_is_no_trick_for_the_gate() -> None:
    game = deal(ASIDE.replace(marriage_gate="after_own_trick"), {1: "KH QH"}, "9S 9C 9D")
    do(game, "bid 100", "pass", "pass", "give 9S", "give 9C", "give 9D")
    assert not any(name.startswith("marry") for name in legal(game))
    assert {"play KH", "play QH"} <= legal(game)


@pytest.mark.parametrize("needs_trick", [False, True])
def test_exchange_discard_three_is_no_trick_for_marriage_needs_trick(needs_trick: bool) -> None:
    """He declares 40, loses every trick and has 12 points aside; the bonus lapses, the cards stay."""
    rules = ASIDE.replace(marriage_needs_trick=needs_trick)
    hands = ["9S JS KC QC KD QD KH", "KS QS 9C JC 9D JD 9H", "AS TS AC TC AD TD AH"]
    game = deal(rules, hands, "JH QH TH")
    do(game, "bid 100", "pass", "pass", "give 9C", "give JC", "give TH")
    do(game, "marry KS", "play AS", "play 9S", "play TS", "play JS", "play QS")
    play_out(game)
    assert game.tricks_won[1] == 0
    assert game.points[1] == (12 if needs_trick else 52)


def test_exchange_discard_three_with_four_players() -> None:
    game = do(quiet(ASIDE.replace(players=4)), "bid 100", "pass", "pass", "give 9C", "give TD", "give AH")
    assert [len(hand) for hand in game.hands] == [0, 7, 7, 7]
    play_out(game)
    assert sum(game.tricks_won) == 7
    assert sum(game.points) == 120


def test_exchange_discard_three_is_known_to_the_declarer_only() -> None:
    one, two = (do(quiet(ASIDE), "bid 100", "pass", "pass") for _ in range(2))
    do(one, "give AH", "give TD", "give 9H")
    do(two, "give 9C", "give JD", "give TC")
    for seat in (0, 2):
        assert one.view(seat) == two.view(seat)
    assert one.view(1) != two.view(1)
    advance(one, lambda g: len(g.trick) == 1)
    assert one.view(0) != two.view(0)
