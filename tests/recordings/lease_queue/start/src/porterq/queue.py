"""The public face of the queue. Services call this and nothing below it."""

from __future__ import annotations

from typing import Any

from porterq.backoff import delay_for
from porterq.config import Settings
from porterq.model import Lease
from porterq.serializers import encode
from porterq.store import LeaseStore


class JobQueue:
    """Put jobs in, lease them, end them."""

    def __init__(self, store: LeaseStore, settings: Settings | None = None) -> None:
        self.store = store
        self.settings = (settings or Settings()).checked()

    def put(self, kind: str, payload: Any = None, delay: float = 0) -> int:
        """Add a job; returns its id."""
        return self.store.insert(kind, encode(payload), delay)

    def lease(self, worker_id: str, limit: int = 1) -> list[Lease]:
        """Lease up to ``limit`` jobs for ``lease_seconds``."""
        if limit < 1:
            raise ValueError(f"limit must be positive, got {limit}")
        return self.store.claim(worker_id, limit, self.settings.lease_seconds)

    def extend(self, lease: Lease) -> int:
        """Heartbeat: keep one lease for another ``lease_seconds``."""
        return self.store.extend(lease, self.settings.lease_seconds)

    def ack(self, lease: Lease) -> None:
        """The job is done."""
        self.store.finish(lease)

    def nack(self, lease: Lease, reason: str) -> bool:
        """The job failed. Returns whether it will be tried again."""
        if lease.attempt >= self.settings.max_attempts:
            self.store.bury(lease, reason)
            return False
        delay = delay_for(lease.attempt, self.settings.backoff_base, self.settings.backoff_cap)
        self.store.release(lease, delay)
        return True

    def stats(self) -> dict[str, int]:
        """Number of jobs by state, zero for the states nothing is in."""
        return dict.fromkeys(("ready", "leased", "done", "dead"), 0) | self.store.counts()
