"""Option `golden`: золотой кон, the first `players` deals are played at 120 without an auction and count double."""

import pytest

from tests.rules.option_helpers import (
    QUIET_TALON,
    advance,
    bid_for,
    cards,
    deal,
    do,
    finish_deal,
    legal,
    play_out,
    quiet,
    settle,
    texts,
)
from thousand_env import Game, Rules

GOLD = Rules(golden=True)
LOW = "9S 9C 9D QS QC QD QH"


def test_golden_false() -> None:
    assert Rules().golden is False
    assert Game(Rules(), seed=1).phase == "auction"
    assert settle(Rules(), (12, 130, 58), contract=120).scores == (10, 130, 60)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_golden_true(players: int) -> None:
    """Each seat is first hand once; the deal after has an auction."""
    game = Game(Rules(golden=True, players=players), seed=1)
    declarers = []
    for number in range(players):
        assert game.deal_number == number
        assert game.phase == ("talon" if players == 2 else "exchange")
        assert game.seat == game.declarer == (game.dealer + 1) % players
        assert game.contract == 120
        declarers.append(game.declarer)
        finish_deal(game)
    assert sorted(declarers) == list(range(players))
    assert game.phase == "auction"


def test_golden_true_counts_double() -> None:
    after = settle(GOLD, (12, 130, 58), contract=120)
    assert after.scores == (20, 260, 120)
    assert after.deals_scored == 1
    failed = settle(GOLD, (12, 90, 18), contract=120)
    assert failed.scores == (20, -240, 40)


def test_golden_true_doubles_what_is_written() -> None:
    """33 is written as 35, and doubled as 70, not as 65."""
    assert settle(GOLD, (33, 123, 4), contract=120).scores == (70, 250, 10)
    assert settle(GOLD.replace(declarer_score="bid"), (33, 123, 4), contract=120).scores[1] == 240


def test_golden_true_for_the_first_players_deals_only() -> None:
    for scored in range(5):
        after = settle(GOLD, (12, 130, 58), contract=120, deals_scored=scored)
        assert after.scores == ((20, 260, 120) if scored < 3 else (10, 130, 60))
    two = Rules(golden=True, players=2)
    doubled = [settle(two, (40, 120), contract=120, deals_scored=scored).scores[0] for scored in range(4)]
    assert doubled == [80, 80, 40, 40]
    four = Rules(golden=True, players=4)
    doubled = [
        settle(four, (0, 130, 12, 58), contract=120, talon="9S JC JD", deals_scored=scored).scores[3]
        for scored in range(5)
    ]
    assert doubled == [120, 120, 120, 120, 60]


def test_golden_true_bolts_count_two_and_their_fine_double() -> None:
    seen = []
    for bolts in range(3):
        after = settle(GOLD, (12, 188, 0), contract=120, bolts=(0, 0, bolts), scores=(0, 0, 300))
        seen.append((after.scores[2], after.bolts[2]))
    assert seen == [(300, 2), (60, 0), (60, 0)]
    small = settle(GOLD.replace(bolt_penalty=50), (12, 188, 0), contract=120, bolts=(0, 0, 1), scores=(0, 0, 300))
    assert small.scores[2] == 200


def test_golden_true_concession_counts_double() -> None:
    assert settle(GOLD.replace(concede="bid_60"), conceded=True, contract=120).scores == (120, -240, 120)
    assert settle(GOLD.replace(concede="120_60"), conceded=True, contract=120).scores == (120, -240, 120)
    assert settle(GOLD.replace(concede="half_bid"), conceded=True, contract=120).scores == (120, -240, 120)


def test_golden_true_sitters_bonus_counts_double() -> None:
    """Talon A 10 9: 21 is written as 20, doubled as 40."""
    after = settle(GOLD.replace(players=4), (0, 130, 12, 58), contract=120, talon="AS TH 9C")
    assert after.scores == (40, 260, 20, 120)


