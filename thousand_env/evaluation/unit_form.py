"""What a unit looks like in the file of a run: the check of every line that is read, so that no wrong one is counted.

It says whether a line can be what ``units`` writes under the settings of the file, not whether it was played so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from thousand_env.evaluation.schedule import ONE, mixed_seatings

MOST: Final = 10**9
"""Beyond this no score, count or time of one unit is."""

Check = Callable[[Any], bool]


def form_of(settings: Mapping[str, Any]) -> Check:
    """The check of the units of a run with these settings, each as a mapping with its number under ``unit``."""
    players = settings["rules"]["players"]
    agents = 2 if "pairs" in settings else len(settings["agents"])
    seatings = ["".join(map(str, each)) for each in mixed_seatings(agents, players)]
    is_deal = settings["kind"] == "deals"
    is_game = _deal(players) if is_deal else _match(players)
    spent = agents + 1
    keys = {"unit", "games", "decisions", "seconds", "wall"}
    values: Check | None = None
    if settings["control"] is not None:
        keys.add("values")
        rows = 1 if is_deal or settings["seatings"] == ONE else len(seatings)
        values = _list(_list(_is_number, players), rows)

    def check(unit: Any) -> bool:
        if not isinstance(unit, dict) or set(unit) != keys or not _is_count(unit["unit"]):
            return False
        games = unit["games"]
        if not isinstance(games, list) or not all(map(is_game, games)):
            return False
        played = [game[0] for game in games]
        is_one = settings["seatings"] == ONE and len(played) == 1 and played[0] in seatings
        return (
            (is_one or (settings["seatings"] != ONE and played == seatings))
            and _list(_is_count, spent)(unit["decisions"])
            and _list(_is_time, spent)(unit["seconds"])
            and _is_time(unit["wall"])
            and (values is None or values(unit["values"]))
        )

    return check


def _deal(players: int) -> Check:
    """``[seating, changes, points, dealer, declarer, contract, made, bids]``."""
    by_seat = _list(_is_whole, players)

    def is_bid(bid: Any) -> bool:
        return isinstance(bid, list) and len(bid) == 2 and _is_seat(bid[0], players) and _is_count(bid[1])

    def check(game: Any) -> bool:
        return (
            isinstance(game, list)
            and len(game) == 8
            and by_seat(game[1])
            and by_seat(game[2])
            and _is_seat(game[3], players)
            and _is_whole(game[4])
            and -1 <= game[4] < players
            and _is_count(game[5])
            and isinstance(game[6], bool)
            and isinstance(game[7], list)
            and all(map(is_bid, game[7]))
        )

    return check


def _match(players: int) -> Check:
    """``[seating, scores, winner, deals]``."""
    by_seat = _list(_is_whole, players)

    def check(game: Any) -> bool:
        return (
            isinstance(game, list)
            and len(game) == 4
            and by_seat(game[1])
            and _is_whole(game[2])
            and -1 <= game[2] < players
            and _is_count(game[3])
        )

    return check


def _list(check: Check, length: int) -> Check:
    return lambda value: isinstance(value, list) and len(value) == length and all(map(check, value))


def _is_whole(value: Any) -> bool:
    return type(value) is int and -MOST <= value <= MOST


def _is_count(value: Any) -> bool:
    return _is_whole(value) and value >= 0


def _is_seat(value: Any, players: int) -> bool:
    return _is_count(value) and value < players


def _is_number(value: Any) -> bool:
    """A number that arithmetic can do with."""
    return type(value) in (int, float) and abs(value) <= MOST  # which NaN is not


def _is_time(value: Any) -> bool:
    return _is_number(value) and value >= 0
