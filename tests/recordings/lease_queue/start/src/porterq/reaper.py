"""Brings back the jobs of workers that died or fell asleep."""

from __future__ import annotations

import logging

from porterq.store import LeaseStore

log = logging.getLogger("porterq.reaper")


class Reaper:
    """Requeues expired leases; every worker sweeps before it leases a batch."""

    def __init__(self, store: LeaseStore, every: float = 1.0) -> None:
        self._store = store
        self._every = every
        self._next = 0.0
        self.requeued = 0

    def sweep(self) -> list[int]:
        """Requeue what has expired, at most once per ``every`` seconds."""
        now = self._store.clock.now()
        if now < self._next:
            return []
        self._next = now + self._every
        ids = self._store.requeue_expired()
        if ids:
            log.warning("requeued %d expired leases: %s", len(ids), ids)
        self.requeued += len(ids)
        return ids
