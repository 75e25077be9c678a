"""Says where a record comes from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from raftline.records import Record


class Enricher:
    """Adds vessel, route and a sequence number that counts within one spool file."""

    def __init__(
        self,
        vessel: str,
        route: str,
        on_record: Callable[[Record], None],
        on_end: Callable[[], None],
    ) -> None:
        self.vessel = vessel
        self.route = route
        self.on_record = on_record
        self.on_end = on_end
        self.sequence = 0

    def feed(self, record: Record) -> None:
        """Pass on the record with its origin."""
        self.sequence += 1
        self.on_record(
            replace(record, vessel=self.vessel, route=self.route, sequence=self.sequence)
        )

    def end(self) -> None:
        """No more records in this file."""
        self.on_end()
