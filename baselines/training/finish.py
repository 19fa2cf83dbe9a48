"""How a run ends: the agent is saved, evaluated against the ladder, its curve drawn, and what to type next is said."""

from __future__ import annotations

import json
import shlex
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from torch import nn

from baselines.learned import save_agent
from baselines.training.ladder import Estimate, Standing, standing
from baselines.training.logs import METRICS_FILE, read_metrics, write_text
from baselines.training.progress import duration, say
from thousand_env import PRESETS, Rules
from thousand_env.agents import Agent
from thousand_env.evaluation import pictures

CURVE_OPPONENT: Final = "heuristic"
"""Whom the checks on the way are played against."""
OPPONENTS: Final = ("random", "greedy", "heuristic")
EVALUATION_SEED: Final = 1_000_003
"""Of the evaluation at the end: other deals than those of the checks on the way."""
EVALUATION_FILE: Final = "evaluation.json"
CURVE_FILE: Final = "curve.png"


def end_stopped(folder: Path, algorithm: str, rules: Rules, network: nn.Module, facts: Mapping[str, Any]) -> None:
    """Save what there is, and say how to go on."""
    save_agent(folder / f"{algorithm}.safetensors", network, algorithm=algorithm, rules=rules, facts=dict(facts))
    say(f"stopped after {facts['decisions']:,} decisions; go on with: {_again(algorithm, folder)}")


def end_done(
    folder: Path, algorithm: str, rules: Rules, network: nn.Module, agent: Agent, facts: Mapping[str, Any]
) -> int:
    """Save, evaluate and draw; the exit code, that of a signal if one has cut the evaluation short."""
    weights = folder / f"{algorithm}.safetensors"
    save_agent(weights, network, algorithm=algorithm, rules=rules, facts=dict(facts))
    deals, games = facts["arguments"]["evaluate_deals"], facts["arguments"]["evaluate_matches"]
    standings = []
    try:
        for opponent in OPPONENTS if deals else ():
            matches = "" if rules.max_deals == 1 else f" and {games:,} matches"
            say(f"playing against {opponent}: {deals:,} deals{matches}")
            standings.append(standing(agent, opponent, rules, deals, games, EVALUATION_SEED))
    except KeyboardInterrupt as stop:
        number = int(stop.args[0]) if stop.args else signal.SIGINT
        say(f"stopped in the evaluation; the agent is saved; evaluate it with: {_again(algorithm, folder)}")
        return 128 + number
    found = {
        "algorithm": algorithm,
        "rules": rules.to_dict(),
        "evaluation_seed": EVALUATION_SEED,
        **facts,
        "standings": [each.to_dict() for each in standings],
    }
    write_text(folder / EVALUATION_FILE, json.dumps(found, indent=2) + "\n")
    drawn = _draw(folder, algorithm, facts["decisions"], standings)
    say()
    say(summary(algorithm, rules, facts, standings))
    say()
    say(f"agent    {weights}")
    if drawn:
        say(f"curve    {folder / CURVE_FILE}")
    say()
    say("Next:")
    own = shlex.quote(str(weights))
    say(f"  thousand evaluate {own} heuristic{_rules(rules)}")
    say(f"  thousand watch --agents {own}{_rules(rules)}")
    return 0


def summary(algorithm: str, rules: Rules, facts: Mapping[str, Any], standings: Sequence[Standing]) -> str:
    """A table for a terminal."""
    seconds = facts["seconds"]
    rate = f" ({facts['decisions'] / seconds:,.0f} a second)" if seconds else ""
    lines = [f"{algorithm}: {facts['decisions']:,} decisions in {duration(seconds)}{rate}"]
    if not standings:
        return lines[0]
    first = standings[0]
    lines += ["", f"{'against':12}{'points a deal':>26}" + ("" if first.wins is None else f"{'matches won':>28}")]
    for each in standings:
        won = "" if each.wins is None else f"{_text(each.wins, 100, '.1f', ' %'):>28}"
        lines.append(f"{each.opponent:12}{_text(each.points, 1, '+.1f'):>26}{won}")
    counts, even = f"{first.points.count:,} deals", "0"
    if first.wins is not None:
        counts, even = f"{counts} and {first.wins.count:,} matches", "0 and 50 %"
    lines.append(f"intervals of 95 %, from {counts} in all {2**rules.players - 2} seatings; equal agents have {even}")
    return "\n".join(lines)


def curve_of(records: Sequence[Mapping[str, Any]], opponent: str = CURVE_OPPONENT) -> list[tuple[float, ...]]:
    """Rows of (decisions, mean, low, high) from the records of checks."""
    head = f"evaluation/{opponent}_points"
    names = ("decisions", head, f"{head}_low", f"{head}_high")
    return [tuple(float(record[name]) for name in names) for record in records if record.get(head) is not None]


def _again(algorithm: str, folder: Path) -> str:
    return f"thousand train {algorithm} --resume {shlex.quote(str(folder))}"


def _rules(rules: Rules) -> str:
    """``--rules`` as it has to be typed; nothing for the default."""
    changes = rules.changes()
    if not changes:
        return ""
    preset = next((name for name in PRESETS if Rules.preset(name) == rules), None)
    return f" --rules {preset or shlex.quote(json.dumps(changes))}"


def _draw(folder: Path, algorithm: str, decisions: int, standings: Sequence[Standing]) -> bool:
    rows = curve_of(read_metrics(folder / METRICS_FILE))
    last = [each.points for each in standings if each.opponent == CURVE_OPPONENT]
    rows += [(float(decisions), points.mean, points.low, points.high) for points in last]
    if not rows:
        return False
    try:
        pictures.learning_curves(
            {algorithm: rows}, folder / CURVE_FILE, title=f"{algorithm} against {CURVE_OPPONENT}, {folder.name}"
        )
    except ImportError as error:
        say(f"no picture of the curve: {error}")
        return False
    return True


def _text(value: Estimate, factor: float, form: str, unit: str = "") -> str:
    if value.low == value.high:  # nothing has varied, which few games do not prove
        return f"{format(factor * value.mean, form)}{unit} (all {value.count:,})"
    low, mean, high = (format(factor * each, form) for each in (value.low, value.mean, value.high))
    return f"{mean}{unit} ({low} to {high})"
