"""A load played against an in-memory queue with a manual clock, one second a round."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from porterq.clock import ManualClock
from porterq.config import Settings
from porterq.handlers import Registry
from porterq.model import Event
from porterq.queue import JobQueue
from porterq.store import LeaseStore
from porterq.worker import Worker


@dataclass
class Report:
    """What came out of a rehearsal."""

    jobs: int
    seconds: int = 0
    runs: int = 0
    twice: list[int] = field(default_factory=list)
    lost: int = 0
    requeued: int = 0
    claim_writes: int = 0
    heartbeat_writes: int = 0
    events: list[Event] = field(default_factory=list)

    @property
    def clean(self) -> bool:
        return not self.twice and not self.lost

    def lines(self) -> list[str]:
        twice = ", ".join(map(str, self.twice)) or "none"
        return [
            f"jobs {self.jobs}, runs {self.runs}, finished after {self.seconds} s",
            f"ran twice: {twice}",
            f"leases lost: {self.lost}, requeued: {self.requeued}",
            f"writes: claim {self.claim_writes}, heartbeat {self.heartbeat_writes}",
        ]


def rehearse(
    settings: Settings,
    jobs: int = 40,
    workers: int = 4,
    job_seconds: int = 6,
    stop_after: int = 3600,
) -> Report:
    """Put the jobs in, let the workers take turns second by second until all are done.

    A job takes ``job_seconds`` give or take one; every eleventh takes three times as long.
    """
    clock = ManualClock(start=0)
    store = LeaseStore(":memory:", clock)
    queue = JobQueue(store, settings)
    runs: Counter[int] = Counter()
    registry = Registry()

    @registry.on("rehearse")
    def job(payload: Any) -> Iterator[None]:
        n = payload["n"]
        runs[n] += 1
        length = job_seconds * 3 if n % 11 == 0 else job_seconds + n % 3 - 1
        for _ in range(length):
            yield

    for n in range(1, jobs + 1):
        queue.put("rehearse", {"n": n})
    crew = [Worker(queue, registry, f"w{n}") for n in range(1, workers + 1)]
    turns = [worker.steps() for worker in crew]
    report = Report(jobs)
    while queue.stats()["done"] < jobs and report.seconds < stop_after:
        for turn in turns:
            while next(turn) == "finished":
                pass
        clock.advance(1)
        report.seconds += 1
    for turn in turns:
        turn.close()
    report.runs = sum(runs.values())
    report.twice = sorted(n for n, count in runs.items() if count > 1)
    report.lost = sum(worker.metrics["lost"] for worker in crew)
    report.requeued = sum(worker.reaper.requeued for worker in crew)
    report.claim_writes = store.writes["claim"]
    report.heartbeat_writes = store.writes["heartbeat"]
    report.events = store.events()
    return report
