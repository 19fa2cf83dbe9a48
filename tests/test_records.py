"""Records: JSON and text there and back, and replays that reproduce every position, mask and view."""

from __future__ import annotations

import dataclasses
import random
import textwrap
from typing import Any

import pytest

from tests.golden.make_records import PATH as GOLDEN
from tests.record_games import random_games
from thousand_env import PRESETS, Game, Rules, __version__, parse_action
from thousand_env.records import Record, RecordError, from_text, read, redact, replay, steps, text_form, to_text
from thousand_env.records.json_form import decode_line, encode_line

D1_HANDS = ["QS JS AC TC KC KD TD", "AH TH KH QH AS 9C JD", "TS KS 9H JH AD QC 9D"]


def apply_all(game: Game, *texts: str) -> Game:
    for text in texts:
        game.apply(parse_action(text, game.rules))
    return game


def assert_round_trip(record: Record) -> None:
    assert decode_line(encode_line(record)) == record
    assert from_text(to_text(record)) == record


def assert_replays(game: Game) -> None:
    record = Record.from_game(game)
    assert_round_trip(record)
    again = replay(decode_line(encode_line(record)))
    assert again == game
    assert again.actions() == game.actions()
    assert Record.from_game(again) == record


def observed(game: Game) -> tuple[Any, ...]:
    views = [game.view(seat) for seat in range(game.rules.players)]
    seen = [(view, view.action_mask().tolist(), view.events()) for view in views]
    return game.clone(), game.action_mask().tolist(), seen


# There and back


@pytest.mark.parametrize("seed", range(4))
def test_random_games_there_and_back(seed: int) -> None:
    for game in random_games(random.Random(seed), 60):
        assert_replays(game)
        if game.actions():
            assert replay(Record.from_game(game)).to_bytes() == game.to_bytes()


@pytest.mark.parametrize("preset", PRESETS)
def test_whole_matches_there_and_back(preset: str) -> None:
    rng = random.Random(preset)
    game = Game(Rules.preset(preset), seed=rng.getrandbits(64))
    while not game.is_over:
        game.apply(rng.choice(game.legal_actions()))
    assert_replays(game)
    record = Record.from_game(game)
    assert record.start is None
    assert not record.unfinished
    voided_at_once = game.deal_number + 1 - len(record.deals)
    assert voided_at_once == 0 or game.rules.redeal_four_nines == "mandatory"


@pytest.mark.parametrize("seed", range(6))
def test_steps_reproduce_every_position_mask_and_view(seed: int) -> None:
    for game in random_games(random.Random(100 + seed), 8, decisions=120):
        record = decode_line(encode_line(Record.from_game(game)))
        again = list(steps(record))
        actions = game.actions()
        assert [(seat, action) for _, seat, action in again] == actions
        forward = game.clone()
        for _ in actions:
            forward.undo()
        for position, seat, action in again:
            assert position.seat == seat
            assert observed(position) == observed(forward)
            forward.apply(action)
        assert forward == game


def test_positions_of_steps_are_copies() -> None:
    game = apply_all(Game(seed=1), "bid 100", "pass", "pass")
    positions = [position for position, _, _ in steps(Record.from_game(game))]
    assert [len(position.actions()) for position in positions] == [0, 1, 2]


def test_a_game_from_its_own_seeded_deal_needs_no_start() -> None:
    game = Game(seed=5)
    hands, talons = game.dealt()
    same = Game.from_deal(Rules(), hands, talons[0], game.dealer, seed=5)
    assert Record.from_game(same) == Record.from_game(game)
    other = Game.from_deal(Rules(), hands, talons[0], game.dealer, seed=6)
    assert Record.from_game(other).start is not None


def test_a_game_that_begins_in_the_middle_of_a_match() -> None:
    rules = Rules.preset("modern").replace(golden=True, concede_limit=3)
    rng = random.Random(4)
    game = Game(rules, seed=4)
    begun = 0
    while not game.is_over:
        game.apply(rng.choice(game.legal_actions()))
        if not game.is_over and game.deals_scored and rng.random() < 0.1:
            middle = Game._from_memory(rules, game._memory[:], None)
            begun += any(middle.concessions)
            record = Record.from_game(middle)
            assert record.start is not None
            assert record.deals[0].number == game.deal_number
            assert_round_trip(record)
            assert replay(record) == middle
    assert begun > 10


def test_undo_leaves_no_trace() -> None:
    game = apply_all(Game(seed=1), "bid 100", "pass")
    before = Record.from_game(game)
    apply_all(game, "pass").undo()
    assert Record.from_game(game) == before


