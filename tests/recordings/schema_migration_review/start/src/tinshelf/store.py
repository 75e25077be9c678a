"""Opens the file of a branch."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tinshelf.errors import FileError
from tinshelf.schema import FRESH, LATEST


class Store:
    """A connection to a file of the latest schema.

    Foreign keys are enforced. Changes are made within ``with store.change() as
    connection``: all of them are kept, or none.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.connection.row_factory = sqlite3.Row
        self.connection.execute("PRAGMA foreign_keys = ON")

    @classmethod
    def open(cls, path: Path | str) -> Store:
        """Open a file, or make a new one.

        Raises FileError with M10 or M11 when the file has another schema.
        """
        connection = sqlite3.connect(path)
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version == 0 and not _tables(connection):
            connection.executescript(FRESH)
            connection.execute(f"PRAGMA user_version = {LATEST}")
            connection.commit()
        elif version > LATEST:
            connection.close()
            raise FileError("M10", f"schema {version}, the program knows {LATEST}")
        elif version < LATEST:
            connection.close()
            raise FileError("M11", f"schema {version}, the program needs {LATEST}")
        return cls(connection)

    @contextmanager
    def change(self) -> Iterator[sqlite3.Connection]:
        """A transaction."""
        with self.connection:
            yield self.connection

    def rows(self, query: str, *values: object) -> list[sqlite3.Row]:
        """All rows of a query."""
        return self.connection.execute(query, values).fetchall()

    def one(self, query: str, *values: object) -> sqlite3.Row | None:
        """The first row of a query, if there is one."""
        row: sqlite3.Row | None = self.connection.execute(query, values).fetchone()
        return row

    def count(self, table: str, where: str = "1") -> int:
        """How many rows a table has."""
        return int(self.rows(f"SELECT count(*) FROM {table} WHERE {where}")[0][0])

    def close(self) -> None:
        """Close the file."""
        self.connection.close()


def _tables(connection: sqlite3.Connection) -> list[str]:
    rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    return [name for (name,) in rows]
