"""What travels between store, queue and worker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Lease:
    """The right of one worker to run one job until ``expires_at``."""

    job_id: int
    kind: str
    payload: Any
    token: str
    worker_id: str
    attempt: int
    expires_at: int


@dataclass(frozen=True)
class Event:
    """One line of a job's history."""

    at: int
    job_id: int
    worker_id: str
    what: str

    def __str__(self) -> str:
        return f"t={self.at:<5d} job {self.job_id:<3d} {self.worker_id:<8s} {self.what}"
