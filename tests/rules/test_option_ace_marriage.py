"""Option `ace_marriage`: four aces."""

import pytest

from tests.rules.option_helpers import begin_play, deal, do, legal, play_out, round5
from thousand_env import Game, IllegalActionError, Rules

HANDS = ("AS AC AD AH TS KS QS 9D", "9S JS 9C TC KC TD KD JD", "QC QD TH KH QH JH 9H JC")
# Seat 2 is dealt four aces and can be kept from winning any trick, see the last test.
UNLUCKY = ("KS QS 9C JC QC KC TC KH", "AS AC AD AH 9H JH QH 9S", "JS 9D JD QD KD TD TH TS")
AT_LEAD = Rules(ace_marriage="held_at_first_lead")


def aces(game: Game) -> set[str]:
    """The claims on offer."""
    return {name for name in legal(game) if name.startswith("aces")}


def test_ace_marriage_off() -> None:
    """Case M10: the claim is illegal, the ace is playable, four aces are worth nothing."""
    assert Rules().ace_marriage == "off"
    game = begin_play(Rules(), *HANDS)
    assert aces(game) == set()
    with pytest.raises(IllegalActionError):
        do(game, "aces AH")
    do(game, "play AH")
    assert (game.points[1], game.trump) == (0, None)
    play_out(game)
    assert sum(game.points) == 120


def test_ace_marriage_lead_ace() -> None:
    game = begin_play(Rules(ace_marriage="lead_ace"), *HANDS)
    assert aces(game) == {"aces AS", "aces AC", "aces AD", "aces AH"}
    assert {"play AS", "play AC", "play AD", "play AH"} <= legal(game)
    do(game, "aces AH")
    assert (game.points[1], game.trump) == (200, None)
    do(game, "play 9S", "play TH")
    assert (game.seat, aces(game)) == (1, set())
    play_out(game)
    assert sum(game.points) == 320


def test_ace_marriage_lead_ace_leaves_the_trump_unchanged() -> None:
    game = begin_play(Rules(ace_marriage="lead_ace"), *HANDS)
    do(game, "marry KS", "play JS", "play JC")
    assert (game.seat, game.trump) == (1, 0)
    do(game, "aces AH")
    assert (game.points[1], game.trump) == (8 + 40 + 200, 0)


def test_ace_marriage_lead_ace_sets_trump() -> None:
    for suit in "SCDH":
        game = begin_play(Rules(ace_marriage="lead_ace_sets_trump"), *HANDS)
        do(game, f"aces A{suit}")
        assert (game.points[1], game.trump) == (200, "SCDH".index(suit))
    game = begin_play(Rules(ace_marriage="lead_ace_sets_trump"), *HANDS)
    do(game, "marry KS", "play JS", "play JC", "aces AH")
    assert game.trump == 3


@pytest.mark.parametrize("mode", ["lead_ace", "lead_ace_sets_trump"])
def test_ace_marriage_lead_needs_all_four_in_hand(mode: str) -> None:
    rules = Rules(ace_marriage=mode)
    game = begin_play(rules, *HANDS)
    do(game, "play AC", "play 9C", "play JC")
    assert (game.seat, aces(game)) == (1, set())
    three = deal(rules, {1: "AS AC AD"}, talon="AH 9S 9C")
    do(three, "bid 100", "pass", "pass", "give AH", "give 9S")
    assert aces(three) == set()


@pytest.mark.parametrize("mode", ["lead_ace", "lead_ace_sets_trump"])
def test_ace_marriage_lead_counts_the_talon(mode: str) -> None:
    game = deal(Rules(ace_marriage=mode), {1: "AS AC AD"}, talon="AH 9S 9C")
    do(game, "bid 100", "pass", "pass", "give 9S", "give 9C")
    assert len(aces(game)) == 4


@pytest.mark.parametrize("mode", ["lead_ace", "lead_ace_sets_trump"])
def test_ace_marriage_lead_obeys_the_gate(mode: str) -> None:
    game = begin_play(Rules(ace_marriage=mode, marriage_gate="after_own_trick"), *HANDS)
    assert aces(game) == set()
    do(game, "play KS", "play JS", "play JC")
    assert (game.seat, len(aces(game))) == (1, 4)


