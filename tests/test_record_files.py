"""Files of records: written whole or not at all, appended to after a crash, verified line by line."""

from __future__ import annotations

import io
import os
import pickle
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from thousand_env import Game, Rules
from thousand_env.records import Record, RecordError, RecordWriter, read, redact, verify, write
from thousand_env.records.json_form import encode_line


def record(seed: int) -> Record:
    game = Game(Rules(max_deals=1), seed=seed)
    while not game.is_over:
        game.apply(game.legal_actions()[0])
    return Record.from_game(game, ["a", "b", "c"])


RECORDS = [record(seed) for seed in range(4)]
LINES = [encode_line(each) for each in RECORDS]


def test_a_file_there_and_back(tmp_path: Path) -> None:
    path = tmp_path / "матчи.jsonl"
    assert write(path, RECORDS) == 4
    assert list(read(path)) == RECORDS == list(read(str(path)))
    assert [each.line for each in read(path)] == [1, 2, 3, 4]
    assert list(tmp_path.iterdir()) == [path]
    write(path, [])
    assert list(read(path)) == []
    assert list(verify(path)) == []


def test_open_files_text_and_binary(tmp_path: Path) -> None:
    text, binary = io.StringIO(), io.BytesIO()
    write(text, RECORDS)
    write(binary, RECORDS)
    assert text.getvalue().encode() == binary.getvalue() == "".join(LINES).encode()
    text.seek(0)
    binary.seek(0)
    assert list(read(text)) == list(read(binary)) == RECORDS
    for mode in ("w", "wb"):
        with (tmp_path / "open.jsonl").open(mode) as file:
            write(file, RECORDS)
        with (tmp_path / "open.jsonl").open(mode.replace("w", "r")) as file:
            assert list(read(file)) == RECORDS


def test_an_interrupted_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    write(path, RECORDS[:1])

    def failing() -> Iterator[Record]:
        yield from RECORDS
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(path, failing())
    assert list(read(path)) == RECORDS[:1]
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.name != "posix", reason="permissions and links of POSIX")
def test_permissions_and_links_stay(tmp_path: Path) -> None:
    path, link = tmp_path / "r.jsonl", tmp_path / "link.jsonl"
    write(path, RECORDS[:1])
    path.chmod(0o640)
    link.symlink_to(path)
    write(link, RECORDS)
    assert link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert list(read(path)) == RECORDS
    write("/dev/null", RECORDS)


