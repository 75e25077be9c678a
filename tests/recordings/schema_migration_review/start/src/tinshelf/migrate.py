"""Brings the file of a branch up to the latest schema."""

from __future__ import annotations

import importlib
import pkgutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from tinshelf import migrations
from tinshelf.backup import back_up
from tinshelf.errors import FileError
from tinshelf.schema import LATEST

LOCK_WAIT_MS = 2000
"""How long a migration waits for somebody else's lock."""


@dataclass(frozen=True)
class Migration:
    """One step: brings a file from ``version - 1`` to ``version``."""

    version: int
    name: str
    up: str


def known() -> list[Migration]:
    """All steps, by version."""
    found = []
    for info in pkgutil.iter_modules(migrations.__path__):
        module = importlib.import_module(f"{migrations.__name__}.{info.name}")
        found.append(Migration(module.VERSION, info.name, module.UP))
    return sorted(found, key=lambda migration: migration.version)


def connect(path: Path | str) -> sqlite3.Connection:
    """A bare connection, without row factory and without foreign keys."""
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA busy_timeout = {LOCK_WAIT_MS}")
    return connection


def version_of(connection: sqlite3.Connection) -> int:
    """The schema that a file has."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(path: Path, say: Callable[[str], object] = print) -> int:
    """Bring a file up and return its version.

    A backup is made first, when there is anything to do. Raises FileError with M10 for a
    file that is newer than the program and with M12 when a step fails.
    """
    with closing(connect(path)) as connection:
        version = version_of(connection)
        if version > LATEST:
            raise FileError("M10", f"schema {version}, the program knows {LATEST}")
        steps = [step for step in known() if step.version > version]
        if steps:
            say(f"backup {back_up(path, version).name}")
        for step in steps:
            _apply(connection, step)
            say(f"{step.name} done")
        return version_of(connection)


def _apply(connection: sqlite3.Connection, step: Migration) -> None:
    try:
        connection.executescript(step.up)
        connection.execute(f"PRAGMA user_version = {step.version}")
        connection.commit()
    except sqlite3.Error as error:
        connection.rollback()
        raise FileError("M12", f"{step.name}: {error}") from error
