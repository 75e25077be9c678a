"""The costs of a run, shared by all its processes: one small SQLite file.

Every call is entered before it is made and settled when its reply has come, each in
one transaction. So the sum never passes a limit, whichever worker asks first. A process
that is killed leaves its calls in flight entered at the most that they can have cost.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

from pytest_compaction.models.usage import Usage

_SCHEMA: Final = """
create table if not exists calls (
    id integer primary key, owner text not null, role text not null, model text not null,
    state text not null, usd real, calls integer not null default 0,
    input integer not null default 0, cached integer not null default 0,
    output integer not null default 0
);
create table if not exists notes (text text primary key);
create table if not exists claims (
    digest text primary key, owner text not null, kept integer not null default 0
);
"""
_ENTER: Final = "insert into calls values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_STOPPED: Final = "stopped"
"""The note that the limit was reached, so that every process knows it."""
_CHECK: Final = "check of "
"""How the note with what the check of an endpoint found begins."""
_COUNT: Final = """
select coalesce(sum(case when state = 'paid' and role != 'check' then calls else 0 end), 0),
       coalesce(sum(state = 'stored' and role != 'check'), 0),
       coalesce(sum(case when state = 'paid' then usd end), 0),
       coalesce(sum(state = 'paid' and calls > 0 and usd is null), 0)