def test_appending(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    for some in (RECORDS[:1], RECORDS[1:3], RECORDS[3:]):
        with RecordWriter(path, sync=True) as writer:
            for each in some:
                writer.write(each)
                assert list(read(path))[-1] == each  # there at once, without closing
        assert writer.count == len(some)
        writer.close()
    assert path.read_text(encoding="utf-8") == "".join(LINES)


def test_appending_after_a_crash_at_every_byte(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    second = LINES[1].encode()
    for cut in range(0, len(second) + 1, 7):
        path.write_bytes(LINES[0].encode() + second[:cut])
        with RecordWriter(path) as writer:
            writer.write(RECORDS[2])
        assert list(read(path)) == [RECORDS[0], RECORDS[2]] if cut < len(second) - 1 else RECORDS[:3]
    path.write_bytes(LINES[0].encode() + second[:-1])
    with RecordWriter(path) as writer:
        writer.write(RECORDS[2])
    assert list(read(path)) == RECORDS[:3]
    path.write_bytes(b'{"form')
    RecordWriter(path).close()
    assert path.read_bytes() == b""


def test_a_killed_process_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    script = (
        "import os, sys\nfrom thousand_env import Game\nfrom thousand_env.records import Record, RecordWriter\n"
        "writer = RecordWriter(sys.argv[1])\nfor seed in range(3):\n"
        "    writer.write(Record.from_game(Game(seed=seed)))\nos._exit(9)\n"
    )
    assert subprocess.run([sys.executable, "-c", script, str(path)], check=False).returncode == 9
    assert list(read(path)) == [Record.from_game(Game(seed=seed)) for seed in range(3)]


@pytest.mark.parametrize("content", ["Dear diary\n", "[1]\n", LINES[0] + "Dear diary", LINES[0] + '{"format":"x"}'])
def test_nothing_is_appended_to_another_file(content: str, tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(RecordError):
        RecordWriter(path)
    assert path.read_text(encoding="utf-8") == content


def test_a_write_cut_short_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "r.jsonl"

    class FullDisk(io.FileIO):
        def write(self, data: bytes) -> int:  # type: ignore[override]
            return super().write(data[:10])

    with RecordWriter(path) as writer:
        writer.write(RECORDS[0])
        whole = writer._file
        object.__setattr__(writer, "_file", FullDisk(path, "ab"))
        with pytest.raises(OSError, match="only 10 of the"):
            writer.write(RECORDS[1])
        writer._file.close()
        object.__setattr__(writer, "_file", whole)
        writer.write(RECORDS[2])
    assert list(read(path)) == [RECORDS[0], RECORDS[2]]


def test_verify_goes_on_after_a_damaged_line(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    illegal = LINES[1].replace("bid 100", "bid 420", 1)
    hidden = encode_line(redact(RECORDS[2], 1))
    path.write_text(LINES[0] + "\n" + illegal + hidden + LINES[3][:-40], encoding="utf-8")
    verdicts = list(verify(path))
    assert [each.line for each in verdicts] == [1, 2, 3, 4, 5]
    assert [each.ok for each in verdicts] == [True, False, False, True, False]
    assert [each.replayed for each in verdicts] == [True, False, False, False, False]
    assert str(verdicts[0]) == "line 1: 1 deal, replayed"
    assert str(verdicts[1]) == "line 2: the line is empty"
    assert str(verdicts[2]).startswith("line 3: deal 1, action 1 (")
    assert str(verdicts[3]) == "line 4: 1 deal, redacted for seat 1, not replayed"
    assert str(verdicts[4]).startswith("line 5: not JSON: ")
    with pytest.raises(RecordError, match="line 2: the line is empty"):
        list(read(path))


def test_verify_of_text_that_is_not_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(b"\xff\n" + LINES[0].encode())
    assert [str(each) for each in verify(path)] == ["line 1: byte 0 is not UTF-8", "line 2: 1 deal, replayed"]
    with path.open(encoding="utf-8") as file:
        assert [each.ok for each in verify(file)] == [False]


def test_what_cannot_be_written_is_refused_with_what_to_give(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text("kept")
    for records in (RECORDS[0], 5):
        with pytest.raises(TypeError, match=r"is not accepted as records: give a list"):
            write(path, records)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"is no Record: use Record\.from_game\(game\)"):
        write(path, [Game(seed=1)])  # type: ignore[list-item]
    with pytest.raises(TypeError, match=r"use write\(path, records\)"):
        write(RECORDS, path.read_text())  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="neither a path nor an open file"):
        list(read(5))  # type: ignore[arg-type]
    assert path.read_text() == "kept"
    assert list(tmp_path.iterdir()) == [path]


def test_a_path_that_cannot_be_written_is_named_as_it_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError) as caught:
        write("none/x.jsonl", RECORDS)
    assert caught.value.filename == "none/x.jsonl"
    assert str(caught.value).endswith("'none/x.jsonl'")


def test_a_json_error_reads_well() -> None:
    with pytest.raises(RecordError, match=r"^line 1: not JSON: Unterminated string starting at character \d+$"):
        list(read(io.StringIO(LINES[0][:-20])))


def test_errors_can_be_pickled() -> None:
    error = pickle.loads(pickle.dumps(RecordError("reason", 3)))
    assert (str(error), error.reason, error.line) == ("line 3: reason", "reason", 3)
