"""``duplicate``, ``matches`` and ``cross_play``: their keywords, checked, put together from units to reports."""

from __future__ import annotations

import itertools
import math
import operator
import os
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypedDict, Unpack

import numpy as np
import numpy.typing as npt

from thousand_env.agents import Agent
from thousand_env.evaluation.cast import FIXED_AGENT, Cast
from thousand_env.evaluation.control import card_values, is_named
from thousand_env.evaluation.deal_report import deal_report, differences_of
from thousand_env.evaluation.facts import facts
from thousand_env.evaluation.intervals import Resampling, half_width
from thousand_env.evaluation.match_report import match_report, score_differences, shares_of
from thousand_env.evaluation.playing import FULL, PHASES
from thousand_env.evaluation.report import MatchReport, Report, Table
from thousand_env.evaluation.run_file import kept_seed
from thousand_env.evaluation.running import How, Plan, Progress, run
from thousand_env.evaluation.schedule import ALL, SEATINGS, mixed_seatings
from thousand_env.evaluation.sheets import SHEETS, ZERO
from thousand_env.evaluation.summing import MatchBlocks
from thousand_env.evaluation.units import DealUnits, MatchUnits, PairUnits, Unit
from thousand_env.evaluation.workers import EXECUTORS
from thousand_env.keywords import as_rules, one_of, whole_number
from thousand_env.rules import Rules
from thousand_env.seeding import check_seed, random_seed

Floats = npt.NDArray[np.float64]
Player = str | Agent
"""An agent's name, ``"name,key=value,..."``, or an ``Agent``, which is copied for every seat."""

KINDS: Final = ("deals", "matches")
CHECK_EVERY: Final = 100
_MOST: Final = 10**9


class Options(TypedDict, total=False):
    """Keywords that ``duplicate``, ``matches`` and ``cross_play`` share.

    - ``rules``: Default: classic.
    - ``seed``: Cards, seats, agents' streams and bootstrap follow from it; default 0; None: a random one, or that of
      ``file``, which the report states. What agents are reset with are hashes that say nothing to one that does not
      know the seed. That is no guard against agents written to cheat, which try small seeds: evaluate those with a
      random one.
    - ``phase``: ``"full"``; ``"play"``: the fixed agent bids and gives for everybody, so that card play alone is
      compared; ``"auction"``: the fixed agent plays the cards.
    - ``fixed``: The fixed agent of ``phase`` and ``sheets``.
    - ``seatings``: ``"all"`` mixed seatings of each deal, or ``"one"`` drawn at random, for agents that take long.
    - ``control``: None, ``"solver"``, or a function ``game -> float64[n]``: see ``control``.
    - ``workers``: Processes, 1 (the default) for this one, None for one a core; of a cluster the CPUs to use at
      most. The result is the same for any number.
    - ``executor``: ``"processes"`` or ``"ray"``: a cluster, or one started here.
    - ``file``: Where units are kept as they are done; a run with the same file goes on there. Agents given as
      objects are told apart by the names of their classes alone, a function for ``control`` by its module and name:
      it must have one.
    - ``progress``: True for lines on standard error, or a function ``(done, wanted)``.
    - ``only``: Play this deal or match alone, to see again what an ``AgentError`` told of.
    """

    rules: Rules | str | Mapping[str, Any] | None
    seed: int | None
    phase: str
    fixed: Player
    seatings: str
    control: Any
    workers: int | None
    executor: str
    file: str | os.PathLike[str] | None
    progress: bool | Progress
    only: int | None


