"""The worker: leases a batch, runs it job by job, keeps its leases alive meanwhile."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Iterator
from typing import Literal

from porterq.config import Settings
from porterq.errors import LeaseLost
from porterq.handlers import Registry
from porterq.metrics import Metrics
from porterq.model import Lease
from porterq.queue import JobQueue
from porterq.reaper import Reaper
from porterq.throttle import TickGate

log = logging.getLogger("porterq.worker")

Step = Literal["idle", "working", "finished"]


class Worker:
    """Single-threaded. ``steps`` yields at every safe point, so that a caller may stop there.

    The jobs of a batch run in the order in which they were leased. ``held`` are the
    leases of the batch that have not ended yet, the running one first.
    """

    def __init__(
        self,
        queue: JobQueue,
        handlers: Registry,
        worker_id: str,
        settings: Settings | None = None,
    ) -> None:
        self.queue = queue
        self.handlers = handlers
        self.worker_id = worker_id
        self.settings = settings or queue.settings
        self.metrics = Metrics()
        self.reaper = Reaper(queue.store)
        self.held: list[Lease] = []
        self._gate = TickGate(queue.store.clock, self.settings.renew_every)

    # -- running ---------------------------------------------------------------

    def run_until_idle(self) -> Metrics:
        """Run jobs until none is ready."""
        for step in self.steps():
            if step == "idle":
                break
        return self.metrics

    def steps(self) -> Iterator[Step]:
        """Run for ever; yields after each safe point, each job and each empty poll."""
        while True:
            self.reaper.sweep()
            batch = self.queue.lease(self.worker_id, self.settings.batch_size)
            if not batch:
                yield "idle"
                continue
            self.metrics.add("leased", len(batch))
            self.held = list(batch)
            for lease in batch:
                yield from self._run(lease)

    def _run(self, lease: Lease) -> Iterator[Step]:
        self.metrics.add("started")
        self.queue.store.note(lease, "started")
        try:
            work = self.handlers.find(lease.kind)(lease.payload)
            if inspect.isgenerator(work):
                for _ in work:
                    self._beat()
                    yield "working"
            self.queue.ack(lease)
            self.metrics.add("done")
        except LeaseLost as error:
            self._lost(lease, error)
        except Exception as error:
            self._failed(lease, error)
        finally:
            self._drop(lease)
        yield "finished"

    # -- leases ----------------------------------------------------------------

    def _beat(self) -> None:
        """Renew what is held; called at every safe point."""
        for lease in self.held:
            if self._gate.ready(lease.token):
                self.queue.extend(lease)

    def _drop(self, lease: Lease) -> None:
        self.held = [other for other in self.held if other.token != lease.token]
        self._gate.forget(lease.token)

    # -- what went wrong -------------------------------------------------------

    def _lost(self, lease: Lease, error: LeaseLost) -> None:
        self.metrics.add("lost")
        log.error("worker %s: %s", self.worker_id, error)

    def _failed(self, lease: Lease, error: Exception) -> None:
        self.metrics.add("failed")
        try:
            again = self.queue.nack(lease, f"{type(error).__name__}: {error}")
        except LeaseLost as lost:
            self._lost(lease, lost)
            return
        log.warning(
            "worker %s: job %d failed (%s), %s",
            self.worker_id,
            lease.job_id,
            error,
            "will retry" if again else "buried",
        )
