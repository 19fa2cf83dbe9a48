"""Option `gifts_face_up`: all see the gifts."""

from tests.rules.option_helpers import do, quiet
from thousand_env import Game, Rules


def _two_gifts(rules: Rules, first: str, second: str) -> Game:
    return do(quiet(rules), "bid 100", "pass", "pass", f"give {first}", f"give {second}")


def test_gifts_face_up_false() -> None:
    """Only giver and receiver know a gift: seat 2 cannot tell what seat 0 got."""
    assert Rules().gifts_face_up is False
    one, two = (_two_gifts(Rules(), "9C", card) for card in ("TD", "AH"))
    assert one.view(2) == two.view(2)
    assert one.view(0) != two.view(0)
    assert one.view(1) != two.view(1)
    one, two = (_two_gifts(Rules(), card, "9C") for card in ("TD", "AH"))
    assert one.view(0) == two.view(0)
    assert one.view(2) != two.view(2)


def test_gifts_face_up_true() -> None:
    rules = Rules(gifts_face_up=True)
    one, two = (_two_gifts(rules, "9C", card) for card in ("TD", "AH"))
    assert one.view(2) != two.view(2)
    one, two = (_two_gifts(rules, card, "9C") for card in ("TD", "AH"))
    assert one.view(0) != two.view(0)


def test_gifts_face_up_never_shows_cards_put_aside() -> None:
    rules = Rules(gifts_face_up=True, exchange="discard_three")
    one, two = (do(quiet(rules), "bid 100", "pass", "pass", "give 9C", "give TD") for _ in range(2))
    do(one, "give AH")
    do(two, "give AS")
    for seat in (0, 2):
        assert one.view(seat) == two.view(seat)
    assert one.view(1) != two.view(1)


def test_gifts_face_up_never_shows_cards_put_aside_by_two_players() -> None:
    rules = Rules(gifts_face_up=True, players=2)
    one, two = (do(quiet(rules), "bid 100", "pass", "talon A", "give 9C") for _ in range(2))
    do(one, "give AH")
    do(two, "give AS")
    assert one.view(0) == two.view(0)
    assert one.view(1) != two.view(1)
