"""Turns a run into the JSON that the release dashboard reads: ``report.py STATUS_FILE LOG_FOLDER``.

The build box calls this after every nightly run and posts the result. The status file
holds what ``ci/run.sh`` printed; lines that do not start with ``CI|`` are ignored.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

COLUMNS = 4
OWNERS = {
    0: "",
    11: "author",
    17: "release desk",
    23: "author",
    31: "release desk",
    64: "tooling",
    74: "tooling",
    75: "tooling",
}
_TEST = re.compile(
    r"^(?P<file>tests/\w+\.py)::(?P<name>\w+)(?:\[.*\])? "
    r"(?P<outcome>PASSED|FAILED|ERROR|SKIPPED)\b"
)


class ReportError(Exception):
    """A status line that the dashboard would not understand."""


def parse_status(lines: Iterable[str]) -> list[dict[str, Any]]:
    """The stages of a run, the pipeline itself last."""
    stages = []
    for line in lines:
        if not line.startswith("CI|"):
            continue
        columns = line.strip().split("|")
        if len(columns) != COLUMNS:
            raise ReportError(f"expected {COLUMNS} columns, found {len(columns)}: {line.strip()}")
        _, stage, status, code = columns
        if not code.isdigit() or int(code) not in OWNERS:
            raise ReportError(f"unknown code {code} of stage {stage}")
        stages.append(
            {"stage": stage, "status": status, "code": int(code), "owner": OWNERS[int(code)]}
        )
    return stages


def parse_tests(lines: Iterable[str]) -> dict[str, dict[str, int]]:
    """Outcomes by test file, from the verbose lines of pytest."""
    files: dict[str, Counter[str]] = {}
    for line in lines:
        found = _TEST.match(line)
        if found:
            counts = files.setdefault(found["file"], Counter())
            counts[found["outcome"].lower()] += 1
    return {name: dict(sorted(counts.items())) for name, counts in sorted(files.items())}


def summary(status: Iterable[str], unit_log: Iterable[str]) -> dict[str, Any]:
    """Everything that the dashboard shows about one run."""
    stages = parse_status(status)
    if not stages or stages[-1]["stage"] != "pipeline":
        raise ReportError("the run did not finish: no line of the pipeline")
    tests = parse_tests(unit_log)
    return {
        "pipeline": stages[-1]["status"],
        "code": stages[-1]["code"],
        "stages": stages[:-1],
        "owners": sorted({stage["owner"] for stage in stages if stage["owner"]}),
        "tests": tests,
        "failed": sum(counts.get("failed", 0) for counts in tests.values()),
    }


def main(status_file: str, log_folder: str) -> int:
    """Print the summary. Returns 1 when the run cannot be reported."""
    log = Path(log_folder) / "unit.log"
    unit = log.read_text(encoding="utf-8").splitlines() if log.is_file() else []
    try:
        found = summary(Path(status_file).read_text(encoding="utf-8").splitlines(), unit)
    except ReportError as error:
        print(f"report: {error}", file=sys.stderr)
        return 1
    print(json.dumps(found, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
