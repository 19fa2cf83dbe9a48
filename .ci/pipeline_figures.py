"""Runs the scripts of examples/pipelines.toml in their full form and writes the tables of docs/pipelines.md.

    python .ci/pipeline_figures.py LIBRARY [--smoke]    run its scripts in this environment, which needs py-spy
    python .ci/pipeline_figures.py --page               write the tables, from the toml and docs/pipelines.json

`nox -s figures` does both, for every library in its own environment. A script runs once, with py-spy looking at it 25
times a second from outside. Of all looks that find it in its learning loop, waiting included (`train`, or what the
table names under `loops`, where other processes play), those within thousand_env are our share, the loading of compiled
code included, and those within `baselines` or thousand_env/opponents.py, which asks given agents, the opponents'.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import thousand_env

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "examples" / "pipelines.toml"
PAGE, FIGURES = ROOT / "docs" / "pipelines.md", ROOT / "docs" / "pipelines.json"
PACKAGE = Path(thousand_env.__file__).resolve().parent
RATE = 25


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", nargs="?", help="a table of examples/pipelines.toml")
    parser.add_argument("--only", help="of its scripts this one alone")
    parser.add_argument("--smoke", action="store_true", help="the smoke forms, to try this program: nothing is kept")
    parser.add_argument("--page", action="store_true", help="write the tables into docs/pipelines.md")
    arguments = parser.parse_args()
    pipelines = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    if arguments.library:
        if arguments.library not in pipelines:
            parser.error(f"there is no {arguments.library!r}: choose one of {', '.join(pipelines)}")
        facts = pipelines[arguments.library]
        for script, flags in facts["scripts"].items():
            if arguments.only in (None, script):
                found = measure(script, ["--smoke"] if arguments.smoke else flags, facts.get("loops"))
                print(json.dumps(found, indent=1))
                if not arguments.smoke:
                    kept = json.loads(FIGURES.read_text(encoding="utf-8")) | {script: found}
                    replace(FIGURES, json.dumps(kept, indent=1, sort_keys=True) + "\n")
    if arguments.page:
        figures = json.loads(FIGURES.read_text(encoding="utf-8"))
        text = PAGE.read_text(encoding="utf-8")
        for name, table in (("libraries", libraries(pipelines)), ("figures", measured(pipelines, figures))):
            begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
            before, _, rest = text.partition(begin)
            text = f"{before}{begin}\n{table}\n{end}{rest.partition(end)[2]}"
        replace(PAGE, text)


def measure(script: str, flags: list[str], loops: list[str] | None) -> dict[str, object]:
    """What a run of a script printed, and whose code its learning loop spent its time in."""
    with tempfile.TemporaryDirectory() as folder:
        stacks = Path(folder) / "stacks.txt"
        command = [sys.executable, str(ROOT / "examples" / script), "--folder", str(Path(folder) / "run"), *flags]
        spy = Path(sys.executable).parent / "py-spy"
        looking = ["record", "--rate", str(RATE), "--nonblocking", "--subprocesses", "--idle", "--full-filenames"]
        done = subprocess.run(
            [str(spy), *looking, "--format", "raw", "--output", str(stacks), "--", *command],
            stdout=subprocess.PIPE,
            text=True,
            cwd=folder,
            env={**os.environ, "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "1"), "PYTHONPATH": str(ROOT)},
            check=True,
        )
        print(done.stdout)
        lines = stacks.read_text(encoding="utf-8").splitlines()
        looks = shares(lines, loops or [f"train ({ROOT}/examples/{script}:"])
    return {**printed(done.stdout), **looks, "command": " ".join(["python", f"examples/{script}", *flags]), **machine()}


def printed(output: str) -> dict[str, object]:
    """Steps, seconds and the result against ``random``, as every script prints them."""
    line = re.search(r"^([\d,]+) environment steps in ([\d.]+) s: ", output, re.MULTILINE)
    result = re.search(r"against random: (\S+) points a deal, 95 % \((\S+) to (\S+)\), ([\d,]+) deals", output)
    if line is None:
        raise SystemExit("the script has not printed its line of steps and seconds")
    steps, seconds = int(line[1].replace(",", "")), float(line[2])
    found: dict[str, object] = {"steps": steps, "seconds": seconds, "steps_per_second": round(steps / seconds, 1)}
    if result:
        found["against_random"] = [float(result[1]), float(result[2]), float(result[3])]
        found["deals"] = int(result[4].replace(",", ""))
    return found


def shares(stacks: Iterable[str], loops: list[str]) -> dict[str, object]:
    """Shares of ours and of the opponents in the looks that found the learning loop, from py-spy's collapsed stacks."""
    counts: Counter[str] = Counter()
    for line in stacks:
        stack, _, count = line.rpartition(" ")
        if any(loop in stack for loop in loops):
            counts[whose(stack)] += int(count)
    looks = sum(counts.values())
    if not looks:
        raise SystemExit(f"no look has found the learning loop: {', '.join(loops)}")
    return {"ours": counts["ours"] / looks, "opponents": counts["opponents"] / looks, "looks": looks}


def whose(stack: str) -> str:
    if f"({PACKAGE.parent}/baselines/" in stack or f"({PACKAGE}/opponents.py:" in stack:
        return "opponents"
    return "ours" if f"({PACKAGE}/" in stack else "library"


def machine() -> dict[str, object]:
    return {
        "python": platform.python_version(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "gymnasium": importlib.metadata.version("gymnasium"),
        "pettingzoo": importlib.metadata.version("pettingzoo"),
    }


def libraries(pipelines: dict[str, dict[str, Any]]) -> str:
    lines = [
        "| library | what works | where the mask is looked for | observation | to know | scripts |",
        "|---|---|---|---|---|---|",
    ]
    for facts in pipelines.values():
        tried = ", ".join(each for each in facts["requires"] if "==" in each)
        scripts = "<br>".join(f"[`{script}`](../examples/{script})" for script in facts["scripts"])
        words = " | ".join(facts[each] for each in ("works", "mask", "observation", "notes"))
        lines.append(f"| **{facts['title']}** ({tried.replace('==', ' ')}) | {words} | {scripts} |")
    return "\n".join(lines)


def measured(pipelines: dict[str, dict[str, Any]], figures: dict[str, dict[str, Any]]) -> str:
    lines = [
        "| script | steps/s | ours | opponents | steps | points a deal against `random` |",
        "|---|---|---|---|---|---|",
    ]
    for facts in pipelines.values():
        for script in facts["scripts"]:
            if (found := figures.get(script)) is None:
                continue
            result = found.get("against_random")
            against = f"{result[0]:+.1f} ({result[1]:.1f} to {result[2]:.1f})" if result else "-"
            lines.append(
                f"| [`{script}`](../examples/{script}) | {found['steps_per_second']:,.0f} | {found['ours']:.1%} "
                f"| {found['opponents']:.1%} | {found['steps']:,} | {against} |"
            )
    return "\n".join(lines)


def replace(path: Path, text: str) -> None:
    """Write under a temporary name and rename."""
    temporary = path.with_name(path.name + ".tmp")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)


if __name__ == "__main__":
    main()
