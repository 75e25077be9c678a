"""The lease store: every state change of a job is one SQLite transaction here."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from porterq.clock import Clock
from porterq.errors import LeaseLost, StoreBusy
from porterq.model import Event, Lease
from porterq.schema import migrate
from porterq.serializers import decode


class LeaseStore:
    """Jobs, their leases and their history in one SQLite file.

    ``writes`` counts write transactions by purpose; the rehearsal reports them.
    """

    def __init__(self, path: str, clock: Clock, busy_timeout_ms: int = 250) -> None:
        self.clock = clock
        self.writes: Counter[str] = Counter()
        self._db = sqlite3.connect(
            path, timeout=busy_timeout_ms / 1000, isolation_level=None
        )
        self._db.row_factory = sqlite3.Row
        migrate(self._db)

    def close(self) -> None:
        self._db.close()

    # -- writing ---------------------------------------------------------------

    def insert(self, kind: str, payload: str, delay: float = 0) -> int:
        """Add a ready job; returns its id."""
        with self._transaction("insert"):
            cursor = self._db.execute(
                "INSERT INTO jobs (kind, payload, available_at) VALUES (?, ?, ?)",
                (kind, payload, self._seconds(delay)),
            )
        return int(cursor.lastrowid or 0)

    def claim(self, worker_id: str, limit: int, lease_seconds: int) -> list[Lease]:
        """Lease up to ``limit`` ready jobs to a worker, oldest first."""
        expires_at = self._seconds(lease_seconds)
        leases: list[Lease] = []
        with self._transaction("claim"):
            rows = self._db.execute(
                "SELECT id, kind, payload, attempts FROM jobs"
                " WHERE state = 'ready' AND available_at <= ?"
                " ORDER BY available_at, id LIMIT ?",
                (self._seconds(), limit),
            ).fetchall()
            for row in rows:
                token = self._next_token(worker_id)
                self._db.execute(
                    "UPDATE jobs SET state = 'leased', token = ?, worker_id = ?,"
                    " expires_at = ?, attempts = attempts + 1 WHERE id = ?",
                    (token, worker_id, expires_at, row["id"]),
                )
                self._note(row["id"], worker_id, f"leased as {token}")
                leases.append(
                    Lease(
                        job_id=row["id"],
                        kind=row["kind"],
                        payload=decode(row["payload"]),
                        token=token,
                        worker_id=worker_id,
                        attempt=row["attempts"] + 1,
                        expires_at=expires_at,
                    )
                )
        return leases

    def extend(self, lease: Lease, lease_seconds: int) -> int:
        """Move the expiry of a lease that is still held; returns the new expiry."""
        expires_at = self._seconds(lease_seconds)
        with self._transaction("heartbeat"):
            changed = self._db.execute(
                "UPDATE jobs SET expires_at = ? WHERE token = ? AND state = 'leased'",
                (expires_at, lease.token),
            ).rowcount
        if not changed:
            raise LeaseLost(self._held_by(lease))
        return expires_at

    def finish(self, lease: Lease) -> None:
        """The job is done."""
        self._leave(lease, "done", "done")

    def release(self, lease: Lease, delay: float) -> None:
        """Back to ready, not before ``delay`` seconds from now."""
        self._leave(lease, "ready", f"released for {delay:g} s", delay)

    def bury(self, lease: Lease, reason: str) -> None:
        """No further attempts."""
        self._leave(lease, "dead", f"buried: {reason}")

    def requeue_expired(self) -> list[int]:
        """Put every job whose lease has expired back to ready; returns their ids."""
        now = self._seconds()
        if not self._db.execute(
            "SELECT 1 FROM jobs WHERE state = 'leased' AND expires_at <= ? LIMIT 1", (now,)
        ).fetchone():
            return []
        with self._transaction("requeue"):
            rows = self._db.execute(
                "SELECT id, worker_id FROM jobs WHERE state = 'leased' AND expires_at <= ?",
                (now,),
            ).fetchall()
            for row in rows:
                self._db.execute(
                    "UPDATE jobs SET state = 'ready', token = NULL, worker_id = NULL,"
                    " expires_at = NULL, available_at = ? WHERE id = ?",
                    (now, row["id"]),
                )
                self._note(row["id"], row["worker_id"], "lease expired, requeued")
        return [row["id"] for row in rows]

    def note(self, lease: Lease, what: str) -> None:
        """Add a line to the history of a job."""
        with self._transaction("note"):
            self._note(lease.job_id, lease.worker_id, what)

    # -- reading ---------------------------------------------------------------

    def counts(self) -> dict[str, int]:
        """Number of jobs by state."""
        rows = self._db.execute("SELECT state, COUNT(*) AS n FROM jobs GROUP BY state")
        return {row["state"]: row["n"] for row in rows}

    def events(self, job_id: int | None = None) -> list[Event]:
        """The history of one job, or of all."""
        where = "" if job_id is None else " WHERE job_id = ?"
        rows = self._db.execute(
            f"SELECT at, job_id, worker_id, what FROM events{where} ORDER BY id",
            () if job_id is None else (job_id,),
        )
        return [Event(**dict(row)) for row in rows]

    # -- inside ----------------------------------------------------------------

    def _leave(self, lease: Lease, state: str, what: str, delay: float = 0) -> None:
        with self._transaction(state):
            changed = self._db.execute(
                "UPDATE jobs SET state = ?, token = NULL, worker_id = NULL,"
                " expires_at = NULL, available_at = ? WHERE token = ?",
                (state, self._seconds(delay), lease.token),
            ).rowcount
            if changed:
                self._note(lease.job_id, lease.worker_id, what)
        if not changed:
            raise LeaseLost(self._held_by(lease))

    def _held_by(self, lease: Lease) -> str:
        row = self._db.execute(
            "SELECT state, token FROM jobs WHERE id = ?", (lease.job_id,)
        ).fetchone()
        holder = f"held as {row['token']}" if row["token"] else row["state"]
        return f"lease lost: job {lease.job_id} is {holder}, not {lease.token}"

    def _next_token(self, worker_id: str) -> str:
        self._db.execute(
            "INSERT INTO counters VALUES ('token', 1)"
            " ON CONFLICT (name) DO UPDATE SET value = value + 1"
        )
        (number,) = self._db.execute(
            "SELECT value FROM counters WHERE name = 'token'"
        ).fetchone()
        return f"{worker_id}-{number:04d}"

    def _note(self, job_id: int, worker_id: str, what: str) -> None:
        self._db.execute(
            "INSERT INTO events (at, job_id, worker_id, what) VALUES (?, ?, ?, ?)",
            (self._seconds(), job_id, worker_id, what),
        )

    def _seconds(self, ahead: float = 0) -> int:
        return int(self.clock.now() + ahead)

    @contextmanager
    def _transaction(self, purpose: str) -> Iterator[None]:
        try:
            self._db.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            raise StoreBusy(f"store busy during {purpose}: {error}") from error
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")
        self.writes[purpose] += 1
