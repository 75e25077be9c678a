"""What a run pays, shared by all its processes: one small SQLite file.

Every call is entered before it is made and settled when its reply has come, each in
one transaction. So the sum never passes a limit, whichever worker asks first. A process
that is killed leaves its calls in flight entered at the most that they can have cost.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
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
_ENTER: Final = "insert into calls (id, owner, role, model, state, usd) values (?, ?, ?, ?, ?, ?)"
_STOPPED: Final = "stopped"
"""The note that the limit was reached, so that every process knows it."""
_BUSY_S: Final = 60.0
"""How long a transaction waits while other processes write; they take milliseconds each."""
_WAIT_S: Final = 0.02
_LONGEST_WAIT_S: Final = 0.5
"""Waits between looks at the file double up to the longest: the file announces nothing."""
T = TypeVar("T")
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

    def enter(self, role: str, model: str) -> int:
        """Enter a call before it is made, where no limit is to be kept; its number."""
        number = self._number()
        with self._connection() as db:
            db.execute(_ENTER, (number, _owner(), role, model, "in flight", None))
        return number

    def _number(self) -> int:
        """A number for a call, which no other process of the run gives to one."""
        return next(self._numbers)

    def reserve(self, role: str, model: str, usd: float | None, limit: float | None) -> int | None:
        """Enter a call that can cost up to ``usd``; its number, or ``None`` if it must wait.

        It must wait while it and the calls in flight together could pass the limit (US
        dollars). Raises :class:`LimitReachedError` if none is in flight that could
        still turn out cheaper, and from then on for every call.
        """
        with self._connection() as db:
            db.execute("begin immediate")
            try:
                if limit is not None:
                    verdict = self._room(db, usd or 0.0, limit)
                    if verdict is not None:
                        db.execute("commit")
                        if verdict == _STOPPED:
                            raise LimitReachedError(limit, self.spent())
                        return None
                number = self._number()
                db.execute(_ENTER, (number, _owner(), role, model, "in flight", usd))
                db.execute("commit")
            except sqlite3.Error:
                db.execute("rollback")
                raise
            return number

    def _room(self, db: sqlite3.Connection, usd: float, limit: float) -> str | None:
        """``None`` if a call fits, ``wait`` if it might, ``stopped`` if it cannot."""
        if db.execute("select 1 from notes where text = ?", (_STOPPED,)).fetchone():
            return _STOPPED
        (total, flying) = db.execute(
            "select coalesce(sum(usd), 0), coalesce(sum(state = 'in flight'), 0) from calls"
        ).fetchone()
        if total + usd <= limit:
            return None
        if flying:
            return "wait"
        db.execute("insert or ignore into notes values (?)", (_STOPPED,))
        return _STOPPED

    def settle(self, number: int, usage: Usage, usd: float | None) -> None:
        """Book what a call did cost; ``None`` keeps the most that it could have cost."""
        with self._connection() as db:
            db.execute(
                "update calls set state = 'paid', usd = coalesce(?, usd), calls = ?, input = ?, "
                "cached = ?, output = ? where id = ?",
                (
                    usd,
                    usage.calls,
                    usage.input_tokens,
                    usage.cached_tokens,
                    usage.output_tokens,
                    number,
                ),
            )

    def release(self, number: int) -> None:
        """Remove a call that was refused or never sent, for which endpoints charge nothing."""
        with self._connection() as db:
            db.execute("delete from calls where id = ?", (number,))

    def stored(self, role: str, model: str) -> None:
        """Count a call that the store answered."""
        with self._connection() as db:
            db.execute(_ENTER, (self._number(), _owner(), role, model, "stored", None))

    def book(self, paid: Iterable[Total], stored: Iterable[tuple[str, str]]) -> None:
        """Enter what another machine paid for this run, and role and model of stored calls."""
        rows = [
            (
                self._number(),
                _owner(),
                total.role,
                total.model,
                total.usd,
                total.paid.calls,
                total.paid.input_tokens,
                total.paid.cached_tokens,
                total.paid.output_tokens,
            )
            for total in paid
        ]
        with self._connection() as db:
            db.executemany(
                "insert into calls "
                "(id, owner, role, model, state, usd, calls, input, cached, output) "
                "values (?, ?, ?, ?, 'paid', ?, ?, ?, ?, ?)",
                rows,
            )
            db.executemany(
                _ENTER,
                [(self._number(), _owner(), role, model, "stored", None) for role, model in stored],
            )

    def claim(self, digest: str) -> Claim | None:
        """Whether this process is to make a call: no two make the same call at a time.

        ``None`` if it must wait because another process is making it.
        """
        with self._connection() as db:
            owner = _owner()
            db.execute(
                "insert or ignore into claims (digest, owner) values (?, ?)", (digest, owner)
            )
            found = db.execute(
                "select owner, kept from claims where digest = ?", (digest,)
            ).fetchone()
        if found is None or (found[0] != owner and not found[1]):
            return None
        return "kept" if found[1] else "ours"

    def unclaim(self, digest: str, kept: bool) -> None:
        """End a claim of this process: the reply is in the store, or another process may try."""
        mine = (digest, _owner())
        with self._connection() as db:
            if kept:
                db.execute("update claims set kept = 1 where digest = ? and owner = ?", mine)
            else:
                db.execute("delete from claims where digest = ? and owner = ?", mine)

    def write_off(self, owner: str) -> None:
        """Book the calls in flight of a dead process as paid, at the most they could cost.

        Other processes may make the calls that it had claimed.
        """
        with self._connection() as db:
            db.execute("delete from claims where owner = ? and not kept", (owner,))
            db.execute(
                "update calls set state = 'paid', calls = 1 "
                "where state = 'in flight' and owner = ?",
                (owner,),
            )

    def note(self, text: str) -> None:
        """Keep a sentence for the end of the run, once."""
        with self._connection() as db:
            db.execute("insert or ignore into notes values (?)", (text,))

    @property
    def notes(self) -> list[str]:
        """The sentences kept, sorted."""
        with self._connection() as db:
            rows = db.execute("select text from notes where text != ?", (_STOPPED,))
            return sorted(str(row[0]) for row in rows)

    @property
    def limit_reached(self) -> bool:
        """Whether a call was refused because of the limit."""
        with self._connection() as db:
            found = db.execute("select 1 from notes where text = ?", (_STOPPED,)).fetchone()
            return found is not None

    def spent(self) -> float:
        """US dollars for all calls that have a price; those in flight count at their most."""
        with self._connection() as db:
            row = db.execute("select coalesce(sum(usd), 0) from calls").fetchone()
            return float(row[0])

    def totals(self) -> list[Total]:
        """What was paid for and what the store answered, by role and model."""
        with self._connection() as db:
            rows = db.execute(
                "select role, model, sum(calls), sum(input), sum(cached), sum(output), sum(usd), "
                "sum(state = 'stored'), sum(state != 'stored' and usd is null) "
                "from calls group by role, model order by role, model"
            ).fetchall()
        return [_total(row) for row in rows]


class LimitReachedError(Exception):
    """The limit of a run would be passed. Both figures are in US dollars."""

    def __init__(self, limit: float, spent: float) -> None:
        super().__init__(f"{spent:.4f} of {limit:g} US dollars are spent")
        self.limit = limit
        self.spent = spent


def _owner(environment: Mapping[str, str] | None = None) -> str:
    return (environment or os.environ).get("PYTEST_XDIST_WORKER", "main")


def _total(row: tuple[Any, ...]) -> Total:
    role, model, calls, read, cached, written, usd, stored, unpriced = row
    paid = Usage(calls, read, cached, written)
    return Total(role, model, paid, None if unpriced or usd is None else float(usd), stored)


async def repeated(transaction: Callable[[], T | None]) -> T:
    """Do a transaction, again after each wait, until its result is not ``None``."""
    wait = _WAIT_S
    while (result := transaction()) is None:
        await asyncio.sleep(wait)
        wait = min(2 * wait, _LONGEST_WAIT_S)
    return result
