"""rules.md 7.6: the deal D1, step by step with every legal list, and the sums that hold in every deal."""

import pytest

from tests.rules.helpers import (
    CLASSIC,
    Rules,
    at_random_play,
    bids,
    cards,
    deal,
    do,
    hand,
    legal,
    play_out,
    sizes,
    trick,
    trump,
)
from thousand_env import Game

P0 = "QS JS AC 10C KC KD 10D"
P1 = "AH 10H KH QH AS 9C JD"
P2 = "10S KS 9H JH AD QC 9D"
TALON = "9S QD JC"

AUCTION = [
    (1, bids(*range(100, 225, 5)), "bid 100"),
    (2, {"pass"} | bids(105, 110, 115, 120), "pass"),
    (0, {"pass"} | bids(105, 110, 115, 120), "bid 105"),
    (1, {"pass"} | bids(*range(110, 225, 5)), "bid 110"),
    (0, {"pass"} | bids(115, 120), "pass"),
]

GIFTS = [
    (1, "AH 10H KH QH AS 9C JD 9S QD JC", "9S"),
    (1, "AH 10H KH QH AS 9C JD QD JC", "9C"),
]

TRICKS = [
    (
        [
            (1, "AH 10H KH QH AS JD QD JC", "AH"),
            (2, "9H JH", "9H"),
            (0, "QS JS AC 10C KC KD 10D 9C", "9C"),
        ],
        (1, 11),
    ),
    (
        [
            (1, "10H KH QH AS JD QD JC", "KH"),
            (2, "JH", "JH"),
            (0, "QS JS AC 10C KC KD 10D", "JS"),
        ],
        (1, 8),
    ),
    (
        [
            (1, "10H QH AS JD QD JC", "10H"),
            (2, "10S KS AD QC 9D 9S", "9D"),
            (0, "QS AC 10C KC KD 10D", "QS"),
        ],
        (1, 13),
    ),
    (
        [
            (1, "QH AS JD QD JC", "QH"),
            (2, "10S KS AD QC 9S", "9S"),
            (0, "AC 10C KC KD 10D", "KD"),
        ],
        (1, 7),
    ),
    (
        [
            (1, "AS JD QD JC", "AS"),
            (2, "10S KS", "KS"),
            (0, "AC 10C KC 10D", "KC"),
        ],
        (1, 19),
    ),
    (
        [
            (1, "JD QD JC", "QD"),
            (2, "AD", "AD"),
            (0, "10D", "10D"),
        ],
        (2, 24),
    ),
    (
        [
            (2, "10S QC", "10S"),
            (0, "AC 10C", "10C"),
            (1, "JD JC", "JD"),
        ],
        (2, 22),
    ),
    (
        [
            (2, "QC", "QC"),
            (0, "AC", "AC"),
            (1, "JC", "JC"),
        ],
        (0, 16),
    ),
]
"""Per trick: (seat, playable cards, card played) in order; (winner, card points). KH of trick 2 is declared."""


def d1(rules=CLASSIC, **sheet):
    """D1 as dealt."""
    return deal(P0, P1, P2, TALON, rules=rules, **sheet)


def expected_legal(number, turn, playable):
    """The full legal list of a turn: the cards, and the heart marriage while P1 leads holding both halves."""
    texts = {f"play {card}" for card in cards(playable)}
    return texts | {"marry KH", "marry QH"} if number < 2 and turn == 0 else texts


def script():
    """All actions of D1 in order."""
    yield from (f"P{seat} {text}" for seat, _, text in AUCTION)
    yield from (f"P{seat} give {cards(card)[0]}" for seat, _, card in GIFTS)
    for turns, _ in TRICKS:
        for seat, _, card in turns:
            yield f"P{seat} {'marry' if card == 'KH' else 'play'} {cards(card)[0]}"


