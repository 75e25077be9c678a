"""What the run of a shard says in its header: its part of the whole run, and how it ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from pytest_compaction.records.record import Record


@dataclass(frozen=True, slots=True)
class End:
    """What a shard's run knows when all its items have run.

    ``items``: the number of records of each case or dialogue. ``failures``: tests that failed
    for another reason than the score. ``excused``: items below the score at which they pass
    whose test did not fail for it, as where a test was expected to fail. ``snapshots``: the
    number of unused ones that fail a run.
    """

    items: Mapping[str, int] = field(default_factory=dict)
    failures: tuple[str, ...] = ()
    excused: tuple[str, ...] = ()
    snapshots: int = 0


@dataclass(frozen=True, slots=True)
class Part:
    """The shard ``index`` of ``count``: the ids of its cases and dialogues.

    ``selected`` are the arguments by which items were left out, ``end`` is ``None`` until the run
    has ended.
    """

    index: int
    count: int
    cases: tuple[str, ...] = ()
    dialogues: tuple[str, ...] = ()
    selected: tuple[str, ...] = ()
    end: End | None = None

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"

    def as_json(self) -> dict[str, Any]:
        """The part as a dictionary, for the header of the run."""
        return asdict(self)

    def ended(self, records: Iterable[Record], end: End) -> Part:
        """The part after its run, which wrote these records."""
        items = Counter(str(record["case"]) for record in records)
        return replace(self, end=replace(end, items=dict(items)))


def part_of(header: Mapping[str, Any]) -> Part | None:
    """The part that a header tells of; ``None`` for a whole run and for what cannot be read."""
    data: Any = header.get("shard")
    try:
        index, count, end = data["index"], data["count"], data["end"]
        if not (type(index) is int and type(count) is int and 1 <= index <= count):
            return None
        return Part(
            index,
            count,
            _texts(data["cases"]),
            _texts(data["dialogues"]),
            _texts(data["selected"]),
            None
            if end is None
            else End(
                {str(case): int(items) for case, items in end["items"].items()},
                _texts(end["failures"]),
                _texts(end["excused"]),
                int(end["snapshots"]),
            ),
        )
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


def _texts(values: Iterable[Any]) -> tuple[str, ...]:
    return tuple(map(str, values))
