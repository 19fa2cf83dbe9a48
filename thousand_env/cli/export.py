"""Write a learned agent as an ONNX model, and check that ONNX Runtime chooses what the agent chooses.

The model takes observation (float32 [N, 496]) and action_mask (int8 [N, 130]), for any N, and gives action (int64 [N])
beside the log-probabilities or values that it is the best of: no other heads. It is checked on positions of real games,
half of whose actions are drawn at random and half by the heuristic agent, so that all phases are among them. The file
is written only if all actions are the same.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from thousand_env.agents import Agent, from_text, load, names_a_class
from thousand_env.cli.arguments import add_seed, agent_names, parse_count, parse_rules, search_here
from thousand_env.cli.errors import CommandError, MissingExtraError
from thousand_env.game import Game
from thousand_env.observation import encode
from thousand_env.rules import Rules
from thousand_env.seeding import episode_seed
from thousand_env.view import View

VIEWS = 1000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``thousand export``."""
    parser.add_argument(
        "agent",
        metavar="AGENT",
        help=f"a learned agent: its file (*.safetensors) or its name ({agent_names()}), with options as name,key=value",
    )
    parser.add_argument("--onnx", required=True, metavar="FILE", help="the model to write")
    parser.add_argument(
        "--views",
        type=parse_count,
        default=VIEWS,
        metavar="N",
        help=f"positions to check it on, each with a choice to make (default: {VIEWS})",
    )
    add_seed(parser, "the positions follow from it (default: 0)")
    parser.add_argument(
        "--rules",
        type=parse_rules,
        default=None,
        metavar="RULES",
        help="rules of these positions, as in 'thousand evaluate' (default: those that the agent was trained under)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(options: argparse.Namespace) -> int:
    """Export and check: 0 if the model is the agent, 1 if it is not."""
    runtime = _onnx_runtime()
    agent, write = _exported(options.agent)
    rules = getattr(agent, "rules", Rules()) if options.rules is None else options.rules.rules
    path = Path(options.onnx)
    if not path.parent.is_dir() or path.is_dir():
        raise CommandError(f"--onnx: {options.onnx!r} cannot be written: give a file in a folder that exists")
    unchecked = path.with_name(f"{path.name}.unchecked")
    try:
        _write(write, unchecked)
        views = positions(rules, options.views, options.seed or 0)
        different = _different(runtime, unchecked, agent, views)
        if not different:
            unchecked.replace(path)
    finally:
        unchecked.unlink(missing_ok=True)
    phases = Counter(view.phase for view in views)
    if options.json:
        facts = {"agent": options.agent, "file": options.onnx, "views": len(views), "different": len(different)}
        print(json.dumps({**facts, "phases": phases}, indent=2))
    elif different:
        print(f"{len(different)} of {len(views)} actions differ, the first at view {different[0]}: nothing was written")
    else:
        told = ", ".join(f"{phase} {count}" for phase, count in phases.items())
        print(f"{options.onnx}: {path.stat().st_size:,} bytes; the same action on {len(views)} views ({told})")
    return 1 if different else 0


def positions(rules: Rules, count: int, seed: int) -> list[View]:
    """So many views of who is to act and has a choice; of about every third decision, whole matches long."""
    rng = random.Random(seed)
    heuristic = load("heuristic")
    views: list[View] = []
    episode = 0
    while len(views) < count:
        game = Game(rules, episode_seed(seed, episode))
        heuristic.reset(episode)
        while not game.is_over and len(views) < count:
            assert game.seat is not None
            legal, view = game.legal_actions(), game.view(game.seat)
            if len(legal) > 1 and rng.random() < 1 / 3:
                views.append(view)
            game.apply(heuristic.act(view) if rng.random() < 1 / 2 else rng.choice(legal))
        episode += 1
    return views


def _onnx_runtime() -> Any:
    try:
        import onnxruntime
    except ModuleNotFoundError as error:
        raise MissingExtraError(error.name or "onnxruntime", "export") from None
    return onnxruntime


def _exported(text: str) -> tuple[Agent, Any]:
    """The agent, and what writes it to a file."""
    if names_a_class(text.partition(",")[0]):
        search_here()
    try:
        agent = from_text(text)
    except (ValueError, ImportError, TypeError) as error:
        raise CommandError(f"AGENT: {error}") from None
    write = getattr(agent, "export_onnx", None)
    if write is None:
        raise CommandError(f"AGENT: {text!r} has no network to export: name a learned agent, or the file of one")
    return agent, write


def _write(write: Any, path: Path) -> None:
    try:
        write(path)
    except ModuleNotFoundError as error:
        raise MissingExtraError(error.name or "onnx", "export") from None
    except ValueError as error:
        raise CommandError(f"AGENT: {error}") from None


def _different(runtime: Any, path: Path, agent: Agent, views: list[View]) -> list[int]:
    """The views for which the model says another action than the agent, asked for all at once and for one alone."""
    session = runtime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    given: dict[str, Any] = {
        "observation": np.stack([encode(view) for view in views]),
        "action_mask": np.stack([view.action_mask() for view in views]),
    }
    told = session.run(["action"], given)[0].tolist()
    alone = session.run(["action"], {name: rows[:1] for name, rows in given.items()})[0].tolist()
    own = [agent.act(view) for view in views]
    different = [place for place, (action, other) in enumerate(zip(own, told, strict=True)) if action != other]
    return different or [place for place in (0,) if alone != own[:1]]