def test_golden_true_nothing_is_doubled_on_the_barrel() -> None:
    sheet = {"scores": (0, 880, 880), "barrel": (None, 0, 1)}
    won = settle(GOLD, (12, 130, 58), contract=120, **sheet)
    assert (won.scores, won.winner) == ((20, 1010, 880), 1)
    rules = GOLD.replace(barrel_failed_contract="deduct_and_fall")
    fallen = settle(rules, (12, 90, 18), contract=120, **sheet)
    assert fallen.scores == (20, 760, 880)
    assert fallen.barrel == (None, None, 2)
    bolted = settle(GOLD.replace(bolt_on_barrel="counted"), (30, 130, 0), contract=120, bolts=(0, 0, 1), **sheet)
    assert bolted.bolts[2] == 2
    fined = settle(GOLD.replace(bolt_on_barrel="counted"), (30, 130, 0), contract=120, bolts=(0, 0, 2), **sheet)
    assert (fined.scores[2], fined.bolts[2]) == (760, 0)


def test_golden_true_concession_on_the_barrel_is_not_doubled() -> None:
    rules = GOLD.replace(concede="bid_60", barrel_failed_contract="deduct_and_fall")
    after = settle(rules, conceded=True, contract=120, scores=(0, 880, 0), barrel=(None, 0, None))
    assert after.scores == (120, 760, 120)


def test_golden_true_climbing_counts_double() -> None:
    after = settle(GOLD, (12, 130, 58), contract=120, scores=(0, 0, 770))
    assert (after.scores[2], after.barrel[2]) == (880, 0)


def test_golden_true_in_a_game_against_the_same_deal_bid() -> None:
    golden = play_out(quiet(GOLD))
    plain = play_out(bid_for(quiet(Rules()), 1, 120))
    assert list(golden.points) == list(plain.points)
    assert list(golden.scores) == [2 * score for score in plain.scores]
    assert list(golden.bolts) == [2 * bolts for bolts in plain.bolts]


def test_golden_true_is_uncontested() -> None:
    game = quiet(GOLD)
    assert [texts(game.view(seat).talon) for seat in range(3)] == [set(), set(cards(QUIET_TALON)), set()]
    shown = quiet(GOLD.replace(talon_reveal="always"))
    assert all(texts(shown.view(seat).talon) == set(cards(QUIET_TALON)) for seat in range(3))


def test_golden_true_no_dark_bid_and_no_raise() -> None:
    game = quiet(GOLD.replace(dark=True, raise_after_talon=True, bid_cap="none"))
    assert (game.phase, game.contract) == ("exchange", 120)
    do(game, "give 9C", "give TD")
    assert game.phase == "play"


def test_golden_true_dark_comes_back_after_the_golden_deals() -> None:
    game = Game(GOLD.replace(dark=True), seed=4)
    for _ in range(3):
        assert game.phase == "exchange"
        finish_deal(game)
    assert game.phase == "dark"


def test_golden_true_no_talon_redeal() -> None:
    rules = GOLD.replace(min_bid=120, redeal_talon_below=5, redeal_talon_nines=2)
    game = deal(rules, talon="9S 9C JD")
    assert (game.phase, game.contract) == ("exchange", 120)
    assert "redeal" not in legal(game)


def test_golden_true_hand_redeal_and_concession_as_usual() -> None:
    game = deal(GOLD.replace(redeal_hand_below=14, concede="bid_60"), {1: LOW})
    assert (game.phase, game.seat, legal(game)) == ("redeal", 1, {"pass", "redeal"})
    do(game, "pass")
    assert game.phase == "exchange"
    assert "concede" in legal(game)
    do(game, "concede")
    assert list(game.scores) == [120, -240, 120]


def test_golden_true_a_void_deal_uses_up_none() -> None:
    """After a redeal three golden deals are still to come."""
    rules = GOLD.replace(redeal_hand_below=14)
    game = deal(rules, {2: LOW}, episode="match")
    do(game, "redeal")
    assert (game.deal_number, game.dealer) == (1, 0)
    for _ in range(3):
        advance(game, lambda g: g.phase != "redeal")
        assert (game.phase, game.contract) == ("exchange", 120)
        finish_deal(game)
    advance(game, lambda g: g.phase != "redeal")
    assert game.phase == "auction"


def test_golden_true_the_silent_play_their_golden_deals() -> None:
    game = quiet(GOLD.replace(silence_below=-120), scores=[0, -500, 0])
    assert (game.phase, game.declarer, game.contract) == ("exchange", 1, 120)


def test_golden_true_four_players() -> None:
    game = quiet(GOLD.replace(players=4))
    assert (game.phase, game.declarer, game.contract) == ("exchange", 1, 120)
