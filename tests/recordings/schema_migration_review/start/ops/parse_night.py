"""Reads the log of an upgrade night; the head office runs it at six in the morning.

A line that is not known ends the reading: the night counts as failed and the duty is called.
"""

import re
import sys
from pathlib import Path

LINE = re.compile(r"^(\d\d:\d\d:\d\d)  (\w+)  (supervisor|tinshelf|night desk): (.+)$")
KNOWN = (
    "backup ",
    "schema ",
    "status ",
    "M12 migration failed: ",
)
DUTY = "+49 555 0142"
MOST_LINES_A_DESK = 24


def read(path: Path) -> dict[str, int]:
    """Lines by desk. Raises SystemExit with 9 for a line that nobody knows."""
    lines: dict[str, int] = {}
    for number, text in enumerate(path.read_text().splitlines(), 1):
        if text.startswith("#"):
            continue
        found = LINE.match(text)
        if not found:
            sys.exit(9)
        _, desk, who, what = found.groups()
        known = what.startswith(KNOWN) or what.endswith(" done")
        if who == "tinshelf" and not known:
            print(f"line {number}: {what!r} is not known, calling {DUTY}")
            sys.exit(9)
        lines[desk] = lines.get(desk, 0) + 1
        if lines[desk] > MOST_LINES_A_DESK:
            print(f"{desk}: more than {MOST_LINES_A_DESK} lines, calling {DUTY}")
            sys.exit(9)
    return lines


if __name__ == "__main__":
    for desk, count in read(Path(sys.argv[1])).items():
        print(f"{desk}: {count} lines")
