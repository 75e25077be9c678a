"""Prints the test files in an order that depends on a seed: ``order.py SEED FOLDER``."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path


def ordered(seed: str, names: list[str]) -> list[str]:
    """The names sorted by a hash of seed and name; the same everywhere."""
    return sorted(names, key=lambda name: hashlib.sha256(f"{seed}:{name}".encode()).hexdigest())


def main(seed: str, folder: str) -> None:
    """Print one path a line."""
    names = [path.as_posix() for path in Path(folder).glob("test_*.py")]
    print("\n".join(ordered(seed, names)))


if __name__ == "__main__":
    main(*sys.argv[1:])
