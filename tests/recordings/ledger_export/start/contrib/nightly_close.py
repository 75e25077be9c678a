"""Runs on the shop server every night at 00:05. A copy; the original is Ilse's.

Writes one line for each asset account and month that is still open, keeps a copy of the
journal, and sends a mail when something is wrong.
"""

from __future__ import annotations

import shutil
import sys
from datetime import date, timedelta
from pathlib import Path

from tallybook.models import Month
from tallybook.statement import build_statement
from tallybook.store import LedgerStore

ACCOUNTS = ("1200", "1300", "1500")
JOURNAL = Path("/srv/tallybook/data/skaro.jsonl")
BACKUP = Path("/srv/backup/skaro")
KEEP_DAYS = 35
MAIL_TO = "ilse@skaro.example"
DRIFT_LIMIT = 2
"""Minor units. A smaller drift is written to the log only; a larger one ends the run with 4."""


def close(store: LedgerStore, day: date) -> list[str]:
    """The lines of one night, for the month of the day before."""
    month = Month(day.year, day.month)
    lines = []
    for number in ACCOUNTS:
        statement = build_statement(store, number, month)
        mark = "" if not statement.drift else f"  drift {statement.drift.minor:+d}"
        lines.append(
            f"{number} {month} lines={len(statement.lines)} closing={statement.closing.minor}{mark}"
        )
        if abs(statement.drift.minor) > DRIFT_LIMIT:
            raise SystemExit(4)
    return lines


def keep_copy(day: date) -> None:
    """A copy of the journal for every night; copies older than KEEP_DAYS go."""
    BACKUP.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(JOURNAL, BACKUP / f"skaro-{day:%Y%m%d}.jsonl")
    oldest = day - timedelta(days=KEEP_DAYS)
    for copy in sorted(BACKUP.glob("skaro-*.jsonl")):
        if copy.stem < f"skaro-{oldest:%Y%m%d}":
            copy.unlink()


def main() -> int:
    """One night."""
    day = date.today() - timedelta(days=1)
    keep_copy(day)
    for line in close(LedgerStore.load(JOURNAL), day):
        print(f"{day} {line}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