def test_D1_step_by_step():
    """Every legal list, trick, winner, trump and running total of 7.6."""
    game = d1(episode="deal")
    for seat, expected, text in AUCTION:
        assert (game.phase, game.seat) == ("auction", seat)
        assert legal(game) == expected
        do(game, text)
    assert (game.declarer, game.contract) == (1, 110)
    assert sizes(game) == [7, 10, 7]
    for seat, ten, card in GIFTS:
        assert (game.phase, game.seat) == ("exchange", seat)
        assert legal(game) == {f"give {each}" for each in cards(ten)}
        do(game, f"give {card}")
    assert hand(game, 0) == set(cards(P0)) | {"9C"}
    assert hand(game, 2) == set(cards(P2)) | {"9S"}
    points, tricks = [0, 0, 0], [0, 0, 0]
    for number, (turns, (winner, worth)) in enumerate(TRICKS):
        for turn, (seat, playable, card) in enumerate(turns):
            assert (game.phase, game.seat) == ("play", seat)
            assert legal(game) == expected_legal(number, turn, playable)
            assert trick(game) == [(who, cards(each)[0]) for who, _, each in turns[:turn]]
            assert trump(game) == ("H" if (number, turn) > (1, 0) else None)
            declares = card == "KH"
            do(game, f"{'marry' if declares else 'play'} {cards(card)[0]}")
            points[seat] += 100 if declares else 0
            if turn < 2:
                assert list(game.points) == points
        points[winner] += worth
        tricks[winner] += 1
        assert list(game.points) == points
        assert list(game.tricks_won) == tricks
    assert points == [16, 158, 46]
    assert tricks == [1, 5, 2]
    assert (game.phase, game.seat, game.winner) == ("over", None, None)
    assert list(game.scores) == [15, 160, 45]
    assert list(game.bolts) == [0, 0, 0]


@pytest.mark.parametrize(
    ("options", "scores"),
    [
        ({}, [15, 160, 45]),
        ({"declarer_score": "bid"}, [15, 110, 45]),
        ({"rounding": "nearest10", "declarer_score": "bid"}, [20, 110, 50]),
        ({"rounding": "none"}, [16, 158, 46]),
        ({"rounding": "down5"}, [15, 155, 45]),
        ({"declarer_score": "max"}, [15, 160, 45]),
    ],
)
def test_D1_scores(options, scores):
    """The sheet of 7.6 and of S10."""
    game = do(d1(rules=Rules(**options), episode="deal"), "; ".join(script()))
    assert list(game.scores) == scores


def test_D1_goes_on_with_the_next_deal():
    """Rule 3: in a match the next deal follows at once, P1 is dealer, P2 first hand."""
    game = do(d1(), "; ".join(script()))
    assert (game.phase, game.dealer, game.seat, game.deal_number) == ("auction", 1, 2, 1)
    assert list(game.scores) == [15, 160, 45]
    assert sizes(game) == [7, 7, 7]


def test_D1_rotated():
    """1.1: the same deal with dealer 1: every seat one further."""
    hands = [cards(P2), cards(P0), cards(P1)]
    game = Game.from_deal(Rules(), hands=hands, talon=cards(TALON), dealer=1, episode="deal")
    for step in script():
        do(game, f"P{(int(step[1]) + 1) % 3}{step[2:]}")
    assert list(game.scores) == [45, 15, 160]


def test_D1_undone_step_by_step():
    """interface.md: `undo` leads back through the whole deal, scoring included."""
    game = d1()
    before = []
    for step in script():
        before.append((game.clone(), legal(game)))
        do(game, step)
    for snapshot, actions in reversed(before):
        game.undo()
        assert game == snapshot
        assert legal(game) == actions


@pytest.mark.parametrize("seed", range(40))
def test_sums_of_a_random_deal(seed):
    """Rules 1, 18, 24 to 29: 8 tricks, card points 120 + the declared marriages, the sheet follows from the points."""
    game = play_out(at_random_play(seed=seed), seed=seed)
    assert sum(game.tricks_won) == 8
    assert sum(game.points) - 120 in {0, 40, 60, 80, 100, 120, 140, 160, 180, 200, 220, 240, 280}
    for seat, (raw, total) in enumerate(zip(game.points, game.scores, strict=True)):
        made = seat != game.declarer or raw >= game.contract
        assert total == (5 * ((raw + 2) // 5) if made else -game.contract)
        assert game.bolts[seat] == int(game.tricks_won[seat] == 0)