from calls
"""
_BUSY_S: Final = 60.0
"""How long a transaction waits while other processes write; they take milliseconds each."""
_BUSY_READING_S: Final = 1.0
_WAIT_S: Final = 0.02
_LONGEST_WAIT_S: Final = 0.5
"""Waits between looks at the file double up to the longest: the file announces nothing."""
_T = TypeVar("_T")
Claim = Literal["ours", "kept"]
"""A call is to be made here, or was made in this run and is stored."""


@dataclass(frozen=True, slots=True)
class Total:
    """Calls of one role to one model: what was paid for, and how many the store answered.

    ``usd`` (US dollars) is ``None`` if a paid call has no price.
    """

    role: str
    model: str
    paid: Usage
    usd: float | None
    stored: int


@dataclass(frozen=True, slots=True)
class CallCounts:
    """Calls that were answered, over all processes of a run; those that check are not counted.

    ``made`` were answered by an endpoint, ``stored`` by the store. ``usd`` (US dollars) is
    ``None`` if a call that was made has no price.
    """

    made: int = 0
    stored: int = 0
    usd: float | None = 0.0

    @property
    def done(self) -> int:
        """All calls that were answered."""
        return self.made + self.stored


def call_counts(accounts: Path) -> CallCounts:
    """The calls in a file of accounts, read while they are written. Keeps no writer waiting.

    Raises :class:`sqlite3.Error` if the file cannot be read.
    """
    address = f"{accounts.absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(address, uri=True, timeout=_BUSY_READING_S)) as db:
        made, stored, usd, unpriced = db.execute(_COUNT).fetchone()
    return CallCounts(made, stored, None if unpriced else float(usd))


class Accounts:
    """The accounts of one run. Every method is one transaction; any process or thread may call it.

    A transaction takes less than a millisecond. One that fails raises :class:`sqlite3.Error`.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._numbers = count(int.from_bytes(os.urandom(5)) << 20)
        self._lock = threading.RLock()
        self._opened: sqlite3.Connection | None = None
        with self._connection() as db:
            # Readers then never wait for a writer, and a transaction writes one file once.
            db.execute("pragma journal_mode = wal")
            db.executescript(_SCHEMA)

    def close(self) -> None:
        """Close the file. A later transaction opens it again."""
        with self._lock:
            if self._opened is not None:
                self._opened.close()
                self._opened = None

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            if self._opened is None:
                self._opened = sqlite3.connect(
                    self.path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False
                )
                # The file outlives killed processes but not the machine: no sync of the disk.
                self._opened.execute("pragma synchronous = off")
            yield self._opened

    def _do(self, statement: str, *values: Any) -> list[Any]:
        with self._connection() as db:
            return db.execute(statement, values).fetchall()

    def enter(self, role: str, model: str) -> int:
        """Enter a call before it is made, where no limit is to be kept; its number."""
        row = self._row(role, model, "in flight")
        self._do(_ENTER, *row)
        return int(row[0])

    def _row(
        self, role: str, model: str, state: str, usd: float | None = None, paid: Usage = Usage()
    ) -> tuple[Any, ...]:
        """A row for a call; its number is given to no other call by any process of the run."""
        tokens = paid.input_tokens, paid.cached_tokens, paid.output_tokens
        return next(self._numbers), _owner(), role, model, state, usd, paid.calls, *tokens

    def reserve(self, role: str, model: str, usd: float | None, limit: float | None) -> int | None:
        """Enter a call that can cost up to ``usd``; its number, or ``None`` if it must wait.

        It must wait while it and the calls in flight together could pass the limit (US
        dollars). Raises :class:`LimitReachedError` if none is in flight that could
        still turn out cheaper, and from then on for every call.
        """
        row = self._row(role, model, "in flight", usd)
        with self._connection() as db:
            db.execute("begin immediate")
            try:
                stopped, full, flying = limit is not None and self.limit_reached, False, 0
                if limit is not None and not stopped:
                    total, flying = db.execute(
                        "select coalesce(sum(usd), 0), coalesce(sum(state = 'in flight'), 0) "
                        "from calls"
                    ).fetchone()
                    full = total + (usd or 0.0) > limit
                if full and not flying:
                    stopped = True
                    db.execute("insert or ignore into notes values (?)", (_STOPPED,))
                if not full and not stopped:
                    db.execute(_ENTER, row)
                db.execute("commit")
            except sqlite3.Error:
                db.execute("rollback")
                raise
        if limit is not None and stopped:
            raise LimitReachedError(limit, self.spent())
        return None if full else int(row[0])

    def settle(self, number: int, usage: Usage, usd: float | None) -> None:
        """Book what a call did cost; ``None`` keeps the most that it could have cost."""
        tokens = usage.input_tokens, usage.cached_tokens, usage.output_tokens
        self._do(
            "update calls set state = 'paid', usd = coalesce(?, usd), calls = ?, input = ?, "
            "cached = ?, output = ? where id = ?",
            *(usd, usage.calls, *tokens, number),
        )

    def release(self, number: int) -> None:
        """Remove a call that was refused or never sent, for which endpoints charge nothing."""
        self._do("delete from calls where id = ?", number)

    def stored(self, role: str, model: str) -> None:
        """Count a call that the store answered."""
        self.book((), [(role, model)])

    def book(self, paid: Iterable[Total], stored: Iterable[tuple[str, str]]) -> None:
        """Enter what another machine paid for this run, and role and model of stored calls."""
        rows = [self._row(each.role, each.model, "paid", each.usd, each.paid) for each in paid]
        rows += [self._row(role, model, "stored") for role, model in stored]
        with self._connection() as db:
            db.executemany(_ENTER, rows)

    def claim(self, digest: str) -> Claim | None:
        """Whether this process is to make a call: no two make the same call at a time.

        ``None`` if it must wait because another process is making it.
        """
        with self._connection():
            self._do("insert or ignore into claims (digest, owner) values (?, ?)", digest, _owner())
            found = self._do("select owner, kept from claims where digest = ?", digest)
        if found and found[0][1]:
            return "kept"
        return "ours" if found and found[0][0] == _owner() else None

    def unclaim(self, digest: str, kept: bool) -> None:
        """End a claim of this process: the reply is in the store, or another process may try."""
        end = "update claims set kept = 1" if kept else "delete from claims"
        self._do(f"{end} where digest = ? and owner = ?", digest, _owner())

    def write_off(self, owner: str) -> None:
        """Book the calls in flight of a dead process as paid, at the most they could cost.

        Other processes may make the calls that it had claimed.
        """
        self._do("delete from claims where owner = ? and not kept", owner)
        self._do(
            "update calls set state = 'paid', calls = 1 where state = 'in flight' and owner = ?",
            owner,
        )

    def note(self, text: str) -> None:
        """Keep a sentence for the end of the run, once."""
        self._do("insert or ignore into notes values (?)", text)

    @property
    def notes(self) -> list[str]:
        """The sentences kept, sorted."""
        return [text for text in self._notes if text != _STOPPED and not text.startswith(_CHECK)]

    def note_check(self, text: str) -> None:
        """Keep the table of what the check of a model found."""
        self.note(f"{_CHECK}{text}")

    @property
    def checks(self) -> list[str]:
        """The tables of :meth:`note_check`, by model."""
        return [text.removeprefix(_CHECK) for text in self._notes if text.startswith(_CHECK)]

    @property
    def _notes(self) -> list[str]:
        return sorted(text for (text,) in self._do("select text from notes"))

    @property
    def limit_reached(self) -> bool:
        """Whether a call was refused because of the limit."""
        return bool(self._do("select 1 from notes where text = ?", _STOPPED))

    def spent(self) -> float:
        """US dollars for all calls that have a price; those in flight count at their most."""
        return float(self._do("select coalesce(sum(usd), 0) from calls")[0][0])

    def totals(self) -> list[Total]:
        """Calls paid for, and calls that the store answered, by role and model."""
        rows = self._do(
            "select role, model, sum(calls), sum(input), sum(cached), sum(output), sum(usd), "
            "sum(state = 'stored'), sum(state != 'stored' and usd is null) "
            "from calls group by role, model order by role, model"
        )
        return [
            Total(role, model, Usage(*tokens), None if unpriced else usd, stored)
            for role, model, *tokens, usd, stored, unpriced in rows
        ]


class LimitReachedError(Exception):
    """The limit of a run would be passed. Both figures are in US dollars."""

    def __init__(self, limit: float, spent: float) -> None:
        super().__init__(f"{spent:.4f} of {limit:g} US dollars are spent")
        self.limit = limit
        self.spent = spent


def _owner() -> str:
    return os.environ.get("PYTEST_XDIST_WORKER", "main")


async def repeated(transaction: Callable[[], _T | None]) -> _T:
    """Do a transaction, again after each wait, until its result is not ``None``."""
    wait = _WAIT_S
    while (result := transaction()) is None:
        await asyncio.sleep(wait)
        wait = min(2 * wait, _LONGEST_WAIT_S)
    return result
