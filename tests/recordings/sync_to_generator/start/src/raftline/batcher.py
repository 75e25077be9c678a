"""Groups records for one frame."""

from __future__ import annotations

from collections.abc import Callable

from raftline.records import Record


class Batcher:
    """Collects records up to a number or a size in bytes, whichever comes first."""

    def __init__(
        self,
        records: int,
        size: int,
        on_batch: Callable[[list[Record]], None],
        on_end: Callable[[], None],
    ) -> None:
        self.records = records
        self.size = size
        self.on_batch = on_batch
        self.on_end = on_end
        self.batch: list[Record] = []
        self.bytes = 0

    def feed(self, record: Record) -> None:
        """Add a record; pass on the batch when it is full."""
        length = len(record.packed().encode()) + 1
        if self.batch and (len(self.batch) >= self.records or self.bytes + length > self.size):
            self._flush()
        self.batch.append(record)
        self.bytes += length

    def end(self) -> None:
        """Pass on what is left."""
        if self.batch:
            self._flush()
        self.on_end()

    def _flush(self) -> None:
        batch, self.batch, self.bytes = self.batch, [], 0
        self.on_batch(batch)
