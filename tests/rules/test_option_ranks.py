"""Option `ranks`: the ranks of the deck."""

from tests.rules.option_helpers import cards, do, legal, levels, play_out, quiet, texts
from thousand_env import Game, Rules

# Twelve cards, 72 card points.
SMALL = Rules(ranks="QKA", hand_size=3, talon_size=3, min_bid=10, barrel=False)
HANDS = ["AS QC KD", "AC QD KH", "AD QH KS"]
TALON = "AH QS KC"


def _small(rules: Rules = SMALL, hands: list[str] = HANDS, talon: str = TALON) -> Game:
    return Game.from_deal(
        rules, hands=[cards(hand) for hand in hands], talon=cards(talon), dealer=0, episode="deal", seed=5
    )


def test_ranks_full_deck() -> None:
    assert sorted(Rules().ranks) == sorted("9JQKTA")
    game = quiet(Rules())
    assert len(set().union(*(texts(hand) for hand in game.hands), texts(game.talon))) == 24


def test_ranks_qka() -> None:
    for seed in range(5):
        game = Game(SMALL, seed=seed)
        dealt = texts(card for hand in game.hands for card in hand) | texts(game.talon)
        assert dealt == {rank + suit for rank in "QKA" for suit in "SCDH"}
        assert [len(hand) for hand in game.hands] == [3, 3, 3]
    game = _small()
    assert (game.seat, legal(game)) == (1, levels(10, 70))
    do(game, "bid 10", "pass", "pass", "give QD", "give KC")
    assert [len(hand) for hand in game.hands] == [4, 4, 4]
    play_out(game)
    assert sum(game.tricks_won) == 4
    assert sum(game.points) == 72


def test_ranks_qka_cap_adds_the_marriages() -> None:
    """120 stands for the card points of the deck: 72 + 40."""
    game = _small(hands=["AS QC KD", "KS QS AC", "AD QH KC"], talon="AH QD KH")
    assert legal(game) == levels(10, 110)
    rules = SMALL.replace(bid_cap="always_120")
    assert legal(_small(rules, ["AS QC KD", "KS QS AC", "AD QH KC"], "AH QD KH")) == levels(10, 70)


def test_ranks_in_the_presets() -> None:
    for preset in ("mini2", "mini3"):
        assert sorted(Rules.preset(preset).ranks) == sorted("QKA")
