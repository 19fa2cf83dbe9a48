"""Check that the records of a file hold: every match is replayed and compared, and what does not agree is named."""

from __future__ import annotations

import argparse
import json

from thousand_env.cli.errors import CommandError
from thousand_env.records import RecordError, Verdict, verify


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``thousand verify``."""
    parser.add_argument("file", metavar="FILE", help="a file of records (JSON lines)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(options: argparse.Namespace) -> int:
    """Verify a file: 0 if all records hold, 1 if not."""
    verdicts = _verdicts(options)
    failed = sum(not verdict.ok for verdict in verdicts)
    if options.json:
        report: dict[str, object] = {"file": options.file, "ok": not failed, "records": len(verdicts), "failed": failed}
        print(json.dumps({**report, "lines": [_as_json(verdict) for verdict in verdicts]}, indent=2))
    else:
        count = f"{len(verdicts)} record{'' if len(verdicts) == 1 else 's'}"
        print(f"{count}: {f'{failed} do not hold' if failed > 1 else 'one does not hold' if failed else 'all hold'}")
    return 1 if failed else 0


def _verdicts(options: argparse.Namespace) -> list[Verdict]:
    """All verdicts, each printed as it comes where people read."""
    found = []
    try:
        for verdict in verify(options.file):
            found.append(verdict)
            if not options.json:
                print(f"{'ok    ' if verdict.ok else 'WRONG '}{verdict}")
    except OSError as error:
        raise CommandError(f"{options.file!r} cannot be read ({error.strerror}): give a file of records") from None
    except RecordError as error:
        found.append(Verdict(error.line or len(found) + 1, None, error))
    if not found:
        raise CommandError(f"{options.file!r} is empty: give a file of records, as thousand watch --record writes it")
    return found


def _as_json(verdict: Verdict) -> dict[str, object]:
    reason = None if verdict.error is None else verdict.error.reason
    deals = None if verdict.record is None else len(verdict.record.deals)
    return {"line": verdict.line, "ok": verdict.ok, "replayed": verdict.replayed, "deals": deals, "reason": reason}