def test_void_deals_are_deals() -> None:
    game = apply_all(Game(Rules(opening="none"), seed=3), "pass", "pass", "pass", "bid 100")
    record = Record.from_game(game)
    assert [deal.scores for deal in record.deals] == [(0, 0, 0), None]
    assert record.deals[0].declarer is None
    assert_replays(game)


def test_numbers_left_out_are_deals_that_mandatory_redeals_voided() -> None:
    rules = Rules(redeal_four_nines="mandatory")
    seed = next(seed for seed in range(10_000) if Game(rules, seed=seed).deal_number == 1)
    game = Game(rules, seed=seed)
    assert [deal.number for deal in Record.from_game(game).deals] == [1]
    assert_replays(game)
    over = Game(rules.replace(max_deals=1), seed=seed)
    assert over.is_over
    assert Record.from_game(over).deals == ()
    assert_replays(over)
    assert_round_trip(redact(Record.from_game(over), 0))


def test_what_is_declared_automatically_is_written_as_declared() -> None:
    rules = Rules(marriage_declare="automatic", max_deals=1)
    hands = [hand.split() for hand in D1_HANDS]
    game = apply_all(Game.from_deal(rules, hands, ["9S", "QD", "JC"], seed=1), "bid 100", "pass", "pass")
    apply_all(game, "give 9S", "give 9C", "play KH")
    record = Record.from_game(game)
    assert encode_line(record).count('"1 marry KH"') == 1
    assert replay(record) == game
    assert next(action for _, _, action in reversed(list(steps(record)))) == parse_action("play KH", rules)
    plain = decode_line(encode_line(record).replace("1 marry KH", "1 play KH"))
    with pytest.raises(RecordError, match="the record says 1 play KH, the game 1 marry KH"):
        replay(plain)


# What is written


def test_the_line_has_what_a_reader_wants() -> None:
    game = apply_all(Game(seed=17), "bid 105", "pass", "bid 145", "pass")
    line = encode_line(Record.from_game(game, agents=["ann", "Боб", 'c"d']))
    assert line == (
        '{"format":"thousand_env.record","version":1,"package":"' + __version__ + '","rules":{},"episode":"match",'
        '"seed":17,"agents":["ann","Боб","c\\"d"],"deals":[{"deal":0,"dealer":1,"hands":["9S AS QC TC AC 9D QH",'
        '"QS KS 9C KC QD KD JH","JS TS JC JD AD KH TH"],"talons":["TD 9H AH"],"declarer":1,"contract":145,'
        '"actions":["2 bid 105","0 pass","1 bid 145","2 pass"],"scores":null}],'
        '"result":{"winner":null,"truncated":false,"unfinished":true}}\n'
    )


def test_rules_that_name_few_options_are_complete() -> None:
    line = encode_line(Record.from_game(Game(Rules(target=1001), seed=1)))
    assert decode_line(line.replace('{"target":1001}', "{}")).rules == Rules()
    everything = Rules(target=1001).to_dict()
    record = decode_line(line)
    assert dataclasses.replace(record, rules=Rules.from_dict(everything)) == record


def test_the_example_of_the_text_form_is_what_is_written() -> None:
    doc = text_form.__doc__
    assert doc is not None
    example = textwrap.dedent(doc[doc.index("    [Format") : doc.index("Numbers before")]).rstrip() + "\n"
    record = from_text(example)
    game = replay(record)
    assert game.scores == [15, 160, 45]
    assert to_text(record) == example
    assert Record.from_game(game, record.agents) == dataclasses.replace(record, package=__version__)


def test_text_may_be_laid_out_freely() -> None:
    record = Record.from_game(apply_all(Game(seed=17), "bid 105", "pass"))
    text = to_text(record)
    assert from_text("\n" + text.replace("\n", "  \r\n\n  ")) == record


@pytest.mark.parametrize("agents", [["a", "b"], ["a", "b", 3], ["a", "b", "c\n"], "abc", 5])
def test_names_of_agents_are_checked(agents: Any) -> None:
    with pytest.raises(RecordError, match="agents"):
        Record.from_game(Game(seed=1), agents)


def test_deals_are_counted_from_1_for_people_and_from_0_in_json() -> None:
    record = Record.from_game(apply_all(Game(Rules(opening="none"), seed=3), "pass", "pass", "pass", "bid 100"))
    assert [deal.number for deal in record.deals] == [0, 1]
    assert '"deal":0,' in encode_line(record)
    assert [line for line in to_text(record).splitlines() if line.startswith("Deal")] == [
        f"Deal 1, dealer {record.deals[0].dealer}",
        f"Deal 2, dealer {record.deals[1].dealer}",
    ]
    assert from_text(to_text(record)) == record


# What is given instead of a record


