"""How a command tells the user what went wrong."""

from __future__ import annotations

import sys

from pytest_compaction.text import printable


def complain(text: str) -> None:
    """Write one line to the error stream, safe on a terminal."""
    print(f"pytest-compaction: {printable(text)}", file=sys.stderr)
