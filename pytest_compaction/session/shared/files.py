"""What the workers of a run share while models are asked: slots for requests, and what is dealt."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_compaction.run.loops.slots import PIPE, SharedSlots, SlotPool, can_share
from pytest_compaction.scratch import Scratch
from pytest_compaction.session.shared.dealt_items import Dealer, DealtItems, path_for
from pytest_compaction.session.shared.stop_signal import StopSignal


@dataclass(frozen=True, slots=True)
class SharedFiles:
    """A folder of a run with several workers; for the controlling process.

    ``pool`` holds ``count`` slots, in which the workers share the requests in flight. Without
    one, on a system without named pipes, each worker has ``share`` slots of its own, and
    without ``signal`` workers do what they were sent before they stop.
    """

    scratch: Scratch
    count: int
    workers: int
    pool: SlotPool | None
    signal: StopSignal | None

    @classmethod
    def make(cls, count: int, workers: int, at_work: int | None = None) -> SharedFiles:
        """Make the folder and what is in it. Of the workers only ``at_work`` ask at a time, if so.

        Slots in a pipe are right for any number of them, slots of their own for all alone.
        """
        scratch = Scratch()
        if not can_share():
            return cls(scratch, count, workers, None, None)
        pool, signal = SlotPool(scratch.path, count), StopSignal(scratch.path)
        return cls(scratch, count, min(workers, at_work or workers), pool, signal)

    @property
    def folder(self) -> Path:
        """The folder that the workers know."""
        return self.scratch.path

    @property
    def share(self) -> int:
        """How many requests of each worker may fly while all others want some too."""
        return max(1, -(-self.count // self.workers))

    def deal(self, worker: str, nodeids: Sequence[str]) -> None:
        """Tell a worker which items it will be sent."""
        Dealer(self.folder).deal(worker, nodeids)

    def as_input(self) -> dict[str, Any]:
        """What a worker needs to know."""
        return {"folder": str(self.folder), "count": self.count, "workers": self.workers}

    def restore(self, worker: str) -> None:
        """Give back the slots that a worker held when it ended, unless all are to stop."""
        if self.pool is not None and not (self.signal is not None and self.signal.given):
            self.pool.restore(worker)

    def stop(self) -> None:
        """Tell all workers to stop. May be called again."""
        if self.signal is not None:
            self.signal.give()

    def close(self) -> None:
        """Remove the folder."""
        self.stop()
        if self.pool is not None:
            self.pool.close()
        self.scratch.close()


@dataclass(frozen=True, slots=True)
class WorkerShare:
    """The same for a worker: its name, and what its controller told it."""

    name: str
    folder: Path
    count: int
    workers: int

    @classmethod
    def from_input(cls, told: Mapping[str, Any] | None) -> WorkerShare | None:
        """The share of this process; ``None`` for one that shares nothing."""
        name = os.environ.get("PYTEST_XDIST_WORKER")
        if told is None or name is None:
            return None
        return cls(name, Path(told["folder"]), int(told["count"]), int(told["workers"]))

    def slots(self) -> SharedSlots | int:
        """The slots that all workers share, or how many of its own this one has."""
        pipe = self.folder / PIPE
        if not pipe.exists():
            return max(1, self.count // self.workers)
        return SharedSlots(pipe, self.name, self.count, self.workers)

    @property
    def dealt(self) -> DealtItems:
        """The items that were dealt to this worker."""
        return DealtItems(path_for(self.folder, self.name))
