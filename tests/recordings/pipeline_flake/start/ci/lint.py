"""A few rules for the sources; no tool to install on the build box."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

MAX_LENGTH = 100


def faults(path: Path) -> Iterator[str]:
    """Everything wrong with one file."""
    text = path.read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), start=1):
        if len(line) > MAX_LENGTH:
            yield f"{path}:{number}: line of {len(line)} characters"
        if line != line.rstrip():
            yield f"{path}:{number}: white space at the end"
        if "\t" in line:
            yield f"{path}:{number}: tab"
    if path.suffix == ".py":
        tree = ast.parse(text)
        if ast.get_docstring(tree) is None:
            yield f"{path}:1: no docstring"


def main(folders: list[str]) -> int:
    """Check all Python and shell files. Returns the number of faults, at most 1."""
    found = [
        fault
        for folder in folders
        for path in sorted(Path(folder).rglob("*"))
        if path.suffix in {".py", ".sh"}
        for fault in faults(path)
    ]
    print("\n".join(found) or "lint: no faults")
    return min(len(found), 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
