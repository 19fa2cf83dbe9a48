"""Option `marriage_declare`: a right, or automatic."""

import random

from tests.rules.option_helpers import begin_play, do, legal
from thousand_env import Game, Rules

AUTO = Rules(marriage_declare="automatic")
HANDS = ("KC QC AS TS KS 9D 9H JH", "KH QH AC TC JC AD TD KD", "QS JS 9S QD JD 9C AH TH")
FOUR_ACES = ("AS AC AD AH TS KS QS 9D", "9S JS 9C TC KC TD KD JD", "QC QD TH KH QH JH 9H JC")


def test_marriage_declare_optional() -> None:
    """Leading K or Q without declaring scores nothing and leaves trump unchanged; that marriage is then gone."""
    assert Rules().marriage_declare == "optional"
    game = begin_play(Rules(), *HANDS)
    assert {"play KC", "play QC", "marry KC", "marry QC"} <= legal(game)
    do(game, "play QC")
    assert (game.trump, game.points[1]) == (None, 0)
    do(game, "play AC", "play 9C")
    assert game.seat == 2
    declared = do(begin_play(Rules(), *HANDS), "marry QC")
    assert (declared.trump, declared.points[1]) == (1, 60)


def test_marriage_declare_automatic() -> None:
    """Case M12: no declaring actions exist; leading K or Q of a held pair declares."""
    for card in ("QC", "KC"):
        game = begin_play(AUTO, *HANDS)
        assert legal(game) == {f"play {held}" for held in HANDS[0].split()}
        do(game, f"play {card}")
        assert (game.trump, game.points[1]) == (1, 60)


def test_marriage_declare_automatic_only_for_a_held_pair() -> None:
    game = do(begin_play(AUTO, *HANDS), "play KS")
    assert (game.trump, game.points[1]) == (None, 0)


def test_marriage_declare_automatic_only_on_lead() -> None:
    """Seat 2 follows with a queen of a held pair: nothing. Later it leads the other half: the pair is broken."""
    game = do(begin_play(AUTO, *HANDS), "play JH", "play QH")
    assert (game.trump, game.points[2]) == (None, 0)
    do(game, "play AH")
    assert list(game.points) == [16, 0, 0]


def test_marriage_declare_automatic_obeys_the_gate() -> None:
    rules = AUTO.replace(marriage_gate="after_own_trick")
    game = do(begin_play(rules, *HANDS), "play KC")
    assert (game.trump, game.points[1]) == (None, 0)
    game = do(begin_play(rules, *HANDS), "play AS", "play JC", "play 9S", "play KC")
    assert (game.trump, game.points[1]) == (1, 13 + 60)


def test_marriage_declare_automatic_aces() -> None:
    for mode, trump in (("lead_ace", None), ("lead_ace_sets_trump", 3)):
        game = begin_play(AUTO.replace(ace_marriage=mode), *FOUR_ACES)
        assert legal(game) == {f"play {held}" for held in FOUR_ACES[0].split()}
        do(game, "play AH")
        assert (game.trump, game.points[1]) == (trump, 200)
    gated = begin_play(AUTO.replace(ace_marriage="lead_ace", marriage_gate="after_own_trick"), *FOUR_ACES)
    do(gated, "play AH")
    assert gated.points[1] == 0
    off = do(begin_play(AUTO, *FOUR_ACES), "play AH")
    assert off.points[1] == 0


def test_marriage_declare_automatic_never_offers_a_declaration() -> None:
    rules = AUTO.replace(ace_marriage="lead_ace_sets_trump", bid_cap="none")
    for seed in range(6):
        game, rng = Game(rules, seed=seed), random.Random(seed)
        for _ in range(200):
            if game.seat is None:
                break
            assert not any(114 <= action <= 125 for action in game.legal_actions())
            game.apply(rng.choice(game.legal_actions()))
