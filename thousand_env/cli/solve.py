"""Exact play with all cards open: what each legal action is worth, or the best way to finish the exchange.

Values are the declarer's points of the whole deal with best play, the declarer against all others together. WHAT is a
file of records, or the cards themselves: the hands by seat between bars, a sitter's empty. With the talon behind a last
bar (both talons with two players) the deal stands in the exchange, without it before a lead.
"""

from __future__ import annotations

import argparse
import json
from typing import Any, Final

from thousand_env import solver
from thousand_env.actions import action_name
from thousand_env.cards import SUITS
from thousand_env.cli.arguments import add_rules, parse_count
from thousand_env.cli.errors import CommandError
from thousand_env.cli.replay import find_record
from thousand_env.game import Game
from thousand_env.records import RecordError, steps
from thousand_env.rules import Rules
from thousand_env.sheet import DealError

_SOLVED: Final = ("exchange", "play")
_OF_RECORDS: Final = ("record", "deal", "action")
_OF_DEALS: Final = ("declarer", "leader", "trump", "aside", "talon")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``thousand solve``."""
    parser.add_argument("what", metavar="WHAT", help="a file of records, or cards such as 'AS TS | KS 9H | QS JS'")
    add_rules(parser)
    parser.add_argument(
        "--objective",
        choices=solver.OBJECTIVES,
        default="declarer",
        help="declarer: he against the others together (default); own: each seat for its own points, all of them shown",
    )
    parser.add_argument("--contract", type=parse_count, metavar="N", help="say also which actions make N points")
    records = parser.add_argument_group("of a file of records")
    records.add_argument("--record", type=parse_count, metavar="K", help="which match, from 1 (default: 1)")
    records.add_argument("--deal", type=parse_count, metavar="D", help="which deal of it, from 1 (default: 1)")
    records.add_argument(
        "--action",
        type=parse_place,
        metavar="N",
        help="the position before the N-th action of the deal, or 'exchange' for that before the first card is parted "
        "with (default: before the first card of the play)",
    )
    deals = parser.add_argument_group("of cards")
    deals.add_argument(
        "--declarer",
        type=int,
        metavar="K",
        help="the declarer's seat, 0 for the hand written first (default: 0, "
        "or with a talon the seat after the dealer, who is 0)",
    )
    deals.add_argument("--leader", type=int, metavar="K", help="who leads (default: the declarer)")
    deals.add_argument("--trump", metavar="SUIT", help="S, C, D or H (default: none)")
    deals.add_argument("--aside", metavar="CARDS", help="cards put aside, whose points still count")
    deals.add_argument("--talon", choices=("A", "B"), help="which talon was taken, with two players (default: A)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def parse_place(text: str) -> int | str:
    """A number from 1, or ``exchange``."""
    if text == "exchange":
        return text
    try:
        return parse_count(text)
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(f"{text!r} is not accepted: use a whole number from 1, or exchange") from None


def run(options: argparse.Namespace) -> int:
    """Solve a position and print it."""
    try:
        game = _from_cards(options) if "|" in options.what else _from_records(options)
    except DealError as error:
        raise CommandError(str(error)) from None
    contract = options.contract or (game.contract if "|" not in options.what else None)
    report = _play(game, options.objective, contract) if game.phase == "play" else _exchange(game, options, contract)
    if options.json:
        print(json.dumps(report, indent=2))
    else:
        _show(game, report)
    return 0


def _play(game: Game, objective: str, contract: int | None) -> dict[str, Any]:
    values = solver.action_values(game, objective)
    seat = game.seat or 0
    if objective == "own":
        own = {action: points[seat] for action, points in values.items()}
        best = min(action for action in own if own[action] == max(own.values()))
        declared = {action: points[game.declarer or 0] for action, points in values.items()}
        good = [best]
    else:
        declared = values
        value = (max if seat == game.declarer else min)(values.values())
        good = [action for action in values if values[action] == value]
    report = _facts(game, objective)
    report["values"] = {action_name(action, game.rules): each for action, each in values.items()}
    report["best"] = [action_name(action, game.rules) for action in good]
    if contract is not None:
        report["contract"] = contract
        report["made_by"] = [action_name(action, game.rules) for action in declared if declared[action] >= contract]
    return report


def _exchange(game: Game, options: argparse.Namespace, contract: int | None) -> dict[str, Any]:
    if options.objective != "declarer":
        raise CommandError(f"--objective: {options.objective!r} is for the play: in the exchange use 'declarer'")
    gifts = solver.best_gifts(game)
    report = _facts(game, "declarer")
    report["value"] = gifts.value
    report["best"] = [action_name(action, game.rules) for action in gifts.actions]
    if contract is not None:
        report["contract"] = contract
        report["made_by"] = report["best"] if gifts.value >= contract else []
    return report


def _facts(game: Game, objective: str) -> dict[str, Any]:
    trump = None if game.trump is None else SUITS[game.trump]
    facts = {"phase": game.phase, "seat": game.seat, "declarer": game.declarer, "trump": trump}
    return {**facts, "objective": objective}


def _show(game: Game, report: dict[str, Any]) -> None:
    trump = "no trump" if report["trump"] is None else f"trump {report['trump']}"
    whose = "each seat's points" if report["objective"] == "own" else "the declarer's points"
    print(f"{report['phase']}, player {report['seat']} to act, declarer player {report['declarer']}, {trump}: {whose}")
    if game.phase == "exchange":
        print(f"  {report['value']:>4}  {', '.join(report['best'])}")
    if report["objective"] == "own":
        print("  " + " ".join(f"  P{seat}" for seat in range(game.rules.players)))
    for name, value in report.get("values", {}).items():
        number = " ".join(f"{each:>4}" for each in value) if isinstance(value, list | tuple) else f"{value:>4}"
        print(f"  {number}  {name}{'  best' if name in report['best'] else ''}")
    if "contract" in report:
        print(f"{report['contract']} is made by {', '.join(report['made_by']) or 'nothing'}")


def _from_records(options: argparse.Namespace) -> Game:
    _refuse(options, _OF_DEALS, "is for cards, not for a file of records")
    record = find_record(options.what, options.record or 1)
    wanted = options.deal or 1
    place = options.action or "play"
    deal, number, before, last = 0, 0, 0, None
    try:
        for game, _, _ in steps(record):
            if game.deal_number != last:
                before = number
                last, number = game.deal_number, 0
                deal += 1
            number += 1
            if deal == wanted and (game.phase == place if isinstance(place, str) else number == place):
                if game.phase not in _SOLVED:
                    raise CommandError(
                        f"--action: before action {number} deal {deal} is in phase {game.phase!r}: "
                        "choose a position of the exchange (--action exchange) or of the play"
                    )
                return game
            if deal > wanted:
                break
    except RecordError as error:
        raise CommandError(f"{options.what}: {error}") from None
    if deal < wanted:
        has = "one deal: use 1" if deal == 1 else f"{deal} deals: use 1 to {deal}"
        raise CommandError(f"--deal: the match has {has}")
    if isinstance(place, int):
        actions = number if deal == wanted else before
        raise CommandError(f"--action: deal {wanted} has {actions} actions: use 1 to {actions}")
    if place == "exchange":
        raise CommandError(f"--action: deal {wanted} has no exchange: choose another")
    raise CommandError(f"--deal: no card is played in deal {wanted}: choose another, or a position with --action")


def _from_cards(options: argparse.Namespace) -> Game:
    _refuse(options, _OF_RECORDS, "is for a file of records, not for cards")
    rules: Rules = options.rules.rules
    groups = [group.strip() for group in options.what.split("|")]
    talons = 2 if rules.players == 2 else 1
    if len(groups) not in (rules.players, rules.players + talons):
        after = "hands, or hands and both talons" if talons == 2 else "hands, or hands and the talon"
        raise CommandError(f"{len(groups)} groups of cards: with {rules.players} players give {after}, between bars")
    if len(groups) > rules.players:
        _refuse(options, ("leader", "trump", "aside"), "is for the play: leave the talon out")
        return _to_exchange(rules, groups, options)
    _refuse(options, ("talon",), "goes with both talons")
    declarer = int(groups[0] == "") if options.declarer is None else options.declarer
    aside = options.aside or ""
    return solver.position(
        rules, groups, declarer=declarer, leader=options.leader, trump=options.trump, set_aside=aside.split()
    )


def _to_exchange(rules: Rules, groups: list[str], options: argparse.Namespace) -> Game:
    """The deal in the exchange: the declarer bids as little as he can, the others as seldom as they can."""
    hands, talons = groups[: rules.players], groups[rules.players :]
    dealer = hands.index("") if rules.players == 4 and "" in hands else 0
    game = Game.from_deal(rules, hands, talons if rules.players == 2 else talons[0], dealer=dealer, episode="deal")
    declarer = game.active_seats[0] if options.declarer is None else options.declarer
    if declarer not in game.active_seats:
        seats = ", ".join(map(str, game.active_seats))
        raise CommandError(f"--declarer: {declarer} is not accepted: use one of {seats}")
    while game.phase not in _SOLVED:
        legal = game.legal_actions()
        if game.phase == "over" or game.deal_number:
            break
        if game.phase == "talon":
            game.apply(legal["AB".index(options.talon or "A")])
        elif game.phase == "auction" and game.seat == declarer and legal[0] == 0 and len(legal) > 1:
            game.apply(legal[1])
        else:
            game.apply(legal[0])
    if game.phase != "exchange" or game.declarer != declarer:
        raise CommandError(f"--declarer: player {declarer} cannot become declarer under these rules with these cards")
    return game


def _refuse(options: argparse.Namespace, names: Any, why: str) -> None:
    for name in names:
        if getattr(options, name) is not None:
            raise CommandError(f"--{name} {why}")