def duplicate(
    a: Player,
    b: Player,
    c: Player | None = None,
    *,
    deals: int = 1000,
    sheets: str = ZERO,
    half_width: float | None = None,
    most_deals: int | None = None,
    check_every: int = CHECK_EVERY,
    **options: Unpack[Options],
) -> Report:
    """Compare two or three agents on the same deals, each deal played with every mixed seating of the agents.

    All seatings of a deal have the same cards, dealer and score sheet, and the agent at a seat is reset with the same
    seed whichever it is: two identical deterministic agents score exactly 0. ``sheets``: ``"zero"``, or ``"match"`` for
    those that occur in matches (see ``sheets``). With ``half_width`` the run goes on after ``deals``, ``check_every``
    at a time, until half of the 95 % interval is at most that, or ``most_deals`` are played. For the other keywords see
    ``thousand_env.evaluation.Options``. With three agents ``mean`` is A's against the mean of the others.

    Ctrl-C and SIGTERM give a report on what is done (``stopped``), or ``KeyboardInterrupt`` if nothing is; a file that
    can be written no further does so too (``facts["write_error"]``), or gives ``OSError``. Raises ``AgentError`` if an
    agent fails, ``RunFileError`` for a file of other settings or a damaged one, ``ValueError`` and ``TypeError`` naming
    a keyword that is not accepted.
    """
    agents = [a, b] if c is None else [a, b, c]
    common = _Common(agents, options)
    units = DealUnits(
        common.cast,
        common.rules,
        common.seed,
        common.phase,
        common.seatings,
        one_of("sheets", sheets, SHEETS),
        common.control,
    )
    plan = _plan("deals", deals, half_width, most_deals, check_every, options, len(agents), common.seed)
    found = run(units, plan, common.how)
    told = facts(units, found, common.how, {"half_width": half_width} if half_width is not None else {})
    return deal_report(found.units, common.cast.names, common.seed, told, found.stopped)


def matches(
    a: Player,
    b: Player,
    c: Player | None = None,
    *,
    matches: int = 200,
    half_width: float | None = None,
    most_matches: int | None = None,
    check_every: int = CHECK_EVERY,
    **options: Unpack[Options],
) -> MatchReport:
    """Compare two or three agents in whole matches, each match seed played with every mixed seating.

    ``half_width`` is one of the share of wins, such as 0.02; other keywords and errors as of ``duplicate``.
    """
    agents = [a, b] if c is None else [a, b, c]
    common = _Common(agents, options)
    units = MatchUnits(common.cast, common.rules, common.seed, common.phase, common.seatings, common.control)
    plan = _plan("matches", matches, half_width, most_matches, check_every, options, len(agents), common.seed)
    found = run(units, plan, common.how)
    told = facts(units, found, common.how, {"half_width": half_width} if half_width is not None else {})
    return match_report(found.units, common.cast.names, common.seed, told, found.stopped)


def cross_play(
    agents: Sequence[Player],
    kind: str = "deals",
    *,
    deals: int = 1000,
    matches: int = 200,
    sheets: str = ZERO,
    **options: Unpack[Options],
) -> Table:
    """Every two of the agents compared, in ``deals`` or in ``matches``, all pairs on the same cards.

    Keywords and errors as of ``duplicate`` and ``matches``; all pairs share one ``file``.
    """
    one_of("kind", kind, KINDS)
    if isinstance(agents, str) or not isinstance(agents, Sequence) or len(agents) < 2:
        raise ValueError(f"agents={agents!r:.80} is not accepted: give a list of at least two")
    common = _Common(agents, options, at_a_table=2)
    pairs = list(itertools.combinations(range(len(agents)), 2))
    common_settings = (common.cast, common.rules, common.seed, common.phase, common.seatings)
    one_of("sheets", sheets, SHEETS)
    units = PairUnits(
        [
            DealUnits(*common_settings, sheets, common.control, pair)
            if kind == "deals"
            else MatchUnits(*common_settings, common.control, pair)
            for pair in pairs
        ]
    )
    count = whole_number(kind, deals if kind == "deals" else matches, _MOST) * len(pairs)
    only = options.get("only")
    plan = Plan(count, count, count, only=None if only is None else _index("only", only))
    if plan.only is not None:
        raise ValueError("only is not accepted in cross_play: use it with duplicate or matches of the two agents")
    found = run(units, plan, common.how)
    told = facts(units, found, common.how, {})
    blocks = len(found.units) // len(pairs)
    if not blocks:
        raise found.failure or KeyboardInterrupt(found.stopped)
    by_pair = {pair: found.units[place :: len(pairs)][:blocks] for place, pair in enumerate(pairs)}
    return _table(kind, common, by_pair, told, found.stopped)


