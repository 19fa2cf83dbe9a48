"""Arguments of trainers: what is accepted, one line for what is not, and the way through a checkpoint."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tyro")

from baselines.training import RunArguments, TrainingError, trainer_command  # noqa: E402
from baselines.training.arguments import parse_rules  # noqa: E402
from baselines.training.command import one_line, parse  # noqa: E402
from tests.training_dummy import DummyArguments, command  # noqa: E402
from thousand_env import Rules  # noqa: E402

Capture = pytest.CaptureFixture[str]
QUICK = "--no-tensorboard --check-minutes 0 --evaluate-deals 0 --decisions 128"


@dataclass
class Many(RunArguments):
    """Fields of all kinds."""

    hidden: tuple[int, ...] = (8,)
    """widths"""
    extra: Path | None = None
    """a file"""


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("--minuts 3", "Unrecognized options: --minuts, 3; Perhaps you meant: --minutes"),
        ("--minutes x", "Error parsing --minutes"),
        ("--minutes", "Missing value for argument '--minutes'"),
        ("foo", "Unrecognized options: foo"),
        ("--hidden x", "it is --hidden [INT"),
        ("--minutes 0", "--minutes 0.0 is not accepted: use a number above 0"),
        ("--minutes nan", "use a number above 0"),
        ("--decisions 0", "--decisions 0 is not accepted: use a whole number from 1"),
        ("--seed -1", "--seed -1 is not accepted: use a whole number from 0"),
        ("--threads 0", "use a whole number from 1 to 1024"),
        ("--checkpoint-minutes 0", "--checkpoint-minutes 0.0 is not accepted: use a number above 0"),
        ("--check-minutes -1", "use a number from 0"),
        ("--check-deals 1", "use a whole number from 2"),
        ("--evaluate-deals 1", "use 0 for no evaluation, or 2 or more"),
        ("--rules klassic", "is neither a preset nor a file: use a preset (classic, modern"),
        ("--rules {", "is no JSON"),
        ("""--rules '{"players": 9}'""", "players=9"),
        ("--device cuda:99", "CUDA devices here: use cpu"),
        ("--device qpu", "use cpu, cuda, cuda:N or auto"),
        ("--resume nowhere", "--resume 'nowhere': there is no such folder"),
    ],
)
def test_a_wrong_argument_gives_one_line(
    line: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    assert command(shlex.split(line)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("thousand train dummy: ")
    assert says in err
    assert list(tmp_path.iterdir()) == []


def test_help_is_of_the_dataclass(capsys: Capture) -> None:
    assert command(["--help"]) == 0
    out = capsys.readouterr().out
    assert "Train a policy to be undecided about noise." in out
    assert "--learning-rate" in out
    assert "what was trained before a resume included" in " ".join(out.replace("│", "").split())


def test_a_run_by_default_goes_to_a_folder_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    assert command([*QUICK.split(), "--seed", "7"]) == 0
    [folder] = (tmp_path / "runs").iterdir()
    assert folder.name.startswith("dummy-7-")
    assert (folder / "dummy.safetensors").exists()


def test_a_resumed_run_has_its_own_arguments(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    line = f"{QUICK} --seed 7 --hidden 5 6 --learning-rate 0.5 --folder {folder}"
    assert command(shlex.split(line)) == 0
    found = parse("x", DummyArguments, ["--resume", str(folder), "--decisions", "256", "--learning-rate", "0.25"])
    assert (found.seed, found.hidden, found.tensorboard, found.evaluate_deals) == (7, (5, 6), False, 0)
    assert (found.decisions, found.learning_rate) == (256, 0.25)
    assert (found.resume, found.folder) == (folder, None)
    assert command(["--resume", str(folder), "--decisions", "256"]) == 0
    assert json.loads((folder / "checkpoint.json").read_text())["decisions"] == 256


def test_rules_of_a_file_travel_with_the_run(tmp_path: Path) -> None:
    file = tmp_path / "house.json"
    file.write_text('{"golden": true}')
    kept = RunArguments(rules=str(file)).to_json()
    file.unlink()
    assert parse_rules(kept["rules"]) == Rules(golden=True)


def test_arguments_come_back_from_json() -> None:
    given = Many(hidden=(3, 4), extra=Path("a/b"), folder=Path("c"), minutes=2.5, seed=9)
    assert Many.from_json(json.loads(json.dumps(given.to_json()))) == given
    assert Many.from_json({"seed": 3, "of_a_later_version": 1}) == Many(seed=3)


def test_boxes_of_other_terminals_are_read_too() -> None:
    box = """\x1b[31m╭─ Value error ─────╮\x1b[0m
│ Error parsing --x:  │
│ no number.          │
│                     │
│ Got errors: ...     │
│ ─────────────────── │
│ Argument helptext:  │
│   --x INT  so many  │
╰─────────────────────╯
"""
    says = "Error parsing --x: no number; it is --x INT  so many; 'train --help' explains all arguments"
    assert one_line(box, "train") == says


def test_main_may_refuse_and_end(capsys: Capture) -> None:
    def refuse(arguments: RunArguments) -> int:
        raise TrainingError("no\nsuch  luck")

    def stop(arguments: RunArguments) -> int:
        raise KeyboardInterrupt(15)

    assert trainer_command("x", RunArguments, refuse)([]) == 2
    assert capsys.readouterr().err == "thousand train x: no such luck\n"
    assert trainer_command("x", RunArguments, stop)([]) == 143
