"""``thousand train``: trainers are found by name, described without being imported, and handed the command line."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from thousand_env.cli import main

Capture = pytest.CaptureFixture[str]
TRAINER = '''"""Learns by looking hard. It does not help.

More.
"""

def command(argv):
    print("trained with", argv)
    return 7

thing = 3
'''


@pytest.fixture
def trainers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two trainers that are installed, one of which needs torch, which is missing."""
    folder = tmp_path / "modules"
    folder.mkdir()
    (folder / "looking_hard.py").write_text(TRAINER)
    (folder / "needs_torch.py").write_text('"""Learns deeply."""\nraise ModuleNotFoundError("no", name="torch._C")\n')
    (folder / "is_broken.py").write_text('"""Is broken."""\nimport nothing_of_this_name\n')
    monkeypatch.syspath_prepend(str(folder))
    names = ("looking_hard", "needs_torch", "is_broken")
    found = [EntryPoint(name[:5], f"{name}:command", "thousand_env.trainers") for name in names]
    found.append(EntryPoint("gone", "no_such_package.module:command", "thousand_env.trainers"))
    monkeypatch.setattr("thousand_env.cli.train.entry_points", lambda group: found)
    return folder


def test_alone_it_lists_the_trainers_with_a_sentence(trainers: Path, capsys: Capture) -> None:
    for line in (["train"], ["train", "--help"], ["help", "train"]):
        assert main(line) == 0
        out = capsys.readouterr().out
        assert "  looki  Learns by looking hard. It does not help.\n" in out
        assert "  needs  Learns deeply.\n" in out
        assert "  gone   \n" in out
    assert not {"looking_hard", "needs_torch"} & sys.modules.keys()


def test_a_trainer_gets_the_rest_of_the_line(trainers: Path, capsys: Capture) -> None:
    assert main(["train", "looki", "--minutes", "3", "--help"]) == 7
    assert capsys.readouterr().out == "trained with ['--minutes', '3', '--help']\n"
    assert main(["train", "looking_hard:command"]) == 7


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["look"], "there is no trainer 'look': did you mean 'looki'? choose one of gone, is_br, looki, needs"),
        (["needs"], 'torch is not installed: pip install "thousand_env[train]"'),
        (["gone"], "there is no trainer 'gone': there is no module 'no_such_package'"),
        (["nowhere:command"], "there is no module 'nowhere'"),
        (["looking_hard:thing"], "there is no function 'thing' in module 'looking_hard'"),
        (["--minutes", "3"], "'--minutes' comes before the trainer: write thousand train NAME --minutes"),
    ],
)
def test_a_wrong_name_gives_one_line(arguments: list[str], says: str, trainers: Path, capsys: Capture) -> None:
    assert main(["train", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("thousand train: ")
    assert says in err


def test_a_trainer_that_is_broken_says_where(trainers: Path) -> None:
    with pytest.raises(ModuleNotFoundError, match="nothing_of_this_name"):
        main(["train", "is_br"])


def test_without_the_extra_it_lists_and_says_what_to_install() -> None:
    program = (
        "import sys; sys.modules['torch'] = None\n"
        "from thousand_env.cli import main\n"
        "assert main(['train']) == 0\n"
        "sys.exit(main(['train', 'baselines.training:trainer_command']))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 2
    assert "Trainers:" in done.stdout
    assert done.stderr == 'thousand train: torch is not installed: pip install "thousand_env[train]"\n'
