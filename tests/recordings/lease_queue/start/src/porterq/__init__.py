"""porterq: leased jobs on SQLite."""

from porterq.config import Settings, load_settings
from porterq.errors import LeaseLost, PorterError, StoreBusy
from porterq.handlers import Registry
from porterq.model import Lease
from porterq.queue import JobQueue
from porterq.worker import Worker

__all__ = [
    "JobQueue",
    "Lease",
    "LeaseLost",
    "PorterError",
    "Registry",
    "Settings",
    "StoreBusy",
    "Worker",
    "load_settings",
]
