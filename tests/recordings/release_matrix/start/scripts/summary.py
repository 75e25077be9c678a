"""Condenses the logs of the last nightly run: one line for each failed test."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from scripts.common import NIGHTLY

FAILED = re.compile(r"^FAILED (\S+?)::(\S+)(?: - (.*))?$", re.MULTILINE)


def failures(log: Path) -> dict[str, int]:
    """How often each test failed, over all attempts."""
    counts: dict[str, int] = {}
    for match in FAILED.finditer(log.read_text(encoding="utf-8", errors="replace")):
        counts[match[2]] = counts.get(match[2], 0) + 1
    return counts


def main() -> int:
    """Print the summary. Returns 1 when there is no log."""
    logs = sorted((NIGHTLY / "logs").glob("*.log"))
    if not logs:
        print("summary: no log", file=sys.stderr)
        return 1
    for log in logs:
        for test, count in failures(log).items():
            print(f"{log.stem}: {test} failed in {count} attempts")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
