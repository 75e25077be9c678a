"""Mails the harbour offices what the night said. Reads the lines of scripts/nightly.py."""

import sys

FIELDS = 6
OFFICES = 14
NAMES = {"desk": "almanac desk", "posix": "harbour offices", "lean": "handhelds"}


def parse(line: str) -> tuple[str, str, str, int, int]:
    """Row, suite, status, code and attempts. Ends the job with 3 when there are other fields."""
    parts = line.rstrip("\n").split("|")
    if len(parts) != FIELDS or parts[0] != "CELL" or parts[1] not in NAMES:
        print(f"mail_job: {len(parts)} fields in {line!r}, expected {FIELDS}", file=sys.stderr)
        sys.exit(3)
    _, row, suite, status, code, attempts = parts
    return row, suite, status, int(code), int(attempts)


def main() -> int:
    """Print the mail. Returns 0, or 4 when there is nothing to say."""
    cells = [parse(line) for line in sys.stdin if line.startswith("CELL")]
    if not cells:
        return 4
    bad = [cell for cell in cells if cell[2] != "passed"]
    print(f"To: {OFFICES} offices")
    print(f"Subject: tidebook night, {len(bad)} of {len(cells)} cells not passed")
    for row, suite, status, code, attempts in bad:
        print(f"  {NAMES[row]}, {suite}: {status} with {code} after {attempts}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
