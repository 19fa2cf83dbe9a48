"""Option `suits`: the suits of the deck."""

from tests.rules.option_helpers import cards, do, legal, levels, play_out, quiet, texts
from thousand_env import Game, Rules

# Twelve cards, 60 card points.
SMALL = Rules(suits="SH", hand_size=3, talon_size=3, min_bid=10, barrel=False)


def test_suits_full_deck() -> None:
    assert sorted(Rules().suits) == sorted("SCDH")
    game = quiet(Rules())
    dealt = set().union(*(texts(hand) for hand in game.hands), texts(game.talon))
    assert {card[1] for card in dealt} == set("SCDH")


def test_suits_sh() -> None:
    for seed in range(5):
        game = Game(SMALL, seed=seed)
        dealt = texts(card for hand in game.hands for card in hand) | texts(game.talon)
        assert dealt == {rank + suit for rank in "9JQKTA" for suit in "SH"}
    hands = ["AS TS 9H", "KS JS QH", "QS KH TH"]
    game = Game.from_deal(
        SMALL, hands=[cards(hand) for hand in hands], talon=cards("9S JH AH"), dealer=0, episode="deal", seed=5
    )
    assert (game.seat, legal(game)) == (1, levels(10, 60))
    do(game, "bid 10", "pass", "pass", "give 9S", "give JH")
    assert [len(hand) for hand in game.hands] == [4, 4, 4]
    play_out(game)
    assert sum(game.tricks_won) == 4
    assert sum(game.points) == 60


def test_suits_sh_cap_adds_the_marriages() -> None:
    hands = ["AS TS 9H", "KH JS QH", "QS KS TH"]
    game = Game.from_deal(
        SMALL, hands=[cards(hand) for hand in hands], talon=cards("9S JH AH"), dealer=0, episode="deal", seed=5
    )
    assert legal(game) == levels(10, 160)
    do(game, "bid 10")
    assert (game.seat, legal(game)) == (2, {"pass"} | levels(15, 100))


def test_suits_in_the_presets() -> None:
    for preset in ("mini2", "mini3"):
        assert sorted(Rules.preset(preset).suits) == sorted("SH")