def test_what_is_no_record_is_refused_with_what_to_give() -> None:
    game: Any = Game(seed=1)
    for function in (to_text, replay, steps, encode_line, lambda value: redact(value, 0)):
        with pytest.raises(TypeError, match=r"is no Record: use Record\.from_game\(game\)"):
            function(game)
        with pytest.raises(TypeError, match=r"'mine.jsonl' is no Record: read\(path\) gives the records of a file"):
            function("mine.jsonl")  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="give one record at a time"):
            function([Record.from_game(game)])  # type: ignore[arg-type]
        with pytest.raises(TypeError, match=r"5 is no Record: Record\.from_game"):
            function(5)  # type: ignore[arg-type]
    for value in (5, game.view(0), "mine.jsonl"):
        with pytest.raises(TypeError, match="is no Game: give the game that was played"):
            Record.from_game(value)


def test_a_bid_that_there_is_not_is_refused_with_the_levels() -> None:
    line = encode_line(Record.from_game(apply_all(Game(seed=17), "bid 105")))
    with pytest.raises(RecordError, match=r"deal 1, action 1='2 bid 103' .* bids are 100 to 420 in steps of 5"):
        decode_line(line.replace("bid 105", "bid 103"))
    with pytest.raises(RecordError, match=r"'play 1H' is no action: '1h' is no card"):
        decode_line(line.replace("bid 105", "play 1H"))
    with pytest.raises(RecordError, match=r"such as '1 bid 100'"):
        decode_line(line.replace("bid 105", "PASS"))


# What a replay refuses


def edited(old: str, new: str) -> Record:
    """A record of a whole deal with one thing changed."""
    game = Game(Rules(max_deals=1), seed=17)
    rng = random.Random(1)
    while not game.is_over:
        game.apply(rng.choice(game.legal_actions()))
    line = encode_line(Record.from_game(game))
    assert old in line
    return decode_line(line.replace(old, new, 1), 7)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('"seed":17', '"seed":18', r"line 7: deal 1: (dealer|hands)"),
        ('"dealer":1', '"dealer":2', "deal 1: dealer: the record says 2, the game 1"),
        ('"2 bid 105"', '"2 bid 420"', r"deal 1, action 1 \(2 bid 420\): action 65 .* legal are 1 \(bid 100\)"),
        ('"2 bid 105"', '"1 bid 105"', r"deal 1, action 1 \(1 bid 105\): it is the turn of seat 2"),
        ('"2 bid 105",', "", "deal 1, action 1"),
        ('"scores":[20,-145,40]', '"scores":[20,-145,45]', r"deal 1: scores: the record says \[20, -145, 45\]"),
        ('"declarer":1', '"declarer":2', "deal 1: declarer"),
        ('"contract":145', '"contract":150', "deal 1: contract"),
        ('"truncated":true', '"truncated":false', "result"),
        ('"winner":null,"truncated":true', '"winner":0,"truncated":false', "result"),
        ('"episode":"match"', '"episode":"deal"', "result"),
        (',"0 play QC"]', "]", "after its 29 actions it is not over"),
        (',"0 play QC"]', ',"0 play QC","0 play QC"]', "action 31 .*: the deal is over before it"),
        ('"rules":{"max_deals":1}', '"rules":{}', "result"),
        ('"rules":{"max_deals":1}', '"rules":{"max_deals":1,"declarer_score":"bid","rounding":"none"}', "scores"),
    ],
)
def test_a_replay_says_what_does_not_agree(old: str, new: str, reason: str) -> None:
    with pytest.raises(RecordError, match=reason) as found:
        replay(edited(old, new))
    assert found.value.line == 7


def test_a_replay_needs_the_end_of_each_deal() -> None:
    game = apply_all(Game(Rules(opening="none"), seed=3), "pass", "pass", "pass", "bid 100")
    record = Record.from_game(game)
    first, second = record.deals
    of_one_deal = dataclasses.replace(record, rules=record.rules.replace(max_deals=1))
    with pytest.raises(RecordError, match="the match is over before it"):
        replay(of_one_deal)
    with pytest.raises(RecordError, match="deal 1: after its 2 actions it is not over"):
        replay(dataclasses.replace(record, deals=(dataclasses.replace(first, actions=first.actions[:2]), second)))
    with pytest.raises(RecordError, match="result"):
        replay(dataclasses.replace(record, deals=(first,), unfinished=False))


# Golden records


def test_golden_records_replay_as_they_did() -> None:
    lines = GOLDEN.read_text().splitlines()
    records = list(read(GOLDEN))
    assert [record.rules for record in records] == [Rules.preset(name) for name in PRESETS]
    for line, record in zip(lines, records, strict=True):
        again = Record.from_game(replay(record), record.agents)
        assert encode_line(dataclasses.replace(again, package=record.package)).rstrip() == line
        assert sum(1 for _ in steps(record)) == len(replay(record).actions())
