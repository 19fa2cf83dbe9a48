"""Option `redeal_hand_below`: a player whose hand has fewer card points may ask for a redeal."""

from tests.rules.option_helpers import deal, do, legal, quiet, value
from thousand_env import Rules

HANDS = {12: "9S 9C 9D QS QC QD QH", 13: "9S 9C JS JC JD KD QH", 14: "9S 9C JS JC KC KD JD"}
ASK = Rules(redeal_hand_below=14)


def _asked(limit: int | None, points: int) -> bool:
    assert value(HANDS[points]) == points
    game = deal(Rules(redeal_hand_below=limit), {2: HANDS[points]})
    if game.phase == "redeal":
        assert (game.seat, legal(game)) == (2, {"pass", "redeal"})
        return True
    assert (game.phase, game.seat) == ("auction", 1)
    return False


def test_redeal_hand_below_none() -> None:
    assert Rules().redeal_hand_below is None
    assert [_asked(None, points) for points in (12, 13, 14)] == [False, False, False]


def test_redeal_hand_below_13() -> None:
    assert [_asked(13, points) for points in (12, 13, 14)] == [True, False, False]


def test_redeal_hand_below_14() -> None:
    assert [_asked(14, points) for points in (12, 13, 14)] == [True, True, False]


def test_redeal_hand_below_voids_the_deal() -> None:
    sheet = {"scores": [15, 880, -40], "bolts": [2, 0, 1], "barrel": [None, 1, None]}
    game = do(deal(ASK, {2: HANDS[12]}, episode="match", **sheet), "redeal")
    assert (game.deal_number, game.dealer) == (1, 0)
    assert list(game.scores) == sheet["scores"]
    assert list(game.bolts) == sheet["bolts"]
    assert list(game.barrel) == sheet["barrel"]


def test_redeal_hand_below_asks_clockwise_from_first_hand() -> None:
    """Only those entitled; the first who asks voids the deal."""
    hands = {1: "9S 9C JS JC QS QC KD", 0: "9D 9H JD JH QD QH KS"}
    assert [value(hand) for hand in hands.values()] == [14, 14]
    game = deal(Rules(redeal_hand_below=15), hands)
    assert (game.phase, game.seat) == ("redeal", 1)
    first = do(game.clone(), "redeal")
    assert first.deal_number == 1
    do(game, "pass")
    assert (game.phase, game.seat, game.deal_number) == ("redeal", 0, 0)
    second = do(game.clone(), "redeal")
    assert second.deal_number == 1
    do(game, "pass")
    assert (game.phase, game.seat, game.deal_number) == ("auction", 1, 0)


def test_redeal_hand_below_with_four_nines() -> None:
    game = deal(ASK.replace(redeal_four_nines="optional"), {2: "9S 9C 9D 9H JS JC JD"})
    assert (game.phase, game.seat) == ("redeal", 2)
    do(game, "pass")
    assert (game.phase, game.seat) == ("auction", 1)


def test_redeal_hand_below_hands_are_judged_as_dealt() -> None:
    game = quiet(ASK)
    assert game.phase == "auction"
    do(game, "bid 100", "pass", "pass", "give AH", "give TD")
    assert game.phase == "play"