class _Common:
    """The shared keywords, checked."""

    def __init__(self, agents: Sequence[Player], options: Options, at_a_table: int | None = None) -> None:
        unknown = set(options) - set(Options.__annotations__)
        if unknown:
            accepted = ", ".join(Options.__annotations__)
            raise TypeError(f"keyword {min(unknown)!r} does not exist: accepted are {accepted}")
        self.rules: Final = as_rules(options.get("rules"))
        file = _file(options.get("file"))
        self.seed: Final = _seed(options.get("seed", 0), file)
        self.phase: Final[str] = one_of("phase", options.get("phase", FULL), PHASES)
        self.seatings: Final[str] = one_of("seatings", options.get("seatings", ALL), SEATINGS)
        self.control: Final = card_values(options.get("control"))
        if file is not None and self.control is not None and not is_named(self.control):
            raise ValueError(
                f"control={options.get('control')!r:.80} is not accepted with file, which cannot tell it from another: "
                "use a function that its module has under its name"
            )
        mixed_seatings(at_a_table or len(agents), self.rules.players)
        workers = options.get("workers", 1)
        self.how: Final = How(
            workers=None if workers is None else whole_number("workers", workers, 10_000),
            executor=one_of("executor", options.get("executor", "processes"), EXECUTORS),
            file=file,
            progress=_progress(options.get("progress", False)),
        )
        self.cast: Final = Cast(agents, options.get("fixed", FIXED_AGENT))


def _plan(
    kind: str,
    count: int,
    width: float | None,
    most: int | None,
    step: int,
    options: Options,
    agents: int,
    seed: int,
) -> Plan:
    least = whole_number(kind, count, _MOST)
    only = options.get("only")
    number = None if only is None else _index("only", only)
    if width is None:
        if most is not None:
            raise ValueError(f"most_{kind}={most!r} is not accepted without half_width: use {kind}={most!r}")
        return Plan(least, least, least, only=number)
    if isinstance(width, bool) or not isinstance(width, int | float) or not 0 < width < math.inf:
        raise ValueError(f"half_width={width!r} is not accepted: use a number above 0, or None")
    most = 10 * least if most is None else whole_number(f"most_{kind}", most, _MOST)
    if most < least:
        raise ValueError(f"most_{kind}={most} is not accepted: use at least {kind}={least}")
    values = differences_of if kind == "deals" else shares_of

    def enough(units: Sequence[Unit]) -> bool:
        return half_width(values(units, agents), seed) <= width

    return Plan(least, most, whole_number("check_every", step, _MOST), enough, number)


def _index(name: str, value: Any) -> int:
    try:
        number = -1 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = -1
    if not 0 <= number < _MOST:
        raise ValueError(f"{name}={value!r:.80} is not accepted: use an integer from 0 to {_MOST - 1}, or None")
    return number


def _seed(seed: Any, file: str | os.PathLike[str] | None) -> int:
    if seed is not None:
        return check_seed(seed)
    kept = None if file is None else kept_seed(file)
    return random_seed() if kept is None else kept


def _file(file: Any) -> str | os.PathLike[str] | None:
    if file is None or isinstance(file, str | os.PathLike):
        return file
    raise ValueError(f"file={file!r:.80} is not accepted: use a name or a path, or None")


def _progress(progress: Any) -> bool | Progress:
    if isinstance(progress, bool) or (callable(progress) and not isinstance(progress, type)):
        return progress
    raise ValueError(f"progress={progress!r:.80} is not accepted: use True, False or a function (done, wanted)")


def _table(
    kind: str,
    common: _Common,
    by_pair: Mapping[tuple[int, int], Sequence[Unit]],
    told: Mapping[str, Any],
    stopped: int | None,
) -> Table:
    size = len(common.cast.names)
    mean, low, high, wins, games = (np.zeros((size, size)) for _ in range(5))
    differences = {}
    for (i, j), units in by_pair.items():
        if kind == "deals":
            values = differences_of(units, 2)
            counts = np.ones(len(values))
            won, played = float((values > 0).sum() + (values == 0).sum() / 2), len(values)
        else:
            blocks = MatchBlocks(units, 2)
            counts = blocks.deals.sum(axis=1) / blocks.deals.sum(axis=1).mean()
            values = score_differences(blocks) / blocks.deals.sum(axis=1).mean()
            won, played = float(blocks.won()[..., 0].sum()), int(blocks.winner.size)
        ratio = Resampling(len(values), common.seed).ratio(values, counts)
        differences[i, j] = values
        mean[i, j], mean[j, i] = ratio.value, -ratio.value
        (low[i, j], high[i, j]), (high[j, i], low[j, i]) = ratio.interval, (-each for each in ratio.interval)
        wins[i, j], wins[j, i] = won, played - won
        games[i, j] = games[j, i] = played
    return Table(common.cast.names, mean, low, high, differences, wins, games, kind, told, stopped)
