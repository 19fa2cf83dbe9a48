"""How a run ends: the agent is saved, evaluated against the ladder, its curve drawn, and what to type next is said."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from torch import nn

from baselines.learned import save_agent
from baselines.training.ladder import Estimate, Standing, standing
from baselines.training.logs import METRICS_FILE, read_metrics, write_text
from baselines.training.progress import duration
from thousand_env import PRESETS, Rules
from thousand_env.agents import Agent
from thousand_env.evaluation import pictures

OPPONENTS: Final = ("random", "greedy", "heuristic")
EVALUATION_SEED: Final = 1_000_003
"""Of the evaluation at the end: other deals than those of the checks on the way."""
EVALUATION_FILE: Final = "evaluation.json"
CURVE_FILE: Final = "curve.png"


def end_stopped(folder: Path, algorithm: str, rules: Rules, network: nn.Module, facts: Mapping[str, Any]) -> None:
    """Save what there is, and say how to go on."""
    save_agent(folder / f"{algorithm}.safetensors", network, algorithm=algorithm, rules=rules, facts=dict(facts))
    print(f"stopped after {facts['decisions']:,} decisions; go on with: thousand train {algorithm} --resume {folder}")


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
            print(f"playing against {opponent}: {deals:,} deals and {games:,} matches", flush=True)
            standings.append(standing(agent, opponent, rules, deals, games, EVALUATION_SEED))
    except KeyboardInterrupt as stop:
        number = stop.args[0] if stop.args else 2
        again = f"thousand train {algorithm} --resume {folder}"
        print(f"stopped in the evaluation; the agent is saved in {weights}, evaluate it with: {again}")
        return 128 + int(number)
    found = {
        "algorithm": algorithm,
        "rules": rules.to_dict(),
        "evaluation_seed": EVALUATION_SEED,
        **facts,
        "standings": [each.to_dict() for each in standings],
    }
    write_text(folder / EVALUATION_FILE, json.dumps(found, indent=2) + "\n")
    drawn = _draw(folder, algorithm)
    print()
    print(summary(algorithm, rules, facts, standings))
    print()
    print(f"agent    {weights}")
    if drawn:
        print(f"curve    {folder / CURVE_FILE}")
    print()
    print("Next:")
    own = f"baselines.learned:load_agent,path={weights}"
    print(f"  thousand evaluate {own} heuristic{_rules(rules)}")
    print(f"  thousand watch --agents {own}{_rules(rules)}")
    return 0


def summary(algorithm: str, rules: Rules, facts: Mapping[str, Any], standings: Sequence[Standing]) -> str:
    """A table for a terminal."""
    seconds = facts["seconds"]
    rate = f" ({facts['decisions'] / seconds:,.0f} a second)" if seconds else ""
    lines = [f"{algorithm}: {facts['decisions']:,} decisions in {duration(seconds)}{rate}"]
    if not standings:
        return lines[0]
    lines += ["", f"{'against':12}{'points a deal':>26}{'matches won':>28}"]
    for each in standings:
        won = "" if each.wins is None else f"{_text(each.wins, 100, '.1f')} %"
        lines.append(f"{each.opponent:12}{_text(each.points, 1, '+.1f'):>26}{won:>28}")
    counts = f"{standings[0].points.count:,} deals"
    if standings[0].wins is not None:
        counts += f" and {standings[0].wins.count:,} matches"
    lines.append(f"intervals of 95 %, from {counts} in all {2**rules.players - 2} seatings; equal agents: 0 and 50 %")
    return "\n".join(lines)


def curve_of(records: Sequence[Mapping[str, Any]], opponent: str = "heuristic") -> list[tuple[float, ...]]:
    """Rows of (decisions, mean, low, high) from the records of checks."""
    head = f"evaluation/{opponent}_points"
    names = ("decisions", head, f"{head}_low", f"{head}_high")
    return [tuple(float(record[name]) for name in names) for record in records if record.get(head) is not None]


def _rules(rules: Rules) -> str:
    """``--rules`` as it has to be typed; nothing for the default."""
    changes = rules.changes()
    if not changes:
        return ""
    preset = next((name for name in PRESETS if Rules.preset(name) == rules), None)
    return f" --rules {preset or shlex.quote(json.dumps(changes))}"


def _draw(folder: Path, algorithm: str) -> bool:
    rows = curve_of(read_metrics(folder / METRICS_FILE))
    if not rows:
        return False
    try:
        pictures.learning_curves(
            {algorithm: rows}, folder / CURVE_FILE, title=f"{algorithm} against heuristic, {folder.name}"
        )
    except ImportError as error:
        print(f"no picture of the curve: {error}")
        return False
    return True


def _text(value: Estimate, factor: float, form: str) -> str:
    low, mean, high = (format(factor * each, form) for each in (value.low, value.mean, value.high))
    return f"{mean} ({low} to {high})"
