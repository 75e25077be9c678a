"""Repairs the hour before summer time in a raw file: shift_hour.py FILE DATE

The fold loses the hour from 01:00 to 01:59 (local time) on the day on which summer
time begins. This rewrites the stamps of that hour to 02:xx, where nothing is, and
then the day has 24 hours again. Run it once, commit the file, publish the day.
"""

from __future__ import annotations

import sys
from pathlib import Path


def shift(text: str, day: str) -> tuple[str, int]:
    """The text with the stamps of the hour moved, and how many there were."""
    lines = []
    moved = 0
    for line in text.splitlines():
        if line.startswith(f"{day} 01:"):
            line = line.replace(f"{day} 01:", f"{day} 02:", 1)
            moved += 1
        lines.append(line)
    return "\n".join(lines) + "\n", moved


def main(path: str, day: str) -> int:
    """Rewrite a file. Returns 1 when there is nothing to move."""
    file = Path(path)
    text, moved = shift(file.read_text(encoding="utf-8"), day)
    if not moved:
        print(f"shift_hour: no stamp of {day} 01:xx in {path}", file=sys.stderr)
        return 1
    file.write_text(text, encoding="utf-8")
    print(f"moved {moved} stamps in {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
