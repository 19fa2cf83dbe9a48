"""The results page: each agent of the ladder against the one below, in duplicate deals and in matches.

Everything that is played is kept in a folder, so that the same command goes on where it was stopped, and a finished run
only writes the page again. Run: python examples/ladder.py --folder ladder --workers 2 --page docs/baselines.md
"""

from __future__ import annotations

import argparse
import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from thousand_env.evaluation import MatchReport, Report, duplicate, matches

LADDER = ("random", "random_capped", "greedy", "heuristic", "distill")  # from the bottom
DEALS_ONLY = (("ismcts,iterations=400", "pimc"), ("greedy", "dmc"), ("distill", "ppo"))  # matches take long
BESIDE = (  # measured too, as (low, high), unless they are rungs
    ("heuristic", "pimc"),
    ("distill", "pimc"),
    ("heuristic", "ismcts,iterations=400"),
    ("ismcts,iterations=400", "pimc"),
    ("greedy", "dmc"),
    ("heuristic", "ppo"),
    ("distill", "ppo"),
)
SPLIT = (("heuristic", "pimc"),)  # compared in one phase alone too
SEARCHES = ("ismcts", "pimc", "search")  # slow: fewer deals and matches
COST_DEALS = 20
Pair = tuple[str, str]


def measure(low: str, high: str, options: argparse.Namespace) -> dict[str, Any]:
    """All figures of one rung: ``high`` against ``low``."""
    slow = low.startswith(SEARCHES) or high.startswith(SEARCHES)
    folder = Path(options.folder)
    common: dict[str, Any] = {"seed": options.seed, "workers": options.workers, "progress": True}
    deals, most = (options.slow_deals, options.slow_most) if slow else (options.deals, options.most)

    def deal_run(name: str, count: int, top: int, **more: Any) -> Report:
        width = options.half_width
        return duplicate(
            high, low, deals=count, half_width=width, most_deals=top, file=folder / f"{name}.jsonl", **common, **more
        )

    found: dict[str, Any] = {"deals": deal_run(f"deals-{high}-{low}", deals, most)}
    file = folder / f"matches-{high}-{low}.jsonl"
    games = options.slow_matches if slow else options.matches
    if (low, high) not in DEALS_ONLY:
        found["matches"] = matches(high, low, matches=-(-games // 6), file=file, **common)
    if (low, high) in SPLIT:
        for phase in ("play", "auction"):
            found[phase] = deal_run(f"{phase}-{high}-{low}", deals, deals, phase=phase)
    return found


def interval(mean: float, low: float, high: float, scale: float = 1.0) -> str:
    """``12.3 (10.1 to 14.5)``."""
    return f"{scale * mean:.1f} ({scale * low:.1f} to {scale * high:.1f})"


def share(games: MatchReport) -> str:
    """The share of matches won; where all were won, which no bootstrap can doubt, by the rule of three."""
    if games.mean == 1:
        return f"100 (over {max(0.0, 100 * (1 - 3 / games.matches)):.1f}) %"
    return f"{interval(games.mean, *games.interval, scale=100)} %"


def row(low: str, high: str, found: dict[str, Any]) -> str:
    """A row of the table of the ladder."""
    deals: Report = found["deals"]
    games: MatchReport | None = found.get("matches")
    roles = [deals.by_role[role] for role in ("declarer", "defender")]
    cells = [
        f"`{high}` over `{low}`",
        str(deals.deals),
        interval(deals.mean, *deals.interval),
        *(interval(role["difference"], *role["interval"]) for role in roles),
        *([str(games.games), share(games), f"{games.deals_per_match:.1f}"] if games else ["-"] * 3),
    ]
    return "| " + " | ".join(cells) + " |"


def costs(agents: list[str], deals: int) -> dict[str, float]:
    """Milliseconds a decision of each agent, forced ones included, against ``greedy``; measured now, in one process."""
    spent = {}
    for name in agents:
        duplicate(name, "greedy", deals=1)  # compiles
        spent[name] = 1000 / duplicate(name, "greedy", deals=deals, seed=1).decisions_per_second[0]
    return spent


def contracts(report: Report) -> list[str]:
    """How often each agent played each contract in these deals, how often it was made, and what it brought."""
    levels = sorted({entry["contract"] for entry in report.by_bid if entry["times"]})
    cells = {(entry["agent"], entry["contract"]): entry for entry in report.by_bid}
    lines = [
        "Contracts in the same deals: times played, share made, mean change of score of the declarer.",
        "",
        "| contract | " + " | ".join(f"`{name}`" for name in report.names) + " |",
        "|---|" + "---|" * len(report.names),
    ]
    for level in levels:
        entries = [cells.get((name, level)) for name in report.names]
        texts = [
            f"{e['times']}, {100 * e['made']:.0f} %, {e['mean']:+.0f}" if e and e["times"] else "-" for e in entries
        ]
        lines.append(f"| {level} | " + " | ".join(texts) + " |")
    return [*lines, ""]


def rungs_of(agents: Sequence[str]) -> list[Pair]:
    """Each agent with the one above it."""
    return list(itertools.pairwise(agents))


def page(results: dict[Pair, dict[str, Any]], rungs: list[Pair], spent: dict[str, float], command: str) -> str:
    """The page, in Markdown; what is no rung stands beside the ladder."""
    reports = [report for found in results.values() for report in found.values()]
    hours = sum(report.facts["played_seconds"] for report in reports) / 3600
    facts = reports[0].facts
    ladder = [row(*pair, results[pair]) for pair in rungs]
    beside = [row(*pair, found) for pair, found in results.items() if pair not in rungs]
    head = [
        "| | deals | points a deal | as declarer | as defender | matches | share won | deals a match |",
        "|---|---|---|---|---|---|---|---|",
    ]
    lines = [
        "# Baselines",
        "",
        "How strong the agents in the box are: each against the one below it. How the trained ones came to be is told",
        "in [learning.md](learning.md). Made by one command, which can be stopped and goes on where it was:",
        "",
        f"```\n{command}\n```",
        "",
        f"It plays for {hours:.1f} core hours on {facts['machine']}; seed {facts['seed']}, rules `classic`. Figures",
        "are points of the score sheet per deal, the mean of one agent's seats less that of the other's, over all",
        "six ways to seat two agents at three seats on the same cards; shares are of matches, and half is even.",
        "Intervals are 95 %, by a bootstrap over deals and over match seeds. Deals go on, a hundred at a time, until",
        "the interval is two points to either side or the budget is used, which makes intervals a little narrower",
        "than they should be.",
        "",
        *head,
        *ladder,
        "",
        *(["Beside the ladder:", "", *head, *beside, ""] if beside else []),
        "Roles are compared as they fall: who bids more boldly is declarer with worse cards. `search`, the slowest,",
        "was measured against `pimc` alone, in [learning.md](learning.md).",
        "",
        "| agent | milliseconds a decision |",
        "|---|---|",
        *(f"| `{name}` | {each:.3g} |" for name, each in spent.items()),
        "",
    ]
    for (low, high), found in results.items():
        if "play" in found:
            lines += [
                f"`{high}` over `{low}` in one phase alone, the rest played by `heuristic` for both:",
                "",
                "| phase | deals | points a deal |",
                "|---|---|---|",
                *(
                    f"| {what} | {found[phase].deals} | {interval(found[phase].mean, *found[phase].interval)} |"
                    for phase, what in (("play", "card play"), ("auction", "bidding and gifts"))
                ),
                "",
                *contracts(found["deals"]),
            ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", default="ladder", help="where everything that is played is kept")
    parser.add_argument("--page", default=None, help="the Markdown file to write")
    parser.add_argument("--agents", nargs="+", default=LADDER, help="the ladder, from the bottom")
    parser.add_argument("--deals", type=int, default=2000, help="deals a rung, at least")
    parser.add_argument("--most", type=int, default=4000, help="deals a rung, at most")
    parser.add_argument("--matches", type=int, default=2000, help="matches a rung, six of each match seed")
    parser.add_argument("--slow-deals", type=int, default=300, help="the same where an agent searches")
    parser.add_argument("--slow-most", type=int, default=600)
    parser.add_argument("--slow-matches", type=int, default=200)
    parser.add_argument("--half-width", type=float, default=2.0, help="points a deal: a rung ends when it is so sure")
    parser.add_argument("--workers", type=int, default=None, help="processes (default: one a core)")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    Path(options.folder).mkdir(parents=True, exist_ok=True)
    results = {}
    rungs = rungs_of(options.agents)
    beside = BESIDE if tuple(options.agents) == LADDER else ()
    for low, high in (*rungs, *(pair for pair in beside if pair not in rungs and pair[::-1] not in rungs)):
        results[low, high] = found = measure(low, high, options)
        print(row(low, high, found), flush=True)
        if any(report.stopped for report in found.values()):
            raise SystemExit(f"stopped: the same command goes on from {options.folder}")
    agents = list(dict.fromkeys(name for pair in results for name in pair))
    spent = costs(agents, min(options.slow_deals, COST_DEALS))
    command = f"python examples/ladder.py --folder {Path(options.folder).name} --page docs/baselines.md"
    text = page(results, rungs, spent, command)
    if options.page:
        Path(options.page).write_text(text, encoding="utf-8")
    figures = {f"{high} over {low}": found["deals"].mean for (low, high), found in results.items()}
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