def test_ace_marriage_lead_is_no_action_for_a_follower() -> None:
    game = begin_play(Rules(ace_marriage="lead_ace"), *UNLUCKY)
    do(game, "play 9C")
    assert (game.seat, legal(game)) == (2, {"play AC"})


@pytest.mark.parametrize("mode", ["lead_ace", "lead_ace_sets_trump"])
def test_ace_marriage_lead_by_a_defender(mode: str) -> None:
    """Seat 2 wins a trick under declarer's lead with a small heart and then holds the lead with all four aces."""
    hands = ("KS QS 9C JC QC KC TC 9H", "AS AC AD AH KH TH QH 9S", "JS 9D JD QD KD TD JH TS")
    game = begin_play(Rules(ace_marriage=mode), *hands)
    do(game, "play 9H", "play QH", "play JH")
    assert (game.seat, len(aces(game))) == (2, 4)
    do(game, "aces AD")
    assert game.points[2] == 5 + 200
    assert game.trump == (2 if mode == "lead_ace_sets_trump" else None)


def test_ace_marriage_held_at_first_lead() -> None:
    """No action; added at the end to whoever held all four after the exchange and won a trick."""
    game = begin_play(AT_LEAD, *HANDS)
    assert aces(game) == set()
    do(game, "play AH", "play 9S", "play TH")
    assert game.points[1] == 21
    plain = begin_play(Rules(), *HANDS)
    do(plain, "play AH", "play 9S", "play TH")
    play_out(game)
    play_out(plain)
    assert game.tricks_won[1] > 0
    assert game.points[1] == plain.points[1] + 200
    assert [game.points[0], game.points[2]] == [plain.points[0], plain.points[2]]


def test_ace_marriage_held_at_first_lead_counts_for_the_contract() -> None:
    game = play_out(begin_play(AT_LEAD, *HANDS, contract=200))
    assert game.points[1] > 200
    assert game.scores[1] == round5(game.points[1])
    too_much = play_out(begin_play(AT_LEAD, *HANDS, contract=360))
    assert too_much.scores[1] == -360


def test_ace_marriage_held_at_first_lead_by_a_defender() -> None:
    hands = ("KS QS 9C JC QC KC TC 9H", "AS AC AD AH KH TH QH 9S", "JS 9D JD QD KD TD JH TS")
    game = play_out(begin_play(AT_LEAD, *hands))
    plain = play_out(begin_play(Rules(), *hands))
    assert game.tricks_won[2] > 0
    assert game.points[2] == plain.points[2] + 200
    assert sum(game.points) == 320


def test_ace_marriage_held_at_first_lead_after_the_exchange() -> None:
    """Dealt three and one in the talon: counts if kept, not if given away."""
    for gift, bonus in (("9S", 200), ("AH", 0)):
        game = deal(AT_LEAD, {1: "AS AC AD"}, talon="AH 9S 9C")
        do(game, "bid 100", "pass", "pass", f"give {gift}", "give 9C")
        play_out(game)
        assert sum(game.points) == 120 + bonus


def test_ace_marriage_held_at_first_lead_tells_nobody_before() -> None:
    games = [begin_play(rules, *HANDS) for rules in (AT_LEAD, AT_LEAD.replace(ace_marriage_value=80))]
    for game in games:
        do(game, "play AC", "play 9C", "play JC", "play AD")
        assert list(game.points) == [0, 13, 0]


def test_ace_marriage_held_at_first_lead_needs_a_trick() -> None:
    """Seat 2 holds the four aces after the exchange and loses every trick: nothing is added."""
    game = begin_play(AT_LEAD.replace(must_beat=False, must_trump=False), *UNLUCKY)
    tricks = [
        "marry KS, play 9S, play JS",
        "play 9C, play AC, play TS",
        "play 9D, play QS, play AD",
        "marry KC, play AS, play JD",
        "play JC, play AH, play QD",
        "play QC, play 9H, play KD",
        "play TC, play JH, play TD",
        "play KH, play QH, play TH",
    ]
    for trick in tricks:
        do(game, *trick.split(", "))
    assert game.tricks_won[2] == 0
    assert game.points[2] == 0
    assert sum(game.points) == 120 + 40 + 60
