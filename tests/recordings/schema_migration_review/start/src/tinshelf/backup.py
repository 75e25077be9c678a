"""Copies of the file beside the file."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from tinshelf.errors import FileError


def back_up(path: Path, version: int) -> Path:
    """Copy a file to ``NAME.keep-VERSION`` and return the copy.

    The copy is made by SQLite, so that a change in another process is in it as a whole
    or not at all. An older copy of the same version is replaced.
    """
    target = path.with_name(f"{path.name}.keep-{version}")
    target.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(target)) as copy:
        source.backup(copy)
    return target


def restore(path: Path, version: int) -> Path:
    """Put the copy of a version back in place. Raises FileError with B50."""
    copy = path.with_name(f"{path.name}.keep-{version}")
    if not copy.exists():
        raise FileError("B50", f"{copy.name} does not exist")
    with closing(sqlite3.connect(copy)) as source, closing(sqlite3.connect(path)) as target:
        source.backup(target)
    return copy
