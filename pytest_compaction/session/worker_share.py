"""Which items of a run each worker of pytest-xdist does, and how many requests it may have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


def dealt(units: Sequence[str | None], workers: int) -> list[list[int]]:
    """The numbers of the items of each worker that has any.

    ``units`` has the unit of each item; the items of one stay together. A unit goes to the worker
    with the fewest items so far. Items of no unit are dealt to nobody.
    """
    items: dict[str, list[int]] = {}
    for number, unit in enumerate(units):
        if unit is not None:
            items.setdefault(unit, []).append(number)
    shares: list[list[int]] = [[] for _ in range(workers)]
    for numbers in items.values():
        min(shares, key=len).extend(numbers)
    return [share for share in shares if share]


def units_of(
    nodeids: Sequence[str], groups: Mapping[str, str], cases: Mapping[str, str], workers: int
) -> list[str | None]:
    """The unit of each item: its case, or its group if there are fewer cases than workers."""
    found = [group_of(nodeid, groups) for nodeid in nodeids]
    of_cases = [group and cases.get(group, group) for group in found]
    return of_cases if len({*of_cases} - {None}) >= workers else found


def group_of(nodeid: str, groups: Mapping[str, str]) -> str | None:
    """The group of an item by the parameters in its id; ``None`` for a test of another kind."""
    parameters = nodeid.partition("[")[2].removesuffix("]")
    if parameters in groups:
        return groups[parameters]
    parts = parameters.split("-")
    for length in range(len(parts), 0, -1):
        for start in range(len(parts) - length + 1):
            found = groups.get("-".join(parts[start : start + length]))
            if found is not None:
                return found
    return None


@dataclass(frozen=True, slots=True)
class WorkerShare:
    """Instructions of the controller to this worker, in the types that ``workerinput`` takes.

    At most ``workers`` are given items, and have ``concurrency`` requests in flight together. A
    worker with a ``place`` among them is dealt its items at once; one that stands for a dead worker
    is given what that one ``left``. ``stopped`` is a file that is there once the run was stopped.
    """

    workers: int
    concurrency: int
    place: int | None
    left: list[str] | None
    stopped: str

    def requests(self, workers: int) -> int:
        """How many requests of this worker may be in flight if so many workers have items."""
        some, more = divmod(self.concurrency, workers)
        return max(1, some + ((self.place or 0) < more))

    @property
    def is_stopped(self) -> bool:
        return Path(self.stopped).exists()
